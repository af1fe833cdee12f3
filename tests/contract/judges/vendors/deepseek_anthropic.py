"""Judge of DeepSeek's Anthropic endpoint: Messages, with the thinking rule of the vendor.

Its thinking blocks may lack a signature (see the exemptions), but must come back on turns that
call tools. Source: the vendor's Messages reference, error texts quoted in issues.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import anthropic
from ..fault import Fault, Json, label, mapping, objects
from .deepseek import thinks

wrap, types, pairs = anthropic.wrap, anthropic.types, anthropic.pairs

BLOCKS = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "thinking", "tool_use", "server_tool_use", "web_search_tool_result"},
    "system": {"text"},
}
IN_RESULTS = {"text", "image"}


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from anthropic.rules(body, whole=whole, path=path)
    given = mapping(body)
    for index, message in objects(given.get("messages")):
        role = label(message.get("role"))
        if whole and role == "system":
            place = ("messages", index, "role")
            yield Fault("deepseek.role", place, "no system message within a conversation here")
        for number, block in objects(message.get("content")):
            at = ("messages", index, "content", number)
            inner = [label(b.get("type")) for _, b in objects(block.get("content"))]
            results = block.get("type") == "tool_result" and not set(inner) <= IN_RESULTS
            if label(block.get("type")) not in BLOCKS.get(role, ()) or results:
                yield Fault("deepseek.part", at, f"no {block.get('type')} block is taken here")
    if whole:
        yield from _request_faults(given)


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    if mapping(body.get("output_config")).get("format") is not None:
        yield Fault("deepseek.output", ("output_config", "format"), "only effort is taken")
    if not thinks(body):
        return
    if mapping(body.get("tool_choice")).get("type") in ("any", "tool"):
        yield Fault("deepseek.forced", ("tool_choice",), "no forced tool while thinking")
    for index, message in objects(body.get("messages")):
        kinds = {label(block.get("type")) for _, block in objects(message.get("content"))}
        if "tool_use" in kinds and "thinking" not in kinds:
            said = "a turn with calls brings its thinking back"
            yield Fault("deepseek.thinking_back", ("messages", index), said)
