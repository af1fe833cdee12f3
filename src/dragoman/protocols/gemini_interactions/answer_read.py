"""Reads answers of Interactions, whole or in events, into pieces.

A step of a stream has a start, deltas and an end. Citations of a text count its bytes, so they are
held until the end of the step, as are steps that only this API has.

Reference: google-genai 3.4, `InteractionSSEEvent`, `StepDelta`; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ...errors import ProviderError
from ...message import AudioBlock, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ...stream.arguments import parse_arguments
from ...stream.pieces import End, Failed, Key, Meta, Part, Piece, provider_error
from ...text.json_text import Json, JsonObject
from ..chat_like.messages import read_object, require_text
from ..shared_finish_words import read_finish
from . import blocks as wire_blocks
from .answer_write import is_text, read_extras
from .blocks import ABSENT, OUTPUT, STEP
from .dialect import Dialect
from .finish_reasons import FINISH_REASONS, OPEN_STATES
from .usage import read_usage

_EVENT_FIELDS = (
    "event_type",
    "index",
    "delta",
    "step",
    "interaction",
    "interaction_id",
    "status",
    "usage",
    "error",
    "metadata",
)
_LIFECYCLE = ("object", "status", "steps", "usage", "id", "model")


class _OpenStep:
    """One step of a stream: its start, and what has come of it."""

    __slots__ = (
        "annotations",
        "arguments",
        "contents",
        "data",
        "index",
        "kind",
        "last",
        "summary",
        "text",
    )

    def __init__(self, index: int, data: JsonObject) -> None:
        self.index = index
        self.data = data
        self.kind = data.get("type")
        self.contents = 0  # how many contents have begun
        self.last = ""  # the type of the content that may continue
        self.text: list[str] = []  # of the text that may continue
        self.annotations: list[Json] = []  # of that text
        self.arguments: list[str] = []  # argument text of a call of another kind than a function
        self.summary: list[Json] = []  # of a thought, once one of its contents is more than text

    @property
    def key(self) -> Key:
        """The key of the content that may continue; for any other step, of its one block."""
        return (0, self.index, max(0, self.contents - 1))


class InteractionReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._first = True
        self._open: dict[int, _OpenStep] = {}
        self._told: set[int] = set()  # indexes of steps that came in the stream
        self._id: Any = None
        self._model: Any = None
        self._status: Any = None  # as in the last event
        self._ended = False

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one event, or of a whole answer."""
        kind = payload.get("event_type") or event
        if kind == "step.delta" and not self._first:
            delta, step = payload["delta"], self._open.get(payload["index"])
            if step is not None and len(payload) == 3 and delta.get("type") == "text":
                text = delta["text"]
                if step.last == "text" and type(text) is str and len(delta) == 2:
                    step.text.append(text)
                    return [Part(step.key, TextBlock(text))] if text else []
        pieces: list[Piece] = []
        if self._first:  # the issuer of the answer
            self._first = False
            pieces.append(Meta(issuer=self._issuer))
        if kind in _EVENTS:
            return pieces + self._event(kind, payload)
        if kind == "error" or (not payload.keys() & _BODY and payload.get("error")):
            return [*pieces, Failed(provider_error(payload, name=event))]
        if "steps" in payload or payload.get("object") == "interaction":
            return pieces + self._body(payload)
        raise LookupError("neither an answer nor an event")

    def finish(self) -> list[Piece]:
        """Return what the end of the stream completes: steps without an end, and the state."""
        pieces: list[Piece] = []
        for step in list(self._open.values()):
            pieces += self._stop(step)
        if not self._ended and is_text(self._status) and self._status not in OPEN_STATES:
            pieces.append(End(read_finish(self._status, FINISH_REASONS)))
        return pieces

    def _event(self, kind: str, payload: JsonObject) -> list[Piece]:
        """Read an event of a stream; fields that no node can hold are extras of the answer."""
        pieces: list[Piece] = []
        if kind == "step.start":
            pieces = self._start(_index(payload["index"]), payload["step"])
        elif kind == "step.delta":
            delta = payload["delta"]
            pieces = self._delta(_index(payload["index"]), delta)
            known = _DELTA_FIELDS.get(delta["type"])
            if known and (other := {k: v for k, v in delta.items() if k not in known}):
                pieces.append(Meta({"delta": other}, issuer=self._issuer))
        elif kind == "step.stop":
            step = self._open.get(_index(payload["index"]))
            pieces = self._stop(step) if step is not None else []
        elif kind == "interaction.status_update":
            self._status = payload.get("status")
        elif kind == "interaction.completed":
            pieces = self._read_completed(payload["interaction"])
        else:
            pieces = self._read_created(payload["interaction"])
        metadata = read_object(payload.get("metadata"))
        usages = (payload.get("usage"), metadata.get("usage"), metadata.get("total_usage"))
        pieces += [read_usage(usage, self._issuer) for usage in usages if isinstance(usage, dict)]
        unknown = {key: value for key, value in payload.items() if key not in _EVENT_FIELDS}
        other = {k: v for k, v in metadata.items() if k not in ("usage", "total_usage")}
        unknown |= {"metadata": other} if other else {}
        return [*pieces, Meta(unknown, issuer=self._issuer)] if unknown else pieces

    def _read_names(self, body: JsonObject) -> list[Piece]:
        """Read the id and model of the answer, if they are new."""
        pieces: list[Piece] = []
        if is_text(body.get("id")) and body["id"] != self._id:
            self._id = body["id"]
            pieces.append(Meta(id=self._id, issuer=self._issuer))
        if is_text(body.get("model")) and body["model"] != self._model:
            self._model = body["model"]
            pieces.append(Meta(model=self._model, issuer=self._issuer))
        return pieces

    def _read_created(self, body: JsonObject) -> list[Piece]:
        pieces = self._read_names(body)
        self._status = body.get("status")
        extras = {key: value for key, value in body.items() if key not in _LIFECYCLE}
        return [*pieces, Meta(extras, issuer=self._issuer)] if extras else pieces

    def _read_completed(self, body: JsonObject) -> list[Piece]:
        """Read the end of a stream: its figures, and steps that did not come before."""
        pieces = self._read_names(body)
        for step in list(self._open.values()):
            pieces += self._stop(step)
        steps = body.get("steps")
        for index, step in enumerate(steps if isinstance(steps, list) else ()):
            if index not in self._told:
                pieces += self._whole(index, step)
        return pieces + self._ending({k: v for k, v in body.items() if k != "steps"})

    def _body(self, body: JsonObject) -> list[Piece]:
        """Read a whole answer."""
        pieces = self._read_names(body)
        steps = body.get("steps")
        for index, step in enumerate(steps if isinstance(steps, list) else ()):
            pieces += self._whole(index, step)
        absent = [key for key in ("object", "steps") if key not in body]
        if absent:
            pieces.append(Meta(issuer=self._issuer, notes={ABSENT: absent}))
        return pieces + self._ending(body)

    def _ending(self, body: JsonObject) -> list[Piece]:
        """Read the figures, other fields, and why it ended, if it has."""
        pieces: list[Piece] = []
        if isinstance(body.get("usage"), dict) and body["usage"]:
            pieces.append(read_usage(body["usage"], self._issuer))
        if extras := read_extras(body):
            pieces.append(Meta(extras, issuer=self._issuer))
        self._status = status = body.get("status")
        if status == "failed":
            pieces.append(Failed(_failure(body)))
        if is_text(status) and status not in OPEN_STATES:
            self._ended = True
            pieces.append(End(read_finish(status, FINISH_REASONS)))
        return pieces

    def _whole(self, index: int, step: Json) -> list[Piece]:
        if isinstance(step, dict):
            blocks = wire_blocks.read_step(step, self._issuer)
        else:
            blocks = [wire_blocks.raw_step(step, self._issuer)]
        return [Part((0, index, i), block) for i, block in enumerate(blocks)]

    def _start(self, index: int, data: JsonObject) -> list[Piece]:
        """Read the start of a step, and what it holds already."""
        pieces = self._stop(self._open[index]) if index in self._open else []
        step = self._open[index] = _OpenStep(index, data)
        self._told.add(index)
        if step.kind == "thought":
            return [*pieces, Part(step.key, wire_blocks.read_thought(data, self._issuer))]
        if step.kind == "function_call":
            call = wire_blocks.read_call(data, self._issuer)
            return [*pieces, Part(step.key, call)]
        if step.kind == OUTPUT:
            content = data.get("content")
            for item in content if isinstance(content, list) else ():
                pieces += self._content(step, item)
        return pieces

    def _delta(self, index: int, delta: JsonObject) -> list[Piece]:
        """Read a delta of a step.

        Raises:
            LookupError: If no step of its kind has such deltas.
        """
        step, kind = self._open.get(index), delta["type"]
        if step is None:  # the step was not announced
            step = self._open[index] = _OpenStep(index, {"type": _KINDS.get(kind, OUTPUT)})
            self._told.add(index)
        if step.kind == "thought":
            return self._thought(step, kind, delta)
        if step.kind == OUTPUT:
            return self._output(step, kind, delta)
        if kind == "arguments_delta":
            text = require_text(delta.get("arguments", ""))
            if step.kind == "function_call":
                return [Part(step.key, ToolUseBlock("", "", raw_input=text))] if text else []
            step.arguments.append(text)
            return []
        if kind != step.kind:
            raise LookupError(f"nothing grows by {kind} in a step of another kind")
        step.data = {**step.data, **delta}
        return []

    def _thought(self, step: _OpenStep, kind: str, delta: JsonObject) -> list[Piece]:
        if kind == "thought_signature":
            signature = require_text(delta.get("signature", ""))
            return [Part(step.key, ThinkingBlock("", signature=signature))] if signature else []
        if kind != "thought_summary":
            raise LookupError("no delta of a thought")
        content = delta.get("content")
        fields = read_object(content)
        text = require_text(fields["text"]) if fields.get("type") == "text" else ""
        plain = fields.get("type") == "text" and len(fields) == 2
        if plain and not step.summary:
            step.text.append(text)
            return [Part(step.key, ThinkingBlock(text))]
        if not step.summary and step.text:
            step.summary.append({"type": "text", "text": "".join(step.text)})
        step.summary.append(content)
        extras = {self._issuer: {"summary": [content]}}  # `_stop` adds all of them
        return [Part(step.key, ThinkingBlock(text, extras=extras))]

    def _output(self, step: _OpenStep, kind: str, delta: JsonObject) -> list[Piece]:
        if kind == "text":
            text = require_text(delta["text"])
            if step.last == "text" and len(delta) == 2:
                step.text.append(text)
                return [Part(step.key, TextBlock(text))]
            return self._content(step, delta)
        if kind == "text_annotation_delta":
            entries = delta.get("annotations")
            if not isinstance(entries, list):
                raise TypeError("annotations are a list")
            if step.last != "text":
                pieces = self._content(step, {"type": "text", "text": ""})
                step.annotations += entries
                return pieces
            step.annotations += entries
            return []
        if kind in MEDIA_KINDS:
            if kind == "audio" and step.last == "audio":
                block = wire_blocks.read_content(delta, self._issuer)
                if type(block) is AudioBlock:
                    return [Part(step.key, block)]
            return self._content(step, delta)
        raise LookupError("no delta of what the model says")

    def _content(self, step: _OpenStep, data: Json) -> list[Piece]:
        """Begin a content; the first one has the fields of its step."""
        pieces = self._read_annotations(step)
        step.contents += 1
        step.last = str(read_object(data).get("type"))
        block = wire_blocks.read_content(data, self._issuer)
        if type(block) is TextBlock:
            step.text = [block.text]
        elif type(block) is RawBlock:
            block.by = "server"
        if step.contents == 1:
            wire_blocks.add_note(block, STEP)
            known = ("type", "content")
            fields = {key: value for key, value in step.data.items() if key not in known}
            if type(block) is not RawBlock:
                wire_blocks.add_extras(block, self._issuer, {OUTPUT: fields} if fields else {})
        return [*pieces, Part(step.key, block)]

    def _read_annotations(self, step: _OpenStep) -> list[Piece]:
        """Read the citations of a text that has ended."""
        entries, step.annotations = step.annotations, []
        if not entries:
            return []
        text = "".join(step.text)
        citations, unknown = wire_blocks.read_annotations(text, entries, self._issuer)
        extras = {self._issuer: unknown} if unknown else None
        return [Part(step.key, TextBlock("", citations, extras=extras))]

    def _stop(self, step: _OpenStep) -> list[Piece]:
        """Read the end of a step."""
        del self._open[step.index]
        if step.kind == "thought" and len(step.summary) > 1:
            extras = {self._issuer: {"summary": step.summary}}
            return [Part(step.key, ThinkingBlock("", extras=extras))]
        if step.kind in ("thought", "function_call"):
            return []
        if step.kind == OUTPUT and step.contents:
            return self._read_annotations(step)
        data = step.data
        if step.arguments:
            data = {**data, "arguments": parse_arguments("".join(step.arguments))}
        blocks: list[ContentBlock] = wire_blocks.read_step(data, self._issuer)
        return [Part((0, step.index, i), block) for i, block in enumerate(blocks)]


def _failure(body: JsonObject) -> ProviderError:
    """Return the error of a failed interaction: the first, if it names any."""
    errors = body.get("errors")
    named = errors[0] if isinstance(errors, list) and errors else None
    data = named if isinstance(named, dict) else {"message": "the interaction failed"}
    error = provider_error({"error": data}, name="failed")
    error.body = body
    return error


def _index(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("an index is a number")
    return value


_EVENTS = frozenset(
    {
        "interaction.created",
        "interaction.status_update",
        "interaction.completed",
        "step.start",
        "step.delta",
        "step.stop",
    }
)
_BODY = {"steps", "object", "status"}

# type of a delta that only adds to a block -> its fields
_DELTA_FIELDS = {
    "thought_summary": ("type", "content"),
    "thought_signature": ("type", "signature"),
    "arguments_delta": ("type", "arguments"),
    "text_annotation_delta": ("type", "annotations"),
}

# type of a delta -> the kind of step that it belongs to, if that was not announced
_KINDS = {
    "thought_summary": "thought",
    "thought_signature": "thought",
    "arguments_delta": "function_call",
}
