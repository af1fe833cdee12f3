"""Blocks of a stream while they grow: where each delta belongs, and what only its end makes whole.

Reference: Anthropic API, "Streaming messages"; gateways send deltas of another kind than their
block's. Knows content blocks and their deltas, nothing else of the stream.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any

from ..._core.jsontext import Json, JsonObject, loads
from ..._core.stream.arguments import parsed
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, fault, unwell
from ...errors import ReadError
from ...message import Finish, Origin, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from .answer import REASONS, refusal, usage
from .blocks import block, citation
from .dialect import Dialect

_TAKERS: dict[str, type[Any]] = {
    "text_delta": TextBlock,
    "citations_delta": TextBlock,
    "thinking_delta": ThinkingBlock,
    "signature_delta": ThinkingBlock,
}


_SAID = {"text_delta": "text", "citations_delta": "citation", "thinking_delta": "thinking",
         "signature_delta": "signature"}  # fmt: skip


class _Slot:
    """One block that grows. What is held here is told at its end."""

    __slots__ = ("beside", "changed", "cited", "given", "key", "kind", "said", "signature", "text",
                 "texts", "tokens")  # fmt: skip

    def __init__(self, key: Key, made: ContentBlock) -> None:
        self.key = key
        self.kind: type[Any] = type(made)
        self.texts = self.kind is TextBlock
        self.said = True
        self.beside = 0  # how many blocks stand at this index before it
        self.cited: list[JsonObject] = []
        self.signature: str | None = None  # each replaces the one before
        self.tokens = 0
        # of a block that only its end makes whole: what it is, and what grows of it
        self.given: JsonObject = {}
        self.text: list[str] = []
        self.changed = False
        if type(made) is TextBlock:
            self.said = bool(made.text or made.citations)
            own = next(iter(made.extras.values())) if made.extras else {}
            cited = own.get("citations")
            self.cited = [*cited] if isinstance(cited, list) else []
        elif type(made) is ThinkingBlock:
            self.said = bool(made.thinking or made.signature or made.redacted is not None)
            if made.redacted is not None:
                self.kind = RawBlock  # nothing is added to what is sealed
        elif type(made) is RawBlock and isinstance(made.data, dict):
            self.given = made.data


class Growing:
    """The blocks of one answer, by their index. An index that comes again begins a new count."""

    def __init__(self, issuer: str) -> None:
        self.slots: dict[int, _Slot] = {}
        self._issuer = issuer
        self._shift = 0
        self._top = -1

    def anew(self) -> list[Piece]:
        """What comes now stands behind all that came; what was held of that."""
        held = self.finish()
        self._shift = self._top + 1
        self.slots.clear()
        return held

    def whole(self, made: ContentBlock) -> list[Piece]:
        """A block that comes in one piece."""
        self._top += 1
        self._shift = self._top + 1
        return [Part((0, self._top), made)]

    def start(self, payload: JsonObject) -> list[Piece]:
        """`content_block_start`; some hosts give the whole input of a call here."""
        index = _index(payload["index"])
        made = block(payload["content_block"], self._issuer)
        held: list[Piece] = []
        if index in self.slots:
            held = self.anew()
            self._shift -= index
        slot = self._open(index, made)
        if type(made) is ThinkingBlock and made.signature:
            slot.signature, made.signature = made.signature, ""
        return [*held, Part(slot.key, made)]

    def _open(self, index: int, made: ContentBlock) -> _Slot:
        at = index + self._shift
        self._top = max(self._top, at)
        slot = self.slots[index] = _Slot((0, at), made)
        return slot

    def grow(self, index: int, delta: JsonObject) -> list[Piece]:
        """What a `content_block_delta` adds. Raises TypeError where it fits no block."""
        kind = delta["type"]
        taker = _TAKERS.get(kind)
        slot = self.slots.get(_index(index))
        if taker is None:
            return self._added(slot, delta)
        said = delta[_SAID[kind]]
        made: list[Piece] = []
        if slot is None or slot.kind is not taker:
            slot = self._turned(index, slot, taker, made)
        slot.said = True
        more = self._more(slot, delta)
        if kind == "text_delta":
            made.append(Part(slot.key, TextBlock(_text(said), extras=more)))
        elif kind == "citations_delta":
            made.append(Part(slot.key, TextBlock("", [citation(said)], extras=more)))
            slot.cited.append(said)
        elif kind == "signature_delta":
            slot.signature = _text(said)
        else:
            made.append(Part(slot.key, ThinkingBlock(_text(said), extras=more)))
        return made

    def _more(self, slot: _Slot, delta: JsonObject) -> dict[str, JsonObject] | None:
        known = ("type", _SAID[delta["type"]])
        rest = {k: v for k, v in delta.items() if k not in known and v is not None}
        if type(rest.get("estimated_tokens")) is int:  # what is told are increments
            slot.tokens += rest["estimated_tokens"]
            rest["estimated_tokens"] = slot.tokens
        return {answered(self._issuer): rest} if rest else None

    def _turned(self, index: int, slot: _Slot | None, taker: type[Any], made: list[Piece]) -> _Slot:
        """The slot of a block that nobody began: in the place of an empty one, or behind it."""
        fresh: ContentBlock = taker("")
        if slot is None:
            return self._open(index, fresh)
        key, beside = slot.key, slot.beside
        if slot.said:
            made += self._told(slot)
            beside += 1
            key = (*key[:2], beside)
        else:
            made.append(Part(key, fresh, whole=True))
        slot = self.slots[index] = _Slot(key, fresh)
        slot.beside = beside
        return slot

    def _added(self, slot: _Slot | None, delta: JsonObject) -> list[Piece]:
        """Argument text of a call, or what grows in a block that this wire alone has."""
        kind = delta["type"]
        if slot is None:
            raise TypeError("a delta without its block")
        if kind == "input_json_delta" and slot.kind is ToolUseBlock:
            text = _text(delta["partial_json"])
            return [Part(slot.key, ToolUseBlock("", "", raw_input=text))] if text else []
        if kind == "input_json_delta" and "input" in slot.given:
            slot.text.append(_text(delta["partial_json"]))
            slot.changed = True
            return []
        if kind == "compaction_delta" and slot.given.get("type") == "compaction":
            if delta.get("content") is not None:
                slot.text.append(_text(delta["content"]))
            more = {k: v for k, v in delta.items() if k not in ("type", "content")}
            slot.given = {**slot.given, **{k: v for k, v in more.items() if v is not None}}
            slot.changed = True
            return []
        raise TypeError("a delta that fits no block")

    def stop(self, payload: JsonObject) -> list[Piece]:
        """`content_block_stop`: what the block held back."""
        slot = self.slots.get(_index(payload["index"]))
        return self._told(slot) if slot is not None else []

    def finish(self) -> list[Piece]:
        """The same for all blocks whose end did not come."""
        return [piece for slot in self.slots.values() for piece in self._told(slot)]

    def _told(self, slot: _Slot) -> list[Piece]:
        made: list[Piece] = []
        if slot.signature is not None:
            origin = Origin(self._issuer)
            made.append(Part(slot.key, ThinkingBlock("", slot.signature, origin=origin)))
            slot.signature = None
        if slot.cited:
            own = {self._issuer: {"citations": slot.cited}}
            made.append(Part(slot.key, TextBlock("", extras=own)))
            slot.cited = []
        if slot.changed:
            made.append(Part(slot.key, self._whole(slot), whole=True))
            slot.changed = False
        return made

    def _whole(self, slot: _Slot) -> RawBlock:
        """The object as it stands in a whole answer; input that breaks off is kept as text."""
        text, told = "".join(slot.text), slot.given
        if told.get("type") == "compaction":
            before = told.get("content")
            summary = (before if isinstance(before, str) else "") + text
            return _raw({**told, "content": summary} if text else told, self._issuer)
        given = parsed(text) if text else told["input"]
        if isinstance(given, dict):
            return _raw({**told, "input": given}, self._issuer)
        made = _raw(told, self._issuer)
        made.extras = {answered(self._issuer): {"input": text}}
        return made


def _raw(told: JsonObject, issuer: str) -> RawBlock:
    made = block(told, issuer)
    if type(made) is not RawBlock:
        raise TypeError("a block of another kind")
    return made


def _index(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("an index is a number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


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
