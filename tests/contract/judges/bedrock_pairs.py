"""Tool uses and results on the Converse wire.

The user message right after a turn of tool uses starts with one result for each of them. What
the service ran itself is answered inside the assistant's own turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from .fault import Fault, Json, Path, label, mapping, objects

Place = tuple[Path, dict[str, Json]]


def pair_faults(messages: Json, at: Path) -> Iterator[Fault]:
    known: set[str] = set()
    expected: dict[str, Path] = {}
    for index, message in objects(messages):
        blocks = [
            ((*at, index, "content", number), block)
            for number, block in objects(message.get("content"))
        ]
        if message.get("role") == "assistant":
            yield from _unanswered(expected, set())
            yield from _served_faults(blocks)
            expected = {}
            for place, use in _client_uses(blocks):
                use_id = label(use.get("toolUseId"))
                if use_id in known:
                    yield Fault("pairs.repeated_id", place, f"{use_id!r} is used again")
                known.add(use_id)
                expected[use_id] = place
        else:
            yield from _answer_faults(blocks, expected)
            expected = {}


def _client_uses(blocks: list[Place]) -> Iterator[Place]:
    for place, block in blocks:
        use = mapping(block.get("toolUse"))
        if "toolUse" in block and use.get("type") != "server_tool_use":
            yield place, use


def _answer_faults(blocks: list[Place], expected: dict[str, Path]) -> Iterator[Fault]:
    answered: set[str] = set()
    others = False
    for place, block in blocks:
        if "toolResult" not in block:
            others = True
            continue
        use_id = label(mapping(block["toolResult"]).get("toolUseId"))
        if use_id not in expected:
            yield Fault("pairs.orphan", place, f"no tool use {use_id!r} in the turn before")
        elif use_id in answered:
            yield Fault("pairs.twice", place, f"tool use {use_id!r} is answered twice")
        elif others:
            yield Fault("pairs.late", place, "results come before anything else in the message")
        answered.add(use_id)
    yield from _unanswered(expected, answered)


def _unanswered(expected: dict[str, Path], answered: set[str]) -> Iterator[Fault]:
    for use_id, place in expected.items():
        if use_id not in answered:
            yield Fault("pairs.unanswered", place, f"tool use {use_id!r} is not answered next")


def _served_faults(blocks: list[Place]) -> Iterator[Fault]:
    """A result in an assistant's turn is the service's own, behind its use."""
    served: set[str] = set()
    for place, block in blocks:
        use, result = mapping(block.get("toolUse")), mapping(block.get("toolResult"))
        if use.get("type") == "server_tool_use":
            served.add(label(use.get("toolUseId")))
        elif "toolResult" in block and label(result.get("toolUseId")) not in served:
            yield Fault("pairs.server", place, "a result of the service without its use")
