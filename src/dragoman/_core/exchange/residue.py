"""What was seated beside what is read back of it: the smallest runs of messages that agree.

A wire may say one message in several elements, or several in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from ...capabilities import Capabilities
from ...errors import InvalidMessage, WriteError
from ...losses import Field, Report
from ...message import (
    ChatRequest,
    Msg,
    ServerTool,
    TextBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    dump,
    load,
)
from ...message.blocks import ContentBlock
from ...message.check import own_fields
from ...message.stored import VERSION
from ...protocols.base import HttpRequest, Room
from ..jsontext import JsonObject, canonical
from ..passes.roles import RoledHistory
from .pipeline import PreparedHistory


def aligned(
    history: RoledHistory, back: list[Msg], caps: Capabilities, room: Room, report: Report
) -> Iterator[tuple[list[Msg], list[Msg]]]:
    """(messages as they were seated, what is read back of them): the smallest runs that agree."""
    quiet = report.trial()
    ours = [_count(m, seat, caps, room, quiet)
            for m, seat in zip(history.msgs, history.roles, strict=True)]  # fmt: skip
    apart = [m for m in back if (m.spelling or "").startswith("top")]
    inline = back[len(apart) :]
    theirs = [len(room.messages_as_read([m])) for m in inline]
    head = next((h for h in range(len(ours)) if sum(ours[h:]) == sum(theirs)), None)
    if head is None:
        return
    if head:
        yield history.msgs[:head], apart
    i = j = 0
    starts, total, read = (head, 0), 0, 0
    i = head
    while i < len(ours) or j < len(theirs):
        if i < len(ours) and (total <= read or j == len(theirs)):
            total += ours[i]
            i += 1
        else:
            read += theirs[j]
            j += 1
        if total == read:
            yield history.msgs[starts[0] : i], inline[starts[1] : j]
            starts = (i, j)


def _count(m: Msg, seat: int, caps: Capabilities, room: Room, report: Report) -> int:
    """How many elements the message makes; one that is said as it was read may not be composed."""
    try:
        return len(room.messages(RoledHistory([m], [seat], unusual=[0]), caps, report))
    except (WriteError, AttributeError, TypeError, KeyError):
        return len(room.messages_as_read([m]))


def left(
    req: ChatRequest,
    said: PreparedHistory,
    out: HttpRequest,
    caps: Capabilities,
    room: Room,
    report: Report,
) -> JsonObject:
    """What reading the request back would not give: messages by hash, fields, and own names.

    A field stands as it was and as it is read there, so that one that was changed meanwhile stays.
    """
    back = room.read_request(out.body, out.path, out.headers)
    made: JsonObject = {}
    runs = list(aligned(said.history, back.messages, caps, room, report))
    for told, theirs in _whole(runs, req.messages, report):
        if told != theirs:
            made[_key(theirs)] = {"n": len(theirs), "messages": [m.to_dict() for m in told]}
    ours, read = _fields(req), _fields(back)
    lost = {
        name: [ours.get(name), _hash(read.get(name))]
        for name in sorted({*ours, *read})
        if _bare(ours.get(name), own=True) != _bare(read.get(name))
    }
    names = {spelling: name for name, spelling in said.names.items()}
    parts = {"fields": lost, "extras": req.extras, "ids": said.ids, "names": names}
    made["$"] = {name: value for name, value in parts.items() if value}
    return made


def _whole(
    runs: Sequence[tuple[list[Msg], list[Msg]]], msgs: list[Msg], report: Report
) -> Iterator[tuple[list[Msg], list[Msg]]]:
    """(messages of the request, what is read of them), with those behind them that went unsaid."""
    at = {id(m): i for i, m in enumerate(msgs)}
    found = [[at[id(m)] for m in _sources(ours, msgs, report)] for ours, _ in runs]
    said = {i for one in found for i in one}
    first = True
    for one, (_, theirs) in zip(found, runs, strict=True):
        if not one or not theirs:
            continue
        start, end = min(one), max(one) + 1
        told = [*range(start)] if first else []
        told += one
        while end < len(msgs) and end not in said:
            told.append(end)
            end += 1
        first = False
        yield [msgs[i] for i in dict.fromkeys(told)], theirs


def put_back(req: ChatRequest, residue: Mapping[str, Any]) -> None:
    """Set into the request what was left over when it was written.

    Raises InvalidMessage for what is no residue.
    """
    rows = dict(_rows(_object(residue, "$.residue")))
    rest = _object(residue.get("$", {}), "$.residue.$")
    spell = _Spelling(_texts(rest, "ids"), _texts(rest, "names"))
    sizes = sorted({row["n"] for row in rows.values()}, reverse=True)
    msgs: list[Msg] = []
    at = 0
    while at < len(req.messages):
        n, found = next(
            ((n, row) for n in sizes
             if (row := rows.get(_key(req.messages[at : at + n]))) and row["n"] == n),
            (1, None),
        )  # fmt: skip
        told = req.messages[at : at + n]
        if found is None:
            msgs += map(spell.message, told)
        else:
            path = "$.residue.messages"
            msgs += [Msg.from_dict(m, f"{path}[{i}]") for i, m in enumerate(found["messages"])]
        at += n
    req.messages = msgs
    _put_fields(req, _object(rest.get("fields", {}), "$.residue.fields"), spell)
    if "extras" in rest:
        own_fields(rest["extras"], "$.residue.extras")
        req.extras = {**rest["extras"], **(req.extras or {})}


def _put_fields(req: ChatRequest, fields: Mapping[str, Any], spell: _Spelling) -> None:
    here = _fields(req)
    back: JsonObject = {}
    for name, pair in fields.items():
        match pair:
            case [was, str(became)]:
                if _hash(here.get(name)) == became:  # nobody has changed it meanwhile
                    back[name] = was
            case _:
                raise _strange(f"$.residue.fields.{name}")
    if "tools" not in back:
        req.tools = [spell.tool(tool) for tool in req.tools]
    if "tool_choice" not in back and req.tool_choice is not None:
        req.tool_choice = spell.choice(req.tool_choice)
    if not back:
        return
    told = {name: value for name, value in {**here, **back}.items() if value is not None}
    given = {name.removeprefix(_OPTION): value for name, value in told.items() if _OPTION in name}
    rest = {name: value for name, value in told.items() if _OPTION not in name}
    stored = {"messages": [], "options": given, **rest}
    made = load({"dragoman": VERSION, "kind": "request", "value": stored})
    assert isinstance(made, ChatRequest)  # as its kind says
    req.options = made.options
    for name in _NAMED:
        if name in back:
            setattr(req, name, getattr(made, name))


_OPTION = "options."


_NAMED = ("tools", "tool_choice", "response_format")


def _fields(req: ChatRequest) -> JsonObject:
    """The fields of a request that say how to answer, each as plain JSON, each option by itself."""
    asks = {name: getattr(req, name) for name in _NAMED}
    stored = dump(ChatRequest([], options=req.options, **asks))["value"]
    given = stored.get("options", {})
    options = {f"{_OPTION}{name}": value for name, value in given.items()}
    return {**options, **{name: stored[name] for name in _NAMED if name in stored}}


def _bare(value: Any, own: bool = False) -> Any:
    """The value as it is compared: of what was read here, without the reader's own notes."""
    if isinstance(value, list) and not own:
        return [{k: v for k, v in one.items() if k != "extras"} for one in value]
    return value


class _Spelling:
    """Ids and names of the wire, spelled as they were before, where messages came back otherwise.

    Nothing is changed in place: what was read is known by its nodes.
    """

    def __init__(self, ids: Mapping[str, str], names: Mapping[str, str]) -> None:
        self.ids = ids
        self.names = names

    def message(self, m: Msg) -> Msg:
        """The message with its calls and results under their own ids and names."""
        if isinstance(m.content, str) or not (self.ids or self.names):
            return m
        blocks = [self._block(block) for block in m.content]
        if all(new is old for new, old in zip(blocks, m.content, strict=True)):
            return m
        return Msg.trusted(m.name, blocks, m.role, m)

    def _block(self, block: ContentBlock) -> ContentBlock:
        if type(block) is not ToolUseBlock and type(block) is not ToolResultBlock:
            return block
        id, name = self.ids.get(block.id, block.id), self.names.get(block.name, block.name)
        same = id == block.id and name == block.name
        return block if same else replace(block, id=id, name=name)

    def tool(self, tool: Tool | ServerTool) -> Tool | ServerTool:
        """The tool under its own name."""
        if type(tool) is not Tool or tool.name not in self.names:
            return tool
        return replace(tool, name=self.names[tool.name])

    def choice(self, picked: ToolChoice) -> ToolChoice:
        """The choice of a tool under its own name."""
        name = None if picked.name is None else self.names.get(picked.name, picked.name)
        allowed = tuple(self.names.get(one, one) for one in picked.allowed)
        return replace(picked, name=name, allowed=allowed)


def _object(value: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _strange(path)
    return value


def _texts(rest: Mapping[str, Any], name: str) -> Mapping[str, str]:
    found = _object(rest.get(name, {}), f"$.residue.{name}")
    if not all(isinstance(one, str) for one in found.values()):
        raise _strange(f"$.residue.{name}")
    return found


def _strange(path: str) -> InvalidMessage:
    return InvalidMessage("no residue of a request", path=path, code="stored.type")


def _rows(residue: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, row in residue.items():
        if key == "$":
            continue
        match row:
            case {"n": int(n), "messages": list()} if n > 0:
                yield key, row
            case _:
                raise _strange("$.residue")


def _key(msgs: Sequence[Msg]) -> str:
    return _hash([_unsigned(m.to_dict()) for m in msgs])


def _hash(value: Any) -> str:
    return blake2b(canonical(value).encode(), digest_size=12).hexdigest()


def _unsigned(value: Any) -> Any:
    """The value without who made it: another model may be asked when it comes back."""
    if isinstance(value, dict):
        return {key: _unsigned(inner) for key, inner in value.items() if key != "origin"}
    return [_unsigned(inner) for inner in value] if isinstance(value, list) else value


def _sources(made: list[Msg], given: list[Msg], report: Report) -> Iterator[Msg]:
    """The messages of the request that these were made of, each once."""
    there = {id(m) for m in given}
    seen: set[int] = set()
    for m in made:
        for node in report.origins(m):
            if isinstance(node, Msg) and id(node) in there and id(node) not in seen:
                seen.add(id(node))
                yield node


_FIELDS = ("options", "tool_choice", "response_format")


def sourced(
    req: ChatRequest,
    made: PreparedHistory,
    out: HttpRequest,
    caps: Capabilities,
    room: Room,
    report: Report,
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
    runs = list(aligned(made.history, back.messages, caps, room, report))
    if sum(len(read) for _, read in runs) < len(back.messages):  # some are said as they were read
        runs = [(made.history.msgs, back.messages)]
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
