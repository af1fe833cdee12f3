"""Blocks of a stream while they grow: where each delta belongs, and what only its end makes whole.

Reference: Amazon Bedrock API reference, "ContentBlockDelta". Only tools, results and images are
begun by an event of their own; text, thinking and citations begin with their first delta.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import parsed
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, fault
from ...message import Finish, ImageBlock, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from .answer import REASONS, usage
from .blocks import block, citation, plain, sealed
from .dialect import Dialect

_EMPTY: dict[str, JsonObject] = {"toolUse": {"input": {}}, "toolResult": {"content": []}}


class _Slot:
    """One block that grows. What is held here is told at its end."""

    __slots__ = ("cited", "given", "key", "kind", "parts", "text", "whole")

    def __init__(self, key: Key, kind: type[Any]) -> None:
        self.key = key
        self.kind = kind
        self.cited: list[JsonObject] = []
        # of what only its end makes whole: how it began, the text of its input, its content
        self.given: JsonObject = {}
        self.text: list[str] = []
        self.parts: list[Json] = []
        self.whole = True


class Growing:
    """The blocks of one answer, by their index."""

    def __init__(self, issuer: str) -> None:
        self.slots: dict[int, _Slot] = {}
        self._issuer = issuer

    def _slot(self, index: Any, kind: type[Any], made: list[Piece], anew: bool = False) -> _Slot:
        """The slot at this index; another one behind it where the kind is not the same."""
        if type(index) is not int:
            raise TypeError("an index is a number")
        slot = self.slots.get(index)
        if slot is not None and slot.kind is kind and not anew:
            return slot
        key: Key = (0, index)
        if slot is not None:
            made += self._told(slot)
            nth = slot.key[2] if len(slot.key) > 2 else 0
            key = (0, index, nth + 1)
        slot = self.slots[index] = _Slot(key, kind)
        return slot

    def start(self, told: JsonObject) -> list[Piece]:
        """`contentBlockStart`: `{"toolUse"}`, `{"toolResult"}`, `{"image"}`; empty says nothing."""
        begun = told.get("start") or {}
        if not begun:
            return []
        made: list[Piece] = []
        if isinstance(begun.get("image"), dict):  # its bytes come next
            slot = self._slot(told["contentBlockIndex"], ImageBlock, made, anew=True)
            slot.given = begun["image"]
            return made
        for key in ("toolUse", "toolResult"):
            if isinstance(begun.get(key), dict):
                begun = {**begun, key: {**_EMPTY[key], **begun[key]}}
        first = block(begun, self._issuer)
        slot = self._slot(told["contentBlockIndex"], type(first), made, anew=True)
        if type(first) is RawBlock:
            slot.given = first.data
        return [*made, Part(slot.key, first)]

    def grow(self, told: JsonObject) -> list[Piece]:
        """What a `contentBlockDelta` adds. Raises TypeError where it fits no block."""
        index, delta = told["contentBlockIndex"], told["delta"]
        made: list[Piece] = []
        if len(delta) != 1:
            raise TypeError("a delta has one member")
        ((kind, said),) = delta.items()
        if kind == "text":
            slot = self._slot(index, TextBlock, made)
            made.append(Part(slot.key, TextBlock(_text(said))))
        elif kind == "reasoningContent":
            thought = self._thought(said)
            slot = self._slot(index, ThinkingBlock, made)
            made.append(Part(slot.key, thought))
        elif kind == "citation":
            cited = citation(said)
            slot = self._slot(index, TextBlock, made)
            slot.cited.append(said)
            made.append(Part(slot.key, TextBlock("", [cited])))
        else:
            made += self._more(self.slots.get(index), kind, said)
        return made

    def _thought(self, said: JsonObject) -> ThinkingBlock:
        if said.keys() == {"redactedContent"}:
            return sealed(said["redactedContent"], self._issuer)
        signature = said.get("signature")
        made = ThinkingBlock(_text(said.get("text", "")))
        made.signature = None if signature is None else _text(signature)
        rest = {key: value for key, value in said.items() if key not in ("text", "signature")}
        if rest:
            made.extras = {answered(self._issuer): {"reasoningText": plain(rest)}}
        return made

    def _more(self, slot: _Slot | None, kind: str, said: Any) -> list[Piece]:
        """Input of a call, content of a result, bytes of an image."""
        if slot is not None and kind == "toolUse" and slot.kind is ToolUseBlock:
            text = _text(said["input"])
            return [Part(slot.key, ToolUseBlock("", "", raw_input=text))] if text else []
        begun = slot.given.get(kind) if slot is not None else None
        if slot is not None and kind == "toolUse" and isinstance(begun, dict):
            slot.text.append(_text(said["input"]))
            slot.whole = False
            return []
        if slot is not None and kind == "toolResult" and isinstance(begun, dict):
            if not isinstance(said, list) or not isinstance(begun["content"], list):
                raise TypeError("the content of a result is a list")
            slot.parts += plain(said)
            slot.whole = False
            return []
        if slot is not None and kind == "image" and slot.kind is ImageBlock:
            return [Part(slot.key, block({"image": {**slot.given, **said}}, self._issuer))]
        raise TypeError("a delta that fits no block")

    def stop(self, told: JsonObject) -> list[Piece]:
        """`contentBlockStop`: what the block held back."""
        slot = self.slots.get(told["contentBlockIndex"])
        return self._told(slot) if slot is not None else []

    def finish(self) -> list[Piece]:
        """The same for all blocks whose end did not come."""
        return [piece for slot in self.slots.values() for piece in self._told(slot)]

    def _told(self, slot: _Slot) -> list[Piece]:
        made: list[Piece] = []
        if slot.cited:
            own = {self._issuer: {"citations": slot.cited}}
            made.append(Part(slot.key, TextBlock("", extras=own)))
            slot.cited = []
        if not slot.whole:
            made.append(Part(slot.key, self._whole(slot), whole=True))
            slot.whole = True
        return made

    def _whole(self, slot: _Slot) -> ContentBlock:
        """The object as it stands in a whole answer; input that breaks off is kept as text."""
        began = slot.given
        if "toolResult" in began:
            result = began["toolResult"]
            content = [*result["content"], *slot.parts]
            return block({**began, "toolResult": {**result, "content": content}}, self._issuer)
        text = "".join(slot.text)
        given = parsed(text) if text else began["toolUse"]["input"]
        if isinstance(given, dict):
            call = {**began["toolUse"], "input": given}
            return block({**began, "toolUse": call}, self._issuer)
        made = block(began, self._issuer)
        made.extras = {answered(self._issuer): {"input": text}}
        return made


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


# service model: what each exception is over HTTP
FAULTS = {
    "internalServerException": 500,
    "modelStreamErrorException": 424,
    "modelTimeoutException": 408,
    "serviceUnavailableException": 503,
    "throttlingException": 429,
    "validationException": 400,
}


_DELTA = "contentBlockDelta"


# events by what they hold, where nobody names them
_SHAPES = (("delta", _DELTA), ("start", "contentBlockStart"), ("stopReason", "messageStop"),
           ("contentBlockIndex", "contentBlockStop"), ("usage", "metadata"),
           ("metrics", "metadata"), ("role", "messageStart"))  # fmt: skip


_ERRORS = ("message", "Message", "Error", "error", "__type")


_PADDING = "p"


class ConverseReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._blocks = Growing(self._issuer)
        self._slots = self._blocks.slots
        self._first = True
        self._events: dict[str, Callable[[JsonObject], list[Piece]]] = {
            _DELTA: self._blocks.grow,
            "contentBlockStart": self._blocks.start,
            "contentBlockStop": self._blocks.stop,
            "messageStart": self._begun,
            "messageStop": self._over,
            "metadata": self._measured,
        }

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        told = payload.get(_DELTA)
        if told is None and event == _DELTA:
            told = payload
        if told is not None:
            delta = told["delta"]
            slot = self._slots.get(told["contentBlockIndex"])
            if slot is not None and slot.kind is TextBlock and len(delta) == 1:
                text = delta.get("text")
                if type(text) is str:  # by far the most of all events
                    return [Part(slot.key, TextBlock(text))] if text else []
            made = self._blocks.grow(told)
        else:
            made = self._other(payload, event)
        if self._first:  # says whose answer it is
            self._first = False
            made.insert(0, Meta(issuer=self._issuer))
        return made

    def finish(self) -> list[Piece]:
        """What is still held of blocks whose end did not come."""
        return self._blocks.finish()

    def _other(self, payload: JsonObject, event: str | None) -> list[Piece]:
        output = payload.get("output")
        if isinstance(output, dict) and ("message" in output or "stopReason" in payload):
            return self._whole(payload)
        for name, read in self._events.items():
            if isinstance(payload.get(name), dict):
                return read(payload[name])
        if event in self._events:
            return self._events[event](payload)
        name = next((key for key in payload if key in FAULTS), event or "")
        if name.endswith("Exception"):
            inner = payload.get(name)
            told = inner if isinstance(inner, dict) else payload
            return [Failed(fault(told, FAULTS.get(name), name))]
        if event is None:
            name = next((name for key, name in _SHAPES if key in payload), "")
            if name:
                return self._events[name](payload)
        if any(key in payload for key in _ERRORS):
            return [self._failed(payload, event)]
        raise ValueError("no event of ConverseStream")

    def _failed(self, payload: JsonObject, event: str | None) -> Failed:
        """The body of an error, or what boto3's ClientError holds of it."""
        inner = payload.get("Error")
        meta = payload.get("ResponseMetadata")
        status = meta.get("HTTPStatusCode") if isinstance(meta, dict) else None
        known = status if type(status) is int else None
        made = fault(inner if isinstance(inner, dict) else payload, known, event)
        made.body = payload
        return Failed(made)

    def _whole(self, payload: JsonObject) -> list[Piece]:
        output = payload["output"]
        told = output.get("message")
        message = told if isinstance(told, dict) else {}
        content = message.get("content")
        if content and not isinstance(content, list):
            raise TypeError("content is a list")
        made: list[Piece] = []
        for index, one in enumerate(content or ()):
            made.append(Part((0, index), block(one, self._issuer)))
        known = {"output"}
        if isinstance(payload.get("stopReason"), str):
            known.add("stopReason")
        if isinstance(payload.get("usage"), dict) and payload["usage"]:
            known.add("usage")
            made.append(usage(payload["usage"], self._issuer))
        rest = {key: value for key, value in payload.items() if key not in known}
        known = {"message"} if isinstance(told, dict) else set()
        beside = {key: value for key, value in output.items() if key not in known}
        listed = isinstance(content, list)
        own = {k: v for k, v in message.items()
               if (k, v) != _ROLE and not (listed and k == "content")}  # fmt: skip
        if own:
            beside["message"] = own
        if beside:
            rest["output"] = beside
        made += self._fields(rest)
        return [*made, self._end(payload.get("stopReason"))]

    def _fields(self, told: JsonObject) -> list[Piece]:
        """Fields that nobody models, and the id of the request, where a library notes it."""
        rest = {key: value for key, value in told.items() if key != _PADDING}
        if not rest:
            return []
        noted = (rest.get("ResponseMetadata"), "RequestId"), (rest.get("$metadata"), "requestId")
        ids = [meta.get(key) for meta, key in noted if isinstance(meta, dict)]
        id = next((one for one in ids if isinstance(one, str)), None)
        return [Meta(plain(rest), id=id, issuer=self._issuer)]

    def _begun(self, told: JsonObject) -> list[Piece]:
        return self._fields({k: v for k, v in told.items() if (k, v) != _ROLE})

    def _over(self, told: JsonObject) -> list[Piece]:
        raw = told.get("stopReason")
        known = ("stopReason",) if isinstance(raw, str) else ()
        rest = self._fields({key: value for key, value in told.items() if key not in known})
        return [*rest, self._end(raw)]

    def _end(self, raw: Json) -> End:
        word = raw if isinstance(raw, str) else None
        return End(Finish(REASONS.get(word or "", "other"), word))

    def _measured(self, told: JsonObject) -> list[Piece]:
        figures = isinstance(told.get("usage"), dict)
        known = ("usage",) if figures else ()
        made = self._fields({key: value for key, value in told.items() if key not in known})
        if figures:
            made.append(usage(told["usage"], self._issuer))
        return made


_ROLE = ("role", "assistant")
