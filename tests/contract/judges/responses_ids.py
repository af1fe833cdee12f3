"""The two ids of Responses items: `id` names the item, `call_id` pairs a call with its output.

An item id begins with its type's letters, is short, and stands once in a request; `call_id` is
free text. What an item does not need, the API takes without an id (120 calls, 57 reasonings).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .fault import Fault, Json, Path, brief, objects

ITEM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
LONGEST_CALL = 64
# Error text: "Invalid 'input[N].id': ... Expected an ID that begins with 'fc'."
PREFIXES = {
    "reasoning": "rs", "message": "msg", "function_call": "fc", "custom_tool_call": "ctc",
    "web_search_call": "ws", "file_search_call": "fs", "code_interpreter_call": "ci",
    "image_generation_call": "ig", "mcp_call": "mcp", "mcp_list_tools": "mcpl",
    "mcp_approval_request": "mcpr", "compaction": "cmp", "computer_call": "cu",
    "shell_call": "sh", "shell_call_output": "sho", "local_shell_call": "lsh",
    "apply_patch_call": "apc", "tool_search_call": "tsc", "tool_search_output": "tso",
    "program": "cm", "program_output": "cmo",
}  # fmt: skip
UNNAMED = ("item_reference", "local_shell_call_output")  # their id is another item's


def id_faults(items: Json, at: Path) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, item in objects(items):
        place = (*at, index)
        if "call_id" in item and item["call_id"] is not None:
            yield from call_id_faults(item["call_id"], (*place, "call_id"))
        item_id = item.get("id")
        if item_id is None:
            continue
        kind = str(item.get("type", "message"))
        yield from item_id_faults(item_id, kind, (*place, "id"))
        if kind not in UNNAMED and str(item_id) in seen:
            yield Fault("responses.repeated_item", (*place, "id"), f"{brief(item_id)} stands twice")
        seen.add(str(item_id))


def item_id_faults(item_id: Json, kind: str, at: Path) -> Iterator[Fault]:
    if not isinstance(item_id, str) or not ITEM_ID.fullmatch(item_id):
        yield Fault("responses.item_id", at, f"{brief(item_id)} does not match {ITEM_ID.pattern}")
    elif not item_id.startswith(PREFIXES.get(kind, "")):
        yield Fault("responses.item_id", at, f"expected an id that begins with {PREFIXES[kind]}")


def call_id_faults(call_id: Json, at: Path) -> Iterator[Fault]:
    if isinstance(call_id, str) and len(call_id) > LONGEST_CALL:
        yield Fault("responses.call_id", at, f"call id is longer than {LONGEST_CALL}")
    elif not isinstance(call_id, str) or not call_id:
        yield Fault("responses.call_id", at, f"call id {brief(call_id)} is no id")


def reasoning_faults(item: dict[str, Json], at: Path) -> Iterator[Fault]:
    """Reasoning goes back as the stored item or as the encrypted one; text alone says nothing."""
    if not item.get("id") and not item.get("encrypted_content"):
        yield Fault("responses.reasoning", at, "neither an id nor encrypted content")


def unstored_faults(items: Json, at: Path) -> Iterator[Fault]:
    """With store: false nothing can be fetched by its id ("Items are not persisted")."""
    for index, item in objects(items):
        said = item.get("encrypted_content") or item.get("content")
        lost = item.get("type") == "reasoning" and item.get("id") and not said
        if lost or item.get("type") == "item_reference":
            yield Fault("responses.unstored", (*at, index), "an id alone, with store: false")
