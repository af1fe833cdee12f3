"""Calls of a stream as DashScope sends them: fragments that an index holds together.

The first fragment has id and name; behind it the id is empty and there is no name. Reference:
Model Studio, "Function calling"; recorded streams.
"""

from __future__ import annotations

from typing import Any, TypeAlias, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.builder import Builder
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, Raw
from ..._core.stream.steps import argument_text, rest
from ...losses import Report
from ...message import (
    AudioBlock,
    ChatRequest,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.answer import total
from ...message.blocks import ContentBlock
from ..chat_shape import filled
from .answer import FIELD, ID, PART, SOUND_FIELD, AnswerWriter, bill, listed
from .dialect import Dialect


class _Call:
    __slots__ = ("begun", "index", "nth", "parts")

    def __init__(self, nth: int) -> None:
        self.nth = nth
        self.index: JsonObject = {"index": nth}
        self.begun = False
        self.parts: list[ToolUseBlock] = []  # which wait until its name is known


class SaidCalls:
    """The calls of one choice."""

    def __init__(self, say: AnswerWriter, candidate: int) -> None:
        self._say = say
        self._candidate = candidate
        self._calls: dict[Key, _Call] = {}

    def feed(self, key: Key, block: ToolUseBlock, whole: bool) -> list[JsonObject]:
        """The fragments that a piece of the call makes."""
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = _Call(len(self._calls))
        if not call.begun:
            if whole:
                call.parts.clear()
            call.parts.append(block)
            return [self._first(call)] if any(one.name for one in call.parts) else []
        more: Any = rest(total(call.parts), block) if whole else block
        if more is None:
            self._say.report.lost("answer.unsaid", block, "input", "other arguments")
            return []
        call.parts.append(more)
        if more is not block:
            self._say.report.made(more, block)
        text = argument_text(more)
        told = self._say.fields(more)
        for name in ("index", "type", "id"):
            told.pop(name, None)
        if not text and not told:
            return []
        return [self._fragment(call, text, told)]

    def finish(self) -> list[JsonObject]:
        """The calls that nobody named, and an empty object for those without arguments."""
        made = [self._first(call) for call in self._calls.values() if not call.begun]
        if not self._say.own:
            made += [self._fragment(call, "{}", {}) for call in self._calls.values()
                     if not any(argument_text(one).strip() for one in call.parts)]  # fmt: skip
        return made

    def _first(self, call: _Call) -> JsonObject:
        block: Any = total(call.parts)
        told = self._say.fields(block)
        call.begun = True
        made: JsonObject = {"type": "function"}
        if self._say.own:
            call.index = {"index": told.pop("index")} if "index" in told else {}
            if told.get("type", "") is None:
                del made["type"], told["type"]
            if block.id:
                told.pop("id", None)
        if block.id or not self._say.own:
            made["id"] = block.id or f"call_{self._candidate}_{call.nth}"
        function: JsonObject = {"name": block.name, "arguments": argument_text(block)}
        return filled({**call.index, **made, "function": function}, told)

    def _fragment(self, call: _Call, text: str, told: JsonObject) -> JsonObject:
        made: JsonObject = {**call.index, "id": "", "type": "function"}
        return filled({**made, "function": {"arguments": text}}, told)


class Choice:
    """One choice of the stream: its message so far, and what stands beside the message."""

    __slots__ = ("beside", "empty", "index", "last", "message", "proven")

    def __init__(self, index: int, listed: bool) -> None:
        self.index = index
        self.empty: Any = [] if listed else ""
        self.message: JsonObject = {}
        self.beside: JsonObject = {}
        self.last: dict[str, str] = {}  # of each text, what the event before said
        self.proven = False  # nobody can take the events for snapshots any more

    def doubtful(self, message: JsonObject) -> bool:
        """Whether the event could be a snapshot, since it begins as the one before did."""
        doubt = False
        for key in ("reasoning_content", "content"):
            if key in message:
                said, before = _text(message[key]), self.last.get(key, "")
                if before and not said.startswith(before):
                    self.proven = True
                doubt = doubt or bool(before and said)
                self.last[key] = said
        return doubt and not self.proven

    def settle(self) -> JsonObject:
        """A message that says nothing, where a snapshot would repeat: so events are pieces."""
        self.proven = True
        return {key: "" if key != "content" else self.empty for key in ("content", *self.last)}

    def grown(self, message: JsonObject) -> JsonObject:
        """Everything that the message says by now."""
        for key, value in message.items():
            self.message[key] = _sum(key, self.message.get(key), value)
        return {key: _copy(value) for key, value in self.message.items()}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(part.get("text") or "" for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else ""


def _copy(value: Any) -> Any:
    return [dict(one) if isinstance(one, dict) else one for one in value] if isinstance(
        value, list) else value  # fmt: skip


def _sum(key: str, said: Any, new: Any) -> Any:
    if key == "tool_calls":
        return _calls(said or [], new)
    if isinstance(said, list) and isinstance(new, list):
        made = [*said]
        for part in new:
            if made and made[-1].keys() == {"text"} == part.keys():
                made[-1] = {"text": f"{made[-1]['text']}{part['text']}"}
            else:
                made.append(part)
        return made
    if isinstance(said, str) and isinstance(new, str) and key != "role":
        return said + new
    return new or said


def _calls(said: list[Any], new: list[Any]) -> list[Any]:
    made = [*said]
    for call in new:
        at = call.get("index", len(made) - 1 if not call.get("id") else len(made))
        if not 0 <= at < len(made):
            made.append(call)
            continue
        old, function = made[at], call.get("function", {})
        text = old["function"].get("arguments", "") + function.get("arguments", "")
        made[at] = {**old, "function": {**old["function"], "arguments": text}}
    return made


class Frames:
    """Builds events; what has no choice of its own waits for the next of them."""

    __slots__ = ("body", "id", "output", "snapshots")

    def __init__(self, snapshots: bool, id: str) -> None:
        self.snapshots = snapshots
        self.id = id
        self.output: JsonObject = {}
        self.body: JsonObject = {}

    def of(self, choice: Choice, message: JsonObject, finish: str = "null") -> list[JsonObject]:
        """The event that adds the message, behind one that shows that it does add, if need be."""
        made: list[JsonObject] = []
        if self.snapshots:
            message = choice.grown(message)
        elif choice.doubtful(message):
            made.append(self._said(choice, choice.settle(), "null"))
        return [*made, self._said(choice, message, finish)]

    def text(self, text: str, finish: str = "null") -> JsonObject:
        """An event of an answer without choices."""
        return self.alone({"text": text, "finish_reason": finish})

    def alone(self, output: JsonObject) -> JsonObject:
        """An event with this output and what waited."""
        made: JsonObject = {**self.body, "output": {**output, **self.output}}
        if self.id:
            made["request_id"] = self.id
        self.output, self.body = {}, {}
        return made

    def _said(self, choice: Choice, message: JsonObject, finish: Json) -> JsonObject:
        said = {"role": "assistant", "content": choice.empty, **message}
        told = {"message": said, "finish_reason": finish, **choice.beside}
        return self.alone({"choices": [told]})


class Texts:
    """The texts of one answer."""

    __slots__ = ("_fields", "_report", "_said")

    def __init__(self, report: Report) -> None:
        self._report = report
        self._said: dict[Key, list[str]] = {}
        self._fields: dict[tuple[int, str], Key] = {}  # of each field, whose text was said last

    def grown(self, field: str, piece: Part, text: str, own: bool) -> str:
        """What goes out; of an answer of this wire (`own`) every text as it came."""
        key = piece.key
        before = self._said.setdefault(key, [])
        if piece.whole and before:
            old = "".join(before)
            if not text.startswith(old):
                self._report.lost("answer.unsaid", piece, what="text in the place of other text")
                return ""
            text = text[len(old) :]
        if not text:
            return ""
        before.append(text)
        if field == "content":
            return text
        other = self._fields.get((key[0], field), key)
        self._fields[key[0], field] = key
        return f"\n{text}" if other != key and not own else text


Event: TypeAlias = tuple[str | None, Json]


class DashScopeEncoder:
    """Writes one answer, all of its candidates."""

    def __init__(self, report: Report, request: ChatRequest | None, dialect: Dialect) -> None:
        self._report = report
        self._say = AnswerWriter(report, dialect.issuers, own=False)
        self._listed = listed(request)
        whole = dialect.streams == "snapshots" or (
            not dialect.streams and _wants_whole(request, dialect)
        )
        self._frames = Frames(whole, ID)
        self._told_id = False
        self._bare = False  # `{"text", "finish_reason"}`, an answer without choices
        self._about = Builder(dialect.issuers[0])  # of the figures
        self._billed = False
        self._ends: dict[int, End] = {}
        self._choices: dict[int, Choice] = {}
        self._calls: dict[int, SaidCalls] = {}
        self._texts = Texts(report)
        self._held: dict[Key, list[ContentBlock]] = {}
        self._shown: dict[Key, ContentBlock] = {}
        self._failed = False
        self._named: set[str] = set()  # losses that are told once

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece makes."""
        match piece:
            case Part():
                return [("result", one) for one in self._part(piece)]
            case Meta():
                return [("result", one) for one in self._meta(piece)]
            case Usage():
                self._about.add(piece)
                self._billed = True
            case End():
                old = self._ends.get(piece.candidate)
                if old is None or piece.finish.raw:
                    self._ends[piece.candidate] = piece
            case Failed():
                self._failed = True
                return [self._error(piece)]
            case Raw():
                self._report.lost("answer.unsaid", piece, what="an event that nobody knows")
            case _:
                assert_never(piece)
        return []

    def finish(self) -> list[Event]:
        """What waited for the end, and the events that end the choices, the bill on the last."""
        made: list[JsonObject] = []
        for key in sorted(self._held):
            block = total(self._held[key])
            if block is not self._held[key][0]:
                self._report.made(block, self._held[key][0])
            if (part := self._say.part(block)) is not None:
                made += self._frames.of(self._choice(key[0]), {"content": [part]})
        for index, calls in sorted(self._calls.items()):
            for call in calls.finish():
                made += self._frames.of(self._choice(index), {"tool_calls": [call]})
        ends = [end for _, end in sorted(self._ends.items()) if end.finish.reason != "error"]
        for end in ends:
            made += self._ended(end)
        resp = self._about.finish()
        told = bill(resp.usage, self._say) if ends or self._billed else {}
        if not ends and (told or self._frames.output or self._frames.body):
            made.append(self._frames.alone({"choices": []}))
        if told:
            made[-1]["usage"] = told
        if ends and not self._told_id:
            self._report.lost("answer.field", resp, "id")
        events: list[Event] = [("result", one) for one in made]
        if len(ends) < len(self._ends) and not self._failed:
            raw = next(e.finish.raw for e in self._ends.values() if e.finish.reason == "error")
            said = {"code": raw or "InternalError", "message": raw or "error"}
            events.append(("error", {**said, "request_id": self._frames.id}))
        return events

    def _ended(self, end: End) -> list[JsonObject]:
        word = self._say.reason(end.finish, end) or "stop"
        if self._bare:
            return [self._frames.text("", word)]
        choice = self._choice(end.candidate)
        return self._frames.of(choice, {"content": choice.empty}, word)

    def _choice(self, index: int) -> Choice:
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = Choice(index, self._listed)
            if index:
                choice.beside["index"] = index
        return choice

    def _part(self, piece: Part) -> list[JsonObject]:
        key, block = piece.key, piece.block
        choice = self._choice(key[0])
        if type(block) is ToolUseBlock:
            calls = self._calls.get(key[0])
            if calls is None:
                calls = self._calls[key[0]] = SaidCalls(self._say, key[0])
            if not self._say.own:
                choice.beside.setdefault("index", key[0])
            return [one for call in calls.feed(key, block, piece.whole)
                    for one in self._frames.of(choice, {"tool_calls": [call]})]  # fmt: skip
        if type(block) is ThinkingBlock:
            said = self._say.thought(block)
            text = self._texts.grown("reasoning_content", piece, said, self._say.own)
            return self._frames.of(choice, {"reasoning_content": text}) if text else []
        if type(block) is TextBlock or type(block) is RefusalBlock:
            return self._said(choice, piece, block)
        return self._beside(choice, piece)

    def _said(
        self, choice: Choice, piece: Part, block: TextBlock | RefusalBlock
    ) -> list[JsonObject]:
        told = self._say.fields(block)
        text = self._texts.grown("content", piece, self._say.text(block), self._say.own)
        if not text and not told:
            return []
        if block.spelling == FIELD and self._say.own:
            self._bare = True
        if self._bare:
            doubt = choice.doubtful({"content": text}) and not self._frames.snapshots
            settled = [self._frames.text("")] if doubt else []
            choice.proven = choice.proven or doubt
            return [*settled, self._frames.text(text)]
        if self._say.own and block.spelling == PART:
            choice.empty = []
        if choice.empty == []:
            return self._frames.of(choice, {"content": [{"text": text, **told}]})
        return self._frames.of(choice, {"content": text})

    def _beside(self, choice: Choice, piece: Part) -> list[JsonObject]:
        """Media, which wait for their end where they come from others, and raw parts."""
        key, block = piece.key, piece.block
        if self._say.own and type(block) is AudioBlock and block.spelling == SOUND_FIELD:
            return [self._frames.alone({"choices": [], "audio": self._say.sound(block)})]
        if not self._say.own:
            if piece.whole:
                self._held.pop(key, None)
            self._held.setdefault(key, []).append(block)
            return []
        if self._shown.get(key) == block:
            return []  # snapshots say it again
        self._shown[key] = block
        part = self._say.part(block)
        return self._frames.of(choice, {"content": [part]}) if part is not None else []

    def _meta(self, piece: Meta) -> list[JsonObject]:
        mine = piece.issuer in self._say.issuers
        self._say.own = self._say.own or mine
        if piece.id is not None and not self._told_id:
            self._frames.id, self._told_id = piece.id, True
        if piece.model is not None and not mine:
            self._frames.output["model_name"] = piece.model
        told = dict(piece.extras or {})
        if self._say.own and piece.candidate is not None and "think_tags" in told:
            tags = {"content": told["think_tags"]}
            return self._frames.of(self._choice(piece.candidate), tags)
        if not mine:
            for name in told:
                self._once("extras.foreign", piece, f"extras.{piece.issuer or 'nobody'}.{name}")
            return []
        if piece.candidate is None:
            inner = told.pop("output", None)
            self._frames.output |= inner if isinstance(inner, dict) else {}
            self._frames.body |= told
            return []
        choice = self._choice(piece.candidate)
        message = told.pop("message", None)
        chances = told.pop("logprobs", None)
        choice.beside |= told
        made: list[JsonObject] = []
        if isinstance(message, dict):
            made += self._frames.of(choice, {k: v for k, v in message.items() if k != "content"})
        if chances is not None:
            [event] = self._frames.of(choice, {})
            event["output"]["choices"][0]["logprobs"] = chances
            made.append(event)
        return made

    def _error(self, piece: Failed) -> Event:
        error, body = piece.error, piece.error.body
        if isinstance(body, dict) and isinstance(body.get("code"), str) and "message" in body:
            return "error" if error.type == "error" else "result", body
        code = error.code or error.type or "InternalError"
        return "error", {"code": code, "message": error.message, "request_id": self._frames.id}

    def _once(self, code: str, piece: Meta, field: str) -> None:
        if field not in self._named:
            self._named.add(field)
            self._report.lost(code, piece, field)


def _wants_whole(request: ChatRequest | None, dialect: Dialect) -> bool:
    """Whether each event shall hold everything so far.

    That is the service's default, so a request that was read from this wire has to say otherwise.
    """
    extras = (request.extras or {}) if request is not None else {}
    for issuer in dialect.issuers:
        told = extras.get(issuer, {}).get("parameters")
        if isinstance(told, dict) and isinstance(told.get("incremental_output"), bool):
            return not told["incremental_output"]
    read = request.read if request is not None else None
    return read is not None and read.issuer in dialect.issuers
