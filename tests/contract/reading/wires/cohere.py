"""Cohere: no SDK sums its streams; by hand, each kind of thing by its own index."""

from __future__ import annotations

from typing import Any

from dragoman.message import Usage
from tests.contract.reading.told import Fields, value_of

__all__ = ["assemble", "fields", "figures", "spent"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """One answer of the chat."""
    body: dict[str, Any] = {"message": {"role": "assistant"}}
    message = body["message"]
    for _, event in events:
        if not isinstance(event, dict):
            continue
        delta = event.get("delta") or {}
        told = delta.get("message") or {}
        match event["type"]:
            case "message-start":
                body["id"] = event["id"]
            case "content-start":
                message.setdefault("content", []).append(dict(told["content"]))
            case "content-delta":
                for key, text in told["content"].items():
                    message["content"][event["index"]][key] += text
            case "tool-plan-delta":
                message["tool_plan"] = message.get("tool_plan", "") + told["tool_plan"]
            case "tool-call-start":
                call = told["tool_calls"]
                message.setdefault("tool_calls", []).append(
                    {**call, "function": dict(call["function"])}
                )
            case "tool-call-delta":
                function = message["tool_calls"][event["index"]]["function"]
                function["arguments"] += told["tool_calls"]["function"]["arguments"]
            case "citation-start":
                message.setdefault("citations", []).append(told["citations"])
            case "message-end":
                body |= delta
            case _:
                pass
    return body


def fields(body: Any) -> Fields:
    """The fields of an answer."""
    message = body.get("message") or {}
    parts, calls = message.get("content") or [], message.get("tool_calls") or []
    texts = [one["text"] for one in parts if one["type"] == "text"]
    thoughts = [one["thinking"] for one in parts if one["type"] == "thinking"]
    told = {
        "text": "".join([*texts, message.get("tool_plan") or ""]),
        "thinking": "".join(thoughts),
        "refusal": "",
        "calls": [[call.get("id") or "", call["function"]["name"]] for call in calls],
        "arguments": [value_of(call["function"].get("arguments")) for call in calls],
        "citations": len(message.get("citations") or []),
        "finish": body.get("finish_reason"),
    }
    return {"model": None, "id": body.get("id"), **{f"0.{k}": v for k, v in told.items()}}


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usage") or {}


def figures(usage: Usage) -> Any:
    """The neutral figures as Cohere counts them: the cache inside of the input, images beside."""
    own = (usage.extras or {}).get("cohere", {})
    images = own.get("tokens", {}).get("image_tokens", 0)
    known = [n for n in (usage.input, usage.cache_read) if n is not None]
    tokens = {
        "input_tokens": sum(known) - images if known else None,
        "output_tokens": usage.output,
        "reasoning_tokens": usage.reasoning,
    }
    return {"tokens": tokens, "cached_tokens": usage.cache_read}
