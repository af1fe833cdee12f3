"""Claude on Foundry, on AWS by Anthropic, on Mantle and on Cortex; OpenAI's models on Bedrock."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.errors import WriteError
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    ImageBlock,
    Origin,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    URLSource,
)
from tests.vendors.asking import LOOK, called, codes, losses, wrote

LINK = ImageBlock(URLSource("https://example.com/a.png"))
SCHEMA = ResponseFormat(
    "schema", {"type": "object", "properties": {}, "additionalProperties": False}
)
MANTLE = "https://bedrock-mantle.{region}.api.aws"


@pytest.mark.parametrize(
    ("wire", "model", "url", "key"),
    [
        ("foundry", "claude-opus-5-5",
         "https://{resource}.services.ai.azure.com/anthropic/v1/messages",
         "ANTHROPIC_FOUNDRY_API_KEY"),
        ("anthropic-aws", "claude-opus-5-5",
         "https://aws-external-anthropic.{region}.api.aws/v1/messages",
         "ANTHROPIC_AWS_API_KEY"),
        ("bedrock-mantle/anthropic", "anthropic.claude-opus-5-5",
         f"{MANTLE}/anthropic/v1/messages", "AWS_BEARER_TOKEN_BEDROCK"),
        ("bedrock-mantle", "openai.gpt-5.6-luna", f"{MANTLE}/openai/v1/responses",
         "AWS_BEARER_TOKEN_BEDROCK"),
        ("bedrock-mantle", None, f"{MANTLE}/openai/v1/responses", "AWS_BEARER_TOKEN_BEDROCK"),
        ("bedrock-mantle", "openai.gpt-oss-20b", f"{MANTLE}/v1/responses",
         "AWS_BEARER_TOKEN_BEDROCK"),
        ("bedrock-mantle/openai-chat", "openai.gpt-oss-120b", f"{MANTLE}/v1/chat/completions",
         "AWS_BEARER_TOKEN_BEDROCK"),
        ("bedrock/openai-chat", "openai.gpt-oss-120b-1:0",
         "https://bedrock-runtime.{region}.amazonaws.com/openai/v1/chat/completions",
         "AWS_BEARER_TOKEN_BEDROCK"),
        ("snowflake/anthropic", "claude-sonnet-4-6",
         "https://{account}.snowflakecomputing.com/api/v2/cortex/v1/messages", "SNOWFLAKE_PAT"),
    ],
)  # fmt: skip
def test_where_they_live(wire: str, model: str | None, url: str, key: str) -> None:
    row = dragoman.wire(wire).vendor
    assert row.url(wire.partition("/")[2]) + wrote(wire, model).path == url
    assert row.key == key


@pytest.mark.parametrize("wire", ["foundry", "anthropic-aws", "bedrock-mantle/anthropic"])
def test_the_messages_api_as_it_is(wire: str) -> None:
    """The model in the body, the version in a header, streams as a flag; not so on InvokeModel."""
    out = wrote(wire, "claude-opus-5-5", stream=True)
    assert out.headers == {"anthropic-version": "2023-06-01"}
    assert (out.body["model"], out.body["stream"]) == ("claude-opus-5-5", True)


@pytest.mark.parametrize("wire", ["foundry", "anthropic-aws"])
def test_all_features_of_the_first_party(wire: str) -> None:
    shown = Msg.user([TextBlock("?", cache=CacheHint("1h")), LINK])
    signed = ThinkingBlock("hm", signature="c2ln", origin=Origin("anthropic"))
    out = wrote(wire, "claude-opus-5-5", shown, *called(signed)[1:], response_format=SCHEMA,
                tools=[LOOK, ServerTool("web_search")])  # fmt: skip
    assert losses(out) == []
    assert out.body["output_config"]["format"]["type"] == "json_schema"
    assert out.body["tools"][1]["name"] == "web_search"
    assert out.body["messages"][0]["content"][1]["source"]["type"] == "url"


def test_bedrock_signatures_hold_at_anthropic_on_aws() -> None:
    signed = ThinkingBlock("hm", signature="c2ln", origin=Origin("bedrock-converse"))
    assert codes(wrote("anthropic-aws", "claude-opus-5-5", *called(signed))) == []


def test_what_mantle_lacks() -> None:
    """As on InvokeModel: media by bytes, no server tools, no schemas of the newer models."""
    shown = Msg.user([TextBlock("?"), LINK])
    newer = wrote("bedrock-mantle/anthropic", "anthropic.claude-opus-5-5", shown,
                  response_format=SCHEMA, tools=[ServerTool("web_search")])  # fmt: skip
    assert codes(newer) == [
        "server_tool.unsupported", "format.in_words", "media.not_fetched", "format.unsupported",
    ]  # fmt: skip
    wire = dragoman.wire("bedrock-mantle/anthropic")
    assert "schema" in wire.can("anthropic.claude-opus-4-6").formats


def test_mantle_runs_no_tools_of_openai_and_opens_no_foreign_seal() -> None:
    assert dragoman.wire("bedrock-mantle").can().server_tools == frozenset()
    foreign = ThinkingBlock("", signature="c2VhbA==", origin=Origin("openai-responses"))
    out = wrote("bedrock-mantle", "openai.gpt-5.6-luna", *called(foreign))
    assert losses(out) == [("thinking.other_provider", "$.messages[1].content[0]")]


def test_gpt_5_is_on_mantles_responses_alone() -> None:
    with pytest.raises(WriteError, match="/openai/v1/responses"):
        wrote("bedrock-mantle/openai-chat", "openai.gpt-5.6-luna")


def test_sounds_on_mantle() -> None:
    """A recorded request: Voxtral hears on Chat Completions."""
    sound = AudioBlock(Base64Source("audio/wav", "UklGRg=="))
    out = wrote("bedrock-mantle/openai-chat", "mistral.voxtral-mini-3b-2507",
                Msg.user([TextBlock("?"), sound]))  # fmt: skip
    assert out.body["messages"][0]["content"][1]["type"] == "input_audio"


# as Claude Code 2.1.332 and the SDK's beta types have it for Anthropic's own API
_FIRST_PARTY: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "Be brief.",
                "cache_control": {"type": "ephemeral", "scope": "global"}}],
    "messages": [{"role": "user", "content": [
        {"type": "text", "text": "Hi.",
         "cache_control": {"type": "ephemeral", "scope": "global"}}]}],
    "tools": [
        {"name": "look", "input_schema": {"type": "object"},
         "cache_control": {"type": "ephemeral", "scope": "global"}},
        {"type": "web_fetch_20250910", "name": "web_fetch"},
        {"type": "advisor_20260301", "name": "advisor", "model": "claude-opus-5-5"},
        {"type": "mcp_toolset", "mcp_server_name": "docs"},
    ],
    "speed": "fast",
    "mcp_servers": [{"type": "url", "url": "https://a.example/mcp", "name": "docs"}],
    "diagnostics": {"previous_message_id": None},
    "user_profile_id": "p",
    "output_config": {"effort": "high", "task_budget": {"type": "tokens", "total": 64000}},
}  # fmt: skip
_BETAS = ("prompt-caching-scope-2026-01-05,fast-mode-2026-02-01,mcp-client-2025-11-20,"
          "cache-diagnosis-2026-04-07,user-profiles-2026-03-24,task-budgets-2026-03-13,"
          "advisor-tool-2026-03-01,effort-2025-11-24")  # fmt: skip


@pytest.mark.parametrize("name", ["vertex/anthropic", "bedrock/anthropic",
                                  "bedrock-mantle/anthropic"])  # fmt: skip
def test_what_a_beta_brings_stays_behind_with_it(name: str) -> None:
    request = dragoman.wire("anthropic").read_request(
        _FIRST_PARTY, "/v1/messages", {"anthropic-beta": _BETAS}
    )
    out = dragoman.wire(name, policy="ignore").write_request(request)
    body: dict[str, Any] = out.body
    assert not body.keys() & {"speed", "mcp_servers", "diagnostics", "user_profile_id"}
    assert [tool["name"] for tool in body["tools"]] == ["look"]
    hints = [body["system"][0], body["messages"][0]["content"][0], body["tools"][0]]
    assert [one["cache_control"] for one in hints] == [{"type": "ephemeral"}] * 3
    codes_of = ("extras.other_provider", "tool.other_provider", "server_tool.unsupported")
    lost = {loss.where for loss in out.losses if loss.code in codes_of}
    assert {"$.speed", "$.mcp_servers", "$.diagnostics", "$.user_profile_id", "$.tools[1]",
            "$.tools[2]", "$.tools[3]", "$.system[0].cache_control.scope",
            "$.messages[0].content[0].cache_control.scope",
            "$.tools[0].cache_control.scope"} <= lost  # fmt: skip
    knows = name == "vertex/anthropic"
    assert ("task_budget" in body["output_config"]) is knows
    assert ("$.output_config.task_budget" in lost) is not knows


def test_anthropic_itself_gets_them_as_they_are() -> None:
    headers = {"anthropic-beta": _BETAS}
    wire = dragoman.wire("anthropic")
    out = wire.write_request(wire.read_request(_FIRST_PARTY, "/v1/messages", headers))
    assert (out.body, out.headers["anthropic-beta"]) == (_FIRST_PARTY, _BETAS)
    request = wire.read_request(_FIRST_PARTY, "/v1/messages", headers)
    request.messages.append(Msg.assistant("Hello."))
    request.messages.append(Msg.user("Go on."))
    out = wire.write_request(request)
    assert out.body["messages"][0] == _FIRST_PARTY["messages"][0]
    assert out.body["tools"] == _FIRST_PARTY["tools"]


@pytest.mark.parametrize("name", ["bedrock", "openrouter", "dashscope/openai-chat"])
def test_a_hint_with_a_scope_is_a_hint_elsewhere(name: str) -> None:
    body = {key: _FIRST_PARTY[key] for key in ("model", "max_tokens", "system", "messages")}
    models = {"openrouter": "anthropic/claude-opus-5.5"}
    out = dragoman.convert(body, "anthropic", name, model=models.get(name), policy="ignore")
    said = json.dumps(out.body)
    assert "cachePoint" in said or "cache_control" in said
    assert "scope" not in said
    assert "$.system[0].cache_control.scope" in {loss.where for loss in out.losses}
