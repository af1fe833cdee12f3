"""What the tables of installed packages say of windows, read where they are and nowhere else."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dragoman
from dragoman.caches import CACHES
from dragoman.capabilities.limit_tables import find_entries

_TABLE = {
    "together_ai/acme-1": {"litellm_provider": "together_ai", "max_input_tokens": 70_000,
                           "max_output_tokens": 7000},
    "acme-2": {"litellm_provider": "openai", "max_input_tokens": 80_000},
    "acme-3": {"litellm_provider": "somebody", "max_input_tokens": "many"},
}  # fmt: skip


@pytest.fixture
def litellm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of that name which must not be imported, with a table beside it."""
    home = tmp_path / "litellm"
    home.mkdir()
    (home / "__init__.py").write_text("raise AssertionError('nobody asked for it')")
    path = home / "model_prices_and_context_window_backup.json"
    path.write_text(json.dumps(_TABLE))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    importlib.invalidate_caches()
    _forget()
    yield
    _forget()


def _forget() -> None:
    for name, cache in CACHES.items():
        if name.startswith(find_entries.__module__):
            cache.clear()


def test_windows_come_from_the_package_of_prices() -> None:
    pytest.importorskip("genai_prices")
    limits = dragoman.wire("openrouter").limits("qwen/qwen3-max")
    assert limits.context_window is not None
    assert (limits.max_output, limits.source) == (None, "genai-prices")


@pytest.mark.usefixtures("litellm")
def test_litellms_table_is_read_without_its_package() -> None:
    limits = dragoman.wire("together").limits("acme-1")
    assert limits == (70_000, 7000, "litellm's table")
    assert dragoman.wire("openai").limits("acme-2")[:2] == (80_000, None)
    assert "litellm" not in sys.modules


@pytest.mark.usefixtures("litellm")
def test_a_row_of_another_vendor_and_figures_that_are_none_say_nothing() -> None:
    assert dragoman.wire("groq").limits("acme-2") == (None, None, "")
    assert dragoman.wire("openai").limits("acme-3") == (None, None, "")


def test_nothing_is_looked_up_where_the_facts_know_both(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("looked up")

    monkeypatch.setattr("dragoman.codec.model_facts.find_entries", refuse)
    assert dragoman.limits("claude-opus-5-5")[:2] == (1_000_000, 128_000)
