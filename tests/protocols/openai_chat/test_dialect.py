"""What vendors of Chat Completions disagree on: every switch of the dialect, both ways."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice, Vendor
from dragoman.errors import ConfigError, WriteError
from dragoman.history.passes.survey import ASSISTANT, TOOL, USER, RoledHistory
from dragoman.losses import Report
from dragoman.message import (
    ImageBlock,
    LocalSource,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.protocols.openai_chat import CAN, Dialect, OpenAIChat

IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
CALL = Msg.assistant([ToolUseBlock("c", "look", {})])
RESULT = Msg("", [ToolResultBlock("c", "look", [TextBlock("a"), TextBlock("b")])], "tool")
BASE = Dialect()


def said(*msgs: Msg, can: dict[str, Any] | None = None, **switches: Any) -> list[dict[str, Any]]:
    acme = Vendor("acme", wires={"openai-chat": replace(BASE, **switches)})
    formatter = dragoman.Formatter(acme, can=can, policy="ignore")
    return formatter.format_sync(list(msgs))


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


TEXTS = [Msg.user("x"), Msg.user([TextBlock("x")]), Msg.user([TextBlock("x"), TextBlock("y")]),
         Msg.user([TextBlock("x"), IMAGE])]  # fmt: skip
SEEN = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("string", ["x", "x", [part("x"), part("y")], [part("x"), SEEN]]),
        ("parts", [[part("x")], [part("x")], [part("x"), part("y")], [part("x"), SEEN]]),
        ("joined", ["x", "x", "x\ny", [part("x"), SEEN]]),
    ],
)
def test_text(text: str, contents: list[Any]) -> None:
    assert [m["content"] for m in said(*TEXTS, text=text)] == contents


def test_a_prompt_of_parts() -> None:
    prompts = [Msg.system("a"), Msg.system([TextBlock("b")])]
    assert [m["content"] for m in said(*prompts, system_parts=True)] == [[part("a")], "b"]
    assert said(prompts[1], system_parts=True)[0]["content"] == [part("b")]
    assert said(*prompts)[0]["content"] == "a"


@pytest.mark.parametrize(
    ("stance", "content"), [("null", {"content": None}), ("empty", {"content": ""}), ("omit", {})]
)
def test_what_stands_beside_calls(stance: str, content: dict[str, Any]) -> None:
    call = said(CALL, RESULT, call_content=stance)[0]
    assert {key: call[key] for key in call if key == "content"} == content
    assert call["tool_calls"][0]["id"] == "c"
    both = Msg.assistant([TextBlock("x"), *CALL.blocks])
    assert said(both, RESULT, call_content=stance)[0]["content"] == "x"


def test_results_of_several_texts() -> None:
    assert said(CALL, RESULT)[1]["content"] == [part("a"), part("b")]
    assert said(CALL, RESULT, bullets=True)[1]["content"] == "- a\n- b"
    assert said(CALL, RESULT, text="joined")[1]["content"] == "a\nb"


def test_names_on_results() -> None:
    assert "name" not in said(CALL, RESULT)[1]
    assert said(CALL, RESULT, result_name=True)[1]["name"] == "look"


def test_developers() -> None:
    assert said(Msg("", "Be.", "developer"))[0]["role"] == "developer"
    assert said(Msg("", "Be.", "developer"), developer=False)[0]["role"] == "system"


def test_thinking_fields() -> None:
    turn = Msg.assistant([ThinkingBlock("a"), ThinkingBlock("b"), TextBlock("x")])
    can = {"thinking": True}
    assert said(turn, can=can)[0] == {
        "role": "assistant", "content": "x", "reasoning_content": "a\nb",
    }  # fmt: skip
    both = said(turn, can=can, thinking_fields=("reasoning", "reasoning_details"))[0]
    assert (both["reasoning"], both["reasoning_details"]) == ("a\nb", "a\nb")
    assert "reasoning_content" not in said(Msg.assistant("x"), can=can)[0]


def request(req: ChatRequest, **switches: Any) -> Any:
    acme = Vendor("acme", wires={"openai-chat": replace(BASE, **switches)})
    return dragoman.wire(acme, policy="ignore").write_request(req)


def test_keys_paths_and_models() -> None:
    req = ChatRequest([Msg.user("x")], options=Options(max_tokens=5))
    out = request(req, max_tokens_key="max_tokens", path="/v2/chat", model="acme-1")
    assert (out.path, out.body["model"], out.body["max_tokens"]) == ("/v2/chat", "acme-1", 5)
    assert "max_completion_tokens" not in out.body


def test_issuers_are_read() -> None:
    req = ChatRequest(
        [Msg("", "x", extras={"acme": {"a": 1}, "openai-chat": {"b": 2}})],
        extras={"acme": {"c": 3}}, model="m",
    )  # fmt: skip
    out = request(req, reads_items_of=("acme",))
    assert out.body["messages"] == [{"role": "user", "content": "x", "a": 1}]
    assert out.body["c"] == 3
    assert [loss.where for loss in out.losses] == ["$.messages[0].extras.openai-chat.b"]


# tables of names and values, and what every room's dialect says
DATA = {"keys", "server_tools", "switches", "server_fields", "limits", "usual_tier", "fixed",
        "path", "model", "reads_items_of", "usage_field", "think_pairs"}  # fmt: skip


def test_there_are_few_switches() -> None:
    named = {field.name for field in fields(Dialect) if field.init}
    assert named >= DATA
    assert len(named - DATA) <= 16


@pytest.mark.parametrize(
    ("seat", "block"),
    [(USER, RESULT.blocks[0]), (TOOL, TextBlock("x")), (ASSISTANT, RESULT.blocks[0]),
     (USER, ImageBlock(LocalSource("a.png")))],
)  # fmt: skip
def test_what_no_pass_may_hand_to_a_writer_is_refused_there(seat: int, block: Any) -> None:
    """A bug of ours is named, never skipped."""
    room = OpenAIChat()
    with pytest.raises(WriteError) as caught:
        room.messages(RoledHistory([Msg("", [block, block])], [seat], unusual=[0]), CAN, Report())
    assert caught.value.code == "placement.unsupported"


def test_a_room_has_a_protocol_and_a_model() -> None:
    room = OpenAIChat()
    assert (room.protocol, room.model, room.dialect) == ("openai-chat", BASE.model, BASE)
    assert room.can().reads == {"openai-chat"}


def test_tools_and_choice_are_shared_with_nobody() -> None:
    schema = {"type": "object", "properties": {}}
    req = ChatRequest([Msg.user("x")], tools=[Tool("look", "", schema)],
                      tool_choice=ToolChoice("auto"))  # fmt: skip
    out = dragoman.wire("openai-chat", policy="ignore").write_request(req)
    out.body["tools"].clear()
    out.body["messages"].clear()
    assert getattr(req.tools[0], "schema", None) == {"type": "object", "properties": {}}


def test_a_key_for_an_option_that_there_is_not_is_refused() -> None:
    with pytest.raises(ConfigError, match="'hotness' is no option") as caught:
        Dialect(keys={"hotness": "hotness"})
    assert (caught.value.code, caught.value.path) == ("vendor.dialect", "$.keys")
