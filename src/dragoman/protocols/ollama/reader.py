"""Answers of `/api/chat`, whole or line by line, as pieces.

Reference: ollama docs/api.md and api/types.go, ChatResponse; recorded answers. Thinking, text,
images and calls stand in fields of their own: blocks come in this order. Every entry of
`tool_calls` is a whole call, in whichever line it comes, the last one included.
"""

from __future__ import annotations

from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, provider_error
from ...message import Finish, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from ...message.answer import FinishReason
from ...message.blocks import answered
from ..chat_shape import UNTYPED
from .dialect import Dialect
from .messages import read_medium

THINKING, TEXT, IMAGE, CALL = range(4)


# `load` and `unload` answer a request without messages, an empty reason a closed connection
REASONS: dict[str | None, FinishReason] = {"stop": "stop", "length": "length", None: "stop"}


_BODY = {"model", "message", "done", "done_reason", "created_at", "logprobs", "prompt_eval_count",
         "eval_count"}  # fmt: skip


_TYPES = {"model": str, "message": dict, "done_reason": str, "prompt_eval_count": int,
          "eval_count": int}  # fmt: skip


_MESSAGE = {"role", "content", "thinking", "images", "tool_calls"}


_CALL = {"id", "type", "function"}


_FUNCTION = {"name", "arguments"}


class OllamaReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._begun = False
        self._calls = self._images = 0
        self._model: Any = None
        self._seen: JsonObject = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one line, or of a whole answer."""
        pieces: list[Piece] = []
        message = payload.get("message")
        done = payload.get("done") is True
        if message is None and not done:
            if payload.get("error"):
                return [Failed(provider_error(payload, name=event))]
            raise KeyError("message")
        first = not self._begun
        whole = done and first
        if first and not done:  # before all else who answers
            self._about(payload, pieces, whole)
        if isinstance(message, dict):
            self._message(message, pieces, whole)
        elif message is not None:
            raise TypeError("a message is an object")
        if done:
            self._about(payload, pieces, whole)
        elif not first and (len(payload) > 4 or payload.get("model") != self._model):
            self._rest(payload, pieces, whole)
        if payload.get("error"):
            pieces.append(Failed(provider_error(payload, name=event)))
        self._begun = True
        return pieces

    def finish(self) -> list[Piece]:
        """Nothing: every line says what it has to say."""
        return []

    def _message(self, told: JsonObject, pieces: list[Piece], whole: bool) -> None:
        thinking, content = told.get("thinking"), told.get("content")
        if thinking:
            pieces.append(Part((0, THINKING, 0), ThinkingBlock(_text(thinking))))
        if content:
            pieces.append(Part((0, TEXT, 0), TextBlock(_text(content))))
        if len(told) > 2 or whole:
            for data in told.get("images") or ():
                pieces.append(Part((0, IMAGE, self._images), read_medium(_text(data))))
                self._images += 1
            for entry in told.get("tool_calls") or ():
                pieces.append(Part((0, CALL, self._calls), self._call(entry)))
                self._calls += 1
            self._aside(told, pieces, whole)

    def _call(self, data: JsonObject) -> ToolUseBlock:
        """One entry of `tool_calls`; older servers give no id, adapters give JSON text."""
        function = data["function"]
        arguments = function.get("arguments")
        block = ToolUseBlock(_text(data.get("id")), _text(function.get("name")))
        block.spelling = None if "type" in data else UNTYPED
        if isinstance(arguments, str):
            block.raw_input = arguments
        elif isinstance(arguments, dict):
            block.input = arguments
        elif arguments is not None:
            raise TypeError("arguments are an object")
        fields = {key: value for key, value in data.items() if key not in _CALL}
        if fields:
            block.extras = {self._issuer: fields}
        unknown = {k: v for k, v in function.items() if k not in _FUNCTION or v is None}
        answer_fields: JsonObject = {"function": unknown} if unknown else {}
        if "type" in data:
            answer_fields["type"] = data["type"]
        if "id" in data and not block.id:
            answer_fields["id"] = data["id"]
        if answer_fields:
            block.extras = {**(block.extras or {}), answered(self._issuer): answer_fields}
        return block

    def _aside(self, data: JsonObject, pieces: list[Piece], whole: bool) -> None:
        """Fields of the message that nobody models; of a whole answer also what is empty."""
        fields = {k: v for k, v in data.items() if k not in _MESSAGE and (whole or v is not None)}
        if whole:
            fields |= {k: v for k, v in data.items() if k in _MESSAGE and not v}
        if "role" in data and data["role"] != "assistant":
            fields["role"] = data["role"]
        if fields or (whole and data.keys() == {"role"}):
            pieces.append(Meta({"message": fields}, 0, issuer=self._issuer))

    def _about(self, payload: JsonObject, pieces: list[Piece], whole: bool) -> None:
        """What the first line and the last say of the answer: model, time, counts, the end."""
        if "created_at" in payload:
            data = {"created_at": payload["created_at"]}
            pieces.append(Meta(data, issuer=self._issuer))
        self._rest(payload, pieces, whole)
        counts = payload.get("prompt_eval_count"), payload.get("eval_count")
        input_, output = (n if type(n) is int else None for n in counts)
        if input_ is not None or output is not None:
            pieces.append(Usage(input=input_, output=output))
        if payload.get("done") is True:
            raw = payload.get("done_reason")
            reason = raw if isinstance(raw, str) else None
            pieces.append(End(Finish(REASONS.get(reason, "other"), reason)))

    def _rest(self, payload: JsonObject, pieces: list[Piece], whole: bool) -> None:
        model = payload.get("model")
        if model != self._model and isinstance(model, str):
            self._model = model
            pieces.append(Meta(model=model, issuer=self._issuer))
        logprobs = payload.get("logprobs")
        if logprobs is not None:
            pieces.append(Meta({"logprobs": logprobs}, joined=True, issuer=self._issuer))
        new: JsonObject = {}
        for key, value in payload.items():
            misplaced = whole and key in _TYPES and type(value) is not _TYPES[key]
            if (key not in _BODY or misplaced) and self._seen.get(key, _NONE) != value:
                self._seen[key] = new[key] = value
        if new:
            pieces.append(Meta(new, issuer=self._issuer))


_NONE = object()


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
