"""One rule of combination, as a body that breaks it and one beside it that does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PATHS = {
    "bedrock": "/model/{model}/converse",
    "gemini": "/v1beta/models/{model}:generateContent",
}


@dataclass(frozen=True)
class Combination:
    """`bad` breaks the rule at `at`, `good` does not; both are whole bodies for `host`.

    `code`: that of the refusal, and of the loss once it is composed. `rule`: the rule of the strict
    judge; empty where the judge cannot know it. `model`: where the body does not name it. `loss`:
    the code of the loss, if it is another.
    """

    name: str
    host: str
    code: str
    at: str
    bad: Mapping[str, Any]
    good: Mapping[str, Any]
    rule: str = ""
    model: str | None = None
    loss: str = ""

    @property
    def path(self) -> str | None:
        """Where the body is sent, for hosts that have the model there."""
        return None if self.model is None else _PATHS[self.host].format(model=self.model)

    def __str__(self) -> str:
        return f"{self.host}-{self.name}"
