"""The events of one content block: its start, its deltas, its stop.

Reference: Anthropic API, "Streaming messages". What a wire tells only at the end of a block, such
as citations and signatures, is told there here, too.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ...jsontext import Json, JsonObject
from ...message import RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from ...pieces.steps import argument_text
from .said import Sayer

__all__ = ["Block", "Event", "event"]

Event: TypeAlias = tuple[str | None, Json]

_TOKENS = "estimated_tokens"  # of thinking: told in increments


def event(kind: str, /, **fields: Any) -> Event:
    """An event under its name: `{"type": kind, ...}`."""
    return kind, {"type": kind, **fields}


class Block:
    """One block of the stream. An empty text of another wire is not begun at all."""

    __slots__ = ("_cited", "_say", "_tokens", "_whole", "begun", "index")

    def __init__(self, index: int, say: Sayer) -> None:
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
