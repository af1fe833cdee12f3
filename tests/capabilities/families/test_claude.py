"""Claude by name: which facts hold for which models, behind whom, and for which they must not."""

from __future__ import annotations

import re
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.capabilities import Capabilities, matches
from dragoman.capabilities.families.claude import ROWS
from dragoman.message import ResponseFormat, ServerTool, Written
from tests.each_case import each_case

LINE = re.compile(r"claude-[^0-9]*\*").fullmatch  # no generation, so a whole line
ALL = ("low", "medium", "high", "xhigh", "max")
HOSTS = ("anthropic", "vertex/anthropic", "bedrock/anthropic")

# (thinks, efforts, budgets, form), and the names that hosts use for the models that it holds for
THINKING: dict[tuple[Any, ...], list[str]] = {
    ("always", ALL, (), "adaptive"): [
        "claude-fable-5", "claude-fable-5-20260630", "claude-fable-5-1", "claude-fable-5.1",
        "claude-fable-5-2", "claude-mythos-5", "claude-mythos-5-1", "claude-mythos-5-2",
        "claude-opus-5-5", "anthropic/claude-opus-5.5", "us.anthropic.claude-opus-5-5",
        "claude-opus-5-5@20260922", "claude-opus-5-5-20260922-v1:0",
    ],
    ("always", ("low", "medium", "high", "max"), (), "adaptive"): ["claude-mythos-preview"],
    ("default", ALL, (), "between_tools"): ["claude-sonnet-5-5", "claude-sonnet-5.5"],
    ("default", ALL, (), "adaptive"): [
        "claude-opus-5", "claude-opus-5-20260724", "claude-sonnet-5", "claude-sonnet-5@20260630",
        "claude-haiku-5-5", "global.anthropic.claude-sonnet-5",
    ],
    ("on_request", ALL, (), "adaptive"): [
        "claude-opus-4-8", "claude-opus-4.7", "claude-opus-4-7-fast",
    ],
    ("on_request", ("low", "medium", "high", "max"), (1024, 127_999), "adaptive"): [
        "claude-opus-4-6", "us.anthropic.claude-opus-4-6-v1", "claude-sonnet-4-6",
    ],
    ("on_request", ("low", "medium", "high"), (1024, 63_999), "budget"): [
        "claude-opus-4-5", "claude-opus-4-5-20251101", "claude-opus-4.5",
    ],
    ("on_request", (), (1024, 63_999), "budget"): [
        "claude-sonnet-4-5-20250929", "claude-haiku-4-5", "claude-haiku-4-5@20251001",
        "claude-sonnet-4", "claude-sonnet-4-20250514", "claude-sonnet-4-0",
        "claude-3-7-sonnet-latest", "claude-3.7-sonnet:thinking",
        "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    ],
    ("on_request", (), (1024, 31_999), "budget"): [
        "claude-opus-4-1", "claude-opus-4-1-20250805", "claude-opus-4-20250514", "claude-opus-4",
    ],
    ("never", (), (), "adaptive"): [
        "claude-3-5-sonnet-20241022", "claude-3-haiku-20240307", "claude-3-opus-20240229-v1:0",
    ],
}  # fmt: skip
CASES = [(model, facts) for facts, models in THINKING.items() for model in models]
UNKNOWN = ("claudette-opus-5", "not-claude-opus-5", "gpt-5.6")
# names yet to come -> the newest known model of their line, and of Claude for a new line
TO_COME = {
    "claude-opus-6": "claude-opus-5-5", "claude-opus-5-9": "claude-opus-5-5",
    "claude-opus-4-9": "claude-opus-5-5", "claude-fable-5-15": "claude-fable-5-2",
    "claude-haiku-6-5": "claude-haiku-5-5", "claude-sonnet-6": "claude-sonnet-5-5",
    "claude-epic-1": "claude-fable-5-2",
}  # fmt: skip

REFUSE_SAMPLING = ("claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5", "claude-opus-4-7")
ONE_SAMPLER = ("claude-opus-4-6", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-1")
SAMPLE = ("claude-sonnet-4-20250514", "claude-opus-4-0", "claude-3-5-haiku-20241022")

UNFORCED = ("claude-mythos-preview", "claude-fable-5-1", "claude-fable-5-2", "claude-mythos-5-1",
            "claude-opus-5-5", "claude-sonnet-5-5")  # fmt: skip
FORCED = ("claude-fable-5", "claude-fable-5-20260630", "claude-opus-5", "claude-sonnet-5",
          "claude-haiku-5-5", "claude-opus-4-8", "claude-3-haiku-20240307")  # fmt: skip

BOUND = ("claude-fable-5-1", "claude-mythos-5-1", "claude-opus-5-5", "claude-sonnet-5-5",
         "claude-haiku-5-5", "claude-fable-5-2", "claude-mythos-5-2")  # fmt: skip
UNBOUND = ("claude-fable-5", "claude-opus-5", "claude-sonnet-5", "claude-opus-4-8",
           "claude-haiku-4-5", "claude-sonnet-5-20260630")  # fmt: skip

PLACED = ("claude-opus-4-8", "claude-opus-5", "claude-fable-5", "claude-mythos-5-1",
          "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")  # fmt: skip
TOLD = ("claude-opus-4-7", "claude-sonnet-5", "claude-sonnet-4-6", "claude-haiku-4-5")

PREFILLED = ("claude-opus-4-5", "claude-haiku-4-5", "claude-3-5-sonnet-20241022")
ENDED = ("claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-5-5", "claude-haiku-5-5")


def can(model: str, wire: str = "anthropic") -> Capabilities:
    return dragoman.wire(wire).can(model)


def wrote(model: str, wire: str = "anthropic", **fields: Any) -> Written:
    msgs = fields.pop("messages", [Msg.user("x")])
    return dragoman.wire(wire, policy="ignore").write_request(ChatRequest(msgs, **fields), model)


def codes(out: Written) -> list[str]:
    return [loss.code for loss in out.losses if loss.code != "max_tokens.default"]


@each_case("host", HOSTS)
@each_case(("model", "facts"), CASES)
def test_how_it_thinks(model: str, facts: tuple[Any, ...], host: str) -> None:
    found = can(model, host)
    assert (found.thinks, found.efforts, found.budgets, found.form) == facts


@pytest.mark.parametrize("model", UNKNOWN)
def test_of_other_names_nothing_is_known(model: str) -> None:
    assert [fact for fact in ROWS if fact.holds(model)] == []


@each_case("host", [*HOSTS, "bedrock"])
@each_case(("model", "known"), TO_COME.items())
def test_a_name_yet_to_come_is_taken_for_the_newest_of_its_line(
    model: str, known: str, host: str
) -> None:
    assert dragoman.wire(host).can(model) == dragoman.wire(host).can(known)


@each_case(("model", "facts"), CASES)
def test_a_model_is_one_model(model: str, facts: tuple[Any, ...]) -> None:
    """Names of known models overlap nowhere: their order decides of the names of whole lines."""
    name = model.rpartition("/")[2].removeprefix("us.anthropic.").removeprefix("global.anthropic.")
    rows = [fact for fact in ROWS if not fact.when and fact.holds(name)]
    assert [fact.wire for fact in rows[:2]] == ["anthropic", ""]
    known = [fact for fact in rows if matches(name, tuple(p for p in fact.models if not LINE(p)))]
    assert [fact.wire for fact in known] == ["anthropic", ""]


@pytest.mark.parametrize("model", [*REFUSE_SAMPLING, "claude-haiku-5-5", "claude-opus-9"])
def test_sampling_is_refused(model: str) -> None:
    out = wrote(model, options=Options(temperature=0.5, top_p=0.5, top_k=5))
    assert not {"temperature", "top_p", "top_k"} & set(out.body)
    assert codes(out) == ["option.refused"] * 3


@pytest.mark.parametrize("model", ONE_SAMPLER)
def test_a_temperature_stands_alone(model: str) -> None:
    out = wrote(model, options=Options(temperature=0.5, top_p=0.5, top_k=5))
    assert (out.body["temperature"], out.body["top_k"]) == (0.5, 5)
    assert "top_p" not in out.body
    assert codes(out) == ["option.refused"]
    assert wrote(model, options=Options(top_p=0.5)).body["top_p"] == 0.5


@pytest.mark.parametrize("model", SAMPLE)
def test_the_oldest_sample_as_they_are_told(model: str) -> None:
    out = wrote(model, options=Options(temperature=0.5, top_p=0.5, top_k=5))
    assert (out.body["temperature"], out.body["top_p"], out.body["top_k"]) == (0.5, 0.5, 5)
    assert codes(out) == []


@pytest.mark.parametrize("model", [*ONE_SAMPLER, *SAMPLE[:2]])
def test_while_it_thinks_it_samples_its_own_way(model: str) -> None:
    given = Options(temperature=0.5, top_p=0.5, top_k=5, reasoning_budget=2000)
    out = wrote(model, options=given)
    assert out.body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert not {"temperature", "top_k"} & set(out.body)
    assert out.body["top_p"] == 0.95
    assert codes(out) == ["option.refused", "option.refused", "option.range"]


@pytest.mark.parametrize("choice", [ToolChoice("required"), ToolChoice("tool", "look")])
@pytest.mark.parametrize("host", HOSTS)
def test_who_may_be_forced_to_call(choice: ToolChoice, host: str) -> None:
    fields: dict[str, Any] = {"tools": [Tool("look")], "tool_choice": choice}
    for model in FORCED:
        out = wrote(model, host, **fields)
        assert out.body["tool_choice"]["type"] in ("any", "tool"), model
        assert codes(out) == [], model
    for model in (*UNFORCED, "claude-opus-6"):
        out = wrote(model, host, **fields)
        assert out.body["tool_choice"] == {"type": "auto"}, model
        assert codes(out) == ["tool_choice.lowered"], model


def test_thinking_by_a_budget_takes_no_forced_tool() -> None:
    fields: dict[str, Any] = {"tools": [Tool("look")], "tool_choice": ToolChoice("required")}
    for model, options, forced in (
        ("claude-haiku-4-5", {"reasoning_budget": 2000}, False),
        ("claude-haiku-4-5", {"reasoning": "low"}, False),
        ("claude-haiku-4-5", {}, True),
        ("claude-haiku-4-5", {"reasoning": "off"}, True),
        ("claude-opus-4-6", {"reasoning_budget": 2000}, False),
        ("claude-opus-4-6", {"reasoning": "high"}, True),  # adaptive: recorded
        ("claude-opus-5", {"reasoning": "high"}, True),
    ):
        out = wrote(model, options=options, **fields)
        kind = out.body["tool_choice"]["type"]
        assert kind == ("any" if forced else "auto"), (model, options)


@pytest.mark.parametrize("host", HOSTS)
def test_whose_thinking_is_bound(host: str) -> None:
    for model in (*BOUND, "claude-opus-6"):
        assert can(model, host).binding == "prefix", model
    for model in UNBOUND:
        assert can(model, host).binding == "none", model


def test_what_a_system_message_becomes_later_on() -> None:
    for model in PLACED:
        assert can(model).late_system == "placed", model
    for model in TOLD:
        assert can(model).late_system == "reminder", model


def test_who_continues_its_own_turn() -> None:
    begun = [Msg.user("x"), Msg.assistant("{")]
    for model in PREFILLED:
        assert wrote(model, messages=begun).body["messages"][-1]["role"] == "assistant", model
        if can(model).thinks == "never":
            continue
        thinking = wrote(model, messages=begun, options=Options(reasoning_budget=2000))
        assert thinking.body["messages"][-1]["role"] == "user", model
    for model in ENDED:
        assert wrote(model, messages=begun).body["messages"][-1]["role"] == "user", model


def test_schemas_came_with_opus_4_1() -> None:
    form = ResponseFormat("schema", {"type": "object"})
    for model in ("claude-opus-4-1", "claude-haiku-4-5", "claude-opus-5-5", "claude-opus-9"):
        assert "format" in wrote(model, response_format=form).body["output_config"], model
    for model in ("claude-sonnet-4-20250514", "claude-opus-4-0", "claude-3-5-haiku-20241022"):
        out = wrote(model, response_format=form, tools=[Tool("look", strict=True)])
        assert "output_config" not in out.body, model
        assert "strict" not in out.body["tools"][0], model
        assert set(codes(out)) == {"format.in_words", "format.unsupported", "tool.strict"}, model


def test_on_bedrock_schemas_are_taken_since_opus_4_5_but_by_fable() -> None:
    form = ResponseFormat("schema", {"type": "object"})
    for host, body in (("bedrock/anthropic", "output_config"), ("bedrock", "outputConfig")):
        for model in ("claude-sonnet-4-6", "claude-haiku-4-5", "claude-opus-4-7", "claude-opus-5",
                      "claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-6"):  # fmt: skip
            out = wrote(f"us.anthropic.{model}", host, response_format=form)
            assert body in out.body, (host, model)
            assert can(f"us.anthropic.{model}", host).strict_tools, (host, model)
        for model in ("claude-opus-4-1-20250805-v1:0", "claude-fable-5", "claude-fable-5-2"):
            out = wrote(f"us.anthropic.{model}", host, response_format=form)
            assert body not in out.body, (host, model)
            assert codes(out) == ["format.in_words", "format.unsupported"], (host, model)
            assert not can(f"us.anthropic.{model}", host).strict_tools, (host, model)


def test_an_hour_of_cache_on_bedrock_is_for_claude_4_5_and_later() -> None:
    for host in ("bedrock/anthropic", "bedrock"):
        for model in ("claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-5-5", "claude-opus-6"):
            assert "1h" in can(model, host).cache_ttls or not can(model, host).cache_ttls, model
        for model in ("claude-3-7-sonnet-20250219-v1:0", "claude-opus-4-20250514-v1:0",
                      "claude-opus-4-1-20250805-v1:0"):  # fmt: skip
            assert set(can(model, host).cache_ttls) == {"5m"}, (host, model)


def test_server_tools_by_generation() -> None:
    tools = [ServerTool("web_search"), ServerTool("code_execution"), ServerTool("file_search")]
    for model, known in (
        ("claude-opus-5-5", ["web_search", "code_execution"]),
        ("claude-haiku-4-5", ["web_search", "code_execution"]),
        ("claude-opus-4-1", ["web_search"]),
        ("claude-3-haiku-20240307", []),
    ):
        out = wrote(model, tools=tools)
        assert [tool["name"] for tool in out.body.get("tools", [])] == known, model
        assert codes(out) == ["server_tool.unsupported"] * (3 - len(known)), model


def test_the_oldest_answer_shortly() -> None:
    for model, most in (("claude-3-opus-20240229", 4096), ("claude-3-5-haiku-20241022", 8192)):
        assert wrote(model).body["max_tokens"] == most
    assert wrote("claude-opus-5-5").body["max_tokens"] == 16_384


def test_the_same_holds_behind_a_host_of_another_wire() -> None:
    newest = can("anthropic/claude-opus-5.5", "openai-chat")
    assert newest.options["temperature"] == "refuses"
    assert newest.tool_choices >= {"auto", "none"}
    assert not newest.tool_choices & {"required", "tool"}
    assert not newest.prefill
    assert newest.binding == "none", "signatures do not travel on that wire"
    assert can("anthropic/claude-haiku-4.5", "openai-chat").budgets == (1024, 63_999)
