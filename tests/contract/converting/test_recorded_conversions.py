"""A sample of recorded traffic, converted and judged; `make corpus` takes all of it."""

from __future__ import annotations

import pytest

from tests.contract.reading.recorded import PRESENT

from .again import again
from .answers import answers
from .clients import CLIENTS
from .recorded import SOURCES
from .requests import REFUSABLE, requests
from .returned import returned

pytestmark = pytest.mark.skipif(not PRESENT, reason="needs ../shared: recorded traffic")
FEW = {"dashscope": 2, "ollama": 2, "bedrock-converse": 8, "mistral": 8, "cohere": 3,
       "gemini-interactions": 1}  # fmt: skip
# of which little was recorded, and no answer that was sent back
SCARCE = {"gemini-interactions": 16}


@pytest.mark.parametrize("wire", SOURCES)
def test_what_was_read_is_written_as_it_came(wire: str) -> None:
    found = again(wire, FEW.get(wire, 15))
    assert found.requests >= SCARCE.get(wire, 20)
    assert found.answers >= 5
    assert found.faults == []


@pytest.mark.parametrize("source", SOURCES)
def test_requests_of_other_wires_are_valid_and_lose_nothing_in_silence(source: str) -> None:
    for target, found in requests(source, list(SOURCES), FEW.get(source, 30)).items():
        assert found.raised == [], target
        assert found.invalid == [], target
        assert found.silent == [], target
        assert found.refused.keys() <= REFUSABLE, target


@pytest.mark.parametrize("source", CLIENTS)
def test_official_clients_of_other_wires_hear_the_same_answer(source: str) -> None:
    for target, found in answers(source, 30).items():
        assert found.whole >= 15
        assert found.streams >= 5
        assert found.faults == [], target


@pytest.mark.parametrize("wire", SOURCES)
def test_an_answer_that_was_read_is_sent_back_as_it_came(wire: str) -> None:
    found = returned(wire)
    assert found.count >= (0 if wire in SCARCE else 4)
    assert found.own == []
    assert found.respelled <= 0.05 * found.count
    assert found.other == []


def test_few_codes_refuse() -> None:
    assert len(REFUSABLE) <= 8
