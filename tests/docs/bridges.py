"""The tables of docs/bridges.md in both languages: what each other library cannot hold.

    python -m tests.docs.bridges --write

A page marks the place of a table by `<!-- limits of NAME -->` and `<!-- end of NAME -->`; the rows
are the `LIMITS` of the bridge, each of which a test proves. Knows no library.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib import import_module
from pathlib import Path

from dragoman.bridges import PACKAGES, BridgeLimit

from .pages import FOLDERS
from .wire_pages import table

__all__ = ["filled", "path"]

_HEADS = {"en": ("what", "what comes back", "loss"), "zh": ("内容", "返回的是", "损失")}
_PLACE = re.compile(r"(?ms)^(<!-- limits of (\w+) -->\n).*?^(<!-- end of \2 -->)$")


def path(language: str) -> Path:
    """The page of a language."""
    return FOLDERS[language] / "bridges.md"


def filled(text: str, language: str) -> str:
    """A page with its tables as the bridges have them now."""
    return _PLACE.sub(lambda place: f"{place[1]}\n{_table(place[2], language)}\n{place[3]}", text)


def limits(name: str) -> tuple[BridgeLimit, ...]:
    """The limits of a bridge."""
    found: tuple[BridgeLimit, ...] = import_module(f"dragoman.bridges.{name}").LIMITS
    return found


def _table(name: str, language: str) -> str:
    rows = (
        (*((one.what, one.instead) if language == "en" else one.zh), _code(one.code))
        for one in limits(name)
    )
    return "\n".join(table(_HEADS[language], rows))


def _code(code: str) -> str:
    return f"`{code}`" if code else ""


def main(arguments: list[str]) -> int:
    """Write the tables into the pages of both languages, or print them in English."""
    parser = argparse.ArgumentParser(description="What other libraries cannot hold.")
    parser.add_argument("--write", action="store_true", help="write docs/bridges.md, en and zh")
    if not parser.parse_args(arguments).write:
        for name in PACKAGES:
            sys.stdout.write(f"{_table(name, 'en')}\n")
        return 0
    for language in FOLDERS:
        page = path(language)
        page.write_text(filled(page.read_text("utf-8"), language), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
