"""DashScope: by hand; pieces if they were asked for, else each event holds all so far."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from dragoman.message import Usage
from tests.contract.reading.told import Fields, value_of

__all__ = ["assemble", "fields", "figures", "spent"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """One answer. Whether events are pieces shows in their texts: a snapshot begins as the last."""
    bodies = [payload for _, payload in events if isinstance(payload, dict) and "output" in payload]
    if not bodies:
        raise ValueError("no answer was begun")
    return bodies[-1] if _snapshots(bodies) else _summed(bodies)


def _snapshots(bodies: list[Any]) -> bool:
    said = [_said(body) for body in bodies]
    pairs = list(pairwise(said))
    return len(pairs) > 1 and all(one and two.startswith(one) for one, two in pairs)


def _said(body: Any) -> str:
    output = body["output"]
    message = _message(output)
    return str(output.get("text") or message.get("content") or "")


def _message(output: Any) -> Any:
    choices = output.get("choices") or [{}]
    return choices[0].get("message") or {}


def _summed(bodies: list[Any]) -> Any:
    made: dict[str, Any] = {**bodies[-1]}
    if "text" in bodies[0]["output"]:
        text = "".join(body["output"]["text"] for body in bodies)
        return made | {"output": {**bodies[-1]["output"], "text": text}}
    message: dict[str, Any] = {"role": "assistant"}
    last: dict[str, Any] = {}
    for body in bodies:
        for choice in body["output"].get("choices") or ():
            last = {**last, **choice}
            _grow(message, choice.get("message") or {})
    return made | {"output": {"choices": [{**last, "message": message}]}}


def _grow(message: dict[str, Any], told: Any) -> None:
    for name in ("content", "reasoning_content"):
        if isinstance(told.get(name), str):
            message[name] = message.get(name, "") + told[name]
    calls = message.setdefault("tool_calls", []) if told.get("tool_calls") else []
    for call in told.get("tool_calls") or ():
        known = [one for one in calls if one["index"] == call["index"]]
        if not known:
            calls.append({**call, "function": dict(call["function"])})
            continue
        function, more = known[0]["function"], call["function"]
        function["name"] = function.get("name") or more.get("name")
        function["arguments"] = (function.get("arguments") or "") + (more.get("arguments") or "")


def fields(body: Any) -> Fields:
    """The fields of an answer."""
    output = body.get("output") or {}
    choices = output.get("choices") or [output]
    made: Fields = {"id": body.get("request_id")}
    for nth, choice in enumerate(choices):
        message = choice.get("message") or {"content": choice.get("text")}
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "".join(part.get("text") or "" for part in content)
        calls = message.get("tool_calls") or []
        made |= {
            f"{nth}.text": content,
            f"{nth}.thinking": message.get("reasoning_content") or "",
            f"{nth}.refusal": "",
            f"{nth}.calls": [[call["id"], call["function"]["name"]] for call in calls],
            f"{nth}.arguments": [value_of(call["function"].get("arguments")) for call in calls],
            f"{nth}.finish": choice.get("finish_reason"),
        }
    return made


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usage")


def figures(usage: Usage) -> Any:
    """The neutral figures as DashScope says them."""
    known = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
    return {
        "input_tokens": sum(known) if known else None,
        "output_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
