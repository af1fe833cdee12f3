"""What the models of all frameworks share: an LLM for what names one, and losses as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..llm import LLM, AsyncLLM
from ..losses import Losses
from ..message import ChatResponse
from ..text.json_text import JsonObject

PROBE = "Hello."  # what is asked where only the rest of a request is looked at


def as_llm(model: Any, **settings: Any) -> LLM:
    """Return an LLM for what a program gave.

    Args:
        model: An LLM, an AsyncLLM, or what an LLM takes: a name, a Vendor, or several.
        **settings: Keywords for an LLM that is made here.

    Returns:
        The LLM itself, or one with the same models and settings.

    Raises:
        ConfigError: The value names no model.
    """
    if isinstance(model, LLM):
        return model
    return LLM.of(model) if isinstance(model, AsyncLLM) else LLM(model, **settings)


def describe(answer: ChatResponse, *losses: Iterable[Any]) -> JsonObject:
    """Return what no framework has a field for, as plain JSON.

    Args:
        answer: The answer.
        *losses: What did not come across on the way to the model and back.

    Returns:
        `finish`, the reason in our words; `status`, unless the answer is complete; `host`; and
        `losses`, if there are any.
    """
    finish = answer.finish.reason if answer.candidates else None
    found = {
        "finish": finish,
        "status": None if answer.status == "complete" else answer.status,
        "host": getattr(answer, "host", "") or None,
        "losses": [loss.to_dict() for loss in Losses([one for some in losses for one in some])],
    }
    return {key: value for key, value in found.items() if value}
