"""Requests of DashScope that are read: what stands around the messages."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg, Options
from dragoman.message import (
    ResponseFormat,
    ServerTool,
    Tool,
    ToolChoice,
)
from tests.each_case import each_case
from tests.protocols.dashscope.reading import (
    LINK,
    MARK,
    MULTIMODAL,
    NOTES,
    OWN,
    ROOM,
    TEXT,
    USER,
    WIRE,
    read,
    read_body,
)


def test_a_prompt() -> None:
    body = {"model": "qwen-turbo", "input": {"prompt": "Hi"}, "parameters": {}}
    req = read_body(body)
    assert [(m.role, m.content) for m in req.messages] == [("user", "Hi")]
    req = WIRE.read_request(body)
    req.messages.append(Msg.assistant("Hello."))
    req.messages.append(Msg.user("Bye"))
    assert [m["content"] for m in WIRE.write_request(req).body["input"]["messages"]] == [
        "Hi", "Hello.", "Bye"]  # fmt: skip


@each_case("inner", [
    {"prompt": "x", "history": [{"user": "a", "bot": "b"}]}, {"prompt": "x", "messages": [USER]},
    {"prompt": 1}, {"prompt": "x", "messages": None}, {}, {"messages": []}, None, "x", [],
    {"messages": [USER], "file": 1},
])  # fmt: skip
@each_case("beside", [{}, {"parameters": None}, {"parameters": []}, {"model": ""}])
def test_odd_inputs(inner: Any, beside: dict[str, Any]) -> None:
    read_body({"model": "m", "input": inner, "task": "x", **beside})
    read_body(beside)


def test_options() -> None:
    req = read(USER, max_tokens=9, temperature=0, top_p=0.5, top_k=3, seed=1, n=2, stop=["a", "b"],
               presence_penalty=1, frequency_penalty=2, repetition_penalty=1.1, logprobs=True,
               top_logprobs=2, thinking_budget=5, enable_thinking=True, result_format="message",
               vl_high_resolution_images=True)  # fmt: skip
    assert req.options == Options(
        max_tokens=9, temperature=0, top_p=0.5, top_k=3, seed=1, n=2, stop=("a", "b"),
        presence_penalty=1, frequency_penalty=2, repetition_penalty=1.1, logprobs=True,
        top_logprobs=2, reasoning="on", reasoning_budget=5,
    )  # fmt: skip
    own = {"result_format": "message", "vl_high_resolution_images": True}
    assert req.extras == {OWN: {"parameters": own}}


@pytest.mark.parametrize(("told", "options"), [
    ({"max_completion_tokens": 9}, Options(max_tokens=9)),
    ({"max_completion_tokens": 9, "max_tokens": 8}, Options(max_tokens=8)),
    ({"stop": "x"}, Options(stop=("x",))), ({"stop": [[1, 2]]}, Options()),
    ({"stop": []}, Options()),
    ({"enable_thinking": False}, Options(reasoning="off")),
    ({"reasoning_effort": "high"}, Options(reasoning="high")),
    ({"reasoning_effort": "high", "enable_thinking": True}, Options(reasoning="high")),
    ({"reasoning_effort": "high", "enable_thinking": False}, Options(reasoning="off")),
    ({"reasoning_effort": "high", "enable_thinking": None}, Options(reasoning="high")),
    ({"reasoning_effort": "off", "enable_thinking": "x", "thinking_budget": "5"}, Options()),
    ({"temperature": None, "top_k": 1.0, "seed": True, "logprobs": 1, "n": "2"}, Options()),
])  # fmt: skip
def test_options_in_other_spellings(told: dict[str, Any], options: Options) -> None:
    assert read(USER, **told).options == options


@pytest.mark.parametrize(("told", "choice"), [
    ({"tool_choice": "auto"}, ToolChoice("auto")), ({"tool_choice": "none"}, ToolChoice("none")),
    ({"tool_choice": "required"}, ToolChoice("required")),
    ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, ToolChoice("tool", "f")),
    ({"parallel_tool_calls": False}, ToolChoice("auto", parallel=False)),
    ({"tool_choice": "none", "parallel_tool_calls": True}, ToolChoice("none", parallel=True)),
    ({"tool_choice": "x", "parallel_tool_calls": True}, ToolChoice("auto", parallel=True)),
    ({"tool_choice": {"type": "function", "function": {"name": 1}}}, None),
    ({"tool_choice": {"type": "function"}, "parallel_tool_calls": None}, None),
    ({"tool_choice": None}, None),
])  # fmt: skip
def test_choices(told: dict[str, Any], choice: ToolChoice | None) -> None:
    assert read(USER, **told).tool_choice == choice


SCHEMA = {"type": "object", "properties": {}}


@pytest.mark.parametrize(("told", "form"), [
    ({"type": "text"}, ResponseFormat("text")), ({"type": "json_object"}, ResponseFormat("json")),
    ({"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA, "strict": True}},
     ResponseFormat("schema", SCHEMA, "n", strict=True)),
    ({"type": "json_schema", "json_schema": {"schema": SCHEMA}}, ResponseFormat("schema", SCHEMA)),
    ({"type": "json_schema", "json_schema": {"schema": SCHEMA, "x": 1}}, None),
    ({"type": "json_schema", "json_schema": {"schema": SCHEMA}, "strict": True}, None),
    ({"type": ["x"]}, None), (None, None), ({}, None),
])  # fmt: skip
def test_formats(told: Any, form: ResponseFormat | None) -> None:
    assert read(USER, response_format=told).response_format == form


def test_tools() -> None:
    listed = [{"name": "city", "type": "string", "description": "c", "required": True},
              {"name": "unit", "type": "string", "enum": ["C"]}]  # fmt: skip
    odd = {"type": "mcp", "url": LINK}
    req = read(USER, tools=[
        {"type": "function", "function": {"name": "a", "description": "d", "parameters": SCHEMA,
                                          "strict": True}},
        {"type": "function", "function": {"name": "b", "description": "", "parameters": listed}},
        odd,
    ])  # fmt: skip
    properties = {"city": {"type": "string", "description": "c"},
                  "unit": {"type": "string", "enum": ["C"]}}  # fmt: skip
    made = {"type": "object", "properties": properties, "required": ["city"]}
    assert list(req.tools) == [
        Tool("a", "d", SCHEMA, True), Tool("b", "", made, extras={NOTES: {"parameters": "list"}}),
        ServerTool("own", extras={OWN: odd}),
    ]  # fmt: skip


@each_case("parameters", [
    None, [], {}, [1], [{"name": 1}], [{"name": "a", "required": False}],
    [{"name": "a"}, {"name": "a"}], [{"name": "a", "required": 1}],
])  # fmt: skip
@each_case("name", ["f", "", 1])
def test_odd_tools(parameters: Any, name: Any) -> None:
    read(USER, tools=[{"type": "function", "function": {"name": name, "parameters": parameters}}])


@pytest.mark.parametrize(("told", "tools"), [
    ({"enable_search": True}, [ServerTool("web_search")]),
    ({"enable_search": True, "search_options": {"assigned_site_list": ["a.b"]}},
     [ServerTool("web_search", ("a.b",))]),
    ({"enable_search": True, "search_options": {"forced_search": True}},
     [ServerTool("web_search", extras={OWN: {"search_options": {"forced_search": True}}})]),
    ({"enable_search": True, "search_options": {}},
     [ServerTool("web_search", extras={OWN: {"search_options": {}}})]),
    ({"enable_search": True, "search_options": None}, [ServerTool("web_search")]),
    ({"enable_search": True, "search_options": {"assigned_site_list": []}},
     [ServerTool("web_search", extras={OWN: {"search_options": {"assigned_site_list": []}}})]),
    ({"enable_code_interpreter": True, "tools": []}, [ServerTool("code_execution")]),
    ({"enable_search": False, "search_options": {"x": 1}, "enable_code_interpreter": False}, []),
])  # fmt: skip
def test_what_the_provider_runs(told: dict[str, Any], tools: list[ServerTool]) -> None:
    assert list(read(USER, **told).tools) == tools


SSE = {"X-DashScope-SSE": "enable"}


@pytest.mark.parametrize(("parameters", "headers", "streamed"), [
    ({}, None, False), ({"incremental_output": True}, None, True), ({"stream": True}, None, True),
    ({"stream": False, "incremental_output": True}, None, False), ({"stream": "x"}, None, False),
    ({}, SSE, True), ({}, {"accept": "text/event-stream"}, True), ({"stream": False}, SSE, True),
    ({"stream": True}, {"Accept": "application/json"}, False),
])  # fmt: skip
def test_a_header_asks_for_a_stream(
    parameters: dict[str, Any], headers: dict[str, str] | None, streamed: bool
) -> None:
    body = {"model": "m", "input": {"messages": [USER]}, "parameters": parameters}
    assert read_body(body, headers).stream is streamed


def test_a_stream_that_nobody_wants_any_more() -> None:
    body = {"model": "qwen-max", "input": {"messages": [USER]},
            "parameters": {"incremental_output": True, "result_format": "message"}}  # fmt: skip
    req = WIRE.read_request(body)
    same = WIRE.write_request(req)
    assert (same.body, same.headers["X-DashScope-SSE"]) == (body, "enable")
    req.stream = False
    out = WIRE.write_request(req)
    assert out.body["parameters"] == {"result_format": "message"}
    assert out.headers == {}


@pytest.mark.parametrize(("content", "path"), [
    ("Hi", TEXT), ([{"text": "Hi"}], MULTIMODAL), ([{"image": LINK}, {"text": "?"}], MULTIMODAL),
    ([{"video": [LINK]}], MULTIMODAL), (None, TEXT),
    ([{"text": "Hi", "cache_control": MARK}], TEXT),
])  # fmt: skip
def test_it_goes_back_to_its_endpoint(content: Any, path: str) -> None:
    body = {"model": "nobody-1", "input": {"messages": [{"role": "user", "content": content}]}}
    out = WIRE.write_request(WIRE.read_request(body))
    assert (out.body, out.path) == (body, path)


@pytest.mark.parametrize(("body", "path", "ours"), [
    ({"model": "m", "input": {"messages": [USER]}}, None, True),
    ({"model": "m", "input": {"prompt": "x"}}, f"/api/v1{TEXT}", True),
    ({"input": {"messages": [USER]}}, MULTIMODAL, True),
    ({"model": "m", "input": {"messages": [USER]}}, "/v1/chat/completions", False),
    ({"model": "m", "input": [USER]}, None, False), ({"model": "m", "input": "x"}, None, False),
    ({"model": "m", "input": {}}, None, False), ({"input": {"prompt": "x"}}, None, False),
    ({"model": "m", "messages": [USER]}, None, False), ([], None, False),
])  # fmt: skip
def test_claims(body: Any, path: str | None, ours: bool) -> None:
    assert ROOM.claims(body, path) is ours
