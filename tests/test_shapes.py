"""What several rooms share: argument text, results as one text, the choice of a tool, options."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.losses import Report
from dragoman.message import (
    ChatRequest,
    Msg,
    Options,
    ResponseFormat,
    TextBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    places,
)
from dragoman.room import SayableRequest
from dragoman.seats import Seated
from dragoman.shapes import (
    arguments_of,
    choice,
    function_tool,
    head,
    options,
    parameters,
    response_format,
    result_text,
)


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
    assert arguments_of(ToolUseBlock("c", "f", given, raw)) == said


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


def picked(
    given: ToolChoice | None, names: dict[str, str] | None = None, **can: Any
) -> tuple[ToolChoice | None, list[str]]:
    tools = [Tool((names or {}).get(name, name)) for name in ("look", "a b")]
    req = ChatRequest([Msg.user("x")], tool_choice=given)
    say = SayableRequest(Seated([], []), tools, req, "m", Capabilities(**can), names or {})
    report = Report(req.messages, req, places)
    made = choice(say, report)
    return made, [f"{loss.code} {loss.where}" for loss in report.losses]


ALLOWED = frozenset({"auto", "none", "required", "tool", "allowed"})
AT = "$.tool_choice"
CHOICES: list[tuple[Any, dict[str, Any], Any, list[str]]] = [
    (None, {}, None, []),
    (ToolChoice("required"), {}, ToolChoice("required"), []),
    (ToolChoice("tool", "a b"), {"names": {"a b": "a_b"}}, ToolChoice("tool", "a_b"), []),
    (ToolChoice("tool", "gone"), {}, ToolChoice("auto"), [f"tool_choice.unknown {AT}.name"]),
    (ToolChoice("tool", "look"), {"tool_choices": frozenset({"auto"})}, ToolChoice("auto"),
     [f"tool_choice.lowered {AT}.mode"]),
    (ToolChoice("required"), {"tool_choices": frozenset()}, None, [f"tool_choice.unsaid {AT}"]),
    (ToolChoice("auto", allowed=("a b", "gone")),
     {"names": {"a b": "a_b"}, "tool_choices": ALLOWED}, ToolChoice("auto", allowed=("a_b",)),
     [f"tool_choice.unknown {AT}.allowed"]),
    (ToolChoice("auto", allowed=("look",)), {}, ToolChoice("auto"),
     [f"tool_choice.lowered {AT}.allowed"]),
    (ToolChoice("auto", parallel=False), {}, ToolChoice("auto"),
     [f"tool_choice.lowered {AT}.parallel"]),
    (ToolChoice("auto", parallel=True), {"parallel_switch": True},
     ToolChoice("auto", parallel=True), []),
]  # fmt: skip


@pytest.mark.parametrize(("given", "can", "made", "losses"), CHOICES)
def test_choices(given: Any, can: dict[str, Any], made: Any, losses: list[str]) -> None:
    assert picked(given, **can) == (made, losses)


def test_function_tools() -> None:
    report = Report()
    tool = Tool("f", "d", {"type": "object"}, strict=True, extras={"own": {"k": 1}, "": {"o": 1}})
    can = Capabilities(strict_tools=True, reads=frozenset({"own"}))
    assert function_tool(tool, can, report) == {
        "type": "function", "k": 1, "function": {
            "name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True},
    }  # fmt: skip
    assert [loss.code for loss in report.losses] == ["extras.foreign"]
    plain = function_tool(tool, Capabilities(), report)
    assert "strict" not in plain["function"]
    assert parameters(Tool("f")) == {"type": "object", "properties": {}}
    assert parameters(Tool("f")) is not parameters(Tool("g")), "nobody shares the empty schema"


def test_options_under_a_wires_keys() -> None:
    req = ChatRequest([Msg.user("x")], options=Options(seed=1, top_k=2, stop=("a",), user="u"))
    report = Report(req.messages, req, places)
    can = Capabilities(options={"seed": "refuses", "user": "ignores"})
    keys = {"seed": "seed", "stop": "stop_words", "user": "user_id"}
    assert options(req, keys, can, report) == {"stop_words": ["a"], "user_id": "u"}
    assert [(loss.code, loss.where) for loss in report.losses] == [
        ("option.unsaid", "$.options.top_k"), ("option.refused", "$.options.seed"),
        ("option.ignored", "$.options.user"),
    ]  # fmt: skip


def test_formats_are_lowered_to_what_the_wire_takes() -> None:
    schema = ResponseFormat("schema", {"type": "object"})
    for formats, made, code in (
        ({"schema"}, schema, None), ({"json"}, ResponseFormat("json"), "format.lowered"),
        (set(), None, "format.unsaid"),
    ):  # fmt: skip
        req = ChatRequest([Msg.user("x")], response_format=schema)
        report = Report(req.messages, req, places)
        assert response_format(req, Capabilities(formats=frozenset(formats)), report) == made
        assert [loss.code for loss in report.losses] == ([code] if code else [])


def test_the_head_is_all_that_stands_before_a_turn() -> None:
    assert [head(Seated([], seats)) for seats in ([], [0, 0], [0, 1, 0], [2])] == [0, 2, 1, 0]
