"""Where everything in a written body comes from: its places, each with the node that it says.

Worked out when somebody asks: the body is read back, and what is read is laid beside what was
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..capabilities import Capabilities
from ..losses import Field, Report
from ..message import ChatRequest, Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ..room import Request, Room
from .aligned import aligned
from .passes import Seating

__all__ = ["sourced"]

_FIELDS = ("options", "tool_choice", "response_format")


def sourced(
    req: ChatRequest, made: Seating, out: Request, can: Capabilities, room: Room, report: Report
) -> Iterator[tuple[str, object]]:
    """(path in the body, node of the request or Field of one) of everything that the body says.

    The node is the one that was given; of what was added it is what it was added for, if anything.
    """
    back = room.read_request(out.body, out.path, out.headers)
    ours: dict[int, object] = {id(back): req}
    texts: dict[int, object] = {}
    for name in _FIELDS:
        ours[id(getattr(back, name))] = getattr(req, name)
    # as many as there are: a wire may say tools of its own where it has no list for them
    for theirs, tool in zip(back.tools, made.tools, strict=False):
        ours[id(theirs)] = report.source(tool)
    runs = list(aligned(made.seated, back.messages, can, room, report))
    if sum(len(read) for _, read in runs) < len(back.messages):  # some are said as they were read
        runs = [(made.seated.msgs, back.messages)]
    for mine, read in runs:
        _laid(mine, read, ours, texts, report)
    yield "$", req
    for path, node in room.places(back, out.body):
        if type(node) is Field:
            if (found := ours.get(id(node.node))) is not None:
                yield path, Field(found, node.name)
        elif (found := ours.get(id(node))) is not None:
            yield path, found
            if (said := texts.get(id(node), found)) is not found:
                yield path, said


def _laid(
    mine: Sequence[Msg],
    read: Sequence[Msg],
    ours: dict[int, object],
    texts: dict[int, object],
    report: Report,
) -> None:
    """Lay what was read beside what was written: messages in turn, blocks by what they say.

    `texts` are the blocks that messages say which hold a text alone.
    """
    left = [(m, block) for m in mine for block in _blocks(m)]
    for nth, m in enumerate(read):
        if not mine:
            return
        home = mine[min(nth, len(mine) - 1)]
        for at, block in enumerate(_blocks(m)):
            found = _like(block, left)
            if found is None:
                continue
            of, one = left.pop(found)
            home = of if at == 0 else home
            node = _given(one, of, report)
            if isinstance(block, str):
                texts[id(m)] = node
            else:
                ours[id(block)] = node
                ours[id(getattr(block, "source", None))] = getattr(node, "source", node)
                _inner(block, one, ours, report)
        ours[id(m)] = report.source(home)


def _given(block: Any, of: Msg, report: Report) -> Any:
    """What was given of which the block was made: a block, or a message that is a plain text."""
    if isinstance(block, str):
        return report.source(of)
    found = report.source(block)
    if found is block and type(block) is TextBlock:
        for m in report.origins(of):
            if isinstance(m, Msg) and m.content == block.text:
                return m
    return found


def _inner(read: Any, mine: Any, ours: dict[int, object], report: Report) -> None:
    theirs, said = getattr(read, "output", None), getattr(mine, "output", None)
    if isinstance(theirs, list) and isinstance(said, list):
        for block, one in zip(theirs, said, strict=False):
            ours[id(block)] = report.source(one)


def _blocks(m: Msg) -> Sequence[Any]:
    """The blocks of a message; a plain text is one."""
    return (m.content,) if isinstance(m.content, str) else m.content


def _like(block: Any, left: Sequence[tuple[Msg, Any]]) -> int | None:
    """Which of these is most like what was read: it says the same, is a part, is of its kind."""
    for test in (_says_the_same, _holds, _of_a_kind):
        for i, (_, one) in enumerate(left):
            if test(block, one):
                return i
    return None


def _says_the_same(read: Any, mine: Any) -> bool:
    if isinstance(read, (ToolUseBlock, ToolResultBlock)):
        return type(mine) is type(read) and bool(mine.id == read.id)
    text = _text(read)
    return text is not None and text == _text(mine)


def _holds(read: Any, mine: Any) -> bool:
    """Whether the one text is a part of the other: texts were joined, or tags were put around."""
    text, said = _text(read), _text(mine)
    return bool(text) and bool(said) and (str(said) in str(text) or str(text) in str(said))


def _of_a_kind(read: Any, mine: Any) -> bool:
    return _kind(read) == _kind(mine)


def _kind(block: Any) -> str:
    return "text" if isinstance(block, str) else str(block.type)


def _text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    if type(block) is TextBlock:
        return block.text
    return getattr(block, "thinking", None)
