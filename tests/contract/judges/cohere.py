"""Judge of Cohere's chat, version 2: the SDK's types with closed keys, pairs, names and contents.

The SDK's own classes are open, so keys are closed here by hand. Sources: the SDK's types, the
vendor's list of errors, recorded requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from .cohere_request import request_faults
from .fault import Fault, Json, Path, label, mapping, members, objects
from .media import link_fault
from .openai_chat import IMAGES
from .pairing import pair_faults
from .tooling import arguments_faults, name_faults

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
KEYS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "tool_plan", "citations"},
    "tool": {"role", "content", "tool_call_id"},
}
ITEMS = {
    "system": ("text",), "user": ("text", "image_url"), "assistant": ("text", "thinking"),
    "tool": ("text", "document"),
}  # fmt: skip


def wrap(messages: Json) -> Json:
    return {"messages": messages}


@cache
def _sdk() -> tuple[Any, Any]:
    import pydantic
    from cohere.types import ChatMessageV2, ToolV2

    return pydantic.TypeAdapter(ChatMessageV2), pydantic.TypeAdapter(ToolV2)


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    del whole  # tools are looked for wherever they are
    import pydantic

    for key, model in zip(("messages", "tools"), _sdk(), strict=True):
        for index, item in enumerate(members(mapping(body).get(key))):
            try:
                model.validate_python(item)
            except pydantic.ValidationError:
                yield Fault("types.value", (key, index), "does not meet the SDK's type")


def pairs(body: Json) -> Iterator[Fault]:
    yield from pair_faults(mapping(body).get("messages"), ("messages",))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    listed = list(objects(mapping(body).get("messages")))
    if not listed:
        yield Fault("cohere.no_messages", ("messages",), "at least one message is needed")
    for index, message in listed:
        yield from message_faults(message, ("messages", index))
    if whole:
        yield from request_faults(mapping(body), NAME, path)


def message_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    role, content = label(message.get("role")), message.get("content")
    if role not in KEYS:
        yield Fault("cohere.role", (*at, "role"), f"no role {role}")
        return
    for key in sorted(set(message) - KEYS[role]):
        yield Fault("cohere.key", (*at, key), f"no such key on a message of {role}")
    if role != "tool" and not content and not message.get("tool_calls"):
        yield Fault("cohere.empty", (*at, "content"), "message must not be empty in a turn")
    for index, item in objects(content):
        yield from item_faults(role, item, (*at, "content", index))
    for index, call in objects(message.get("tool_calls")):
        place = (*at, "tool_calls", index)
        function = mapping(call.get("function"))
        if set(call) - {"id", "type", "function"} or set(function) - {"name", "arguments"}:
            yield Fault("cohere.call", place, "a key that no call has")
        yield from name_faults(function.get("name"), NAME, (*place, "function", "name"))
        yield from arguments_faults(function.get("arguments"), (*place, "function", "arguments"))


def item_faults(role: str, item: dict[str, Json], at: Path) -> Iterator[Fault]:
    kind = label(item.get("type"))
    if kind not in ITEMS[role] or set(item) != {"type", kind}:
        yield Fault("cohere.item", at, f"no item {kind} with such keys in a message of {role}")
    elif kind == "image_url":
        image = mapping(item["image_url"])
        wrong = link_fault(image.get("url"), IMAGES)
        if wrong or image.get("detail") not in (None, "auto", "low", "high"):
            yield Fault("cohere.image", (*at, "image_url"), wrong or "no such detail")
