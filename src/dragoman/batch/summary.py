"""Sums over records: how many there were, what they lost, and why some were not converted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..losses import Loss
from ..losses.codes import CODES, KINDS
from ..losses.codes.code import WEIGHTS
from ..text.json_text import JsonObject
from .quarantine import Fault
from .record_work import EXAMPLES, add_sums


@dataclass(slots=True)
class CodeSum:
    """How often a code occurred, with its first places."""

    count: int = 0
    examples: list[JsonObject] = field(default_factory=list)

    def add(self, other: CodeSum, before: int = 0, source: str = "") -> None:
        """Add the sum of what follows; `before` lines of its file precede its lines."""
        self.count += other.count
        for example in other.examples[: EXAMPLES - len(self.examples)]:
            named = {"source": source} if source else {}
            self.examples.append({**named, **example, "line": example["line"] + before})


@dataclass(slots=True)
class Summary:
    """What became of records.

    Attributes:
        lines: How many lines were read, blank ones included.
        converted: How many records were converted.
        quarantined: How many were not.
        unread: At how many places a file breaks off; how many records follow there is not known.
        losses: The losses by weight, kind and code.
        faults: Why records are in quarantine, by code.
        sums: What the work says about all records.
    """

    lines: int = 0
    converted: int = 0
    quarantined: int = 0
    losses: dict[tuple[str, str, str], CodeSum] = field(default_factory=dict)
    faults: dict[str, CodeSum] = field(default_factory=dict)
    sums: JsonObject = field(default_factory=dict)
    unread: int = 0

    @property
    def records(self) -> int:
        """How many records were read: each line that is not blank."""
        return self.converted + self.quarantined

    def count_losses(self, line: int, losses: Iterable[Loss]) -> None:
        """Add the losses of the record on a line; no loss is kept."""
        for loss in losses:
            key = (loss.weight, loss.kind, loss.code)
            sums = self.losses.get(key)
            if sums is None:
                sums = self.losses[key] = CodeSum()
            sums.count += 1
            if len(sums.examples) < EXAMPLES:
                sums.examples.append({"line": line, "where": loss.where, "what": loss.what})

    def count_fault(self, line: int, fault: Fault, records: int = 1) -> None:
        """Add a record that is in quarantine, or several that cannot be read."""
        self.quarantined += records
        sums = self.faults.setdefault(fault.code, CodeSum())
        sums.count += records
        if len(sums.examples) < EXAMPLES:
            sums.examples.append({"line": line, "where": fault.where, "words": fault.words})

    def add(self, other: Summary, before: int = 0, source: str = "") -> None:
        """Add the sums of what follows; `before` lines of its file precede its lines."""
        self.lines += other.lines
        self.converted += other.converted
        self.quarantined += other.quarantined
        self.unread += other.unread
        for code, faults in other.faults.items():
            self.faults.setdefault(code, CodeSum()).add(faults, before, source)
        add_sums(self.sums, other.sums, before, {"source": source} if source else None)
        for key, sums in other.losses.items():
            self.losses.setdefault(key, CodeSum()).add(sums, before, source)

    def by_weight(self) -> Iterator[tuple[tuple[str, str, str], CodeSum]]:
        """The sums of losses, the weightiest and then the most frequent first."""
        weights, kinds = [*WEIGHTS], [*KINDS]

        def rank(row: tuple[tuple[Any, Any, str], CodeSum]) -> tuple[int, int, int, str]:
            (weight, kind, code), sums = row
            return weights.index(weight), kinds.index(kind), -sums.count, code

        return iter(sorted(self.losses.items(), key=rank))

    def to_dict(self) -> JsonObject:
        """The sums as JSON, as `from_dict` reads them; codes have their meaning."""
        return {
            "lines": self.lines,
            "in": self.records,
            "out": self.converted,
            "quarantined": self.quarantined,
            "unread": self.unread,
            "faults": [
                {"code": code, "count": sums.count, "examples": sums.examples}
                for code, sums in sorted(self.faults.items(), key=lambda row: -row[1].count)
            ],
            "losses": [
                {
                    "code": code,
                    "kind": kind,
                    "weight": weight,
                    "meaning": CODES[code].meaning if code in CODES else "",
                    "count": sums.count,
                    "examples": sums.examples,
                }
                for (weight, kind, code), sums in self.by_weight()
            ],
            **({"sums": self.sums} if self.sums else {}),
        }

    @classmethod
    def from_dict(cls, stored: JsonObject) -> Summary:
        """The sums that `to_dict` wrote."""
        summary = cls(stored["lines"], stored["out"], stored["quarantined"])
        summary.faults = {
            row["code"]: CodeSum(row["count"], row["examples"]) for row in stored["faults"]
        }
        summary.sums = stored.get("sums", {})
        summary.unread = stored["unread"]
        summary.losses = {
            (row["weight"], row["kind"], row["code"]): CodeSum(row["count"], row["examples"])
            for row in stored["losses"]
        }
        return summary
