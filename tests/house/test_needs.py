"""A missing program skips a test on a desk and fails it where `.ci/run` runs."""

from __future__ import annotations

import pytest

from .needs import program

MISSING = "dragoman-has-no-such-program"


def test_a_program_that_is_there_is_found() -> None:
    assert program("sh", "to start").endswith("sh")


def test_a_missing_program_skips_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DRAGOMAN_CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"needs {MISSING}: to click"):
        program(MISSING, "to click")


def test_a_missing_program_fails_under_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAGOMAN_CI", "1")
    with pytest.raises(pytest.fail.Exception, match=r"\.ci/run must install it"):
        program(MISSING, "to click")
