"""The six protocols of clients: what each asks and is answered, and how it is told of errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from dragoman import convert_stream
from tests.gateway.faults.streams import CHAT_EVENTS, WHOLE


@dataclass(frozen=True)
class Wire:
    """One protocol. `target` is a model of a provider who speaks it."""

    name: str
    target: str
    base: str  # behind the address of the provider
    body: Callable[[str, bool], dict[str, Any]]  # of a model, streamed or not
    path: Callable[[str, bool], str]
    framing: str = "sse"

    def __str__(self) -> str:
        return self.name

    @property
    def model(self) -> str:
        """What clients call the target."""
        return f"to-{self.name}"

    def request(self, model: str, stream: bool = True, text: str = "Hi") -> bytes:
        return json.dumps(self.body(model, stream)).replace('"Hi"', json.dumps(text)).encode()

    @property
    def events(self) -> list[bytes]:
        """A stream of this protocol that says Hello and calls a tool, event by event."""
        return _events(self.name)

    @property
    def whole(self) -> bytes:
        """A whole answer that says Hello."""
        return WHOLE[self.name]

    @property
    def error_event(self) -> bytes:
        """The event with which a provider tells in mid-stream that it has no capacity."""
        return ERRORS[self.name]


def _chat(model: str, stream: bool) -> dict[str, Any]:
    return {"model": model, "stream": stream, "messages": [{"role": "user", "content": "Hi"}]}


def _messages(model: str, stream: bool) -> dict[str, Any]:
    return {**_chat(model, stream), "max_tokens": 99}


def _responses(model: str, stream: bool) -> dict[str, Any]:
    return {"model": model, "stream": stream, "input": "Hi", "store": False}


def _gemini(model: str, stream: bool) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


def _interactions(model: str, stream: bool) -> dict[str, Any]:
    return {"model": model, "stream": stream, "input": "Hi"}


def _at(path: str) -> Callable[[str, bool], str]:
    return lambda model, stream: path


def _gemini_path(model: str, stream: bool) -> str:
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/{model}:{method}"


CHAT = Wire("openai-chat", "openai/openai-chat/up", "/v1", _chat, _at("/v1/chat/completions"))
RESPONSES = Wire("openai-responses", "openai/openai-responses/up", "/v1", _responses,
                 _at("/v1/responses"))  # fmt: skip
MESSAGES = Wire("anthropic", "anthropic/up", "", _messages, _at("/v1/messages"))
GEMINI = Wire("gemini", "gemini/up", "/v1beta", _gemini, _gemini_path)
INTERACTIONS = Wire("gemini-interactions", "gemini/gemini-interactions/up", "/v1beta",
                    _interactions, _at("/v1beta/interactions"))  # fmt: skip
OLLAMA = Wire("ollama", "ollama/up", "", _chat, _at("/api/chat"), "ndjson")
WIRES = (CHAT, RESPONSES, MESSAGES, GEMINI, INTERACTIONS, OLLAMA)
# each client with its own provider, and with one of another protocol
PAIRS = [
    *((wire, wire) for wire in WIRES),
    *((wire, CHAT if wire is not CHAT else MESSAGES) for wire in WIRES),
    (RESPONSES, MESSAGES), (MESSAGES, GEMINI), (CHAT, OLLAMA), (GEMINI, RESPONSES),
]  # fmt: skip


def named(pair: object) -> str:
    """The name of a test's parameters."""
    return " to ".join(map(str, pair)) if isinstance(pair, tuple) else str(pair)


def _data(value: Any, name: str = "") -> bytes:
    event = f"event: {name}\n" if name else ""
    return f"{event}data: {json.dumps(value)}\n\n".encode()


_BUSY = "the provider is busy"
ERRORS = {
    "openai-chat": _data({"error": {"message": _BUSY, "type": "server_error", "code": None}}),
    "openai-responses": _data(
        {"type": "error", "code": "server_error", "message": _BUSY, "param": None}, "error"
    ),
    "anthropic": _data(
        {"type": "error", "error": {"type": "overloaded_error", "message": _BUSY}}, "error"
    ),
    "gemini": _data({"error": {"code": 503, "message": _BUSY, "status": "UNAVAILABLE"}}),
    "gemini-interactions": _data(
        {"error": {"code": "unavailable", "message": _BUSY}, "event_type": "error"}, "error"
    ),
    "ollama": json.dumps({"error": _BUSY}).encode() + b"\n",
}


@cache
def _events(name: str) -> list[bytes]:
    made = convert_stream(CHAT_EVENTS, "openai-chat", name)
    if name == "ollama":
        return [event.data.encode() + b"\n" for event in made]
    return [
        (f"event: {event.event}\n" if event.event else "").encode()
        + b"data: " + event.data.encode() + b"\n\n"
        for event in made
    ]  # fmt: skip


# -- what a client sees ----------------------------------------------------------------------------


def payloads(wire: Wire, body: bytes) -> list[Any]:
    """The events of an answer as values; [DONE] stays text. Every one of them must be whole."""
    if wire.framing == "ndjson":
        assert body.endswith(b"\n") or not body
        return [json.loads(line) for line in body.splitlines()]
    found = []
    *blocks, last = body.decode().replace("\r\n", "\n").split("\n\n")
    if wire is GEMINI and last.strip():  # an error stands there by itself
        return [*payloads(wire, body[: -len(last.encode())]), json.loads(last)]
    assert not last.strip(), last
    for block in blocks:
        lines = [line[5:].strip() for line in block.split("\n") if line.startswith("data:")]
        if lines:
            text = "\n".join(lines)
            found.append(text if text == "[DONE]" else json.loads(text))
    return found


def _is_error(event: Any) -> bool:
    if not isinstance(event, dict):
        return False
    kind = event.get("type") or event.get("event_type")
    return kind in ("error", "response.failed") or bool(event.get("error"))


def _is_success(event: Any) -> bool:
    if not isinstance(event, dict):
        return bool(event == "[DONE]")
    ends = ("message_stop", "response.completed", "response.incomplete", "message_delta")
    if event.get("type") in ends:
        return True
    if event.get("event_type") == "interaction.completed" or event.get("done") is True:
        return True
    options = event.get("choices") or event.get("candidates") or ()
    return any(bool(one.get("finish_reason") or one.get("finishReason")) for one in options)


def errors(wire: Wire, body: bytes) -> list[Any]:
    """The events that tell of errors; the two in which Responses tells of one count as one."""
    found = [event for event in payloads(wire, body) if _is_error(event)]
    if wire is RESPONSES and len(found) > 1 and found[-1].get("type") == "response.failed":
        return found[1:]
    return found


def successes(wire: Wire, body: bytes) -> list[Any]:
    """The events that say that the answer is whole."""
    return [event for event in payloads(wire, body) if _is_success(event)]


def ends(wire: Wire, body: bytes) -> list[Any]:
    """The events that end it, well or not: a client that finds none waits, or calls it cut."""
    return errors(wire, body) or successes(wire, body)


def texts(wire: Wire, body: bytes) -> str:
    """All that was said, from the places where a protocol has pieces of text."""
    said = ""
    for event in payloads(wire, body):
        if not isinstance(event, dict):
            continue
        delta = event.get("delta")
        if event.get("type") == "response.output_text.delta":
            said += str(delta)
        elif isinstance(delta, dict):
            said += delta.get("text", "") or ""
        for choice in event.get("choices", ()):
            said += choice["delta"].get("content") or ""
        for candidate in event.get("candidates", ()):
            parts = candidate.get("content", {}).get("parts", ())
            said += "".join(part.get("text", "") for part in parts)
        said += event.get("message", {}).get("content", "") if "done" in event else ""
    return said


def error_of(wire: Wire, body: bytes) -> tuple[str, str]:
    """(message, type) of the body that stands in place of an answer, in the protocol's shape."""
    value = json.loads(body)
    if wire.name == "ollama":
        assert set(value) == {"error"}
        assert isinstance(value["error"], str)
        return value["error"], ""
    error = value["error"]
    assert isinstance(error["message"], str)
    if wire.name == "gemini":
        assert isinstance(error["code"], int)
        return error["message"], error["status"]
    if wire.name == "gemini-interactions":
        return error["message"], str(error["code"])
    if wire.name == "anthropic":
        assert value["type"] == "error"
    else:
        assert "code" in error
    assert isinstance(error["type"], str)
    return error["message"], error["type"]
