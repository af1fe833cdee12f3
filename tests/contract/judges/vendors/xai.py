"""Judges of what goes to xAI: Chat Completions, and Responses, with the vendor's rules.

Effort belongs to some models alone; models that think refuse penalties and stop sequences.
Sources: error texts quoted in issues, the vendor's pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, mapping, members
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

NO_EFFORT = re.compile(
    r"grok-(2|3-(?!mini)|4-(1-)?fast(?!-reasoning)|4\.1-fast|4\.20(?!-multi-agent)|build|code)"
)
THINKS = re.compile(r"grok-(3-mini|4|build|code)(?!.*non-reasoning)")
REFUSED = ("presence_penalty", "frequency_penalty", "stop")
MOST_TOOLS = 128


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    if whole:
        request = mapping(body)
        yield from model_faults(request, request.get("reasoning_effort"), "reasoning_effort")
        if THINKS.match(str(request.get("model"))):
            said = "not supported on this model"
            yield from copies.key_faults("xai.option", request, REFUSED, said)


def model_faults(body: dict[str, Json], effort: Json, key: str) -> Iterator[Fault]:
    """What both wires share: `effort` as that wire's `key` holds it."""
    model = str(body.get("model"))
    if effort is not None and NO_EFFORT.match(model):
        yield Fault("xai.effort", (key,), f"{model} does not support it")
    if len(members(body.get("tools"))) > MOST_TOOLS:
        yield Fault("xai.tools", ("tools",), f"more than {MOST_TOOLS} tools")
