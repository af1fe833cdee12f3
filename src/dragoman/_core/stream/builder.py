"""How an answer ended: the reason that its content bears out, and how far it was read.

Of a whole answer by `ending`, of one that is passed on in pieces by `Ends`. Knows no provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import groupby
from typing import Any, assert_never

from ...errors import InvalidMessage, ProviderError, ReadError, StreamError
from ...message import (
    Candidate,
    ChatResponse,
    Finish,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from ...message.answer import FinishReason, Status, joined, latest, total
from ...message.blocks import ContentBlock, noted
from ...message.check import heal, note
from ..jsontext import JsonObject, canonical
from ..jsontext import arguments as spell
from .arguments import calls, partial
from .pieces import End, Failed, Key, Meta, Part, Piece, Raw

_BEARS = frozenset({ToolUseBlock, RawBlock, RefusalBlock})  # kinds that a reason depends on


_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct


def ending(end: Finish | None, blocks: Sequence[ContentBlock]) -> tuple[Finish, Status]:
    """(why it stopped, how the reading ended); `end` is None where nobody said why.

    Providers say `stop` beside calls and `tool_calls` without any: the content decides. A call
    that breaks off makes an answer truncated, whatever the reason says.
    """
    calls = [block for block in blocks if type(block) is ToolUseBlock]
    broken = any(call.unfinished for call in calls)
    ready = any(not call.unfinished for call in calls) or any(map(_awaited, blocks))
    if end is None:
        return Finish("other"), "interrupted"
    reason: FinishReason = end.reason
    if reason in _OPEN:
        if ready:
            reason = "tool_calls"
        elif reason == "tool_calls" and not broken:
            reason = "stop"
        if reason == "stop" and any(type(block) is RefusalBlock for block in blocks):
            reason = "refusal"
    finish = end if reason == end.reason else Finish(reason, end.raw)
    cut = (broken and reason != "malformed_call") or reason in ("length", "context_overflow")
    return finish, "truncated" if cut else "complete"


def _awaited(block: ContentBlock) -> bool:
    """Whether it is a call of one protocol only, such as a custom tool's, that we have to run."""
    return type(block) is RawBlock and block.role == "call" and block.by == "client"


def first_alone(resp: ChatResponse) -> ChatResponse:
    """The answer with its first candidate only, for wires that tell one; so ends it, too."""
    if len(resp.candidates) < 2:
        return resp
    one = resp.candidates[0]
    status: Status = "error" if resp.status == "error" else "complete"
    if status == "complete":
        told = None if one.finish == Finish("other") else one.finish
        status = ending(told, one.msg.blocks)[1]
    return replace(resp, candidates=[one], status=status)


class Ends:
    """Corrects the reasons of an answer in pieces as `ending` does those of a whole one."""

    __slots__ = ("_parts", "_said", "_told")

    def __init__(self) -> None:
        self._parts: dict[Key, list[ContentBlock]] = {}
        self._told: dict[int, Finish] = {}  # what the provider said of each candidate
        self._said: dict[int, Finish] = {}  # and what was made of it

    def feed(self, piece: Piece) -> Piece:
        """The piece; an end with the reason that the candidate's content so far bears out."""
        if type(piece) is Part:
            if type(piece.block) in _BEARS or piece.key in self._parts:
                self._part(piece)
        elif type(piece) is End:
            index = piece.candidate
            if index not in self._told or piece.finish.raw:
                self._told[index] = piece.finish
            self._said[index] = self._borne(index)
            return End(self._said[index], index)
        return piece

    def finish(self) -> list[Piece]:
        """The ends that what came behind them made wrong, once more."""
        made: list[Piece] = []
        for index, said in self._said.items():
            if (now := self._borne(index)) != said:
                made.append(End(now, index))
        return made

    def _part(self, piece: Part) -> None:
        parts = self._parts.setdefault(piece.key, [])
        if piece.whole:
            parts.clear()
        parts.append(piece.block)

    def _borne(self, index: int) -> Finish:
        told = self._told[index]
        if told.reason not in _OPEN:
            return told
        mine = [self._parts[key] for key in sorted(self._parts) if key[0] == index]
        found = [total(list(run)) for parts in mine for _, run in groupby(parts, type)]
        return ending(told, calls(found, {}, told, ""))[0]


def build(pieces: Iterable[Piece], **options: Any) -> ChatResponse:
    """The answer that the pieces make."""
    builder = Builder(**options)
    for piece in pieces:
        builder.add(piece)
    return builder.finish()


class Builder:
    """Takes pieces in any order of keys; `finish` gives the answer.

    `names`: tool names as the wire spells them -> as the tools have them; `origin`: who answers,
    whose `model` is the answer's unless it is given; `issuer`: on whose name the fields stand that
    nobody models.
    """

    def __init__(
        self,
        issuer: str = "",
        *,
        names: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> None:
        self._issuer = issuer
        self._names = names or {}
        self.origin = origin
        self._parts: dict[Key, list[ContentBlock]] = {}
        self._usage: list[Usage] = []
        self._meta: list[Meta] = []
        self._ends: dict[int, Finish] = {}
        self._raw: list[JsonObject] = []
        self._failed: ProviderError | None = None
        self._seed = ""  # tells the ids that are made for this answer from those of others

    def add(self, piece: Piece) -> None:
        """Take one more piece."""
        if type(piece) is Part:
            parts = self._parts.get(piece.key)
            if parts is None or piece.whole:
                self._parts[piece.key] = [piece.block]
            else:
                parts.append(piece.block)
            return
        match piece:
            case Meta():
                self._meta.append(piece)
            case Usage():
                self._usage.append(piece)
            case End():
                old = self._ends.get(piece.candidate)
                # a closing event may repeat the reason, or come without one
                if old is None or piece.finish.raw:
                    self._ends[piece.candidate] = piece.finish
            case Raw():
                self._raw.append({"event": piece.event, "payload": piece.payload})
            case Failed():
                self._failed = self._failed or piece.error
            case _:
                assert_never(piece)

    def arguments(self, key: Key) -> Any:
        """What the call `key` says so far, its open strings and lists closed; linear each time."""
        block = total(self._parts[key])
        if type(block) is not ToolUseBlock:
            raise ReadError(f"{block.type} is no call", code="stream.key")
        return partial(block.raw_input) if block.raw_input else block.input

    def block(self, key: Key) -> ContentBlock:
        """The block `key` as it is so far; arguments stay text."""
        return total(self._parts[key])

    def finish(self) -> ChatResponse:
        """The answer. May be asked for before the end, too: as it is so far."""
        try:
            return self._response()
        except RecursionError as error:
            raise ReadError("the answer is nested too deeply", code="json.deep") from error

    def _response(self) -> ChatResponse:
        usage = self._summed()
        found = {key[0] for key in self._parts} | {*self._ends}
        found |= {one.candidate for one in self._meta if one.candidate is not None}
        resp = ChatResponse([], usage, model=self._told("model"), id=self._told("id"))
        resp.extras = self._extras([one for one in self._meta if one.candidate is None])
        self._seed = resp.id or canonical(resp.extras or {})
        if self._raw:
            own = (resp.extras or {}).get(self._issuer, {})
            resp.extras = {**(resp.extras or {}), self._issuer: {**own, "events": self._raw}}
        healed: list[str] = []
        for name in ("id", "model", "usage", "extras"):
            setattr(resp, name, _whole(getattr(resp, name), name, healed))
        statuses = self._candidates(resp, sorted(found) or [0], healed)
        resp.status = next((one for one in statuses if one != "complete"), "complete")
        if self._failed is not None:
            resp.status = "error"
            resp.error = _stream_error(self._failed, resp)
        if healed:
            resp.extras = note(resp.extras, healed)
        return resp

    def _candidates(
        self, resp: ChatResponse, indices: list[int], healed: list[str]
    ) -> list[Status]:
        """Put the candidates into the answer; how the reading of each ended."""
        keys: dict[int, list[Key]] = {}
        for key in sorted(self._parts):
            keys.setdefault(key[0], []).append(key)
        beside: dict[int | None, list[Meta]] = {}
        for one in self._meta:
            beside.setdefault(one.candidate, []).append(one)
        statuses: list[Status] = []
        for index in indices:
            candidate, status = self._candidate(index, keys.get(index, []), resp)
            candidate.extras = self._extras(beside.get(index, []))
            for name in ("finish", "extras"):
                path = f"candidates[{len(statuses)}].{name}"
                setattr(candidate, name, _whole(getattr(candidate, name), path, healed))
            resp.candidates.append(candidate)
            statuses.append(status)
        return statuses

    def _candidate(
        self, index: int, keys: list[Key], resp: ChatResponse
    ) -> tuple[Candidate, Status]:
        end = self._ends.get(index)
        listed = [block for key in keys for block in _blocks(self._parts[key])]
        blocks = calls(listed, self._names, end, self._seed)
        healed: list[str] = []
        blocks = heal(blocks, "content", healed)
        msg = Msg.trusted("", blocks, "assistant")
        if healed:
            msg.extras = note(None, healed)
        if self.origin is not None:
            model = resp.model or self.origin.model
            msg.origin = replace(self.origin, model=model)
            for block in blocks:
                if type(block) is ThinkingBlock:
                    block.origin = msg.origin  # what is sealed in it is for nobody else
        finish, status = ending(end, blocks)
        return Candidate(msg, finish), status

    def _told(self, name: str) -> str | None:
        # the first: some hosts change it, or leave it out, behind the first event
        told = [one for one in self._meta if getattr(one, name)]
        anew = [one for one in told if one.instead]
        chosen = anew[-1:] or told[:1]
        return getattr(chosen[0], name) if chosen else None

    def _extras(self, told: list[Meta]) -> dict[str, JsonObject] | None:
        """Fields that nobody models: what grows joined, of the rest each as it was said last."""
        mine = [one for one in told if one.extras]
        own = joined([one.extras for one in mine if one.joined]) or {}
        own = latest([{"": own}, *({"": one.extras or {}} for one in mine if not one.joined)])[""]
        notes = {key: value for one in told for key, value in (one.notes or {}).items()}
        made = {who: kept for who, kept in ((self._issuer, own), (noted(self._issuer), notes))
                if kept}  # fmt: skip
        return made or None

    def _summed(self) -> Usage:
        """The figures; of each the last that was said, for later events repeat or correct."""
        if len(self._usage) < 2:
            return self._usage[0] if self._usage else Usage()
        made = Usage()
        for one in self._usage:
            for f in fields(Usage):
                value = getattr(one, f.name)
                if value is None:
                    continue
                if f.name == "extras" and made.extras is not None:
                    value = latest([made.extras, value])
                setattr(made, f.name, value)
        return made


def _blocks(parts: list[ContentBlock]) -> Iterable[ContentBlock]:
    """The sum of the parts; if a server changed its mind on their kind, of each run of a kind."""
    if len(parts) == 1 or len({*map(type, parts)}) == 1:
        return (total(parts),)
    return [total(list(run)) for _, run in groupby(parts, type)]


def _whole(value: Any, path: str, found: list[str]) -> Any:
    """The value without broken text, so that the answer can be stored.

    Log probabilities are many: to spell them is faster than to look at each.
    """
    try:
        if isinstance(value, dict):
            spell(value).encode()
            return value
    except (UnicodeEncodeError, InvalidMessage):
        pass
    return heal(value, path, found)


def _stream_error(error: ProviderError, resp: ChatResponse) -> StreamError:
    made = StreamError(
        error.message, status=error.status, type=error.type, body=error.body, code=error.code,
        hint=error.hint,
    )  # fmt: skip
    made.response = resp
    return made
