"""What our wires write is understood by servers that nobody here wrote, and their answers are read.

Whole and as streams: a sentence, a tool call, and the sentence behind the tool's result.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator

import pytest

import dragoman
from dragoman import ChatRequest, ChatResponse, Msg, Tool
from dragoman.message import TextBlock, ToolResultBlock, Written
from tests.servers.real import SENTENCE

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WARMTH = Tool("warmth", "How warm it is.", CITY)
QUESTION = Msg("Tony", "How warm is it in Samarkand?", "user")

LLAMACPP = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": ""}
AIMOCK = {
    **LLAMACPP,
    "gemini": "/v1beta",
    "gemini-interactions": "/v1beta",
    "ollama": "",
    "mistral": "/v1",
    "bedrock-converse": "",
    "cohere": "/v2",
}


def chunks(base: str, written: Written) -> Iterator[bytes]:
    """The bytes of the answer to what was written."""
    headers = {"content-type": "application/json", "authorization": "Bearer x", **written.headers}
    data = json.dumps(written.body).encode()
    request = urllib.request.Request(base + written.path, data, headers, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        while chunk := answer.read1(65536):
            yield chunk


def asked(base: str, name: str, req: ChatRequest) -> ChatResponse:
    wire = dragoman.wire(name, policy="ignore")
    written = wire.write_request(req)
    if not req.stream:
        return wire.read_response(b"".join(chunks(base, written)), request=written)
    stream = wire.read_stream(chunks(base, written), request=written)
    assert len(list(stream)) > 1
    return stream.response


def judge(base: str, name: str, stream: bool) -> None:
    said = asked(base, name, ChatRequest([QUESTION], stream=stream))
    assert said.text == SENTENCE
    assert said.status == "complete"
    assert said.finish.reason == "stop"

    called = asked(base, name, ChatRequest([QUESTION], tools=[WARMTH], stream=stream))
    assert [(call.name, call.input) for call in called.calls] == [("warmth", {"city": "Samarkand"})]
    assert called.finish.reason == "tool_calls"

    result = ToolResultBlock(called.calls[0].id, "warmth", [TextBlock("31 degrees")])
    history = [QUESTION, called.msg, Msg("warmth", [result], "tool")]
    done = asked(base, name, ChatRequest(history, tools=[WARMTH], stream=stream))
    assert done.text == SENTENCE
    assert not done.calls


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", LLAMACPP)
def test_llamacpp_answers_what_we_write(llamacpp_server: str, name: str, stream: bool) -> None:
    judge(llamacpp_server + LLAMACPP[name], name, stream)


# aimock streams Interactions unless a body says `false`; Google's default is a whole answer
@pytest.mark.parametrize(
    ("name", "stream"),
    [(name, s) for name in AIMOCK for s in (False, True) if s or name != "gemini-interactions"],
)
def test_aimock_answers_what_we_write(aimock_server: str, name: str, stream: bool) -> None:
    judge(aimock_server + AIMOCK[name], name, stream)
