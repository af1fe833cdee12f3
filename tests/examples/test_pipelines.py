"""The examples of pipelines; that of Ray Data runs in `tests/batch/test_ray_engine.py`."""

from __future__ import annotations

from tests.docs.pages import ROOT

from .pipelines import PIPELINES


def test_they_are_short() -> None:
    for name in PIPELINES:
        assert (ROOT / "examples" / name).read_text("utf-8").count("\n") < 40
