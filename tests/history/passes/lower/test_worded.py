"""Documents of plain text, told as text where a seat cannot show them; and names of tools."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from dragoman.message import (
    Base64Source,
    CacheHint,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.blocks import TEXTS

from .fitting import codes, fitted

AT = "$.messages[0].content[0]"
X = TextBlock("x")


def document(text: str = "A, B", kind: str = "text/csv", **rest: Any) -> DocumentBlock:
    return DocumentBlock(Base64Source(kind, base64.b64encode(text.encode()).decode()), **rest)


def said(*blocks: Any, role: str = "user") -> Msg:
    return Msg("", list(blocks), role)


def test_a_text_file_is_told_under_its_name() -> None:
    made, found = fitted(said(document(title="t.csv"), document(), X))
    first, second, _ = made[0].blocks
    assert isinstance(first, TextBlock)
    assert "t.csv" in first.text
    assert first.text.endswith("A, B")
    assert second == TextBlock("A, B")
    assert found == [("media.as_text", AT), ("media.as_text", "$.messages[0].content[1]")]


@pytest.mark.parametrize(("block", "found"), [
    (document(" \n"), ["block.unsupported"]),
    (document("x", "application/pdf"), ["block.unsupported"]),
    (document(detail="low"), ["media.as_text", "media.detail"]),
    (document(cache=CacheHint()), ["media.as_text", "cache.unsupported"]),
])  # fmt: skip
def test_what_is_no_text_and_what_goes_with_it(block: Any, found: list[str]) -> None:
    assert codes(fitted(said(block, X))[1]) == found


def test_a_document_that_can_be_shown_is() -> None:
    shows: dict[str, Any] = {"user": frozenset({"text", "document"})}
    shown = said(document())
    assert fitted(shown, **shows) == ([shown], [])
    moved = {**shows, "move_media": frozenset({"document"})}
    assert codes(fitted(said(document(), X, role="assistant"), **moved)[1]) == ["media.moved"]
    nothing: dict[str, Any] = {"user": frozenset()}
    assert codes(fitted(said(document()), **nothing)[1]) == ["block.unsupported"]


def test_a_text_file_in_a_result() -> None:
    call = said(ToolUseBlock("c", "look", {}), role="assistant")
    made, found = fitted(call, said(ToolResultBlock("c", "look", [document(), X]), role="tool"))
    assert made[1].content[0].output == [TextBlock("A, B"), X]  # type: ignore[union-attr]
    assert codes(found) == ["media.as_text"]


def found_text(**rest: Any) -> RawBlock:
    data = {"type": "search_result", **rest, "content": [{"type": "text", "text": "Fact."}]}
    return RawBlock("theirs", data, spelling=TEXTS)


def test_texts_of_another_protocol() -> None:
    block = found_text(title="T", source="https://e.org")
    made, found = fitted(said(block, X))
    told = made[0].content[0]
    assert isinstance(told, TextBlock)
    assert "T, https://e.org" in told.text
    assert told.text.endswith("Fact.")
    assert found == [("media.as_text", AT)]
    call = said(ToolUseBlock("c", "look", {}), role="assistant")
    made, found = fitted(call, said(ToolResultBlock("c", "look", [found_text()]), role="tool"))
    assert made[1].content[0].output == [TextBlock("Fact.")]  # type: ignore[union-attr]
    bare = RawBlock("theirs", {"type": "search_result", "content": []}, spelling=TEXTS)
    assert codes(fitted(said(bare, X))[1]) == ["raw.other_provider"]
    listed = RawBlock("theirs", [{"type": "text", "text": "Fact."}], spelling=TEXTS)
    assert fitted(said(listed))[0][0].content == [TextBlock("Fact.")]


def test_a_result_without_a_name_is_told_under_that_of_its_call() -> None:
    """Twice, for names are looked up once."""
    image = ImageBlock(URLSource("https://example.com/a.png"))
    moves: dict[str, Any] = {"user": frozenset({"text", "image"}),
                             "move_media": frozenset({"image"})}  # fmt: skip
    calls = said(ToolUseBlock("a", "look", {}), ToolUseBlock("b", "find", {}), role="assistant")
    answers = said(
        ToolResultBlock("a", "", [image]), ToolResultBlock("b", "", [image]), role="tool"
    )
    made, _ = fitted(Msg.user("Go."), calls, answers, **moves)
    assert ["'look'" in made[3].text, "'find'" in made[4].text] == [True, True]
    stray, _ = fitted(said(ToolResultBlock("x", "", [image]), role="tool"), **moves)
    assert "result of ''" in stray[1].text
