"""The last section of docs/errors.md, in both languages: every row of the table of errors.

    python -m tests.docs.errors --write

Made of the rows themselves, those of the vendors' own codes included. Knows no test.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from dragoman._core.failures.kinds import ErrorKind
from dragoman._core.failures.row import ErrorRow
from dragoman._core.failures.rows import ROWS
from dragoman.vendors import VENDORS, vendor

from .pages import FOLDERS

__all__ = ["HEADS", "all_rows", "page", "path"]

HEADS = {"en": "## Every row", "zh": "## 全部的行"}
_INTRO = {
    "en": "What hosts say, in small letters: `{tokens}`, `{limit}`, `{output}` and `{n}` are"
    " numbers, `*` is whatever lies between. Words mean the same wherever they come from; a code"
    " counts at the hosts of its row. This section is generated"
    " (`python -m tests.docs.errors --write`); a test fails when it is out of date.",
    "zh": "主机所说的话，一律小写：`{tokens}`、`{limit}`、`{output}` 和 `{n}` 是数字，`*` 是中间的"
    "任何内容。句子无论来自哪里意思都一样；代码只在该行所列的主机有效。"
    "本节由 `python -m tests.docs.errors --write` 生成，过期时测试会失败。",
}
_COLUMNS = {
    "en": ("what the error has", "hosts", "looked up", "source"),
    "zh": ("错误的内容", "主机", "查证日期", "来源"),
}


def path(language: str) -> Path:
    """The page in this language."""
    return FOLDERS[language] / "errors.md"


def all_rows() -> list[ErrorRow]:
    """The rows that hold everywhere, then those of the vendors' own codes."""
    return [*ROWS, *(row for name in VENDORS for row in vendor(name).errors)]


def page(language: str) -> str:
    """The whole page, with what people wrote of it as it stands in the file."""
    written = path(language).read_text("utf-8")
    return written.partition(f"\n{HEADS[language]}\n")[0].rstrip("\n") + "\n\n" + _rows(language)


def _rows(language: str) -> str:
    found: dict[str, dict[ErrorRow, None]] = {kind: {} for kind in get_args(ErrorKind)}
    for row in all_rows():
        found[row.kind][row] = None
    parts = [HEADS[language], _INTRO[language]]
    for kind, rows in found.items():
        if rows:
            parts += [f"### `{kind}`", "\n".join(_table(language, rows))]
    return "\n\n".join(parts) + "\n"


def _table(language: str, rows: dict[ErrorRow, None]) -> Iterator[str]:
    columns = _COLUMNS[language]
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
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
    """Write the section into both pages, or print the English one."""
    parser = argparse.ArgumentParser(description="Every row of the table of errors.")
    parser.add_argument("--write", action="store_true", help="write docs/errors.md, en and zh")
    if not parser.parse_args(arguments).write:
        sys.stdout.write(_rows("en"))
        return 0
    for language in HEADS:
        path(language).write_text(page(language), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
