"""Answers of `/api/chat`, whole or line by line, as pieces.

Reference: ollama docs/api.md and api/types.go, ChatResponse; recorded answers. Thinking, text,
images and calls stand in fields of their own: blocks come in this order. Every entry of
`tool_calls` is a whole call, in whichever line it comes, the last one included.
"""

from __future__ import annotations

from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, fault
from ...message import Finish, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from ...message.answer import FinishReason
from ...message.blocks import answered
from ..chat_shape import UNTYPED
from .dialect import Dialect
from .messages import medium

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
        made: list[Piece] = []
        message = payload.get("message")
        done = payload.get("done") is True
        if message is None and not done:
            if payload.get("error"):
                return [Failed(fault(payload, name=event))]
            raise KeyError("message")
        first = not self._begun
        whole = done and first
        if first and not done:  # before all else who answers
            self._about(payload, made, whole)
        if isinstance(message, dict):
            self._message(message, made, whole)
        elif message is not None:
            raise TypeError("a message is an object")
        if done:
            self._about(payload, made, whole)
        elif not first and (len(payload) > 4 or payload.get("model") != self._model):
            self._rest(payload, made, whole)
        if payload.get("error"):
            made.append(Failed(fault(payload, name=event)))
        self._begun = True
        return made

    def finish(self) -> list[Piece]:
        """Nothing: every line says what it has to say."""
        return []

    def _message(self, told: JsonObject, made: list[Piece], whole: bool) -> None:
        thinking, content = told.get("thinking"), told.get("content")
        if thinking:
            made.append(Part((0, THINKING, 0), ThinkingBlock(_text(thinking))))
        if content:
            made.append(Part((0, TEXT, 0), TextBlock(_text(content))))
        if len(told) > 2 or whole:
            for data in told.get("images") or ():
                made.append(Part((0, IMAGE, self._images), medium(_text(data))))
                self._images += 1
            for one in told.get("tool_calls") or ():
                made.append(Part((0, CALL, self._calls), self._call(one)))
                self._calls += 1
            self._aside(told, made, whole)

    def _call(self, told: JsonObject) -> ToolUseBlock:
        """One entry of `tool_calls`; older servers give no id, adapters give JSON text."""
        function = told["function"]
        given = function.get("arguments")
        block = ToolUseBlock(_text(told.get("id")), _text(function.get("name")))
        block.spelling = None if "type" in told else UNTYPED
        if isinstance(given, str):
            block.raw_input = given
        elif isinstance(given, dict):
            block.input = given
        elif given is not None:
            raise TypeError("arguments are an object")
        rest = {key: value for key, value in told.items() if key not in _CALL}
        if rest:
            block.extras = {self._issuer: rest}
        aside = {k: v for k, v in function.items() if k not in _FUNCTION or v is None}
        about: JsonObject = {"function": aside} if aside else {}
        if "type" in told:
            about["type"] = told["type"]
        if "id" in told and not block.id:
            about["id"] = told["id"]
        if about:
            block.extras = {**(block.extras or {}), answered(self._issuer): about}
        return block

    def _aside(self, told: JsonObject, made: list[Piece], whole: bool) -> None:
        """Fields of the message that nobody models; of a whole answer also what is empty."""
        rest = {k: v for k, v in told.items() if k not in _MESSAGE and (whole or v is not None)}
        if whole:
            rest |= {k: v for k, v in told.items() if k in _MESSAGE and not v}
        if "role" in told and told["role"] != "assistant":
            rest["role"] = told["role"]
        if rest or (whole and told.keys() == {"role"}):
            made.append(Meta({"message": rest}, 0, issuer=self._issuer))

    def _about(self, payload: JsonObject, made: list[Piece], whole: bool) -> None:
        """What the first line and the last say of the answer: model, time, counts, the end."""
        if "created_at" in payload:
            told = {"created_at": payload["created_at"]}
            made.append(Meta(told, issuer=self._issuer))
        self._rest(payload, made, whole)
        counts = payload.get("prompt_eval_count"), payload.get("eval_count")
        read, written = (n if type(n) is int else None for n in counts)
        if read is not None or written is not None:
            made.append(Usage(input=read, output=written))
        if payload.get("done") is True:
            raw = payload.get("done_reason")
            word = raw if isinstance(raw, str) else None
            made.append(End(Finish(REASONS.get(word, "other"), word)))

    def _rest(self, payload: JsonObject, made: list[Piece], whole: bool) -> None:
        model = payload.get("model")
        if model != self._model and isinstance(model, str):
            self._model = model
            made.append(Meta(model=model, issuer=self._issuer))
        chances = payload.get("logprobs")
        if chances is not None:
            made.append(Meta({"logprobs": chances}, joined=True, issuer=self._issuer))
        new: JsonObject = {}
        for key, value in payload.items():
            odd = whole and key in _TYPES and type(value) is not _TYPES[key]
            if (key not in _BODY or odd) and self._seen.get(key, _NONE) != value:
                self._seen[key] = new[key] = value
        if new:
            made.append(Meta(new, issuer=self._issuer))


_NONE = object()


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
