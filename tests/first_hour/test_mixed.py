"""Messages of ours, answers, and messages of every wire in one list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dragoman import LLM, DragomanError, Formatter, Msg, ReActAgent, wire
from dragoman.testing import Scripted
from dragoman.vendors import PROTOCOLS
from tests.transport.ways import KEY

IMAGE = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
TURN = [
    Msg.user([{"type": "text", "text": "What is on it?"}, {"type": "image", "source": IMAGE}]),
    Msg.assistant([{"type": "tool_use", "id": "c1", "name": "look", "input": {"at": 1}}]),
    Msg.tool("c1", "A cat.", "look"),
]


def asked(messages: Any, name: str = "openai/gpt-4o") -> list[Msg]:
    script = Scripted("Fine.")
    LLM(name, key=KEY, transport=script, policy="ignore").ask(messages)
    return script.requests[0].messages


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_dicts_of_every_wire_are_read(protocol: str) -> None:
    dicts = Formatter(protocol, policy="ignore").format_sync(TURN)
    messages = asked(dicts)
    kinds = [block.type for message in messages for block in message.blocks]
    assert kinds == [block.type for message in asked(TURN) for block in message.blocks]
    assert messages[0].text.startswith("What is on it?")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_list_that_mixes_ours_with_a_wire(protocol: str) -> None:
    dicts = Formatter(protocol, policy="ignore").format_sync(TURN)
    messages = asked([Msg.user("Hi"), Msg.assistant("Hello."), *dicts, Msg.assistant("A cat."),
                      *dicts[:1], Msg.user("And now?")])  # fmt: skip
    texts = [message.text for message in messages]
    assert texts[:2] == ["Hi", "Hello."]
    assert "And now?" in texts[-1]
    assert sum("What is on it?" in text for text in texts) == 2
    assert [call.name for message in messages for call in message.calls] == ["look"]


def test_an_answer_and_its_message_go_on() -> None:
    script = Scripted("Hello.", "Fine.", "Bye.")
    llm = LLM("openai/gpt-4o", key=KEY, transport=script)
    messages: list[Any] = [{"role": "user", "content": "Hi"}]
    messages.append(llm.ask(messages).msg)
    messages.append({"role": "user", "content": "How are you?"})
    messages.append(llm.ask(messages))
    messages.append({"role": "user", "content": "Bye."})
    llm.ask(messages)
    sent = json.loads(script.calls[-1].body)["messages"]
    texts = [message["content"] for message in sent]
    assert texts == ["Hi", "Hello.", "How are you?", "Fine.", "Bye."]


def test_the_objects_of_the_sdks() -> None:
    from anthropic.types import Message, TextBlock, Usage
    from openai.types.chat import ChatCompletionMessage

    of_openai = ChatCompletionMessage(role="assistant", content="Hello.")
    of_anthropic = Message(
        id="m", type="message", role="assistant", model="c", stop_reason="end_turn",
        content=[TextBlock(type="text", text="Hello.")],
        usage=Usage(input_tokens=1, output_tokens=1),
    )  # fmt: skip
    for answer in (of_openai, of_anthropic):
        question = {"role": "user", "content": "Hi"}
        messages = asked([question, answer, question])
        assert [message.text for message in messages] == ["Hi", "Hello.", "Hi"]
        assert messages[1].role == "assistant"


def test_an_agent_takes_the_same() -> None:
    script = Scripted("Fine.")
    agent = ReActAgent("Friday", None, LLM("openai/gpt-4o", key=KEY, transport=script))
    agent.run([Msg.user("Hi"), {"role": "assistant", "content": "Hello."},
               {"role": "user", "content": "How are you?"}])  # fmt: skip
    assert [message.text for message in script.requests[0].messages] == [
        "Hi", "Hello.", "How are you?",
    ]  # fmt: skip


@pytest.mark.parametrize("item", [5, None, ("user", "Hi"), b"Hi", object(), [Msg.user("Hi")]])
def test_what_is_no_message_is_named_by_its_path(item: Any) -> None:
    with pytest.raises(DragomanError) as caught:
        asked([Msg.user("Hi"), item])
    assert caught.value.path == "$.messages[1]"
    assert caught.value.hint


def test_a_formatter_says_who_reads_dicts() -> None:
    with pytest.raises(DragomanError, match="read_request"):
        Formatter("openai").format_sync([{"role": "user", "content": "Hi"}])  # type: ignore[list-item]
    assert wire("openai").read_request({"messages": [{"role": "user", "content": "Hi"}]}).messages
