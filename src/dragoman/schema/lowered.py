"""What a lowering gives back: the schema, every change with its verdict, and the whole's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from ..jsontext import JsonObject

__all__ = ["UNFIT", "Change", "Lowered", "Verdict", "verdict_of"]

Verdict: TypeAlias = Literal["equal", "wider", "narrower"]

UNFIT = "schema.unfit"
_CODES: dict[Verdict, str] = {
    "equal": "schema.restated",
    "wider": "schema.wider",
    "narrower": "schema.narrower",
}


class Change(NamedTuple):
    """One thing that the target's schema says otherwise, or not at all.

    `path` is the schema's place in the original (`$.properties.age`, `$.$defs.Node`), `keyword`
    the one that changed, `what` its value in a few words, `did` what became of it: `told` means in
    the description, for the model to read. `verdict`: does this change let more in, or less?
    """

    path: str
    keyword: str
    what: str
    did: str
    verdict: Verdict

    @property
    def where(self) -> str:
        """The place of the keyword itself."""
        return f"{self.path}.{self.keyword}" if self.keyword else self.path

    @property
    def code(self) -> str:
        """The code of the loss that this change is."""
        if self.told:
            return "schema.told"
        if self.did == "dropped":
            return "schema.note" if self.verdict == "equal" else "schema.dropped"
        return _CODES[self.verdict]

    @property
    def told(self) -> bool:
        """Whether the description says it now."""
        return self.did == "told"


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema as one dialect takes it.

    `verdict` compares it with the original: does it accept the same, more (`wider`) or less
    (`narrower`)? Where it does both it is `wider`, for then arguments may come back that the
    original refuses; `changes` names each with its own verdict. `unfit` says why the dialect has
    no true form for the schema (a free map that must be closed, a limit exceeded), or is empty:
    `schema` is then the nearest there is, and a looser dialect would serve better. `rule` names the
    dialect's source and date.
    """

    schema: JsonObject
    verdict: Verdict = "equal"
    changes: tuple[Change, ...] = ()
    unfit: str = ""
    rule: str = ""


def verdict_of(changes: Iterable[Change]) -> Verdict:
    """The verdict of several changes together."""
    found = {change.verdict for change in changes}
    if "wider" in found:
        return "wider"
    return "narrower" if "narrower" in found else "equal"
