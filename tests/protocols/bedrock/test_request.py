"""Whole Converse requests: path, tools, choice, options, thinking by maker, response format."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.history.pipeline import FormatStyle
from dragoman.message import (
    CacheHint,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Written,
)
from dragoman.vendors import vendor
from tests.each_case import each_case

from .sdk import faults

WIRE = dragoman.wire("bedrock", policy="ignore")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NEW = "us.anthropic.claude-sonnet-5"
NOVA = "us.amazon.nova-2-lite-v1:0"
GPT = "openai.gpt-oss-120b-1:0"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CLOSED = {**SCHEMA, "additionalProperties": False}
F = Tool("f")
CALL = ToolUseBlock("1", "f", {"x": 1})


def wrote(*msgs: Msg, model: str = CLAUDE, **rest: Any) -> Written:
    """The request; AWS's own SDK would send the very same body."""
    out = WIRE.write_request(ChatRequest(list(msgs) or [Msg.user("Hi")], **rest), model)
    assert faults(out.body, out.path) == []
    return out


def lost(out: Written) -> list[str]:
    return [f"{loss.code} {loss.where}" for loss in out.losses]


def own(model: str, **options: Any) -> tuple[Any, list[str]]:
    """(additionalModelRequestFields, losses)."""
    out = wrote(model=model, options=options)
    return out.body.get("additionalModelRequestFields"), lost(out)


def config(*msgs: Msg, **rest: Any) -> tuple[Any, list[str]]:
    out = wrote(*msgs, **rest)
    return out.body.get("toolConfig"), lost(out)


def test_the_model_stands_in_the_path_and_a_stream_is_another_operation() -> None:
    out = wrote()
    assert out.path == "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse"
    assert out.headers == {}
    assert out.body == {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}
    assert wrote(stream=True).path.endswith("%3A0/converse-stream")
    arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-5"
    assert wrote(model=arn).path == (
        "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile"
        "%2Fus.anthropic.claude-sonnet-5/converse"
    )


def test_without_a_model_the_default_is_named() -> None:
    out = WIRE.write_request(ChatRequest([Msg.user("Hi")]))
    assert out.path == f"/model/{NEW}/converse"
    assert lost(out) == ["model.default $.model"]


def test_the_row_of_the_vendor() -> None:
    row = vendor("bedrock")
    assert row.base_url == "https://bedrock-runtime.{region}.amazonaws.com"
    assert row.key == "AWS_BEARER_TOKEN_BEDROCK"
    assert dragoman.wire("bedrock-converse").can(CLAUDE) == WIRE.can(CLAUDE)


def test_tools_of_every_form() -> None:
    tools = [Tool("f", "does", CLOSED, strict=True), Tool("g", cache=CacheHint())]
    made, losses = config(tools=tools)
    assert made == {
        "tools": [
            {
                "toolSpec": {
                    "name": "f", "description": "does", "inputSchema": {"json": CLOSED},
                    "strict": True,
                }
            },
            {
                "toolSpec": {
                    "name": "g",
                    "inputSchema": {"json": {"type": "object", "properties": {}}},
                }
            },
            {"cachePoint": {"type": "default"}},
        ]
    }  # fmt: skip
    assert losses == []


def test_switches_that_a_model_lacks_are_named() -> None:
    made, losses = config(model=NOVA, tools=[Tool("f", strict=True, cache=CacheHint())])
    assert [list(tool) for tool in made["tools"]] == [["toolSpec"]]
    assert losses == ["tool.strict $.tools[0].strict", "tool.cache $.tools[0].cache"]


def test_names_longer_than_64_characters_are_respelled_in_tools_choice_and_history() -> None:
    name = "n" * 70
    call = Msg.assistant([ToolUseBlock("1", name, {})])
    out = wrote(Msg.user("a"), call, Msg.tool("1", "x"), tools=[Tool(name)], tool_choice=name)
    made = out.body["toolConfig"]
    spelled = made["tools"][0]["toolSpec"]["name"]
    assert len(spelled) <= 64
    assert made["toolChoice"] == {"tool": {"name": spelled}}
    assert out.body["messages"][1]["content"][0]["toolUse"]["name"] == spelled


@pytest.mark.parametrize(
    ("choice", "made"),
    [("auto", {"auto": {}}), ("required", {"any": {}}), ("f", {"tool": {"name": "f"}})],
)
def test_choices(choice: str, made: Any) -> None:
    assert config(tools=[F], tool_choice=choice) == (
        ({"tools": _tools("f")} | {"toolChoice": made}),
        [],
    )


def _tools(*names: str) -> list[Any]:
    schema = {"json": {"type": "object", "properties": {}}}
    return [{"toolSpec": {"name": name, "inputSchema": schema}} for name in names]


@pytest.mark.parametrize("model", ["us.anthropic.claude-opus-5-5", GPT, LLAMA, "unheard-of"])
def test_where_no_call_is_forced_the_choice_is_auto(model: str) -> None:
    made, losses = config(model=model, tools=[F], tool_choice="f")
    assert made["toolChoice"] == {"auto": {}}
    assert losses == ["tool_choice.lowered $.tool_choice"]


def test_manual_thinking_takes_no_forced_tool() -> None:
    made, losses = config(tools=[F], tool_choice="required", options={"reasoning": "low"})
    assert made["toolChoice"] == {"auto": {}}
    assert losses == ["tool_choice.lowered $.tool_choice.mode"]


def test_none_is_said_by_declaring_no_tools() -> None:
    made, losses = config(tools=[F], tool_choice="none")
    assert made is None
    assert losses == ["tools.withheld $.tool_choice.mode", "tools.withheld $.tools[0]"]


def test_none_tells_the_calls_of_the_history_as_text() -> None:
    msgs = Msg.user("go"), Msg.assistant([TextBlock("see"), CALL]), Msg.tool("1", "done", "f")
    out = wrote(*msgs, tools=[F], tool_choice="none")
    assert out.body == {
        "messages": [
            {"role": "user", "content": [{"text": "go"}]},
            {"role": "assistant", "content": [
                {"text": "see"}, {"text": '[called f with {"x": 1}]'},
            ]},
            {"role": "user", "content": [{"text": "[f returned: done]"}]},
        ]
    }  # fmt: skip
    assert lost(out)[2:] == [
        "call.as_text $.messages[1].content[1]",
        "result.as_text $.messages[2].content[0]",
    ]


def test_tools_that_only_the_history_names_are_declared() -> None:
    calls = Msg.assistant([CALL, ToolUseBlock("2", "odd name", {}), ToolUseBlock("3", "f", {})])
    results = [Msg.tool(id, "x") for id in "123"]
    made, losses = config(Msg.user("go"), calls, *results)
    assert made == {"tools": _tools("f", "odd_name")}
    assert losses[-1] == "tools.stub $.tools"


def test_models_without_tools_hear_of_calls_as_text() -> None:
    msgs = Msg.user("go"), Msg.assistant([CALL]), Msg.tool("1", "done", "f")
    out = wrote(*msgs, model="us.deepseek.r1-v1:0", tools=[F])
    assert "toolConfig" not in out.body
    assert out.body["messages"][1]["content"] == [{"text": '[called f with {"x": 1}]'}]


def test_server_tools() -> None:
    tools = [F, ServerTool("web_search", domains=("a.com",)), ServerTool("code_execution")]
    made, losses = config(model=NOVA, tools=tools)
    assert made["tools"][1:] == [
        {"systemTool": {"name": "nova_grounding"}},
        {"systemTool": {"name": "nova_code_interpreter"}},
    ]
    assert losses == ["server_tool.field $.tools[1].domains"]
    made, losses = config(tools=tools)
    assert made == {"tools": _tools("f")}
    assert sorted(losses) == [
        "server_tool.unsupported $.tools[1]",
        "server_tool.unsupported $.tools[2]",
    ]


def test_options_under_inference_config() -> None:
    out = wrote(
        options={"max_tokens": 9, "temperature": 1.4, "stop": ["", "END"], "seed": 1, "n": 2,
                 "user": "u", "service_tier": "flex", "top_k": 7},
    )  # fmt: skip
    assert out.body["inferenceConfig"] == {
        "maxTokens": 9, "temperature": 1, "stopSequences": ["END"],
    }  # fmt: skip
    assert out.body["additionalModelRequestFields"] == {"top_k": 7}
    assert out.body["serviceTier"] == {"type": "flex"}
    assert sorted(lost(out)) == [
        "option.range $.options.stop",
        "option.range $.options.temperature",
        "option.unsupported $.options.n",
        "option.unsupported $.options.seed",
        "option.unsupported $.options.user",
    ]


def test_stop_sequences_that_are_all_empty_leave_nothing() -> None:
    assert "inferenceConfig" not in wrote(options={"stop": [""]}).body
    assert "inferenceConfig" not in wrote(options={"stop": []}).body


def test_a_tier_that_there_is_not_is_named() -> None:
    out = wrote(options={"service_tier": "auto"})
    assert "serviceTier" not in out.body
    assert lost(out) == ["option.unsupported $.options.service_tier"]


def test_top_k_as_each_maker_has_it() -> None:
    assert own(NOVA, top_k=3) == ({"inferenceConfig": {"topK": 3}}, [])
    assert own(CLAUDE, top_k=3) == ({"top_k": 3}, [])
    assert own(LLAMA, top_k=3) == (None, ["option.unsupported $.options.top_k"])
    assert own(NEW, top_k=3) == (None, ["option.refused $.options.top_k"])


def test_older_claude_takes_one_of_temperature_and_top_p() -> None:
    out = wrote(options={"temperature": 0.5, "top_p": 0.5})
    assert out.body["inferenceConfig"] == {"temperature": 0.5}
    assert lost(out) == ["option.refused $.options.top_p"]


ENABLED = {"type": "enabled"}


@each_case(
    ("model", "options", "made", "losses"),
    [
        (CLAUDE, {"reasoning_budget": 2000}, {"thinking": ENABLED | {"budget_tokens": 2000}}, []),
        (CLAUDE, {"reasoning": "medium"}, {"thinking": ENABLED | {"budget_tokens": 8192}}, []),
        (CLAUDE, {"reasoning": "on"}, {"thinking": ENABLED | {"budget_tokens": 8192}}, []),
        (CLAUDE, {"reasoning": "off"}, {"thinking": {"type": "disabled"}}, []),
        (CLAUDE, {"reasoning": "high", "max_tokens": 3000},
         {"thinking": ENABLED | {"budget_tokens": 2400}}, ["option.range reasoning"]),
        (CLAUDE, {"reasoning": "low", "max_tokens": 1000}, None, ["option.refused reasoning"]),
        (NEW, {"reasoning": "high"},
         {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}, []),
        (NEW, {"reasoning": "on"}, {"thinking": {"type": "adaptive"}}, []),
        (NEW, {"reasoning": "off"}, {"thinking": {"type": "disabled"}}, []),
        ("us.anthropic.claude-opus-5-5", {"reasoning": "off"},
         {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
         ["reasoning.always reasoning"]),
        ("us.anthropic.claude-sonnet-4-6", {"reasoning_budget": 5000},
         {"thinking": ENABLED | {"budget_tokens": 5000}}, []),
        (NOVA, {"reasoning": "low"},
         {"reasoningConfig": ENABLED | {"maxReasoningEffort": "low"}}, []),
        (NOVA, {"reasoning": "max"},
         {"reasoningConfig": ENABLED | {"maxReasoningEffort": "high"}}, ["option.range reasoning"]),
        (NOVA, {"reasoning": "on"},
         {"reasoningConfig": ENABLED | {"maxReasoningEffort": "low"}}, ["option.range reasoning"]),
        (NOVA, {"reasoning": "off"}, {"reasoningConfig": {"type": "disabled"}}, []),
        (GPT, {"reasoning": "medium"}, {"reasoning_effort": "medium"}, []),
        (GPT, {"reasoning": "off"}, {"reasoning_effort": "low"}, ["reasoning.always reasoning"]),
        (GPT, {"reasoning": "on"}, None, ["reasoning.moot reasoning"]),
        (LLAMA, {"reasoning": "high"}, None, ["option.refused reasoning"]),
        (LLAMA, {"reasoning": "off"}, None, ["reasoning.moot reasoning"]),
        ("us.deepseek.r1-v1:0", {"reasoning": "on"}, None, ["reasoning.moot reasoning"]),
    ],
)  # fmt: skip
def test_thinking_as_each_maker_has_it(
    model: str, options: dict[str, Any], made: Any, losses: list[str]
) -> None:
    found, named = own(model, **options)
    assert found == made
    assert named == [loss.replace(" ", " $.options.") for loss in losses]


def test_a_model_that_thinks_and_has_no_spelling_for_it_says_so() -> None:
    style = FormatStyle(changes={"thinks": "default", "efforts": ("low", "high")})
    request = ChatRequest([Msg.user("Hi")], options={"reasoning": "low"})  # type: ignore[arg-type]
    out = WIRE.write_request(request, LLAMA, style=style)
    assert "additionalModelRequestFields" not in out.body
    assert lost(out) == ["option.unsupported $.options.reasoning"]


def test_nova_takes_no_limits_at_its_highest_effort() -> None:
    out = wrote(
        model=NOVA,
        options={"reasoning": "high", "max_tokens": 9, "temperature": 0, "top_p": 1, "top_k": 2},
    )
    assert "inferenceConfig" not in out.body
    made = {"type": "enabled", "maxReasoningEffort": "high"}
    assert out.body["additionalModelRequestFields"] == {"reasoningConfig": made}
    assert lost(out) == [
        f"option.refused $.options.{name}"
        for name in ("max_tokens", "temperature", "top_p", "top_k")
    ]


def test_no_thinking_where_the_open_tool_round_began_without() -> None:
    msgs = Msg.user("go"), Msg.assistant([TextBlock("see"), CALL]), Msg.tool("1", "x")
    out = wrote(*msgs, tools=[F], options={"reasoning_budget": 2000})
    assert "additionalModelRequestFields" not in out.body
    assert lost(out) == ["reasoning.off_for_history $.options.reasoning_budget"]
    thought = Msg.assistant([ThinkingBlock("hm", signature="s"), CALL])
    out = wrote(msgs[0], thought, msgs[2], tools=[F], options={"reasoning_budget": 2000})
    assert out.body["additionalModelRequestFields"]["thinking"]["budget_tokens"] == 2000


def test_the_schema_of_an_answer_is_a_text() -> None:
    out = wrote(response_format=ResponseFormat("schema", CLOSED, "city", "where", strict=True))
    made = out.body["outputConfig"]["textFormat"]
    inner = made["structure"]["jsonSchema"]
    assert made["type"] == "json_schema"
    assert (inner["name"], inner["description"]) == ("city", "where")
    assert json.loads(inner["schema"]) == CLOSED
    assert lost(out) == ["format.lowered $.response_format.strict"]


@pytest.mark.parametrize("model", ["us.anthropic.claude-fable-5", NOVA])
def test_models_without_such_an_answer_say_so(model: str) -> None:
    out = wrote(model=model, response_format=ResponseFormat("schema", SCHEMA))
    assert "outputConfig" not in out.body
    assert lost(out) == [f"format.{code} $.response_format" for code in ("in_words", "unsupported")]


def test_own_fields_of_a_request_fill_what_is_there() -> None:
    extras: dict[str, dict[str, Any]] = {
        "bedrock-converse": {
            "additionalModelRequestFields": {"anthropic_beta": ["x"]},
            "requestMetadata": {"a": "b"},
        },
        "openai-chat": {"store": True},
    }
    out = wrote(options={"reasoning_budget": 2000}, extras=extras)
    assert out.body["additionalModelRequestFields"] == {
        "thinking": {"type": "enabled", "budget_tokens": 2000}, "anthropic_beta": ["x"],
    }  # fmt: skip
    assert out.body["requestMetadata"] == {"a": "b"}
    assert lost(out) == ["extras.other_provider $.extras.openai-chat.store"]
    assert extras["bedrock-converse"]["additionalModelRequestFields"] == {"anthropic_beta": ["x"]}
