"""`dragoman wires`: what wires, vendors and model families carry, in tables of short words.

The tables, which the docs use too, are made from `wire(name).can(model)` and the vendors' rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime
from typing import Any

from ..capabilities import MEDIA, Capabilities, Fact, Facts, IdRule, override
from ..capabilities.families import FAMILIES
from ..codec.wire import Wire
from ..text.json_text import Json, JsonObject
from ..vendors import PROTOCOLS, VENDORS, Vendor, vendor, wires
from ..vendors import wire as wire_of
from . import options
from .output import Screen, grid, print_json


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its title, heads and rows of short words, and notes that explain the words."""

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()


def all_wires(facts: Facts | str | None = None) -> list[Wire]:
    """Every wire by name, each vendor's further wires after its first."""
    names: list[str] = []
    for name in wires():
        further = list(vendor(name).wires)[1:] if _is_vendor(name) else []
        names += [name, *(f"{name}/{protocol}" for protocol in further)]
    return [wire_of(name, facts=facts) for name in names]


def _is_vendor(name: str) -> bool:
    return name in VENDORS or name not in PROTOCOLS


def vendors() -> list[Vendor]:
    """The row of every vendor, including those of installed packages."""
    return [vendor(name) for name in dict.fromkeys([*VENDORS, *wires()]) if _is_vendor(name)]


def list_messages(wires: Iterable[Wire], model: str | None = None) -> Sheet:
    """What messages may contain."""
    return Sheet(
        "What messages may hold",
        (
            "wire",
            "image",
            "audio",
            "video",
            "doc",
            "think",
            "tool",
            "result",
            "system",
            "name",
            "hint",
        ),
        [(w.name, *_list_message_cells(w.can(model))) for w in wires],
        (
            "text and tool results as text: everywhere",
            "image, audio, video, doc: in user messages, as u URL, b base64, f uploaded file",
            "think: thinking that is sent back, of all turns or of turns with tool calls",
            "tool: yes, or text where calls and results can only be sent as text",
            "result: media in a tool result (i a v d); in brackets: in a user turn after it",
            "system: a message of its own, or a field at the top of the request",
            "name: a field for the speaker's name; hint: how many cache hints",
        ),
    )


def _list_message_cells(caps: Capabilities) -> Iterator[str]:
    yield from (_sources(caps, kind) for kind in MEDIA)
    yield {"never": "-", "all": "all", "tool_turns": "calls"}[caps.thinking]
    yield "-" if not caps.tools else "yes" if caps.tool_messages else "text"
    follows = (caps.move_media & caps.user) - caps.result
    within = "".join(kind[0] for kind in MEDIA if kind in caps.result)
    behind = "".join(kind[0] for kind in MEDIA if kind in follows)
    yield f"{within}({behind})" if behind else within or "-"
    yield caps.system_place
    yield "-" if caps.name_field == "never" else "yes"
    yield str(caps.cache_hints or "-")


def _sources(caps: Capabilities, kind: str) -> str:
    if kind not in caps.user:
        return "-"
    takes = caps.sources.get(kind, frozenset({"url", "base64"}))
    return " ".join(source[0] for source in ("url", "base64", "file") if source in takes) or "-"


_MODES = {"auto": "a", "none": "n", "required": "r", "tool": "t", "allowed": "l"}


def list_requests(wires: Iterable[Wire], model: str | None = None) -> Sheet:
    """What requests may ask for."""
    return Sheet(
        "What requests may ask for",
        ("wire", "thinks", "effort", "tools", "choice", "server", "format", "bound"),
        [(w.name, *_list_request_cells(w.can(model))) for w in wires],
        (
            "thinks: never, on request, by default (it can be switched off), or always",
            "effort: levels from least to most, on (a switch), or a range of tokens",
            "tools: functions together with thinking; default: if no effort is named",
            "choice: auto, none, required, tool (one by name), list (some of them)",
            "server: tools that the provider runs: web search, code execution, file search",
            "format: json, or json by a schema",
            "bound: signed thinking is valid only after the history that it was made for",
        ),
    )


def _list_request_cells(caps: Capabilities) -> Iterator[str]:
    yield caps.thinks
    yield "-" if caps.thinks == "never" else effort(caps)
    yield "-" if not caps.tools or caps.thinks == "never" else caps.tools_with_thinking
    yield " ".join(letter for mode, letter in _MODES.items() if mode in caps.tool_choices) or "-"
    yield " ".join(sorted(kind[0] for kind in caps.server_tools)) or "-"
    yield " ".join(kind[0] for kind in ("json", "schema") if kind in caps.formats) or "-"
    yield "-" if caps.binding == "none" else "yes"


def effort(caps: Capabilities) -> str:
    """How thinking is measured: levels, a range of tokens, or both."""
    levels, tokens = caps.efforts, caps.budgets
    parts = ["-".join(dict.fromkeys((levels[0], levels[-1])))] if levels else []
    if tokens:
        parts.append("-".join(str(n) for n in dict.fromkeys((tokens[0], tokens[-1]))))
    return " or ".join(parts) or "any"


def not_taken(wires: Iterable[Wire], model: str | None = None) -> Sheet:
    """The options that a wire or a model refuses or ignores."""
    rows = []
    for wire in wires:
        stances = wire.can(model).options
        cells = [
            ", ".join(sorted(name for name, how in stances.items() if how in hows))
            for hows in (("refuses", "pinned"), ("ignores",))
        ]
        if any(cells):
            rows.append((wire.name, *(cell or "-" for cell in cells)))
    return Sheet("Options that are not taken", ("wire", "refused", "ignored"), rows)


# parts of names that hosts add for dates and versions, as patterns spell them
_VERSIONS = ("[:@]", "-[!0-9]", "-20[", "-v[")


# capabilities with a column of their own, and how a wire spells their values
_CELLS = (
    "thinks",
    "efforts",
    "budgets",
    "tools_with_thinking",
    "forced_tools",
    "tool_choices",
    "prefill",
    "binding",
    "form",
)


@dataclass(slots=True)
class Known:
    """What is known of some models: on all wires, and on single ones."""

    models: str
    when: str
    since: str
    source: str
    changes: dict[str, Any] = field(default_factory=dict)
    on: dict[str, dict[str, Any]] = field(default_factory=dict)

    def describe_changes(self) -> str:
        """All changes in words."""
        parts = ["; ".join(format_changes(self.changes))] if self.changes else []
        for name, changes in self.on.items():
            contains = set(self.changes) <= set(changes)
            further = {k: v for k, v in changes.items() if not contains or self.changes.get(k) != v}
            parts.append(f"on {name}: {'; '.join(format_changes(further)) or 'the same'}")
        return ". ".join(parts)

    def all(self) -> dict[str, Any]:
        """The changes that hold on any wire."""
        result = dict(self.changes)
        for changes in self.on.values():
            result |= changes
        return result


def group(rows: Iterable[Fact]) -> list[Known]:
    """Facts with equal models, state, date and source, combined."""
    groups: dict[tuple[Any, ...], Known] = {}
    for fact in rows:
        key = (fact.models, fact.but, fact.when, fact.since, fact.source)
        but = f" but {', '.join(_shorten_patterns(fact.but))}" if fact.but else ""
        models = f"{', '.join(_shorten_patterns(fact.models))}{but}"
        group = groups.setdefault(key, Known(models, *key[2:]))
        if fact.wire:
            group.on[fact.wire] = dict(fact.changes)
        else:
            group.changes = dict(fact.changes)
    return list(groups.values())


def _shorten_patterns(patterns: Sequence[str]) -> list[str]:
    """Patterns without those that only spell out versions of another one."""
    versions = {
        name: [p for p in patterns if p.startswith(tuple(name + end for end in _VERSIONS))]
        for name in patterns
    }
    covered = {p for group in versions.values() for p in group}
    return [
        f"{name.replace('[-.]', '-')}{'…' if versions[name] else ''}"
        for name in patterns
        if name not in covered
    ]


def families() -> Sheet:
    """How the models of each family think and what they accept, on any host."""
    return Sheet(
        "Model families",
        (
            "family",
            "while",
            "thinks",
            "effort",
            "tools",
            "forced",
            "prefill",
            "bound",
            "besides",
            "since",
        ),
        [(row.models, row.when, *_cells(row.all()), row.since) for row in group(FAMILIES.rows)],
        (
            "the first family that holds is applied; …: its dated and hosted versions too",
            "while: holds on top, for requests in that state; unsaid: as the wire has it",
            "thinks, effort, tools, bound: as above; forced: choices but auto and none",
            "prefill: the request may end in a turn of the assistant; besides: as `can` has it",
        ),
    )


def _cells(changes: Mapping[str, Any]) -> Iterator[str]:
    caps = override(Capabilities(), changes)
    yield str(changes.get("thinks", ""))
    yield effort(caps) if caps.efforts or caps.budgets else ""
    yield str(changes.get("tools_with_thinking", ""))
    forced = changes.get("forced_tools", changes.get("tool_choices"))
    yield "" if forced is None else _value(bool({"required", "tool"} & caps.tool_choices))
    yield _value(changes["prefill"]) if "prefill" in changes else ""
    yield "" if "binding" not in changes else _value(caps.binding == "prefix")
    yield "; ".join(format_changes({name: changes[name] for name in changes if name not in _CELLS}))


def ages(wires: Iterable[Wire]) -> dict[str, list[str]]:
    """The dates of the facts about the families, and about each protocol and host."""
    result = {"model families": dates([FAMILIES])}
    for wire in wires:
        result[wire.name] = dates(wire.facts[1:], wire.room.can())  # the first are the families
    return result


def dates(facts: Iterable[Facts], caps: Capabilities | None = None) -> list[str]:
    """When these facts began or were looked up, oldest first."""
    result = [
        since for source in facts for since in (source.since, *(row.since for row in source.rows))
    ]
    return sorted(filter(None, [*result, caps.since if caps is not None else ""]))


def format_changes(changes: Mapping[str, Any]) -> Iterator[str]:
    """Changes in the names that `can` and files of facts use."""
    for name, value in changes.items():
        if name == "options":
            by_stance: dict[str, list[str]] = {}
            for option, how in value.items():
                by_stance.setdefault(how, []).append(option)
            yield from (f"{how} {', '.join(options)}" for how, options in by_stance.items())
        else:
            yield f"{name}: {_value(value)}"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{key} {_value(item)}" for key, item in value.items()) or "none"
        case str():
            return value or "none"
        case IdRule():
            default = type(value)()
            differing = {f.name: getattr(value, f.name) for f in fields(value)}
            return _value({k: v for k, v in differing.items() if v != getattr(default, k)})
        case set() | frozenset():
            return ", ".join(sorted(map(str, value))) or "none"
        case Sequence():
            return ", ".join(map(str, value)) or "none"
        case _:
            return str(value)


_TABLE = 80  # columns that the tables need


def list_wires(
    model: options.Model = None, facts: options.Facts = None, as_json: options.Json = False
) -> None:
    """List wires, vendors and model families, and what each can carry.

    Without a model: what every current model on that wire accepts. A dash: not carried; what a
    conversation loses by that is named when it is written.
    """
    every_wire = all_wires(options.facts(facts))
    if as_json:
        dated = ages(every_wire)
        data = {
            "model": model,
            "facts": facts,
            "wires": {wire.name: _wire(wire, model, dated[wire.name]) for wire in every_wire},
            "vendors": {row.name: _vendor(row) for row in vendors()},
            "families": _json(FAMILIES.rows),
        }
        print_json(data)
        return
    screen = Screen()
    if model is not None:
        screen.print(f"For {model}:\n", style="bold")
    for sheet_of in (list_messages, list_requests, not_taken):
        _show(screen, sheet_of(every_wire, model))
    places = [(row.name, ", ".join(row.wires), "\n".join(_places(row))) for row in vendors()]
    _show_grid(screen, "Vendors", places)
    if model is not None:
        _show_grid(screen, f"\nWhat is known of {model}", list(_list_facts(every_wire, model)))
        return
    every_age = [(name, _age(dates_found)) for name, dates_found in ages(every_wire).items()]
    _show_grid(screen, "\nAge of the facts", every_age)
    sheet = families()
    rows = [(row[0], _format_cells(sheet.heads, row)) for row in sheet.rows]
    _show_grid(screen, f"\n{sheet.title}", rows)
    for line in sheet.notes:
        screen.print(line, style="dim")


def _show(screen: Screen, sheet: Sheet) -> None:
    """Print a sheet as a table, or as sentences if the screen is too narrow."""
    screen.print(sheet.title, style="bold")
    if screen.width < _TABLE:
        for name, *cells in sheet.rows:
            pairs = zip(sheet.heads[1:], cells, strict=True)
            screen.print(f"{name}: " + ", ".join(f"{head} {cell}" for head, cell in pairs))
    else:
        # a vendor's further wires follow its first: only the protocol of their names is shown
        rows = ((re.sub("^[^/]*/", "/", name), *cells) for name, *cells in sheet.rows)
        columns = ["fold"] * (len(sheet.heads) - 1)
        screen.print(grid(rows, "", *columns, heads=sheet.heads))
    for line in sheet.notes:
        screen.print(line, style="dim")
    screen.print()


def _format_cells(heads: tuple[str, ...], row: tuple[str, ...]) -> str:
    """The cells of a row that are not empty, each after its head."""
    pairs = zip(heads[1:], row[1:], strict=True)
    cells = [cell if head == "besides" else f"{head} {cell}" for head, cell in pairs if cell]
    return "; ".join(cells)


def _show_grid(screen: Screen, title: str, rows: Sequence[tuple[str, ...]]) -> None:
    screen.print(title, style="bold")
    screen.print(grid(rows, *["fold"] * len(rows[0]), gap=2))


def _places(row: Vendor) -> Iterable[str]:
    yield row.base_url
    yield from (f"{protocol}: {url}" for protocol, url in row.urls.items())
    yield from (f"{region}: {url}" for region, url in row.regions.items())
    yield f"key: {row.key or 'none'}"


def _list_facts(wires: list[Wire], model: str) -> Iterable[tuple[str, ...]]:
    """Each fact about a model, with the wires on which it holds."""
    facts: dict[int, tuple[Fact, list[str]]] = {}
    for wire in wires:
        for fact in (*wire.list_facts(model), *wire.conditional(model)):
            facts.setdefault(id(fact), (fact, []))[1].append(wire.name)
    for fact, names in facts.values():
        place = "everywhere" if len(names) == len(wires) else ", ".join(names)
        when = f"while {fact.when}: " if fact.when else ""
        text = f"{when}{'; '.join(format_changes(fact.changes))}"
        yield place, f"{text}\n{f'since {fact.since}: ' if fact.since else ''}{fact.source}"
    if not facts:
        yield ("nothing in particular",)


def _age(dates: list[str]) -> str:
    if not dates:
        return "no date"
    days = _days(dates[-1])
    age = f", {days} days ago" if days is not None else ""
    return f"{len(dates)}, from {dates[0]} to {dates[-1]}{age}"


def _days(since: str) -> int | None:
    """How many days ago a date was; None if only its month or year is known."""
    if len(since) < 10:
        return None
    return (datetime.now(UTC).date() - date.fromisoformat(since)).days


def _wire(wire: Wire, model: str | None, dates: list[str]) -> JsonObject:
    return {
        "protocol": wire.room.protocol,
        "vendor": wire.vendor.name if wire.vendor is not None else None,
        "default_model": wire.room.model,
        "oldest_fact": dates[0] if dates else None,
        "newest_fact": dates[-1] if dates else None,
        "age_days": _days(dates[-1]) if dates else None,
        "facts": []
        if model is None
        else _json([*wire.list_facts(model), *wire.conditional(model)]),
        "can": _json(wire.can(model)),
    }


def _vendor(row: Vendor) -> JsonObject:
    addresses = {name: _json(getattr(row, name)) for name in ("base_url", "urls", "regions")}
    return {**addresses, "key": row.key, "wires": list(row.wires)}


def _json(value: Any) -> Json:
    """Values of capabilities and facts as JSON: sets sorted, rows as objects."""
    if is_dataclass(value):
        return {f.name: _json(getattr(value, f.name)) for f in fields(value)}
    match value:
        case Mapping():
            return {str(key): _json(item) for key, item in value.items()}
        case frozenset() | set():
            return sorted(value)
        case tuple() | list():
            return list(map(_json, value))
        case _:
            return value
