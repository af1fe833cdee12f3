"""Names that a program could import before 0.1.0 work today, or are listed with a reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from .public_names import GONE, LIST, fault

NAMES = LIST.read_text("utf-8").splitlines()


@pytest.fixture(autouse=True)
def _silent() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def test_every_name_of_an_earlier_tree_works_or_is_listed_as_gone() -> None:
    faults = {name: fault(name) for name in NAMES}
    broken = {
        name: text for name, text in faults.items() if text and name.split("(")[0] not in GONE
    }
    assert {name: text for name, text in broken.items() if name not in GONE} == {}


def test_what_is_listed_as_gone_is_gone() -> None:
    assert [name for name in GONE if name not in NAMES or not fault(name)] == []


@pytest.mark.parametrize(
    "line",
    [
        "dragoman.nothing:",
        "dragoman:nothing",
        "dragoman:Msg.sing",
        "dragoman:convert(nothing=)",
        "dragoman.message:Msg.user(nothing=)",
        "code:nothing.lost",
        "command:dragoman convert --nothing",
    ],
)
def test_a_name_that_is_missing_is_found(line: str) -> None:
    assert fault(line)


def test_names_of_every_kind_are_listed() -> None:
    assert {
        "dragoman.token:CharTokenCounter", "dragoman.study:hashed", "dragoman.message:Msg.trusted",
        "dragoman.formatter:OpenAIChatFormatter(told=)", "dragoman.rewrite.truncate:Made(of=)",
        "dragoman.losses:Report.lost(code=)", "code:name.unsaid",
        "command:dragoman convert --to", "dragoman.batch:converter",
    } <= {*NAMES}  # fmt: skip
