"""The strict validators over recorded traffic: what was taken passes, what was refused does not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.reading.recorded import another, file_of
from tests.contract.strict import WIRES, book, validate
from tests.contract.strict.recorded import REFUSED, TAKEN, UNMENDED

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "open"
NAMES = {"openai": "", "anthropic": "", "google": "", "zai": "zhipu"}
FEW = {"gemini-interactions": 16}  # requests that were taken
COHERE_V1 = "message"  # another wire, in the same file

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs ../shared: recorded traffic")


def _recorded(wire: str) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Each exchange with a request, and the rules that its request breaks."""
    with file_of(wire).open(encoding="utf-8") as lines:
        for exchange in map(json.loads, lines):
            body = exchange["request"]
            if wire in FEW and another(wire, exchange["url_path"]):
                continue
            if not isinstance(body, dict) or (wire == "cohere" and COHERE_V1 in body):
                continue
            model = body.get("model") or exchange["model"]
            host = NAMES.get(exchange["vendor"], exchange["vendor"])
            found = validate(wire, body, model=model, host=host)
            yield exchange, sorted({fault.rule.name.partition(".")[2] for fault in found})


@pytest.mark.parametrize("wire", WIRES)
def test_what_was_taken_passes_but_for_a_listed_few(wire: str) -> None:
    broken: Counter[str] = Counter()
    count = 0
    for exchange, rules in _recorded(wire):
        if not 200 <= (exchange["status"] or 0) < 300:
            continue
        count += 1
        rewritten = exchange["provenance"] == "recorded-ids-rewritten"
        broken.update(r for r in rules if not (rewritten and (wire, r) in UNMENDED))
    assert dict(broken) == {rule: n for (on, rule), (n, _) in TAKEN.items() if on == wire}
    assert count >= FEW.get(wire, 40)


def test_what_was_refused_is_refused_for_its_reason() -> None:
    found: Counter[str] = Counter()
    for wire in sorted({wire for wire, _ in REFUSED.values()}):
        for exchange, rules in _recorded(wire):
            words = json.dumps(exchange["response"], ensure_ascii=False)
            for part, (on, rule) in REFUSED.items():
                if exchange["status"] == 400 and on == wire and part in words:
                    found[part] += 1
                    assert rule in rules, f"{exchange['id']}: {rules}"
    assert set(found) == set(REFUSED)
    assert sum(found.values()) >= 15


def test_every_exception_is_of_a_rule_and_says_why() -> None:
    for wire, rule in [*TAKEN, *REFUSED.values(), *UNMENDED]:
        assert f"{wire}.{rule}" in book(wire)
    assert all(count > 0 and len(reason) > 20 for count, reason in TAKEN.values())
