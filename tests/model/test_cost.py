"""What answers cost: what their vendor says, else by the prices of a package; else why not."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

import dragoman
from dragoman import Vendor
from dragoman.errors import DragomanError
from dragoman.message import Candidate, ChatResponse, Msg, Usage, Written
from dragoman.model import Answer, Cost
from dragoman.model.pricing import Unpriced, compute_cost
from dragoman.vendors import Billing, vendor
from tests.each_case import each_case

CLAUDE = vendor("anthropic")
MILLION = 1_000_000


def answer(wire: str, body: dict[str, Any], model: str, **asked: Any) -> Answer[None]:
    """The answer that a client gets of a body."""
    bound = dragoman.wire(wire)
    written = Written(asked, model=model)
    assert bound.vendor is not None
    return Answer.of(
        bound.read_response(body), written=written, host=bound.vendor.name, vendor=bound.vendor
    )


def chat(usage: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "hi"}
    figures = {"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000}
    return {
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {**figures, **(usage or {})}, **more,
    }  # fmt: skip


def messages(**usage: Any) -> dict[str, Any]:
    return {
        "id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "stop_sequence": None, "content": [{"type": "text", "text": "hi"}],
        "usage": {"input_tokens": 1000, "output_tokens": 1000, **usage},
    }  # fmt: skip


def responses(output: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": "hi", "annotations": []}
    message = {"type": "message", "id": "2", "role": "assistant", "status": "completed",
               "content": [part]}  # fmt: skip
    return {
        "id": "1", "object": "response", "created_at": 1, "status": "completed", "model": "m",
        "output": [*output, message],
        "usage": {"input_tokens": 1000, "output_tokens": 1000, "total_tokens": 2000}, **more,
    }  # fmt: skip


def converse(**usage: Any) -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": "hi"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 1000, "outputTokens": 1000, "totalTokens": 2000, **usage},
    }


def gemini(metadata: dict[str, Any], **usage: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP"}
    figures = {"promptTokenCount": 1000, "candidatesTokenCount": 1000, "totalTokenCount": 2000}
    return {"candidates": [{**candidate, **metadata}], "usageMetadata": {**figures, **usage}}


# -- a number --------------------------------------------------------------------------------------


def test_a_cost_is_a_number() -> None:
    cost = Cost(Decimal("0.0155"), Decimal("0.2"), "prices", Decimal("0.01"))
    assert cost.total == Decimal("0.2255")
    assert (float(cost), f"{cost:.4f}", f"{cost:8.2f}") == (0.2255, "0.2255", "    0.23")
    assert (str(cost), f"{cost}") == ("$0.2255", "$0.2255")
    assert cost == 0.2255
    assert cost == cost.total
    assert 0.2 < cost <= 0.2255
    assert not cost > Decimal("0.3")
    assert cost >= Cost(Decimal("0.1"))
    assert min([cost, Cost(), Cost(Decimal("0.1"))]) == Cost() == 0
    assert (cost * 2).total == (2 * cost).total == Decimal("0.451")
    assert cost
    assert not Cost()
    assert len({cost, replace(cost, source="another")}) == 1
    assert cost != "0.2255"
    with pytest.raises(TypeError):
        cost < "1"  # type: ignore[operator]  # noqa: B015


def test_costs_add_up() -> None:
    one = Cost(Decimal("0.5"), Decimal("0.25"), "prices")
    assert sum([one, one]) == Cost(Decimal(1), Decimal("0.5"), "prices")
    both = one + Cost(other=Decimal("0.1"), source="openrouter") + one
    assert both.source == "prices, openrouter"
    assert (both.input, both.output, both.other) == (Decimal(1), Decimal("0.5"), Decimal("0.1"))
    assert (one + 0.1).total == Decimal("0.85") == (Decimal("0.1") + one).total


# -- what the vendor says --------------------------------------------------------------------------

OPENROUTER = {"cost": 0.0123, "is_byok": False, "cost_details": {
    "upstream_inference_cost": 0.0123, "upstream_inference_prompt_cost": 0.0023,
    "upstream_inference_completions_cost": 0.01}}  # fmt: skip
PERPLEXITY = {"cost": {"input_tokens_cost": 0.001, "output_tokens_cost": 0.002,
                       "request_cost": 0.005, "total_cost": 0.008}}  # fmt: skip


@pytest.mark.parametrize(
    ("wire", "usage", "costs"),
    [
        ("openrouter", OPENROUTER, ("0.0023", "0.01", "0")),
        ("openrouter", {"cost": 0.002}, ("0", "0", "0.002")),
        ("openrouter", {**OPENROUTER, "cost": 0.001}, ("0", "0", "0.001")),
        ("openrouter", {"cost": 0.001, "is_byok": True,
                        "cost_details": {"upstream_inference_cost": 0.02}}, ("0", "0", "0.021")),
        ("perplexity", PERPLEXITY, ("0.001", "0.002", "0.005")),
        ("xai/openai-chat", {"cost_in_usd_ticks": 37_756_000}, ("0", "0", "0.0037756")),
    ],
)  # fmt: skip
def test_what_a_vendor_says_is_the_cost(
    wire: str, usage: dict[str, Any], costs: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "genai_prices", None)  # it is not needed
    cost = answer(wire, chat(usage), "a-model-that-nobody-knows").cost
    assert cost is not None
    assert (cost.input, cost.output, cost.other) == tuple(map(Decimal, costs))
    assert cost.source == wire.partition("/")[0]


def test_a_streamed_answer_says_it_too() -> None:
    reader = dragoman.wire("openrouter").stream_decoder()
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    delta = {"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    for event in ({"choices": [delta]}, {"choices": [end]},
                  {"choices": [], "usage": chat(OPENROUTER)["usage"]}):  # fmt: skip
        reader.feed({**chunk, **event})
    resp = reader.finish()
    assert Answer.of(resp, written=Written({}, model="m"), host="openrouter").cost == 0.0123


def test_a_vendor_of_your_own_says_where_it_tells() -> None:
    acme = Vendor(
        "acme", base_url="https://api.acme.example/v1", wires={"openai-chat": None},
        billing=Billing(total="price.euro_cents", unit=100),
    )  # fmt: skip
    assert compute_cost(Usage(extras={"acme": {"price": {"euro_cents": 5}}}), acme, None) == 0.05
    resp = dragoman.wire(acme).read_response(chat({"price": {"euro_cents": 7}}))
    assert Answer.of(resp, written=Written({}), host="acme", vendor=acme).cost == 0.07


def test_a_key_of_the_users_own_was_billed_elsewhere() -> None:
    got = answer("openrouter", chat({"cost": 0, "is_byok": True}), "m")
    assert got.cost is None
    assert got.unpriced == "a key of your own was billed, and the answer does not say what"


@pytest.mark.parametrize("figure", [-1, float("nan"), "much", True, None, {}])
def test_what_is_no_amount_is_no_figure(figure: object) -> None:
    got = answer("openrouter", chat({"cost": figure}), "anthropic/claude-opus-4.5")
    assert got.cost is None or got.cost.source.startswith("genai-prices")


# -- prices of the package -------------------------------------------------------------------------


def test_cached_tokens_have_their_own_price() -> None:
    spent = Usage(input=850, cache_read=100, cache_write=50, output=100)
    cost = compute_cost(spent, CLAUDE, "claude-opus-4-5")
    # $5, $0.5, $6.25 and $25 for a million tokens
    assert cost.input == Decimal("0.0046125")
    assert cost.total == Decimal("0.0071125")
    assert cost.source.startswith("genai-prices ")
    assert str(cost) == "$0.0071125"


HOUR = {"cache_creation_input_tokens": MILLION, "input_tokens": 0, "output_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": MILLION - 200_000,
                           "ephemeral_1h_input_tokens": 200_000}}  # fmt: skip
BEDROCK_HOUR = {"inputTokens": 0, "outputTokens": 0, "cacheWriteInputTokens": MILLION,
                "cacheDetails": [{"ttl": "5m", "inputTokens": MILLION - 200_000},
                                 {"ttl": "1h", "inputTokens": 200_000}]}  # fmt: skip


@pytest.mark.parametrize(
    ("wire", "body", "model", "dollars"),
    [
        ("anthropic", messages(**HOUR), "claude-opus-4-5", "7"),  # 0.8 of $6.25, 0.2 of $10
        ("bedrock", converse(**BEDROCK_HOUR), "global.anthropic.claude-opus-4-5-20251101-v1:0",
         "7"),
        ("bedrock/anthropic", messages(**HOUR), "global.anthropic.claude-opus-4-5-20251101-v1:0",
         "7"),
        ("vertex/anthropic", messages(**HOUR), "claude-opus-4-5@20251101", "7"),
    ],
)  # fmt: skip
def test_a_cache_of_an_hour_has_its_own_price(
    wire: str, body: dict[str, Any], model: str, dollars: str
) -> None:
    got = answer(wire, body, model)
    assert got.unpriced is None
    assert got.cost == Decimal(dollars)


@pytest.mark.parametrize(
    ("wire", "body", "asked", "model", "dollars"),
    [
        ("openai/openai-chat", chat(), {}, "gpt-5", "0.01125"),
        ("openai/openai-chat", chat(service_tier="default"), {}, "gpt-5", "0.01125"),
        ("openai/openai-chat", chat(service_tier="flex"), {}, "gpt-5", "0.005625"),
        ("openai/openai-chat", chat(service_tier="priority"), {}, "gpt-5", "0.0225"),
        ("openai/openai-chat", chat(), {"service_tier": "flex"}, "gpt-5", "0.005625"),
        ("openai/openai-chat", chat(service_tier="default"), {"service_tier": "priority"},
         "gpt-5", "0.01125"),  # what was asked for was not to be had
        ("openai/openai-responses", responses([], service_tier="flex"), {}, "gpt-5", "0.005625"),
        ("anthropic", messages(service_tier="standard"), {}, "claude-opus-4-5", "0.03"),
        ("anthropic", messages(service_tier="batch"), {}, "claude-opus-4-5", "0.015"),
        ("anthropic", messages(speed="fast"), {}, "claude-opus-5-5", "0.048"),
        ("anthropic", messages(inference_geo="us"), {}, "claude-opus-4-6", "0.033"),
        ("gemini", gemini({}, serviceTier="standard"), {}, "gemini-2.5-flash", "0.0028"),
        ("groq", chat(service_tier="flex"), {}, "openai/gpt-oss-120b", "0.00075"),
    ],
)  # fmt: skip
def test_each_tier_has_its_price(
    wire: str, body: dict[str, Any], asked: dict[str, Any], model: str, dollars: str
) -> None:
    got = answer(wire, body, model, **asked)
    assert got.unpriced is None
    assert got.cost == Decimal(dollars)


SEARCH = {"type": "web_search_call", "id": "3", "status": "completed",
          "action": {"type": "search", "query": "x"}}  # fmt: skip
OPEN = {**SEARCH, "id": "4", "action": {"type": "open_page", "url": "https://a.example"}}


@pytest.mark.parametrize(
    ("wire", "body", "model", "searches", "each"),
    [
        ("anthropic", messages(server_tool_use={"web_search_requests": 3}), "claude-opus-4-5", 3,
         "0.01"),
        ("openai/openai-responses", responses([SEARCH, OPEN, {**SEARCH, "id": "5"}]), "gpt-5.6", 2,
         "0.01"),
        ("gemini", gemini({"groundingMetadata": {"webSearchQueries": ["a", "b"]}}),
         "gemini-3.5-flash", 2, "0.014"),
    ],
)  # fmt: skip
def test_web_searches_cost(
    wire: str, body: dict[str, Any], model: str, searches: int, each: str
) -> None:
    cost = answer(wire, body, model).cost
    assert cost is not None
    assert cost.other == searches * Decimal(each)
    assert cost.total == cost.input + cost.output + cost.other


BEDROCK = [
    "anthropic.claude-3-5-sonnet-20241022-v2:0", "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "eu.anthropic.claude-opus-4-6-v1:0", "apac.anthropic.claude-sonnet-4-20250514-v1:0",
    "global.anthropic.claude-opus-5-5", "us.anthropic.claude-opus-5-5", "amazon.nova-lite-v1:0",
    "us.amazon.nova-pro-v1:0", "apac.amazon.nova-micro-v1:0", "us.amazon.nova-2-lite-v1:0",
    "us.meta.llama4-maverick-17b-instruct-v1:0", "us.deepseek.r1-v1:0", "us.writer.palmyra-x5-v1:0",
    "mistral.magistral-small-2509", "openai.gpt-oss-120b-1:0", "qwen.qwen3-32b-v1:0",
    "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
]  # fmt: skip


def test_pictures_have_their_own_price() -> None:
    """Gemini API, Pricing: 30 dollars for a million tokens of a picture, 2.50 of text."""
    details = [{"modality": "TEXT", "tokenCount": 10}, {"modality": "IMAGE", "tokenCount": 1290}]
    usage: dict[str, Any] = {
        "promptTokenCount": 10, "candidatesTokenCount": 1300, "totalTokenCount": 1310,
        "candidatesTokensDetails": details,
    }  # fmt: skip
    part = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    content = {"role": "model", "parts": [part]}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    body: dict[str, Any] = {"candidates": [candidate], "usageMetadata": usage}
    cost = answer("gemini", body, "gemini-2.5-flash-image").cost
    expected = Decimal("0.3") * 10 + Decimal("2.5") * 10 + 30 * 1290
    assert cost == Cost(Decimal("0.3") * 10 / MILLION, (expected - 3) / MILLION)
    plain = {**body, "usageMetadata": {**usage, "candidatesTokensDetails": details[:1]}}
    assert answer("gemini", plain, "gemini-2.5-flash-image").cost == Decimal(3253) / MILLION


@each_case("model", BEDROCK)
def test_bedrock_has_prices_for_regions_and_versions(model: str) -> None:
    got = answer("bedrock", converse(), model)
    assert got.unpriced is None
    assert got.cost is not None
    assert got.cost > 0


@pytest.mark.parametrize(
    "wire",
    ["azure/openai-chat", "bedrock", "vertex", "cloudflare", "databricks", "foundry",
     "bedrock-mantle", "anthropic-aws", "together", "fireworks"],
)  # fmt: skip
def test_the_package_knows_hosts_whose_address_has_places(wire: str) -> None:
    import genai_prices.data_snapshot as snapshot

    home = dragoman.wire(wire).vendor
    assert home is not None
    with pytest.raises(Unpriced) as info:
        compute_cost(Usage(input=1, output=1), home, "a-model-that-nobody-knows")
    assert f"at {home.name}" in str(info.value)
    known = home.billing.prices or None
    url = None if known else home.url().replace("{", "").replace("}", "")
    assert snapshot.get_snapshot().find_provider(None, known, url).models


def test_a_deployment_has_the_price_of_its_model() -> None:
    body = {**chat(), "model": "gpt-5-2025-08-07"}
    assert answer("azure/openai-chat", body, "our-deployment").cost == Decimal("0.01125")


# -- what nobody knows -----------------------------------------------------------------------------

GENERATION = {"type": "image_generation_call", "id": "3", "status": "completed", "result": "aaaa"}


@pytest.mark.parametrize(
    ("wire", "body", "model", "asked", "why"),
    [
        ("anthropic", messages(), "claude-of-tomorrow-99", {}, "no price of claude-of-tomorrow-99"),
        ("llamacpp", chat(), "gpt-5.6", {}, "no price of gpt-5.6 at llamacpp"),
        ("anthropic", {**messages(), "usage": {}}, "claude-opus-4-5", {}, "how many tokens"),
        ("anthropic", messages(service_tier="priority"), "claude-opus-4-5", {}, "tier 'priority'"),
        ("openai/openai-chat", chat(service_tier="scale"), "gpt-5", {}, "tier 'scale'"),
        ("azure/openai-chat", chat(service_tier="priority"), "gpt-5", {}, "tier 'priority'"),
        ("bedrock", {**converse(), "serviceTier": {"type": "flex"}}, "amazon.nova-lite-v1:0", {},
         "tier 'flex'"),
        ("anthropic", messages(server_tool_use={"web_search_requests": 1}), "claude-v1", {},
         "web searches with claude-v1"),
        ("openai/openai-responses", responses([GENERATION]), "gpt-5", {}, "image_generation_call"),
        ("openai/openai-chat", chat(), "gpt-5", {"web_search_options": {}}, "how often"),
    ],
)  # fmt: skip
def test_what_nobody_knows_is_none_with_the_reason(
    wire: str, body: dict[str, Any], model: str, asked: dict[str, Any], why: str
) -> None:
    got = answer(wire, body, model, **asked)
    assert got.cost is None
    assert got.unpriced is not None
    assert why in got.unpriced


def test_an_answer_without_a_model_or_a_host_says_so() -> None:
    with pytest.raises(Unpriced, match="names no model"):
        compute_cost(Usage(input=1, output=1), CLAUDE, None)
    resp = ChatResponse([Candidate(Msg("", "hi", "assistant"))], Usage(input=1000, output=0))
    got: Answer[None] = Answer.of(resp, host="acme")
    assert (got.cost, got.unpriced) == (None, "no prices are known of acme")


def test_without_the_package_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "genai_prices", None)
    got = answer("anthropic", messages(), "claude-opus-4-5")
    with pytest.raises(DragomanError, match=r"dragoman\[prices\]"):
        got.cost  # noqa: B018
