"""Where each wire has the elements of a conversation: in its requests and in its answers."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tests.contract.reading.recorded import Exchange

__all__ = ["answered", "elements"]

_LISTS = {
    "openai-responses": ("input",), "gemini": ("contents",), "dashscope": ("input", "messages"),
    "gemini-interactions": ("input",),
}  # fmt: skip

_CONTENTS = ("text", "image", "audio", "video", "document")  # of one turn of the user's


def elements(wire: str, body: Any) -> list[Any] | None:
    """The elements of a request; None where they are no list, or are all parts of one."""
    for key in _LISTS.get(wire, ("messages",)):
        body = body.get(key) if isinstance(body, dict) else None
    if not isinstance(body, list):
        return None
    parts = wire == "gemini-interactions" and any(i.get("type") in _CONTENTS for i in body)
    return None if parts else body


def answered(wire: str, exchange: Exchange) -> list[Any]:
    """The elements of an answer; a stream's are those of somebody else's sum of it.

    Raises what the accumulator raises for events that it does not take.
    """
    body = exchange.body
    if exchange.events is not None:
        judge = import_module(f"tests.contract.reading.wires.{wire.replace('-', '_')}")
        body = judge.assemble(exchange.events)
    if wire == "openai-responses":
        return list(body["output"])
    if wire == "gemini-interactions":
        return list(body["steps"])
    if wire == "anthropic":
        return [{"role": body["role"], "content": body["content"]}]
    if wire == "gemini":
        return [body["candidates"][0]["content"]]
    if wire == "bedrock-converse":
        return [body["output"]["message"]]
    if wire in ("ollama", "cohere"):
        return [body["message"]]
    choices = body["output"]["choices"] if wire == "dashscope" else body["choices"]
    return [{**choices[0]["message"], "role": "assistant"}]  # each piece may bring the role
