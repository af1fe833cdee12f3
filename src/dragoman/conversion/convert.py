"""Convert bodies and streams of one wire for another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from ..codec.wire import Wire
from ..errors import ConfigError
from ..history.passes.fetching import Fetch
from ..history.pipeline import FormatStyle
from ..losses import PolicyLike
from ..losses import policy as policy_of
from ..message import ChatRequest, Written, check_request
from ..message.known_tools import copy_tools
from ..message.shared import Shared
from ..sealed_state import Envelope
from ..text.json_text import loads
from ..text.redaction import show
from .converted_stream import ConvertedStream
from .detection import detect
from .wires import WireLike, find_wire

_QUIET = policy_of("ignore")
_AS_READ = FormatStyle(fetch_read=True)


def convert(
    body: Any,
    source: WireLike,
    target: WireLike,
    kind: Literal["request", "response"] = "request",
    model: str | None = None,
    *,
    path: str | None = None,
    policy: PolicyLike | None = None,
    strict: bool = False,
    fetch: Fetch | None = None,
    keep_model: bool = False,
    request: ChatRequest | None = None,
    envelope: Envelope | None = None,
) -> Written:
    """Convert a request or a whole answer of one wire for another, and report what is lost.

    Args:
        body: Parsed JSON or its text.
        source: The wire of the body; "auto" asks `detect`.
        target: The wire for which it is written.
        kind: Whether it is a request or an answer.
        model: The model to ask, or the answer's model for the client. Without it the target's
            default is asked where the body names another provider's model, or none.
        path: Where the body was sent, for wires that name the model there.
        policy: Which losses raise; the target's own policy by default.
        strict: Whether to refuse what would have to be repaired.
        fetch: `fetch(source, path)` gives the bytes of media that the user shows by a web address,
            where the target takes only bytes. A local file that a body names is never read.
        keep_model: Whether to keep the model's name as it is.
        request: What the client of an answer asked.
        envelope: Carries the opaque state of an answer's provider along, and restores it into the
            request that brings it back.

    Returns:
        The body for the target, and its losses.

    Raises:
        ReadError: The body is none of the source's wire.
        WriteError: It cannot be written for the target.
        LossRefused: The policy refuses a loss.

    >>> body = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]}
    >>> convert(body, "openai-chat", "gemini", model="gemini-3.5-flash").body["contents"]
    [{'role': 'user', 'parts': [{'text': 'Hi'}]}]
    """
    if isinstance(body, (str, bytes)) and (kind == "response" or source == "auto"):
        body = loads(body)
    if path is not None and not isinstance(path, str):
        raise ConfigError(f"path must be text, not {type(path).__name__}")
    request, envelope = _check_arguments(request, envelope)
    reader = find_wire(detect(body, path, kind).wire if source == "auto" else source)
    writer = find_wire(target)
    if kind == "request":
        same_protocol = reader.room.protocol == writer.room.protocol
        if request is not None:
            raise ConfigError("a request is converted as it is", hint="request= is for answers")
        req = reader._read(body, path, None, keep=same_protocol, watched=False)
        if envelope is not None:
            reader._open(req, envelope)
        style = _AS_READ if fetch is None else replace(_AS_READ, fetch=fetch)
        written = writer.write_request(
            req, model, style=style, policy=_QUIET, keep_model=keep_model
        )
        if written.original_tools:  # other requests may have the same ones
            written.original_tools = Shared(  # type: ignore[assignment]  # copied when it is read
                written.original_tools, copy_tools
            )
    elif kind == "response":
        if fetch is not None:
            raise ConfigError("an answer is converted as it is", hint="fetch= is for requests")
        resp = reader.read_response(body)
        written = writer.write_response(
            replace(resp, model=model or resp.model), request, envelope=envelope, policy=_QUIET
        )
    else:
        raise ConfigError(f"kind is {show(kind)}", hint='"request" or "response", and model="..."')
    policy_of(_judge(policy, target), strict).judge(written.report, writer.loss_log)
    return written


def convert_stream(
    chunks: Iterable[Any],
    source: WireLike,
    target: WireLike,
    model: str | None = None,
    *,
    policy: PolicyLike | None = None,
    request: ChatRequest | None = None,
    envelope: Envelope | None = None,
) -> ConvertedStream:
    """Convert the stream of an answer for another wire's clients; `losses` of the result grow.

    Iterating raises ReadError for what is no stream of the source's wire, and LossRefused by the
    policy before the event that would lose something.

    Args:
        chunks: Bytes of the body, cut anywhere, or events, as `Wire.read_stream` takes them.
        source: The wire of the stream; "auto" looks at the first events.
        target: The wire of the clients.
        model: The model's name for the clients; by default its own.
        policy: Which losses raise; the target's own policy by default.
        request: What the client asked, as the target's `read_request` gave it: its model and its
            tools' names are used, and the figures of usage come in a chunk of their own if it asks
            for that.
        envelope: Carries the opaque state of the source's provider along.

    Raises:
        NotMessages: `request` is no request.
        ConfigError: `envelope` is none.
    """
    writer = find_wire(target)
    reader = None if source == "auto" else find_wire(source)
    request, envelope = _check_arguments(request, envelope)
    judge = policy_of(_judge(policy, target))
    return ConvertedStream(chunks, reader, writer, model, judge, request, envelope)


def _check_arguments(
    request: ChatRequest | None, envelope: Envelope | None
) -> tuple[ChatRequest | None, Envelope | None]:
    if envelope is not None and not isinstance(envelope, Envelope):
        raise ConfigError(f"envelope must be Envelope, not {type(envelope).__name__}")
    return None if request is None else check_request(request), envelope


def _judge(policy: PolicyLike | None, target: WireLike) -> PolicyLike:
    if policy is not None:
        return policy
    return target.policy if isinstance(target, Wire) else "log"
