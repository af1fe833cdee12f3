"""Losses: each shortens its texts and computes its path when they are read, not when it happens.

The report that collects them is in `report.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Protocol, TypeAlias

from .._old_names import OLD_CODES
from ..text.redaction import clip_text, one_line, shorten_path
from .codes import CODES
from .codes.code import Kind, Weight

# code, kind, node, field, what, did, rule: a plain tuple, because most of them are never read
Row: TypeAlias = tuple[str, Kind, object, str, str, str, str]


# options to which `can={"options": ...}` applies
_SAMPLERS = {
    *("temperature", "top_p", "top_k", "seed", "stop", "frequency_penalty", "presence_penalty"),
    *("repetition_penalty", "logprobs", "top_logprobs", "n", "user", "service_tier"),
}
_MEDIA = frozenset({"image", "audio", "video", "document"})


class _Holder(Protocol):
    """What holds losses: a report."""

    target: str

    def locate_loss(self, ordinal: int) -> str: ...

    def locate_few(self, ordinals: Sequence[int]) -> list[str]: ...

    def rule(self, code: str, field: str = "", kind: str = "") -> str: ...


class Loss:
    """Something that the target does not express as it was given, or that was added.

    `code` and `kind` are stable, and so is `target`, the name of the wire.

    Args:
        report: The report that holds it.
        ordinal: Its number in the report.
        row: Its data.
    """

    __slots__ = ("_nth", "_report", "_row", "_where", "target")

    def __init__(self, report: _Holder, ordinal: int, row: Row) -> None:
        self._report: _Holder | None = report
        self._nth = ordinal
        self._row = row
        self._where: str | None = None
        self.target = report.target

    @property
    def code(self) -> str:
        """The code."""
        return self._row[0]

    @property
    def kind(self) -> Kind:
        """What was done."""
        return self._row[1]

    @property
    def where(self) -> str:
        """The path into the input, e.g. `$.messages[3].content[0].source`."""
        if self._where is None:
            report = self._report
            self._where = one_line(shorten_path(report.locate_loss(self._nth) if report else "$"))
        return self._where

    @property
    def field(self) -> str:
        """The field of the node at `where` that is affected; empty if it is the whole node."""
        return one_line(shorten_path(self._row[3]))

    @property
    def what(self) -> str:
        """What is affected, as a word or a name: at most 80 characters, and never base64."""
        what = self._row[4]
        return one_line(clip_text(str(what))) if what else _name(self._row[2])

    @property
    def did(self) -> str:
        """What was done instead; at most 80 characters."""
        return one_line(clip_text(self._row[5]))

    @property
    def rule(self) -> str:
        """The rule that decided, with its source and date; empty if none did."""
        code, _, node, field, *_, rule = self._row
        if not rule and self._report is not None:
            rule = self._report.rule(code, field, _name(node))
            self._row = (*self._row[:6], rule)
        return rule

    @property
    def weight(self) -> Weight:
        """How much it matters.

        `major`: the model gets less information, or may do less. `minor`: it may answer
        differently, or cost more. `trivial`: it has no effect.
        """
        row = CODES.get(self.code)
        return row.weigh(self._row[3]) if row else "major"

    @property
    def meaning(self) -> str:
        """The meaning of the code, as a sentence."""
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
            if (field := self._row[3]) in _SAMPLERS:
                return text.replace('"temperature"', f'"{field}"')
            return text.partition(" For a host")[0]  # it is in no table of options
        if self.code not in (
            "block.unsupported",
            "media.type",
            "media.as_reference",
            "media.saved",
        ):
            return text
        # the row shows the example of an image
        word = self.what.partition(" ")[0]
        named = word if "/" in word else f"{word}/*"
        kind = {"application": "document", "text": "document"}.get(named.partition("/")[0])
        kind = kind or named.partition("/")[0]
        if kind not in _MEDIA:
            return text
        return text.replace('"image"', f'"{kind}"').replace('"image/*"', f'"{named}"')

    def detach(self, where: str = "") -> Loss:
        """Store the path (or another, `where`), texts and rule as text; release the history."""
        self._where = where or self.where
        code, kind, _, field, _, did, _ = self._row
        self._row = (code, kind, None, field, self.what, did, self.rule)
        self._report = None
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
        return load_loss, (self.to_dict() | {"field": self.field},)


class Losses(list[Loss]):
    """A list of losses, shown as one a line in the terminal, as a table in a notebook."""

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


def locate_losses(losses: Iterable[Loss]) -> None:
    """Compute the paths of a few losses together, which is faster than to read `where` of each.

    Args:
        losses: The losses, of any reports.
    """
    by_report: dict[int, list[Loss]] = {}
    for loss in losses:
        if loss._where is None and loss._report is not None:
            by_report.setdefault(id(loss._report), []).append(loss)
    for found in by_report.values():
        report = found[0]._report
        assert report is not None  # as was asked above
        paths = report.locate_few([loss._nth for loss in found])
        for loss, path in zip(found, paths, strict=True):
            loss._where = one_line(shorten_path(path))


def _name(node: object) -> str:
    kind = getattr(node, "type", None)
    return kind if isinstance(kind, str) else type(node).__name__


def load_loss(stored: dict[str, Any]) -> Loss:
    """The loss that `to_dict` gave, which may have its `field` besides."""
    loss = Loss.__new__(Loss)
    loss._report = None
    loss._nth = 0
    loss.target = stored.get("target", "")
    loss._where = stored["where"]
    texts = (stored.get(key, "") for key in ("field", "what", "did", "rule"))
    loss._row = (OLD_CODES.get(stored["code"], stored["code"]), stored["kind"], None, *texts)
    return loss
