"""A question to an LLM as it was parsed, and what is sent of it to one model."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..message import ChatRequest, Written
from ..model.endpoint import CallOptions
from ..observe.channel import ObservedOperation
from ..structured_output import Structured
from .settings import Way
from .targets import ModelTarget


class Attempt(NamedTuple):
    """A request, its model, and what of an answer is accepted or followed."""

    target: ModelTarget
    written: Written
    allow_partial: bool = False
    follow_pauses: bool = True


class Question(NamedTuple):
    """One question: the request, the type of the answer, and how often it may be repaired."""

    request: ChatRequest
    structured: Structured[Any] | None
    way: Way
    repairs: int
    call: CallOptions
    model: str | None
    allow_partial: bool = False
    follow_pauses: bool | None = None  # None: as each model is set
    operation: ObservedOperation | None = None  # if there is a listener
