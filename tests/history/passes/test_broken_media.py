"""Bytes that a tool gave and nobody can read: a loss in each turn, and never an error."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from dragoman import LLM, ChatRequest, Msg, WriteError, wire, wires
from dragoman.message.media_urls import is_base64
from dragoman.testing import Scripted

LATIN = base64.b64encode("h\xe9llo, w\xf6rld".encode("latin-1")).decode()
UTF16 = base64.b64encode("hello".encode("utf-16")).decode()
SOUND = base64.b64encode(b"hello, world").decode()


def history(kind: str, media_type: str, data: str, role: str = "tool") -> list[Msg]:
    medium = {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}
    if role == "user":
        return [
            Msg("Tony", [{"type": "text", "text": "Sum it up."}, medium], "user"),
            Msg("Friday", "Yes.", "assistant"),
            Msg.user("So?"),
        ]
    call: Any = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
    return [
        Msg.user("What is there?"),
        Msg("Friday", [call], "assistant"),
        Msg("system", [{"type": "tool_result", "id": "1", "name": "look", "output": [medium]}],
            "system"),
        Msg("Friday", "I see.", "assistant"),
        Msg.user("Go on."),
    ]  # fmt: skip


@pytest.mark.parametrize("name", wires())
@pytest.mark.parametrize(
    ("kind", "media_type", "data"),
    [
        ("document", "text/plain", LATIN), ("document", "text/csv", UTF16),
        ("document", "text/plain", "%%%"), ("image", "image/png", "no base64"),
        ("image", "image/png", "iVBORw0KGg="), ("audio", "audio/wav", "UklG-_=="),
        ("document", "application/pdf", "JVBERi0\N{BULLET}"),
    ],
)  # fmt: skip
def test_a_result_nobody_can_read_spoils_no_later_turn(
    name: str, kind: str, media_type: str, data: str
) -> None:
    target = wire(name, policy="ignore")
    out = target.write_request(ChatRequest(history(kind, media_type, data)))
    sound = {"image": "iVBORw0KGgo=", "audio": "UklGRg==", "document": SOUND}[kind]
    usual = target.write_request(ChatRequest(history(kind, media_type, sound)))
    if not is_base64(data):
        assert data not in str(out.body)
    if sound in str(usual.body) and not is_base64(data):
        assert [loss.where for loss in out.losses if loss.code == "media.broken"]


def test_a_text_in_another_encoding_is_a_loss_that_says_so() -> None:
    out = wire("anthropic", policy="ignore").write_request(
        ChatRequest(history("document", "text/plain", LATIN))
    )
    (loss,) = [loss for loss in out.losses if loss.code == "media.broken"]
    assert loss.where == "$.messages[2].content[0].output[0].source"
    assert "UTF-8" in loss.meaning
    assert "UTF-8" in loss.fix


def test_of_a_user_the_newest_is_an_error_and_an_older_one_a_loss() -> None:
    target = wire("anthropic", policy="ignore")
    msgs = history("document", "text/plain", LATIN, "user")
    assert "media.broken" in {loss.code for loss in target.write_request(ChatRequest(msgs)).losses}
    llm = LLM("anthropic/claude-opus-5-5", transport=Scripted("It is."), key="none")
    assert llm.ask(msgs).text == "It is."
    with pytest.raises(WriteError) as raised:
        llm.ask(msgs[:1])
    assert raised.value.code == "media.broken"


@pytest.mark.parametrize("data", ["", "aGk=", "aGkh", "aA==", "////", "+++=", "A" * 10**6])
def test_what_is_base64(data: str) -> None:
    assert is_base64(data)


@pytest.mark.parametrize("data", ["aGk", "a", "=", "====", "a===", "aG=k", "a-k_", "aGk\n", "é==="])
def test_what_is_none(data: str) -> None:
    assert not is_base64(data)
