"""What hosts of Responses that keep nothing refuse alike. Knows no vendor."""

from __future__ import annotations

from collections.abc import Iterator

from ..fault import Fault, Json, mapping, objects

STATES = ("previous_response_id", "conversation")


def state_faults(rule: str, body: Json) -> Iterator[Fault]:
    given = mapping(body)
    for key in STATES:
        if given.get(key) is not None:
            yield Fault(rule, (key,), "nothing is kept here")
    if given.get("store") is True:
        yield Fault(rule, ("store",), "nothing is kept here")
    for index, item in objects(given.get("input")):
        if item.get("type") == "item_reference":
            yield Fault(rule, ("input", index), "nothing is kept here")
