"""docs/wires.md: the tables of `dragoman wires`, and every fact with its date and source.

    python -m tests.docs.wires --write

Dates stand there and no ages, so the page changes only when the facts do. Knows no vendor.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from dragoman import Wire
from dragoman.capabilities import Facts
from dragoman.capabilities.families import FAMILIES
from dragoman.cli import wires as carried
from dragoman.cli.wires import Known, ages, families, format_changes, group
from dragoman.vendors import PROTOCOLS, VENDORS, Auth, vendor

from .pages import DOCS
from .wire_pages import FOLDER, TITLES, escaped, table, wire_pages

__all__ = ["PAGE", "listed", "page", "table"]

PAGE = DOCS / "wires.md"

_HEAD = """\
# What each wire, vendor and model family can carry

What each API takes, as far as Dragoman knows: kinds of content, options, and how the models of \
one maker differ. `dragoman wires` prints these tables, `dragoman wires --model MODEL` for one \
model, and `--facts FILE` with [facts of your own](models.md#what-a-model-can-carry). Without a \
model a table shows what every current model there accepts. A dash means that something cannot be \
sent; if a conversation has it, a loss reports it.

This page is generated (`python -m tests.docs.wires --write`); a test fails when it is out of date.
"""
_FAMILIES = """\
Facts of models by name, at any host. The first row that matches a model is applied; rows with a \
state (*while*) apply in addition, to requests in that state. The names are those of `can=` and of \
files of facts.
"""
_FACT = ("models", "while", "facts", "since", "source")
_HOSTS = "What a host changes for all models, then for some; this takes precedence over families.\n"


def listed() -> list[Wire]:
    """The wires of the package itself, none of another package that happens to be installed."""
    known = {*PROTOCOLS, *VENDORS}
    return [one for one in carried.all_wires() if one.name.partition("/")[0] in known]


def page() -> str:
    """The text of docs/wires.md."""
    return "\n".join(_lines(listed()))


def _lines(wires: list[Wire]) -> Iterator[str]:
    yield _HEAD
    pages = ", ".join(f"[{title}](wires/{name}.md)" for name, title in TITLES.items())
    yield f"A page for each protocol, with a conversation as it is written there: {pages}.\n"
    for sheet in (
        carried.list_messages(wires),
        carried.list_requests(wires),
        carried.not_taken(wires),
    ):
        yield f"## {sheet.title}\n"
        yield from table(sheet.heads, ((f"`{name}`", *cells) for name, *cells in sheet.rows))
        yield from (f"- {note}" for note in sheet.notes)
        yield "" if sheet.notes else "Every other option is sent as it is, or has no field.\n"
    yield "## Vendors\n"
    yield from table(("vendor", "protocol", "base URL", "key", "sent in"), _vendors())
    sheet = families()
    yield f"## {sheet.title}\n"
    yield _FAMILIES
    yield from _without("besides", sheet)
    yield from (f"- {note.partition('; besides')[0]}" for note in sheet.notes)
    yield "\n### Each family in full\n"
    yield from table(_FACT, _facts(group(FAMILIES.rows)))
    yield "## What hosts change\n"
    yield _HOSTS
    for name, (always, source, rows) in hosts(wires).items():
        yield f"### {', '.join(f'`{one}`' for one in name.split(', '))}\n"
        if always:
            yield f"{escaped(always)}. Source: {escaped(source) or 'the dialect'}.\n"
        if rows:
            yield from table(_FACT, _facts(rows))
    yield "## How old it is\n"
    yield from table(
        ("facts", "dates", "oldest", "newest"),
        ((f"`{name}`", str(len(found)), found[0], found[-1])
         for name, found in ages(wires).items() if found),
    )  # fmt: skip


def hosts(wires: Iterable[Wire]) -> dict[str, tuple[str, str, list[Known]]]:
    """For wires that a vendor's row says something of: what always holds, its source, and rows."""
    known: dict[int, tuple[Facts, list[str]]] = {}
    for wire in wires:
        for facts in wire.facts[1:]:  # the families come first
            if facts.always or facts.rows:
                known.setdefault(id(facts), (facts, []))[1].append(wire.name)
    return {
        ", ".join(names): (
            "; ".join(format_changes(facts.always)),
            _dated(facts),
            group(facts.rows),
        )
        for facts, names in known.values()
    }


def _dated(facts: Facts) -> str:
    return f"{facts.source} ({facts.since})" if facts.source and facts.since else facts.source


def _vendors() -> Iterator[tuple[str, ...]]:
    for row in map(vendor, VENDORS):
        for protocol in row.wires:
            told = ", ".join(f"`{part}`" for part in _told_in(row.find_auth(protocol)))
            yield row.name, f"`{protocol}`", f"`{row.url(protocol)}`", f"`{row.key}`", told
        for place, url in row.regions.items():
            protocol, _, region = place.rpartition("/")
            yield (
                row.name,
                f"`{protocol}` in {region}" if protocol else f"in {region}",
                f"`{url}`",
                "",
                "",
            )


def _told_in(auth: Auth) -> Iterator[str]:
    """The headers that bear the key, and whose tokens do where there is none."""
    yield f"{auth.header}: {auth.scheme}".removesuffix(": ")
    yield from auth.also
    yield from {"google": ("ADC",), "azure": ("Entra",), "aws": ("SigV4",)}.get(auth.tokens, ())


def _without(head: str, sheet: carried.Sheet) -> Iterator[str]:
    gone = sheet.heads.index(head)
    rows = ([f"`{name}`", *cells] for name, *cells in sheet.rows)
    heads = [one for one in sheet.heads if one != head]
    return table(heads, ([*row[:gone], *row[gone + 1 :]] for row in rows))


def _facts(rows: list[Known]) -> Iterator[tuple[str, ...]]:
    for one in rows:
        yield f"`{one.models}`", one.when, one.describe_changes(), one.since, one.source


def main(arguments: list[str]) -> int:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description="What wires, vendors and families carry.")
    parser.add_argument("--write", action="store_true", help="write docs/wires.md and docs/wires/")
    if parser.parse_args(arguments).write:
        PAGE.write_text(page(), "utf-8")
        FOLDER.mkdir(exist_ok=True)
        for path, text in wire_pages(listed()).items():
            path.write_text(text, "utf-8")
    else:
        sys.stdout.write(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
