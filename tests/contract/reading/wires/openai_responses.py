"""Responses: the state that the SDK `openai` keeps of a stream, and the body that closes it."""

from __future__ import annotations

from typing import Any, cast

from openai import omit
from openai._models import construct_type_unchecked
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.responses import ResponseStreamEvent

from dragoman.message import Usage
from tests.contract.reading.told import Fields, value_of

__all__ = ["assemble", "beside", "fields", "figures", "spent"]

_CLOSING = ("response.completed", "response.incomplete", "response.failed")


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """The body of the closing event; the SDK's snapshot where the stream breaks off.

    Some hosts leave the items out of the closing body: then each stands in an event of its own.
    """
    told = [payload for _, payload in events if isinstance(payload, dict)]
    closing = [payload["response"] for payload in told if payload.get("type") in _CLOSING]
    if not closing:
        return _snapshot(events)
    done = {p["output_index"]: p["item"] for p in told
            if p.get("type") == "response.output_item.done" and "output_index" in p}  # fmt: skip
    output = closing[-1].get("output") or [done[index] for index in sorted(done)]
    return {**closing[-1], "output": output}


def beside(events: list[tuple[str | None, Any]]) -> Fields:
    """Texts and arguments as the SDK sums them from the deltas."""
    made = fields(_snapshot(events))
    return {name: made[name] for name in ("0.text", "0.arguments")}


def _snapshot(events: list[tuple[str | None, Any]]) -> Any:
    state = ResponseStreamState[Any](input_tools=omit, text_format=omit)
    for _, payload in events:
        if isinstance(payload, dict) and payload.get("type") not in (None, "error", "keepalive"):
            event = construct_type_unchecked(value=payload, type_=cast("Any", ResponseStreamEvent))
            state.handle_event(event)
    return vars(state)["_ResponseStreamState__current_snapshot"].to_dict(
        mode="json", warnings=False
    )


def fields(body: Any) -> Fields:
    """The fields of a response."""
    items = body.get("output") or []
    parts = [part for item in _of(items, "message") for part in item.get("content") or ()]
    texts = _of(parts, "output_text")
    calls = [item for item in items if item.get("type") in ("function_call", "custom_tool_call")]
    thoughts = _of(items, "reasoning")
    said = [item.get("summary") or item.get("content") or [] for item in thoughts]
    why = body.get("incomplete_details") or {}
    return {
        "model": body.get("model"),
        "id": body.get("id"),
        "0.text": "".join(part["text"] for part in texts),
        "0.thinking": "".join("\n\n".join(part["text"] for part in parts) for parts in said),
        "0.redacted": [i["encrypted_content"] for i in thoughts if i.get("encrypted_content")],
        "0.refusal": "".join(part["refusal"] for part in _of(parts, "refusal")),
        "0.calls": [[call["call_id"], call["name"]] for call in calls],
        "0.arguments": [_arguments(call) for call in calls],
        "0.citations": sum(len(part.get("annotations") or ()) for part in texts),
        "0.finish": why.get("reason") or body.get("status"),
    }


def _arguments(call: Any) -> Any:
    """Those of a function are JSON, what a custom tool is given is text."""
    is_text = call["type"] == "custom_tool_call"
    return call["input"] if is_text else value_of(call["arguments"])


def _of(items: list[Any], kind: str) -> list[Any]:
    return [item for item in items if item.get("type") == kind]


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usage")


def figures(usage: Usage) -> Any:
    """The neutral figures as Responses says them."""
    known = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
    return {
        "input_tokens": sum(known) if known else None,
        "output_tokens": usage.output,
        "total_tokens": usage.total,
        "input_tokens_details": {"cached_tokens": usage.cache_read,
                                 "cache_write_tokens": usage.cache_write},
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
    }  # fmt: skip
