"""Freeform tools and namespaces, on wires that have them and on wires that take functions only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool, ToolChoice
from dragoman.capabilities import Facts
from dragoman.message import Grammar, Namespace, ToolUseBlock, dump, load

PATCH = '*** Begin Patch\n-draft\n+"final" \\n \U0001f600\n*** End Patch\n'
GRAMMAR = Grammar('start: "x"')
TOOL = Tool("apply_patch", "Edits files.", freeform=True, grammar=GRAMMAR)
CRM = Namespace("crm", "Customers.")
FIND = Tool("find", "Finds.", {"type": "object"}, namespace=CRM)
RUN = Tool("run", freeform=True, namespace=CRM)

# every host that is known to take functions only
FUNCTIONS_ONLY = (
    "anthropic", "bedrock", "cohere", "dashscope", "deepseek", "gemini", "groq", "minimax",
    "mistral", "moonshot", "ollama", "openrouter", "vllm", "xai/openai-chat", "zhipu",
    "vllm/openai-responses", "minimax/openai-responses",
)  # fmt: skip
FREEFORM = ("openai", "openai-responses", "openai-chat", "azure", "deepseek/openai-responses")


def history(call: ToolUseBlock) -> list[Msg]:
    return [
        Msg("", "Edit it.", "user"),
        Msg("", [call], "assistant"),
        Msg.tool(call.id, "Done."),
        Msg("", "Once more.", "user"),
    ]


def request(*tools: Tool, call: ToolUseBlock | None = None, **more: Any) -> ChatRequest:
    call = call or ToolUseBlock("c1", "apply_patch", PATCH, freeform=True)
    return ChatRequest(history(call), tools=tools or (TOOL,), **more)


def written(name: str, req: ChatRequest) -> Any:
    return dragoman.wire(name, policy="ignore").write_request(req)


def texts_in(value: Any) -> Iterator[str]:
    """Keys and texts of a body, also of the JSON in its texts."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value
        if value.startswith("{"):
            yield from texts_in(json.loads(value))


@pytest.mark.parametrize("name", FUNCTIONS_ONLY)
def test_functions_stand_for_freeform_tools(name: str) -> None:
    out = written(name, request())
    texts = [*texts_in(out.body)]
    assert "custom" not in texts
    assert PATCH in texts
    assert any(GRAMMAR.definition in text and TOOL.description in text for text in texts)
    codes = {loss.code: loss.where for loss in out.losses}
    assert codes["tool.freeform"] == "$.tools[0]"
    assert codes["call.freeform"].startswith("$.messages[1].content[0]")


@pytest.mark.parametrize("name", FREEFORM)
def test_hosts_that_take_them_get_them(name: str) -> None:
    out = written(name, request())
    (tool,) = out.body["tools"]
    assert tool["type"] == "custom"
    assert out.original_tools == {}
    assert {loss.code for loss in out.losses} <= {"model.default", "include.added"}
    text = json.dumps(out.body)
    assert '"custom_tool_call"' in text or '"custom": {"name": "apply_patch"' in text


def test_an_override_lets_a_host_have_them() -> None:
    facts = Facts(always={"freeform_tools": True}, since="2026-11-23", source="a server of ours")
    wire = dragoman.wire("vllm", policy="ignore").knowing((facts,))
    out = wire.write_request(request())
    assert out.body["tools"][0]["type"] == "custom"


ARGUMENTS = {
    "usual": json.dumps({"input": PATCH}),
    "spread": json.dumps({"input": PATCH}, indent=2),
    "escaped": json.dumps({"input": PATCH}, ensure_ascii=True).replace("/", "\\/"),
    "bare": PATCH,
}


def chat_answer(arguments: str, name: str = "apply_patch") -> dict[str, Any]:
    call = {"id": "c9", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"id": "a", "model": "m", "object": "chat.completion", "created": 1, "choices": [
        {"index": 0, "message": message, "finish_reason": "tool_calls"}]}  # fmt: skip


def chat_chunks(arguments: str, size: int, name: str = "apply_patch") -> list[Any]:
    first = {"index": 0, "id": "c9", "type": "function", "function": {"name": name,
             "arguments": ""}}  # fmt: skip
    deltas = [{"role": "assistant", "tool_calls": [first]}]
    for at in range(0, len(arguments), size):
        piece = {"index": 0, "function": {"arguments": arguments[at : at + size]}}
        deltas.append({"tool_calls": [piece]})
    ends: list[Any] = [None] * len(deltas) + ["tool_calls"]
    return [
        {"id": "a", "model": "m", "object": "chat.completion.chunk", "created": 1,
         "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in zip([*deltas, {}], ends, strict=True)
    ]  # fmt: skip


@pytest.mark.parametrize("spelling", ARGUMENTS)
def test_a_call_in_an_answer_is_restored(spelling: str) -> None:
    wire = dragoman.wire("deepseek", policy="ignore")
    req = request()
    for known in ({"request": req}, {"request": wire.write_request(req)}, {"tools": req.tools}):
        resp = wire.read_response(chat_answer(ARGUMENTS[spelling]), **known)
        assert resp.calls == [ToolUseBlock("c9", "apply_patch", PATCH, freeform=True)]
        assert resp.finish.reason == "tool_calls"


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize("spelling", ARGUMENTS)
def test_a_call_in_a_stream_is_restored_as_it_grows(spelling: str, size: int) -> None:
    upstream = dragoman.wire("deepseek", policy="ignore")
    client = dragoman.wire("openai-responses", policy="ignore")
    decoder = upstream.stream_decoder(request=upstream.write_request(request()))
    encoder = client.stream_encoder(origin=decoder.origin)
    events = []
    for chunk in chat_chunks(ARGUMENTS[spelling], size):
        events += [event for piece in decoder.feed(chunk) for event in encoder.feed(piece)]
    events += [event for piece in decoder.rest() for event in encoder.feed(piece)]
    events += encoder.finish()
    deltas = [data["delta"] for kind, data in events
              if kind == "response.custom_tool_call_input.delta"]  # fmt: skip
    assert "".join(deltas) == PATCH
    if size == 1 and spelling != "bare":
        assert len(deltas) > len(PATCH) // 2
    kind, last = events[-1]
    assert kind == "response.completed"
    (item,) = last["response"]["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "apply_patch", PATCH)
    assert not any("function_call_arguments" in str(kind) for kind, _ in events)
    assert decoder.finish().calls == [ToolUseBlock("c9", "apply_patch", PATCH, freeform=True)]


def test_a_call_that_breaks_off_is_unfinished() -> None:
    upstream = dragoman.wire("deepseek", policy="ignore")
    decoder = upstream.stream_decoder(request=request())
    for chunk in chat_chunks(ARGUMENTS["usual"], 5)[:6]:
        decoder.feed(chunk)
    resp = decoder.finish()
    (call,) = resp.msg.calls
    assert call.unfinished
    assert call.freeform
    assert resp.calls == []


def test_freeform_calls_of_openais_wires_in_answers_lose_nothing() -> None:
    chat, items = (dragoman.wire(name, policy="ignore") for name in FREEFORM[2:0:-1])
    call = {"id": "c9", "type": "custom", "custom": {"name": "apply_patch", "input": PATCH}}
    answer = chat_answer("")
    answer["choices"][0]["message"]["tool_calls"] = [call]
    resp = chat.read_response(answer)
    assert resp.calls == [ToolUseBlock("c9", "apply_patch", PATCH, freeform=True)]
    assert resp.finish.reason == "tool_calls"
    out = items.write_response(resp)
    (item,) = out.body["output"]
    assert (item["type"], item["call_id"], item["input"]) == ("custom_tool_call", "c9", PATCH)
    assert "answer.unsupported" not in {loss.code for loss in out.losses}
    back = chat.write_response(items.read_response(out.body))
    choice = back.body["choices"][0]
    assert choice["message"]["tool_calls"] == [call]
    assert choice["finish_reason"] == "tool_calls"


def test_a_stream_of_a_custom_call_between_openais_wires() -> None:
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c9", "name": "apply_patch",
            "input": "", "status": "in_progress"}  # fmt: skip
    done = {**item, "input": PATCH, "status": "completed"}
    place = {"output_index": 0, "item_id": "ctc_1"}
    body = {"id": "r", "model": "m", "object": "response", "created_at": 1, "output": [done],
            "status": "completed"}  # fmt: skip
    events: list[Any] = [
        {"type": "response.created", "response": {**body, "output": [], "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *({"type": "response.custom_tool_call_input.delta", **place, "delta": sign}
          for sign in PATCH),
        {"type": "response.custom_tool_call_input.done", **place, "input": PATCH},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": body},
    ]  # fmt: skip
    converted = dragoman.convert_stream(
        iter(events), "openai-responses", "openai-chat", policy="ignore"
    )
    deltas = [json.loads(event.data)["choices"][0]["delta"] for event in converted
              if event.data != "[DONE]" and json.loads(event.data)["choices"]]  # fmt: skip
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert calls[0]["type"] == "custom"
    assert calls[0]["custom"]["name"] == "apply_patch"
    assert "".join(call["custom"].get("input", "") for call in calls) == PATCH
    assert converted.response.calls == [ToolUseBlock(
        "c9", "apply_patch", PATCH, freeform=True,
        extras={"openai-responses": {"id": "ctc_1", "status": "completed"}})]  # fmt: skip


# -- namespaces --------------------------------------------------------------------------------


def test_the_name_of_a_namespace_goes_in_front() -> None:
    call = ToolUseBlock("c1", "find", {"a": 1}, namespace="crm")
    req = request(FIND, RUN, Tool("find"), call=call, tool_choice=ToolChoice("tool", "run"))
    out = written("mistral", req)
    names = [tool["function"]["name"] for tool in out.body["tools"]]
    assert names == ["crm__find", "crm__run", "find"]
    assert out.body["messages"][1]["tool_calls"][0]["function"]["name"] == "crm__find"
    assert out.body["tool_choice"]["function"]["name"] == "crm__run"
    places = [(loss.code, loss.where) for loss in out.losses]
    assert ("tool.namespace", "$.tools[0].name") in places
    assert ("tool.namespace", "$.messages[1].content[0].namespace") in places


def test_calls_find_their_namespace_again() -> None:
    req = request(FIND, RUN, Tool("look"))
    wire = dragoman.wire("deepseek", policy="ignore")
    for name, tool in (("crm__find", FIND), ("crm__run", RUN), ("run", RUN)):
        arguments = '{"input": "x"}' if tool.freeform else "{}"
        resp = wire.read_response(chat_answer(arguments, name), request=wire.write_request(req))
        (call,) = resp.calls
        assert (call.name, call.namespace, call.freeform) == (tool.name, "crm", tool.freeform)
        assert call.input == ("x" if tool.freeform else {})


GROUPED: dict[str, Any] = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "find",
           "namespace": "crm", "arguments": "{}", "status": "completed"}  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "gemini", "mistral"])
def test_a_namespace_that_an_answer_cannot_say_is_a_loss(target: str) -> None:
    body = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5.6",
            "status": "completed", "output": [GROUPED]}  # fmt: skip
    read = dragoman.wire("openai-responses", policy="ignore")
    resp = read.read_response(body)
    out = dragoman.wire(target, policy="ignore").write_response(resp)
    named = [loss.where for loss in out.losses if loss.code == "answer.unsupported"]
    assert "$.candidates[0].msg.content[0].namespace" in named

    decoder = read.stream_decoder()
    encoder = dragoman.wire(target, policy="ignore").stream_encoder(origin=decoder.origin)
    events = [("response.created", {"response": {**body, "status": "in_progress", "output": []}}),
              ("response.output_item.added",
               {"output_index": 0, "item": {**GROUPED, "arguments": "", "status": "in_progress"}}),
              ("response.function_call_arguments.delta",
               {"output_index": 0, "item_id": "fc_1", "delta": "{}"}),
              ("response.output_item.done", {"output_index": 0, "item": GROUPED}),
              ("response.completed", {"response": body})]  # fmt: skip
    data: Any
    for name, data in events:
        for piece in decoder.feed({"type": name, **data}, name):
            encoder.feed(piece)
    encoder.finish()
    told = [loss for loss in encoder.report.losses if loss.where.endswith(".namespace")]
    assert [(loss.code, loss.what) for loss in told] == [("answer.unsupported", "find")]


def test_a_call_without_its_namespace_is_of_the_only_tool_of_that_name() -> None:
    call = ToolUseBlock("c1", "run", "x", freeform=True)
    out = written("deepseek", request(FIND, RUN, call=call))
    (entry,) = out.body["messages"][1]["tool_calls"]
    assert entry["function"] == {"name": "crm__run", "arguments": '{"input": "x"}'}


def test_two_tools_of_one_flat_name_are_told_apart() -> None:
    tools = (FIND, Tool("crm__find"), Tool("x" * 70, namespace=CRM))
    out = written("deepseek", request(*tools))
    names = [tool["function"]["name"] for tool in out.body["tools"]]
    assert len(set(names)) == 3
    assert names[1] == "crm__find"
    wire = dragoman.wire("deepseek")
    for name, tool in zip(names, tools, strict=True):
        (call,) = wire.read_response(chat_answer("{}", name), request=out).calls
        group = tool.namespace.name if tool.namespace is not None else None
        assert (call.name, call.namespace) == (tool.name, group)


def test_namespaces_stay_where_the_wire_has_them() -> None:
    call = ToolUseBlock("c1", "find", {"a": 1}, namespace="crm")
    out = written("openai-responses", request(FIND, RUN, Tool("look"), call=call))
    group, look = out.body["tools"]
    assert (group["type"], group["name"], group["description"]) == (
        "namespace",
        "crm",
        "Customers.",
    )
    assert [(tool["type"], tool["name"]) for tool in group["tools"]] == [
        ("function", "find"), ("custom", "run")]  # fmt: skip
    assert look["name"] == "look"
    item = out.body["input"][1]
    assert (item["type"], item["namespace"], item["name"]) == ("function_call", "crm", "find")


def test_they_can_be_stored() -> None:
    req = request(TOOL, FIND, RUN)
    again = load(json.loads(json.dumps(dump(req))))
    assert isinstance(again, ChatRequest)
    assert again.tools == list(req.tools)
    assert again.messages == req.messages


@pytest.mark.parametrize(("fields", "code"), [
    ({"grammar": GRAMMAR}, "tool.field"),
    ({"freeform": True, "parameters": {"type": "object"}}, "tool.field"),
    ({"freeform": True, "grammar": "x"}, "block.field"),
])  # fmt: skip
def test_tools_that_cannot_be(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(dragoman.InvalidMessage) as error:
        Tool("f", **fields)
    assert error.value.code == code


def test_fields_of_a_declaration_do_not_go_into_the_function() -> None:
    custom = {"name": "sql", "format": {"type": "text"}}
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}],
            "tools": [{"type": "custom", "custom": custom}]}  # fmt: skip
    out = dragoman.convert(body, "openai-chat", "groq", policy="ignore")
    (tool,) = out.body["tools"]
    assert tool.keys() == {"type", "function"}
    assert tool["function"].keys() == {"name", "description", "parameters"}
    places = [(loss.code, loss.where) for loss in out.losses]
    assert ("extras.other_provider", "$.tools[0].custom.format.type") in places


# -- answers for clients who know functions only ------------------------------------------------


def custom_call_events(whole: bool) -> list[dict[str, Any]]:
    item = {"type": "custom_tool_call", "id": "ctc", "call_id": "c1", "name": "sql"}
    added = {"type": "response.output_item.added", "output_index": 0, "item": {**item, "input": ""}}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "output": [], "model": "m"}}, added,
        *({"type": "response.custom_tool_call_input.delta", "output_index": 0, "item_id": "ctc",
           "delta": text} for text in ('say "', "hi\n")),
    ]  # fmt: skip
    if whole:
        done = {**item, "input": 'say "hi\n', "status": "completed"}
        events += [
            {"type": "response.output_item.done", "output_index": 0, "item": done},
            {"type": "response.completed",
             "response": {"id": "r", "status": "completed", "output": [done], "model": "m"}},
        ]  # fmt: skip
    return events


@pytest.mark.parametrize("target", ["anthropic", "gemini", "ollama", "mistral", "cohere"])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_freeform_call_reaches_clients_without_such_tools(target: str, streamed: bool) -> None:
    events = custom_call_events(True)
    source, wire = dragoman.wire("openai-responses"), dragoman.wire(target, policy="ignore")
    if streamed:
        converted = dragoman.convert_stream(
            iter(events), "openai-responses", target, policy="ignore"
        )
        chunks = [(event.event, event.data) for event in converted]
        read, losses = wire.read_stream(iter(chunks)), converted.losses
        list(read)
        [call] = read.response.calls
    else:
        out = wire.write_response(source.read_response(events[-1]["response"]))
        losses = out.losses
        [call] = wire.read_response(out.body).calls
    assert (call.name, call.input) == ("sql", {"input": 'say "hi\n'})
    assert "call.freeform" in {loss.code for loss in losses}


def test_a_freeform_call_that_breaks_off_stays_open() -> None:
    events = custom_call_events(False)
    converted = dragoman.convert_stream(
        iter(events), "openai-responses", "anthropic", policy="ignore"
    )
    chunks = [json.loads(event.data) for event in converted]
    text = "".join(c["delta"]["partial_json"] for c in chunks if "partial_json" in str(c))
    assert text == r'{"input": "say \"hi\n'
    kinds = [chunk["type"] for chunk in chunks]
    assert kinds[-1] == "error"
    assert not {"content_block_stop", "message_stop"} & {*kinds}
