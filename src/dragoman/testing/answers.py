"""Answers of tests, in neutral form, as bytes of any wire.

A whole answer is what `Wire.write_response` writes. A stream is built from the same body: it is
read back into pieces, and texts are cut at spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from ..codec.wire import Wire
from ..conversion.detection import detect
from ..error_kinds import usual_status
from ..errors import ConfigError, ProviderError
from ..message import Candidate, ChatRequest, ChatResponse, Finish, Msg, TextBlock, ToolUseBlock
from ..protocols.answers import OPENAI_ERRORS
from ..stream.framing.encoder import CONTENT_TYPES, Encoder
from ..stream.pieces import End, Failed, Part, Piece
from ..text.json_text import JsonObject, arguments
from ..transport.call import HttpCall
from ..vendors import Vendor
from ..vendors import wire as wire_of

_HEADERS = {"content-type": "application/json", "x-request-id": "req_scripted"}


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer with a fault.

    Attributes:
        answer: The answer without the fault.
        cut: The connection ends after this many pieces of a stream, or bytes of a whole body.
        malformed: Invalid JSON follows this many pieces of a stream; of a whole body, half is sent.
        error: An error within a stream, after `after` pieces, or in place of a whole answer.
        after: How many pieces come before the error; 0 is none.
        pause: Seconds before each piece.
        headers: Headers in addition to the usual ones, such as `retry-after`.
    """

    answer: Any = "Hello."
    cut: int | None = None
    malformed: int | None = None
    error: ProviderError | None = None
    after: int = 1
    pause: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Rendered:
    """An answer as it is sent: the pieces of its body, and whether the connection then breaks."""

    status: int
    headers: dict[str, str]
    chunks: list[bytes]
    broken: bool = False
    pause: float = 0.0


# text, Msg, blocks, ChatResponse, ProviderError, another exception, Fault, or a function
Answer: TypeAlias = (
    str | Msg | Sequence[Any] | ChatResponse | Exception | Fault | Callable[[ChatRequest], Any]
)


def asked_wire(call: HttpCall, name: str | Vendor | Wire | None) -> Wire:
    """Return the wire of a call, by its address and body if no `name` is given."""
    if isinstance(name, Wire):
        return name
    if name is None:
        parts = urlsplit(call.url)
        name = detect(call.body, f"https://{parts.hostname}{parts.path}").wire
    return wire_of(name, policy="ignore", fetch=None)


def asked_request(call: HttpCall, wire: Wire) -> ChatRequest:
    """Read the request of a call."""
    parts = urlsplit(call.url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return wire.read_request(call.body, path, call.headers)


def render_answer(answer: Any, wire: Wire, request: ChatRequest) -> Rendered:
    """Return the answer in the form of this wire; raise an exception that has no HTTP status."""
    while callable(answer) and not isinstance(answer, type):
        answer = answer(request)
    fault = answer if isinstance(answer, Fault) else Fault(answer)
    answer = fault.answer
    if isinstance(answer, ProviderError) and answer.status is not None:
        made = _error(answer, wire)
    elif isinstance(answer, Exception):
        raise answer
    elif request.stream:
        made = _stream(build_response(answer, request), wire, request, fault)
    else:
        made = _whole(build_response(answer, request), wire, request, fault)
    made.headers.update({name.lower(): text for name, text in fault.headers.items()})
    made.pause = fault.pause
    return made


def build_response(answer: Any, request: ChatRequest) -> ChatResponse:
    """Return the answer as a ChatResponse, under the name of the model that was asked."""
    if isinstance(answer, str):
        answer = [TextBlock(answer)]
    elif isinstance(answer, ToolUseBlock):
        answer = [answer]
    if isinstance(answer, (list, tuple)):
        answer = Msg("", list(answer), "assistant")
    if isinstance(answer, Msg):
        reason = "tool_calls" if answer.calls else "stop"
        finish = Finish(reason)  # type: ignore[arg-type]  # one of the two words
        answer = ChatResponse([Candidate(answer, finish)], model=request.model)
    if not isinstance(answer, ChatResponse):
        text = f"{type(answer).__name__} is no answer"
        hint = "text, Msg, blocks, ChatResponse, an exception, Fault, or a function that gives one"
        raise ConfigError(text, hint=hint, code="testing.answer")
    return answer if answer.model else replace(answer, model=request.model)


def build_error(status: int, message: str, type: str = "") -> ProviderError:
    """Build an error to answer with."""
    return ProviderError(message, status=status, type=type)


def _error(error: ProviderError, wire: Wire) -> Rendered:
    status = error.status or usual_status(error.kind)
    headers = dict(_HEADERS)
    if (wait := getattr(error, "retry_after", None)) is not None:
        headers["retry-after"] = f"{wait:g}"
    if error.should_retry is not None:
        headers["x-should-retry"] = str(error.should_retry).lower()
    if error.request_id:
        headers["x-request-id"] = error.request_id
    if wire.room.protocol == "bedrock-converse":
        usual = "ValidationException" if status < 500 else "InternalServerException"
        headers["x-amzn-errortype"] = _AWS_ERRORS.get(status, usual)
    return Rendered(status, headers, [_bytes(error_body(error, wire))])


_AWS_ERRORS = {
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    424: "ModelErrorException",
    408: "ModelTimeoutException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


_SERVER_KINDS = ("server", "overloaded", "timeout", "connection", "no_answer", "other")


def error_body(error: ProviderError, wire: Wire) -> JsonObject:
    """Return the body of an answer with an error status."""
    if isinstance(error.body, dict):
        return error.body
    if wire.room.protocol in ("openai-chat", "openai-responses"):
        usual = "server_error" if error.kind in _SERVER_KINDS else "invalid_request_error"
        named, code = OPENAI_ERRORS.get(error.kind, (usual, None))
        return {
            "error": {
                "message": error.message,
                "type": error.type or named,
                "param": None,
                "code": error.code or (None if error.type else code),
            }
        }
    body = wire.write_response(ChatResponse([], status="error", error=error)).body
    names = ("type", "error", "code", "message", "request_id", "object", "param", "error_type")
    return {name: body[name] for name in names if name in body}


def _whole(resp: ChatResponse, wire: Wire, request: ChatRequest, fault: Fault) -> Rendered:
    if fault.error is not None:
        return _error(fault.error, wire)
    body = _bytes(wire.write_response(resp, request).body)
    if fault.malformed is not None:
        body = body[: len(body) // 2]
    chunks = [body] if fault.cut is None else [body[: fault.cut]]
    return Rendered(200, dict(_HEADERS), chunks, fault.cut is not None)


def _stream(resp: ChatResponse, wire: Wire, request: ChatRequest, fault: Fault) -> Rendered:
    framing = wire.room.framing
    encoder = Encoder(framing)
    chunks = []
    for event in _events(resp, wire, request, fault):
        chunks.append(encoder.feed(event))
        if fault.malformed == len(chunks):
            # AWS frames get a wrong checksum, all others invalid JSON
            chunks.append(_NO_FRAME if framing == "aws-eventstream" else _NO_JSON[framing])
        if fault.cut == len(chunks):
            break
    if fault.cut is None and (rest := encoder.finish()):
        chunks.append(rest)
    headers = {**_HEADERS, "content-type": CONTENT_TYPES[framing]}
    return Rendered(200, headers, chunks, fault.cut is not None)


_NO_JSON = {"sse": b'data: {"oops\n\n', "ndjson": b'{"oops\n', "json-array": b',{"oops'}
_NO_FRAME = b"\0\0\0\x20\0\0\0\0oops" + b"\0" * 20


def _events(
    resp: ChatResponse, wire: Wire, request: ChatRequest, fault: Fault
) -> Iterator[tuple[str | None, Any]]:
    encoder = wire.stream_encoder(request, origin=resp.msg.origin)
    sent = 0
    if fault.error is not None and fault.after == 0:
        yield from [*encoder.feed(Failed(fault.error)), *encoder.finish()]
        return
    for piece in _pieces(resp, wire, request):
        for event in encoder.feed(piece):
            yield event
            sent += 1
            if fault.error is not None and sent >= fault.after:
                yield from encoder.feed(Failed(fault.error))
                yield from encoder.finish()
                return
    yield from encoder.finish()


def _pieces(resp: ChatResponse, wire: Wire, request: ChatRequest) -> Iterator[Piece]:
    """Yield the whole answer as the pieces of a reader, texts in words; the finish comes last."""
    decoder = wire.stream_decoder(request=request)
    pieces = [*decoder.feed(wire.write_response(resp, request).body), *decoder.rest()]
    for piece in sorted(pieces, key=lambda piece: type(piece) is End):
        block = piece.block if type(piece) is Part else None
        # except Ollama, whose calls hold objects and come whole
        if (
            wire.room.framing != "ndjson"
            and isinstance(piece, Part)
            and type(block) is ToolUseBlock
        ):
            yield replace(piece, block=_told_in_text(block))
            continue
        plain = type(block) is TextBlock and block == TextBlock(block.text)
        if not (isinstance(piece, Part) and isinstance(block, TextBlock) and plain):
            yield piece
            continue
        for word in _words(block.text):
            yield Part(piece.key, TextBlock(word))


def _told_in_text(call: ToolUseBlock) -> ToolUseBlock:
    """Return the call with its arguments as text, as hosts stream them; Claude Code requires it."""
    if call.freeform or call.raw_input is not None or not isinstance(call.input, dict):
        return call
    return replace(call, raw_input=arguments(call.input))


def _words(text: str) -> list[str]:
    """Split the text before its spaces."""
    parts = text.split(" ")
    return [parts[0], *(f" {part}" for part in parts[1:])]


def _bytes(body: Any) -> bytes:
    return arguments(body).encode()
