"""The events of one content block: its start, its deltas, its stop.

Reference: Anthropic API, "Streaming messages". What a wire tells only at the end of a block, such
as citations and signatures, is told there here, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import cut
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, Raw
from ..._core.stream.steps import Open, Shut, Step, Steps, argument_text
from ...losses import Report
from ...message import (
    ChatRequest,
    Finish,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.answer import Usage
from ...message.blocks import ContentBlock, answered
from .answer import (
    DETAILS,
    UNTOLD,
    AnswerWriter,
    error_body,
    message_id,
    said_usage,
    stop_details,
    stop_reason,
)
from .dialect import Dialect

Event: TypeAlias = tuple[str | None, Json]


_TOKENS = "estimated_tokens"  # of thinking: told in increments


def event(kind: str, /, **fields: Any) -> Event:
    """An event under its name: `{"type": kind, ...}`."""
    return kind, {"type": kind, **fields}


class Block:
    """One block of the stream. An empty text of another wire is not begun at all."""

    __slots__ = ("_cited", "_say", "_tokens", "_whole", "begun", "index")

    def __init__(self, index: int, say: AnswerWriter) -> None:
        self.index = index
        self.begun = False
        self._say = say
        self._cited = 0  # citations that stand in the start
        self._tokens = 0
        self._whole = False  # the start held everything

    def open(self, block: ContentBlock) -> list[Event]:
        """The start, unless nothing is to be begun yet."""
        if type(block) is TextBlock:
            return self._text(block) if self._say.own or block.text else []
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock:
            self._whole = self._say.own and block.raw_input is None and bool(block.input)
            given = block.input if self._whole else {}
            return self._start({"type": "tool_use", "id": block.id, "name": block.name,
                                "input": given, **self._own(block)})  # fmt: skip
        if type(block) is RawBlock:
            said = self._say.raw(block)
            self._whole = True
            return [] if said is None else self._start(said)
        self._say.block(block)
        return []

    def grow(self, block: ContentBlock) -> list[Event]:
        """The deltas of one more piece."""
        if type(block) is TextBlock and block.text:
            if self.begun and block.extras is None:  # by far the most of all pieces
                delta = {"type": "text_delta", "text": block.text}
                kind = "content_block_delta"
                return [(kind, {"type": kind, "index": self.index, "delta": delta})]
            out = [] if self.begun else self._text(TextBlock(""))
            return [*out, self._delta("text_delta", text=block.text, **self._beside(block))]
        if type(block) is ThinkingBlock and (block.thinking or self._beside(block)):
            out = [] if self.begun else self._start({"type": "thinking", "thinking": "",
                                                     "signature": ""})  # fmt: skip
            more = self._beside(block)
            if type(more.get(_TOKENS)) is int:
                more[_TOKENS], self._tokens = more[_TOKENS] - self._tokens, more[_TOKENS]
            return [*out, self._delta("thinking_delta", thinking=block.thinking, **more)]
        if type(block) is ToolUseBlock and not self._whole and (text := argument_text(block)):
            return [self._delta("input_json_delta", partial_json=text)]
        return []

    def shut(self, block: ContentBlock) -> list[Event]:
        """What only the whole block tells, and the stop."""
        out: list[Event] = []
        if type(block) is TextBlock:
            own = self._say.fields(block).get("citations")
            cited = own if isinstance(own, list) else self._say.citations(block.citations or [])
            if cited[self._cited :] and not self.begun:
                out += self._text(TextBlock(""))
            out += [self._delta("citations_delta", citation=one) for one in cited[self._cited :]]
        elif type(block) is ThinkingBlock:
            self._say.fields(block)
            mine = self._say.mine(block.origin)
            if self._say.readable(block, mine) and mine and block.signature:
                if not self.begun:  # without a word
                    out += self._start({"type": "thinking", "thinking": "", "signature": ""})
                out.append(self._delta("signature_delta", signature=block.signature))
        elif type(block) is ToolUseBlock:
            self._say.fields(block)
        elif type(block) is RawBlock and self.begun and block.extras:
            text = block.extras.get(answered(block.issuer), {}).get("input")
            if isinstance(text, str):
                out.append(self._delta("input_json_delta", partial_json=text))
        if self.begun:
            out.append(event("content_block_stop", index=self.index))
        return out

    def _start(self, said: JsonObject) -> list[Event]:
        self.begun = True
        return [event("content_block_start", index=self.index, content_block=said)]

    def _delta(self, kind: str, /, **fields: Any) -> Event:
        return event("content_block_delta", index=self.index, delta={"type": kind, **fields})

    def _text(self, block: TextBlock) -> list[Event]:
        own = self._own(block)
        if isinstance(own.get("citations"), list):
            self._cited = len(own["citations"])
        return self._start({"type": "text", "text": "", **own})

    def _thinking(self, block: ThinkingBlock) -> list[Event]:
        mine = self._say.mine(block.origin)
        own = self._own(block)
        if block.redacted is not None:
            if not mine:
                return []
            return self._start({"type": "redacted_thinking", "data": block.redacted, **own})
        made: JsonObject = {"type": "thinking", "thinking": ""}
        if not self._say.own:
            if not block.thinking:
                return []  # nothing that could be shown, so far
            made["signature"] = ""
        elif block.signature is not None or block.spelling == "null":
            made["signature"] = None if block.spelling == "null" else ""
        return self._start({**made, **own})

    def _own(self, block: ContentBlock) -> JsonObject:
        """The fields that a start has beside what grows."""
        made: JsonObject = {}
        for issuer in self._say.issuers:
            made.update((block.extras or {}).get(issuer, {}))
        if type(block) is ToolUseBlock:
            for issuer in self._say.issuers:
                made.update((block.extras or {}).get(answered(issuer), {}))
        return made

    def _beside(self, block: ContentBlock) -> JsonObject:
        """The fields of a delta."""
        made: JsonObject = {}
        for issuer in self._say.issuers if block.extras else ():
            made.update((block.extras or {}).get(answered(issuer), {}))
        return made


# what stands in the delta of the message; beside it, the last three would be the event's own
_DELTA = ("stop_sequence", DETAILS, "container", "type", "delta", "usage")


class MessagesEncoder:
    """Encodes one answer. What its first events leave open, such as figures, the last ones tell."""

    def __init__(self, dialect: Dialect, report: Report, request: ChatRequest | None) -> None:
        self._report = report
        self._request = request
        self._say = AnswerWriter(report, dialect.issuers, False)
        self._fields: JsonObject = {}  # of the message, not told yet
        self._usage: JsonObject = {}
        self._spent = Usage()  # the last of them
        self._id: str | None = None
        self._model: str | None = None
        self._steps: Steps | None = None  # from the beginning of the message on
        self._block: Block | None = None
        self._count = 0
        self._finish: Finish | None = None
        self._refused: list[RefusalBlock] = []
        self._more = False  # something came behind the beginning that only the end can tell
        self._cut: bool | None = None  # whether a call broke off, if there was one
        self._failed = False
        self._first: int | None = None  # the candidate that is told, and those that are not
        self._others: set[int] = set()
        self._held: list[Part] = []  # the first piece, until the answer has its name
        self._named: set[tuple[str, str]] = set()  # fields of other issuers

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece completes."""
        if self._failed:
            return []
        if type(piece) is Part:
            return self._part(piece)
        match piece:
            case Meta():
                return self._meta(piece)
            case Usage():
                self._figures(piece)
            case End():
                if self._mine(piece.candidate, piece) and (
                    self._finish is None or piece.finish.raw
                ):
                    self._finish = piece.finish
            case Raw():
                self._report.lost("answer.unsaid", piece, what=f"event {piece.event or ''}")
            case Failed():
                return self._fail(piece)
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Event]:
        """The end of the message. None is made up for an answer that broke off."""
        if self._failed or (self._finish is None and not self._known()):
            return []
        out = self._rest()
        if self._finish is not None or self._more:
            out.append(self._last())
        if self._finish is not None:
            out.append(event("message_stop"))
        return out

    def _known(self) -> bool:
        """Whether anything is known of the answer by now."""
        said = self._steps is not None or self._held or self._fields or self._usage
        return bool(said or self._id is not None or self._model is not None)

    def _part(self, piece: Part) -> list[Event]:
        if not self._mine(piece.key[0], piece):
            return []
        if self._steps is None:
            named = self._id is not None and self._model is not None
            if not named and not self._held:
                self._held = [piece]  # what the same event says of the answer comes behind it
                return []
            return [*self._begin(), *self._fed(piece)]
        return self._fed(piece)

    def _fed(self, piece: Part) -> list[Event]:
        assert self._steps is not None  # it is begun
        return [one for step in self._steps.feed(piece) for one in self._step(step)]

    def _mine(self, candidate: int, node: object) -> bool:
        """Whether it is of the candidate that came first; others are no part of a message."""
        if self._first is None:
            self._first = candidate
        if candidate == self._first:
            return True
        if candidate not in self._others:
            self._others.add(candidate)
            self._report.lost("answer.candidates", node)
        return False

    def _meta(self, piece: Meta) -> list[Event]:
        self._id = self._id or piece.id
        self._model = self._model or piece.model
        if piece.issuer in self._say.issuers:
            self._say.own = True
            self._fields.update(piece.extras or {})
            self._more = self._more or bool(piece.extras)
        elif piece.extras:
            self._foreign(piece, piece.issuer, piece.extras)
        named = self._id is not None and self._model is not None
        return self._begin() if named and self._held else []

    def _figures(self, piece: Usage) -> None:
        own: JsonObject = {}
        for issuer, told in (piece.extras or {}).items():
            if issuer in self._say.issuers:
                own.update(told)
            else:
                self._foreign(piece, issuer, told)
        self._usage.update(said_usage(piece, own, Report()))
        self._spent, self._more = piece, True

    def _foreign(self, node: object, issuer: str, told: JsonObject) -> None:
        """Name the fields of another issuer, each once: events repeat them."""
        new = {key: value for key, value in told.items() if (issuer, key) not in self._named}
        self._named.update((issuer, key) for key in new)
        if new:
            self._report.foreign(node, issuer, new)

    def _begin(self) -> list[Event]:
        """`message_start`, with the figures that are known by now; the others begin with zero."""
        given = self._request.model if self._request is not None else None
        id, model = self._id, self._model or given or "unknown"
        if not self._say.own:
            id = message_id(id, self._said(model))
            for name, told, said in (("id", self._id, id), ("model", self._model, model)):
                if told is None:
                    self._report.lost("answer.field", None, name, what="the answer", did=said)
        self._steps = Steps(id or "", self._report)
        made: JsonObject = {"id": id, "type": "message", "role": "assistant", "content": []}
        made.update({"model": model, "stop_reason": None})
        if not self._say.own:
            made.update({"stop_sequence": None, DETAILS: None})
        made.update(self._fields)
        made["usage"] = {"input_tokens": 0, "output_tokens": 0, **self._usage}
        self._fields, self._more = {}, False
        held, self._held = self._held, []
        return [event("message_start", message=made), *(one for p in held for one in self._fed(p))]

    def _said(self, model: str) -> str:
        """What tells an answer without an id from others: how it begins, and what was asked."""
        asked = self._request.messages if self._request is not None else []
        last = asked[-1].get_text_content() if asked else ""
        return f"{model}\0{self._held!r}\0{len(asked)}\0{last}"

    def _rest(self) -> list[Event]:
        """What is still held, and the end of the open block."""
        out = self._begin() if self._steps is None else []
        assert self._steps is not None  # it is begun
        for step in self._steps.finish():
            out += self._step(step)
        for block in self._steps.untold:
            self._report.lost("answer.unsaid", block, what="what came too late")
        return out

    def _step(self, step: Step) -> list[Event]:
        if type(refused := step.block) is RefusalBlock:
            if self._say.beside(refused):
                return []
            said = TextBlock(refused.text, extras=refused.extras)
            if type(step) is Shut:
                self._refused.append(refused)
                said = self._say.refused(refused)
            step = replace(step, block=said)
        if type(step) is Open:
            self._block = Block(self._count, self._say)
            return self._block.open(step.block)
        block = self._block
        assert block is not None  # a step of a block that was opened
        if type(step) is Shut:
            if type(step.block) is ToolUseBlock:
                self._cut = self._cut or cut(step.block.raw_input or "")
            out = block.shut(step.block)
            self._count += block.begun  # some begin with what only their end tells
            return out
        return block.grow(step.block)

    def _last(self) -> Event:
        """`message_delta`: why the message ends, its fields, and the figures as they are now."""
        delta: JsonObject = {"stop_reason": None}
        if not self._say.own:
            delta.update({"stop_sequence": None})
        finish, fields = self._finish, self._fields
        if finish is not None and not (self._say.own and finish == UNTOLD):
            own = self._say.own
            delta["stop_reason"] = stop_reason(finish, own, self._cut, finish, self._report)
        if self._refused:
            delta[DETAILS] = stop_details(self._refused, self._report)
        delta.update({key: fields[key] for key in _DELTA if key in fields})
        beside = {key: v for key, v in fields.items() if key not in _DELTA}
        said_usage(self._spent, {}, self._report)  # for what has no place
        for key, name in (("input_tokens", "input"), ("output_tokens", "output")):
            if key not in self._usage and not self._say.own:
                self._report.lost("answer.field", self._spent, name, did="0")
        figures = {"output_tokens": 0, **self._usage}
        return event("message_delta", delta=delta, usage=figures, **beside)

    def _fail(self, piece: Failed) -> list[Event]:
        out = self._rest() if self._known() else []
        self._failed = True
        body: Json = error_body(piece.error)
        return [*out, ("error", body)]
