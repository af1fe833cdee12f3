"""The conversation of `dragoman demo`: four speakers look for a library, with two tool calls.

The Chinese one is the example of AgentScope's formatter tutorial, the English one says the same.
"""

from __future__ import annotations

from enum import StrEnum

from ..message import Msg, TextBlock, ToolResultBlock, ToolUseBlock

__all__ = ["Lang", "library"]


class Lang(StrEnum):
    """The languages of the demo."""

    zh = "zh"
    en = "en"


_LINES = {
    Lang.zh: (
        "你是一个名为 Friday 的有用助手",
        "你好，Alice，你知道最近的图书馆在哪里吗？",
        "抱歉，我不知道。Charlie，你有什么想法吗？",
        "没有，我们问问 Friday 吧。Friday，帮我找到最近的图书馆。",
        "最近的图书馆是...",
        "谢谢，Friday！",
        "我们一起去吧。",
    ),
    Lang.en: (
        "You are a helpful assistant named Friday",
        "Hi Alice, do you know where the nearest library is?",
        "Sorry, I don't. Charlie, any idea?",
        "No, let's ask Friday. Friday, find me the nearest library.",
        "The nearest library is...",
        "Thanks, Friday!",
        "Let's go there together.",
    ),
}


def library(lang: Lang = Lang.zh) -> list[Msg]:
    """The 11 messages."""
    system, bob, alice, charlie, found, thanks, together = _LINES[lang]
    place = {"location": [104.48, 36.30], "keyword": "library"}
    return [
        Msg("system", system, "system"),
        Msg("Bob", bob, "assistant"),
        Msg("Alice", alice, "assistant"),
        Msg("Charlie", charlie, "assistant"),
        Msg("Friday", [ToolUseBlock("1", "get_current_location", {})], "assistant"),
        _result("1", "get_current_location", "104.48, 36.30"),
        Msg("Friday", [ToolUseBlock("2", "search_around", place)], "assistant"),
        _result("2", "search_around", "[...]"),
        Msg("Friday", found, "assistant"),
        Msg("Bob", thanks, "user"),
        Msg("Alice", together, "user"),
    ]


def _result(id: str, name: str, text: str) -> Msg:
    return Msg("system", [ToolResultBlock(id, name, [TextBlock(text)])], "system")
