"""Recorder: writes exchanges as JSON lines, which the page and `dragoman fidelity` open.

A line has the client's side at the top and the provider's below `upstream`, each with request and
answer: a whole `response`, or the `events` of a stream. Secrets of known forms are removed, except
for one that a model spells over several events; headers and queries are never recorded.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from io import FileIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, cast
from urllib.parse import urlsplit
from zlib import crc32

from ...errors import ConfigError, DragomanError, ReadError
from ...losses import Loss
from ...message import Usage
from ...stream.framing import Decoder, Framing, ServerEvent
from ...text.json_text import Json, JsonObject, encode_json, loads
from .background import Background
from .observed_exchange import ExchangeRecord, Kept, Observer
from .redact import redact, without_secrets

MB = 2**20
_WAITING = 1000  # exchanges
_LOSSES = 200  # losses to record of an exchange
_TEXT = 2**16  # characters to record of a body that is no JSON
_PIECE = 4096  # bytes of a stream to read at once

_log = logging.getLogger("dragoman.gateway")


class Recorder(Observer):
    """Records exchanges, in a file for each process and day that only its owner can read.

    An exchange that is not recorded is counted in `left_out` and logged. No file is ever removed.

    Args:
        folder: The folder of the files, which is made if it does not exist.
        most: The most bytes of an exchange's bodies; larger exchanges are not recorded.
        waiting: The most bytes that wait for the disk; further exchanges are not recorded.
        file_size: After so many bytes the next file is begun.

    Raises:
        ConfigError: The folder cannot be made or written.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        most: int = 32 * MB,
        waiting: int = 128 * MB,
        file_size: int = 256 * MB,
    ) -> None:
        self.folder = Path(folder)
        self.left_out: Counter[str] = Counter()
        self._most = most
        self._files = _Files(self.folder, file_size)
        self._thread = Background[ExchangeRecord](
            "dragoman-recorder", self._write, items=_WAITING, size=waiting
        )
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            text = f"nothing can be kept in {self.folder}: {error.strerror or error}"
            hint = "name a folder that the gateway may write"
            raise ConfigError(text, hint=hint, code="record.folder") from error

    def on_begin(self, record: ExchangeRecord) -> None:
        """Do nothing: an exchange is recorded when it has ended."""

    def on_end(self, record: ExchangeRecord) -> None:
        """Record the exchange, if its bytes were kept; the record must not change any more."""
        if record.kept is None:
            return
        size = _size(record.kept)
        if size > self._most:
            self._leave_out("too large", 1)
        else:
            self._thread.put(record, size)  # the thread counts what it cannot take

    def _write(self, records: list[ExchangeRecord], left_out: int) -> None:
        if left_out:
            self._leave_out("the disk is too slow", left_out)
        for done, record in enumerate(records):
            try:
                self._files.write(encode_json(build_row(record)) + b"\n")
            except OSError as error:
                self._files.close()
                self._leave_out(error.strerror or type(error).__name__, len(records) - done)
                return
            except DragomanError as error:  # JSON that cannot be written again
                self._leave_out(error.message, 1)

    def _leave_out(self, why: str, number: int) -> None:
        self.left_out[why] += number
        _log.warning("%d exchanges were not recorded: %s", number, why)

    def flush(self) -> bool:
        """Wait until all is written; False if that takes too long."""
        return self._thread.flush()

    def close(self) -> bool:
        """Write the remaining exchanges and close the file; False if that takes too long."""
        closed = self._thread.close()
        if closed:
            self._files.close()
        return closed


class _Files:
    """The current file: of this process and this day, and not too long."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._name = ""
        self._file: FileIO | None = None
        self._size = 0
        self._torn = False  # whether the last line may be incomplete

    def write(self, line: bytes) -> None:
        """Append a line, on a line of its own even after an incomplete one."""
        file = self.current()
        rest = memoryview(b"\n" + line if self._torn else line)
        self._torn = True
        while rest:
            written = file.write(rest)
            self._size += written
            rest = rest[written:]
        self._torn = False

    def current(self) -> FileIO:
        """The file for the next line. Raises OSError."""
        name = f"{datetime.now(UTC):%Y-%m-%d}-{os.getpid()}"
        if self._file is None or name != self._name or self._size >= self._most:
            self.close()
            self._file = self._open_file(name)
            self._name = name
        return self._file

    def _open_file(self, name: str) -> FileIO:
        """Open the first file of this name that has room: another process may have used it."""
        for number in count():
            path = self._folder / f"{name}{f'-{number}' if number else ''}.jsonl"
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            handle = os.open(path, flags, 0o600)
            self._size = os.fstat(handle).st_size
            if self._size < self._most:
                return FileIO(handle, "ab")
            os.close(handle)
        raise AssertionError("count() never ends")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _size(kept: Kept) -> int:
    sides = (kept.request, kept.response, kept.upstream_request, kept.upstream_response)
    return sum(map(len, sides))


# -- the shape of a line --------------------------------------------------------------------------


def build_row(record: ExchangeRecord) -> JsonObject:
    """The exchange as a line of a recording, without secrets; empty bodies if none were kept.

    A body that is no JSON becomes a text in `request_text` or `response_text`, cut after 65,536
    characters; `broken` means that a stream could not be read to its end, `truncated` that an
    answer was longer than what is recorded of it. `upstream` is null if no provider was called.
    """
    kept = record.kept or Kept()
    was_sent = bool(kept.upstream_request or kept.upstream_path or record.upstream_status)
    framing = _framing(kept.framing, kept.response)
    answer = _answer(bytes(kept.response), framing, "response" in kept.cut)
    row: JsonObject = {
        "id": record.id,
        "time": datetime.fromtimestamp(record.begun, UTC).isoformat(timespec="milliseconds"),
        "session": record.session,
        "tenant": record.tenant,
        "protocol": record.protocol,
        "vendor": record.vendor,
        "model": record.model,
        "url_path": _plain(record.path),
        "status": record.status,
        "framing": framing,
        **_body(kept.request, "request"),
        **answer,
        "upstream": _upstream(record, kept, answer) if was_sent else None,
        "losses": [_loss(loss) for loss in record.losses[:_LOSSES]],
        "usage": _usage(record.usage),
        "error": _error(record),
        "client_left": record.client_left,
    }
    for name, value in row.items():  # bodies are redacted already
        if isinstance(value, str):
            row[name] = without_secrets(value)
    return row


def _upstream(record: ExchangeRecord, kept: Kept, answer: JsonObject) -> JsonObject:
    """The provider's side; an answer that was passed on unchanged is decoded once."""
    framing = _framing(kept.upstream_framing, kept.upstream_response)
    is_cut = "upstream_response" in kept.cut
    same = kept.upstream_response == kept.response and is_cut == ("response" in kept.cut)
    return {
        "protocol": record.upstream_protocol,
        "vendor": record.vendor,
        "model": without_secrets(record.upstream_model),
        "url_path": without_secrets(_plain(kept.upstream_path)),
        "status": record.upstream_status,
        "framing": framing,
        **_body(kept.upstream_request, "request"),
        **(answer if same else _answer(bytes(kept.upstream_response), framing, is_cut)),
    }


def _error(record: ExchangeRecord) -> JsonObject | None:
    if not record.error:
        return None
    return {"kind": record.error, "message": without_secrets(record.message)}


def _plain(url: str) -> str:
    """The path alone: a query may contain a key."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _framing(told: str, data: bytes | bytearray) -> str:
    """The framing of an answer: the given one, or for `json` the one that its bytes show."""
    if told != "json":
        return told
    begun = bytes(data[:_PIECE]).lstrip(b"\xef\xbb\xbf \t\r\n")
    if begun.startswith((b"data:", b"event:", b"id:", b"retry:", b":")):
        return "sse"
    if begun.startswith(b"["):
        return "json-array"
    # a frame of an AWS event stream begins with a prelude that has a checksum
    if len(data) >= 16 and int.from_bytes(data[8:12], "big") == crc32(data[:8]):
        return "aws-eventstream"
    first, end, rest = bytes(data).strip().partition(b"\n")
    return "ndjson" if end and rest and _is_json(first) else "json"


def _is_json(text: bytes) -> bool:
    try:
        loads(text)
    except ReadError:
        return False
    return True


def _body(data: bytes, name: str) -> JsonObject:
    """A body as JSON, or as text under another name."""
    if not data:
        return {name: None}
    try:
        return {name: redact(loads(data))}
    except ReadError:
        return {name: None, f"{name}_text": _text(data)}


def _text(data: bytes) -> str:
    return without_secrets(data[: 4 * _TEXT].decode("utf-8", "replace"))[:_TEXT]


def _answer(data: bytes, framing: str, is_cut: bool) -> JsonObject:
    """The answer: a whole `response`, or the `events` of a stream as far as they came."""
    truncated: JsonObject = {"truncated": True} if is_cut else {}
    if framing == "json":
        return {**_body(data, "response"), "events": None, **truncated}
    decoder = Decoder(cast("Framing", framing))
    found: list[ServerEvent] = []
    rest: JsonObject = {}
    try:
        for begin in range(0, len(data), _PIECE):
            found += decoder.feed(data[begin : begin + _PIECE])
        found += [] if is_cut else decoder.flush()  # an incomplete event is left out
    except ReadError:  # a broken frame, as only AWS has them: nothing after it can be read
        rest = {"broken": True}
    events = [{"event": event.event, "data": _data(event.data)} for event in found]
    return {"response": None, "events": events, **rest, **truncated}


def _data(text: str) -> Json:
    """The payload of an event; `[DONE]` and other words are no JSON."""
    try:
        return redact(loads(text))
    except ReadError:
        return without_secrets(text)


def _loss(loss: Loss) -> JsonObject:
    names: Iterable[str] = ("kind", "code", "where", "what", "did")
    return {name: without_secrets(getattr(loss, name)) for name in names}


def _usage(usage: Usage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    figures = ((f.name, getattr(usage, f.name)) for f in fields(usage))
    return {name: figure for name, figure in figures if type(figure) is int}
