"""Suites of other libraries have asynchronous tests without a mark."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-asyncio run them."""
    config.option.asyncio_mode = "auto"
