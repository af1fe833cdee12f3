"""Errors about malformed input name it, and show a line of it at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Formatter, Msg, Policy
from dragoman.errors import DragomanError
from dragoman.message import (
    ImageBlock,
    LocalSource,
    Options,
    RawBlock,
    ResponseFormat,
    ServerTool,
    Tool,
    ToolChoice,
    ToolUseBlock,
    dump,
    load,
)
from dragoman.tokens import CharTokenCounter
from tests.each_case import each_case

from .planted import LONG, leaks


def wrong(text: str) -> dict[str, Callable[[], object]]:
    """Calls that are refused, with the text where it can be given wrongly."""
    deep = {"a": {text: object()}}
    no_limit: Any = text
    odd_tool: Any = {"type": "server", "kind": "web_search", text: text}
    stored = dump([Msg("", "x")])
    return {
        "role": lambda: Msg("", "x", text),
        "name": lambda: Msg("", [{"type": text}]),
        "block field": lambda: Msg("", [{"type": "text", "text": "x", "extras": {text: text}}]),
        "missing": lambda: Msg("", [{"type": "tool_use", text: text}]),
        "source": lambda: Msg("", [{"type": "image", "source": {"type": text, text: text}}]),
        "source field": lambda: Msg("", [{"type": "image", "source": {"type": "url", text: text}}]),
        "input": lambda: Msg("", [ToolUseBlock("1", "f", deep)]),
        "input nan": lambda: Msg("", [ToolUseBlock("1", "f", {text: float("nan")})]),
        "raw role": lambda: Msg("", [RawBlock("x", {}, role=text)]),  # type: ignore[arg-type]
        "message field": lambda: Msg.from_dict(
            {"name": "", "role": "user", "content": "", text: 1}
        ),
        "message cache": lambda: Msg.from_dict(
            {"name": "", "role": "user", "content": "", "cache": {text: text}}
        ),
        "stored": lambda: load({"dragoman": text}),
        "stored kind": lambda: load({**stored, "kind": text}),
        "request field": lambda: load(
            {"dragoman": 1, "kind": "request", "value": {"messages": [], text: text}}
        ),
        "option": lambda: Options.of({text: text}),
        "option value": lambda: Options(seed=text),  # type: ignore[arg-type]
        "format": lambda: ResponseFormat(text),  # type: ignore[arg-type]
        "choice": lambda: ToolChoice(text),  # type: ignore[arg-type]
        "tool": lambda: Tool(text, parameters={text: object()}),
        "tool strict": lambda: Tool(text, strict=text),  # type: ignore[arg-type]
        "server tool": lambda: ServerTool(text),  # type: ignore[arg-type]
        "server tool field": lambda: ChatRequest([Msg("", "x")], tools=[odd_tool]),
        "wire": lambda: dragoman.wire(text),
        "wire of a vendor": lambda: dragoman.wire(f"openai/{text}"),
        "facts": lambda: dragoman.wire("openai-chat", facts=text),
        "policy": lambda: Policy(refuse=(text,)),
        "policy name": lambda: dragoman.wire("openai-chat", policy=text),  # type: ignore[arg-type]
        "capability": lambda: Formatter("openai-chat", can={text: text}),
        "capability value": lambda: Formatter("openai-chat", can={"tools": text}),
        "limit": lambda: Formatter("openai-chat", max_tokens=no_limit),
        "file": lambda: Formatter("openai-chat").write([Msg("", [ImageBlock(LocalSource(text))])]),
        "put in later": lambda: Formatter("openai-chat").write([later(text)]),
        "no message": lambda: Formatter("openai-chat").write([text]),  # type: ignore[list-item]
        "overflow": lambda: Formatter(
            "openai-chat", max_tokens=5, token_counter=CharTokenCounter()
        ).write([Msg(text, text)]),
    }


def later(text: str) -> Msg:
    """A message whose content was put in after it was checked."""
    msg = Msg("", [])
    msg.content = [{"type": text, text: text}]  # type: ignore[list-item]
    return msg


@each_case("text", LONG)
@each_case("case", wrong(""))
def test_errors_of_malformed_input(case: str, text: str) -> None:
    with pytest.raises((DragomanError, TypeError, ValueError)) as caught:
        wrong(text)[case]()
    error = caught.value
    assert isinstance(error, DragomanError), repr(error)[:200]
    said = [str(error), repr(error), error.message, error.path, error.hint]
    assert [leak for one in said for leak in leaks(one)] == []
