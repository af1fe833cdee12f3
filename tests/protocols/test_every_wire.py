"""What one wire gets right the others do, too: names, choices, own fields, paths, options."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import (
    ChatRequest,
    InvalidMessage,
    Msg,
    Options,
    Policy,
    ServerTool,
    Tool,
    ToolChoice,
    WriteError,
)
from dragoman.message import Origin, ResponseFormat, TextBlock, ThinkingBlock, Written
from tests.each_case import each_case

HI = Msg.user("Hi.")


def wrote(wire: str, model: str | None = None, **given: Any) -> Written:
    target = dragoman.wire(wire, policy="ignore")
    return target.write_request(ChatRequest([HI], **given), model)


def codes(out: Written) -> list[str]:
    return [loss.code for loss in out.losses]


@pytest.mark.parametrize(
    ("wire", "model"),
    [
        ("openai", "gpt-5.6"),
        ("openai-responses", "gpt-5.6"),
        ("mistral", "mistral-large-latest"),
        ("dashscope", "qwen3.8-max"),
        ("bedrock", "claude-opus-4-6"),
    ],
)
@pytest.mark.parametrize("name", ["a list of names!", "", "x" * 80])
def test_a_schema_has_a_name_that_the_api_takes(wire: str, model: str, name: str) -> None:
    form = ResponseFormat("schema", {"type": "object"}, name)
    out = wrote(wire, model, response_format=form)
    assert "name.mapped" in codes(out)
    (found,) = [loss.did for loss in out.losses if loss.code == "name.mapped"]
    made = found.removeprefix("written as ")
    assert f"'name': '{made}'" in str(out.body)
    assert 0 < len(made) <= 64
    assert made.replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("wire", "model", "kind"),
    [
        ("gemini", "gemini-3-pro", "code_execution"),
        ("vertex", "gemini-3-pro", "web_search"),
        ("dashscope", "qwen-plus", "web_search"),
        ("dashscope/openai-chat", "qwen-plus", "web_search"),
        ("bedrock", "amazon.nova-2-lite-v1:0", "web_search"),
    ],
)
@pytest.mark.parametrize("mode", ["auto", "required"])
def test_no_choice_is_made_among_tools_that_are_no_functions(
    wire: str, model: str, kind: Any, mode: Any
) -> None:
    choice = ToolChoice(mode, parallel=False)
    out = wrote(wire, model, tools=[ServerTool(kind)], tool_choice=choice)
    said = str(out.body)
    assert not any(key in said for key in ("tool_choice", "toolChoice", "functionCallingConfig"))
    assert "parallel" not in said
    assert "tool_choice.no_tools" in codes(out)


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        (ToolChoice("none", allowed=("a",)), "none"),
        (
            ToolChoice("tool", "a", allowed=("a", "b")),
            {"type": "function", "function": {"name": "a"}},
        ),
    ],
)
def test_a_narrowed_choice_is_still_that_choice(choice: ToolChoice, written: Any) -> None:
    out = wrote("openai", "gpt-4.1", tools=[Tool("a"), Tool("b")], tool_choice=choice)
    assert out.body["tool_choice"] == written


def test_own_fields_join_what_the_request_says() -> None:
    own = {"anthropic": {"output_config": {"task_budget": {"total": 9}}, "tools": [{"x": 1}]}}
    out = wrote(
        "anthropic", "claude-opus-5-5", tools=[Tool("a")], extras=own,
        options=Options(reasoning="high"),
    )  # fmt: skip
    assert out.body["output_config"] == {"effort": "high", "task_budget": {"total": 9}}
    assert [tool.get("name") for tool in out.body["tools"]] == ["a", None]
    assert own == {
        "anthropic": {"output_config": {"task_budget": {"total": 9}}, "tools": [{"x": 1}]}
    }


@pytest.mark.parametrize(
    ("wire", "model"),
    [
        ("gemini", "../../files"),
        ("gemini", "tunedModels/../x"),
        ("vertex", ".."),
        ("bedrock", ".."),
        ("bedrock/anthropic", "."),
    ],
)
def test_no_model_leads_out_of_its_path(wire: str, model: str) -> None:
    with pytest.raises(WriteError, match="names no model") as caught:
        wrote(wire, model)
    assert (caught.value.code, caught.value.path) == ("model.name", "$.model")


@pytest.mark.parametrize(
    ("wire", "kept"), [("openai", 4), ("groq", 4), ("moonshot", 5), ("vllm", 6)]
)
def test_no_more_stops_than_are_taken(wire: str, kept: int) -> None:
    out = wrote(wire, options=Options(stop=tuple("abcdef")))
    assert out.body["stop"] == list("abcdef")[:kept]
    named = [loss.did for loss in out.losses if loss.where == "$.options.stop"]
    assert named == ([f"the first {kept}"] if kept < 6 else [])


def test_an_effort_that_nobody_knows_is_no_budget() -> None:
    out = wrote("anthropic", "claude-sonnet-4-5", options=Options.of({"reasoning": "furious"}))
    assert "thinking" not in out.body
    assert "option.refused" in codes(out)


def test_text_alone_goes_without_saying() -> None:
    assert "response_format" not in wrote("minimax", response_format=ResponseFormat()).body
    asked = wrote("openai", response_format=ResponseFormat())
    assert asked.body["response_format"] == {"type": "text"}


@pytest.mark.parametrize("model", ["deepseek-r1", "glm-4.6", "qwen3.5-plus"])
def test_dashscope_forces_nobody_who_thinks(model: str) -> None:
    out = wrote(
        "dashscope/openai-chat", model, tools=[Tool("a")], tool_choice="required",
        options=Options(reasoning="on"), stream=True,
    )  # fmt: skip
    assert out.body["tool_choice"] == "auto"
    (lowered,) = [loss for loss in out.losses if loss.code == "tool_choice.lowered"]
    assert "thinking" in lowered.rule


def test_users_are_one_turn_when_the_thought_between_them_is_gone() -> None:
    origin = Origin("bedrock-converse", "claude-sonnet-5-5", prefix="of another history")
    thought = ThinkingBlock("So.", signature="c2ln")
    msgs = [HI, Msg("", [thought], "assistant", origin=origin), Msg("", [TextBlock("?")], "user")]
    target = dragoman.wire("bedrock", policy=Policy())
    request = ChatRequest([*msgs[:2], msgs[2]])
    out = target.write_request(request, "us.anthropic.claude-sonnet-5-5-v1:0")
    assert [m["role"] for m in out.body["messages"]] == ["user"]
    assert [part["text"] for part in out.body["messages"][0]["content"]] == ["Hi.", "?"]


@pytest.mark.parametrize("wire", ["moonshot", "groq", "openrouter"])
def test_kimi_pins_its_sampling_whoever_hosts_it(wire: str) -> None:
    options = Options(temperature=0.3, top_p=0.5)
    out = wrote(wire, "moonshotai/kimi-k2-thinking", options=options)
    assert not {"temperature", "top_p"} & out.body.keys()
    assert codes(out) == ["option.refused"] * 2


@each_case("options", [Options(reasoning_budget=-1), Options(reasoning="on")])
@each_case(
    ("wire", "model", "written"),
    [
        ("anthropic", "claude-opus-5-5", {"thinking": {"type": "adaptive"}}),
        ("anthropic", "claude-opus-4-6", {"thinking": {"type": "adaptive"}}),
        (
            "gemini",
            "gemini-2.5-flash-lite",
            {"generationConfig": {"thinkingConfig": {"thinkingBudget": -1}}},
        ),
        ("gemini", "gemini-3-pro", {}),
        ("openai", "gpt-5.1", {"reasoning_effort": "medium"}),
        ("openai-responses", "gpt-5.1", {"reasoning": {"effort": "medium"}}),
        ("dashscope/openai-chat", "qwen3.5-plus", {"enable_thinking": True}),
        ("deepseek", "deepseek-v4-pro", {"thinking": {"type": "enabled"}}),
    ],
)
def test_thinking_as_much_as_the_model_likes(
    wire: str, model: str, written: Any, options: Options
) -> None:
    out = wrote(wire, model, options=options)
    keys = (
        "thinking", "output_config", "generationConfig", "reasoning_effort", "reasoning",
        "enable_thinking", "thinking_budget",
    )  # fmt: skip
    assert {key: out.body[key] for key in keys if key in out.body} == written
    lost = [loss for loss in out.losses if loss.kind != "expected"]
    assert not [loss for loss in lost if loss.where.startswith("$.options.reasoning")]


def test_a_search_of_files_needs_files() -> None:
    out = wrote("gemini", "gemini-3-pro", tools=[ServerTool("file_search")])
    assert "tools" not in out.body
    assert ("server_tool.unsupported", "$.tools[0]") in [(x.code, x.where) for x in out.losses]


@pytest.mark.parametrize("wire", ["openrouter", "minimax"])
def test_details_hold_a_text_and_its_seal(wire: str) -> None:
    thought = ThinkingBlock("So.", redacted="c2VhbA==")
    msgs = [HI, Msg("", [thought, TextBlock("Hi.")], "assistant"), HI]
    out = dragoman.wire(wire, policy="ignore").write_request(ChatRequest(msgs))
    assert out.body["messages"][1]["reasoning_details"] == [
        {"type": "reasoning.text", "text": "So."},
        {"type": "reasoning.encrypted", "data": "c2VhbA=="},
    ]


@pytest.mark.parametrize("times", [0, -1, True])
def test_a_server_tool_runs_once_or_more(times: Any) -> None:
    with pytest.raises(InvalidMessage) as caught:
        ServerTool("web_search", max_uses=times)
    assert caught.value.path == "$.tools['web_search'].max_uses"


@pytest.mark.parametrize(
    ("wire", "stop", "written"),
    [
        ("openai", ("", "x"), ["x"]),
        ("openai", ("",), None),
        ("openai", (), None),
        ("mistral", ("\n", ""), ["\n"]),
        ("anthropic", ("\n", "", "x"), ["x"]),
        ("anthropic", ("\n",), None),
    ],
)
def test_what_ends_an_answer_is_something(wire: str, stop: Any, written: Any) -> None:
    out = wrote(wire, options=Options(stop=stop))
    assert out.body.get("stop", out.body.get("stop_sequences")) == written
    named = [loss.code for loss in out.losses if loss.where == "$.options.stop"]
    assert bool(named) == bool(stop)


def test_a_late_prompt_does_not_stand_between_users() -> None:
    thought = ThinkingBlock("So.", signature="c2ln")
    late, last = Msg.system("Be brief."), Msg.user("And?")
    msgs = [HI, late, Msg("", [thought], "assistant"), last]
    target = dragoman.wire("anthropic", policy="ignore")
    out = target.write_request(ChatRequest(msgs), "claude-opus-5-5")
    assert [m["role"] for m in out.body["messages"]] == ["user"] * 3
    assert "system.late" in codes(out)
