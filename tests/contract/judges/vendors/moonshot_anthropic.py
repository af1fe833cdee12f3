"""Judge of Moonshot's Anthropic endpoint: while thinking is asked for, calls bring theirs back.

Signatures are echoed, not demanded: see the exemptions. Source: issues of clients of this route.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import anthropic
from ..fault import Fault, Json, label, mapping, objects
from . import copies

wrap, types, pairs = anthropic.wrap, anthropic.types, anthropic.pairs

ASKED = ("enabled", "adaptive")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from anthropic.rules(body, whole=whole, path=path)
    if not whole or copies.thinking(body) not in ASKED:
        return
    for index, message in objects(mapping(body).get("messages")):
        kinds = {label(block.get("type")) for _, block in objects(message.get("content"))}
        if "tool_use" in kinds and "thinking" not in kinds:
            said = "thinking is missing in a turn that calls tools"
            yield Fault("moonshot.thinking_back", ("messages", index), said)
