"""Cases of generateContent."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import Origin, TextBlock, ThinkingBlock, ToolUseBlock
from tests.cases.writing import IMAGE, answered, call, written

HI = Msg.user("Hi")
BYPASS = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


def signed(signature: str, **given: Any) -> dict[str, dict[str, Any]]:
    return {"gemini": {"thoughtSignature": signature, **given}}


def test_case_43_signatures_return_in_the_very_part_that_they_came_with() -> None:
    said = Msg("", [ThinkingBlock("hm"), TextBlock("Let me look.", extras=signed("dGV4dA==")),
                    ToolUseBlock("a", "look", {}, extras=signed("Y2FsbA==")),
                    ToolUseBlock("b", "look", {})], "assistant")  # fmt: skip
    body, losses = written("gemini", [HI, said, answered("a"), answered("b")], "gemini-3.8-flash")
    parts = body["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [None, "dGV4dA==", "Y2FsbA==", None]
    assert parts[0] == {"text": "hm", "thought": True}
    assert losses == []


def test_case_43_an_empty_text_that_is_signed_stays() -> None:
    last = Msg("", [TextBlock("Yes."), TextBlock("", extras=signed("ZW5k"))], "assistant")
    body, losses = written("gemini", [HI, last, Msg.user("Why?")], "gemini-3.8-flash")
    assert body["contents"][1]["parts"] == [
        {"text": "Yes."}, {"text": "", "thoughtSignature": "ZW5k"},
    ]  # fmt: skip
    assert losses == []


@pytest.mark.parametrize("content", ["", [], [TextBlock("")]])
def test_case_46_nothing_empty_is_sent(content: Any) -> None:
    body, losses = written("gemini", [HI, Msg("", content, "assistant"), Msg.user("Why?")])
    assert all(part for said in body["contents"] for part in said["parts"])
    assert all(said["parts"] for said in body["contents"])
    assert losses[0][0] in ("text.blank", "message.empty")


def test_case_46_an_image_may_stand_alone() -> None:
    body, losses = written("gemini", [Msg("", [IMAGE], "user")])
    assert [list(part) for part in body["contents"][0]["parts"]] == [["inlineData"]]
    assert losses == []


def test_case_47_a_result_has_the_name_of_its_call() -> None:
    msgs = [HI, Msg("", [call("a", "look"), call("b", "hear")], "assistant"),
            answered("b", "two", name=""), answered("a", "one", name="internal_look")]  # fmt: skip
    body, _ = written("gemini", msgs)
    said = [part["functionResponse"] for part in body["contents"][2]["parts"]]
    assert [(one["name"], one["response"]) for one in said] == [
        ("look", {"output": "one"}), ("hear", {"output": "two"}),
    ]  # fmt: skip


def test_case_47_one_tool_called_twice_without_ids() -> None:
    msgs = [HI, Msg("", [call(""), call("")], "assistant"), answered("", "one"),
            answered("", "two")]  # fmt: skip
    body, _ = written("gemini", msgs)
    said = [part["functionResponse"] for part in body["contents"][2]["parts"]]
    assert [one["response"] for one in said] == [{"output": "one"}, {"output": "two"}]


def test_case_50_foreign_state_is_stripped_and_unsigned_calls_carry_the_bypass() -> None:
    theirs = Origin("anthropic")
    said = Msg("", [ThinkingBlock("hm", signature="Q2xhdWRl", origin=theirs), call("toolu_1"),
                    call("toolu_2")], "assistant", origin=theirs)  # fmt: skip
    body, losses = written("gemini", [HI, said, answered("toolu_1"), answered("toolu_2")],
                           "gemini-3.8-flash")  # fmt: skip
    parts = body["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [BYPASS, None]
    assert "Q2xhdWRl" not in str(body)
    assert losses == [("thinking.other_provider", "$.messages[1].content[0]"),
                      ("call.bypass", "$.messages[1].content[1]")]  # fmt: skip


def test_case_50_older_turns_keep_it_and_older_models_need_none() -> None:
    msgs = [HI, Msg("", [call()], "assistant"), answered(), Msg.assistant("Yes."), Msg.user("On")]
    first, _ = written("gemini", msgs[:3], "gemini-3.8-flash")
    body, losses = written("gemini", msgs, "gemini-3.8-flash")
    assert body["contents"][:3] == first["contents"]  # what a cache has seen stays as it was
    body, losses = written("gemini", msgs[:3], "gemini-2.5-flash")
    assert BYPASS not in str(body)
    assert losses == []


@pytest.mark.parametrize(
    ("output", "response"),
    [("ok", {"output": "ok"}), ({"a": 1}, {"a": 1}), (None, {"output": ""}),
     ([TextBlock("x")], {"output": "x"}), ({}, {})],
)  # fmt: skip
def test_case_51_a_response_is_an_object(output: Any, response: dict[str, Any]) -> None:
    body, _ = written("gemini", [HI, Msg("", [call()], "assistant"), answered(output=output)])
    assert body["contents"][2]["parts"][0]["functionResponse"]["response"] == response


def test_case_52a_the_system_prompt_alone() -> None:
    body, losses = written("gemini", [Msg.system("Be kind.")])
    assert body["contents"] == [{"role": "user", "parts": [{"text": "Be kind."}]}]
    assert "systemInstruction" not in body
    assert losses == [("system.alone", "$.messages[0]")]


def test_case_52b_a_history_that_ends_with_the_model() -> None:
    msgs = [HI, Msg.assistant("The answer is")]
    body, losses = written("gemini", msgs, "gemini-3.8-flash")
    assert body["contents"][-1]["role"] == "user"
    assert losses == [("turn.last", "$.messages[1]")]
    body, losses = written("gemini", msgs, "gemini-2.5-flash")
    assert body["contents"][-1]["role"] == "model"
    assert losses == []


def test_case_52c_an_id_stands_on_both_sides_or_on_neither() -> None:
    for id in ("", "k3v9x1ab"):
        body, _ = written("gemini", [HI, Msg("", [call(id)], "assistant"), answered(id)])
        asked = body["contents"][1]["parts"][0]["functionCall"]
        given = body["contents"][2]["parts"][0]["functionResponse"]
        assert asked.get("id") == given.get("id") == (id or None)


def test_case_52d_the_compatible_layer_keeps_its_signature() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    block = ToolUseBlock("a", "look", {}, extras={"openai-chat": extra})
    request = ChatRequest([HI, Msg("", [block], "assistant"), answered("a")])
    out = dragoman.wire("openai-chat").write_request(request, "gemini-3.8-flash")
    made = out.body["messages"][1]["tool_calls"][0]
    assert made["extra_content"] == extra["extra_content"]
    assert out.losses == []
