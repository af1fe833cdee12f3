"""JsonLog: a line of JSON for each exchange, without any content of conversations.

A line is ASCII: what clients choose, such as the name of a model, forges no line and moves no
cursor. It contains no header, no query, no body and no key.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TextIO

from ...losses import Loss
from ...message import Usage
from ...text.redaction import clip_text
from .background import Background
from .observed_exchange import ExchangeRecord, Observer
from .redact import without_secrets

_WAITING = 10_000  # lines
_BYTES = 8 * 2**20
_AT_ONCE = 4096  # bytes that a pipe of Linux takes in one piece (PIPE_BUF); a line has fewer
_LONGEST = 200  # characters of a name or path
_CODES = 40  # codes of losses that a line counts, of each weight
_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")
_LINE = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class JsonLog(Observer):
    """Writes a line when an exchange has ended, in a thread, so that a slow pipe blocks no loop.

    Lines that cannot be written are counted; the count is in a line with `"lost"`, as soon as lines
    can be written again. Nothing is raised.

    Args:
        stream: Where lines go; stderr without it.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._unwritten = 0
        self._thread = Background[str]("dragoman-log", self._write, items=_WAITING, size=_BYTES)

    def on_begin(self, record: ExchangeRecord) -> None:
        """Do nothing: an exchange is logged when it has ended."""

    def on_end(self, record: ExchangeRecord) -> None:
        """Log the exchange."""
        line = _LINE.encode(log_fields(record))
        self._thread.put(line, len(line))

    def _write(self, lines: list[str], left_out: int) -> None:
        self._unwritten += left_out
        if self._unwritten:
            note = _LINE.encode({"time": _time(datetime.now(UTC)), "lost": self._unwritten})
            lines = [note, *lines]
        stream = sys.stderr if self._stream is None else self._stream
        written = 0
        try:
            for piece in _pieces(lines):
                stream.write("\n".join((*piece, "")))
                stream.flush()
                written += len(piece)
        except (OSError, ValueError):  # ValueError: it is closed
            told = bool(written) or not self._unwritten
            left = len(lines) - written
            self._unwritten = left if told else self._unwritten + left - 1
        else:
            self._unwritten = 0

    def flush(self) -> bool:
        """Wait until all lines are written; False if that takes too long."""
        return self._thread.flush()

    def close(self) -> bool:
        """Write the remaining lines and end the thread; False if that takes too long."""
        return self._thread.close()


def _pieces(lines: list[str]) -> Iterator[list[str]]:
    """The lines in pieces that a pipe takes without another worker's lines between them."""
    piece: list[str] = []
    size = 0
    for line in lines:
        if piece and size + len(line) + 1 > _AT_ONCE:
            yield piece
            piece, size = [], 0
        piece.append(line)
        size += len(line) + 1
    if piece:
        yield piece


def log_fields(record: ExchangeRecord) -> dict[str, Any]:
    """The fields of an exchange's line; empty ones are left out.

    `seconds` and `first_byte` are in seconds since its beginning, which `time` is; `tokens` are
    disjoint but for `reasoning`, which is a part of `output`; `losses` are counted by code, below
    their weight.
    """
    fields: dict[str, Any] = {
        "time": _time(datetime.fromtimestamp(record.begun, UTC)),
        "id": _name(record.id),
        "status": record.status,
        "tenant": _name(record.tenant),
        "protocol": _name(record.protocol),
        "path": _name(_plain_path(record.path)),
        "model": _name(record.model),
        "route": _name(record.route),
        "vendor": _name(record.vendor),
        "upstream_protocol": _name(record.upstream_protocol),
        "upstream_model": _name(record.upstream_model),
        "upstream_status": record.upstream_status,
        "stream": record.stream,
        "same_wire": record.same_wire,
        "error": _name(record.error),
        "message": _name(record.message),
        "attempts": record.attempts,
        "fallback": record.fallback,
        "first_byte": _seconds(record.first_byte),
        "seconds": _seconds(record.ended),
        "events": record.events,
        "bytes_in": record.bytes_in,
        "bytes_out": record.bytes_out,
        "client_left": record.client_left,
        "tokens": _tokens(record.usage),
        "losses": counted_losses(record.losses),
    }
    return {name: value for name, value in fields.items() if value or name == "status"}


def _time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _name(text: str) -> str:
    """A name that a client or provider chose, shortened and without secrets."""
    return clip_text(without_secrets(text[: 5 * _LONGEST]), _LONGEST) if text else ""


def _plain_path(path: str) -> str:
    return path.partition("?")[0].partition("#")[0]


def _seconds(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _tokens(usage: Usage | None) -> dict[str, int]:
    if usage is None:
        return {}
    figures = ((name, getattr(usage, name)) for name in _TOKENS)
    return {name: figure for name, figure in figures if figure is not None}


def counted_losses(losses: Sequence[Loss]) -> dict[str, dict[str, int]]:
    """How often each code occurs, below its weight: `{"major": {"media.kind": 2}}`."""
    counted: dict[str, dict[str, int]] = {}
    for loss in losses:
        codes = counted.setdefault(loss.weight, {})
        if loss.code in codes or len(codes) < _CODES:
            codes[loss.code] = codes.get(loss.code, 0) + 1
    return {
        weight: counted[weight] for weight in ("major", "minor", "trivial") if weight in counted
    }
