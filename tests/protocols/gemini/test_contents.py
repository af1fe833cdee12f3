"""Messages as `contents`: the plain list of format(), in the wire's form and in AgentScope's."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dragoman import Msg
from dragoman.errors import WriteError
from dragoman.formatter import Formatter, GeminiChatFormatter, GeminiMultiAgentFormatter
from dragoman.history.passes.survey import survey
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    Citation,
    ContentBlock,
    ImageBlock,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.message.paths import places
from dragoman.protocols.gemini import CAN, Gemini
from tests.contract.judges import judge_messages

DOT = "iVBORw0KGgo="
SIGNED = {"gemini": {"thoughtSignature": "c2ln"}}
BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


def dot() -> ImageBlock:
    return ImageBlock(Base64Source("image/png", DOT))


KEPT = {"foreign_calls": "keep"}


def wrote(
    msgs: list[Msg], model: str | None = None, **options: Any
) -> tuple[list[dict[str, Any]], list[str]]:
    """(contents, codes of losses); the judge must not refuse a thing."""
    out = Formatter("gemini", model=model, policy="ignore", **options).write(msgs)
    assert judge_messages("gemini", out.messages) == []
    return out.messages, [loss.code for loss in out.losses]


def calling(*blocks: ContentBlock, answer: Any = "rain") -> list[Msg]:
    return [
        Msg.user("Weather?"),
        Msg.assistant(list(blocks)),
        *(Msg.tool(b.id, answer, b.name) for b in blocks if type(b) is ToolUseBlock),
        Msg.user("Thanks."),
    ]


def test_the_list_has_no_system_role() -> None:
    msgs = [Msg.system("Be brief."), Msg.user("Hello"), Msg.assistant("Hi."), Msg.user("Go on.")]
    found, codes = wrote(msgs)
    assert found == [
        {"role": "user", "parts": [{"text": "Be brief."}]},
        {"role": "user", "parts": [{"text": "Hello"}]},
        {"role": "model", "parts": [{"text": "Hi."}]},
        {"role": "user", "parts": [{"text": "Go on."}]},
    ]
    assert codes == ["system.as_user"]


def test_what_an_unsigned_call_carries_stays_when_the_turn_is_over() -> None:
    msgs = calling(ToolUseBlock("c1", "weather", {"city": "Oslo"}))
    during, codes = wrote(msgs[:-1])
    call = {"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Oslo"}}}
    assert during[1]["parts"] == [{**call, "thoughtSignature": BYPASS}]
    assert codes == ["call.bypass"]
    assert wrote(msgs)[0][:-1] == during


@pytest.mark.parametrize(
    ("model", "signature"),
    [(None, BYPASS), ("gemini-3.8-flash", BYPASS), ("gemini-2.5-pro", None)],
)
def test_the_first_call_of_a_step_is_signed_where_models_may_demand_it(
    model: str | None, signature: str | None
) -> None:
    calls = [ToolUseBlock("a", "weather", {}), ToolUseBlock("b", "weather", {})]
    found, codes = wrote(calling(TextBlock("I look."), *calls)[:-1], model)
    [text, first, second] = found[1]["parts"]
    assert text == {"text": "I look."}
    assert first.get("thoughtSignature") == signature
    assert "thoughtSignature" not in second
    assert codes == ([] if signature is None else ["call.bypass"])


def test_a_call_keeps_its_own_signature() -> None:
    found, codes = wrote(calling(ToolUseBlock("a", "weather", {}, extras=SIGNED))[:-1])
    assert found[1]["parts"][0]["thoughtSignature"] == "c2ln"
    assert codes == []


def test_agentscopes_key_for_a_signature_is_understood() -> None:
    block = {"type": "text", "text": "Hi.", "thought_signature": "c2ln"}
    msgs = [Msg.user("Hello"), Msg.assistant([block])]
    assert wrote(msgs)[0][1]["parts"] == [{"text": "Hi.", "thoughtSignature": "c2ln"}]
    named = GeminiChatFormatter().format_sync(msgs)
    assert named[1]["parts"] == [{"text": "Hi.", "thought_signature": "c2ln"}]


def test_another_providers_fields_stay_behind() -> None:
    block = TextBlock("Hi.", extras={"openai-chat": {"annotations": ["a note"]}})
    found, codes = wrote([Msg.user("Hello"), Msg.assistant([block]), Msg.user("Go on.")])
    assert found[1]["parts"] == [{"text": "Hi."}]
    assert codes == ["extras.other_provider"]


@pytest.mark.parametrize(
    ("block", "part", "codes"),
    [
        (ThinkingBlock("Hm."), {"text": "Hm.", "thought": True}, []),
        (
            ThinkingBlock("Hm.", extras=SIGNED),
            {"text": "Hm.", "thought": True, "thoughtSignature": "c2ln"},
            [],
        ),
        (
            ThinkingBlock("Hm.", signature="RXFv"),
            {"text": "Hm.", "thought": True},
            ["thinking.other_provider"],
        ),
        (ThinkingBlock("Hm.", origin=Origin("anthropic")), None, ["thinking.other_provider"]),
        (ThinkingBlock("", redacted="RXFv"), None, ["thinking.other_provider"]),
        (ThinkingBlock(""), None, ["text.blank"]),
        (RefusalBlock("I won't."), {"text": "I won't."}, ["refusal.as_text"]),
        (TextBlock("Hi.", citations=[Citation(0, 2)]), {"text": "Hi."}, ["citations.unsupported"]),
        (
            AudioBlock(Base64Source("audio/wav", "UklGRg==")),
            {"inlineData": {"mimeType": "audio/wav", "data": "UklGRg=="}},
            [],
        ),
        (
            RawBlock("gemini", {"executableCode": {"language": "PYTHON", "code": "1"}}),
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            [],
        ),
        (RawBlock("anthropic", {"type": "server_tool_use"}), None, ["raw.other_provider"]),
    ],
)
def test_a_block_of_the_model(
    block: ContentBlock, part: dict[str, Any] | None, codes: list[str]
) -> None:
    msgs = [Msg.user("Hello"), Msg.assistant([block, TextBlock("Well.")]), Msg.user("Go on.")]
    found, lost = wrote(msgs)
    assert found[1] == {"role": "model", "parts": [*([part] if part else []), {"text": "Well."}]}
    assert lost == codes


def test_a_message_of_nothing_sayable_is_left_out() -> None:
    found, codes = wrote([Msg.user("Hello"), Msg.assistant([ThinkingBlock("")]), Msg.user("Hm?")])
    assert [content["role"] for content in found] == ["user", "user"]
    assert codes == ["text.blank"]


def test_nothing_of_the_input_is_changed() -> None:
    raw = RawBlock("gemini", {"executableCode": {"code": "1"}}, extras=SIGNED)
    call = ToolUseBlock("a", "weather", {"deep": {"n": 1}}, extras={
        "gemini": {"functionCall": {"args": {"more": 2}}}
    })  # fmt: skip
    msgs = [*calling(raw, call, answer={"c": 21})[:-1]]
    before = copy.deepcopy(msgs)
    found, _ = wrote(msgs)
    assert msgs == before
    assert found[1]["parts"][1]["functionCall"]["args"] == {"deep": {"n": 1}, "more": 2}


@pytest.mark.parametrize(
    ("output", "is_error", "response"),
    [
        ("rain", False, {"output": "rain"}),
        ("", False, {"output": ""}),
        (None, False, {"output": ""}),
        ([], False, {"output": ""}),
        ([TextBlock("one"), TextBlock("two")], False, {"output": "one\ntwo"}),
        ({"c": 21}, False, {"c": 21}),
        ({}, False, {}),
        ("gone", True, {"error": "gone"}),
        ([TextBlock("gone")], True, {"error": "gone"}),
        ({"code": 7}, True, {"error": {"code": 7}}),
        ({"error": "gone"}, True, {"error": "gone"}),
    ],
)
def test_the_response_of_a_function(output: Any, is_error: bool, response: Any) -> None:
    msgs = calling(ToolUseBlock("a", "weather", {}))
    msgs[2] = Msg.tool("a", output, "weather", is_error=is_error)
    found, codes = wrote(msgs, can=KEPT)
    said = {"id": "a", "name": "weather", "response": response}
    assert found[2] == {"role": "user", "parts": [{"functionResponse": said}]}
    assert codes == []


def test_media_of_a_result_stay_beside_it_since_gemini_3() -> None:
    msgs = calling(ToolUseBlock("a", "shot", {}), answer=[TextBlock("Taken."), dot()])
    found, codes = wrote(msgs, "gemini-3.1-pro-preview", can=KEPT)
    assert found[2]["parts"][0]["functionResponse"] == {
        "id": "a",
        "name": "shot",
        "response": {"output": "Taken."},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": DOT}}],
    }
    assert codes == []


@pytest.mark.parametrize("model", [None, "gemini-2.5-flash"])
def test_media_of_a_result_follow_in_a_content_of_their_own(model: str | None) -> None:
    msgs = calling(ToolUseBlock("a", "shot", {}), answer=[dot()])
    found, codes = wrote(msgs, model, can=KEPT)
    [response] = found[2]["parts"]
    assert "parts" not in response["functionResponse"]
    assert {"inlineData": {"mimeType": "image/png", "data": DOT}} in found[3]["parts"]
    assert codes == ["media.moved"]


def test_a_signature_on_a_text_of_a_result_has_no_place() -> None:
    msgs = calling(ToolUseBlock("a", "shot", {}), answer=[TextBlock("Taken.", extras=SIGNED)])
    found, codes = wrote(msgs, can=KEPT)
    assert found[2]["parts"][0]["functionResponse"]["response"] == {"output": "Taken."}
    assert codes == ["block.unsupported"]


def test_the_named_formatters_form() -> None:
    msgs = [
        Msg("system", [TextBlock("Be brief."), TextBlock("Be kind.")], "system"),
        *calling(ToolUseBlock("a", "weather", {}), answer=[TextBlock("one"), TextBlock("two")]),
    ]
    said = {"id": "a", "name": "weather", "response": {"output": "- one\n- two"}}
    chat = GeminiChatFormatter().format_sync(msgs)
    assert chat[0] == {"role": "user", "parts": [{"text": "Be brief."}, {"text": "Be kind."}]}
    assert chat[2]["parts"] == [{"function_call": {"id": "a", "name": "weather", "args": {}}}]
    assert chat[3]["parts"] == [{"function_response": said}]
    many = GeminiMultiAgentFormatter().format_sync(msgs)
    assert many[0] == {"role": "user", "parts": [{"text": "Be brief.\nBe kind."}]}
    assert many[1]["parts"][0]["text"].endswith("<history>: Weather?\n</history>")


def test_a_named_formatter_signs_where_its_model_demands_it() -> None:
    msgs = calling(ToolUseBlock("a", "weather", {}))[:-1]
    [call] = GeminiChatFormatter(model="gemini-3.8-flash").format_sync(msgs)[1]["parts"]
    assert call["thought_signature"] == BYPASS
    [plain] = GeminiChatFormatter().format_sync(msgs)[1]["parts"]
    assert plain.keys() == {"function_call"}


def test_supported_extensions_are_agentscopes() -> None:
    found = GeminiChatFormatter.supported_extensions
    assert found.keys() == {"image", "video", "audio"}
    assert "webp" in found["image"]
    assert "jpg" not in found["image"]


@pytest.mark.parametrize(
    ("block", "role"),
    [
        (RefusalBlock("No."), "assistant"),
        (RawBlock("gemini", ["no", "part"]), "assistant"),
        (ToolResultBlock("a", "f", [ThinkingBlock("x"), RefusalBlock("No.")]), "tool"),
    ],
)
def test_the_writer_never_skips(block: ContentBlock, role: Any) -> None:
    """What `fit` must have settled before is our own bug here, and never silence."""
    msgs = [Msg.user("Hello"), Msg("", [block], role)]
    report = Report(msgs)
    with pytest.raises(WriteError):
        Gemini().messages(survey(msgs, report), CAN, report)


def test_what_stands_for_a_signature_is_never_put_into_a_raw_part() -> None:
    """A call that nobody could read goes back as it came, alone or before one that was read."""
    raw = {"functionCall": "look"}
    odd = RawBlock("gemini", raw, "call", by="client")
    signed = {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": BYPASS}
    for blocks, parts in (
        ([odd], [raw]),
        (
            [odd, ToolUseBlock("c2", "f", {})],
            [raw, {"functionCall": {"id": "c2", "name": "f", "args": {}}}],
        ),
        ([TextBlock("Hm"), odd], [{"text": "Hm"}, raw]),
    ):
        msgs = [Msg.user("Hi"), Msg.assistant([ToolUseBlock("c1", "f", {})]), Msg.assistant(blocks)]
        report = Report(msgs, None, places)
        found = Gemini().messages(survey(msgs, report), Gemini().can(), report)
        assert [entry["parts"] for entry in found[1:]] == [[signed], parts]
        assert [(loss.code, loss.where) for loss in report.losses] == [
            ("call.bypass", "$.messages[1].content[0]")
        ]


def test_a_prompt_with_a_signature_is_not_joined() -> None:
    prompt = [TextBlock("Be brief.", extras=SIGNED), TextBlock("Be kind.")]
    [found, _] = GeminiMultiAgentFormatter().format_sync([Msg.system(prompt), Msg.user("Hello")])
    assert found["parts"] == [
        {"text": "Be brief.", "thought_signature": "c2ln"},
        {"text": "Be kind."},
    ]
