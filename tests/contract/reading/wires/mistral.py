"""Mistral: no SDK sums its streams; by hand, choice by choice."""

from __future__ import annotations

from typing import Any

from dragoman.message import Usage
from tests.contract.reading.told import Fields, value_of

__all__ = ["assemble", "fields", "figures", "spent"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """One chat completion."""
    body: dict[str, Any] = {}
    choices: dict[int, dict[str, Any]] = {}
    for _, chunk in events:
        if not isinstance(chunk, dict):
            continue
        for told in chunk.get("choices") or ():
            one = choices.setdefault(told["index"], {"message": {"role": "assistant"}})
            one |= {key: value for key, value in told.items() if key != "delta"}
            _grow(one["message"], told.get("delta") or {})
        body |= {k: v for k, v in chunk.items() if k not in ("choices", "p", "object")}
    body["choices"] = [choices[index] for index in sorted(choices)]
    return {"object": "chat.completion", **body}


def _grow(message: dict[str, Any], delta: Any) -> None:
    content = delta.get("content")
    if isinstance(content, list) or isinstance(message.get("content"), list):
        # a chunk list: from now on texts are chunks as well
        parts = message.get("content") or []
        message["content"] = _parts(parts) if isinstance(parts, list) else _parts(_chunks(parts))
        for part in _chunks(content):
            _put(message["content"], part)
    elif content is not None:
        message["content"] = (message.get("content") or "") + content
    for call in delta.get("tool_calls") or ():
        _call(message.setdefault("tool_calls", []), call)


def _parts(parts: Any) -> list[Any]:
    return list(parts)


def _chunks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())


def _put(parts: list[Any], part: Any) -> None:
    last = parts[-1] if parts else {}
    if part["type"] == last.get("type") == "text":
        parts[-1] = {**last, "text": last["text"] + part["text"]}
    elif part["type"] == last.get("type") == "thinking":
        said = [*last["thinking"], *part["thinking"]]
        if all(one.get("type") == "text" for one in said):
            said = [{"type": "text", "text": "".join(one["text"] for one in said)}]
        parts[-1] = {**last, **part, "thinking": said}
    else:
        parts.append(part)


def _call(calls: list[Any], told: Any) -> None:
    known = [c for c in calls if told.get("id") in (None, "", "null", c.get("id"))
             and c.get("index") == told.get("index")]  # fmt: skip
    if not known or not calls:
        calls.append({**told, "function": dict(told["function"])})
        return
    function, more = known[-1]["function"], told["function"]
    function["name"] = function.get("name") or more.get("name")
    function["arguments"] = (function.get("arguments") or "") + (more.get("arguments") or "")


def fields(body: Any) -> Fields:
    """The fields of a completion."""
    made: Fields = {"model": body.get("model"), "id": body.get("id")}
    for nth, choice in enumerate(body.get("choices") or ()):
        message = choice.get("message") or {}
        parts = _chunks(message.get("content"))
        calls = message.get("tool_calls") or []
        thoughts = [one for p in parts if p["type"] == "thinking" for one in p["thinking"]]
        made |= {
            f"{nth}.text": "".join(p["text"] for p in parts if p["type"] == "text"),
            f"{nth}.thinking": "".join(one.get("text") or "" for one in thoughts),
            f"{nth}.refusal": "",
            f"{nth}.calls": [[c.get("id") or "", c["function"]["name"]] for c in calls],
            f"{nth}.arguments": [value_of(c["function"].get("arguments")) for c in calls],
            f"{nth}.finish": choice.get("finish_reason"),
        }
    return made


def spent(body: Any) -> Any:
    """The token figures of a whole answer; older models tell of the cache elsewhere."""
    usage = body.get("usage") or {}
    if "num_cached_tokens" in usage:
        return {**usage, "prompt_tokens_details": {"cached_tokens": usage["num_cached_tokens"]}}
    return usage


def figures(usage: Usage) -> Any:
    """The neutral figures as Mistral says them: sound stands beside the prompt."""
    known = [n for n in (usage.input, usage.cache_read) if n is not None]
    return {
        "prompt_tokens": sum(known) - (usage.audio_in or 0) if known else None,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read,
                                  "audio_tokens": usage.audio_in},
    }  # fmt: skip
