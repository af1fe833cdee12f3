"""`dragoman wires`: what each wire can carry, who speaks it where, and how old the facts are.

Everything is read from `wire(name).can(model)` and the vendors' rows; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from .._wire import Wire
from ..capabilities import MEDIA, Capabilities
from ..jsontext import Json, JsonObject
from ..vendors import VENDORS, Vendor, vendor, wire, wires
from . import options
from .output import console, json_text, say

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["list_wires"]

_HEADS = ("wire", "image", "audio", "video", "doc", "think", "tools", "result", "system", "names",
          "cache")  # fmt: skip
_TABLE = 76  # columns that the table needs
_LEGEND = (
    "text and tool results as text: everywhere",
    "image, audio, video, doc: in user messages; u URL, b base64, f uploaded file",
    "think: thinking that is sent back, of all turns or of turns with tool calls",
    "tools: yes, or text where calls and results can only be told as text",
    "result: media in a tool result (i a v d); in brackets: in a user turn behind it",
    "system: a message of its own, or a field at the top of the request",
    "names: a field for the speaker's name; cache: how many cache hints",
)


def list_wires(
    model: options.Model = None,
    facts: options.Facts = None,
    as_json: options.Json = False,
) -> None:
    """List wires and vendors, and what each can carry.

    Without a model: what every current model on that wire accepts. A dash: not carried; what a
    conversation loses by that is named when it is written.
    """
    listed = [wire(name, facts=facts) for name in _names()]
    rows = [vendor(name) for name in VENDORS]
    if as_json:
        say(json_text({"model": model, "facts": facts,
                       "wires": {one.name: _wire(one, model) for one in listed},
                       "vendors": {row.name: _vendor(row) for row in rows}}))  # fmt: skip
        return
    screen = console()
    screen.print(f"What wires carry{f' for {model}' if model else ''}", style="bold")
    if screen.width < _TABLE:
        for one in listed:
            cells = zip(_HEADS[1:], _cells(one.can(model)), strict=True)
            screen.print(f"{one.name}: " + ", ".join(f"{head} {cell}" for head, cell in cells))
    else:
        screen.print(_carried(listed, model))
    for line in _LEGEND:
        screen.print(line, style="dim")
    screen.print("\nVendors", style="bold")
    screen.print(_vendors(rows))
    screen.print("\nFacts", style="bold")
    screen.print(_facts(listed, model))


def _names() -> Iterator[str]:
    """The names of all wires, and those of a vendor's further protocols."""
    yield from wires()
    for name in VENDORS:
        yield from (f"{name}/{protocol}" for protocol in list(vendor(name).wires)[1:])


def _carried(listed: list[Wire], model: str | None) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for head in _HEADS:
        table.add_column(head, overflow="fold")
    for one in listed:
        table.add_row(one.name, *_cells(one.can(model)))
    return table


def _cells(can: Capabilities) -> list[str]:
    tools = "-" if not can.tools else "yes" if can.tool_messages else "text"
    return [
        *(_sources(can, kind) for kind in MEDIA),
        {"never": "-", "all": "all", "tool_turns": "calls"}[can.thinking],
        tools,
        _result(can),
        {"message": "message", "top": "top"}[can.system_place],
        "-" if can.name_field == "never" else "yes",
        str(can.cache_hints or "-"),
    ]


def _sources(can: Capabilities, kind: str) -> str:
    if kind not in can.user:
        return "-"
    takes = can.sources.get(kind, frozenset({"url", "base64"}))
    return " ".join(source[0] for source in ("url", "base64", "file") if source in takes)


def _result(can: Capabilities) -> str:
    """Media that a tool result carries, and in brackets those that follow it."""
    within = "".join(kind[0] for kind in MEDIA if kind in can.result)
    behind = "".join(kind[0] for kind in MEDIA if kind in can.move_media - can.result)
    return f"{within}({behind})" if behind else within or "-"


def _vendors(rows: list[Vendor]) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(3):
        table.add_column(overflow="fold")
    for row in rows:
        table.add_row(row.name, ", ".join(row.wires), f"{row.base_url}\nkey: {row.key or 'none'}")
    return table


def _facts(listed: list[Wire], model: str | None) -> Table:
    """What is known of models: for one model what holds for it, else how new the newest is."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        table.add_column(overflow="fold")
    for one in listed:
        if model is not None:
            said = "\n".join(f"since {fact.since}: {fact.source}" for fact in one.known(model))
            table.add_row(one.name, said or "nothing in particular")
        else:
            dates = [fact.since for facts in one.facts for fact in facts.rows]
            table.add_row(one.name, f"{len(dates)}, the newest of {max(dates)}" if dates else "-")
    return table


def _wire(one: Wire, model: str | None) -> JsonObject:
    dates = [fact.since for facts in one.facts for fact in facts.rows]
    return {
        "protocol": one.room.protocol,
        "vendor": one.vendor.name if one.vendor is not None else None,
        "default_model": one.room.model,
        "newest_fact": max(dates, default=None),
        "facts": [_json(fact) for fact in one.known(model)] if model is not None else [],
        "can": _json(one.can(model)),
    }


def _vendor(row: Vendor) -> JsonObject:
    return {"base_url": row.base_url, "key": row.key, "wires": list(row.wires)}


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
