"""Each rule of combination from every side: refused, mended with a loss, and left alone."""

from __future__ import annotations

from typing import Any

from dragoman import wire
from dragoman.analysis import check
from dragoman.message import Written
from tests.each_case import each_case

from ..contract.judges.fault import spell
from ..contract.strict import validate
from .combination import Combination
from .rows import ROWS


def composed(row: Combination, body: Any) -> Written:
    """The body of the row, read and written anew, no part of it as it was read."""
    target = wire(row.host, policy="ignore")
    request = target.read_request(body, row.path)
    request.read = None
    return target.write_request(request)


def judged(row: Combination, body: Any) -> list[str]:
    """What the strict judge refuses: its rule, and where."""
    protocol = wire(row.host).room.protocol
    host = row.host.partition("/")[0]
    host = "" if host in (protocol, "bedrock") else host
    found = validate(protocol, body, model=row.model or body.get("model"), host=host)
    return [f"{fault.rule.name} at $.{spell(fault.path)}" for fault in found]


@each_case("row", ROWS, ids=str)
def test_a_body_that_breaks_it_is_named_with_a_fix(row: Combination) -> None:
    found = check(row.bad, row.host, row.model)
    assert [(r.code, r.where) for r in found] == [(row.code, row.at)]
    assert all(r.rule and r.fix and r.source and r.since for r in found)


@each_case("row", ROWS, ids=str)
def test_a_judge_apart_names_it_too(row: Combination) -> None:
    protocol = wire(row.host).room.protocol
    found = {name.partition(" ")[0] for name in judged(row, row.bad)}
    assert found == ({f"{protocol}.{row.rule}"} if row.rule else set())
    assert judged(row, row.good) == []


@each_case("row", ROWS, ids=str)
def test_what_is_written_does_not_break_it_and_says_what_gave_way(row: Combination) -> None:
    written = composed(row, row.bad)
    assert check(written.body, row.host, row.model) == []
    assert judged(row, written.body) == []
    assert (row.loss or row.code) in {loss.code for loss in written.losses}


@each_case("row", ROWS, ids=str)
def test_its_neighbour_stays_as_it_is(row: Combination) -> None:
    assert check(row.good, row.host, row.model) == []
    written = composed(row, row.good)
    assert written.body == row.good
    assert row.code not in {loss.code for loss in written.losses}


@each_case("row", ROWS, ids=str)
def test_over_the_wire_that_read_it_even_a_bad_body_goes_back_as_it_came(row: Combination) -> None:
    target = wire(row.host, policy="ignore")
    request = target.read_request(row.bad, row.path)
    assert target.write_request(request).body == row.bad
