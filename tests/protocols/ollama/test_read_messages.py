"""Messages of /api/chat that are read: what they mean, and that they go back as they came."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from tests.each_case import each_case
from tests.protocols.ollama.reading import (
    BELL,
    DOT,
    JPEG,
    LOOK,
    WAVE,
    WEBP,
    read,
)


@pytest.mark.parametrize("role", ["system", "user", "assistant", "developer"])
def test_text(role: str) -> None:
    [m] = read({"role": role, "content": "Hi"}).messages
    assert (m.name, m.role, m.content, m.extras, m.spelling) == ("", role, "Hi", None, None)


def test_a_role_may_be_spelled_in_any_case() -> None:
    req = read({"role": "USER", "content": "Hi"}, {"role": "Tool", "content": "x"})
    assert [m.role for m in req.messages] == ["user", "tool"]


@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": ""}])
def test_no_text(content: dict[str, Any]) -> None:
    [m] = read({"role": "assistant", **content}).messages
    assert m.blocks == ([TextBlock("")] if content.get("content") == "" else [])
    assert m.extras is None


def test_media_lie_beside_the_text() -> None:
    [m] = read({"role": "user", "content": "See", "images": [DOT, JPEG, BELL, WEBP, WAVE]}).messages
    text, *media = m.blocks
    assert text == TextBlock("See")
    kinds = [(type(one), one.source.media_type) for one in media]  # type: ignore[union-attr]
    assert kinds == [
        (ImageBlock, "image/png"), (ImageBlock, "image/jpeg"), (AudioBlock, "audio/mpeg"),
        (ImageBlock, "image/webp"), (AudioBlock, "audio/wav"),
    ]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "media_type"), [
    ("R0lGODlh", ImageBlock, "image/gif"), ("//uQxA==", AudioBlock, "audio/mpeg"),
    ("UklGRiQAAABXRUJQVlA4", ImageBlock, "image/webp"),
    ("T2dnUw==", AudioBlock, "audio/ogg"), ("ZkxhQw==", AudioBlock, "audio/flac"),
    # nobody knows what it is: no beginning that is known, or a RIFF file of another kind, or short
    ("qqqq", ImageBlock, "image/png"), ("UklGRiQAAABBVkkg", ImageBlock, "image/png"),
    ("UklGRg==", ImageBlock, "image/png"), ("UklGR!", ImageBlock, "image/png"),
])  # fmt: skip
def test_bytes_tell_their_kind(data: str, kind: type, media_type: str) -> None:
    [block] = read({"role": "user", "content": "", "images": [data]}).messages[0].blocks
    assert isinstance(block, ImageBlock | AudioBlock)
    assert (type(block), block.source) == (kind, Base64Source(media_type, data))


@pytest.mark.parametrize("url", ["http://h/a.png", "https://h/a.png", "HTTPS://h/a.png"])
def test_an_address_in_the_place_of_bytes(url: str) -> None:
    [block] = read({"role": "user", "content": "", "images": [url]}).messages[0].blocks
    assert block == ImageBlock(URLSource(url))


@pytest.mark.parametrize("head", ["data:image/gif;base64,", "DATA:image/gif;base64,"])
def test_a_data_uri_in_the_place_of_bytes(head: str) -> None:
    [block] = (
        read({"role": "user", "content": "", "images": [f"{head}R0lGODlh"]}).messages[0].blocks
    )
    assert isinstance(block, ImageBlock)
    assert isinstance(block.source, Base64Source)
    assert (block.source.media_type, block.source.data) == ("image/gif", "R0lGODlh")


def test_calls_without_ids_of_several_turns() -> None:
    told = {"role": "assistant", "content": "", "tool_calls": [LOOK, LOOK]}
    result = {"role": "tool", "content": "x", "tool_name": "look"}
    req = read(told, result, result, told, result, result)
    made = [block.id for m in req.messages for block in m.blocks if type(block) is ToolUseBlock]
    answered = [m.blocks[0].id for m in req.messages if m.role == "tool"]  # type: ignore[union-attr]
    assert len({*made}) == 4
    assert made == answered


def test_thinking_and_calls() -> None:
    told = {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
        {**LOOK, "id": "call_1"}, {**LOOK, "id": "call_2", "type": "function"}]}  # fmt: skip
    thought, first, second = read(told).messages[0].blocks
    assert thought == ThinkingBlock("hm")
    assert thought.origin == Origin("ollama", "qwen3")
    assert first == ToolUseBlock("call_1", "look", {"city": "Oslo"})
    assert second == ToolUseBlock("call_2", "look", {"city": "Oslo"})


def test_a_call_keeps_what_nobody_models() -> None:
    function = {"name": "look", "arguments": {}, "index": 1}
    [call] = read({"role": "assistant", "tool_calls": [{"id": "a", "function": function}]}).messages
    assert call.blocks[0].extras == {"ollama": {"function": {"index": 1}}}


@each_case("function", [
    {"name": "f"}, {"name": "f", "arguments": None}, {"name": "f", "arguments": '{"a": 1}'},
    {"name": "f", "arguments": [1]}, {"arguments": {}}, {"name": 1, "arguments": {}}, None, "f",
])  # fmt: skip
@each_case("beside", [{}, {"id": None}, {"id": ""}, {"type": None}, {"x": 1}])
def test_odd_calls(function: Any, beside: dict[str, Any]) -> None:
    [m] = read({"role": "assistant", "tool_calls": [{"function": function, **beside}]}).messages
    assert type(m.blocks[0]) in (ToolUseBlock, RawBlock)


def test_results_find_their_calls_by_name() -> None:
    calls: list[Any] = [{"function": {"name": name, "arguments": {}}} for name in ("a", "b", "a")]
    req = read(
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "2", "tool_name": "b"},
        {"role": "tool", "content": "1", "name": "a", "tool_call_id": None},
        {"role": "tool", "content": "3"},
    )
    made = [block.id for block in req.messages[0].blocks if type(block) is ToolUseBlock]
    results = [block for m in req.messages[1:] for block in m.blocks]
    assert len({*made}) == 3
    assert [one.id for one in results if type(one) is ToolResultBlock] == [
        made[1],
        made[0],
        made[2],
    ]


def test_results_find_their_calls_by_id() -> None:
    calls = [{**LOOK, "id": "x"}, {**LOOK, "id": "y"}]
    req = read(
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "2", "tool_name": "look", "tool_call_id": "y"},
        {"role": "tool", "content": "1", "tool_name": "look"},
    )
    results = [m.blocks[0] for m in req.messages[1:]]
    assert results == [ToolResultBlock("y", "look", "2"), ToolResultBlock("x", "look", "1")]


def test_a_result_with_an_image() -> None:
    [m] = read({"role": "tool", "content": "seen", "tool_name": "f", "images": [DOT]}).messages
    [block] = m.blocks
    assert isinstance(block, ToolResultBlock)
    assert isinstance(block.output, list)
    assert [one.type for one in block.output] == ["text", "image"]
    [m] = read({"role": "tool", "content": "", "tool_name": "f", "images": [DOT]}).messages
    assert m.name == ""
    assert [one.type for one in m.blocks[0].output] == ["image"]  # type: ignore[union-attr]


@pytest.mark.parametrize("told", [
    None, "Hi", 1, [], {}, {"role": None}, {"role": "ipython", "content": "x"},
])  # fmt: skip
def test_what_is_no_message(told: Any) -> None:
    [m] = read(told).messages
    assert m.blocks == [RawBlock("ollama", told, "message", by="client")]


@pytest.mark.parametrize("told", [
    {"role": "user", "content": [{"type": "text", "text": "x"}]},
    {"role": "user", "content": 1, "images": None, "thinking": "x"},
    {"role": "user", "content": "x", "images": [], "name": "Bo"},
    {"role": "user", "content": "x", "images": [1]},
    {"role": "assistant", "content": "x", "thinking": "", "tool_calls": []},
    {"role": "assistant", "content": "x", "tool_calls": None, "thinking": None},
    {"role": "tool", "content": {"a": 1}, "tool_name": 1, "tool_call_id": ""},
    {"role": "tool", "content": None, "images": []},
    {"role": "tool", "tool_name": "", "name": "f"},
    {"role": "tool", "tool_name": "f", "content": ""},
    {"role": "USER"},
    {"role": "Assistant", "content": None},
])  # fmt: skip
def test_odd_fields_stay(told: dict[str, Any]) -> None:
    read(told)


def test_only_the_assistant_calls() -> None:
    [m] = read({"role": "user", "content": "x", "tool_calls": [LOOK]}).messages
    assert (m.content, m.extras) == ("x", {"ollama": {"tool_calls": [LOOK]}})
