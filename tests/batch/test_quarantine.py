"""Entries of a quarantine: where a record was, why it failed, its bytes, and the way back."""

from __future__ import annotations

import base64
import io
import json
from typing import Any, BinaryIO, cast

import pytest

from dragoman import convert
from dragoman.batch.lines import BLOCK, Line
from dragoman.batch.quarantine import Fault, copy_entries, unwrap, write_entry
from dragoman.errors import DragomanError

FAULT = Fault("json.invalid", "no JSON", "$.a")


def entry(data: bytes, overflow: bytes | None = None, number: int = 7) -> dict[str, Any]:
    file = io.BytesIO()
    long = None if overflow is None else cast("BinaryIO", io.BytesIO(overflow))
    line = Line(number, 90, data)
    write_entry(cast("BinaryIO", file), "a\udcff.jsonl", line, FAULT, long)
    assert file.getvalue().endswith(b"}\n")
    found: dict[str, Any] = json.loads(file.getvalue())
    return found


@pytest.mark.parametrize("data", [b"", b"{broken", "你\u2028好".encode(), b"\xff\x00", b'"\\\r\t'])
def test_an_entry_has_the_place_the_reason_and_the_bytes(data: bytes) -> None:
    found = entry(data)
    assert (found["source"], found["line"], found["offset"]) == ("a\udcff.jsonl", 7, 90)
    assert (found["code"], found["where"], found["words"]) == ("json.invalid", "$.a", "no JSON")
    unpacked = base64.b64decode(found["base64"]) if "base64" in found else found["record"].encode()
    assert unpacked == data
    assert unwrap(found) == (data, {"source": "a\udcff.jsonl", "line": 7, "offset": 90})


@pytest.mark.parametrize("piece", ["a", "é", "你好\n", '"\\'])
def test_a_long_line_is_written_piece_by_piece(piece: str) -> None:
    data = piece.encode() * (BLOCK // 2)
    assert entry(b"", data)["record"].encode() == data
    assert base64.b64decode(entry(b"", data + b"\xff")["base64"]) == data + b"\xff"


def test_entries_of_a_later_segment_are_numbered_from_the_beginning_of_the_file() -> None:
    segment, whole = io.BytesIO(), io.BytesIO()
    for number in (2, 9):
        line = Line(number, 90, b'{"line":5,' + b"x" * 2 * BLOCK)
        write_entry(cast("BinaryIO", segment), "a", line, FAULT, None)
    segment.seek(0)
    copy_entries(cast("BinaryIO", segment), cast("BinaryIO", whole), 1000)
    rows = [json.loads(row) for row in whole.getvalue().splitlines()]
    assert [row["line"] for row in rows] == [1002, 1009]
    assert all(row["record"].startswith('{"line":5,') for row in rows)


@pytest.mark.parametrize(
    "value",
    [None, [], {"line": 1}, {"record": "{}"},
     {"line": 1, "source": "a", "offset": 0, "code": "c", "where": "", "words": "",
      "base64": "?"}],
)  # fmt: skip
def test_other_records_are_no_entries(value: Any) -> None:
    assert unwrap(value) is None


def test_every_error_becomes_a_fault() -> None:
    with pytest.raises(DragomanError) as raised:
        convert({"model": "m", "messages": []}, "openai-chat", "anthropic")
    fault = Fault.from_error(raised.value)
    assert (fault.code, fault.where) == ("messages.empty", "$.messages")
    assert "add a user message" in fault.words
    assert Fault.from_error(MemoryError()).code == "record.memory"
    assert Fault.from_error(RecursionError()).code == "json.deep"
    secret = Fault.from_error(KeyError("a secret"))
    assert secret.code == "record.bug"
    assert "secret" not in secret.words
