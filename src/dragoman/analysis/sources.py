"""Where each part of a written body comes from: what it is, and who says it, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InvalidMessage
from ..losses import Field, Report
from ..message import (
    ChatRequest,
    ChatResponse,
    Msg,
    Options,
    RawBlock,
    Written,
    response_format,
    tools,
)
from ..text.redaction import Shown, clip_text
from .paths import MISSING, Step, existing, format_path, inside, steps, value_at

_NAMES = {"tool_use": "tool call", "tool_result": "tool result", "raw": "block"}


_PARTS: dict[type, str] = {
    tools.ToolChoice: "tool choice",
    Options: "options",
    ChatRequest: "the request",
    ChatResponse: "the request",
    response_format.ResponseFormat: "response format",
}


def speakers(msgs: Sequence[Msg]) -> dict[int, tuple[str, str]]:
    """(what it is, whose turn it is) of each message, block and source, by identity."""
    turns: Counter[str] = Counter()
    result: dict[int, tuple[str, str]] = {}
    for i, m in enumerate(msgs):
        speaker = f"{m.role} {m.name}" if m.name and m.name != m.role else m.role
        turns[speaker] += 1
        whose = f"turn {turns[speaker]} of {clip_text(speaker)}"
        result[id(m)] = (f"message {i}", whose)
        if not isinstance(m.content, str):
            for name, block in _name_blocks(m.content):
                result[id(block)] = (name, whose)
                if (source := getattr(block, "source", None)) is not None:
                    result[id(source)] = (f"source of {name}", whose)
    return result


def _name_blocks(blocks: Sequence[Any], suffix: str = "") -> Iterator[tuple[str, Any]]:
    """Each block with its name and its number within its kind; results with their content."""
    counts: Counter[str] = Counter()
    for block in blocks:
        kind = _NAMES.get(block.type, f"{block.type} block")
        counts[kind] += 1
        name = f"{kind} {counts[kind]}"
        yield f"{name}{_more(block)}{suffix}", block
        output = getattr(block, "output", None)
        if isinstance(output, list):
            yield from _name_blocks(output, f" in {name}{suffix}")


def _more(block: Any) -> str:
    if getattr(block, "name", None):
        return f" of {clip_text(str(block.name), 40)}"
    if isinstance(block, RawBlock):
        return f", as {block.issuer} has it"
    origin = getattr(block, "origin", None)
    return f", issued by {origin.issuer}" if origin is not None else ""


def describe_node(node: Any, field: str, names: dict[int, tuple[str, str]]) -> tuple[str, str]:
    """(what it is, whose it is) of a node of the request or one of its fields."""
    name, whose = names.get(id(node)) or (_part(node), "")
    if field:
        name = f"option {field}" if isinstance(node, Options) else f"{field} of {name}"
    return name, whose


def _part(node: Any) -> str:
    if isinstance(node, tools.Tool):
        return f"tool {clip_text(node.name, 40)}"
    if isinstance(node, tools.ServerTool):
        return f"server tool {node.kind}"
    return _PARTS.get(type(node), type(node).__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Source(Shown):
    """Where a part of a body comes from.

    Attributes:
        path: Its path in what the program gave; `$` if it was added.
        what: The thing (`thinking block 1, issued by anthropic`).
        whose: Who says it and when (`turn 2 of assistant Bob`); empty if it belongs to no turn.
        node: The message, block or other part of the request.
    """

    path: str
    what: str = ""
    whose: str = ""
    node: object = None


_ABOUT = ("role", "name")  # fields of a message beside its content
_ADDED = ", which was not given"


class SourceMap:
    """Maps paths of a written body to what they come from.

    Args:
        written: The request, before `Written.detach`.
    """

    __slots__ = ("_body", "_report", "_request", "_rows", "_whose", "_with_rows", "_written")

    def __init__(self, written: Written) -> None:
        self._written = written
        self._report: Report = written.report
        self._rows: dict[tuple[Step, ...], list[object]] | None = None
        self._request: ChatRequest | None = None
        self._whose: dict[int, tuple[str, str]] = {}
        self._with_rows: set[tuple[int, str]] = (
            set()
        )  # (id of a node, field) that have rows of their own
        self._body: Any = None  # the body from which the request was read, if any

    def of(self, path: str) -> Source:
        """The source of the value at the path, or of the nearest value around it that has one.

        Args:
            path: A path in the written body.
        """
        path = existing(self._written.body, path)
        source = self._nearest(path)
        # whether the body that was read has the same value at the same path
        value = value_at(self._written.body, path)
        exists = self._body is not None and value is not MISSING
        if inside(path, source.path) and exists and value_at(self._body, path) == value:
            return replace(source, path=path, what=source.what.removesuffix(_ADDED))
        return source

    def _nearest(self, path: str) -> Source:
        rows = self._nodes()
        way = tuple(steps(path) or ())
        for end in range(len(way), -1, -1):
            entries = rows.get(way[:end], ())
            fields = [node for node in entries if isinstance(node, Field)]
            nodes = [node for node in reversed(entries) if not isinstance(node, Field)]
            if way[end:] and way[end] in _ABOUT:
                nodes.sort(key=lambda node: not isinstance(node, Msg))
            for node in (*nodes, *fields):  # the innermost node first, fields last
                source = self._source(node, way[end:])
                if source is not None:
                    return source
        return Source("$", "the request")

    def paths(self) -> Iterator[tuple[str, Source]]:
        """(path in the body, its source) for all paths whose source is known."""
        for path in map(format_path, self._nodes()):
            if value_at(self._written.body, path) is not MISSING:
                yield path, self.of(path)

    def _nodes(self) -> dict[tuple[Step, ...], list[object]]:
        if self._rows is None:
            self._rows = {}
            sourced = self._written.walk_sources
            for path, node in sourced() if sourced is not None else ():
                entry = node.node if isinstance(node, Field) else node
                if isinstance(entry, ChatRequest) and self._request is None:
                    self._request = entry
                    self._whose = speakers(entry.messages)
                    places = entry.read.places if entry.read is not None else None
                    self._body = getattr(places, "body", None)
                if isinstance(node, Field):
                    self._with_rows.add((id(entry), node.name))
                if not isinstance(node, Options):  # its path is the request's own
                    self._rows.setdefault(tuple(steps(path) or ()), []).append(node)
        return self._rows

    def _source(self, node: Any, deeper: tuple[Step, ...]) -> Source | None:
        """The source of a node, or of the part of it at `deeper`; None if it was added."""
        name = ""
        if isinstance(node, Field):
            node, name = node
        elif deeper and (field := self._field(node, deeper[0])):
            name, deeper = field, () if isinstance(node, Msg) else deeper[1:]
        in_extras = name.startswith("extras.")
        was_given = not name or in_extras or getattr(node, name, None) is not None
        path = self._path(node, name if was_given else "", deeper)
        if node is not self._request and not name and path == "$":
            return None
        description, whose = describe_node(node, name.rpartition(".")[2], self._whose)
        return Source(path, description if was_given else description + _ADDED, whose, node)

    def _field(self, node: Any, step: Step) -> str:
        """The field of the node that the wire calls by the same name, unless it has a row."""
        if isinstance(node, Msg) and isinstance(node.content, str) and step not in _ABOUT:
            return "content"
        if step == "type" or not isinstance(step, str) or (id(node), step) in self._with_rows:
            return ""
        return step if getattr(node, step, None) is not None else ""

    def _path(self, node: object, name: str, deeper: tuple[Step, ...]) -> str:
        """The path in what was given, or the nearest one that exists in the body."""
        node_path = self._report.locate(node)
        if not name:
            return node_path
        path = self._report.locate(node, field=name)
        tries = (path + format_path(deeper)[1:], path, node_path)
        if self._body is None:
            return tries[0]
        existing_paths = (path for path in tries if value_at(self._body, path) is not MISSING)
        return next(existing_paths, node_path)


def sourcemap(written: Written) -> SourceMap:
    """The source map of a body that `write_request` (or `convert`) has written.

    Args:
        written: The request, before `Written.detach`: the map asks the history from which it was
            written.

    Raises:
        InvalidMessage: It is no Written.

    >>> import dragoman
    >>> body = {"model": "gpt-5.5", "messages": [{"role": "user", "name": "Bob", "content": "Hi"}]}
    >>> made = dragoman.convert(body, "openai", "anthropic", policy="ignore")
    >>> found = sourcemap(made).of("$.messages[0].content[0]")
    >>> found.path, found.whose
    ('$.messages[0].content', 'turn 1 of user Bob')
    """
    return SourceMap(check_written(written))


def check_written(value: object) -> Written:
    """Return the Written itself. Raises InvalidMessage for anything else."""
    if isinstance(value, Written):
        return value
    text = f"must be a Written, not {type(value).__name__}"
    hint = "give what convert or write_request returned, not its body"
    raise InvalidMessage(text, code="written.type", hint=hint)
