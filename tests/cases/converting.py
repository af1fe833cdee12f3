"""What the cases of converting share: a body of one wire as another takes it, and its losses."""

from __future__ import annotations

import copy
from typing import Any

import dragoman
from tests.laws.judging import request_faults

MODELS = {
    "openai-chat": "gpt-4.1",
    "openai-responses": "gpt-5.5",
    "anthropic": "claude-opus-5-5",
    "gemini": "gemini-3.5-flash",
    "dashscope": "qwen-max",
    "ollama": "qwen3",
    "bedrock-converse": "anthropic.claude-opus-5-5-v1:0",
    "mistral": "mistral-large-latest",
}
Losses = list[tuple[str, str]]


def converted(
    source: str, target: str, body: dict[str, Any], model: str | None = None, **more: Any
) -> tuple[dict[str, Any], Losses]:
    """(body, [(code, where)]): judged as the target's provider would, the source left as it was."""
    before = copy.deepcopy(body)
    model = model or MODELS.get(target) or dragoman.wire(target).room.model
    out = dragoman.convert(body, source, target, model=model, policy="ignore", **more)
    assert body == before
    assert request_faults(dragoman.wire(target), out) == []
    losses = [(loss.code, loss.where) for loss in out.losses if loss.code not in _QUIET]
    return out.body, losses


# said in many conversions, and in no case the point
_QUIET = {"max_tokens.default"}


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request of Chat Completions."""
    return {"model": "gpt-5.5", "messages": list(messages), **more}


def claude(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request of Anthropic Messages."""
    return {"model": "claude-opus-5-5", "max_tokens": 100, "messages": list(messages), **more}


def gemini(*contents: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request of generateContent."""
    return {"contents": list(contents), **more}


def responses(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request of Responses."""
    return {"model": "gpt-5.5", "input": list(items), **more}


def converse(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request of Bedrock Converse."""
    return {"messages": list(messages), **more}


HI = {"role": "user", "content": "Hi"}


def calls(*given: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    """An assistant's message of Chat with calls: (id, name, argument text)."""
    made = [{"id": id, "type": "function", "function": {"name": name, "arguments": text}}
            for id, name, text in given]  # fmt: skip
    return {"role": "assistant", "content": None, "tool_calls": made, **more}


def result(id: str = "call_1", content: Any = "seen", **more: Any) -> dict[str, Any]:
    """A tool's message of Chat."""
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


def function(name: str = "look", schema: Any = None, **more: Any) -> dict[str, Any]:
    """A tool of Chat."""
    declared = {"name": name, "description": "looks", "parameters": schema or OBJECT, **more}
    return {"type": "function", "function": declared}


OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
