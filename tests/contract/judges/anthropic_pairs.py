"""Calls and results on the Anthropic wire.

The user message right after a turn of calls starts with one result for each call and
nothing else before them. The provider's own tools are answered inside the assistant's turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from .fault import Fault, Json, Path, label, objects

SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
Places = list[tuple[Path, dict[str, Json]]]


def pair_faults(messages: Json, at: Path) -> Iterator[Fault]:
    turns = list(objects(messages))
    known: set[str] = set()
    expected: dict[str, Path] = {}
    for index, message in turns:
        blocks: Places = [
            ((*at, index, "content", number), block)
            for number, block in objects(message.get("content"))
        ]
        yield from _answer_faults(message, blocks, expected)
        expected = {}
        for place, block in blocks:
            if block.get("type") == "tool_use":
                call_id = label(block.get("id"))
                if call_id in known:
                    yield Fault("pairs.repeated_id", (*place, "id"), f"{call_id!r} is used again")
                known.add(call_id)
                expected[call_id] = place
    yield from server_pair_faults(turns, at)


def _answer_faults(
    message: dict[str, Json], blocks: Places, expected: dict[str, Path]
) -> Iterator[Fault]:
    """Judge one message against the calls of the message before it."""
    answered: set[str] = set()
    others = False
    for place, block in blocks:
        if block.get("type") != "tool_result":
            others = True
            continue
        call_id = label(block.get("tool_use_id"))
        if message.get("role") != "user" or call_id not in expected:
            yield Fault("pairs.orphan", place, f"no call {call_id!r} in the message before")
        elif call_id in answered:
            yield Fault("pairs.twice", place, f"call {call_id!r} is answered twice")
        elif others:
            yield Fault("pairs.late", place, "results come before anything else in the message")
        answered.add(call_id)
    for call_id, place in expected.items():
        if call_id not in answered:
            yield Fault("pairs.unanswered", place, f"call {call_id!r} is not answered next")


def server_pair_faults(turns: list[tuple[int, dict[str, Json]]], at: Path) -> Iterator[Fault]:
    """A server tool's result follows its call within the run of assistant messages."""
    called: set[str] = set()
    for index, message in turns:
        if message.get("role") != "assistant":
            called = called if _only_results(message) else set()
            continue
        for number, block in objects(message.get("content")):
            kind = str(block.get("type"))
            if kind in SERVER_CALLS:
                called.add(label(block.get("id")))
            elif kind.endswith("_tool_result") and label(block.get("tool_use_id")) not in called:
                place = (*at, index, "content", number)
                yield Fault("pairs.server", place, "a server tool's result without its call")


def _only_results(message: dict[str, Json]) -> bool:
    """A pending server call stays pending over a turn that only answers client calls."""
    blocks = [block for _, block in objects(message.get("content"))]
    return bool(blocks) and all(block.get("type") == "tool_result" for block in blocks)
