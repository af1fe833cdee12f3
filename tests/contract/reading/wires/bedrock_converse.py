"""Bedrock Converse: by hand; blocks by their index, each closed by its own event."""

from __future__ import annotations

import json
from typing import Any

from dragoman.message import Usage
from tests.contract.reading.told import Fields

__all__ = ["assemble", "fields", "figures", "spent"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """One ConverseResponse."""
    body: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    message: dict[str, Any] = {}
    for name, payload in events:
        kind, told = _opened(name, payload)
        if kind == "messageStart":
            message["role"] = told["role"]
        elif kind in ("contentBlockStart", "contentBlockDelta"):
            block = blocks.setdefault(told["contentBlockIndex"], {})
            _grow(block, told.get("start") or told.get("delta") or {})
        elif kind in ("messageStop", "metadata"):
            body |= {key: value for key, value in told.items() if key != "p"}
    message["content"] = [_closed(blocks[index]) for index in sorted(blocks)]
    return {"output": {"message": message}, **body}


def _opened(name: str | None, payload: Any) -> tuple[str | None, Any]:
    """(kind, fields), whether the kind names the event or wraps its fields."""
    if name is not None or not isinstance(payload, dict):
        return name, payload
    return next(((key, value) for key, value in payload.items() if isinstance(value, dict)),
                (None, {}))  # fmt: skip


def _grow(block: dict[str, Any], told: Any) -> None:
    for key, value in told.items():
        if key == "text":
            block["text"] = block.get("text", "") + value
        elif key == "toolUse":
            call = block.setdefault("toolUse", {"input": ""})
            call |= {k: v for k, v in value.items() if k != "input"}
            call["input"] += value.get("input") or ""
        elif key == "reasoningContent":
            thought = block.setdefault("reasoningContent", {})
            for name, part in value.items():
                thought[name] = thought.get(name, "") + part
        elif key == "citation":
            block.setdefault("citations", []).append(value)
        elif key == "toolResult" and isinstance(value, list):
            block["toolResult"].setdefault("content", []).extend(value)
        else:
            block[key] = value


def _closed(block: dict[str, Any]) -> Any:
    """The block as a whole answer has it."""
    if "toolUse" in block:
        call = block["toolUse"]
        return {"toolUse": {**call, "input": json.loads(call["input"] or "{}")}}
    if "reasoningContent" in block:
        thought = dict(block["reasoningContent"])
        if "redactedContent" in thought:
            return {"reasoningContent": thought}
        return {"reasoningContent": {"reasoningText": thought}}
    if "citations" in block:
        said = {"content": [{"text": block["text"]}]} if "text" in block else {}
        return {"citationsContent": {**said, "citations": block["citations"]}}
    return block


def fields(body: Any) -> Fields:
    """The fields of a response."""
    blocks = ((body.get("output") or {}).get("message") or {}).get("content") or []
    calls = [block["toolUse"] for block in blocks if "toolUse" in block]
    calls = [call for call in calls if call.get("type") != "server_tool_use"]
    thoughts = [b["reasoningContent"] for b in blocks if "reasoningContent" in b]
    said = [thought.get("reasoningText") or {} for thought in thoughts]
    cited = [block["citationsContent"] for block in blocks if "citationsContent" in block]
    texts = [part["text"] for block in blocks
             for part in [block, *(block.get("citationsContent") or {}).get("content", ())]
             if "text" in part]  # fmt: skip
    return {
        "0.text": "".join(texts),
        "0.thinking": "".join(one.get("text") or "" for one in said),
        "0.signatures": [one["signature"] for one in said if one.get("signature")],
        "0.redacted": [t["redactedContent"] for t in thoughts if "redactedContent" in t],
        "0.refusal": "",
        "0.calls": [[call["toolUseId"], call["name"]] for call in calls],
        "0.arguments": [call["input"] or {} for call in calls],
        "0.citations": sum(len(one.get("citations") or ()) for one in cited),
        "0.finish": body.get("stopReason"),
    }


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usage")


def figures(usage: Usage) -> Any:
    """The neutral figures as Converse says them."""
    return {
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "totalTokens": usage.total,
        "cacheReadInputTokens": usage.cache_read,
        "cacheWriteInputTokens": usage.cache_write,
    }
