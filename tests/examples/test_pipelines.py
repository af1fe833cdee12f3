"""The example of a pipeline of Ray Data; `pipelines` runs the others where they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT

from .pipelines import PIPELINES, run_pipeline


def test_a_pipeline_of_ray_data_writes_what_the_function_alone_does(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    run_pipeline("batch_with_ray.py", tmp_path)


def test_they_are_short() -> None:
    for name in PIPELINES:
        assert (ROOT / "examples" / name).read_text("utf-8").count("\n") < 40
