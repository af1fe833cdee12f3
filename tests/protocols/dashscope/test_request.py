"""Whole requests for DashScope: path, headers, parameters."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool, ToolChoice, WriteError
from dragoman.capabilities import Facts
from dragoman.message import ImageBlock, ResponseFormat, ServerTool, URLSource, Written
from dragoman.vendors import vendor
from tests.contract.judges import judge_request

WIRE = dragoman.wire("dashscope", policy="ignore")
ROW = vendor("dashscope")
TOOL = Tool(
    "get_weather",
    "Get weather for a city",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "City name"}},
        "required": ["city"],
    },
)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def wrote(model: str = "qwen-plus", text: str = "How is Rome?", **rest: Any) -> Written:
    """The request; the judge must not refuse a thing."""
    out = WIRE.write_request(ChatRequest([Msg.user(text)], **rest), model)
    assert judge_request("dashscope", out.body, ROW.base_url + out.path) == []
    return out


def lost(out: Written) -> list[tuple[str, str]]:
    return [(loss.code, loss.where) for loss in out.losses]


def test_the_least_that_there_is() -> None:
    out = wrote()
    assert out.body == {
        "model": "qwen-plus",
        "input": {"messages": [{"role": "user", "content": "How is Rome?"}]},
        "parameters": {"result_format": "message"},
    }
    assert out.headers == {}
    assert ROW.base_url + out.path == (
        "https://dashscope.aliyuncs.com/api/v1/services/aigc/text-generation/generation"
    )
    assert ROW.key == "DASHSCOPE_API_KEY"


def test_a_header_asks_for_a_stream_of_pieces() -> None:
    out = wrote(stream=True)
    assert out.headers == {"Accept": "text/event-stream", "X-DashScope-SSE": "enable"}
    assert out.body["parameters"]["incremental_output"] is True
    assert "stream" not in str(out.body)


def test_a_header_tells_of_files_in_its_store() -> None:
    image = ImageBlock(URLSource("oss://bucket/cat.png"))
    out = WIRE.write_request(ChatRequest([Msg.user([image])]), "qwen3-vl-plus")
    assert out.headers == {"X-DashScope-OssResourceResolve": "enable"}


def test_s44_a_tool_is_declared_under_parameters() -> None:
    out = wrote(tools=[TOOL], tool_choice="auto")
    assert out.body["parameters"]["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "Get weather for a city",
                "parameters": TOOL.parameters,
            },
        }
    ]
    assert out.body["parameters"]["tool_choice"] == "auto"


@pytest.mark.parametrize(
    ("choice", "written", "losses"),
    [
        ("none", "none", []),
        ("get_weather", {"type": "function", "function": {"name": "get_weather"}}, []),
        ("required", "auto", [("tool_choice.lowered", "$.tool_choice.mode")]),
    ],
)
def test_tool_choices(choice: str, written: Any, losses: list[tuple[str, str]]) -> None:
    out = wrote(tools=[TOOL], tool_choice=choice)
    assert out.body["parameters"]["tool_choice"] == written
    assert lost(out) == losses


def test_no_tool_is_forced_upon_a_model_that_thinks() -> None:
    forced: dict[str, Any] = {
        "tools": [TOOL],
        "tool_choice": ToolChoice("tool", "get_weather", parallel=False),
        "stream": True,
    }
    for model, options in (("qwen3.5-plus", {"reasoning_budget": 100}), ("qwq-plus", {})):
        out = wrote(model, options=options, **forced)
        assert out.body["parameters"]["tool_choice"] == "auto"
        assert out.body["parameters"]["parallel_tool_calls"] is False
        assert lost(out) == [("tool_choice.lowered", "$.tool_choice")]
    out = wrote("qwen3.5-plus", options={"reasoning": "off"}, **forced)
    assert out.body["parameters"]["tool_choice"]["function"] == {"name": "get_weather"}
    assert lost(out) == []


ON, OFF = {"enable_thinking": True}, {"enable_thinking": False}


@pytest.mark.parametrize(
    ("model", "options", "written", "codes"),
    [
        ("qwen-plus", {"reasoning": "off"}, OFF, []),
        ("qwen-plus", {"reasoning_budget": 9}, {**ON, "thinking_budget": 9}, []),
        ("qwen-plus", {"reasoning": "high"}, ON, ["option.range"]),
        ("qwen3.8-max", {"reasoning": "high"}, {**ON, "reasoning_effort": "high"}, []),
        ("qwen3.8-max", {"reasoning": "high", "reasoning_budget": 9},
         {**ON, "thinking_budget": 9}, ["option.unsupported"]),
        ("qwen-plus", {"reasoning": "off", "reasoning_budget": 9}, OFF, ["option.unsupported"]),
        ("qwq-plus", {"reasoning": "off"}, {"thinking_budget": 1}, ["reasoning.always"]),
        ("qwq-plus", {"reasoning_budget": 9}, {"thinking_budget": 9}, []),
        ("qwen3-30b-a3b-instruct-2507", {"reasoning": "low", "reasoning_budget": 9}, {},
         ["option.refused", "option.refused"]),
    ],
)  # fmt: skip
def test_thinking(
    model: str, options: dict[str, Any], written: dict[str, Any], codes: list[str]
) -> None:
    out = wrote(model, options=options, stream=True)
    assert out.body["parameters"] == {
        "result_format": "message", "incremental_output": True, **written,
    }  # fmt: skip
    assert [loss.code for loss in out.losses] == codes


@pytest.mark.parametrize(
    ("model", "options", "written", "codes"),
    [
        ("qwen-plus", {"reasoning": "high"}, OFF, ["reasoning.needs_stream"]),
        ("qwen-plus", {}, {}, []),
        ("qwen3-32b", {}, OFF, ["reasoning.needs_stream"]),
        ("qwen3.8-max", {"reasoning": "high"}, {**ON, "reasoning_effort": "high"}, []),
    ],
)
def test_models_of_one_time_think_in_streams_only(
    model: str, options: dict[str, Any], written: dict[str, Any], codes: list[str]
) -> None:
    """Case 56: "parameter.enable_thinking must be set to false for non-streaming calls"."""
    out = wrote(model, options=options)
    assert out.body["parameters"] == {"result_format": "message", **written}
    assert [loss.code for loss in out.losses] == codes


def test_what_always_thinks_is_asked_for_a_stream() -> None:
    """Case 56: "This model only support stream mode"."""
    with pytest.raises(WriteError) as caught:
        wrote("qwq-plus")
    assert (caught.value.code, caught.value.path) == ("stream.needed", "$.stream")


def test_tools_that_the_provider_runs_are_switches() -> None:
    out = wrote(tools=[ServerTool("web_search", domains=("a.org",), max_uses=2),
                       ServerTool("code_execution")])  # fmt: skip
    assert out.body["parameters"] == {
        "result_format": "message",
        "enable_search": True,
        "search_options": {"assigned_site_list": ["a.org"]},
        "enable_code_interpreter": True,
    }
    assert lost(out) == [("server_tool.field", "$.tools[0].max_uses")]


def test_options_stand_under_their_names_and_others_are_lost() -> None:
    given = {
        "max_tokens": 100, "temperature": 0.5, "top_p": 0.9, "top_k": 20, "presence_penalty": 0.1,
        "frequency_penalty": 0.2, "repetition_penalty": 1.1, "seed": 7, "n": 2, "logprobs": True,
        "top_logprobs": 3,
    }  # fmt: skip
    out = wrote(options={**given, "stop": ["END"], "user": "u1", "service_tier": "flex"})
    assert out.body["parameters"] == {"result_format": "message", **given, "stop": ["END"]}
    assert lost(out) == [
        ("option.unsupported", "$.options.service_tier"),
        ("option.unsupported", "$.options.user"),
    ]


def test_response_formats() -> None:
    schema = ResponseFormat("schema", SCHEMA, name="city", strict=True)
    assert wrote(response_format=schema).body["parameters"]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "city", "schema": SCHEMA, "strict": True},
    }
    out = wrote(text="Answer in JSON.", response_format=ResponseFormat("json"))
    assert out.body["parameters"]["response_format"] == {"type": "json_object"}
    listed = wrote("qwen3.6-plus", "As json.", response_format=ResponseFormat("json"))
    assert listed.body["parameters"]["response_format"] == {"type": "json_object"}


def test_json_without_the_word_is_asked_for_in_words() -> None:
    out = wrote(response_format=ResponseFormat("json"))
    assert out.body["input"]["messages"][0] == {"role": "system", "content": "Answer in JSON."}
    assert lost(out) == [("format.json_word", "$.response_format")]


def test_own_parameters_join_the_others() -> None:
    own: dict[str, Any] = {
        "dashscope": {"parameters": {"enable_search": True}},
        "openai-chat": {"store": True},
    }
    out = wrote(options={"seed": 1}, extras=own)
    assert out.body["parameters"] == {
        "result_format": "message",
        "seed": 1,
        "enable_search": True,
    }
    assert lost(out) == [("extras.other_provider", "$.extras.openai-chat.store")]
    assert own["dashscope"]["parameters"] == {"enable_search": True}


def test_a_request_has_a_user() -> None:
    out = WIRE.write_request(ChatRequest([Msg.system("You are Friday.")]), "qwen-plus")
    assert [m["role"] for m in out.body["input"]["messages"]] == ["system", "user"]
    assert [loss.code for loss in out.losses] == ["turn.last"]
    assert judge_request("dashscope", out.body, ROW.base_url + out.path) == []


@pytest.mark.parametrize(("mode", "field"), [("required", "mode"), ("auto", "allowed")])
def test_the_service_has_no_word_for_a_call_that_must_be(mode: Any, field: str) -> None:
    can = {"tool_choices": frozenset({"auto", "required", "allowed"})}
    wire = dragoman.wire("dashscope", policy="ignore", facts=Facts(always=can))
    choice = ToolChoice(mode, allowed=("locate",) if field == "allowed" else ())
    tool = Tool("locate", "", {"type": "object", "properties": {}})
    out = wire.write_request(ChatRequest([Msg.user("Hi")], tools=[tool], tool_choice=choice), "q")
    assert out.body["parameters"]["tool_choice"] == "auto"
    assert [(loss.code, loss.field) for loss in out.losses] == [("tool_choice.lowered", field)]


def test_tools_that_nobody_models_go_back() -> None:
    tool = {"type": "mcp", "url": "https://example.org"}
    wire = dragoman.wire("dashscope", policy="ignore")
    body = {"model": "qwen-max", "input": {"messages": [{"role": "user", "content": "Hi"}]},
            "parameters": {"tools": [tool], "enable_search": True}}  # fmt: skip
    req = wire.read_request(body)
    req.tools = [*req.tools, Tool("locate")]
    made = wire.write_request(req).body["parameters"]
    assert (made["tools"][0], made["enable_search"]) == (tool, True)
