"""Records that could not be converted: where each was, why it failed, and its own bytes.

An entry is one line of JSON and can be fed in again: its record is then converted in its place.
"""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ..errors import DragomanError, LossRefused
from ..text.json_text import Json, JsonObject
from .lines import BLOCK, Line

SUFFIX = ".quarantine.jsonl"
_KEYS = {"line", "source", "offset", "code", "where", "words"}
_PLACE = ("source", "line", "offset", "rows", "unread")
_FIRST = re.compile(rb'\{"line":(\d+),')
_PIECE = 3 * 2**16  # bytes; base64 of pieces can be joined if three divides their length


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record was not converted.

    Attributes:
        code: A short name for programs.
        words: What is wrong, and what to do about it.
        where: The path into the record; empty if there is none.
    """

    code: str
    words: str
    where: str = ""

    @classmethod
    def from_error(cls, error: Exception) -> Fault:
        """The fault of an error that a conversion raised."""
        if isinstance(error, DragomanError):
            code = error.code or type(error).__name__
            if isinstance(error, LossRefused):
                hint = "allow the codes in the policy, or choose another target"
                words = error.message
            else:
                hint, words = error.hint, error.message
            return cls(code, f"{words} ({hint})" if hint else words, error.path)
        if isinstance(error, MemoryError):
            return cls("record.memory", "there was not enough memory to convert it")
        if isinstance(error, RecursionError):
            return cls("json.deep", "nested too deeply")
        # no text of the error: it may quote the record
        return cls("record.bug", f"a mistake in dragoman: {type(error).__name__}")


def write_entry(
    file: BinaryIO,
    source: str,
    line: Line,
    fault: Fault,
    overflow: BinaryIO | None,
) -> None:
    """Append an entry to a quarantine.

    `overflow` has the bytes of a line that is too long.
    """
    places: JsonObject = {"line": line.number, "source": source, "offset": line.offset}
    head = places | {"code": fault.code, "where": fault.where, "words": fault.words}
    if line.rows != 1:
        head["rows"] = line.rows
    if line.unread:
        head["unread"] = True
    if line.first is not None:
        head["first"] = line.first
    file.write(encode_place(head))
    if overflow is None:
        file.writelines(_record(line.data))
    else:
        file.writelines(_long_record(overflow))
    file.write(b"}\n")


def encode_place(head: JsonObject) -> bytes:
    """The beginning of an entry, without the bracket at its end; `line` is its first key."""
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    # a name of a file that is no UTF-8 has half of a surrogate pair for each such byte
    return text[:-1].encode("utf-8", "backslashreplace")


def _record(data: bytes) -> Iterator[bytes]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield b',"base64":"' + base64.b64encode(data) + b'"'
    else:
        yield b',"record":' + json.dumps(text, ensure_ascii=False).encode()


def _long_record(file: BinaryIO) -> Iterator[bytes]:
    """The same of a line that is too long for the memory."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    file.seek(0)
    try:
        while piece := file.read(BLOCK):
            decode(piece)
        decode(b"", final=True)
    except UnicodeDecodeError:
        yield b',"base64":"'
        file.seek(0)
        while piece := file.read(_PIECE):
            yield base64.b64encode(piece)
    else:
        yield b',"record":"'
        decode = codecs.getincrementaldecoder("utf-8")().decode
        file.seek(0)
        while piece := file.read(BLOCK):
            yield json.dumps(decode(piece), ensure_ascii=False)[1:-1].encode()
    yield b'"'


def unwrap(value: Json) -> tuple[bytes, JsonObject] | None:
    """The record of an entry, and the place where it was first; None for anything else."""
    if not isinstance(value, dict) or not value.keys() >= _KEYS:
        return None
    record, packed = value.get("record"), value.get("base64")
    if isinstance(record, str):
        data = record.encode("utf-8", "surrogatepass")
    elif isinstance(packed, str):
        try:
            data = base64.b64decode(packed, validate=True)
        except ValueError:
            return None
    else:
        return None
    first = value.get("first")
    if not isinstance(first, dict):
        first = {key: value[key] for key in _PLACE if key in value}
    return data, first


def copy_entries(source: BinaryIO, target: BinaryIO, before: int) -> None:
    """Append the entries of a segment to those of its file, in which `before` lines precede it."""
    begins = True
    while piece := source.readline(BLOCK):
        if begins and (found := _FIRST.match(piece)):
            piece = b'{"line":%d,' % (int(found[1]) + before) + piece[found.end() :]
        target.write(piece)
        begins = piece.endswith(b"\n")
