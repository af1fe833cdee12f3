"""Blocks of docs/bridges.md that need a library of these environments: they run, and print that."""

from __future__ import annotations

import contextlib
import io

from tests.docs.pages import DOCS, blocks

__all__ = ["check_example"]


def check_example(name: str) -> None:
    """The example of a bridge prints in both languages what stands behind its lines.

    Args:
        name: The module of the bridge.
    """
    for page in (DOCS / "bridges.md", DOCS / "zh" / "bridges.md"):
        found = [
            block
            for block in blocks(page.read_text("utf-8"))
            if f"from dragoman.bridges import {name}\n" in block.text
        ]
        assert found, page
        code = found[0].text
        lines = [line for line in code.splitlines() if line.startswith("print(")]
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            exec(compile(code, page.name, "exec"), {})
        assert told.getvalue().splitlines() == [line.partition("  # ")[2] for line in lines]
