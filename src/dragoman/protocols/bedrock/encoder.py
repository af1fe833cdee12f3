"""What a stream makes of a whole content block, and of an error.

Reference: Amazon Bedrock API reference, "ContentBlockStart", "ContentBlockDelta",
"ConverseStreamOutput".
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject, arguments
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, Raw
from ..._core.stream.steps import Open, Shut, Step, Steps, argument_text
from ...errors import ProviderError
from ...losses import Report
from ...message import (
    ChatResponse,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.blocks import ContentBlock
from .answer import EVENTS, AnswerWriter, figures, request_ids, stop_reason
from .blocks import own_fields, thought
from .reader import FAULTS

_BY_STATUS = {status: name for name, status in FAULTS.items()}


def in_pieces(said: JsonObject) -> tuple[JsonObject, list[JsonObject]]:
    """(how the block begins, the deltas that fill it) of an image, a server's call or result."""
    ((key, inner),) = said.items() if len(said) == 1 else (("", None),)
    grows = {"image": "source", "toolUse": "input", "toolResult": "content"}.get(key)
    if grows is None or not isinstance(inner, dict):
        return said, []  # nothing that a stream has: it stands in its beginning
    start = {key: {name: value for name, value in inner.items() if name != grows}}
    value = inner.get(grows)
    if not value:
        return start, []
    if key == "image":
        return start, [{key: {grows: value}}]
    if key == "toolUse":  # an input that broke off is text already
        return start, [{key: {grows: value if isinstance(value, str) else arguments(value)}}]
    return start, [{key: value}]


def exception(error: ProviderError) -> tuple[str, Json]:
    """The exception by its own name, or by the status that it has over HTTP."""
    known = error.type in FAULTS
    name = error.type if known else _BY_STATUS.get(error.status or 500, "internalServerException")
    body = error.body
    if known and isinstance(body, dict) and isinstance(body.get("message"), str):
        return name, body
    return name, {"message": error.message}


Event: TypeAlias = tuple[str | None, Json]


_STOP_FIELD = "additionalModelResponseFields"


class ConverseEncoder:
    """Writes one answer, its first candidate."""

    def __init__(self, report: Report, issuers: tuple[str, ...]) -> None:
        self._report = report
        self._say = AnswerWriter(report, issuers, own=False)
        self._steps = Steps(report=report)
        self._about = Builder(issuers[0])  # of what stands beside the message
        self._begun = False
        self._end: Finish | None = None
        self._index = 0  # of the next block that says something
        self._open = False  # whether the block has said something
        self._named: set[str] = set()  # losses that are told once

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece completes."""
        made: list[Event] = []
        match piece:
            case Part():
                if piece.key[0] == 0:
                    self._told(self._steps.feed(piece), made)
                else:
                    self._once("answer.candidates", piece, what=f"candidate {piece.key[0]}")
            case Meta():
                self._meta(piece)
            case Usage():
                self._about.add(piece)
            case End():
                if piece.candidate == 0:
                    self._end = piece.finish
            case Failed():
                self._told(self._steps.finish(), made)
                made.append(exception(piece.error))
            case Raw():
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        if not self._begun and type(piece) is not Failed:
            self._begun = True
            made.insert(0, ("messageStart", {"role": "assistant"}))
        return made

    def finish(self) -> list[Event]:
        """The end of the last block, why the answer ended, and its figures."""
        made: list[Event] = []
        self._told(self._steps.finish(), made)
        for block in self._steps.untold:
            self._report.lost("answer.unsaid", block, what="what came behind its block")
        resp = self._about.finish()
        beside = self._say.fields(resp)
        beside.pop(EVENTS, None)
        if self._end is not None:
            word = stop_reason(self._end, self._say, resp.candidates[0])
            stop: JsonObject = {} if word is None else {"stopReason": word}
            if _STOP_FIELD in beside:
                stop[_STOP_FIELD] = beside.pop(_STOP_FIELD)
            made.append(("messageStop", stop))
        self._measured(resp, beside, made)
        return made

    def _measured(self, resp: ChatResponse, beside: JsonObject, made: list[Event]) -> None:
        """What the answer cost; another wire's answer gets all that the event must have."""
        told = self._say.own or self._end is not None or resp.usage != Usage()
        usage = figures(resp.usage, self._say) if told else {}
        last = {**({"usage": usage} if usage else {}), **beside}
        if told and not self._say.own:
            self._report.lost("answer.field", resp, "metrics", did="0 ms")
            last["metrics"] = {"latencyMs": 0}
        if last:
            made.append(("metadata", last))

    def _meta(self, piece: Meta) -> None:
        own = self._say.reads(piece.issuer)
        self._say.own = self._say.own or own
        if piece.id is not None and piece.id not in request_ids(piece.extras or {}):
            self._once("answer.unsaid", piece, "id")
        if piece.model is not None:
            self._once("answer.unsaid", piece, "model")
        if own and not piece.candidate:
            self._about.add(Meta(piece.extras, joined=piece.joined))
            return
        for key in piece.extras or {}:
            self._once("extras.foreign", piece, f"extras.{piece.issuer or 'nobody'}.{key}")

    def _once(self, code: str, piece: object, field: str = "", what: str = "") -> None:
        if (name := f"{code} {field or what}") not in self._named:
            self._named.add(name)
            self._report.lost(code, piece, field, what)

    def _told(self, steps: list[Step], made: list[Event]) -> None:
        for step in steps:
            if type(step) is Open:
                self._start(step.block, made)
            elif type(step) is Shut:
                self._shut(step.block, made)
            else:
                self._grow(step.block, made)

    def _delta(self, delta: JsonObject, made: list[Event]) -> None:
        self._open = True
        made.append(("contentBlockDelta", {"contentBlockIndex": self._index, "delta": delta}))

    def _begin(self, start: JsonObject, made: list[Event]) -> None:
        self._open = True
        made.append(("contentBlockStart", {"contentBlockIndex": self._index, "start": start}))

    def _start(self, block: ContentBlock, made: list[Event]) -> None:
        """The event that begins a call; anything else begins with what it says first."""
        if type(block) is ToolUseBlock:
            own = own_fields(block, self._say.issuer)
            typed = (
                {"type": block.spelling} if self._say.own and block.spelling == "tool_use" else {}
            )
            said = {"toolUseId": block.id, "name": block.name, **typed, **own}
            self._begin({"toolUse": said}, made)

    def _grow(self, block: ContentBlock, made: list[Event]) -> None:
        """What a piece adds. Citations stand behind their text: see `_shut`."""
        if type(block) is TextBlock or type(block) is RefusalBlock:
            if block.text:
                self._delta({"text": block.text}, made)
        elif type(block) is ToolUseBlock:
            if text := argument_text(block):
                self._delta({"toolUse": {"input": text}}, made)
        elif type(block) is ThinkingBlock:
            self._think(block, made)

    def _think(self, block: ThinkingBlock, made: list[Event]) -> None:
        own = own_fields(block, self._say.issuer)
        said = [{"text": block.thinking}] if block.thinking else []
        if self._say.mine(block.origin):
            if block.signature is not None:
                said.append({"signature": block.signature})
            if block.redacted is not None:
                said.append({**thought(block), **own})
        if more := own.get("reasoningText"):
            said.append(more)
        for one in said:
            self._delta({"reasoningContent": one}, made)

    def _shut(self, block: ContentBlock, made: list[Event]) -> None:
        """The end of a block; one that said nothing so far does so now, or has never been."""
        say = self._say
        say.fields(block)
        if type(block) is TextBlock:
            cited = say.citations(block) or own_fields(block, say.issuer).get("citations", [])
            for one in cited:
                self._delta({"citation": one}, made)
            if not self._open and say.own:
                self._delta({"text": ""}, made)
        elif type(block) is ThinkingBlock:
            say.unsealed(block)
            if not self._open and say.own:
                self._delta({"reasoningContent": {"text": ""}}, made)
        elif type(block) is RefusalBlock:
            self._report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        elif type(block) is not ToolUseBlock:
            self._whole(block, made)
        if self._open:
            made.append(("contentBlockStop", {"contentBlockIndex": self._index}))
            self._open = False
            self._index += 1

    def _whole(self, block: ContentBlock, made: list[Event]) -> None:
        """A block that came in one piece: an image, or what only this wire has."""
        image = type(block) is ImageBlock
        raw = type(block) is RawBlock and self._say.reads(block.issuer)
        said = self._say.block(block) if image or raw else None
        if isinstance(said, dict):
            start, deltas = in_pieces(said)
            self._begin(start, made)
            for delta in deltas:
                self._delta(delta, made)
        elif not image:  # which is named already
            self._report.lost("answer.unsaid", block)
