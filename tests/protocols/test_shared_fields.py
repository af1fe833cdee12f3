"""What several rooms share: argument text, results as one text, the choice of a tool, options."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.survey import RoledHistory
from dragoman.losses import Report
from dragoman.message import (
    TextBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.protocols.chat_like.messages import head, result_text, write_arguments
from dragoman.protocols.chat_like.request import function_tool
from dragoman.protocols.schemas import parameters


@pytest.mark.parametrize(
    ("given", "raw", "said"),
    [
        ({"a": 1}, '{"a":1}', '{"a":1}'),
        ({"a": 1}, ' {"a" : 1 } ', ' {"a" : 1 } '),
        ({"a": 2**70}, '{"a":1180591620717411303424}', '{"a":1180591620717411303424}'),
        ({"a": "é"}, '{"a":"\\u00e9"}', '{"a":"\\u00e9"}'),
        ({}, "{}", "{}"),
        ({"a": 1}, '{"a":2}', '{"a": 1}'),
        ({"a": 1}, '{"a":true}', '{"a": 1}'),
        ({"a": 1}, '{"a":1.0}', '{"a": 1}'),
        ({"a": 1}, "{broken", '{"a": 1}'),
        ({}, "", "{}"),
        ({}, "null", "{}"),
        ({"a": 1}, '{"a":1,"b":2}', '{"a": 1}'),
        ({"a": 1}, None, '{"a": 1}'),
    ],
)
def test_exact_arguments_while_they_say_what_the_input_says(
    given: Any, raw: str | None, said: str
) -> None:
    assert write_arguments(ToolUseBlock("c", "f", given, raw)) == said


@pytest.mark.parametrize(
    ("output", "plain", "dashes"),
    [
        ("x", "x", "x"), (None, "", ""), ([], "", ""), ([TextBlock("x")], "x", "x"),
        ([TextBlock("x"), TextBlock("y")], "x\ny", "- x\n- y"),
        ({"a": "é"}, '{"a": "é"}', '{"a": "é"}'),
    ],
)  # fmt: skip
def test_results_as_one_text(output: Any, plain: str, dashes: str) -> None:
    block = ToolResultBlock("c", "f", output)
    assert result_text(block, bullets=False) == plain
    assert result_text(block, bullets=True) == dashes


def test_function_tools() -> None:
    report = Report()
    tool = Tool("f", "d", {"type": "object"}, strict=True, extras={"own": {"k": 1}, "": {"o": 1}})
    can = Capabilities(strict_tools=True, reads=frozenset({"own"}))
    assert function_tool(tool, can, report) == {
        "type": "function", "k": 1, "function": {
            "name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True},
    }  # fmt: skip
    assert [loss.code for loss in report.losses] == ["extras.other_provider"]
    plain = function_tool(tool, Capabilities(), report)
    assert "strict" not in plain["function"]
    empty, strict = parameters(Tool("f"), Capabilities(), Report())
    assert (empty, strict) == ({"type": "object", "properties": {}}, None)
    other, _ = parameters(Tool("g"), Capabilities(), Report())
    assert empty is not other, "nobody shares the empty schema"


def test_the_head_is_all_that_stands_before_a_turn() -> None:
    assert [head(RoledHistory([], seats)) for seats in ([], [0, 0], [0, 1, 0], [2])] == [0, 2, 1, 0]
