"""The events of a stream as what a user interface shows: steps, texts, calls, results, the end.

A `Walk` keeps what is open, gives every part an id of its own, and calls the writer of a protocol.
What breaks off stays open, and no end is written after it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

from ..agent import CallEvent, ResultEvent, RunEndEvent
from ..agent.run import describe_refusal
from ..losses import Report
from ..message import (
    Candidate,
    ChatResponse,
    Msg,
    RawBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ..message.answer import total
from ..message.blocks import MEDIA_KINDS, ContentBlock
from ..message.sources import AnswerSource
from ..stream.pieces import Key
from ..text.json_text import JsonObject
from .request import UIRequest

Chunks: TypeAlias = list[JsonObject]
Spoken: TypeAlias = Literal["text", "thinking", "refusal"]


class StreamWriter(Protocol):
    """Writes one protocol of user interfaces. Each method returns what is sent.

    Attributes:
        repeats_calls: Whether a call that the page may have already can be sent again.
        closes_aborted: Whether what is open must be closed before the stream is aborted.
    """

    repeats_calls: bool
    closes_aborted: bool

    def begin(self) -> Chunks:
        """Write the beginning of the stream."""

    def begin_step(self) -> Chunks:
        """Write that an answer of the model begins."""

    def end_step(self) -> Chunks:
        """Write that the answer, and the results of its calls, are over."""

    def begin_part(self, kind: Spoken, id: str) -> Chunks:
        """Write that a text, a thought or a refusal begins."""

    def grow_part(self, kind: Spoken, id: str, text: str) -> Chunks:
        """Write more of it."""

    def end_part(self, kind: Spoken, id: str, block: Any) -> Chunks:
        """Write its end, with what came besides the text, or None."""

    def begin_call(self, id: str, call: ToolUseBlock) -> Chunks:
        """Write that a call begins."""

    def grow_call(self, id: str, text: str) -> Chunks:
        """Write more of the JSON of its arguments."""

    def end_call(self, id: str, call: ToolUseBlock) -> Chunks:
        """Write that the call is complete, or that it never will be."""

    def write_raw(self, block: RawBlock) -> Chunks:
        """Write what a provider has run itself."""

    def write_medium(self, block: Any) -> Chunks:
        """Write an image, a sound or a file of the model."""

    def write_sources(self, sources: Sequence[AnswerSource]) -> Chunks:
        """Write what the answer is based on."""

    def write_waiting(self, id: str, event: CallEvent) -> Chunks:
        """Write that a call waits for an approval, or for a result from elsewhere."""

    def write_refused(self, id: str, text: str) -> Chunks:
        """Write that the user has not allowed a call."""

    def write_result(self, id: str, block: ToolResultBlock, msg: Msg) -> Chunks:
        """Write the result of a call."""

    def finish(self, finish: str, answers: Sequence[ChatResponse]) -> Chunks:
        """Write the end of a stream that is complete."""

    def fail(self, error: BaseException, answers: Sequence[ChatResponse]) -> Chunks:
        """Write that the stream broke off."""

    def abort(self, answers: Sequence[ChatResponse]) -> Chunks:
        """Write that the program stopped the stream."""


@dataclass(slots=True)
class _OpenPart:
    """A part that is open.

    Attributes:
        kind: What it is.
        id: Its id in the stream.
        said: Whether the interface has seen its beginning.
        held: What came before that.
        odd: Whether what was sent of it is not how it begins now.
    """

    kind: Literal["text", "thinking", "refusal", "tool"]
    id: str
    said: bool = True
    held: str = ""
    odd: bool = False


class Walk:
    """Turns events into what one protocol sends.

    Args:
        writer: The writer of the protocol.
        report: Collects the losses.
        request: The request that is answered, if it was one of the protocol.

    Attributes:
        answers: The answers of the model so far.
        is_over: Whether the end was written.
    """

    def __init__(self, writer: StreamWriter, report: Report, request: UIRequest | None) -> None:
        self.answers: list[ChatResponse] = []
        self.is_over = False
        self._writer, self._report, self._request = writer, report, request
        self._open: dict[Key, _OpenPart] = {}
        self._held: tuple[Key, list[ContentBlock]] | None = None
        self._ids: set[str] = set()  # of calls
        self._ended: list[tuple[ToolUseBlock, str]] = []  # calls of this answer, with their ids
        self._calls: list[str] = []  # the ids of the last answer's calls, in its order
        self._parts = self._events = 0
        self._seals = 0  # thoughts of this answer whose signature was sent
        self._in_step = self._is_answered = self._is_run = False

    def begin(self) -> Chunks:
        """Return the beginning of the stream, and the calls that the request has refused.

        An agent has no event for these: they have their results when its run goes on.
        """
        found = self._writer.begin()
        asked = self._request
        for key, verdict in ({} if asked is None else asked.verdicts).items():
            if asked is not None and verdict is not True and key in asked.call_ids:
                found += self._writer.write_refused(asked.call_ids[key], describe_refusal(verdict))
        return found

    def feed(self, event: Any) -> Chunks:
        """Return what one event makes.

        Args:
            event: An event of an LLM's stream or of an agent's run.
        """
        self._events += 1
        if self.is_over:  # one run, or one answer, is one stream
            return []
        match event.type:
            case "call" | "approval" | "external":
                return self._waiting(event)
            case "result":
                return self._result(event)
            case "usage":
                if not self._is_answered:  # an answer that does not fit has no end of its own
                    self.answers.append(ChatResponse([Candidate(Msg.assistant([]))], event.usage))
                self._is_run = self._is_answered = True
                return []
            case "losses":
                self._is_run = True
                return []
            case "end":
                return self._end_run(event)
            case "finish":
                return self._finish_answer(event.response)
            case _:
                pass
        if event.key[0] != 0:
            if event.type.endswith("-start") or event.type == "block":
                self._lose("answer.candidates", event.block)
            return []
        return [*self._step(), *self._flush(event.key), *self._part(event)]

    def _part(self, event: Any) -> Chunks:
        kind, _, what = event.type.partition("-")
        if kind == "block":
            return self._block(event)
        if kind == "tool":
            return self._call(event, what)
        if what == "start":
            return self._begin(kind, event.key)
        one = self._open.get(event.key)
        if one is None:
            return []
        if what == "delta":
            return self._writer.grow_part(kind, one.id, event.text)
        del self._open[event.key]
        self._seals += _is_sealed(event.block)
        return self._writer.end_part(kind, one.id, event.block)

    def _begin(self, kind: Any, key: Key) -> Chunks:
        if kind == "refusal":
            self._lose("refusal.as_text", None)
        self._parts += 1
        one = self._open[key] = _OpenPart(kind, str(self._parts))
        return self._writer.begin_part(kind, one.id)

    # -- steps -------------------------------------------------------------------------------------

    def _step(self) -> Chunks:
        """Begin the step of the next answer, and end the one before."""
        if self._in_step and not self._is_answered:
            return []
        ended = self._end_step()
        self._in_step, self._is_answered = True, False
        self._calls, self._ended, self._seals = [], [], 0
        return [*ended, *self._writer.begin_step()]

    def _end_step(self) -> Chunks:
        if not self._in_step:
            return []
        self._in_step = False
        return [*self._close(), *self._writer.end_step()]

    def _close(self) -> Chunks:
        """End what is open in a step whose answer is over."""
        found = self._flush()
        for key, one in [*self._open.items()]:
            del self._open[key]
            if one.kind != "tool":
                found += self._writer.end_part(one.kind, one.id, None)
            elif one.said:
                unfinished = ToolUseBlock(one.id, "", unfinished=True)
                found += self._writer.end_call(one.id, unfinished)
        return found

    def _finish_answer(self, response: ChatResponse) -> Chunks:
        """Take the end of an answer; an agent may go on after it."""
        found = [*self._step(), *self._flush()]
        self.answers.append(response)
        if response.status in ("interrupted", "error"):
            self._is_answered = True
            return found
        found += self._close()
        ids = [
            next((id for one, id in self._ended if one is call), "") for call in response.msg.calls
        ]
        unnamed = iter([id for _, id in self._ended if id not in ids])
        self._calls = [id or next(unnamed, "") for id in ids]
        sealed = [block for block in response.msg.blocks if _is_sealed(block)]
        for block in sealed[self._seals :]:  # its signature came after the thought had ended
            self._lose("thinking.unsupported", block)
        if sources := response.sources:
            found += self._writer.write_sources(sources)
        self._is_answered = True
        return found

    # -- blocks that come whole --------------------------------------------------------------------

    def _block(self, event: Any) -> Chunks:
        block, key = event.block, event.key
        if isinstance(block, ToolUseBlock):
            return self._whole_call(block, key, replaces=event.whole)
        if isinstance(block, RawBlock) or block.type in MEDIA_KINDS:
            before = self._held[1] if self._held is not None and not event.whole else []
            self._held = (key, [*before, block])
            return []
        kind: Any = {"text": "text", "refusal": "refusal"}.get(block.type, "thinking")
        if event.whole:  # what was sent cannot be taken back: both are shown
            self._lose("answer.unsupported", block)
        found = []
        if (one := self._open.pop(key, None)) is not None:
            found += self._writer.end_part(kind, one.id, None)
        found += self._begin(kind, key)
        one = self._open[key]
        if text := block.thinking if isinstance(block, ThinkingBlock) else block.text:
            found += self._writer.grow_part(kind, one.id, text)
        if event.whole:
            return found
        del self._open[key]
        self._seals += _is_sealed(block)
        return [*found, *self._writer.end_part(kind, one.id, block)]

    def _flush(self, key: Key | None = None) -> Chunks:
        """Write what comes in pieces once another block begins."""
        if self._held is None or self._held[0] == key:
            return []
        block = total(self._held[1])
        self._held = None
        if isinstance(block, RawBlock):
            return self._writer.write_raw(block)
        return self._writer.write_medium(block)

    # -- calls -------------------------------------------------------------------------------------

    def _own_id(self, id: str) -> str:
        """Return an id that no other call of the stream has: models use one twice."""
        own = next_id(id or "call_1", self._ids)
        if own != id:
            self._lose("id.mapped" if id else "id.made", None)
        self._ids.add(own)
        return own

    def _call(self, event: Any, what: str) -> Chunks:
        key = event.key
        if what == "start":
            one = self._open[key] = _OpenPart("tool", event.block.id, said=False)
            return self._say(one, event.block) if event.block.id else []
        one = self._open[key]
        if what == "delta":
            if one.said:
                return [] if one.odd else self._writer.grow_call(one.id, event.text)
            one.held += event.text
            return []
        del self._open[key]
        found = [] if one.said else self._say(one, event.block)
        self._ended.append((event.block, one.id))
        return [*found, *self._writer.end_call(one.id, event.block)]

    def _say(self, one: _OpenPart, call: ToolUseBlock) -> Chunks:
        """Begin a call; one without an id waits for it."""
        one.id, one.said = self._own_id(call.id), True
        found = self._writer.begin_call(one.id, call)
        return [*found, *self._writer.grow_call(one.id, one.held)] if one.held else found

    def _whole_call(self, call: ToolUseBlock, key: Key, *, replaces: bool) -> Chunks:
        if replaces:  # its arguments are others now; the end has them
            if (one := self._open.get(key)) is not None:
                one.odd = True
                self._lose("answer.unsupported", call)
            return []
        one = _OpenPart("tool", call.id, said=False)
        found = self._say(one, call)
        if call.raw_input:
            found += self._writer.grow_call(one.id, call.raw_input)
        self._ended.append((call, one.id))
        return [*found, *self._writer.end_call(one.id, call)]

    def _id_of(self, event: CallEvent | ResultEvent) -> tuple[str, Chunks]:
        """Return the id of a call that runs, and the call if the interface does not know it."""
        self._is_run = self._is_answered = True
        nth, asked = event.key.rpartition(".")[2], self._request
        if nth.isdigit() and int(nth) < len(self._calls):
            return self._calls[int(nth)], []
        id = event.call.id
        if asked is not None:
            id = asked.call_ids.get(event.key, id)
        if id in self._ids:
            return id, []
        knows = not self._writer.repeats_calls if asked is None else id in asked.known_calls
        self._ids.add(id)
        if knows:
            return id, []
        found = [*self._writer.begin_call(id, event.call)]
        return id, [*found, *self._writer.end_call(id, event.call)]

    def _waiting(self, event: CallEvent) -> Chunks:
        id, found = self._id_of(event)
        return found if event.type == "call" else [*found, *self._writer.write_waiting(id, event)]

    def _result(self, event: ResultEvent) -> Chunks:
        id, found = self._id_of(event)
        for block in event.msg.blocks:
            if isinstance(block, ToolResultBlock):
                found += self._writer.write_result(id, block, event.msg)
        return found

    # -- the end -----------------------------------------------------------------------------------

    def _end_run(self, event: RunEndEvent) -> Chunks:
        """Write the end of an agent's run."""
        self._is_run, reply = True, event.reply
        if reply.finish in ("interrupted", "error"):
            return self.fail(self.answers[-1].error if self.answers else None)
        found: Chunks = []
        last = self.answers[-1] if self.answers else None
        if reply.finish == "done" and reply.msg is not None and last and last.msg.calls:
            found += self._say_reply(reply.msg)
        self.is_over = True
        return [*found, *self._end_step(), *self._writer.finish(reply.finish, self.answers)]

    def _say_reply(self, msg: Msg) -> Chunks:
        """Write a reply that is the output of tools, which no model has streamed."""
        found = self._step()
        for nth, block in enumerate(msg.blocks):
            if block.type == "text":
                found += self._begin("text", (0, nth))
                one = self._open.pop((0, nth))
                found += self._writer.grow_part("text", one.id, block.text)
                found += self._writer.end_part("text", one.id, None)
            elif block.type in MEDIA_KINDS:
                found += self._writer.write_medium(block)
        return found

    def close(self) -> Chunks:
        """Return the end of a stream whose events are over."""
        if self.is_over:
            return []
        if self.answers and not self._is_run:
            last = self.answers[-1]
            if last.status in ("interrupted", "error"):
                return self.fail(last.error)
            self.is_over = True
            return [*self._end_step(), *self._writer.finish(last.finish.reason, self.answers)]
        self.is_over = True
        closed = self._end_step() if self._writer.closes_aborted else []
        return [*closed, *self._writer.abort(self.answers)]

    def fail(self, error: BaseException | None) -> Chunks:
        """Return the end of a stream that broke off; what is open stays open.

        Args:
            error: The error, None if only the end is missing.
        """
        if self.is_over:
            return []
        self.is_over = True
        return self._writer.fail(error or EOFError("the answer broke off"), self.answers)

    def _lose(self, code: str, block: Any) -> None:
        node = replace(block) if block is not None else object()
        self._report.set_place(node, f"$.events[{self._events - 1}]")
        self._report.add_loss(code, node)


def next_id(id: str, taken: Collection[str]) -> str:
    """Return an id that is not taken: this one, or else this with a number.

    Args:
        id: The id.
        taken: The ids of other calls.
    """
    numbered = (f"{id}_{count}" for count in range(2, len(taken) + 3))
    return id if id not in taken else next(one for one in numbered if one not in taken)


def _is_sealed(block: Any) -> bool:
    return isinstance(block, ThinkingBlock) and bool(block.signature or block.redacted)
