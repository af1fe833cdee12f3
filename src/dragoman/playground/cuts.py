"""Where a history can be cut: the positions of the slider, and what each of them takes away."""

from __future__ import annotations

from typing import Any, TypeAlias

from .._core.exchange.wire import Wire
from ..errors import ContextOverflow, DragomanError, WriteError
from ..formatter import Formatter, fit_history_sync
from ..message import ChatRequest, identify
from .exchange import Exchange
from .writing import target_of

Shown: TypeAlias = dict[str, Any]

MOST = 40  # positions of the slider
_WHOLE = 1 << 40  # tokens that no history takes


def cuts(exchange: Exchange, target: str, counter: Any) -> Shown:
    """The positions of the slider for one wire, the whole history first.

    `positions` have a `limit` of tokens, the `tokens` that are left, and the indexes of the
    messages that are `dropped`. With no more than 40 cuts each of them is there, else 40 limits
    from the whole down to what must stay. `refused` says why there is nothing to cut.
    """
    request = exchange.request
    if request is None or not request.messages:
        return {"positions": []}
    try:
        first = _position(request, target_of(target), counter, _WHOLE)
        first["limit"] = first["tokens"]
        return {"positions": [first, *_shorter(request, target_of(target), counter, first)]}
    except DragomanError as error:
        return {"positions": [], "refused": {"text": error.message, "code": error.code}}


def _shorter(request: ChatRequest, target: Wire, counter: Any, first: Shown) -> list[Shown]:
    """Position after position, each with the largest budget that the one before exceeds."""
    positions: list[Shown] = []
    total = first["tokens"]
    every_cut = len(request.messages) <= MOST
    limit = total
    for number in range(1, MOST + 1):
        limit = limit - 1 if every_cut else total * (MOST - number) // MOST
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


def _position(request: ChatRequest, target: Wire, counter: Any, limit: int) -> Shown:
    """What is left of a history within a limit. Raises ContextOverflow if too little may go."""
    formatter = Formatter(target, policy="ignore", fetch=None, token_counter=counter,
                          max_tokens=limit)  # fmt: skip
    fitted = fit_history_sync(request, formatter=formatter)
    receipt = fitted.receipt
    dropped = set(receipt.dropped)
    indexes = [i for i, id in enumerate(identify(request.messages)) if id in dropped]
    return {"limit": limit, "tokens": receipt.tokens_after or receipt.tokens_before,
            "dropped": indexes, "cache_lost": receipt.cache_lost, "unbound": len(receipt.unbound)}  # fmt: skip


def limit_of(exchange: Exchange, target: str, counter: Any, position: int) -> int | None:
    """The limit of a position; None for the whole history. Raises WriteError if it is not there."""
    if position == 0:
        return None
    positions = cuts(exchange, target, counter)["positions"]
    if position >= len(positions):
        raise WriteError(f"the slider has {len(positions)} positions", code="page.cut")
    limit: int = positions[position]["limit"]
    return limit
