"""Inputs that break other converters, the writing half: T1 to T26.

The halves that read, or that look into schemas and truncation, have their tests elsewhere.
"""

from __future__ import annotations

import copy
import json

import pytest

import dragoman
from dragoman import ChatRequest, Msg, ServerTool, Tool
from dragoman.message import (
    Base64Source,
    DocumentBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from dragoman.tokens import CharTokenCounter
from dragoman.vendors import PROTOCOLS
from tests.cases.writing import answered, call, written
from tests.each_case import each_case

HI = Msg.user("Hi")
OBJECT = {"type": "object"}


def declared(body: dict[str, object]) -> str:
    return json.dumps(body, ensure_ascii=False)


def test_t1_a_pdf_reaches_anthropic() -> None:
    pdf = DocumentBlock(URLSource("data:application/pdf;base64,JVBERi0="))
    body, losses = written("anthropic", [Msg("", [pdf], "user")])
    assert body["messages"][0]["content"][0]["source"]["data"] == "JVBERi0="
    assert losses == []


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t2_properties_may_have_any_name(wire: str) -> None:
    names = ["ref", "examples", "type", "properties", "title", "default"]
    if wire not in ("anthropic", "bedrock-converse"):  # whose hosts refuse it: it is respelled
        names.append("$ref_")
    schema = {**OBJECT, "properties": {name: {"type": "string"} for name in names},
              "required": names}  # fmt: skip
    body, _ = written(wire, [HI], tools=[Tool("look", "looks", schema)])
    text = declared(body)
    assert all(text.count(f'"{name}"') >= 2 for name in names)


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t3_unions_and_constants_are_declared_as_they_are(wire: str) -> None:
    union = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    schema = {**OBJECT, "properties": {"a": union, "b": {"const": "A"}}}
    body, losses = written(wire, [HI], tools=[Tool("look", "looks", schema)])
    text = declared(body)
    assert json.dumps(union) in text
    # where there is no constant, a choice of one says the same
    same = [f'{{"const": "A"{rest}' for rest in ("}", ",")]
    same += [f'"enum": ["A"]{rest}' for rest in ("}", ",")]
    assert any(one in text for one in same), losses


def test_t4_signatures_never_change_the_provider() -> None:
    for issuer, wire in (("anthropic", "openai-responses"), ("openai-responses", "anthropic"),
                         ("gemini", "anthropic"), ("anthropic", "bedrock-converse")):  # fmt: skip
        thought = ThinkingBlock("hm", signature="c2VjcmV0", origin=Origin(issuer))
        msgs = [HI, Msg("", [thought, TextBlock("Yes.")], "assistant"), Msg.user("Why?")]
        body, losses = written(wire, msgs, "amazon.nova-pro-v1:0" if "bedrock" in wire else None)
        assert "c2VjcmV0" not in declared(body)
        assert losses[0][1] == "$.messages[1].content[0]"


def test_t5_a_result_that_is_an_object() -> None:
    msgs = [HI, Msg("", [call()], "assistant"), answered(output={"a": 1})]
    body, losses = written("gemini", msgs)
    assert body["contents"][2]["parts"][0]["functionResponse"]["response"] == {"a": 1}
    assert [code for code, _ in losses] == ["call.bypass"]
    body, _ = written("openai-chat", msgs)
    assert body["messages"][2]["content"] == '{"a": 1}'


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t6_developer_and_several_system_messages(wire: str) -> None:
    msgs = [Msg("", "First.", "developer"), Msg.system("Second."), HI]
    body, _ = written(wire, msgs)
    text = declared(body)
    assert text.index("First.") < text.index("Second.") < text.index("Hi")
    if wire not in ("openai-chat", "openai-responses"):
        assert "developer" not in text


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t7_a_system_message_in_the_middle(wire: str) -> None:
    msgs = [Msg.system("First."), HI, Msg.assistant("Yo"), Msg.system("Now briefly."),
            Msg.user("?")]  # fmt: skip
    body, _ = written(wire, msgs)
    text = declared(body)
    assert text.index("Yo") < text.index("Now briefly.")


def test_t8_a_thought_is_never_glued_to_the_answer() -> None:
    said = Msg("", [ThinkingBlock("hm"), TextBlock("Yes.")], "assistant")
    body, losses = written("openai-chat", [HI, said, Msg.user("Why?")])
    assert body["messages"][1] == {"role": "assistant", "content": "Yes."}
    assert losses == [("thinking.unsupported", "$.messages[1].content[0]")]


def test_t9_what_chat_cannot_say_is_named() -> None:
    text = DocumentBlock(Base64Source("text/plain", "aGk="))
    msgs = [Msg("", [TextBlock("Read"), text], "user"), Msg("", [call()], "assistant"),
            answered(is_error=True)]  # fmt: skip
    body, losses = written("openai-chat", msgs)
    assert {where for _, where in losses} == {
        "$.messages[0].content[1]", "$.messages[2].content[0].is_error",
    }  # fmt: skip
    assert body["messages"][2]["content"].startswith("Error")


def test_t10_no_tool_is_invented() -> None:
    body, losses = written("anthropic", [HI, Msg("", [call()], "assistant"), answered()])
    assert "tools" not in body
    assert losses == []


def cut(msgs: list[Msg], limit: int) -> list[dict[str, object]]:
    formatter = dragoman.Formatter("openai-chat", token_counter=CharTokenCounter(),
                                   max_tokens=limit, policy="ignore")  # fmt: skip
    written: list[dict[str, object]] = formatter.format_sync(msgs)
    return written


def test_t11_a_cut_never_parts_a_call_from_its_result() -> None:
    msgs = [Msg.user("a" * 200), Msg("", [call()], "assistant"), answered(), Msg.user("And now?")]
    whole = [m["role"] for m in cut(msgs, 10_000)]
    assert whole == ["user", "assistant", "tool", "user"]
    seen = set()
    for limit in range(40, 600, 20):
        try:
            roles = tuple(m["role"] for m in cut(msgs, limit))
        except dragoman.ContextOverflow:
            continue
        assert roles.count("assistant") == roles.count("tool")
        seen.add(roles)
    assert ("user",) in seen
    assert ("assistant", "tool", "user") in seen


def test_t12_a_history_that_ends_in_a_call_is_cut_in_front_of_it() -> None:
    msgs = [Msg.user("a" * 200), Msg.user("Look"), Msg("", [call()], "assistant")]
    for limit in range(40, 600, 20):
        try:
            made = cut(msgs, limit)
        except dragoman.ContextOverflow:
            continue
        assert made[-1]["role"] == "assistant"


def test_t13_text_beside_calls_stays() -> None:
    said = Msg("", [TextBlock("Let me look."), call()], "assistant")
    for wire in PROTOCOLS:
        body, _ = written(wire, [HI, said, answered()])
        assert "Let me look." in declared(body)


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t14_inner_properties_stay(wire: str) -> None:
    inner = {**OBJECT, "properties": {"deep": {"type": "integer"}}, "required": ["deep"]}
    schema = {**OBJECT, "properties": {"outer": inner}}
    body, _ = written(wire, [HI], tools=[Tool("look", "looks", schema)])
    assert json.dumps(inner) in declared(body)


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t15_the_choice_none(wire: str) -> None:
    model = "gpt-4.1" if wire == "openai-chat" else None
    body, losses = written(wire, [HI], model, tools=[Tool("look")], tool_choice="none")
    said = body.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode")
    said = said or body.get("tool_choice") or body.get("parameters", {}).get("tool_choice")
    said = said or body.get("generation_config", {}).get("tool_choice")
    said = said["type"] if isinstance(said, dict) else said
    if wire in ("ollama", "bedrock-converse"):
        assert losses != []
        assert "look" not in declared(body)
    else:
        assert said in ("none", "NONE")
        assert losses == []


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t18_argument_text_that_is_no_json(wire: str) -> None:
    broken = ToolUseBlock("call_1", "look", "{bad", raw_input="{bad")
    body, losses = written(wire, [HI, Msg("", [broken], "assistant"), answered()])
    assert "{bad" in declared(body)
    assert ("call.unparsed", "$.messages[1].content[0].input") in losses


def test_t19_names_and_ids_are_respelled_in_pairs() -> None:
    tools = [Tool("a.b c", "looks")]
    msgs = [HI, Msg("", [call("call:1.2", "a.b c")], "assistant"),
            answered("call:1.2", name="a.b c")]  # fmt: skip
    body, losses = written("anthropic", msgs, tools=tools)
    use, result = body["messages"][1]["content"][0], body["messages"][2]["content"][0]
    assert use["name"] == body["tools"][0]["name"] != "a.b c"
    assert use["id"] == result["tool_use_id"] != "call:1.2"
    assert {code for code, _ in losses} == {"tool_name.mapped", "id.mapped"}


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t20_a_speaker_is_said_or_named(wire: str) -> None:
    body, losses = written(wire, [Msg("bob", "Hi", "user")])
    assert "bob" in declared(body) or losses == [("name.unsupported", "$.messages[0].name")]
    out = dragoman.Formatter(wire, speakers=dragoman.Tagged(), policy="ignore").write(
        [Msg("bob", "Hi", "user")])  # fmt: skip
    assert "[bob]: Hi" in json.dumps(out.messages)


def test_t21_a_local_file_of_a_result_is_not_opened() -> None:
    request = ChatRequest([HI, Msg("", [call()], "assistant"), answered(
        output=[VideoBlock(URLSource("file:///etc/hostname"))])])  # fmt: skip
    out = dragoman.Formatter("gemini", policy="ignore").format_request(request)
    assert "fileData" not in declared(out.body)
    assert "inlineData" not in declared(out.body)
    assert out.losses != []


def test_t22_a_signature_on_a_call_goes_back() -> None:
    signed = ToolUseBlock("a", "look", {}, extras={"gemini": {"thoughtSignature": "c2ln"}})
    body, _ = written("gemini", [HI, Msg("", [signed], "assistant"), answered("a")],
                      "gemini-3.8-flash")  # fmt: skip
    assert body["contents"][1]["parts"][0]["thoughtSignature"] == "c2ln"
    assert body["contents"][1]["parts"][0]["functionCall"]["id"] == "a"


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_t23_a_web_search_is_the_wires_own_or_named(wire: str) -> None:
    body, losses = written(wire, [HI], tools=[ServerTool("web_search")])
    found = any(word in declared(body) for word in ("web_search", "googleSearch", "enable_search",
                                                    "nova_grounding", "google_search"))  # fmt: skip
    assert found != (("server_tool.unsupported", "$.tools[0]") in losses)


@each_case("wire", dragoman.wires())
def test_t24_what_the_caller_passed_stays_as_it_was(wire: str) -> None:
    msgs = [Msg.system("S"), Msg("Bob Smith", [TextBlock(" "), TextBlock("Hi")], "user"),
            Msg("", [ThinkingBlock("hm"), call("call:1", "a.b", at={"x": [1]})], "assistant"),
            answered("call:1", [TextBlock("t"), VideoBlock(URLSource("https://e.org/v.mp4"))]),
            Msg.assistant("end ")]  # fmt: skip
    request = ChatRequest(msgs, tools=[Tool("a.b", "x", {**OBJECT, "properties": {}})])
    before = copy.deepcopy(request)
    dragoman.wire(wire, policy="ignore").write_request(request)
    assert request == before


def test_t25_the_example_of_the_documents() -> None:
    """Its seven messages are compared in tests/documents; here only what AgentScope gets wrong."""
    from dragoman.formatter import DashScopeMultiAgentFormatter

    msgs = [Msg("Bob", "Hi", "user"), Msg("Friday", [call()], "assistant"), answered()]
    made = DashScopeMultiAgentFormatter().format_sync(msgs)
    assert made[1]["content"] == [{"text": None}]
    known = DashScopeMultiAgentFormatter(model="qwen-max").format_sync(msgs)
    assert known[1]["content"] == ""
