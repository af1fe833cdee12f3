"""OpenAI Responses: items, their ids and call ids, and what belongs to a reasoning item.

What an earlier response or a conversation holds is not seen, so that a result may answer there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .openai_chat import argument_faults
from .responses_request import BOOK, NAMES, tool_faults
from .rule import Asked, Broken

__all__ = ["BOOK", "faults"]

DOCS = "OpenAI: Responses reference"
NO_INPUT = BOOK.rule("no_input", "there is an input", DOCS)
ANSWERED = BOOK.rule("answered", "a call has its output",
                     "No tool output found for function call call_1.")  # fmt: skip
ORPHAN = BOOK.rule("orphan", "an output stands behind its call",
                   "No tool call found for function call output with call_id call_1.")  # fmt: skip
TWICE = BOOK.rule("twice", "a call has one output", DOCS)
UNIQUE = BOOK.rule("repeated_call_id", "a call id names one call", DOCS)
CALL_ID = BOOK.rule("call_id", "a call id is a text of 1 to 64 characters",
                    "input[].call_id: string too long")  # fmt: skip
ITEM_ID = BOOK.rule("item_id", "an item's id is [A-Za-z0-9_-]{1,64} and begins as its type does",
                    "Invalid 'input[67].id'. Expected an ID that begins with 'fc'.")  # fmt: skip
ITEM_TWICE = BOOK.rule("item_twice", "an item's id stands once",
                       "Duplicate item found with id msg_4")  # fmt: skip
FOLLOWER = BOOK.rule("follower", "reasoning is followed by what it led to",
                     "Item 'rs_1' of type 'reasoning' was provided without its required following "
                     "item.")  # fmt: skip
STORED = BOOK.rule("stored", "what is not stored is not named by its id alone",
                   "Items are not persisted when `store` is set to false.")  # fmt: skip
SUMMARY = BOOK.rule("summary", "reasoning has a summary, though it be empty",
                    "missing required field `summary`")  # fmt: skip
ARGUMENTS = BOOK.rule("arguments", "arguments are the text of a JSON object", DOCS)
ROLE = BOOK.rule("role", "a message is a user's, an assistant's, the system's or the developer's",
                 DOCS)  # fmt: skip
SEAT = BOOK.rule("seat", "input parts are the user's, output parts the assistant's", DOCS)
OUTPUT = BOOK.rule("output", "an output is a string or a list of input parts", DOCS)
ANSWERS = {
    "function_call_output": "function_call",
    "custom_tool_call_output": "custom_tool_call",
}
SPOKEN = {"output_text", "refusal"}
HEARD = {"input_text", "input_image", "input_file", "input_audio"}
OWN = ("", "openai", "azure")  # who keeps items and gives them ids
PREFIX = {"message": "msg", "function_call": "fc", "reasoning": "rs", "custom_tool_call": "ctc"}
ITEM = re.compile(r"[A-Za-z0-9_-]{1,64}")
Items = list[tuple[int, dict[str, Json]]]


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the provider would refuse of items and pairs."""
    given = body.get("input")
    elsewhere = any(body.get(k) for k in ("previous_response_id", "conversation", "prompt"))
    if not given and not elsewhere:
        yield NO_INPUT.at(("input",))
    listed = list(objects(given))
    known = elsewhere or any(_kind(item) == "item_reference" for _, item in listed)
    yield from _pair_faults(listed, known, asked)
    yield from _id_faults(listed, body, asked)
    if asked.host in OWN:
        yield from _follower_faults(listed)
    for index, item in listed:
        yield from _item_faults(item, ("input", index))
    yield from tool_faults(body)


def _kind(item: dict[str, Json]) -> str:
    return label(item.get("type", "message" if "role" in item else None))


def _pair_faults(listed: Items, known: bool, asked: Asked) -> Iterator[Broken]:
    waiting: dict[tuple[str, str], int] = {}
    done: set[tuple[str, str]] = set()
    tail = {index for index, _ in _tail(listed)} if asked.open_end else set()
    for index, item in listed:
        kind, id = _kind(item), label(item.get("call_id"))
        if kind in ANSWERS.values():
            if (kind, id) in waiting or (kind, id) in done:
                yield UNIQUE.at(("input", index, "call_id"), brief(id))
            if item.get("async") is not True:
                waiting[kind, id] = index
        elif kind in ANSWERS and not (item.get("call_id") is None and item.get("name")):
            key = (ANSWERS[kind], id)
            if key in done:
                yield TWICE.at(("input", index), brief(id))
            elif waiting.pop(key, None) is None and not known:
                yield ORPHAN.at(("input", index), brief(id))
            else:
                done.add(key)
    for (_, id), index in waiting.items():
        if index not in tail:
            yield ANSWERED.at(("input", index), brief(id))


def _tail(listed: Items) -> Items:
    """What the model said last, with nothing of the user's behind it."""
    end = len(listed)
    while end and _said(listed[end - 1][1]):
        end -= 1
    return listed[end:]


def _said(item: dict[str, Json]) -> bool:
    kind = _kind(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return not kind.endswith(("_output", "_response")) or kind in (
        "tool_search_output", "program_output",
    )  # fmt: skip


def _id_faults(listed: Items, body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    seen: set[str] = set()
    for index, item in listed:
        kind, id = _kind(item), item.get("id")
        at: Path = ("input", index, "id")
        gone = body.get("store") is False and not item.get("encrypted_content")
        lone = kind == "reasoning" and id and not item.get("content")
        if gone and (lone or kind == "item_reference"):
            yield STORED.at(at)
        if id is None or kind == "item_reference":
            continue
        if not _is_item_id(id, kind, asked):
            yield ITEM_ID.at(at, brief(id))
        if label(id) in seen:
            yield ITEM_TWICE.at(at, brief(id))
        seen.add(label(id))


def _is_item_id(id: Json, kind: str, asked: Asked) -> bool:
    """Other hosts give ids of their own make, and take them back."""
    if asked.host not in OWN:
        return isinstance(id, str)
    given = isinstance(id, str) and ITEM.fullmatch(id) is not None
    return given and id.startswith(PREFIX.get(kind, ""))


def _follower_faults(listed: Items) -> Iterator[Broken]:
    """Without ids the pairing is not enforced: recorded."""
    for position, (index, item) in enumerate(listed):
        if _kind(item) != "reasoning" or not item.get("id"):
            continue
        behind = (it for _, it in listed[position + 1 :] if _kind(it) != "reasoning")
        follower = next(behind, None)
        if follower is None or not _said(follower):
            yield FOLLOWER.at(("input", index))


def _item_faults(item: dict[str, Json], at: Path) -> Iterator[Broken]:
    kind = _kind(item)
    if kind == "message":
        yield from _message_faults(item, at)
    elif kind == "reasoning" and not isinstance(item.get("summary"), list):
        yield SUMMARY.at(at)
    elif kind in ANSWERS or kind in ANSWERS.values():
        id = item.get("call_id")
        named = id is None and item.get("name") and kind in ANSWERS
        if not named and not (isinstance(id, str) and 0 < len(id) <= 64):
            yield CALL_ID.at((*at, "call_id"), brief(id))
    if kind in ANSWERS:
        parts = item.get("output")
        kinds = {label(part.get("type")) for _, part in objects(parts)}
        if not isinstance(parts, str | list) or not kinds <= HEARD:
            yield OUTPUT.at((*at, "output"), brief(parts))
    elif kind == "function_call":
        yield from NAMES.spelled([(item.get("name"), (*at, "name"))])
        if argument_faults(item.get("arguments")):
            yield ARGUMENTS.at((*at, "arguments"), brief(item.get("arguments")))


def _message_faults(item: dict[str, Json], at: Path) -> Iterator[Broken]:
    role = item.get("role")
    if role not in ("user", "assistant", "system", "developer"):
        yield ROLE.at((*at, "role"), brief(role))
    taken = SPOKEN if role == "assistant" else HEARD
    for index, part in objects(item.get("content")):
        if mapping(part) and label(part.get("type")) not in taken:
            yield SEAT.at((*at, "content", index), f"{brief(part.get('type'))} of {brief(role)}")
