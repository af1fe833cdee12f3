"""Requests over this wire for its tests, each held against the SDK's own types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dragoman import ChatRequest, Msg, Wire
from dragoman.capabilities import Facts
from dragoman.message import Written
from dragoman.protocols.openai_responses import Dialect, OpenAIResponses
from tests.contract.judges.closed import ClosedTypes

__all__ = ["OWN", "TYPES", "codes", "faults", "own", "said", "wire", "wrote"]

OWN = "openai-responses"
BASE = Dialect()
MODEL = "gpt-5.6"


def wire(can: dict[str, Any] | None = None, **switches: Any) -> Wire:
    """A wire in a dialect, of whose models more is known."""
    room = OpenAIResponses(replace(BASE, **switches))
    return Wire(OWN, room, facts=(Facts(always=can or {}),), policy="ignore")


def own(**fields: Any) -> dict[str, dict[str, Any]]:
    """Extras of this protocol's."""
    return {OWN: fields}


def wrote(*msgs: Msg, can: dict[str, Any] | None = None, **fields: Any) -> Written:
    """The request; its body must be one of the SDK's."""
    target = wire(can, **fields.pop("switches", {}))
    fields.setdefault("model", MODEL)
    out = target.write_request(ChatRequest(list(msgs) or [Msg.user("Hi")], **fields))
    assert faults(out.body) == []
    return out


def said(*msgs: Msg, **fields: Any) -> list[dict[str, Any]]:
    """The items of the input."""
    items: list[dict[str, Any]] = wrote(*msgs, **fields).body["input"]
    return items


def codes(out: Written) -> list[str]:
    return [f"{loss.code} {loss.where}" for loss in out.losses]


def _params() -> Any:
    from openai.types.responses import response_create_params as params

    return params.ResponseCreateParams


TYPES = ClosedTypes(_params, listed="input")


def faults(body: dict[str, Any]) -> list[str]:
    """What the SDK's types refuse, once the items have the fields of answers that they ask for.

    The API takes items without them: 27 recorded messages and 57 recorded reasonings have no id.
    """
    whole = {**body, "input": [_answered(item) for item in body["input"]]}
    return [str(fault) for fault in TYPES.faults(whole, whole=True)]


def _answered(item: dict[str, Any]) -> dict[str, Any]:
    if item.get("type") == "reasoning":
        return {"id": "rs_0", **item}
    if item.get("role") == "assistant" and isinstance(item["content"], list):
        parts = [
            {"annotations": [], **part} if part["type"] == "output_text" else part
            for part in item["content"]
        ]
        return {"id": "msg_0", "status": "completed", "type": "message", **item, "content": parts}
    return item
