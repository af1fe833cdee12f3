"""Requests of pages: what their own libraries send next is read as what was said."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from dragoman import LLM, InvalidMessage, Msg, NotMessages, Tool, Toolkit, ui
from dragoman.message import (
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.blocks import ANSWER
from tests.agent.scripts import agent_of
from tests.each_case import each_case

from .played import Run
from .test_ag_ui_writer import judged_turns as ag_ui_turns
from .test_ai_sdk_writer import judged_turns as ai_sdk_turns


def said(msgs: list[Msg]) -> list[Any]:
    """What messages say, result by result, whatever messages they stand in and under which ids."""
    found: list[Any] = []
    for msg in msgs:
        for block in msg.blocks:
            match block:
                case TextBlock():
                    cited = [(one.url, one.title, one.quote) for one in block.citations or ()]
                    found.append(("text", block.text, cited))
                case ThinkingBlock():
                    seal = block.redacted or block.signature
                    issuer = block.origin.issuer if seal and block.origin is not None else None
                    found.append(("thinking", block.thinking, seal or None, issuer))
                case ToolUseBlock():
                    given = (block.extras or {}).items()
                    sent = {name: own for name, own in given if not name.endswith(ANSWER)}
                    found.append(("call", block.name, block.input, sent))
                case ToolResultBlock():
                    found.append(("result", output_of(block), block.is_error))
                case RawBlock():
                    found.append(("raw", block.issuer, block.data, block.role, block.pair))
                case _:
                    raise AssertionError(block)
    results = sorted((one for one in found if one[0] == "result"), key=str)
    return [one if one[0] != "result" else results.pop(0) for one in found]


def output_of(block: ToolResultBlock) -> Any:
    if isinstance(block.output, list):
        return [one.text if isinstance(one, TextBlock) else one.type for one in block.output]
    text = block.output
    return json.loads(text) if isinstance(text, str) and text[:1] == "{" else text


def shown(turn: list[Run]) -> list[Any]:
    return said([msg for run in turn for msg in run.said])


def test_what_the_hook_sends_next_is_what_was_said() -> None:
    for name, turn, found in ai_sdk_turns():
        user = {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Go."}]}
        last = {"id": "u2", "role": "user", "parts": [{"type": "text", "text": "And?"}]}
        body = {"id": "c", "messages": [user, found["message"], last], "trigger": "submit-message"}
        asked = ui.read_request({**body, "flavour": "sweet"})
        assert (asked.protocol, asked.thread_id, asked.message_id) == ("ai-sdk", "c", None)
        assert asked.properties == {"flavour": "sweet"}
        assert [msg.text for msg in asked.said] == ["And?"]
        reread = [
            ("result", one[1].removeprefix("the call was not allowed: "), True)
            if one[:1] == ("result",) and one[2] and isinstance(one[1], str) else one
            for one in shown(turn)
        ]  # fmt: skip
        assert said(asked.messages[1:-1]) == sorted_results(reread), name


def sorted_results(found: list[Any]) -> list[Any]:
    results = sorted((one for one in found if one[0] == "result"), key=str)
    return [one if one[0] != "result" else results.pop(0) for one in found]


def test_what_an_ag_ui_client_sends_next_is_what_was_said() -> None:
    for name, turn, found in ag_ui_turns():
        asked = ui.read_request(found["next"])
        assert (asked.protocol, asked.thread_id, asked.said) == ("ag-ui", "t", [])
        assert asked.run_id
        assert said(asked.messages[1:]) == shown(turn), name


# -- what an agent is given -----------------------------------------------------------------------

AG_UI: dict[str, Any] = {"threadId": "t", "runId": "r", "messages": []}
ASK = Tool("ask_ann", "Ask Ann.", {"type": "object", "properties": {}})
CALL = ToolUseBlock("c_1", "ask_ann", {})


def user(id: str, text: str) -> dict[str, Any]:
    return {"id": id, "role": "user", "parts": [{"type": "text", "text": text}]}


def page(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "c", "messages": [user("u", "Go."), {"id": "a", "role": "assistant",
                                                       "parts": [*parts]}]}  # fmt: skip


def run(agent: Any, given: Any) -> Any:
    async def play() -> Any:
        return [event async for event in agent.events(given)][-1].reply

    return asyncio.run(play())


def waiting_agent(*answers: Any) -> Any:
    """An agent whose call waits for the page, which has run it twice under one id before."""
    agent = agent_of([CALL], *answers, toolkit=Toolkit([ASK]))
    first = ui.read_request({"id": "c", "messages": [user("u", "Go.")]})
    assert run(agent, first.give_to(agent)).finish == "paused"
    return agent


DONE = {"type": "dynamic-tool", "toolName": "ask_ann", "toolCallId": "c_1", "input": {}}


@pytest.mark.parametrize("part", [
    {**DONE, "state": "output-available", "output": "It is noon."},
    {**DONE, "state": "output-error", "errorText": "It is noon."},
])  # fmt: skip
def test_the_result_of_a_call_that_the_page_has_run(part: dict[str, Any]) -> None:
    agent = waiting_agent("Noon.")
    asked = ui.read_request(page({"type": "step-start"}, part))
    assert asked.message_id == "a"
    assert asked.give_to(agent) is None
    assert run(agent, None).text == "Noon."
    result = agent.messages[2].blocks[0]
    assert (result.output, result.is_error) == ("It is noon.", part["state"] == "output-error")


def test_a_tool_of_an_ag_ui_page_is_run_there_and_its_result_comes_next() -> None:
    tool = {"name": "ask_ann", "description": "Ask Ann.", "parameters": {"type": "object"}}
    first = {"id": "1", "role": "user", "content": "How late is it?"}
    body: dict[str, Any] = {**AG_UI, "messages": [first], "tools": [tool]}
    asked = ui.read_request(body)
    agent = agent_of([CALL], "Noon.", toolkit=Toolkit(asked.tools))

    async def play(request: ui.UIRequest) -> list[Any]:
        events = agent.events(request.give_to(agent))
        return [event async for event in ui.ag_ui(events, request=request)]

    *_, end = asyncio.run(play(asked))
    assert end["outcome"] == {"type": "success", "pendingToolCallIds": ["c_1"]}
    function = {"name": "ask_ann", "arguments": "{}"}
    said = {"id": "2", "role": "assistant",
            "toolCalls": [{"id": "c_1", "type": "function", "function": function}]}  # fmt: skip
    done = {"id": "3", "role": "tool", "toolCallId": "c_1", "content": "It is noon."}
    events = asyncio.run(play(ui.read_request({**body, "messages": [first, said, done]})))
    assert "TOOL_CALL_START" not in {event["type"] for event in events}
    assert "".join(event.get("delta", "") for event in events) == "Noon."
    assert agent.messages[2].blocks == [ToolResultBlock("c_1", "ask_ann", "It is noon.")]


def test_a_result_whose_call_is_one_of_two_is_not_guessed() -> None:
    agent = waiting_agent([CALL])
    done = page({"type": "step-start"}, {**DONE, "state": "output-available", "output": "noon"})
    ui.read_request(done).give_to(agent)
    assert run(agent, None).finish == "paused"
    assert ui.read_request(done).give_to(agent) is None, "it still waits"
    assert len(agent.pending) == 1


def approving_agent(*answers: Any) -> tuple[Any, str]:
    agent = agent_of([ToolUseBlock("p_1", "ask", {})], *answers, approve="ask",
                     toolkit=Toolkit([asked_tool]))  # fmt: skip
    run(agent, "Go.")
    return agent, agent.pending[0].key


def ask() -> str:
    """Ask."""
    return "asked"


asked_tool = ask


@pytest.mark.parametrize(("verdict", "output"), [
    ({"approved": True}, "asked"),
    ({"approved": False}, "the call was not allowed"),
    ({"approved": False, "reason": "too late"}, "the call was not allowed: too late"),
])  # fmt: skip
def test_an_approval_reaches_the_call_that_waits_and_no_other(
    verdict: dict[str, Any], output: str
) -> None:
    for protocol in ("ai-sdk", "ag-ui"):
        agent, key = approving_agent("Good.")
        part = {"type": "dynamic-tool", "toolName": "ask", "toolCallId": "p_1", "input": {},
                "state": "approval-responded", "approval": {"id": key, **verdict}}  # fmt: skip
        old = {**part, "toolCallId": "p_0", "approval": {"id": "1.2.3", "approved": True}}
        answers = [{"interruptId": key, "status": "resolved", "payload": verdict},
                   {"interruptId": "1.2.3", "status": "cancelled"}]  # fmt: skip
        ag_ui = {"threadId": "t", "runId": "r", "messages": [], "resume": answers}
        stale = ui.read_request(page(old))
        assert stale.give_to(agent) is None
        assert len(agent.pending) == 1, "an answer to another call decides nothing"
        asked = ui.read_request(page(old, part) if protocol == "ai-sdk" else ag_ui)
        assert asked.give_to(agent) is None
        assert [*asked.verdicts] == [key], "what does not wait is not decided"
        chunks = [*ui.ai_sdk([], request=asked)]
        assert ("tool-output-denied" in {one["type"] for one in chunks}) is (
            verdict["approved"] is False
        )
        run(agent, None)
        assert agent.messages[2].blocks[0].output == output


def test_a_message_is_answered_anew() -> None:
    agent = agent_of("One.", "Two.", "Three.", "Four.")
    body: dict[str, Any] = {"id": "c", "messages": [user("u1", "A")], "trigger": "submit-message"}
    for id, text in (("u1", "A"), ("u2", "B")):
        asked = ui.read_request({**body, "messages": [user(id, text)]})
        run(agent, asked.give_to(agent))
    again = ui.read_request({**body, "messages": [user("u1", "A"), user("u2", "B")],
                             "trigger": "regenerate-message", "messageId": "a2"})  # fmt: skip
    assert run(agent, again.give_to(agent)).text == "Three."
    assert [msg.text for msg in agent.messages] == ["A", "One.", "B", "Three."]
    changed = ui.read_request({**body, "messages": [user("u1", "C")], "messageId": "u1"})
    assert run(agent, changed.give_to(agent)).text == "Four."
    assert [msg.text for msg in agent.messages] == ["C", "Four."]


def test_a_page_that_sends_its_last_message_alone() -> None:
    asked = ui.read_request({"id": "c", "message": user("u", "Hi."), "trigger": "submit-message"})
    assert [msg.text for msg in asked.said] == ["Hi."]
    assert asked.properties == {}
    allowed = {**APPROVAL, "approval": {"id": "1.2.0", "approved": True}}
    waits = {**page()["messages"][1], "parts": [allowed]}
    asked = ui.read_request({"id": "c", "message": waits})
    assert (asked.message_id, asked.verdicts, asked.said) == ("a", {"1.2.0": True}, [])


def test_a_message_that_is_sent_twice_is_said_once() -> None:
    agent = agent_of("One.", "Two.")
    body = {"id": "c", "messages": [user("u1", "A")]}
    assert run(agent, ui.read_request(body).give_to(agent)).text == "One."
    assert ui.read_request(body).give_to(agent) is None
    with pytest.raises(InvalidMessage) as caught:
        ui.read_request(page()).give_to(agent)
    assert caught.value.code == "ui.nothing"


def test_a_stored_conversation_asks_again_for_what_waits() -> None:
    agent, key = approving_agent("Good.")
    [_, message] = ui.write_history(agent)
    [part] = [one for one in message["parts"] if one["type"] == "dynamic-tool"]
    assert (part["state"], part["approval"]) == ("approval-requested", {"id": key})
    asked = {**part, "state": "approval-responded", "approval": {"id": key, "approved": True}}
    body = {"id": "c", "messages": [user("u", "Go."), {**message, "parts": [asked]}]}
    assert ui.read_request(body).give_to(agent) is None
    assert run(agent, None).text == "Good."


def test_two_calls_with_one_id_are_told_apart_on_a_page_that_is_reloaded() -> None:
    calls = [ToolUseBlock("p_1", "ask", {}), ToolUseBlock("p_1", "ask", {})]
    agent = agent_of(calls, "Good.", approve="ask", toolkit=Toolkit([asked_tool]))
    run(agent, "Go.")
    [_, message] = ui.write_history(agent)
    _, first, second = message["parts"]
    assert (first["toolCallId"], second["toolCallId"]) == ("p_1", "p_1_2")
    for part, approved in ((first, False), (second, True)):
        part |= {"state": "approval-responded"}
        part["approval"] = {**part["approval"], "approved": approved}
    asked = ui.read_request({"id": "c", "messages": [user("u", "Go."), message]})
    assert asked.give_to(agent) is None

    async def play() -> list[Any]:
        return [one async for one in ui.ai_sdk(agent.events(None), request=asked)]

    chunks = asyncio.run(play())
    ends = {one["toolCallId"]: one["type"] for one in chunks if "toolCallId" in one}
    assert ends == {"p_1": "tool-output-denied", "p_1_2": "tool-output-available"}


def test_everything_of_an_ag_ui_request_is_read() -> None:
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}},
        {"type": "image", "source": {"type": "url", "value": "https://x.example/a.png"}},
        {"type": "document", "source": {"type": "file", "value": "f_1", "provider": "anthropic"}},
    ]
    body = {
        "threadId": "t", "runId": "r", "protocolVersion": "1.0", "state": {"a": 1},
        "context": [{"description": "place", "value": "Rome"}],
        "tools": [{"name": "ask_ann", "description": "Ask.", "parameters": {"type": "object"}}],
        "forwardedProps": {"x": 1},
        "messages": [
            {"id": "0", "role": "developer", "content": "Be brief."},
            {"id": "1", "role": "reasoning", "content": "Hm.", "encryptedValue": "c2ln"},
            {"id": "2", "role": "activity", "activityType": "plan", "content": {}},
            {"id": "3", "role": "assistant", "toolCalls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{bad"}}]},
            {"id": "4", "role": "tool", "toolCallId": "c", "content": "no", "error": "no"},
            {"id": "5", "role": "user", "name": "Bob", "content": parts},
        ],
    }  # fmt: skip
    asked = ui.read_request(body)
    assert [msg.role for msg in asked.messages] == ["developer", "assistant", "tool", "user"]
    thought, call = asked.messages[1].blocks
    assert thought == ThinkingBlock("Hm.", "c2ln")
    assert (call.name, call.input) == ("f", "{bad")  # type: ignore[union-attr]
    assert asked.messages[2].blocks == [ToolResultBlock("c", "f", "no", is_error=True)]
    assert asked.said == asked.messages[3:]
    assert (asked.said[0].name, asked.said[0].id) == ("Bob", "5")
    assert asked.said[0].blocks == [
        TextBlock("Look"), ImageBlock(Base64Source("image/png", "aGk=")),
        ImageBlock(URLSource("https://x.example/a.png")),
        DocumentBlock(FileSource("f_1", "anthropic")),
    ]  # fmt: skip
    assert [tool.name for tool in asked.tools] == ["ask_ann"]
    assert (asked.state, asked.context) == ({"a": 1}, (("place", "Rome"),))
    assert asked.properties == {"forwardedProps": {"x": 1}}
    assert [(one.code, one.where) for one in asked.losses] == [
        ("block.unsupported", "$.messages[2]")
    ]


APPROVAL = {**DONE, "state": "approval-responded"}


@each_case(("body", "path"), [
    (3, "$"), ({}, "$"), ({"messages": 3}, "$"), ({"messages": []}, "$[0]"),
    ({"messages": [{"role": "user"}]}, "$[0]"),
    ({**AG_UI, "messages": [{"role": "nobody"}]}, "$.messages[0]"),
    ({**AG_UI, "messages": [{"role": "user", "content": [{"type": "x"}]}]},
     "$.messages[0].content[0]"),
    ({**AG_UI, "messages": [{"role": "assistant", "toolCalls": [3]}]}, "$.messages[0]"),
    ({**AG_UI, "tools": [3]}, "$.tools[0]"), ({**AG_UI, "resume": [3]}, "$.resume[0]"),
    ({**AG_UI, "resume": [{"interruptId": "1", "status": "resolved"}]}, "$.resume[0]"),
    ({**AG_UI, "resume": [{"interruptId": "1", "payload": {"approved": "yes"}}]}, "$.resume[0]"),
    ({**AG_UI, "resume": [{"interruptId": "1", "payload": {"approved": True, "editedArgs": {}}}]},
     "$.resume[0]"),
    (page({**APPROVAL, "approval": {"id": "1"}}), "$.messages[1]"),
])  # fmt: skip
def test_what_is_no_request_is_refused(body: Any, path: str) -> None:
    with pytest.raises((NotMessages, InvalidMessage)) as caught:
        ui.read_request(body)
    assert caught.value.path == path


@pytest.mark.parametrize("url", ["secret.png", "file://{folder}/secret.png", "{folder}/secret.png"])
def test_a_page_never_names_a_file_that_is_read(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n secret")
    named = url.format(folder=tmp_path)
    file = {"type": "file", "mediaType": "image/png", "url": named}
    part = {"type": "image", "source": {"type": "url", "value": named, "mimeType": "image/png"}}
    for body in (
        {"id": "c", "messages": [{"id": "u", "role": "user", "parts": [file]}]},
        {**AG_UI, "messages": [{"id": "u", "role": "user", "content": [part]}]},
    ):
        llm = LLM("anthropic/claude-opus-5-5", key="none", policy="ignore")
        sent = json.dumps(llm.request(ui.read_request(body).messages).body)
        assert b64encode(b"\x89PNG\r\n\x1a\n secret").decode() not in sent
