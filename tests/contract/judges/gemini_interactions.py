"""Judge of Interactions bodies: the SDK's models, closed, and what steps and contents may hold.

The whole request stands in the file beside this one. Sources: the SDK's types, the documents of
Gemini's function calling, recorded requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .closed import ClosedTypes
from .fault import Fault, Json, Path, label, mapping, objects
from .gemini_interactions_request import TOOL_NAME, continues, request_faults
from .media import base64_fault
from .tooling import name_faults

MEDIA = ("image", "audio", "video", "document")
STANDS = ("user_input", "model_output")


def _model() -> Any:
    from google.genai import interactions

    return interactions.CreateModelInteraction


def _agent() -> Any:
    from google.genai import interactions

    return interactions.CreateAgentInteraction


MODEL = ClosedTypes(_model, listed="input", unknown="Unknown")
AGENT = ClosedTypes(_agent, listed="input", unknown="Unknown")


def wrap(messages: Json) -> Json:
    return {"input": messages}


def types(body: Json, *, whole: bool) -> Iterator[Fault]:
    kind = AGENT if "agent" in mapping(body) else MODEL
    yield from kind.faults(body, whole=whole)


def pairs(body: Json) -> Iterator[Fault]:
    """Results name a call before them, once; calls wait for theirs only at the very end."""
    known = continues(mapping(body))
    calls: dict[str, Path] = {}
    waiting: dict[str, Path] = {}
    answered: set[str] = set()
    for index, step in objects(mapping(body).get("input")):
        kind, at = step.get("type"), ("input", index)
        if kind == "function_call":
            id = label(step.get("id"))
            if id in calls:
                yield Fault("pairs.repeated_id", (*at, "id"), f"{id!r} is used again")
            calls[id] = waiting[id] = at
        elif kind == "function_result":
            id = label(step.get("call_id"))
            if id in answered:
                yield Fault("pairs.twice", at, f"call {id!r} is answered twice")
            elif id not in calls and not known:
                yield Fault("pairs.orphan", at, f"no call {id!r} stands before")
            answered.add(id)
            waiting.pop(id, None)
        elif kind == "user_input":
            for id, place in waiting.items():
                yield Fault("pairs.unanswered", place, f"call {id!r} is not answered")
            waiting = {}
    if answered:
        for id, place in waiting.items():
            if any(other > place for other in _results(body)):
                yield Fault("pairs.unanswered", place, f"call {id!r} is not answered")


def _results(body: Json) -> list[Path]:
    steps = objects(mapping(body).get("input"))
    return [("input", i) for i, step in steps if step.get("type") == "function_result"]


def rules(body: Json, *, whole: bool, path: str | None = None) -> Iterator[Fault]:
    given = mapping(body)
    steps = given.get("input")
    if not steps and not continues(given):
        yield Fault("gemini_interactions.no_input", ("input",), "at least one step is needed")
    listed = list(objects(steps))
    first = listed[0][1].get("type") if listed else None
    if first in ("model_output", "thought", "function_call") and not continues(given):
        yield Fault("gemini_interactions.first", ("input", listed[0][0]), "the user says nothing")
    for index, step in listed:
        yield from step_faults(step, ("input", index))
    if whole:
        yield from request_faults(given, path)


def step_faults(step: dict[str, Json], at: Path) -> Iterator[Fault]:
    kind = step.get("type")
    if kind == "thought" and not step.get("signature"):
        yield Fault("gemini_interactions.unsigned", at, "a thought goes back with its signature")
    elif kind == "function_call":
        yield from name_faults(step.get("name"), TOOL_NAME, (*at, "name"))
    key = "result" if kind == "function_result" else "content"
    if kind in STANDS and not step.get("content"):
        yield Fault("gemini_interactions.empty", at, "a step without a content")
    for index, content in objects(step.get(key)):
        yield from content_faults(content, (*at, key, index))


def content_faults(content: dict[str, Json], at: Path) -> Iterator[Fault]:
    kind, data = content.get("type"), content.get("data")
    if kind == "text" and not str(content.get("text")).strip():
        yield Fault("gemini_interactions.blank", (*at, "text"), "a blank text")
    elif kind in MEDIA and ("uri" in content) == ("data" in content):
        yield Fault("gemini_interactions.source", at, "either data or a uri")
    elif kind in MEDIA and "data" in content:
        if wrong := base64_fault(data):
            yield Fault("gemini_interactions.data", (*at, "data"), wrong)
        if not content.get("mime_type"):
            yield Fault("gemini_interactions.mime", (*at, "mime_type"), "bytes need their type")
