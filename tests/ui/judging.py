"""Streams given to the libraries that pages are made with, many at a time, in Node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT
from tests.house.needs import program

__all__ = ["PACKAGES", "judge"]

PACKAGES = ROOT / ".venv" / ".js"


def judge(name: str, streams: Sequence[Any]) -> list[Any]:
    """What the judge of this name makes of each stream."""
    node = program("node", "the libraries of pages judge streams")
    path = Path(__file__).with_name(f"judge_{name}.mjs")
    given = json.dumps(streams)
    done = subprocess.run([node, str(path)], cwd=PACKAGES, input=given, capture_output=True,
                          text=True, check=False, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[Any] = json.loads(done.stdout)
    assert len(found) == len(streams)
    return found
