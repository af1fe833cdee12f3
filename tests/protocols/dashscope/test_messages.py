"""Messages as DashScope takes them: strings, parts, calls, results, marks, thinking."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.formatter import DashScopeChatFormatter, DashScopeMultiAgentFormatter, Formatter
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from tests.contract.judges import judge_messages

CAT = "https://example.com/pictures/cat.png"
CALL = ToolUseBlock("c1", "locate", {"where": "家"})
ROUND = [Msg.user("Where?"), Msg.assistant([CALL]), Msg.tool("c1", "Gansu", "locate")]
MARK = {"cache_control": {"type": "ephemeral"}}


def wrote(
    msgs: list[Msg], model: str | None = None, **options: Any
) -> tuple[list[dict[str, Any]], list[str]]:
    """(wire messages, codes of losses); the judge must not refuse a thing."""
    out = Formatter("dashscope", model=model, policy="ignore", **options).write(msgs)
    assert judge_messages("dashscope", out.messages) == []
    return out.messages, [loss.code for loss in out.losses]


@pytest.mark.parametrize(
    ("model", "content"),
    [
        ("qwen-max", "One.\nTwo."),
        ("qwen3-vl-plus", [{"text": "One."}, {"text": ""}, {"text": "Two."}]),
        (None, "One.\nTwo."),
    ],
)
def test_several_texts(model: str | None, content: Any) -> None:
    blocks = [TextBlock("One."), TextBlock(""), TextBlock("Two.")]
    assert wrote([Msg.user(blocks)], model) == ([{"role": "user", "content": content}], [])


def test_without_a_model_a_message_with_a_medium_is_a_list_and_its_neighbour_a_string() -> None:
    blocks = [ImageBlock(Base64Source("image/png", "iVBORw0KGgo=")), TextBlock("Look.")]
    messages, _ = wrote([Msg.user(blocks), Msg.assistant("A dot.")])
    assert messages == [
        {
            "role": "user",
            "content": [{"image": "data:image/png;base64,iVBORw0KGgo="}, {"text": "Look."}],
        },
        {"role": "assistant", "content": "A dot."},
    ]


@pytest.mark.parametrize(
    ("formatter", "content"),
    [
        (Formatter("dashscope", model="qwen-max"), ""),
        (Formatter("dashscope", model="qwen3.6-plus"), []),
        (DashScopeMultiAgentFormatter(model="qwen-max"), ""),
        (DashScopeMultiAgentFormatter(model="qwen3.6-plus"), []),
        (Formatter("dashscope"), []),
        (DashScopeChatFormatter(), []),
        (DashScopeMultiAgentFormatter(), [{"text": None}]),  # S111
        (DashScopeMultiAgentFormatter(facts="documents-2025"), [{"text": None}]),
    ],
)
def test_content_beside_calls_without_text(formatter: Any, content: Any) -> None:
    assert formatter.format_sync(ROUND)[1] == {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "locate", "arguments": '{"where": "家"}'},
            }
        ],
    }


@pytest.mark.parametrize("model", ["qwen-max", "qwen3-vl-plus"])
def test_a_result_is_a_string_on_both_endpoints(model: str) -> None:
    msgs = [*ROUND[:2], Msg.tool("c1", [TextBlock("Gansu"), TextBlock("China")], "locate")]
    messages, _ = wrote(msgs, model)
    assert messages[2] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "Gansu\nChina",
        "name": "locate",
    }


def test_media_of_a_result_follow_in_a_user_message() -> None:
    sound = AudioBlock(Base64Source("audio/mp3", "SUQzBAAAAAAAAA=="))
    messages, codes = wrote([*ROUND[:2], Msg.tool("c1", [sound], "locate")])
    assert messages[2]["content"] == "The returned audio (audio/mp3) is shown below."
    assert messages[3]["role"] == "user"
    assert {"audio": "data:audio/mpeg;base64,SUQzBAAAAAAAAA=="} in messages[3]["content"]
    assert codes == ["media.moved"]


def test_the_named_classes_call_media_of_a_result_media() -> None:
    image = ImageBlock(URLSource(CAT))
    formatter = DashScopeChatFormatter(promote_tool_result_images=True)
    messages = formatter.format_sync([*ROUND[:2], Msg.tool("c1", [image], "locate")])
    opening = messages[3]["content"][0]["text"]
    assert opening.endswith("following are the media contents from the tool result of 'locate':")


def test_media_of_the_assistant_follow_in_a_user_message() -> None:
    image = ImageBlock(URLSource(CAT))
    messages, codes = wrote([Msg.user("Draw."), Msg.assistant([TextBlock("Here:"), image])])
    assert messages[1:] == [
        {"role": "assistant", "content": "Here:"},
        {"role": "user", "content": [{"image": CAT}]},
    ]
    assert codes == ["media.moved"]


def test_a_hint_is_a_mark_on_its_part() -> None:
    hinted = [TextBlock("Long."), TextBlock("Longer.", cache=CacheHint())]
    msgs = [Msg.system(hinted), Msg.user("Well?", cache=CacheHint("5m"))]
    expected = [
        {"role": "system", "content": [{"text": "Long."}, {"text": "Longer.", **MARK}]},
        {
            "role": "user",
            "content": [
                {"text": "Well?", "cache_control": {"type": "ephemeral", "ttl": "5m"}},
            ],
        },
    ]
    for model in ("qwen-max", "qwen3-vl-plus", None):
        assert wrote(msgs, model) == (expected, [])


def test_a_hint_on_a_result_stands_and_one_on_a_call_is_lost() -> None:
    call = ToolUseBlock("c1", "locate", {}, cache=CacheHint())
    result = ToolResultBlock("c1", "locate", "Gansu", cache=CacheHint())
    messages, codes = wrote([Msg.user("Where?"), Msg.assistant([call]), Msg("", [result], "tool")])
    assert "cache_control" not in str(messages[1])
    assert messages[2]["content"] == [{"text": "Gansu", **MARK}]
    assert codes == ["cache.unsupported"]


def test_a_fifth_hint_and_any_hint_for_glm_are_lost() -> None:
    msgs = [Msg.user(f"{i}", cache=CacheHint()) for i in range(5)]
    messages, codes = wrote(msgs, "qwen-max")
    assert [type(m["content"]) for m in messages].count(list) == 4
    assert codes == ["cache.limit"]
    messages, codes = wrote(msgs, "glm-4.7")
    assert [m["content"] for m in messages] == ["0", "1", "2", "3", "4"]
    assert codes == ["cache.unsupported"] * 5


def test_thinking_comes_back_only_where_it_is_asked_for() -> None:
    msgs = [Msg.user("2 + 2?"), Msg.assistant([ThinkingBlock("Easy."), TextBlock("4")])]
    assert wrote(msgs, "qwen-max")[0][1] == {"role": "assistant", "content": "4"}
    assert wrote(msgs, "qwen-max")[1] == ["thinking.unsupported"]
    said = {"role": "assistant", "content": "4", "reasoning_content": "Easy."}
    assert wrote(msgs, "qwen-max", can={"thinking": True}) == ([msgs_wire(), said], [])
    assert wrote(msgs, "deepseek-v4-pro") == ([msgs_wire(), said], [])


def msgs_wire() -> dict[str, Any]:
    return {"role": "user", "content": "2 + 2?"}


@pytest.mark.parametrize(("model", "content"), [("qwen-max", ""), ("kimi-k2.5", [{"text": ""}])])
def test_a_turn_of_thinking_alone(model: str, content: Any) -> None:
    msgs = [Msg.user("Hm?"), Msg.assistant([ThinkingBlock("Well.")])]
    messages, _ = wrote(msgs, model, can={"thinking": True})
    assert messages[1] == {"role": "assistant", "content": content, "reasoning_content": "Well."}


def test_thinking_of_another_provider_is_named_as_lost() -> None:
    foreign = ThinkingBlock("Easy.", origin=Origin("anthropic"))
    msgs = [Msg.user("2 + 2?"), Msg.assistant([foreign, TextBlock("4")])]
    assert wrote(msgs, can={"thinking": True})[1] == ["thinking.other_provider"]


def test_own_fields_come_back_and_others_do_not() -> None:
    ferry = "https://example.com/film/ferry.mp4"
    clip = VideoBlock(URLSource(ferry), extras={"dashscope": {"fps": 2, "max_frames": 8}})
    draft = Msg.assistant("It lea", extras={"dashscope": {"partial": True}})
    messages, codes = wrote([Msg.user([clip]), draft], "qwen3-vl-plus")
    assert messages == [
        {"role": "user", "content": [{"video": ferry, "fps": 2, "max_frames": 8}]},
        {"role": "assistant", "content": [{"text": "It lea"}], "partial": True},
    ]
    assert codes == []
    foreign = Msg.user([TextBlock("Hi", extras={"gemini": {"thoughtSignature": "x"}})])
    assert wrote([foreign])[1] == ["extras.other_provider"]


def test_files_are_named_by_oss_addresses() -> None:
    ours = ImageBlock(FileSource("oss://bucket/cat.png", "dashscope"))
    known = ImageBlock(URLSource("oss://bucket/cat.png"))
    for image in (ours, known):
        assert wrote([Msg.user([image])])[0][0]["content"] == [{"image": "oss://bucket/cat.png"}]
    other = ImageBlock(FileSource("file-123", "dashscope"))
    assert wrote([Msg.user([TextBlock("Look."), other])])[1] == ["media.source"]


def test_a_part_that_only_dashscope_has_stands_as_it_came() -> None:
    raw = RawBlock("dashscope", {"ocr_result": {"words": []}})
    formatter = Formatter("dashscope", model="qwen-max", policy="ignore")
    assert formatter.format_sync([Msg.user("?"), Msg.assistant([raw])])[1]["content"] == [raw.data]
    out = Formatter("openai-chat", policy="ignore").write([Msg.user("?"), Msg.assistant([raw])])
    assert [loss.code for loss in out.losses] == ["raw.other_provider"]


def test_foreign_fields_do_not_turn_a_string_into_a_list() -> None:
    foreign = TextBlock("Hi", extras={"gemini": {"thoughtSignature": "x"}})
    messages, _ = wrote([Msg.user([foreign])], "qwen-max")
    assert messages == [{"role": "user", "content": "Hi"}]
    result = ToolResultBlock("c1", "locate", [foreign])
    assert wrote([*ROUND[:2], Msg("", [result], "tool")], "qwen-max")[0][2]["content"] == "Hi"
