"""Requests that are written: options in this API's ranges, the prompt, thinking, and the losses."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.capabilities import Facts
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    FileSource,
    ImageBlock,
    Origin,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Written,
)
from dragoman.protocols.anthropic.request import drop_unbound_thinking

WIRE = dragoman.wire("anthropic", policy="ignore")
HOST = dragoman.wire("bedrock/anthropic", policy="ignore")
OLD, OPUS = "claude-3-7-sonnet-20250219", "claude-opus-5-5"
HI = Msg.user("hi")
ROUND = [HI, Msg.assistant([ToolUseBlock("c", "f", {})]), Msg.tool("c", "x", "f")]


def wrote(*msgs: Msg, model: str = "nobody-1", wire: Any = WIRE, **fields: Any) -> Written:
    req = ChatRequest([*msgs] or [HI], **fields)
    out: Written = wire.write_request(req, model)
    return out


def rows(out: Written) -> list[tuple[str, str, str, str]]:
    """(code, where, what, what was done), but for the maximum that must be said."""
    return [(one.code, one.where, one.what, one.did) for one in out.losses
            if one.code != "max_tokens.default"]  # fmt: skip


def test_options_in_the_ranges_of_this_api() -> None:
    given = {"temperature": 1.5, "service_tier": "flex", "stop": ["END", " ", "\n"],
             "max_tokens": 9, "user": "u"}  # fmt: skip
    out = wrote(model=OLD, options=given)
    said = {"temperature": 1.0, "stop_sequences": ["END"], "max_tokens": 9,
            "metadata": {"user_id": "u"}}  # fmt: skip
    assert {key: out.body.get(key) for key in (*said, "service_tier")} == {
        **said, "service_tier": None}  # fmt: skip
    assert rows(out) == [
        ("option.range", "$.options.temperature", "1.5", "sent as 1.0"),
        ("option.refused", "$.options.service_tier", "flex", ""),
        ("option.range", "$.options.stop", "Options", "without blank ones"),
    ]
    out = wrote(model=OLD, options={"temperature": 0.5, "service_tier": "auto", "stop": [" "]})
    assert (out.body["temperature"], out.body["service_tier"]) == (0.5, "auto")
    assert "stop_sequences" not in out.body
    assert rows(out) == [("option.range", "$.options.stop", "Options", "without blank ones")]


@pytest.mark.parametrize(("options", "most"), [
    ({}, 16384), ({"reasoning_budget": 2000}, 18384), ({"reasoning": "high"}, 40960),
])  # fmt: skip
def test_the_maximum_must_be_said(options: dict[str, Any], most: int) -> None:
    out = wrote(model=OLD, options=options)
    assert out.body["max_tokens"] == most
    [loss] = [one for one in out.losses if one.code == "max_tokens.default"]
    assert (loss.where, loss.what, loss.did) == ("$.options.max_tokens", "ChatRequest", str(most))


def test_the_maximum_of_a_model_that_thinks_so_much_and_no_more() -> None:
    can = {"form": "budget", "thinks": "on_request", "budgets": (1024, 4096), "max_tokens": 8000}
    wire = dragoman.wire("anthropic", policy="ignore", facts=Facts(always=can))
    assert wrote(wire=wire, options={"reasoning_budget": 2000}).body["max_tokens"] == 4097
    assert wrote(wire=wire).body["max_tokens"] == 8000


@pytest.mark.parametrize(("options", "thinking", "did"), [
    ({"reasoning_budget": 1500, "max_tokens": 1024}, None, "no thinking"),
    ({"reasoning_budget": 1024, "max_tokens": 1025}, 1024, None),
    ({"reasoning_budget": 5000, "max_tokens": 3000}, 2400, "sent as 2400 tokens"),
    ({"reasoning_budget": 2999, "max_tokens": 3000}, 2999, None),
])  # fmt: skip
def test_thinking_has_its_place_under_the_maximum(
    options: dict[str, Any], thinking: int | None, did: str | None
) -> None:
    out = wrote(model=OLD, options=options)
    assert out.body.get("thinking", {}).get("budget_tokens") == thinking
    assert [loss.did for loss in out.losses] == ([] if did is None else [did])
    assert {loss.where for loss in out.losses} <= {"$.options.reasoning_budget"}


@pytest.mark.parametrize(("options", "name"), [
    ({"reasoning": "high"}, "reasoning"), ({"reasoning_budget": 2000}, "reasoning_budget"),
])  # fmt: skip
def test_a_round_that_was_begun_without_thinking(options: dict[str, Any], name: str) -> None:
    out = wrote(*ROUND, model=OLD, options=options, tools=[Tool("f")])
    assert "thinking" not in out.body
    assert rows(out) == [
        ("reasoning.off_for_history", f"$.options.{name}", "Options", "no thinking")]  # fmt: skip


def test_schemas_are_always_kept_to() -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    form = ResponseFormat("schema", schema, name="n", strict=False)
    out = wrote(response_format=form)
    assert out.body["output_config"] == {"format": {"type": "json_schema", "schema": schema}}
    assert rows(out) == [
        ("format.lowered", "$.response_format.strict", "ResponseFormat", "kept to"),
        ("format.field", "$.response_format.name", "ResponseFormat", ""),
    ]
    form = ResponseFormat("schema", schema, description="d", strict=True)
    assert [where for _, where, *_ in rows(wrote(response_format=form))] == [
        "$.response_format.description", "$.response_format.strict"]  # fmt: skip


def system(content: Any, **rest: Any) -> Msg:
    return Msg("", content, "system", **rest)


@pytest.mark.parametrize(("prompt", "said"), [
    ([system("a")], "a"), ([system([TextBlock("a")])], "a"),
    ([system("a"), system("b")], [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    ([system([TextBlock("a", extras={"anthropic": {"x": 1}})])],
     [{"type": "text", "text": "a", "x": 1}]),
    ([system([TextBlock("a", cache=CacheHint())])],
     [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]),
])  # fmt: skip
def test_the_prompt(prompt: list[Msg], said: Any) -> None:
    assert wrote(*prompt, HI).body["system"] == said


def test_tools_and_what_they_have_beside() -> None:
    own = ServerTool("own", extras={"anthropic": {"type": "x", "name": "y"}, "acme": {"z": 1}})
    tool = Tool("f", "Looks.", extras={"anthropic": {"defer_loading": True}, "acme": {"z": 1}})
    out = wrote(tools=[own, tool])
    assert out.body["tools"] == [
        {"type": "x", "name": "y"},
        {"name": "f", "description": "Looks.", "defer_loading": True,
         "input_schema": {"type": "object", "properties": {}}},
    ]  # fmt: skip
    where = [f"$.tools[{n}].extras.acme.z" for n in (0, 1)]
    assert rows(out) == [("extras.other_provider", one, "a field of acme", "") for one in where]


def test_what_a_host_refuses() -> None:
    own = {"anthropic": {"context_management": {"edits": []}, "service": 1}}
    out = wrote(wire=HOST, model=OPUS, extras=own)
    assert out.body["service"] == 1
    assert "context_management" not in out.body
    assert rows(out) == [
        ("extras.other_provider", "$.extras.anthropic.context_management", "context_management",
         "left out")]  # fmt: skip
    assert wrote(wire=HOST, model="a@b c").path == "/model/a@b%20c/invoke"


def test_betas_stand_where_the_host_looks_for_them() -> None:
    own = {"anthropic": {"anthropic_beta": ["a", "b"]}}
    assert wrote(extras=own).headers["anthropic-beta"] == "a,b"
    assert wrote(wire=HOST, extras=own).body["anthropic_beta"] == ["a", "b"]
    body = {"model": OPUS, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    req = WIRE.read_request(body, headers={"Anthropic-Beta": "a, b"})
    room = WIRE.room
    assert room.headers_as_read(req, {"anthropic-beta": "b,c,,d", "x": "y"}, Report([])) == {
        "anthropic-beta": "a,b,c,d", "x": "y"}  # fmt: skip
    assert room.headers_as_read(req, {}, Report([])) == {"anthropic-beta": "a,b"}
    bare = WIRE.read_request({**body, "anthropic_beta": ["a"]})
    assert room.headers_as_read(bare, {"anthropic-beta": "b"}, Report([])) == {
        "anthropic-beta": "b"
    }


@pytest.mark.parametrize(("payload", "ours"), [
    ({"type": "message", "content": []}, True), ({"type": "message", "content": "x"}, False),
    ({"type": "content_block_delta"}, True), ({"type": "response.created"}, False),
    ({"type": ["message_start"]}, False), ({}, False),
])  # fmt: skip
def test_answers_that_can_be_its_own(payload: dict[str, Any], ours: bool) -> None:
    assert WIRE.room.answers(payload) is ours


def test_own_fields_and_hints_stand_on_their_blocks() -> None:
    own: Any = {"anthropic": {"x": 1}}
    mark = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    hint = CacheHint("1h")
    image = ImageBlock(FileSource("f", "anthropic"), extras=own, cache=hint)
    call = ToolUseBlock("c", "f", {}, extras=own, cache=hint)
    text = TextBlock("r", extras=own)
    answer = ToolResultBlock("c", "f", [text], is_error=True, extras=own, cache=hint)
    several = ToolResultBlock("d", "f", [text, TextBlock(" "), text])
    thought = ThinkingBlock("hm", "c2ln", extras=own)
    calls = [thought, call, ToolUseBlock("d", "f", {})]
    said = wrote(Msg.user([image], extras=own), Msg.assistant(calls, extras=own),
                 Msg("", [answer, several], "tool")).body["messages"]  # fmt: skip
    assert said == [
        {"role": "user", "x": 1, "content": [
            {"type": "image", "source": {"type": "file", "file_id": "f"}, "x": 1, **mark}]},
        {"role": "assistant", "x": 1, "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln", "x": 1},
            {"type": "tool_use", "id": "c", "name": "f", "input": {}, "x": 1, **mark},
            {"type": "tool_use", "id": "d", "name": "f", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c", "is_error": True, "x": 1, **mark,
             "content": [{"type": "text", "text": "r", "x": 1}]},
            {"type": "tool_result", "tool_use_id": "d",
             "content": [{"type": "text", "text": "r", "x": 1}] * 2}]},
    ]  # fmt: skip


CALL = ToolUseBlock("c", "f", {})
EMPTY = {"type": "thinking", "thinking": "", "signature": ""}


@pytest.mark.parametrize(("blocks", "kinds"), [
    ([CALL], ["thinking", "tool_use"]), ([TextBlock("x"), CALL], ["thinking", "text", "tool_use"]),
    ([ThinkingBlock("hm", "c2ln"), CALL], ["thinking", "tool_use"]),
    ([ThinkingBlock("", redacted="ZGF0YQ=="), CALL], ["redacted_thinking", "tool_use"]),
    ([TextBlock("x"), TextBlock("y")], ["text", "text"]),
])  # fmt: skip
def test_calls_behind_thinking_if_only_an_empty_one(blocks: list[Any], kinds: list[str]) -> None:
    can = {"empty_thinking": True, "thinking": "all", "signed_thinking": True,
           "redacted_thinking": True}  # fmt: skip
    wire = dragoman.wire("anthropic", policy="ignore", facts=Facts(always=can))
    said = wrote(HI, Msg.assistant(blocks), *ROUND[2:], wire=wire).body["messages"][1]["content"]
    assert [one["type"] for one in said] == kinds
    if len(kinds) > len(blocks):
        assert said[0] == EMPTY
    never = dragoman.wire("anthropic", policy="ignore", facts=Facts(
        always={**can, "thinking": "never"}))  # fmt: skip
    told = wrote(HI, Msg.assistant(blocks), *ROUND[2:], wire=never).body["messages"][1]["content"]
    assert "thinking" not in {one["type"] for one in told}


def test_an_answer_of_this_wire_goes_back_as_the_list_that_it_came_as() -> None:
    def said(role: Any, issuer: str) -> Any:
        m = Msg("", [TextBlock("x")], role, origin=Origin(issuer))
        return wrote(HI, m, HI).body["messages"][1]["content"]

    assert said("assistant", "anthropic") == [{"type": "text", "text": "x"}]
    assert said("assistant", "acme") == "x"
    asked = Msg("", [TextBlock("x")], "user", origin=Origin("anthropic"))
    assert wrote(asked).body["messages"] == [{"role": "user", "content": "x"}]


def test_thinking_that_the_provider_is_to_drop_is_thinking_that_is_on() -> None:
    body: dict[str, Any] = {}
    assert drop_unbound_thinking(body) == ["thinking-binding-controls-2026-08-01"]
    binding = {"prefix_mismatch_behavior": "drop_block"}
    assert body["thinking"] == {"type": "adaptive", "block_binding": binding}
    body = {"thinking": {"type": "enabled", "budget_tokens": 9}}
    drop_unbound_thinking(body)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 9, "block_binding": binding}


def test_tools_and_choices_that_are_read() -> None:
    own = {"type": "custom", "name": "f", "input_schema": {"type": "object"}}
    search = {"type": "web_search_20250305", "name": "web_search"}
    one = {**search, "max_uses": 1, "user_location": {"type": "approximate", "city": "Oslo"}}
    odd = {**search, "max_uses": 0, "user_location": {"type": "exact", "city": "Oslo"}}
    place = {"type": "approximate", "city": 5}
    body = {"model": OPUS, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}],
            "tools": [own, one, odd, {**search, "user_location": place}]}  # fmt: skip
    tool, first, second, third = WIRE.read_request(body).tools
    assert type(tool) is Tool
    assert "anthropic" not in (tool.extras or {})
    assert getattr(third, "location", place) is None
    assert isinstance(first, ServerTool)
    assert isinstance(second, ServerTool)
    assert (first.max_uses, first.location) == (1, {"city": "Oslo"})
    assert (second.max_uses, second.location) == (None, None)
    said: dict[str, Any] = {"thinking": {"type": "disabled"}, "stop_sequences": "END",
                            "output_config": {"effort": "high"}}  # fmt: skip
    options = WIRE.read_request({**body, **said}).options
    assert (options.reasoning, options.stop) == ("off", None)
    form = {"type": "json_schema", "schema": {"type": "object"}}
    for wrong in ({"format": {**form, "x": 1}}, {"format": {**form, "schema": 5}}, 5):
        req = WIRE.read_request({**body, "output_config": wrong, "output_format": form})
        assert req.response_format == ResponseFormat("schema", {"type": "object"})
    for choice in ("auto", {"type": 5}, {"type": ["auto"]}, 5):
        assert WIRE.read_request({**body, "tool_choice": choice}).tool_choice is None


def test_a_switch_that_leaves_thinking_between_tools() -> None:
    can = {"form": "between_tools", "thinks": "default", "efforts": ()}
    wire = dragoman.wire("anthropic", policy="ignore", facts=Facts(always=can))
    out = wrote(wire=wire, options={"reasoning": "off"}, tools=[Tool("f")])
    assert out.body["thinking"] == {"type": "between_tools"}
    assert rows(out) == [
        ("reasoning.always", "$.options.reasoning", "off", "between tool calls alone")]  # fmt: skip
    assert rows(wrote(wire=wire, options={"reasoning": "off"})) == []
