"""Who speaks in one history: names as lines show them, and texts that imitate no other speaker.

Two names never become one. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..losses import Report
from ..message import Msg
from ..message.blocks import ContentBlock
from ..rules import IdRule, numbered
from .guard import Guard, Known, inserted
from .looks import visible

__all__ = ["Spelled", "Voices"]

_ESCAPED = "a backslash stands before it"
_ANY = IdRule()


class Spelled(dict[str, str]):
    """Name -> how a line shows it: without what ends a line, and unlike every earlier name.

    The first to come keeps a name, so that a later speaker never changes what was written.
    """

    __slots__ = ("_guard", "_last", "_used")

    def __init__(self, guard: Guard, first: Iterable[str] = ()) -> None:
        super().__init__()
        self._guard = guard
        self._used: set[str] = set()
        self._last: dict[str, int] = {}
        for name in first:
            _ = self[name]

    def __missing__(self, name: str) -> str:
        made = self._guard.cleaned(name)
        shown = visible(made)
        if shown in self._used:
            # numbers go on, so that none is tried twice
            nth = self._last[shown] = self._last.get(shown, 1) + 1
            made = shown = numbered(shown or "_", nth, self._used, _ANY)[0]
        self._used.add(shown)
        self[name] = made
        return made


class Voices:
    """The speakers of `msgs`; `me` and `known` are among them before they say a word.

    One for each call of a rewrite; it looks at the whole history only if some text needs it.
    Whoever uses it asks for every name in turn: the first to come keeps the name.
    """

    __slots__ = ("_at", "_first", "_known", "guard", "late", "msgs", "spelled")

    def __init__(
        self, guard: Guard, msgs: list[Msg], me: str | None, known: tuple[str, ...]
    ) -> None:
        self.guard = guard
        self.msgs = msgs
        self._first = known if me is None else (me, *known)
        self.spelled = Spelled(guard, self._first)
        self._known: Known | None = None
        self._at: dict[int, int] = {}
        self.late: list[tuple[Msg, Msg]] = []  # a text, and the later speaker it had to wait for

    def known(self) -> Known:
        """Every name of the history, with the message in which it first speaks."""
        if self._known is None:
            made = Known([*self._first, *(self.spelled[name] for name in self._first)])
            seen: set[str] = set()
            for i, m in enumerate(self.msgs):
                self._at.setdefault(id(m), i)
                if m.name not in seen:
                    seen.add(m.name)
                    made.add(m.name, i)
                    made.add(self.spelled[m.name], i)
            self._known = made
        return self._known

    def safe(
        self, text: str, m: Msg, node: Msg | ContentBlock, opens: bool, report: Report
    ) -> tuple[str, list[int]]:
        """The text with a backslash wherever it reads as a mark or as somebody's line; and where.

        `node` is what holds it: the message, or a block of it.
        """
        known = self.known()
        at, names = self.guard.found(text, known, opens)
        if not at:
            return text, at
        field = "content" if node is m else "text"
        report.lost("speaker.escaped", node, field, did=_ESCAPED)
        since = max((known.first.get(name, -1) for name in names), default=-1)
        if since > self._at[id(m)]:
            later = self.msgs[since]
            did = f"{_ESCAPED} since {self.spelled[later.name]} speaks"
            report.lost("speaker.later", node, field, did=did)
            self.late.append((m, later))
        return inserted(text, at), at

    def renamed(self, msgs: Iterable[Msg], report: Report) -> None:
        """Name the messages whose speaker is shown under another name."""
        for m in msgs:
            if (spelled := self.spelled[m.name]) != m.name:
                report.lost("speaker.renamed", m, "name", did=f"written as {spelled}")

    def touched(self, runs: Sequence[tuple[list[Msg], Msg]], report: Report) -> None:
        """Tell the report which messages say another text since somebody speaks who did not."""
        made = {id(m): one for run, one in runs for m in run}
        for m, later in self.late:
            node, until = made[id(m)], made.get(id(later), later)
            if node is not until:
                report.touched("the escape of a later speaker's name", node, until)
