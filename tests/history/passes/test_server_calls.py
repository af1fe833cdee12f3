"""A provider's own calls and results go back in pairs, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.capabilities import Capabilities
from dragoman.history.passes.repair import ends_in_server_block, pair_server_calls
from dragoman.history.passes.survey import survey
from dragoman.losses import Report
from dragoman.message import (
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    places,
)

CAN = Capabilities(reads=frozenset({"mine"}))
HI, ON = Msg.user("Hi"), Msg.user("Go on.")


def search(id: str = "s1", by: Any = "server", issuer: str = "mine") -> RawBlock:
    return RawBlock(issuer, {"type": "search", "id": id}, "call", id, by)


def found(id: str = "s1", issuer: str = "mine") -> RawBlock:
    return RawBlock(issuer, {"type": "found", "id": id}, "result", id)


def says(*blocks: Any) -> Msg:
    return Msg("", list(blocks), "assistant")


def kept(*msgs: Msg, open_start: bool = False) -> tuple[list[str], list[str], list[str]]:
    """(what stays of the own blocks, the losses, the ids that plain results answer)."""
    report = Report(msgs, None, places)
    seated, asked = pair_server_calls(survey(list(msgs), report), CAN, report, open_start)
    own = [block for m in seated.msgs for block in m.blocks if type(block) is RawBlock]
    losses = [f"{loss.code} {loss.where.removeprefix('$.messages')}" for loss in report.losses]
    assert {loss.kind for loss in report.losses} <= {"repaired"}
    odd = [i for i, m in enumerate(seated.msgs) if any(type(b) is RawBlock for b in m.blocks)]
    assert set(odd) <= set(seated.unusual), "what holds such a block is looked at"
    return [f"{block.role} {block.pair}" for block in own], losses, sorted(asked)


CALL, FOUND = "call s1", "result s1"
TALK = TextBlock("So.")
LOOK = ToolUseBlock("c1", "look", {})


@pytest.mark.parametrize(("msgs", "stays", "losses"), [
    ([HI, says(search(), found(), TALK), ON], [CALL, FOUND], []),
    ([HI, says(search()), says(found()), ON], [CALL, FOUND], []),
    # what is about to be gone on from
    ([HI, says(search())], [CALL], []),
    ([HI, says(search(), LOOK), Msg.tool("c1", "seen")], [CALL], []),
    ([HI, says(search(), LOOK), Msg.tool("c1", "seen"), says(found()), ON], [CALL, FOUND], []),
    # and what is not
    ([HI, says(search(), TALK), ON], [], ["raw.unpaired [1].content[0]"]),
    ([HI, says(search()), ON], [], ["raw.unpaired [1].content[0]"]),
    ([HI, says(found(), TALK), ON], [], ["raw.unpaired [1].content[0]"]),
    ([HI, says(found(), search(), TALK), ON], [],
     ["raw.unpaired [1].content[0]", "raw.unpaired [1].content[1]"]),
    ([HI, says(search()), ON, says(found(), TALK), ON], [],
     ["raw.unpaired [1].content[0]", "raw.unpaired [3].content[0]"]),
    # one of each
    ([HI, says(search(), search(), found(), found(), TALK)], [CALL, FOUND],
     ["raw.unpaired [1].content[1]", "raw.unpaired [1].content[3]"]),
    ([HI, says(search(), found()), ON, says(search(), found(), TALK)], [CALL, FOUND],
     ["raw.unpaired [3].content[0]", "raw.unpaired [3].content[1]"]),
])  # fmt: skip
def test_what_a_server_did(msgs: list[Msg], stays: list[str], losses: list[str]) -> None:
    assert kept(*msgs) == (stays, losses, [])


@pytest.mark.parametrize(("msgs", "stays", "losses", "asked"), [
    # the owner of the tool may take time
    ([HI, says(search(by="client")), ON, Msg("", [found()], "user")], [CALL, FOUND], [], []),
    ([HI, says(search(by="client")), Msg.tool("s1", "x"), ON], [CALL], [], ["s1"]),
    ([HI, says(search(by="client"))], [CALL], [], []),
    ([HI, says(search(by="client"), LOOK), Msg.tool("c1", "seen")], [],
     ["raw.unpaired [1].content[0]"], []),
    ([HI, says(search(by="client")), ON], [], ["raw.unpaired [1].content[0]"], []),
    ([HI, says(search(by="client")), says(TALK)], [], ["raw.unpaired [1].content[0]"], []),
    ([Msg.tool("s1", "x"), says(search(by="client"), search("s2", "client"))], [CALL],
     ["raw.unpaired [1].content[1]"], ["s1"]),
    ([HI, says(search(by="client"), search("s2", "client"), found())], [CALL, FOUND],
     ["raw.unpaired [1].content[1]"], []),
    ([HI, says(search("s2", "client"), search(), found())], ["call s2", CALL, FOUND], [], []),
    ([HI, says(search("c1", "client"), LOOK), Msg.tool("c1", "seen"), ON], [],
     ["raw.unpaired [1].content[0]"], []),
])  # fmt: skip
def test_what_a_client_has_to_do(
    msgs: list[Msg], stays: list[str], losses: list[str], asked: list[str]
) -> None:
    assert kept(*msgs) == (stays, losses, asked)


def test_a_result_may_answer_what_the_provider_keeps() -> None:
    given = (Msg("", [found()], "user"), ON)
    assert kept(*given, open_start=True) == ([FOUND], [], [])
    assert kept(*given) == ([], ["raw.unpaired [0].content[0]"], [])


def test_others_and_what_pairs_nothing_are_nobody_here() -> None:
    odd = [search(issuer="theirs"), RawBlock("mine", {"x": 1}, "call"), RawBlock("mine", {"x": 2})]
    msgs = [HI, says(*odd, TALK), ON]
    seated = survey(msgs, Report(msgs))
    assert pair_server_calls(seated, CAN, Report(msgs)) == (seated, frozenset())


def test_a_message_that_is_right_is_the_very_same() -> None:
    msgs = [HI, says(search(), found(), TALK), ON]
    seated = survey(msgs, Report(msgs))
    assert pair_server_calls(seated, CAN, Report(msgs))[0] is seated


@pytest.mark.parametrize(("m", "is_paused"), [
    (says(TALK, search()), True), (says(search(), found()), True), (says(search(), TALK), False),
    (says(RawBlock("mine", {})), False), (Msg.assistant("So."), False),
    (Msg("", [], "assistant"), False),
])  # fmt: skip
def test_a_turn_that_the_provider_goes_on_with(m: Msg, is_paused: bool) -> None:
    assert ends_in_server_block(m) is is_paused


MODEL = "claude-opus-5-5"
SEARCH = RawBlock("anthropic", {"type": "server_tool_use", "id": "s1", "name": "web_search",
                                "input": {}}, "call", "s1")  # fmt: skip


def test_a_paused_turn_goes_back_as_it_is() -> None:
    msgs = [HI, says(TextBlock("Wait."), SEARCH)]
    out = dragoman.wire("anthropic", strict=True).write_request(ChatRequest(msgs), MODEL)
    assert [m["role"] for m in out.body["messages"]] == ["user", "assistant"]


def test_thinking_behind_what_went_is_unbound_and_before_it_is_not() -> None:
    def thought(text: str) -> ThinkingBlock:
        return ThinkingBlock(text, "c2ln", origin=Origin("anthropic", MODEL))

    say = TextBlock("So.")
    msgs = [HI, says(thought("one"), say), ON, says(SEARCH), ON, says(thought("two"), say), ON]
    wire = dragoman.wire("anthropic", policy="ignore")
    out = wire.write_request(ChatRequest(msgs), MODEL)
    losses = [(loss.code, loss.where) for loss in out.losses if "max_tokens" not in loss.code]
    assert losses == [
        ("raw.unpaired", "$.messages[3].content[0]"),
        ("thinking.unbound", "$.messages[5].content[0]"),
    ]
    said = json.dumps(out.body)
    assert "one" in said
    assert [m["role"] for m in out.body["messages"]] == [
        "user", "assistant", "user", "user", "assistant", "user"]  # fmt: skip


CUSTOM: dict[str, tuple[RawBlock, str, Any]] = {
    "openai-chat": (
        RawBlock("openai-chat", {"id": "c9", "type": "custom", "custom": {"name": "sh",
                 "input": "ls"}}, "call", "c9", "client", spelling="call"),
        "messages", {"role": "tool", "tool_call_id": "c9", "content": "a b"},
    ),
    "openai-responses": (
        RawBlock("openai-responses", {"type": "custom_tool_call", "call_id": "c9", "name": "sh",
                 "input": "ls"}, "call", "c9", "client"),
        "input", {"type": "custom_tool_call_output", "call_id": "c9", "output": "a b"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CUSTOM)
def test_a_plain_result_answers_a_custom_tool(name: str) -> None:
    call, where, result = CUSTOM[name]
    other = ToolUseBlock("c1", "look", {})
    answers = [Msg.tool("c1", "seen"), Msg.tool("c9", "a b")]
    wire = dragoman.wire(name, policy="ignore")
    for msgs in (
        [HI, says(call), answers[1], ON],
        [HI, says(call, other), *reversed(answers), ON],
        [HI, says(call, other), ON, *reversed(answers)],  # late
    ):
        out = wire.write_request(ChatRequest(msgs))
        sent = out.body[where]
        codes = {loss.code for loss in out.losses} - {"model.default"}
        assert codes == (set() if msgs[2] is not ON else {"result.moved"})
        at = sent.index(result)
        assert at < sent.index({"role": "user", "content": "Go on."}) or msgs[2] is ON
        assert "c9" in json.dumps(sent[:at])


def test_an_answer_of_a_custom_tool_keeps_its_id() -> None:
    """Own calls are not respelled, so neither is what answers them."""
    call = RawBlock("mistral", {"id": "longer-than-nine", "function": {"name": "sh"}}, "call",
                    "longer-than-nine", "client")  # fmt: skip
    msgs = [HI, says(call), Msg("", [ToolResultBlock("longer-than-nine", "sh", "x")], "tool"), ON]
    out = dragoman.wire("mistral", policy="ignore").write_request(ChatRequest(msgs))
    assert out.body["messages"][2]["tool_call_id"] == "longer-than-nine"
    assert out.ids == {}
