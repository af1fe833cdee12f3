"""fit_history: cut a history to a budget apart from formatting it, with a receipt."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ConfigError
from ..losses import Report
from ..message import Msg, identify, messages_of, places
from ..rewrite.truncate import left_out
from ..shown import Shown
from .base import TruncatedFormatterBase
from .hooks import drive

__all__ = ["Fitted", "Receipt", "fit_history", "fit_history_sync"]


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Shown):
    """What a cut took: the ids of the messages that went, and how many were there."""

    dropped: tuple[str, ...]
    before: int
    after: int
    limit: int


@dataclass(frozen=True, slots=True, repr=False)
class Fitted(Shown):
    """A history cut to a budget: pass `msgs` on; `receipt` says what went."""

    msgs: list[Msg]
    receipt: Receipt


async def fit_history(
    msgs: list[Msg],
    *,
    formatter: TruncatedFormatterBase,
    max_tokens: int | None = None,
) -> Fitted:
    """The messages that fit into the formatter's budget (or `max_tokens`), apart from formatting.

    Raises ContextOverflow, and ConfigError if there is no limit or nothing to count with.
    """
    return await _fit(msgs, formatter, max_tokens, sync=False)


def fit_history_sync(
    msgs: list[Msg],
    *,
    formatter: TruncatedFormatterBase,
    max_tokens: int | None = None,
) -> Fitted:
    """`fit_history` without an event loop. Raises ConfigError if the counter awaits."""
    return drive(_fit(msgs, formatter, max_tokens, sync=True), "fit_history")


async def _fit(
    msgs: list[Msg], formatter: TruncatedFormatterBase, max_tokens: int | None, sync: bool
) -> Fitted:
    limit = formatter.max_tokens if max_tokens is None else max_tokens
    counts = formatter.token_counter is not None or "_count" in formatter._hooks
    if limit is None or not counts:
        raise ConfigError(
            "fit_history needs a limit and something to count with",
            hint="give the formatter a token_counter and max_tokens",
        )
    listed = messages_of(msgs)
    bounded = formatter.limited(limit)
    _, kept = await bounded._fitted(listed, Report(listed, None, places, "fit_history"), sync)
    ids = identify(listed)
    gone = tuple(ids[i] for i in left_out(listed, kept))
    return Fitted(kept, Receipt(gone, len(listed), len(kept), limit))
