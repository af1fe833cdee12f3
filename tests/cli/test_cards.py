"""One formatted message in a few lines: every key is there, and nothing is wider than asked."""

from __future__ import annotations

from typing import Any

import pytest
from rich.text import Text

from dragoman.cli.output import card, read_role, shorten_text


def lines(message: dict[str, Any], width: int = 60) -> list[str]:
    return [line.plain for line in card(message, width)]


def test_a_chat_call() -> None:
    function = {"name": "look", "arguments": '{"at": 1}'}
    call = {"id": "c1", "type": "function", "function": function}
    assert lines({"role": "assistant", "content": None, "tool_calls": [call]}) == [
        "content null",
        "tool_calls[0] function id=c1",
        "  look '{\"at\": 1}'",
    ]


def test_a_block_call() -> None:
    call = {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 1}}
    assert lines({"role": "assistant", "content": [call]}) == [
        "content[0] tool_use id=c1",
        '  look {"at": 1}',
    ]


def test_a_result() -> None:
    message = {"role": "tool", "tool_call_id": "c1", "name": "look", "content": "a cat"}
    assert lines(message) == ["tool_call_id=c1 name=look", "content a cat"]


def test_nested_parts() -> None:
    part = {"functionResponse": {"id": "c1", "name": "look", "response": {"output": "a cat"}}}
    assert lines({"role": "user", "parts": [part, {"text": "and?"}]}) == [
        "parts[0].functionResponse id=c1 name=look",
        "  response.output a cat",
        "parts[1].text and?",
    ]


def test_what_nobody_foresaw_is_shown_by_its_path() -> None:
    message = {"role": "x", "new": {"deep": [1, {"er": True}], "none": []}, "flag": False}
    assert lines(message) == ["new.deep[0] 1", "new.deep[1].er true", "new.none []", "flag false"]


def test_empty_values_are_seen() -> None:
    assert lines({"role": "x", "content": "", "more": {}}) == ['content ""', "more {}"]


def test_a_text_of_many_lines_keeps_its_beginning_and_end() -> None:
    shown = lines({"role": "user", "content": "\n".join(f"line {i}" for i in range(20))})
    assert shown[0] == "content"
    assert shown[1:7] == [f"line {i}" for i in range(6)]
    assert shown[7:] == ["... 13 more lines", "line 19"]


def test_a_long_line_is_cut_with_an_ellipsis() -> None:
    shown = lines({"role": "user", "content": "word " * 100}, width=30)
    assert len(shown) == 3
    assert shown[-1].endswith("…")


@pytest.mark.parametrize("width", [10, 17, 28])
def test_wide_characters_count_twice(width: int) -> None:
    message = {"role": "user", "content": "图书馆" * 30, "more": "一\n" + "二三" * 30}
    assert all(line.cell_len <= width for line in card(message, width))


def test_control_characters_do_not_reach_the_screen() -> None:
    [line] = lines({"role": "user", "content": "red \x1b[31m bell \x07"})
    assert line == "content red \\x1b[31m bell \\x07"


def test_markup_is_text() -> None:
    assert lines({"role": "user", "content": "[bold]no[/bold]"}) == ["content [bold]no[/bold]"]


def test_the_role_is_the_wire_s_own_word() -> None:
    assert read_role({"role": "model"}) == "model"
    assert read_role({"type": "function_call"}) == ""


def test_an_exact_fit_is_not_cut() -> None:
    assert [line.plain for line in shorten_text(Text("12345"), 5, 1)] == ["12345"]
    assert [line.plain for line in shorten_text(Text("123456"), 5, 1)] == ["1234…"]
