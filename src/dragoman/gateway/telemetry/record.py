"""ExchangeRecord: what is known of one exchange, for the log, the metrics, spans and recordings.

And the header in which its answer tells what the request lost.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from time import time
from typing import Any, Protocol

from ...errors import ConfigError, DragomanError, ProviderError
from ...losses import Loss
from ...message import Usage
from ...text.redaction import clip_text, one_line
from ..surfaces.base import ClientRequest

_PLACED = 8  # losses whose place is told: finding it costs a walk through the request


@dataclass(slots=True)
class Kept:
    """The bytes of both sides, as they were; only where exchanges are recorded.

    Of each answer `most` bytes are kept; the names of those that had more are in `cut`.
    """

    request: bytes = b""
    response: bytearray = field(default_factory=bytearray)
    upstream_path: str = ""
    upstream_request: bytes = b""
    upstream_response: bytearray = field(default_factory=bytearray)
    framing: str = "json"  # of the answer to the client: json, sse, ndjson or json-array
    upstream_framing: str = "json"
    most: int = 8 * 2**20
    cut: set[str] = field(default_factory=set)  # response, upstream_response

    def keep_answer(self, data: bytes) -> None:
        """Keep what goes to the client."""
        self._add(self.response, data, "response")

    def upstream_answered(self, data: bytes) -> None:
        """Keep what the provider sent."""
        self._add(self.upstream_response, data, "upstream_response")

    def _add(self, kept: bytearray, data: bytes, name: str) -> None:
        room = self.most - len(kept)
        kept += data if len(data) <= room else data[:room]
        if len(data) > room:
            self.cut.add(name)


@dataclass(slots=True)
class ExchangeRecord:
    """One exchange. Times are in seconds: `begun` of the Unix clock, the others since then.

    `tenant` is the name of the client's key, `session` what the client calls the conversation.
    `protocol`, `path` and `model` are the client's, `vendor`, `upstream_protocol` and
    `upstream_model` the provider's. `status` is that of HTTP to the client, `upstream_status` the
    provider's, 0 where none came. `error` is the kind of what went wrong, also in mid-stream.
    `same_wire`: the bytes passed untouched.
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
    message: str = ""  # what `log_message` says of the error
    attempts: int = 0
    fallback: int = 0  # which of the targets answered: 0 is the first
    first_byte: float | None = None
    ended: float | None = None
    events: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    client_left: bool = False
    losses: Sequence[Loss] = ()
    usage: Usage | None = None
    finish: tuple[str, ...] = ()  # why each candidate ended, in the words of Finish
    answer_model: str = ""  # the model as the provider's answer names it
    traceparent: str = ""  # the client's header: the trace that the exchange belongs to
    kept: Kept | None = None


class Observer(Protocol):
    """Is told of each exchange when it begins and when it has ended; neither may block."""

    def on_begin(self, record: ExchangeRecord) -> None:
        """An exchange has begun: client, path and model are known."""

    def on_end(self, record: ExchangeRecord) -> None:
        """It has ended, in whatever way."""


class _OldObserver:
    """An observer whose methods have the names `begun` and `ended`, which they had before 0.1."""

    def __init__(self, observer: Any) -> None:
        self.on_begin, self.on_end = observer.begun, observer.ended
        self.close = getattr(observer, "close", lambda: None)


def adapt_observers(observers: Iterable[Any]) -> tuple[Observer, ...]:
    """The observers of a program, also those with the method names of before 0.1.

    Raises:
        ConfigError: One has not both methods of Observer.
    """
    adapted: list[Observer] = []
    for observer in observers:
        if all(callable(getattr(observer, name, None)) for name in ("on_begin", "on_end")):
            adapted.append(observer)
        elif all(callable(getattr(observer, name, None)) for name in ("begun", "ended")):
            kind = type(observer).__name__
            text = f"{kind}: an observer has on_begin and on_end instead of begun and ended"
            warnings.warn(text, DeprecationWarning, stacklevel=3)
            adapted.append(_OldObserver(observer))
        else:
            text = f"{type(observer).__name__} is no observer"
            hint = "it needs the methods on_begin(record) and on_end(record)"
            raise ConfigError(text, hint=hint, code="gateway.observer")
    return tuple(adapted)


# -- errors ----------------------------------------------------------------------------------------

# types and codes of errors whose text is of our own making and quotes nothing but hosts and seconds
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
# members of requests, by the protocols' own names: clients chose what stands below any other
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
    """What the log may say of an error: nothing that somebody said, and no key of a client's JSON.

    Texts of our own making stand as they are: of the configuration, of connections and of time.
    Others may quote a request or an answer, so that their type, code and path are told instead.
    """
    kind = error.type if isinstance(error, ProviderError) else ""
    whole = getattr(error, "body", None) is None and not {kind, error.code}.isdisjoint(_OWN)
    if whole or (isinstance(error, ConfigError) and error.code != "route.missing"):
        return clip_text(one_line(error.message), 200)
    words = [word for word in dict.fromkeys((kind, error.code)) if _WORD.fullmatch(word)]
    text = ", ".join(words) or type(error).__name__
    return f"{text} at {place}" if (place := known_path(error.path)) else text


def known_path(path: str) -> str:
    """The path as far as the protocols name its members; `.*` stands for what a client has named.

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
    """`dropped tool.foreign $.tools[3]; dropped extras.foreign *13; +2 more`; empty for none.

    Major losses have their place; the others are counted by code.
    """
    parts = [f"dropped {fault}" for fault in faults]
    others: Counter[str] = Counter()
    placed = 0
    for loss in losses:
        if loss.kind == "expected":
            continue
        if loss.weight == "major" and placed < _PLACED:
            placed += 1
            parts.append(f"{loss.kind} {loss.code} {loss.where}")
        else:
            others[f"{loss.kind} {loss.code}"] += 1
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
    """What is known when a request comes."""
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
