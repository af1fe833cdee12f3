"""docs/error-rows.md: every row of the table of errors; one page, for both languages.

    python -m tests.docs.errors --write

Made of the rows themselves, those of the vendors' own codes included. Knows no test.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import get_args

from dragoman.error_kinds.kinds import ErrorKind
from dragoman.error_kinds.row import ErrorRow
from dragoman.error_kinds.rows import ROWS
from dragoman.vendors import VENDORS, vendor

from .pages import DOCS

__all__ = ["PAGE", "all_rows", "page"]

PAGE = DOCS / "error-rows.md"
_HEAD = """\
# Error messages that are recognised

What hosts write, in small letters: `{tokens}`, `{limit}`, `{output}` and `{n}` are numbers, `*` \
is any text between two others. A sentence means the same whichever host writes it; a code counts \
at the hosts of its row only. [Errors](errors.md) explains the kinds.

This page is generated (`python -m tests.docs.errors --write`); a test fails when it is out of date.
"""
_COLUMNS = ("what the error has", "hosts", "looked up", "source")


def all_rows() -> list[ErrorRow]:
    """The rows that hold everywhere, then those of the vendors' own codes."""
    return [*ROWS, *(row for name in VENDORS for row in vendor(name).errors)]


def page() -> str:
    """The text of docs/error-rows.md."""
    found: dict[str, dict[ErrorRow, None]] = {kind: {} for kind in get_args(ErrorKind)}
    for row in all_rows():
        found[row.kind][row] = None
    parts = [_HEAD.rstrip("\n")]
    for kind, rows in found.items():
        if rows:
            parts += [f"## `{kind}`", "\n".join(_table(rows))]
    return "\n\n".join(parts) + "\n"


def _table(rows: dict[ErrorRow, None]) -> Iterator[str]:
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|---" * len(_COLUMNS) + "|"
    for row in rows:
        said = [f"status {row.status}"] if row.status else []
        said += [f"code `{row.code}`"] if row.code else []
        said += [_quoted(row.text)] if row.text else []
        cells = (", ".join(said), ", ".join(row.hosts), row.since, row.source)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _quoted(text: str) -> str:
    fence = "``" if "`" in text else "`"
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"


def main(arguments: list[str]) -> int:
    """Write the page, or print it."""
    parser = argparse.ArgumentParser(description="Every row of the table of errors.")
    parser.add_argument("--write", action="store_true", help="write docs/error-rows.md")
    if parser.parse_args(arguments).write:
        PAGE.write_text(page(), "utf-8")
    else:
        sys.stdout.write(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
