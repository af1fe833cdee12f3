"""Judge of Ollama's native /api/chat bodies.

The official client proves little (it ignores keys it does not know), so the shapes here are
written from the server's own structs.

The server checks no pairs; composed histories keep them all the same, so they are judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from .fault import Fault, Json, Path, label, mapping, members, objects
from .media import base64_fault
from .ollama_request import request_faults
from .pairing import call_faults

KEYS = {
    "system": {"role", "content", "images"},
    "user": {"role", "content", "images"},
    "assistant": {"role", "content", "images", "thinking", "tool_calls"},
    "tool": {"role", "content", "images", "tool_name", "tool_call_id"},
}


def wrap(messages: Json) -> Json:
    return {"messages": messages}


@cache
def _sdk() -> tuple[Any, Any]:
    import ollama

    return ollama.Message, ollama.Tool


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    del whole  # tools are looked for wherever they are; the rest has no type
    import pydantic

    for key, model in zip(("messages", "tools"), _sdk(), strict=True):
        for index, item in enumerate(members(mapping(body).get(key))):
            try:
                model.model_validate(_as_client(item))
            except pydantic.ValidationError as error:
                for wrong in error.errors():
                    yield Fault("types.value", (key, index, *wrong["loc"]), wrong["msg"])


def _as_client(item: Json) -> Json:
    """The client keeps an image's base64 text in an object of its own."""
    images = mapping(item).get("images")
    if not isinstance(images, list):
        return item
    return {**item, "images": [{"value": image} for image in images]}


def pairs(body: Json) -> Iterator[Fault]:
    turns = list(objects(mapping(body).get("messages")))
    position = 0
    while position < len(turns):
        index, message = turns[position]
        position += 1
        calls = [call for _, call in objects(message.get("tool_calls"))]
        answers = []
        while calls and position < len(turns) and turns[position][1].get("role") == "tool":
            answers.append(turns[position])
            position += 1
        if message.get("role") == "tool":
            yield Fault("pairs.orphan", ("messages", index), "a result without a call before it")
        yield from _answer_faults(list(calls), answers)
        open_end = position == len(turns) and not answers
        if len(answers) < len(calls) and not open_end:
            said = f"{len(answers)} results to {len(calls)} calls"
            yield Fault("pairs.unanswered", ("messages", index), said)


def _answer_faults(
    calls: list[dict[str, Json]], answers: list[tuple[int, dict[str, Json]]]
) -> Iterator[Fault]:
    """Each result takes one call: by id where both have one, else by the tool's name."""
    for index, answer in answers:
        matching = [call for call in calls if _answers(answer, call)]
        if matching:
            calls.remove(matching[0])
        else:
            yield Fault("pairs.orphan", ("messages", index), "no open call of this id and name")


def _answers(answer: dict[str, Json], call: dict[str, Json]) -> bool:
    by_id, call_id = answer.get("tool_call_id"), call.get("id")
    if by_id is not None and call_id is not None and by_id != call_id:
        return False
    named = answer.get("tool_name")
    return named is None or label(named) == label(mapping(call.get("function")).get("name"))


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    messages = mapping(body).get("messages")
    if not isinstance(messages, list) or not messages:
        yield Fault("ollama.no_messages", ("messages",), "at least one message is needed")
        messages = []
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            yield from message_faults(message, ("messages", index))
        else:
            yield Fault("ollama.message", ("messages", index), "no object")
    if whole:
        yield from request_faults(mapping(body), path)


def message_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    role, content = label(message.get("role")), message.get("content")
    if role not in KEYS:
        yield Fault("ollama.role", (*at, "role"), f"no role {role}")
        return
    for key in sorted(set(message) - KEYS[role]):
        yield Fault("ollama.key", (*at, key), f"no such key on a {role} message")
    beside = message.get("tool_calls") or ("content" in message and message.get("images"))
    if not isinstance(content, str) and (content is not None or not beside):
        yield Fault("ollama.content", (*at, "content"), "content must be a string")
    if "thinking" in message and not isinstance(message["thinking"], str):
        yield Fault("ollama.thinking", (*at, "thinking"), "thinking must be a string")
    if role == "tool" and not (isinstance(message.get("tool_name"), str) and message["tool_name"]):
        yield Fault("ollama.tool_name", (*at, "tool_name"), "a result names its tool")
    if "images" in message:
        yield from image_faults(message["images"], (*at, "images"))
    yield from call_faults(message, at)
    for index, call in enumerate(members(message.get("tool_calls"))):
        yield from tool_call_faults(call, (*at, "tool_calls", index))


def image_faults(images: Json, at: Path) -> Iterator[Fault]:
    if not isinstance(images, list) or not images:
        yield Fault("ollama.images", at, "images are a list of base64 texts")
        return
    for index, image in enumerate(images):
        if wrong := base64_fault(image):
            yield Fault("ollama.images", (*at, index), wrong)


def tool_call_faults(call: Json, at: Path) -> Iterator[Fault]:
    function = mapping(mapping(call).get("function"))
    known = {"id", "type", "function"}, {"index", "name", "arguments"}
    if set(mapping(call)) - known[0] or set(function) - known[1]:
        yield Fault("ollama.call", at, "a key that the server does not know")
    if not isinstance(function.get("arguments"), dict):
        place = (*at, "function", "arguments")
        yield Fault("ollama.arguments", place, "arguments are an object, not text")
    if not isinstance(function.get("name"), str) or not function["name"]:
        yield Fault("ollama.call", (*at, "function", "name"), "a call without a name")
