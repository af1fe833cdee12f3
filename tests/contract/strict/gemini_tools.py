"""Gemini generateContent: declared functions and what a choice may name; keys in two spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..judges.fault import Json, Path, label, mapping, members
from .named import Named, Names
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "NAMES", "key", "tool_faults"]

BOOK = Book("gemini")
NAMES = Names.of(BOOK, r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}",
                 "Invalid function name. Must start with a letter or an underscore; "
                 "function_response.name: Name cannot be empty.",
                 "ai.google.dev: function calling modes")  # fmt: skip
MODE = BOOK.rule("choice_mode", "names are allowed in the modes ANY and VALIDATED",
                 "allowed_function_names should only be set when the mode is ANY")  # fmt: skip
JSON = BOOK.rule("json_beside_tools", "before Gemini 3, no JSON is asked for beside tools",
                 "Function calling with a response mime type: 'application/json' is unsupported; "
                 "Tool use with a response mime type")  # fmt: skip
MIXED = BOOK.rule("mixed_tools", "before Gemini 3, no search stands beside functions",
                  "Tool use with function calling is unsupported")  # fmt: skip
BEFORE_3 = re.compile(r"gemini-[12]")
SNAKE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def key(value: Json, name: str) -> Json:
    """The value under a name in camelCase, or in the snake_case of it."""
    given = mapping(value)
    found = given.get(name)
    return given.get(SNAKE.sub("_", name).lower()) if found is None else found


def _beside_faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """What models before Gemini 3 refuse beside each other; Vertex has answered the second."""
    given = body.get("tools")
    kinds = [set(mapping(tool)) for tool in (given if isinstance(given, list) else [given])]
    functions = {"functionDeclarations", "function_declarations"}
    wants = key(key(body, "generationConfig"), "responseMimeType") == "application/json"
    if wants and any(kinds):
        yield JSON.at(("generationConfig", "responseMimeType"))
    searches = any(kind & {"googleSearch", "google_search"} for kind in kinds)
    mixed = searches and any(kind & functions for kind in kinds)
    if mixed and asked.host != "vertex":
        yield MIXED.at(("tools",))


def tool_faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    if BEFORE_3.match(asked.model):
        yield from _beside_faults(body, asked)
    tools: list[Named] = []
    others = False
    given = body.get("tools")
    for index, tool in enumerate(members(given) if isinstance(given, list) else [given or {}]):
        declared = key(tool, "functionDeclarations")
        listed = declared if isinstance(declared, list) else [declared] if declared else []
        others = others or bool(set(mapping(tool)) - {"functionDeclarations"} and not declared)
        for number, one in enumerate(listed):
            at = ("tools", index, "functionDeclarations", number, "name")
            tools.append((mapping(one).get("name"), at))
    yield from NAMES.offered(tools)
    choice = key(key(body, "toolConfig"), "functionCallingConfig")
    if not choice:
        return
    mode = label(mapping(choice).get("mode", "AUTO")).upper()
    place: Path = ("toolConfig", "functionCallingConfig")
    allowed = members(key(choice, "allowedFunctionNames"))
    if allowed and mode not in ("ANY", "VALIDATED"):
        yield MODE.at(place, mode)
    if mode == "ANY" or allowed:
        chosen = [(name, (*place, "allowedFunctionNames", i)) for i, name in enumerate(allowed)]
        yield from NAMES.chosen(tools, others, chosen, place)
