"""Writes an answer as the events of a stream of generation: each candidate is a choice.

Events are pieces of the message, or snapshots of all of it so far for clients that ask for those
(older models' default). No field of an event shows which it is, so a stream of pieces that could be
taken for snapshots gets an event without text, which proves that it is not.

Reference: Model Studio, "Qwen API via DashScope", "Function calling"; recorded streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ... import message as tree
from ...losses import Report
from ...message import AudioBlock, ChatRequest, ContentBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.answer import total
from ...message.logprobs import Logprob
from ...stream.open_block import argument_text, remaining_piece
from ...stream.pieces import End, Failed, Key, Meta, Part
from ...text.json_text import Json, JsonObject
from ..answers import AnswerEncoder, Event, StreamedTexts
from ..chat_like.messages import fill_fields, read_object
from .answer_write import (
    FIELD,
    NO_ID,
    OVERFLOW,
    PART,
    SOUND_FIELD,
    DashScopeWriter,
    error_code,
    is_error,
    takes_parts,
    write_logprobs,
)
from .dialect import Dialect


@dataclass(slots=True)
class _Call:
    """One call: `parts` are held until its name is known, `index` is in all of its fragments."""

    number: int
    index: JsonObject = field(default_factory=dict)
    begun: bool = False
    parts: list[ToolUseBlock] = field(default_factory=list)


class CallFragments:
    """The calls of one choice as fragments with an index.

    The first fragment has id and name; the others have an empty id and no name.
    """

    def __init__(self, writer: DashScopeWriter, candidate: int) -> None:
        self._writer = writer
        self._candidate = candidate
        self._calls: dict[Key, _Call] = {}

    def feed(self, key: Key, block: ToolUseBlock, whole: bool) -> list[JsonObject]:
        """Return the fragments for a piece of the call."""
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = _Call(len(self._calls))
        if not call.begun:
            if whole:
                call.parts.clear()
            call.parts.append(block)
            return [self._first(call)] if any(part.name for part in call.parts) else []
        part: Any = remaining_piece(total(call.parts), block) if whole else block
        if part is None:
            self._writer.report.add_loss("answer.unsupported", block, "input", "other arguments")
            return []
        call.parts.append(part)
        if part is not block:
            self._writer.report.record_copy(part, block)
        text = argument_text(part)
        fields = self._writer.fields(part)
        for name in ("index", "type", "id"):
            fields.pop(name, None)
        return [_fragment(call, text, fields)] if text or fields else []

    def finish(self, broken: bool) -> list[JsonObject]:
        """Return the calls that have no name yet, and an empty object for those without arguments.

        `broken`: the answer has no end, so more arguments might have come.
        """
        calls = self._calls.values()
        fragments = [self._first(call) for call in calls if not call.begun]
        if not (self._writer.own or broken):
            fragments += [
                _fragment(call, "{}", {})
                for call in calls
                if not any(argument_text(part).strip() for part in call.parts)
            ]
        return fragments

    def _first(self, call: _Call) -> JsonObject:
        block: Any = total(call.parts)
        missing_id = f"call_{self._candidate}_{call.number}"
        entry = self._writer.call(block, call.number, argument_text(block), missing_id)
        call.begun = True
        call.index = {"index": entry["index"]} if "index" in entry else {}
        return entry


def _fragment(call: _Call, text: str, fields: JsonObject) -> JsonObject:
    fragment: JsonObject = {**call.index, "id": "", "type": "function"}
    return fill_fields({**fragment, "function": {"arguments": text}}, fields)


class OpenChoice:
    """One choice of the stream: its message so far, and the fields beside the message."""

    __slots__ = ("calls", "empty", "fields", "last_texts", "message", "proven", "tokens")

    def __init__(self, index: int, in_parts: bool, writer: DashScopeWriter) -> None:
        self.calls = CallFragments(writer, index)
        self.empty: Any = [] if in_parts else ""  # empty content
        self.message: JsonObject = {}
        self.fields: JsonObject = {"index": index} if index else {}
        self.last_texts: dict[str, str] = {}  # of each field, as in the previous event
        self.tokens: list[Logprob] = []  # with their probabilities, for snapshots
        self.proven = False  # the events cannot be taken for snapshots any more

    def may_be_snapshot(self, message: JsonObject) -> bool:
        """Whether the event could be a snapshot, because it begins like the one before."""
        doubt = False
        for key in ("reasoning_content", "content"):
            if key in message:
                text, before = _text(message[key]), self.last_texts.get(key, "")
                if before and not text.startswith(before):
                    self.proven = True
                doubt = doubt or bool(before and text)
                self.last_texts[key] = text
        return doubt and not self.proven


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(part.get("text") or "" for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _join_field(key: str, before: Any, value: Any) -> Any:
    """Return the value of a field of the message after an event adds to it."""
    if key == "tool_calls":
        return _joined_calls(before or [], value)
    if isinstance(before, list) and isinstance(value, list):
        parts = [*before]
        for part in value:
            if parts and parts[-1].keys() == {"text"} == part.keys():
                parts[-1] = {"text": f"{parts[-1]['text']}{part['text']}"}
            else:
                parts.append(part)
        return parts
    if isinstance(before, str) and isinstance(value, str) and key != "role":
        return before + value
    return value or before


def _joined_calls(before: list[Any], fragments: list[Any]) -> list[Any]:
    calls = [*before]
    for fragment in fragments:
        index = fragment.get("index", len(calls) - 1 if not fragment.get("id") else len(calls))
        if not 0 <= index < len(calls):
            calls.append(fragment)
            continue
        call, function = calls[index], fragment.get("function", {})
        text = call["function"].get("arguments", "") + function.get("arguments", "")
        calls[index] = {**call, "function": {**call["function"], "arguments": text}}
    return calls


class DashScopeEncoder(AnswerEncoder[DashScopeWriter]):
    """Writes one answer. Fields without a choice wait for the next event."""

    def __init__(self, report: Report, dialect: Dialect, request: ChatRequest | None) -> None:
        super().__init__(DashScopeWriter(report, dialect.reads_items_of, own=False), request)
        self._in_parts = takes_parts(request)
        guess = "snapshots" if _wants_snapshots(request, dialect) else ""
        self._snapshots = (dialect.streams or guess) == "snapshots"
        self._request_id, self._has_id = NO_ID, False
        self._output: JsonObject = {}  # held for the next event, like the rest of its body
        self._body: JsonObject = {}
        self._without_choices = False  # `{"text", "finish_reason"}`
        self._ends: dict[int, End] = {}
        self._choices: dict[int, OpenChoice] = {}
        self._texts = StreamedTexts(self.writer)
        self._media: dict[Key, list[ContentBlock]] = {}  # of other wires, until their end
        self._written: dict[Key, ContentBlock] = {}  # of this wire
        self._failed = False

    def write_end(self, piece: End) -> list[Event]:
        """Send nothing: the choices end when the stream does."""
        before = self._ends.get(piece.candidate)
        if before is None or piece.finish.raw:
            self._ends[piece.candidate] = piece
        return []

    def write_failure(self, piece: Failed) -> list[Event]:
        """Return the event of an error, unchanged if it has this wire's form."""
        self._failed = True
        error = piece.error
        if is_error(error.body):
            return [("error" if error.type == "error" else "result", error.body)]
        return [self._error_event(error_code(error), OVERFLOW.message(error))]

    def finish(self) -> list[Event]:
        """Return what was held, and the events that end the choices, with the bill in the last."""
        events: list[Event] = []
        for key, blocks in sorted(self._media.items()):
            block = total(blocks)
            if block is not blocks[0]:
                self.report.record_copy(block, blocks[0])
            if (part := self.writer.part(block)) is not None:
                events += self._add(self._choice(key[0]), {"content": [part]})
        for index, choice in sorted(self._choices.items()):
            broken = self._failed or index not in self._ends
            events += self._add_calls(choice, choice.calls.finish(broken))
        ends = [end for _, end in sorted(self._ends.items()) if end.finish.reason != "error"]
        for end in ends:
            reason = self.writer.finish_reason(end.finish, end) or "stop"
            if self._without_choices:
                events.append(self._text_event("", reason))
            else:
                choice = self._choice(end.candidate)
                events += self._add(choice, {"content": choice.empty}, reason)
        resp = self.about.finish()
        usage = self.writer.usage(resp.usage)
        if not ends and (usage or self._output or self._body):
            events.append(self._event({"choices": []}))
        if usage:
            events[-1][1]["usage"] = usage
        if ends and not self._has_id:
            self.report.add_loss("answer.field", resp, "id")
        if len(ends) < len(self._ends) and not self._failed:
            raw = next(e.finish.raw for e in self._ends.values() if e.finish.reason == "error")
            events.append(self._error_event("InternalError", raw or "error"))
        return events

    def _error_event(self, code: str, message: str) -> Event:
        return "error", {"code": code, "message": message, "request_id": self._request_id}

    def _choice(self, index: int) -> OpenChoice:
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = OpenChoice(index, self._in_parts, self.writer)
        return choice

    def part(self, piece: Part) -> list[Event]:
        """Return the events for a piece of a block; media of other wires wait for their end."""
        events: list[Event] = []
        if piece.block.extras is not None and (tokens := self.writer.tokens(piece)):
            events = self._add_tokens(self._choice(piece.key[0]), tokens)
        return [*events, *self._part(piece)]

    def _part(self, piece: Part) -> list[Event]:
        block, own = piece.block, self.writer.own
        choice = self._choice(piece.key[0])
        if type(block) is ToolUseBlock:
            if not own:
                choice.fields.setdefault("index", piece.key[0])
            return self._add_calls(choice, choice.calls.feed(piece.key, block, piece.whole))
        if type(block) is ThinkingBlock:
            text = self._texts.add_text(piece, self.writer.thought(block), is_thinking=True)
            return self._add(choice, {"reasoning_content": text}) if text else []
        if type(block) is TextBlock or type(block) is tree.RefusalBlock:
            return self._text(piece, block)
        if own and type(block) is AudioBlock and block.spelling == SOUND_FIELD:
            return [self._event({"choices": [], "audio": self.writer.sound(block)})]
        if not own:
            if piece.whole:
                self._media.pop(piece.key, None)
            self._media.setdefault(piece.key, []).append(block)
            return []
        if self._written.get(piece.key) == block:
            return []  # snapshots repeat it
        self._written[piece.key] = block
        part = self.writer.part(block)
        return self._add(choice, {"content": [part]}) if part is not None else []

    def _text(self, piece: Part, block: TextBlock | tree.RefusalBlock) -> list[Event]:
        choice = self._choice(piece.key[0])
        fields = self.writer.fields(block)
        text = self._texts.add_text(piece, self.writer.text(block))
        if not text and not fields:
            return []
        if self.writer.own and block.spelling == FIELD:
            self._without_choices = True
        if self._without_choices:
            doubt = choice.may_be_snapshot({"content": text}) and not self._snapshots
            choice.proven = choice.proven or doubt
            return [*([self._text_event("")] if doubt else []), self._text_event(text)]
        if self.writer.own and block.spelling == PART:
            choice.empty = []
        in_parts = choice.empty == []
        return self._add(choice, {"content": [{"text": text, **fields}] if in_parts else text})

    def meta(self, piece: Meta) -> list[Event]:
        """Send fields that no node can hold, which may be held for the next event."""
        is_own = self.writer.reads(piece.issuer)
        self.writer.own = self.writer.own or is_own
        if piece.id is not None and not self._has_id:
            self._request_id, self._has_id = piece.id, True
        if piece.model is not None and not is_own:
            self._output["model_name"] = piece.model
        fields = dict(piece.extras or {})
        if self.writer.own and piece.candidate is not None and "think_tags" in fields:
            return self._add(self._choice(piece.candidate), {"content": fields["think_tags"]})
        if not is_own:
            self.foreign(piece, fields)
            tokens = self.writer.tokens(piece)
            return self._add_tokens(self._choice(piece.candidate or 0), tokens) if tokens else []
        if piece.candidate is None:
            self._output |= read_object(fields.pop("output", None))
            self._body |= fields
            return []
        choice = self._choice(piece.candidate)
        message = fields.pop("message", None)
        logprobs = fields.pop("logprobs", None)
        choice.fields |= fields
        events: list[Event] = []
        if isinstance(message, dict):
            events += self._add(choice, {k: v for k, v in message.items() if k != "content"})
        if logprobs is not None:
            events += self._add(choice, {})
            events[-1][1]["output"]["choices"][0]["logprobs"] = logprobs
        return events

    def _add(self, choice: OpenChoice, message: JsonObject, reason: str = "null") -> list[Event]:
        """Return the event for the message, after one that proves that it is a delta, if needed."""
        events: list[Event] = []
        if self._snapshots:
            for key, value in message.items():
                choice.message[key] = _join_field(key, choice.message.get(key), value)
            message = dict(choice.message)  # the whole message so far
        elif choice.may_be_snapshot(message):
            choice.proven = True  # by an empty message, which no snapshot would be
            proof = {**dict.fromkeys(choice.last_texts, ""), "content": choice.empty}
            events.append(self._choice_event(choice, proof, "null"))
        return [*events, self._choice_event(choice, message, reason)]

    def _add_tokens(self, choice: OpenChoice, tokens: Sequence[Logprob]) -> list[Event]:
        """Send log probabilities in an event without text; snapshots have those of all tokens."""
        if not self._snapshots:
            events = self._add(choice, {})
            events[-1][1]["output"]["choices"][0]["logprobs"] = write_logprobs(tokens)
            return events
        choice.tokens += tokens
        choice.fields["logprobs"] = write_logprobs(choice.tokens)
        return self._add(choice, {})

    def _add_calls(self, choice: OpenChoice, fragments: list[JsonObject]) -> list[Event]:
        added = (self._add(choice, {"tool_calls": [call]}) for call in fragments)
        return [event for events in added for event in events]

    def _choice_event(self, choice: OpenChoice, message: JsonObject, reason: str) -> Event:
        message = {"role": "assistant", "content": choice.empty, **message}
        entry = {"message": message, "finish_reason": reason, **choice.fields}
        return self._event({"choices": [entry]})

    def _text_event(self, text: str, reason: str = "null") -> Event:
        """Return an event of an answer without choices."""
        return self._event({"text": text, "finish_reason": reason})

    def _event(self, output: JsonObject) -> Event:
        """Return an event with this output and the fields that were held."""
        body: JsonObject = {**self._body, "output": {**output, **self._output}}
        if self._request_id:
            body["request_id"] = self._request_id
        self._output, self._body = {}, {}
        return "result", body


def _wants_snapshots(request: ChatRequest | None, dialect: Dialect) -> bool:
    """Whether each event has to hold everything so far.

    That is the service's default, so a request that was read from this wire has to decide
    otherwise.
    """
    extras = (request.extras or {}) if request is not None else {}
    for issuer in dialect.reads_items_of:
        params: Json = extras.get(issuer, {}).get("parameters")
        if isinstance(params, dict) and isinstance(params.get("incremental_output"), bool):
            return not params["incremental_output"]
    read = request.read if request is not None else None
    return read is not None and read.issuer in dialect.reads_items_of
