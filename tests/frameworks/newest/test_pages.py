"""The code of docs/bridges.md that only this environment can run prints what its comments say."""

from __future__ import annotations

import re

import pytest

from tests.docs.bridges import path
from tests.docs.pages import Block, blocks
from tests.each_case import each_case

PRINTED = re.compile(r"(?m)^print\(.*\)  # (.*)$")
LEFT = [
    (language, block)
    for language in ("en", "zh")
    for block in blocks(path(language).read_text("utf-8"))
    if block.info == "python no-run"
]


@each_case(("language", "block"), LEFT)
def test_the_code_of_a_page_prints_what_it_says(
    language: str, block: Block, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = PRINTED.findall(block.text)
    assert expected, block.text
    exec(compile(block.text, f"{language}, line {block.line}", "exec"), {})
    assert capsys.readouterr().out.splitlines() == expected
