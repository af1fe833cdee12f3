"""Reads answers of `/api/chat`, whole or line by line, into pieces.

Reference: ollama docs/api.md and api/types.go, ChatResponse; recorded answers. Thinking, text,
images and calls have separate fields, and blocks come in this order. Every entry of `tool_calls` is
a whole call, in whichever line it comes, even the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...message import Finish, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from ...message.blocks import name_answers
from ...stream.pieces import End, Failed, Meta, Part, Piece, provider_error
from ...text.json_text import Json, JsonObject
from ..answers import read_figures
from ..chat_like.messages import UNTYPED, answered_call, require_text
from ..shared_finish_words import read_finish
from .dialect import Dialect
from .finish_reasons import CLOSED, FINISH_REASONS
from .messages import read_medium
from .usage import COUNTS

THINKING, TEXT, IMAGE, CALL = range(4)


_BODY = {
    "model",
    "message",
    "done",
    "done_reason",
    "created_at",
    "logprobs",
    "prompt_eval_count",
    "eval_count",
}
_TYPES = {
    "model": str,
    "message": dict,
    "done_reason": str,
    "prompt_eval_count": int,
    "eval_count": int,
}
_MESSAGE = {"role", "content", "thinking", "images", "tool_calls"}
_PLAIN = {"role", "content", "thinking"}  # the fields of a line of text
_ASSISTANT = ("assistant", None)
_CALL = {"id", "type", "function"}
_FUNCTION = {"name", "arguments"}
_NONE = object()


def _is_last(payload: JsonObject) -> bool:
    """Whether this is the last line; some backends give the reason without `done`.

    (ollama/ollama-vscode pull request 61, looked up on 2026-11-28.)
    """
    return payload.get("done") is True or (
        "done" not in payload and bool(payload.get("done_reason"))
    )


class OllamaReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._begun = False
        self._calls = self._images = 0
        self._model: Any = None
        self._seen: JsonObject = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one line, or of a whole answer."""
        pieces: list[Piece] = []
        message = payload.get("message")
        done = _is_last(payload)
        if message is None and not done:
            if payload.get("error"):
                return [Failed(provider_error(payload, name=event))]
            raise KeyError("message")
        first = not self._begun
        whole = done and first
        if first and not done:  # the model and time come first
            pieces += self._about(payload, whole)
        if isinstance(message, dict):
            self._message(message, pieces, whole)
        elif message is not None:
            raise TypeError("a message is an object")
        if done:
            pieces += self._about(payload, whole)
        elif not first and (len(payload) > 4 or payload.get("model") != self._model):
            pieces += self._fields(payload, whole)
        if payload.get("error"):
            pieces.append(Failed(provider_error(payload, name=event)))
        self._begun = True
        return pieces

    def finish(self) -> list[Piece]:
        """Return nothing: every line is complete."""
        return []

    def _message(self, message: JsonObject, pieces: list[Piece], whole: bool) -> None:
        if thinking := message.get("thinking"):
            pieces.append(Part((0, THINKING, 0), ThinkingBlock(require_text(thinking))))
        if content := message.get("content"):
            pieces.append(Part((0, TEXT, 0), TextBlock(require_text(content))))
        if not whole and message.keys() <= _PLAIN and message.get("role") in _ASSISTANT:
            return
        for data in message.get("images") or ():
            medium = read_medium("" if data is None else require_text(data))
            pieces.append(Part((0, IMAGE, self._images), medium))
            self._images += 1
        for entry in message.get("tool_calls") or ():
            pieces.append(Part((0, CALL, self._calls), self._call(entry)))
            self._calls += 1
        # fields of the message that no node can hold; of a whole answer also empty ones
        fields = {
            key: value
            for key, value in message.items()
            if key not in _MESSAGE and (whole or value is not None)
        }
        if whole:
            fields |= {key: message[key] for key in message if key in _MESSAGE and not message[key]}
        if message.get("role", "assistant") != "assistant":
            fields["role"] = message["role"]
        if fields or (whole and message.keys() == {"role"}):
            pieces.append(Meta({"message": fields}, 0, issuer=self._issuer))

    def _call(self, data: JsonObject) -> ToolUseBlock:
        """Read one entry of `tool_calls`; older servers give no id, adapters give JSON text."""
        function = data["function"]
        texts = data.get("id"), function.get("name")
        id, name = ("" if text is None else require_text(text) for text in texts)
        block = answered_call(id, name, function.get("arguments"))
        block.spelling = None if "type" in data else UNTYPED
        fields = {key: value for key, value in data.items() if key not in _CALL}
        unknown = {k: v for k, v in function.items() if k not in _FUNCTION or v is None}
        answer_fields: JsonObject = {"function": unknown} if unknown else {}
        if "type" in data:
            answer_fields["type"] = data["type"]
        if "id" in data and not block.id:
            answer_fields["id"] = data["id"]
        extras = {self._issuer: fields, name_answers(self._issuer): answer_fields}
        block.extras = {issuer: values for issuer, values in extras.items() if values} or None
        return block

    def _about(self, payload: JsonObject, whole: bool) -> Iterator[Piece]:
        """Read the model, time, counts and end of the answer in its first and last line."""
        if "created_at" in payload:
            yield Meta({"created_at": payload["created_at"]}, issuer=self._issuer)
        yield from self._fields(payload, whole)
        if (usage := read_figures(payload, COUNTS)) != Usage():
            yield usage
        if _is_last(payload):
            reason = payload.get("done_reason")
            if reason == CLOSED:  # the answer has no end
                yield Meta({"done_reason": reason}, issuer=self._issuer)
                return
            # `load` and `unload` answer a request without messages
            has_reason = isinstance(reason, str)
            yield End(read_finish(reason, FINISH_REASONS) if has_reason else Finish("stop"))

    def _fields(self, payload: JsonObject, whole: bool) -> Iterator[Piece]:
        model = payload.get("model")
        if model != self._model and isinstance(model, str):
            self._model = model
            yield Meta(model=model, issuer=self._issuer)
        if (logprobs := payload.get("logprobs")) is not None:
            yield Meta({"logprobs": logprobs}, joined=True, issuer=self._issuer)
        new: JsonObject = {}
        for key, value in payload.items():
            misplaced = whole and key in _TYPES and type(value) is not _TYPES[key]
            if (key not in _BODY or misplaced) and self._seen.get(key, _NONE) != value:
                self._seen[key] = new[key] = value
        if new:
            yield Meta(new, issuer=self._issuer)
