"""Whatever is wrong with a request's body, its own wire writes it as it came, or an error of ours.

What stands between the rows of the strict judges is mutated; `../laws/test_unchanged.py` has the
law for bodies that are right.
"""

from __future__ import annotations

import copy
import json
import re
from random import Random
from typing import Any

import pytest

import dragoman
from dragoman import DragomanError
from tests.contract.judges.cases import changed
from tests.contract.test_strict import TABLES
from tests.fuzz.mutate import mutated

COUNT = 400
SEED = 23
LARGEST = 20_000  # characters of a body that is looked at
# half a pair has no UTF-8 form, so it is healed
HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def bodies(wire: str) -> list[Any]:
    """The bodies of a wire, each a request of its own."""
    table = TABLES[wire]
    return [*(changed(table.BASE, row.bad) for row in table.CASES), *MORE.get(wire, ())]


MORE: dict[str, list[Any]] = {
    "cohere": [{"model": "command-a", "messages": [{"role": "user", "content": "Hi"}],
                "documents": ["a", {"id": "b", "data": {"text": "c"}}]}],
}  # fmt: skip


def text_of(body: Any) -> str:
    """The JSON of a body; empty where it is too deep, too long, or not to be compared."""
    try:
        text = json.dumps(body, sort_keys=True)
    except (RecursionError, ValueError):
        return ""
    return "" if len(text) > LARGEST or HALF.search(text) else text


@pytest.mark.parametrize("wire", TABLES)
def test_a_body_comes_back_from_its_own_wire(wire: str) -> None:
    rng, target = Random(SEED), dragoman.wire(wire, policy="ignore")
    donors = bodies(wire)
    read = 0
    for _ in range(COUNT):
        body = mutated(rng.choice(donors), rng, donors)
        before = text_of(body)
        if not before or not isinstance(body, dict):
            continue
        try:
            out = target.write_request(target.read_request(copy.deepcopy(body)))
        except DragomanError:
            continue
        read += 1
        assert text_of(out.body) == before
    assert read > COUNT / 2
