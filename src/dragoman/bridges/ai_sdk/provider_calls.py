"""Calls that a provider has run itself, such as its search, as calls and results for a page.

Each provider has a form of its own for them, which is kept whole beside what is shown, so that the
block comes back and its provider gets it again.

Reference: recorded answers of Anthropic, Amazon Bedrock, Gemini and OpenAI Responses; npm `ai`
7.0.173, `providerExecuted` of a tool's part (2026-11-29).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...message import RawBlock
from ...text.json_text import Json, JsonObject
from ..results import text_or_none
from .names import OURS, TARGET

_RAW = "raw"
_INPUTS = ("input", "action", "arguments", "args", "code", "queries", "query")
_OUTPUTS = ("content", "output", "outputs", "result", "results")
_IDS = ("id", "toolUseId", "call_id")


class ProviderCallWriter:
    """Writes such calls and their results as parts of a `ModelMessage`, in the order they come."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # of the calls so far, by id
        self._last = ""  # the last call without an id of its own

    def write(self, block: RawBlock) -> list[JsonObject]:
        """Write a block.

        Args:
            block: The block.

        Returns:
            A call, a result or both; nothing for a block that is neither.
        """
        data, single = block.data, block.role == "item"
        if block.by != "server" or block.issuer == TARGET or block.role == "message":
            return []
        inner = _unwrapped(data)
        if inner is None or (single and "type" not in inner):
            return []
        kept = {OURS: {_RAW: _kept(block)}}
        if block.role == "result":
            id = block.pair or self._last
            found = [] if id in self._names else self._call(id, inner, {})
            return [*found, _result(id, self._names[id], _find(inner, _OUTPUTS, inner), kept)]
        found = self._call(block.pair or "", inner, kept)
        if single:
            id = found[0]["toolCallId"]
            found.append(_result(id, self._names[id], inner, {OURS: {_RAW: False}}))
        return found

    def _call(self, id: str, inner: JsonObject, options: JsonObject) -> list[JsonObject]:
        made = id or next((v for k in _IDS if (v := text_or_none(inner.get(k)))), "")
        made = made or f"provider_call_{len(self._names)}"
        self._last = made if not id else self._last
        kind = str(inner.get("type") or "provider_tool")
        name = text_or_none(inner.get("name")) or kind.removesuffix("_call").removesuffix("_result")
        self._names[made] = name
        value = _find(inner, _INPUTS, {})
        part: JsonObject = {"type": "tool-call", "toolCallId": made, "toolName": name}
        part |= {"input": value if isinstance(value, Mapping) else {"input": value}}
        own = {"providerOptions": options} if options else {}
        return [{**part, "providerExecuted": True, **own}]


def _result(id: str, name: str, value: Json, options: JsonObject) -> JsonObject:
    kind = "text" if isinstance(value, str) else "json"
    part = {"type": "tool-result", "toolCallId": id, "toolName": name}
    return {**part, "output": {"type": kind, "value": value}, "providerOptions": options}


def _unwrapped(data: Json) -> JsonObject | None:
    """Return the fields of an item: some providers have them in an object of their own."""
    if not isinstance(data, dict):
        return None
    if "type" in data:
        return data
    inner = [(name, value) for name, value in data.items() if isinstance(value, dict)]
    if len(inner) != 1:
        return None
    name, found = inner[0]
    return {"type": name, **found}


def _find(inner: JsonObject, names: tuple[str, ...], default: Json) -> Json:
    return next((inner[name] for name in names if inner.get(name) is not None), default)


def _kept(block: RawBlock) -> JsonObject:
    pair = {} if block.pair is None else {"pair": block.pair}
    return {"issuer": block.issuer, "data": block.data, "role": block.role, **pair}


def read_provider_call(ours: Mapping[str, Any]) -> RawBlock | None:
    """Return the block that a part was written from; None for another part.

    Args:
        ours: What a bridge has noted on the part.
    """
    kept = ours.get(_RAW)
    if not isinstance(kept, Mapping) or kept.get("role") not in ("call", "result", "item"):
        return None
    pair = text_or_none(kept.get("pair"))
    return RawBlock(str(kept.get("issuer")), kept.get("data"), kept["role"], pair)


def is_shown_only(part: Mapping[str, Any]) -> bool:
    """Return whether a part only shows what another holds.

    Args:
        part: A part of a message.
    """
    options = part.get("providerOptions")
    ours = options.get(OURS) if isinstance(options, Mapping) else None
    return isinstance(ours, Mapping) and ours.get(_RAW) is False
