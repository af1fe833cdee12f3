"""The tables of vendors that pages of both languages show, made of the rows in the registry.

    python -m tests.docs.vendors --write

A page marks the place of a table by `<!-- table NAME, ... -->` and `<!-- end of NAME -->`; only
the heads of the columns differ between the languages. Knows no vendor.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator

from dragoman.vendors import VENDORS, Vendor, vendor, wire

from .pages import FOLDERS
from .wire_pages import table

__all__ = ["PAGES", "TABLES", "filled"]

PAGES = ("models.md", "batch.md")
_HEADS: dict[str, dict[str, tuple[str, ...]]] = {
    "vendors": {
        "en": ("name", "protocol", "base URL", "key"),
        "zh": ("名字", "协议", "基础地址", "密钥"),
    },
    "variables": {"en": ("name", "address", "key"), "zh": ("名字", "地址", "密钥")},
    "batches": {
        "en": ("name", "protocol", "requests in one batch, at most", "their size, at most"),
        "zh": ("名字", "协议", "一个批次的请求数上限", "大小上限"),
    },
}
_PLACE = re.compile(r"(?ms)^(<!-- table (\w+), [^\n]*-->\n).*?^(<!-- end of \2 -->)$")


def filled(text: str, language: str) -> str:
    """A page with its tables as the registry has them now."""

    def written(place: re.Match[str]) -> str:
        return f"{place[1]}\n{_table(place[2], language)}\n{place[3]}"

    return _PLACE.sub(written, text)


def _table(name: str, language: str) -> str:
    return "\n".join(table(_HEADS[name][language], TABLES[name]()))


def _vendors() -> Iterator[tuple[str, ...]]:
    for row in map(vendor, VENDORS):
        cells = (row.name, wire(row.name).room.protocol, row.base_url, row.key)
        yield tuple(f"`{cell}`" for cell in cells)


def _variables() -> Iterator[tuple[str, ...]]:
    """The vendors whose official SDK reads an address, or more than one key."""
    for row in map(vendor, VENDORS):
        keys = row.keys or (row.key,)
        bearers = tuple(f"{name} (bearer)" for name in row.auth.bearers)
        shown = (*bearers, *keys) if row.auth.bearers_first else (*keys, *bearers)
        if row.base_variables or len(shown) > 1:
            yield f"`{row.name}`", "; ".join(_addresses(row)), _quoted(*shown)


def _addresses(row: Vendor) -> Iterator[str]:
    """The variables of its addresses, the default protocol's first, each set named once."""
    found: dict[tuple[str, ...], list[str]] = {}
    for protocol, (names, _) in row.base_variables.items():
        held = (names,) if isinstance(names, str) else tuple(names)
        found.setdefault(held, []).append(protocol)
    default = next(iter(row.wires))
    for held, protocols in sorted(found.items(), key=lambda one: not {"*", default} & {*one[1]}):
        plain = {"*", default} & {*protocols}
        yield _quoted(*held) + ("" if plain else f" (`{'`, `'.join(protocols)}`)")


def _quoted(*names: str) -> str:
    return ", ".join(re.sub(r"^(\w+)", r"`\1`", name) for name in names)


def _batches() -> Iterator[tuple[str, ...]]:
    """The vendors that have a batch interface, with the limits of each protocol."""
    for row in map(vendor, VENDORS):
        found: dict[tuple[str, str], list[str]] = {}
        for protocol, limits in row.batches.items():
            held = f"{limits.requests:,}", f"{limits.size // 10**6:,} MB"
            found.setdefault(held, []).append(protocol)
        for held, protocols in found.items():
            yield f"`{row.name}`", ", ".join(f"`{name}`" for name in protocols), *held


TABLES: dict[str, Callable[[], Iterator[tuple[str, ...]]]] = {
    "vendors": _vendors,
    "variables": _variables,
    "batches": _batches,
}


def main(arguments: list[str]) -> int:
    """Write the tables into the pages of both languages, or print them in English."""
    parser = argparse.ArgumentParser(description="The tables of vendors.")
    parser.add_argument("--write", action="store_true", help="write the pages, en and zh")
    if not parser.parse_args(arguments).write:
        for name in TABLES:
            sys.stdout.write(f"{_table(name, 'en')}\n")
        return 0
    for language, folder in FOLDERS.items():
        for page in (folder / name for name in PAGES):
            page.write_text(filled(page.read_text("utf-8"), language), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
