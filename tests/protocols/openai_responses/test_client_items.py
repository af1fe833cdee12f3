"""Items that the client runs are calls, and an ordinary result answers each in its own form."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import WriteError
from tests.each_case import each_case

WIRE = dragoman.wire("openai/openai-responses")
PNG = "data:image/png;base64,iVBORw0KGgo="
PATCH = {"type": "update_file", "path": "a.py", "diff": "@@\n-a\n+b"}
CLICK = {"type": "click", "x": 1, "y": 2, "button": "left"}
CALLS: dict[str, dict[str, Any]] = {
    "shell": {"type": "shell_call", "id": "sh_1", "call_id": "c1", "status": "completed",
              "action": {"commands": ["ls"], "max_output_length": 100}, "environment": None},
    "local_shell": {"type": "local_shell_call", "id": "lsh_1", "call_id": "c1",
                    "status": "completed",
                    "action": {"type": "exec", "command": ["ls"], "env": {}}},
    "apply_patch": {"type": "apply_patch_call", "id": "apc_1", "call_id": "c1",
                    "status": "completed", "operation": PATCH},
    "computer": {"type": "computer_call", "id": "cu_1", "call_id": "c1", "status": "completed",
                 "action": CLICK, "pending_safety_checks": []},
    "tool_search": {"type": "tool_search_call", "id": "tsc_1", "call_id": "c1",
                    "status": "completed", "execution": "client", "arguments": {"query": "crm"}},
}  # fmt: skip
INPUTS = {
    "shell": {"commands": ["ls"], "max_output_length": 100},
    "local_shell": {"type": "exec", "command": ["ls"], "env": {}},
    "apply_patch": PATCH,
    "computer": {"action": CLICK, "pending_safety_checks": []},
    "tool_search": {"query": "crm"},
}
SCREEN = [{"type": "image", "source": {"type": "url", "url": "https://a.example/s.png"}}]
CHUNK = {"stdout": "a.py", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
FAILED = {"stdout": "", "stderr": "no", "outcome": {"type": "exit", "exit_code": 2}}
LATE = {"stdout": "", "stderr": "", "outcome": {"type": "timeout"}}
FOUND: dict[str, Any] = {"tools": [{"type": "function", "name": "find", "parameters": {}}]}
RESULTS: list[tuple[str, Any, dict[str, Any]]] = [
    ("shell", "a.py", {"type": "shell_call_output", "call_id": "c1", "output": [CHUNK],
                       "max_output_length": 100}),
    ("shell", {"stderr": "no", "exit_code": 2}, {"type": "shell_call_output", "call_id": "c1",
                                                 "output": [FAILED], "max_output_length": 100}),
    ("shell", {"output": [CHUNK, LATE]}, {"type": "shell_call_output", "call_id": "c1",
                                          "output": [CHUNK, LATE], "max_output_length": 100}),
    ("local_shell", "a.py", {"type": "local_shell_call_output", "id": "c1", "output": "a.py"}),
    ("apply_patch", "Done.", {"type": "apply_patch_call_output", "call_id": "c1",
                              "status": "completed", "output": "Done."}),
    ("computer", SCREEN, {"type": "computer_call_output", "call_id": "c1",
                          "output": {"type": "computer_screenshot",
                                     "image_url": "https://a.example/s.png"}}),
    ("tool_search", FOUND, {"type": "tool_search_output", "call_id": "c1", "execution": "client",
                            "status": "completed", **FOUND}),
]  # fmt: skip


def answer(name: str) -> dragoman.ChatResponse:
    """An answer that ends in a call of the client's."""
    body = {"id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5.6",
            "output": [CALLS[name]]}  # fmt: skip
    return WIRE.read_response(body)


@pytest.mark.parametrize("name", CALLS)
def test_an_item_that_the_client_runs_is_a_call(name: str) -> None:
    resp = answer(name)
    [call] = resp.calls
    assert (call.id, call.name, call.input) == ("c1", name, INPUTS[name])
    assert resp.finish.reason == "tool_calls"


@pytest.mark.parametrize(
    "item",
    [
        {**CALLS["shell"], "environment": {"type": "container_reference", "container_id": "x"}},
        {**CALLS["tool_search"], "execution": "server", "call_id": None},
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "go", "arguments": "{}",
         "server_label": "s"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    ],
)  # fmt: skip
def test_what_nobody_has_to_run_is_no_call(item: dict[str, Any]) -> None:
    body = {"id": "r", "object": "response", "status": "completed", "output": [item]}
    assert WIRE.read_response(body).calls == []


def test_a_call_that_was_cut_is_not_run() -> None:
    item = {**CALLS["shell"], "status": "incomplete"}
    body = {"id": "r", "object": "response", "status": "incomplete", "output": [item]}
    assert WIRE.read_response(body).calls == []


@pytest.mark.parametrize(("name", "output", "item"), RESULTS)
def test_a_result_goes_back_in_the_form_of_its_call(
    name: str, output: Any, item: dict[str, Any]
) -> None:
    resp = answer(name)
    msgs = [Msg("", "Go on.", "user"), resp.msg, Msg.tool(resp.calls[0].id, output)]
    out = WIRE.write_request(ChatRequest(msgs), model="gpt-5.6")
    assert out.body["input"][1:] == [CALLS[name], item]
    again = WIRE.read_request(out.body)
    assert WIRE.write_request(again).body == out.body


@pytest.mark.parametrize(("name", "output", "item"), RESULTS)
def test_the_next_turn_of_a_session_says_it_likewise(
    name: str, output: Any, item: dict[str, Any]
) -> None:
    resp = answer(name)
    first = [Msg("", "Go on.", "user"), resp.msg]
    body = {"model": "gpt-5.6", "input": [{"role": "user", "content": "Go on."}, CALLS[name]]}
    read = WIRE.read_request(body)
    read.messages.append(Msg.tool("c1", output))
    assert WIRE.write_request(read).body["input"][-1] == item
    formatter = dragoman.formatter.Formatter("openai/openai-responses")
    session = formatter.session()
    asyncio.run(session.format(first))
    assert asyncio.run(session.format([*first, Msg.tool("c1", output)]))[-1] == item


@pytest.mark.parametrize(
    ("name", "item"),
    [
        ("shell", {"output": [{"stdout": "", "stderr": "Error: no",
                               "outcome": {"type": "exit", "exit_code": 1}}],
                   "max_output_length": 100}),
        ("apply_patch", {"status": "failed", "output": "Error: no"}),
    ],
)  # fmt: skip
def test_a_failure_is_said_where_the_item_has_a_place(name: str, item: dict[str, Any]) -> None:
    resp = answer(name)
    msgs = [Msg("", "Go on.", "user"), resp.msg, Msg.tool("c1", "no", is_error=True)]
    out = WIRE.write_request(ChatRequest(msgs), model="gpt-5.6")
    assert out.body["input"][-1] == {"type": f"{name}_call_output", "call_id": "c1", **item}


@pytest.mark.parametrize("name", ["computer", "tool_search"])
def test_a_result_that_is_not_of_the_form_is_refused(name: str) -> None:
    msgs = [Msg("", "Go on.", "user"), answer(name).msg, Msg.tool("c1", "It went well.")]
    with pytest.raises(WriteError) as raised:
        WIRE.write_request(ChatRequest(msgs), model="gpt-5.6")
    assert raised.value.code == "result.form"
    assert raised.value.hint


OTHERS = [("openai", None), ("anthropic", None), ("gemini", None), ("bedrock", None),
          ("mistral", None), ("xai", "openai-responses")]  # fmt: skip


@each_case(("name", "output", "item"), RESULTS)
@each_case(("vendor", "protocol"), OTHERS)
def test_another_wire_has_a_plain_call_and_its_result(
    vendor: str, protocol: str | None, name: str, output: Any, item: dict[str, Any]
) -> None:
    """Whether the result is ours, or was an item too."""
    user = {"role": "user", "content": "Go on."}
    req = WIRE.read_request({"model": "gpt-5.6", "input": [user, CALLS[name], item]})
    plain = WIRE.read_request({"model": "gpt-5.6", "input": [user, CALLS[name]]})
    plain.messages.append(Msg.tool("c1", output))
    wire = dragoman.wire(f"{vendor}/{protocol}" if protocol else vendor)
    for request in (req, plain):
        out = wire.write_request(request, model=None)
        again = wire.read_request(out.body)
        calls = [block for m in again.messages for block in m.get_content_blocks("tool_use")]
        results = [block for m in again.messages for block in m.get_content_blocks("tool_result")]
        assert [call.name for call in calls] == [name]
        assert [result.id for result in results] == [call.id for call in calls]
        assert "call.plain" in {loss.code for loss in out.losses}


def test_the_input_of_the_plain_call_is_that_of_the_item() -> None:
    user = {"role": "user", "content": "Go on."}
    body = {"model": "gpt-5.6", "input": [user, CALLS["apply_patch"], RESULTS[4][2]]}
    out = dragoman.convert(body, "openai/openai-responses", "anthropic")
    _, call, result = out.body["messages"]
    assert [block["input"] for block in call["content"]] == [PATCH]
    assert result["content"][0]["content"] == [{"type": "text", "text": "Done."}]
