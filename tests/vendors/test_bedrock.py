"""Which fact of Bedrock's row holds for which model id, and for which it must not."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ToolChoice
from dragoman.capabilities import Facts
from tests.each_case import each_case
from tests.vendors.asking import LOOK, codes, wrote

WIRE = dragoman.wire("bedrock")


def of(model: str, field: str) -> Any:
    return getattr(WIRE.can(model), field)


@each_case(
    ("model", "form"),
    [
        ("us.anthropic.claude-opus-5-5", "claude-adaptive"),
        ("global.anthropic.claude-sonnet-5", "claude-adaptive"),
        ("anthropic.claude-opus-4-8", "claude-adaptive"),
        ("eu.anthropic.claude-sonnet-4-6", "claude-adaptive"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-budget"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-budget"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-budget"),
        ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", "claude-budget"),
        ("anthropic.claude-3-haiku-20240307-v1:0", "claude-budget"),
        ("us.amazon.nova-2-lite-v1:0", "nova"),
        ("amazon.nova-lite-v1:0", "nova"),
        ("openai.gpt-oss-120b-1:0", "effort"),
        ("global.openai.gpt-6.1-sol", "reasoning"),
        ("us.xai.grok-4.7", "reasoning"),
        ("qwen.qwen3-32b-v1:0", "config"),
        ("in.zai.glm-5.3", "effort"),
        ("us.meta.llama4-maverick-17b-instruct-v1:0", ""),
        ("us.deepseek.r1-v1:0", ""),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-2-lite-v1:0", "nova"),
        ("somebody.supernova-2", ""),
        (None, ""),
    ],
)
def test_the_makers_spelling(model: str, form: str) -> None:
    assert of(model, "form") == form


@pytest.mark.parametrize(
    ("model", "bound"),
    [
        ("claude-fable-5-1", True), ("claude-fable-5-2", True), ("claude-opus-5-5", True),
        ("claude-sonnet-5-5", True), ("claude-haiku-5-5", True), ("claude-opus-5", False),
        ("claude-sonnet-5", False), ("claude-fable-5", False), ("claude-opus-4-8", False),
        ("nova-2-lite-v1:0", False),
    ],
)  # fmt: skip
def test_thinking_bound_to_the_history(model: str, bound: bool) -> None:
    assert of(model, "binding") == ("prefix" if bound else "none")


@pytest.mark.parametrize(
    ("model", "forced"),
    [
        ("us.anthropic.claude-opus-5-5", False), ("us.anthropic.claude-sonnet-5-5", False),
        ("us.anthropic.claude-fable-5-1", False), ("us.anthropic.claude-haiku-5-5", True),
        ("us.anthropic.claude-sonnet-5", True), ("anthropic.claude-3-haiku-20240307-v1:0", True),
        ("amazon.nova-micro-v1:0", True), ("us.amazon.nova-2-lite-v1:0", True),
        ("us.meta.llama3-1-70b-instruct-v1:0", False), ("qwen.qwen3-32b-v1:0", False),
        ("unheard-of", False),
    ],
)  # fmt: skip
def test_who_can_be_forced_to_call(model: str, forced: bool) -> None:
    assert of(model, "tool_choices") == (
        {"auto", "required", "tool"} if forced else frozenset({"auto"})
    )


@each_case(
    ("model", "schemas"),
    [
        ("us.anthropic.claude-sonnet-4-6", True), ("us.anthropic.claude-opus-4-6-v1", True),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", True),
        ("us.anthropic.claude-opus-4-7", True), ("us.anthropic.claude-sonnet-5", True),
        ("us.anthropic.claude-fable-5", False), ("us.anthropic.claude-opus-4-1-20250805", False),
        ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", False),
        ("google.gemma-3-27b-it", True), ("zai.glm-4.7-flash", True), ("deepseek.v3.2", True),
        ("us.deepseek.r1-v1:0", False), ("us.amazon.nova-2-lite-v1:0", False),
        ("google.gemma-3-4b-it", False), ("qwen.qwen3-next-80b-a3b", True),
        ("minimax.minimax-m2", True), ("moonshotai.kimi-k2.5", True), ("xai.grok-4.6", False),
        ("mistral.ministral-3-8b-instruct", True), ("openai.gpt-oss-20b-1:0", True),
    ],
)  # fmt: skip
def test_who_answers_by_a_schema(model: str, schemas: bool) -> None:
    assert ("schema" in of(model, "formats")) is schemas
    assert of(model, "strict_tools") is schemas


def test_of_the_newer_ones_not_before_november_2026() -> None:
    before = WIRE.knowing((Facts(pin="2026-10"),))
    assert "schema" not in before.can("us.anthropic.claude-opus-4-7").formats
    assert before.can("us.anthropic.claude-opus-4-7").cache_hints == 4
    assert "schema" in before.can("us.anthropic.claude-opus-4-6-v1").formats


FIELDS = "additionalModelRequestFields"


@pytest.mark.parametrize(
    ("model", "asked", "fields"),
    [
        ("global.openai.gpt-6-sol", "high", {"reasoning": {"effort": "high"}}),
        ("global.openai.gpt-6-sol", "minimal", {"reasoning": {"effort": "low"}}),
        ("global.openai.gpt-6-sol", "off", {"reasoning": {"effort": "none"}}),
        ("global.openai.gpt-6.1-sol", "off", {"reasoning": {"effort": "low"}}),
        ("us.xai.grok-4.6", "max", {"reasoning": {"effort": "xhigh"}}),
        ("us.xai.grok-4.6", "off", {"reasoning": {"effort": "low"}}),
        ("qwen.qwen3-32b-v1:0", "medium", {"reasoning_config": "medium"}),
        ("qwen.qwen3-32b-v1:0", "off", {"reasoning_config": "none"}),
        ("qwen.qwen3-coder-30b-a3b-v1:0", "high", None),
        ("deepseek.v3.2", "low", {"reasoning_effort": "high"}),
        ("deepseek.v3.2", "off", {"reasoning_effort": "none"}),
        ("zai.glm-4.7", "on", {"reasoning_effort": "high"}),
        ("global.zai.glm-5.3", "max", {"reasoning_effort": "max"}),
        ("global.zai.glm-5.3", "off", {"reasoning_effort": "low"}),
        ("openai.gpt-oss-120b-1:0", "max", {"reasoning_effort": "high"}),
    ],
)
def test_how_each_maker_is_asked_to_think(
    model: str, asked: str, fields: dict[str, Any] | None
) -> None:
    out = wrote("bedrock", model, options={"reasoning": asked})
    assert out.body.get(FIELDS) == fields
    back = WIRE.read_request(out.body, path=f"/model/{model}/converse")
    assert WIRE.write_request(back).body == out.body


@pytest.mark.parametrize(
    "model", ["us.xai.grok-4.7", "global.openai.gpt-6-sol", "us.openai.gpt-5.6-luna"]
)
def test_who_refuses_sampling(model: str) -> None:
    out = wrote("bedrock", model, options={"temperature": 0.5, "top_p": 0.5, "top_k": 3})
    assert "inferenceConfig" not in out.body
    assert codes(out) == ["option.refused"] * 3


@pytest.mark.parametrize(
    ("model", "reasoning", "required", "named"),
    [
        ("global.zai.glm-5.3", None, {"any": {}}, {"tool": {"name": "look"}}),
        ("global.moonshotai.kimi-k3", None, {"any": {}}, {"tool": {"name": "look"}}),
        ("us.xai.grok-4.7", None, {"any": {}}, {"tool": {"name": "look"}}),
        ("global.openai.gpt-6-sol", None, {"any": {}}, {"tool": {"name": "look"}}),
        ("deepseek.v3.2", None, {"any": {}}, {"auto": {}}),
        ("deepseek.v3.2", "high", {"auto": {}}, {"auto": {}}),
        ("us.meta.llama4-maverick-17b-instruct-v1:0", None, {"auto": {}}, {"auto": {}}),
    ],
)
def test_who_can_be_made_to_call(
    model: str, reasoning: str | None, required: Any, named: Any
) -> None:
    for choice, written in (("required", required), ("look", named)):
        out = wrote("bedrock", model, tools=[LOOK], tool_choice=ToolChoice.of(choice),
                    options={"reasoning": reasoning})  # fmt: skip
        assert out.body["toolConfig"]["toolChoice"] == written, choice


@pytest.mark.parametrize(
    ("model", "hints", "on_tools"),
    [
        ("us.anthropic.claude-sonnet-5", 4, True), ("amazon.nova-lite-v1:0", 4, False),
        ("us.anthropic.claude-3-5-haiku-20241022-v1:0", 4, True),
        ("anthropic.claude-3-haiku-20240307-v1:0", 0, False),
        ("us.meta.llama4-maverick-17b-instruct-v1:0", 0, False),
    ],
)  # fmt: skip
def test_who_has_a_cache(model: str, hints: int, on_tools: bool) -> None:
    assert (of(model, "cache_hints"), of(model, "cached_tools")) == (hints, on_tools)


@pytest.mark.parametrize(
    ("model", "how"),
    [
        ("us.meta.llama4-maverick-17b-instruct-v1:0", "bridged"),
        ("meta.llama3-8b-instruct-v1:0", "bridged"),
        ("us.anthropic.claude-sonnet-5", "merged"),
        ("amazon.nova-lite-v1:0", "merged"),
    ],
)
def test_how_roles_alternate(model: str, how: str) -> None:
    assert of(model, "alternation") == how


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        ("us.amazon.nova-2-lite-v1:0", {"image", "document", "video"}),
        ("amazon.nova-micro-v1:0", set()),
        ("us.anthropic.claude-sonnet-5", {"image", "document"}),
        ("openai.gpt-oss-120b-1:0", set()),
        ("meta.llama3-8b-instruct-v1:0", set()),
        ("us.meta.llama4-maverick-17b-instruct-v1:0", {"image", "document"}),
    ],
)
def test_what_the_user_may_show(model: str, kinds: set[str]) -> None:
    assert of(model, "user") - {"text", "raw"} == kinds


@pytest.mark.parametrize(
    "model", ["us.deepseek.r1-v1:0", "amazon.titan-text-express-v1", "anthropic.claude-v2"]
)
def test_who_takes_no_tools(model: str) -> None:
    assert (of(model, "tools"), of(model, "tool_messages")) == (False, False)
    assert of("deepseek.v3.2", "tools")


def test_every_fact_has_a_date_and_a_source() -> None:
    for fact in WIRE.vendor.facts["bedrock-converse"].rows:
        assert fact.since.count("-") == 2, fact.models
        assert fact.source, fact.models
    own = WIRE.room.can()
    assert own.source.startswith("Amazon Bedrock")
    assert own.since == "2026-11-21"


@pytest.mark.parametrize(
    ("status", "name", "kind"),
    [
        (424, "ModelErrorException", "server"),
        (429, "ModelNotReadyException:http://internal.amazon.com/coral/x/", "overloaded"),
        (400, "com.amazon.x#ServiceQuotaExceededException", "rate_limit"),
        (400, "ValidationException", "invalid"),
        (424, "", "invalid"),
    ],
)
def test_the_name_of_an_error_is_in_a_header(status: int, name: str, kind: str) -> None:
    headers = {"X-Amzn-ErrorType": name} if name else {}
    error = WIRE.error(status, {"message": "The call failed."}, headers)
    assert (error.kind, error.message) == (kind, "The call failed.")
    assert error.type == name.partition(":")[0].rpartition("#")[2]
