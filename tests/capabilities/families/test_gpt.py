"""GPT in written requests: efforts, sampling, tools beside reasoning, where a model is served."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.errors import WriteError
from dragoman.message import AudioBlock, Base64Source, CacheHint, ImageBlock, TextBlock, Written
from tests.contract.judges import judge_request
from tests.each_case import each_case

LOOK = Tool("look", "look at it", {"type": "object", "properties": {}})
WIRES = {"chat": "openai/openai-chat", "responses": "openai/openai-responses"}


def wrote(wire: str, model: str, content: Any = "Hi.", tools: Any = (), **options: Any) -> Written:
    """The request; the judge of OpenAI's own host must not refuse a thing."""
    target = dragoman.wire(WIRES[wire], policy="ignore")
    req = ChatRequest([Msg.user(content)], tools=list(tools), options=Options(**options))
    out = target.write_request(req, model)
    assert judge_request(WIRES[wire], out.body, f"/v1{out.path}") == []
    return out


def codes(out: Written) -> list[str]:
    return [loss.code for loss in out.losses]


def effort(out: Written) -> Any:
    return out.body.get("reasoning_effort", out.body.get("reasoning", {}).get("effort"))


@each_case("wire", WIRES)
@each_case(
    ("model", "asked", "written", "lost"),
    [
        ("gpt-5.6", "high", "high", []),
        ("gpt-5.6", "xhigh", "xhigh", []),
        ("gpt-5.6", "off", "none", []),
        ("gpt-5.6", "minimal", "low", ["option.range"]),
        ("gpt-5.5", "max", "xhigh", ["option.range"]),
        ("gpt-5.1", "xhigh", "high", ["option.range"]),
        ("gpt-5.1", "off", "none", []),
        ("gpt-5.1", "on", "medium", []),  # it thinks only if it is asked for something
        ("gpt-5.6", "on", None, ["reasoning.moot"]),
        ("gpt-5", "off", "minimal", ["reasoning.always"]),
        ("gpt-5-mini", "minimal", "minimal", []),
        ("gpt-6-astra", "off", "low", ["reasoning.always"]),
        ("gpt-6.1-sol", "off", "low", ["reasoning.always"]),
        ("gpt-6.2-astra", "off", "low", ["reasoning.always"]),
        ("gpt-6.2-sol", "off", "low", ["reasoning.always"]),
        ("gpt-6-sol", "off", "none", []),
        ("gpt-6-luna", "off", "none", []),
        ("gpt-6.1-terra", "off", "none", []),
        ("gpt-5.2-chat-latest", "high", "medium", ["option.range"]),
        ("o4-mini", "minimal", "low", ["option.range"]),
        ("o1-mini", "high", None, ["option.range"]),  # it knows no efforts at all
        ("gpt-4o", "high", None, ["option.refused"]),
        ("gpt-4.1", "off", None, ["reasoning.moot"]),
        ("gpt-5-chat-latest", "high", None, ["option.refused"]),
    ],
)
def test_efforts(wire: str, model: str, asked: str, written: str | None, lost: list[str]) -> None:
    out = wrote(wire, model, reasoning=asked)
    assert effort(out) == written
    assert codes(out) == lost


@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-6-sol", "gpt-6.1-sol", "gpt-6.2-astra"])
def test_the_highest_effort_is_of_the_newer_wire_alone(model: str) -> None:
    out = wrote("responses", model, reasoning="max")
    assert (effort(out), codes(out)) == ("max", [])
    out = wrote("chat", model, reasoning="max")
    assert (effort(out), codes(out)) == ("xhigh", ["option.range"])


@pytest.mark.parametrize(
    ("model", "asked", "written"),
    [
        ("gpt-5.3-codex", "off", "none"), ("gpt-5.3-codex", "minimal", "low"),
        ("gpt-5.3-codex", "xhigh", "xhigh"), ("gpt-5.1-codex-max", "xhigh", "xhigh"),
        ("gpt-5-codex", "minimal", "low"), ("gpt-5-codex", "xhigh", "high"),
        ("gpt-5.2-pro", "low", "medium"),
    ],
)  # fmt: skip
def test_efforts_of_who_is_served_there_alone(model: str, asked: str, written: str) -> None:
    assert effort(wrote("responses", model, reasoning=asked)) == written


def test_a_budget_that_gives_way_to_tools_is_named_itself() -> None:
    out = wrote("chat", "gpt-5.6", tools=[LOOK], reasoning_budget=1024)
    assert effort(out) == "none"
    [loss] = out.losses
    assert (loss.code, loss.where, loss.what) == (
        "reasoning.off_for_tools", "$.options.reasoning_budget", "1024",
    )  # fmt: skip


def test_nothing_is_written_where_nothing_is_asked() -> None:
    for model in ("gpt-5.6", "gpt-5.1", "gpt-5", "gpt-6-astra", "gpt-4o"):
        assert effort(wrote("chat", model)) is None
        assert effort(wrote("responses", model)) is None


def test_the_newest_stops_earlier_on_the_older_wire() -> None:
    assert effort(wrote("chat", "gpt-6.1-sol", reasoning="max")) == "xhigh"
    assert effort(wrote("responses", "gpt-6.1-sol", reasoning="max")) == "max"


@pytest.mark.parametrize(
    ("model", "reasoning", "samples"),
    [
        ("gpt-5", None, False), ("gpt-5.6", None, False), ("gpt-5.6", "off", True),
        ("gpt-5.6", "low", False), ("gpt-5.1", None, True), ("gpt-5.4-nano", "off", True),
        ("gpt-5.2", "low", False), ("gpt-6-sol", "off", True), ("gpt-6-astra", "off", False),
        ("o3", None, False), ("gpt-4o", None, True), ("gpt-5-chat-latest", None, True),
    ],
)  # fmt: skip
def test_sampling_goes_with_thinking(model: str, reasoning: str | None, samples: bool) -> None:
    given: dict[str, Any] = {"temperature": 0.5, "top_p": 0.9, "presence_penalty": 0.1}
    out = wrote("chat", model, reasoning=reasoning, **given)
    assert {name in out.body for name in given} == {samples}
    assert codes(out).count("option.refused") == (0 if samples else 3)


def test_newer_o_models_take_no_stop() -> None:
    assert codes(wrote("chat", "o3", stop=("END",))) == ["option.refused"]
    assert wrote("chat", "o1", stop=("END",)).body["stop"] == ["END"]


@pytest.mark.parametrize(
    ("model", "reasoning", "written", "lost"),
    [
        ("gpt-5", "low", "low", []),
        ("gpt-5.1", "low", "low", []),
        ("gpt-5.2", None, None, []),
        ("gpt-5.2", "low", "none", ["reasoning.off_for_tools"]),
        ("gpt-5.4-mini", "high", "none", ["reasoning.off_for_tools"]),
        ("gpt-5.5", None, None, []),
        ("gpt-5.6", None, "none", ["reasoning.off_for_tools"]),
        ("gpt-5.6", "off", "none", []),
        ("gpt-6-luna", "high", "none", ["reasoning.off_for_tools"]),
    ],
)
def test_tools_and_reasoning_on_the_older_wire(
    model: str, reasoning: str | None, written: str | None, lost: list[str]
) -> None:
    out = wrote("chat", model, tools=[LOOK], reasoning=reasoning)
    assert effort(out) == written
    assert codes(out) == lost
    assert effort(wrote("responses", model, tools=[LOOK], reasoning=reasoning)) == (
        "none" if reasoning == "off" else reasoning
    )


def test_who_is_still_for_the_sake_of_its_tools_samples() -> None:
    out = wrote("chat", "gpt-5.6", tools=[LOOK], reasoning="high", temperature=0.5)
    assert (effort(out), out.body["temperature"]) == ("none", 0.5)


@pytest.mark.parametrize("model", ["gpt-6-astra", "gpt-6.1-sol"])
def test_who_always_reasons_takes_tools_on_the_newer_wire_alone(model: str) -> None:
    with pytest.raises(WriteError) as caught:
        wrote("chat", model, tools=[LOOK])
    assert (caught.value.code, caught.value.path) == ("tools.need_responses", "$.tools")
    assert wrote("responses", model, tools=[LOOK]).body["tools"]


@pytest.mark.parametrize("model", ["gpt-5.4-pro", "gpt-5.3-codex", "o3-pro", "gpt-5-pro"])
def test_who_is_served_on_the_newer_wire_alone(model: str) -> None:
    with pytest.raises(WriteError) as caught:
        wrote("chat", model)
    assert (caught.value.code, caught.value.path) == ("model.endpoint", "$.model")
    assert "openai-responses" in str(caught.value)
    assert wrote("responses", model).body["model"] == model
    gateway = dragoman.wire("openrouter", policy="ignore")
    assert gateway.write_request(ChatRequest([Msg.user("Hi.")]), f"openai/{model}").body


def test_what_they_hear_and_see() -> None:
    sound = AudioBlock(Base64Source("audio/wav", "UklGRg=="))
    image = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    assert codes(wrote("chat", "gpt-5.6", [TextBlock("?"), sound])) == ["block.unsupported"]
    assert codes(wrote("chat", "gpt-audio", [TextBlock("?"), sound])) == []
    assert codes(wrote("chat", "gpt-4o", [TextBlock("?"), image])) == []
    assert codes(wrote("chat", "o3-mini", [TextBlock("?"), image])) == ["block.unsupported"]


@pytest.mark.parametrize("wire", WIRES)
def test_breakpoints_of_the_cache(wire: str) -> None:
    content = [TextBlock("long", cache=CacheHint("12h")), TextBlock("x", cache=CacheHint())]
    assert codes(wrote(wire, "gpt-5.4", content)) == ["cache.unsupported", "cache.unsupported"]
    out = wrote(wire, "gpt-5.6", content)
    turn = (out.body.get("messages") or out.body["input"])[0]
    first, second = (part["prompt_cache_breakpoint"] for part in turn["content"])
    assert second == {"mode": "explicit"}
    if wire == "responses":
        assert (first, codes(out)) == ({"mode": "explicit", "ttl": "12h"}, [])
    else:  # twelve hours are of Responses alone: openai 3.54, PromptCacheOptions.ttl
        assert first == {"mode": "explicit"}
        assert codes(out) == ["cache.ttl"]


def test_cache_hints_are_taken_where_there_is_a_place_for_them() -> None:
    wires = ("openai-chat", "openai-responses", "gemini", "ollama", "mistral")
    hints = {wire: dragoman.wire(wire).can("gpt-5.6").cache_hints for wire in wires}
    assert hints == {
        "openai-chat": 4, "openai-responses": 4,
        "gemini": 0, "ollama": 0, "mistral": 0,
    }  # fmt: skip


def test_a_list_of_allowed_tools_stands_on_openais_wires_alone() -> None:
    wires = ("openai-chat", "openai-responses", "anthropic", "mistral", "dashscope")
    assert ["allowed" in dragoman.wire(name).can("gpt-5.6").tool_choices for name in wires] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_sound_is_heard_where_the_wire_has_a_place_for_it() -> None:
    wires = ("openai-chat", "openai-responses", "anthropic", "gemini")
    assert ["audio" in dragoman.wire(name).can("gpt-audio").user for name in wires] == [
        True, False, False, True,
    ]  # fmt: skip
