"""What a written request loses on the way back, and which of its parts each path comes from.

Both compare the history that was written with what is read back of it, in the smallest runs of
messages that agree: a wire may write one message as several elements, or several as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from operator import is_
from typing import Any

from .. import message as tree
from ..capabilities import Capabilities
from ..errors import InvalidMessage, WriteError
from ..history.passes.survey import RoledHistory
from ..history.pipeline import PreparedHistory
from ..losses import Field, Report
from ..message import ChatRequest, ContentBlock, Msg, Tool, ToolResultBlock, ToolUseBlock
from ..message.check import own_fields
from ..message.media_urls import of_others
from ..message.shared import own_entries
from ..message.stored import VERSION
from ..protocols.base import HttpRequest, Room
from ..text.json_text import JsonObject, canonical


def align(
    history: RoledHistory, read_back: list[Msg], caps: Capabilities, room: Room, report: Report
) -> Iterator[tuple[list[Msg], list[Msg]]]:
    """(messages as they were prepared, what is read back of them), in the smallest equal runs."""
    quiet = report.trial()
    sizes = [
        _count(m, role, caps, room, quiet)
        for m, role in zip(history.msgs, history.roles, strict=True)
    ]
    prompt = [m for m in read_back if (m.spelling or "").startswith("top")]
    inline = read_back[len(prompt) :]
    read_sizes = [len(room.messages_as_read([m])) for m in inline]
    head = next(
        (start for start in range(len(sizes)) if sum(sizes[start:]) == sum(read_sizes)), None
    )
    if head is None:
        return
    if head:
        yield history.msgs[:head], prompt
    i, j = head, 0
    begin, total, read_total = (head, 0), 0, 0
    while i < len(sizes) or j < len(read_sizes):
        if i < len(sizes) and (total <= read_total or j == len(read_sizes)):
            total += sizes[i]
            i += 1
        else:
            read_total += read_sizes[j]
            j += 1
        if total == read_total:
            yield history.msgs[begin[0] : i], inline[begin[1] : j]
            begin = (i, j)


def _count(m: Msg, role: int, caps: Capabilities, room: Room, report: Report) -> int:
    """How many elements a message becomes; one kept as it was read may be impossible to compose."""
    try:
        return len(room.messages(RoledHistory([m], [role], unusual=[0]), caps, report))
    except (WriteError, AttributeError, TypeError, KeyError):
        return len(room.messages_as_read([m]))


def compute_residue(
    req: ChatRequest,
    prepared: PreparedHistory,
    http: HttpRequest,
    caps: Capabilities,
    room: Room,
    report: Report,
) -> JsonObject:
    """What reading the request back would not restore: messages by hash, fields, and own names.

    Each field is stored with a hash of what is read back for it. If that has changed meanwhile,
    the change wins over the stored value.
    """
    read_back = room.read_request(own_entries(http.body), http.path, http.headers)
    residue: JsonObject = {}
    runs = list(align(prepared.history, read_back.messages, caps, room, report))
    for sources, messages in _whole(runs, req.messages, report):
        if sources != messages:
            stored = [m.to_dict() for m in sources]
            residue[_key(messages)] = {"n": len(messages), "messages": stored}
    given_fields, read_fields = _fields(req), _fields(read_back)
    changed_fields = {
        name: [given_fields.get(name), _hash(read_fields.get(name))]
        for name in sorted({*given_fields, *read_fields})
        if given_fields.get(name) != _without_notes(name, read_fields.get(name))
    }
    names = {spelling: name for name, spelling in prepared.names.items()}
    parts = {"fields": changed_fields, "extras": req.extras, "ids": prepared.ids, "names": names}
    residue["$"] = {name: value for name, value in parts.items() if value}
    return residue


def _whole(
    runs: Sequence[tuple[list[Msg], list[Msg]]], msgs: list[Msg], report: Report
) -> Iterator[tuple[list[Msg], list[Msg]]]:
    """(messages of the request, what is read of them); unwritten ones join the run before them."""
    positions = {id(m): i for i, m in enumerate(msgs)}
    sources = [[positions[id(m)] for m in _sources(prepared, msgs, report)] for prepared, _ in runs]
    written = {i for indexes in sources for i in indexes}
    first = True
    for indexes, (_, messages) in zip(sources, runs, strict=True):
        if not indexes or not messages:
            continue
        start, end = min(indexes), max(indexes) + 1
        run = [*range(start)] if first else []
        run += indexes
        while end < len(msgs) and end not in written:
            run.append(end)
            end += 1
        first = False
        yield [msgs[i] for i in dict.fromkeys(run)], messages


def restore_residue(req: ChatRequest, residue: Mapping[str, Any]) -> None:
    """Put the residue of the written request back into the request.

    Raises InvalidMessage if it is no residue.
    """
    rows = dict(_rows(_object(residue, "$.residue")))
    fields = _object(residue.get("$", {}), "$.residue.$")
    spelling = _Spelling(_texts(fields, "ids"), _texts(fields, "names"))
    sizes = sorted({row["n"] for row in rows.values()}, reverse=True)
    msgs: list[Msg] = []
    position = 0
    while position < len(req.messages):
        n, row_found = next(
            (
                (n, row)
                for n in sizes
                if (row := rows.get(_key(req.messages[position : position + n]))) and row["n"] == n
            ),
            (1, None),
        )
        run = req.messages[position : position + n]
        if row_found is None:
            msgs += map(spelling.message, run)
        else:
            path = "$.residue.messages"
            msgs += [
                _restore_message(m, f"{path}[{i}]") for i, m in enumerate(row_found["messages"])
            ]
        position += n
    req.messages = msgs
    _put_fields(req, _object(fields.get("fields", {}), "$.residue.fields"), spelling)
    if "extras" in fields:
        own_fields(fields["extras"], "$.residue.extras")
        req.extras = {**fields["extras"], **(req.extras or {})}


def _restore_message(data: Any, path: str) -> Msg:
    """Read a message of the residue; files it names are not opened, since it came with a body."""
    m = Msg.from_dict(data, path)
    if not isinstance(m.content, str):
        m.content = [of_others(block) for block in m.content]
    return m


def _put_fields(req: ChatRequest, fields: Mapping[str, Any], spelling: _Spelling) -> None:
    now = _fields(req)
    restored: JsonObject = {}
    for name, pair in fields.items():
        match pair:
            case [was, str(digest)]:
                if _hash(now.get(name)) == digest:  # unchanged since
                    restored[name] = was
            case _:
                raise _invalid(f"$.residue.fields.{name}")
    if "tools" not in restored:
        req.tools = [spelling.tool(tool) for tool in req.tools]
    if "tool_choice" not in restored and req.tool_choice is not None:
        req.tool_choice = spelling.choice(req.tool_choice)
    if not restored:
        return
    merged = {name: value for name, value in {**now, **restored}.items() if value is not None}
    options = {
        name.removeprefix(_OPTION): value for name, value in merged.items() if _OPTION in name
    }
    others = {name: value for name, value in merged.items() if _OPTION not in name}
    stored = {"messages": [], "options": options, **others}
    request = tree.load({"dragoman": VERSION, "kind": "request", "value": stored})
    assert isinstance(request, ChatRequest)  # by its kind
    req.options = request.options
    for name in _NAMED:
        if name in restored:
            setattr(req, name, getattr(request, name))


_OPTION = "options."
_NAMED = ("tools", "tool_choice", "response_format")
_NODES = ("options", "tool_choice", "response_format")


def _fields(req: ChatRequest) -> JsonObject:
    """The request's fields other than messages, as plain JSON; each option by itself."""
    named = {name: getattr(req, name) for name in _NAMED}
    stored = tree.dump(ChatRequest([], options=req.options, **named))["value"]
    stored_options = stored.get("options", {})
    options = {f"{_OPTION}{name}": value for name, value in stored_options.items()}
    return {**options, **{name: stored[name] for name in _NAMED if name in stored}}


def _without_notes(name: str, value: Any) -> Any:
    """A field as it was read here, without the reader's own notes on tools."""
    if name == "tools" and value is not None:
        return [{k: v for k, v in tool.items() if k != "extras"} for tool in value]
    return value


@dataclass(frozen=True, slots=True)
class _Spelling:
    """Ids and names as the wire spells them -> the original ones, for messages read back.

    It copies instead of changing in place, because what was read is recognized by identity.
    """

    ids: Mapping[str, str]
    names: Mapping[str, str]

    def message(self, m: Msg) -> Msg:
        """The message with its calls and results under their own ids and names."""
        if isinstance(m.content, str) or not (self.ids or self.names):
            return m
        blocks = [self._block(block) for block in m.content]
        same = all(map(is_, blocks, m.content))
        return m if same else Msg.create_unchecked(m.name, blocks, m.role, m)

    def _block(self, block: ContentBlock) -> ContentBlock:
        if type(block) is not ToolUseBlock and type(block) is not ToolResultBlock:
            return block
        id, name = self.ids.get(block.id, block.id), self.names.get(block.name, block.name)
        same = id == block.id and name == block.name
        return block if same else replace(block, id=id, name=name)

    def tool(self, tool: Tool | tree.ServerTool) -> Tool | tree.ServerTool:
        """The tool under its own name."""
        if type(tool) is not Tool or tool.name not in self.names:
            return tool
        return replace(tool, name=self.names[tool.name])

    def choice(self, choice: tree.ToolChoice) -> tree.ToolChoice:
        """The choice of a tool under its own name."""
        name = None if choice.name is None else self.names.get(choice.name, choice.name)
        allowed = tuple(self.names.get(tool, tool) for tool in choice.allowed)
        return replace(choice, name=name, allowed=allowed)


def _object(value: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _invalid(path)
    return value


def _texts(fields: Mapping[str, Any], name: str) -> Mapping[str, str]:
    texts = _object(fields.get(name, {}), f"$.residue.{name}")
    if not all(isinstance(text, str) for text in texts.values()):
        raise _invalid(f"$.residue.{name}")
    return texts


def _invalid(path: str) -> InvalidMessage:
    return InvalidMessage("no residue of a request", path=path, code="stored.type")


def _rows(residue: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, row in residue.items():
        if key == "$":
            continue
        match row:
            case {"n": int(n), "messages": list()} if n > 0:
                yield key, row
            case _:
                raise _invalid("$.residue")


def _key(msgs: Sequence[Msg]) -> str:
    return _hash([_without_origin(m.to_dict()) for m in msgs])


def _hash(value: Any) -> str:
    return blake2b(canonical(value).encode(), digest_size=12).hexdigest()


def _without_origin(value: Any) -> Any:
    """The value without its origin: another model may be asked when it comes back."""
    if isinstance(value, dict):
        asides = ("origin", "read") if value.get("type") in ("url", "local") else ("origin",)
        return {key: _without_origin(item) for key, item in value.items() if key not in asides}
    return [_without_origin(item) for item in value] if isinstance(value, list) else value


def _sources(prepared: list[Msg], messages: list[Msg], report: Report) -> Iterator[Msg]:
    """The messages of the request that these were made from, each once."""
    ids = {id(m) for m in messages}
    seen: set[int] = set()
    for m in prepared:
        for node in report.origins(m):
            if isinstance(node, Msg) and id(node) in ids and id(node) not in seen:
                seen.add(id(node))
                yield node


def source_map(
    req: ChatRequest,
    prepared: PreparedHistory,
    http: HttpRequest,
    caps: Capabilities,
    room: Room,
    report: Report,
) -> Iterator[tuple[str, object]]:
    """(path in the body, node of the request or Field of one) for everything in the body.

    A node is the caller's own object. Of something that was added, it is the node for which it was
    added, if there is one.
    """
    body = own_entries(http.body)
    read_back = room.read_request(body, http.path, http.headers)
    sources: dict[int, object] = {id(read_back): req}
    text_sources: dict[int, object] = {}
    for name in _NODES:
        sources[id(getattr(read_back, name))] = getattr(req, name)
    # only as many as both have: a wire without a list of tools may put them elsewhere
    for declared, tool in zip(read_back.tools, prepared.tools, strict=False):
        sources[id(declared)] = report.source(tool)
    runs = list(align(prepared.history, read_back.messages, caps, room, report))
    if sum(len(messages) for _, messages in runs) < len(read_back.messages):
        # some are written as they were read
        runs = [(prepared.history.msgs, read_back.messages)]
    for written, read_messages in runs:
        _match_blocks(written, read_messages, sources, text_sources, report)
    yield "$", req
    for path, node in room.places(read_back, body):
        if type(node) is Field:
            if (source := sources.get(id(node.node))) is not None:
                yield path, Field(source, node.name)
        elif (source := sources.get(id(node))) is not None:
            yield path, source
            if (text_source := text_sources.get(id(node), source)) is not source:
                yield path, text_source


def _match_blocks(
    written: Sequence[Msg],
    read_messages: Sequence[Msg],
    sources: dict[int, object],
    text_sources: dict[int, object],
    report: Report,
) -> None:
    """Match what was read with what was written: messages in order, blocks by their content.

    `text_sources` are the blocks of messages that hold nothing but one text.
    """
    candidates = [(m, block) for m in written for block in _blocks(m)]
    for index, m in enumerate(read_messages):
        if not written:
            return
        message = written[min(index, len(written) - 1)]
        for position, block in enumerate(_blocks(m)):
            match_index = _most_like(block, candidates)
            if match_index is None:
                continue
            owner, candidate = candidates.pop(match_index)
            message = owner if position == 0 else message
            source = _find_given(candidate, owner, report)
            if isinstance(block, str):
                text_sources[id(m)] = source
            else:
                sources[id(block)] = source
                sources[id(getattr(block, "source", None))] = getattr(source, "source", source)
                _inner(block, candidate, sources, report)
        sources[id(m)] = report.source(message)


def _find_given(block: Any, message: Msg, report: Report) -> Any:
    """The caller's object that a block comes from: a block, or a message that is one text."""
    if isinstance(block, str):
        return report.source(message)
    source = report.source(block)
    if source is block and type(block) is tree.TextBlock:
        for m in report.origins(message):
            if isinstance(m, Msg) and m.content == block.text:
                return m
    return source


def _inner(read_block: Any, written: Any, sources: dict[int, object], report: Report) -> None:
    read_output, output = getattr(read_block, "output", None), getattr(written, "output", None)
    if isinstance(read_output, list) and isinstance(output, list):
        for block, part in zip(read_output, output, strict=False):
            sources[id(block)] = report.source(part)


def _blocks(m: Msg) -> Sequence[Any]:
    """The blocks of a message; a plain text is one."""
    return (m.content,) if isinstance(m.content, str) else m.content


def _most_like(block: Any, candidates: Sequence[tuple[Msg, Any]]) -> int | None:
    """The index of the candidate most like what was read; None if none is like it."""
    likeness = [_likeness(block, candidate) for _, candidate in candidates]
    return likeness.index(max(likeness)) if any(likeness) else None


def _likeness(block: Any, candidate: Any) -> int:
    """3: equal; 2: one text is a part of the other; 1: of the same kind; 0: different."""
    if isinstance(block, (ToolUseBlock, ToolResultBlock)):
        is_kind = type(candidate) is type(block)
        return 3 if is_kind and candidate.id == block.id else int(is_kind)
    text, other = _text(block), _text(candidate)
    if text is not None and text == other:
        return 3
    if text and other and (text in other or other in text):  # joined, or put between tags
        return 2
    return int(_kind(block) == _kind(candidate))


def _kind(block: Any) -> str:
    return "text" if isinstance(block, str) else str(block.type)


def _text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text: str | None = (
        block.text if type(block) is tree.TextBlock else getattr(block, "thinking", None)
    )
    return text
