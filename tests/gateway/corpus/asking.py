"""What a client of each protocol asks, and how the bytes of its answers are cut into events."""

from __future__ import annotations

import json
from typing import Any

from dragoman.gateway.surfaces import ClientRequest

from .kinds import HOME

__all__ = ["Event", "ask", "asked_body", "events_of"]

Event = tuple[str | None, Any]
_SAID = "What is the weather in Samarkand?"
_CITY = {"type": "object", "properties": {"city": {"type": "string"}}}


def asked_body(protocol: str, stream: bool) -> dict[str, Any]:
    """A short request with one tool, for an answer whole or streamed."""
    user: dict[str, Any] = {"role": "user", "content": _SAID}
    tools: list[dict[str, Any]]
    function = {"name": "look", "description": "Looks.", "parameters": _CITY}
    match protocol:
        case "openai-chat":
            tools = [{"type": "function", "function": function}]
            return {"model": "m", "messages": [user], "tools": tools, "stream": stream}
        case "openai-responses":
            tools = [{"type": "function", "strict": False, **function}]
            return {"model": "m", "input": [user], "tools": tools, "stream": stream}
        case "anthropic":
            tools = [{"name": "look", "description": "Looks.", "input_schema": _CITY}]
            body = {"model": "m", "max_tokens": 999, "messages": [user], "tools": tools}
            return {**body, "stream": stream}
        case "gemini":
            return {"contents": [{"role": "user", "parts": [{"text": _SAID}]}],
                    "tools": [{"functionDeclarations": [function]}]}  # fmt: skip
        case "gemini-interactions":
            tools = [{"type": "function", **function}]
            return {"model": "m", "input": _SAID, "tools": tools, "stream": stream}
        case _:
            tools = [{"type": "function", "function": function}]
            return {"model": "m", "messages": [user], "tools": tools, "stream": stream}


def ask(protocol: str, *, stream: bool, query: str = "", choices: int = 1) -> ClientRequest:
    """A short request for so many choices, as one of HTTP."""
    method = "streamGenerateContent" if stream else "generateContent"
    path = HOME[protocol].format(model="m", method=method)
    if protocol == "gemini" and stream and not query:
        query = "alt=sse"
    fields = asked_body(protocol, stream)
    if choices > 1:
        asks = {"candidateCount": choices}
        fields |= {"generationConfig": asks} if protocol == "gemini" else {"n": choices}
    body = json.dumps(fields).encode()
    return ClientRequest("POST", path, query, {"content-type": "application/json"}, body)


def events_of(data: bytes, framing: str) -> list[Event]:
    """The events of a whole stream, by a reading of its own; raises ValueError for broken ones."""
    text = data.decode()
    if framing == "json-array":
        return [(None, value) for value in json.loads(text)]
    if framing == "ndjson":
        return [(None, json.loads(line)) for line in text.split("\n") if line.strip()]
    return [event for block in text.replace("\r\n", "\n").split("\n\n") for event in _sse(block)]


def _sse(block: str) -> list[Event]:
    if block.startswith("{"):  # Google's errors stand in a stream by themselves
        return [(None, json.loads(block))]
    name, lines = None, []
    for line in block.split("\n"):
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
    data = "\n".join(lines)
    if not lines:
        return []
    return [(name, data if data.startswith("[DONE]") else json.loads(data))]
