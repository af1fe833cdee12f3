"""What the writers of answers share: whole answers (`AnswerWriter`) and streams (`AnswerEncoder`).

An answer may have been read from the wire that it is written to (`own`): then nothing is added to
it. One of another wire gets the fields that clients demand, and what the wire has no place for is
reported, in a stream once for each field.
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
from .error_words import OverflowWords
from .finish_words import finish_meaning

Event: TypeAlias = tuple[str | None, Json]

EVENTS = "events"  # among the fields of an answer: events that its reader did not know

_OPEN_REASONS = frozenset({"stop", "tool_calls", "other"})  # that content may correct
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


# the words of both of OpenAI's protocols; of the newer one, "exceeds the context window"
OPENAI_OVERFLOW = OverflowWords(
    "This model's maximum context length is {limit} tokens. However, your messages resulted in "
    "{tokens} tokens.",
    "Your input exceeds the context window of this model.",
    ("maximum context length is {limit}", "exceeds the context window"),
)


class AnswerWriter:
    """Writes the nodes of an answer. `own`: it was read from this wire, so nothing is added to it.

    `issuers` are those whose fields and opaque blocks this wire understands, its own one first.
    """

    __slots__ = ("_reported", "_tokens", "issuer", "issuers", "own", "report")
    # what it says of tokens beside their text and how likely they were; None: nothing of them
    token_fields: ClassVar[tuple[str, ...] | None] = None
    # how the wire names the reasons, the usual name of each first, and the most usual one of all
    finish_reasons: ClassVar[Mapping[str, FinishReason]] = {}
    unwritten_reasons: ClassVar[Mapping[str, FinishReason]] = {}  # names that are only read
    nearest_reasons: ClassVar[Mapping[str, str]] = {}  # for those that it has no name for
    needs_reason: ClassVar[bool] = True  # whether each answer of the wire says why it ended

    def __init__(self, report: Report, issuers: Sequence[str], own: bool) -> None:
        self.report = report
        self.issuer = issuers[0]
        self.issuers = tuple(issuers)
        self.own = own
        self._reported: set[str] = set()
        self._tokens: dict[Key, int] = {}  # how many of a text in a stream were told

    @classmethod
    def for_answer(cls, resp: ChatResponse, issuers: Sequence[str], report: Report) -> Self:
        """A writer for a whole answer, which says by its first message whose it is."""
        origin = resp.candidates[0].msg.origin if resp.candidates else None
        return cls(report, issuers, origin is not None and origin.issuer in issuers)

    def reads(self, issuer: str | None) -> bool:
        """Whether fields and raw blocks of this issuer are this wire's own."""
        return issuer in self.issuers

    def mine(self, origin: tree.Origin | None) -> bool:
        """Whether what is sealed in a block was sealed for this wire."""
        return self.own if origin is None else origin.issuer in self.issuers

    def fields(self, node: Any, known: Sequence[str] = ()) -> JsonObject:
        """This wire's fields that no node models; those of others are losses, but for `known`."""
        data: JsonObject = {}
        for issuer, fields in (node.extras or {}).items():
            if issuer.removesuffix(ANSWER) in self.issuers:
                fill_fields(data, fields)
            elif issuer != HEALED and not issuer.endswith(NOTES):
                self.foreign(node, issuer, {k: v for k, v in fields.items() if k not in known})
        return data

    def foreign(self, node: object, issuer: str, fields: JsonObject) -> None:
        """Report the fields of another issuer, but for those that are said in another form."""
        self.report.foreign(node, issuer, self.drop_tokens(fields))

    def drop_tokens(self, fields: JsonObject) -> JsonObject:
        """The fields of another issuer without those that this wire says in another form."""
        if self.token_fields is None or not read_tokens(fields):
            return fields
        return {key: value for key, value in fields.items() if key not in (LISTED, RESULT)}

    def tokens(self, node: Candidate | ChatResponse | Part | Meta) -> list[Logprob]:
        """How likely the tokens of another wire's answer were; none of one of this wire."""
        if self.own or self.token_fields is None:
            return []
        if type(node) is Meta:
            found = read_tokens(node.extras or {})
        elif type(node) is Part:
            every = tokens_within(node.block.extras)  # of a text, which may be told again
            found = every[self._tokens.get(node.key, 0) :]
            self._tokens[node.key] = max(len(every), self._tokens.get(node.key, 0))
        else:
            found = node.logprobs
        for name in ("bytes", "id") if found else ():
            if name not in self.token_fields and any(_says(one, name) for one in found):
                self.lost_once("answer.unsaid", node, what=f"the {name} of tokens")
        return found

    def answer_fields(self, resp: ChatResponse, known: Sequence[str] = ()) -> JsonObject:
        """The same for a whole answer; events that its reader did not know are a loss."""
        fields = self.fields(resp, known)
        self.without_events(fields, resp)
        return fields

    def without_events(self, fields: JsonObject, resp: ChatResponse, field: str = "extras") -> None:
        """Take out of an answer's fields what its reader did not know, which is a loss."""
        events = fields.pop(EVENTS, None)
        if not events:
            return
        places = [event.get("at") for event in events if isinstance(event, dict)]
        known = [place for place in places if isinstance(place, str)]
        what = ", ".join(known) if known else "events that nobody knows"
        self.report.lost("answer.unsaid", resp, field, what=what)

    def lost_once(self, code: str, node: object, field: str = "", what: str = "") -> None:
        """Report a loss that a stream would repeat with every event."""
        if (key := f"{code} {field or what}") not in self._reported:
            self._reported.add(key)
            self.report.lost(code, node, field, what)

    def without_seals(self, block: ThinkingBlock) -> None:
        """Report what is sealed in thinking: clients of this wire cannot send it back."""
        for name in ("signature", "redacted"):
            if getattr(block, name) is not None:
                self.report.lost("answer.unsaid", block, name)

    def text(self, block: TextBlock | RefusalBlock) -> str:
        """The text where answers have no citations, and no field for that of a refusal."""
        if type(block) is RefusalBlock:
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
        elif type(block) is TextBlock and block.citations:
            self.report.lost("answer.unsaid", block, "citations")
        return block.text

    def thought(self, block: ThinkingBlock) -> str:
        """The text of the thinking where answers have no place for seals."""
        self.fields(block)
        self.without_seals(block)
        return block.thinking

    def finish_reason(self, finish: Finish, node: object) -> str | None:
        """Why the answer ended: in the provider's own word, as long as it means the same."""
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
        self.report.lost("answer.finish", node, "finish", what=reason, did=nearest)
        return nearest

    def _nearest(self, reason: FinishReason) -> str:
        """The word of a limit for what is not all of an answer, so that nobody takes it for that.

        For all else the most usual one.
        """
        means = "length" if reason in UNFINISHED else next(iter(self.finish_reasons.values()))
        return next(word for word, meaning in self.finish_reasons.items() if meaning == means)

    def made_id(self, resp: ChatResponse) -> str:
        """An id for an answer without one, made of what it says: it is reported as added."""
        contents = [
            (c.msg.get_text_content(), [canonical(call.input) for call in c.msg.calls])
            for c in resp.candidates
        ]
        digest = blake2b(canonical([resp.model, contents]).encode(), digest_size=16)
        self.report.lost("answer.field", resp, "id", did=digest.hexdigest())
        return digest.hexdigest()

    def medium(
        self, block: MediaBlock, write: Callable[[Any], Json], write_text: Callable[[str], Json]
    ) -> Json:
        """A medium as `write` writes it, or a loss where the wire has no form for its source.

        Args:
            block: The medium.
            write: Writes it; raises WriteError with the code `seat.unsaid` for what has no form.
            write_text: Writes a text, for a document that is no more than its text.

        Returns:
            What stands in the answer; None if nothing does, which is named as a loss.
        """
        try:
            return write(block)
        except WriteError as error:
            if error.code != "seat.unsaid":
                raise
        if text := document_text(block):
            self.report.lost("answer.unsaid", block, did="said as text", kind="degraded")
            return write_text(text)
        self.report.lost("answer.unsaid", block)
        return None

    def saying(self, blocks: Sequence[ContentBlock]) -> list[ContentBlock]:
        """The blocks without texts of nothing, whose fields are told: no history takes them back.

        An answer of this wire's own has them all.
        """
        said: list[ContentBlock] = []
        for block in blocks:
            if self.own or type(block) is not TextBlock or block.text or block.citations:
                said.append(block)
            else:
                self.fields(block)
        return said

    def lost_figures(self, usage: Usage, names: Sequence[str]) -> None:
        """Report the figures of `names`, which the wire has not, and those that it must have."""
        for name in ("input", "output"):
            if getattr(usage, name) is None:
                self.report.lost("answer.field", usage, name, did="0")
        for name in names:
            if getattr(usage, name):
                self.report.lost("answer.usage", usage, name)


def _says(token: Logprob, name: str) -> bool:
    """Whether the token has such a field that its text does not tell, or those in its place."""
    value = getattr(token, name)
    implied = name == "bytes" and value == [*token.token.encode("utf-8", "surrogatepass")]
    return (value is not None and not implied) or any(_says(one, name) for one in token.top or ())


class GrowingBlock:
    """A block of a stream that events name by its index, with what waits for its end."""

    __slots__ = ("changed", "citations", "data", "key", "kind", "pieces")

    def __init__(self, key: Key, kind: type[Any]) -> None:
        self.key = key
        self.kind = kind
        self.citations: list[JsonObject] = []
        # of a block that only its end makes whole: how it began, and what grows of it
        self.data: JsonObject = {}
        self.pieces: list[Any] = []
        self.changed = False

    def end(self, issuer: str, whole: Callable[[Any], tree.ContentBlock]) -> list[Piece]:
        """What waited for the end of the block; `whole` makes the one that only this tells."""
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
    """(the figures of a flat object, what is none of them)."""
    usage = Usage()
    unknown: JsonObject = {}
    for key, value in data.items():
        if key in keys and type(value) is int:
            setattr(usage, keys[key], value)
        else:
            unknown[key] = value
    return usage, unknown


def first_candidate(resp: ChatResponse, report: Report) -> Candidate:
    """The candidate that a wire which tells one writes; the others are losses."""
    for other in resp.candidates[1:]:
        report.lost("answer.candidates", other)
    return (
        resp.candidates[0] if resp.candidates else Candidate(tree.Msg.trusted("", [], "assistant"))
    )


def news(seen: JsonObject, fields: JsonObject) -> JsonObject:
    """Those of the fields that were not `seen` before with that value; from now on they are."""
    new = {key: value for key, value in fields.items() if seen.get(key, ...) != value}
    seen.update(new)
    return new


def read_figures(
    data: JsonObject, keys: Mapping[str, Any], flat: Mapping[str, Sequence[str]] | None = None
) -> Usage:
    """The usage of figures as OpenAI has them: those of the input contain the cache.

    `keys` are the fields of `Usage` by their keys, of details by the object that they stand in;
    `flat` are other keys of details, in that object or beside it. Where two of them are told and
    one is zero, the other counts: proxies leave a zero under the name that their host has not
    (seen in streams of Claude behind one, 2025-06-17).
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
    """The usage, whose input contained the cache, with the figure of the rest alone."""
    cached = (usage.cache_read or 0) + (usage.cache_write or 0)
    if usage.input is not None and cached <= usage.input:  # else the cache was never in it
        usage.input -= cached
    return usage


def first_count(*values: Any) -> int | None:
    """The first of the values that is a number of tokens; 5.0 is one, too."""
    for value in values:
        if type(value) is int:
            return value
        if type(value) is float and value.is_integer():
            return int(value)
    return None


def figures(usage: Usage, keys: Mapping[str, Any]) -> JsonObject:
    """The figures that are known, under the keys of `read_figures`."""
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
    """(what `data` has beyond the figures, the paths that those have beyond `data`)."""
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
    """The texts of one answer as far as they were written, for events that only add to a text."""

    __slots__ = ("_last", "_texts", "_writer")

    def __init__(self, writer: AnswerWriter) -> None:
        self._writer = writer
        self._texts: dict[Key, list[str]] = {}
        self._last: dict[int, Key] = {}  # of each candidate, the thinking that was written last

    def add_text(self, piece: Part, text: str, is_thinking: bool = False) -> str:
        """What `text` adds; a text in the place of another one is a loss.

        Several thinking blocks of another wire become one field, with a line for each.
        """
        key = piece.key
        pieces = self._texts.setdefault(key, [])
        if piece.whole and pieces:
            before = "".join(pieces)
            if not text.startswith(before):
                what = "text in the place of other text"
                self._writer.report.lost("answer.unsaid", piece, what=what)
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
    """Turns the pieces of one answer into events: a method for each kind of piece.

    `writer.own` becomes true when a piece shows that the answer was read from this wire. `about`
    collects the figures and what stands beside the message, for the events at the end.
    """

    single: ClassVar[bool] = False  # only the first candidate is written

    def __init__(self, writer: _W, request: tree.ChatRequest | None = None) -> None:
        self.writer = writer
        self.report = writer.report
        self.about = Builder(writer.issuer, beside=True)
        self.requested_model = (request.model if request is not None else None) or ""

    def feed(self, piece: Piece) -> list[Event]:
        """The events that the piece completes."""
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
        """The events that stand at the end."""

    @abstractmethod
    def part(self, piece: Part) -> list[Event]:
        """A part of a block."""

    @abstractmethod
    def meta(self, piece: Meta) -> list[Event]:
        """What the answer is called, and fields that no node models."""

    @abstractmethod
    def write_end(self, piece: End) -> list[Event]:
        """Why a candidate ended."""

    @abstractmethod
    def write_failure(self, piece: Failed) -> list[Event]:
        """An error in the middle of the stream."""

    def write_unknown(self, piece: Raw) -> list[Event]:
        """An event that no reader knows."""
        what = piece.at or "an event that nobody knows"
        self.report.lost("answer.unsaid", piece, what=what)
        return []

    def foreign(self, piece: Meta, fields: JsonObject) -> None:
        """Report fields of another wire, each key once."""
        for key in self.writer.drop_tokens(fields):
            field = f"extras.{piece.issuer or 'nobody'}.{key}"
            self.writer.lost_once("extras.foreign", piece, field)
