"""A formatter, or a model, of somebody's own in an agent: read by whoever knows how."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ConfigError, DragomanError, Msg, ReActAgent
from dragoman.formatter import FormatterBase, OpenAIChatFormatter
from dragoman.model import AnthropicChatModel, ChatModelBase, OpenAIChatModel
from dragoman.testing import Scripted

ANSWERS: dict[str, Any] = {
    "openai-chat": {"choices": [{"message": {"role": "assistant", "content": "Fine."},
                                 "finish_reason": "stop"}]},
    "anthropic": {"role": "assistant", "type": "message", "stop_reason": "end_turn",
                  "content": [{"type": "text", "text": "Fine."}]},
    "gemini": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Fine."}]},
                               "finishReason": "STOP"}]},
}  # fmt: skip


class OwnFormatter(FormatterBase):
    """Writes Chat Completions, and says no word of answers."""

    async def format(self, msgs: list[Msg], **kwargs: Any) -> list[dict[str, Any]]:
        return [{"role": m.role, "content": f"<{m.text}>"} for m in msgs]


class Parsing(OwnFormatter):
    """The same, which reads answers in its own way."""

    def parse_response(self, raw: Any, tools: Any = None, request: Any = None) -> Msg:
        return Msg.assistant("Parsed.")


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("kind", [OpenAIChatModel, AnthropicChatModel])
def test_a_formatter_without_a_wire_is_read_with_the_models(kind: Any, streams: bool) -> None:
    script = Scripted("Fine.")
    model = kind("m", "k", stream=streams, transport=script)
    reply = ReActAgent("Friday", "Be brief.", model, OwnFormatter()).run("Hi")
    assert reply.msg is not None
    assert (reply.msg.text, reply.finish) == ("Fine.", "done")
    assert b"<Hi>" in bytes(script.calls[0].body)


def test_a_formatter_that_reads_answers_itself() -> None:
    model = OpenAIChatModel("m", "k", stream=False, transport=Scripted("Fine."))
    reply = ReActAgent("Friday", None, model, Parsing()).run("Hi")
    assert reply.msg is not None
    assert reply.msg.text == "Parsed."


def own_model(wire: str, answer: Any) -> ChatModelBase:
    class Own(ChatModelBase):
        wire_name = wire

        async def __call__(self, messages: Any, *args: Any, **options: Any) -> Any:
            return answer

    return Own("m")


@pytest.mark.parametrize("wire", ANSWERS)
def test_a_model_that_gives_the_raw_answer(wire: str) -> None:
    model = own_model(wire, ANSWERS[wire])
    agents = [ReActAgent("Friday", None, model)]
    if wire == "openai-chat":
        agents.append(ReActAgent("Friday", None, model, OpenAIChatFormatter()))
        agents.append(ReActAgent("Friday", None, model, OwnFormatter()))
    for agent in agents:
        reply = agent.run("Hi")
        assert reply.msg is not None
        assert (reply.msg.text, reply.finish) == ("Fine.", "done")


def test_the_object_of_an_sdk() -> None:
    from openai.types.chat import ChatCompletion

    raw = ChatCompletion.model_validate(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
         "choices": [{"index": 0, **ANSWERS["openai-chat"]["choices"][0]}]}
    )  # fmt: skip
    reply = ReActAgent("Friday", None, own_model("openai-chat", raw)).run("Hi")
    assert reply.msg is not None
    assert reply.msg.text == "Fine."


def test_what_is_no_formatter_is_refused_when_the_agent_is_made() -> None:
    script = Scripted("Fine.")
    model = OpenAIChatModel("m", "k", stream=False, transport=script)
    with pytest.raises(ConfigError):
        ReActAgent("Friday", None, model, object())
    with pytest.raises(DragomanError):
        ReActAgent("Friday", None, own_model("", {}))  # names no wire, and has no formatter
    assert script.calls == []
