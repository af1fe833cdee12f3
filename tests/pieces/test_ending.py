"""Why an answer stopped, where reason and content disagree."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import Finish, RawBlock, RefusalBlock, TextBlock, ToolUseBlock
from dragoman.pieces.ending import ending

CALL = ToolUseBlock("a", "look")
HALF = ToolUseBlock("a", "look", unfinished=True)
SERVER = RawBlock("x", {}, "call", "s", "server")
MINE = RawBlock("x", {}, "call", "c", "client")
RESULT = RawBlock("x", {}, "result", "c", "client")
TEXT = TextBlock("Hi")
NO = RefusalBlock("No.")


@pytest.mark.parametrize(
    ("said", "blocks", "reason", "status"),
    [
        ("stop", [TEXT], "stop", "complete"),
        ("stop", [], "stop", "complete"),  # nothing to say is an answer
        ("stop", [TEXT, CALL], "tool_calls", "complete"),
        ("other", [CALL], "tool_calls", "complete"),
        ("tool_calls", [CALL], "tool_calls", "complete"),
        ("tool_calls", [TEXT], "stop", "complete"),
        ("tool_calls", [], "stop", "complete"),
        ("tool_calls", [SERVER], "stop", "complete"),  # whoever ran it, nobody has to run it
        ("stop", [SERVER], "stop", "complete"),
        ("tool_calls", [TEXT, MINE], "tool_calls", "complete"),  # of a custom tool: ours to run
        ("stop", [MINE], "tool_calls", "complete"),
        ("tool_calls", [RESULT], "stop", "complete"),
        ("tool_calls", [HALF], "tool_calls", "truncated"),
        ("stop", [HALF], "stop", "truncated"),
        ("stop", [CALL, HALF], "tool_calls", "truncated"),
        ("length", [TEXT], "length", "truncated"),
        ("length", [HALF], "length", "truncated"),
        ("context_overflow", [], "context_overflow", "truncated"),
        ("stop", [NO], "refusal", "complete"),
        ("refusal", [TEXT], "refusal", "complete"),
        ("content_filter", [CALL], "content_filter", "complete"),
        ("pause", [SERVER], "pause", "complete"),
        ("malformed_call", [HALF], "malformed_call", "complete"),
        ("error", [TEXT], "error", "complete"),
    ],
)
def test_content_decides(said: Any, blocks: list[Any], reason: str, status: str) -> None:
    finish, how = ending(Finish(said, "as it was said"), blocks)
    assert (finish.reason, finish.raw, how) == (reason, "as it was said", status)


def test_without_a_word_it_broke_off() -> None:
    assert ending(None, [TEXT]) == (Finish("other"), "interrupted")
    assert ending(None, [CALL]) == (Finish("other"), "interrupted")
