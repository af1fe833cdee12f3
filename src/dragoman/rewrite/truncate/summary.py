"""Summarize: what has to go is told in short, by whatever the user calls for it.

Summaries are kept by what they tell, so a history that grew is not told from its start again: the
earlier summary and the messages behind it are. Knows no model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, MutableMapping
from dataclasses import dataclass, field

from ...errors import ConfigError
from ...message import Msg
from ...message.msg import Role
from ...shown import shown
from .figures import first_that_fits, per_unit, running, weights
from .keeping import Keeping
from .oldest import DropOldest
from .plan import Asked, Plan, Truncation, strategic
from .told import Told
from .units import units

__all__ = ["Summarize"]

_KEPT = 256
_ROLES = ("user", "assistant", "system", "developer")


class _Recent(dict[str, str]):
    """The summaries of one process, as many as are likely to be asked for again."""

    def __setitem__(self, key: str, text: str) -> None:
        super().__setitem__(key, text)
        while len(self) > _KEPT:
            self.pop(next(iter(self)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Telling(Keeping):
    """How a summary is said, and where it is kept."""

    share: float = 0.5
    words: str = "<summary>\n{summary}\n</summary>"
    role: Role = "user"
    name: str = ""
    then: Truncation | None = None
    memory: MutableMapping[str, str] = field(default_factory=_Recent, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Summarize(_Telling):
    """Put one message in the place of the oldest ones: what `call` says of them.

    `call(messages)` gives text, or something to await that gives it. It is asked when the history
    no longer fits, about so many messages that the others take no more than `share` of the limit,
    and again when these have grown too long: then the first message is the earlier summary. The
    summary stands where the first of them stood, said by `role` and `name`, in `words`. `memory`
    keeps summaries under hashes of what they tell: any mapping, for instance one that outlives the
    process. Where a summary is blank or does not fit, `then` cuts the history without one
    (DropOldest with the same pins unless it is given).
    """

    call: Callable[[list[Msg]], str | Awaitable[str]]

    def __post_init__(self) -> None:
        Keeping.__post_init__(self)
        wrong = [
            f"{name}={shown(value)}"
            for name, value, right in (
                ("call", self.call, callable(self.call)),
                ("share", self.share, isinstance(self.share, (int, float)) and 0 < self.share < 1),
                ("role", self.role, self.role in _ROLES),
                ("name", self.name, isinstance(self.name, str)),
                ("words", self.words, isinstance(self.words, str) and "{summary}" in self.words),
                ("memory", self.memory, isinstance(self.memory, MutableMapping)),
            )
            if not right
        ]
        if wrong:
            raise ConfigError(
                f"Summarize cannot work with {', '.join(wrong)}",
                hint="call is a function, share lies between 0 and 1, role is user, assistant,"
                " system or developer, words hold {summary}, and memory is a mapping of texts",
                code="truncate.option",
            )
        if self.then is not None:
            strategic(self.then, "then")

    def candidates(self, msgs: list[Msg], limit: int) -> Plan:
        """The history as it is, behind an earlier summary, behind a new one, or cut by `then`."""
        room = self.room(limit)
        tokens = yield msgs
        if tokens <= room:
            return msgs
        groups = units(msgs)
        stays = self.stays(msgs, groups)
        going = [unit for unit in groups if stays.isdisjoint(unit)]
        told = Told(msgs, going, self.memory, self._said)
        if told.text:
            candidate = told.cut()
            tokens = yield candidate
            if tokens <= room:
                return candidate
        if told.rest:
            steps = yield from _steps(told, tokens, max(1, int(room * self.share)))
            text = yield Asked(self.call, told.asked(steps))
            if told.learned(steps, _text(text)):
                candidate = told.cut()
                if (yield candidate) <= room:
                    return candidate
        then = self.then or DropOldest(pin=self.pin)
        return (yield from then.candidates(msgs, room))

    def _said(self, text: str) -> Msg:
        return Msg(self.name, self.words.replace("{summary}", text), self.role)


def _steps(told: Told, tokens: int, target: int) -> Generator[list[Msg], int, int]:
    """How many units more must be told in short, for what stays to take no more than `target`."""
    each = weights(told.msgs, 0)
    freed = running([sum(each[i] for i in unit) for unit in told.rest])
    rate = per_unit(tokens, sum(weights(told.cut(), 0)))
    found = yield from first_that_fits(told.cut, freed, tokens, target, rate, exactly=False)
    return len(told.rest) if found.step is None else found.step


def _text(said: object) -> str:
    if isinstance(said, str):
        return said
    raise ConfigError(
        f"the call of Summarize must give text, not {type(said).__name__}",
        hint="return the text of the model's answer",
        code="truncate.summary",
    )
