"""The events of one item: its announcement, its texts as they grow, its end.

Reference: OpenAI API, "Streaming events". Clients find an item by `output_index`, its parts by
`content_index`, and want an item to keep the id that it was announced with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import cut
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Meta, Part, Piece, Raw, moment
from ..._core.stream.steps import Grow, Open, Shut, Step, Steps, argument_text
from ...losses import Report
from ...message import (
    ChatRequest,
    ChatResponse,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from ...message.answer import total
from ...message.blocks import ContentBlock
from .answer import DEFAULTS, UNTOLD, AnswerWriter, response
from .blocks import as_cited, items_as_read, part_as_told, words
from .dialect import Dialect
from .reader import ID

Event: TypeAlias = tuple[str | None, Json]


class Events:
    """Counts the events of one answer."""

    def __init__(self) -> None:
        self._count = 0

    def say(self, kind: str, **fields: Any) -> Event:
        """One event, with its number."""
        made = {"type": kind, "sequence_number": self._count, **fields}
        self._count += 1
        return kind, made


class Line:
    """One item of the output while it grows; `raw`: thoughts are text of their own."""

    def __init__(self, events: Events, index: int, id: str | None, raw: bool) -> None:
        self.index = index
        self.id = id
        self._events = events
        self._raw = raw
        self._at: dict[int, int] = {}  # the part of a block -> its place in the content
        self._notes: dict[int, int] = {}

    def _item(self, kind: str, **fields: Any) -> Event:
        return self._events.say(kind, output_index=self.index, **fields)

    def _part(self, kind: str, **fields: Any) -> Event:
        return self._item(kind, item_id=self.id or "", **fields)

    def added(self, item: JsonObject) -> list[Event]:
        """The item begins."""
        named = {"id": self.id} if self.id is not None else {}
        return [self._item("response.output_item.added", item={**item, **named})]

    def done(self, item: Json) -> list[Event]:
        """The item is whole."""
        return [self._item("response.output_item.done", item=item)]

    def text(self, part: int, refusal: bool, delta: str, logprobs: Json = ()) -> list[Event]:
        """A piece of a text; its part begins with it."""
        made: list[Event] = []
        if part not in self._at:
            self._at[part] = len(self._at)
            empty: JsonObject = {"type": "output_text", "text": "", "annotations": [],
                                 "logprobs": []}  # fmt: skip
            empty = {"type": "refusal", "refusal": ""} if refusal else empty
            made.append(self._part("response.content_part.added",
                                   content_index=self._at[part], part=empty))  # fmt: skip
        at = self._at[part]
        if refusal and delta:
            made.append(self._part("response.refusal.delta", content_index=at, delta=delta))
        elif delta or logprobs:
            made.append(self._part("response.output_text.delta", content_index=at, delta=delta,
                                   logprobs=list(logprobs)))  # fmt: skip
        return made

    def note(self, part: int, annotation: JsonObject) -> Event:
        """One more annotation of a text."""
        nth = self._notes.get(part, 0)
        self._notes[part] = nth + 1
        return self._part("response.output_text.annotation.added", content_index=self._at[part],
                          annotation_index=nth, annotation=annotation)  # fmt: skip

    def said(self, part: int, told: Json) -> list[Event]:
        """A part of a message is whole."""
        at = self._at[part]
        made: list[Event] = []
        if told.get("type") == "refusal":
            refusal = told["refusal"]
            made.append(self._part("response.refusal.done", content_index=at, refusal=refusal))
        else:
            chances = told.get("logprobs")
            made.append(self._part("response.output_text.done", content_index=at,
                                   text=told["text"], logprobs=chances or []))  # fmt: skip
        return [*made, self._part("response.content_part.done", content_index=at, part=told)]

    def thought(self, delta: str) -> list[Event]:
        """A piece of the thinking."""
        made: list[Event] = []
        if not self._at:
            self._at[0] = 0
            made.append(self._thinking("added", ""))
        if delta:
            name = "reasoning_text" if self._raw else "reasoning_summary_text"
            made.append(self._part(f"response.{name}.delta", **self._place(), delta=delta))
        return made

    def thought_whole(self, text: str) -> list[Event]:
        """All of the thinking, if any was told."""
        if not self._at:
            return []
        name = "reasoning_text" if self._raw else "reasoning_summary_text"
        done = self._part(f"response.{name}.done", **self._place(), text=text)
        return [done, self._thinking("done", text)]

    def _thinking(self, what: str, text: str) -> Event:
        kind = "reasoning_text" if self._raw else "summary_text"
        name = "content_part" if self._raw else "reasoning_summary_part"
        part = {"type": kind, "text": text}
        return self._part(f"response.{name}.{what}", **self._place(), part=part)

    def _place(self) -> dict[str, int]:
        return {"content_index" if self._raw else "summary_index": 0}

    def arguments(self, delta: str) -> list[Event]:
        """A piece of a call's arguments."""
        if not delta:
            return []
        return [self._part("response.function_call_arguments.delta", delta=delta)]

    def called(self, name: str, arguments: str) -> list[Event]:
        """All of a call's arguments."""
        kind = "response.function_call_arguments.done"
        return [self._part(kind, arguments=arguments, name=name)]


class Told:
    """Says the parts of one answer."""

    def __init__(self, events: Events, sayer: AnswerWriter) -> None:
        self._events = events
        self._sayer = sayer
        self._steps = Steps(sayer.seed, sayer.report)
        self._line: Line | None = None  # of the item that is open
        self._parts: list[Json] | None = None  # of the message that is open
        self.output: list[Json] = []
        self.broken = False  # some call broke off
        self._cut = False  # so did the answer

    def feed(self, part: Part) -> list[Event]:
        """The events that the piece makes."""
        return [event for step in self._steps.feed(part) for event in self._say(step)]

    def finish(self, ended: bool, cut: bool) -> list[Event]:
        """What waited, and the end of the item that is open; `cut`: a limit ended the answer."""
        self._cut = cut or not ended
        made = [event for step in self._steps.finish() for event in self._say(step)]
        made += self._closed("incomplete" if self._cut else "completed")
        for block in self._steps.untold:
            self._sayer.report.lost("answer.unsaid", block)
        self._steps.untold.clear()
        return made

    def _say(self, step: Step) -> list[Event]:
        block = step.block
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return self._text(step, block)
        made = self._closed("completed") if type(step) is Open else []
        if type(block) is ThinkingBlock:
            return made + self._thought(step, block)
        if type(block) is ToolUseBlock:
            return made + self._call(step, block)
        return made + (self._other(block) if type(step) is Shut else [])

    def _begun(self, prefix: str, item: JsonObject) -> list[Event]:
        at = len(self.output)
        self._line = Line(self._events, at, self._sayer.id(prefix, at), self._sayer.raw)
        return self._line.added(item)

    def _ended(self, item: Json) -> list[Event]:
        line, self._line = self._line, None
        assert line is not None  # it has begun
        self.output.append(item)
        return line.done(item)

    def _text(self, step: Step, block: TextBlock | RefusalBlock) -> list[Event]:
        """Nothing, until there is a word, or an end that says something."""
        refusal = type(block) is RefusalBlock
        if type(step) is Grow and block.text:
            made = self._spoken()
            assert self._line is not None  # a message is open
            return made + self._line.text(step.index, refusal, block.text)
        if type(step) is not Shut or (part := self._sayer.part(block)) is None:
            return []
        made = self._spoken()
        assert self._line is not None
        assert self._parts is not None
        self._parts.append(part)
        made += self._line.text(step.index, refusal, "")
        made += [self._line.note(step.index, one) for one in part.get("annotations", ())]
        return made + self._line.said(step.index, part)

    def _spoken(self) -> list[Event]:
        """The beginning of the message, if none is open."""
        if self._parts is not None:
            return []
        self._parts = []
        empty = {"type": "message", "status": "in_progress", "role": "assistant"}
        return self._begun("msg", {**empty, "content": []})

    def _closed(self, status: str) -> list[Event]:
        """The end of the message, if one is open."""
        parts, self._parts = self._parts, None
        if parts is None or self._line is None:
            return []
        return self._ended(self._sayer.message(self._line.id or "", parts, status))

    def _thought(self, step: Step, block: ThinkingBlock) -> list[Event]:
        """Nothing, as long as nothing can be read."""
        made: list[Event] = []
        if type(step) is Open:  # the first piece is told once more, as it grows
            return made
        if type(step) is Grow:
            if block.thinking and self._line is None:
                made = self._begun("rs", {"type": "reasoning", "summary": []})
            return made + (self._line.thought(block.thinking) if self._line is not None else [])
        if self._line is None and self._sayer.sealed(block) is not None:
            made = self._begun("rs", {"type": "reasoning", "summary": []})
        item = self._sayer.thought(self._line.id or "" if self._line is not None else "", block)
        if item is None or self._line is None:
            return []
        return made + self._line.thought_whole(block.thinking) + self._ended(item)

    def _call(self, step: Step, block: ToolUseBlock) -> list[Event]:
        if type(step) is Open:
            begun = {"type": "function_call", "call_id": block.id, "name": block.name}
            return self._begun("fc", {**begun, "arguments": "", "status": "in_progress"})
        assert self._line is not None
        if type(step) is Grow:
            return self._line.arguments(argument_text(block))
        text = argument_text(block)
        if cut(text) or (self._cut and not text):  # there may have been arguments to come
            block = replace(block, unfinished=True)
            self.broken = True
        item = self._sayer.call(self._line.id or "", block)
        said = item["arguments"]
        made = self._line.arguments(said) if not text else []
        return made + self._line.called(block.name, said) + self._ended(item)

    def _other(self, block: ContentBlock) -> list[Event]:
        """An item of this wire's own, in one piece; anything else is a loss."""
        if type(block) is RawBlock and self._sayer.ours(block) and isinstance(block.data, dict):
            id = block.data.get("id")
            at = len(self.output)
            named = id if isinstance(id, str) else None
            self._line = Line(self._events, at, named, self._sayer.raw)
            return self._line.added(block.data) + self._ended(block.data)
        self._sayer.report.lost("answer.unsaid", block)
        return []


class _Item:
    """One item: the pieces of its blocks, and what went out of them."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.blocks: dict[int, list[ContentBlock]] = {}
        self.said: dict[int, list[str]] = {}
        self.settled = False  # its end was told
        self.closed = False


class Replayed:
    """Says the parts of one answer."""

    def __init__(self, events: Events, sayer: AnswerWriter) -> None:
        self._events = events
        self._sayer = sayer
        self._items: dict[int, _Item] = {}

    def feed(self, part: Part) -> list[Event]:
        """The events that the piece makes."""
        _, at, *rest = part.key
        nth = rest[0] if rest else 0
        made: list[Event] = []
        item = self._items.get(at)
        if item is not None and not part.whole and not item.settled and _goes_on(item, nth, part):
            return self._grown(item, nth, part)  # the usual piece of a text
        if item is None:
            for other in self._items.values():
                if other.settled and not other.closed:
                    made += self._close(other)
            item = self._items[at] = _Item(self._line(at, part.block))
            made += item.line.added(self._empty(part.block))
        before = item.blocks.get(nth)
        if before is not None and not part.whole and type(before[0]) is type(part.block):
            before.append(part.block)
        else:
            item.blocks[nth] = [part.block]
        item.settled = item.settled or self._ends(part.block)
        if not item.closed:
            made += self._grown(item, nth, part)
            parted = type(part.block) is TextBlock or type(part.block) is RefusalBlock
            if item.settled and not parted:  # of a message more parts may be told
                made += self._close(item)
        return made

    def finish(self, ended: bool, cut: bool) -> list[Event]:
        """The ends of the items; if the answer broke off, of those whose end was told.

        Whether it was `cut` short the items say themselves.
        """
        return [
            event
            for item in self._items.values()
            if (ended or item.settled) and not item.closed
            for event in self._close(item)
        ]

    @property
    def output(self) -> list[Json]:
        """All items, as they are at last."""
        return [self._whole(self._items[at]) for at in sorted(self._items)]

    def _line(self, at: int, block: ContentBlock) -> Line:
        note = next((word for word in words(block) if word.startswith(ID)), "")
        own: Any = (block.extras or {}).get(self._sayer.ours(block) or "", {})
        if type(block) is RawBlock:
            own = block.data if isinstance(block.data, dict) else {}
        id = note.removeprefix(ID) or own.get("id")
        return Line(self._events, at, id if isinstance(id, str) else None, self._sayer.raw)

    def _empty(self, block: ContentBlock) -> JsonObject:
        """The item as it is announced."""
        if type(block) is RawBlock:
            return block.data if isinstance(block.data, dict) else {}
        if type(block) is ThinkingBlock:
            return {"type": "reasoning", "summary": []}
        begun: JsonObject = {"status": "in_progress"}
        if type(block) is ToolUseBlock:
            [item] = items_as_read([block], self._issuer(block), self._sayer.raw)
            return {**item, **begun, "arguments": ""}
        own = (block.extras or {}).get(self._issuer(block), {})
        if "phase" in own:
            begun["phase"] = own["phase"]
        return {"type": "message", **begun, "role": "assistant", "content": []}

    def _issuer(self, block: ContentBlock) -> str:
        return self._sayer.ours(block) or self._sayer.issuers[0]

    def _ends(self, block: ContentBlock) -> bool:
        """Whether the piece tells of the end of its item: only then its own fields are known."""
        if type(block) is RawBlock:
            return True
        own = (block.extras or {}).get(self._issuer(block), {})
        return "id" in own or "status" in own or "item" in words(block)

    def _grown(self, item: _Item, nth: int, part: Part) -> list[Event]:
        block = part.block
        text = _text(block)
        said = item.said.setdefault(nth, [])
        if part.whole:
            before = "".join(said)
            if not text.startswith(before):
                return []  # its end will say so
            text = text[len(before) :]
        if text:
            said.append(text)
        if type(block) is ThinkingBlock:
            return item.line.thought(text) if said else []
        if type(block) is ToolUseBlock:
            return item.line.arguments(text)
        if type(block) is not TextBlock and type(block) is not RefusalBlock:
            return []
        issuer = self._issuer(block)
        chances = (block.extras or {}).get(issuer, {}).get("logprobs", ())
        kept = () if part.whole or self._ends(block) else chances
        made = item.line.text(nth, type(block) is RefusalBlock, text, kept)
        if type(block) is TextBlock and block.citations and not part.whole:
            made += [item.line.note(nth, as_cited(one, issuer)) for one in block.citations]
        return made

    def _close(self, item: _Item) -> list[Event]:
        item.closed = True
        told = self._whole(item)
        made: list[Event] = []
        for nth in sorted(item.blocks):
            block = total(item.blocks[nth])
            if type(block) is ThinkingBlock:
                made += item.line.thought_whole(block.thinking)
            elif type(block) is ToolUseBlock:
                said = told.get("arguments")
                made += item.line.called(block.name, said) if isinstance(said, str) else []
            elif type(block) is TextBlock or type(block) is RefusalBlock:
                made += item.line.said(nth, part_as_told(block, self._issuer(block)))
        return made + item.line.done(told)

    def _whole(self, item: _Item) -> Json:
        blocks = [total(item.blocks[nth]) for nth in sorted(item.blocks)]
        issuer = self._issuer(blocks[0])
        told = items_as_read(blocks, issuer, self._sayer.raw)[0]
        if item.line.id is None or not isinstance(told, dict) or told.get("id") == item.line.id:
            return told
        if "id" in told:  # a host that calls the item otherwise in every event: clients would not
            self._sayer.report.lost("answer.unsaid", blocks[0], f"extras.{issuer}.id")
        return {**told, "id": item.line.id}


def _goes_on(item: _Item, nth: int, part: Part) -> bool:
    """Whether the piece is one more of a text, and says no more; it is kept with the others."""
    block, before = part.block, item.blocks.get(nth)
    if before is None or type(block) is not TextBlock or type(before[0]) is not TextBlock:
        return False
    if block.extras is None and block.spelling is None:
        before.append(block)
        return True
    return False


def _text(block: ContentBlock) -> str:
    if type(block) is ThinkingBlock:
        return block.thinking
    if type(block) is ToolUseBlock:
        return block.raw_input or ""
    return block.text if type(block) is TextBlock or type(block) is RefusalBlock else ""


_CLOSING = {"incomplete": "response.incomplete", "failed": "response.failed",
            "cancelled": "response.failed", "error": "response.failed"}  # fmt: skip


class ResponsesEncoder:
    """Writes one answer."""

    def __init__(self, dialect: Dialect, report: Report, request: ChatRequest | None) -> None:
        self._dialect = dialect
        self._report = report
        self._events = Events()
        self._asked = request.model if request is not None else None
        self._builder = Builder(dialect.issuers[0])
        self._here: bool | None = None  # whether this wire's reader made the pieces
        self._says: Replayed | Told | None = None  # once the answer has begun
        self._id: str | None = None
        self._model: str | None = None
        self._created: Any = None
        self._ended = False
        self._broke = False  # with an error of another wire
        self._others: set[int] = set()

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece makes."""
        if self._here is None:
            self._begin(piece)
        if type(piece) is Part:
            return self._part(piece)
        other = piece.candidate if isinstance(piece, (Meta, End)) else 0
        if other:
            return self._untold(piece, other)
        if type(piece) is Raw:
            if self._here:
                return [*self._opened(), (piece.event, piece.payload)]
            self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            return []
        self._builder.add(piece)
        if type(piece) is Meta:
            return self._meta(piece)
        if type(piece) is Failed:
            return self._failed(piece)
        if type(piece) is End:
            self._ended = True
        return []

    def _begin(self, piece: Piece) -> None:
        """Look whose pieces these are: this wire's reader names itself with the first of them."""
        issuers = self._dialect.issuers
        issuer = piece.issuer if type(piece) is Meta else ""
        if type(piece) is Part:
            sayer = AnswerWriter(self._dialect, self._report, "")
            note = piece.block.spelling or ""
            issuer = sayer.ours(piece.block) or (issuers[0] if ID in note else "")
        self._here = issuer in issuers
        self._builder = Builder(issuer)

    def _meta(self, piece: Meta) -> list[Event]:
        self._id = self._id or piece.id
        self._model = self._model or piece.model
        told = piece.extras or {}
        if piece.candidate is None and self._created is None:
            self._created = told.get("created_at") if self._here else moment(told)
        timed = self._here or self._created is not None  # else it may come in the next piece
        return self._opened() if self._id and self._model and timed else []

    def _opened(self) -> list[Event]:
        """The first events, once."""
        if self._says is not None:
            return []
        if not self._id:
            self._report.lost("answer.field", self._builder, "id")
        sayer = AnswerWriter(self._dialect, self._report, self._id or UNTOLD, bool(self._here))
        self._says = (Replayed if self._here else Told)(self._events, sayer)
        told: JsonObject = {"id": sayer.seed, "object": "response"}
        if self._created is not None or not self._here:  # else the reader would take it for told
            told["created_at"] = self._created or 0
        told |= {"status": "in_progress", **DEFAULTS}
        told |= {"model": self._model or self._asked or "", "output": [], "usage": None}
        return [self._events.say(f"response.{name}", response=told)
                for name in ("created", "in_progress")]  # fmt: skip

    def _part(self, piece: Part) -> list[Event]:
        if piece.key[0] != 0:
            return self._untold(piece, piece.key[0])
        if self._here and len(piece.key) > 1 and piece.key[1] < 0:  # beside the items
            self._builder.add(piece)
            return []
        made = self._opened()
        assert self._says is not None  # it is open
        return made + self._says.feed(piece)

    def _untold(self, piece: Piece, candidate: int) -> list[Event]:
        """Nothing: a response is one candidate, and ends as that one does."""
        if candidate not in self._others:
            self._report.lost("answer.candidates", piece, what=f"candidate {candidate}")
        self._others.add(candidate)
        return []

    def _failed(self, piece: Failed) -> list[Event]:
        """`error`, in the form that is sent and in that of the SDK's type, which differ."""
        body = piece.error.body
        made = self._opened()
        if self._here and isinstance(body, dict):
            return made if "output" in body or "status" in body else [*made, ("error", body)]
        self._broke = not self._here
        error = piece.error
        told = {"code": error.code or error.type or None, "message": error.message, "param": None}
        inner = {"type": error.type or "server_error", **told}
        return [*made, self._events.say("error", error=inner, **told)]

    def finish(self) -> list[Event]:
        """The ends of the items, and the response as a whole if it came to its end, or failed."""
        if self._says is None and not self._ended:
            return []
        made = self._opened()
        assert self._says is not None
        resp = self._builder.finish()
        made += self._says.finish(self._ended, resp.status == "truncated")
        resp.id = resp.id or (None if self._here else UNTOLD)
        if self._ended or self._broke:
            told = self._told(resp)
            kind = _CLOSING.get(told.get("status", ""), "response.completed")
            made.append(self._events.say(kind, response=told))
        elif self._here:  # what was known when it broke off
            made.append(self._events.say("response.in_progress", response=self._told(resp)))
        return made

    def _told(self, resp: ChatResponse) -> JsonObject:
        assert self._says is not None
        output = self._says.output if self._ended or self._broke else []
        made = response(resp, self._report, self._dialect, output, self._here, self._asked)
        if type(self._says) is Told and self._says.broken and made["status"] == "completed":
            made["status"] = "incomplete"
            self._report.lost("answer.finish", resp, "status", what="a call that breaks off")
        return made
