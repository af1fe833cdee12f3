"""Gemini generateContent: turns, counts of calls and responses, signatures, empty parts.

The API reads camelCase and snake_case alike, and so does this file. Tools stand beside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, objects
from .gemini_tools import BOOK, NAMES, key, tool_faults
from .rule import Asked, Broken

__all__ = ["BOOK", "faults"]

DOCS = "ai.google.dev: function calling"
COUNT = ("Please ensure that the number of function response parts is equal to the number of "
         "function call parts of the function call turn.")  # fmt: skip
NO_CONTENTS = BOOK.rule("no_contents", "there is a content", "contents is not specified")
ROLE = BOOK.rule("role", "a content is the user's or the model's",
                 "Please use a valid role: user, model.")  # fmt: skip
NO_PARTS = BOOK.rule("no_parts", "a content has parts", "contents.parts must not be empty")
ONE = BOOK.rule("part", "a part holds one kind of data",
                "required oneof field 'data' must have one initialized field")  # fmt: skip
EMPTY = BOOK.rule("empty_text", "text is not empty, unless it carries a signature",
                  "it has an empty text parameter")  # fmt: skip
SEAT = BOOK.rule("seat", "the model calls, the user answers", DOCS)
ANSWERED = BOOK.rule("answered", "the content behind a turn of calls answers it", COUNT)
EACH = BOOK.rule("count", "a turn of calls has as many responses", COUNT)
ORPHAN = BOOK.rule("orphan", "responses stand right behind a turn of calls",
                   "Please ensure that function response turn comes immediately after a function "
                   "call turn.")  # fmt: skip
PLACE = BOOK.rule("call_place", "a turn of calls stands right behind a user's turn",
                  "Please ensure that function call turn comes immediately after a user turn or "
                  "after a function response turn.")  # fmt: skip
ORDER = BOOK.rule("order", "responses stand in the order of their calls", DOCS)
SAME_ID = BOOK.rule("same_id", "an id stands on a call and its response, or on neither",
                    "functionResponse.id must equal functionCall.id")  # fmt: skip
UNIQUE = BOOK.rule("repeated_id", "an id names one call of a turn", DOCS)
MIXED = BOOK.rule("mixed", "nothing stands beside responses, from Gemini 3 on", COUNT)
RESPONSE = BOOK.rule("response", "a response is an object",
                     "Proto field is not repeating, cannot start list.")  # fmt: skip
ARGS = BOOK.rule("args", "arguments are an object", DOCS)
SIGNED = BOOK.rule("unsigned", "the first call of every step of this turn is signed",
                   "Function call is missing a thought_signature")  # fmt: skip
BYTES = BOOK.rule("signature", "a signature is base64",
                  "'thought_signature' (TYPE_BYTES), Base64 decoding failed")  # fmt: skip
PREFILL = BOOK.rule("prefill", "the user has the last word",
                    "Requests ending with a model turn are not supported.")  # fmt: skip
DATA = ("text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode",
        "codeExecutionResult", "toolCall", "toolResponse")  # fmt: skip
BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
ENFORCED = re.compile(r"gemini-([3-9]|\d\d)(?!.*image)")
BESIDE = re.compile(r"gemini-[12]\b")  # recorded
UNCONTINUED = re.compile(r"gemini-(3\.5-flash-lite|3\.[6-9]|[4-9])")
Listed = list[tuple[int, dict[str, Json]]]


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the provider would refuse of turns, calls and parts."""
    listed = list(objects(body.get("contents")))
    if not listed:
        yield NO_CONTENTS.at(("contents",))
    for index, content in listed:
        yield from _content_faults(content, ("contents", index), asked)
    yield from _pair_faults(listed, asked)
    if ENFORCED.match(asked.model):
        yield from _signature_faults(listed)
    for index, content in listed[-1:] if UNCONTINUED.match(asked.model) else []:
        if content.get("role") == "model" and not _said(content, "functionCall"):
            yield PREFILL.at(("contents", index))
    yield from tool_faults(body, asked)


def _said(content: dict[str, Json], name: str) -> list[tuple[int, dict[str, Json]]]:
    parts = objects(content.get("parts"))
    return [(i, mapping(key(part, name))) for i, part in parts if key(part, name) is not None]


def _content_faults(content: dict[str, Json], at: Path, asked: Asked) -> Iterator[Broken]:
    role = content.get("role")
    if role not in ("user", "model"):
        yield ROLE.at((*at, "role"), brief(role))
    if not content.get("parts"):
        yield NO_PARTS.at((*at, "parts"))
    for index, part in objects(content.get("parts")):
        yield from _part_faults(part, role, (*at, "parts", index))
    answers = _said(content, "functionResponse")
    beside = answers and len(answers) != len(list(objects(content.get("parts"))))
    if beside and not BESIDE.match(asked.model):
        yield MIXED.at(at)


def _part_faults(part: dict[str, Json], role: Json, at: Path) -> Iterator[Broken]:
    data = [name for name in DATA if key(part, name) is not None]
    signature = key(part, "thoughtSignature")
    if len(data) != 1:
        yield ONE.at(at, ", ".join(data) or "nothing")
    if part.get("text") == "" and not signature:
        yield EMPTY.at((*at, "text"))
    if signature is not None and not BASE64.fullmatch(label(signature)):
        yield BYTES.at(at, brief(signature))
    call, answer = key(part, "functionCall"), key(part, "functionResponse")
    if (call is not None and role != "model") or (answer is not None and role == "model"):
        yield SEAT.at(at)
    for name, said in (("functionCall", call), ("functionResponse", answer)):
        if said is not None:
            yield from NAMES.spelled([(mapping(said).get("name"), (*at, name, "name"))])
    if call is not None and not isinstance(mapping(call).get("args", {}), dict):
        yield ARGS.at((*at, "functionCall"))
    if answer is not None and not isinstance(mapping(answer).get("response"), dict):
        yield RESPONSE.at((*at, "functionResponse"))


def _pair_faults(listed: Listed, asked: Asked) -> Iterator[Broken]:
    waiting: list[dict[str, Json]] = []
    before: Path = ()
    role = None
    for index, content in listed:
        at: Path = ("contents", index)
        answers = [said for _, said in _said(content, "functionResponse")]
        calls = [said for _, said in _said(content, "functionCall")]
        if answers and not waiting:
            yield ORPHAN.at(at)
        elif waiting and not answers:
            yield ANSWERED.at(before)
        elif waiting:
            yield from _match_faults(waiting, answers, at)
        if calls and role != "user":
            yield PLACE.at(at)
        ids = [label(c["id"]) for c in calls if c.get("id") is not None]
        if len(ids) != len(set(ids)):
            yield UNIQUE.at(at)
        waiting, before, role = calls, at, content.get("role")
    if waiting and not asked.open_end:
        yield ANSWERED.at(before)


def _match_faults(
    calls: list[dict[str, Json]], answers: list[dict[str, Json]], at: Path
) -> Iterator[Broken]:
    if len(calls) != len(answers):
        yield EACH.at(at, f"{len(answers)} to {len(calls)}")
        return
    for call, answer in zip(calls, answers, strict=True):
        if call.get("name") != answer.get("name"):
            yield ORDER.at(at, f"{brief(call.get('name'))}, {brief(answer.get('name'))}")
            return
    for call, answer in zip(calls, answers, strict=True):
        if call.get("id") != answer.get("id"):
            known = {label(c.get("id")) for c in calls}
            moved = label(answer.get("id")) in known and call.get("id") is not None
            yield (ORDER if moved else SAME_ID).at(at, brief(answer.get("id")))
            return


def _signature_faults(listed: Listed) -> Iterator[Broken]:
    """Steps of the current turn: back to the last user's content that is no function response."""
    for index, content in reversed(listed):
        if content.get("role") != "model":
            if not _said(content, "functionResponse"):
                return
            continue
        calls = _said(content, "functionCall")
        if not calls:
            continue
        part = list(content["parts"])[calls[0][0]]
        if not key(part, "thoughtSignature"):
            yield SIGNED.at(("contents", index, "parts", calls[0][0]))
