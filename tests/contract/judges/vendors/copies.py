"""What copies of Chat Completions refuse alike; each vendor hands over the name of its rule.

Knows no vendor. Every function takes a whole body, or one that holds only messages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..fault import Fault, Json, Path, label, mapping, objects
from ..media import DATA_URI, WEB_URL

FOUR = ("system", "user", "assistant", "tool")
ANY_LINK = (WEB_URL, DATA_URI)


def role_faults(rule: str, body: Json, roles: Collection[str] = FOUR) -> Iterator[Fault]:
    for index, message in objects(mapping(body).get("messages")):
        if message.get("role") not in roles:
            said = f"role {message.get('role')!r} is not known here"
            yield Fault(rule, ("messages", index, "role"), said)


def parts(body: Json) -> Iterator[tuple[Path, dict[str, Json], dict[str, Json]]]:
    """Every part: its place, the part, its message."""
    for index, message in objects(mapping(body).get("messages")):
        for number, part in objects(message.get("content")):
            yield ("messages", index, "content", number), part, message


def part_faults(rule: str, body: Json, kinds: Collection[str]) -> Iterator[Fault]:
    for place, part, _ in parts(body):
        if label(part.get("type")) not in kinds:
            yield Fault(rule, place, f"no part of type {part.get('type')!r} is taken here")


def link_faults(
    rule: str, body: Json, kinds: Collection[str], links: Collection[re.Pattern[str]] = ANY_LINK
) -> Iterator[Fault]:
    """Parts `{"type": kind, kind: {"url": ...}}` of the user, with a link of a known form."""
    for place, part, message in parts(body):
        kind = label(part.get("type"))
        if kind not in kinds:
            continue
        url = mapping(part.get(kind)).get("url")
        if message.get("role") != "user":
            yield Fault(rule, place, f"{kind} outside a user message")
        if set(part) - {"cache_control"} != {"type", kind}:
            yield Fault(rule, place, f"{kind} holds a link and nothing else")
        elif not isinstance(url, str) or not any(link.match(url) for link in links):
            yield Fault(rule, place, f"{kind} is no link that is taken here")


def key_faults(rule: str, body: Json, keys: Collection[str], said: str) -> Iterator[Fault]:
    for key in keys:
        if mapping(body).get(key) is not None:
            yield Fault(rule, (key,), said)


def message_key_faults(rule: str, body: Json, key: str, said: str) -> Iterator[Fault]:
    for index, message in objects(mapping(body).get("messages")):
        if key in message:
            yield Fault(rule, ("messages", index, key), said)


def strictness_faults(rule: str, body: Json) -> Iterator[Fault]:
    """`strict` on a function where the vendor does not know the word."""
    for index, tool in objects(mapping(body).get("tools")):
        if mapping(tool.get("function")).get("strict") is not None:
            yield Fault(rule, ("tools", index, "function", "strict"), "is not known here")


def reasoning_faults(rule: str, body: Json) -> Iterator[Fault]:
    """Turns that call tools bring the thinking they came with, if only an empty text."""
    for index, message in objects(mapping(body).get("messages")):
        if message.get("tool_calls") and "reasoning_content" not in message:
            said = "a turn with calls needs its reasoning_content, if only an empty one"
            yield Fault(rule, ("messages", index), said)


def output_faults(rule: str, body: Json) -> Iterator[Fault]:
    if mapping(mapping(body).get("response_format")).get("type") == "json_schema":
        yield Fault(rule, ("response_format",), "only json_object is served")


def user_faults(rule: str, body: Json) -> Iterator[Fault]:
    messages = [message for _, message in objects(mapping(body).get("messages"))]
    if messages and all(message.get("role") != "user" for message in messages):
        yield Fault(rule, ("messages",), "no message has the role of user")


def forced(body: Json) -> bool:
    return mapping(body).get("tool_choice") not in (None, "none", "auto")


def thinking(body: Json) -> str:
    """The type that the vendors' common switch names, or nothing."""
    kind = mapping(mapping(body).get("thinking")).get("type")
    return kind if isinstance(kind, str) else ""
