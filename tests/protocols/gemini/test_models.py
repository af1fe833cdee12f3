"""What is known of models by name: which row holds for which, and which must not."""

from __future__ import annotations

import pytest

from dragoman import wire

ROWS = {
    "level low medium high xhigh": ["gemini-4-neon", "gemini-4-neon-001"],
    "level low medium high": [
        "gemini-4-argon", "gemini-3.8-flash", "gemini-3.7-flash", "gemini-3.1-pro-preview",
        "gemini-flash-latest", "gemini-pro-latest", "models/gemini-4-argon",
    ],
    "level minimal low medium high": [
        "gemini-3-flash-preview", "gemini-3.1-flash-lite", "gemini-3.5-flash",
        "gemini-3.5-flash-lite", "gemini-3.6-flash",
    ],
    "level low high": ["gemini-3-pro-preview", "gemini-3-pro-image-preview"],
    "budget 128 32768": ["gemini-2.5-pro", "gemini-2.5-pro-preview-06-05"],
    "budget 512 24576 off": ["gemini-2.5-flash-lite", "gemini-2.5-flash-lite-preview-09-2025"],
    "budget 0 24576": ["gemini-2.5-flash", "gemini-2.0-flash"],
    "level minimal high": ["gemma-4-31b-it"],
    "": ["gemma-3-27b-it", "gemini-1.5-pro", "learnlm", "gpt-5.6"],
}  # fmt: skip
CASES = [(model, form) for form, models in ROWS.items() for model in models]


@pytest.mark.parametrize(("model", "form"), CASES)
def test_which_row_holds(model: str, form: str) -> None:
    assert wire("gemini").can(model).form == form


@pytest.mark.parametrize(("model", "form"), [case for case in CASES if case[1]])
def test_what_came_with_gemini_3(model: str, form: str) -> None:
    can = wire("gemini").can(model)
    newer = form.startswith("level") and "gemma" not in model
    assert ("image" in can.result) is newer
    assert ("image" in can.details) is newer
    assert "audio" not in can.result
    assert (can.foreign_calls == "bypass") is form.startswith("level")
    assert (can.options.get("n") == "refuses") is newer


def test_sampling_is_ignored_since_the_summer_of_2026() -> None:
    deaf = ("gemini-3.5-flash-lite", "gemini-3.6-flash", "gemini-3.8-flash", "gemini-4-neon")
    for model in deaf:
        assert wire("gemini").can(model).options["temperature"] == "ignores", model
    for model in ("gemini-2.5-pro", "gemini-3-flash-preview", "gemini-3.1-pro-preview"):
        assert "temperature" not in wire("gemini").can(model).options, model


def test_facts_are_dated_and_sourced() -> None:
    rows = wire("gemini").facts[1].rows
    assert len(rows) > 5
    assert all(row.source and len(row.since) == len("2026-11-21") for row in rows)
