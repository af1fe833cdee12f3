"""Source maps: from the paths of a written body back to the messages, blocks and fields it says.

Worked out on the first question. For errors that name positions in a body nobody has written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..losses import Field, Report
from ..message import ChatRequest, Msg, Written
from ..shown import Shown
from .edits import steps
from .paths import Step, spelled
from .spoken import said_of, speakers

__all__ = ["Source", "SourceMap", "sourcemap"]


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


class SourceMap:
    """Paths of a written body -> what they come from."""

    __slots__ = ("_report", "_request", "_rows", "_whose", "_written")

    def __init__(self, written: Written) -> None:
        self._written = written
        self._report: Report = written.report
        self._rows: dict[tuple[Step, ...], list[object]] | None = None
        self._request: ChatRequest | None = None
        self._whose: dict[int, tuple[str, str]] = {}

    def of(self, path: str) -> Source:
        """What stands at the path, or the nearest thing around it that has a source."""
        rows = self._known()
        way = tuple(steps(path) or ())
        for end in range(len(way), -1, -1):
            for node in reversed(rows.get(way[:end], ())):
                found = self._source(node, way[end:])
                if found is not None:
                    return found
        return Source("$", "the request")

    def paths(self) -> Iterator[tuple[str, Source]]:
        """(path in the body, its source) of all that is known."""
        for way in self._known():
            yield spelled(way), self.of(spelled(way))

    def _known(self) -> dict[tuple[Step, ...], list[object]]:
        if self._rows is None:
            self._rows = {}
            ask = self._written.sourced
            for path, node in ask() if ask is not None else ():
                inner = node.node if isinstance(node, Field) else node
                if isinstance(inner, ChatRequest) and self._request is None:
                    self._request = inner
                    self._whose = speakers(inner.messages)
                self._rows.setdefault(tuple(steps(path) or ()), []).append(node)
        return self._rows

    def _source(self, node: Any, rest: tuple[Step, ...]) -> Source | None:
        """The source of a node and of what stands in it at `rest`; None if it was not given."""
        name = ""
        if isinstance(node, Field):
            node, name = node
        path = self._report.locate(node, field=name)
        if node is not self._request and not name and path == "$":
            return None
        what, whose = said_of(node, name, self._whose)
        if name and rest and not isinstance(node, Msg):
            path += spelled(rest)[1:]
        return Source(path, what, whose, node)


def sourcemap(written: Written) -> SourceMap:
    """The source map of a body that `write_request` (or `convert`) has made.

    It asks the history that it was written from: before `Written.detached`.

    >>> import dragoman
    >>> body = {"model": "gpt-5.5", "messages": [{"role": "user", "name": "Bob", "content": "Hi"}]}
    >>> made = dragoman.convert(body, "openai", "anthropic", policy="ignore")
    >>> found = sourcemap(made).of("$.messages[0].content[0]")
    >>> found.path, found.whose
    ('$.messages[0]', 'turn 1 of user Bob')
    """
    return SourceMap(written)
