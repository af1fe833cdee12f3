"""Written: a request as one provider takes it, with what it lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..jsontext import JsonObject
from ..losses import Loss, Report
from ..shown import Shown

__all__ = ["Written"]


@dataclass(slots=True, repr=False)
class Written(Shown):
    """A request as one provider takes it: send `body` to `path` below the base URL.

    `headers` hold what the protocol demands, never a key. `ids` maps wire ids to the tree's,
    `names` tool names of the wire to the tools' own, where they differ.
    """

    body: JsonObject
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    model: str | None = None
    ids: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    report: Report = field(default_factory=Report, repr=False, compare=False)
    bound: Callable[[], str] | None = field(default=None, repr=False, compare=False)
    left: Callable[[], JsonObject] | None = field(default=None, repr=False, compare=False)
    sourced: Callable[[], Iterator[tuple[str, object]]] | None = field(
        default=None, repr=False, compare=False
    )  # (path in the body, node or Field of the request) of everything that the body says

    @property
    def losses(self) -> list[Loss]:
        """What could not be said, and what was added."""
        return self.report.losses

    @property
    def added(self) -> list[Loss]:
        """What the request says and nobody wrote: headings, placeholders, required fields."""
        return self.report.added

    @property
    def residue(self) -> JsonObject:
        """What the body does not carry, as plain JSON to keep beside it.

        `read_request(body, residue=...)` puts it back, also behind new turns. Worked out when
        somebody asks, from the history: ask before `detached`.
        """
        return self.left() if self.left is not None else {}

    @property
    def prefix(self) -> str:
        """The hash of tools and messages as they were written: what an answer is bound to."""
        return self.bound() if self.bound is not None else ""

    def detached(self) -> Written:
        """The same, its losses stored as text, so that the history can be let go."""
        kept = [loss.detach() for loss in self.report.losses]
        self.report = Report.of(kept, self.report.target)
        self.bound = _Known(self.prefix) if self.bound is not None else None
        self.left = self.sourced = None
        return self


@dataclass(frozen=True, slots=True)
class _Known:
    """A hash that was asked for already, so that the history can be let go."""

    value: str

    def __call__(self) -> str:
        return self.value
