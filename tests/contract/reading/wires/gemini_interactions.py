"""Interactions of Gemini: no SDK sums its streams; by hand, each step by its index."""

from __future__ import annotations

import json
from typing import Any

from dragoman.message import Usage
from tests.contract.reading.told import Fields, value_of

__all__ = ["assemble", "fields", "figures", "spent"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """One interaction."""
    body: dict[str, Any] = {"steps": []}
    steps = body["steps"]
    for _, event in events:
        if not isinstance(event, dict):
            continue
        match event["event_type"]:
            case "interaction.created":
                body = {**event["interaction"], **body}
            case "step.start":
                steps.append(json.loads(json.dumps(event["step"])))
            case "step.delta":
                _grow(steps[event["index"]], event["delta"])
            case "interaction.completed":
                body |= event["interaction"]
            case _:
                pass
    for step in steps:
        if isinstance(step.get("arguments"), str):
            step["arguments"] = json.loads(step["arguments"])
    return body


def _grow(step: dict[str, Any], delta: dict[str, Any]) -> None:
    match delta["type"]:
        case "text":
            _add_text(step.setdefault("content", []), delta)
        case "text_annotation_delta":
            step["content"][-1].setdefault("annotations", []).extend(delta["annotations"])
        case "thought_summary":
            _add_text(step.setdefault("summary", []), delta["content"])
        case "thought_signature":
            step["signature"] = step.get("signature", "") + delta["signature"]
        case "arguments_delta":
            step["arguments"] = (step["arguments"] or "") + delta["arguments"]
        case kind if kind in ("image", "audio", "video", "document"):
            step.setdefault("content", []).append(dict(delta))
        case _:
            step |= delta


def _add_text(contents: list[Any], text: dict[str, Any]) -> None:
    """A text goes on if it is the last one: nothing tells where another would begin."""
    if contents and contents[-1]["type"] == "text":
        contents[-1]["text"] += text["text"]
    else:
        contents.append(dict(text))


def fields(body: Any) -> Fields:
    """The fields of an answer."""
    steps = body.get("steps") or []
    parts = [part for step in steps for part in step.get("content") or []]
    texts = [part for part in parts if part["type"] == "text"]
    thoughts = [part.get("text", "") for step in steps for part in step.get("summary") or []]
    calls = [step for step in steps if step["type"] == "function_call"]
    signed = [step for step in steps if step["type"] == "thought" and step.get("signature")]
    told = {
        "text": "".join(part["text"] for part in texts),
        "thinking": "".join(thoughts),
        "signatures": [step["signature"] for step in signed],
        "refusal": "",
        "calls": [[call["id"], call["name"]] for call in calls],
        "arguments": [value_of(call["arguments"]) for call in calls],
        "citations": sum(len(part.get("annotations") or []) for part in texts),
        "finish": body.get("status"),
    }
    named = {"model": body.get("model"), "id": body.get("id")}
    return {**named, **{f"0.{key}": value for key, value in told.items()}}


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usage") or {}


def figures(usage: Usage) -> Any:
    """The neutral figures as Interactions count them: thoughts beside the output."""
    own = (usage.extras or {}).get("gemini-interactions", {})
    known = [n for n in (usage.input, usage.cache_read) if n is not None]
    thoughts, output = usage.reasoning, usage.output
    return {
        "total_input_tokens": sum(known) - own.get("total_tool_use_tokens", 0) if known else None,
        "total_cached_tokens": usage.cache_read,
        "total_output_tokens": None if output is None else output - (thoughts or 0),
        "total_thought_tokens": thoughts,
        "total_tokens": usage.total,
    }
