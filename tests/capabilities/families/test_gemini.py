"""Gemini by name: which facts hold for which models, behind whom, and for which they must not."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.capabilities.families.gemini import ROWS
from dragoman.message import ServerTool
from tests.each_case import each_case

LEVELS = ("low", "medium", "high")
# (form, thinks, efforts, budgets), and the models that it holds for
THINKING: dict[tuple[Any, ...], list[str]] = {
    ("level", "always", (*LEVELS, "xhigh"), ()): [
        "gemini-4-neon", "gemini-4-neon-001", "gemini-5", "gemini-4.5-pro",
    ],
    ("level", "always", LEVELS, ()): [
        "gemini-4-argon", "gemini-4-carbon", "gemini-3.8-flash", "gemini-3.7-flash",
        "gemini-flash-latest", "gemini-pro-latest", "models/gemini-4-argon",
        "publishers/google/models/gemini-3.8-flash",
    ],
    ("level", "always", LEVELS, (128, 32_768)): ["gemini-3.1-pro-preview"],
    ("level", "always", ("low", "high"), (128, 32_768)): [
        "gemini-3-pro-preview", "gemini-3-pro-image-preview",
    ],
    ("level", "always", ("minimal", *LEVELS), ()): [
        "gemini-3-flash-preview", "gemini-3.1-flash-lite", "gemini-3.5-flash",
        "gemini-3.5-flash-lite", "gemini-3.6-flash", "google/gemini-3-flash-preview",
    ],
    ("budget", "always", (), (128, 32_768)): ["gemini-2.5-pro", "gemini-2.5-pro-preview-06-05"],
    ("budget", "on_request", (), (512, 24_576)): [
        "gemini-2.5-flash-lite", "gemini-2.5-flash-lite-preview-09-2025",
    ],
    ("budget", "default", (), (0, 24_576)): ["gemini-2.5-flash"],
    ("level", "always", ("minimal", "high"), ()): [
        "gemma-4-31b-it", "gemini-3.1-flash-image", "gemini-3.1-flash-lite-image-preview",
    ],
    ("budget", "never", (), ()): ["gemini-2.5-flash-image", "gemini-2.5-flash-image-preview"],
}  # fmt: skip
CASES = [(model, facts) for facts, models in THINKING.items() for model in models]
UNKNOWN = ("learnlm", "my-own-gemini-4", "gemini")
THREE = ("gemini-3-pro-preview", "gemini-3.5-flash", "gemini-3.8-flash", "gemini-4-neon",
         "gemini-pro-latest")  # fmt: skip
TWO = ("gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.0-flash")


@each_case("host", ["gemini", "vertex"])
@each_case(("model", "facts"), CASES)
def test_how_it_thinks(model: str, facts: tuple[Any, ...], host: str) -> None:
    found = dragoman.wire(host).can(model)
    assert (found.form, found.thinks, found.efforts, found.budgets) == facts


@pytest.mark.parametrize("model", UNKNOWN)
def test_of_other_names_nothing_is_known(model: str) -> None:
    assert [fact for fact in ROWS if fact.holds(model)] == []
    can = dragoman.wire("gemini").can(model)
    assert (can.thinks, can.efforts) == ("always", LEVELS), "what no current model refuses"


@pytest.mark.parametrize("model", ["gemini-2.0-flash", "gemini-1.5-pro"])
def test_before_thinking(model: str) -> None:
    assert dragoman.wire("gemini").can(model).thinks == "never"
    req = ChatRequest([Msg.user("x")], options=Options(reasoning="high"))
    out = dragoman.wire("gemini", policy="ignore").write_request(req, model)
    assert "generationConfig" not in out.body
    assert [loss.code for loss in out.losses] == ["option.refused"]


def test_what_came_with_gemini_3() -> None:
    for model in (*THREE, *TWO):
        can = dragoman.wire("gemini").can(model)
        newer = model in THREE
        assert ("image" in can.result) is newer, model
        assert ("image" in can.details) is newer, model
        assert "audio" not in can.result, model
        assert can.foreign_calls == ("bypass" if newer else "keep"), model
        assert (can.options.get("n") == "refuses") is newer, model


def test_sampling_is_ignored_since_the_summer_of_2026() -> None:
    for model in ("gemini-3.5-flash-lite", "gemini-3.6-flash", "gemini-3.8-flash", "gemini-4-neon"):
        assert dragoman.wire("gemini").can(model).options["temperature"] == "ignores", model
    older = ("gemini-2.5-pro", "gemini-3-flash-preview", "gemini-3.1-pro-preview")
    for model in (*older, "gemini-3.5-flash"):
        assert "temperature" not in dragoman.wire("gemini").can(model).options, model


def test_who_continues_its_own_turn() -> None:
    older = ("gemini-2.5-flash", "gemini-3-flash-preview", "gemini-3.1-pro-preview")
    for model in (*older, "gemini-3.5-flash"):
        assert dragoman.wire("gemini").can(model).prefill, model
    for model in ("gemini-3.5-flash-lite", "gemini-3.6-flash", "gemini-4-argon", "unknown"):
        assert not dragoman.wire("gemini").can(model).prefill, model


def test_penalties_went_with_gemini_4() -> None:
    for model in ("gemini-4-argon", "gemini-4-neon"):
        assert dragoman.wire("gemini").can(model).options["presence_penalty"] == "refuses"
    assert "presence_penalty" not in dragoman.wire("gemini").can("gemini-3.8-flash").options


def test_the_same_holds_behind_a_host_of_another_wire() -> None:
    can = dragoman.wire("openai-chat").can("google/gemini-4-argon")
    assert (can.thinks, can.efforts, can.prefill) == ("always", LEVELS, False)
    assert can.options["n"] == "refuses"
    own = dragoman.wire("openai-chat").can()
    assert (can.form, can.result, can.details) == (own.form, own.result, own.details)


def test_server_tools_beside_functions() -> None:
    """Gemini 3 wants its own tools shown then, which the developer API alone can.

    Gemini 2 refuses them there; Vertex has answered them.
    """
    tools: list[Tool | ServerTool] = [Tool("look"), ServerTool("web_search")]
    flag = {"includeServerSideToolInvocations": True}
    for wire, model, shown in (
        ("gemini", "gemini-3.8-flash", flag),
        ("gemini", "gemini-2.5-flash", None),
        ("vertex", "gemini-2.5-flash", None),
        ("vertex", "gemini-3.8-flash", None),
    ):
        req = ChatRequest([Msg.user("x")], tools=tools)
        out = dragoman.wire(wire, policy="ignore").write_request(req, model)
        assert out.body.get("toolConfig") == shown, (wire, model)
        dropped = (wire, model) in (("vertex", "gemini-3.8-flash"), ("gemini", "gemini-2.5-flash"))
        assert len(out.body["tools"]) == (1 if dropped else 2), (wire, model)
        assert [loss.code for loss in out.losses] == ["server_tool.unsupported"] * dropped
