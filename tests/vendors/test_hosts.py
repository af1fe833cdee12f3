"""The smaller hosts of Chat Completions: where they are, and what each spells or refuses."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.message import (
    Origin,
    ResponseFormat,
    TextBlock,
    ThinkingBlock,
    URLSource,
    VideoBlock,
)
from tests.each_case import each_case
from tests.vendors.asking import IMAGE, LOOK, called, codes, losses, said, wrote

SCHEMA = ResponseFormat("schema", {"type": "object", "properties": {}})
FILM = VideoBlock(URLSource("https://example.com/a.mp4"))
WAYS = ("thinking", "reasoning", "reasoning_effort", "enable_thinking", "thinking_budget",
        "chat_template_kwargs")  # fmt: skip
# of which little is known: an address, a key, and a copy
PLAIN = ("watsonx", "sambanova", "huggingface", "cloudflare", "qianfan")


@each_case(
    ("wire", "url", "key"),
    [
        ("volcengine", "https://ark.cn-beijing.volces.com/api/v3/chat/completions",
         "ARK_API_KEY"),
        ("volcengine/openai-responses", "https://ark.cn-beijing.volces.com/api/v3/responses",
         "ARK_API_KEY"),
        ("cerebras", "https://api.cerebras.ai/v1/chat/completions", "CEREBRAS_API_KEY"),
        ("xiaomi", "https://api.xiaomimimo.com/v1/chat/completions", "MIMO_API_KEY"),
        ("xiaomi/anthropic", "https://api.xiaomimimo.com/anthropic/v1/messages",
         "MIMO_API_KEY"),
        ("together", "https://api.together.ai/v1/chat/completions", "TOGETHER_API_KEY"),
        ("fireworks", "https://api.fireworks.ai/inference/v1/chat/completions",
         "FIREWORKS_API_KEY"),
        ("snowflake",
         "https://{account}.snowflakecomputing.com/api/v2/cortex/v1/chat/completions",
         "SNOWFLAKE_PAT"),
        ("watsonx", "https://{region}.ml.cloud.ibm.com/ml/gateway/v1/chat/completions",
         "WATSONX_TOKEN"),
        ("perplexity", "https://api.perplexity.ai/chat/completions", "PERPLEXITY_API_KEY"),
        ("sambanova", "https://api.sambanova.ai/v1/chat/completions", "SAMBANOVA_API_KEY"),
        ("nvidia", "https://integrate.api.nvidia.com/v1/chat/completions", "NVIDIA_API_KEY"),
        ("databricks", "https://{workspace}/serving-endpoints/chat/completions",
         "DATABRICKS_TOKEN"),
        ("huggingface", "https://router.huggingface.co/v1/chat/completions", "HF_TOKEN"),
        ("siliconflow", "https://api.siliconflow.com/v1/chat/completions", "SILICONFLOW_API_KEY"),
        ("cloudflare",
         "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1/chat/completions",
         "CLOUDFLARE_API_TOKEN"),
        ("cloudflare/openai-responses",
         "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1/responses",
         "CLOUDFLARE_API_TOKEN"),
        ("stepfun", "https://api.stepfun.com/v1/chat/completions", "STEPFUN_API_KEY"),
        ("stepfun/anthropic", "https://api.stepfun.com/v1/messages", "STEPFUN_API_KEY"),
        ("stepfun/openai-responses", "https://api.stepfun.com/v1/responses", "STEPFUN_API_KEY"),
        ("hunyuan", "https://api.hunyuan.cloud.tencent.com/v1/chat/completions",
         "HUNYUAN_API_KEY"),
        ("hunyuan/anthropic", "https://api.hunyuan.cloud.tencent.com/anthropic/v1/messages",
         "HUNYUAN_API_KEY"),
        ("meta", "https://api.meta.ai/v1/responses", "MODEL_API_KEY"),
        ("meta/openai-chat", "https://api.meta.ai/v1/chat/completions", "MODEL_API_KEY"),
        ("meta/anthropic", "https://api.meta.ai/v1/messages", "MODEL_API_KEY"),
        ("baseten", "https://inference.baseten.co/v1/chat/completions", "BASETEN_API_KEY"),
        ("deepinfra", "https://api.deepinfra.com/v1/openai/chat/completions",
         "DEEPINFRA_API_KEY"),
        ("novita", "https://api.novita.ai/v3/openai/chat/completions", "NOVITA_API_KEY"),
        ("novita/anthropic", "https://api.novita.ai/anthropic/v1/messages", "NOVITA_API_KEY"),
        ("vercel-ai-gateway", "https://ai-gateway.vercel.sh/v1/chat/completions",
         "AI_GATEWAY_API_KEY"),
        ("vercel-ai-gateway/anthropic", "https://ai-gateway.vercel.sh/v1/messages",
         "AI_GATEWAY_API_KEY"),
        ("qianfan", "https://qianfan.baidubce.com/v2/chat/completions", "QIANFAN_API_KEY"),
    ],
)  # fmt: skip
def test_where_they_are(wire: str, url: str, key: str) -> None:
    row = dragoman.wire(wire).vendor
    assert row.url(wire.partition("/")[2]) + wrote(wire, None).path == url
    assert row.key == key


OFF, ON, HIGH = "off", "on", "high"


@each_case(
    ("wire", "model", "reasoning", "written"),
    [
        ("volcengine", "doubao-seed-2-1-pro-260915", HIGH,
         {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("volcengine", "doubao-seed-2-1-pro-260915", OFF, {"thinking": {"type": "disabled"}}),
        ("cerebras", "gpt-oss-120b", "low", {"reasoning_effort": "low"}),
        ("cerebras", "zai-glm-4.7", OFF, {"reasoning_effort": "none"}),
        ("cerebras", "zai-glm-4.7", HIGH, {}),
        ("xiaomi", "mimo-v2.5-pro", OFF, {"thinking": {"type": "disabled"}}),
        ("xiaomi", "mimo-v2-flash", ON, {"thinking": {"type": "enabled"}}),
        ("together", "moonshotai/Kimi-K2.6", OFF, {"reasoning": {"enabled": False}}),
        ("together", "deepseek-ai/DeepSeek-V3-1", ON, {"reasoning": {"enabled": True}}),
        ("together", "openai/gpt-oss-120b", HIGH, {"reasoning_effort": "high"}),
        ("fireworks", "accounts/fireworks/models/glm-5p3", "medium", {"reasoning_effort": "high"}),
        ("fireworks", "accounts/fireworks/models/glm-5p3", "low", {"reasoning_effort": "low"}),
        ("fireworks", "accounts/fireworks/models/glm-5p1", "low", {"reasoning_effort": "high"}),
        ("fireworks", "accounts/fireworks/models/kimi-k2p6", OFF, {"reasoning_effort": "none"}),
        ("snowflake", "claude-sonnet-4-6", "max", {"reasoning": {"effort": "high"}}),
        ("snowflake", "openai-gpt-5.2", HIGH, {"reasoning_effort": "high"}),
        ("databricks", "databricks-claude-sonnet-4-5", ON,
         {"thinking": {"type": "enabled", "budget_tokens": 8192}}),
        ("databricks", "databricks-claude-sonnet-4-5", OFF, {"thinking": {"type": "disabled"}}),
        ("databricks", "databricks-gpt-5-2", HIGH, {"reasoning_effort": "high"}),
        ("nvidia", "qwen/qwen3-next-80b", OFF,
         {"chat_template_kwargs": {"enable_thinking": False}}),
        ("siliconflow", "Qwen/Qwen3-14B", OFF, {"enable_thinking": False}),
        ("siliconflow", "deepseek-ai/DeepSeek-V4-Flash", "low", {"reasoning_effort": "high"}),
        ("perplexity", "sonar-deep-research", HIGH, {"reasoning_effort": "high"}),
        ("perplexity", "sonar-pro", HIGH, {}),
        ("stepfun", "step-3.5-flash-2603", "medium", {"reasoning_effort": "high"}),
        ("hunyuan", "hy3-preview", OFF, {"thinking": {"type": "disabled"}}),
        ("hunyuan", "hunyuan-2.0-instruct-20251111", HIGH, {}),
        ("qianfan", "ernie-4.5-turbo-128k", HIGH, {}),
        ("huggingface", "zai-org/GLM-5.2", OFF, {"reasoning_effort": "none"}),
    ],
)  # fmt: skip
def test_how_thinking_is_asked_for(
    wire: str, model: str, reasoning: str, written: dict[str, Any]
) -> None:
    out = wrote(wire, model, options={"reasoning": reasoning, "max_tokens": 30_000})
    assert {key: out.body[key] for key in WAYS if key in out.body} == written
    assert written or codes(out), "what is not sent is named"


def test_budgets() -> None:
    asked = {"reasoning_budget": 20_000, "max_tokens": 5000}
    out = wrote("databricks", "databricks-claude-sonnet-4-5", options=asked)
    assert out.body["thinking"] == {"type": "enabled", "budget_tokens": 4000}
    assert codes(out) == ["option.range"]
    none = wrote("databricks", "databricks-claude-sonnet-4-5",
                 options={"reasoning_budget": 2000, "max_tokens": 800})  # fmt: skip
    assert ("thinking" in none.body, codes(none)) == (False, ["option.refused"])
    assert wrote("siliconflow", "Qwen/Qwen3-14B", options={"reasoning_budget": 20}).body[
        "thinking_budget"
    ] == 128  # fmt: skip
    assert wrote("snowflake", "claude-sonnet-4-6", options={"reasoning_budget": 2000}).body[
        "reasoning"
    ] == {"max_tokens": 2000}  # fmt: skip


@pytest.mark.parametrize("wire", ["databricks", "together"])
def test_what_asks_for_thinking_is_read_back(wire: str) -> None:
    model = {"databricks": "databricks-claude-sonnet-4-5", "together": "moonshotai/Kimi-K2.6"}[wire]
    body = wrote(wire, model, options={"reasoning": "on", "max_tokens": 30_000}).body
    made = dragoman.wire(wire)
    read = made.read_request(body)
    assert read.options.reasoning == "on"
    assert made.write_request(read).body == body


@pytest.mark.parametrize(
    ("wire", "field"),
    [
        ("volcengine", "reasoning_content"), ("cerebras", "reasoning"),
        ("xiaomi", "reasoning_content"), ("together", "reasoning"),
        ("fireworks", "reasoning_content"), ("nvidia", "reasoning_content"),
        ("siliconflow", "reasoning_content"), ("stepfun", "reasoning"),
        ("snowflake", "reasoning_details"), ("bedrock-mantle/openai-chat", "reasoning"),
    ],
)  # fmt: skip
def test_thinking_goes_back_under_the_hosts_name(wire: str, field: str) -> None:
    turn = said(wire, None, *called(ThinkingBlock("hm")))[1]
    expected: Any = [{"type": "reasoning.text", "text": "hm"}] if "details" in field else "hm"
    assert turn.keys() & {"reasoning", "reasoning_content", "reasoning_details"} == {field}
    assert turn[field] == expected


def test_ark_always_has_content_and_sees_films() -> None:
    """AstrBot issue 6852: "missing `messages.content` parameter"."""
    assert said("volcengine", None, *called())[1]["content"] == ""
    part = said("volcengine", None, Msg.user([TextBlock("?"), FILM]))[0]["content"][1]
    assert part == {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}
    items = wrote("volcengine/openai-responses", None, options={"reasoning": "high"}).body
    assert items["include"] == ["reasoning.encrypted_content"]


def test_mimo_wants_its_thinking_back_on_both_wires() -> None:
    """400 "The reasoning_content in the thinking mode must be passed back to the API."."""
    assert said("xiaomi", "mimo-v2.5-pro", *called())[1]["reasoning_content"] == ""
    [block, _] = said("xiaomi/anthropic", "mimo-v2.5-pro", *called())[1]["content"]
    assert (block["type"], block["thinking"]) == ("thinking", "")
    assert codes(wrote("xiaomi", "mimo-v2.5-pro", response_format=SCHEMA)) == [
        "format.in_words", "format.lowered",
    ]  # fmt: skip
    shown = Msg.user([TextBlock("?"), IMAGE])
    assert codes(wrote("xiaomi", "mimo-v2.5", shown)) == []
    assert codes(wrote("xiaomi", "mimo-v2.5-pro", shown)) == ["block.unsupported"]


def test_what_cerebras_refuses() -> None:
    out = wrote("cerebras", "gpt-oss-120b",
                options={"presence_penalty": 0.1, "frequency_penalty": 0.1, "seed": 1,
                         "max_tokens": 9})  # fmt: skip
    assert codes(out) == ["option.refused"] * 2
    assert (out.body["seed"], out.body["max_completion_tokens"]) == (1, 9)


@pytest.mark.parametrize("wire", ["together", "fireworks", "sambanova", "siliconflow"])
def test_the_maximum_and_the_sampler_of_open_weights(wire: str) -> None:
    body = wrote(wire, None, options={"max_tokens": 9, "top_k": 5}).body
    assert (body["max_tokens"], body["top_k"]) == (9, 5)


def test_cortex_by_family() -> None:
    """Tools are an error and formats are left alone but for Claude and GPT."""
    claude = wrote("snowflake", "claude-sonnet-4-6", tools=[LOOK], response_format=SCHEMA)
    assert (codes(claude), "tools" in claude.body) == ([], True)
    assert "strict" not in claude.body["tools"][0]["function"]
    llama = wrote("snowflake", "llama3.1-70b", tools=[LOOK], response_format=SCHEMA)
    assert codes(llama) == ["tools.unsupported", "format.in_words", "format.unsupported"]
    own = ThinkingBlock("hm", signature="c2ln", origin=Origin("snowflake"))
    other = ThinkingBlock("hm", signature="c2ln", origin=Origin("anthropic"))
    [detail] = said("snowflake", "claude-sonnet-4-6", *called(own))[1]["reasoning_details"]
    assert detail["signature"] == "c2ln"
    assert codes(wrote("snowflake", "claude-sonnet-4-6", *called(other))) == [
        "thinking.other_provider"
    ]


def test_sonar_has_no_tools_and_answers_in_turns() -> None:
    turns = said("perplexity", "sonar-pro", Msg.user("a"), Msg.user("b"), Msg("", "c", "assistant"),
                 Msg.user("d"))  # fmt: skip
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    out = wrote("perplexity", "sonar-pro", tools=[LOOK], options={"stop": ["a"], "seed": 1})
    assert losses(out) == [
        ("tools.unsupported", "$.tools[0]"), ("option.refused", "$.options.seed"),
        ("option.refused", "$.options.stop"),
    ]  # fmt: skip


def test_hunyuan_speaks_in_turns_after_one_system_message() -> None:
    history = [Msg.system("Be."), Msg.user("a"), Msg.user("b"), Msg("", "c", "assistant"),
               Msg.system("Stop."), Msg.user("d")]  # fmt: skip
    roles = [turn["role"] for turn in said("hunyuan", None, *history)]
    assert roles == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("wire", PLAIN)
def test_hosts_of_which_little_is_known_get_the_plain_protocol(wire: str) -> None:
    image = Msg.user([TextBlock("?"), IMAGE])
    turns = [image, Msg("", "c", "assistant"), Msg("", "d", "developer"), Msg.user("e")]
    asked: Any = {"tools": [LOOK], "tool_choice": "look", "response_format": SCHEMA}
    out = wrote(wire, "somebody-new", *turns, **asked)
    assert out.body.keys() == {"model", "messages", "tools", "tool_choice", "response_format"}
    assert [turn["role"] for turn in out.body["messages"]] == [
        "user", "assistant", "system", "user",
    ]  # fmt: skip
    assert "strict" not in out.body["tools"][0]["function"]
