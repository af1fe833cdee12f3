"""The pieces of an answer as the events of a stream of Cohere's chat.

Items, calls and citations are counted each for themselves, the plan stands in no count; the reason,
the figures and an error stand in the last event. Reference: Cohere API, "Chat with Streaming".
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, Raw
from ..._core.stream.steps import Grow, Open, Step, Steps, argument_text
from ...errors import ProviderError
from ...losses import Report
from ...message import Finish, RawBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from ...message.blocks import ContentBlock
from .answer import EVENTS, AnswerWriter, finish_reason, said_usage
from .blocks import PLAN

Event: TypeAlias = tuple[str | None, Json]


_UNKNOWN = "unknown"


class CohereEncoder:
    """Writes one answer, of which the first candidate is told."""

    def __init__(self, report: Report, issuers: tuple[str, ...]) -> None:
        self._report = report
        self._say = AnswerWriter(report, issuers, own=False)
        self._about = Builder(issuers[0])  # its figures, and what stands beside the message
        self._steps = Steps(report=report)
        self._id: str | None = None
        self._begun = False
        self._items = self._calls = self._cited = 0
        self._key: Key = ()  # of the block that a step is about
        self._sent: dict[Key, int] = {}  # how many citations of it went out
        self._end: Finish | None = None
        self._failed: ProviderError | None = None
        self._named: set[str] = set()  # losses that are told once

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece makes."""
        match piece:
            case Part():
                if piece.key[0] == 0:
                    return self._said(self._steps.feed(piece))
                self._once("answer.candidates", piece, "")
            case Meta():
                self._meta(piece)
            case Usage():
                self._about.add(piece)
            case End():
                if piece.candidate == 0:
                    self._end = piece.finish
            case Failed():
                self._failed = self._failed or piece.error
            case Raw():
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Event]:
        """What still waits, why it ended with the figures, and the end of the stream."""
        made = self._said(self._steps.finish())
        for block in self._steps.untold:
            self._report.lost("answer.unsaid", block, what="what came behind its block")
        if self._end is None and self._failed is None:
            return made  # it broke off
        resp = self._about.finish()
        beside = self._say.fields(resp)
        beside.pop(EVENTS, None)
        delta = {
            "finish_reason": self._word(),
            "usage": said_usage(resp.usage, self._say),
            **beside,
        }
        if self._failed is not None:
            delta["error"] = self._failed.message
            if self._failed.type:
                delta["error_type"] = self._failed.type
        return [*made, *self._started(), self._event("message-end", delta=delta), (None, "[DONE]")]

    def _word(self) -> str:
        if self._end is None:
            return "ERROR"
        return finish_reason(self._end, self._say, self._end) or "COMPLETE"

    def _meta(self, piece: Meta) -> None:
        own = self._say.reads(piece.issuer)
        self._say.own = self._say.own or own
        self._id = self._id or piece.id
        if piece.model is not None:
            self._once("answer.unsaid", piece, "model")
        if own and piece.candidate is None:
            self._about.add(Meta(piece.extras, joined=piece.joined))
        elif own:
            for key in piece.extras or {}:
                self._once("answer.unsaid", piece, f"extras.{piece.issuer}.{key}")
        else:
            for key in piece.extras or {}:
                self._once("extras.foreign", piece, f"extras.{piece.issuer or 'nobody'}.{key}")

    def _started(self) -> list[Event]:
        """The first event, with a message that is empty; another wire's answer gets an id."""
        if self._begun:
            return []
        self._begun = True
        if self._id is None and not self._say.own:
            self._once("answer.field", self, "id")
            self._id = _UNKNOWN
        self._steps.seed = self._steps.seed or self._id or ""
        message: JsonObject = {"role": "assistant", "content": [], "tool_plan": "",
                               "tool_calls": [], "citations": []}  # fmt: skip
        id = {} if self._id is None else {"id": self._id}
        return [self._event("message-start", **id, delta={"message": message})]

    def _event(self, kind: str, **fields: Json) -> Event:
        return kind, {"type": kind, **fields}

    def _delta(self, kind: str, index: int | None, **message: Json) -> Event:
        at = {} if index is None else {"index": index}
        return self._event(kind, **at, delta={"message": message})

    def _said(self, steps: list[Step]) -> list[Event]:
        made: list[Event] = []
        for step in steps:
            made += self._started()
            self._key = step.key
            block = step.block
            if type(step) is Open:
                made += self._opened(block)
            elif type(step) is Grow:
                made += self._grown(block)
            else:
                made += self._shut(block)
        return made

    def _planned(self, block: ContentBlock) -> bool:
        return self._say.own and type(block) is TextBlock and block.spelling == PLAN

    def _opened(self, block: ContentBlock) -> list[Event]:
        """The beginning of a text, of thinking or of a call; a plan has none."""
        if type(block) is ToolUseBlock:
            call = self._say.call(block)
            call["function"] = {**call["function"], "arguments": ""}
            return [self._delta("tool-call-start", self._calls, tool_calls=call)]
        if self._planned(block):
            return []
        kind = "thinking" if type(block) is ThinkingBlock else "text"
        if type(block) in (TextBlock, ThinkingBlock, RefusalBlock):
            begun = {"type": kind, kind: ""}
            return [self._delta("content-start", self._items, content=begun)]
        return []

    def _grown(self, block: ContentBlock) -> list[Event]:
        if type(block) is TextBlock and self._planned(block):
            made = (
                [self._delta("tool-plan-delta", None, tool_plan=block.text)] if block.text else []
            )
            return made + self._sources(block, -1)
        if type(block) is TextBlock or type(block) is RefusalBlock:
            text = {"text": block.text}
            made = [self._delta("content-delta", self._items, content=text)] if block.text else []
            return made + (self._sources(block, self._items) if type(block) is TextBlock else [])
        if type(block) is ThinkingBlock:
            said = {"thinking": block.thinking}
            made = (
                [self._delta("content-delta", self._items, content=said)] if block.thinking else []
            )
            return made + self._sources(block, self._items)
        if type(block) is ToolUseBlock and (text_ := argument_text(block)):
            function = {"function": {"arguments": text_}}
            return [self._delta("tool-call-delta", self._calls, tool_calls=function)]
        return []

    def _sources(self, block: ContentBlock, at: int) -> list[Event]:
        """The citations that a piece brings; its own wire tells all of a block again each time."""
        made: list[Event] = []
        told, sent = self._say.citations(block, at), self._sent.get(self._key, 0)
        new = told[sent:] if self._say.own else told
        self._sent[self._key] = sent + len(new)
        for one in new:
            made.append(self._delta("citation-start", self._cited, citations=one))
            made.append(self._event("citation-end", index=self._cited))
            self._cited += 1
        return made

    def _shut(self, block: ContentBlock) -> list[Event]:
        """The end of a block: what came in one piece is said, what cannot be is named."""
        if type(block) is ToolUseBlock:
            self._calls += 1
            return [self._event("tool-call-end", index=self._calls - 1)]
        if self._planned(block):
            self._say.fields(block)
            return []
        item = self._say.item(block)
        if type(block) is RawBlock and item is not None:
            made = [self._delta("content-start", self._items, content=item)]
        elif type(block) not in (TextBlock, ThinkingBlock, RefusalBlock):
            return []
        else:
            made = []
        self._items += 1
        return [*made, self._event("content-end", index=self._items - 1)]

    def _once(self, code: str, node: object, field: str) -> None:
        if (name := f"{code} {field}") not in self._named:
            self._named.add(name)
            self._report.lost(code, node, field)
