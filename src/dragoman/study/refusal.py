"""Refusal: one thing in a body that a provider would refuse."""

from __future__ import annotations

from dataclasses import dataclass

from ..shown import Shown

__all__ = ["Refusal"]


@dataclass(frozen=True, slots=True, repr=False)
class Refusal(Shown):
    """One thing that the provider would refuse, with the rule that says so.

    `where` is the path in the body; `rule` says in a sentence what is wrong there; `source` and
    `since` where it is written down, and when it came or was looked up (ISO date, or empty). `fix`
    is the smallest change; `code` is that of a loss, or `field.*`.
    """

    where: str
    rule: str
    source: str = ""
    since: str = ""
    fix: str = ""
    code: str = ""
