"""The deltas of one candidate: what each part adds to the fields of its message."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from ...jsontext import JsonObject
from ...message import ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...message.total import total
from ...pieces import Key, Part
from ...pieces.rest import argument_text, rest, silent
from .answer import Flow, completed
from .asked_calls import LEGACY
from .dialect import Dialect
from .said import Sayer

__all__ = ["Deltas"]


class Deltas:
    """Makes deltas of parts. A call of another wire gets an id where it has none, of `seed`."""

    def __init__(self, say: Sayer, dialect: Dialect, seed: str) -> None:
        self.kinds: list[ContentBlock] = []  # the first part of each block
        self._say = say
        self._seed = seed
        self._cumulative = dialect.cumulative_details
        self._flow = Flow()
        self._said: dict[Key, list[ContentBlock]] = {}
        self._starts: dict[Key, int] = {}  # characters of content in front of each block
        self._calls: dict[Key, int] = {}
        self._ids: set[Key] = set()  # of the calls whose id went out
        self._details: dict[Key, JsonObject] = {}  # of each, what tells it from the others
        self._counts = {"annotations": 0, "images": 0, "reasoning_details": 0}
        self._role: JsonObject = {"role": "assistant"}

    def said(self, part: Part) -> list[JsonObject]:
        """The deltas that the part makes: one, or none if it says nothing."""
        key, block = part.key, part.block
        before = self._said.get(key)
        if before is None or type(before[-1]) is not type(block):
            before = self._said[key] = []
            self._starts[key] = self._flow.length
            self.kinds.append(block)
        elif part.whole:
            news = self._news(before, block)
            if news is None:
                return []
            block = news
        before.append(block)
        if type(block) is ToolUseBlock:
            delta = self._call(key, block, first=len(before) == 1)
        elif self._detailed(block, before):
            delta = self._detail(key, block, before)
        else:
            delta = self._counted(self._say.said(block, self._starts[key]))
        delta = self._flow.joined(delta, block, key)
        return self._told(delta) if delta else []

    def _counted(self, delta: JsonObject) -> JsonObject:
        """The fields of a delta; clients tell the entries of its lists from each other by index."""
        for field in self._counts:
            for one in delta.get(field, ()):
                if isinstance(one, dict):
                    one.setdefault("index", self._counts[field])
                self._counts[field] += 1
        if "audio" in delta and not self._say.own:
            delta["audio"] = completed(delta["audio"])
        return delta

    def finish(self) -> list[JsonObject]:
        """What the calls of another wire lack at their end: arguments, if only empty ones."""
        if self._say.own:
            return []
        made: list[JsonObject] = []
        for key, nth in self._calls.items():
            if not any(argument_text(one) for one in self._said[key] if type(one) is ToolUseBlock):
                made.append({"tool_calls": [{"index": nth, "function": {"arguments": "{}"}}]})
        return made

    def _told(self, delta: JsonObject) -> list[JsonObject]:
        role, self._role = self._role, {}
        return [{**role, **delta}]

    def _news(self, before: list[ContentBlock], block: ContentBlock) -> ContentBlock | None:
        """What a whole block adds to its pieces; one that says otherwise comes too late."""
        there = total(before)
        if there == block:
            return None
        more = rest(there, block)
        if more is None:
            self._say.report.lost("answer.unsaid", block, did="what had gone out stands")
            return None
        self._say.report.made(more, block)
        if silent(more):
            before.append(more)
            self._say.said(more, 0)
            return None
        return more

    def _detailed(self, block: ContentBlock, before: list[ContentBlock]) -> bool:
        first = before[0]
        return self._say.own and type(block) is ThinkingBlock and _detail(first)

    def _detail(self, key: Key, block: Any, before: list[ContentBlock]) -> JsonObject:
        """An entry of `reasoning_details`; its pieces are known by type and index."""
        words = (before[0].spelling or "").split()
        made = self._say.detail(block, words)
        if key in self._details:
            made = {**made, **self._details[key]}
        else:
            names = ("type", "index", "id") if "data" in words else ("type", "index")
            self._details[key] = {name: made[name] for name in names if name in made}
        if self._cumulative and "text" in made:
            made["text"] = "".join(one.thinking for one in before if type(one) is ThinkingBlock)
        return {"reasoning_details": [made]}

    def _call(self, key: Key, block: ToolUseBlock, first: bool) -> JsonObject:
        """A call, or a piece of one: the first has id, type and name."""
        more = self._say.fields(block)
        function: JsonObject = {"name": block.name} if block.name else {}
        text = argument_text(block)
        if text or (first and (block.raw_input is not None or not self._say.own)):
            function["arguments"] = text
        if block.spelling == LEGACY:
            return {LEGACY: function}
        nth = self._calls.setdefault(key, len(self._calls))
        made: JsonObject = {"index": nth}
        id = block.id or ("" if self._say.own or not first else self._id(nth, block.name))
        if id and (first or self._say.own) and key not in self._ids:
            made["id"] = id  # once: clients join what comes again
            self._ids.add(key)
        if first:
            made["type"] = "function"
        more = more if self._say.own else {}
        if not (function or more or len(made) > 1):
            return {}
        # the official client wants the object in each piece
        made["function"] = {**more.pop("function", {}), **function}
        return {"tool_calls": [made | more]}

    def _id(self, nth: int, name: str) -> str:
        said = f"{self._seed}\0{nth}\0{name}".encode("utf-8", "surrogatepass")
        return f"call_{blake2b(said, digest_size=9).hexdigest()}"


def _detail(first: ContentBlock) -> bool:
    return (first.spelling or "").startswith("detail")
