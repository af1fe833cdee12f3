"""Law: no answer that broke off, or never was, passes for one; what came of it is kept.

Every stream, cut behind its events, emptied, replaced by a page, by other JSON or by an error with
status 200, with an error within or without its end, at every door; and complete where the host's
own end came. Made-up streams always, recorded ones where somebody has them, a few of each wire: all
of them by `python -m tests.laws.endings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from tests.contract.reading.recorded import PRESENT, WIRES
from tests.laws.endings.doors import DOORS
from tests.laws.endings.ended import Event
from tests.laws.endings.faults import cases
from tests.laws.endings.judging import faults_of
from tests.laws.endings.sampling import own, sample

CUTS = 3  # places at which a stream is cut, for each door
OWN = [pytest.param(*one, id=f"{one[0]}-{one[1]}") for one in own()]


def _judge(wire: str, name: str, events: Sequence[Event], doors: Sequence[str]) -> None:
    rng = Random(f"{wire} {name}")
    for door in doors:
        places = sorted(rng.sample(range(len(events)), min(CUTS, len(events))))
        for case in cases(wire, name, events, places):
            outcome = DOORS[door](case)
            if outcome is not None:
                assert faults_of(case, door, outcome) == [], (case.id, door, len(case.events))


@pytest.mark.parametrize(("wire", "name", "events"), OWN)
def test_made_up_streams_at_every_door(wire: str, name: str, events: list[Event]) -> None:
    _judge(wire, name, events, [*DOORS])


@pytest.mark.skipif(not PRESENT, reason="needs the recorded traffic of ../shared")
@pytest.mark.parametrize("wire", WIRES)
def test_recorded_streams(wire: str) -> None:
    doors = [*DOORS]
    for nth, (name, events) in enumerate(sample(wire, 6)):
        _judge(wire, name, events, [doors[nth % len(doors)], doors[(nth + 3) % len(doors)]])
