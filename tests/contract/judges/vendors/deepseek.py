"""Judge of what goes to DeepSeek's own API: Chat Completions with the vendor's rules.

Thinking must come back on turns that call tools, tool results are text, no other media
than images of the user. Additions to OpenAI's types are in the table of exemptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import openai_chat
from ..fault import Fault, Json, mapping, objects
from . import copies

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

PARTS = ("text", "image_url", "file")
THINKS_UNASKED = re.compile(r"deepseek-(flash|v4|reasoner)")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    request = mapping(body)
    yield from copies.role_faults("deepseek.role", request)
    for index, message in objects(request.get("messages")):
        if message.get("role") == "tool" and not isinstance(message.get("content"), str):
            yield Fault("deepseek.result", ("messages", index, "content"), "must be a string")
    for place, part, _ in copies.parts(request):
        if part.get("type") not in PARTS or "file_data" in mapping(part.get("file")):
            yield Fault("deepseek.part", place, "not taken")
    if whole:
        yield from copies.output_faults("deepseek.output", request)
        if thinks(request):
            yield from copies.reasoning_faults("deepseek.thinking_back", request)
            if copies.forced(request):
                yield Fault("deepseek.forced", ("tool_choice",), "no forced tool while thinking")


def thinks(body: dict[str, Json]) -> bool:
    """Whether the model thinks, on either of the vendor's two thinking wires."""
    switch = copies.thinking(body)
    unasked = not switch and bool(THINKS_UNASKED.match(str(body.get("model"))))
    return unasked or switch in ("enabled", "adaptive")
