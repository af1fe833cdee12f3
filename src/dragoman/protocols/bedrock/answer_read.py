"""Reads whole answers and streams: the growing blocks of a stream, and the events around them.

Only tools, results and images have a start event; text, thinking and citations begin with their
first delta. Reference: Amazon Bedrock API reference, "ConverseStreamOutput", "ContentBlockDelta".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...message import ImageBlock, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, name_answers
from ...stream.arguments import parse_arguments
from ...stream.pieces import End, Failed, Key, Meta, Part, Piece, provider_error
from ...text.json_text import Json, JsonObject
from ..answers import GrowingBlock
from ..chat_like.messages import require_text, without
from ..shared_finish_words import read_finish
from .answer_write import request_ids
from .blocks import json_bytes, read_block, read_citation, read_redacted
from .dialect import Dialect
from .finish_reasons import FINISH_REASONS
from .usage import read_usage

_EMPTY: dict[str, JsonObject] = {"toolUse": {"input": {}}, "toolResult": {"content": []}}


# service model: the HTTP status of each exception
FAULTS = {
    "internalServerException": 500,
    "modelStreamErrorException": 424,
    "modelTimeoutException": 408,
    "serviceUnavailableException": 503,
    "throttlingException": 429,
    "validationException": 400,
}


_DELTA = "contentBlockDelta"


# events by their content, for streams without event names
_SHAPES = (
    ("delta", _DELTA),
    ("start", "contentBlockStart"),
    ("stopReason", "messageStop"),
    ("contentBlockIndex", "contentBlockStop"),
    ("usage", "metadata"),
    ("metrics", "metadata"),
    ("role", "messageStart"),
)


_ERROR_KEYS = ("message", "Message", "Error", "error", "__type")


class ConverseReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._slots: dict[int, GrowingBlock] = {}  # the blocks, by their index
        self._first = True

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one event, or of a whole answer."""
        data = payload.get(_DELTA)
        if data is None and event == _DELTA:
            data = payload
        if data is not None:
            delta = data["delta"]
            slot = self._slots.get(data["contentBlockIndex"])
            if slot is not None and slot.kind is TextBlock and len(delta) == 1:
                text = delta.get("text")
                if type(text) is str:  # by far the most of all events
                    return [Part(slot.key, TextBlock(text))] if text else []
            pieces = self._grow(data)
        else:
            pieces = self._other(payload, event)
        if self._first:  # the issuer of the answer
            self._first = False
            pieces.insert(0, Meta(issuer=self._issuer))
        return pieces

    def finish(self) -> list[Piece]:
        """Return what is held in blocks whose end did not come."""
        slots = self._slots.values()
        return [piece for slot in slots for piece in slot.end(self._issuer, self._whole_block)]

    def _slot(
        self, index: Any, kind: type[Any], pieces: list[Piece], begins: bool = False
    ) -> GrowingBlock:
        """Return the slot at this index; a new one after it if the kind differs."""
        if type(index) is not int:
            raise TypeError("an index is a number")
        slot = self._slots.get(index)
        if slot is not None and slot.kind is kind and not begins:
            return slot
        key: Key = (0, index)
        if slot is not None:
            pieces += slot.end(self._issuer, self._whole_block)
            key = (0, index, slot.key[2] + 1 if len(slot.key) > 2 else 1)
        slot = self._slots[index] = GrowingBlock(key, kind)
        return slot

    def _start(self, event: JsonObject) -> list[Piece]:
        """Read `contentBlockStart`: `{"toolUse"}`, `{"toolResult"}`, `{"image"}`, or nothing."""
        data = event.get("start") or {}
        if not data:
            return []
        pieces: list[Piece] = []
        if isinstance(data.get("image"), dict):  # its bytes come next
            slot = self._slot(event["contentBlockIndex"], ImageBlock, pieces, begins=True)
            slot.data = data["image"]
            return pieces
        for key in ("toolUse", "toolResult"):
            if isinstance(data.get(key), dict):
                data = {**data, key: {**_EMPTY[key], **data[key]}}
        block = read_block(data, self._issuer)
        slot = self._slot(event["contentBlockIndex"], type(block), pieces, begins=True)
        if type(block) is RawBlock:
            slot.data = block.data
        return [*pieces, Part(slot.key, block)]

    def _grow(self, event: JsonObject) -> list[Piece]:
        """Read what a `contentBlockDelta` adds.

        Raises:
            TypeError: If it fits no block.
        """
        index, delta = event["contentBlockIndex"], event["delta"]
        if len(delta) != 1:
            raise TypeError("a delta has one member")
        ((kind, value),) = delta.items()
        block: ContentBlock
        if kind == "text":
            block = TextBlock(require_text(value))
        elif kind == "reasoningContent":
            block = self._thinking(value)
        elif kind == "citation":
            block = TextBlock("", [read_citation(value)])
        else:
            return self._grow_data(self._slots.get(index), kind, value)
        pieces: list[Piece] = []
        slot = self._slot(index, type(block), pieces)
        if kind == "citation":
            slot.citations.append(value)
        return [*pieces, Part(slot.key, block)]

    def _thinking(self, delta: JsonObject) -> ThinkingBlock:
        if delta.keys() == {"redactedContent"}:
            return read_redacted(delta["redactedContent"], self._issuer)
        signature = delta.get("signature")
        block = ThinkingBlock(require_text(delta.get("text", "")))
        block.signature = None if signature is None else require_text(signature)
        if fields := without(delta, "text", "signature"):
            block.extras = {name_answers(self._issuer): {"reasoningText": json_bytes(fields)}}
        return block

    def _grow_data(self, slot: GrowingBlock | None, kind: str, value: Any) -> list[Piece]:
        """Read input of a call, content of a result, or bytes of an image."""
        if slot is not None and kind == "toolUse" and slot.kind is ToolUseBlock:
            text = require_text(value["input"])
            return [Part(slot.key, ToolUseBlock("", "", raw_input=text))] if text else []
        if slot is not None and kind == "image" and slot.kind is ImageBlock:
            return [Part(slot.key, read_block({"image": {**slot.data, **value}}, self._issuer))]
        begun = slot.data.get(kind) if slot is not None else None
        if slot is None or not isinstance(begun, dict) or kind not in _EMPTY:
            raise TypeError("a delta that fits no block")
        if kind == "toolUse":
            slot.pieces.append(require_text(value["input"]))
        elif isinstance(value, list) and isinstance(begun["content"], list):
            slot.pieces += json_bytes(value)
        else:
            raise TypeError("the content of a result is a list")
        slot.changed = True
        return []

    def _stop(self, event: JsonObject) -> list[Piece]:
        """Read `contentBlockStop`: return what was held until the end of the block."""
        slot = self._slots.get(event["contentBlockIndex"])
        return slot.end(self._issuer, self._whole_block) if slot is not None else []

    def _whole_block(self, slot: GrowingBlock) -> ContentBlock:
        """Return the object as in a whole answer; interrupted input is kept as text."""
        data = slot.data
        if "toolResult" in data:
            result = data["toolResult"]
            content = [*result["content"], *slot.pieces]
            return read_block({**data, "toolResult": {**result, "content": content}}, self._issuer)
        text, call = "".join(slot.pieces), data["toolUse"]
        value = parse_arguments(text) if text else call["input"]
        if isinstance(value, dict):
            return read_block({**data, "toolUse": {**call, "input": value}}, self._issuer)
        block = read_block(data, self._issuer)
        block.extras = {name_answers(self._issuer): {"input": text}}
        return block

    def _other(self, payload: JsonObject, event: str | None) -> list[Piece]:
        output = payload.get("output")
        if isinstance(output, dict) and ("message" in output or "stopReason" in payload):
            return self._whole_answer(payload)
        for name, read in _EVENTS.items():
            if isinstance(payload.get(name), dict):
                return read(self, payload[name])
        if event in _EVENTS:
            return _EVENTS[event](self, payload)
        name = next((key for key in payload if key in FAULTS), event or "")
        if name.endswith("Exception"):
            error = payload[name] if isinstance(payload.get(name), dict) else payload
            return [Failed(provider_error(error, FAULTS.get(name), name))]
        if event is None:
            name = next((name for key, name in _SHAPES if key in payload), "")
            if name:
                return _EVENTS[name](self, payload)
        if any(key in payload for key in _ERROR_KEYS):
            return [self._read_failure(payload, event)]
        raise ValueError("no event of ConverseStream")

    def _read_failure(self, payload: JsonObject, event: str | None) -> Failed:
        """Read the body of an error, or what boto3's ClientError holds of it."""
        data = payload.get("Error")
        meta = payload.get("ResponseMetadata")
        status = meta.get("HTTPStatusCode") if isinstance(meta, dict) else None
        body = data if isinstance(data, dict) else payload
        error = provider_error(body, status if type(status) is int else None, event)
        error.body = payload
        return Failed(error)

    def _whole_answer(self, payload: JsonObject) -> list[Piece]:
        output, usage, reason = payload["output"], payload.get("usage"), payload.get("stopReason")
        message = output.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if content and not isinstance(content, list):
            raise TypeError("content is a list")
        blocks = [read_block(part, self._issuer) for part in content or ()]
        pieces: list[Piece] = [Part((0, index), block) for index, block in enumerate(blocks)]
        fields = without(payload, "output")
        if isinstance(reason, str):
            del fields["stopReason"]
        if isinstance(usage, dict) and usage:
            pieces.append(read_usage(fields.pop("usage"), self._issuer))
        unknown = output
        if isinstance(message, dict):
            unknown = without(output, "message")
            message = _without_role(message)
            if message := without(message, "content") if isinstance(content, list) else message:
                unknown["message"] = message
        if unknown:
            fields["output"] = unknown
        return [*pieces, *self._fields(fields), End(read_finish(reason, FINISH_REASONS))]

    def _fields(self, data: JsonObject) -> list[Piece]:
        """Return the fields without a node, and the id of the request, where a library adds it."""
        fields = without(data, "p")  # padding
        if not fields:
            return []
        id = next((id for id in request_ids(fields) if isinstance(id, str)), None)
        return [Meta(json_bytes(fields), id=id, issuer=self._issuer)]

    def _message_start(self, data: JsonObject) -> list[Piece]:
        return self._fields(_without_role(data))

    def _message_stop(self, data: JsonObject) -> list[Piece]:
        reason = data.get("stopReason")
        fields = without(data, "stopReason") if isinstance(reason, str) else data
        return [*self._fields(fields), End(read_finish(reason, FINISH_REASONS))]

    def _metadata(self, data: JsonObject) -> list[Piece]:
        usage = data.get("usage")
        if not isinstance(usage, dict):
            return self._fields(data)
        return [*self._fields(without(data, "usage")), read_usage(usage, self._issuer)]


_EVENTS: dict[str, Callable[[ConverseReader, JsonObject], list[Piece]]] = {
    _DELTA: ConverseReader._grow,
    "contentBlockStart": ConverseReader._start,
    "contentBlockStop": ConverseReader._stop,
    "messageStart": ConverseReader._message_start,
    "messageStop": ConverseReader._message_stop,
    "metadata": ConverseReader._metadata,
}


def _without_role(data: JsonObject) -> JsonObject:
    """Return the fields of a message without its role, which is always the same."""
    return without(data, "role") if data.get("role") == "assistant" else data
