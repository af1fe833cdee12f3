"""What judges the agents' sessions sees a fault that is planted, and bears what is none."""

from __future__ import annotations

import json
import urllib.request
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import pytest

from dragoman import Tool, wire
from dragoman.errors import StreamBroken
from dragoman.message import ChatRequest, Msg, ToolUseBlock
from dragoman.testing import Fault, StrictServer
from tests.gateway.real_agents import verdict
from tests.gateway.real_agents.programs import AGENTS
from tests.gateway.real_agents.scenarios import HALF, Leg
from tests.gateway.real_agents.scripted_model import Call, Model, Step, find_tool
from tests.gateway.real_agents.tap import Passed, Tap
from tests.gateway.real_agents.upstream import KINDS, STREAMS_ARGUMENTS, Upstream, break_of

TEXT = {"type": "string"}


def tool(name: str, *properties: str) -> Tool:
    schema = {"type": "object", "properties": dict.fromkeys(properties, TEXT)}
    return Tool(name, "", schema)


# as the agents call them
TOOLS = {
    "claude": [tool("Bash", "command", "description"), tool("Read", "file_path"),
               tool("Edit", "file_path", "old_string", "new_string")],
    "codex": [tool("exec_command", "cmd"), Tool("apply_patch", freeform=True)],
    "gemini": [tool("run_shell_command", "command"), tool("read_file", "file_path"),
               tool("replace", "file_path", "instruction", "old_string", "new_string")],
    "opencode": [tool("bash", "command"), tool("read", "filePath"),
                 tool("edit", "filePath", "oldString", "newString")],
    "pi": [tool("bash", "command"), tool("read", "path"), Tool("edit", "", {
        "type": "object", "properties": {"path": TEXT, "edits": {"type": "array", "items": {
            "type": "object", "properties": {"oldText": TEXT, "newText": TEXT}}}}})],
}  # fmt: skip
STEPS = (
    Step((Call("read", "/a"),), "Let me look.", thought="Hm."),
    Step((Call("edit", "/a", old="x", new="y"), Call("run", command="ls")), thought="Now."),
    Step(text="Done."),
)


@pytest.mark.parametrize("agent", TOOLS)
def test_one_script_finds_the_tools_of_every_agent(agent: str) -> None:
    model = Model(STEPS, KINDS["openai-chat"].answer)
    request = ChatRequest([Msg.user("Go.")], tools=list(TOOLS[agent]), model="gpt-5.6")
    [reading] = model(request).calls
    assert "/a" in json.dumps(reading.input)
    editing, running = model(request).calls
    assert all(word in json.dumps(editing.input) for word in ("/a", "x", "y"))
    assert "ls" in json.dumps(running.input)
    assert model(request).calls == []
    assert len(model.calls) == 3


def test_what_is_asked_beside_the_loop_takes_no_step() -> None:
    model = Model(STEPS, KINDS["openai-chat"].answer)
    title = ChatRequest([Msg.user("A title for this?")], model="gpt-5.6")
    assert model(title).text
    summary = ChatRequest([Msg.user("CHECKPOINT COMPACTION"), Msg.assistant("x")], model="gpt-5.6",
                          tools=list(TOOLS["codex"]))  # fmt: skip
    summary.messages.append(Msg.user("CHECKPOINT COMPACTION"))
    assert "Summary" in model(summary).text
    assert (len(model.turns), len(model.side)) == (0, 2)
    assert find_tool(TOOLS["codex"], "read") is None


def asked(kind: str, messages: list[Msg], **more: Any) -> tuple[bytes, str]:
    request = ChatRequest(messages, tools=list(TOOLS["claude"]), stream=True, **more)
    written = wire(kind, policy="ignore").write_request(request, model=KINDS[kind].model)
    return json.dumps(written.body).encode(), written.path


def post(url: str, body: bytes) -> bytes:
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return bytes(answer.read())


@pytest.mark.parametrize("kind", [name for name, one in KINDS.items() if one.proves])
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "lost"])
def test_what_was_sealed_and_does_not_come_back_is_a_fault(kind: str, kept: bool) -> None:
    model = Model((*STEPS[:1], STEPS[2]), KINDS[kind].answer)
    request = ChatRequest([Msg.user("Go.")], tools=list(TOOLS["claude"]), model=KINDS[kind].model)
    answer = Model(STEPS[:1], KINDS[kind].answer)(request).msg
    if not kept:
        answer.content = [b for b in answer.blocks if b.type not in ("thinking", "tool_use")]
        answer.content += [ToolUseBlock(call.id, call.name, call.input) for call in answer.calls]
        answer.content.append(ToolUseBlock("call_000_0", "Read", {"file_path": "/a"}))
    with Upstream(KINDS[kind], model, own=False) as host:
        for history in ([], [answer, Msg.tool("call_000_0", "x", "Read")]):
            body, path = asked(kind, [Msg.user("Go."), *history])
            post(_address(host, path), body)
    one = seen([])
    one.kind, one.model, one.upstream = KINDS[kind], model, host
    one.leg = Leg(kind, "Go.", tuple(model.steps))
    faults = [fault for fault in verdict.leg_faults(one) if "thought" in fault]
    assert faults == ([] if kept else ["the next turn lacks what was thought in these: 0"])


def _address(host: Upstream, path: str) -> str:
    return host.root + (path if path.startswith(("/v1", "/api")) else f"/v1{path}")


@pytest.mark.parametrize("how", ["error", "cut"])
@pytest.mark.parametrize("kind", STREAMS_ARGUMENTS)
def test_a_broken_answer_tells_the_call_and_not_its_end(kind: str, how: str) -> None:
    step = Step((Call("run", command=f"echo ran > {HALF}"),))
    model = Model((step,), KINDS[kind].answer)
    model.faults[0] = break_of(how, KINDS[kind], inside=False)
    with Upstream(KINDS[kind], model, own=False) as host:
        body, path = asked(kind, [Msg.user("Go.")])
        try:
            said = post(_address(host, path), body)
        except IncompleteRead as error:
            said = error.partial
            assert how == "cut"
    assert HALF.encode() in said
    ends = (b"content_block_stop", b"arguments.done", b"output_item.done", b'finish_reason": "t')
    assert not any(end in said for end in ends)
    assert (b"overloaded" in said) == (how == "error")


def test_a_tap_passes_bytes_on_and_a_break_as_a_break() -> None:
    def answer(_: ChatRequest) -> Fault:
        return Fault("one two three", cut=2)

    with StrictServer("openai-chat", "Hello.") as host, Tap(host.root) as tap:
        body, path = asked("openai-chat", [Msg.user("Go.")])
        assert b"Hello" in post(f"{tap.url}{path}", body)
        assert [(one.status, one.whole) for one in tap.passed] == [(200, True)]
        assert tap.passed[0].request == body
    with StrictServer("openai-chat", answer) as host, Tap(host.root) as tap:
        with pytest.raises((IncompleteRead, StreamBroken)):
            post(f"{tap.url}{path}", body)
        assert not tap.passed[0].whole


PREFIX = {"model": "m", "messages": [{"role": "user", "content": "a"}], "stream": True}
LONGER = {**PREFIX, "messages": [*PREFIX["messages"], {"role": "assistant", "content": "b"}]}  # type: ignore[misc]


@pytest.mark.parametrize(
    ("after", "fault"),
    [
        (LONGER, ""),
        (
            {
                **LONGER,
                "messages": [
                    {
                        "role": "user",
                        "content": [{"type": "text", "text": "a", "cache_control": {}}],
                    }
                ],
            },
            "",
        ),
        (
            {
                **LONGER,
                "messages": [
                    {
                        "role": "user",
                        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                    }
                ],
            },
            "messages[0], sign",
        ),
        ({**LONGER, "messages": [{"role": "user", "content": "c"}]}, "messages[0], sign"),
        ({**LONGER, "messages": [{"content": "a", "role": "user"}]}, "messages[0], sign"),
        ({**LONGER, "messages": []}, "messages[0] is gone"),
        (dict(reversed(LONGER.items())), "the fields stand in another order"),
        ({**LONGER, "metadata": {"turn": 2}}, ""),
        ({**LONGER, "messages": [{"role": "user", "content": "a", "cache_control": {}}]}, ""),
    ],
)
def test_a_request_that_does_not_go_on_from_the_one_before(after: Any, fault: str) -> None:
    parts = [verdict.parts_of(json.dumps(body).encode()) for body in (PREFIX, after)]
    found = verdict.difference(*parts)
    assert found.startswith(fault)
    assert bool(found) == bool(fault)


def seen(passed: list[Passed], exit: int | None = 0) -> verdict.LegSeen:
    kind = KINDS["anthropic"]
    model = Model((), kind.answer)
    host = Upstream(kind, model, own=True)
    leg = Leg("anthropic", "Go.", ())
    return verdict.LegSeen(leg, kind, exit, "", "", model, host, passed, "anthropic")


@pytest.mark.parametrize(
    ("passed", "fault"),
    [
        (Passed("POST", "/v1/messages", b"{}", 529, b"over"), "got 529"),
        (Passed("POST", "/v1/messages", b"{}"), "got no answer"),
        (Passed("POST", "/v1/messages/count_tokens", b"{}", 404), "got 404"),
        (Passed("HEAD", "/", b"", 404), ""),
    ],
)
def test_a_status_that_nothing_explains_is_a_fault(passed: Passed, fault: str) -> None:
    faults = list(verdict.leg_faults(seen([passed])))
    assert bool(faults) == bool(fault)
    assert all(fault in one for one in faults)


def test_an_agent_that_does_not_end_is_a_fault() -> None:
    assert "the agent did not end in time" in list(verdict.leg_faults(seen([], None)))


def test_a_log_without_the_calls_is_a_fault(tmp_path: Path) -> None:
    one = seen([])
    one.model.calls.append("call0_000_0")
    row = {"type": "user", "uuid": "a", "message": {"role": "user", "content": "Go."}}
    faults = list(verdict.log_faults(AGENTS["claude"], [one], json.dumps(row)))
    assert faults == ["1 of 1 calls are not in its log, first call0_000_0"]
    assert "cannot be read" in next(verdict.log_faults(AGENTS["claude"], [one], "oops"))
