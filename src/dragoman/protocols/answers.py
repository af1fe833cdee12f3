"""Base classes for writing answers: whole ones (`AnswerWriter`) and streams (`AnswerEncoder`).

An answer that was read from the wire it is written to (`own`) gets no additional fields. An answer
of another wire gets the fields that clients require; what the wire has no place for is reported as
a loss, in a stream once for each field. The helpers below the classes read and write the token
figures that several wires share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, assert_never

from .. import message as tree
from ..error_kinds import ErrorKind
from ..errors import WriteError
from ..losses import Report
from ..message import Candidate, ChatResponse, Finish, RefusalBlock, TextBlock, ThinkingBlock, Usage
from ..message.answer import FinishReason
from ..message.blocks import ANSWER, HEALED, NOTES, ContentBlock, MediaBlock
from ..message.ending import UNFINISHED
from ..message.logprobs import LISTED, RESULT, Logprob, read_tokens, tokens_within
from ..message.media_urls import document_text
from ..stream.builder import Builder
from ..stream.pieces import End, Failed, Key, Meta, Part, Piece, Raw
from ..text.json_text import Json, JsonObject, canonical
from .chat_like.messages import fill_fields
from .context_full_sentence import OverflowWords
from .shared_finish_words import finish_meaning

Event: TypeAlias = tuple[str | None, Json]

EVENTS = "events"  # among the fields of an answer: events that its reader did not know

# reasons that the content of the answer may correct
_OPEN_REASONS = frozenset({"stop", "tool_calls", "other"})
_CORRECTED_REASONS = frozenset({"stop", "tool_calls", "refusal", "malformed_call"})


# OpenAI docs, "Error codes", and the codes of `response.failed`: kind -> (type, code)
OPENAI_ERRORS: dict[ErrorKind, tuple[str, str]] = {
    "context_overflow": ("invalid_request_error", "context_length_exceeded"),
    "content_filter": ("invalid_request_error", "content_policy_violation"),
    "rate_limit": ("rate_limit_error", "rate_limit_exceeded"),
    "billing": ("insufficient_quota", "insufficient_quota"),
    "authentication": ("invalid_request_error", "invalid_api_key"),
    "not_found": ("invalid_request_error", "model_not_found"),
    "model_not_found": ("invalid_request_error", "model_not_found"),
    "no_answer": ("server_error", "server_error"),
}


# the sentences of both of OpenAI's protocols; the newer one says "exceeds the context window"
OPENAI_OVERFLOW = OverflowWords(
    "This model's maximum context length is {limit} tokens. However, your messages resulted in "
    "{tokens} tokens.",
    "Your input exceeds the context window of this model.",
    ("maximum context length is {limit}", "exceeds the context window"),
)


class AnswerWriter:
    """Writes the nodes of an answer.

    Args:
        report: Gets a loss for what the wire cannot carry.
        issuers: The issuers whose fields and opaque blocks this wire understands, its own one
            first.
        own: Whether the answer was read from this wire; if so, no fields are added to it.
    """

    __slots__ = ("_reported", "_tokens", "issuer", "issuers", "own", "report")
    # what the wire reports about tokens beside their text and probability; None: it has no log
    # probabilities
    token_fields: ClassVar[tuple[str, ...] | None] = None
    # the wire's name of each reason, the usual name first; the first entry is the most usual reason
    finish_reasons: ClassVar[Mapping[str, FinishReason]] = {}
    # names that are read but never written
    unwritten_reasons: ClassVar[Mapping[str, FinishReason]] = {}
    nearest_reasons: ClassVar[Mapping[str, str]] = {}  # for reasons that have no name here
    needs_reason: ClassVar[bool] = True  # whether each answer must have a reason

    def __init__(self, report: Report, issuers: Sequence[str], own: bool) -> None:
        self.report = report
        self.issuer = issuers[0]
        self.issuers = tuple(issuers)
        self.own = own
        self._reported: set[str] = set()
        self._tokens: dict[Key, int] = {}  # how many tokens of a streamed text have been written

    @classmethod
    def for_answer(cls, resp: ChatResponse, issuers: Sequence[str], report: Report) -> Self:
        """Return a writer for a whole answer; its first message says which wire it is of."""
        origin = resp.candidates[0].msg.origin if resp.candidates else None
        return cls(report, issuers, origin is not None and origin.issuer in issuers)

    def reads(self, issuer: str | None) -> bool:
        """Whether this wire understands fields and raw blocks of this issuer."""
        return issuer in self.issuers

    def mine(self, origin: tree.Origin | None) -> bool:
        """Whether the sealed data of a block was sealed for this wire."""
        return self.own if origin is None else origin.issuer in self.issuers

    def fields(self, node: Any, known: Sequence[str] = ()) -> JsonObject:
        """Return this wire's extra fields of a node; report those of others, except `known`."""
        data: JsonObject = {}
        for issuer, fields in (node.extras or {}).items():
            if issuer.removesuffix(ANSWER) in self.issuers:
                fill_fields(data, fields)
            elif issuer != HEALED and not issuer.endswith(NOTES):
                self.foreign(node, issuer, {k: v for k, v in fields.items() if k not in known})
        return data

    def foreign(self, node: object, issuer: str, fields: JsonObject) -> None:
        """Report the fields of another issuer, except those that are written in another form."""
        self.report.add_extras_losses(node, issuer, self.drop_tokens(fields))

    def drop_tokens(self, fields: JsonObject) -> JsonObject:
        """Return another issuer's fields without those that this wire writes in another form."""
        if self.token_fields is None or not read_tokens(fields):
            return fields
        return {key: value for key, value in fields.items() if key not in (LISTED, RESULT)}

    def tokens(self, node: Candidate | ChatResponse | Part | Meta) -> list[Logprob]:
        """Return log probabilities; none for an answer that was read from this wire."""
        if self.own or self.token_fields is None:
            return []
        if type(node) is Meta:
            found = read_tokens(node.extras or {})
        elif type(node) is Part:
            every = tokens_within(node.block.extras)  # a later part may repeat the whole text
            found = every[self._tokens.get(node.key, 0) :]
            self._tokens[node.key] = max(len(every), self._tokens.get(node.key, 0))
        else:
            found = node.logprobs
        for name in ("bytes", "id") if found else ():
            if name not in self.token_fields and any(_says(one, name) for one in found):
                self.lost_once("answer.unsupported", node, what=f"the {name} of tokens")
        return found

    def answer_fields(self, resp: ChatResponse, known: Sequence[str] = ()) -> JsonObject:
        """Return this wire's extra fields of a whole answer; report events that were not known."""
        fields = self.fields(resp, known)
        self.without_events(fields, resp)
        return fields

    def without_events(self, fields: JsonObject, resp: ChatResponse, field: str = "extras") -> None:
        """Remove the events that the reader did not know from an answer's fields; report them."""
        events = fields.pop(EVENTS, None)
        if not events:
            return
        places = [event.get("at") for event in events if isinstance(event, dict)]
        known = [place for place in places if isinstance(place, str)]
        what = ", ".join(known) if known else "events that nobody knows"
        self.report.add_loss("answer.unsupported", resp, field, what=what)

    def lost_once(self, code: str, node: object, field: str = "", what: str = "") -> None:
        """Report a loss once, although every event of the stream would cause it."""
        if (key := f"{code} {field or what}") not in self._reported:
            self._reported.add(key)
            self.report.add_loss(code, node, field, what)

    def without_seals(self, block: ThinkingBlock) -> None:
        """Report sealed parts of a thinking block, which clients of this wire cannot send back."""
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.add_loss("answer.unsupported", block, name)

    def text(self, block: TextBlock | RefusalBlock) -> str:
        """Return the text of a block, for wires whose answers lack citations and refusals."""
        if type(block) is RefusalBlock:
            self.report.add_loss("answer.unsupported", block, did="said as text", kind="degraded")
        elif type(block) is TextBlock and block.citations:
            self.report.add_loss("answer.unsupported", block, "citations")
        return block.text

    def thought(self, block: ThinkingBlock) -> str:
        """Return the text of a thinking block, for wires whose answers cannot hold sealed data."""
        self.fields(block)
        self.without_seals(block)
        return block.thinking

    def finish_reason(self, finish: Finish, node: object) -> str | None:
        """Return the finish reason: the provider's own word if it means the same on this wire."""
        raw, reason = finish.raw, finish.reason
        meaning = finish_meaning(raw, {**self.unwritten_reasons, **self.finish_reasons})
        corrected = meaning in _OPEN_REASONS and reason in _CORRECTED_REASONS
        unnamed = raw is None and not self.needs_reason
        if self.own and (reason == meaning or corrected or unnamed):
            return raw
        if raw in self.finish_reasons and reason == meaning:
            return raw
        for name, known in self.finish_reasons.items():
            if known == reason:
                return name
        nearest = self.nearest_reasons.get(reason) or self._nearest(reason)
        self.report.add_loss("answer.finish", node, "finish", what=reason, did=nearest)
        return nearest

    def _nearest(self, reason: FinishReason) -> str:
        """Return the wire's word for a reason that it has no name for.

        An unfinished answer gets the word for a limit, so that no client takes it for a complete
        one. All other reasons get the most usual word.
        """
        means = "length" if reason in UNFINISHED else next(iter(self.finish_reasons.values()))
        return next(word for word, meaning in self.finish_reasons.items() if meaning == means)

    def made_id(self, resp: ChatResponse) -> str:
        """Return an id computed from the content, for an answer without one; report it as added."""
        contents = [
            (c.msg.get_text_content(), [canonical(call.input) for call in c.msg.calls])
            for c in resp.candidates
        ]
        digest = blake2b(canonical([resp.model, contents]).encode(), digest_size=16)
        self.report.add_loss("answer.field", resp, "id", did=digest.hexdigest())
        return digest.hexdigest()

    def medium(
        self, block: MediaBlock, write: Callable[[Any], Json], write_text: Callable[[str], Json]
    ) -> Json:
        """Write a medium with `write`; report it where the wire has no form for its source.

        Args:
            block: The medium.
            write: Writes it; raises WriteError (`placement.unsupported`) if the wire has no form
                for it.
            write_text: Writes a text; used for a document that consists of text alone.

        Returns:
            What the answer holds for the medium; None if it was reported as a loss instead.

        Raises:
            WriteError: With any other code that `write` raises.
        """
        try:
            return write(block)
        except WriteError as error:
            if error.code != "placement.unsupported":
                raise
        if text := document_text(block):
            self.report.add_loss("answer.unsupported", block, did="said as text", kind="degraded")
            return write_text(text)
        self.report.add_loss("answer.unsupported", block)
        return None

    def saying(self, blocks: Sequence[ContentBlock]) -> list[ContentBlock]:
        """Return the blocks without empty texts, whose extra fields are reported.

        Providers refuse empty texts in a history. An answer of this wire's own keeps all its
        blocks.
        """
        said: list[ContentBlock] = []
        for block in blocks:
            if self.own or type(block) is not TextBlock or block.text or block.citations:
                said.append(block)
            else:
                self.fields(block)
        return said

    def lost_figures(self, usage: Usage, names: Sequence[str]) -> None:
        """Report the figures in `names`, which the wire lacks, and unknown required ones."""
        for name in ("input", "output"):
            if getattr(usage, name) is None:
                self.report.add_loss("answer.field", usage, name, did="0")
        for name in names:
            if getattr(usage, name):
                self.report.add_loss("answer.usage", usage, name)


def _says(token: Logprob, name: str) -> bool:
    """Whether the token, or an alternative, has a field that its text does not imply."""
    value = getattr(token, name)
    implied = name == "bytes" and value == [*token.token.encode("utf-8", "surrogatepass")]
    return (value is not None and not implied) or any(_says(one, name) for one in token.top or ())


class GrowingBlock:
    """A streamed block that events name by its index, with the data held until its end."""

    __slots__ = ("changed", "citations", "data", "key", "kind", "pieces")

    def __init__(self, key: Key, kind: type[Any]) -> None:
        self.key = key
        self.kind = kind
        self.citations: list[JsonObject] = []
        # for a block that is complete only at its end: its first event, and the pieces that follow
        self.data: JsonObject = {}
        self.pieces: list[Any] = []
        self.changed = False

    def end(self, issuer: str, whole: Callable[[Any], tree.ContentBlock]) -> list[Piece]:
        """Return the pieces held until the end of the block; `whole` builds a changed block."""
        pieces: list[Piece] = []
        if self.citations:
            extras = {issuer: {"citations": self.citations}}
            pieces.append(Part(self.key, TextBlock("", extras=extras)))
            self.citations = []
        if self.changed:
            pieces.append(Part(self.key, whole(self), whole=True))
            self.changed = False
        return pieces


def read_counts(data: JsonObject, keys: Mapping[str, str]) -> tuple[Usage, JsonObject]:
    """Read a flat object: return its usage figures, and its other fields."""
    usage = Usage()
    unknown: JsonObject = {}
    for key, value in data.items():
        if key in keys and type(value) is int:
            setattr(usage, keys[key], value)
        else:
            unknown[key] = value
    return usage, unknown


def first_candidate(resp: ChatResponse, report: Report) -> Candidate:
    """Return the candidate for a wire that has only one; the others are losses."""
    for other in resp.candidates[1:]:
        report.add_loss("answer.candidates", other)
    return (
        resp.candidates[0]
        if resp.candidates
        else Candidate(tree.Msg.create_unchecked("", [], "assistant"))
    )


def news(seen: JsonObject, fields: JsonObject) -> JsonObject:
    """Return the fields that `seen` lacks or has with another value, and add them to `seen`."""
    new = {key: value for key, value in fields.items() if seen.get(key, ...) != value}
    seen.update(new)
    return new


def read_figures(
    data: JsonObject, keys: Mapping[str, Any], flat: Mapping[str, Sequence[str]] | None = None
) -> Usage:
    """Read usage figures in OpenAI's form, whose input includes the cache.

    Where two figures for the same detail are present and one is zero, the other counts: proxies
    leave a zero under the name that their host does not use (seen in streams of Claude behind a
    proxy, 2025-06-17).

    Args:
        data: The usage object.
        keys: The field of `Usage` for each key; for details, such a table for each object of
            details.
        flat: Other keys of details, which may be in the object of details or beside it.
    """
    usage = Usage()
    for key, name in keys.items():
        if isinstance(name, str):
            setattr(usage, name, first_count(data.get(key)))
            continue
        details = data[key] if isinstance(data.get(key), dict) else {}
        for detail, field in name.items():
            others = (flat or {}).get(field, ())
            values = [details.get(detail), *map(details.get, others), *map(data.get, others)]
            count = first_count(*filter(None, values))
            setattr(usage, field, first_count(*values) if count is None else count)
    return without_cache(usage)


def without_cache(usage: Usage) -> Usage:
    """Return the usage with the cached tokens subtracted from the input, which included them."""
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    # otherwise the input did not include the cache
    if usage.input is not None and cached <= usage.input:
        usage.input -= cached
    return usage


def first_count(*values: Any) -> int | None:
    """Return the first of the values that is a number of tokens; 5.0 counts as one."""
    for value in values:
        if type(value) is int:
            return value
        if type(value) is float and value.is_integer():
            return int(value)
    return None


def figures(usage: Usage, keys: Mapping[str, Any]) -> JsonObject:
    """Return the figures that are known, under the keys of `read_figures`."""
    data: JsonObject = {}
    for key, name in keys.items():
        value: Json = None
        if not isinstance(name, str):
            value = figures(usage, name) or None
        elif name != "input":
            value = getattr(usage, name)
        elif counts := [
            n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None
        ]:
            value = sum(counts)
        if value is not None:
            data[key] = value
    return data


def _same_figure(value: Any, figure: Any) -> bool:
    return figure is not None and type(value) is type(figure) and bool(value == figure)


def beyond_figures(
    data: JsonObject,
    figures: JsonObject,
    path: str = "",
    is_same: Callable[[Any, Any], bool] = _same_figure,
) -> tuple[JsonObject, list[str]]:
    """Compare `data` with the figures: return its other fields, and the paths that `data` lacks."""
    unknown: JsonObject = {}
    absent = [f"{path}{key}" for key in figures if key not in data]
    for key, value in data.items():
        figure = figures.get(key)
        if isinstance(value, dict) and isinstance(figure, dict):
            below, absent_below = beyond_figures(value, figure, f"{path}{key}.", is_same)
            absent += absent_below
            if below or not value:
                unknown[key] = below
        elif not is_same(value, figure):
            unknown[key] = value
    return unknown, absent


class StreamedTexts:
    """The texts of one answer that have been written, for events that can only append to a text."""

    __slots__ = ("_last", "_texts", "_writer")

    def __init__(self, writer: AnswerWriter) -> None:
        self._writer = writer
        self._texts: dict[Key, list[str]] = {}
        self._last: dict[int, Key] = {}  # for each candidate, the thinking that was written last

    def add_text(self, piece: Part, text: str, is_thinking: bool = False) -> str:
        """Return what `text` appends; a text that replaces another one is a loss.

        Several thinking blocks of another wire become one field, each on a line of its own.
        """
        key = piece.key
        pieces = self._texts.setdefault(key, [])
        if piece.whole and pieces:
            before = "".join(pieces)
            if not text.startswith(before):
                what = "text in the place of other text"
                self._writer.report.add_loss("answer.unsupported", piece, what=what)
                return ""
            text = text[len(before) :]
        if not text:
            return ""
        pieces.append(text)
        if not is_thinking:
            return text
        last = self._last.get(key[0], key)
        self._last[key[0]] = key
        return f"\n{text}" if last != key and not self._writer.own else text


_W = TypeVar("_W", bound=AnswerWriter)


class AnswerEncoder(ABC, Generic[_W]):
    """Turns the pieces of one answer into events; it has a method for each kind of piece.

    `writer.own` becomes true when a piece shows that the answer was read from this wire. `about`
    collects the usage figures and the fields beside the message for the last events.
    """

    single: ClassVar[bool] = False  # only the first candidate is written

    def __init__(self, writer: _W, request: tree.ChatRequest | None = None) -> None:
        self.writer = writer
        self.report = writer.report
        self.about = Builder(writer.issuer, beside=True)
        self.requested_model = (request.model if request is not None else None) or ""

    def feed(self, piece: Piece) -> list[Event]:
        """Return the events that the piece completes."""
        if type(piece) is Part:
            if self.single and piece.key[0] != 0:
                self.writer.lost_once("answer.candidates", piece, what=f"candidate {piece.key[0]}")
                return []
            return self.part(piece)
        match piece:
            case Meta():
                return self.meta(piece)
            case Usage():
                self.about.add(piece)
            case End():
                return [] if self.single and piece.candidate != 0 else self.write_end(piece)
            case Failed():
                return self.write_failure(piece)
            case Raw():
                return self.write_unknown(piece)
            case _:
                assert_never(piece)
        return []

    @abstractmethod
    def finish(self) -> list[Event]:
        """Return the events at the end of the stream."""

    @abstractmethod
    def part(self, piece: Part) -> list[Event]:
        """Return the events of a part of a block."""

    @abstractmethod
    def meta(self, piece: Meta) -> list[Event]:
        """Take the answer's id and model, and fields that no node models."""

    @abstractmethod
    def write_end(self, piece: End) -> list[Event]:
        """Take the reason why a candidate ended."""

    @abstractmethod
    def write_failure(self, piece: Failed) -> list[Event]:
        """Return the events for an error in the middle of the stream."""

    def write_unknown(self, piece: Raw) -> list[Event]:
        """Return the events for one that no reader knows."""
        what = piece.at or "an event that nobody knows"
        self.report.add_loss("answer.unsupported", piece, what=what)
        return []

    def foreign(self, piece: Meta, fields: JsonObject) -> None:
        """Report fields of another wire, each key once."""
        for key in self.writer.drop_tokens(fields):
            field = f"extras.{piece.issuer or 'nobody'}.{key}"
            self.writer.lost_once("extras.other_provider", piece, field)
