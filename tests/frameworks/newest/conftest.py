"""Suites of other libraries: their asynchronous tests, and tests that they skip for our models."""

from __future__ import annotations

import pytest

# what langchain-tests skips for our chat model, and why; docs/bridges.md has the same table
SKIPPED_BY_LANGCHAIN = {
    "test_serdes": "a model of ours is no serialisable object of LangChain",
    "test_init_from_env": "keys are read by the LLM, not by the model that is made of it",
    "test_stream_time": "times a recorded exchange, of which there is none",
    "test_audio_inputs": "none of the three models hears; another test asks one that does",
}


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-asyncio run tests without a mark."""
    config.option.asyncio_mode = "auto"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the suite itself would skip: in CI a skipped test is a fault."""
    left = [one for one in items if _is_for_others(one)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [one for one in items if one not in left]


def _is_for_others(item: pytest.Item) -> bool:
    method = getattr(item, "function", None)
    home = getattr(method, "__module__", "")
    return home.startswith("langchain_tests.") and item.originalname in SKIPPED_BY_LANGCHAIN  # type: ignore[attr-defined]
