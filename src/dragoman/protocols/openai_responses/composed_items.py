"""Writes the items that requests are composed of: messages, reasoning and calls.

Their parts are written by `blocks`. Reference: OpenAI API, "Create a model response", `input`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...message.blocks import ThinkingBlock, ToolUseBlock
from ...message.client_tools import item_spelled
from ...text.json_text import Json, JsonObject

_TEXT_KEYS = {"type", "text"}


def message(role: str, parts: list[JsonObject], string: bool, extras: JsonObject) -> JsonObject:
    """Write `{"role", "content"}`; `string`: a content of one text is a string."""
    if "status" in extras:
        return {"role": role, "content": parts, "type": "message", **extras}
    text = string and len(parts) == 1 and parts[0].keys() == _TEXT_KEYS
    return {"role": role, "content": parts[0]["text"] if text else parts, **extras}


def with_types(items: list[JsonObject]) -> list[JsonObject]:
    """Return the items, with `type` in each message."""
    return [
        {"type": "message", **item} if "role" in item and "type" not in item else item
        for item in items
    ]


def assistant_messages(
    parts: list[JsonObject], string: bool, extras: JsonObject
) -> list[JsonObject]:
    """Write messages of the model without ids; `string`: each text is the content of a message.

    Content that has more than texts is written in parts: refusals, annotations, fields of one item.
    """
    # the API wants the phase on each message of the model's
    plain = extras.keys() <= {"phase"} and all(part.keys() == _TEXT_KEYS for part in parts)
    if string and plain:
        return [message("assistant", [part], True, extras) for part in parts]
    return [message("assistant", parts, string, extras)]


def answer_message(
    id: str, parts: Sequence[JsonObject], extras: JsonObject, status: str = "completed"
) -> JsonObject:
    """Write a message of the model with every field that its answer had."""
    content = [
        {**part, "annotations": part.get("annotations", [])}
        if part.get("type") == "output_text"
        else part
        for part in parts
    ]
    return {
        "type": "message",
        "id": id,
        "status": status,
        "role": "assistant",
        "content": content,
        **extras,
    }


def without_id(item: JsonObject, string: bool) -> list[JsonObject]:
    """Return a message of an answer without its id and status, as a conversation has it."""
    parts = [
        {k: v for k, v in part.items() if k != "annotations" or v != []} for part in item["content"]
    ]
    extras = {key: value for key, value in item.items() if key not in ("type", "role", "content")}
    return assistant_messages(parts, string, extras)


def reasoning(block: ThinkingBlock, raw: bool) -> JsonObject:
    """Write a summary with its sealed form; or `raw` text, where the host reads that back."""
    item: JsonObject = {"type": "reasoning", "summary": []}
    if block.thinking:
        key, kind = ("content", "reasoning_text") if raw else ("summary", "summary_text")
        item[key] = [{"type": kind, "text": block.thinking}]
    if not raw and (sealed := block.signature or block.redacted):
        item["encrypted_content"] = sealed
    return item


# the type of a call that holds arguments or text, and the key of its content
CALL_KINDS = {"function_call": "arguments", "custom_tool_call": "input"}
CUSTOM = "custom"  # the spelling of a result that is `custom_tool_call_output`


def call_kind(block: ToolUseBlock) -> str:
    """Return the type of the item of a call."""
    return "custom_tool_call" if block.freeform else "function_call"


# the recorded prefixes of the ids of such items
_PREFIXES = {
    "tool_search_call": "tsc",
    "local_shell_call": "lsh",
    "shell_call": "sh",
    "apply_patch_call": "apc",
}


def call_prefix(block: ToolUseBlock) -> str:
    """Return the prefix of the id of a call's item."""
    return _PREFIXES.get(item_spelled(block) or "", "ctc" if block.freeform else "fc")


def tool_call(block: ToolUseBlock, text: Json) -> JsonObject:
    """Write `function_call` with its arguments, or `custom_tool_call` with its input."""
    kind = call_kind(block)
    group = {} if block.namespace is None else {"namespace": block.namespace}
    return {"type": kind, "call_id": block.id, "name": block.name, CALL_KINDS[kind]: text, **group}
