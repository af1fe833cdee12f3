"""Judge of what goes to Groq: Chat Completions without what the vendor's page calls unsupported.

Sources: console.groq.com/docs/openai (400 for each), the vendor's SDK.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, mapping, members, objects
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

REFUSED = (
    "logprobs", "top_logprobs", "logit_bias", "presence_penalty", "frequency_penalty",
)  # fmt: skip
PARTS = ("text", "image_url")
MOST_TOOLS = 128
OWN_TOOLS = ("browser_search", "code_interpreter")
# model -> the words of its reasoning_effort
EFFORTS = (
    (re.compile(r"(qwen/)?qwen3-"), ("none", "default")),
    (re.compile(r"(openai/)?gpt-oss|(qwen/)?qwen3\.8"), ("low", "medium", "high")),
)


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    yield from copies.part_faults("groq.part", body, PARTS)
    yield from copies.message_key_faults("groq.name", body, "name", "names are not supported")
    if whole:
        yield from _request_faults(mapping(body))


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    yield from copies.key_faults("groq.option", body, REFUSED, "is not supported")
    if body.get("n") not in (None, 1):
        yield Fault("groq.option", ("n",), "must be 1")
    if body.get("reasoning_format") is not None and body.get("include_reasoning") is not None:
        yield Fault("groq.reasoning", ("reasoning_format",), "beside include_reasoning")
    for index, tool in objects(body.get("tools")):
        if tool.get("type") in OWN_TOOLS and set(tool) != {"type"}:
            yield Fault("groq.tool", ("tools", index), "holds its kind alone")
    effort, model = body.get("reasoning_effort"), str(body.get("model"))
    for family, words in EFFORTS:
        if effort is not None and family.match(model) and effort not in words:
            yield Fault("groq.effort", ("reasoning_effort",), f"not one of {', '.join(words)}")
    if len(members(body.get("tools"))) > MOST_TOOLS:
        yield Fault("groq.tools", ("tools",), f"more than {MOST_TOOLS} tools")
