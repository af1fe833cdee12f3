"""The pieces of an answer as the events of a stream of the generation endpoints.

Events add to each other, unless the dialect or the request wants each to hold everything so far.
Reference: Model Studio, "Qwen API via DashScope", streaming; recorded streams.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from ...jsontext import Json, JsonObject
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
from ...message.blocks import ContentBlock
from ...message.total import total
from ...pieces import Builder, End, Failed, Meta, Part, Piece, Raw
from ...pieces.piece import Key
from .answer import ID, bill, listed
from .choice import FIELD, PART
from .dialect import Dialect
from .frames import Choice, Frames
from .said import Sayer
from .said_calls import SaidCalls
from .sound import SOUND_FIELD
from .texts import Texts

__all__ = ["DashScopeEncoder"]

Event: TypeAlias = tuple[str | None, Json]


class DashScopeEncoder:
    """Writes one answer, all of its candidates."""

    def __init__(self, report: Report, request: ChatRequest | None, dialect: Dialect) -> None:
        self._report = report
        self._say = Sayer(report, dialect.issuers, own=False)
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
