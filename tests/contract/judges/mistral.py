"""Judge of Mistral's chat completions: the SDK's closed types, ids, roles and chunks.

The server refuses every key it does not know, so nothing here is pardoned lightly. Sources: the
SDK's TypedDicts, recorded 422s, the vendor's own request validator (tokenizer versions 11-15).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .closed import ClosedTypes
from .fault import Fault, Json, Path, brief, label, mapping, objects
from .media import WEB_URL, base64_fault, link_fault
from .mistral_request import request_faults
from .openai_chat import IMAGES, TOOL_NAME
from .pairing import call_faults, pair_faults
from .tooling import arguments_faults, name_faults

CALL_ID = re.compile(r"[a-zA-Z0-9]{9}")
SPOKEN = {"text", "thinking", "reference", "tool_reference", "tool_file"}
SEATS = {"assistant": SPOKEN, "system": {"text", "thinking"}}
UNTHOUGHT = ("user", "tool")
# role -> the roles that may stand right behind it
NEXT = {
    "system": ("user", "assistant", "system"),
    "user": ("assistant", "system", "user"),
    "assistant": ("assistant", "user", "tool"),
    "tool": ("assistant", "tool", "user"),
}


def _whole() -> Any:
    from mistralai.client.models import ChatCompletionRequestTypedDict

    return ChatCompletionRequestTypedDict


SPELLED = {"JSONSchemaTypedDict": {"schema_definition": "schema"}}
WHOLE = ClosedTypes(_whole, spelled=SPELLED)


def wrap(messages: Json) -> Json:
    return {"messages": messages}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    yield from WHOLE.faults(body, whole=whole)


def pairs(body: Json) -> Iterator[Fault]:
    yield from pair_faults(mapping(body).get("messages"), ("messages",))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    listed = list(objects(mapping(body).get("messages")))
    if not listed:
        yield Fault("mistral.no_messages", ("messages",), "at least one message is needed")
    for index, message in listed:
        yield from message_faults(message, ("messages", index))
    yield from order_faults(listed, ("messages",))
    if whole:
        yield from request_faults(mapping(body), path)


def order_faults(listed: list[tuple[int, dict[str, Json]]], at: Path) -> Iterator[Fault]:
    before = ""
    for position, (index, message) in enumerate(listed):
        role, last = str(message.get("role")), position == len(listed) - 1
        if before in NEXT and role in NEXT and role not in NEXT[before] and role != "tool":
            said = f"unexpected role {role} after role {before}"
            yield Fault("mistral.order", (*at, index, "role"), said)
        before, prefix = role, message.get("prefix") is True
        if prefix and not last:
            yield Fault("mistral.prefix", (*at, index, "prefix"), "only the last message has it")
        served = role in UNTHOUGHT or prefix or (role == "system" and not position)
        if last and not served:
            yield Fault("mistral.last", (*at, index, "role"), f"the last message is of {role}")


def message_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    role, content = str(message.get("role")), message.get("content")
    yield from call_faults(message, at)
    if role == "assistant" and not content and not message.get("tool_calls"):
        yield Fault("mistral.says_nothing", at, "an assistant with neither content nor calls")
    elif role != "assistant" and content == []:
        yield Fault("mistral.empty_list", (*at, "content"), "an empty list of chunks")
    if role == "tool":
        yield from id_faults(message.get("tool_call_id"), (*at, "tool_call_id"))
        if message.get("name") is not None:
            yield from name_faults(message["name"], TOOL_NAME, (*at, "name"))
    for index, call in objects(message.get("tool_calls")):
        yield from tool_call_faults(call, (*at, "tool_calls", index))
    yield from chunk_list_faults(role, content, (*at, "content"))


def id_faults(call_id: Json, at: Path) -> Iterator[Fault]:
    if not isinstance(call_id, str) or not CALL_ID.fullmatch(call_id):
        said = f"call id {brief(call_id)} is not nine of a-z A-Z 0-9"
        yield Fault("mistral.call_id", at, said)


def tool_call_faults(call: dict[str, Json], at: Path) -> Iterator[Fault]:
    function = mapping(call.get("function"))
    yield from id_faults(call.get("id"), (*at, "id"))
    yield from name_faults(function.get("name"), TOOL_NAME, (*at, "function", "name"))
    if not isinstance(function.get("arguments"), dict):  # an object is taken as well
        yield from arguments_faults(function.get("arguments"), (*at, "function", "arguments"))


def chunk_list_faults(role: str, content: Json, at: Path) -> Iterator[Fault]:
    """One thinking chunk at most, and it leads."""
    for position, (index, chunk) in enumerate(objects(content)):
        kind, place = label(chunk.get("type")), (*at, index)
        if kind == "thinking" and position:
            yield Fault("mistral.thinking", place, "at most one leading thinking chunk")
        wrong = kind == "thinking" if role in UNTHOUGHT else kind not in SEATS.get(role, (kind,))
        if wrong:
            yield Fault("mistral.seat", place, f"no {kind} chunk in a message of {role}")
        yield from chunk_faults(chunk, place)


def chunk_faults(chunk: dict[str, Json], at: Path) -> Iterator[Fault]:
    kind = chunk.get("type")
    if kind == "image_url":
        image = chunk.get("image_url")
        url = image.get("url") if isinstance(image, dict) else image
        if wrong := link_fault(url, IMAGES):
            yield Fault("mistral.image", (*at, "image_url"), wrong)
    elif kind == "document_url":
        if wrong := link_fault(chunk.get("document_url"), ("application/pdf",)):
            yield Fault("mistral.document", (*at, "document_url"), wrong)
    elif kind == "input_audio":
        sound = chunk.get("input_audio")
        linked = isinstance(sound, str) and bool(WEB_URL.match(sound))
        if not linked and (wrong := base64_fault(sound)):
            yield Fault("mistral.audio", (*at, "input_audio"), wrong)
