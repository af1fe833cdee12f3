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
    limited, full, schemas = formatter.limited(limit)._whole(msgs, tools)
    once = limited._once()
    choice = await once._chosen(full, Report(full, None, places, "fit_history"), sync, schemas)
    messages = messages_of(msgs.messages if isinstance(msgs, ChatRequest) else msgs)
    remaining = within(messages, full, choice.msgs)
    tally = once._tally(schemas, sync)
    if choice.before is None:
        choice.before = await _tokens(once, full, tally)
    receipt = replace(_taken(messages, remaining), limit=limit, tokens_before=_whole(choice.before),
                      tokens_after=_whole(choice.after or 0))  # fmt: skip
    if receipt.changed is None:
        return Fitted(remaining, receipt)
    unchanged = choice.msgs[: receipt.changed + len(full) - len(messages)]
    tokens_kept = await _tokens(once, unchanged, tally) if unchanged else 0
    unbound = await _unbound(once, messages, remaining, choice.msgs)
    receipt = replace(receipt, cache_lost=max(0, receipt.tokens_after - tokens_kept))
    return _bare(messages, remaining, unbound, receipt) if unbound else Fitted(remaining, receipt)


async def _tokens(formatter: TruncatedFormatterBase, msgs: list[Msg], tally: Tally) -> int:
    formatted = await formatter._said(msgs, Report(msgs, None, places, "fit_history"))
    return _whole(await tally(formatted, len(msgs)) or 0)


def _whole(tokens: float) -> int:
    """A figure of a receipt; 0 for what is none."""
    return int(tokens) if isinstance(tokens, int) or isfinite(tokens) else 0


def _taken(messages: list[Msg], remaining: list[Msg]) -> Receipt:
    """What a cut took, as far as the messages show it."""
    if remaining is messages:
        return Receipt((), len(messages), len(remaining), 0)
    ids, replacements = identify(messages), replaced(remaining)
    how = {id(m): replacement.how for replacement in replacements for m in replacement.of}
    missing = left_out(messages, remaining)
    pairs = zip(messages, remaining, strict=False)
    first = next(
        (i for i, (before, after) in enumerate(pairs) if before is not after), len(remaining)
    )
    return Receipt(
        dropped=tuple(ids[i] for i in missing if id(messages[i]) not in how),
        before=len(messages),
        after=len(remaining),
        limit=0,
        cleared=tuple(_cleared(replacements)),
        told=tuple(ids[i] for i in missing if how.get(id(messages[i])) == "summary"),
        summary=next(
            (replacement.msg.text for replacement in replacements if replacement.how == "summary"),
            "",
        ),
        changed=first if first < len(messages) else None,
    )


def _cleared(replacements: list[Made]) -> Iterator[str]:
    for replacement in replacements:
        if replacement.how == "cleared":
            for before, after in zip(replacement.of[0].blocks, replacement.msg.blocks, strict=True):
                if type(before) is ToolResultBlock and after is not before:
                    yield before.id


async def _unbound(
    formatter: TruncatedFormatterBase, messages: list[Msg], remaining: list[Msg], chosen: list[Msg]
) -> list[int]:
    """The indexes of the messages whose thinking holds no more behind the cut."""
    if not any(block.type == "thinking" for m in remaining for block in m.blocks):
        return []
    report = Report(messages, None, places, "fit_history")
    name_cut(messages, remaining, report)
    await formatter._said(chosen, report)
    indexes = [
        int(match[1])
        for loss in report.losses
        if loss.code == "thinking.unbound" and CUT in loss.what
        if (match := _PATH.match(loss.where))
    ]
    return list(dict.fromkeys(indexes))


def _bare(
    messages: list[Msg], remaining: list[Msg], unbound: list[int], receipt: Receipt
) -> Fitted:
    """The same without the thinking of these messages: whoever sends them knows of no cut."""
    ids_without = {id(messages[i]) for i in unbound}
    ids_without.update(
        id(replacement.msg)
        for replacement in replaced(remaining)
        if any(id(m) in ids_without for m in replacement.of)
    )
    bare: list[Msg] = []
    for m in remaining:
        if id(m) not in ids_without:
            bare.append(m)
            continue
        blocks: list[ContentBlock] = [b for b in m.blocks if type(b) is not ThinkingBlock]
        if blocks:
            bare.append(Msg.trusted(m.name, blocks, m.role, m))
    ids = identify(messages)
    empty = (i for i in unbound if all(type(b) is ThinkingBlock for b in messages[i].blocks))
    dropped = {*receipt.dropped, *(ids[i] for i in empty)}
    receipt = replace(
        receipt,
        after=len(bare),
        dropped=tuple(id for id in ids if id in dropped),
        unbound=tuple(ids[i] for i in unbound),
    )
    return Fitted(bare, receipt)
