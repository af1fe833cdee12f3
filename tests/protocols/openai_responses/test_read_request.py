"""Fields of requests that are read: what the tree says of them, and that they go back."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import Msg, Options
from dragoman.message import ResponseFormat, ServerTool, Tool, ToolChoice
from tests.each_case import each_case

from .asked import ALL, CALL, RESULT, SAID, THOUGHT, USER, again, read, same
from .writing import OWN, own, wire


def test_a_text_is_a_message_of_the_users() -> None:
    [m] = same({"model": "gpt-5.6", "input": "Hi"}).messages
    assert (m.role, m.content) == ("user", "Hi")


def test_a_text_that_goes_on_becomes_a_list() -> None:
    body = {"model": "gpt-5.6", "input": "Hi"}
    target = wire()
    req = target.read_request(body)
    req.messages += [Msg.assistant("Hello."), Msg.user("And?")]
    assert target.write_request(req).body["input"] == [
        USER,
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "And?"},
    ]


@pytest.mark.parametrize("absent", [{}, {"input": None}, {"input": 5}, {"input": {"text": "Hi"}}])
def test_an_input_may_be_absent(absent: dict[str, Any]) -> None:
    assert same({"prompt": {"id": "pmpt_1"}, **absent}).messages == []


def test_instructions_stand_at_the_top() -> None:
    top, m = same({"model": "gpt-5.6", "instructions": "Be brief.", "input": [USER]}).messages
    assert (top.role, top.content, top.spelling) == ("system", "Be brief.", "top string")
    assert m.content == "Hi"


@pytest.mark.parametrize("told", ["", None, [USER], 3])
def test_instructions_that_are_no_text_stay(told: Any) -> None:
    req = same({"instructions": told, "input": "Hi"})
    assert req.extras is not None
    assert req.extras[OWN]["instructions"] == told


def test_instructions_that_were_changed_are_left_to_others() -> None:
    req = read({"model": "gpt-5.6", "instructions": "Be brief.", "input": [USER]})
    made = wire().room.body_as_read(req, ALL - {"system"}, [USER])
    assert made == {"model": "gpt-5.6", "input": [USER]}


def test_options() -> None:
    body = {
        "model": "gpt-5.6", "input": "Hi", "max_output_tokens": 50, "temperature": 0.5,
        "top_p": 1, "top_logprobs": 3, "service_tier": "flex", "safety_identifier": "u1",
        "include": ["reasoning.encrypted_content", "message.output_text.logprobs"],
        "reasoning": {"effort": "low", "summary": "auto"}, "stream": True,
    }  # fmt: skip
    req = same(body)
    assert req.options == Options(
        max_tokens=50, temperature=0.5, top_p=1, top_logprobs=3, service_tier="flex", user="u1",
        logprobs=True, reasoning="low", thoughts="auto",
    )  # fmt: skip
    assert req.stream
    assert req.extras is not None
    assert req.extras[OWN] == {"include": ["reasoning.encrypted_content"]}


@each_case(
    "more",
    [
        {"user": "u1"},
        {"user": "u1", "safety_identifier": "u2"},
        {"user": None, "temperature": None, "max_output_tokens": "50", "top_p": True},
        {"reasoning": {"effort": "none"}},
        {"reasoning": {"effort": "off"}},
        {"reasoning": {"effort": None}},
        {"reasoning": {}},
        {"reasoning": None},
        {"include": []},
        {"include": None},
        {"include": ["message.output_text.logprobs"] * 2},
        {"stream": False, "store": False, "background": None, "truncation": "auto"},
        {"metadata": {"a": "b"}, "prompt_cache_key": "k", "conversation": {"id": "conv_1"}},
        {"text": {}},
        {"text": {"format": None, "verbosity": "low"}},
        {"text": {"format": {"type": "text"}}},
        {"text": {"format": {"type": "json_object", "new": 1}, "verbosity": "low"}},
        {"text": {"format": {"type": "json_schema", "schema": {}, "description": ""}}},
        {"text": {"format": {"type": "json_schema", "schema": {}, "strict": None}}},
        {"text": {"format": {"type": "json_schema", "name": "x"}}},
        {"text": {"format": {"type": "grammar", "definition": "x"}}},
        {"tools": []},
        {"tools": None},
        {"tools": [1]},
        {"tool_choice": None},
        {"tool_choice": "auto", "parallel_tool_calls": False},
        {"parallel_tool_calls": True},
        {"parallel_tool_calls": None, "tool_choice": {"type": "custom", "name": "x"}},
        {"tool_choice": {"type": "function", "name": "x", "more": 1}},
        {"tool_choice": {"type": "file_search"}, "parallel_tool_calls": True},
        {"model": None},
        {"model": ""},
    ],
)  # fmt: skip
def test_fields_go_back_as_they_came(more: dict[str, Any]) -> None:
    same({"model": "gpt-5.6", "input": [USER], **more})


def test_thinking_that_is_off() -> None:
    assert same({"input": "Hi", "reasoning": {"effort": "none"}}).options.reasoning == "off"


def test_the_form_of_the_answer() -> None:
    schema = {"type": "object", "properties": {}}
    form = {"type": "json_schema", "name": "city", "schema": schema, "strict": True}
    req = same({"input": "Hi", "text": {"format": form, "verbosity": "low"}})
    assert req.response_format == ResponseFormat("schema", schema, "city", strict=True)
    assert req.extras is not None
    assert req.extras[OWN] == {"text": {"verbosity": "low"}}


@pytest.mark.parametrize(
    ("told", "made"),
    [
        (
            {"type": "function", "name": "f", "description": "d", "parameters": {}, "strict": True},
            Tool("f", "d", {}, True),
        ),
        (
            {"type": "function", "name": "f", "parameters": None, "defer_loading": True},
            Tool("f", extras=own(parameters=None, defer_loading=True)),
        ),
        (
            {"type": "web_search", "filters": {"allowed_domains": ["a.b"]}, "user_location":
             {"type": "approximate", "city": "Rome", "region": None}, "search_context_size": "low"},
            ServerTool("web_search", ("a.b",), location={"city": "Rome"}, extras=own(
                user_location={"region": None}, search_context_size="low")),
        ),
        (
            {"type": "web_search_preview"},
            ServerTool("web_search", extras=own(type="web_search_preview")),
        ),
        (
            {"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["file_1"]}},
            ServerTool("code_execution", extras=own(container={"file_ids": ["file_1"]})),
        ),
        (
            {"type": "file_search", "vector_store_ids": ["vs_1"], "max_num_results": 3},
            ServerTool("file_search", stores=("vs_1",), extras=own(max_num_results=3)),
        ),
    ],
)  # fmt: skip
def test_tools(told: dict[str, Any], made: Tool | ServerTool) -> None:
    assert same({"input": "Hi", "tools": [told]}).tools == [made]


@pytest.mark.parametrize(
    "told",
    [
        {"type": "function", "name": "f", "description": "", "strict": None},
        {"type": "web_search", "filters": {}, "user_location": {"type": "approximate"}},
        {"type": "web_search", "filters": None, "user_location": None},
        {"type": "web_search", "filters": {"excluded_domains": ["a.b"], "allowed_domains": []}},
    ],
)
def test_tools_go_back_as_they_came(told: dict[str, Any]) -> None:
    same({"input": "Hi", "tools": [told]})


@pytest.mark.parametrize(
    "told",
    [
        {"type": "function", "name": ""},
        {"type": "function"},
        {},
        {"type": ["x"]},
        {"type": "custom", "name": ""},
        {"type": "mcp", "server_label": "m", "server_url": "https://a.b"},
        {"type": "code_interpreter", "container": "cntr_1"},
        {"type": "file_search", "vector_store_ids": []},
        {"type": "namespace", "name": "n", "tools": []},
    ],
)
def test_tools_that_nobody_models(told: dict[str, Any]) -> None:
    assert same({"input": "Hi", "tools": [told]}).tools == [
        ServerTool("own", extras={OWN: told} if told else None)
    ]


def test_tools_that_nobody_models_are_written_where_something_changed() -> None:
    custom = {"type": "custom", "name": "sql"}
    req = read({"model": "gpt-5.6", "input": [USER], "tools": [custom]})
    req.tools = [*req.tools, Tool("look")]
    first, second = wire().write_request(req).body["tools"]
    assert (first, second["name"]) == (custom, "look")


def test_the_choice_of_tools() -> None:
    tools = [{"type": "function", "name": name, "parameters": {}} for name in "ab"]
    pick = {"type": "allowed_tools", "mode": "required", "tools": [
        {"type": "function", "name": "a"}]}  # fmt: skip
    body = {"input": "Hi", "tools": tools, "parallel_tool_calls": False}
    choice = same({**body, "tool_choice": pick}).tool_choice
    assert choice == ToolChoice("required", allowed=("a",), parallel=False)
    choice = same({**body, "tool_choice": {"type": "function", "name": "b"}}).tool_choice
    assert choice == ToolChoice("tool", "b", parallel=False)


def test_half_a_character_is_kept() -> None:
    half = "\ud800"
    schema = {"type": "json_schema", "schema": {"title": half}}
    body = {"model": half, "input": half, "safety_identifier": half, "text": {"format": schema},
            "tools": [{"type": "function", "name": half}]}  # fmt: skip
    assert again(read(body)) == body


def test_a_turn_that_was_appended_leaves_the_others_as_they_were() -> None:
    items = [{"type": "message", "role": "user", "content": "Hi"}, THOUGHT, CALL, RESULT,
             {**SAID, "phase": "final_answer"}]  # fmt: skip
    body = {"model": "gpt-5.6", "store": False, "include": [], "instructions": "Be brief."}
    body["input"] = items
    target = wire()
    req = target.read_request(body)
    req.messages.append(Msg.user("On"))
    out = target.write_request(req)
    assert out.losses == []
    assert out.body == {**body, "input": [*items, {"role": "user", "content": "On"}]}


@pytest.mark.parametrize(
    ("body", "is_one"),
    [
        ({"model": "m", "input": "Hi"}, True),
        ({"model": "m", "input": [USER, CALL]}, True),
        ({"prompt": {"id": "pmpt_1"}}, True),
        ({"model": "m", "previous_response_id": "resp_1", "input": []}, True),
        ({"model": "m", "messages": [USER]}, False),
        ({"model": "m", "messages": [USER], "input": "Hi"}, False),
        ({"model": "m", "contents": []}, False),
        ({"model": "m", "input": "Hi", "encoding_format": "float"}, False),
        ({"model": "m", "input": "Hi", "voice": "alloy"}, False),
        ({"model": "m", "input": ["Hi"]}, False),
        ({"model": "m", "input": {"messages": [USER]}}, False),
        ({"model": "m", "prompt": "Once"}, False),
        ({"model": "m"}, False),
        ([], False),
    ],
)
def test_claims(body: Any, is_one: bool) -> None:
    assert wire().room.claims(body) is is_one


def test_a_path_tells_embeddings_apart() -> None:
    assert not wire().room.claims({"model": "m", "input": "Hi"}, "/v1/embeddings")
    assert wire().room.claims({"model": "m", "input": "Hi"}, "/v1/responses?x=1")


GROUP: dict[str, Any] = {"type": "namespace", "name": "functions", "description": "", "tools": [
    {"type": "custom", "name": "exec", "description": "Runs it.", "format": {
        "type": "grammar", "syntax": "lark", "definition": "start: SOURCE"}},
    {"type": "function", "name": "wait", "strict": False, "parameters": {"type": "object"}},
]}  # fmt: skip
ADDED: dict[str, Any] = {"type": "additional_tools", "id": "at_1", "role": "developer", "tools": [
    GROUP, {"type": "namespace", "name": "clock", "tools": [{"type": "function", "name": "sleep"}]},
]}  # fmt: skip


@pytest.mark.parametrize("more", [{}, {"tools": [{"type": "custom", "name": "sql"}]}])
def test_tools_among_the_items_are_tools(more: dict[str, Any]) -> None:
    told = {"input": [ADDED, USER, {**ADDED, "id": "at_2", "tools": [GROUP["tools"][1]]}],
            "tool_choice": "auto", "parallel_tool_calls": False, **more}  # fmt: skip
    req = same(told)
    names = [tool.name for tool in req.tools if isinstance(tool, Tool)]
    assert names == [*(["sql"] if more else []), "exec", "wait", "sleep", "wait"]
    assert [m.role for m in req.messages] == ["user"]
    out = dragoman.wire("deepseek", policy="ignore").write_request(req)
    names = [tool["function"]["name"] for tool in out.body["tools"]]
    assert names[-4:] == ["functions__exec", "functions__wait", "clock__sleep", "wait"]
    assert out.body["tool_choice"] == "auto"
    assert not {"raw.other_provider", "tool.other_provider"} & {loss.code for loss in out.losses}


def test_edited_tools_stand_beside_the_input() -> None:
    req = read({"model": "gpt-5.6", "input": [ADDED, USER]})
    req.tools = [*req.tools[:1], Tool("look")]
    body = wire().write_request(req).body
    assert body["input"] == [USER]
    assert [tool.get("name") for tool in body["tools"]] == ["functions", "look"]


def test_a_result_behind_a_custom_call_that_nobody_edited() -> None:
    call = {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "x"}
    req = read({"model": "gpt-5.6", "input": [USER, call],
                "tools": [{"type": "custom", "name": "sql"}]})  # fmt: skip
    req.messages = [*req.messages, Msg.tool("c1", "18")]
    assert wire().write_request(req).body["input"][1:] == [
        call, {"type": "custom_tool_call_output", "call_id": "c1", "output": "18"}]  # fmt: skip
