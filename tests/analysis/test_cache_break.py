"""Where a prompt cache misses: each protocol's own order, marks and figures."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.analysis import cache_break
from dragoman.analysis.cache_break import CACHES
from dragoman.errors import ConfigError, ReadError
from dragoman.message import CacheHint, Origin, TextBlock, ThinkingBlock, Written
from dragoman.tokens import SumTokenCounter
from dragoman.vendors import PROTOCOLS

LOOK = Tool("look", "look at it", {"type": "object", "properties": {}})
FIND = Tool("find", "find it", {"type": "object", "properties": {}})
LONG = "word " * 2_000
TALK = [Msg.user(LONG), Msg.assistant("Yes."), Msg.user("And now?")]
MODELS = {"gemini": "gemini-3.5-flash", "ollama": "llama3.3"}


def written(wire: str, msgs: list[Msg] | None = None, **rest: Any) -> Written:
    """A request over this wire."""
    model = rest.pop("model", None)
    request = ChatRequest(TALK if msgs is None else msgs, system="Be brief.", tools=[LOOK])
    for name, value in rest.items():
        setattr(request, name, value)
    return dragoman.wire(wire, policy="ignore").write_request(request, model)


def test_every_protocol_has_a_row() -> None:
    assert set(CACHES) == set(PROTOCOLS)
    for rule in CACHES.values():
        assert rule.source
        assert rule.since


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_what_is_added_breaks_nothing(wire: str) -> None:
    found = cache_break(written(wire), written(wire, [*TALK, Msg.assistant("No."), *TALK[:1]]))
    assert not found
    assert found.path == ""
    assert found.missed == 0


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_an_edit_breaks_from_there_on(wire: str) -> None:
    after = written(wire, [TALK[0], Msg.assistant("No."), TALK[2]])
    found = cache_break(written(wire), after)
    assert found
    assert "No." in str(dug(after.body, found.path))
    assert 0 < found.missed < 100
    assert found.why.endswith("another one from here on")


@pytest.mark.parametrize("wire", PROTOCOLS)
def test_another_tool_costs_all_behind_it(wire: str) -> None:
    found = cache_break(written(wire), written(wire, tools=[FIND]))
    assert "tools" in found.path
    assert found.missed > 2_000


@pytest.mark.parametrize(
    ("wire", "first"),
    [("anthropic", "tools"), ("openai-chat", "tools"), ("openai-responses", "tools"),
     ("bedrock-converse", "toolConfig.tools"), ("gemini", "systemInstruction")],
)  # fmt: skip
def test_tools_and_system_come_in_the_providers_order(wire: str, first: str) -> None:
    found = cache_break(written(wire), written(wire, tools=[FIND], system="Be long."))
    assert found.path.startswith(f"$.{first}")


def dug(body: Any, path: str) -> Any:
    """What stands at a path."""
    from dragoman.analysis.paths import value_at

    return value_at(body, path)


HINTED = [Msg.user(LONG, cache=CacheHint()), Msg.assistant("Yes."), Msg.user("And now?")]


def test_only_what_a_mark_stands_behind_is_cached() -> None:
    after = written("anthropic", [HINTED[0], Msg.assistant("No."), HINTED[2]])
    assert not cache_break(written("anthropic"), after).cached
    marked = cache_break(written("anthropic", HINTED), after)
    assert marked.cached
    assert marked.kept > 2_000


def test_a_mark_that_moves_breaks_nothing() -> None:
    moved = [TALK[0], TALK[1], Msg.user("And now?", cache=CacheHint()), Msg.assistant("No.")]
    for wire in ("anthropic", "bedrock-converse"):
        assert not cache_break(written(wire, HINTED), written(wire, [*moved, Msg.user("So?")]))


def test_a_mark_of_the_whole_stands_at_its_end() -> None:
    before, after = written("anthropic"), written("anthropic", [*TALK, Msg.assistant("No.")])
    before.body["cache_control"] = {"type": "ephemeral"}
    assert cache_break(before, after).cached


@pytest.mark.parametrize(
    ("wire", "model", "minimum"),
    [("anthropic", "claude-opus-5-5", 512), ("anthropic", "claude-haiku-4-5", 1024),
     ("openai-chat", "gpt-5.5", 1024), ("gemini", "gemini-4-argon", 6144),
     ("mistral", "mistral-large-latest", None)],
)  # fmt: skip
def test_what_is_too_short_is_not_cached(wire: str, model: str, minimum: int | None) -> None:
    before = written(wire, [Msg.user("Hi.", cache=CacheHint())], model=model)
    after = written(wire, [Msg.user("Hi.", cache=CacheHint()), Msg.user("Ho.")], model=model)
    found = cache_break(before, after)
    assert found.minimum == minimum
    assert found.cached is (minimum is None and found.kept > 0)


def test_mistral_caches_blocks_of_tokens() -> None:
    assert cache_break(written("mistral"), written("mistral")).kept % 64 == 0


def test_gpt_is_read_from_the_end_of_a_turn_alone() -> None:
    edit = [TALK[0], Msg.assistant("Yes."), Msg.assistant("Or no."), TALK[2]]
    after = [TALK[0], Msg.assistant("Yes."), Msg.assistant("Or not."), TALK[2]]
    exact, whole = (
        cache_break(written("openai", edit, model=model), written("openai", after, model=model))
        for model in ("gpt-5.6", "gpt-5.5")
    )
    assert 2_000 < exact.kept < whole.kept


@pytest.mark.parametrize(
    ("wire", "options", "path"),
    [("anthropic", Options(reasoning="low"), "$.output_config.effort"),
     ("openai-responses", Options(reasoning="low"), "$.reasoning.effort")],
)  # fmt: skip
def test_effort_starts_it_over(wire: str, options: Options, path: str) -> None:
    found = cache_break(written(wire), written(wire, options=options))
    assert found.path.startswith(path.rpartition(".")[0]) or found.path == "$.thinking"
    assert found.kept == 0
    assert not found.cached


def test_a_choice_of_tools_costs_the_messages() -> None:
    after = written("anthropic", tool_choice=ToolChoice("required"))
    found = cache_break(written("anthropic"), after)
    assert found.path == "$.tool_choice"
    assert found.missed > 2_000
    hinted: dict[str, Any] = {"tools": [Tool("look", LONG, LOOK.schema, cache=CacheHint())]}
    other = written("anthropic", tool_choice=ToolChoice("required"), **hinted)
    assert cache_break(written("anthropic", **hinted), other).kept > 2_000


def test_another_model_finds_nothing() -> None:
    found = cache_break(written("openai", model="gpt-5.5"), written("openai", model="gpt-5.4"))
    assert found.path == "$.model"
    assert found.kept == 0


SIGNED = ThinkingBlock("Hm.", signature="c2ln", origin=Origin("anthropic"))


def test_thinking_behind_the_break_is_unbound() -> None:
    talk = [TALK[0], Msg.assistant([SIGNED, TextBlock("Yes.")]), TALK[2]]
    before = written("anthropic", talk, model="claude-opus-5-5")
    after = written("anthropic", talk, model="claude-opus-5-5", system="Be long.")
    assert cache_break(before, after).unbound == ("$.messages[1].content[0]",)
    old = {"model": "claude-haiku-4-5"}  # does not check
    after = written("anthropic", talk, system="Be long.", **old)
    assert cache_break(written("anthropic", talk, **old), after).unbound == ()


def test_options_unbind_nothing() -> None:
    talk = [TALK[0], Msg.assistant([SIGNED, TextBlock("Yes.")]), TALK[2]]
    before = written("anthropic", talk, model="claude-opus-5-5")
    after = written("anthropic", talk, model="claude-opus-5-5", options=Options(reasoning="low"))
    found = cache_break(before, after)
    assert found
    assert found.unbound == ()


class Words(SumTokenCounter):
    """Counts words."""

    def count_message(self, message: dict[str, Any]) -> int:
        return len(str(message["content"]).split())


def test_a_counter_counts() -> None:
    after = written("openai", [TALK[0], Msg.assistant("No.")])
    found = cache_break(written("openai"), after, counter=Words())
    assert found.counted
    assert 2_000 < found.kept < 2_050
    assert not cache_break(written("openai"), after).counted


def test_bodies_do_as_well() -> None:
    before, after = written("gemini"), written("gemini", [TALK[0], Msg.assistant("No.")])
    found = cache_break(before.body, after.body, wire="gemini")
    assert found.path == cache_break(before, after).path


def test_a_text_says_what_a_list_of_it_says() -> None:
    one = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    said = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]
    other = {**one, "messages": [{"role": "user", "content": said}]}
    assert not cache_break(one, other, wire="anthropic")


def test_two_wires_have_no_cache_in_common() -> None:
    with pytest.raises(ConfigError, match="one request is for"):
        cache_break(written("anthropic"), written("gemini"))


@pytest.mark.parametrize("wrong", [{}, "[1]", 3, b"{}"])
def test_what_is_no_request_is_refused(wrong: Any) -> None:
    with pytest.raises(ReadError):
        cache_break(written("openai"), wrong)
