"""What wires and vendors carry, as sheets of short words: for the screen and for the docs.

Everything is read from `wire(name).can(model)` and the vendors' rows; how a sheet is shown is not
its business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from .._core.exchange.wire import Wire
from .._core.families import FAMILIES
from .._core.jsontext import Json, JsonObject
from ..capabilities import MEDIA, Capabilities, Fact, Facts, override
from ..capabilities.naming import IdRule
from ..vendors import PROTOCOLS, VENDORS, Vendor, vendor, wire, wires
from . import options
from .output import console, json_text, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its title, heads and rows of short words, and what the words mean."""

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()


def all_wires(known: Facts | str | None = None) -> list[Wire]:
    """Every wire by name, each vendor's further wires behind its first."""
    return [wire(name, facts=known) for name in _names()]


def _names() -> Iterator[str]:
    for name in wires():
        yield name
        if name in VENDORS or name not in PROTOCOLS:
            yield from (f"{name}/{protocol}" for protocol in list(vendor(name).wires)[1:])


def vendors() -> list[Vendor]:
    """The row of every vendor, those of installed packages too."""
    names = dict.fromkeys([*VENDORS, *wires()])
    return [vendor(name) for name in names if name in VENDORS or name not in PROTOCOLS]


def carried(listed: Iterable[Wire], model: str | None = None) -> Sheet:
    """What messages may hold."""
    return Sheet(
        "What messages may hold",
        ("wire", "image", "audio", "video", "doc", "think", "tools", "result", "system", "names",
         "cache"),
        [(one.name, *_carried(one.can(model))) for one in listed],
        (
            "text and tool results as text: everywhere",
            "image, audio, video, doc: in user messages; u URL, b base64, f uploaded file",
            "think: thinking that is sent back, of all turns or of turns with tool calls",
            "tools: yes, or text where calls and results can only be told as text",
            "result: media in a tool result (i a v d); in brackets: in a user turn behind it",
            "system: a message of its own, or a field at the top of the request",
            "names: a field for the speaker's name; cache: how many cache hints",
        ),
    )  # fmt: skip


def _carried(caps: Capabilities) -> Iterator[str]:
    yield from (_sources(caps, kind) for kind in MEDIA)
    yield {"never": "-", "all": "all", "tool_turns": "calls"}[caps.thinking]
    yield "-" if not caps.tools else "yes" if caps.tool_messages else "text"
    within = "".join(kind[0] for kind in MEDIA if kind in caps.result)
    behind = "".join(kind[0] for kind in MEDIA if kind in caps.move_media - caps.result)
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


def asked(listed: Iterable[Wire], model: str | None = None) -> Sheet:
    """What requests may ask for."""
    return Sheet(
        "What requests may ask for",
        ("wire", "thinks", "effort", "tools", "choice", "server", "format", "bound"),
        [(one.name, *_asked(one.can(model))) for one in listed],
        (
            "thinks: never, if asked, by default (it can be switched off), or always",
            "effort: levels from least to most, on (a switch), or a range of tokens",
            "tools: functions beside thinking; default: if no effort is named",
            "choice: auto, none, required, tool (one by name), list (some of them)",
            "server: tools that the provider runs: web search, code execution, file search",
            "format: json, or json by a schema",
            "bound: signed thinking holds only behind the history that it was made for",
        ),
    )


def _asked(caps: Capabilities) -> Iterator[str]:
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
    said = ["-".join(dict.fromkeys((levels[0], levels[-1])))] if levels else []
    if tokens:
        said.append("-".join(str(n) for n in dict.fromkeys((tokens[0], tokens[-1]))))
    return " or ".join(said) or "any"


def not_taken(listed: Iterable[Wire], model: str | None = None) -> Sheet:
    """The options that a wire or a model takes otherwise than they were meant."""
    rows = []
    for one in listed:
        stances = one.can(model).options
        found = [
            ", ".join(sorted(name for name, how in stances.items() if how in hows))
            for hows in (("refuses", "pinned"), ("ignores",))
        ]
        if any(found):
            rows.append((one.name, *(cell or "-" for cell in found)))
    return Sheet("Options that are not taken", ("wire", "refused", "ignored"), rows)


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
        for name, own in self.on.items():
            beside = set(self.changes) <= set(own)
            more = {k: v for k, v in own.items() if not beside or self.changes.get(k) != v}
            parts.append(f"on {name}: {'; '.join(told(more)) or 'the same'}")
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
    caps = override(Capabilities(), changes)
    yield str(changes.get("thinks", ""))
    yield effort(caps) if caps.efforts or caps.budgets else ""
    yield str(changes.get("tools_with_thinking", ""))
    forced = changes.get("forced_tools", changes.get("tool_choices"))
    yield "" if forced is None else _value(bool({"required", "tool"} & caps.tool_choices))
    yield _value(changes["prefill"]) if "prefill" in changes else ""
    yield "" if "binding" not in changes else _value(caps.binding == "prefix")
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


def dates(known: Iterable[Facts], caps: Capabilities | None = None) -> list[str]:
    """When these facts began or were looked up, oldest first."""
    found = [since for one in known for since in (one.since, *(row.since for row in one.rows))]
    return sorted(filter(None, [*found, caps.since if caps is not None else ""]))


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


_TABLE = 80  # columns that the tables need


def list_wires(
    model: options.Model = None,
    facts: options.Facts = None,
    as_json: options.Json = False,
) -> None:
    """List wires, vendors and model families, and what each can carry.

    Without a model: what every current model on that wire accepts. A dash: not carried; what a
    conversation loses by that is named when it is written.
    """
    listed = all_wires(options.facts(facts))
    if as_json:
        dated = ages(listed)
        say(json_text({"model": model, "facts": facts,
                       "wires": {one.name: _wire(one, model, dated[one.name]) for one in listed},
                       "vendors": {row.name: _vendor(row) for row in vendors()},
                       "families": _json(FAMILIES.rows)}))  # fmt: skip
        return
    screen = console()
    if model is not None:
        screen.print(f"For {model}:\n", style="bold")
    for sheet in (carried(listed, model), asked(listed, model), not_taken(listed, model)):
        _show(screen, sheet)
    screen.print("Vendors", style="bold")
    screen.print(_grid(
        (row.name, ", ".join(row.wires), "\n".join(_places(row))) for row in vendors()
    ))  # fmt: skip
    if model is not None:
        screen.print(f"\nWhat is known of {model}", style="bold")
        screen.print(_grid(_known(listed, model)))
    else:
        screen.print("\nAge of the facts", style="bold")
        screen.print(_grid((name, _age(found)) for name, found in ages(listed).items()))
        sheet = families()
        screen.print(f"\n{sheet.title}", style="bold")
        screen.print(_grid((row[0], _worded(sheet.heads, row)) for row in sheet.rows))
        for line in sheet.notes:
            screen.print(line, style="dim")


def _show(screen: Console, sheet: Sheet) -> None:
    """A sheet as a table, or in sentences where the screen is too narrow for one."""
    screen.print(sheet.title, style="bold")
    if screen.width < _TABLE:
        for name, *cells in sheet.rows:
            said = zip(sheet.heads[1:], cells, strict=True)
            screen.print(f"{name}: " + ", ".join(f"{head} {cell}" for head, cell in said))
    else:
        screen.print(_table(sheet))
    for line in sheet.notes:
        screen.print(line, style="dim")
    screen.print()


def _worded(heads: tuple[str, ...], row: tuple[str, ...]) -> str:
    """The cells of a row that say something, each behind its head."""
    said = zip(heads[1:], row[1:], strict=True)
    cells = [cell if head == "besides" else f"{head} {cell}" for head, cell in said if cell]
    return "; ".join(cells)


def _table(sheet: Sheet) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for head in sheet.heads:
        table.add_column(head, overflow="fold", no_wrap=head == "wire")
    for name, *cells in sheet.rows:
        vendor, _, protocol = name.partition("/")
        table.add_row(f"/{protocol}" if protocol else vendor, *cells)
    return table


def _grid(rows: Iterable[tuple[str, ...]]) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    for row in rows:
        while len(table.columns) < len(row):
            table.add_column(overflow="fold", ratio=1 + 2 * len(table.columns))
        table.add_row(*row)
    return table


def _places(row: Vendor) -> Iterable[str]:
    yield row.base_url
    yield from (f"{protocol}: {url}" for protocol, url in row.urls.items())
    yield from (f"{region}: {url}" for region, url in row.regions.items())
    yield f"key: {row.key or 'none'}"


def _known(listed: list[Wire], model: str) -> Iterable[tuple[str, ...]]:
    """Each fact that holds for a model, with the wires on which it does."""
    found: dict[int, tuple[Fact, list[str]]] = {}
    for one in listed:
        for fact in (*one.known(model), *one.conditional(model)):
            found.setdefault(id(fact), (fact, []))[1].append(one.name)
    for fact, names in found.values():
        where = "everywhere" if len(names) == len(listed) else ", ".join(names)
        when = f"while {fact.when}: " if fact.when else ""
        said = f"{when}{'; '.join(told(fact.changes))}"
        yield where, f"{said}\n{f'since {fact.since}: ' if fact.since else ''}{fact.source}"
    if not found:
        yield ("nothing in particular",)


def _age(found: list[str]) -> str:
    if not found:
        return "no date"
    days = _days(found[-1])
    return f"{len(found)}, from {found[0]} to {found[-1]}" + (
        f", {days} days ago" if days is not None else ""
    )


def _days(since: str) -> int | None:
    """How many days ago a date was; None where only its month or year is known."""
    if len(since) < 10:
        return None
    return (datetime.now(UTC).date() - date.fromisoformat(since)).days


def _wire(one: Wire, model: str | None, found: list[str]) -> JsonObject:
    return {
        "protocol": one.room.protocol,
        "vendor": one.vendor.name if one.vendor is not None else None,
        "default_model": one.room.model,
        "oldest_fact": found[0] if found else None,
        "newest_fact": found[-1] if found else None,
        "age_days": _days(found[-1]) if found else None,
        "facts": [] if model is None else _json([*one.known(model), *one.conditional(model)]),
        "can": _json(one.can(model)),
    }


def _vendor(row: Vendor) -> JsonObject:
    return {
        "base_url": row.base_url,
        "urls": dict(row.urls),
        "regions": dict(row.regions),
        "key": row.key,
        "wires": list(row.wires),
    }


def _json(value: Any) -> Json:
    """Values of capabilities and facts as JSON: sets sorted, rows as objects."""
    if is_dataclass(value):
        return {f.name: _json(getattr(value, f.name)) for f in fields(value)}
    match value:
        case Mapping():
            return {str(key): _json(inner) for key, inner in value.items()}
        case frozenset() | set():
            return sorted(value)
        case tuple() | list():
            return [_json(inner) for inner in value]
        case _:
            return value
