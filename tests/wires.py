"""One wire of each kind, for tests of what hosts of one kind do alike.

Most hosts of OpenAI's protocol differ in fields alone; their rows are tested beside the vendors.
What a history becomes depends on the protocol and on these capabilities.
"""

from __future__ import annotations

import dragoman

_OF_HISTORIES = ("alternation", "beside_results", "blank_text", "first_user", "late_system",
                 "prefill", "tool_messages")  # fmt: skip


def _kind(name: str) -> tuple[object, ...]:
    wire = dragoman.wire(name)
    caps = wire.can()
    return (wire.room.protocol, *(getattr(caps, field) for field in _OF_HISTORIES))


ONE_OF_EACH_KIND = [*{_kind(name): name for name in reversed(dragoman.wires())}.values()][::-1]
