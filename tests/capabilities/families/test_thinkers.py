"""Qwen, DeepSeek, Kimi, GLM, MiniMax, Grok and open weights in written requests, by name.

The wire is the protocol's own, so that what comes out is the family's and not a host's; how a host
is asked for thinking is asked of the makers' own hosts.
"""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.message import (
    Base64Source,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Written,
)
from tests.each_case import each_case

LOOK = Tool("look", "look at it", {"type": "object", "properties": {}})
WIRE = dragoman.wire("openai-chat", policy="ignore")
ON, OFF = {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}
KEYS = ("thinking", "reasoning_effort", "enable_thinking", "thinking_budget")
HOMES = {
    "qwen": "dashscope/openai-chat", "deepseek": "deepseek", "kimi": "moonshot", "glm": "zhipu",
    "minimax": "minimax", "grok": "xai/openai-chat",
}  # fmt: skip


def at_home(model: str) -> dragoman.Wire:
    """The Chat Completions of the model's maker; of open weights that of nobody."""
    home = next((home for line, home in HOMES.items() if model.lower().startswith(line)), None)
    return dragoman.wire(home or "openai-chat", policy="ignore")


def wrote(model: str, *msgs: Msg, wire: dragoman.Wire = WIRE, **rest: Any) -> Written:
    options = rest.pop("options", {})
    req = ChatRequest([*(msgs or [Msg.user("Hi.")])], options=Options(**options), **rest)
    return wire.write_request(req, model)


def codes(out: Written) -> list[str]:
    return [loss.code for loss in out.losses]


def asking(out: Written) -> dict[str, Any]:
    return {key: out.body[key] for key in KEYS if key in out.body}


@each_case(
    ("model", "asked", "written", "lost"),
    [
        ("qwen-plus", {"reasoning": "on"}, {"enable_thinking": True}, []),
        ("qwen-plus", {"reasoning": "high"}, {"enable_thinking": True}, ["option.range"]),
        ("qwen3.5-plus", {"reasoning": "off"}, {"enable_thinking": False}, []),
        ("qwen3-8b", {"reasoning_budget": 500},
         {"enable_thinking": True, "thinking_budget": 500}, []),
        ("qwen3-30b-a3b-instruct-2507", {"reasoning": "on"}, {}, ["option.refused"]),
        ("deepseek-flash", {"reasoning": "off"}, OFF, []),
        ("deepseek-v4-pro", {"reasoning": "high"}, {**ON, "reasoning_effort": "high"}, []),
        ("deepseek-v4-pro", {"reasoning": "medium"}, {**ON, "reasoning_effort": "medium"}, []),
        ("deepseek-v4-pro", {"reasoning": "xhigh"}, {**ON, "reasoning_effort": "xhigh"}, []),
        ("deepseek-v3.2", {"reasoning": "on"}, ON, []),
        ("deepseek-chat", {"reasoning": "high"}, {}, ["option.refused"]),
        ("kimi-k2.6", {"reasoning": "off"}, OFF, []),
        ("kimi-k2.6", {"reasoning": "high"}, ON, ["option.range"]),
        ("kimi-k2.7-code", {"reasoning": "off"}, {}, ["reasoning.always"]),
        ("kimi-k3", {"reasoning": "high"}, {"reasoning_effort": "high"}, []),
        ("kimi-k3", {"reasoning": "off"}, {"reasoning_effort": "low"}, ["reasoning.always"]),
        ("kimi-k3", {"reasoning": "medium"}, {"reasoning_effort": "high"}, ["option.range"]),
        ("glm-4.7", {"reasoning": "off"}, OFF, []),
        ("glm-5.2", {"reasoning": "medium"}, {**ON, "reasoning_effort": "medium"}, []),
        ("glm-5.3", {"reasoning": "off"}, {**ON, "reasoning_effort": "low"},
         ["reasoning.always"]),
        ("glm-5.3", {"reasoning": "medium"}, {**ON, "reasoning_effort": "high"},
         ["option.range"]),
        ("MiniMax-M3", {"reasoning": "off"}, OFF, []),
        ("MiniMax-M3", {"reasoning": "on"}, {"thinking": {"type": "adaptive"}}, []),
        ("MiniMax-M2.7", {"reasoning": "off"}, {}, ["reasoning.always"]),
        ("grok-4.5", {"reasoning": "off"}, {"reasoning_effort": "low"}, ["reasoning.always"]),
        ("grok-4.3", {"reasoning": "off"}, {"reasoning_effort": "none"}, []),
        ("grok-3-mini", {"reasoning": "medium"}, {"reasoning_effort": "high"}, ["option.range"]),
        ("grok-3-mini", {"reasoning": "off"}, {"reasoning_effort": "none"}, []),
        ("grok-4.7", {"reasoning": "xhigh"}, {"reasoning_effort": "xhigh"}, []),
        ("grok-4.6", {"reasoning": "off"}, {"reasoning_effort": "low"}, ["reasoning.always"]),
        ("grok-4-fast", {"reasoning": "high"}, {}, ["option.range"]),
        ("grok-4-fast-non-reasoning", {"reasoning": "high"}, {}, ["option.refused"]),
        ("gpt-oss-120b", {"reasoning": "off"}, {"reasoning_effort": "low"}, ["reasoning.always"]),
        ("gpt-oss-120b", {"reasoning": "xhigh"}, {"reasoning_effort": "high"}, ["option.range"]),
        ("llama-3.3-70b", {"reasoning": "high"}, {}, ["option.refused"]),
        ("somebody-new", {"reasoning": "xhigh"}, {"reasoning_effort": "xhigh"}, []),
    ],
)  # fmt: skip
def test_how_each_is_asked_to_think(
    model: str, asked: dict[str, Any], written: dict[str, Any], lost: list[str]
) -> None:
    out = wrote(
        model, wire=at_home(model), options=asked, stream=True
    )  # some think in no other way
    assert asking(out) == written
    assert [code for code in codes(out) if code != "usage.requested"] == lost


@each_case(
    "model",
    ["qwen3-8b", "qwen-plus", "qwen3.8-max", "deepseek-v3.2", "deepseek-v4-pro", "kimi-k2.6",
     "kimi-k3", "glm-4.7", "glm-5.3", "MiniMax-M3", "MiniMax-M2", "somebody-new"],
)  # fmt: skip
@each_case("reasoning", ["on", "off", "high", "max", None])
def test_a_hosts_switch_is_not_guessed_from_the_name_of_a_model(
    model: str, reasoning: str | None
) -> None:
    """Nobody knows who serves it: the protocol's own field is all that is written."""
    out = wrote(model, options={"reasoning": reasoning})
    assert set(asking(out)) <= {"reasoning_effort"}
    assert dragoman.wire("openai-chat").can(model).form in ("", "effort")
    if reasoning == "high":
        assert asking(out) or codes(out), "what is not asked for is named"


NAMED = {"type": "function", "function": {"name": "look"}}


@pytest.mark.parametrize(
    ("model", "reasoning", "required", "named"),
    [
        ("qwen3.7-plus", None, "auto", "auto"),
        ("qwen3.7-plus", "off", "required", NAMED),
        ("qwen-plus", None, "required", NAMED),  # it thinks if it is asked
        ("qwen-plus", "on", "auto", "auto"),
        ("deepseek-v4-pro", None, "auto", "auto"),
        ("deepseek-v4-pro", "off", "required", NAMED),
        ("kimi-k2.6", None, "auto", "auto"),
        ("kimi-k2.6", "off", "auto", NAMED),  # K2 is never required
        ("kimi-k3", None, "required", "required"),
        ("glm-5.2", None, "required", NAMED),
    ],
)
def test_which_choices_thinking_forbids(
    model: str, reasoning: str | None, required: Any, named: Any
) -> None:
    """Case 40: a choice that is refused is lowered, and named as lost."""
    for choice, written in (("required", required), ("look", named)):
        out = wrote(model, tools=[LOOK], tool_choice=choice, options={"reasoning": reasoning})
        assert out.body["tool_choice"] == written, choice
        # a tool that is named is offered alone where a call can only be required
        lowered = written == "auto" or (choice == "look" and written == "required")
        assert codes(out) == (["tool_choice.lowered"] if lowered else []), choice


def test_kimi_pins_its_sampling_behind_any_host() -> None:
    given = {"temperature": 0.5, "top_p": 0.9, "n": 2, "presence_penalty": 0.1, "seed": 1}
    for model in ("kimi-k2.6", "moonshotai/kimi-k3"):
        out = wrote(model, options=given)
        assert {key for key in given if key in out.body} == {"seed"}
        assert len(out.losses) == 4
    assert codes(wrote("moonshotai/Kimi-K2-Instruct-0905", options=given)) == []
    assert wrote("kimi-k2-0905-preview", options=given).body["temperature"] == 0.5


def test_grok_refuses_penalties_and_stops_while_it_reasons() -> None:
    given: dict[str, Any] = {"presence_penalty": 0.1, "frequency_penalty": 0.1, "stop": ("x",)}
    assert codes(wrote("grok-4.5", options=given)) == ["option.refused"] * 3
    assert codes(wrote("grok-4.3", options={**given, "reasoning": "off"})) == []
    assert codes(wrote("grok-3", options=given)) == []


CALL = [ToolUseBlock("call_1", "look", {})]
RESULT = Msg("", [ToolResultBlock("call_1", "look", "seen")], "tool")
ASK = Msg.user("Look.")


@pytest.mark.parametrize(
    ("model", "field"),
    [
        ("deepseek-flash", ""), ("deepseek-v3.2", ""), ("kimi-k2.6", ""), ("kimi-k3", ""),
        ("glm-4.7", None), ("MiniMax-M2", None), ("qwen3.7-plus", None), ("gpt-4o", None),
    ],
)  # fmt: skip
def test_who_misses_thinking_beside_calls(model: str, field: str | None) -> None:
    """Cases 36 and 37: the field is there on turns that call, if only an empty text."""
    out = wrote(model, ASK, Msg("", CALL, "assistant"), RESULT, tools=[LOOK])
    assert out.body["messages"][1].get("reasoning_content") == field
    said = wrote(model, ASK, Msg.assistant("It is."), Msg.user("?"))
    assert "reasoning_content" not in said.body["messages"][1]


@pytest.mark.parametrize("model", ["deepseek-v4-pro", "kimi-k2.6", "glm-4.7", "MiniMax-M2"])
def test_thinking_goes_back(model: str) -> None:
    turn = Msg("", [ThinkingBlock("hm"), *CALL], "assistant")
    out = wrote(model, ASK, turn, RESULT, tools=[LOOK])
    assert out.body["messages"][1]["reasoning_content"] == "hm"
    assert set(codes(out)) <= {"id.mapped"}  # K2 reads ids


def test_a_template_that_takes_words_or_thoughts_beside_a_call() -> None:
    """Case 35d: gpt-oss renders the words beside a call as thinking, and refuses both."""
    turn = Msg("", [ThinkingBlock("hm"), TextBlock("I look."), *CALL], "assistant")
    can = {"thinking": True}
    formatter = dragoman.Formatter("openai-chat", model="gpt-oss-120b", can=can, policy="ignore")
    out = formatter.format_request(ChatRequest([ASK, turn, RESULT], tools=[LOOK]))
    said = out.body["messages"][1]
    assert (said["content"], said["reasoning_content"]) == (None, "hm\nI look.")
    assert [(loss.code, loss.kind, loss.where) for loss in out.losses] == [
        ("call.text_thought", "degraded", "$.messages[1].content[1].text")
    ]
    plain = Msg("", [TextBlock("I look."), *CALL], "assistant")
    kept = formatter.format_request(ChatRequest([ASK, plain, RESULT], tools=[LOOK]))
    assert kept.body["messages"][1]["content"] == "I look."
    assert kept.losses == []


@pytest.mark.parametrize(
    "model", ["mistral-large-latest", "mistralai/devstral-2", "codestral-2508"]
)
def test_mistrals_models_take_ids_of_nine_letters_behind_any_host(model: str) -> None:
    """Case 57."""
    call = Msg("", [ToolUseBlock("call_PTLP8xhu3uwZk4l3nlnrrJha", "look", {})], "assistant")
    result = Msg("", [ToolResultBlock("call_PTLP8xhu3uwZk4l3nlnrrJha", "look", "seen")], "tool")
    messages = wrote(model, ASK, call, result, tools=[LOOK]).body["messages"]
    id = messages[1]["tool_calls"][0]["id"]
    assert id == messages[2]["tool_call_id"]
    assert len(id) == 9
    assert id.isalnum()


@each_case(
    ("model", "sees"),
    [
        ("qwen3.7-plus", True), ("qwen3-vl-plus", True), ("qwen3.7-max", False),
        ("qwen3-max", False), ("deepseek-flash", True), ("deepseek-v4-pro", False),
        ("kimi-k2.6", True), ("kimi-k2-instruct", False), ("glm-4.6v", True), ("glm-4.7", False),
        ("glm-5.3", False), ("glm-5.3-flash", True), ("grok-build-0.1", True),
        ("MiniMax-M3", True), ("MiniMax-M2.5", False), ("grok-4.5", True),
        ("grok-code-fast-1", False), ("llama-4-scout", True), ("llama-3.3-70b", False),
        ("gpt-oss-20b", False),
    ],
)  # fmt: skip
def test_who_sees(model: str, sees: bool) -> None:
    image = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    out = wrote(model, Msg.user([TextBlock("What is it?"), image]))
    assert codes(out) == ([] if sees else ["block.unsupported"])


def test_bedrock_takes_its_own_ids_for_mistrals_models() -> None:
    can = dragoman.wire("bedrock-converse").can("mistral.pixtral-large-2502-v1:0")
    assert can.ids.exact == 0 or can.ids.exact is None
    assert can.ids.takes("tooluse_1aB-x")
