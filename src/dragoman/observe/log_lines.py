"""A line of the log for each event; none has the text of a conversation, an address or a key.

The library itself logs retries and changes to another model, at INFO, whoever listens
(`transport/retries.py`, `llm/fallbacks.py`). They are not logged again here.
"""

from __future__ import annotations

import logging
from typing import Any

from ..text.redaction import clip_text, one_line
from .channel import Event, ObservedOperation, Subscription, subscribe
from .events import (
    AttemptBegin,
    CallEnd,
    FirstByte,
    OperationEnd,
    RequestBegin,
    RequestEnd,
    RunBegin,
    StepBegin,
    ToolBegin,
)

_LONGEST = 100  # characters of a name, which a model may have made up


def log_events(logger: logging.Logger | None = None) -> Subscription:
    """Log what happens: DEBUG for each attempt, answer, step and tool.

    One line at INFO says which model has answered in place of another. Retries and changes to
    another model are in the log `dragoman.llm` in any case.

    Args:
        logger: Where to; None is the log `dragoman.observe`.

    Returns:
        The subscription: `close()`, or a `with` block, ends it.
    """
    return subscribe(_LogLines(logger or logging.getLogger("dragoman.observe")))


class _LogLines:
    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger

    def __call__(self, event: Event) -> None:
        if isinstance(event, CallEnd):
            self._log_changed_answer(event)
        if not self._logger.isEnabledFor(logging.DEBUG):
            return
        line = _line(event)
        if line is not None:
            self._logger.debug("%s %d: %s", event.operation.kind, event.operation.id, line)

    def _log_changed_answer(self, event: CallEnd) -> None:
        answer: Any = event.answer
        if not event.operation.changed or answer is None:
            return
        model = answer.written.model if answer.written is not None else answer.model
        self._logger.info("%s answered in place of %s", _name(model), _name(event.operation.name))


def _name(text: str | None) -> str:
    return clip_text(one_line(text or ""), _LONGEST)


def _line(event: Event) -> str | None:
    """Return what is said of an event; None if nothing is."""
    operation: ObservedOperation = event.operation
    if isinstance(event, AttemptBegin):
        return f"attempt {event.number} at {_name(operation.name)}"
    if isinstance(event, RequestBegin):
        return f"written for {_name(event.model)}, losses: {len(event.losses)}"
    if isinstance(event, FirstByte):
        return f"first bytes after {event.seconds:.3f} s"
    if isinstance(event, RequestEnd):
        return _answer_line(event)
    if isinstance(event, (RunBegin, StepBegin, ToolBegin)):
        return f"{_name(operation.name)} begins"
    if isinstance(event, OperationEnd):
        return f"{_name(operation.name)} {_ending(event)}"
    return None


def _answer_line(event: RequestEnd) -> str:
    if event.answer is None or event.usage is None:
        return f"{_name(event.operation.name)} {_ending(event)} after {event.seconds:.3f} s"
    figures = (event.usage.input, event.usage.cache_read, event.usage.output)
    counts = "/".join("?" if one is None else str(one) for one in figures)
    reason = event.answer.finish.reason
    return f"{reason} after {event.seconds:.3f} s, tokens (input/cached/output): {counts}"


def _ending(event: OperationEnd) -> str:
    return f"failed ({event.error_kind})" if event.error is not None else "ended"
