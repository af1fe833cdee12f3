"""Cases of Mistral, Bedrock, Ollama and Responses."""

from __future__ import annotations

import pytest

from dragoman import Msg, Options, Tool
from dragoman.message import ImageBlock, TextBlock, ThinkingBlock, ToolUseBlock, URLSource
from tests.cases.writing import IMAGE, PNG, answered, call, written

HI = Msg.user("Hi")
NOVA = "amazon.nova-pro-v1:0"


def test_case_60_thinking_is_one_leading_chunk() -> None:
    said = Msg("", [ThinkingBlock("one"), ThinkingBlock("two"), TextBlock("Yes.")], "assistant")
    body, losses = written("mistral", [HI, said, Msg.user("Why?")], "mistral-medium-latest")
    content = body["messages"][1]["content"]
    assert [chunk["type"] for chunk in content] == ["thinking", "text"]
    assert "".join(part["text"] for part in content[0]["thinking"]) in ("onetwo", "one\ntwo")
    assert losses == []


def test_case_61_no_name_of_a_speaker() -> None:
    body, losses = written("mistral", [Msg("Bob", "Hi", "user")])
    assert body["messages"] == [{"role": "user", "content": "Hi"}]
    assert losses == [("name.unsupported", "$.messages[0].name")]


@pytest.mark.parametrize("blank", ["", " "])
def test_case_62_no_blank_text_and_no_empty_message(blank: str) -> None:
    msgs = [HI, Msg("", [TextBlock(blank), call()], "assistant"), answered(output=blank),
            Msg.assistant(blank), Msg.user("On")]  # fmt: skip
    body, losses = written("bedrock-converse", msgs, NOVA)
    assert all(said["content"] for said in body["messages"])
    texts = [b["text"] for said in body["messages"] for b in said["content"] if "text" in b]
    assert all(text.strip() for text in texts)
    assert {code for code, _ in losses} >= {"text.blank", "message.empty"}


def test_case_62_an_error_without_words_gets_some() -> None:
    msgs = [HI, Msg("", [call()], "assistant"), answered(output="", is_error=True)]
    body, losses = written("bedrock-converse", msgs, NOVA)
    result = body["messages"][2]["content"][0]["toolResult"]
    assert result["status"] == "error"
    assert result["content"][0]["text"].strip()
    assert ("result.error_text", "$.messages[2].content[0]") in losses


def test_case_63_tool_blocks_without_tools_get_stubs() -> None:
    msgs = [HI, Msg("", [call(), call("call_2", "hear")], "assistant"), answered(),
            answered("call_2", name="hear")]  # fmt: skip
    body, losses = written("bedrock-converse", msgs, NOVA)
    names = [tool["toolSpec"]["name"] for tool in body["toolConfig"]["tools"]]
    assert names == ["look", "hear"]
    assert "tools.stub" in {code for code, _ in losses}
    body, _ = written("bedrock-converse", [HI], NOVA)
    assert "toolConfig" not in body


def test_case_63_choice_none_is_no_choice_there() -> None:
    msgs = [HI, Msg("", [call()], "assistant"), answered()]
    body, losses = written("bedrock-converse", msgs, NOVA, tools=[Tool("look")],
                           tool_choice="none")  # fmt: skip
    assert "toolChoice" not in body.get("toolConfig", {})
    assert losses != []


def test_case_66_arguments_are_an_object_here_and_a_text_there() -> None:
    block = ToolUseBlock("a", "look", {"at": 1}, raw_input='{"at":1}')
    msgs = [HI, Msg("", [block], "assistant"), answered("a")]
    body, _ = written("ollama", msgs)
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"at": 1}
    body, _ = written("openai-chat", msgs)
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"at":1}'
    broken = ToolUseBlock("a", "look", "{bad")
    body, losses = written("ollama", [HI, Msg("", [broken], "assistant"), answered("a")])
    assert isinstance(body["messages"][1]["tool_calls"][0]["function"]["arguments"], dict)
    assert losses == [("call.unparsed", "$.messages[1].content[0].input")]


def test_case_67_a_result_names_its_tool_and_thinking_has_its_field() -> None:
    said = Msg("", [ThinkingBlock("hm"), call("a")], "assistant")
    body, losses = written("ollama", [HI, said, answered("a", name="")])
    assert body["messages"][1]["thinking"] == "hm"
    assert body["messages"][1]["content"] == ""
    assert body["messages"][2]["tool_name"] == "look"
    assert body["messages"][2]["content"] == "seen"
    assert losses == [("result.name", "$.messages[2].content[0].name")]


def test_case_68_images_are_bare_base64() -> None:
    data_uri = ImageBlock(URLSource(f"data:image/png;base64,{PNG.data}"))
    seen = Msg("", [TextBlock("See"), IMAGE, data_uri], "user")
    body, losses = written("ollama", [seen], "gemma3")
    assert body["messages"][0]["images"] == [PNG.data, PNG.data]
    assert losses == []
    far = ImageBlock(URLSource("https://example.com/a.png"))
    body, losses = written("ollama", [Msg("", [TextBlock("See"), far], "user")], "gemma3")
    assert "images" not in body["messages"][0]
    assert losses == [("media.not_fetched", "$.messages[0].content[1].source")]


def item(id: str, **rest: object) -> dict[str, dict[str, object]]:
    return {"openai-responses": {"id": id, **rest}}


@pytest.mark.parametrize(
    ("id", "sent"),
    [("fc_1", True), ("call_1", False), ("fc_" + "x" * 70, False), ("fc_ü", False), ("", False)],
)
def test_case_70_item_ids_go_back_unless_they_are_malformed(id: str, sent: bool) -> None:
    block = ToolUseBlock("call_1", "look", {}, extras=item(id))
    body, losses = written("openai-responses", [HI, Msg("", [block], "assistant"), answered()])
    made = body["input"][1]
    assert made["call_id"] == "call_1"
    assert made.get("id") == (id if sent else None)
    codes = [code for code, _ in losses]
    assert codes == ([] if sent or not id else ["id.unsupported"])


def test_case_70_no_ids_without_a_store() -> None:
    block = ToolUseBlock("call_1", "look", {}, extras=item("fc_1"))
    body, losses = written("openai-responses", [HI, Msg("", [block], "assistant"), answered()],
                           extras={"openai-responses": {"store": False}})  # fmt: skip
    assert body["store"] is False
    assert "id" not in body["input"][1]
    assert "id.unsupported" in [code for code, _ in losses]


def test_case_72_without_a_store_reasoning_travels_encrypted() -> None:
    thought = ThinkingBlock("hm", signature="gAAA", extras=item("rs_1"))
    bare = ThinkingBlock("hm", extras=item("rs_2"))
    msgs = [HI, Msg("", [thought, call()], "assistant"), answered(),
            Msg("", [bare, TextBlock("Yes.")], "assistant"), Msg.user("Why?")]  # fmt: skip
    body, losses = written("openai-responses", msgs, options=Options(reasoning="high"),
                           extras={"openai-responses": {"store": False}})  # fmt: skip
    reasoning = [one for one in body["input"] if one.get("type") == "reasoning"]
    assert [one["encrypted_content"] for one in reasoning] == ["gAAA"]
    assert all("id" not in one for one in reasoning)
    assert "reasoning.encrypted_content" in body["include"]
    assert "thinking.unsigned" in [code for code, _ in losses]


def test_case_73_each_block_is_an_item_in_its_order() -> None:
    thought = ThinkingBlock("hm", signature="gAAA")
    said = Msg("", [thought, TextBlock("Let me look."), call("a"), call("b")], "assistant")
    body, losses = written("openai-responses", [HI, said, answered("a"), answered("b")])
    kinds = [one.get("type", one.get("role")) for one in body["input"]]
    assert kinds[1:] == ["reasoning", "assistant", "function_call", "function_call",
                         "function_call_output", "function_call_output"] or kinds[1:] == [
        "reasoning", "message", "function_call", "function_call",
        "function_call_output", "function_call_output"]  # fmt: skip
    message = body["input"][2]
    assert message["content"] == "Let me look."
    assert body["input"][1]["summary"] == [{"type": "summary_text", "text": "hm"}]
    assert losses == []


def test_case_74_a_result_shows_its_image_itself() -> None:
    output = [TextBlock("before"), IMAGE, TextBlock("behind")]
    body, losses = written("openai-responses", [HI, Msg("", [call()], "assistant"),
                                                answered(output=output)])  # fmt: skip
    made = body["input"][2]["output"]
    assert [part["type"] for part in made] == ["input_text", "input_image", "input_text"]
    assert losses == []
