"""Judge of MiniMax's Anthropic endpoint: one switch for thinking, nothing behind a result."""

from __future__ import annotations

from collections.abc import Iterator

from .. import anthropic
from ..fault import Fault, Json, mapping, objects
from . import copies
from .minimax import ALWAYS, SWITCH

wrap, types, pairs = anthropic.wrap, anthropic.types, anthropic.pairs


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from anthropic.rules(body, whole=whole, path=path)
    given = mapping(body)
    for index, message in objects(given.get("messages")):
        kinds = [block.get("type") for _, block in objects(message.get("content"))]
        if "tool_result" in kinds and set(kinds) != {"tool_result"}:
            said = "tool call result does not follow tool call (2013)"
            yield Fault("minimax.mixed", ("messages", index, "content"), said)
    if whole:
        switch = copies.thinking(given)
        if switch and switch not in SWITCH:
            yield Fault("minimax.thinking", ("thinking",), f"not one of {', '.join(SWITCH)}")
        if switch == "disabled" and ALWAYS.match(str(given.get("model"))):
            yield Fault("minimax.always", ("thinking",), "M2 always thinks")
        if "output_config" in given:
            yield Fault("minimax.option", ("output_config",), "is not documented")
