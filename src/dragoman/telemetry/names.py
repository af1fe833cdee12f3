"""Attributes in the names of the GenAI conventions, for spans of calls and of the gateway.

Names as in open-telemetry/semantic-conventions-genai, docs/gen-ai/client-inference.md, looked up on
2026-11-24 and 2026-11-29 (status: development), and as opentelemetry-util-genai 1.3b0 writes them.
Needs no package of OpenTelemetry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ..bridges.otel_genai import finish_word
from ..losses import Loss, by_weight
from ..message import ChatRequest, Usage
from ..text.redaction import clip_text, one_line
from ..vendors.registry import find_vendor

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_STREAM = "gen_ai.request.stream"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_ID = "gen_ai.response.id"
FINISH_REASONS = "gen_ai.response.finish_reasons"
TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
CONVERSATION = "gen_ai.conversation.id"
AGENT = "gen_ai.agent.name"
ERROR = "error.type"
LOSSES = "dragoman.losses"
ATTEMPTS = "dragoman.attempts"

_CODES = 20  # codes of losses in a span
_LONGEST = 200  # characters of a name
# options of a request, and what the conventions call them
_OPTIONS = (
    ("max_tokens", "max_tokens"),
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("top_k", "top_k"),
    ("presence_penalty", "presence_penalty"),
    ("frequency_penalty", "frequency_penalty"),
    ("seed", "seed"),
    ("reasoning", "reasoning.level"),
)
_OUTPUTS = {"text": "text", "json": "json", "schema": "json"}


def provider_name(vendor: str) -> str:
    """Return the conventions' name of a vendor; others keep theirs.

    Args:
        vendor: The vendor's name here.
    """
    row = find_vendor(vendor)
    return (row and row.span_name) or vendor


def operation_name(protocol: str) -> str:
    """Return the operation of a request that asks for an answer.

    Args:
        protocol: The protocol of the wire.
    """
    return "generate_content" if protocol == "gemini" else "chat"


def finish_words(reasons: Iterable[str]) -> tuple[str, ...]:
    """Return why candidates ended, in the words of the conventions.

    Args:
        reasons: Our words, as in `Finish`.
    """
    return tuple(map(finish_word, reasons))


def usage_attributes(usage: Usage | None) -> dict[str, int]:
    """Return the tokens; unlike Usage, the conventions count reads and writes of a cache as input.

    Args:
        usage: The tokens of an answer.
    """
    if usage is None:
        return {}
    told = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
    figures = {
        "input_tokens": sum(told) if told else None,
        "output_tokens": usage.output,
        "cache_read.input_tokens": usage.cache_read,
        "cache_write.input_tokens": usage.cache_write,
        "reasoning.output_tokens": usage.reasoning,
    }
    return {f"gen_ai.usage.{name}": n for name, n in figures.items() if n is not None}


def loss_codes(losses: Sequence[Loss]) -> tuple[str, ...]:
    """Return the codes of losses, each once, the most serious first.

    Args:
        losses: The losses of a request.
    """
    return tuple(dict.fromkeys(loss.code for loss in by_weight(losses)))[:_CODES]


def server_attributes(url: str) -> dict[str, str | int]:
    """Return the host and the port of an address; nothing of what else is in it.

    Args:
        url: The base URL; empty if it is not known.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return {}
    if not host:
        return {}
    usual = 443 if parts.scheme == "https" else 80
    return {"server.address": short_name(host), "server.port": port or usual}


def request_attributes(request: ChatRequest, losses: Sequence[Loss] = ()) -> dict[str, Any]:
    """Return the options of a request that the conventions have names for.

    Args:
        request: The request.
        losses: What was not sent of it, which is left out.
    """
    options = request.options
    dropped = {loss.field for loss in losses if loss.kind == "dropped"}
    found = {
        f"gen_ai.request.{name}": getattr(options, ours)
        for ours, name in _OPTIONS
        if ours not in dropped
    }
    if options.stop and "stop" not in dropped:
        stops = [options.stop] if isinstance(options.stop, str) else options.stop
        found["gen_ai.request.stop_sequences"] = tuple(stops)
    if options.n not in (None, 1) and "n" not in dropped:
        found["gen_ai.request.choice.count"] = options.n
    if request.response_format is not None:
        found["gen_ai.output.type"] = _OUTPUTS.get(request.response_format.kind)
    return drop_unknown(found)


def drop_unknown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that are known: neither None nor empty.

    Args:
        values: Attributes by name.
    """
    return {name: value for name, value in values.items() if value is not None and value != ""}


def short_name(text: str | None) -> str:
    """Return a name that a program or a provider chose, in one line and not too long.

    Args:
        text: The name.
    """
    return clip_text(one_line(text), _LONGEST) if text else ""
