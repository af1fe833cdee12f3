"""Gemini's Interactions: steps, whose calls and results find each other by id, and contents.

What an earlier interaction holds is not seen, so that a result may answer there.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..judges.fault import Json, Path, brief, label, mapping, members, objects
from .named import Named, Names
from .rule import Asked, Book, Broken

__all__ = ["BOOK", "faults"]

BOOK = Book("gemini-interactions")
DOCS = "Gemini API docs: Interactions API"
SDK = "google-genai 3.4: types of Interactions"
CALLING = "Gemini API docs: Function calling"
NAMES = Names.of(BOOK, r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}", CALLING, SDK)
NO_INPUT = BOOK.rule("no_input", "there is an input", DOCS)
STEP = BOOK.rule("step", "a step is of a known type", SDK)
FIRST = BOOK.rule("first", "the user speaks before the model does", CALLING)
ANSWERED = BOOK.rule("answered", "a call has its result before the user speaks on", CALLING)
ORPHAN = BOOK.rule("orphan", "a result stands behind its call", CALLING)
TWICE = BOOK.rule("twice", "a call has one result", CALLING)
UNIQUE = BOOK.rule("repeated_id", "an id names one call", SDK)
ID = BOOK.rule("call_id", "calls and results have an id", SDK)
ARGUMENTS = BOOK.rule("arguments", "arguments are an object", SDK)
SEAT = BOOK.rule("seat", "a step holds contents of a known type", SDK)
EMPTY = BOOK.rule("empty", "a step says something", "Unable to submit request because it must "
                  "have a text parameter.")  # fmt: skip
CONTENTS = {"text", "image", "audio", "document", "video"}
SPOKEN = ("user_input", "model_output")
STEPS = {*SPOKEN, "thought", "function_call", "function_result"}
SERVED = ("_call", "_result")


def faults(body: dict[str, Json], asked: Asked) -> Iterator[Broken]:
    """All that the provider would refuse of steps and pairs."""
    steps = list(objects(body.get("input")))
    if steps and all(label(step.get("type")) in CONTENTS for _, step in steps):
        steps = [(0, {"type": "user_input", "content": body["input"]})]  # one turn of the user's
    kept = any(body.get(key) for key in ("previous_interaction_id", "continuation_token"))
    if not steps and not isinstance(body.get("input"), str) and not kept:
        yield NO_INPUT.at(("input",))
    if steps and not kept and steps[0][1].get("type") in ("model_output", "function_call"):
        yield FIRST.at(("input", steps[0][0]))
    for index, step in steps:
        yield from _step_faults(step, ("input", index))
    yield from _pair_faults(steps, kept, asked.open_end)
    yield from _tool_faults(body)


def _step_faults(step: dict[str, Json], at: Path) -> Iterator[Broken]:
    kind = label(step.get("type"))
    if kind not in STEPS and not kind.endswith(SERVED):
        yield STEP.at((*at, "type"), brief(step.get("type")))
    if kind == "function_call":
        yield from NAMES.spelled([(step.get("name"), (*at, "name"))])
        if not isinstance(step.get("arguments"), dict):
            yield ARGUMENTS.at((*at, "arguments"), brief(step.get("arguments")))
    if kind not in SPOKEN:
        return
    contents = list(objects(step.get("content")))
    blank = all(c.get("type") == "text" and not str(c.get("text")).strip() for _, c in contents)
    if blank:
        yield EMPTY.at((*at, "content"))
    for index, content in contents:
        if label(content.get("type")) not in CONTENTS:
            yield SEAT.at((*at, "content", index), brief(content.get("type")))


def _pair_faults(
    steps: list[tuple[int, dict[str, Json]]], kept: bool, open_end: bool
) -> Iterator[Broken]:
    waiting: dict[str, Path] = {}
    known: set[str] = set()
    done: set[str] = set()
    for index, step in steps:
        kind, at = step.get("type"), ("input", index)
        if kind not in ("function_call", "function_result"):
            if kind == "user_input":
                yield from _left(waiting)
                waiting = {}
            continue
        key = "id" if kind == "function_call" else "call_id"
        id = label(step.get(key))
        if not isinstance(step.get(key), str) or not step[key]:
            yield ID.at((*at, key), brief(step.get(key)))
        if kind == "function_call":
            if id in known:
                yield UNIQUE.at((*at, "id"), brief(id))
            known.add(id)
            waiting[id] = at
        elif id in done:
            yield TWICE.at(at, brief(id))
        elif id not in known and not kept:
            yield ORPHAN.at(at, brief(id))
        if kind == "function_result":
            done.add(id)
            waiting.pop(id, None)
    ended = steps and steps[-1][1].get("type") == "function_result"
    if not open_end or ended:
        yield from _left(waiting)


def _left(waiting: dict[str, Path]) -> Iterator[Broken]:
    for id, place in waiting.items():
        yield ANSWERED.at(place, brief(id))


def _tool_faults(body: dict[str, Json]) -> Iterator[Broken]:
    listed = list(objects(body.get("tools")))
    tools: list[Named] = [(tool.get("name"), ("tools", index, "name"))
                          for index, tool in listed if tool.get("type") == "function"]  # fmt: skip
    yield from NAMES.offered(tools)
    choice = mapping(body.get("generation_config")).get("tool_choice")
    if choice is None:
        return
    at: Path = ("generation_config", "tool_choice")
    allowed = mapping(mapping(choice).get("allowed_tools"))
    place = (*at, "allowed_tools", "tools")
    names = enumerate(members(allowed.get("tools")))
    chosen: list[Named] = [(name, (*place, index)) for index, name in names]
    yield from NAMES.chosen(tools, len(tools) < len(listed), chosen, at)
