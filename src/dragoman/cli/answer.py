"""An answer as a person reads it: its blocks in order, why it ended, and what it cost.

Everything that a model wrote is printed as plain text. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..message import (
    Base64Source,
    ChatResponse,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ..message.blocks import Citation, ContentBlock
from .excerpts import laid_out
from .output import plain

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["STYLES", "ending", "lines", "put", "show", "title"]

STYLES = {"head": "bold", "text": "", "thinking": "dim", "tool": "bold yellow", "refusal": "red",
          "aside": "dim", "wrong": "bold red"}  # fmt: skip

_WIDTH = 96


def show(screen: Console, resp: ChatResponse) -> None:
    """Print the message of each candidate, and the ending."""
    many = len(resp.candidates) > 1
    for nth, one in enumerate(resp.candidates, 1):
        if many:
            put(screen, "head", f"candidate {nth} of {len(resp.candidates)}: {one.finish.reason}")
        for block in one.msg.blocks:
            for style, text in _block(block):
                put(screen, style, text)
            put(screen, "text", "")
    for style, text in ending(resp):
        put(screen, style, text)


def put(screen: Console, style: str, text: str, end: str = "\n") -> None:
    """Print text in one of the styles, as it is but for what could steer the terminal."""
    from rich.text import Text

    screen.print(Text(lines(text), STYLES[style]), end=end, soft_wrap=True)


def lines(text: str) -> str:
    """The text without control characters; line ends and tabs stay."""
    return "".join(c if c in "\n\t" else plain(c) for c in text.replace("\r\n", "\n"))


def _block(block: ContentBlock) -> Iterator[tuple[str, str]]:
    match block:
        case TextBlock():
            yield "text", block.text
            yield from (("aside", _cited(one)) for one in block.citations or ())
        case ThinkingBlock():
            yield "thinking", title(block)
            if block.thinking:
                yield "thinking", block.thinking
        case RefusalBlock():
            yield "refusal", f"refuses: {block.text}"
        case ToolUseBlock():
            yield "tool", title(block)
            yield "text", arguments(block)
        case _:
            yield "aside", title(block)


def arguments(call: ToolUseBlock) -> str:
    """The input of a call, laid out; of one that breaks off the text that came."""
    broken = call.unfinished and call.raw_input is not None
    return (call.raw_input or "") if broken else laid_out(call.input, _WIDTH)


def title(block: ContentBlock) -> str:
    """What a block is, in a line."""
    match block:
        case ToolUseBlock():
            broken = ", unfinished: it must not be run" if block.unfinished else ""
            return f"calls {block.name}  (id {block.id}{broken})"
        case ThinkingBlock():
            sealed = len(block.redacted or block.signature or "")
            return f"(thinking, sealed in {sealed} characters)" if sealed else "(thinking)"
        case RawBlock():
            kind = block.data.get("type") if isinstance(block.data, dict) else None
            pair = f", id {block.pair}" if block.pair else ""
            return f"({block.issuer}: {kind or block.role}{pair})"
        case _:
            return f"({block.type}{_source(block.get('source'))})"


def _source(source: Any) -> str:
    if isinstance(source, Base64Source):
        return f", {source.media_type}, {len(source.data)} characters of base64"
    url = getattr(source, "url", None)
    return f", {url}" if url else ""


def _cited(one: Citation) -> str:
    said = [one.title, one.url, f'"{one.quote}"' if one.quote else None]
    return f"  [{'  '.join(part for part in said if part) or 'a source'}]"


def ending(resp: ChatResponse) -> Iterator[tuple[str, str]]:
    """How the answer ended, who gave it, and its tokens."""
    reason, raw = resp.finish.reason, resp.finish.raw
    said = f"{resp.status}: {reason}" + (f" ({raw})" if raw and raw != reason else "")
    yield (
        ("aside" if resp.status == "complete" else "wrong"),
        "  ".join(part for part in (said, resp.model, resp.id) if part),
    )
    counts = [(f.name, getattr(resp.usage, f.name)) for f in fields(resp.usage)]
    told = [f"{name} {count}" for name, count in counts if type(count) is int]
    if told:
        yield "aside", f"tokens: {', '.join(told)}"
