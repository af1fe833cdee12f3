"""Judge of Gemini generateContent bodies: the SDK's closed models, contents and parts.

The API takes camelCase and snake_case; so does this judge, but not both for one key. Pairs
and the whole request stand in the two files beside this one.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

from .fault import Fault, Json, Path, mapping, objects
from .gemini_keys import data_keys, either, snake
from .gemini_pairs import pair_faults
from .gemini_request import SECTIONS, request_faults
from .media import base64_fault


def wrap(messages: Json) -> Json:
    return {"contents": messages}


@cache
def _model(name: str) -> Any:
    from google.genai import types as sdk

    return getattr(sdk, name)


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    del whole  # the SDK has no type for the whole body: every section is judged by its own
    for key, value in mapping(body).items():
        section = SECTIONS.get(snake(key))
        if section is None:
            yield Fault("types.unknown_key", (key,), "unknown key")
        elif value is None:
            continue  # null is absent in every optional field of the SDK
        elif section.many and not isinstance(value, list):
            yield Fault("types.value", (key,), "not a list")
        elif section.many:
            for index, item in enumerate(value):
                yield from _model_faults(section.model, item, (key, index))
        elif section.model:
            yield from _model_faults(section.model, value, (key,))


def _model_faults(name: str, value: Json, at: Path) -> Iterator[Fault]:
    import pydantic

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            _model(name).model_validate_json(json.dumps(value))
        except pydantic.ValidationError as error:
            for wrong in error.errors():
                unknown = wrong["type"] == "extra_forbidden"
                rule = "types.unknown_key" if unknown else "types.value"
                yield Fault(rule, (*at, *wrong["loc"]), wrong["msg"])
        except AttributeError as error:  # its enums fall over numbers
            yield Fault("types.value", at, f"the SDK cannot read it: {error}")
    for warning in told:  # the SDK only warns of enum values that it does not know
        if "is not a valid" in str(warning.message):
            yield Fault("types.value", at, str(warning.message))


def pairs(body: Json) -> Iterator[Fault]:
    yield from pair_faults(mapping(body).get("contents"), ("contents",))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    contents = mapping(body).get("contents")
    if not contents:
        yield Fault("gemini.no_contents", ("contents",), "at least one content is needed")
    yield from spelling_faults(body, ())
    before = None
    for index, content in objects(contents):
        at: Path = ("contents", index)
        yield from content_faults(content, at)
        if before != "user" and _holds(content, "functionCall"):
            yield Fault("gemini.call_place", at, "a turn of calls comes right after a user turn")
        before = content.get("role")
    if whole:
        yield from request_faults(mapping(body), path)


def content_faults(content: dict[str, Json], at: Path) -> Iterator[Fault]:
    role, parts = content.get("role"), content.get("parts")
    if role not in ("user", "model"):
        yield Fault("gemini.role", (*at, "role"), f"role {role!r} is neither user nor model")
    if not parts:
        yield Fault("gemini.no_parts", (*at, "parts"), "parts must not be empty")
    answers = _holds(content, "functionResponse")
    if answers and any("functionResponse" not in data_keys(p) for _, p in objects(parts)):
        yield Fault("gemini.mixed", at, "function responses stand beside other parts")
    for index, part in objects(parts):
        yield from part_faults(role, part, (*at, "parts", index))


def _holds(content: dict[str, Json], key: str) -> bool:
    return any(key in data_keys(part) for _, part in objects(content.get("parts")))


def part_faults(role: Json, part: dict[str, Json], at: Path) -> Iterator[Fault]:
    data = data_keys(part)
    if len(data) != 1:
        yield Fault("gemini.part", at, f"a part holds one of its data keys, not {len(data)}")
    if part.get("text") == "" and not either(part, "thoughtSignature"):
        yield Fault("gemini.empty_text", (*at, "text"), "empty text without a signature")
    seat = {"functionCall": "model", "functionResponse": "user"}
    for key in data:
        if seat.get(key, role) != role:
            yield Fault("gemini.seat", (*at, key), f"only the {seat[key]} says {key}")
    call, answer = (mapping(either(part, k)) for k in ("functionCall", "functionResponse"))
    for key, said in (("functionCall", call), ("functionResponse", answer)):
        if key in data and not said.get("name"):
            yield Fault("gemini.name", (*at, key, "name"), "name cannot be empty")
    if answer and not isinstance(answer.get("response"), dict):
        yield Fault("gemini.response", (*at, "functionResponse", "response"), "is no object")
    for index, inner in objects(answer.get("parts")):
        yield from media_faults(inner, (*at, "functionResponse", "parts", index))
    yield from media_faults(part, at)


def media_faults(part: dict[str, Json], at: Path) -> Iterator[Fault]:
    inline, file = either(part, "inlineData"), either(part, "fileData")
    if isinstance(inline, dict):
        data = inline.get("data")
        urlsafe = data.translate(str.maketrans("-_", "+/")) if isinstance(data, str) else data
        if "/" not in str(either(inline, "mimeType")):
            yield Fault("gemini.media", (*at, "inlineData"), "no MIME type")
        if wrong := base64_fault(urlsafe):
            yield Fault("gemini.media", (*at, "inlineData"), wrong)
    if isinstance(file, dict) and not either(file, "fileUri"):
        yield Fault("gemini.media", (*at, "fileData"), "no file URI")


def spelling_faults(value: Json, at: Path) -> Iterator[Fault]:
    """One key in both spellings; names of tools' own arguments are not looked at."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if snake(key) != key and snake(key) in value:
                yield Fault("gemini.spelling", (*at, key), "the key stands in both spellings")
            if key not in ("args", "response", "properties", "labels"):
                yield from spelling_faults(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from spelling_faults(inner, (*at, index))
