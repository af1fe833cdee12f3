"""Reads whole answers and streams: the growing blocks of a stream, and the events around them.

A delta is added to the block at its index; data that is complete only at the end of a block is held
until then. Reference: Anthropic API, "Streaming messages"; gateways send deltas of another kind
than that of their block.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any

from ...errors import ReadError
from ...message import Origin, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, Extras, name_answers
from ...stream.arguments import parse_arguments
from ...stream.pieces import End, Failed, Key, Meta, Part, Piece, host_error, provider_error
from ...text.json_text import Json, JsonObject, field_at, loads
from ..answers import GrowingBlock
from ..chat_like.messages import require_text, without
from ..shared_finish_words import read_finish
from .answer_write import NO_REASON, read_refusal
from .blocks import read_answer_block, read_citation
from .dialect import Dialect
from .finish_reasons import FINISH_REASONS
from .usage import read_usage

# deltas of text blocks and thinking -> (the block that grows, the field that adds to it)
_DELTAS: dict[str, tuple[type[Any], str]] = {
    "text_delta": (TextBlock, "text"),
    "citations_delta": (TextBlock, "citation"),
    "thinking_delta": (ThinkingBlock, "thinking"),
    "signature_delta": (ThinkingBlock, "signature"),
}


class _StreamedBlock(GrowingBlock):
    """One growing block, with the data that is held until its end."""

    __slots__ = ("has_content", "is_text", "offset", "signature", "tokens")

    def __init__(self, key: Key, block: ContentBlock, offset: int = 0) -> None:
        super().__init__(key, type(block))
        self.is_text = self.kind is TextBlock
        self.has_content = True
        self.offset = offset  # how many blocks came before it at this index
        self.signature: str | None = None  # each signature replaces the previous one
        self.tokens = 0
        if type(block) is TextBlock:
            self.has_content = bool(block.text or block.citations)
            fields = next(iter(block.extras.values())) if block.extras else {}
            citations = fields.get("citations")
            self.citations = [*citations] if isinstance(citations, list) else []
        elif type(block) is ThinkingBlock:
            self.has_content = bool(block.thinking or block.signature or block.redacted is not None)
            if block.redacted is not None:
                self.kind = RawBlock  # nothing is added to sealed thinking
        elif type(block) is RawBlock and isinstance(block.data, dict):
            self.data = block.data


class _GrowingBlocks:
    """The blocks of one answer by their index; an index that comes again starts a new count."""

    def __init__(self, issuer: str) -> None:
        self.slots: dict[int, _StreamedBlock] = {}
        self._issuer = issuer
        self._shift = 0
        self._top = -1

    def restart(self) -> list[Piece]:
        """End all blocks and return what they hold; new blocks follow after them."""
        pieces = self.finish()
        self._shift = self._top + 1
        self.slots.clear()
        return pieces

    def append(self, block: ContentBlock) -> Piece:
        """Add a block that comes in one piece."""
        self._top += 1
        self._shift = self._top + 1
        return Part((0, self._top), block)

    def start(self, payload: JsonObject) -> list[Piece]:
        """Read `content_block_start`, in which some hosts send the whole input of a call."""
        index = _number(payload["index"])
        block = read_answer_block(payload["content_block"], self._issuer)
        pieces: list[Piece] = []
        if index in self.slots:
            pieces = self.restart()
            self._shift -= index
        slot = self._open(index, block)
        if type(block) is ThinkingBlock and block.signature:
            slot.signature, block.signature = block.signature, ""
        return [*pieces, Part(slot.key, block)]

    def _open(self, index: int, block: ContentBlock) -> _StreamedBlock:
        position = index + self._shift
        self._top = max(self._top, position)
        slot = self.slots[index] = _StreamedBlock((0, position), block)
        return slot

    def grow(self, payload: JsonObject) -> list[Piece]:
        """Read what a `content_block_delta` adds.

        Raises:
            TypeError: If it fits no block.
        """
        index, delta = _number(payload["index"]), payload["delta"]
        slot = self.slots.get(index)
        if delta["type"] not in _DELTAS:
            return self._grow_call(slot, delta)
        block_type, field = _DELTAS[delta["type"]]
        value = delta[field]
        pieces: list[Piece] = []
        if slot is None or slot.kind is not block_type:
            slot = self._replace(index, block_type(""), pieces)
        slot.has_content = True
        extras = self._delta_extras(slot, delta, field)
        if field == "citation":
            pieces.append(Part(slot.key, TextBlock("", [read_citation(value)], extras=extras)))
            slot.citations.append(value)
        elif field == "signature":
            slot.signature = require_text(value)
        else:
            pieces.append(Part(slot.key, block_type(require_text(value), extras=extras)))
        return pieces

    def _delta_extras(self, slot: _StreamedBlock, delta: JsonObject, field: str) -> Extras | None:
        fields = {
            key: delta[key]
            for key in delta
            if key not in ("type", field) and delta[key] is not None
        }
        if type(fields.get("estimated_tokens")) is int:  # each delta has the increment
            slot.tokens += fields["estimated_tokens"]
            fields["estimated_tokens"] = slot.tokens
        return {name_answers(self._issuer): fields} if fields else None

    def _replace(self, index: int, block: ContentBlock, pieces: list[Piece]) -> _StreamedBlock:
        """Return the slot of a block without a start; it replaces an empty one or follows it."""
        if (slot := self.slots.get(index)) is None:
            return self._open(index, block)
        key, offset = slot.key, slot.offset
        if slot.has_content:
            pieces += self._end(slot)
            offset += 1
            key = (*key[:2], offset)
        else:
            pieces.append(Part(key, block, whole=True))
        slot = self.slots[index] = _StreamedBlock(key, block, offset)
        return slot

    def _grow_call(self, slot: _StreamedBlock | None, delta: JsonObject) -> list[Piece]:
        """Read argument text of a call, or a delta of a block that only this wire has."""
        kind = delta["type"]
        if slot is None:
            raise TypeError("a delta without its block")
        if kind == "input_json_delta" and slot.kind is ToolUseBlock:
            text = require_text(delta["partial_json"])
            return [Part(slot.key, ToolUseBlock("", "", raw_input=text))] if text else []
        if kind == "input_json_delta" and "input" in slot.data:
            slot.pieces.append(require_text(delta["partial_json"]))
        elif kind == "compaction_delta" and slot.data.get("type") == "compaction":
            fields = {key: delta[key] for key in delta if delta[key] is not None}
            if "content" in fields:
                slot.pieces.append(require_text(fields.pop("content")))
            slot.data = {**slot.data, **fields, "type": "compaction"}
        else:
            raise TypeError("a delta that fits no block")
        slot.changed = True
        return []

    def stop(self, payload: JsonObject) -> list[Piece]:
        """Read `content_block_stop`: return what was held until the end of the block."""
        slot = self.slots.get(_number(payload["index"]))
        return self._end(slot) if slot is not None else []

    def finish(self) -> list[Piece]:
        """Return what all blocks hold whose end did not come."""
        return [piece for slot in self.slots.values() for piece in self._end(slot)]

    def _end(self, slot: _StreamedBlock) -> list[Piece]:
        pieces: list[Piece] = []
        if slot.signature is not None:
            origin = Origin(self._issuer)
            pieces.append(Part(slot.key, ThinkingBlock("", slot.signature, origin=origin)))
            slot.signature = None
        return pieces + slot.end(self._issuer, self._whole_block)

    def _whole_block(self, slot: GrowingBlock) -> RawBlock:
        """Return the object as in a whole answer; interrupted input is kept as text."""
        text, data = "".join(slot.pieces), slot.data
        extras: Extras | None = None
        if data.get("type") == "compaction":
            begun = data.get("content")
            if text:
                data = {**data, "content": (begun if isinstance(begun, str) else "") + text}
        else:
            value = parse_arguments(text) if text else data["input"]
            if isinstance(value, dict):
                data = {**data, "input": value}
            else:
                extras = {name_answers(self._issuer): {"input": text}}
        block = read_answer_block(data, self._issuer)
        if type(block) is not RawBlock:
            raise TypeError("a block of another kind")
        block.extras = extras
        return block


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("an index is a number")
    return value


_ERROR_KEYS = ("error", "message", "Message", "detail", "__type", "base_resp")


# events of the SDK's own stream helper, which repeat what other events contain
_COPIES = frozenset({"text", "thinking", "signature", "input_json", "citation", "compaction"})
_DEFAULTS: dict[str, Any] = {"type": "message", "role": "assistant"}


class MessagesReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._blocks = _GrowingBlocks(self._issuer)
        self._slots = self._blocks.slots
        self._non_null: set[str] = set()  # fields that have had a value
        self._ended = False
        self._refused = False

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one event, or of a whole answer."""
        kind = payload.get("type")
        if kind == "content_block_delta":
            delta = payload["delta"]
            slot = self._slots.get(payload["index"])
            if slot is not None and len(delta) == 2:  # by far the most of all events
                if slot.is_text and delta["type"] == "text_delta":
                    text = delta["text"]
                    if type(text) is str:
                        slot.has_content = True
                        return [Part(slot.key, TextBlock(text))] if text else []
                elif slot.kind is ToolUseBlock and delta["type"] == "input_json_delta":
                    text = delta["partial_json"]
                    if type(text) is str:
                        return [Part(slot.key, ToolUseBlock("", "", {}, text))] if text else []
            return self._blocks.grow(payload)
        read = _EVENTS.get(kind)
        return read(self, payload) if read is not None else self._other(payload, event)

    def finish(self) -> list[Piece]:
        """Return what is held in blocks whose end did not come."""
        return self._blocks.finish()

    def _other(self, payload: JsonObject, event: str | None) -> list[Piece]:
        """Read an event without a type, or with an unknown one."""
        chunk = payload.get("chunk", payload)
        data = chunk.get("bytes") if isinstance(chunk, dict) else None
        if isinstance(data, (str, bytes)):
            return self.feed(_chunk_event(data), event)
        kind = payload.get("type")
        if isinstance(payload.get("content"), list) and "role" in payload:
            return self._whole_answer(payload)
        if kind is None and event in _EVENTS and event != "message":
            return _EVENTS[event](self, payload)
        if kind in _COPIES:
            return []
        name = next((key for key in payload if key.endswith("Exception")), None)
        if name is not None and isinstance(payload[name], dict):
            return [Failed(provider_error(payload[name], name=name))]
        if payload.get("error") or (kind is None and any(key in payload for key in _ERROR_KEYS)):
            return [Failed(provider_error(payload, name=event))]
        raise ValueError("no event of the Messages API")

    def _whole_answer(self, payload: JsonObject) -> list[Piece]:
        return self._message(payload, in_stream=False) + self._default_end()

    def _default_end(self) -> list[Piece]:
        return [] if self._ended else [End(NO_REASON)]

    def _message_start(self, payload: JsonObject) -> list[Piece]:
        return self._blocks.restart() + self._message(payload["message"], in_stream=True)

    def _message(self, data: JsonObject, in_stream: bool) -> list[Piece]:
        """Read a message, complete, or as it is at the start of a stream."""
        issuer = self._issuer
        pieces: list[Piece] = []
        unknown: JsonObject = {}
        for key, value in data.items():
            if key == "content" and isinstance(value, list):
                blocks = [read_answer_block(part, issuer) for part in value]
                pieces += [self._blocks.append(block) for block in blocks]
            elif key == "content" and isinstance(value, str):
                pieces.append(self._blocks.append(TextBlock(value, spelling="string")))
            elif key == "usage" and isinstance(value, dict):
                pieces.append(read_usage(value, issuer, in_stream))
            elif key == "stop_reason" and (isinstance(value, str) or (value is None and in_stream)):
                pieces += self._stop_reason(value)
            elif key in ("id", "model") and isinstance(value, str) and value:
                pieces.append(Meta(**{key: value}, issuer=issuer))  # type: ignore[arg-type]  # a text
            elif key not in _DEFAULTS or _DEFAULTS[key] != value:
                unknown[key] = value
        pieces += self._fields(unknown)
        if host_error(unknown):
            pieces.append(Failed(provider_error(data)))
        return pieces

    def _block_start(self, payload: JsonObject) -> list[Piece]:
        """Read the start of a block; one kind says that another model continues ("Fallbacks")."""
        pieces = self._blocks.start(payload)
        block = payload["content_block"]
        model = field_at(block, "to.model") if block.get("type") == "fallback" else None
        if isinstance(model, str):
            pieces.append(Meta(model=model, instead=True, issuer=self._issuer))
        return pieces

    def _message_delta(self, payload: JsonObject) -> list[Piece]:
        """Read how the message ends, and figures that replace those of its start."""
        delta = payload.get("delta") or {}
        usage, reason = payload.get("usage"), delta.get("stop_reason")
        pieces: list[Piece] = []
        if isinstance(usage, dict):
            pieces.append(read_usage(usage, self._issuer, in_stream=True))
        fields = without(payload, "type", "delta", "usage") | without(delta, "stop_reason")
        pieces += self._fields(fields)
        return pieces + self._stop_reason(reason if isinstance(reason, str) else None)

    def _message_stop(self, payload: JsonObject) -> list[Piece]:
        return self._fields(without(payload, "type", "message")) + self._default_end()

    def _fields(self, fields: JsonObject) -> list[Piece]:
        """Return the fields without a node; a later null removes nothing."""
        new = {
            key: value
            for key, value in fields.items()
            if value is not None or key not in self._non_null
        }
        if not new:
            return []
        self._non_null.update(key for key, value in new.items() if value is not None)
        pieces: list[Piece] = [Meta(new, issuer=self._issuer)]
        # the reason of a refusal is beside the content; in the tree it is a block
        refusal = read_refusal(new.get("stop_details"))
        if refusal is not None and not self._refused:
            self._refused = True
            pieces.insert(0, self._blocks.append(refusal))
        return pieces

    def _stop_reason(self, reason: str | None) -> list[Piece]:
        if reason is None:
            return []
        self._ended = True
        return [End(read_finish(reason, FINISH_REASONS))]


_EVENTS: dict[str | None, Callable[[MessagesReader, JsonObject], list[Piece]]] = {
    "message": MessagesReader._whole_answer,
    "message_start": MessagesReader._message_start,
    "content_block_start": MessagesReader._block_start,
    "content_block_stop": lambda reader, payload: reader._blocks.stop(payload),
    "message_delta": MessagesReader._message_delta,
    "message_stop": MessagesReader._message_stop,
    "ping": lambda *_: [],
    "error": lambda _, payload: [Failed(provider_error(payload))],
}


def _chunk_event(data: str | bytes) -> JsonObject:
    """Read an event from a chunk of InvokeModel: base64 text, or bytes where boto3 has decoded it.

    Raises:
        ValueError: If it holds no event.
    """
    try:
        event = loads(b64decode(data, validate=True) if isinstance(data, str) else data)
    except ReadError as error:
        raise ValueError("a chunk that is no JSON") from error
    if not isinstance(event, dict) or "type" not in event:
        raise ValueError("a chunk without an event")
    return event
