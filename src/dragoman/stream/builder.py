"""Build an answer from the pieces of a stream, and find the reason why it ended.

The reason must agree with the content: `finish_and_status` of `message.ending` finds it for a whole
answer, `FinishCorrector` for one that is passed on in pieces. Knows no provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import groupby
from typing import Any, NamedTuple, Protocol, assert_never

from .. import message as tree
from ..error_kinds import ErrorRow
from ..errors import InvalidMessage, ProviderError, ReadError, StreamError, at_host
from ..message import (
    Candidate,
    ChatResponse,
    Finish,
    Msg,
    Origin,
    TextBlock,
    Tool,
    ToolUseBlock,
    Usage,
)
from ..message.answer import (
    FinishReason,
    Status,
    behind,
    goes_on_in,
    join_usages,
    join_values,
    latest,
    total,
)
from ..message.blocks import ContentBlock, name_notes
from ..message.check import heal, note
from ..message.ending import choose_written_finish, finish_and_status, worst_status
from ..text.json_text import Json, JsonObject, canonical
from ..text.json_text import arguments as spell
from .arguments import parse_calls, parse_partial
from .pieces import End, Failed, Key, Meta, Part, Piece, Raw
from .restore_calls import restored_call

# kinds that a reason depends on
_BEARS = frozenset({ToolUseBlock, tree.RawBlock, tree.RefusalBlock})
_CALLS = frozenset({ToolUseBlock, tree.RawBlock, tree.ToolResultBlock})
# kinds of errors that are reasons
_FAILED: dict[str, FinishReason] = {
    "context_overflow": "context_overflow",
    "content_filter": "content_filter",
}
_OPEN = frozenset({"stop", "tool_calls", "other"})  # reasons that content may correct


def first_candidate_only(resp: ChatResponse) -> ChatResponse:
    """The answer with its first candidate only, and its status, for wires that carry one."""
    if len(resp.candidates) < 2:
        return resp
    first = resp.candidates[0]
    status: Status = "error" if resp.status == "error" else "complete"
    if status == "complete":
        finish = None if first.finish == Finish("other") else first.finish
        status = finish_and_status(finish, first.msg.blocks)[1]
    return replace(resp, candidates=[first], status=status)


class FinishCorrector:
    """Corrects the reasons of an answer in pieces, as `finish_and_status` does for a whole one.

    `foreign`: the clients are those of another wire, and get the reason that
    `choose_written_finish` returns; `cut` has the reasons that it replaced.
    """

    __slots__ = ("_corrected", "_finishes", "_foreign", "_parts", "cut")

    def __init__(self, foreign: bool = False) -> None:
        self._foreign = foreign
        self.cut: dict[int, Finish] = {}  # of each candidate
        self._parts: dict[Key, list[ContentBlock]] = {}
        self._finishes: dict[int, Finish] = {}  # what the provider said of each candidate
        self._corrected: dict[int, Finish] = {}  # and what was made of it

    def feed(self, piece: Piece) -> Piece:
        """The piece; an end with the reason that the candidate's content so far bears out."""
        if type(piece) is Part:
            if type(piece.block) in _BEARS or piece.key in self._parts:
                parts = self._parts.setdefault(piece.key, [])
                if piece.whole:
                    parts.clear()
                parts.append(piece.block)
        elif type(piece) is End:
            index = piece.candidate
            if index not in self._finishes or piece.finish.raw:
                self._finishes[index] = piece.finish
            self._corrected[index] = self._correct(index)
            return End(self._corrected[index], index)
        return piece

    def finish(self) -> list[End]:
        """The corrected ends of candidates of which later pieces made the first end wrong."""
        corrected = {index: self._correct(index) for index in self._corrected}
        wrong = [index for index in corrected if corrected[index] != self._corrected[index]]
        return [End(corrected[index], index) for index in wrong]

    def _correct(self, index: int) -> Finish:
        finish = self._finishes[index]
        if finish.reason not in _OPEN:
            return finish
        parts_of_blocks = [self._parts[key] for key in sorted(self._parts) if key[0] == index]
        blocks = [total(list(run)) for parts in parts_of_blocks for _, run in groupby(parts, type)]
        calls = parse_calls(blocks, {}, finish, "")
        corrected = finish_and_status(finish, calls)[0]
        if not self._foreign or (told := choose_written_finish(corrected, calls)) is corrected:
            return corrected
        self.cut[index] = corrected
        return told


class _PieceReader(Protocol):
    def feed(self, payload: Json, event: str | None = None) -> list[Piece]: ...

    def finish(self) -> list[Piece]: ...


class SegmentEnd(NamedTuple):
    """Marks, among the chunks of an answer, that the next body continues it.

    Attributes:
        token_fields: See `Room.token_fields`.
        cuts_texts: See `Room.cuts_texts`.
    """

    token_fields: Sequence[str] = ()
    cuts_texts: bool = False


class LaterReader:
    """A reader of the rest of an answer, whose blocks come after the earlier ones.

    `cuts_texts`: a text that was cut goes on in the block in which it began.
    """

    __slots__ = ("_begun", "_cuts_texts", "_last", "_reader")

    def __init__(
        self,
        reader: _PieceReader,
        last: Mapping[int, tuple[Key, ContentBlock]],
        cuts_texts: bool,
    ) -> None:
        self._reader = reader
        self._last = last  # block of each candidate that has come by now, and its key
        self._cuts_texts = cuts_texts
        # the key of the first block of each candidate here; whether it goes on with the last one
        self._begun: dict[int, tuple[Key, bool]] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, under the keys that follow the earlier blocks."""
        return [*map(self._move_piece, self._reader.feed(payload, event))]

    def finish(self) -> list[Piece]:
        """The pieces of the end of the answer, under the keys that follow the earlier blocks."""
        return [*map(self._move_piece, self._reader.finish())]

    def _move_piece(self, piece: Piece) -> Piece:
        if type(piece) is not Part:
            return piece
        candidate, place, *more = piece.key
        if candidate not in self._last:
            return piece
        key, block = self._last[candidate]
        if candidate not in self._begun:
            goes_on = self._cuts_texts and goes_on_in(block, piece.block)
            self._begun[candidate] = piece.key, goes_on
        first, goes_on = self._begun[candidate]
        if goes_on and piece.key == first and type(piece.block) is TextBlock:
            assert type(block) is TextBlock
            return replace(piece, key=key, block=behind(piece.block, len(block.text)))
        return replace(piece, key=(candidate, key[1] + 1 + place, *more))


def build(pieces: Iterable[Piece], **options: Any) -> ChatResponse:
    """The answer that the pieces make."""
    builder = Builder(**options)
    for piece in pieces:
        builder.add(piece)
    return builder.finish()


class Builder:
    """Takes pieces in any order of keys; `finish` returns the answer.

    `names`: tool names as the wire spells them -> as the tools have them; `original_tools`: names
    of functions -> the tools that they replace; `origin`: who answers, whose `model` is the
    answer's unless it is given; `issuer`: the owner of the fields that have no place in our model;
    `host`: the vendor that answers, and `error_rows` what its codes of errors mean; `beside`: only
    what is beside the blocks is added, so that none is missed.
    """

    def __init__(
        self,
        issuer: str = "",
        *,
        names: Mapping[str, str] | None = None,
        original_tools: Mapping[str, Tool] | None = None,
        origin: Origin | None = None,
        host: str = "",
        error_rows: Sequence[ErrorRow] = (),
        beside: bool = False,
    ) -> None:
        self._issuer = issuer
        self._host = host
        self._error_rows = error_rows
        self._beside = beside
        self._names = names or {}
        self._original_tools = original_tools or {}
        self.origin = origin
        self._parts: dict[Key, list[ContentBlock]] = {}
        self._whole: set[Key] = set()  # of the blocks that came whole, if in the end
        self._usage: list[Usage] = []
        self._meta: list[Meta] = []
        self._ends: dict[int, Finish] = {}
        self._raw: list[JsonObject] = []
        self._failed: ProviderError | None = None
        self._earlier: list[Usage] = []  # of the segments before this one
        self._seed = ""  # makes the ids that are invented for this answer unlike those of others

    def add(self, piece: Piece) -> None:
        """Take one more piece."""
        if type(piece) is Part:
            parts = self._parts.get(piece.key)
            if piece.whole:
                self._whole.add(piece.key)
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
                previous = self._ends.get(piece.candidate)
                # a closing event may repeat the reason, or come without one
                if previous is None or piece.finish.raw:
                    self._ends[piece.candidate] = piece.finish
            case Raw():
                at = {"at": piece.at} if piece.at else {}
                self._raw.append({"event": piece.event, **at, "payload": piece.payload})
            case Failed():
                if self._host:
                    piece.error = at_host(piece.error, self._host, self._error_rows)
                self._failed = self._failed or piece.error
            case _:
                assert_never(piece)

    def begin_segment(self, token_fields: Sequence[str]) -> dict[int, tuple[Key, ContentBlock]]:
        """Go on with the rest of the answer, which another request brings.

        Args:
            token_fields: What is known of the answer, and is not true of its rest.

        Returns:
            For each candidate its last block, which the others follow, and the key of that block.
        """
        self._earlier.append(self._newest_usage())
        self._usage = []
        self._ends.clear()
        self._meta = [
            replace(meta, id=None, extras=_without(meta.extras, token_fields))
            for meta in self._meta
        ]
        last = {key[0]: key for key in sorted(self._parts)}
        return {candidate: (key, self.block(key)) for candidate, key in last.items()}

    @property
    def empty(self) -> bool:
        """Whether nothing came so far."""
        return not (self._parts or self._meta or self._ends or self._usage or self._raw)

    @property
    def unread(self) -> bool:
        """Whether nothing of an answer came so far, but what no reader knows."""
        return not (self._parts or self._meta or self._ends or self._usage)

    def has_call(self, candidate: int) -> bool:
        """Whether something of a candidate came that is a call, or its provider's own."""
        return any(
            key[0] == candidate and any(type(part) in _CALLS for part in parts)
            for key, parts in self._parts.items()
        )

    @property
    def unended(self) -> list[int]:
        """The candidates of which something came, and no reason for their end."""
        return sorted({key[0] for key in self._parts} - self._ends.keys())

    @property
    def failed(self) -> bool:
        """Whether the provider has reported an error."""
        return self._failed is not None

    def arguments(self, key: Key) -> Any:
        """The arguments of call `key` so far, open strings and lists closed; linear each time."""
        block = total(self._parts[key])
        if type(block) is not ToolUseBlock:
            raise ReadError(f"{block.type} is no call", code="stream.key")
        return parse_partial(block.raw_input) if block.raw_input else block.input

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
        usage = self.usage
        indices = {key[0] for key in self._parts} | {*self._ends}
        indices |= {meta.candidate for meta in self._meta if meta.candidate is not None}
        resp = ChatResponse([], usage, model=self._meta_value("model"), id=self._meta_value("id"))
        resp.extras = self._extras([meta for meta in self._meta if meta.candidate is None])
        self._seed = resp.id or canonical(resp.extras or {})
        if self._raw:
            fields = (resp.extras or {}).get(self._issuer, {})
            resp.extras = {**(resp.extras or {}), self._issuer: {**fields, "events": self._raw}}
        healed: list[str] = []
        _heal_fields(resp, ("id", "model", "usage", "extras"), "", healed)
        statuses = self._candidates(resp, sorted(indices) or [0], healed)
        resp.status = worst_status(statuses)
        if self._failed is not None:
            resp.status = "error"
            resp.error = _stream_error(self._failed, resp)
            _tell_why(resp.candidates, resp.error)
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
        metas: dict[int | None, list[Meta]] = {}
        for meta in self._meta:
            metas.setdefault(meta.candidate, []).append(meta)
        statuses: list[Status] = []
        for index in indices:
            candidate, status = self._candidate(index, keys.get(index, []), resp)
            candidate.extras = self._extras(metas.get(index, []))
            _heal_fields(candidate, ("finish", "extras"), f"candidates[{len(statuses)}].", healed)
            resp.candidates.append(candidate)
            statuses.append(status)
        return statuses

    def _candidate(
        self, index: int, keys: list[Key], resp: ChatResponse
    ) -> tuple[Candidate, Status]:
        end = self._ends.get(index)
        open_end = end is None or end.reason == "error"
        unparsed = [
            _cut_text(block) if open_end and key not in self._whole else block
            for key in keys
            for block in _blocks(self._parts[key])
        ]
        blocks = parse_calls(unparsed, {} if self._original_tools else self._names, end, self._seed)
        if self._original_tools:
            blocks = [self._restore_call(block) for block in blocks]
        healed: list[str] = []
        blocks = heal(blocks, "content", healed)
        msg = Msg.create_unchecked("", blocks, "assistant")
        if healed:
            msg.extras = note(None, healed)
        if self.origin is not None:
            model = resp.model or self.origin.model
            msg.origin = replace(self.origin, model=model)
            for block in blocks:
                if type(block) is tree.ThinkingBlock:
                    block.origin = msg.origin  # only its maker can open what is sealed in it
        finish, status = finish_and_status(end, blocks)
        if self._beside and end is not None and end.reason == "tool_calls":
            finish = Finish("stop", end.raw)
        return Candidate(msg, finish), status

    def _restore_call(self, block: ContentBlock) -> ContentBlock:
        """The call of a function as a call of the tool that it replaced, under its own name."""
        if type(block) is not ToolUseBlock:
            return block
        if (tool := self._original_tools.get(block.name)) is not None:
            return restored_call(block, tool)
        block.name = self._names.get(block.name, block.name)
        return block

    def _meta_value(self, name: str) -> str | None:
        # the first: some hosts change it, or leave it out, after the first event
        metas = [meta for meta in self._meta if getattr(meta, name)]
        replacing = [meta for meta in metas if meta.instead]
        chosen = replacing[-1:] or metas[:1]
        return getattr(chosen[0], name) if chosen else None

    def _extras(self, metas: list[Meta]) -> dict[str, JsonObject] | None:
        """Fields without a place in our model: those that grow joined, of others the last value."""
        fields = join_values([meta.extras for meta in metas if meta.extras and meta.joined]) or {}
        others = [{"": meta.extras} for meta in metas if meta.extras and not meta.joined]
        fields = latest([{"": fields}, *others])[""]
        notes = {key: value for meta in metas for key, value in (meta.notes or {}).items()}
        by_issuer = ((self._issuer, fields), (name_notes(self._issuer), notes))
        return {issuer: data for issuer, data in by_issuer if data} or None

    @property
    def model(self) -> str:
        """The model as the provider names it, if it has so far."""
        return self._meta_value("model") or ""

    @property
    def finishes(self) -> tuple[str, ...]:
        """The provider's reasons for the ends so far; `finish` may correct them."""
        return tuple(self._ends[index].reason for index in sorted(self._ends))

    @property
    def usage(self) -> Usage:
        """The figures so far; of each the last value, for later events repeat or correct."""
        return join_usages(self.usages) if self._earlier else self._newest_usage()

    @property
    def usages(self) -> list[Usage]:
        """The figures of each body of the answer."""
        return [*self._earlier, self._newest_usage()]

    def _newest_usage(self) -> Usage:
        """The usage of the newest segment; of each figure the last value.

        Zeros alone replace nothing: some hosts end with them (Claude Code keeps the figures of a
        message's first event in that case, too). Beside other figures they count: a prompt that
        was all cached has no other tokens.
        """
        if len(self._usage) < 2:
            return self._usage[0] if self._usage else Usage()
        usage = Usage()
        for later in self._usage:
            groups = (g for g in _COUNTED_TOGETHER if not any(getattr(later, name) for name in g))
            empty = {name for group in groups for name in group}
            for f in fields(Usage):
                value = getattr(later, f.name)
                if value is None or (f.name in empty and getattr(usage, f.name)):
                    continue
                if f.name == "extras" and usage.extras is not None:
                    value = latest([usage.extras, value])
                setattr(usage, f.name, value)
        return usage


def _without(fields: JsonObject | None, names: Sequence[str]) -> JsonObject | None:
    return {key: value for key, value in (fields or {}).items() if key not in names} or None


_COUNTED_TOGETHER = (("input", "cache_read", "cache_write"), ("output", "reasoning"), ("total",))


def _blocks(parts: list[ContentBlock]) -> Iterable[ContentBlock]:
    """The sum of the parts; if a server changed its mind on their kind, of each run of a kind."""
    if len(parts) == 1 or len({*map(type, parts)}) == 1:
        return (total(parts),)
    return [total(list(run)) for _, run in groupby(parts, type)]


def _cut_text(block: ContentBlock) -> ContentBlock:
    """The block; a freeform call without its end is unfinished, for more of it may be missing."""
    if type(block) is not ToolUseBlock or not block.freeform:
        return block
    return replace(block, unfinished=True)


def _heal_fields(node: Any, names: Iterable[str], path: str, healed: list[str]) -> None:
    for name in names:
        setattr(node, name, _without_surrogates(getattr(node, name), path + name, healed))


def _without_surrogates(value: Any, path: str, healed: list[str]) -> Any:
    """The value without broken text, so that the answer can be stored.

    Log probabilities are many: to spell them is faster than to look at each.
    """
    try:
        if isinstance(value, dict):
            spell(value).encode()
            return value
    except (UnicodeEncodeError, InvalidMessage):
        pass
    return heal(value, path, healed)


def _tell_why(candidates: Sequence[Candidate], error: ProviderError) -> None:
    """Say why candidates ended that ended with the error, where that is a reason by itself."""
    reason = _FAILED.get(error.kind)
    for candidate in candidates:
        if reason is not None and candidate.finish.reason == "error":
            candidate.finish = Finish(reason, candidate.finish.raw)


def _stream_error(error: ProviderError, resp: ChatResponse) -> StreamError:
    stream_error = StreamError(
        error.message,
        status=error.status,
        type=error.type,
        body=error.body,
        code=error.code,
        hint=error.hint,
        request_id=error.request_id,
        retry_after=error.retry_after,
    )
    stream_error.host, stream_error.host_kind = error.host, error.host_kind
    stream_error.response = resp
    return stream_error
