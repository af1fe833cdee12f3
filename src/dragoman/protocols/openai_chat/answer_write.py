"""Writes whole answers of Chat Completions, and what streams of it share with them.

Reference: OpenAI API, "The chat completion object".
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from ...errors import ProviderError
from ...losses import Report
from ...message import Candidate, ChatRequest, ChatResponse, Citation, ContentBlock, Usage
from ...message.blocks import (
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    name_notes,
)
from ...message.logprobs import Logprob, write_list
from ...message.media_urls import write_url
from ...stream.arguments import MADE
from ...stream.open_block import argument_text
from ...stream.pieces import TIMES, answer_second
from ...stream.think_tags import join_think_tags
from ...text.json_text import Json, JsonObject, arguments
from .. import answers
from ..answers import AnswerWriter
from ..base import Room
from ..chat_like.messages import fill_fields, issuer_fields
from .blocks import BARE, CITATION_FIELDS, PART, TRANSCRIPT, freeform_call, write_part
from .dialect import THINKING_FIELDS, Dialect
from .finish_reasons import write_finish
from .thinking import detail_as_read, write_details
from .usage import write_usage


class ChatAnswerWriter(AnswerWriter):
    """Writes the blocks of an answer as fields of its message."""

    __slots__ = ("_thinking_field", "tags")
    token_fields = ("bytes",)

    def __init__(self, report: Report, dialect: Dialect, own: bool) -> None:
        super().__init__(report, dialect.reads_items_of, own)
        self.tags = bool(dialect.think_tags)  # whether thinking may have been read from tags
        self._thinking_field = (dialect.thinking_fields or THINKING_FIELDS)[0]

    def notes(self, node: Any) -> JsonObject:
        """Return the notes on how the node was spelled on this wire."""
        return issuer_fields(node, self.issuer)[1]

    def write_usage(self, usage: Usage) -> JsonObject:
        """Return the token counts as `usage` has them."""
        notes = self.notes(usage) if self.own else None
        return write_usage(usage, self.fields(usage), notes, self.report)

    def block(self, block: ContentBlock, offset: int) -> JsonObject:
        """Return the fields of a block or of a piece; `offset`: characters of text before it."""
        if type(block) is TextBlock:
            return self._text(block, offset)
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock:
            return self._call(block)
        if type(block) is RefusalBlock:
            self.fields(block)
            if block.category is not None and not self.own:
                self.report.add_loss("answer.unsupported", block, "category")
            return {"refusal": block.text}
        if type(block) is ImageBlock and block.source.type in ("url", "base64"):
            return {"images": [self._image(block)]}
        if block.type == "audio" and block.source.type == "base64":
            data = {"data": block.source.data} if block.source.data else {}
            return {"audio": {**data, **self.fields(block)}}
        if block.type == "raw" and self.reads(block.issuer):
            return {"tool_calls" if block.role == "call" else "images": [block.data]}
        self.report.add_loss("answer.unsupported", block)
        return {}

    def part(self, block: ContentBlock) -> Json:
        """Return an entry of content that is a list, as it was read."""
        if type(block) is TextBlock:
            return {**write_part(block), **self.fields(block)}
        if type(block) is RefusalBlock:
            return write_part(block)
        if type(block) is ImageBlock:
            return self._image(block)
        return block.data if block.type == "raw" else self.fields(block)

    def detail(self, block: ThinkingBlock, spelling: list[str]) -> JsonObject:
        """Return an entry of `reasoning_details` as it was read."""
        return detail_as_read(block, spelling, self.fields(block))

    def _text(self, block: TextBlock, offset: int) -> JsonObject:
        self.fields(block)
        if block.spelling == TRANSCRIPT:
            return {"audio": {"transcript": block.text}}
        fields: JsonObject = {"content": block.text} if block.text else {}
        rows = enumerate(block.citations or ())
        citations = [self._citation(block, citation, i, offset) for i, citation in rows]
        if annotations := [entry for entry in citations if entry is not None]:
            fields["annotations"] = annotations
        return fields

    def _citation(self, block: TextBlock, citation: Citation, i: int, offset: int) -> Json:
        """Write `url_citation`, which has four fields. Reference: `message.annotations`."""
        data = {key: getattr(citation, name) for key, name in CITATION_FIELDS.items()}
        data = {key: value for key, value in data.items() if value is not None}
        if self.own:
            entry = {"type": "url_citation", "url_citation": data} if data else {}
            return fill_fields(entry, self.fields(citation))
        path = f"citations[{i}]"
        if citation.url is None:
            self.report.add_loss("answer.unsupported", block, path, what="a citation")
            return None
        if citation.quote is not None:
            self.report.add_loss("answer.unsupported", block, f"{path}.quote", what="a citation")
        for issuer, extras in (citation.extras or {}).items():
            for key in extras:
                field = f"{path}.extras.{issuer}.{key}".rstrip(".")
                self.report.add_loss("extras.other_provider", block, field, what="a citation")
        end = len(block.text) if citation.end is None else citation.end
        span = {"start_index": offset + (citation.start or 0), "end_index": offset + end}
        return {"type": "url_citation", "url_citation": {"title": "", **data, **span}}

    def _thinking(self, block: ThinkingBlock) -> JsonObject:
        """Return thinking in the field or details that it was read from; otherwise its text."""
        spelling = (block.spelling or "").split()
        if self.own and spelling[:1] == ["detail"]:
            return {"reasoning_details": [self.detail(block, spelling)]}
        extras = self.fields(block)
        sealed = block.signature is not None or block.redacted is not None
        if block.origin is not None and self.reads(block.origin.issuer) and sealed:
            return {"reasoning_details": write_details(block, extras, in_answer=True)}
        for name in ("signature", "redacted"):
            if getattr(block, name):
                self.report.add_loss("answer.unsupported", block, name)
        in_field = spelling and spelling[0] in THINKING_FIELDS
        field = spelling[0] if in_field else self._thinking_field
        return {field: block.thinking} if block.thinking else {}

    def _image(self, block: ImageBlock) -> JsonObject:
        """Write `{"type": "image_url", "image_url": {"url": ...}}`."""
        extras = self.fields(block)
        notes = (block.spelling or "").split(" ") if self.own else []
        for name in () if self.own else ("title", "detail"):
            if getattr(block, name) is not None:
                self.report.add_loss("answer.unsupported", block, name)
        head = " ".join(note for note in notes if note not in (PART, BARE))
        url = write_url(block.source, head or None)
        link = url if BARE in notes else {"url": url}
        entry = fill_fields({"type": "image_url", "image_url": link}, extras)
        for key in (block.extras or {}).get(name_notes(self.issuer), {}).get("absent", ()):
            entry.pop(key, None)
        return entry

    def _call(self, block: ToolUseBlock) -> JsonObject:
        extras, notes = self.fields(block), self.notes(block)
        if block.freeform:
            entry = freeform_call(block, argument_text(block))
            return {"tool_calls": [fill_fields(entry, extras)]}
        text: Json = block.raw_input  # the model's own text, or a value where this wire gave one
        if not text and not (self.own and text is not None):
            text = block.input
            if block.unfinished and not text:
                text = ""
            elif not (self.own or isinstance(text, str)):
                text = arguments(text)
        function: JsonObject = {"name": block.name, "arguments": text}
        entry = {"id": block.id, "type": "function", "function": function}
        if not self.own:
            return {"tool_calls": [fill_fields(entry, extras)]}
        if "field" in notes:
            return {notes["field"]: function}
        if MADE in (block.spelling or "").split():
            del entry["id"]
        for key in notes.get("absent", ()):
            entry.pop(key, None)
            function.pop(key, None)
        return {"tool_calls": [fill_fields(entry, extras)]}


ANSWER_ID = "chatcmpl-dragoman"  # the id of an answer that has none


def write_error(error: ProviderError) -> JsonObject:
    """Write `{"message", "type", "param", "code"}`, or the host's object if it has that form."""
    body = error.body if isinstance(error.body, dict) else {}
    data = body.get("error")
    # errors of other protocols have such an object too, with other fields
    others = body.get("type") == "error" or (isinstance(data, dict) and "status" in data)
    if isinstance(data, dict) and isinstance(data.get("message"), str) and not others:
        return data
    kind, code = answers.OPENAI_ERRORS.get(error.kind, (error.type or "error", None))
    message = answers.OPENAI_OVERFLOW.message(error)
    return {
        "message": message,
        "type": kind,
        "param": None,
        "code": code or error.code or error.status or None,
    }


def write_response(
    room: Room, resp: ChatResponse, report: Report, request: ChatRequest | None = None
) -> JsonObject:
    """Write the body of the answer."""
    dialect: Dialect = room.dialect
    origin = resp.candidates[0].msg.origin if resp.candidates else None
    own = origin is not None and origin.issuer in dialect.reads_items_of
    writer = ChatAnswerWriter(report, dialect, own)
    second = None if own else answer_second(resp.extras)
    extras = writer.fields(resp, TIMES if second is not None else ())
    notes = writer.notes(resp)
    writer.without_events(extras, resp, "extras.events")
    body: JsonObject = {**_head(resp, writer, request, second), **extras}
    if "choices" in notes:
        body["choices"] = notes["choices"]
    else:
        candidates = [*enumerate(resp.candidates)]
        rows = [(writer.notes(c).get("at", i), _write_choice(c, i, writer)) for i, c in candidates]
        if rows and "logprobs" not in rows[0][1] and (tokens := writer.tokens(resp)):
            rows[0][1]["logprobs"] = write_logprobs(tokens)
        body["choices"] = [choice for _, choice in sorted(rows, key=itemgetter(0))]
    usage = writer.write_usage(resp.usage)
    if usage and "usage" not in extras:
        body["usage"] = usage
    if resp.error is not None and "error" not in body:
        body["error"] = write_error(resp.error)
    for key in notes.get("absent", ()):
        body.pop(key, None)
    return body


def _head(
    resp: ChatResponse, writer: ChatAnswerWriter, request: ChatRequest | None, second: int | None
) -> JsonObject:
    """Return who answered, and when; an answer of another wire gets the fields that it lacks."""
    fields: JsonObject = {"id": resp.id, "object": "chat.completion", "created": second}
    fields["model"] = resp.model
    if not writer.own:
        model = request.model if request is not None else None
        for key, value in (("id", ANSWER_ID), ("created", 0), ("model", model or "")):
            if fields[key] is None:
                fields[key] = value
                writer.report.add_loss("answer.field", resp, key)
    return {key: value for key, value in fields.items() if value is not None}


def _write_choice(candidate: Candidate, i: int, writer: ChatAnswerWriter) -> JsonObject:
    extras, notes = writer.fields(candidate), writer.notes(candidate)
    absent = notes.get("absent", ())
    unknown = extras.pop("message", {}) if "message" not in absent else {}
    message: JsonObject = {"role": "assistant", "content": None}
    blocks = candidate.msg.blocks
    if writer.own and writer.tags:
        blocks = [*join_think_tags(blocks)]
    if notes.get("content") == "list":
        message["content"] = [writer.part(block) for block in blocks if _is_part(block)]
        blocks = [block for block in blocks if not _is_part(block)]
    _add_blocks(message, blocks, writer)
    if tags := extras.pop("think_tags", ""):  # empty sections of thinking, after all text
        message["content"] = (message["content"] or "") + tags
    for key, value in (unknown if isinstance(unknown, dict) else {}).items():
        if key != "content" or not message["content"]:
            message[key] = value
    writer.fields(candidate.msg)
    reason = write_finish(candidate.finish, candidate.msg.blocks, writer, candidate)
    choice: JsonObject = {"index": i, "message": message, **extras}
    if tokens := writer.tokens(candidate):
        choice["logprobs"] = write_logprobs(tokens)
    choice["finish_reason"] = notes.get("finish_reason", reason)
    if not isinstance(unknown, dict):
        choice["message"] = unknown
    if "index" in notes:
        choice["index"] = notes["index"]
    for key in absent:
        choice.pop(key, None)
        if key == "role" or (key == "content" and message["content"] is None):
            del message[key]
    return choice


def write_logprobs(tokens: Sequence[Logprob]) -> JsonObject:
    """Write `logprobs` of a choice. Reference: "The chat completion object"."""
    return {"content": write_list(tokens), "refusal": None}


def _is_part(block: ContentBlock) -> bool:
    """Whether the block was in a list of parts; beside such a list, texts have no other place."""
    if type(block) is TextBlock:
        return block.spelling != "transcript"
    return (block.spelling or "").split(" ")[0] == PART


class TextFlow:
    """Joins texts in their fields: content without separators, thinking blocks on new lines."""

    def __init__(self) -> None:
        self.length = 0  # characters of content so far
        self._fields: dict[str, Any] = {}  # the thinking block that each field had last

    def join(self, fields: JsonObject, block: ContentBlock, key: Any) -> JsonObject:
        """Return the fields of a block or a piece, with a separator before its text if needed."""
        if type(block) is ThinkingBlock:
            for field, text in fields.items():
                if isinstance(text, str):
                    if self._fields.setdefault(field, key) != key:
                        fields[field] = f"\n{text}"
                    self._fields[field] = key
        self.length += len(fields.get("content", ""))
        return fields


def _add_blocks(message: JsonObject, blocks: list[ContentBlock], writer: ChatAnswerWriter) -> None:
    """Put the blocks into their fields of the message."""
    flow = TextFlow()
    for i, block in enumerate(blocks):
        for field, value in flow.join(writer.block(block, flow.length), block, i).items():
            current = message.get(field)
            if isinstance(value, list) and current:
                current.extend(value)
            elif isinstance(value, dict) and current:
                message[field] = {**current, **value}
            else:
                message[field] = current + value if isinstance(current, str) else value
    if "audio" in message and not writer.own:
        message["audio"] = complete_audio(message["audio"])


def complete_audio(audio: JsonObject) -> JsonObject:
    """Return speech with the fields that clients require. Reference: `message.audio`."""
    return {"id": "audio_dragoman", "expires_at": 0, "data": "", "transcript": "", **audio}
