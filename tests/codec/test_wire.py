"""Wire: models, facts, prompts, and what every request says whatever its protocol is."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman import ByName, ChatRequest, Msg, Options, Tagged, Tool
from dragoman.caches import CACHES, BoundedCache
from dragoman.capabilities import Fact, Facts
from dragoman.errors import ConfigError, InvalidMessage, LossRefused, WriteError
from dragoman.history.pipeline import FormatStyle
from dragoman.history.system_prompt import SystemPrompt
from dragoman.losses import Policy
from dragoman.message import CacheHint, TextBlock, ToolUseBlock
from tests.each_case import each_case

WIRES = dragoman.wires()
HI = [Msg.user("Hi.")]


def write(name: str, *msgs: Msg, **rest: Any) -> Any:
    return dragoman.wire(name, policy="ignore").write_request(ChatRequest(list(msgs), **rest))


def codes(out: Any) -> list[tuple[str, str]]:
    return [(loss.code, loss.where) for loss in out.losses]


@each_case("name", WIRES)
def test_a_request_is_not_changed_and_says_what_is_sent(name: str) -> None:
    req = ChatRequest(list(HI), model="some-model", tools=[Tool("look")], metadata={"k": 1})
    before = copy.deepcopy(req)
    out = dragoman.wire(name, policy="ignore").write_request(req)
    assert req == before
    assert out.model == "some-model"
    assert "some-model" in str(out.body) + out.path
    assert out.path.startswith("/")
    assert "Hi." in str(out.body)
    for word in ("authorization", "api-key", "bearer"):
        assert word not in str(out.headers).lower()


def test_what_a_model_can_is_found_again_for_the_same_facts_alone() -> None:
    """What wires share in a cache is what each would work out by itself."""
    thinks = ChatRequest(list(HI), options=Options(reasoning="high"), tools=[Tool("look")])
    changed = [None, *(Facts(always={"image": allowed}) for allowed in (False, True))]
    every = [
        (name, facts, model, request)
        for name in WIRES for facts in changed
        for model in ("claude-opus-5-5", "gpt-5.6", None) for request in (None, thinks)
    ]  # fmt: skip

    def ask(name: str, own: Facts | None, *asked: Any) -> Any:
        return dragoman.wire(name, facts=own).can(*asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoundedCache, "get", lambda self, key: None)
        alone = [ask(*one) for one in every]
    CACHES["dragoman.codec.model_facts.applied"].clear()
    assert [ask(*one) for one in every] == alone
    assert [ask(*one) for one in reversed(every)] == alone[::-1]
    for allowed in (False, True) * 20:  # of which the next is where the one before was in memory
        own = Facts(always={"image": allowed})
        assert ("image" in ask("anthropic", own).user) == allowed


@each_case("name", WIRES)
def test_whose_model_is_named(name: str) -> None:
    wire = dragoman.wire(name, policy="ignore")
    req = ChatRequest(list(HI), model="from-request")
    assert wire.write_request(req).model == "from-request"
    assert wire.write_request(req, "from-call").model == "from-call"
    out = wire.write_request(ChatRequest(list(HI)))
    assert out.model == wire.room.model
    assert ("model.default", "$.model") in codes(out)


@each_case("name", WIRES)
@each_case("msgs", [[], [Msg.user("")], [Msg.user([])]])
def test_nothing_to_send(name: str, msgs: list[Msg]) -> None:
    wire = dragoman.wire(name, policy="ignore")
    try:
        out = wire.write_request(ChatRequest(msgs))
    except WriteError as error:
        assert (error.code, error.path) == ("messages.empty", "$.messages")  # noqa: PT017
    else:
        assert msgs, "an empty history is sent nowhere"
        assert out.body


@each_case("name", WIRES)
def test_a_prompt_of_three_parts(name: str) -> None:
    out = write(name, *HI, system="You help.", memories="Likes tea.", tools=[Tool("look")])
    text = str(out.body)
    assert text.index("You help.") < text.index("<long_term_memory>") < text.index("Likes tea.")
    assert ("prompt.memories", "$.memories") in codes(out)


def test_where_the_parts_of_a_prompt_come_from() -> None:
    style = FormatStyle(prompt=SystemPrompt(describe_tools="always"))
    wire = dragoman.wire("openai-chat", policy="ignore")
    req = ChatRequest(list(HI), system="You help.", tools=[Tool("look", "at it")], model="m")
    out = wire.write_request(req, style=style)
    assert out.body["messages"][0]["content"] == (
        "You help.\n\nYou have the following tools available:\n- look: at it\n"
    )
    assert codes(out) == [("prompt.tools", "$.tools")]


def test_losses_of_a_made_prompt_are_found_in_the_request() -> None:
    out = write("anthropic", Msg.assistant("x"), system=" ", model="claude-haiku-4-5")
    assert ("message.empty", "$.system.content") in codes(out)


def test_a_model_without_tools_gets_none() -> None:
    facts = Facts((Fact(("mute*",), {"tools": False}, "2026-01-01", "here"),))
    wire = dragoman.wire("openai-chat", facts=facts, policy="ignore")
    req = ChatRequest(list(HI), tools=[Tool("look"), Tool("find")])
    out = wire.write_request(req, "mute-1")
    assert "tools" not in out.body
    assert codes(out) == [("tools.unsupported", "$.tools[0]"), ("tools.unsupported", "$.tools[1]")]
    assert "tools" in wire.write_request(req, "loud-1").body


def test_facts_are_asked_by_the_bare_name() -> None:
    facts = Facts((Fact(("mute*",), {"tools": False}, "2026-01-01", "here"),))
    wire = dragoman.wire("openai-chat", facts=facts)
    for model in ("mute-1", "MUTE-1", "host/team/Mute-1"):
        assert not wire.can(model).tools
        assert [fact.source for fact in wire.list_facts(model)] == ["here"]
    assert wire.can(None).tools
    assert wire.can("host/other").tools
    assert wire.can("mute-1") is wire.can("mute-1")


def test_cache_hints_over_the_limit_go_the_oldest_first() -> None:
    msgs = [Msg.user(str(i), cache=CacheHint()) for i in range(6)]
    out = write("anthropic", *msgs, model="m")
    marks = ["cache_control" in str(message) for message in out.body["messages"]]
    assert marks == [False, False, True, True, True, True]
    assert codes(out)[:2] == [("cache.limit", f"$.messages[{i}].cache") for i in (0, 1)]


def test_hints_of_tools_count_as_well() -> None:
    tools = [Tool(f"t{i}", cache=CacheHint()) for i in range(5)]
    out = write("anthropic", Msg.user("x", cache=CacheHint()), tools=tools, model="m")
    assert ["cache_control" in tool for tool in out.body["tools"]] == [False] + [True] * 4
    assert "cache_control" not in str(out.body["messages"])
    assert [where for code, where in codes(out) if code == "cache.limit"] == [
        "$.tools[0].cache", "$.messages[0].cache",
    ]  # fmt: skip


def test_a_hint_stands_on_the_last_block_that_can_carry_it() -> None:
    from dragoman.message import ThinkingBlock

    thought = ThinkingBlock("hm", signature="c2ln")
    msg = Msg.assistant([TextBlock("x"), thought], cache=CacheHint())
    out = write("anthropic", Msg.user("Hi."), msg, Msg.user("y"), model="m")
    assert "cache_control" in out.body["messages"][1]["content"][0]
    alone = Msg.assistant([thought], cache=CacheHint())
    out = write("anthropic", Msg.user("Hi."), alone, Msg.user("y"), model="m")
    assert ("cache.unsupported", "$.messages[1].cache") in codes(out)


def test_policies_of_wires_and_calls() -> None:
    video = {"type": "video", "source": {"type": "url", "url": "https://example.com/a.mp4"}}
    req = ChatRequest([Msg.user([TextBlock("x"), video])], model="m")
    with pytest.raises(LossRefused):
        dragoman.wire("openai-chat", policy="refuse").write_request(req)
    strict = Policy(refuse=("block.unsupported",))
    wire = dragoman.wire("openai-chat", policy="ignore")
    with pytest.raises(LossRefused) as caught:
        wire.write_request(req, policy=strict)
    assert caught.value.losses[0].where == "$.messages[0].content[1]"
    assert wire.write_request(req).losses


def test_the_agents_point_of_view() -> None:
    req = ChatRequest([Msg("Friday", "I am."), Msg("Bob", "Hi.")], agent_name="Friday", model="m")
    style = FormatStyle(speakers=Tagged())
    body = dragoman.wire("openai-chat").write_request(req, style=style).body
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        ("assistant", "I am."), ("user", "[Bob]: Hi."),
    ]  # fmt: skip
    assert style.seen_by("Friday") != style
    assert style.seen_by(None) is style
    fixed = replace(style, speakers=Tagged("Bob"))
    assert fixed.seen_by("Friday") is fixed
    assert FormatStyle(speakers=ByName()).seen_by("Friday").speakers == ByName(me="Friday")
    by_role = FormatStyle()
    assert by_role.seen_by("Friday") is by_role


def test_ids_lead_back_to_the_tree() -> None:
    call = Msg.assistant([ToolUseBlock("a.b", "look", {})])
    out = write("anthropic", Msg.user("x"), call, model="m")
    (wire_id,) = out.ids
    assert out.body["messages"][1]["content"][0]["id"] == wire_id
    assert out.ids == {wire_id: "a.b"}


@each_case("name", WIRES)
def test_wires_and_answers_travel(name: str) -> None:
    wire = pickle.loads(pickle.dumps(dragoman.wire(name)))
    req = ChatRequest(list(HI), options=Options(max_tokens=10))
    out = wire.write_request(req)
    assert out.body == dragoman.wire(name).write_request(req).body
    assert pickle.loads(pickle.dumps(out)) == out
    assert repr(wire) == f"Wire({name!r})"


def test_wires_are_shared_by_threads() -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    expected = wire.write_request(ChatRequest(list(HI), model="m")).body
    found: list[Any] = []

    def work() -> None:
        found.extend(wire.write_request(ChatRequest(list(HI), model="m")).body for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 200


@pytest.mark.parametrize("model", [5, ["gpt-5.6"]])
def test_a_model_is_text(model: Any) -> None:
    request = ChatRequest(list(HI))
    with pytest.raises(InvalidMessage) as caught:
        dragoman.wire("openai-chat").write_request(request, model=model)
    assert caught.value.path == "$.model"


def test_an_empty_model_is_none_at_all() -> None:
    out = write("openai-chat", *HI, model="")
    assert out.body["model"] == "gpt-5.6"
    assert ("model.default", "$.model") in codes(out)


@pytest.mark.parametrize("given", [{"speakers": "byname"}, {"rewrites": 5}, {"rewrites": ["x"]}])
def test_what_is_no_rewrite_is_refused_when_a_formatter_is_made(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        dragoman.Formatter("openai-chat", **given)
    assert caught.value.code == "formatter.rewrite"


def test_an_error_is_read_whatever_its_shape() -> None:
    wire = dragoman.wire("openai-chat")
    told = wire.error(400, b'{"error": {"message": "No such model", "type": "t", "code": "c"}}')
    assert (told.message, told.status, told.type, told.code) == ("No such model", 400, "t", "c")
    plain = wire.error(502, "<html>Bad gateway</html>")
    assert (plain.message, plain.status, plain.body) == ("<html>Bad gateway</html>", 502,
                                                         "<html>Bad gateway</html>")  # fmt: skip


def entered(name: str, tools: int) -> int:
    """How many functions a small request enters with that many tools."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    req = ChatRequest(HI, tools=[Tool(f"look{i}", "look", schema) for i in range(tools)])
    wire = dragoman.wire(name, policy="ignore")
    wire.write_request(req)  # what is remembered is known from here on
    calls: list[str] = []
    sys.setprofile(lambda frame, event, arg: calls.append(event) if event == "call" else None)
    try:
        wire.write_request(req)
    finally:
        sys.setprofile(None)
    return len(calls)


@pytest.mark.parametrize("name", ["openai-chat", "anthropic", "gemini"])
def test_a_tool_is_asked_only_what_it_calls_for(name: str) -> None:
    assert (entered(name, 21) - entered(name, 1)) / 20 <= 20, "lowered once, its names read once"
    assert entered(name, 0) <= 60
