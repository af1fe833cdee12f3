"""Cases of Anthropic's wire: what breaks for users of other converters."""

from __future__ import annotations

import pytest

from dragoman import Msg, Options, Tool
from dragoman.message import (
    Base64Source,
    CacheHint,
    DocumentBlock,
    ImageBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
)
from tests.cases.writing import PNG, answered, call, written

HI = Msg.user("Hi")
LOOK = Tool("look", "looks", {"type": "object", "properties": {"at": {"type": "string"}}})
OLD = "claude-sonnet-4-5"


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_case_2_blank_text_is_left_out(blank: str) -> None:
    body, losses = written(
        "anthropic", [HI, Msg("", [TextBlock(blank), call(at="it")], "assistant"), answered(),
                      Msg.user(blank)],
    )  # fmt: skip
    assert body["messages"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "call_1", "name": "look", "input": {"at": "it"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_1",
             "content": [{"type": "text", "text": "seen"}]}]},
    ]  # fmt: skip
    assert losses == [
        ("text.blank", "$.messages[1].content[0].text"),
        ("message.empty", "$.messages[3].content"),
    ]


def test_case_2_no_cache_hint_on_an_empty_block() -> None:
    body, losses = written(
        "anthropic", [Msg("", [TextBlock("", cache=CacheHint()), TextBlock("Hi")], "user")]
    )
    assert body["messages"] == [{"role": "user", "content": "Hi"}]
    assert losses == [
        ("cache.unsupported", "$.messages[0].content[0].cache"),
        ("text.blank", "$.messages[0].content[0].text"),
    ]


def test_case_3_a_tool_turn_begins_with_its_thinking() -> None:
    thought = ThinkingBlock("hm", signature="c2ln")
    body, losses = written(
        "anthropic", [HI, Msg("", [thought, call(at="it")], "assistant"), answered()], OLD,
        tools=[LOOK], options=Options(reasoning_budget=2000, max_tokens=4000),
    )  # fmt: skip
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert body["messages"][1]["content"][0] == {
        "type": "thinking", "thinking": "hm", "signature": "c2ln",
    }  # fmt: skip
    assert losses == []


def test_case_3_without_the_thinking_of_its_tool_turn_thinking_is_off() -> None:
    body, losses = written(
        "anthropic", [HI, Msg("", [call(at="it")], "assistant"), answered()], OLD,
        tools=[LOOK], options=Options(reasoning_budget=2000, max_tokens=4000),
    )  # fmt: skip
    assert "thinking" not in body
    assert losses == [("reasoning.off_for_history", "$.options.reasoning_budget")]


@pytest.mark.parametrize(
    ("thought", "code"),
    [
        (ThinkingBlock("half"), "thinking.unsigned"),
        (ThinkingBlock("half", signature=""), "thinking.unsigned"),
        (ThinkingBlock("theirs", signature="c2ln", origin=Origin("gemini")),
         "thinking.other_provider"),
        (ThinkingBlock("theirs", signature="c2ln", origin=Origin("openai-responses")),
         "thinking.other_provider"),
    ],
)  # fmt: skip
def test_case_4_no_thinking_without_a_signature_of_its_own(
    thought: ThinkingBlock, code: str
) -> None:
    body, losses = written("anthropic", [HI, Msg("", [thought, TextBlock("Yes.")], "assistant"),
                                         Msg.user("Why?")])  # fmt: skip
    assert body["messages"][1] == {"role": "assistant", "content": "Yes."}
    assert losses == [(code, "$.messages[1].content[0]")]


def test_case_4_signed_thinking_is_not_touched() -> None:
    thought = ThinkingBlock(" half\n ", signature="c2ln")
    body, _ = written("anthropic", [HI, Msg("", [thought, TextBlock("Yes.")], "assistant"),
                                    Msg.user("Why?")])  # fmt: skip
    assert body["messages"][1]["content"][0] == {
        "type": "thinking", "thinking": " half\n ", "signature": "c2ln",
    }  # fmt: skip


def test_case_5_only_the_last_words_of_the_assistant_lose_their_white_space() -> None:
    body, losses = written("anthropic", [HI, Msg("", "ASCII  \n", "assistant"), Msg.user("On. "),
                                         Msg("", "Title: ", "assistant")], OLD)  # fmt: skip
    assert [m["content"] for m in body["messages"]] == ["Hi", "ASCII  \n", "On. ", "Title:"]
    assert losses == [("text.trailing", "$.messages[3].content")]


def test_case_7_at_most_four_cache_marks_and_the_oldest_go() -> None:
    hint = CacheHint()
    roles = ("system", "user", "assistant", "user", "assistant")
    msgs = [Msg("", [TextBlock(f"{i}", cache=hint)], role) for i, role in enumerate(roles)]
    body, losses = written(
        "anthropic", [*msgs, Msg("", [TextBlock("5", cache=hint)], "user")],
        tools=[Tool("look", cache=hint)],
    )  # fmt: skip
    said = str(body)
    assert said.count("cache_control") == 4
    assert body["tools"][0]["cache_control"] == {"type": "ephemeral"}
    assert [code for code, _ in losses] == ["cache.limit"] * 3
    assert body["messages"][-1]["content"][0]["cache_control"] == {"type": "ephemeral"}


def test_case_7_no_mark_on_thinking() -> None:
    thought = ThinkingBlock("hm", signature="c2ln")
    last = Msg("", [thought, TextBlock("Yes.")], "assistant", cache=CacheHint())
    body, _ = written("anthropic", [HI, last, Msg.user("Why?")])
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "Yes.", "cache_control": {"type": "ephemeral"}},
    ]


def test_case_13a_the_system_prompt_alone_is_said_by_the_user() -> None:
    body, losses = written("anthropic", [Msg.system("Be kind.")])
    assert body["messages"] == [{"role": "user", "content": "Be kind."}]
    assert "system" not in body
    assert losses == [("system.alone", "$.messages[0]")]


def test_case_13a_a_later_system_message_is_tagged_or_stands_where_the_model_takes_it() -> None:
    msgs = [Msg.system("Be kind."), HI, Msg.assistant("Hello"), Msg.user("Go on"),
            Msg.system("Now briefly.")]  # fmt: skip
    body, losses = written("anthropic", msgs, OLD)
    assert body["system"] == "Be kind."
    assert body["messages"][-1] == {
        "role": "user", "content": "<system-reminder>\nNow briefly.\n</system-reminder>",
    }  # fmt: skip
    assert ("system.late", "$.messages[4]") in losses
    body, losses = written("anthropic", msgs, "claude-opus-5-5")
    assert body["messages"][-1] == {"role": "system", "content": "Now briefly."}
    assert losses == []


def test_case_13b_the_media_type_is_that_of_the_bytes() -> None:
    jpeg = "/9j/4AAQSkZJRgABAQAAAQABAAD/2Q=="
    lying = ImageBlock(Base64Source("image/png", jpeg))
    jpg = ImageBlock(Base64Source("image/jpg", jpeg))
    body, losses = written("anthropic", [Msg("", [lying, jpg], "user")])
    for block in body["messages"][0]["content"]:
        assert block["source"] == {"type": "base64", "media_type": "image/jpeg", "data": jpeg}
    assert losses == [("media.type_corrected", "$.messages[0].content[0].source")]


def test_case_13b_svg_is_refused_early() -> None:
    svg = ImageBlock(Base64Source("image/svg+xml", "PHN2Zz4="))
    body, losses = written("anthropic", [Msg("", [TextBlock("See"), svg], "user")])
    assert body["messages"] == [{"role": "user", "content": "See"}]
    assert losses == [("media.type", "$.messages[0].content[1].source")]


def test_case_13c_no_forced_tool_while_thinking() -> None:
    options = Options(reasoning_budget=2000, max_tokens=4000)
    body, losses = written("anthropic", [HI], OLD, tools=[LOOK], tool_choice="required",
                           options=options)  # fmt: skip
    assert body["tool_choice"] == {"type": "auto"}
    assert losses == [("tool_choice.lowered", "$.tool_choice.mode")]
    body, losses = written("anthropic", [HI], OLD, tools=[LOOK], tool_choice="required")
    assert body["tool_choice"] == {"type": "any"}
    assert losses == []


def test_case_13c_current_models_refuse_a_forced_tool_outright() -> None:
    body, losses = written("anthropic", [HI], "claude-opus-5-5", tools=[LOOK], tool_choice="look")
    assert body["tool_choice"] == {"type": "auto"}
    assert losses == [("tool_choice.lowered", "$.tool_choice")]


def test_case_13e_without_thinking_none_is_sent_back() -> None:
    thought = ThinkingBlock("hm", signature="c2ln")
    msgs = [HI, Msg("", [thought, TextBlock("It is ")], "assistant")]
    body, losses = written("anthropic", msgs, OLD)
    assert body["messages"][1] == {"role": "assistant", "content": "It is"}
    assert "thinking" not in body
    assert ("thinking.unsupported", "$.messages[1].content[0]") in losses


def test_case_13f_only_what_the_wire_knows_is_written() -> None:
    foreign = {"openai-chat": {"parsed": {"a": 1}, "index": 0}}
    block = TextBlock("Yes.", extras={"openai-chat": {"status": "completed"}})
    said = Msg("Friday", [block], "assistant", extras=foreign)
    body, losses = written("anthropic", [HI, said, Msg.user("Why?")])
    assert body["messages"][1] == {"role": "assistant", "content": "Yes."}
    assert set(losses) == {
        ("extras.other_provider", "$.messages[1].extras.openai-chat.parsed.a"),
        ("extras.other_provider", "$.messages[1].extras.openai-chat.index"),
        ("extras.other_provider", "$.messages[1].content[0].extras.openai-chat.status"),
        ("name.unsupported", "$.messages[1].name"),
    }


def test_case_13h_documents_of_text_travel_as_text() -> None:
    table = DocumentBlock(Base64Source("text/csv", "YSxiCjEsMgo="), title="t.csv")
    body, losses = written("anthropic", [Msg("", [table], "user")])
    assert body["messages"][0]["content"] == [
        {"type": "document", "title": "t.csv",
         "source": {"type": "text", "media_type": "text/plain", "data": "a,b\n1,2\n"}}
    ]  # fmt: skip
    assert losses == [("media.type_lowered", "$.messages[0].content[0].source")]


def test_case_13h_other_documents_are_named_as_lost() -> None:
    docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    letter = DocumentBlock(Base64Source(docx, "UEsDBA=="))
    body, losses = written("anthropic", [Msg("", [TextBlock("Read"), letter], "user")])
    assert body["messages"] == [{"role": "user", "content": "Read"}]
    assert losses == [("media.type", "$.messages[0].content[1].source")]


def test_case_13i_thinking_is_never_told_as_text() -> None:
    thought = ThinkingBlock("secret", origin=Origin("deepseek"))
    body, losses = written("anthropic", [HI, Msg("", [thought, TextBlock("Yes.")], "assistant"),
                                         Msg.user("Why?")])  # fmt: skip
    assert "secret" not in str(body)
    assert losses == [("thinking.other_provider", "$.messages[1].content[0]")]


def test_images_of_results_stay_inside_of_them() -> None:
    image = ImageBlock(PNG)
    body, losses = written("anthropic", [HI, Msg("", [call()], "assistant"), answered(
        output=[TextBlock("a shot"), image])])  # fmt: skip
    assert [b["type"] for b in body["messages"][2]["content"][0]["content"]] == ["text", "image"]
    assert losses == []
