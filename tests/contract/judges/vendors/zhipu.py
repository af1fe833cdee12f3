"""Judge of what goes to Zhipu's own API (GLM, Z.AI): Chat Completions with the vendor's rules.

Sources: the vendor's SDK and pages, error codes 1210 and 1214 quoted in issues, the GLM
formatter of AgentScope's Java edition, which was tested live.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, mapping, objects
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

ALWAYS = re.compile(r"glm-5\.3")
LEVELS = ("low", "high", "max")
UNKNOWN = (
    "presence_penalty", "frequency_penalty", "thinking_budget", "seed", "n", "logprobs",
    "top_logprobs", "service_tier", "parallel_tool_calls",
)  # fmt: skip
OWN_TOOL = "web_search"
RANGES = {"temperature": (0, 1), "top_p": (0.01, 1)}


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.role_faults("zhipu.role", body)
    yield from copies.message_key_faults("zhipu.name", body, "name", "names are not known here")
    yield from copies.user_faults("zhipu.no_user", body)
    yield from copies.link_faults("zhipu.part", body, ("video_url",))
    if whole:
        yield from _request_faults(mapping(body))


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    yield from copies.strictness_faults("zhipu.strict", body)
    yield from copies.output_faults("zhipu.output", body)
    yield from copies.key_faults("zhipu.option", body, UNKNOWN, "is not known here")
    limit = ("max_completion_tokens",)
    yield from copies.key_faults("zhipu.limit", body, limit, "max_tokens is the only limit")
    for index, tool in objects(body.get("tools")):
        own = tool.get("type") == OWN_TOOL
        if own and (set(tool) != {"type", OWN_TOOL} or not isinstance(tool[OWN_TOOL], dict)):
            yield Fault("zhipu.tool", ("tools", index), f"holds its kind and {OWN_TOOL}")
    if isinstance(body.get("tool_choice"), str) and body["tool_choice"] != "auto":
        yield Fault("zhipu.choice", ("tool_choice",), "only auto is documented")
    for key, (least, most) in RANGES.items():
        value = body.get(key)
        if isinstance(value, (int, float)) and not least <= value <= most:
            yield Fault("zhipu.range", (key,), f"must be from {least} to {most}")
    model, effort = str(body.get("model")), body.get("reasoning_effort")
    if ALWAYS.match(model):
        if copies.thinking(body) == "disabled":
            yield Fault("zhipu.always", ("thinking",), f"{model} always thinks")
        if effort is not None and effort not in LEVELS:
            yield Fault("zhipu.effort", ("reasoning_effort",), "please use low, high or max")
