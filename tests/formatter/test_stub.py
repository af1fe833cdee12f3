"""The type stub says what the registry says."""

from __future__ import annotations

import inspect

import dragoman.formatter
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.formatter.wire_formatter import WireFormatter

from .stub import _KEYWORDS, STUB, stub


def test_the_stub_is_up_to_date() -> None:
    assert STUB.read_text("utf-8") == stub(), "run: python -m tests.formatter.stub --write"


def test_the_stub_knows_every_keyword() -> None:
    keywords = set(inspect.signature(WireFormatter.__init__).parameters) - {
        "self", "wire", "token_counter", "max_tokens", "unknown",
    }  # fmt: skip
    assert {name for name in keywords if f" {name}: " not in _KEYWORDS} == set()


def test_every_name_of_the_registry_resolves() -> None:
    for name in FORMATTERS:
        assert issubclass(getattr(dragoman.formatter, name), WireFormatter)
    assert dragoman.formatter.OpenAIFormatter is dragoman.formatter.OpenAIChatFormatter
