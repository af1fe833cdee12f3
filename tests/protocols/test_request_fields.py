"""What a request asks for beside its messages: choices, formats and options."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.survey import RoledHistory
from dragoman.losses import Report
from dragoman.message import (
    ChatRequest,
    Msg,
    Options,
    ResponseFormat,
    Tool,
    ToolChoice,
    places,
)
from dragoman.protocols.base import PreparedRequest
from dragoman.protocols.request_fields import choice, options, response_format


def picked(
    given: ToolChoice | None, names: dict[str, str] | None = None, **can: Any
) -> tuple[ToolChoice | None, list[str]]:
    tools = [Tool((names or {}).get(name, name)) for name in ("look", "a b")]
    req = ChatRequest([Msg.user("x")], tool_choice=given)
    say = PreparedRequest(RoledHistory([], []), tools, req, "m", Capabilities(**can), names or {})
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
     [f"tool_choice.lowered {AT}"]),
    (ToolChoice("required"), {"tool_choices": frozenset()}, None,
     [f"tool_choice.unsupported {AT}"]),
    (ToolChoice("required", parallel=False), {"tool_choices": frozenset()}, None,
     [f"tool_choice.unsupported {AT}"]),
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


def test_options_under_a_wires_keys() -> None:
    req = ChatRequest([Msg.user("x")], options=Options(seed=1, top_k=2, stop=("a",), user="u"))
    report = Report(req.messages, req, places)
    can = Capabilities(options={"seed": "refuses", "user": "ignores"})
    keys = {"seed": "seed", "stop": "stop_words", "user": "user_id"}
    assert options(req, keys, can, report) == {"stop_words": ["a"], "user_id": "u"}
    assert [(loss.code, loss.where) for loss in report.losses] == [
        ("option.unsupported", "$.options.top_k"), ("option.refused", "$.options.seed"),
        ("option.ignored", "$.options.user"),
    ]  # fmt: skip


def test_formats_are_lowered_to_what_the_wire_takes() -> None:
    schema = ResponseFormat("schema", {"type": "object"})
    for formats, made, code in (
        ({"schema"}, schema, None), ({"json"}, ResponseFormat("json"), "format.lowered"),
        (set(), None, "format.unsupported"),
    ):  # fmt: skip
        req = ChatRequest([Msg.user("x")], response_format=schema)
        report = Report(req.messages, req, places)
        assert response_format(req, Capabilities(formats=frozenset(formats)), report) == made
        assert [loss.code for loss in report.losses] == ([code] if code else [])
