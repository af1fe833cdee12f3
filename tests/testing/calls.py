"""Calls as a chat model makes them: what a wire writes, as bytes for a transport."""

from __future__ import annotations

import json
from typing import Any

import dragoman
from dragoman import ChatRequest, Msg, Tool, Wire
from dragoman.message import Written
from dragoman.transport.call import HttpCall

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WARMTH = Tool("warmth", "How warm it is.", CITY)
CALL = {"type": "tool_use", "id": "call_1", "name": "warmth", "input": {"city": "Samarkand"}}
HOME = "https://api.test/v2"  # Cohere is known by this path, the others by what follows


def asked(stream: bool = False, text: str = "How warm is it?", **fields: Any) -> ChatRequest:
    return ChatRequest([Msg("Tony", text, "user")], stream=stream, **fields)


def written(name: str, req: ChatRequest) -> tuple[Wire, Written]:
    wire = dragoman.wire(name, policy="ignore")
    return wire, wire.write_request(req)


def call_of(out: Written, base: str = HOME, **headers: str) -> HttpCall:
    return HttpCall(
        "POST", base + out.path, {"content-type": "application/json", **out.headers, **headers},
        json.dumps(out.body).encode(),
    )  # fmt: skip
