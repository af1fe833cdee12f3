"""Cut a history to a budget apart from formatting it, with a receipt of what went."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from .. import message
from .._old_names import keeps_old_names
from ..errors import ConfigError
from ..history.truncate import find_replacements
from ..losses import Report
from ..message import ChatRequest, ContentBlock, Msg, ThinkingBlock, ToolResultBlock
from ..message.tools import ToolLike
from ..text.redaction import Shown
from .base import TruncatedFormatterBase, drive
from .budget import CUT, Tally, missing, name_cut, pair_cleared_blocks, within
from .request_formatter import RequestFormatter

_PATH = re.compile(r"\$\.messages\[(\d+)\]")


@keeps_old_names
@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Shown):
    """What a cut took from a history. Messages are named by their ids.

    Attributes:
        dropped: The messages that went without a replacement.
        before: The number of messages before the cut.
        after: The number of messages after it.
        limit: The budget, in tokens.
        tokens_before: The tokens of the formatted messages before the cut, with the tool schemas.
        tokens_after: The tokens after it.
        cleared: The ids of the calls whose results a stub replaced.
        summarized: The messages that the summary replaced.
        summary: The text of the summary; empty for none.
        unbound: The messages that stay without their thinking, which was bound to what went.
        changed: The first message up to which a prompt cache is no longer valid, as an index into
            the given history; None if all of it is.
        cache_lost: The tokens of what is sent from that message on.
    """

    dropped: tuple[str, ...]
    before: int
    after: int
    limit: int
    tokens_before: int = 0
    tokens_after: int = 0
    cleared: tuple[str, ...] = ()
    summarized: tuple[str, ...] = ()
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
    """Cut a history to the budget of a formatter, apart from formatting it.

    Args:
        msgs: The history, or a request, whose system prompt counts as well.
        formatter: The formatter whose format and counter the cut goes by.
        max_tokens: The budget; None takes that of the formatter.
        tools: The tools, which count too; None takes those of the request.

    Returns:
        The messages that fit, and the receipt.

    Raises:
        ContextOverflow: What must stay does not fit.
        ConfigError: There is no budget, or nothing to count with.
    """
    return await _fit(msgs, formatter, max_tokens, tools, sync=False)


def fit_history_sync(
    msgs: list[Msg] | ChatRequest,
    *,
    formatter: TruncatedFormatterBase,
    max_tokens: int | None = None,
    tools: Sequence[ToolLike] | None = None,
) -> Fitted:
    """Cut a history as `fit_history` does, without an event loop.

    Args:
        msgs: The history, or a request, whose system prompt counts as well.
        formatter: The formatter whose format and counter the cut goes by.
        max_tokens: The budget; None takes that of the formatter.
        tools: The tools, which count too; None takes those of the request.

    Returns:
        The messages that fit, and the receipt.

    Raises:
        ContextOverflow: What must stay does not fit.
        ConfigError: There is no budget, nothing to count with, or something awaits.
    """
    return drive(_fit(msgs, formatter, max_tokens, tools, sync=True), "fit_history")


async def _fit(
    msgs: list[Msg] | ChatRequest,
    formatter: TruncatedFormatterBase,
    max_tokens: int | None,
    tools: Sequence[ToolLike] | None,
    sync: bool,
) -> Fitted:
    if not isinstance(formatter, TruncatedFormatterBase):
        text = f"fit_history cuts for a formatter, not for {type(formatter).__name__}"
        hint = 'formatter=Formatter("openai-chat", token_counter=..., max_tokens=...)'
        raise ConfigError(text, hint=hint)
    limit = formatter.max_tokens if max_tokens is None else max_tokens
    if limit is None or not formatter._counts_tokens:
        hint = "give the formatter a token_counter and max_tokens"
        raise ConfigError("fit_history needs a limit and something to count with", hint=hint)
    messages = message.check_messages(msgs.messages if isinstance(msgs, ChatRequest) else msgs)
    history = msgs if isinstance(formatter, RequestFormatter) else messages
    limited, full, _, schemas = formatter.with_limit(limit)._input(history, tools)
    once = limited._once()
    choice = await once._cut(full, _report(full), sync, schemas)
    remaining = within(messages, full, choice.msgs)
    tally = once._tally(schemas, sync)
    if choice.before is None:
        choice.before = await _tokens(once, full, tally)
    receipt = replace(
        _receipt(messages, remaining),
        limit=limit,
        tokens_before=_whole_number(choice.before),
        tokens_after=_whole_number(choice.after or 0),
    )
    if receipt.changed is None:
        return Fitted(remaining, receipt)
    unchanged = choice.msgs[: receipt.changed + len(full) - len(messages)]
    tokens_kept = await _tokens(once, unchanged, tally) if unchanged else 0
    unbound = await _find_unbound(once, messages, remaining, choice.msgs)
    receipt = replace(receipt, cache_lost=max(0, receipt.tokens_after - tokens_kept))
    if unbound:
        return _without_thinking(messages, remaining, unbound, receipt)
    return Fitted(remaining, receipt)


def _report(msgs: list[Msg]) -> Report:
    return Report(msgs, None, message.places, "fit_history")


async def _tokens(formatter: TruncatedFormatterBase, msgs: list[Msg], tally: Tally) -> int:
    formatted = await formatter._format_all(msgs, _report(msgs))
    return _whole_number(await tally(formatted, len(msgs)) or 0)


def _whole_number(tokens: float) -> int:
    """A figure of a receipt; 0 for what is none."""
    return int(tokens) if isinstance(tokens, int) or isfinite(tokens) else 0


def _receipt(messages: list[Msg], remaining: list[Msg]) -> Receipt:
    """What a cut took, as far as the messages show it."""
    if remaining is messages:
        return Receipt((), len(messages), len(remaining), 0)
    ids, replacements = message.identify(messages), find_replacements(remaining)
    gone, told = missing(messages, remaining)
    pairs = zip(messages, remaining, strict=False)
    first = next((i for i, (m, other) in enumerate(pairs) if m is not other), len(remaining))
    results = [
        block
        for replacement in replacements
        if replacement.how == "cleared"
        for block, _ in pair_cleared_blocks(replacement)
    ]
    return Receipt(
        dropped=tuple(ids[i] for i in gone),
        before=len(messages),
        after=len(remaining),
        limit=0,
        cleared=tuple(block.id for block in results if type(block) is ToolResultBlock),
        summarized=tuple(ids[i] for i in told),
        summary=next((made.msg.text for made in replacements if made.how == "summary"), ""),
        changed=first if first < len(messages) else None,
    )


async def _find_unbound(
    formatter: TruncatedFormatterBase, messages: list[Msg], remaining: list[Msg], chosen: list[Msg]
) -> list[int]:
    """The indexes of the messages whose thinking is no longer valid after the cut."""
    if not any(block.type == "thinking" for m in remaining for block in m.blocks):
        return []
    report = _report(messages)
    name_cut(messages, remaining, report)
    await formatter._format_all(chosen, report)
    indexes = [
        int(match[1])
        for loss in report.losses
        if loss.code == "thinking.unbound" and CUT in loss.what
        if (match := _PATH.match(loss.where))
    ]
    return list(dict.fromkeys(indexes))


def _without_thinking(
    messages: list[Msg], remaining: list[Msg], unbound: list[int], receipt: Receipt
) -> Fitted:
    """The cut without the thinking of these messages, for their sender does not know of the cut."""
    unbound_ids = {id(messages[i]) for i in unbound}
    unbound_ids.update(
        id(replacement.msg)
        for replacement in find_replacements(remaining)
        if any(id(m) in unbound_ids for m in replacement.originals)
    )
    msgs: list[Msg] = []
    for m in remaining:
        blocks: list[ContentBlock] = [b for b in m.blocks if type(b) is not ThinkingBlock]
        if id(m) not in unbound_ids:
            msgs.append(m)
        elif blocks:
            msgs.append(Msg.create_unchecked(m.name, blocks, m.role, m))
    ids = message.identify(messages)
    empty = (i for i in unbound if all(type(b) is ThinkingBlock for b in messages[i].blocks))
    dropped = {*receipt.dropped, *(ids[i] for i in empty)}
    receipt = replace(
        receipt,
        after=len(msgs),
        dropped=tuple(id for id in ids if id in dropped),
        unbound=tuple(ids[i] for i in unbound),
    )
    return Fitted(msgs, receipt)
