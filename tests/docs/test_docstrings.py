"""What the site makes of a docstring: its sections, its source, its examples."""

from __future__ import annotations

from typing import Any

import griffe
import pytest

from .pages import DOCS

EXTENSION = str(DOCS / "docstrings.py")
OPTIONS: Any = {"returns_multiple_items": False}  # as mkdocs.yml has it
SECTIONS = '''
def count(text: str) -> int:
    """Count tokens.

    Args:
        text: What is
            counted.

    Returns:
        The tokens: an estimate.

    Raises:
        ValueError: For an empty text.

    {source}

    >>> count("a")
    1
    """
'''


def sections(source: str) -> list[griffe.DocstringSection]:
    with griffe.temporary_visited_module(
        SECTIONS.format(source=source), extensions=griffe.load_extensions(EXTENSION)
    ) as module:
        docstring = module["count"].docstring
        assert docstring is not None
        return list(docstring.parse("google", **OPTIONS))


@pytest.mark.parametrize(
    "source",
    [
        "Source: OpenAI's `tiktoken`, 0.12;\n    read in 2026-11.",
        "Source:\n        OpenAI's `tiktoken`, 0.12;\n        read in 2026-11.",
    ],
)
def test_sections_are_read_and_a_source_is_a_paragraph(source: str) -> None:
    title, parameters, returns, raises, rest = sections(source)
    assert title.value == "Count tokens."
    assert [(one.name, one.description) for one in parameters.value] == [
        ("text", "What is\ncounted.")
    ]
    assert [one.description for one in returns.value] == ["The tokens: an estimate."]
    assert [str(one.annotation) for one in raises.value] == ["ValueError"]
    assert rest.value == (
        "**Source:** OpenAI's `tiktoken`, 0.12;\nread in 2026-11.\n\n"
        '```pycon\n>>> count("a")\n1\n```'
    )
