"""Every word that the house adds can be another one, and every addition is named in the losses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

import pytest

from dragoman import ByName, ByRole, ChatRequest, Formatter, Msg, Tagged, Tool
from dragoman.history import SystemPrompt
from dragoman.history.wording import Wording
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    Grammar,
    ImageBlock,
    RefusalBlock,
    ResponseFormat,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.text.json_text import arguments
from tests.wires import ONE_OF_EACH_KIND

# what belongs to the words, and the losses that speak of each
CODES: dict[str, tuple[str, ...]] = {
    "found_at": ("media.not_fetched", "media.source", "media.type"),
    "returned_at": ("media.as_reference", "media.moved", "media.saved"),
    "returned": ("media.as_reference",),
    "returned_below": ("media.moved",),
    "opening": ("media.moved",),
    "line": ("media.moved",),
    "line_bare": ("media.moved",),
    "closing": ("media.moved",),
    "media": ("media.moved",),
    "call": ("call.as_text",),
    "result": ("result.as_text",),
    "error": ("result.error_as_text", "result.missing"),
    "failed": ("result.error_text",),
    "missing": ("result.missing",),
    "reminder": ("system.reminder",),
    "first_turn": ("turn.first",),
    "last_turn": ("turn.last", "turn.bridged"),
    "bridge": ("turn.bridged",),
    "document": ("document.text",),
    "freeform": ("tool.freeform",),
    "grammar": ("tool.freeform",),
    "json": ("format.json_word", "format.in_words"),
    "schema": ("format.in_words",),
    "answer": ("format.as_tool",),
    "titled": ("media.as_text",),
    "name.heading": ("history.heading",),
    "name.frame": ("history.frame",),
    "name.unshown": ("media.unshown",),
    "tag": ("speaker.tagged",),
    "prompt.tools": ("prompt.tools",),
    "prompt.memories": ("prompt.memories",),
}


def word(place: str) -> str:
    """Two Chinese characters that stand for nothing else here."""
    at = list(CODES).index(place)
    return chr(0x5000 + at) + chr(0x6000 + at)


def chinese(name: str, default: str) -> str:
    """A template of the same fields but for those whose values are English words."""
    left_out = "media_type" if name == "opening" else "kind|media_type|syntax"
    kept = re.findall(rf"\{{(?!{left_out})\w+\}}", default)
    return word(name) + "".join(kept)


TOLD = Wording(**{one.name: chinese(one.name, str(one.default)) for one in fields(Wording)})
PROMPT = SystemPrompt("always", f"\n{word('prompt.tools')}\n", "{name}：{description}\n",
                      f"\n{word('prompt.memories')}\n", "\n完\n")  # fmt: skip
MERGED = ByName(word("name.heading"), f"【{word('name.frame')}】\n", "\n【完】", "【{name}】{text}",
                unshown=word("name.unshown"))  # fmt: skip
SPEAKERS = (ByRole(), MERGED, Tagged("小红", "【{name}】" + word("tag")))
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"tool_messages": False},
    {"late_system": "reminder", "first_user": True, "prefill": False},
    {"result_error": True, "blank_text": False},
    {"user": ("text", "image"), "result": ("text",), "move_media": ("image",)},
    {"user": ("text",), "result": ("text",), "move_media": ()},
    {"alternation": "bridged"},
    {"freeform_tools": False, "formats": frozenset({"text", "json"}), "json_word": True},
    {"formats": frozenset()},
)
SCHEMA = {"type": "object", "properties": {"人": {"type": "string"}}}
FORMATS = (
    None, ResponseFormat("json"), ResponseFormat("schema", SCHEMA, "person"),
    ResponseFormat("schema", SCHEMA, "person", way="tool"),
)  # fmt: skip

PNG = Base64Source("image/png", "iVBORw0KGgo=")
ODD = Base64Source("audio/x-odd", "UklGRg==")
PLACES = ("https://example.com/a.png", "gs://b/a.png", "https://example.com/a.mp4")
GIVEN = (*PLACES, "look", "patch", "final_answer", arguments(SCHEMA))
TOOLS = [Tool("look", "看一看"),
         Tool("patch", "改", freeform=True, grammar=Grammar(".*", "regex"))]  # fmt: skip


def result(id: str, output: Any, is_error: bool = False) -> Msg:
    return Msg("", [ToolResultBlock(id, "look", output, is_error)], "tool")


def talk() -> list[Msg]:
    """A conversation without an English word that makes every pass add something."""
    images = [ImageBlock(PNG), *(ImageBlock(URLSource(place)) for place in PLACES[:2])]
    return [
        Msg.system("简短。"),
        Msg("小红", "你好。", "assistant"),
        Msg("小明", [TextBlock("看："), *images, AudioBlock(ODD)]),
        Msg("小明", [VideoBlock(URLSource(PLACES[2]))]),
        Msg("小红", [ToolUseBlock("a", "look"), ToolUseBlock("b", "look")], "assistant"),
        result("a", [TextBlock("图："), *images, VideoBlock(URLSource(PLACES[2]))]),
        Msg.system("更短。"),
        Msg("小红", [ToolUseBlock("c", "look")], "assistant"),
        result("c", "坏", is_error=True),
        Msg("小红", [ToolUseBlock("d", "look")], "assistant"),
        result("d", "", is_error=True),
        Msg("小明", [DocumentBlock(Base64Source("application/pdf", "JVBERi0xLjQK"))]),
        Msg("小明", [DocumentBlock(Base64Source("text/plain", "5Lmm"), title="书")]),
        Msg("小兰", [RefusalBlock("不。")], "assistant"),
        Msg("小明", "谢谢。"),
        Msg("小红", "再见。", "assistant"),
    ]  # fmt: skip


TEXTS = {
    "content",
    "description",
    "text",
    "output",
    "error",
    "system",
    "instructions",
    "result",
    "thinking",
}


def texts(node: Any, said: bool = False) -> Iterator[str]:
    """Every text of a request body that a model reads as such."""
    if isinstance(node, dict):
        for key, inner in node.items():
            yield from texts(inner, key in TEXTS)
    elif isinstance(node, list):
        for inner in node:
            yield from texts(inner, said)
    elif isinstance(node, str) and said:
        yield node


@cache
def written(wire: str, speakers: int, changes: int) -> tuple[tuple[str, ...], frozenset[str]]:
    """(what the model reads, the codes of the losses)."""
    formatter = Formatter(wire, speakers=SPEAKERS[speakers], can=CHANGES[changes], wording=TOLD,
                          prompt=PROMPT, policy="ignore")  # fmt: skip
    request = ChatRequest(talk(), tools=TOOLS, memories="爱喝茶",
                          response_format=FORMATS[(speakers + changes) % len(FORMATS)])  # fmt: skip
    out = formatter.format_request(request)
    return tuple(texts(out.body)), frozenset(loss.code for loss in out.losses)


RUNS = [
    (wire, speakers, changes)
    for wire in ONE_OF_EACH_KIND
    for speakers in range(len(SPEAKERS))
    for changes in range(len(CHANGES))
]


def english(text: str) -> list[str]:
    """Words that nobody gave."""
    for given in GIVEN:
        text = text.replace(given, "")
    return re.findall("[A-Za-z]{2,}", text)


@pytest.mark.parametrize("wire", ONE_OF_EACH_KIND)
def test_no_english_word_is_left(wire: str) -> None:
    found = [text for run in RUNS if run[0] == wire for text in written(*run)[0]]
    assert any("谢谢。" in text for text in found)
    assert [text for text in found if english(text)] == []


@pytest.mark.parametrize("wire", ONE_OF_EACH_KIND)
def test_every_addition_is_named(wire: str) -> None:
    for run in RUNS:
        if run[0] == wire:
            said, lost = written(*run)
            whole = "\n".join(said)
            unnamed = [
                place
                for place, codes in CODES.items()
                if word(place) in whole and not lost.intersection(codes)
            ]
            assert unnamed == [], run


def test_every_word_was_said_somewhere() -> None:
    whole = "\n".join(text for run in RUNS for text in written(*run)[0])
    assert [place for place in CODES if word(place) not in whole] == []


def test_all_that_adds_words_is_covered() -> None:
    assert {one.name for one in fields(Wording)} <= set(CODES)
    worded = {one.name for one in fields(ByName) if isinstance(one.default, str)}
    assert worded == {"heading", "opening", "closing", "line", "unshown", "own_messages"}
    assert {one.name for one in fields(Tagged) if isinstance(one.default, str)} == {"tag"}
    prompt = {one.name for one in fields(SystemPrompt) if isinstance(one.default, str)}
    assert prompt == {
        "describe_tools", "tools_heading", "tool_line", "memories_opening", "memories_closing",
    }  # fmt: skip


def test_english_is_seen() -> None:
    assert english("看 look 图") == []
    assert english("Please look") == ["Please"]
    assert list(texts({"role": "user", "content": [{"type": "text", "text": "a"}, "b"]})) == [
        "a",
        "b",
    ]
