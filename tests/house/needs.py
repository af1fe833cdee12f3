"""What a test needs beyond pip: found, or the test is skipped with a reason.

Under DRAGOMAN_CI=1, which `.ci/run` sets, a missing program fails the test instead, because
`.ci/run` has to install it.
"""

from __future__ import annotations

import os
import shutil

import pytest

__all__ = ["program"]


def program(name: str, why: str) -> str:
    """The path of a program such as `node`; `why` says what the test does with it."""
    found = shutil.which(name)
    if found is not None:
        return found
    if os.environ.get("DRAGOMAN_CI") == "1":
        pytest.fail(f"{name} is missing and .ci/run must install it: {why}")
    pytest.skip(f"needs {name}: {why}")
