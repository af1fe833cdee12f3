"""Seated -> Seated: results under the names of the tools that were called.

A part of `repair`, behind the pairing. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import replace

from .codes import Kind
from .losses import Report
from .message import Msg, ToolResultBlock
from .message.blocks import ContentBlock
from .seats import ASSISTANT, TOOL, Seated

__all__ = ["misnamed", "named"]


def named(seated: Seated, report: Report) -> Seated:
    """Results without a name, or with another one, get the name of the call they answer."""
    names: dict[str, deque[str]] = {}
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if seat == ASSISTANT:
            names = _called(m)
        elif seat == TOOL:
            blocks = [_with_name(block, names, report) for block in m.blocks]
            if any(new is not old for new, old in zip(blocks, m.blocks, strict=True)):
                made = Msg.trusted(m.name, blocks, m.role, m)
                report.made(made, m)
                changes[i] = [(made, seat)]
    return seated.spliced(changes) if changes else seated


def misnamed(seated: Seated, report: Report) -> None:
    """Name the results that call their tool otherwise than its call does, which alone is said."""
    names: dict[str, deque[str]] = {}
    for m, seat in zip(seated.msgs, seated.seats, strict=True):
        if seat == ASSISTANT:
            names = _called(m)
        elif seat == TOOL:
            for result in (block for block in m.blocks if type(block) is ToolResultBlock):
                queue = names.get(result.id)
                name = queue.popleft() if queue else ""
                if name and result.name not in ("", name):
                    report.lost("result.name", result, "name", did=f"its call says {name}")


def _called(m: Msg) -> dict[str, deque[str]]:
    """The names that each id of the calls in a message has, in their order."""
    names: dict[str, deque[str]] = defaultdict(deque)
    for call in m.calls:
        names[call.id].append(call.name)
    return names


def _with_name(block: ContentBlock, names: dict[str, deque[str]], report: Report) -> ContentBlock:
    assert type(block) is ToolResultBlock  # a message at the tools' seat holds nothing else
    queue = names.get(block.id)
    name = queue.popleft() if queue else block.name
    if name == block.name:
        return block
    made = replace(block, name=name)
    report.made(made, block)
    kind: Kind = "repaired" if block.name else "expected"  # a name is left out more often than not
    report.lost("result.name", block, "name", did=f"named {made.name}", kind=kind)
    return made
