"""The conversation of `dragoman demo`: four speakers look for a library, with two tool calls.

The Chinese one is the example of AgentScope's formatter tutorial, the English one says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer

from .._core.jsontext import JsonObject, arguments
from ..formatter import Formatter
from ..losses import Loss
from ..message import Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ..rewrite.speakers import ByName
from ..vendors import wire, wires
from . import options
from .output import (
    COLOURS,
    card,
    console,
    counted,
    grouped,
    json_text,
    plain,
    role_of,
    say,
    shortened,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


class Lang(StrEnum):
    """The languages of the demo."""

    zh = "zh"
    en = "en"


_LINES = {
    Lang.zh: (
        "你是一个名为 Friday 的有用助手",
        "你好，Alice，你知道最近的图书馆在哪里吗？",
        "抱歉，我不知道。Charlie，你有什么想法吗？",
        "没有，我们问问 Friday 吧。Friday，帮我找到最近的图书馆。",
        "最近的图书馆是...",
        "谢谢，Friday！",
        "我们一起去吧。",
    ),
    Lang.en: (
        "You are a helpful assistant named Friday",
        "Hi Alice, do you know where the nearest library is?",
        "Sorry, I don't. Charlie, any idea?",
        "No, let's ask Friday. Friday, find me the nearest library.",
        "The nearest library is...",
        "Thanks, Friday!",
        "Let's go there together.",
    ),
}


def library(lang: Lang = Lang.zh) -> list[Msg]:
    """The 11 messages."""
    system, bob, alice, charlie, found, thanks, together = _LINES[lang]
    place = {"location": [104.48, 36.30], "keyword": "library"}
    return [
        Msg("system", system, "system"),
        Msg("Bob", bob, "assistant"),
        Msg("Alice", alice, "assistant"),
        Msg("Charlie", charlie, "assistant"),
        Msg("Friday", [ToolUseBlock("1", "get_current_location", {})], "assistant"),
        _result("1", "get_current_location", "104.48, 36.30"),
        Msg("Friday", [ToolUseBlock("2", "search_around", place)], "assistant"),
        _result("2", "search_around", "[...]"),
        Msg("Friday", found, "assistant"),
        Msg("Bob", thanks, "user"),
        Msg("Alice", together, "user"),
    ]


def _result(id: str, name: str, text: str) -> Msg:
    return Msg("system", [ToolResultBlock(id, name, [TextBlock(text)])], "system")


_CARD = 38  # columns that a card needs


_GAP = 4


_ROLE = 10


_ITEM = "bold yellow"  # what has no role is a call or its result


_ROLES = {
    "system": "bold magenta",
    "developer": "bold magenta",
    "user": "bold cyan",
    "assistant": "bold green",
    "model": "bold green",
    "tool": "bold yellow",
}


@dataclass(slots=True)
class _Seen:
    """The conversation as some wires see it; `like` is the protocol that a vendor differs from."""

    wires: list[str]
    messages: list[JsonObject]
    losses: list[Loss]
    like: _Seen | None = None


def demo(
    lang: Annotated[Lang, typer.Option(help="The language of the conversation.")] = Lang.zh,
    as_json: options.Json = False,
) -> None:
    """Show one conversation of four speakers as every wire sees it.

    The speakers are told apart by name, as the multi-agent formatters do it. Needs no network and
    no key.
    """
    msgs = library(lang)
    seen = [_seen(name, msgs) for name in wires()]
    if as_json:
        say(json_text({one.wires[0]: _plain(one) for one in seen}))
        return
    screen = console()
    _conversation(screen, msgs)
    alike = _likened(_alike(seen))
    columns = max(1, (screen.width + _GAP) // (_CARD + _GAP))
    for cards in ([one for one in alike if not one.like], [one for one in alike if one.like]):
        for start in range(0, len(cards), columns):
            _side_by_side(screen, cards[start : start + columns], columns)
    _closing(screen, seen)


def _seen(name: str, msgs: list[Msg]) -> _Seen:
    out = Formatter(name, speakers=ByName(), policy="ignore").write(msgs)
    return _Seen([name], out.messages, out.losses)


def _plain(seen: _Seen) -> JsonObject:
    return {"messages": seen.messages, "losses": [loss.to_dict() for loss in seen.losses]}


def _alike(seen: Sequence[_Seen]) -> list[_Seen]:
    """Wires with the same messages and losses together, in the order of the wires."""
    found: list[_Seen] = []
    for one in seen:
        same = next((other for other in found if _same(one, other)), None)
        if same is None:
            found.append(_Seen(list(one.wires), one.messages, one.losses))
        else:
            same.wires += one.wires
    return found


def _likened(alike: list[_Seen]) -> list[_Seen]:
    """The same, each vendor beside its protocol, where both send as many messages."""
    homes = {name: one for one in alike for name in one.wires}
    for one in alike:
        home = homes[wire(one.wires[0]).room.protocol]
        if home is not one and len(home.messages) == len(one.messages):
            one.like = home
    return alike


def _same(one: _Seen, other: _Seen) -> bool:
    return one.messages == other.messages and _places(one) == _places(other)


def _places(seen: _Seen) -> list[tuple[str, str, str]]:
    return [(loss.code, loss.where, loss.what) for loss in seen.losses]


def _conversation(screen: Console, msgs: list[Msg]) -> None:
    from rich.text import Text

    screen.print(Text(f"One conversation: {len(msgs)} messages", "bold"))
    width = max(len(msg.name) for msg in msgs)
    for i, msg in enumerate(msgs):
        head = Text.assemble(
            (f"{f'[{i}]':>4} ", "dim"), (f"{msg.name:<{width}} ", _ROLES[msg.role])
        )
        lines = shortened(Text(_told(msg)), screen.width - head.cell_len, 3)
        for line in lines:
            screen.print(head + line)
            head = Text(" " * head.cell_len)


def _told(msg: Msg) -> str:
    if isinstance(msg.content, str):
        return plain(msg.content)
    return " ".join(_block(block) for block in msg.content)


def _block(block: object) -> str:
    match block:
        case ToolUseBlock():
            return f"calls {block.name} {arguments(block.input)}, id {block.id}"
        case ToolResultBlock(output=[TextBlock(text=text)]):
            return f"{block.name} returns {text}, id {block.id}"
        case _:
            raise AssertionError("the conversation has no other blocks")


def _side_by_side(screen: Console, row: Sequence[_Seen], columns: int) -> None:
    """Cards beside each other, message beside message."""
    from rich.text import Text

    width = (screen.width - _GAP * (columns - 1)) // columns
    tallest = max(len(one.messages) for one in row)
    screen.print()
    for cells in zip(*(_card(one, width, tallest) for one in row), strict=True):
        for lines in zip_longest(*cells, fillvalue=Text("")):
            screen.print(_beside(lines, width))


def _beside(lines: Sequence[Text], width: int) -> Text:
    from rich.text import Text

    whole = Text("")
    for i, line in enumerate(lines):
        whole.append(" " * (i * (width + _GAP) - whole.cell_len))
        whole.append_text(line)
    whole.rstrip()
    return whole


def _card(seen: _Seen, width: int, tallest: int) -> list[list[Text]]:
    """Title, messages (as many as the tallest card of the row has) and losses: lists of lines."""
    from rich.text import Text

    title = shortened(Text(", ".join(seen.wires), "bold reverse"), width, 3)
    if seen.like is not None:
        title += shortened(Text(f"as {seen.like.wires[0]}, but for:", "dim"), width, 1)
    said = [None] * len(seen.messages) if seen.like is None else seen.like.messages
    cells = [
        [] if message == usual else _message(message, width)
        for message, usual in zip(seen.messages, said, strict=True)
    ]
    cells += [[]] * (tallest - len(seen.messages))
    return [title, *cells, _losses(seen, width)]


def _message(message: JsonObject, width: int) -> list[Text]:
    """A message behind its role; an item without a role begins with its type."""
    from rich.text import Text

    lines = card(message, width - _ROLE)
    role = role_of(message)
    if role:
        first = Text(f"{role:<{_ROLE}}"[:_ROLE], _ROLES.get(role, "bold")).append_text(lines[0])
    else:
        first = Text(lines[0].plain, _ITEM)
    return [first, *(Text(" " * _ROLE).append_text(line) for line in lines[1:])]


def _losses(seen: _Seen, width: int) -> list[Text]:
    from rich.text import Text

    found = [Text(counted(seen.losses), "bold" if seen.losses else "dim")]
    for (kind, code), losses in grouped(seen.losses).items():
        found.append(Text.assemble((f"{kind} ", COLOURS[kind]), code))
        found += [Text(plain(f"  {loss.where}"), "dim") for loss in losses]
    return [line for text in found for line in shortened(text, width, 2)]


def _closing(screen: Console, seen: Sequence[_Seen]) -> None:
    from rich.text import Text

    said = f"{len(seen)} wires. A path such as $.messages[1] points into the conversation above."
    meanings = {loss.code: (loss.kind, loss.meaning) for one in seen for loss in one.losses}
    texts = [Text.assemble((code, COLOURS[kind]), f": {meaning}")
             for code, (kind, meaning) in sorted(meanings.items())]  # fmt: skip
    screen.print()
    for text in (Text(said), *texts):
        for line in shortened(text, screen.width, 4):
            screen.print(line)
