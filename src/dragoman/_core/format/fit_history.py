"""fit_history: cut a history to a budget apart from formatting it, with a receipt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from ...errors import ConfigError
from ...losses import Report
from ...message import (
    ChatRequest,
    Msg,
    ThinkingBlock,
    ToolResultBlock,
    identify,
    messages_of,
    places,
)
from ...message.blocks import ContentBlock
from ...message.tools import ToolLike
from ...rewrite.truncate import Made, left_out, replaced
from ..redaction import Shown
from .base import TruncatedFormatterBase, drive
from .budget import CUT, Tally, name_cut, within

_PATH = re.compile(r"\$\.messages\[(\d+)\]")


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Shown):
    """What a cut took, against sending the history whole. Messages go by their ids.

    `before` and `after` are numbers of messages, `tokens_before` and `tokens_after` count the
    formatted ones with the tool schemas, `limit` is the budget. `dropped` went; `told` are those
    that `summary` tells in short; `cleared` are the calls whose results a stub stands for.
    `unbound` stay without their thinking, which was bound to what stood before. A prompt
    cache holds up to the message `changed`, an index into the given history (None: all of it);
    `cache_lost` is how many tokens of what is sent stand behind that.
    """

    dropped: tuple[str, ...]
    before: int
    after: int
    limit: int
    tokens_before: int = 0
    tokens_after: int = 0
    cleared: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    summary: str = ""
    unbound: tuple[str, ...] = ()
    changed: int | None = None
    cache_lost: int = 0

    @property
    def freed(self) -> int:
        """The tokens that the cut saves."""
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True, repr=False)
class Fitted(Shown):
    """A history cut to a budget: pass `msgs` on; `receipt` says what went."""

    msgs: list[Msg]
    receipt: Receipt


async def fit_history(
    msgs: list[Msg] | ChatRequest,
    *,
    formatter: TruncatedFormatterBase,
    max_tokens: int | None = None,
    tools: Sequence[ToolLike] | None = None,
) -> Fitted:
    """The messages that fit into the formatter's budget (or `max_tokens`), apart from formatting.

    Tools count too: those given here, or those of a request, whose system prompt counts as well.
    Raises ContextOverflow, and ConfigError if there is no limit or nothing to count with.
    """
    return await _fit(msgs, formatter, max_tokens, tools, sync=False)


def fit_history_sync(
    msgs: list[Msg] | ChatRequest,
    *,
    formatter: TruncatedFormatterBase,
    max_tokens: int | None = None,
    tools: Sequence[ToolLike] | None = None,
) -> Fitted:
    """`fit_history` without an event loop. Raises ConfigError if something in it awaits."""
    return drive(_fit(msgs, formatter, max_tokens, tools, sync=True), "fit_history")


async def _fit(
    msgs: list[Msg] | ChatRequest,
    formatter: TruncatedFormatterBase,
    max_tokens: int | None,
    tools: Sequence[ToolLike] | None,
    sync: bool,
) -> Fitted:
    if not isinstance(formatter, TruncatedFormatterBase):
        raise ConfigError(
            f"fit_history cuts for a formatter, not for {type(formatter).__name__}",
            hint='formatter=Formatter("openai-chat", token_counter=..., max_tokens=...)',
        )
    limit = formatter.max_tokens if max_tokens is None else max_tokens
    counts = formatter.token_counter is not None or "_count" in formatter._hooks
    if limit is None or not counts:
        raise ConfigError(
            "fit_history needs a limit and something to count with",
            hint="give the formatter a token_counter and max_tokens",
        )
    seen, whole, schemas = formatter.limited(limit)._whole(msgs, tools)
    once = seen._once()
    choice = await once._chosen(whole, Report(whole, None, places, "fit_history"), sync, schemas)
    given = messages_of(msgs.messages if isinstance(msgs, ChatRequest) else msgs)
    kept = within(given, whole, choice.msgs)
    tally = once._tally(schemas, sync)
    if choice.before is None:
        choice.before = await _tokens(once, whole, tally)
    receipt = replace(_taken(given, kept), limit=limit, tokens_before=_whole(choice.before),
                      tokens_after=_whole(choice.after or 0))  # fmt: skip
    if receipt.changed is None:
        return Fitted(kept, receipt)
    before = choice.msgs[: receipt.changed + len(whole) - len(given)]
    held = await _tokens(once, before, tally) if before else 0
    unbound = await _unbound(once, given, kept, choice.msgs)
    receipt = replace(receipt, cache_lost=max(0, receipt.tokens_after - held))
    return _bare(given, kept, unbound, receipt) if unbound else Fitted(kept, receipt)


async def _tokens(formatter: TruncatedFormatterBase, msgs: list[Msg], tally: Tally) -> int:
    said = await formatter._said(msgs, Report(msgs, None, places, "fit_history"))
    return _whole(await tally(said, len(msgs)) or 0)


def _whole(tokens: float) -> int:
    """A figure of a receipt; 0 for what is none."""
    return int(tokens) if isinstance(tokens, int) or isfinite(tokens) else 0


def _taken(given: list[Msg], kept: list[Msg]) -> Receipt:
    """What a cut took, as far as the messages show it."""
    if kept is given:
        return Receipt((), len(given), len(kept), 0)
    ids, made = identify(given), replaced(kept)
    how = {id(m): one.how for one in made for m in one.of}
    gone = left_out(given, kept)
    pairs = zip(given, kept, strict=False)
    first = next((i for i, (old, new) in enumerate(pairs) if old is not new), len(kept))
    return Receipt(
        dropped=tuple(ids[i] for i in gone if id(given[i]) not in how),
        before=len(given),
        after=len(kept),
        limit=0,
        cleared=tuple(_cleared(made)),
        told=tuple(ids[i] for i in gone if how.get(id(given[i])) == "summary"),
        summary=next((one.msg.text for one in made if one.how == "summary"), ""),
        changed=first if first < len(given) else None,
    )


def _cleared(made: list[Made]) -> Iterator[str]:
    for one in made:
        if one.how == "cleared":
            for old, new in zip(one.of[0].blocks, one.msg.blocks, strict=True):
                if type(old) is ToolResultBlock and new is not old:
                    yield old.id


async def _unbound(
    formatter: TruncatedFormatterBase, given: list[Msg], kept: list[Msg], chosen: list[Msg]
) -> list[int]:
    """The indexes of the messages whose thinking holds no more behind the cut."""
    if not any(block.type == "thinking" for m in kept for block in m.blocks):
        return []
    report = Report(given, None, places, "fit_history")
    name_cut(given, kept, report)
    await formatter._said(chosen, report)
    at = [
        int(found[1])
        for loss in report.losses
        if loss.code == "thinking.unbound" and CUT in loss.what
        if (found := _PATH.match(loss.where))
    ]
    return list(dict.fromkeys(at))


def _bare(given: list[Msg], kept: list[Msg], unbound: list[int], receipt: Receipt) -> Fitted:
    """The same without the thinking of these messages: whoever sends them knows of no cut."""
    gone = {id(given[i]) for i in unbound}
    gone.update(id(one.msg) for one in replaced(kept) if any(id(m) in gone for m in one.of))
    made: list[Msg] = []
    for m in kept:
        if id(m) not in gone:
            made.append(m)
            continue
        blocks: list[ContentBlock] = [b for b in m.blocks if type(b) is not ThinkingBlock]
        if blocks:
            made.append(Msg.trusted(m.name, blocks, m.role, m))
    ids = identify(given)
    empty = (i for i in unbound if all(type(b) is ThinkingBlock for b in given[i].blocks))
    dropped = {*receipt.dropped, *(ids[i] for i in empty)}
    receipt = replace(
        receipt,
        after=len(made),
        dropped=tuple(id for id in ids if id in dropped),
        unbound=tuple(ids[i] for i in unbound),
    )
    return Fitted(made, receipt)
