"""Where a history can be cut: the positions of the slider, and what each of them removes."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..codec.wire import Wire
from ..errors import ContextOverflow, DragomanError
from ..formatter import Formatter, fit_history_sync
from ..formatter.fitting import Fitted
from ..message import ChatRequest, identify
from ..tokens import CachedTokenCounter
from .exchange import PageExchange
from .wire_view import get_target

Shown: TypeAlias = dict[str, Any]

EACH = 40  # messages of a history for which every cut is a position
STEPS = 24  # positions for a longer one
_WHOLE = 1 << 40  # tokens that no history takes


def cuts(exchange: PageExchange, target: str, counter: CachedTokenCounter) -> Shown:
    """The positions of the slider for one wire, the whole history first.

    `positions` have a `limit` of tokens, the remaining `tokens`, and the indexes of the messages
    that are `dropped`. For up to 40 messages every cut is there, for longer histories the cut for
    each of 24 limits, from the whole down. `refused` is the reason why nothing can be cut.
    """
    request = exchange.request
    if request is None or not request.messages:
        return {"positions": []}
    try:
        first = _position(request, get_target(target), counter, _WHOLE)
        first["limit"] = first["tokens"]
        return {"positions": [first, *_shorter(request, get_target(target), counter, first)]}
    except DragomanError as error:
        return {"positions": [], "refused": {"text": error.message, "code": error.code}}


def _shorter(
    request: ChatRequest, target: Wire, counter: CachedTokenCounter, first: Shown
) -> list[Shown]:
    """The further positions, each with the largest budget that the one before exceeds."""
    positions: list[Shown] = []
    total = first["tokens"]
    every_cut = len(request.messages) <= EACH
    most = EACH if every_cut else STEPS
    limit = total
    for number in range(1, most + 1):
        limit = limit - 1 if every_cut else total * (most - number) // most
        if limit < 1:
            break
        try:
            position = _position(request, target, counter, limit)
        except ContextOverflow:
            break
        if not positions or position["dropped"] != positions[-1]["dropped"]:
            positions.append(position)
        limit = min(limit, position["tokens"]) if every_cut else limit
    return positions


def _position(request: ChatRequest, target: Wire, counter: CachedTokenCounter, limit: int) -> Shown:
    """The rest of a history within a limit. Raises ContextOverflow if too little may be dropped."""
    formatter = Formatter(
        target, policy="ignore", fetch=None, token_counter=counter, max_tokens=limit
    )
    fitted = fit_history_sync(request, formatter=formatter)
    receipt = fitted.receipt
    return {
        "limit": limit,
        "tokens": receipt.tokens_after or receipt.tokens_before,
        "dropped": _find_dropped(request, fitted),
        "cache_lost": receipt.cache_lost,
        "unbound": len(receipt.unbound),
    }


def _find_dropped(request: ChatRequest, fitted: Fitted) -> list[int]:
    """The indexes of the dropped messages."""
    left = {id(m) for m in fitted.msgs}
    gone = [i for i, m in enumerate(request.messages) if id(m) not in left]
    if not fitted.receipt.unbound:
        return gone
    names = set(fitted.receipt.dropped)  # a message without its thinking is a new object
    ids = identify(request.messages)
    return [i for i in gone if ids[i] in names]
