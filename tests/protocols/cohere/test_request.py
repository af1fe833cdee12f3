"""What is composed for Cohere's chat: its judge takes it, and its own client sends it so."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.message import (
    Citation,
    ImageBlock,
    Origin,
    ResponseFormat,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from tests.laws.judging import request_faults

from .sdk import sent

WIRE = dragoman.wire("cohere", policy="ignore")
HI = Msg.user("Hi.")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
LOOK = Tool("look", "look at it", CITY)
OURS = Origin("cohere", "command-a-03-2025")


def wrote(
    *msgs: Msg, model: str | None = "command-a-plus-05-2026", **given: Any
) -> tuple[dict[str, Any], list[str]]:
    """(body, codes of losses)."""
    out = WIRE.write_request(ChatRequest(list(msgs) or [HI], **given), model)
    assert request_faults(WIRE, out) == []
    assert out.path == "/chat"
    path, body = sent(out.body)
    assert path == "/v2/chat"
    body.pop("stream")
    assert body == {key: value for key, value in out.body.items() if key != "stream"}
    return out.body, [loss.code for loss in out.losses]


def answered(*blocks: Any, origin: Origin | None = None) -> list[Msg]:
    """A question, a turn with a call, and its result."""
    call = ToolUseBlock("c1", "look", {"city": "Rome"})
    turn = Msg("", [*blocks, call], "assistant", origin=origin)
    return [HI, turn, Msg("", [ToolResultBlock("c1", "look", "21")], "tool")]


def test_what_is_said_before_a_call_is_its_plan() -> None:
    body, losses = wrote(*answered(TextBlock("I look."), TextBlock("Twice.")), tools=[LOOK])
    assert body["messages"][1] == {
        "role": "assistant", "tool_plan": "I look.\nTwice.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {
            "name": "look", "arguments": '{"city": "Rome"}'}}],
    }  # fmt: skip
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": "21"}
    assert losses == []


def test_its_own_text_beside_a_call_is_no_plan() -> None:
    body, _ = wrote(*answered(TextBlock("Hm."), origin=OURS), tools=[LOOK])
    assert body["messages"][1]["content"] == [{"type": "text", "text": "Hm."}]
    assert "tool_plan" not in body["messages"][1]


def test_thinking_goes_back_as_text() -> None:
    body, losses = wrote(*answered(ThinkingBlock("So.", origin=OURS)), tools=[LOOK])
    assert body["messages"][1]["content"] == [{"type": "thinking", "thinking": "So."}]
    assert losses == []
    body, losses = wrote(*answered(ThinkingBlock("So.", origin=Origin("anthropic"))), tools=[LOOK])
    assert "content" not in body["messages"][1]
    assert losses == ["thinking.other_provider"]


def test_a_result_of_several_texts_is_a_list() -> None:
    call = Msg("", [ToolUseBlock("c1", "look", {})], "assistant")
    parts = ToolResultBlock("c1", "look", [TextBlock("a"), TextBlock("b")])
    body, _ = wrote(HI, call, Msg("", [parts], "tool"))
    assert [item["text"] for item in body["messages"][2]["content"]] == ["a", "b"]


def test_a_picture_has_a_place_at_the_users_seat_alone() -> None:
    image = ImageBlock(URLSource("https://e.com/a.png"), detail="low")
    body, losses = wrote(Msg("", [TextBlock("See."), image], "user"))
    url = {"url": "https://e.com/a.png", "detail": "low"}
    assert body["messages"][0]["content"][1] == {"type": "image_url", "image_url": url}
    assert losses == []
    _, losses = wrote(Msg("", [image], "user"), HI, model="command-a-03-2025")
    assert losses == ["block.unsupported"]


def test_names_of_tools_have_no_dash() -> None:
    body, losses = wrote(tools=[Tool("get-weather", "", CITY), Tool("2nd.one", "", CITY)])
    names = [tool["function"]["name"] for tool in body["tools"]]
    assert names == ["get_weather", "_2nd_one"]
    assert losses == ["tool_name.mapped"] * 2


@pytest.mark.parametrize(
    ("flags", "strict", "lost"),
    [
        ((True, True), True, 0),
        ((False, False), False, 0),
        ((None, None), None, 0),
        ((False, None), False, 0),
        ((True, None), None, 1),
        ((True, False), None, 2),
    ],
)
def test_tools_are_strict_all_or_none(flags: Any, strict: bool | None, lost: int) -> None:
    tools = [Tool(f"t{nth}", "", CITY, strict=flag) for nth, flag in enumerate(flags)]
    body, losses = wrote(tools=tools)
    assert body.get("strict_tools") is strict
    assert losses.count("tool.strict") == lost
    assert all("strict" not in tool["function"] for tool in body["tools"])


@pytest.mark.parametrize(
    ("choice", "written", "lost"),
    [
        (ToolChoice("auto"), None, []),
        (ToolChoice("none"), "NONE", []),
        (ToolChoice("required"), "REQUIRED", []),
        (ToolChoice("tool", "look"), "REQUIRED", ["tool_choice.lowered"]),
        (ToolChoice("tool", "gone"), None, ["tool_choice.unknown"]),
    ],
)
def test_choices(choice: ToolChoice, written: str | None, lost: list[str]) -> None:
    body, losses = wrote(tools=[LOOK], tool_choice=choice)
    assert body.get("tool_choice") == written
    assert sorted({*losses}) == lost


def test_a_tool_that_is_named_stands_alone_and_is_required() -> None:
    tools = [Tool("a"), LOOK, Tool("b")]
    body, losses = wrote(tools=tools, tool_choice=ToolChoice("tool", "look"))
    assert [tool["function"]["name"] for tool in body["tools"]] == ["look"]
    assert body["tool_choice"] == "REQUIRED"
    assert losses == ["tool_choice.lowered", "tools.withheld", "tools.withheld"]


def test_old_models_take_no_choice() -> None:
    body, losses = wrote(model="command-r-08-2024", tools=[LOOK], tool_choice="required")
    assert "tool_choice" not in body
    assert "tool_choice.lowered" in losses


def test_options_have_ranges() -> None:
    options = Options(temperature=1.5, top_p=1.0, top_k=501, stop=tuple("abcdef"), seed=1,
                      frequency_penalty=-1.0, max_tokens=9, n=2)  # fmt: skip
    body, losses = wrote(options=options)
    assert (body["temperature"], body["p"], body["k"]) == (1, 0.99, 500)
    assert (body["frequency_penalty"], body["seed"], body["max_tokens"]) == (0, 1, 9)
    assert body["stop_sequences"] == [*"abcde"]
    assert losses.count("option.range") == 5
    assert losses.count("option.unsupported") == 1


@pytest.mark.parametrize(
    ("one", "two", "kept"),
    [(0.1, 0.2, {"frequency_penalty": 0.1}), (0.0, 0.2, {"presence_penalty": 0.2})],
)
def test_one_penalty_alone(one: float, two: float, kept: dict[str, float]) -> None:
    body, losses = wrote(options=Options(frequency_penalty=one, presence_penalty=two))
    assert {key: body[key] for key in body if key.endswith("penalty")} == kept
    assert losses == ["option.refused"]


@pytest.mark.parametrize(
    ("options", "written"),
    [
        (Options(reasoning="off"), {"type": "disabled"}),
        (Options(reasoning="on"), {"type": "enabled"}),
        (Options(reasoning_budget=9), {"type": "enabled", "token_budget": 9}),
        (Options(reasoning="low"), {"type": "enabled", "token_budget": 1024}),
        (Options(reasoning_budget=99_999), {"type": "enabled", "token_budget": 63_000}),
        (Options(), None),
    ],
)
def test_thinking(options: Options, written: dict[str, Any] | None) -> None:
    assert wrote(options=options)[0].get("thinking") == written


@pytest.mark.parametrize("model", ["command-a-03-2025", "command-r7b-12-2024", "command-r-plus"])
def test_who_does_not_think_is_not_asked(model: str) -> None:
    body, losses = wrote(model=model, options=Options(reasoning="high"))
    assert "thinking" not in body
    assert losses == ["option.refused"]


def test_a_schema_stands_bare() -> None:
    form = ResponseFormat("schema", CITY, "city", "where", strict=True)
    body, losses = wrote(response_format=form)
    assert body["response_format"] == {"type": "json_object", "json_schema": CITY}
    assert {*losses} == {"format.field"}


def test_a_schema_that_would_be_refused_is_left_out() -> None:
    free = {"type": "object", "properties": {"city": {"type": "string"}}}
    body, losses = wrote(response_format=ResponseFormat("schema", free))
    assert body["response_format"] == {"type": "json_object"}
    assert {*losses} == {"schema.unfit", "format.lowered"}


def test_no_format_beside_tools_or_documents() -> None:
    body, losses = wrote(tools=[LOOK], response_format=ResponseFormat("json"))
    assert "response_format" not in body
    assert losses == ["format.in_words", "format.unsupported"]
    body, losses = wrote(response_format=ResponseFormat("json"),
                         extras={"cohere": {"documents": ["a"]}})  # fmt: skip
    assert "response_format" not in body
    assert losses == ["format.unsupported"]


def test_own_fields_go_along_and_those_of_others_do_not() -> None:
    extras = {"cohere": {"safety_mode": "STRICT", "priority": 3}, "openai-chat": {"store": True}}
    body, losses = wrote(extras=extras)
    assert (body["safety_mode"], body["priority"]) == ("STRICT", 3)
    assert losses == ["extras.other_provider"]


def test_what_others_cite_is_named() -> None:
    cited = TextBlock("Rome.", [Citation(0, 4, "https://e.com")])
    _, losses = wrote(HI, Msg("", [cited], "assistant"), HI)
    assert losses == ["citations.unsupported"]


def test_a_last_turn_of_the_assistant_gets_an_answer() -> None:
    body, losses = wrote(HI, Msg.assistant("So"))
    assert body["messages"][-1]["role"] == "user"
    assert losses == ["turn.last"]


@pytest.mark.parametrize(
    ("model", "roles"),
    [("command-a-03-2025", ["user", "system", "user"]), ("command-r-plus", ["user"] * 3)],
)
def test_a_late_prompt(model: str, roles: list[str]) -> None:
    body, _ = wrote(HI, Msg.system("Be brief."), HI, model=model)
    assert [m["role"] for m in body["messages"]] == roles
