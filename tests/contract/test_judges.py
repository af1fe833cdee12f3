"""The judges themselves, whose word the contract tests take.

Every rule refuses a body and accepts its near-identical neighbour, every exemption is needed,
no shape of JSON makes a judge fall over. (Recorded traffic: test_recorded.py.)
"""

from __future__ import annotations

import ast
import copy
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract import judges
from tests.contract.judges import (
    EXEMPTIONS,
    WIRES,
    examine,
    judge_messages,
    judge_of,
    judge_request,
)
from tests.contract.judges.cases import (
    Row,
    anthropic,
    bedrock,
    bedrock_request,
    changed,
    chat_hosts,
    cohere,
    compatible,
    dashscope,
    exempt,
    exempt_own,
    gemini,
    gemini_interactions,
    hosts,
    mistral,
    ollama,
    openai_chat,
    responses,
    responses_hosts,
    rich,
    second,
    vendors,
    vendors_cn,
    vendors_us,
)
from tests.contract.judges.cases.exempt import Pardon
from tests.contract.judges.fault import look
from tests.each_case import each_case

ROOT = Path(__file__).parents[2]
FOLDER = Path(judges.__file__).parent
TABLES = (
    openai_chat, responses, anthropic, gemini, dashscope, ollama, bedrock, bedrock_request, mistral,
    cohere, gemini_interactions, vendors, vendors_cn, compatible, vendors_us, hosts,
    responses_hosts, second, chat_hosts,
)  # fmt: skip
ROWS: list[Row] = [row for table in TABLES for row in table.ROWS]
PARDONS: list[Pardon] = [*exempt.PARDONS, *exempt_own.PARDONS, *chat_hosts.PARDONS]
LIST_AT = {
    "gemini": ("contents",),
    "dashscope": ("input", "messages"),
    "openai-responses": ("input",),
    "gemini-interactions": ("input",),
}
HEADS = {path.stem for path in FOLDER.glob("**/*.py")} | {
    "json", "types", "pairs", "calls", "chat", "tools", "responses", "compatible", "hosted",
    "developer",
}  # fmt: skip
RULE = re.compile(rf"({'|'.join(sorted(HEADS))})\.[a-z0-9][a-z0-9_]+")
JUNK: tuple[Any, ...] = (None, 7, [], [7, {}], {"type": []})


def list_at(wire: str) -> tuple[str, ...]:
    return LIST_AT.get(wire.rpartition("/")[2], ("messages",))


def listed(wire: str, body: Any) -> Any:
    return look(body, list_at(wire))


@each_case("row", ROWS, ids=str)
def test_the_bad_body_breaks_its_rules_and_no_other(row: Row) -> None:
    bad = changed(row.base, row.bad)
    before = copy.deepcopy(bad)
    faults = examine(row.wire, bad, "request", row.path).faults
    assert {fault.rule for fault in faults} == set(row.rule.split())
    assert judge_request(row.wire, bad, row.path) == [str(fault) for fault in faults]
    for fault in faults:
        where = fault.path[:-1] if look(bad, fault.path) is None else fault.path
        assert where == () or look(bad, where) is not None, f"no such place: {fault}"
    assert repr(bad) == repr(before), "a judge changed what it judged"


@each_case("row", ROWS, ids=str)
def test_its_near_neighbour_is_accepted(row: Row) -> None:
    good = changed(row.base, row.good)
    assert good != changed(row.base, row.bad) or row.good_path
    assert judge_request(row.wire, good, row.good_path or row.path) == []


@each_case("row", [row for row in ROWS if not row.whole], ids=str)
def test_faults_of_messages_are_found_in_the_list_alone(row: Row) -> None:
    bad, good = changed(row.base, row.bad), changed(row.base, row.good)
    at = list_at(row.wire)
    faults = examine(row.wire, bad, "request", row.path).faults
    inside = {str(fault) for fault in faults if fault.path[: len(at)] == at}
    assert set(judge_messages(row.wire, listed(row.wire, bad))) >= inside
    assert judge_messages(row.wire, listed(row.wire, good)) == []


def test_every_rule_in_the_sources_has_a_row() -> None:
    written = {rule for path in _sources() for rule in _rules_of(path)}
    tried = {rule for row in ROWS for rule in row.rule.split()} | {"json.deep", "json.body"}
    assert written == tried


def test_every_rule_has_two_rows_or_more() -> None:
    tried = Counter(rule for row in ROWS for rule in set(row.rule.split()))
    assert {rule for rule, count in tried.items() if count < 2} == set()


def _sources() -> Iterator[Path]:
    """The judges, without the cases and the exemptions, which name rules as well."""
    yield from FOLDER.glob("*.py")
    yield from (FOLDER / "vendors").glob("*.py")


def _rules_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and RULE.fullmatch(text) and text not in WIRES.values():
            yield text


def test_every_judge_has_rows_and_its_protocol_has_a_judge() -> None:
    assert {row.wire for row in ROWS} == set(WIRES) == set(rich.WHOLE)
    assert {wire.rpartition("/")[2] for wire in WIRES} <= set(WIRES)
    assert judge_of("deepseek", "anthropic") == "deepseek/anthropic"
    assert judge_of("watsonx", "openai-chat") == judge_of("", "openai-chat") == "openai-chat"


@each_case("wire", WIRES)
def test_a_list_that_holds_itself_and_a_body_that_is_no_object_are_refused(wire: str) -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert [f.rule for f in examine(wire, {"model": endless}, "request").faults] == ["json.deep"]
    assert [f.rule for f in examine(wire, ["model"], "request").faults] == ["json.body"]
    assert judge_request(wire, {}) != []
    assert judge_messages(wire, []) != []


@each_case("pardon", PARDONS, ids=str)
def test_an_exemption_is_needed_and_no_wider_than_it_says(pardon: Pardon) -> None:
    wire, scope = pardon.wire, pardon.scope
    verdict = examine(wire, pardon.body, scope)
    assert verdict.faults == []
    assert pardon.name in {row.name for _, row in verdict.pardoned}
    assert examine(wire, pardon.body, scope, without=[pardon.name]).faults != []
    assert examine(wire, pardon.beyond, pardon.beyond_scope or scope).faults != []


def test_every_exemption_has_a_case_a_reason_and_a_source() -> None:
    tried = {(pardon.name, pardon.wire) for pardon in PARDONS}
    assert {(row.name, wire) for row in EXEMPTIONS for wire in row.wires} == tried
    assert all(len(row.reason) > 20 and row.source for row in EXEMPTIONS)
    assert len({row.name for row in EXEMPTIONS}) == len(EXEMPTIONS)


def _one_of_each_base() -> list[str]:
    """Hosts of one judge that also say the same differ in what is pardoned: one of them is enough.

    What is pardoned has cases of its own.
    """
    first: dict[str, str] = {}
    for wire, judge in WIRES.items():
        base, path = rich.WHOLE[wire]
        first.setdefault(json.dumps([judge, base, path], sort_keys=True), wire)
    return [*first.values()]


BASES = _one_of_each_base()


@pytest.mark.parametrize("wire", BASES)
def test_no_shape_of_json_makes_a_judge_fall_over(wire: str) -> None:
    """The SDK's types, which many hosts share and which take longest, at one value in each place.

    At all of them for the first wire alone; its pairs and rules are asked about every value.
    """
    base, path = rich.WHOLE[wire]
    assert judge_request(wire, base, path) == []
    judge = judges._judge(wire)
    before = BASES[: BASES.index(wire)]
    is_first = all(judges._judge(other).types is not judge.types for other in before)
    for number, place in enumerate(_places(base, "")):
        for at, junk in enumerate(JUNK):
            body = changed(base, {place: junk})
            if is_first or number % len(JUNK) == at:
                faults = examine(wire, body, "request", path).faults
            else:
                faults = [*judge.pairs(body), *judge.rules(body, whole=True, path=path)]
            assert all(map(str, faults))


def _places(value: Any, at: str) -> Iterator[str]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        place = f"{at}[{key}]" if isinstance(key, int) else f"{at}.{key}".lstrip(".")
        yield place
        if isinstance(item, (dict, list)):
            yield from _places(item, place)


def test_judges_are_independent_and_cheap_to_import() -> None:
    code = "import sys, tests.contract.judges as j; [j._judge(w) for w in j.WIRES]; "
    code += "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    heavy = {"openai", "anthropic", "google", "ollama", "pydantic", "jsonschema", "dragoman"}
    heavy |= {"botocore", "boto3", "mistralai"}
    assert not heavy & set(done.stdout.split())
    for path in FOLDER.rglob("*.py"):
        assert not re.search(r"^\s*(from|import) dragoman", path.read_text("utf-8"), re.MULTILINE)
