"""Judge of what goes to DeepSeek's own API: Chat Completions with the vendor's rules.

Thinking must come back on turns that call tools, tool results are text, no other media
than images of the user. Additions to OpenAI's types are in the table of exemptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import openai_chat
from .fault import Fault, Json, mapping, objects

wrap, types, pairs = openai_chat.wrap, openai_chat.types, openai_chat.pairs

ROLES = ("system", "user", "assistant", "tool")
PARTS = ("text", "image_url", "file")
THINKS_UNASKED = re.compile(r"deepseek-(flash|v4|reasoner)")


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    yield from openai_chat.rules(body, whole=whole, path=path)
    request = mapping(body)
    for index, message in objects(request.get("messages")):
        if message.get("role") not in ROLES:
            place = ("messages", index, "role")
            yield Fault("deepseek.role", place, f"role {message.get('role')!r} is not known here")
        if message.get("role") == "tool" and not isinstance(message.get("content"), str):
            yield Fault("deepseek.result", ("messages", index, "content"), "must be a string")
        for number, part in objects(message.get("content")):
            if part.get("type") not in PARTS or "file_data" in mapping(part.get("file")):
                yield Fault("deepseek.part", ("messages", index, "content", number), "not taken")
    if whole:
        yield from _request_faults(request)


def _request_faults(body: dict[str, Json]) -> Iterator[Fault]:
    if mapping(body.get("response_format")).get("type") == "json_schema":
        yield Fault("deepseek.output", ("response_format",), "only json_object is served")
    if not _thinks(body):
        return
    if body.get("tool_choice") not in (None, "none", "auto"):
        yield Fault("deepseek.forced", ("tool_choice",), "no forced tool while thinking")
    for index, message in objects(body.get("messages")):
        if message.get("tool_calls") and "reasoning_content" not in message:
            said = "a turn with calls needs its reasoning_content, if only an empty one"
            yield Fault("deepseek.thinking_back", ("messages", index), said)


def _thinks(body: dict[str, Json]) -> bool:
    switch = mapping(body.get("thinking")).get("type")
    asked = switch in ("enabled", "adaptive")
    return asked or (switch is None and bool(THINKS_UNASKED.match(str(body.get("model")))))
