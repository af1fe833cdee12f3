"""What a block that is told whole adds to what was told of it in pieces.

Knows no provider: text that went out stands, so a whole block can only go on from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..jsontext import JsonObject
from ..jsontext import arguments as spell
from ..message import RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ..message.blocks import ContentBlock, Extras
from ..message.total import total
from .arguments import closing, parsed

__all__ = ["argument_text", "going_on", "rest", "silent"]

_GROWS: dict[type[Any], tuple[str, ...]] = {
    TextBlock: ("text",),
    ThinkingBlock: ("thinking", "signature", "redacted"),
    ToolUseBlock: ("raw_input",),
    RefusalBlock: ("text",),
}


def argument_text(call: ToolUseBlock) -> str:
    """The argument text of a call, or of a piece of one; nothing if it has no arguments so far."""
    if call.raw_input is not None:
        return call.raw_input
    return spell(call.input) if call.input else ""


def silent(block: ContentBlock) -> bool:
    """Whether a piece adds no word to its block: no text, no seal, no citation, no argument."""
    fields = _GROWS.get(type(block))
    if fields is None or any(getattr(block, name) for name in fields):
        return False
    if type(block) is TextBlock:
        return not block.citations
    return type(block) is not ToolUseBlock or not block.input


def going_on(said: list[ContentBlock], block: ContentBlock) -> ContentBlock:
    """A piece behind a block that has ended: behind a call, it is the next call of that name."""
    if type(block) is not ToolUseBlock or block.name:
        return block
    return replace(block, name=getattr(total(said), "name", ""))


def rest(said: ContentBlock, whole: ContentBlock) -> ContentBlock | None:
    """The piece that makes `said` the `whole` block; None if it says otherwise.

    Both are of one kind. A text that the whole block leaves out was not taken back by it.

    >>> rest(TextBlock("Sama"), TextBlock("Samarkand")).text
    'rkand'
    """
    if type(whole) not in _GROWS:
        return None
    given: dict[str, Any]
    if type(whole) is ToolUseBlock and type(said) is ToolUseBlock and whole.raw_input is None:
        text = _missing(said, whole)
        if text is None and said.raw_input:
            return None
        given = {"raw_input": text}
    else:
        names = _GROWS[type(whole)]
        given = {name: _behind(getattr(said, name), getattr(whole, name)) for name in names}
        if None in given.values():
            return None
    if type(whole) is ToolUseBlock:
        given |= {"id": "", "name": ""} | ({} if given["raw_input"] is None else {"input": {}})
    if type(whole) is TextBlock and type(said) is TextBlock:
        given["citations"] = (whole.citations or [])[len(said.citations or ()) :] or None
    return replace(whole, extras=_news(said.extras, whole.extras), **given)


def _behind(said: str | None, whole: str | None) -> str | None:
    """What the whole text has behind what was said; None if it is another text."""
    if not whole:
        return ""
    return whole[len(said or "") :] if whole.startswith(said or "") else None


def _missing(said: ToolUseBlock, whole: ToolUseBlock) -> str | None:
    """The argument text that is missing for a value to stand there; None if none makes it."""
    text = said.raw_input or ""
    if said.input == whole.input and not text:
        return ""
    end = closing(text)
    return end if text and parsed(text + end) == whole.input else None


def _news(said: Extras | None, whole: Extras | None) -> Extras | None:
    """The fields that are new or otherwise."""
    made: dict[str, JsonObject] = {}
    for issuer, told in (whole or {}).items():
        before = (said or {}).get(issuer, {})
        if new := {k: v for k, v in told.items() if k not in before or before[k] != v}:
            made[issuer] = new
    return made or None
