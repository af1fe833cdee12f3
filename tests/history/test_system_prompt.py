"""The system prompt: base prompt, tools, memories, always in that order, in any language."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from dragoman import Tool
from dragoman.history.system_prompt import SystemPrompt

TOOLS = [Tool("look", "look at it"), Tool("find", "{braces} stay")]
LIST = ("\n\nYou have the following tools available:\n- look: look at it\n"
        "- find: {braces} stay\n")  # fmt: skip
MEMORY = "\n\n<long_term_memory>\nLikes {tea}.\n</long_term_memory>"


@pytest.mark.parametrize(
    ("base", "tools", "memories"), list(product(("You help.", "", None), (TOOLS, []), ("x", None)))
)
def test_the_order_never_changes(base: Any, tools: Any, memories: Any) -> None:
    text = SystemPrompt().build(base, tools, "Likes {tea}." if memories else None)
    assert text == (base or "") + (LIST if tools else "") + (MEMORY if memories else "")


def test_empty_memories_are_memories() -> None:
    assert SystemPrompt().build("x", memories="") == (
        "x\n\n<long_term_memory>\n\n</long_term_memory>"
    )


def test_every_heading_in_another_language() -> None:
    prompt = SystemPrompt(tools_heading="\n可用工具：\n", tool_line="* {name}（{description}）\n",
                          memories_opening="\n【记忆】", memories_closing="【完】")  # fmt: skip
    assert prompt.build("你好。", TOOLS[:1], "爱喝茶") == (
        "你好。\n可用工具：\n* look（look at it）\n\n【记忆】爱喝茶【完】"
    )


@pytest.mark.parametrize(
    ("when", "supported", "unsupported"),
    [("never", False, False), ("unsupported", False, True), ("always", True, True)],
)
def test_when_tools_are_described(when: Any, supported: bool, unsupported: bool) -> None:
    prompt = SystemPrompt(describe_tools=when)
    assert (prompt.describes(True), prompt.describes(False)) == (supported, unsupported)


def test_tools_may_come_from_any_iterable() -> None:
    assert SystemPrompt().build(None, iter(TOOLS)) == LIST
