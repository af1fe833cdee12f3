"""Fallbacks: which model is asked after one that failed, and the report of the failures.

A failure leads to the next model if another may not have it. A fault of the request itself does
not, unless `fallbacks` name that kind. The log says which model failed, why (in one word) and which
is asked next; it never holds texts of messages, addresses or keys.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import NoReturn

from ..errors import ConfigError, ContextOverflow, DragomanError, ProviderError, with_attempts
from ..observe.channel import CHANNEL
from ..transport.retries import PASSING
from .targets import ModelTarget

log = logging.getLogger("dragoman.llm")
log.addHandler(logging.NullHandler())  # without logging set up, nothing is printed

ANY = "*"  # the fallbacks for every kind of failure that is not listed


class Fallbacks:
    """The models of one question, in their order, and the failures of those that were asked."""

    __slots__ = ("_asked", "_by_kind", "_failures", "_rest")

    def __init__(
        self, targets: Sequence[ModelTarget], by_kind: Mapping[str, Sequence[ModelTarget]]
    ) -> None:
        self._rest = list(targets)
        self._by_kind = by_kind
        self._asked: list[ModelTarget] = []
        self._failures: list[tuple[str, DragomanError]] = []

    @property
    def first(self) -> ModelTarget:
        """The model that is asked first."""
        return self._take(self._rest[0])

    def after(self, target: ModelTarget, error: DragomanError) -> ModelTarget:
        """Return the model that is asked next.

        Raises:
            DragomanError: The error itself, with the failures of all models before, if there is no
                next model.
        """
        self._failures.append((target.name, error))
        kind = error_kind(error)
        following = self._following(kind, error)
        if following is None:
            self._raise(error)
        log.info("%s failed (%s), asking %s", target.name, kind, following.name)
        if CHANNEL.on:
            _report(target.name, kind, following.name, error)
        return self._take(following)

    def end(self, target: ModelTarget, error: DragomanError) -> NoReturn:
        """Raise the error of an answer that was partly read: no other model is asked."""
        self._failures.append((target.name, error))
        self._raise(error)

    def _raise(self, error: DragomanError) -> NoReturn:
        if len(self._failures) > 1:
            log.warning(
                "all of %d models failed, the last of them with %s",
                len(self._failures),
                error_kind(error),
            )
            with_attempts(error, self._failures)
        raise error from error.__cause__

    def _take(self, target: ModelTarget) -> ModelTarget:
        self._asked.append(target)
        return target

    def _following(self, kind: str, error: DragomanError) -> ModelTarget | None:
        named = self._by_kind.get(kind)
        if named is None and not _passes(kind, error):
            return None
        last = self._by_kind.get(ANY, ()) if named is None else ()
        for target in (*(named or ()), *self._rest, *last):
            if not any(target is one for one in self._asked):
                return target
        return None


def _report(failed: str, kind: str, following: str, error: DragomanError) -> None:
    from ..observe.events import Fallback  # only a program that listens loads the events

    operation = CHANNEL.current("call")
    if operation is not None:
        operation.changed = True
        operation.emit(Fallback(operation, failed, kind, following, error))


def error_kind(error: DragomanError) -> str:
    """Return the kind of a failure: a provider's, or why a model cannot be asked at all.

    `unsent` is a request that cannot be written for the model, `no_key` a model whose key is
    missing.
    """
    if isinstance(error, ProviderError):
        return error.kind
    if isinstance(error, ContextOverflow):
        return "context_overflow"
    return "no_key" if isinstance(error, ConfigError) else "unsent"


def has_no_key(error: ConfigError) -> bool:
    """Return whether a model cannot be asked because its key is missing."""
    return error.code in ("key.missing", "key.header")


def _passes(kind: str, error: DragomanError) -> bool:
    return kind in PASSING or not isinstance(error, ProviderError)
