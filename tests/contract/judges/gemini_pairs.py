"""Function calls and responses on the Gemini wire.

The content right after a turn of calls is one user content with one response for each call,
in the order of the calls; ids stand on both sides and are equal, or on neither.
"""

from __future__ import annotations

from collections.abc import Iterator

from .fault import Fault, Json, Path, label, mapping, objects
from .gemini_keys import either

Said = tuple[str, Json]  # name, id


def _said(content: dict[str, Json], key: str) -> list[Said]:
    found = (either(part, key) for _, part in objects(content.get("parts")))
    return [(label(mapping(x).get("name")), mapping(x).get("id")) for x in found if x is not None]


def pair_faults(contents: Json, at: Path) -> Iterator[Fault]:
    turns = list(objects(contents))
    open_calls: list[Said] = []
    for position, (index, content) in enumerate(turns):
        place = (*at, index)
        answers = _said(content, "functionResponse")
        if answers and not open_calls:
            yield Fault("pairs.orphan", place, "responses without a turn of calls right before")
        elif open_calls and not answers:
            before = (*at, turns[position - 1][0])
            yield Fault("pairs.unanswered", before, "the next content does not answer the calls")
        elif len(open_calls) != len(answers):
            said = f"{len(answers)} responses to {len(open_calls)} calls"
            yield Fault("pairs.count", place, said)
        else:
            yield from _match_faults(open_calls, answers, place)
        open_calls = _said(content, "functionCall")
        ids = [label(call_id) for _, call_id in open_calls if call_id is not None]
        if len(set(ids)) != len(ids):
            yield Fault("pairs.repeated_id", place, "an id names two calls of one turn")


def _match_faults(calls: list[Said], answers: list[Said], at: Path) -> Iterator[Fault]:
    if calls != answers and sorted(map(label, calls)) == sorted(map(label, answers)):
        yield Fault("pairs.order", at, "responses stand in another order than their calls")
        return
    for (name, call_id), (answer_name, answer_id) in zip(calls, answers, strict=True):
        if name != answer_name:
            yield Fault("pairs.name", at, f"call {name!r} is answered as {answer_name!r}")
        if call_id != answer_id:
            yield Fault("pairs.id", at, f"call id {call_id!r} is answered as {answer_id!r}")
