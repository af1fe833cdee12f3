"""The types by which the page's JavaScript is checked are those of what its server answers."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from dragoman import DragomanError, ReadError
from dragoman.page import Page, export
from tests.house.needs import program
from tests.house.sources import PACKAGE

from . import samples

TYPES = PACKAGE / "page" / "types.d.ts"
OPTIONS = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2024", "--types", "")
KINDS = {"contents", "conversation", "tokens", "losses", "wire", "cuts", "recorded", "answer",
         "stream", "changes"}  # fmt: skip


@pytest.fixture(scope="module")
def tsc() -> str:
    name = Path(sys.prefix) / ".js" / "node_modules" / ".bin" / "tsc"
    return program(str(name), "checks answers by their types; `make types` installs it")


@pytest.fixture(scope="module")
def literals() -> str:
    """Every answer about the samples as a literal of its type."""
    page = Page()
    for name, data in (
        ("gateway.jsonl", samples.lines([samples.gateway()])),
        ("session.jsonl", samples.lines(samples.SESSION)),
        ("answer.sse", samples.STREAM.encode()),
        ("hostile.json", json.dumps(samples.hostile()).encode()),
    ):
        page.open(data, name)
    page.fail("broken.json", ReadError("it breaks off", path="$"))
    lines = ['import type { Answer } from "./types.js";']
    kinds = set()
    for number, key in enumerate(export.list_keys(page)):
        with suppress(DragomanError):  # of which the page shows the text
            answer = json.dumps(page.answer(key))
            kinds.add(key.split("/")[0])
            lines.append(f"export const a{number}: Answer<{json.dumps(key)}> = {answer};")
    assert kinds == KINDS
    return "\n".join(lines)


def judge(tsc: str, folder: Path, types: str, literals: str) -> str:
    """What the type checker says; of a literal nothing may lack, and nothing be more."""
    (folder / "types.d.ts").write_text(types, "utf-8")
    (folder / "answers.ts").write_text(literals, "utf-8")
    ran = subprocess.run(
        [tsc, *OPTIONS, "answers.ts"], cwd=folder, capture_output=True, text=True, check=False
    )
    return ran.stdout[:3000]


def test_answers_are_of_their_types(tsc: str, tmp_path: Path, literals: str) -> None:
    assert judge(tsc, tmp_path, TYPES.read_text("utf-8"), literals) == ""


def test_a_field_that_is_not_in_the_types_is_found(tsc: str, tmp_path: Path, literals: str) -> None:
    types = TYPES.read_text("utf-8").replace("  rule: string;\n  meaning", "  meaning")
    assert "'rule' does not exist" in judge(tsc, tmp_path, types, literals).replace('"', "")
