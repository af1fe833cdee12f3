"""Loss: one thing that a target does not say as it was given, or that was added.

Its words are cut and its place is computed when somebody reads them, not when it happens.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from ..text.redaction import clipped, one_line, shortened
from .codes import CODES
from .codes.code import KINDS, WEIGHTS, Kind, Weight

if TYPE_CHECKING:
    from .report import Report

# code, kind, node, field, what, did, rule: a plain tuple, for most of them are never read
Row: TypeAlias = tuple[str, Kind, object, str, str, str, str]


# options that `can={"options": ...}` is about
_SAMPLERS = frozenset({
    "temperature", "top_p", "top_k", "seed", "stop", "frequency_penalty",
    "presence_penalty", "repetition_penalty", "logprobs", "top_logprobs", "n", "user",
    "service_tier",
})  # fmt: skip
_MEDIA = frozenset({"image", "audio", "video", "document"})


class Loss:
    """One thing that the target does not say as it was given, or that was added.

    `code` and `kind` are stable, and so is `target`, the name of the wire.
    """

    __slots__ = ("_did", "_field", "_node", "_nth", "_report", "_rule", "_what", "_where",
                 "code", "kind", "target")  # fmt: skip

    def __init__(self, report: Report, ordinal: int, row: Row) -> None:
        self._report: Report | None = report
        self._nth = ordinal
        self._where: str | None = None
        self._node: object
        self.code, self.kind, self._node, self._field, self._what, self._did, self._rule = row
        self.target = report.target

    @property
    def where(self) -> str:
        """Path into the input, e.g. `$.messages[3].content[0].source`."""
        if self._where is None:
            report = self._report
            self._where = one_line(shortened(report.place(self._nth) if report else "$"))
        return self._where

    @property
    def field(self) -> str:
        """The field of the node at `where` that the loss is about, if it is about one."""
        return one_line(shortened(self._field))

    @property
    def what(self) -> str:
        """What it is about, in a word or a name: at most 80 characters, and never base64."""
        return one_line(clipped(str(self._what))) if self._what else _name(self._node)

    @property
    def did(self) -> str:
        """What was done instead; at most 80 characters."""
        return one_line(clipped(self._did))

    @property
    def rule(self) -> str:
        """Why: the rule with its source and its date, where a rule decided."""
        if not self._rule and self._report is not None:
            self._rule = self._report.rule(self.code, self._field, _name(self._node))
        return self._rule

    @property
    def weight(self) -> Weight:
        """How much it matters.

        `major`: the model is told less, or may do less; `minor`: it may answer otherwise, or cost
        more; `trivial`: nobody would miss it.
        """
        row = CODES.get(self.code)
        return row.weight_of(self._field) if row else "major"

    @property
    def meaning(self) -> str:
        """What the code means, in a sentence."""
        row = CODES.get(self.code)
        return row.meaning if row else ""

    @property
    def fix(self) -> str:
        """What can be done about it, in a sentence or two."""
        row = CODES.get(self.code)
        text = row.fix if row else ""
        if '{"' not in text:
            return text
        if self.code == "option.refused":
            if self._field in _SAMPLERS:
                return text.replace('"temperature"', f'"{self._field}"')
            return text.partition(" For a host")[0]  # no table of options holds it
        if self.code not in ("block.unsaid", "media.type", "media.as_reference", "media.saved"):
            return text
        # the row shows how to say it of an image
        word = self.what.partition(" ")[0]
        named = word if "/" in word else f"{word}/*"
        kind = {"application": "document", "text": "document"}.get(named.partition("/")[0])
        kind = kind or named.partition("/")[0]
        if kind not in _MEDIA:
            return text
        return text.replace('"image"', f'"{kind}"').replace('"image/*"', f'"{named}"')

    def detach(self) -> Loss:
        """Store place, words and rule as text and let go of the history."""
        _ = self.where
        self._what = self.what
        self._rule = self.rule
        self._report = None
        self._node = None
        return self

    def to_dict(self) -> dict[str, str]:
        """The loss as JSON."""
        keys = ("code", "kind", "where", "target", "what", "did", "rule")
        return {key: text for key in keys if (text := getattr(self, key))}

    def __repr__(self) -> str:
        return f"Loss({self.kind} {self.code} at {self.where}: {self.what})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loss) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.code, self.where))

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (self.to_dict() | {"field": self.field},)


class Losses(list[Loss]):
    """A list of losses, one a line in the terminal, a table in a notebook."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = (f"  {loss.kind} {loss.code} at {loss.where}: {_words(loss)}\n" for loss in self)
        return "[\n" + "".join(lines) + "]" if self else "[]"

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        rows = [("kind", "code", "where", "what")]
        rows += [(loss.kind, loss.code, loss.where, _words(loss)) for loss in self]
        cells = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in rows)
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _words(loss: Loss) -> str:
    return f"{loss.what} -> {loss.did}" if loss.did else loss.what


def by_weight(losses: Iterable[Loss]) -> list[Loss]:
    """The losses with what matters most first: by weight, then by kind, else as they came."""
    return sorted(losses, key=_rank)


def _rank(loss: Loss) -> tuple[int, int]:
    return WEIGHTS.index(loss.weight), KINDS.index(loss.kind)


def _name(node: object) -> str:
    kind = getattr(node, "type", None)
    return kind if isinstance(kind, str) else type(node).__name__


def _revive(stored: dict[str, Any]) -> Loss:
    loss = Loss.__new__(Loss)
    loss._report = loss._node = None
    loss._nth = 0
    loss.code, loss.kind = stored["code"], stored["kind"]
    loss.target = stored.get("target", "")
    loss._where = stored["where"]
    for key in ("field", "what", "did", "rule"):
        setattr(loss, f"_{key}", stored.get(key, ""))
    return loss
