"""Independent judges of wire bodies: what would the provider refuse.

They share no code with the package under test and import it nowhere.
Four layers: json (plain JSON), types (the official SDK's own types, closed), pairs (calls and
results), rules (the provider's documents). What passes although refused stands in EXEMPTIONS.

    judge_messages("anthropic", formatted)            # the plain list of format()
    judge_request("gemini", body, path)               # a whole request; [] means accepted
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal, Protocol, cast

from .exemptions import EXEMPTIONS, Exemption, pardon
from .exemptions.hosts import HOSTS
from .fault import Fault, Json
from .plainjson import json_faults

__all__ = [
    "EXEMPTIONS",
    "WIRES",
    "Exemption",
    "Fault",
    "Verdict",
    "examine",
    "judge_messages",
    "judge_of",
    "judge_request",
]

# A protocol, or `vendor/protocol` where the vendor refuses or pardons something of its own.
WIRES = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "gemini-interactions": "gemini_interactions",
    "dashscope": "dashscope",
    "ollama": "ollama",
    "bedrock-converse": "bedrock",
    "mistral": "mistral",
    "cohere": "cohere",
    "openai/openai-chat": "vendors.openai",
    "openai/openai-responses": "vendors.openai_responses",
    "azure/openai-chat": "vendors.azure",
    "azure/openai-responses": "vendors.azure_responses",
    "deepseek/openai-chat": "vendors.deepseek",
    "deepseek/anthropic": "vendors.deepseek_anthropic",
    "deepseek/openai-responses": "vendors.deepseek_responses",
    "vllm/openai-chat": "vendors.vllm",
    "vllm/openai-responses": "openai_responses",
    "moonshot/openai-chat": "vendors.moonshot",
    "moonshot/anthropic": "vendors.moonshot_anthropic",
    "zhipu/openai-chat": "vendors.zhipu",
    "zhipu/anthropic": "anthropic",
    "minimax/openai-chat": "vendors.minimax",
    "minimax/anthropic": "vendors.minimax_anthropic",
    "minimax/openai-responses": "openai_responses",
    "xai/openai-chat": "vendors.xai",
    "xai/openai-responses": "vendors.xai_responses",
    "groq/openai-chat": "vendors.groq",
    "openrouter/openai-chat": "vendors.openrouter",
    "openrouter/openai-responses": "vendors.openrouter_responses",
    "open-responses/openai-responses": "vendors.open_responses",
    "dashscope/openai-chat": "vendors.dashscope_chat",
    "dashscope/anthropic": "anthropic",
    "vertex/anthropic": "vendors.vertex_anthropic",
    "bedrock/anthropic": "vendors.bedrock_anthropic",
    "gemini/gemini": "vendors.gemini",
    "vertex/gemini": "vendors.vertex",
    "vertex/mistral": "vendors.vertex_mistral",
    # copies that refuse nothing of their own that is known
    **{f"{name}/openai-chat": "vendors.linked" if row.parts else "openai_chat"
       for name, row in HOSTS.items()},
    **{f"{name}/openai-responses": "openai_responses" for name in (
        "sglang", "lmstudio", "llamacpp", "cloudflare", "stepfun", "ollama",
        "meta",
    )},
    **{f"{name}/anthropic": "anthropic" for name in (
        "xiaomi", "ollama", "sglang", "vllm", "lmstudio", "llamacpp", "stepfun", "hunyuan",
        "meta", "novita", "vercel-ai-gateway", "fireworks",
    )},
}  # fmt: skip


class Judge(Protocol):
    """What every module of a wire offers. `whole`: a request, not only its messages."""

    def wrap(self, messages: Json) -> Json: ...
    def types(self, body: Json, *, whole: bool) -> Iterator[Fault]: ...
    def pairs(self, body: Json) -> Iterator[Fault]: ...
    def rules(self, body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]: ...


@dataclass
class Verdict:
    """All that was found: faults that stand, and faults that the table pardons."""

    faults: list[Fault] = field(default_factory=list)
    pardoned: list[tuple[Fault, Exemption]] = field(default_factory=list)


def judge_of(vendor: str, protocol: str) -> str:
    """The judge of a vendor's wire: the vendor's own, else the protocol's."""
    own = f"{vendor}/{protocol}"
    return own if own in WIRES else protocol


def _judge(wire: str) -> Judge:
    return cast("Judge", importlib.import_module(f".{WIRES[wire]}", __name__))


def examine(
    wire: str,
    said: Json,
    scope: Literal["messages", "request"],
    path: str | None = None,
    without: Collection[str] = (),
) -> Verdict:
    """The full verdict; `without` names exemptions that shall not count."""
    judge, whole = _judge(wire), scope == "request"
    body = said if whole else judge.wrap(said)
    found = list(json_faults(body))
    if not found and not isinstance(body, dict):
        found = [Fault("json.body", (), "the body is no object")]
    if not found:
        found += judge.types(body, whole=whole)
        found += judge.pairs(body)
        found += judge.rules(body, whole=whole, path=path)
    verdict = Verdict()
    for fault in found:
        row = pardon(wire, fault, body, scope, without)
        if row is None:
            verdict.faults.append(fault)
        else:
            verdict.pardoned.append((fault, row))
    return verdict


# What was judged before, by what it was: most bodies of a table of cases are equal to another.
_JUDGED: dict[tuple[str, str, str | None, frozenset[str], str], tuple[str, ...]] = {}
_MOST_JUDGED = 20_000


def _judge_once(
    wire: str,
    said: Json,
    scope: Literal["messages", "request"],
    path: str | None,
    without: Collection[str],
) -> list[str]:
    try:
        spelled = blake2b(repr(said).encode("utf-8", "surrogatepass")).hexdigest()
    except RecursionError:
        return [str(fault) for fault in examine(wire, said, scope, path, without).faults]
    key = (wire, scope, path, frozenset(without), spelled)
    if key not in _JUDGED:
        if len(_JUDGED) >= _MOST_JUDGED:
            _JUDGED.clear()
        faults = examine(wire, said, scope, path, without).faults
        _JUDGED[key] = tuple(map(str, faults))
    return [*_JUDGED[key]]


def judge_messages(wire: str, messages: list[Json], *, without: Collection[str] = ()) -> list[str]:
    """Faults of the plain list that format() gives; an empty list is an acceptance."""
    return _judge_once(wire, messages, "messages", None, without)


def judge_request(
    wire: str, body: Json, path: str | None = None, *, without: Collection[str] = ()
) -> list[str]:
    """Faults of a whole request body; without a path the endpoint is not judged."""
    return _judge_once(wire, body, "request", path, without)
