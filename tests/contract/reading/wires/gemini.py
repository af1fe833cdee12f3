"""Gemini: no SDK sums its streams; by hand: the parts of all chunks, neighbouring texts joined."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from dragoman.message import Usage
from tests.contract.reading.told import Fields

__all__ = ["assemble", "fields", "figures", "spent"]

_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\['([^']*)'\]")


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """One GenerateContentResponse: of what is no part, the last that was said holds."""
    body: dict[str, Any] = {}
    candidates: dict[int, dict[str, Any]] = {}
    for _, chunk in events:
        for nth, told in enumerate(chunk.get("candidates") or ()):
            one = candidates.setdefault(told.get("index", nth), {"parts": []})
            recited = _joined(one.get("citationMetadata"), told.get("citationMetadata"))
            one |= {key: value for key, value in told.items() if key != "content"} | recited
            content = told.get("content") or {}
            one["role"] = content.get("role", one.get("role"))
            for part in content.get("parts") or ():
                _add(one["parts"], part)
        body |= {key: value for key, value in chunk.items() if key != "candidates"}
    if candidates:
        body["candidates"] = [_closed(candidates[index]) for index in sorted(candidates)]
    return body


def _add(parts: list[Any], part: Any) -> None:
    last = parts[-1] if parts else None
    call = part.get("functionCall")
    if part.keys() <= {"text", "thought"} and part.get("text") == "":
        return  # says nothing; beside a signature it is kept
    if last is not None and _kind(part) and _kind(last) == _kind(part):
        parts[-1] = {**last, "text": last["text"] + part["text"]}
    elif call is not None and "name" not in call and last is not None and "open" in last:
        _grow(last, call)
    elif call is not None and "name" in call and "args" not in call:
        begun = {**part, "functionCall": {"name": call["name"], "args": {}}, "open": True}
        parts.append(begun)
        _grow(begun, call)
    elif part:
        parts.append(part)


def _joined(old: Any, new: Any) -> dict[str, Any]:
    """What was recited: each chunk brings more of it."""
    if new is None:
        return {}
    return {"citationMetadata": {key: [*(old or {}).get(key, ()), *new[key]] for key in new}}


def _kind(part: Any) -> Any:
    """Of a text that may go on: what it is; with a signature, or anything else, it stands alone."""
    plain = part.keys() <= {"text", "thought"} and "text" in part
    return plain and (bool(part.get("thought")),)


def _grow(part: Any, call: Any) -> None:
    """Put partial arguments where their path points; pieces of one text are joined."""
    for piece in call.get("partialArgs") or ():
        steps = [a or c or int(b) for a, b, c in _STEP.findall(piece["jsonPath"])]
        at = part["functionCall"]["args"]
        for step, then in pairwise(steps):
            at = _inside(at, step, [] if isinstance(then, int) else {})
        value = next(v for k, v in piece.items() if k.endswith("Value"))
        old = _inside(at, steps[-1], None)
        at[steps[-1]] = old + value if isinstance(old, str) else value


def _inside(at: Any, step: Any, fresh: Any) -> Any:
    if isinstance(at, list):
        at.extend([fresh] * (step + 1 - len(at)))
        return at[step]
    return at.setdefault(step, fresh)


def _closed(one: dict[str, Any]) -> Any:
    parts = [{k: v for k, v in part.items() if k != "open"} for part in one.pop("parts")]
    content = {"parts": parts, "role": one.pop("role")}
    return {**one, "content": {k: v for k, v in content.items() if v is not None}}


def fields(body: Any) -> Fields:
    """The fields of a response."""
    made: Fields = {"model": body.get("modelVersion"), "id": body.get("responseId")}
    blocked = (body.get("promptFeedback") or {}).get("blockReason")
    if blocked and not body.get("candidates"):
        made["0.finish"] = blocked
    for nth, one in enumerate(body.get("candidates") or ()):
        parts = (one.get("content") or {}).get("parts") or []
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        texts = [part for part in parts if "text" in part]
        made |= {
            f"{nth}.text": "".join(p["text"] for p in texts if not p.get("thought")),
            f"{nth}.thinking": "".join(p["text"] for p in texts if p.get("thought")),
            f"{nth}.refusal": "",
            f"{nth}.calls": [[call.get("id") or "", call["name"]] for call in calls],
            f"{nth}.arguments": [call.get("args") or {} for call in calls],
            f"{nth}.citations": _citations(one),
            f"{nth}.finish": str(one["finishReason"]) if "finishReason" in one else None,
        }
    return made


def _citations(one: Any) -> int:
    """How many sources support a segment, one where none is named; and what is recited, once."""
    grounds = one.get("groundingMetadata") or {}
    sources = len(grounds.get("groundingChunks") or ())
    supports = [
        s.get("groundingChunkIndices") or () for s in grounds.get("groundingSupports") or ()
    ]
    supported = sum(len([n for n in indices if n < sources]) or 1 for indices in supports)
    parts = (one.get("content") or {}).get("parts") or ()
    size = len("".join(p["text"] for p in parts if "text" in p and not p.get("thought")).encode())
    told = [c for listed in (one.get("citationMetadata") or {}).values() for c in listed]
    # of a span that is no part of the text only the source is left
    spans = [c["endIndex"] <= size and (c.get("startIndex"), c["endIndex"]) for c in told]
    recited = {(c.get("uri"), c.get("title"), at) for c, at in zip(told, spans, strict=True)}
    return supported + len(recited)


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usageMetadata")


def figures(usage: Usage) -> Any:
    """The neutral figures as Gemini says them: thoughts apart from the candidates."""
    written = None if usage.output is None else usage.output - (usage.reasoning or 0)
    tools = next(iter((usage.extras or {}).values()), {}).get("toolUsePromptTokenCount") or 0
    known = [n for n in (usage.input, usage.cache_read) if n is not None]
    return {
        "promptTokenCount": sum(known) - tools if known else None,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": written,
        "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": usage.total,
    }  # fmt: skip
