"""Whole requests for Ollama: what stands where in the body of /api/chat."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.capabilities import Facts
from dragoman.message import ResponseFormat, ToolChoice, ToolResultBlock, ToolUseBlock, Written
from dragoman.vendors import vendor
from tests.contract.judges import judge_request

WIRE = dragoman.wire("ollama", policy="ignore")
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = Tool("locate", "Where is it?", SCHEMA)
HI = {"role": "user", "content": "Hi"}


def wrote(model: str = "qwen3", **rest: Any) -> Written:
    """The request; the judge must not refuse a thing."""
    out = WIRE.write_request(ChatRequest([Msg.user("Hi")], **rest), model)
    assert judge_request("ollama", out.body, out.path) == []
    return out


def lost(out: Written) -> list[tuple[str, str]]:
    return [(loss.code, loss.where) for loss in out.losses]


def test_stream_is_always_said_because_the_server_streams_by_default() -> None:
    out = wrote()
    assert out.body == {"model": "qwen3", "messages": [HI], "stream": False}
    assert (out.path, out.headers) == ("/api/chat", {})
    assert wrote(stream=True).body["stream"] is True
    assert vendor("ollama").base_url == "http://localhost:11434"


def test_options_stand_under_options() -> None:
    given = {
        "max_tokens": 100, "temperature": 0.5, "top_p": 0.9, "top_k": 20, "presence_penalty": 0.1,
        "frequency_penalty": 0.2, "repetition_penalty": 1.1, "seed": 7, "stop": ["END"],
    }  # fmt: skip
    out = wrote(options={**given, "logprobs": True, "top_logprobs": 30, "n": 2, "user": "u1"})
    assert out.body["options"] == {
        "num_predict": 100, "temperature": 0.5, "top_p": 0.9, "top_k": 20, "presence_penalty": 0.1,
        "frequency_penalty": 0.2, "repeat_penalty": 1.1, "seed": 7, "stop": ["END"],
    }  # fmt: skip
    assert out.body["logprobs"] is True
    assert out.body["top_logprobs"] == 20
    assert lost(out) == [
        ("option.unsupported", "$.options.n"),
        ("option.unsupported", "$.options.user"),
        ("option.range", "$.options.top_logprobs"),
    ]
    assert out.losses[-1].did == "20"
    assert lost(wrote(options={"top_logprobs": 20})) == []


@pytest.mark.parametrize(
    ("model", "effort", "think", "losses"),
    [
        ("qwen3", "off", False, []),
        ("qwen3", "high", True, [("option.range", "high", "thinking is on")]),
        ("gpt-oss:20b", "high", "high", []),
        # where "max" is high as well
        ("gpt-oss:20b", "xhigh", "high", [("option.range", "xhigh", "sent as high")]),
        ("gpt-oss:20b", "off", "low", [("reasoning.always", "off", "sent as low")]),
    ],
)
def test_think_is_a_switch_or_a_level(
    model: str, effort: str, think: bool | str | None, losses: list[tuple[str, str, str]]
) -> None:
    out = wrote(model, options={"reasoning": effort})
    assert out.body.get("think") is think or out.body.get("think") == think
    assert ("think" in out.body) == (think is not None)
    assert [(loss.code, loss.what, loss.did) for loss in out.losses] == losses


def test_formats() -> None:
    assert wrote(response_format=ResponseFormat("json")).body["format"] == "json"
    assert wrote(response_format=ResponseFormat("schema", SCHEMA)).body["format"] == SCHEMA
    assert "format" not in wrote(response_format=ResponseFormat("text")).body
    named = ResponseFormat("schema", SCHEMA, name="place", strict=True)
    assert lost(wrote(response_format=named)) == [
        ("format.field", f"$.response_format.{name}") for name in ("name", "strict")]  # fmt: skip


def test_a_schema_where_a_model_knows_only_that_it_is_json() -> None:
    can = {"formats": frozenset({"text", "json"})}
    wire = dragoman.wire("ollama", policy="ignore", facts=Facts(always=can))
    form = ResponseFormat("schema", SCHEMA)
    out = wire.write_request(ChatRequest([Msg.user("Hi")], response_format=form), "x-1")
    assert out.body["format"] == "json"
    assert lost(out) == [
        ("format.in_words", "$.response_format"),
        ("format.lowered", "$.response_format.kind"),
    ]


def test_tools() -> None:
    assert wrote(tools=[TOOL]).body["tools"] == [
        {
            "type": "function",
            "function": {"name": "locate", "description": "Where is it?", "parameters": SCHEMA},
        }
    ]
    strict = wrote(tools=[Tool("locate", "Where is it?", SCHEMA, strict=True)])
    assert lost(strict) == [("tool.strict", "$.tools[0].strict")]


@pytest.mark.parametrize(
    ("choice", "offered", "codes"),
    [
        ("auto", True, []),
        ("none", False, ["tools.withheld", "tools.withheld"]),
        ("required", True, ["tool_choice.lowered"]),
        ("locate", True, ["tool_choice.lowered"]),
    ],
)
def test_there_is_no_tool_choice(choice: str, offered: bool, codes: list[str]) -> None:
    out = wrote(tools=[TOOL], tool_choice=choice)
    assert "tool_choice" not in out.body
    assert ("tools" in out.body) == offered
    assert [loss.code for loss in out.losses] == codes


def test_own_options_join_the_others() -> None:
    own = {"ollama": {"options": {"num_ctx": 8192}, "keep_alive": "5m", "truncate": False}}
    out = wrote(options={"seed": 1}, extras=own)
    assert out.body["options"] == {"seed": 1, "num_ctx": 8192}
    assert (out.body["keep_alive"], out.body["truncate"]) == ("5m", False)
    assert wrote(extras=own).body["options"] == {"num_ctx": 8192}
    assert own["ollama"]["options"] == {"num_ctx": 8192}
    assert lost(wrote(extras={"dashscope": {"x": 1}})) == [
        ("extras.other_provider", "$.extras.dashscope.x")]  # fmt: skip


def test_the_official_client_takes_what_is_written() -> None:
    theirs = pytest.importorskip("ollama")
    call, result = ToolUseBlock("c1", "locate", {"city": "Rome"}), ToolResultBlock("c1", "locate")
    msgs = [Msg.user("Where?"), Msg.assistant([call]), Msg("", [result], "tool")]
    body = WIRE.write_request(ChatRequest(msgs, tools=[TOOL]), "qwen3").body
    messages = [theirs.Message.model_validate(message) for message in body["messages"]]
    assert messages[1].tool_calls[0].function.arguments == {"city": "Rome"}
    assert messages[2].tool_name == "locate"
    tool = theirs.Tool.model_validate(body["tools"][0])
    assert tool.function.parameters.required == ["city"]


@pytest.mark.parametrize(
    ("level", "think", "did"),
    [("xhigh", "max", "sent as max"), ("minimal", "low", "sent as low"),
     ("turbo", True, "thinking is on")],
)  # fmt: skip
def test_levels_of_other_models_are_none_here(level: str, think: Any, did: str) -> None:
    can = {"efforts": ("minimal", "low", "high", "xhigh", "turbo")}
    wire = dragoman.wire("ollama", policy="ignore", facts=Facts(always=can))
    options = Options.of({"reasoning": level})
    out = wire.write_request(ChatRequest([Msg.user("Hi")], options=options), "nobody-1")
    assert out.body["think"] == think
    [loss] = out.losses
    assert (loss.code, loss.where, loss.what, loss.did) == (
        "option.range", "$.options.reasoning", level, did)  # fmt: skip


def test_no_budget_is_taken() -> None:
    can = {"budgets": (1, 1000), "efforts": ()}
    wire = dragoman.wire("ollama", policy="ignore", facts=Facts(always=can))
    asked = ({"reasoning_budget": 500}, {"reasoning": "low"}, {"reasoning_budget": 9000})
    outs = [wire.write_request(ChatRequest([Msg.user("Hi")], options=Options.of(one)), "x-1")
            for one in asked]  # fmt: skip
    assert [out.body["think"] for out in outs] == ["low", "low", "high"]
    budget = ("option.range", "$.options.reasoning_budget")
    assert [lost(out) for out in outs] == [[budget], [], [budget]]


def test_a_choice_has_no_place_whatever_the_model_takes() -> None:
    can = {"tool_choices": frozenset({"auto", "required", "tool", "allowed"}),
           "parallel_switch": True}  # fmt: skip
    wire = dragoman.wire("ollama", policy="ignore", facts=Facts(always=can))
    choice = ToolChoice("tool", "locate", parallel=False)
    req = ChatRequest([Msg.user("Hi")], tools=[TOOL], tool_choice=choice)
    assert lost(wire.write_request(req, "x-1")) == [
        ("tool_choice.lowered", where) for where in ("$.tool_choice", "$.tool_choice.parallel")
    ]
    assert {loss.did for loss in wire.write_request(req, "x-1").losses} == {"left to the model"}
    req.tool_choice = ToolChoice("none")
    assert {code for code, _ in lost(wire.write_request(req, "x-1"))} == {"tools.withheld"}


def test_tools_that_nobody_models_go_back() -> None:
    tool = {"type": "browser", "depth": 2}
    req = WIRE.read_request({"model": "qwen3", "messages": [HI], "tools": [tool]})
    req.tools = [*req.tools, TOOL]
    assert WIRE.write_request(req).body["tools"][0] == tool
