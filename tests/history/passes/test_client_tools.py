"""Tools that one API declares by a type and the client runs: functions elsewhere, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import Candidate, ChatResponse, Finish, ServerTool, ToolUseBlock

HOME = dragoman.wire("openai-responses", policy="ignore")
SEARCH = {"type": "tool_search", "execution": "client", "description": "Find tools.",
          "parameters": {"type": "object",
                         "properties": {"query": {"type": "string"}}}}  # fmt: skip
PATCH = {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"}
# type of the tool -> its declaration, what a model says, the fields of the item that comes of it
CLIENT: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "tool_search": (SEARCH, {"query": "mail"},
                    {"arguments": {"query": "mail"}, "execution": "client"}),
    "local_shell": ({"type": "local_shell"}, {"command": ["ls", "-a"]},
                    {"action": {"type": "exec", "env": {}, "command": ["ls", "-a"]}}),
    "shell": ({"type": "shell", "environment": {"type": "local"}}, {"commands": ["ls"]},
              {"action": {"commands": ["ls"]}}),
    "apply_patch": ({"type": "apply_patch"}, PATCH, {"operation": PATCH}),
}  # fmt: skip
FUNCTIONS_ONLY = ["openai", "anthropic", "gemini", "bedrock", "mistral", "cohere", "ollama",
                  "dashscope", "gemini-interactions", "deepseek/openai-responses",
                  "ollama/openai-responses", "vllm/openai-responses", "xai/openai-responses",
                  "bedrock-mantle/openai-responses"]  # fmt: skip
RUN = {"type": "function", "name": "run", "parameters": {"type": "object", "properties": {}}}


def read(*tools: dict[str, Any], **more: Any) -> ChatRequest:
    return HOME.read_request({"model": "m", "input": "Go.", "tools": [RUN, *tools], **more})


def offered(body: dict[str, Any]) -> str:
    return json.dumps([body.get(key) for key in ("tools", "toolConfig", "parameters")])


def answer_of(wire: dragoman.Wire, call: ToolUseBlock) -> dict[str, Any]:
    """An answer of this wire with one call of a plain function."""
    candidate = Candidate(Msg.assistant([call]), Finish("tool_calls"))
    resp = ChatResponse([candidate], id="a1", model="m")
    return wire.write_response(resp).body


@pytest.mark.parametrize("kind", CLIENT)
@pytest.mark.parametrize("name", FUNCTIONS_ONLY)
@pytest.mark.parametrize("streamed", [False, True])
def test_calls_of_the_function_are_items_again(name: str, kind: str, streamed: bool) -> None:
    declared, said, fields = CLIENT[kind]
    wire = dragoman.wire(name, policy="ignore")
    request = read(declared)
    out = wire.write_request(request, model=wire.room.model)
    assert f'"{kind}"' in offered(out.body)
    assert ("tool.plain", "$.tools[1]") in {(loss.code, loss.where) for loss in out.losses}
    call = ToolUseBlock("call_1", kind, said)
    if not streamed:
        resp = wire.read_response(answer_of(wire, call), request=out)
        assert [(one.name, one.input) for one in resp.calls] == [(kind, said)]
        body = HOME.write_response(resp, request).body
    else:
        body = answer_of(wire, call)
        reader, encoder = wire.stream_decoder(), wire.stream_encoder()
        told = [event for piece in [*reader.feed(body), *reader.rest()]
                for event in encoder.feed(piece)]  # fmt: skip
        decoder = wire.stream_decoder(request=out)
        home = HOME.stream_encoder(request, origin=decoder.origin)
        pieces = [piece for name_, data in [*told, *encoder.finish()]
                  for piece in decoder.feed(data, name_)]  # fmt: skip
        written = [event for piece in [*pieces, *decoder.rest()] for event in home.feed(piece)]
        written += home.finish()
        dones = [p["item"] for _, p in written if p["type"] == "response.output_item.done"]
        added = [p["item"] for _, p in written if p["type"] == "response.output_item.added"]
        body = written[-1][1]["response"]
        assert body["output"] == dones
        assert [item["type"] for item in added] == [item["type"] for item in dones]
    [item] = body["output"]
    assert item == {"type": f"{kind}_call", "id": item["id"], "call_id": "call_1",
                    "status": "completed", **fields}  # fmt: skip
    [again] = HOME.read_response(body).calls
    assert (again.id, again.name) == ("call_1", kind)


FOUND: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": "Write to Ann."},
    {"type": "tool_search_call", "call_id": "c1", "execution": "client", "status": "completed",
     "arguments": {"query": "mail"}},
    {"type": "tool_search_output", "call_id": "c1", "execution": "client", "status": "completed",
     "tools": [{"type": "namespace", "name": "mcp__mail__", "description": "Mail.",
                "tools": [{**RUN, "name": "send", "defer_loading": True}]}]},
]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS_ONLY)
def test_what_a_search_found_is_called_in_its_namespace(name: str) -> None:
    wire = dragoman.wire(name, policy="ignore")
    request = read(SEARCH, input=FOUND)
    out = wire.write_request(request, model=wire.room.model)
    assert '"mcp__mail__send"' in offered(out.body)
    assert '"tool_search"' in offered(out.body)
    answer = answer_of(wire, ToolUseBlock("c2", "mcp__mail__send", {}))
    body = HOME.write_response(wire.read_response(answer, request=out), request).body
    [item] = body["output"]
    assert (item["type"], item["name"], item["namespace"]) == (
        "function_call", "send", "mcp__mail__")  # fmt: skip


@pytest.mark.parametrize("name", ["openai/openai-responses", "azure/openai-responses"])
def test_the_api_itself_gets_them_as_they_are(name: str) -> None:
    request = read(*(declared for declared, _, _ in CLIENT.values()), input=FOUND)
    out = dragoman.wire(name).write_request(request, model="gpt-5.6")
    assert out.body["tools"][1:] == [declared for declared, _, _ in CLIENT.values()]
    assert out.body["input"][1:] == FOUND[1:]


def test_what_the_host_runs_is_no_function() -> None:
    shell = {"type": "shell", "environment": {"type": "container_auto"}}
    tools: list[dict[str, Any]] = [{"type": "tool_search"}, shell]
    out = dragoman.wire("openai", policy="ignore").write_request(read(*tools), model="m")
    assert [tool["function"]["name"] for tool in out.body["tools"]] == ["run"]
    lost = [(loss.code, loss.where) for loss in out.losses]
    assert lost == [("tool.other_provider", "$.tools[1]"), ("tool.other_provider", "$.tools[2]")]


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_function_of_the_same_name_stays_what_it_is(name: str) -> None:
    wire = dragoman.wire(name, policy="ignore")
    request = read({**RUN, "name": "shell"}, {"type": "shell"})
    out = wire.write_request(request, model="m")
    for said, kind in (("shell", "function_call"), ("shell_2", "shell_call")):
        answer = answer_of(wire, ToolUseBlock("c1", said, {"commands": ["ls"]}))
        body = HOME.write_response(wire.read_response(answer, request=out), request).body
        assert [item["type"] for item in body["output"]] == [kind]


def test_what_says_no_order_stays_a_call_of_a_function() -> None:
    wire = dragoman.wire("openai", policy="ignore")
    request = read({"type": "local_shell"})
    out = wire.write_request(request, model="m")
    answer = answer_of(wire, ToolUseBlock("c1", "local_shell", {}))
    answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = "ls -a"
    body = HOME.write_response(wire.read_response(answer, request=out), request).body
    [item] = body["output"]
    assert (item["type"], item["name"], item["arguments"]) == (
        "function_call", "local_shell", "ls -a")  # fmt: skip


def test_the_tool_of_a_program_is_one_too() -> None:
    tool = ServerTool("own", extras={"openai-responses": {"type": "local_shell"}})
    request = ChatRequest([Msg.user("Go.")], tools=[tool])
    wire = dragoman.wire("anthropic", policy="ignore")
    out = wire.write_request(request)
    assert [one["name"] for one in out.body["tools"]] == ["local_shell"]
    resp = wire.read_response(answer_of(wire, ToolUseBlock("c1", "local_shell", {"command": []})))
    assert [call.name for call in resp.calls] == ["local_shell"]
