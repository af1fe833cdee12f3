"""One exchange as observers see it: the log, the metrics, spans and recordings.

`recording.py` decides what a recording keeps of it. The header that lists the losses of a request
is made here, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from time import monotonic, time
from typing import Any, Protocol

from ..._old_names import warn_of_old_name
from ...errors import ConfigError, DragomanError, ProviderError
from ...losses import Loss
from ...losses.loss import locate_losses
from ...message import Usage
from ...text.redaction import clip_text, one_line
from ..surfaces.base import ClientRequest

_PLACED = 8  # losses that are listed with their place, which needs a walk through the request


@dataclass(slots=True)
class Kept:
    """The bytes of both sides, unchanged; only if exchanges are recorded.

    Attributes:
        framing: Of the answer to the client: json, sse, ndjson or json-array.
        upstream_framing: Of the provider's answer.
        most: The most bytes to keep of each answer.
        cut: The answers with more bytes: `response`, `upstream_response`.
    """

    request: bytes = b""
    response: bytearray = field(default_factory=bytearray)
    upstream_path: str = ""
    upstream_request: bytes = b""
    upstream_response: bytearray = field(default_factory=bytearray)
    framing: str = "json"
    upstream_framing: str = "json"
    most: int = 8 * 2**20
    cut: set[str] = field(default_factory=set)

    def keep_answer(self, data: bytes) -> None:
        """Keep bytes that go to the client."""
        self._add(self.response, data, "response")

    def upstream_answered(self, data: bytes) -> None:
        """Keep bytes that the provider sent."""
        self._add(self.upstream_response, data, "upstream_response")

    def _add(self, kept: bytearray, data: bytes, name: str) -> None:
        room = self.most - len(kept)
        kept += data if len(data) <= room else data[:room]
        if len(data) > room:
            self.cut.add(name)


@dataclass(slots=True)
class ExchangeRecord:
    """What is noted of one exchange. `begun` is Unix time, other times are seconds since then.

    Attributes:
        protocol: The client's, as are `path` and `model`.
        tenant: The name of the client's key.
        session: The client's id of the conversation.
        vendor: The provider's, as are `upstream_protocol` and `upstream_model`.
        same_wire: Whether bytes were passed on unchanged.
        status: The status of HTTP to the client.
        upstream_status: The provider's status; 0 if none came.
        error: The kind of error, also of one in mid-stream.
        message: The text of `log_message` for this error.
        fallback: Which target answered; 0 is the first.
        finish: Why each candidate ended, in the words of Finish.
        answer_model: The model's name in the provider's answer.
        traceparent: The client's header with the trace that the exchange belongs to.
    """

    id: str
    begun: float
    protocol: str = ""
    path: str = ""
    model: str = ""
    stream: bool = False
    tenant: str = ""
    session: str = ""
    route: str = ""
    vendor: str = ""
    upstream_protocol: str = ""
    upstream_model: str = ""
    same_wire: bool = False
    status: int = 0
    upstream_status: int = 0
    error: str = ""
    message: str = ""
    attempts: int = 0
    fallback: int = 0
    first_byte: float | None = None
    ended: float | None = None
    events: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    client_left: bool = False
    losses: Sequence[Loss] = ()
    usage: Usage | None = None
    finish: tuple[str, ...] = ()
    answer_model: str = ""
    traceparent: str = ""
    kept: Kept | None = None


class Observer(Protocol):
    """Is notified of each exchange when it begins and when it has ended; neither call may block."""

    def on_begin(self, record: ExchangeRecord) -> None:
        """An exchange has begun: client, path and model are known."""

    def on_end(self, record: ExchangeRecord) -> None:
        """An exchange has ended, with or without an error."""


_NEW = ("on_begin", "on_end")
_OLD = ("begun", "ended")  # before 0.1


class _OldObserver:
    """An observer whose methods have the names that they had before 0.1."""

    def __init__(self, observer: Any) -> None:
        self.on_begin, self.on_end = (getattr(observer, name, _do_nothing) for name in _OLD)
        self.close = getattr(observer, "close", _do_nothing)


def _do_nothing(*_: object) -> None:
    pass


def _defines(observer: object, name: str) -> bool:
    """Whether an observer has a method of its own, and not the empty one of the protocol."""
    method = getattr(type(observer), name, None) or getattr(observer, name, None)
    return callable(method) and method is not getattr(Observer, name, None)


def adapt_observers(observers: Iterable[Any]) -> tuple[Observer, ...]:
    """The observers of a program, including those with the method names used before 0.1.

    Raises:
        ConfigError: An observer lacks a method of Observer, or has methods of both names.
    """
    return tuple(map(_adapt_observer, observers))


def _adapt_observer(observer: Any) -> Observer:
    kind = type(observer).__name__
    old = [name for name in _OLD if callable(getattr(type(observer), name, None))]
    if any(_defines(observer, name) for name in _NEW):
        if old:  # of a class of ours, say, whose `on_end` would be called instead
            text = f"{kind} has a method `{old[0]}`, which nothing calls"
            hint = "its methods are on_begin(record) and on_end(record)"
            raise ConfigError(text, hint=hint, code="gateway.observer")
        if all(callable(getattr(observer, name, None)) for name in _NEW):
            return observer  # type: ignore[no-any-return]
    elif any(callable(getattr(observer, name, None)) for name in _OLD):
        warn_of_old_name(f"{kind}.begun or {kind}.ended", "on_begin or on_end")
        return _OldObserver(observer)
    text = f"{kind} is no observer"
    hint = "it needs the methods on_begin(record) and on_end(record)"
    raise ConfigError(text, hint=hint, code="gateway.observer")


class ExchangeNotifier:
    """Notifies the observers of one exchange: when it begins, and once when it has ended."""

    def __init__(self, observers: Sequence[Observer], record: ExchangeRecord) -> None:
        self.record = record
        self._observers = observers
        self._since = monotonic()
        for observer in observers:
            observer.on_begin(record)

    def note_sent_bytes(self, data: bytes) -> None:
        """Note bytes that went to the client."""
        record = self.record
        if record.first_byte is None:
            record.first_byte = monotonic() - self._since
        record.bytes_out += len(data)
        if record.kept is not None:
            record.kept.keep_answer(data)

    def end(self, left: bool = False) -> None:
        """Note the end of the exchange; `left`: the client did not wait for all of it."""
        observers, self._observers = self._observers, ()
        if not observers:
            return
        self.record.client_left = left
        self.record.ended = monotonic() - self._since
        for observer in observers:
            observer.on_end(self.record)


# -- errors ----------------------------------------------------------------------------------------

# types and codes of errors whose texts are written here and quote only hosts and seconds
_OWN = frozenset(
    {
        "connect_timeout",
        "connection",
        "connection_closed",
        "read_timeout",
        "total_timeout",
        "upstream.stalled",
        "upstream.status",
    }
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,63}")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d{1,6})\]")
# members of requests in the protocols; clients may choose the keys inside any other member
_MEMBERS = frozenset(
    {"allowed_tools", "cache_control", "citations", "content", "contents", "context_management",
     "data", "display_name", "effort", "encrypted_content", "fileData", "file_data", "file_id",
     "file_uri", "format", "function", "functionCall", "functionCallingConfig",
     "functionDeclarations", "functionResponse", "function_call", "generationConfig", "id",
     "image_url", "images", "include", "inlineData", "input", "input_audio", "instructions",
     "max_completion_tokens", "max_output_tokens", "max_tokens", "media_type", "messages",
     "metadata", "mimeType", "model", "name", "options", "output", "parallel_tool_calls",
     "parameters", "parts", "previous_response_id", "reasoning", "reasoning_effort",
     "response_format", "role", "safetySettings", "signature", "source", "status", "stop",
     "stop_sequences", "store", "stream", "stream_options", "strict", "summary", "system",
     "systemInstruction", "temperature", "text", "thinking", "thoughtSignature", "toolConfig",
     "tool_call_id", "tool_calls", "tool_choice", "tool_use_id", "tools", "top_k", "top_p",
     "type", "url", "user"}
)  # fmt: skip


def log_message(error: DragomanError) -> str:
    """The text of an error for the log: no content of messages, and no keys that a client chose.

    Texts that are written here, about the configuration, connections and time, are used unchanged.
    Others may quote a request or an answer, so that their type, code and path are used instead.
    """
    kind = error.type if isinstance(error, ProviderError) else ""
    whole = getattr(error, "body", None) is None and not {kind, error.code}.isdisjoint(_OWN)
    if whole or (isinstance(error, ConfigError) and error.code != "route.missing"):
        return clip_text(one_line(error.message), 200)
    words = [word for word in dict.fromkeys((kind, error.code)) if _WORD.fullmatch(word)]
    text = ", ".join(words) or type(error).__name__
    return f"{text} at {place}" if (place := known_path(error.path)) else text


def known_path(path: str) -> str:
    """The path as far as the protocols name its members; `.*` replaces what a client named.

    >>> known_path("$.messages[3].content[0].input.diary.monday"), known_path("$")
    ('$.messages[3].content[0].input.*', '')
    """
    at, told = path.startswith("$"), ""
    position = int(at)
    while match := _STEP.match(path, position):
        if match[1] and match[1] not in _MEMBERS:
            break
        told += match[0]
        position = match.end()
    rest = ".*" if position < len(path) else ""
    return clip_text(f"${told}{rest}", 120) if told or (at and rest) else ""


# -- the header ------------------------------------------------------------------------------------


def losses_header(losses: Iterable[Loss], faults: Sequence[str], most: int) -> str:
    """`dropped tool.other_provider $.tools[3]; dropped extras.other_provider *13; +2 more`; or "".

    Major losses are listed with their place; the others are counted by code.
    """
    others: Counter[str] = Counter()
    placed: list[Loss] = []
    for loss in losses:
        if loss.kind == "expected":
            continue
        if loss.weight == "major" and len(placed) < _PLACED:
            placed.append(loss)
        else:
            others[f"{loss.kind} {loss.code}"] += 1
    locate_losses(placed)
    parts = [f"dropped {fault}" for fault in faults]
    parts += [f"{loss.kind} {loss.code} {loss.where}" for loss in placed]
    parts += [name if count == 1 else f"{name} *{count}" for name, count in others.most_common()]
    return _cut(parts, most) if parts else ""


def _cut(parts: Sequence[str], most: int) -> str:
    text = ""
    for number, part in enumerate(parts):
        plain = part.encode("ascii", "backslashreplace").decode().replace("\n", " ")
        more = f"; +{len(parts) - number} more"
        joined = f"{text}; {plain}" if text else plain
        if len(joined) + len(more) > most:
            return f"{text}{more}" if text else more[2:]
        text = joined
    return text


def new_record(request: ClientRequest) -> ExchangeRecord:
    """The record of a request that has just come."""
    headers = request.headers
    session = headers.get("session_id") or headers.get("x-session-id") or ""
    return ExchangeRecord(
        f"dg_{token_hex(16)}",
        time(),
        path=request.path,
        session=session[:200],
        bytes_in=len(request.body),
        traceparent=headers.get("traceparent", ""),
    )
