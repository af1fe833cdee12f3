"""Answers of the Messages API, whole or in events, as pieces.

Reference: Anthropic API, "Create a Message" and "Streaming messages"; recorded streams of the API,
of clouds and gateways. Events are known by their `type`: names of events get lost.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any

from ...errors import ReadError
from ...jsontext import Json, JsonObject, loads
from ...message import Finish, TextBlock, ToolUseBlock
from ...pieces import End, Failed, Meta, Part, Piece, fault, unwell
from .content import block
from .dialect import Dialect
from .ending import REASONS, refusal
from .growing import Growing
from .usage import usage

__all__ = ["MessagesReader"]

_ERRORS = ("error", "message", "Message", "detail", "__type", "base_resp")
# what the SDK's own stream helper tells once more in events of its own
_COPIES = frozenset({"text", "thinking", "signature", "input_json", "citation", "compaction"})


class MessagesReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._blocks = Growing(self._issuer)
        self._slots = self._blocks.slots
        self._told: set[str] = set()  # fields that said something
        self._ended = False
        self._refused = False
        self._events: dict[str | None, Callable[[JsonObject], list[Piece]]] = {
            "message": self._whole,
            "message_start": self._begun,
            "content_block_start": self._started,
            "content_block_stop": self._blocks.stop,
            "message_delta": self._changed,
            "message_stop": self._over,
            "ping": _nothing,
            "error": _failed,
        }

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        kind = payload.get("type")
        if kind == "content_block_delta":
            delta = payload["delta"]
            slot = self._slots.get(payload["index"])
            if slot is not None and len(delta) == 2:  # by far the most of all events
                if slot.texts and delta["type"] == "text_delta":
                    text = delta["text"]
                    if type(text) is str:
                        slot.said = True
                        return [Part(slot.key, TextBlock(text))] if text else []
                elif slot.kind is ToolUseBlock and delta["type"] == "input_json_delta":
                    text = delta["partial_json"]
                    if type(text) is str:
                        return [Part(slot.key, ToolUseBlock("", "", {}, text))] if text else []
            return self._blocks.grow(payload["index"], delta)
        read = self._events.get(kind)
        return read(payload) if read is not None else self._other(payload, event)

    def finish(self) -> list[Piece]:
        """What is still held of blocks whose end did not come."""
        return self._blocks.finish()

    def _other(self, payload: JsonObject, event: str | None) -> list[Piece]:
        """What has no type, or one that is not known."""
        wrapped = payload.get("chunk", payload)
        inner = wrapped.get("bytes") if isinstance(wrapped, dict) else None
        if isinstance(inner, (str, bytes)):
            return self.feed(_unwrapped(inner), event)
        kind = payload.get("type")
        if isinstance(payload.get("content"), list) and "role" in payload:
            return self._whole(payload)
        if kind is None and event in self._events and event != "message":
            return self._events[event](payload)
        if kind in _COPIES:
            return []
        name = next((key for key in payload if key.endswith("Exception")), None)
        if name is not None and isinstance(payload[name], dict):
            return [Failed(fault(payload[name], name=name))]
        if payload.get("error") or (kind is None and any(key in payload for key in _ERRORS)):
            return [Failed(fault(payload, name=event))]
        raise ValueError("no event of the Messages API")

    def _whole(self, payload: JsonObject) -> list[Piece]:
        made = self._message(payload, True)
        if not self._ended:
            made.append(End(Finish("other")))
        return made

    def _begun(self, payload: JsonObject) -> list[Piece]:
        held = self._blocks.anew()
        return held + self._message(payload["message"], False)

    def _message(self, told: JsonObject, whole: bool) -> list[Piece]:
        """A message, whole, or as it is at the beginning of a stream."""
        issuer = self._issuer
        made: list[Piece] = []
        rest: JsonObject = {}
        for key, value in told.items():
            if key == "content" and isinstance(value, list):
                for one in value:
                    made += self._blocks.whole(block(one, issuer))
            elif key == "content" and isinstance(value, str):
                made += self._blocks.whole(TextBlock(value, spelling="string"))
            elif key == "usage" and isinstance(value, dict):
                made.append(usage(value, issuer, whole))
            elif key == "stop_reason" and (isinstance(value, str) or (value is None and not whole)):
                made += self._end(value)
            elif key == "id" and isinstance(value, str) and value:
                made.append(Meta(id=value, issuer=issuer))
            elif key == "model" and isinstance(value, str) and value:
                made.append(Meta(model=value, issuer=issuer))
            elif key not in _USUAL or _USUAL[key] != value:
                rest[key] = value
        made += self._fields(rest)
        if unwell(rest):
            made.append(Failed(fault(told)))
        return made

    def _started(self, payload: JsonObject) -> list[Piece]:
        """A block begins; one of them says that another model goes on (docs, "Fallbacks")."""
        made = self._blocks.start(payload)
        told = payload["content_block"]
        if told.get("type") == "fallback" and isinstance(told.get("to"), dict):
            model = told["to"].get("model")
            if isinstance(model, str):
                made.append(Meta(model=model, instead=True, issuer=self._issuer))
        return made

    def _changed(self, payload: JsonObject) -> list[Piece]:
        """How the message ends, and figures that replace those of its beginning."""
        delta = payload.get("delta") or {}
        made: list[Piece] = []
        figures = payload.get("usage")
        if isinstance(figures, dict):
            made.append(usage(figures, self._issuer, False))
        raw = delta.get("stop_reason")
        beside = {k: v for k, v in payload.items() if k not in ("type", "delta", "usage")}
        rest = {k: v for k, v in delta.items() if k != "stop_reason"}
        made += self._fields({**beside, **rest})
        if isinstance(raw, str):
            made += self._end(raw)
        return made

    def _over(self, payload: JsonObject) -> list[Piece]:
        rest = {key: value for key, value in payload.items() if key not in ("type", "message")}
        made = self._fields(rest)
        if not self._ended:
            made.append(End(Finish("other")))
        return made

    def _fields(self, told: JsonObject) -> list[Piece]:
        """Fields that nobody models; a null takes nothing back."""
        seen = self._told
        new = {key: value for key, value in told.items() if value is not None or key not in seen}
        if not new:
            return []
        seen.update(key for key, value in new.items() if value is not None)
        return [*self._refusal(new.get("stop_details")), Meta(new, issuer=self._issuer)]

    def _refusal(self, told: Json) -> list[Piece]:
        """Why the model refused, which stands beside the content: in the tree it is a block."""
        made = refusal(told)
        if made is None or self._refused:
            return []
        self._refused = True
        return self._blocks.whole(made)

    def _end(self, raw: str | None) -> list[Piece]:
        if raw is None:
            return []
        self._ended = True
        return [End(Finish(REASONS.get(raw, "other"), raw))]


_USUAL: dict[str, Any] = {"type": "message", "role": "assistant"}


def _unwrapped(inner: str | bytes) -> JsonObject:
    """An event out of a chunk of InvokeModel: base64 text, or bytes where boto3 has decoded it.

    Raises ValueError for what holds no event.
    """
    try:
        said = loads(b64decode(inner, validate=True) if isinstance(inner, str) else inner)
    except ReadError as error:
        raise ValueError("a chunk that is no JSON") from error
    if not isinstance(said, dict) or "type" not in said:
        raise ValueError("a chunk without an event")
    return said


def _nothing(_: JsonObject) -> list[Piece]:
    return []


def _failed(payload: JsonObject) -> list[Piece]:
    return [Failed(fault(payload))]
