"""Who says a part of a conversation, and what it is, in a few words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._core.redaction import Shown, clipped
from ..errors import InvalidMessage
from ..losses import Field, Report
from ..message import ChatRequest, Msg, Options, RawBlock, ServerTool, Tool, ToolChoice, Written
from ..message.answer import ChatResponse
from .paths import MISSING, Step, existing, found, inside, spelled, steps

_NAMES = {"tool_use": "tool call", "tool_result": "tool result", "raw": "block"}


def speakers(msgs: Sequence[Msg]) -> dict[int, tuple[str, str]]:
    """(what it is, whose turn it is) of each message, block and source, by identity."""
    turns: Counter[str] = Counter()
    found: dict[int, tuple[str, str]] = {}
    for i, m in enumerate(msgs):
        who = f"{m.role} {m.name}" if m.name and m.name != m.role else m.role
        turns[who] += 1
        whose = f"turn {turns[who]} of {clipped(who)}"
        found[id(m)] = (f"message {i}", whose)
        if not isinstance(m.content, str):
            for what, block in _named(m.content):
                found[id(block)] = (what, whose)
                if (source := getattr(block, "source", None)) is not None:
                    found[id(source)] = (f"source of {what}", whose)
    return found


def _named(blocks: Sequence[Any], where: str = "") -> Iterator[tuple[str, Any]]:
    """Each block with its name and number among those of its kind, results with what they hold."""
    counts: Counter[str] = Counter()
    for block in blocks:
        kind = _NAMES.get(block.type, f"{block.type} block")
        counts[kind] += 1
        what = f"{kind} {counts[kind]}"
        yield f"{what}{_more(block)}{where}", block
        output = getattr(block, "output", None)
        if isinstance(output, list):
            yield from _named(output, f" in {what}{where}")


def _more(block: Any) -> str:
    if getattr(block, "name", None):
        return f" of {clipped(str(block.name), 40)}"
    if isinstance(block, RawBlock):
        return f", as {block.issuer} has it"
    origin = getattr(block, "origin", None)
    return f", issued by {origin.issuer}" if origin is not None else ""


def said_of(node: Any, field: str, known: dict[int, tuple[str, str]]) -> tuple[str, str]:
    """(what it is, whose it is) of a node of the request or one of its fields."""
    what, whose = known.get(id(node), ("", ""))
    if not what:
        what = _part(node)
    if not field:
        return what, whose
    if isinstance(node, Options):
        return f"option {field}", whose
    return f"{field} of {what}", whose


def _part(node: Any) -> str:
    if isinstance(node, Tool):
        return f"tool {clipped(node.name, 40)}"
    if isinstance(node, ServerTool):
        return f"server tool {node.kind}"
    if isinstance(node, ToolChoice):
        return "tool choice"
    if isinstance(node, Options):
        return "options"
    if isinstance(node, (ChatRequest, ChatResponse)):
        return "the request"
    return "response format" if type(node).__name__ == "ResponseFormat" else type(node).__name__


@dataclass(frozen=True, slots=True, repr=False)
class Source(Shown):
    """Where something comes from: its path in what was given (`$` if it was added), and in words.

    `what` is the thing (`thinking block 1, issued by anthropic`), `whose` who says it and when
    (`turn 2 of assistant Bob`), empty where nobody does. `node` is the message, block or other part
    of the request.
    """

    path: str
    what: str = ""
    whose: str = ""
    node: object = None


_ABOUT = ("role", "name")  # of a message, not of what it says


_ADDED = ", which was not given"


class SourceMap:
    """Paths of a written body -> what they come from."""

    __slots__ = ("_body", "_report", "_request", "_rows", "_told", "_whose", "_written")

    def __init__(self, written: Written) -> None:
        self._written = written
        self._report: Report = written.report
        self._rows: dict[tuple[Step, ...], list[object]] | None = None
        self._request: ChatRequest | None = None
        self._whose: dict[int, tuple[str, str]] = {}
        self._told: set[tuple[int, str]] = set()  # fields that have rows of their own
        self._body: Any = None  # that the request was read from, if it was

    def of(self, path: str) -> Source:
        """What stands at the path, or the nearest thing around it that has a source."""
        path = existing(self._written.body, path)
        made = self._found(path)
        if inside(path, made.path) and self._stood(path):
            return replace(made, path=path, what=made.what.removesuffix(_ADDED))
        return made

    def _stood(self, path: str) -> bool:
        """Whether the same stands at the same place in the body that was read."""
        there = found(self._written.body, path)
        there_is = self._body is not None and there is not MISSING
        return there_is and bool(found(self._body, path) == there)

    def _found(self, path: str) -> Source:
        rows = self._known()
        way = tuple(steps(path) or ())
        for end in range(len(way), -1, -1):
            here = rows.get(way[:end], ())
            fields = [node for node in here if isinstance(node, Field)]
            nodes = [node for node in reversed(here) if not isinstance(node, Field)]
            if way[end:] and way[end] in _ABOUT:
                nodes.sort(key=lambda node: not isinstance(node, Msg))
            for node in (*nodes, *fields):  # the innermost that stands there, then fields
                made = self._source(node, way[end:])
                if made is not None:
                    return made
        return Source("$", "the request")

    def paths(self) -> Iterator[tuple[str, Source]]:
        """(path in the body, its source) of all that is known to stand there."""
        for path in map(spelled, self._known()):
            if found(self._written.body, path) is not MISSING:
                yield path, self.of(path)

    def _known(self) -> dict[tuple[Step, ...], list[object]]:
        if self._rows is None:
            self._rows = {}
            ask = self._written.sourced
            for path, node in ask() if ask is not None else ():
                inner = node.node if isinstance(node, Field) else node
                if isinstance(inner, ChatRequest) and self._request is None:
                    self._request = inner
                    self._whose = speakers(inner.messages)
                    places = inner.read.places if inner.read is not None else None
                    self._body = getattr(places, "body", None)
                if isinstance(node, Field):
                    self._told.add((id(inner), node.name))
                if not isinstance(node, Options):  # it stands where the request does
                    self._rows.setdefault(tuple(steps(path) or ()), []).append(node)
        return self._rows

    def _source(self, node: Any, rest: tuple[Step, ...]) -> Source | None:
        """The source of a node and of what stands in it at `rest`; None if it was not given."""
        name = ""
        if isinstance(node, Field):
            node, name = node
        elif rest and (field := self._field(node, rest[0])):
            name, rest = field, () if isinstance(node, Msg) else rest[1:]
        own = name.startswith("extras.")
        given = not name or own or getattr(node, name, None) is not None
        path = self._path(node, name if given else "", rest)
        if node is not self._request and not name and path == "$":
            return None
        what, whose = said_of(node, name.rpartition(".")[2], self._whose)
        return Source(path, what if given else what + _ADDED, whose, node)

    def _field(self, node: Any, step: Step) -> str:
        """The field of the node that a wire says under its own name, unless it has a row."""
        if isinstance(node, Msg) and isinstance(node.content, str) and step not in _ABOUT:
            return "content"
        if step == "type" or not isinstance(step, str) or (id(node), step) in self._told:
            return ""
        return step if getattr(node, step, None) is not None else ""

    def _path(self, node: object, name: str, rest: tuple[Step, ...]) -> str:
        """Where it stands in what was given: the nearest place that there is in a body."""
        whole = self._report.locate(node)
        if not name:
            return whole
        path = self._report.locate(node, field=name)
        tries = (path + spelled(rest)[1:], path, whole)
        if self._body is None:
            return tries[0]
        return next((one for one in tries if found(self._body, one) is not MISSING), whole)


def sourcemap(written: Written) -> SourceMap:
    """The source map of a body that `write_request` (or `convert`) has made.

    It asks the history that it was written from: before `Written.detached`.

    >>> import dragoman
    >>> body = {"model": "gpt-5.5", "messages": [{"role": "user", "name": "Bob", "content": "Hi"}]}
    >>> made = dragoman.convert(body, "openai", "anthropic", policy="ignore")
    >>> found = sourcemap(made).of("$.messages[0].content[0]")
    >>> found.path, found.whose
    ('$.messages[0].content', 'turn 1 of user Bob')
    """
    return SourceMap(written_of(written))


def written_of(given: object) -> Written:
    """The Written itself. Raises InvalidMessage for anything else."""
    if isinstance(given, Written):
        return given
    raise InvalidMessage(
        f"must be a Written, not {type(given).__name__}", code="written.type",
        hint="give what convert or write_request returned, not its body",
    )  # fmt: skip
