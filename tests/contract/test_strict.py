"""The strict validators: what hard cases say is refused is refused, by rule and place.

What was taken, as recorded, passes but for a few, each with its reason.
"""

from __future__ import annotations

import ast
import copy
import importlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.contract import strict
from tests.contract.judges.cases import changed
from tests.contract.judges.fault import spell
from tests.contract.strict import WIRES, book, validate
from tests.contract.strict.cases import Case
from tests.each_case import each_case

FOLDER = Path(strict.__file__).parent
TABLES: dict[str, Any] = {
    wire: importlib.import_module(f"tests.contract.strict.cases.{name}")
    for wire, name in WIRES.items()
}
ROWS: list[tuple[str, Case]] = [(wire, row) for wire, t in TABLES.items() for row in t.CASES]
# the cases of pairs, roles, ids, names and seats that speak of a request that is refused
HARD = re.findall(
    r"\w+",
    """1 2 3 4 5 6 7 8 9 10 11 12 13a 13b 13c 13e 13f 13g 13h 14 16 18 20 21 22 23 25 33 34 35a
36 37 40 43 44 45 46 47 50 51 52a 52b 55 56 57 58 60 61 62 63 64 65a 65b 65c 65d 66 67 68 69 70 71
72 73 91""",
)
JUNK: tuple[Any, ...] = (None, 7, "x", [], {}, [7, {}], {"type": []}, [[]])


def told(wire: str, body: Any, row: Case) -> list[strict.Broken]:
    return validate(wire, body, model=row.model, host=row.host)


@each_case(("wire", "row"), ROWS, ids=str)
def test_a_refused_body_breaks_its_rule_at_its_place(wire: str, row: Case) -> None:
    body = changed(TABLES[wire].BASE, row.bad)
    before = copy.deepcopy(body)
    found = told(wire, body, row)
    assert {fault.rule.name for fault in found} == {f"{wire}.{r}" for r in row.rule.split()}
    first = f"{wire}.{row.rule.split()[0]}"
    assert row.at in [spell(fault.path) for fault in found if fault.rule.name == first]
    assert all(fault.source and str(fault) for fault in found)
    assert body == before, "a validator changed what it judged"


@each_case(("wire", "row"), ROWS, ids=str)
def test_its_neighbour_is_accepted(wire: str, row: Case) -> None:
    good = changed(TABLES[wire].BASE, row.good)
    assert [str(fault) for fault in told(wire, good, row)] == []
    assert good != changed(TABLES[wire].BASE, row.bad)


@pytest.mark.parametrize("wire", WIRES)
def test_every_rule_has_a_case_and_a_source(wire: str) -> None:
    rules = book(wire)
    tried = {f"{wire}.{rule}" for row in TABLES[wire].CASES for rule in row.rule.split()}
    assert tried == set(rules)
    assert all(len(rule.demand) > 10 and len(rule.source) > 5 for rule in rules.values())


def test_every_hard_case_is_there() -> None:
    tried = {number for _, row in ROWS for number in row.hard.split()}
    assert set(HARD) - tried == set()


@pytest.mark.parametrize("wire", WIRES)
def test_calls_at_the_very_end_may_wait(wire: str) -> None:
    waiting = changed(TABLES[wire].BASE, TABLES[wire].WAITING)
    model = TABLES[wire].BASE.get("model")
    assert validate(wire, waiting, model=model, open_end=True) == []
    assert validate(wire, waiting, model=model) != []


@pytest.mark.parametrize("wire", WIRES)
def test_no_shape_of_json_makes_a_validator_fall_over(wire: str) -> None:
    base = TABLES[wire].BASE
    assert validate(wire, {}) != []
    for place in places(base, ""):
        for junk in JUNK:
            for fault in validate(wire, changed(base, {place: junk})):
                assert str(fault)


def places(value: Any, at: str) -> list[str]:
    """Where a value can be replaced, as `changed` spells places."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in inner:
        place = f"{at}[{key}]" if isinstance(key, int) else f"{at}.{key}".lstrip(".")
        found.append(place)
        if isinstance(item, (dict, list)):
            found += places(item, place)
    return found


def test_nothing_of_the_package_under_test_is_used() -> None:
    """Nor of the judges, but how they look into JSON."""
    seen: Counter[str] = Counter()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                seen[f"{'.' * node.level}{node.module or ''}"] += 1
            elif isinstance(node, ast.Import):
                seen.update(alias.name for alias in node.names)
    assert not [name for name in seen if re.search("dragoman|tests", name)]
    assert {name for name in seen if name.startswith("..")} == {"..judges.fault"}
