"""What a run of `fidelity` counts, pair by pair; stored as JSON, and compared with a run before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeAlias

from ..errors import ConfigError, WriteError
from ..jsontext import JsonObject
from ..losses import Loss
from ..shown import Shown
from .paths import inside
from .plan import WEIGHTS
from .sameness import Difference

__all__ = ["SILENT", "Example", "Fidelity", "Kind", "Pair", "Worse", "worse"]

Kind: TypeAlias = Literal["request", "response"]
SILENT = "silent"  # the example that no code names
_VERSION = 1
_LESS = ("lossless", "clean", "same")  # shares that are worse when they fall
_MORE = ("refused", "silent")  # and when they rise
_SLACK = 1e-9
_UNSENT = 1_000  # what a body weighs that cannot be sent
_MOST = 5  # losses and differences that an example tells


@dataclass(slots=True, repr=False)
class Example(Shown):
    """The first body of a kind: where it is, what it lost, what it says otherwise afterwards."""

    place: str
    losses: list[JsonObject]
    differences: list[JsonObject]

    def near(self) -> list[JsonObject]:
        """The differences where the losses are; all of them if there is no loss."""
        spots = [_spot(loss["where"]) for loss in self.losses]
        return [one for one in self.differences if not spots or any(
            inside(one["left"], spot) or inside(spot, one["left"]) for spot in spots if one["left"]
        )]  # fmt: skip


def _spot(where: str) -> str:
    """A loss's place in an answer, as the differences of its messages spell it."""
    return re.sub(r"^\$\.candidates(\[\d+\])\.msg", r"$.messages\1", where)


def _example(place: str, losses: list[Loss], changes: list[Difference]) -> Example:
    """The example, what is different at the places of its losses first."""
    told = [loss.to_dict() for loss in losses]
    made = Example(place, told[:_MOST], [asdict(one) for one in changes])
    near = made.near()
    made.differences = [*near, *(one for one in made.differences if one not in near)][:_MOST]
    return made


@dataclass(slots=True, repr=False)
class Pair(Shown):
    """What happened to bodies of one wire that were written for another.

    Of `count` bodies, `refused` (by code) cannot be sent; `lossless` lose nothing and may gain
    something, `clean` do neither; `same` say the same conversation when they are read back, and
    `silent` do not although no loss names it. `codes` counts the bodies in which a code came.
    `weight` sums what losses weigh in a plan; a body that cannot be sent weighs 1,000. `examples`
    has the first body for each code.
    """

    kind: Kind
    source: str
    target: str
    count: int = 0
    lossless: int = 0
    clean: int = 0
    same: int = 0
    silent: int = 0
    weight: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Example] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Such as `request openai-chat -> gemini`."""
        return f"{self.kind} {self.source} -> {self.target}"

    def share(self, what: str) -> float:
        """How many of all bodies are `lossless`, `clean`, `same`, `silent` or `refused`: 0 to 1."""
        value = self.refused.total() if what == "refused" else getattr(self, what)
        return value / self.count if self.count else 0.0

    def refuse(self, place: str, error: WriteError) -> None:
        """Count a body that cannot be sent."""
        code = error.code or "refused"
        self.refused[code] += 1
        self.weight += _UNSENT
        told: JsonObject = {"code": code, "where": error.path, "what": error.message}
        self.examples.setdefault(code, Example(place, [told], []))

    def add(self, place: str, losses: list[Loss], changes: list[Difference]) -> None:
        """Count a body that was written, by its losses and by what it says otherwise now."""
        found = [loss for loss in losses if loss.kind != "expected"]
        lossless = all(loss.kind == "added" for loss in found)
        self.lossless += lossless
        self.clean += not found
        self.same += not changes
        self.weight += sum(WEIGHTS[loss.kind] for loss in found)
        for code in dict.fromkeys(loss.code for loss in found):
            self.codes[code] += 1
            if code not in self.examples:
                mine = [loss for loss in found if loss.code == code]
                self.examples[code] = _example(place, mine, changes)
        unnamed = [one for one in changes if not (found and one.change == "inserted")]
        if lossless and unnamed:  # what was inserted is named where something was added
            self.silent += 1
            self.examples.setdefault(SILENT, _example(place, [], unnamed))


@dataclass(slots=True, repr=False)
class Fidelity(Shown):
    """All pairs. `read` bodies were understood; those of `unread` (place, error) were not."""

    pairs: list[Pair]
    read: int = 0
    unread: list[tuple[str, str]] = field(default_factory=list)

    def to_dict(self) -> JsonObject:
        """The run as plain JSON."""
        return {
            "fidelity": _VERSION,
            "read": self.read,
            "unread": [list(one) for one in self.unread],
            "pairs": [_plain(pair) for pair in self.pairs],
        }

    @classmethod
    def of(cls, stored: Any) -> Fidelity:
        """The run that `to_dict` made. Raises ConfigError for anything else."""
        try:
            if stored["fidelity"] != _VERSION:
                raise ConfigError(f"a run of version {stored['fidelity']!r} is not known here")
            unread = [(str(place), str(error)) for place, error in stored["unread"]]
            return cls([_pair(one) for one in stored["pairs"]], int(stored["read"]), unread)
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(
                "this is no run of fidelity", hint="`--save FILE` makes one"
            ) from error


def _plain(pair: Pair) -> JsonObject:
    made = {f.name: getattr(pair, f.name) for f in fields(pair)}
    examples = {code: asdict(one) for code, one in pair.examples.items()}
    return {**made, "refused": dict(pair.refused), "codes": dict(pair.codes), "examples": examples}


def _pair(stored: Mapping[str, Any]) -> Pair:
    examples = {code: Example(**one) for code, one in stored["examples"].items()}
    counts = {name: Counter(stored[name]) for name in ("refused", "codes")}
    return Pair(**{**stored, **counts, "examples": examples})


@dataclass(frozen=True, slots=True, repr=False)
class Worse(Shown):
    """One figure of a pair that is worse than it was; `pair` is empty for all bodies together.

    `what` is a share (0 to 1) of bodies, or `weight`, which is that of the losses of a body on
    average. `codes` are those that come in more bodies now.
    """

    pair: str
    what: str
    was: float
    now: float
    codes: tuple[str, ...] = ()


def worse(now: Fidelity, before: Fidelity) -> list[Worse]:
    """What got worse since an earlier run, for the pairs that both have.

    Shares are compared, so the logs need not be the same ones; they should be alike.
    """
    made = []
    was, is_now = _unread(before), _unread(now)
    if is_now > was + _SLACK:
        made.append(Worse("", "unread", was, is_now))
    old = {pair.name: pair for pair in before.pairs}
    for pair in now.pairs:
        if pair.name in old:
            made += _worse(pair, old[pair.name])
    return made


def _worse(now: Pair, before: Pair) -> Iterator[Worse]:
    more = tuple(code for code in now.codes if _often(now, code) > _often(before, code) + _SLACK)
    for what in (*_LESS, *_MORE):
        was, is_now = before.share(what), now.share(what)
        if (was - is_now if what in _LESS else is_now - was) > _SLACK:
            yield Worse(now.name, what, was, is_now, more)
    if now.share("weight") > before.share("weight") + _SLACK:
        yield Worse(now.name, "weight", before.share("weight"), now.share("weight"), more)


def _often(pair: Pair, code: str) -> float:
    return pair.codes[code] / pair.count if pair.count else 0.0


def _unread(run: Fidelity) -> float:
    total = run.read + len(run.unread)
    return len(run.unread) / total if total else 0.0
