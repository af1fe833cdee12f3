"""Requests of Chat Completions: read into the tree, and said again as they came."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, ServerTool, Tool, ToolChoice
from dragoman.message import CacheHint, Grammar, Options, ResponseFormat, dump, load
from tests.each_case import each_case

from .bodies import ALL, BODIES, FIELDS, LOOK, MARK, WIRE, body, exact, read, said


@each_case("told", BODIES.values())
def test_a_body_is_said_again_as_it_came(told: dict[str, Any]) -> None:
    before = exact(told)
    req = read(told)
    assert exact(said(req)) == before
    assert exact(told) == before, "reading changes nothing"


STORED = {name: told for name, told in BODIES.items() if "half" not in name}


@each_case("told", STORED.values())
def test_also_after_it_was_stored(told: dict[str, Any]) -> None:
    stored = json.loads(json.dumps(dump(read(told))))
    req = load(stored)
    assert isinstance(req, ChatRequest)
    assert exact(said(req)) == exact(told)


def test_a_body_without_messages() -> None:
    assert exact(said(read({"model": "m"}))) == exact({"model": "m"})
    assert said(read({"messages": []})) == {"messages": []}


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(0, 2)
    | st.sampled_from(["", "x", "auto", "text", "tool", "function", "reasoning.text"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(
        st.sampled_from(["type", "name", "text", "function", "role", "content", "url", "k"]),
        inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def spots(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        found += [spot for key, inner in pairs for spot in spots(inner, (*at, key))]
    return found


@given(st.sampled_from([*STORED.values()]), st.data())
def test_whatever_stands_anywhere_it_comes_back(told: dict[str, Any], data: st.DataObject) -> None:
    changed = copy.deepcopy(told)
    *heads, last = data.draw(st.sampled_from(spots(changed)))
    here: Any = changed
    for key in heads:
        here = here[key]
    if data.draw(st.booleans()):
        here[last] = data.draw(ODD)
    else:
        del here[last]
    req = read(changed)
    assert exact(said(req)) == exact(changed)
    assert list(dragoman.wire(WIRE).room.places(req, changed))


def test_options_have_their_neutral_homes() -> None:
    told = body(max_tokens=5, stop="END", seed=1, user="u", thinking={"type": "adaptive"},
                thinking_budget=9)  # fmt: skip
    assert read(told).options == Options(
        max_tokens=5, stop=("END",), seed=1, user="u", reasoning="on", reasoning_budget=9
    )
    assert read(body(reasoning_effort="none")).options.reasoning == "off"
    both = read(body(reasoning_effort="max", thinking={"type": "enabled"}))
    assert both.options.reasoning == "max"
    assert WIRE not in (both.extras or {}), "the switch says no more than the effort does"
    against = read(body(reasoning_effort="max", thinking={"type": "disabled"}))
    assert (against.extras or {})[WIRE] == {"thinking": {"type": "disabled"}}


def test_what_nobody_models_is_kept_by_its_name() -> None:
    req = read(body(store=True, user=None))
    assert (req.extras or {})[WIRE] == {"store": True, "user": None}
    assert (req.model, req.stream) == ("m", False)
    assert read(body(stream=True)).stream


def test_options_that_somebody_changed_are_left_to_others() -> None:
    told = body(temperature=1, thinking={"type": "enabled", "k": 1}, stop="END")
    out = said(read(told), kept=ALL - {"temperature", "reasoning", "stop"})
    assert out == body(thinking={"k": 1})


def test_tools_have_their_neutral_homes() -> None:
    tool = {"type": "function", **MARK, "function": {**LOOK["function"], "strict": False}}
    (made,) = read(body(tools=[tool])).tools
    assert isinstance(made, Tool)
    assert (made.name, made.description, made.parameters) == ("look", "Looks", {})
    assert (made.strict, made.cache) == (False, CacheHint("1h"))
    custom = {"type": "custom", "custom": {"name": "grep"}}
    (freeform,) = read(body(tools=[custom])).tools
    assert isinstance(freeform, Tool)
    assert (freeform.name, freeform.freeform, freeform.grammar) == ("grep", True, None)
    form = {"type": "grammar", "grammar": {"syntax": "regex", "definition": "a+"}}
    custom = {"type": "custom", "custom": {"name": "grep", "format": form}}
    (freeform,) = read(body(tools=[custom])).tools
    assert isinstance(freeform, Tool)
    assert freeform.grammar == Grammar("a+", "regex")
    odd = {"type": "custom", "custom": {"name": 1}}
    assert read(body(tools=[odd])).tools == [ServerTool("own", extras={WIRE: odd})]


@pytest.mark.parametrize(
    ("fields", "choice"),
    [
        ({"tool_choice": "any"}, ToolChoice("required")),
        ({"tool_choice": "none"}, ToolChoice("none")),
        (FIELDS["one"], ToolChoice("tool", "look")),
        (FIELDS["untyped one"], ToolChoice("tool", "look")),
        (FIELDS["some"], ToolChoice("required", allowed=("look",))),
        (FIELDS["one by one"], ToolChoice(parallel=False)),
        ({"function_call": {"name": "look"}}, ToolChoice("tool", "look")),
        ({"function_call": "none"}, ToolChoice("none")),
        (FIELDS["one and more"], None),
        (FIELDS["some of others"], None),
        ({"tool_choice": "often"}, None),
    ],
)
def test_choices(fields: dict[str, Any], choice: ToolChoice | None) -> None:
    assert read(body(**fields)).tool_choice == choice


def test_formats() -> None:
    schema = FIELDS["schema"]
    want = ResponseFormat("schema", {"type": "object"}, "a", "d", True)
    assert read(body(**schema)).response_format == want
    assert read(body(**FIELDS["json"])).response_format == ResponseFormat("json")
    assert read(body(**FIELDS["no schema"])).response_format is None


SEARCH = {"type": "openrouter:web_search",
          "parameters": {"allowed_domains": ["a.org"], "max_uses": 2, "k": 1}}  # fmt: skip


def test_a_vendors_own_tools_are_read_where_it_writes_them() -> None:
    told = body(tools=[SEARCH, LOOK])
    req = read(told, "openrouter")
    assert req.tools[0] == ServerTool(
        "web_search", ("a.org",), max_uses=2, extras={"openrouter": {"parameters": {"k": 1}}}
    )
    assert exact(said(req, "openrouter")) == exact(told)
    odd = body(tools=[{**SEARCH, "parameters": {"max_uses": 0}}])
    assert read(odd, "openrouter").tools[0].kind == "own"  # type: ignore[union-attr]
    assert exact(said(read(odd, "openrouter"), "openrouter")) == exact(odd)


def test_switches_of_the_body_are_tools() -> None:
    wire = "dashscope/openai-chat"
    sites = {"assigned_site_list": ["a.org"], "forced_search": True}
    told = body(enable_search=True, tools=[LOOK], search_options=sites)
    req = read(told, wire)
    assert [tool.type for tool in req.tools] == ["function", "server"]
    assert req.tools[1].domains == ("a.org",)  # type: ignore[union-attr]
    assert exact(said(req, wire)) == exact(told)
    off = body(enable_search=False)
    assert read(off, wire).tools == []
    assert said(req, wire, ALL - {"tools"}) == body()


def test_a_vendors_own_keys_come_first() -> None:
    told = body(user_id="a", user="b", max_tokens=3)
    req = read(told, "zhipu")
    assert (req.options.user, req.options.max_tokens) == ("a", 3)
    assert exact(said(req, "zhipu")) == exact(told)
