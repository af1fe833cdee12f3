"""Msgs -> Msgs: who speaks. By role, by name in one merged history, by tag, or by a name field.

Each is a value that is called with the messages and a Report. Knows no wire: whether a wire has
a name field is a capability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

from ..errors import ConfigError
from ..losses import Report
from ..message import Msg
from ..rules import IdRule, mapping
from ..shown import shown
from .history import ByName
from .tagged import Tagged

__all__ = ["ByName", "ByRole", "NameField", "Rewrite", "Speakers", "Tagged", "clean_names"]


class Rewrite(Protocol):
    """Any rewrite of a history: messages and a Report in, messages out.

    It may have a `lookback`: how many of the last messages it writes otherwise once the history
    goes on (none if it does not say so).
    """

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages rewritten; the very list if there is nothing to do."""
        ...


@dataclass(frozen=True, slots=True)
class ByRole:
    """The role decides who speaks: a chat of a user and an assistant."""

    lookback: ClassVar[int] = 0

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages as they are."""
        return msgs


@dataclass(frozen=True, slots=True)
class NameField:
    r"""The wire's own name field tells the speakers apart; names are cleaned as `rule` demands.

    The default rule is the one of Chat Completions: no white space and none of `<|\\/>`.
    """

    lookback: ClassVar[int] = 0

    rule: IdRule = IdRule(chars=r"^\s<|\\/>", max=64)

    def __post_init__(self) -> None:
        if not isinstance(self.rule, IdRule):
            raise ConfigError(f"{shown(self.rule)} is no IdRule", code="history.value")

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages under names that the rule accepts; two names never become one."""
        return clean_names(msgs, self.rule, report)


Speakers: TypeAlias = ByRole | ByName | Tagged | NameField


def clean_names(
    msgs: list[Msg], rule: IdRule, report: Report, before: tuple[str, ...] = ()
) -> list[Msg]:
    """The messages under names that the rule accepts; `before`: who spoke before them."""
    names = mapping([*filter(None, before), *(m.name for m in msgs if m.name)], rule)
    if not names:
        return msgs
    out = []
    for m in msgs:
        if m.name not in names:
            out.append(m)
            continue
        made = Msg.trusted(names[m.name], m.content, m.role, m)
        report.made(made, m)
        report.lost("name.mapped", m, "name", did=f"written as {made.name}")
        out.append(made)
    return out
