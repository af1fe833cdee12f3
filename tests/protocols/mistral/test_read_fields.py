"""Fields of a request of Mistral's read into the tree: options, tools, formats; and said again."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Options, ToolChoice
from dragoman.message import ResponseFormat, ServerTool, Tool
from dragoman.protocols.mistral import Mistral
from tests.protocols.as_read import ALL, AsRead

again, read = AsRead(Mistral()).again, AsRead(Mistral()).read
SCHEMA = {"type": "object", "properties": {}}
LOOK = {"name": "look", "description": "Looks.", "parameters": SCHEMA}


def test_options() -> None:
    body: dict[str, Any] = {
        "model": "m", "messages": [], "max_tokens": 9, "temperature": 0, "top_p": 0.5,
        "random_seed": 3, "stop": ["#"], "n": 2, "presence_penalty": 0.1, "frequency_penalty": 1,
        "service_tier": "auto", "safe_prompt": True, "stream": True, "prompt_cache_key": "k",
        "prediction": {"type": "content", "content": "x"}, "reasoning_effort": "high",
    }  # fmt: skip
    req = read(body)
    assert (req.model, req.stream) == ("m", True)
    assert req.options == Options(
        max_tokens=9, temperature=0, top_p=0.5, seed=3, stop=("#",), n=2, presence_penalty=0.1,
        frequency_penalty=1, service_tier="auto", reasoning="high",
    )  # fmt: skip
    assert req.extras == {"mistral": {
        "safe_prompt": True, "prompt_cache_key": "k",
        "prediction": {"type": "content", "content": "x"}}}  # fmt: skip
    gone = body.keys() - again(req, ALL - {"seed", "reasoning", "model", "stream"}).keys()
    assert gone == {"random_seed", "reasoning_effort", "model", "stream"}


@pytest.mark.parametrize(
    ("told", "options"),
    [
        ({"reasoning_effort": "none"}, Options(reasoning="off")),
        ({"prompt_mode": "reasoning"}, Options(reasoning="on")),
        ({"prompt_mode": "reasoning", "reasoning_effort": "low"}, Options(reasoning="low")),
        ({"stop": "#"}, Options(stop=("#",))),
        ({"stop": []}, Options()),
        ({"stop": ["a", None]}, Options()),
        ({"prompt_mode": None, "reasoning_effort": None, "random_seed": None}, Options()),
        ({"max_tokens": 1.0, "temperature": True, "n": "2", "logprobs": 1}, Options()),
        ({"logprobs": False, "top_logprobs": 0, "top_k": 1}, Options(
            logprobs=False, top_logprobs=0, top_k=1)),
        ({"stream": False}, Options()),
        ({"stream": "yes", "model": ""}, Options()),
        ({"seed": 3, "metadata": {}}, Options()),
    ],
)  # fmt: skip
def test_options_in_other_spellings(told: dict[str, Any], options: Options) -> None:
    assert read({"messages": [], **told}).options == options


def test_a_stream_that_is_not_asked_for_is_no_loss() -> None:
    assert (read({"messages": [], "stream": False}).extras or {}).keys() == {"mistral (notes)"}


@pytest.mark.parametrize("body", [{}, {"messages": None}, {"messages": {}}, {"messages": "x"}])
def test_what_is_no_list_of_messages_comes_back(body: dict[str, Any]) -> None:
    assert read(body).messages == []


def test_tools() -> None:
    tools: list[dict[str, Any]] = [
        {"type": "function", "function": LOOK},
        {"function": {"name": "bare", "strict": True, "parameters": None}},
        {"type": "function", "function": {"name": "own", "description": ""}, "id": 1},
        {"type": "web_search"},
        {"type": "function", "function": {"name": ""}},
    ]
    req = read({"messages": [], "tools": tools})
    look, bare, own, search, nameless = req.tools
    assert look == Tool("look", "Looks.", SCHEMA)
    assert isinstance(bare, Tool)
    assert (bare.name, bare.strict, bare.parameters) == ("bare", True, None)
    assert own == Tool("own", extras={"mistral": {"id": 1}})
    assert search == ServerTool("own", extras={"mistral": {"type": "web_search"}})
    assert nameless == ServerTool("own", extras={"mistral": tools[4]})
    assert "tools" not in again(req, ALL - {"tools"})


@pytest.mark.parametrize("tools", [None, [], [None], {}, [{}, "x"]])
def test_odd_tools_come_back(tools: Any) -> None:
    read({"messages": [], "tools": tools})


@pytest.mark.parametrize(
    ("told", "choice"),
    [
        ({"tool_choice": "auto"}, ToolChoice()),
        ({"tool_choice": "none"}, ToolChoice("none")),
        ({"tool_choice": "any"}, ToolChoice("required")),
        ({"tool_choice": "required"}, ToolChoice("required")),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, ToolChoice("tool", "f")),
        ({"tool_choice": {"function": {"name": "f"}}}, ToolChoice("tool", "f")),
        ({"parallel_tool_calls": False}, ToolChoice(parallel=False)),
        (
            {"tool_choice": "any", "parallel_tool_calls": True},
            ToolChoice("required", parallel=True),
        ),
        ({"tool_choice": None}, None),
        ({"tool_choice": "some"}, None),
        ({"tool_choice": {"type": "function", "function": {"name": ""}}}, None),
        ({"tool_choice": {"type": "function", "function": {"name": "f", "x": 1}}}, None),
        ({"parallel_tool_calls": 1}, None),
    ],
)
def test_the_choice_of_a_tool(told: dict[str, Any], choice: ToolChoice | None) -> None:
    assert read({"messages": [], **told}).tool_choice == choice


@pytest.mark.parametrize(
    ("told", "form"),
    [
        ({"type": "text"}, ResponseFormat()),
        ({"type": "json_object", "json_schema": None}, ResponseFormat("json")),
        ({"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA, "strict": True}},
         ResponseFormat("schema", SCHEMA, "n", strict=True)),
        ({"type": "json_schema", "json_schema": {"schema": SCHEMA, "strict": None, "x": 1}},
         ResponseFormat("schema", SCHEMA)),
        ({"type": "json_schema", "json_schema": {"name": "n", "description": ""}}, None),
        ({"type": "json_schema"}, None),
        ({"type": 1}, None),
        (None, None),
        ("text", None),
    ],
)  # fmt: skip
def test_response_formats(told: Any, form: ResponseFormat | None) -> None:
    assert read({"messages": [], "response_format": told}).response_format == form
