"""Cases of Chat Completions and those who copy it."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.message import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from tests.cases.writing import IMAGE, PNG, answered, call, written

HI = Msg.user("Hi")
URI = f"data:image/png;base64,{PNG.data}"
LOOK = Tool("look")


@pytest.mark.parametrize("raw", ["", "  ", None])
def test_case_16_a_call_without_arguments_says_an_empty_object(raw: str | None) -> None:
    block = ToolUseBlock("call_1", "now", {}, raw_input=raw)
    for wire in ("openai-chat", "vllm", "deepseek"):
        body, _ = written(wire, [HI, Msg("", [block], "assistant"), answered(name="now")])
        assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_case_19_one_key_for_the_maximum() -> None:
    options = Options(max_tokens=100)
    for wire, key in {"openai": "max_completion_tokens", "openai-chat": "max_completion_tokens",
                      "deepseek": "max_tokens", "vllm": "max_tokens", "zhipu": "max_tokens",
                      "moonshot": "max_completion_tokens"}.items():  # fmt: skip
        body, losses = written(f"{wire}/openai-chat" if wire == "openai" else wire, [HI],
                               options=options)  # fmt: skip
        assert body[key] == 100
        assert len({"max_tokens", "max_completion_tokens"} & body.keys()) == 1
        assert losses == []


def test_case_20_names_fit_the_pattern_and_stay_apart() -> None:
    msgs = [Msg("User Onboarding Agent", "Hi", "user"), Msg("User_Onboarding_Agent", "Yo", "user"),
            Msg("小明", "你好", "user")]  # fmt: skip
    body, losses = written("openai-chat", msgs)
    names = [m["name"] for m in body["messages"]]
    assert names[1:] == ["User_Onboarding_Agent", "小明"]
    assert len(set(names)) == 3
    assert names[0].startswith("User_Onboarding_Agent_")
    assert losses == [("name.mapped", "$.messages[0].name")]


def test_case_21_content_is_a_string_where_parts_are_refused() -> None:
    texts = [TextBlock("20"), TextBlock("degrees")]
    msgs = [Msg("", list(texts), "system"), HI, Msg("", [call()], "assistant"),
            answered(output=list(texts)), Msg("", list(texts), "user")]  # fmt: skip
    body, losses = written("deepseek", msgs)
    assert [m["content"] for m in body["messages"]] == [
        "20\ndegrees", "Hi", "", "20\ndegrees", "20\ndegrees",
    ]  # fmt: skip
    assert losses == []


def test_case_22_nothing_about_tools_without_tools() -> None:
    for wire in ("openai-chat", "vllm", "anthropic", "gemini", "dashscope", "mistral"):
        choice = ToolChoice("required", parallel=False)
        body, losses = written(wire, [HI], tools=[], tool_choice=choice)
        assert not {"tools", "tool_choice", "parallel_tool_calls", "toolConfig"} & body.keys()
        assert losses == [("tool_choice.no_tools", "$.tool_choice")]


def test_case_24_what_stands_beside_calls_without_text() -> None:
    msgs = [HI, Msg("", [call()], "assistant"), answered()]
    for wire, content in {"openai-chat": None, "vllm": None, "deepseek": ""}.items():
        body, _ = written(wire, msgs)
        assert body["messages"][1]["content"] == content
    for wire in ("openai-chat", "deepseek", "vllm"):
        body, _ = written(wire, [HI, Msg("", [TextBlock(""), call()], "assistant"), answered()])
        assert body["messages"][1]["content"] in (None, "")


def test_case_25_an_image_of_a_result_follows_behind_all_results() -> None:
    shot = [TextBlock("a shot"), ImageBlock(PNG)]
    msgs = [HI, Msg("", [call("a"), call("b")], "assistant"), answered("a", shot),
            answered("b", "done")]  # fmt: skip
    body, losses = written("openai-chat", msgs)
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "tool", "tool", "user"]
    assert {"type": "image_url", "image_url": {"url": URI}} in body["messages"][4]["content"]
    assert URI not in str(body["messages"][2])
    assert losses == [("media.moved", "$.messages[2].content[0].output[1]")]


def test_case_28_a_refusal_is_a_refusal_or_text() -> None:
    msgs = [HI, Msg("", [RefusalBlock("I can't.")], "assistant"), Msg.user("Why?")]
    body, losses = written("openai-chat", msgs)
    assert body["messages"][1]["content"] == [{"type": "refusal", "refusal": "I can't."}]
    assert losses == []
    for wire in ("anthropic", "deepseek", "ollama"):
        body, losses = written(wire, msgs)
        assert body["messages"][1]["content"] == "I can't."
        assert losses == [("refusal.as_text", "$.messages[1].content[0]")]


def test_case_32_reasoning_goes_back_under_the_name_that_the_host_reads() -> None:
    msgs = [HI, Msg("", [ThinkingBlock("hm"), call()], "assistant"), answered()]
    fields = {"deepseek": {"reasoning_content"}, "vllm": {"reasoning", "reasoning_content"},
              "moonshot": {"reasoning_content"}, "groq": {"reasoning"}}  # fmt: skip
    for wire, keys in fields.items():
        body, losses = written(wire, msgs)
        said = body["messages"][1]
        assert {key for key, value in said.items() if value == "hm"} == keys, wire
        assert losses == []


def test_case_32_openrouter_gets_the_details_back() -> None:
    thought = ThinkingBlock("hm", signature="c2ln")
    body, losses = written("openrouter", [HI, Msg("", [thought, call()], "assistant"), answered()])
    (detail,) = body["messages"][1]["reasoning_details"]
    assert detail["type"] == "reasoning.text"
    assert (detail["text"], detail["signature"]) == ("hm", "c2ln")
    assert losses == []


def test_case_35a_developer_only_where_it_is_known() -> None:
    msgs = [Msg("", "Be kind.", "developer"), HI]
    for wire, role in {"openai-chat": "developer", "azure": "developer", "deepseek": "system",
                       "vllm": "system", "groq": "system", "moonshot": "system",
                       "mistral": "system", "dashscope": "system"}.items():  # fmt: skip
        body, _ = written(wire, msgs)
        said = body.get("messages") or body["input"]["messages"]
        assert said[0]["role"] == role, wire


def test_case_35d_gpt_oss_gets_no_text_beside_thinking_and_calls() -> None:
    msgs = [HI, Msg("", [ThinkingBlock("hm"), TextBlock("Let me look."), call()], "assistant"),
            answered()]  # fmt: skip
    body, losses = written("vllm", msgs, "openai/gpt-oss-120b")
    said = body["messages"][1]
    assert not (said.get("content") and said.get("reasoning"))
    assert said["tool_calls"]
    assert [where for _, where in losses] == ["$.messages[1].content[1].text"]


def test_case_35g_a_failed_result_says_so() -> None:
    msgs = [HI, Msg("", [call()], "assistant"), answered(output="no such file", is_error=True)]
    for wire in ("openai-chat", "ollama", "mistral", "deepseek"):
        body, losses = written(wire, msgs)
        said = next(m for m in body["messages"] if m["role"] == "tool")["content"]
        assert said == "Error: no such file"
        assert ("result.error_as_text", "$.messages[2].content[0].is_error") in losses
    body, losses = written("anthropic", msgs)
    assert body["messages"][2]["content"][0]["is_error"] is True
    body, losses = written("gemini", msgs)
    (part,) = body["contents"][2]["parts"]
    assert part["functionResponse"]["response"] == {"error": "no such file"}
    body, losses = written("bedrock-converse", msgs)
    assert body["messages"][2]["content"][0]["toolResult"]["status"] == "error"


def test_tools_with_reasoning_go_without_it_or_need_the_responses_wire() -> None:
    body, losses = written("openai-chat", [HI], "gpt-5.6", tools=[LOOK])
    assert body["reasoning_effort"] == "none"
    assert losses == [("reasoning.off_for_tools", "$")]  # nobody has asked for any
    body, losses = written("openai-chat", [HI], "gpt-5.4", tools=[LOOK])
    assert "reasoning_effort" not in body
    assert losses == []
    body, losses = written("openai-chat", [HI], "gpt-5.6", options=Options(reasoning="high"))
    assert body["reasoning_effort"] == "high"
    request = ChatRequest([HI], tools=[LOOK])
    with pytest.raises(dragoman.WriteError) as caught:
        dragoman.wire("openai-chat").write_request(request, "gpt-6-astra")
    assert caught.value.code == "tools.need_responses"
    assert caught.value.path == "$.tools"
    assert "openai-responses" in caught.value.hint


def test_a_pdf_has_a_name_and_a_prefix() -> None:
    pdf = DocumentBlock(Base64Source("application/pdf", "JVBERi0="))
    body, losses = written("openai-chat", [Msg("", [pdf, IMAGE], "user")])
    uri = "data:application/pdf;base64,JVBERi0="
    assert body["messages"][0]["content"][0] == {
        "type": "file", "file": {"filename": "document.pdf", "file_data": uri},
    }  # fmt: skip
    assert losses == []
