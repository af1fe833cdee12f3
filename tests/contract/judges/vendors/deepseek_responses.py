"""Judge of what goes to DeepSeek's Responses, which keeps nothing and knows six kinds of items.

Items of other kinds are ignored without a word. Ids are bare UUIDs and reasoning is plain text:
see the exemptions. Source: the vendor's Responses reference, 11 recorded requests.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import openai_responses as protocol
from ..fault import Fault, Json, label, mapping, objects
from .stateless_responses import state_faults

wrap, types, pairs = protocol.wrap, protocol.types, protocol.pairs

ITEMS = (
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call",
    "custom_tool_call_output",
)  # fmt: skip
EFFORTS = ("none", "low", "high", "max")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from protocol.rules(body, whole=whole, path=path)
    for index, item in objects(mapping(body).get("input")):
        if label(item.get("type", "message")) not in ITEMS:
            yield Fault("deepseek.item", ("input", index), "ignored by this server")
        blind = item.get("role") in ("system", "assistant")
        for key in ("content", "output"):
            for number, part in objects(item.get(key)):
                kind = part.get("type")
                if kind == "input_file" or (kind == "input_image" and blind):
                    yield Fault("deepseek.part", ("input", index, key, number), "not taken")
        readable = item.get("content") or item.get("encrypted_content")
        if item.get("type") == "reasoning" and not readable:
            yield Fault("deepseek.reasoning", ("input", index), "says nothing to this server")
    if whole:
        yield from state_faults("deepseek.state", body)
        effort = mapping(mapping(body).get("reasoning")).get("effort")
        if effort is not None and effort not in EFFORTS:
            yield Fault("deepseek.effort", ("reasoning", "effort"), "no such level here")
