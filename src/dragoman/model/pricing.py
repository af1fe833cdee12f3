"""The cost of an answer: the vendor's own figure, else list prices of a package.

The package is `genai-prices` (extra `prices`). Its prices are list prices, without discounts, free
quotas and commitments. If any part has no price, the cost is unknown, with the reason; a part of
the bill is never reported as the whole. A wrong list price is mended in that package, and its newer
version is then required in `pyproject.toml`. What is a vendor's own is `billing` of its row: the
name of its price table, and prices of regions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from importlib.metadata import version
from typing import Any

from ..caches import remember
from ..errors import ConfigError
from ..message import ChatResponse, RawBlock, Usage
from ..vendors import Vendor
from .cost import Cost, decimal

_STANDARD = ("", "auto", "default", "standard", "standard_only", "on_demand", "none")
_TIERS = ("service_tier", "serviceTier", "trafficType", "speed")
_HOUR = "1h"
# tools that are paid by session or image, which answers do not report; OpenAI API, Pricing
_FEES = ("code_interpreter_call", "image_generation_call")
# inference profiles of Bedrock: us.anthropic..., apac.amazon...
_PROFILE = re.compile(r"(?:us|eu|apac|jp|au|ca|in|us-gov)\.(?=\w+\.)")


class Unpriced(LookupError):
    """The cost of an answer is not known; the text says why."""


class _UnknownModel(Unpriced):
    """There is no price for this model; it may have another name."""


def compute_cost(
    usage: Usage, vendor: Vendor, model: str | None, *, tier: str = "", searches: int = 0
) -> Cost:
    """Compute the cost of token counts at a vendor.

    Args:
        usage: The counts of an answer. A cost that the vendor reports among them is used.
        vendor: The vendor that answered.
        model: The model, as the vendor names it.
        tier: The service tier: `flex`, `priority`, `batch`, or `fast`; empty for the standard one.
        searches: How many web searches the vendor made for the answer.

    Raises:
        Unpriced: A part of it has no known price.
        ConfigError: The package of prices is missing.
    """
    told = _own_figure(usage, vendor)
    if told is not None:
        return told
    if not model:
        raise Unpriced("the answer names no model")
    if usage.input is None or usage.output is None:
        raise Unpriced("the answer does not say how many tokens it took")
    if tier.lower() in (*_STANDARD, *vendor.billing.tiers):
        tier = ""
    price = _calculate_price(_figures(usage, searches), vendor, model, tier.lower())
    part = Decimal(vendor.billing.geos.get(_geo(usage), 1))
    other = price.total_price - price.input_price - price.output_price
    return Cost(price.input_price * part, price.output_price * part, _source(), other)


def price_answer(
    resp: ChatResponse,
    vendor: Vendor,
    model: str,
    request_body: Mapping[str, Any],
    in_batch: bool = False,
) -> Cost:
    """Compute the cost of a whole answer.

    Args:
        resp: The answer.
        vendor: The vendor that answered.
        model: The model that was asked; if it has no price, the model that the answer names is
            tried, because some hosts are asked for the name of a deployment.
        request_body: The body of the request, which names the service tier if the answer does not.
        in_batch: Whether it was answered in a batch, which has a price of its own.

    Raises:
        Unpriced: A part of it has no known price.
        ConfigError: The package of prices is missing.
    """
    if (told := _own_figure(resp.usage, vendor)) is not None:
        return told
    for item in _items(resp):
        if item.get("type") in _FEES:
            raise Unpriced(f"what a {item['type']} costs stands in no answer")
    if "web_search_options" in request_body:
        raise Unpriced("how often a search model of Chat Completions searched stands in no answer")
    tier, searches = "batch" if in_batch else _tier(resp, request_body), _searches(resp)
    usages = [*getattr(resp, "usages", ())] or [resp.usage]  # a long request has a price of its own

    def cost(model: str | None) -> Cost:
        first, *others = (
            compute_cost(usage, vendor, model, tier=tier, searches=0 if nth else searches)
            for nth, usage in enumerate(usages)
        )
        return sum(others, first)

    try:
        return cost(model)
    except _UnknownModel as error:
        try:
            return cost(resp.model)
        except _UnknownModel:
            raise error from None


# -- what the vendor says --------------------------------------------------------------------------


def _own_figure(usage: Usage, vendor: Vendor) -> Cost | None:
    """Return the cost that the answer itself reports, or None."""
    billing = vendor.billing
    if not billing.total or not usage.extras:
        return None
    for fields in usage.extras.values():
        total = _amount(fields, billing.total)
        if total is None:
            continue
        parts = [_amount(fields, path) or Decimal(0) for path in billing.parts] or [Decimal(0)] * 2
        if billing.own_key and fields.get("is_byok") is True:
            beside = _amount(fields, billing.own_key)
            if beside is None:
                raise Unpriced("a key of your own was billed, and the answer does not say what")
            total += beside
        if sum(parts) > total:  # a discount: the parts are before it
            parts = [Decimal(0)] * 2
        amounts = [amount / billing.unit for amount in (*parts, total - sum(parts))]
        return Cost(amounts[0], amounts[1], vendor.name, amounts[2])
    return None


def _amount(fields: Any, path: str) -> Decimal | None:
    for key in path.split("."):
        fields = fields.get(key) if isinstance(fields, dict) else None
    if isinstance(fields, bool) or not isinstance(fields, (int, float, str)):
        return None
    try:
        amount = decimal(fields) if not isinstance(fields, str) else Decimal(fields)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 else None


# -- what the answer took --------------------------------------------------------------------------


def _figures(usage: Usage, searches: int) -> dict[str, int]:
    """Return the counts under the package's names; there, cached tokens are parts of the input."""
    read, write = usage.cache_read or 0, usage.cache_write or 0
    figures = {
        "input_tokens": (usage.input or 0) + read + write,
        "output_tokens": usage.output or 0,
        "cache_read_tokens": read,
        "cache_write_tokens": write,
        "cache_write_1h_tokens": min(_written_for_an_hour(usage), write),
        "input_audio_tokens": usage.audio_in or 0,
        "output_audio_tokens": usage.audio_out or 0,
        "output_image_tokens": min(_count_image_tokens(usage), usage.output or 0),
        "web_searches": searches,
    }
    return {name: figure for name, figure in figures.items() if figure or not name.count("_") > 1}


def _written_for_an_hour(usage: Usage) -> int:
    """Return the tokens in a one-hour cache: Anthropic's `cache_creation`, Bedrock's details."""
    count = 0
    for fields in (usage.extras or {}).values():
        created, details = fields.get("cache_creation"), fields.get("cacheDetails")
        if isinstance(created, dict):
            count += _count(created.get("ephemeral_1h_input_tokens"))
        for entry in details if isinstance(details, list) else ():
            if isinstance(entry, dict) and entry.get("ttl") == _HOUR:
                count += _count(entry.get("inputTokens"))
    return count


def _count_image_tokens(usage: Usage) -> int:
    """Return the tokens of images in the answer, which cost several times as much as those of text.

    They are in Gemini's modalities, also in Interactions, and in details of Chat Completions;
    Gemini API, Pricing, 2026-11-28.
    """
    count = 0  # an answer in several bodies has several entries
    for fields in (usage.extras or {}).values():
        for key, name, figure in _MODALITIES:
            entries = fields.get(key)
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and str(entry.get(name)).lower() == "image":
                    count += _count(entry.get(figure))
        details = fields.get("completion_tokens_details")
        if not count and isinstance(details, dict):
            count = _count(details.get("image_tokens"))
    return count


_MODALITIES = (
    ("candidatesTokensDetails", "modality", "tokenCount"),
    ("output_tokens_by_modality", "modality", "tokens"),
)


def _searches(resp: ChatResponse) -> int:
    """Return the number of web searches: as the answer counts them, else as it shows them."""
    for fields in (resp.usage.extras or {}).values():
        if isinstance(used := fields.get("server_tool_use"), dict):
            return _count(used.get("web_search_requests"))
    count = 0
    for item in _items(resp):
        if item.get("type") == "web_search_call":  # opening pages and searching in them are free
            action = item.get("action")
            count += not isinstance(action, dict) or action.get("type", "search") == "search"
    return count + sum(
        _count_searches(candidate.extras, resp.model) for candidate in resp.candidates
    )


def _count_searches(extras: Any, model: str | None) -> int:
    """Count Gemini's searches: paid by query, before Gemini 3 by prompt.

    Source: Gemini API, Pricing, Grounding with Google Search (2026-11-27).
    """
    count = 0
    for fields in (extras or {}).values():
        metadata = fields.get("groundingMetadata") if isinstance(fields, dict) else None
        queries = metadata.get("webSearchQueries") if isinstance(metadata, dict) else None
        if isinstance(queries, list) and queries:
            count += 1 if re.search(r"gemini-[12]\b", model or "") else len(queries)
    return count


def _items(resp: ChatResponse) -> Iterator[Mapping[str, Any]]:
    for candidate in resp.candidates:
        for block in candidate.msg.blocks:
            if type(block) is RawBlock and isinstance(block.data, dict):
                yield block.data
            elif block.extras:  # an image was read from the item that it came in
                yield from (item for item in block.extras.values() if isinstance(item, dict))


def _tier(resp: ChatResponse, request_body: Mapping[str, Any]) -> str:
    """Return the service tier that the answer names; else the one that was asked for."""
    places = [*(resp.usage.extras or {}).values(), *(resp.extras or {}).values()]
    told = [tier for fields in places for tier in _tiers_in(fields)]
    for tier in told or _tiers_in(request_body):
        if tier not in _STANDARD:
            return tier
    return ""


def _tiers_in(fields: Any) -> list[str]:
    found = []
    for key in _TIERS if isinstance(fields, Mapping) else ():
        tier = fields.get(key)
        tier = tier.get("type") if isinstance(tier, Mapping) else tier  # Bedrock's
        if isinstance(tier, str):
            found.append(tier.lower().removeprefix("on_demand_"))  # Vertex: ON_DEMAND_FLEX
    return found


def _geo(usage: Usage) -> str:
    places = (fields.get("inference_geo") for fields in (usage.extras or {}).values())
    return next((place for place in places if isinstance(place, str)), "")


def _count(figure: Any) -> int:
    return figure if isinstance(figure, int) and not isinstance(figure, bool) and figure > 0 else 0


# -- the package of prices -------------------------------------------------------------------------


def _calculate_price(figures: dict[str, int], vendor: Vendor, model: str, tier: str) -> Any:
    """Return the package's calculation; raise Unpriced if it has no price for one of the counts."""
    try:
        import genai_prices
    except ImportError as error:
        hint = 'pip install "dragoman[prices]"'
        raise ConfigError("prices need the package genai-prices", hint=hint) from error
    known: dict[str, Any] = {"provider_id": vendor.billing.prices or None}
    if not vendor.billing.prices:
        known = {"provider_api_url": re.sub(r"\{\w+\}", "x", vendor.url())}
    name, context = model.rpartition("/")[2] if model.startswith("arn:") else model, None
    if tier:
        kind = {"batch": "processing", "fast": "speed"}.get(tier, "service_tier")
        context = {kind: tier}
    spent = genai_prices.Usage(**figures)
    for ref in (name, _PROFILE.sub("", name)):
        try:
            price = genai_prices.calc_price(spent, ref, price_context=context, **known)
        except LookupError:  # unknown vendor or model
            continue
        except ValueError as error:  # counts that overlap in an unknown way
            raise Unpriced(f"{_source()} cannot tell these figures apart: {error}") from error
        _check_price(price, figures, model, tier, context)
        return price
    raise _UnknownModel(f"{_source()} has no price of {model} at {vendor.name}")


def _check_price(
    price: Any, figures: Mapping[str, int], model: str, tier: str, context: Any
) -> None:
    """Raise Unpriced for a tier or a count that would be priced as another."""
    own = any(price.model is one for one in price.provider.models)
    variants = price.model.price_variants or () if own else ()
    if tier and not any(variant.when == context for variant in variants):
        raise Unpriced(f"{_source()} has no price of the tier {tier!r} for {model}")
    for figure, key, what in (
        ("cache_write_1h_tokens", "cache_write_1h_mtok", "cache writes for an hour"),
        ("web_searches", "web_searches_kcount", "web searches"),
    ):
        if figures.get(figure) and getattr(price.model_price, key) is None:
            raise Unpriced(f"{_source()} has no price of {what} with {model}")


@remember("the version of genai-prices, which is read from a file", entries=1)
def _source() -> str:
    return f"genai-prices {version('genai-prices')}"
