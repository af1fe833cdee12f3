"""A recorded stream, event by event: the data as it came, and what it adds to the answer."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..errors import ReadError
from ..stream.events import EventView, StreamEvent
from ..text.json_text import loads
from .chat import answer_messages, ending, show_block
from .exchange import PageExchange
from .long_texts import LongTexts

Shown: TypeAlias = dict[str, Any]


def replay(exchange: PageExchange, texts: LongTexts) -> Shown:
    """The events of a stream; each has the `steps` that it adds to the answer that is shown.

    A step is `start`, `grow`, `end` or `block` of the block under a key; a call has its name when
    it starts and its input when it ends. Raises ReadError for a stream that cannot be read.
    """
    recorded = exchange.answer
    if recorded is None or recorded.whole:
        raise ReadError("there is no stream here", code="page.stream")
    decoder = recorded.home.stream_decoder(request=exchange.request)
    view = EventView(decoder.names)
    events: list[Shown] = []
    for name, data in recorded.events:
        body, cut = texts.body(_parse_data(data))
        made = [event for piece in decoder.feed(data, name) for event in view.feed(piece)]
        events.append({"name": name, "data": body, "long": cut, "steps": _steps(made, texts)})
    rest = [event for piece in decoder.rest() for event in view.feed(piece)]
    response = decoder.finish()
    last = _steps([*rest, *view.finish(response)], texts)
    if events:
        events[-1]["steps"] += last
    return {
        "wire": recorded.home.name,
        "framing": recorded.home.room.framing,
        "events": events,
        "messages": answer_messages(response, texts),
        "answer": ending(response),
        "failed": None if response.error is None else response.error.message,
    }


def _parse_data(data: Any) -> Any:
    try:
        return loads(data) if isinstance(data, (str, bytes)) else data
    except ReadError:  # such as [DONE]
        return data if isinstance(data, str) else data.decode("utf-8", "replace")


def _steps(events: list[StreamEvent], texts: LongTexts) -> list[Shown]:
    return [step for event in events if (step := _step(event, texts)) is not None]


def _step(event: StreamEvent, texts: LongTexts) -> Shown | None:
    kind, _, part = event.type.partition("-")
    if kind == "finish":
        return None
    key = ".".join(map(str, event.key))
    if kind == "block":
        assert event.block is not None, "an event of a block has one"
        return {"do": "block", "key": key, "block": show_block(event.block, "", texts)}
    if part == "delta":
        return {"do": "grow", "key": key, "text": event.text}
    kind = "call" if kind == "tool" else kind
    step: Shown = {"do": part, "key": key, "kind": kind}
    if kind == "call" and event.block is not None:
        step["block"] = show_block(event.block, "", texts)
    return step
