"""What Mistral's own SDK makes of a body, closed: the API refuses keys that it does not know."""

from __future__ import annotations

import json
from typing import Any

import pytest

__all__ = ["faults"]


def faults(body: dict[str, Any]) -> list[str]:
    """Values of the wrong type, chunks of no known kind, and keys that the SDK does not know."""
    models = pytest.importorskip("mistralai.client.models", reason="the extra `mistral` is missing")
    try:
        read = models.ChatCompletionRequest.model_validate(body)
    except ValueError as error:
        return [str(error)]
    back = json.loads(read.model_dump_json(by_alias=True, exclude_unset=True))
    return list(_unread(body, back, "$"))


def _unread(given: Any, back: Any, path: str) -> list[str]:
    """Keys of `given` that did not come back; defaults that the SDK adds do not matter."""
    if isinstance(given, dict) and isinstance(back, dict):
        if "UNKNOWN" in back.values():
            return [f"{path}: a chunk of no known kind"]
        return [
            fault
            for key, value in given.items()
            for fault in (
                _unread(value, back[key], f"{path}.{key}")
                if key in back
                else [f"{path}.{key} is unknown"]
            )
        ]
    if isinstance(given, list) and isinstance(back, list):
        pairs = zip(given, back, strict=True)
        return [f for i, (a, b) in enumerate(pairs) for f in _unread(a, b, f"{path}[{i}]")]
    return [] if given == back else [f"{path}: {given!r} was read as {back!r}"]
