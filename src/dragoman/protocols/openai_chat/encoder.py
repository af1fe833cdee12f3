"""The deltas of one candidate: what each part adds to the fields of its message."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, Raw, moment, timeless
from ..._core.stream.steps import argument_text, rest, silent
from ...losses import Report
from ...message import ChatRequest, Finish, ThinkingBlock, ToolUseBlock, Usage
from ...message.answer import joined, total
from ...message.blocks import ContentBlock
from .answer import CUT, ID, AnswerWriter, Flow, completed, fault_of, reason, told_usage
from .blocks import LEGACY
from .dialect import Dialect


class Deltas:
    """Makes deltas of parts. A call of another wire gets an id where it has none, of `seed`."""

    def __init__(self, say: AnswerWriter, dialect: Dialect, seed: str) -> None:
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


Event: TypeAlias = tuple[str | None, Json]


DONE = "[DONE]"


_SAID = ("think_tags", "delta")  # what stands in the text of the message


class ChatEncoder:
    """Writes one answer, all candidates of it."""

    def __init__(self, report: Report, request: ChatRequest | None, dialect: Dialect) -> None:
        self._report = report
        self._dialect = dialect
        self._say = AnswerWriter(report, dialect, own=False)
        self._head: JsonObject = {}
        self._asked = (request.model if request is not None else None) or ""
        self._begun = False
        self._about: JsonObject = {}  # fields of the next chunk, and of its choices
        self._beside: dict[int, list[JsonObject]] = {}
        self._deltas: dict[int, Deltas] = {}
        self._ends: dict[int, Finish] = {}
        self._figures = Builder(dialect.issuers[0])

    def feed(self, piece: Piece) -> list[Event]:
        """The chunks that the piece makes."""
        if type(piece) is Part:
            return self._part(piece)
        match piece:
            case Meta():
                return self._meta(piece)
            case Usage():
                self._figures.add(piece)
            case End():
                # a closing event may repeat the reason, or come without one
                if piece.candidate not in self._ends or piece.finish.raw:
                    self._ends[piece.candidate] = piece.finish
            case Failed():
                return [*self._left(), (None, self._failed(piece))]
            case Raw():
                if self._say.own:
                    return [(piece.event, piece.payload)]
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Event]:
        """Why each candidate ended, what the answer cost, and the sign of the end: `[DONE]`.

        An answer that broke off has no such sign.
        """
        made: list[Event] = []
        for index, end in sorted(self._ends.items()):
            if end.reason not in CUT:
                made += [self._chunk(index, delta) for delta in self._of(index).finish()]
            word = reason(end, self._of(index).kinds, self._say, end)
            made.append(self._chunk(index, {}, word))
        usage = self._figures.finish().usage
        if usage != Usage():
            made.append((None, {**self._named(), "choices": [],
                                "usage": told_usage(usage, self._say)}))  # fmt: skip
        made += self._left()
        return [*made, (None, DONE)] if self._ends else made

    def _part(self, piece: Part) -> list[Event]:
        index = piece.key[0]
        return [self._chunk(index, delta) for delta in self._of(index).said(piece)]

    def _of(self, index: int) -> Deltas:
        if index not in self._deltas:
            self._deltas[index] = Deltas(self._say, self._dialect, str(self._head.get("id", "")))
        return self._deltas[index]

    def _meta(self, piece: Meta) -> list[Event]:
        if piece.issuer in self._dialect.issuers:
            self._say.own = True
        for key in ("id", "model"):
            value = getattr(piece, key)
            if value is not None and (not self._head.get(key) or piece.instead):
                self._head[key] = value
        told = piece.extras or {}
        if not self._say.own:
            if piece.candidate is None and (at := moment(told)) is not None:
                self._head.setdefault("created", at)
                told = timeless(told)
            self._report.foreign(piece, piece.issuer, told)
        elif piece.candidate is not None:
            self._beside.setdefault(piece.candidate, []).append(told)
            tags = told.get("think_tags")
            if tags:
                return [self._chunk(piece.candidate, {"content": tags})]
        else:
            self._about.update(told)
        return []

    def _chunk(self, index: int, delta: JsonObject, word: str | None = None) -> Event:
        """One chunk with one choice, and what stands beside it by now."""
        choice: JsonObject = {"index": index, "delta": delta, "finish_reason": word}
        more = joined(self._beside.pop(index, [])) or {}
        for key, value in more.items():
            if key == "message":
                delta |= {k: v for k, v in value.items() if k not in delta}
            elif key not in _SAID:
                choice[key] = value
        return None, {**self._named(), "choices": [choice]}

    def _named(self) -> JsonObject:
        """What every chunk says of the answer."""
        if not self._begun:
            self._begun = True
            if not self._say.own:
                for key, value in (("id", ID), ("model", self._asked), ("created", 0)):
                    if key not in self._head:
                        self._head[key] = value
                        self._report.lost("answer.field", self._head, key)
        about, self._about = self._about, {}
        if "created" in about:
            self._head["created"] = about["created"]
        return {"object": "chat.completion.chunk", **self._head, **about}

    def _failed(self, piece: Failed) -> JsonObject:
        body = piece.error.body
        if self._say.own and isinstance(body, dict) and "choices" not in body:
            return body
        return {"error": fault_of(piece.error)}

    def _left(self) -> list[Event]:
        """What was told beside the answer and found no chunk."""
        made = [self._chunk(index, {}) for index in [*self._beside]]
        if self._about:
            made.append((None, {**self._named(), "choices": []}))
        return made
