"""The events that a user interface gets of a stream, added up: they say what the answer says."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.codec.wire import Wire
from dragoman.message import RefusalBlock, TextBlock, ThinkingBlock
from dragoman.stream.events import EventView, StreamEvent

from .recorded import Exchange

__all__ = ["view_faults"]

_KINDS = {"text": TextBlock, "thinking": ThinkingBlock, "refusal": RefusalBlock}


def view_faults(wire: Wire, exchange: Exchange) -> list[str]:
    """What the events of a stream and its answer say otherwise."""
    decoder = wire.stream_decoder()
    view = EventView(decoder.names)
    pieces = [piece for name, payload in exchange.events or ()
              for piece in decoder.feed(payload, name)]  # fmt: skip
    told = [event for piece in [*pieces, *decoder.rest()] for event in view.feed(piece)]
    resp = decoder.finish()
    told += view.finish(resp)
    blocks = [block for one in resp.candidates for block in one.msg.blocks]
    found = _order(told)
    for kind, cls in _KINDS.items():
        said = "".join(
            e.text for e in sorted(told, key=lambda e: e.key) if e.type == f"{kind}-delta"
        )
        if said != "".join(str(b[_field(kind)]) for b in blocks if type(b) is cls):
            found.append(f"{kind} of the events is not that of the answer")
    ended = sorted(str(e.block["id"]) for e in told if e.type == "tool-end")
    if ended != sorted(call.id for one in resp.candidates for call in one.msg.calls):
        found.append("calls of the events are not those of the answer")
    return found


def _field(kind: str) -> str:
    return "thinking" if kind == "thinking" else "text"


def _order(told: Sequence[StreamEvent]) -> list[str]:
    """Whether every block begins, grows and ends, in this order."""
    found = []
    opened: dict[tuple[int, ...], str] = {}
    for event in told:
        kind, _, verb = event.type.partition("-")
        if verb == "start" and opened.setdefault(event.key, kind) != kind:
            found.append(f"{kind} begins inside of {opened[event.key]}")
        elif verb == "delta" and opened.get(event.key) != kind:
            found.append(f"{kind} grows before it begins")
        elif verb == "end" and opened.pop(event.key, None) != kind:
            found.append(f"{kind} ends before it begins")
    return found + [f"{kind} never ends" for kind in opened.values()]
