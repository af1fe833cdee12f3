"""A missing program skips a test on a desk and fails it where `.ci/run` runs."""

from __future__ import annotations

import pytest

from tests import conftest

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


@pytest.mark.parametrize(
    ("reason", "outcome"), [("needs ../shared: traffic", "skipped"), ("not today", "failed")]
)
def test_under_ci_a_skip_is_a_failure_unless_traffic_is_missing(
    monkeypatch: pytest.MonkeyPatch, reason: str, outcome: str
) -> None:
    monkeypatch.setenv("DRAGOMAN_CI", "1")
    where = ("test_it.py", 1, f"Skipped: {reason}")
    report = pytest.TestReport("test_it.py::test_it", where, {}, "skipped", where, "call")
    hook = conftest.pytest_runtest_makereport()
    next(hook)
    with pytest.raises(StopIteration):
        hook.send(report)
    assert report.outcome == outcome
    assert reason in str(report.longrepr)
