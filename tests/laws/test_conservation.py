"""Law 2: nothing is lost in silence, from any wire to any other, and by the answers' clients.

Bodies are what a wire composes of histories that are broken in every way. Each leaf stands in what
another wire makes of it, or under the path of a loss; the judge shares no code with the rooms.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest
from dragoman.errors import WriteError
from dragoman.message import Written
from tests.contract.converting.conserved import facts, silent
from tests.contract.converting.conserved.tables import TABLES

from .each import for_each
from .test_converted import PAIRS, WIRES, requests, written

SOME = PAIRS[::5]
SINGLE = frozenset(
    {"tool_name", "tool_description"}
)  # what nothing else in a body may stand in for


def converted(source: str, target: str, body: Any, path: str) -> Written | None:
    """The request as the target's default model takes it; None for what it refuses."""
    model = WIRES[target].room.model
    try:
        return dragoman.convert(body, source, target, model=model, path=path, policy="ignore")
    except WriteError:
        return None


def lost(
    source: str, target: str, body: Any, out: Written, without: int | None = None
) -> list[str]:
    """What is silently lost; the model is another one on purpose."""
    losses = [(loss.kind, loss.where) for nth, loss in enumerate(out.losses) if nth != without]
    found = silent(
        source, body, target, out.body, losses, out.ids, out.names, out.path, out.headers
    )
    return [one for one in found if not one.startswith(("$.model:", "$.modelId:"))]


@settings(max_examples=10)
@given(requests())
@for_each(("source", "target"), PAIRS)
def test_nothing_is_lost_in_silence(source: str, target: str, req: ChatRequest) -> None:
    made = written(source, req)
    if made is None:
        return
    body, path = made
    out = converted(source, target, body, path)
    if out is not None:
        assert lost(source, target, body, out) == []


@pytest.mark.parametrize(("source", "target"), SOME, ids=map(" to ".join, SOME))
@settings(max_examples=10)
@given(requests(), st.data())
def test_a_leaf_that_is_taken_out_is_missed(
    source: str, target: str, req: ChatRequest, data: st.DataObject
) -> None:
    """The check itself, where nothing was lost and both sides say the thing once."""
    made = written(source, req)
    out = converted(source, target, *made) if made is not None else None
    if made is None or out is None:
        return
    said = [(f.kind, f.value) for f in facts(TABLES[source], made[0]) if f.kind in SINGLE]
    there = [fact for fact in facts(TABLES[target], out.body) if fact.kind in SINGLE]
    keys = [(fact.kind, fact.value) for fact in there]
    once = [
        f for f, key in zip(there, keys, strict=True) if said.count(key) == keys.count(key) == 1
    ]
    if once and not lost(source, target, made[0], out):
        out.body = copy.deepcopy(out.body)
        _remove(out.body, data.draw(st.sampled_from(once)).path)
        assert lost(source, target, made[0], out)


def _remove(body: Any, path: str) -> None:
    """Delete what stands at a path of plain keys and indices."""
    steps = path.removeprefix("$.").replace("[", ".[").split(".")
    at = body
    for step in steps[:-1]:
        at = at[int(step[1:-1])] if step.startswith("[") else at[step]
    del at[steps[-1]]
