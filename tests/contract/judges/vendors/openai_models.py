"""What OpenAI's models refuse by name, on Chat Completions and on Responses (also on Azure).

Sources: error texts in recorded answers and issues. Where a name settles nothing, nothing is
asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..fault import Fault, Json, mapping, objects

REASONS = re.compile(r"(gpt-([5-9])|o\d)(?!.*-chat)")
# Their effort is none unless one is asked for, and then they sample like any other model.
STILL = re.compile(r"gpt-5\.[124](?!\d)(?!.*(codex|pro))")
# Effort cannot be none: astra and 6.1-sol, and everything before 5.1.
NEVER_NONE = re.compile(r"gpt-6[\d.]*-astra|gpt-6\.[12]-sol|gpt-5(?!\.)|o\d")
NO_CHAT_TOOLS = re.compile(r"gpt-5\.[24-9]|gpt-[6-9]")
TOOLS_UNASKED = re.compile(r"gpt-5\.[45](?!\d)|gpt-5\.2(?!\d)")
RESPONSES_ONLY = re.compile(r"(gpt-\d|o\d).*-(pro|codex)\b")
SAMPLING = ("presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs")


def chat_faults(body: dict[str, Json]) -> Iterator[Fault]:
    """What the chat wire refuses of a whole request."""
    model, effort = str(body.get("model")), body.get("reasoning_effort")
    if RESPONSES_ONLY.match(model):
        yield Fault("openai.wire", ("model",), f"{model} is served on /v1/responses alone")
    if REASONS.match(model) and body.get("max_tokens") is not None:
        yield Fault("openai.max_tokens", ("max_tokens",), "use max_completion_tokens instead")
    if re.match(r"o[34]", model) and body.get("stop") is not None:
        yield Fault("openai.stop", ("stop",), f"{model} takes no stop sequences")
    if model.startswith("gpt-6.1-sol") and effort == "max":
        yield Fault("openai.effort", ("reasoning_effort",), "stops at xhigh on this wire")
    yield from _tool_faults(body, model, effort)
    yield from effort_faults(model, effort, ("reasoning_effort",))
    yield from sampling_faults(body, model, effort)


def responses_faults(body: dict[str, Json]) -> Iterator[Fault]:
    """What the Responses wire refuses of a whole request."""
    model = str(body.get("model"))
    effort = mapping(body.get("reasoning")).get("effort")
    yield from effort_faults(model, effort, ("reasoning", "effort"))
    yield from sampling_faults(body, model, effort)


def effort_faults(model: str, effort: Json, at: tuple[str, ...]) -> Iterator[Fault]:
    if effort == "none" and NEVER_NONE.match(model):
        yield Fault("openai.effort", at, f"{model} always reasons")


def _tool_faults(body: dict[str, Json], model: str, effort: Json) -> Iterator[Fault]:
    """Function tools and reasoning do not go together here, from 5.2 on."""
    declared = any(tool.get("type") == "function" for _, tool in objects(body.get("tools")))
    unasked = effort is None and bool(TOOLS_UNASKED.match(model))
    if declared and NO_CHAT_TOOLS.match(model) and effort != "none" and not unasked:
        yield Fault("openai.tools", ("tools",), f"{model} needs /v1/responses for function tools")


def sampling_faults(body: dict[str, Json], model: str, effort: Json) -> Iterator[Fault]:
    still = effort == "none" or (effort is None and bool(STILL.match(model)))
    if not REASONS.match(model) or still:
        return
    for key in ("temperature", "top_p"):
        if body.get(key) not in (None, 1):
            yield Fault("openai.sampling", (key,), f"{model} takes only the default (1)")
    for key in SAMPLING:
        if body.get(key):
            yield Fault("openai.sampling", (key,), f"{model} does not take it while reasoning")
