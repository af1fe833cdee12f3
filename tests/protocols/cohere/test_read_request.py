"""Requests of Cohere's chat, read into the tree: every shape comes back as it was."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, ToolChoice
from dragoman.losses import Field
from dragoman.message import (
    DocumentBlock,
    ImageBlock,
    RawBlock,
    ResponseFormat,
    ServerTool,
    TextBlock,
    TextSource,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.protocols.cohere import Cohere
from dragoman.protocols.cohere.dialect import claims
from tests.each_case import each_case
from tests.protocols.as_read import AsRead

ROOM = Cohere()
read, message = AsRead(ROOM).read, AsRead(ROOM).message
SOURCE = {"type": "document", "id": "a", "document": {"title": "T", "url": "https://e.com"}}
CITED: dict[str, Any] = {"start": 0, "end": 3, "text": "Old", "type": "TEXT_CONTENT",
                         "sources": [SOURCE]}  # fmt: skip
CALL = {"id": "look_1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
LOOK = {"type": "function", "function": {"name": "look", "description": "", "parameters": {}}}
HI = {"role": "user", "content": "Hi"}


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "command-a-03-2025", "messages": [HI], **fields}


@each_case(
    "told",
    [
        HI,
        {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
        {"role": "user", "content": []},
        {"role": "user", "content": None},
        {"role": "user"},
        {"role": "user", "content": [{"type": "text", "text": "a", "more": 1}, {"type": "new"}]},
        {"role": "user", "content": 7},
        {"role": "user", "content": [{"type": "text", "text": None}, None, "x"]},
        {"role": "assistant", "tool_plan": None, "citations": [], "tool_calls": []},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "assistant", "content": "Yes.", "tool_plan": "Plan.", "tool_calls": [CALL]},
        {"role": "assistant", "content": [], "tool_calls": [{**CALL, "index": 0}, {"id": 7}, 1]},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "b"}}]},
        {"role": "assistant", "content": "Older.", "citations": [CITED]},
        {"role": "assistant", "content": [{"type": "text", "text": "Old"}],
         "citations": [{**CITED, "content_index": 1}, CITED, {"odd": 1}, None]},
        {"role": "assistant", "content": [{"type": "image_url", "citations": [1]}]},
        {"role": "tool", "tool_call_id": 7, "content": "x"},
        {"role": "tool", "content": []},
        {"role": "tool", "tool_call_id": "a", "content": [
            {"type": "document", "document": {"id": "d", "data": {"deep": {"a": [1.0, None]}}}}]},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "document", "document": "x"}]},
        {"role": "other", "content": "x"},
        "no message",
    ],
)  # fmt: skip
def test_every_message_comes_back(told: Any) -> None:
    message(told)


def test_a_plan_is_a_text_before_its_calls() -> None:
    told = {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALL],
            "content": [{"type": "thinking", "thinking": "hm"}]}  # fmt: skip
    m = message(told)
    assert [type(block) for block in m.blocks] == [ThinkingBlock, TextBlock, ToolUseBlock]
    assert m.blocks[1] == TextBlock("I look.")
    assert m.calls[0].input == {"a": 1}


def test_a_document_is_a_text_of_its_data() -> None:
    told = {"role": "tool", "tool_call_id": "look_1", "content": [
        {"type": "document", "document": {"data": {"degrees": "21"}}}]}  # fmt: skip
    (block,) = message(told).blocks
    assert isinstance(block, ToolResultBlock)
    assert block.output == [TextBlock('{"degrees": "21"}')]


@pytest.mark.parametrize("detail", [{}, {"detail": "low"}, {"detail": None}])
@pytest.mark.parametrize(
    "url", ["https://e.com/a.png", "data:image/png;base64,iVBORw0KGgo=", "data:image/jpg;base64,/9"]
)
def test_images(url: str, detail: dict[str, Any]) -> None:
    image = {"type": "image_url", "image_url": {"url": url, **detail}}
    (block,) = message({"role": "user", "content": [image]}).blocks
    assert isinstance(block, ImageBlock)
    assert block.detail == detail.get("detail")


def test_citations_stand_at_their_text() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Old town"}]
    told = {"role": "assistant", "content": parts, "citations": [{**CITED, "content_index": 1}]}
    text = message(told).blocks[1]
    assert isinstance(text, TextBlock)
    (cited,) = text.citations or []
    assert (cited.start, cited.end, cited.title, cited.url) == (0, 3, "T", "https://e.com")


@pytest.mark.parametrize(
    ("fields", "option"),
    [
        ({"p": 0.5, "k": 3, "stop_sequences": ["a"]}, Options(top_p=0.5, top_k=3, stop=("a",))),
        ({"thinking": {"type": "disabled"}}, Options(reasoning="off")),
        ({"thinking": {"type": "enabled"}}, Options(reasoning="on")),
        ({"thinking": {"type": "enabled", "token_budget": 9}}, Options(reasoning_budget=9)),
        ({"thinking": {"token_budget": 9}}, Options(reasoning_budget=9)),
        ({"thinking": {"type": None, "token_budget": 9, "x": 1}}, Options(reasoning_budget=9)),
        ({"thinking": {"type": "disabled", "token_budget": 0}}, Options(reasoning="off")),
        ({"thinking": {"type": "enabled", "token_budget": None}}, Options(reasoning="on")),
        ({"thinking": {}}, Options()),
        ({"thinking": {"type": "adaptive", "token_budget": 9}}, Options()),
        ({"temperature": "warm", "k": 1.5, "stop_sequences": [], "seed": None}, Options()),
        ({"logprobs": True, "seed": 7, "max_tokens": 9}, Options(logprobs=True, seed=7,
                                                                   max_tokens=9)),
    ],
)  # fmt: skip
def test_options(fields: dict[str, Any], option: Options) -> None:
    assert read(body(**fields)).options == option


@pytest.mark.parametrize(
    ("told", "form"),
    [
        ({"type": "text"}, ResponseFormat()),
        ({"type": "json_object"}, ResponseFormat("json")),
        ({"type": "json_object", "json_schema": {"a": 1}}, ResponseFormat("schema", {"a": 1})),
        ({"type": "json_object", "schema": {"a": 1}}, ResponseFormat("schema", {"a": 1})),
        ({"type": "json_object", "json_schema": None, "x": 1}, ResponseFormat("json")),
        ({"type": "other"}, None),
        ("text", None),
    ],
)
def test_formats(told: Any, form: ResponseFormat | None) -> None:
    assert read(body(response_format=told)).response_format == form


def test_tools_and_the_choice_of_one() -> None:
    req = read(body(tools=[LOOK, LOOK], strict_tools=True, tool_choice="REQUIRED"))
    assert [tool.strict for tool in req.tools if isinstance(tool, Tool)] == [True, True]
    assert req.tool_choice == ToolChoice("required")
    assert read(body(tools=[LOOK], tool_choice="NONE")).tool_choice == ToolChoice("none")
    assert read(body(tools=[LOOK], tool_choice="auto")).tool_choice is None


@pytest.mark.parametrize(
    "tool",
    [{"type": "other"}, {"function": {"name": ""}}, {"type": "function", "function": None}],
)
def test_a_tool_that_is_no_function_is_kept(tool: Any) -> None:
    (made,) = read(body(tools=[tool], strict_tools=False)).tools
    assert made == ServerTool("own", extras={"cohere": tool})


@pytest.mark.parametrize(
    "fields",
    [
        {"documents": ["a", {"id": "b", "data": {"text": "c"}}]}, {"documents": []},
        {"safety_mode": "OFF", "priority": 0, "citation_options": {"mode": "FAST"}},
        {"stream": False}, {"stream": True}, {"stream": None}, {"tools": []}, {"tools": None},
        {"tools": [{"function": {"name": "a", "strict": True, "description": None}}]},
        {"model": ""}, {"model": None}, {"messages": None}, {"messages": []}, {"raw_prompting": 1},
    ],
)  # fmt: skip
def test_every_field_comes_back(fields: dict[str, Any]) -> None:
    read(body(**fields))


def test_a_body_without_messages_comes_back() -> None:
    assert read({"message": "Hi", "chat_history": []}).messages == []


def test_types_by_pythons_names_are_said_by_their_own_elsewhere() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "int", "description": None}}}
    tool = {"type": "function", "function": {"name": "f", "description": "", "parameters": schema}}
    told = body(tools=[tool])
    out = dragoman.convert(told, "cohere", "anthropic")
    (made,) = out.body["tools"]
    assert made["input_schema"] == {"type": "object", "properties": {"n": {"type": "integer"}}}
    at = "$.tools[0].function.parameters.properties.n"
    assert {(loss.code, loss.where) for loss in out.losses if loss.code.startswith("schema")} == {
        ("schema.restated", f"{at}.type"), ("schema.note", f"{at}.description")}  # fmt: skip
    assert dragoman.convert(told, "cohere", "cohere").body == told


DOCUMENTS: list[Any] = [
    "a", {"id": "b", "data": {"text": "c", "title": "T", "url": "https://e.com"}},
    {"data": {"snippet": "s", "source": "shelf"}}, {"data": {"region": "EU", "text": "x"}},
]  # fmt: skip


def test_documents_are_the_last_users() -> None:
    told = body(documents=DOCUMENTS, messages=[HI, {"role": "assistant", "content": "Yes."}, HI])
    req = read(told)
    assert req.messages[0].content == "Hi"
    assert req.extras is None
    assert [*req.messages[2].blocks] == [
        DocumentBlock(TextSource(["a"]), cite=True),
        DocumentBlock(TextSource(["c"], "https://e.com"), "T", cite=True,
                      extras={"cohere": {"document": {"id": "b"}}}),
        DocumentBlock(TextSource(["s"], "shelf"), cite=True),
        DocumentBlock(TextSource(['{"region": "EU", "text": "x"}']), cite=True),
        TextBlock("Hi"),
    ]  # fmt: skip
    off = read({**told, "citation_options": {"mode": "OFF"}})
    assert {block.get("cite") for block in off.messages[2].blocks} == {None}
    rows = list(ROOM.places(req, told))
    paths = {id(node): path for path, node in rows if not isinstance(node, Field)}
    assert paths[id(req.messages[2].blocks[1])] == "$.documents[1]"


@pytest.mark.parametrize("odd", [["Hi"], {"role": "users", "content": "Hi"}, {"x": 1}, 7])
def test_documents_go_to_no_message_that_nobody_can_read(odd: Any) -> None:
    assert [*read(body(documents=DOCUMENTS, messages=[odd])).messages[0].blocks][1:] == []
    req = read(body(documents=DOCUMENTS, messages=[HI, odd]))
    assert type(req.messages[0].blocks[0]) is DocumentBlock


def test_documents_stay_where_the_conversation_goes_on() -> None:
    wire = dragoman.wire("cohere")
    req = wire.read_request(body(documents=DOCUMENTS))
    req.messages += [Msg.assistant("Yes."), Msg.user("And?")]
    assert wire.write_request(req).body["documents"] == DOCUMENTS
    req.messages[0] = Msg.user([*req.messages[0].blocks[:3], TextBlock("Again")])
    written = wire.write_request(req).body
    assert written["documents"] == DOCUMENTS[:3]
    assert written["messages"][0] == {
        "role": "user", "content": [{"type": "text", "text": "Again"}]}  # fmt: skip
    only = wire.write_request(ChatRequest([Msg.user([DocumentBlock(TextSource(["a"]))])]))
    assert only.body["documents"] == [{"data": {"text": "a"}}]
    assert only.body["messages"][0]["content"] == [{"type": "text", "text": "(See the document.)"}]


def test_a_list_of_messages_alone_has_no_documents_beside_it() -> None:
    shown = Msg.user([DocumentBlock(TextSource(["a"]), "T"), TextBlock("So?")])
    (entry,) = dragoman.Formatter("cohere").write([shown]).messages
    assert [part["text"] for part in entry["content"]] == ["T\n\na", "So?"]


def test_places() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "new"}]
    answer = {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALL]}
    result = {"role": "tool", "tool_call_id": "look_1", "content": [
        {"type": "document", "document": {"data": {"a": 1}}}]}  # fmt: skip
    told = body(messages=[{"role": "user", "content": parts}, answer, result], tools=[LOOK],
                tool_choice="NONE", p=0.5, thinking={"type": "enabled", "token_budget": 9},
                response_format={"type": "json_object", "schema": {}})  # fmt: skip
    req = read(told)
    rows = list(ROOM.places(req, told))
    found = {id(node): path for path, node in rows if not isinstance(node, Field)}
    fields = {(id(node.node), node.name): path for path, node in rows if isinstance(node, Field)}
    user, said, given = req.messages
    assert isinstance(user.blocks[1], RawBlock)
    assert found[id(user.blocks[1])] == "$.messages[0].content[1]"
    assert found[id(said.blocks[0])] == "$.messages[1].tool_plan"
    assert fields[id(said.calls[0]), "input"] == "$.messages[1].tool_calls[0].function.arguments"
    (block,) = given.blocks
    assert isinstance(block, ToolResultBlock)
    assert isinstance(block.output, list)
    assert fields[id(block.output[0]), "text"] == "$.messages[2].content[0].document.data"
    assert fields[id(req.options), "top_p"] == "$.p"
    assert fields[id(req.options), "reasoning_budget"] == "$.thinking.token_budget"
    assert fields[id(req.response_format), "schema"] == "$.response_format.schema"
    assert fields[id(req.tools[0]), "name"] == "$.tools[0].function.name"


def test_whose_a_body_is() -> None:
    assert claims(body(tools=[LOOK], tool_choice="NONE", documents=["a"]), "/v2/chat")
    assert claims(body())
    others: tuple[Any, ...] = (
        body(top_p=0.5), body(tool_choice="auto"), body(messages=[]), body(tools=[{}]),
        body(messages=[{**HI, "name": "Bob"}]), body(messages=[{"role": "developer"}]),
        body(messages=[{"role": "user", "content": [{"type": "input_audio"}]}]),
        {"message": "Hi"}, [],
    )  # fmt: skip
    assert [other for other in others if claims(other)] == []
    assert not claims(body(), "/v1/chat/completions")
    assert not claims(body(), "/api/chat")
