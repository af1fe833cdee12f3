"""`dragoman demo`: four speakers look for a library, with two tool calls, on every wire.

The Chinese one is the example of AgentScope's formatter tutorial, the English one a translation.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Annotated

import typer

from ..formatter import Formatter
from ..history.speakers import ByName
from ..losses import Loss
from ..message import Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ..text.json_text import JsonObject, arguments
from ..vendors import wire, wires
from . import options, output
from .output import Screen, plain, shorten_text, style_text


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


def _of_locale() -> Lang:
    """Chinese if the user's locale is Chinese, else English."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return Lang.zh if (next(filter(None, names), "")).lower().startswith("zh") else Lang.en


def library(lang: Lang = Lang.zh) -> list[Msg]:
    """The 11 messages."""
    system, bob, alice, charlie, answer, thanks, together = _LINES[lang]
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
        Msg("Friday", answer, "assistant"),
        Msg("Bob", thanks, "user"),
        Msg("Alice", together, "user"),
    ]


def _result(id: str, name: str, text: str) -> Msg:
    return Msg("system", [ToolResultBlock(id, name, [TextBlock(text)])], "system")


_CARD = 38  # columns that a card needs

_GAP = 4

_ROLE = 10

_ITEM = "bold yellow"  # an item without a role is a call or its result

_ROLES = {
    "system": "bold magenta",
    "developer": "bold magenta",
    "user": "bold cyan",
    "assistant": "bold green",
    "model": "bold green",
    "tool": "bold yellow",
}


@dataclass(slots=True)
class _View:
    """The conversation as some wires get it; `like` is the protocol that a vendor differs from."""

    wires: list[str]
    messages: list[JsonObject]
    losses: list[Loss]
    like: _View | None = None

    def same(self, other: _View) -> bool:
        """Whether messages and losses are the same."""
        return self.messages == other.messages and self._places() == other._places()

    def _places(self) -> list[tuple[str, str, str]]:
        return [(loss.code, loss.where, loss.what) for loss in self.losses]


def demo(
    lang: Annotated[Lang | None, typer.Option(help="zh or en; that of the locale.")] = None,
    as_json: options.Json = False,
) -> None:
    """Show one conversation of four speakers as every wire sees it.

    Speakers are distinguished by name, as the multi-agent formatters do it. Needs no network and no
    key.
    """
    msgs = library(lang or _of_locale())
    views = [_view(name, msgs) for name in wires()]
    if as_json:
        output.print_json({view.wires[0]: _view_json(view) for view in views})
        return
    screen = Screen()
    _conversation(screen, msgs)
    cards = _pair_with_protocols(_group_views(views))
    columns = max(1, (screen.width + _GAP) // (_CARD + _GAP))
    for group in ([v for v in cards if not v.like], [v for v in cards if v.like]):
        for start in range(0, len(group), columns):
            _side_by_side(screen, group[start : start + columns], columns)
    _closing(screen, views)


def _view(name: str, msgs: list[Msg]) -> _View:
    out = Formatter(name, speakers=ByName(), policy="ignore").write(msgs)
    return _View([name], out.messages, out.losses)


def _view_json(view: _View) -> JsonObject:
    return {"messages": view.messages, "losses": [loss.to_dict() for loss in view.losses]}


def _group_views(views: Sequence[_View]) -> list[_View]:
    """Wires with equal messages and losses together, in the order of the wires."""
    groups: list[_View] = []
    for view in views:
        same = next((group for group in groups if group.same(view)), None)
        if same is None:
            groups.append(_View(list(view.wires), view.messages, view.losses))
        else:
            same.wires += view.wires
    return groups


def _pair_with_protocols(views: list[_View]) -> list[_View]:
    """Set `like` for each vendor that sends as many messages as its protocol does."""
    homes = {name: view for view in views for name in view.wires}
    for view in views:
        home = homes[wire(view.wires[0]).room.protocol]
        if home is not view and len(home.messages) == len(view.messages):
            view.like = home
    return views


def _conversation(screen: Screen, msgs: list[Msg]) -> None:
    screen.print(style_text(f"One conversation: {len(msgs)} messages", style="bold"))
    width = max(len(msg.name) for msg in msgs)
    for i, msg in enumerate(msgs):
        head = style_text((f"{f'[{i}]':>4} ", "dim"), (f"{msg.name:<{width}} ", _ROLES[msg.role]))
        for line in shorten_text(style_text(_msg_text(msg)), screen.width - head.cell_len, 3):
            screen.print(head + line)
            head = style_text(" " * head.cell_len)


def _msg_text(msg: Msg) -> str:
    if isinstance(msg.content, str):
        return plain(msg.content)
    return " ".join(_block_text(block) for block in msg.content)


def _block_text(block: object) -> str:
    match block:
        case ToolUseBlock():
            return f"calls {block.name} {arguments(block.input)}, id {block.id}"
        case ToolResultBlock(output=[TextBlock(text=text)]):
            return f"{block.name} returns {text}, id {block.id}"
        case _:
            raise AssertionError("the conversation has no other blocks")


def _side_by_side(screen: Screen, row: Sequence[_View], columns: int) -> None:
    """Cards beside each other, with messages aligned."""
    width = (screen.width - _GAP * (columns - 1)) // columns
    tallest = max(len(view.messages) for view in row)
    screen.print()
    for cells in zip(*(_card(view, width, tallest) for view in row), strict=True):
        for texts in zip_longest(*cells, fillvalue=style_text()):
            line = style_text()
            for i, text in enumerate(texts):
                line.append(" " * (i * (width + _GAP) - line.cell_len))
                line.append_text(text)
            line.rstrip()
            screen.print(line)


def _card(view: _View, width: int, tallest: int) -> list[list[output.Text]]:
    """Title, messages (as many as the tallest card of the row has) and losses: lists of lines."""
    title = shorten_text(style_text(", ".join(view.wires), style="bold reverse"), width, 9)
    usual: Sequence[JsonObject | None] = [None] * len(view.messages)
    if view.like is not None:
        title += shorten_text(
            style_text(f"as {view.like.wires[0]}, but for:", style="dim"), width, 1
        )
        usual = view.like.messages
    cells = [
        [] if message == usual_message else _message(message, width)
        for message, usual_message in zip(view.messages, usual, strict=True)
    ]
    cells += [[]] * (tallest - len(view.messages))
    return [title, *cells, _losses(view, width)]


def _message(message: JsonObject, width: int) -> list[output.Text]:
    """A message after its role; an item without a role begins with its type."""
    first, *others = output.card(message, width - _ROLE)
    role = output.read_role(message)
    if role:
        head = style_text(f"{role:<{_ROLE}}"[:_ROLE], style=_ROLES.get(role, "bold")).append_text(
            first
        )
    else:
        head = style_text(first.plain, style=_ITEM)
    return [head, *(style_text(" " * _ROLE, line) for line in others)]


def _losses(view: _View, width: int) -> list[output.Text]:
    texts = [style_text(output.count_losses(view.losses), style="bold" if view.losses else "dim")]
    for (kind, code), losses in output.group_losses(view.losses).items():
        texts.append(style_text((f"{kind} ", output.COLOURS[kind]), code))
        texts += [style_text(plain(f"  {loss.where}"), style="dim") for loss in losses]
    return [line for text in texts for line in shorten_text(text, width, 2)]


def _closing(screen: Screen, views: Sequence[_View]) -> None:
    summary = "wires. A path such as $.messages[1] points into the conversation above."
    meanings = {loss.code: (loss.kind, loss.meaning) for view in views for loss in view.losses}
    texts = [
        style_text((code, output.COLOURS[kind]), f": {meaning}")
        for code, (kind, meaning) in sorted(meanings.items())
    ]
    screen.print()
    for text in (style_text(f"{len(views)} {summary}"), *texts):
        for line in shorten_text(text, screen.width, 4):
            screen.print(line)
