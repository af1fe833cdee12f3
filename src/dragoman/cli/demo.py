"""`dragoman demo`: one conversation of four speakers as every wire sees it. Offline, no key.

Wires that say it alike share a card; cards stand side by side as far as the width allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer

from ..formatter import Formatter
from ..jsontext import JsonObject, arguments
from ..losses import Loss
from ..message import Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ..rewrite.speakers import ByName
from ..vendors import wires
from . import options
from .cards import card, role_of, shortened
from .conversation import Lang, library
from .output import COLOURS, console, counted, grouped, json_text, plain, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["demo"]

_CARD = 38  # columns that a card needs
_GAP = 4
_ROLE = 10

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
    """The conversation as some wires see it."""

    wires: list[str]
    messages: list[JsonObject]
    losses: list[Loss]


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
    alike = _alike(seen)
    columns = max(1, (screen.width + _GAP) // (_CARD + _GAP))
    for start in range(0, len(alike), columns):
        _side_by_side(screen, alike[start : start + columns], columns)
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

    title = Text(", ".join(seen.wires), "bold reverse")
    cells = [shortened(title, width, 3)]
    for message in seen.messages:
        lines = card(message, width - _ROLE)
        role = role_of(message)
        badges = [Text(f"{role:<{_ROLE}}"[:_ROLE], _ROLES.get(role, "bold"))]
        badges += [Text(" " * _ROLE) for _ in lines[1:]]
        cells.append([Text.assemble(*both) for both in zip(badges, lines, strict=True)])
    cells += [[]] * (tallest - len(seen.messages))
    return [*cells, _losses(seen, width)]


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
