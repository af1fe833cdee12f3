"""A history of which a part is told in short: what is told, by which summary, and what is not.

Summaries are found again by a hash of what they tell. Knows no budget, and nobody to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping, Sequence
from hashlib import blake2b

from ...message import Msg, identify
from .plan import Cut, Made
from .units import has_results

__all__ = ["Told"]


class Told:
    """What may go of a history, and how much of it an earlier summary tells.

    `text` is that summary, `covered` the indexes of what it tells, `rest` the units that it does
    not; `say` makes the message of it.
    """

    def __init__(
        self,
        msgs: list[Msg],
        going: list[list[int]],
        memory: MutableMapping[str, str],
        say: Callable[[str], Msg],
    ) -> None:
        self.msgs = msgs
        self.text = ""
        self.covered: set[int] = set()
        self.rest = going
        self._say = say
        self._memory = memory
        self._keys, beside = _keys(msgs, going)
        for n in range(len(going), 0, -1):
            skipped, key = beside[n]
            for but, one in ((None, self._keys[n]), (skipped, key)):
                if one and (text := memory.get(one)):
                    self._covers(n, but, text)
                    return

    def _covers(self, units: int, but: int | None, text: str) -> None:
        """The summary tells the first units, perhaps but one."""
        going, self.text = self.rest, text
        told = [unit for n, unit in enumerate(going[:units]) if n != but]
        self.covered.update(i for unit in told for i in unit)
        self.rest = ([] if but is None else [going[but]]) + going[units:]

    def learned(self, steps: int, text: str) -> bool:
        """Whether there is a summary now that tells so many units more; blank text is none."""
        if not text.strip():
            return False
        units = len(self._keys) - 1 - len(self.rest) + steps
        self._memory[self._keys[units]] = text
        self.covered.update(i for unit in self.rest[:steps] for i in unit)
        self.rest = self.rest[steps:]
        self.text = text
        return True

    def cut(self, steps: int = 0) -> Cut:
        """The summary in the place of what it tells, without so many units more."""
        gone = self.covered.union(*self.rest[:steps])
        kept = [m for i, m in enumerate(self.msgs) if i not in gone]
        if not self.text:
            return Cut(kept, ())
        first = min(self.covered)
        at = first - sum(i < first for i in gone)
        summary = self._say(self.text)
        of = [self.msgs[i] for i in sorted(self.covered)]
        return Cut([*kept[:at], summary, *kept[at:]], [Made(summary, of, "summary")])

    def asked(self, steps: int) -> list[Msg]:
        """What the next summary is made of: the earlier one, and so many units more."""
        earlier = [self._say(self.text)] if self.text else []
        return earlier + [self.msgs[i] for unit in self.rest[:steps] for i in unit]


def _keys(
    msgs: Sequence[Msg], going: Iterable[Sequence[int]]
) -> tuple[list[str], list[tuple[int | None, str]]]:
    """For each number of units the hash of them all, and (which, hash) without the latest question.

    The latest question may not go, so a summary that was made while it was the latest tells what
    stood before and behind it; when the next question comes, that summary still holds.
    """
    ids = identify(msgs)
    keys = [""]
    found: list[tuple[int | None, str]] = [(None, "")]
    for n, unit in enumerate(going):
        own = "\0".join(ids[i] for i in unit)
        asks = any(msgs[i].role == "user" and not has_results(msgs[i]) for i in unit)
        found.append((n, keys[-1]) if asks else (found[-1][0], _chained(found[-1][1], own)))
        keys.append(_chained(keys[-1], own))
    return keys, found


def _chained(before: str, own: str) -> str:
    return blake2b(f"{before}\0{own}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
