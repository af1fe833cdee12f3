"""The calls of an answer: arguments parsed once, names mapped back, ids where there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from ..jsontext import canonical
from ..message import Finish, ToolUseBlock
from ..message.blocks import ContentBlock
from .arguments import cut, parsed, several

__all__ = ["MADE", "calls", "texts"]

MADE = "made"  # the spelling of a call whose id is ours

# a limit ended the answer inside of a call, or the provider takes what it says for no call
_CUT = frozenset({"length", "context_overflow", "malformed_call"})


def calls(
    blocks: Sequence[ContentBlock], names: Mapping[str, str], end: Finish | None, seed: str
) -> list[ContentBlock]:
    """The blocks, each call of them with its input; `seed` tells one answer's ids from another's.

    A call is unfinished if its text breaks off, if a limit ended the answer, or if the provider
    calls it malformed.
    """
    made: list[ContentBlock] = []
    short = end is not None and end.reason in _CUT
    open_end = end is None or end.reason == "error"  # there may have been arguments to come
    for block in blocks:
        if type(block) is not ToolUseBlock:
            made.append(block)
            continue
        for nth, text in enumerate(texts(block)):
            cut_short = short or (open_end and not text and _bare(block))
            call = _call(block, text, names, cut_short)
            if nth > 0:  # run together with the first, whose id it is
                call.id, call.extras = "", None
            if not call.id:
                call.id = _id(seed, call, len(made))
                call.spelling = f"{MADE} {call.spelling}" if call.spelling else MADE
            made.append(call)
    return made


def texts(block: ToolUseBlock) -> list[str | None]:
    """The argument text; several where a server runs calls together, none if it sent a value."""
    text = block.raw_input
    if text is None:
        return [None]
    # one object is the rule, and only a closing brace before an opening one can be two
    apart = several(text) if "}" in text[:-1] and not cut(text) and parsed(text) is text else []
    return [*apart] or [text]


def _bare(block: ToolUseBlock) -> bool:
    return not block.input


def _call(
    block: ToolUseBlock, text: str | None, names: Mapping[str, str], cut_short: bool
) -> ToolUseBlock:
    value = block.input if text is None else parsed(text)
    return ToolUseBlock(
        block.id,
        names.get(block.name, block.name),
        value,
        text,
        block.cache,
        cut_short or (text is not None and type(value) is str and cut(text)),
        extras=block.extras,
        spelling=block.spelling,
        origin=block.origin,
    )


def _id(seed: str, call: ToolUseBlock, nth: int) -> str:
    said = f"{seed}\0{nth}\0{call.name}\0{call.raw_input or canonical(call.input)}"
    return f"call_{blake2b(said.encode('utf-8', 'surrogatepass'), digest_size=9).hexdigest()}"
