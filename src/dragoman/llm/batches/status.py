"""How a batch stands, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from .store import BatchStore


@dataclass(frozen=True, slots=True)
class PartStatus:
    """How one batch at the provider stands.

    Attributes:
        batch: The provider's id; empty if it is not submitted.
        word: The provider's word for its state; `in doubt` if it is not known whether it was
            created.
        requests: How many requests it has.
        ended: Whether nothing more will be answered.
        answered: How many have an answer, as the provider counts; None where it does not say.
        failed: How many have failed, as the provider counts.
        faults: Why it was refused, in the provider's words.
    """

    batch: str
    word: str
    requests: int
    ended: bool
    answered: int | None = None
    failed: int | None = None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How a batch stands, as was last heard.

    Attributes:
        parts: Its parts, each a batch at the provider.
        requests: How many requests there are.
        unsent: How many of them cannot be written for the model, so that their result is an error.
        unsubmitted: How many are in parts that `submit` has not sent.
        answered: How many have an answer, as the provider counts. Some count at the end only.
        failed: How many have failed, as the provider counts.
    """

    parts: tuple[PartStatus, ...]
    requests: int
    unsent: int
    unsubmitted: int
    answered: int
    failed: int

    @property
    def ended(self) -> bool:
        """Whether every part was submitted and has ended."""
        return all(part.ended for part in self.parts)

    def __str__(self) -> str:
        counts: dict[str, int] = {}
        for part in self.parts:
            word = part.word or "not submitted"
            counts[word] = counts.get(word, 0) + 1
        words = ", ".join(f"{count} {word}" for word, count in counts.items())
        more = f", {self.unsent:,} not sent" if self.unsent else ""
        done = f"{self.answered:,} answered, {self.failed:,} failed"
        return f"{self.requests:,} requests, {done}{more}; batches: {words}"


def read_status(store: BatchStore) -> BatchStatus:
    """Return how a batch stands, as its state says."""
    parts = tuple(
        PartStatus(
            part.batch,
            "in doubt" if part.candidates else part.word,
            part.count,
            part.ended,
            part.answered,
            part.failed,
            tuple(fault.message for fault in part.faults),
        )
        for part in store.parts
    )
    known = sum(part.count for part in store.parts)
    waits = (part.count for part in store.parts if part.step != "sent" and not part.candidates)
    return BatchStatus(
        parts,
        store.count,
        store.count - known,
        sum(waits),
        sum(part.answered or 0 for part in parts),
        sum(part.failed or 0 for part in parts),
    )
