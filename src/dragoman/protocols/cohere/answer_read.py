"""Reads answers of Cohere's chat, whole or in events, into pieces.

Reference: Cohere API, "Chat", response; "Chat with Streaming"; recorded answers.
"""

from __future__ import annotations

from ...message import RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, name_answers
from ...stream.pieces import End, Failed, Key, Meta, Part, Piece, finish_error, provider_error
from ...text.json_text import Json, JsonObject
from ..chat_like.messages import UNTYPED, answered_call, require_text
from ..shared_finish_words import read_finish
from .blocks import PLAN, TEXT, attach_citations, cited_item, read_citation, read_part
from .dialect import Dialect
from .finish_reasons import FINISH_REASONS
from .usage import read_usage

_CONTENT, _PLAN, _CALL = range(3)  # the kinds of places that blocks have

_BODY_FIELDS = ("id", "message", "finish_reason", "usage")
# an empty field, or one of another type, has no meaning here, but is kept
_MESSAGE_FIELDS: dict[str, tuple[type, ...]] = {
    "content": (list, str),
    "tool_plan": (str,),
    "tool_calls": (list,),
    "citations": (list,),
}
_EMPTY_MESSAGE: JsonObject = {
    "role": "assistant",
    "content": [],
    "tool_plan": "",
    "tool_calls": [],
    "citations": [],
}
_END_EVENTS = frozenset({"content-end", "tool-call-end", "citation-end"})
_EVENT_FIELDS = ("type", "id", "index", "delta")
_PART_FIELDS = (*_EVENT_FIELDS, "logprobs")
_ERROR_FIELDS = {"error", "error_type", "detail"}


class CohereReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._citations: dict[Key, list[Json]] = {}
        self._thinking: set[int] = set()  # indexes of items that are thinking
        self._first = True
        self._error = ""  # the reason, if it is an error without an event of its own

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one event, or of a whole answer."""
        kind = payload.get("type")
        if kind == "content-delta" and not self._first and "logprobs" not in payload:
            content = payload["delta"]["message"]["content"]
            text, index = content.get("text"), payload["index"]
            if type(text) is str and len(content) == 1 and type(index) is int:
                return [Part((0, _CONTENT, index), TextBlock(text))]
        pieces: list[Piece] = []
        if self._first:  # the issuer of the answer
            self._first = False
            pieces.append(Meta(issuer=self._issuer))
        if kind in _END_EVENTS:
            return pieces
        if not isinstance(kind, str):
            return pieces + self._body(payload, event)
        if kind == "debug":  # the prompt as the model saw it, for clients that may ask for it
            fields = {key: value for key, value in payload.items() if key != "type"}
            return [*pieces, Meta({"debug": fields}, issuer=self._issuer)]
        if kind == "message-end":
            return pieces + self._end(payload)
        return pieces + self._event(kind, payload)

    def finish(self) -> list[Piece]:
        """Return nothing, unless the reason was an error without an event of its own."""
        return [Failed(finish_error(self._error))] if self._error else []

    def _body(self, payload: JsonObject, event: str | None) -> list[Piece]:
        """Read a whole answer, or an error."""
        message = payload.get("message")
        if isinstance(message, dict) and not ("done" in payload or "choices" in payload):
            finish = self._finish(payload.get("finish_reason"))
            return [*_read_body(payload, self._issuer), finish]
        if isinstance(message, str) or _ERROR_FIELDS & payload.keys():
            return [Failed(provider_error(payload, name=event))]
        raise LookupError("neither an answer nor an error")

    def _finish(self, raw: Json) -> End:
        finish = read_finish(raw, FINISH_REASONS)
        if finish.reason == "error":
            self._error = finish.raw or ""
        return End(finish)

    def _event(self, kind: str, payload: JsonObject) -> list[Piece]:
        """Read an event of a stream; fields that no node can hold are extras of the answer.

        Raises:
            LookupError: For an event of another name.
        """
        message: JsonObject = payload["delta"]["message"]
        if kind == "message-start":
            pieces = self._start(payload, message)
        elif kind == "citation-start":
            pieces = [self._citation(message["citations"])]
        else:
            pieces = [self._part(kind, payload, message)]
        if "logprobs" in payload:  # each event has those of its own text
            logprobs = {"logprobs": [payload["logprobs"]]}
            pieces.append(Meta(logprobs, joined=True, issuer=self._issuer))
        if unknown := {key: payload[key] for key in payload if key not in _PART_FIELDS}:
            pieces.append(Meta(unknown, issuer=self._issuer))
        return pieces

    def _part(self, kind: str, payload: JsonObject, message: JsonObject) -> Part:
        """Read a part of an item, of the plan or of a call."""
        if kind == "tool-plan-delta":
            return Part((0, _PLAN, 0), TextBlock(require_text(message["tool_plan"]), spelling=PLAN))
        index = payload["index"]
        if type(index) is not int:
            raise TypeError("an index is a number")
        if kind == "content-delta":
            return Part((0, _CONTENT, index), self._content_delta(message["content"]))
        if kind == "content-start":
            block = read_part(message["content"], self._issuer, "server")
            if type(block) is ThinkingBlock:
                self._thinking.add(index)
            return Part((0, _CONTENT, index), block)
        if kind == "tool-call-start":
            return Part((0, _CALL, index), read_call(message["tool_calls"], self._issuer))
        if kind == "tool-call-delta":
            text = require_text(message["tool_calls"]["function"]["arguments"])
            return Part((0, _CALL, index), ToolUseBlock("", "", raw_input=text))
        raise LookupError(f"no event is called {kind}")

    def _content_delta(self, content: JsonObject) -> ContentBlock:
        """Read a part of an item of the content, whose key is its type."""
        key = "thinking" if "thinking" in content else "text"
        text = require_text(content[key])
        block: ContentBlock = ThinkingBlock(text) if key == "thinking" else TextBlock(text)
        if unknown := {k: v for k, v in content.items() if k not in (key, "type")}:
            block.extras = {self._issuer: unknown}
        return block

    def _citation(self, citation: JsonObject) -> Piece:
        """Read a citation, which comes as a whole, for its item or the plan."""
        index = cited_item(citation)
        if index is None:
            extras = {"message": {"citations": [citation]}}
            return Meta(extras, 0, joined=True, issuer=self._issuer)
        key = (0, _PLAN, 0) if index < 0 else (0, _CONTENT, index)
        citations = self._citations.setdefault(key, [])
        citations.append(citation)
        extras = {self._issuer: {"citations": citations}}
        if index in self._thinking:
            return Part(key, ThinkingBlock("", extras=extras))
        spelling = PLAN if index < 0 else None
        block = TextBlock("", [read_citation(citation)], extras=extras, spelling=spelling)
        return Part(key, block)

    def _start(self, payload: JsonObject, message: JsonObject) -> list[Piece]:
        """Read the id; other fields of the message become extras unless they are empty."""
        pieces: list[Piece] = []
        if isinstance(payload.get("id"), str):
            pieces.append(Meta(id=payload["id"], issuer=self._issuer))
        unknown = {
            key: value for key, value in message.items() if value != _EMPTY_MESSAGE.get(key, ...)
        }
        if unknown:
            pieces.append(Meta({"message": unknown}, 0, issuer=self._issuer))
        return pieces

    def _end(self, payload: JsonObject) -> list[Piece]:
        """Read why it ended, the figures, and an error, which comes with status 200."""
        delta: JsonObject = payload["delta"]
        pieces: list[Piece] = []
        if usage := delta.get("usage"):
            pieces.append(read_usage(usage, self._issuer))
        pieces.append(self._finish(require_text(delta["finish_reason"])))
        known: tuple[str, ...] = ("finish_reason", "usage")
        if delta.get("error"):
            self._error = ""
            pieces.append(Failed(provider_error(delta)))
            known += ("error", "error_type")
        unknown = {key: value for key, value in delta.items() if key not in known}
        unknown |= {key: value for key, value in payload.items() if key not in _EVENT_FIELDS}
        return [*pieces, Meta(unknown, issuer=self._issuer)] if unknown else pieces


def _read_body(body: JsonObject, issuer: str) -> list[Piece]:
    """Return the pieces of a whole answer, except its end."""
    extras = {key: value for key, value in body.items() if key not in _BODY_FIELDS}
    pieces: list[Piece] = []
    if isinstance(body.get("id"), str) and body["id"]:
        pieces.append(Meta(id=body["id"], issuer=issuer))
    elif "id" in body:
        extras["id"] = body["id"]
    pieces += _read_message(body["message"], issuer)
    if isinstance(body.get("usage"), dict) and body["usage"]:
        pieces.append(read_usage(body["usage"], issuer))
    elif "usage" in body:
        extras["usage"] = body["usage"]
    if "finish_reason" in body and not isinstance(body["finish_reason"], str):
        extras["finish_reason"] = body["finish_reason"]
    return [*pieces, Meta(extras, issuer=issuer)] if extras else pieces


def _read_message(message: JsonObject, issuer: str) -> list[Piece]:
    fields = {
        key: message[key]
        for key, types in _MESSAGE_FIELDS.items()
        if message.get(key) and isinstance(message[key], types)
    }
    unknown = {key: value for key, value in message.items() if key not in ("role", *fields)}
    notes = None if "role" in message else {"role": "absent"}
    if message.get("role", "assistant") != "assistant":
        unknown["role"] = message["role"]
    content, blocks = fields.get("content", ()), list[ContentBlock]()
    if isinstance(content, str):
        blocks.append(TextBlock(content, spelling=TEXT))
    else:
        blocks += [read_part(part, issuer, "server") for part in content]
    pieces: list[Piece] = [Part((0, _CONTENT, i), block) for i, block in enumerate(blocks)]
    if "tool_plan" in fields:
        blocks.append(TextBlock(fields["tool_plan"], spelling=PLAN))
        pieces.append(Part((0, _PLAN, 0), blocks[-1]))
    if unplaced := attach_citations(blocks, fields.get("citations", []), issuer):
        unknown["citations"] = unplaced
    for i, entry in enumerate(fields.get("tool_calls", ())):
        pieces.append(Part((0, _CALL, i), _read_whole_call(entry, issuer)))
    if unknown or notes:
        extras = {"message": unknown} if unknown else None
        pieces.append(Meta(extras, 0, issuer=issuer, notes=notes))
    return pieces


def _read_whole_call(entry: Json, issuer: str) -> ContentBlock:
    """Read one entry of `tool_calls`; an object that is no function call is kept unchanged."""
    function = entry.get("function") if isinstance(entry, dict) else None
    known = isinstance(function, dict) and isinstance(function.get("name"), str)
    if not known or not isinstance(entry["function"].get("arguments"), (str, dict)):
        return RawBlock(issuer, entry, "call", by="client")
    return read_call(entry, issuer)


def read_call(entry: JsonObject, issuer: str) -> ToolUseBlock:
    """Read a call, complete or just begun. Some relays send no id; then one is generated."""
    function: JsonObject = entry.get("function") or {}
    id, name = entry.get("id"), require_text(function.get("name", ""))
    block = answered_call(id if isinstance(id, str) else "", name, function.get("arguments"))
    unknown = {key: value for key, value in entry.items() if key not in ("id", "type", "function")}
    fields: JsonObject = {} if block.id or "id" not in entry else {"id": id}
    if "type" not in entry:
        block.spelling = UNTYPED
    elif entry["type"] != "function":
        fields["type"] = entry["type"]
    if len(function) > 2:
        unknown["function"] = {k: v for k, v in function.items() if k not in ("name", "arguments")}
    extras = {issuer: unknown, name_answers(issuer): fields}
    block.extras = {key: values for key, values in extras.items() if values} or None
    return block
