"""Documents 000 and 004: one interface, four implementations, and what differs between them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from google.genai.types import GenerateContentResponse

from dragoman import ChatRequest, Formatter, Msg, Options, Tool, Vendor, wire
from dragoman.formatter import (
    AnthropicChatFormatter,
    DashScopeChatFormatter,
    FormatterBase,
    GeminiChatFormatter,
    GeminiMultiAgentFormatter,
    OpenAIChatFormatter,
    TruncatedFormatterBase,
    WireFormatter,
)
from dragoman.formatter.agentscope.base import NamedFormatter
from dragoman.message import Candidate, ChatResponse, dump
from dragoman.protocols import gemini
from dragoman.text.json_text import JsonObject
from tests.contract.judges import judge_request
from tests.docs.pages import FOLDERS, rows

from .weather import FOUR, PICTURE, WEATHER, address, asked, called, looked, thought


def request(msgs: list[Msg] | None = None) -> ChatRequest:
    """A context with everything in it."""
    return ChatRequest(
        msgs or called(),
        system="Be brief.",
        tools=[WEATHER],
        options=Options(max_tokens=64),
        agent_name="Friday",
        memories="Lives in Beijing.",
        model="some-model",
    )


@pytest.mark.demand("S1")
def test_one_conversation_becomes_four_bodies_that_their_apis_take() -> None:
    req = ChatRequest(called(), tools=[WEATHER])
    written = {name: wire(name).write_request(req) for name in FOUR}
    assert len({json.dumps(out.body, sort_keys=True) for out in written.values()}) == 4
    for name, out in written.items():
        assert judge_request(name, out.body, address(name, out)) == [], name


CALL = {"name": "get_weather", "args": {"city": "Beijing"}}


@pytest.mark.demand("S2")
def test_a_tool_call_stands_where_each_provider_looks_for_it() -> None:
    said = {name: Formatter(name).format_sync(called())[2] for name in FOUR}
    function = {"name": "get_weather", "arguments": '{"city": "Beijing"}'}
    for name in ("dashscope", "openai-chat"):
        assert said[name]["tool_calls"] == [
            {"id": "call_1", "type": "function", "function": function}
        ]
    assert said["anthropic"]["content"] == [
        {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Beijing"}}
    ]
    # the API's name; google-genai's objects list the same as `function_calls`
    [part] = said["gemini"]["parts"]
    assert part["functionCall"] == {"id": "call_1", **CALL}  # its signature stands beside it
    answer = {"candidates": [{"content": said["gemini"]}]}
    listed = GenerateContentResponse.model_validate(answer).function_calls or []
    assert [(call.name, call.args) for call in listed] == [("get_weather", {"city": "Beijing"})]


@pytest.mark.demand("S2")
@pytest.mark.parametrize("field", ["function_calls", "functionCalls"])
@pytest.mark.parametrize(
    "beside", [{}, {"parts": []}, {"parts": [{"text": "Hm."}]}, {"parts": "Hm."}]
)
def test_calls_in_the_field_that_the_documents_name_are_read(field: str, beside: Any) -> None:
    said = {"role": "model", field: [CALL, {"id": "c2", **CALL}], **beside}
    question = {"role": "user", "parts": [{"text": "How is Beijing?"}]}
    body = {"contents": [question, said]}
    read = wire("gemini").read_request(body)
    assert [(one.name, one.input) for one in read.messages[1].calls] == [
        ("get_weather", {"city": "Beijing"})
    ] * 2
    assert read.messages[1].text == ("Hm." if beside.get("parts") else "")
    assert wire("gemini").write_request(read).body["contents"] == body["contents"]
    places = {id(node): path for path, node in wire("gemini").room.places(read, body)}
    assert [places[id(call)] for call in read.messages[1].calls] == [
        f"$.contents[1].{field}[0]", f"$.contents[1].{field}[1]",
    ]  # fmt: skip
    assert Formatter("openai-chat").format_sync(read)[1]["tool_calls"][1]["id"] == "c2"


@pytest.mark.demand("S2")
@pytest.mark.parametrize("field", ["function_calls", "functionCalls"])
def test_an_answer_with_calls_in_that_field_is_written_in_todays_form(field: str) -> None:
    said = {"role": "model", "parts": [{"text": "Hm."}], field: [CALL]}
    answer = {"candidates": [{"content": said, "finishReason": "STOP"}]}
    msg = GeminiChatFormatter().parse_response(answer)
    assert GeminiChatFormatter().parse_stream_sync([answer]) == msg
    assert (msg.text, [(call.name, call.input) for call in msg.calls]) == (
        "Hm.", [("get_weather", {"city": "Beijing"})],
    )  # fmt: skip
    written = wire("gemini").write_response(wire("gemini").read_response(answer)).body
    assert written["candidates"][0]["content"] == {
        "role": "model", "parts": [{"text": "Hm."}, {"functionCall": CALL}],
    }  # fmt: skip


@pytest.mark.demand("S3")
def test_a_tool_result_is_said_by_the_role_that_each_provider_expects() -> None:
    said = {name: Formatter(name).format_sync(called())[3] for name in FOUR}
    roles = {name: message["role"] for name, message in said.items()}
    assert roles == {
        "dashscope": "tool",
        "openai-chat": "tool",
        "anthropic": "user",
        "gemini": "user",  # today's role, not function
    }
    assert said["anthropic"]["content"][0]["type"] == "tool_result"
    assert "functionResponse" in said["gemini"]["parts"][0]


@pytest.mark.demand("S3")
def test_under_the_documents_profile_the_roles_of_results_are_those_of_its_table() -> None:
    classes = (
        DashScopeChatFormatter, OpenAIChatFormatter, AnthropicChatFormatter, GeminiChatFormatter,
    )  # fmt: skip
    said = [one(facts="documents-2025").format_sync(called())[3] for one in classes]
    assert [message["role"] for message in said] == ["tool", "tool", "user", "function"]
    assert [block["type"] for block in said[2]["content"]] == ["tool_result"]


@pytest.mark.demand("S3")
@pytest.mark.parametrize("formatter", [GeminiChatFormatter, GeminiMultiAgentFormatter])
def test_under_the_documents_profile_gemini_gets_results_from_the_function(formatter: Any) -> None:
    message = formatter(facts="documents-2025").format_sync(called())[3]
    assert (message["role"], "function_response" in message["parts"][0]) == ("function", True)
    assert formatter().format_sync(called())[3] == {**message, "role": "user"}
    mine = Vendor("mine", wires={"gemini": gemini.Dialect(result_role="function")})
    body = wire(mine).write_request(ChatRequest(called(), tools=[WEATHER])).body
    assert [content["role"] for content in body["contents"]] == ["user", "model", "function"]
    read = wire("gemini").read_request(body)
    assert read.messages[-1].role == "tool"


@pytest.mark.demand("S4")
def test_the_system_prompt_stands_where_each_provider_wants_it() -> None:
    bodies = {name: wire(name).write_request(ChatRequest(asked())).body for name in FOUR}
    assert bodies["openai-chat"]["messages"][0] == {"role": "system", "content": "You are Friday."}
    prompt = {"role": "system", "content": [{"text": "You are Friday."}]}
    assert bodies["dashscope"]["input"]["messages"][0] == prompt
    assert bodies["anthropic"]["system"] == "You are Friday."
    instruction = {"parts": [{"text": "You are Friday."}]}
    assert bodies["gemini"]["systemInstruction"] == instruction
    body = GeminiChatFormatter().format_request(ChatRequest(asked())).body  # in Python's spelling
    assert body["system_instruction"] == instruction
    plain = wire("dashscope").write_request(ChatRequest(asked()), model="qwen-max").body
    assert plain["input"]["messages"][0] == {"role": "system", "content": "You are Friday."}
    for name in ("anthropic", "gemini"):
        rest = {k: v for k, v in bodies[name].items() if k in ("messages", "contents")}
        assert "You are Friday." not in str(rest)


@pytest.mark.demand("S5")
def test_thinking_goes_back_where_the_documents_say_so() -> None:
    said = {
        name: json.dumps(Formatter(name, facts="documents-2025").format_sync(thought()))
        for name in FOUR
    }
    kept = '{"type": "thinking", "thinking": "Look outside.", "signature": "c2ln"}'
    assert kept in said["anthropic"]
    assert [name for name in FOUR if "Look outside." in said[name]] == ["anthropic"]
    assert all("One moment." in text for text in said.values())
    today = {name: json.dumps(Formatter(name).format_sync(thought())) for name in FOUR}
    assert [name for name in FOUR if "Look outside." in today[name]] == ["anthropic", "gemini"]


@pytest.mark.demand("S5")
def test_each_providers_thinking_is_read_as_the_documents_say() -> None:
    """DashScope in tags, Anthropic and Gemini in places of their own, OpenAI's API nowhere."""
    tagged = {"choices": [{"message": {"role": "assistant", "content": "<think>Hm.</think>Yes."}}]}
    assert read(DashScopeChatFormatter, {"output": tagged}) == [
        ("thinking", "Hm."),
        ("text", "Yes."),
    ]
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]
    blocks.append({"type": "text", "text": "Yes."})
    answer = {"type": "message", "role": "assistant", "content": blocks}
    assert read(AnthropicChatFormatter, answer) == [("thinking", "Hm."), ("text", "Yes.")]
    parts = [{"text": "Hm.", "thought": True}, {"text": "Yes."}]
    answer = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    assert read(GeminiChatFormatter, answer) == [("thinking", "Hm."), ("text", "Yes.")]
    assert read(OpenAIChatFormatter, tagged) == [("text", "<think>Hm.</think>Yes.")]


def read(formatter: Any, answer: dict[str, Any]) -> list[tuple[str, str]]:
    blocks = formatter(facts="documents-2025").parse_response(answer).get_content_blocks()
    return [(block.type, block.get(block.type)) for block in blocks]


@pytest.mark.demand("S6")
def test_a_picture_has_each_providers_shape() -> None:
    said = {name: Formatter(name).format_sync(looked())[0] for name in FOUR}
    assert said["dashscope"]["content"] == [{"text": "What is this?"}, {"image": PICTURE}]
    assert said["openai-chat"]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": PICTURE}},
    ]
    assert said["anthropic"]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "source": {"type": "url", "url": PICTURE}},
    ]
    assert said["gemini"]["parts"] == [
        {"text": "What is this?"},
        {"fileData": {"mimeType": "image/png", "fileUri": PICTURE}},
    ]


@pytest.mark.demand("S7")
@pytest.mark.parametrize(
    "implementation",
    [DashScopeChatFormatter, OpenAIChatFormatter, AnthropicChatFormatter, GeminiChatFormatter],
)
def test_four_classes_implement_one_interface(implementation: type[NamedFormatter]) -> None:
    assert issubclass(implementation, FormatterBase)
    formatter: WireFormatter = implementation()
    assert len(asyncio.run(formatter.format(request(asked())))) == 3
    assert len(formatter.format_tools([WEATHER])) == 1
    answer = ChatResponse([Candidate(Msg.assistant("Sunny."))])
    read_back = formatter.parse_response(formatter.wire.write_response(answer).body)
    assert (type(read_back), read_back.get_text_content()) == (Msg, "Sunny.")


@pytest.mark.demand("S9")
def test_a_formatter_is_typed_by_the_messages_that_it_makes() -> None:
    produced = get_type_hints(WireFormatter.format)["return"]
    assert produced == list[JsonObject] == list[dict[str, Any]]
    shapes = {name: frozenset(Formatter(name).format_sync(asked())[1]) for name in FOUR}
    chat = frozenset({"role", "content"})
    assert shapes == dict.fromkeys(FOUR[:3], chat) | {"gemini": frozenset({"role", "parts"})}


class Words(FormatterBase[str]):
    """A formatter for an API whose messages are lines of text."""

    async def format(self, *args: Any, **kwargs: Any) -> list[str]:
        return [f"{msg.role}: {msg.text}" for msg in args[0]]


@pytest.mark.demand("S9")
def test_the_interface_is_generic_in_the_message_of_the_wire() -> None:
    lines: list[str] = asyncio.run(Words().format(asked()))
    assert lines == ["system: You are Friday.", "user: How is Beijing?"]
    assert get_args(Words.__orig_bases__[0]) == (str,)  # type: ignore[attr-defined]
    assert get_args(TruncatedFormatterBase.__orig_bases__[0]) == (JsonObject,)  # type: ignore[attr-defined]


@pytest.mark.demand("S10", "S13", "S14", "S15")
@pytest.mark.parametrize("name", FOUR)
def test_format_takes_the_whole_context(name: str) -> None:
    said = asyncio.run(Formatter(name).format(request(asked())))
    memories = "<long_term_memory>\nLives in Beijing.\n</long_term_memory>"
    texts = [f"Be brief.\n\n{memories}", "You are Friday.", "How is Beijing?"]
    roles = ["system", "system", "user"]
    if name == "gemini":  # whose messages know two roles and hold parts
        assert said == [{"role": "user", "parts": [{"text": text}]} for text in texts]
    else:
        assert said == [
            {"role": role, "content": text} for role, text in zip(roles, texts, strict=True)
        ]


CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "City name"}},
    "required": ["city"],
}
SAID = {"name": "get_weather", "description": "Get weather for a city"}


@pytest.mark.demand("S11")
@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("dashscope", {"type": "function", "function": {**SAID, "parameters": CITY}}),
        ("openai-chat", {"type": "function", "function": {**SAID, "parameters": CITY}}),
        ("anthropic", {**SAID, "input_schema": CITY}),
        ("gemini", {"functionDeclarations": [{**SAID, "parametersJsonSchema": CITY}]}),
    ],
)
def test_format_tools_gives_a_list_of_definitions(name: str, definition: JsonObject) -> None:
    assert Formatter(name).format_tools([WEATHER]) == [definition]


@pytest.mark.demand("S13", "S14", "S15", "S16", "S17", "S18", "S19")
def test_the_context_holds_all_that_a_formatter_needs() -> None:
    req = request()
    assert req.system == "Be brief."
    assert req.messages == called()
    assert req.tools == [WEATHER]
    assert req.agent_name == "Friday"
    assert req.options.max_tokens == 64
    assert req.memories == "Lives in Beijing."


# what the documents' context is asked for, and what `request()` has there
ACCESSORS = {
    "getSysPrompt()": "Be brief.",
    "getMessages()": called(),
    "getTools()": [WEATHER],
    "getAgentName()": "Friday",
    "getOptions()": Options(max_tokens=64),
    "getLongTermMemories()": "Lives in Beijing.",
}


@pytest.mark.demand("S13", "S14", "S15", "S16", "S17", "S18", "S19", "S20")
@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_each_accessor_of_the_documents_context_is_a_field_that_the_page_names(
    folder: Path,
) -> None:
    page = (folder / "coming-from-agentscope-java.md").read_text("utf-8")
    names = {row[0].strip("`"): row[1].strip("`") for row in rows(page)}
    assert names["FormatContext"] == "ChatRequest"
    for theirs, value in ACCESSORS.items():
        kind, _, ours = names[theirs].partition(".")
        assert (kind, getattr(request(), ours)) == ("ChatRequest", value), theirs


@pytest.mark.demand("S16", "S18", "S19")
def test_tools_options_and_memories_reach_the_request() -> None:
    body = wire("openai-chat").write_request(request()).body
    assert body["tools"] == [{"type": "function", "function": {**SAID, "parameters": CITY}}]
    assert body["max_completion_tokens"] == 64
    memories = "<long_term_memory>\nLives in Beijing.\n</long_term_memory>"
    assert body["messages"][0] == {"role": "system", "content": f"Be brief.\n\n{memories}"}


@pytest.mark.demand("S20")
@pytest.mark.parametrize("name", FOUR)
def test_formatting_reads_the_context_and_leaves_it_as_it_was(name: str) -> None:
    req = request(thought())
    before = dump(req)
    Formatter(name).format_request(req)
    Formatter(name).format_sync(req)
    assert dump(req) == before
    assert (req.system, getattr(req.tools[0], "name", None)) == ("Be brief.", "get_weather")


class ReadOnly(ChatRequest):
    """A context whose fields are final once it is made."""

    sealed = False

    def __setattr__(self, name: str, value: Any) -> None:
        if self.sealed:
            raise AttributeError(f"{name} is final")
        super().__setattr__(name, value)


class Final(list[Any]):
    """A list that nobody changes."""

    def _refuse(self, *args: Any) -> Any:
        raise TypeError("this list is final")

    append = extend = insert = pop = remove = clear = sort = reverse = _refuse  # type: ignore[assignment]
    __setitem__ = __delitem__ = __iadd__ = _refuse


@pytest.mark.demand("S20")
@pytest.mark.parametrize("name", FOUR)
def test_a_context_with_final_fields_is_read_through_its_accessors(name: str) -> None:
    req = ReadOnly(Final(called()), system="Be brief.", tools=[WEATHER], agent_name="Friday")
    req.tools = Final(req.tools)
    req.sealed = True
    out = Formatter(name).format_request(req)
    assert out.body == Formatter(name).format_request(replace_request(req)).body
    assert (req.system, [tool.name for tool in req.tools if type(tool) is Tool]) == (
        "Be brief.", ["get_weather"],
    )  # fmt: skip
    with pytest.raises(AttributeError, match="final"):
        req.system = "Be long."


def replace_request(req: ChatRequest) -> ChatRequest:
    """The same, open for changes."""
    return ChatRequest(
        list(req.messages), system=req.system, tools=list(req.tools), agent_name=req.agent_name
    )
