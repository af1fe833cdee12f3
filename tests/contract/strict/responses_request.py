"""OpenAI Responses: declared tools and what a choice may name."""

from __future__ import annotations

from collections.abc import Iterator

from ..judges.fault import Json, Path, label, objects
from .named import Named, Names
from .rule import Book, Broken

__all__ = ["BOOK", "NAMES", "tool_faults"]

BOOK = Book("openai-responses")
NAMES = Names.of(BOOK, r"[a-zA-Z0-9_-]{1,64}",
                 "Invalid 'tools[0].name': string does not match pattern '^[a-zA-Z0-9_-]+$'",
                 "OpenAI: Responses reference")  # fmt: skip
OWN = ("function", "custom")


def tool_faults(body: dict[str, Json]) -> Iterator[Broken]:
    tools: list[Named] = []
    others = any(item.get("type") == "additional_tools" for _, item in objects(body.get("input")))
    for index, tool in objects(body.get("tools")):
        if tool.get("type") in OWN:
            tools.append((tool.get("name"), ("tools", index, "name")))
        else:
            others = True
    yield from NAMES.offered(tools)
    choice = body.get("tool_choice")
    if choice in (None, "auto", "none"):
        return
    chosen: list[Named] = []
    if isinstance(choice, dict):
        at: Path = ("tool_choice", "name")
        chosen = [(choice.get("name"), at)] if choice.get("type") in OWN else []
        for index, tool in objects(choice.get("tools")):
            if label(tool.get("type")) in OWN:
                chosen.append((tool.get("name"), ("tool_choice", "tools", index, "name")))
    yield from NAMES.chosen(tools, others, chosen, ("tool_choice",))
