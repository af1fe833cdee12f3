"""Recorded answers of five kinds of upstreams, through the gateway to clients of six protocols.

Each client, by its official SDK where there is one that sums an answer, hears the texts and calls
that the upstream said. Over the same wire all bytes pass, up to the last event of the answer: some
recordings hold several answers in a row, or an event of another protocol behind the end.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import dragoman
from dragoman.errors import DragomanError
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.stream.framing import CONTENT_TYPES
from tests.contract.converting.answers import told
from tests.contract.converting.clients import CLIENTS as OFFICIAL
from tests.contract.converting.clients import REFUSALS, Call, Said, client
from tests.contract.reading.recorded import Exchange as Recorded
from tests.contract.reading.recorded import exchanges
from tests.gateway.laws.heard import hear
from tests.laws.encoding import encoded

from .asking import Event, ask, events_of
from .kinds import UPSTREAMS, gateway
from .requests import shape_faults

__all__ = ["Heard", "answered", "recorded_answers"]

_STEP = 700  # bytes of a chunk: events lie across two


@dataclass(slots=True)
class Heard:
    """What became of the answers of one kind of upstream for clients of one protocol."""

    whole: int = 0
    streams: int = 0
    errors: int = 0  # told as errors, by the upstream or because it broke off
    other: Counter[str] = field(default_factory=Counter)  # heard as it was read, or a loss says why
    faults: list[tuple[str, str]] = field(default_factory=list)  # (id, words)


_DOWN = 503  # the status of recorded errors, whose own is not kept


def recorded_answers(kind: str, every: int = 1) -> Iterator[Recorded]:
    """The recorded answers of an upstream: the first of each `every`."""
    yield from exchanges(kind, every)


def answered(one: Recorded, kind: str, protocol: str, heard: Heard) -> None:
    """Send an answer through the gateway, and note what the client hears."""
    stream = one.events is not None
    opened = gateway(UPSTREAMS[kind]).open(ask(protocol, stream=stream))
    assert isinstance(opened, GatewayExchange)
    opened.call()
    assert opened.upstream.protocol == kind
    if stream and one.taken:
        heard.streams += 1
        faults = _streamed(one, kind, opened, heard)
    else:
        heard.whole += 1
        faults = _whole(one, kind, opened, heard)
    heard.faults += [(one.id, fault) for fault in faults]


def _whole(one: Recorded, kind: str, exchange: GatewayExchange, heard: Heard) -> Iterator[str]:
    data = json.dumps(one.body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    protocol = exchange.surface.protocol
    if not one.taken:
        heard.errors += 1
        failure = exchange.read_failure(_DOWN, {}, data)
        # in words of the client's own, where its program acts on them
        reworded = exchange.surface.translate_error(failure) is not failure
        answer = exchange.refusal(failure)
        if exchange.passes and answer.body == data:
            return
        # where the words mean another status than the one that all are sent with, that one is told
        if exchange.passes and answer.status != _DOWN and json.loads(answer.body) == one.body:
            return
        if exchange.passes and not reworded and not _is_of_our_key(one.body):
            yield "the error that passes is another"
        elif answer.status < 400:
            yield f"an error has the status {answer.status}"
        else:
            yield from shape_faults(protocol, answer)
        return
    try:
        answer = exchange.convert_answer(200, {}, data)
    except DragomanError as error:
        heard.errors += 1
        yield from shape_faults(protocol, exchange.refusal(error))
        return
    if exchange.passes:
        if not _is_same(json.loads(answer.body), one.body):
            yield "the answer that passes is another"
        return
    body = json.loads(answer.body)
    yield from _compared(one, kind, exchange, heard, lambda: _said(protocol, body))


def _is_of_our_key(error: Any) -> bool:
    """Whether it refuses the key, which is the gateway's and not the client's: told as 502."""
    words = json.dumps(error).lower()
    return any(word in words for word in ("api key", "api_key", "x-api-key", '"forbidden"'))


def _is_same(passed: Any, sent: Any) -> bool:
    """Whether they are the same but for the name of the model, which may be the one asked for."""
    if isinstance(passed, dict) and isinstance(sent, dict):
        return list(passed) == list(sent) and all(
            key == "model" or _is_same(passed[key], sent[key]) for key in sent
        )
    if isinstance(passed, (list, tuple)) and isinstance(sent, (list, tuple)):
        return len(passed) == len(sent) and all(map(_is_same, passed, sent))
    return bool(passed == sent)


def _streamed(one: Recorded, kind: str, exchange: GatewayExchange, heard: Heard) -> Iterator[str]:
    assert one.events is not None
    framing = dragoman.wire(kind).room.framing
    events = [(_name(kind, name, payload), payload) for name, payload in one.events]
    data = encoded(events, framing)
    relay = exchange.open_relay()
    out = b""
    try:
        for at in range(0, len(data), _STEP):
            out += relay.feed(data[at : at + _STEP])
        out += relay.finish() + relay.apart
    except DragomanError as error:
        yield f"raised {type(error).__name__}: {error}"
        return
    if relay.failed is not None:
        heard.errors += 1
        if _ended_well(one, kind):
            yield f"a whole stream counts as broken: {relay.failed}"
        return
    if exchange.passes:
        if not _is_same(events_of(out, framing), _as_told(events_of(data, framing), kind)):
            yield "the stream that passes is another"
        return
    protocol = exchange.surface.protocol
    exchange.note_stream_end(relay)
    yield from _compared(one, kind, exchange, heard,
                         lambda: _said_stream(protocol, exchange, out))  # fmt: skip


def _is_last(kind: str, data: Any) -> bool:
    """Whether an event is the last of an answer. Of Gemini's none is known to be."""
    match kind, data:
        case "openai-chat", str(said):
            return said.strip() == "[DONE]"
        case "openai-responses", {"type": str(name)}:
            return name in ("response.completed", "response.incomplete", "response.failed")
        case "anthropic", {"type": "message_stop"}:
            return True
        case _:
            return False


def _first_answer(events: list[Event], kind: str) -> list[Event]:
    """The events up to the last one of an answer."""
    ends = (at for at, (_, data) in enumerate(events) if _is_last(kind, data))
    return events[: next(ends, len(events)) + 1]


def _as_told(events: list[Event], kind: str) -> list[Event]:
    """The first answer, with the `[DONE]` that some hosts leave out."""
    kept = _first_answer(events, kind)
    ended = not kept or _is_last(kind, kept[-1][1])
    return kept if ended or kind != "openai-chat" else [*kept, (None, "[DONE]")]


def _ended_well(one: Recorded, kind: str) -> bool:
    """Whether the recorded stream says why it ended, and tells of no error."""
    resp = _read(one, kind)
    return resp.error is None and resp.status == "complete"


def _read(one: Recorded, kind: str) -> Any:
    wire = dragoman.wire(kind)
    if one.events is None:
        return wire.read_response(one.body)
    decoder = wire.stream_decoder()
    for name, payload in _first_answer(one.events, kind):
        decoder.feed(payload, name)
    decoder.rest()
    return decoder.finish()


def _compared(
    one: Recorded, kind: str, exchange: GatewayExchange, heard: Heard, listen: Any
) -> Iterator[str]:
    """Lay what the client hears beside what the upstream said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the SDKs warn of fields that they do not know
        try:
            listened = listen()
        except REFUSALS as error:
            yield f"the client refuses it: {type(error).__name__}: {error}"[:300]
            return
        resp = _read(one, kind)
        says = _source_says(one, kind, resp)
    ours = told(resp)
    found = list(_apart(says, listened))
    if not found:
        return
    losses = {loss.code for loss in exchange.record.losses}
    if "answer.candidates" in losses or not list(_apart(ours, listened)):
        heard.other["named" if "answer.candidates" in losses else "as read"] += 1
        return
    yield from found


def _source_says(one: Recorded, kind: str, resp: Any) -> list[Said]:
    if kind not in OFFICIAL:
        return told(resp)
    try:
        if one.events is None:
            return client(kind).whole(one.body)
        kept = _first_answer(one.events, kind)
        events = [(_name(kind, name, data), data) for name, data in kept]
        return client(kind).streamed(events)
    except REFUSALS:
        return told(resp)


def _name(kind: str, name: str | None, data: Any) -> str | None:
    """The name under which Anthropic sends it: some left it out, Bedrock's frames have another."""
    return data.get("type") if kind == "anthropic" and isinstance(data, dict) else name


def _said(protocol: str, body: Any) -> list[Said]:
    if protocol in OFFICIAL:
        return client(protocol).whole(body, strict=True)
    if protocol == "ollama":
        message = body["message"]
        calls = [call["function"] for call in message.get("tool_calls") or ()]
        told = [Call(call["name"], call["arguments"]) for call in calls]
        return [Said(message["content"], told)]
    texts = [part["text"] for step in body["steps"] if step["type"] == "model_output"
             for part in step["content"] if part["type"] == "text"]  # fmt: skip
    called = [step for step in body["steps"] if step["type"] == "function_call"]
    return [Said("".join(texts), [Call(one["name"], one["arguments"]) for one in called])]


def _said_stream(protocol: str, exchange: GatewayExchange, data: bytes) -> list[Said]:
    if protocol in OFFICIAL:
        return client(protocol).streamed(events_of(data, exchange.framing), strict=True)
    heard = hear(protocol, data, CONTENT_TYPES[exchange.framing])
    if heard.error:
        raise ValueError(heard.error)
    return [Said(heard.text, [Call(name, given) for name, given in heard.calls])]


def _apart(says: list[Said], heard: list[Said]) -> Iterator[str]:
    if len(says) != len(heard) and any(one.text or one.calls for one in (*says, *heard)):
        yield f"candidates: {len(says)} said, {len(heard)} heard"
    for said, other in zip(says, heard, strict=False):
        if said.text != other.text:
            yield f"text: {said.text[:120]!r} said, {other.text[:120]!r} heard"
        if _calls(said) != _calls(other, said):
            yield f"calls: {said.calls!s:.150} said, {other.calls!s:.150} heard"


def _calls(one: Said, beside: Said | None = None) -> list[str]:
    """Names and arguments; those that were cut off and are no JSON are nobody's, on both sides."""
    cut = [isinstance(call.input, str) for call in (beside or one).calls]
    return [json.dumps([call.name, None if cut[nth : nth + 1] == [True] else call.input],
                       sort_keys=True)
            for nth, call in enumerate(one.calls)]  # fmt: skip
