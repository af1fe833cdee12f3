"""One candidate of a stream: its blocks as deltas.

Reference: Mistral API, "DeltaMessage": content is text or a list of chunks, calls go by index.
"""

from __future__ import annotations

from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import MADE
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, Raw, moment, timeless
from ..._core.stream.steps import Grow, Open, Step, Steps, argument_text
from ...losses import Report
from ...message import (
    ChatRequest,
    Finish,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ContentBlock
from ..chat_shape import filled
from .answer import EVENTS, AnswerWriter, error_body, finish_reason, said_usage
from .blocks import CHUNK, CLOSED


class Deltas:
    """The deltas of one candidate."""

    def __init__(self, index: int, say: AnswerWriter, seed: str) -> None:
        self.end: Finish | None = None  # why it ended, as far as anybody has said
        self._index = index
        self._say = say
        self._steps = Steps(seed, say.report)
        self._begun = False
        self._calls = 0
        self._thoughts = 0  # of the thinking that is open, the pieces that went out

    def feed(self, part: Part) -> list[JsonObject]:
        """The choices that a piece makes."""
        return self._said(self._steps.feed(part))

    def finish(self) -> list[JsonObject]:
        """The choices of what still waits."""
        made = self._said(self._steps.finish())
        for block in self._steps.untold:
            self._say.report.lost("answer.unsaid", block, what="what came behind its block")
        return made

    def choice(self, delta: JsonObject, reason: str | None = None) -> JsonObject:
        """`{"index", "delta", "finish_reason"}`; the first delta says whose words these are."""
        if not self._begun:
            self._begun = True
            delta = {"role": "assistant", **delta}
        return {"index": self._index, "delta": delta, "finish_reason": reason}

    def beside(self, told: JsonObject) -> JsonObject:
        """A choice of fields that nobody models."""
        rest = dict(told)
        message = rest.pop("message", None)
        delta = message if isinstance(message, dict) else {"content": ""}
        return {**self.choice(delta), **rest}

    def _said(self, steps: list[Step]) -> list[JsonObject]:
        made: list[JsonObject] = []
        for step in steps:
            if type(step) is Open:
                delta = self._opened(step.block)
            elif type(step) is Grow:
                delta = self._grown(step.block)
            else:
                delta = self._shut(step.block)
            if delta:
                made.append(self.choice(delta))
        return made

    def _opened(self, block: ContentBlock) -> JsonObject:
        """The beginning of a call: its name, and its id unless nobody gave it one."""
        self._thoughts = 0
        if type(block) is not ToolUseBlock:
            return {}
        self._calls += 1
        made: JsonObject = {"index": self._calls - 1, "type": "function",
                            "function": {"name": block.name, "arguments": ""}}  # fmt: skip
        if not (self._say.own and block.spelling == MADE):
            made["id"] = block.id
        own = (block.extras or {}).get(self._say.issuer, {})
        return {"content": "", "tool_calls": [filled(made, own)]}

    def _grown(self, block: ContentBlock) -> JsonObject:
        if type(block) is TextBlock and block.spelling == CHUNK and self._say.own:
            return {"content": [self._say.chunk(block)]}
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return {"content": block.text} if block.text else {}
        if type(block) is ThinkingBlock:
            return self._thinking(block)
        if type(block) is ToolUseBlock and (text := argument_text(block)):
            function = {"name": "", "arguments": text}
            return {"tool_calls": [{"index": self._calls - 1, "function": function}]}
        return {}

    def _thinking(self, block: ThinkingBlock) -> JsonObject:
        own = dict((block.extras or {}).get(self._say.issuer, {}))
        said: Any = [{"type": "text", "text": block.thinking}] if block.thinking else []
        if (came := own.pop("thinking", None)) is not None:  # all that was thought so far
            said = came[self._thoughts :]
            self._thoughts = len(came)
        else:
            self._thoughts += len(said)
        chunk: Json = {"type": "thinking", "thinking": said, **own}
        if self._say.own and block.spelling == CLOSED:
            chunk["closed"] = True
        if not said and len(chunk) == 2:
            return {}
        return {"content": [chunk]}

    def _shut(self, block: ContentBlock) -> JsonObject:
        """The end of a block: what came in one piece is said, what cannot be is named."""
        say = self._say
        if type(block) is TextBlock:
            say.fields(block)
            if not say.own:
                say.uncited(block)
            return {}
        if type(block) is ThinkingBlock:
            say.fields(block)
            say.unsealed(block)
            return {}
        if type(block) is ToolUseBlock:
            say.fields(block)
            return {}
        chunk = say.chunk(block)
        if type(block) is RefusalBlock or chunk is None or type(chunk) is not dict:
            return {}
        return {"content": [chunk]}


Event: TypeAlias = tuple[str | None, Json]


_DONE = "[DONE]"


_UNKNOWN = "unknown"


class MistralEncoder:
    """Writes one answer with all its candidates."""

    def __init__(
        self, report: Report, issuers: tuple[str, ...], request: ChatRequest | None
    ) -> None:
        self._report = report
        self._say = AnswerWriter(report, issuers, own=False)
        self._about = Builder(issuers[0])  # its figures, and what stands beside the choices
        self._head: JsonObject = {}  # id, model and time, which each chunk repeats
        self._asked = (request.model if request is not None else None) or _UNKNOWN
        self._sent: JsonObject = {}  # as the last chunk had it
        self._beside: JsonObject = {}  # for the next chunk
        self._deltas: dict[int, Deltas] = {}
        self._named: set[str] = set()  # losses that are told once
        self._failed = False

    def feed(self, piece: Piece) -> list[Event]:
        """The chunks that the piece makes."""
        match piece:
            case Part():
                candidate = self._candidate(piece.key[0])
                return [self._chunk(one) for one in candidate.feed(piece)]
            case Meta():
                return self._meta(piece)
            case Usage():
                self._about.add(piece)
            case End():
                self._candidate(piece.candidate).end = piece.finish
            case Failed():
                return self._error(piece)
            case Raw():
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Event]:
        """What still waits, why each candidate ended, the figures, and the end of the stream."""
        made: list[Event] = []
        last: list[JsonObject] = []
        for index in sorted(self._deltas):
            one = self._deltas[index]
            made += [self._chunk(choice) for choice in one.finish()]
            if one.end is not None:
                last.append(self._last(one, one.end))
        resp = self._about.finish()
        beside = self._say.fields(resp)
        beside.pop(EVENTS, None)
        usage = said_usage(resp.usage, self._say) if last or resp.usage != Usage() else {}
        more = {**({"usage": usage} if usage else {}), **beside}
        made += [self._chunk(choice) for choice in last[:-1]]
        if last or more or self._beside or (self._say.own and self._head != self._sent):
            event = self._chunk(last[-1] if last else None)
            event[1].update(more)
            made.append(event)
        return [*made, (None, _DONE)] if last else made

    def _last(self, one: Deltas, end: Finish) -> JsonObject:
        """The delta with the reason."""
        word = finish_reason(end, self._say, end)
        return one.choice({"content": ""}, word or "stop")

    def _candidate(self, index: int) -> Deltas:
        if index not in self._deltas:
            self._deltas[index] = Deltas(index, self._say, str(self._head.get("id", "")))
        return self._deltas[index]

    def _meta(self, piece: Meta) -> list[Event]:
        own = self._say.reads(piece.issuer)
        self._say.own = self._say.own or own
        for name in ("id", "model"):
            if (value := getattr(piece, name)) is not None:
                self._head.setdefault(name, value)
        told = piece.extras or {}
        if own and piece.candidate is None and "created" in told:
            self._head["created"] = told["created"]
        if not own:
            if piece.candidate is None and (at := moment(told)) is not None:
                self._head.setdefault("created", at)
                told = timeless(told)
            for key in told:
                self._once("extras.foreign", piece, f"extras.{piece.issuer or 'nobody'}.{key}")
            return []
        if piece.candidate is not None:
            return [self._chunk(self._candidate(piece.candidate).beside(told))] if told else []
        self._beside.update((key, value) for key, value in told.items() if key != "created")
        return []

    def _chunk(self, choice: JsonObject | None) -> Event:
        """One chunk; the first of another wire's answer settles what it must be called."""
        made: JsonObject = {"object": "chat.completion.chunk"}
        if not self._say.own:
            for name, usual in (("id", _UNKNOWN), ("model", self._asked), ("created", 0)):
                if name not in self._head:
                    self._head[name] = usual
                    self._once("answer.field", self._head, name)
        self._sent = dict(self._head)
        made.update(self._head)
        made["choices"] = [] if choice is None else [choice]
        made.update(self._beside)
        self._beside = {}
        return None, made

    def _error(self, piece: Failed) -> list[Event]:
        ended = any(one.end is not None and one.end.reason == "error"
                    for one in self._deltas.values())  # fmt: skip
        if ended and self._say.own and piece.error.body is None:
            return []  # the reason has said it
        return [(None, error_body(piece.error))]

    def _once(self, code: str, node: object, field: str) -> None:
        if (name := f"{code} {field}") not in self._named:
            self._named.add(name)
            self._report.lost(code, node, field)
