"""Messages of DashScope that are read: what they mean, and that they go back as they came."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    FileSource,
    FramesSource,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from tests.each_case import each_case
from tests.protocols.dashscope.reading import (
    DOT,
    LINK,
    MARK,
    NOTES,
    OWN,
    call,
    read,
)


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_text(role: str) -> None:
    [m] = read({"role": role, "content": "Hi"}).messages
    assert (m.role, m.content, m.extras) == (role, "Hi", None)


@pytest.mark.parametrize("told", [{}, {"content": None}, {"content": []}, {"content": 1}])
def test_no_content(told: dict[str, Any]) -> None:
    assert read({"role": "assistant", **told}).messages[0].blocks == []


def test_parts() -> None:
    parts: list[Any] = [
        {"text": "See"}, {"image": LINK}, {"image": DOT, "min_pixels": 9}, {"image": "oss://b/x"},
        {"audio": "data:;base64,AAAA"}, {"video": LINK, "type": "video"}, {"text": None},
        {"video": [LINK, LINK], "fps": 2}, {"text": "x", "image": LINK}, "y",
        {"video": []}, {"video": [LINK, 5]},
    ]  # fmt: skip
    [m] = read({"role": "user", "content": parts}).messages
    assert m.blocks == [
        TextBlock("See"),
        ImageBlock(URLSource(LINK)),
        ImageBlock(Base64Source("image/png", "iVBORw0KGgo=", DOT), extras={OWN: {"min_pixels": 9}}),
        ImageBlock(FileSource("oss://b/x", OWN)),
        AudioBlock(Base64Source("application/octet-stream", "AAAA", parts[4]["audio"])),
        VideoBlock(URLSource(LINK)),
        TextBlock(""),
        VideoBlock(FramesSource([LINK, LINK]), extras={OWN: {"fps": 2}}),
        *(RawBlock(OWN, part, by="client") for part in parts[8:]),
    ]


@each_case("kind", ["text", "image"])
@each_case("beside", [
    {}, {"type": "image"}, {"type": "text"}, {"cache_control": {**MARK, "ttl": "5m"}},
    {"cache_control": {"type": "other"}}, {"cache_control": None}, {"cache_control": {}},
    {"cache_control": {**MARK, "ttl": 5}},
])  # fmt: skip
def test_what_stands_beside_a_part(kind: str, beside: dict[str, Any]) -> None:
    for value in ("data:IMAGE/png;base64,iVBORw0KGgo=", "x", None, 1):
        read({"role": "user", "content": [{kind: value, **beside}]})


def test_cache_marks() -> None:
    tool = {"type": "function", "function": {"name": "f"}, "cache_control": MARK}
    req = read(
        {"role": "user", "content": [{"text": "x", "cache_control": MARK}]},
        {"role": "user", "content": "y", "cache_control": {**MARK, "ttl": "5m"}},
        {"role": "tool", "content": "z", "tool_call_id": "c", "cache_control": MARK},
        tools=[tool],
    )
    assert req.messages[0].blocks == [TextBlock("x", cache=CacheHint())]
    assert [m.cache for m in req.messages] == [None, CacheHint("5m"), CacheHint()]
    assert req.tools[0] == Tool("f", cache=CacheHint(), extras={NOTES: {"described": False}})


def test_thinking_and_calls() -> None:
    calls = [call(id="c1"), call("other", "", id="c2", index=1), call(id="c3", index=7)]
    [m] = read({"role": "assistant", "content": "So.", "reasoning_content": "hm",
                "tool_calls": calls}).messages  # fmt: skip
    assert m.blocks == [
        ThinkingBlock("hm"), TextBlock("So."), ToolUseBlock("c1", "look", {"a": 1}, '{"a": 1}'),
        ToolUseBlock("c2", "other", {}, ""),  # its index says where it stands
        ToolUseBlock("c3", "look", {"a": 1}, '{"a": 1}', extras={OWN: {"index": 7}}),
    ]  # fmt: skip


@each_case("content", ["", "x", None, [], [{"text": None}], [{"text": ""}]])
@each_case("calls", [[], None, [call(id="c")], "x", [1]])
def test_what_stands_beside_calls(content: Any, calls: Any) -> None:
    told = {"role": "assistant", "content": content, "tool_calls": calls}
    req = read(told, {**told, "reasoning_content": ""}, {"role": "assistant", "tool_calls": calls})
    texts = ["x"] if content == "x" else []
    assert [b.text for b in req.messages[0].blocks if type(b) is TextBlock and b.text] == texts


@pytest.mark.parametrize("odd", [
    {"id": ""}, {"id": None}, {"type": None}, {"x": 1}, {"function": None}, {"function": {}},
    {"function": {"name": "f"}}, {"function": {"name": "f", "arguments": {"a": 1}}},
    {"function": {"name": "f", "arguments": "[", "y": 1}}, {"function": {"name": 1}},
])  # fmt: skip
def test_odd_calls(odd: dict[str, Any]) -> None:
    [m] = read({"role": "assistant", "content": "", "tool_calls": [{**call(), **odd}]}).messages
    assert type(m.blocks[0]) in (ToolUseBlock, RawBlock)
    untyped = {key: value for key, value in {**call(id="c"), **odd}.items() if key != "type"}
    read({"role": "assistant", "content": "", "tool_calls": [untyped]})


def test_results() -> None:
    req = read(
        {"role": "assistant", "content": "", "tool_calls": [call("a", id="x"), call("b", id="y")]},
        {"role": "tool", "content": "2", "name": "b", "id": "1", "extra": {"function_id": "z"}},
        {"role": "tool", "content": [{"text": "1"}, {"image": LINK}], "tool_call_id": "x"},
    )
    assert [m.blocks[0] for m in req.messages[1:]] == [
        ToolResultBlock("y", "b", "2", extras={OWN: {"id": "1", "extra": {"function_id": "z"}}}),
        ToolResultBlock("x", "", [TextBlock("1"), ImageBlock(URLSource(LINK))]),
    ]


@pytest.mark.parametrize("told", [
    {"role": "tool"}, {"role": "tool", "content": None, "tool_call_id": None, "name": ""},
    {"role": "tool", "content": {"a": 1}, "tool_call_id": "c"},
    {"role": "assistant", "content": "pre", "partial": True},
    {"role": "user", "content": "x", "name": "Bo", "reasoning_content": "x", "tool_calls": []},
    {"role": "user", "content": {}, "cache_control": MARK},
])  # fmt: skip
def test_odd_fields_stay(told: dict[str, Any]) -> None:
    read(told)


@pytest.mark.parametrize("told", [None, "x", [], {}, {"role": "bot", "content": "x"}, {"role": []}])
def test_what_is_no_message(told: Any) -> None:
    [m] = read(told).messages
    assert m.blocks == [RawBlock(OWN, told, "message", by="client")]
