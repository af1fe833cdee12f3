"""What must become of a body at a door: complete where the host's own end came, else never."""

from __future__ import annotations

import dragoman
from dragoman.errors import NoAnswer, ProviderError, ReadError, StreamError

from .doors import Outcome
from .faults import Case

__all__ = ["faults_of"]

# an answer that ended, whatever for
_ENDED = ("complete", "cut", "refused", "filtered", "malformed", "paused", "length", "refusal",
          "content_filter", "context_overflow", "malformed_call", "pause", "other", "failed",
          "error")  # fmt: skip


def faults_of(case: Case, door: str, outcome: Outcome) -> list[str]:
    """What is wrong with what a door made of a body."""
    found: list[str] = []
    if case.end == "ended":
        said_nothing = isinstance(outcome.error, NoAnswer)
        raised = outcome.ending == "error" and not said_nothing
        if (outcome.ending not in _ENDED or raised) and not _failing(case):
            found.append(f"the host has ended it, and it is {outcome.ending}: {outcome.error}")
        return found
    if outcome.ending != "error":
        found.append(f"it has no end, and is {outcome.ending}")
        return found
    error = outcome.error
    if error is not None:
        if not isinstance(error, (ProviderError, ReadError)):
            found.append(f"{type(error).__name__} is raised")
        if case.end in ("open", "none") and not isinstance(
            error, (StreamError, NoAnswer, ReadError)
        ):
            found.append(f"{type(error).__name__} is raised for what broke off")
    if door != "gateway" and case.end == "open" and (text := _text(case)) and outcome.text != text:
        found.append(f"what came is not kept: {outcome.text!r}, not {text!r}")
    return found


def _failing(case: Case) -> bool:
    """Whether the events themselves tell of an error beside their end, or make no answer."""
    response = _read(case)
    if response.error is not None:
        return True
    said = any(candidate.msg.blocks for candidate in response.candidates)
    return not said or response.finish.reason in ("malformed_call", "error")


def _text(case: Case) -> str:
    response = _read(case)
    return response.text if response.candidates else ""


def _read(case: Case) -> dragoman.message.ChatResponse:
    decoder = dragoman.wire(case.wire, policy="ignore").stream_decoder()
    for name, data in case.events:
        decoder.feed(data, name)
    return decoder.finish()
