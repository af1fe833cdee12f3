"""A list that a formatter wrote, given to a model of another wire: recognised, and refused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

import dragoman.formatter
import dragoman.model
from dragoman import ConfigError, DragomanError, Formatter, Msg, matrix
from dragoman.model import ChatModel, FormatterMismatch, pair_model
from dragoman.model.shapes import find_protocols
from dragoman.testing import Scripted
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

IMAGE = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
CALL = {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 1}}
CALLS = [
    Msg.system("Be brief."),
    Msg.user("What is on it?"),
    Msg.assistant([CALL]),
    Msg.tool("c1", "A cat.", "look"),
    Msg.user("Which?"),
]
PICTURE = [
    Msg.user([{"type": "text", "text": "What is on it?"}, {"type": "image", "source": IMAGE}])
]
PLAIN = [Msg.user("What is on it?")]
MODELS = ("OpenAIChatModel", "AnthropicChatModel", "GeminiChatModel", "DashScopeChatModel",
          "DeepSeekChatModel", "OllamaChatModel")  # fmt: skip
FORMATTERS = tuple(name.replace("Model", "Formatter") for name in MODELS)


def model_of(name: str, script: Scripted) -> Any:
    kind = getattr(dragoman.model, name)
    key = {} if name == "OllamaChatModel" else {"api_key": "k"}
    return kind("model", stream=False, transport=script, **key)


def formatter_of(name: str) -> Any:
    return getattr(dragoman.formatter, name)(policy="ignore", fetch=None)


@each_case("messages", [CALLS, PICTURE])
@each_case("model_name", MODELS)
@each_case("formatter_name", FORMATTERS)
def test_all_36_pairs(formatter_name: str, model_name: str, messages: Sequence[Msg]) -> None:
    script = Scripted("Fine.", "Fine.")
    model, formatter = model_of(model_name, script), formatter_of(formatter_name)
    written = asyncio.run(formatter.format([*messages]))
    same = formatter.wire.room.protocol == model.wire.room.protocol
    if same:
        assert asyncio.run(model(written)).text == "Fine."
        return
    refused: FormatterMismatch | None = None
    answer: Any = None
    try:
        answer = asyncio.run(model(written))
    except FormatterMismatch as error:
        refused = error
    if refused is not None:
        assert type(model.formatter).__name__ in refused.hint
        assert "pair_model(formatter, model)" in refused.hint
        assert script.calls == []
    else:  # written the same on both wires: then nothing of it may be lost
        assert find_protocols(written) >= {model.wire.room.protocol}
        assert answer.losses == []
        read = formatter.wire.read_request({"messages": written}).messages
        sent = script.requests[0].messages
        assert [b.type for m in sent for b in m.blocks] == [b.type for m in read for b in m.blocks]
    try:
        other = pair_model(formatter, model)
    except FormatterMismatch:
        return
    assert asyncio.run(other(written)).text == "Fine."


@each_case("protocol", PROTOCOLS)
@each_case("messages", [CALLS, PICTURE, PLAIN])
def test_every_wire_knows_its_own(protocol: str, messages: Sequence[Msg]) -> None:
    written = Formatter(protocol, policy="ignore", fetch=None).format_sync([*messages])
    assert protocol in find_protocols(written)


def test_no_other_wire_takes_a_list_with_calls_for_its_own() -> None:
    taken = {}
    for protocol in PROTOCOLS:
        written = Formatter(protocol, policy="ignore").format_sync([*CALLS])
        taken[protocol] = find_protocols(written)
    for one in ("anthropic", "gemini", "bedrock-converse", "openai-responses", "ollama",
                "gemini-interactions", "dashscope"):  # fmt: skip
        assert taken[one] == {one}


def test_lists_of_two_wires_at_once_are_refused() -> None:
    mixed: list[Any] = [
        {"role": "user", "parts": [{"text": "Hi"}]}, {"role": "tool", "tool_call_id": "1"},
    ]  # fmt: skip
    model = ChatModel("openai", "gpt-4o", "k", transport=Scripted("Hi."))
    with pytest.raises(FormatterMismatch):
        model.request(mixed)


def test_messages_of_ours_are_pointed_to_the_formatter() -> None:
    model = ChatModel("openai", "gpt-4o", "k", transport=Scripted("Hi."))
    with pytest.raises(DragomanError, match="formatter"):
        model.request([Msg.user("Hi")])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("formatters", "models"), [(("X",), ("Y",)), (("OpenAIChatFormater",), None)]
)
def test_a_matrix_of_names_that_there_are_not(formatters: Any, models: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        matrix(formatters, models)
    assert caught.value.hint


def test_a_matrix_of_one_name_needs_no_tuple() -> None:
    [cell] = matrix("AnthropicChatFormatter", "OllamaChatModel")
    assert cell.works
