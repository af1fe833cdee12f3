"""Ollama's native chat: Go's types, and pairs in order, which its templates go by.

The server checks no pairs: a template renders messages as they come, and results are known by
their place or their tool's name. So an order that confuses it is refused here, where it is not.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, members, objects
from .media import kind_of
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "faults"]

BOOK = Book("ollama")
GO = "ollama: api/types.go"
DOCS = "ollama: docs/capabilities/tool-calling"
NO_MESSAGES = BOOK.rule("no_messages", "there is a message", "an empty list loads the model")
ROLE = BOOK.rule("role", "a role is system, user, assistant or tool", GO)
CONTENT = BOOK.rule("content", "content is a string, or null",
                    "json: cannot unmarshal array into Go struct field "
                    "ChatRequest.messages.content of type string")  # fmt: skip
IMAGES = BOOK.rule("images", "images are base64 without a prefix", "invalid image input")
ARGUMENTS = BOOK.rule("arguments", "arguments are an object",
                      "json: cannot unmarshal string into Go struct field ChatRequest.messages."
                      "tool_calls.function.arguments")  # fmt: skip
NAME = BOOK.rule("tool_name", "a call names its tool", GO)
PROPERTIES = BOOK.rule("properties", "the properties of a tool are an object",
                       "json: cannot unmarshal array into Go struct field "
                       ".tools.function.parameters.properties")  # fmt: skip
ONCE = BOOK.rule("tool_twice", "a tool is declared once", DOCS)
ANSWERED = BOOK.rule("answered", "results stand right behind their turn of calls, one a call", DOCS)
ORPHAN = BOOK.rule("orphan", "a result stands behind the turn that it answers", DOCS)
ORDER = BOOK.rule("order", "results stand in the order of their calls, or name them", DOCS)


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the server refuses, and pairs that its templates mistake."""
    listed = list(objects(body.get("messages")))
    if not listed:
        yield NO_MESSAGES.at(("messages",))
    for index, message in listed:
        yield from _message_faults(message, ("messages", index))
    yield from _pair_faults(listed, asked)
    seen: set[str] = set()
    for index, tool in objects(body.get("tools")):
        function = mapping(tool.get("function"))
        if not isinstance(mapping(function.get("parameters")).get("properties", {}), dict):
            yield PROPERTIES.at(("tools", index, "function", "parameters"))
        name = label(function.get("name"))
        if name in seen:
            yield ONCE.at(("tools", index, "function", "name"), brief(name))
        seen.add(name)


def _message_faults(message: dict[str, Json], at: Path) -> Iterator[Broken]:
    role = label(message.get("role")).lower()
    if role not in ("system", "user", "assistant", "tool"):
        yield ROLE.at((*at, "role"), brief(role))
    if not isinstance(message.get("content"), str | None):
        yield CONTENT.at((*at, "content"))
    for index, image in enumerate(members(message.get("images"))):
        if kind_of(image) is None:
            yield IMAGES.at((*at, "images", index), brief(image))
    for index, call in objects(message.get("tool_calls")):
        function, place = mapping(call.get("function")), (*at, "tool_calls", index, "function")
        if not function.get("name"):
            yield NAME.at((*place, "name"))
        if not isinstance(function.get("arguments", {}), dict):
            yield ARGUMENTS.at((*place, "arguments"), brief(function.get("arguments")))


def _pair_faults(listed: list[tuple[int, dict[str, Json]]], asked: Asked) -> Iterator[Broken]:
    waiting: list[dict[str, Json]] = []
    at: Path = ()
    started = False
    for index, message in listed:
        if message.get("role") == "tool":
            if not waiting:
                yield ORPHAN.at(("messages", index))
                continue
            place = next((n for n, call in enumerate(waiting) if _answers(message, call)), None)
            if place is None:
                yield ORDER.at(("messages", index), brief(message.get("tool_name")))
            waiting.pop(place or 0)
            started = True
            continue
        if waiting:
            yield ANSWERED.at(at, f"{len(waiting)} left")
        waiting = [call for _, call in objects(message.get("tool_calls"))]
        at, started = ("messages", index), False
    if waiting and (started or not asked.open_end):
        yield ANSWERED.at(at, f"{len(waiting)} left")


def _answers(message: dict[str, Json], call: dict[str, Json]) -> bool:
    """Whether a result says nothing else than that it answers this call."""
    pairs = (
        (message.get("tool_call_id"), call.get("id")),
        (message.get("tool_name"), mapping(call.get("function")).get("name")),
    )
    return all(said is None or there is None or said == there for said, there in pairs)
