"""Tables of bodies for the judges, one file a wire, one or more rows a rule.

A row has a body that must be refused and a near-identical one that must be accepted. Both are
the same base with a few places changed, so a row shows what makes the difference.
"""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

GONE: Any = object()  # as a new value: the key or item is taken out
STEP = re.compile(r"\[(-?\d+)\]|\.?([^.\[\]]+)")
Changes = Mapping[str, Any]

PNG = "iVBORw0KGgo="
JPEG = "/9j/4AAQ"
PDF = "JVBERi0xLjQK"
WAV = "UklGRg=="
NO_ARGUMENTS = {"type": "object", "properties": {}}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@dataclass(frozen=True)
class Row:
    """`rule`: all the rules, space-separated, that the bad body breaks, and no other."""

    wire: str
    rule: str
    base: Mapping[str, Any]
    bad: Changes
    good: Changes = field(default_factory=dict)
    path: str | None = None
    good_path: str | None = None
    whole: bool = False  # the rule asks the whole request, so the messages alone pass

    def __str__(self) -> str:
        places = ",".join(self.bad) or str(self.path)
        return f"{self.wire}-{self.rule}-{places}"[:100]


# a constant base and its bytes, which make a copy in a sixth of the time of deepcopy
_PICKLED: dict[int, tuple[Mapping[str, Any], bytes]] = {}


def changed(base: Mapping[str, Any], changes: Changes) -> Any:
    """A copy of the base with the places of `changes` set, or taken out where GONE."""
    if id(base) not in _PICKLED:
        _PICKLED[id(base)] = base, pickle.dumps(dict(base))
    body: Any = pickle.loads(_PICKLED[id(base)][1])
    for place, value in changes.items():
        steps = [int(index) if index else name for index, name in STEP.findall(place)]
        inner = body
        for step in steps[:-1]:
            inner = inner[step]
        if value is GONE:
            del inner[steps[-1]]
        else:
            inner[steps[-1]] = copy.deepcopy(value)
    return body
