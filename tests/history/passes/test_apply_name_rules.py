"""Tool names and call ids in a history: one map for tools, history and choice, and its way back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import dragoman
from dragoman import ChatRequest, Msg, Tool, ToolChoice
from dragoman.capabilities import Capabilities
from dragoman.capabilities.name_rules import IdRule, NameRule, mapping
from dragoman.history.passes import apply_name_rules
from dragoman.history.passes.apply_name_rules import invert_names, name_tools, respell_history
from dragoman.history.passes.survey import survey
from dragoman.losses import Report
from dragoman.message import ServerTool, ToolResultBlock, ToolUseBlock, places
from tests.laws.histories import histories

UNIQUE = Capabilities(ids=IdRule(chars=r"a-zA-Z0-9_\-", unique=True))
PLAIN = Capabilities(ids=IdRule(max=40))
BLANK = Capabilities(ids=IdRule(blank=True))


def turn(*ids: str, name: str = "look") -> list[Msg]:
    return [
        Msg.assistant([ToolUseBlock(id, name, {}) for id in ids]),
        Msg("", [ToolResultBlock(id, name, "x") for id in ids], "tool"),
    ]


def ids(msgs: list[Msg]) -> list[list[str]]:
    return [[block.id for block in m.blocks if hasattr(block, "id")] for m in msgs]


def spelled(msgs: list[Msg], can: Capabilities) -> tuple[list[list[str]], dict[str, str], Any]:
    report = Report(msgs, None, places)
    seated, back = respell_history(survey(msgs, report), can, {}, report)
    return ids(seated.msgs), back, report.losses


def test_ids_that_fit_stay_and_so_does_the_history() -> None:
    msgs = [*turn("a", "b"), *turn("c")]
    report = Report(msgs)
    seated = survey(msgs, report)
    made, back = respell_history(seated, UNIQUE, {}, report)
    assert made is seated
    assert (back, report.losses) == ({}, [])


def test_repeated_ids_are_numbered_and_the_map_leads_back() -> None:
    found, back, losses = spelled([*turn("a"), *turn("a"), *turn("a_2"), *turn("a")], UNIQUE)
    assert found == [["a"], ["a"], ["a_2"], ["a_2"], ["a_2_2"], ["a_2_2"], ["a_3"], ["a_3"]]
    assert back == {"a_2": "a", "a_2_2": "a_2", "a_3": "a"}
    assert {loss.code for loss in losses} == {"id.made"}
    assert losses[0].where == "$.messages[2].content[0].id"


@pytest.mark.parametrize("can", [UNIQUE, PLAIN])
@pytest.mark.parametrize(
    ("early", "late"),
    [
        (turn("a", "a"), turn("a_2")), (turn("a"), turn("a")), (turn(""), turn("call_1")),
        (turn("x" * 50), turn("x" * 51)), (turn("a b"), turn("a_b")), (turn("", "a"), turn("a")),
    ],
)  # fmt: skip
def test_no_id_depends_on_what_follows(
    early: list[Msg], late: list[Msg], can: Capabilities
) -> None:
    alone, _, _ = spelled(early, can)
    both, _, _ = spelled([*early, *late], can)
    assert both[: len(alone)] == alone
    assert len({id for row in both[::2] for id in row}) == sum(map(len, both[::2])) or not (
        can.ids.unique
    )


def test_ids_may_come_again_in_the_next_turn_where_the_wire_says_so() -> None:
    msgs = [*turn("a"), *turn("a")]
    assert spelled(msgs, PLAIN)[0] == [["a"]] * 4
    assert spelled(turn("a", "a"), PLAIN)[0] == [["a", "a_2"], ["a", "a_2"]]


@pytest.mark.parametrize("can", [UNIQUE, PLAIN])
def test_empty_ids_are_made_and_never_one_that_is_there(can: Capabilities) -> None:
    found, back, _ = spelled([*turn("call_1"), *turn("", "")], can)
    assert found == [["call_1"]] * 2 + [["call_2", "call_3"]] * 2
    assert back == {"call_2": "", "call_3": ""}


def test_empty_ids_stay_where_a_call_may_go_without() -> None:
    assert spelled(turn("", ""), BLANK)[0] == [["", ""]] * 2


def test_refused_ids_are_respelled_at_both_ends() -> None:
    found, back, losses = spelled([*turn("functions.Bash:0"), *turn("x" * 50)], UNIQUE)
    assert found[0] == found[1] == ["functions_Bash_0"]
    assert back["functions_Bash_0"] == "functions.Bash:0"
    assert {loss.code for loss in losses} == {"id.mapped"}
    long, _, _ = spelled(turn("x" * 50, "x" * 51), PLAIN)
    assert long[0] == long[1]
    assert len(set(long[0])) == 2
    assert all(len(id) == 40 for id in long[0])


def test_ids_do_not_collapse_into_one() -> None:
    found, _, _ = spelled([*turn("a.b"), *turn("a_b"), *turn("a b")], UNIQUE)
    assert len({id for row in found for id in row}) == 3


def test_long_ids_that_come_twice_in_a_turn() -> None:
    long = "x" * 50
    found, _, _ = spelled(turn(long, long), PLAIN)
    assert found[0] == found[1]
    assert len(set(found[0])) == 2
    assert PLAIN.ids.fits(found[0])


@given(histories())
def test_wire_ids_are_deterministic(msgs: list[Msg]) -> None:
    for can in (UNIQUE, PLAIN):
        first, second = spelled(msgs, can), spelled(msgs, can)
        assert first == second


def test_tools_are_named_alike_in_tools_history_and_choice() -> None:
    req = ChatRequest(
        [Msg.user("Go."), *turn("a", name="server/tool.v1"), Msg.user("Again.")],
        tools=[Tool("server/tool.v1"), Tool("look")],
        tool_choice=ToolChoice("tool", "server/tool.v1"),
    )
    out = dragoman.wire("openai-chat", policy="ignore").write_request(req, "gpt-4.1")
    body = out.body
    assert body["tools"][0]["function"]["name"] == "server_tool_v1"
    assert body["messages"][1]["tool_calls"][0]["function"]["name"] == "server_tool_v1"
    assert body["tool_choice"] == {"type": "function", "function": {"name": "server_tool_v1"}}
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("tool_name.mapped", "$.tools[0].name"),
        ("tool_name.mapped", "$.messages[1].content[0].name"),
        ("tool_name.mapped", "$.messages[2].content[0].name"),
    ]


def test_the_map_of_the_tools_is_theirs_alone() -> None:
    """Whoever has the tools can rebuild it to read an answer, whatever the history called."""
    tools = [Tool("a b"), Tool("c")]
    alone = mapping([tool.name for tool in tools], NameRule())
    named, names = name_tools(tools, ["a_b", "a.b", "c", "new"], NameRule(), Report())
    assert [getattr(tool, "name", "") for tool in named] == ["a_b", "c"]
    assert {name: names[name] for name in alone} == alone
    assert named[1] is tools[1]
    spelled_names = [names.get(name, name) for name in ("a b", "a_b", "a.b", "c", "new")]
    assert len(set(spelled_names)) == 5, "two never become one"
    assert invert_names(names)["a_b"] == "a b"


def test_no_name_of_the_history_depends_on_what_follows() -> None:
    _, early = name_tools([], ["look up"], NameRule(), Report())
    _, both = name_tools([], ["look up", "look_up"], NameRule(), Report())
    assert early == {"look up": "look_up"}
    assert both["look up"] == "look_up" != both["look_up"]


def test_a_result_without_a_name_gets_none_of_a_call_without_one() -> None:
    msgs = [*turn("a"), *turn("b", name="")]
    msgs[1] = Msg.tool("a", "seen")
    report = Report(msgs)
    seated, _ = respell_history(survey(msgs, report), PLAIN, {"": "made_up"}, report)
    assert seated.msgs[1] is msgs[1]
    assert seated.msgs[2].calls[0].name == "made_up"


def test_nothing_to_respell_is_nothing_new() -> None:
    tools = [Tool("look")]
    named, names = name_tools(tools, ["look"], NameRule(), Report())
    assert named is tools
    assert names == {}


def test_a_tool_is_not_changed() -> None:
    tool = Tool("a b")
    named, _ = name_tools([tool], [], NameRule(), Report())
    assert tool.name == "a b"
    assert named[0] is not tool


def test_a_function_gives_way_to_a_tool_of_the_providers_own() -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    tools: list[Tool | ServerTool] = [Tool("web_search"), ServerTool("web_search")]
    out = wire.write_request(ChatRequest([Msg.user("Hi")], tools=tools))
    first, second = (tool["name"] for tool in out.body["tools"])
    assert second == "web_search"
    assert out.names == {first: "web_search"}
    body = {"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "toolu_1", "name": first, "input": {}}]}  # fmt: skip
    options: tuple[dict[str, Any], ...] = ({"tools": tools}, {"request": out})
    for given_tools in options:
        assert wire.read_response(body, **given_tools).calls[0].name == "web_search"


FORM = Capabilities(ids=IdRule(form="functions.{name}:{n}"))


def formed(*msgs: Msg, there: frozenset[str] = frozenset()) -> tuple[list[list[str]], list[str]]:
    """(the ids of each message, the losses)."""
    report = Report(msgs)
    seated, back = respell_history(
        survey(list(msgs), report), FORM, {"look up": "look_up"}, report, there
    )
    ids = [[block.id for block in m.blocks if hasattr(block, "id")] for m in seated.msgs]
    assert all(id in {i for row in ids for i in row} for id in back)
    return ids, [loss.code for loss in report.losses]


def test_ids_of_a_form_number_all_calls_of_the_history() -> None:
    """Case 41: the template of Kimi K2 reads the tool out of an id, and the number of the call."""
    ids, codes = formed(*turn("toolu_1"), *turn("a", "b", name="look up"))
    assert ids == [["functions.look:0"]] * 2 + [["functions.look_up:1", "functions.look_up:2"]] * 2
    assert set(codes) == {"id.mapped", "tool_name.mapped"}


def test_ids_that_have_the_form_stay_and_keep_their_number() -> None:
    assert formed(*turn("functions.look:7"), *turn("functions.look:8")) == (
        [["functions.look:7"]] * 2 + [["functions.look:8"]] * 2, [])  # fmt: skip
    mixed, _ = formed(*turn("functions.look:1"), *turn("x"))
    assert mixed[2] == ["functions.look:2"], "the next number that is free"
    again, codes = formed(*turn("functions.look:0", "functions.look:0"))
    assert again[0] == again[1] == ["functions.look:0", "functions.look:1"]
    assert set(codes) == {"id.made"}
    empty, codes = formed(*turn("", ""))
    assert empty[0] == empty[1] == ["functions.look:0", "functions.look:1"]
    assert set(codes) == {"id.made"}


def test_ids_of_a_form_do_not_depend_on_what_follows() -> None:
    early, _ = formed(*turn("x"))
    later, _ = formed(*turn("x"), *turn("functions.look:0"), *turn("y"))
    assert later[:2] == early
    assert later[4] == ["functions.look:2"]
    around, _ = formed(*turn("x"), there=frozenset({"functions.look:0"}))
    assert around[0] == ["functions.look:1"]
    assert not FORM.ids.matches_form(["functions.look"])
    assert IdRule().matches_form(["anything"])


def test_what_answers_a_call_that_is_not_here_keeps_its_id() -> None:
    msgs = [Msg.tool("x" * 50, "seen"), *turn("y" * 50)]
    found, _, _ = spelled(msgs, PLAIN)
    assert found[0] == ["x" * 50]
    assert len(found[1][0]) == 40


def test_an_id_that_was_made_for_another_call_is_not_used_again() -> None:
    found, back, _ = spelled([*turn(""), *turn("call_1")], PLAIN)
    assert found == [["call_1"], ["call_1"], ["call_1_2"], ["call_1_2"]]
    assert back == {"call_1": "", "call_1_2": "call_1"}


def test_an_id_of_a_form_that_was_made_for_another_call_is_not_used_again() -> None:
    calls, codes = formed(*turn("x"), *turn("functions.look:0"), *turn("x"))
    assert calls[::2] == [["functions.look:0"], ["functions.look:1"], ["functions.look:2"]]
    assert calls[1::2] == calls[::2]
    assert codes[2:4] == ["id.made", "id.made"]


@pytest.mark.parametrize("can", [Capabilities(ids=IdRule(chars="a-zA-Z0-9", exact=9)), PLAIN])
@given(histories())
def test_ids_alone_are_respelled_as_ids_beside_names_are(
    can: Capabilities, msgs: list[Msg]
) -> None:
    def respell() -> Any:
        report = Report(msgs, None, places)
        history = survey(msgs, report)
        _, names = name_tools([], history.names, can.tool_names, report)
        history, back = respell_history(history, can, names, report)
        blocks = [(m.role, m.cache, m.extras, m.blocks) for m in history.msgs]
        losses = [(loss.code, loss.where, loss.field, loss.did) for loss in report.losses]
        return blocks, back, losses, [id(report.source(m)) for m in history.msgs if m.blocks]

    short = respell()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply_name_rules, "_respell_ids", lambda *_: None)
        assert respell() == short


def test_a_result_under_a_name_that_the_wire_refuses_is_respelled_with_its_id() -> None:
    result = ToolResultBlock("call_1", "look around", "x")
    msgs = [turn("call_1")[0], Msg("", [result], "tool")]
    report = Report(msgs, None, places)
    can = Capabilities(ids=IdRule(chars="a-zA-Z0-9", exact=9))
    history, _ = respell_history(survey(msgs, report), can, {}, report)
    assert [getattr(m.blocks[0], "name", "") for m in history.msgs] == ["look", "look_around"]
    assert {loss.code for loss in report.losses} == {"id.mapped", "tool_name.mapped"}
