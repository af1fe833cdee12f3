"""Judge of Anthropic Messages bodies: what blocks and messages may hold.

Pairs of calls and results, and the whole request, stand in the two files beside this one.
Sources: the Messages API's documentation and the error texts quoted in the rules' names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .anthropic_pairs import pair_faults
from .anthropic_request import request_faults
from .closed import ClosedTypes
from .fault import Fault, Json, Path, brief, mapping, objects
from .media import WEB_URL, typed_fault
from .tooling import name_faults

CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
BOTH = {"text"}
USER = BOTH | {"image", "document", "search_result", "tool_result", "container_upload"}
SYSTEM = BOTH | {"tool_addition", "tool_removal"}
NOT_ASSISTANT = {"image", "document", "search_result", "tool_result"}


def _whole() -> Any:
    from anthropic.types import message_create_params as params

    return params.MessageCreateParamsNonStreaming


def _streamed() -> Any:
    from anthropic.types import message_create_params as params

    return params.MessageCreateParamsStreaming


HEADERS = ("user_profile_id", "workspace_id")
WHOLE = ClosedTypes(_whole, headers=HEADERS)
STREAMED = ClosedTypes(_streamed, headers=HEADERS)


def wrap(messages: Json) -> Json:
    return {"messages": messages}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    kind = STREAMED if mapping(body).get("stream") is True else WHOLE
    yield from kind.faults(body, whole=whole)


def pairs(body: Json) -> Iterator[Fault]:
    yield from pair_faults(mapping(body).get("messages"), ("messages",))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    messages = mapping(body).get("messages")
    if not messages:
        yield Fault("anthropic.no_messages", ("messages",), "at least one message is needed")
    listed = list(objects(messages))
    for index, message in listed:
        yield from message_faults(message, ("messages", index))
    yield from system_place_faults([message for _, message in listed])
    if listed:
        yield from _ending_faults(listed[-1][1], ("messages", listed[-1][0]))
    if whole:
        yield from request_faults(mapping(body), path)


def message_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    content, role = message.get("content"), message.get("role")
    if content in ("", []):
        yield Fault("anthropic.empty", (*at, "content"), "a message without content")
    elif isinstance(content, str) and not content.strip():
        yield Fault("anthropic.blank", (*at, "content"), "text without a visible character")
    if role == "assistant" and _ends_in_thinking(content):
        yield Fault("anthropic.thinking_last", (*at, "content"), "the final block is thinking")
    for index, block in objects(content):
        place, kind = (*at, "content", index), str(block.get("type"))
        if not _may_say(role, kind):
            yield Fault("anthropic.seat", place, f"no {kind} block in a message of {role}")
        yield from block_faults(block, place)


def _ends_in_thinking(content: Json) -> bool:
    last = [block.get("type") for _, block in objects(content)][-1:]
    return last in (["thinking"], ["redacted_thinking"])


def _may_say(role: Json, kind: str) -> bool:
    if role == "user":
        return kind in USER
    if role == "system":
        return kind in SYSTEM
    return kind not in NOT_ASSISTANT | (SYSTEM - BOTH)


def block_faults(block: dict[str, Json], at: Path) -> Iterator[Fault]:
    kind = block.get("type")
    if kind == "text" and not str(block.get("text", "?")).strip():
        yield Fault("anthropic.blank", (*at, "text"), "text without a visible character")
    elif kind == "thinking":
        if not block.get("signature", "?"):
            yield Fault("anthropic.unsigned", (*at, "signature"), "thinking without a signature")
    elif kind in ("image", "document"):
        yield from source_faults(str(kind), mapping(block.get("source")), (*at, "source"))
    elif kind == "tool_use":
        yield from name_faults(block.get("name"), TOOL_NAME, (*at, "name"))
        yield from _id_faults(block.get("id"), (*at, "id"))
    elif kind == "tool_result":
        yield from _id_faults(block.get("tool_use_id"), (*at, "tool_use_id"))
        yield from result_faults(block, at)


def result_faults(block: dict[str, Json], at: Path) -> Iterator[Fault]:
    if block.get("is_error") and not block.get("content"):
        yield Fault("anthropic.empty_error", at, "an error result says what went wrong")
    for index, inner in objects(block.get("content")):
        yield from block_faults(inner, (*at, "content", index))


def _id_faults(call_id: Json, at: Path) -> Iterator[Fault]:
    if not isinstance(call_id, str) or not CALL_ID.fullmatch(call_id):
        yield Fault("anthropic.call_id", at, f"{brief(call_id)} does not match {CALL_ID.pattern}")


def source_faults(kind: str, source: dict[str, Json], at: Path) -> Iterator[Fault]:
    wrong = None
    if source.get("type") == "base64":
        allowed = IMAGES if kind == "image" else ("application/pdf",)
        wrong = typed_fault(source.get("media_type"), source.get("data"), allowed)
    elif source.get("type") == "url":
        wrong = None if WEB_URL.match(str(source.get("url"))) else "no web address"
    elif source.get("type") == "text" and not str(source.get("data", "?")).strip():
        wrong = "a document without text"
    if wrong:
        yield Fault("anthropic.source", at, wrong)


def system_place_faults(messages: list[dict[str, Json]]) -> Iterator[Fault]:
    """System messages: after a user turn, at the end or before an assistant; never first."""
    roles = [message.get("role") for message in messages]
    for index, role in enumerate(roles):
        if role != "system" or (index and roles[index - 1] == "system"):
            continue
        after = next((r for r in roles[index:] if r != "system"), None)
        place: Path = ("messages", index)
        if index == 0:
            yield Fault("anthropic.system_first", place, "the first message is a system message")
        elif after == "user" or (roles[index - 1] != "user" and not _served(messages[index - 1])):
            yield Fault("anthropic.system_place", place, "stands between other turns than it may")


def _served(message: dict[str, Json]) -> bool:
    """Whether an assistant turn ends in a result of the provider's own tools."""
    blocks = [block for _, block in objects(message.get("content"))]
    return bool(blocks) and str(blocks[-1].get("type")).endswith("_tool_result")


def _ending_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    content = message.get("content")
    last = content if isinstance(content, str) else None
    for _, block in objects(content):
        last = block.get("text") if block.get("type") == "text" else None
    if message.get("role") == "assistant" and isinstance(last, str) and last != last.rstrip():
        yield Fault("anthropic.trailing", (*at, "content"), "the last text ends with whitespace")
