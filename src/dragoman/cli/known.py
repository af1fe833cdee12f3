"""What is known of models by name, as sheets: families, what hosts change, and how old it is.

A family is one row, whatever wires say of it besides; words and dates come from the facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from .._wire import Wire
from ..capabilities import Capabilities, Fact, Facts, override
from ..families import FAMILIES
from ..rules import IdRule
from .carried import Sheet, effort

__all__ = ["Known", "ages", "dates", "families", "grouped", "hosts", "told"]

# a name that hosts write with dates and versions of theirs, spelled out in patterns
_VERSIONS = ("[:@]", "-[!0-9]", "-20[", "-v[")


# what has a cell of its own, and how a wire spells what the cells say
_CELLS = ("thinks", "efforts", "budgets", "tools_with_thinking", "forced_tools", "tool_choices",
          "prefill", "binding", "form")  # fmt: skip


@dataclass(slots=True)
class Known:
    """What holds for some models: anywhere, and on single wires besides."""

    models: str
    when: str
    since: str
    source: str
    changes: dict[str, Any] = field(default_factory=dict)
    on: dict[str, dict[str, Any]] = field(default_factory=dict)

    def said(self) -> str:
        """All of it in words."""
        parts = ["; ".join(told(self.changes))] if self.changes else []
        for wire, own in self.on.items():
            beside = set(self.changes) <= set(own)
            more = {k: v for k, v in own.items() if not beside or self.changes.get(k) != v}
            parts.append(f"on {wire}: {'; '.join(told(more)) or 'the same'}")
        return ". ".join(parts)

    def all(self) -> dict[str, Any]:
        """What holds on some wire or other."""
        made = dict(self.changes)
        for own in self.on.values():
            made |= own
        return made


def grouped(rows: Iterable[Fact]) -> list[Known]:
    """Facts of the same models, state, date and source as one."""
    found: dict[tuple[Any, ...], Known] = {}
    for fact in rows:
        key = (fact.models, fact.but, fact.when, fact.since, fact.source)
        known = found.setdefault(key, Known(_models(fact), *key[2:]))
        if fact.wire:
            known.on[fact.wire] = dict(fact.changes)
        else:
            known.changes = dict(fact.changes)
    return list(found.values())


def _models(fact: Fact) -> str:
    but = f" but {', '.join(_shortened(fact.but))}" if fact.but else ""
    return f"{', '.join(_shortened(fact.models))}{but}"


def _shortened(patterns: Sequence[str]) -> list[str]:
    """Patterns without those that spell out the versions of another one."""
    versions = {
        name: [p for p in patterns if p.startswith(tuple(name + end for end in _VERSIONS))]
        for name in patterns
    }
    spelled = {p for found in versions.values() for p in found}
    return [
        f"{name.replace('[-.]', '-')}{'…' if versions[name] else ''}"
        for name in patterns
        if name not in spelled
    ]


def families() -> Sheet:
    """How the models of each family think and what they take, whoever hosts them."""
    return Sheet(
        "Model families",
        ("family", "while", "thinks", "effort", "tools", "forced", "prefill", "bound", "besides",
         "since"),
        [(one.models, one.when, *_cells(one.all()), one.since) for one in grouped(FAMILIES.rows)],
        (
            "the first family that holds is applied; …: its dated and hosted versions too",
            "while: holds on top, for requests in that state; unsaid: as the wire has it",
            "thinks, effort, tools, bound: as above; forced: choices but auto and none",
            "prefill: the request may end in a turn of the assistant; besides: as `can` has it",
        ),
    )  # fmt: skip


def _cells(changes: Mapping[str, Any]) -> Iterator[str]:
    can = override(Capabilities(), changes)
    yield str(changes.get("thinks", ""))
    yield effort(can) if can.efforts or can.budgets else ""
    yield str(changes.get("tools_with_thinking", ""))
    forced = changes.get("forced_tools", changes.get("tool_choices"))
    yield "" if forced is None else _value(bool({"required", "tool"} & can.tool_choices))
    yield _value(changes["prefill"]) if "prefill" in changes else ""
    yield "" if "binding" not in changes else _value(can.binding == "prefix")
    yield "; ".join(told({name: changes[name] for name in changes if name not in _CELLS}))


def hosts(listed: Iterable[Wire]) -> dict[str, tuple[str, str, list[Known]]]:
    """For wires that a vendor's row says something of: what always holds, its source, and rows."""
    names: dict[int, list[str]] = {}
    rows: dict[int, Facts] = {}
    for one in listed:
        for known in _own(one):
            if known.always or known.rows:
                names.setdefault(id(known), []).append(one.name)
                rows[id(known)] = known
    return {
        ", ".join(names[key]): ("; ".join(told(one.always)), _dated(one), grouped(one.rows))
        for key, one in rows.items()
    }


def _own(wire: Wire) -> tuple[Facts, ...]:
    """What is known beside the families, which come first."""
    return wire.facts[1:]


def _dated(known: Facts) -> str:
    return f"{known.source} ({known.since})" if known.source and known.since else known.source


def ages(listed: Iterable[Wire]) -> dict[str, list[str]]:
    """The dates of what is known of the families, and of each protocol and host."""
    found = {"model families": dates([FAMILIES])}
    for one in listed:
        found[one.name] = dates(_own(one), one.room.can())
    return found


def dates(known: Iterable[Facts], can: Capabilities | None = None) -> list[str]:
    """When these facts began or were looked up, oldest first."""
    found = [since for one in known for since in (one.since, *(row.since for row in one.rows))]
    return sorted(filter(None, [*found, can.since if can is not None else ""]))


def told(changes: Mapping[str, Any]) -> Iterator[str]:
    """Changes in the names that `can` and files of facts use."""
    for name, value in changes.items():
        if name == "options":
            by_stance: dict[str, list[str]] = {}
            for option, how in value.items():
                by_stance.setdefault(how, []).append(option)
            yield from (f"{how} {', '.join(found)}" for how, found in by_stance.items())
        else:
            yield f"{name}: {_value(value)}"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{key} {_value(inner)}" for key, inner in value.items()) or "none"
        case str():
            return value or "none"
        case IdRule():
            default = type(value)()
            given = {f.name: getattr(value, f.name) for f in fields(value)}
            return _value({k: v for k, v in given.items() if v != getattr(default, k)})
        case set() | frozenset():
            return ", ".join(sorted(map(str, value))) or "none"
        case Sequence():
            return ", ".join(map(str, value)) or "none"
        case _:
            return str(value)
