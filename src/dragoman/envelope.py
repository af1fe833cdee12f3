"""One provider's opaque state, sealed to travel through another protocol's opaque field, and back.

Whole messages by `sealed` and `opened`, streams by `Sealing`. Knows no protocol.
"""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from typing import Any, TypeAlias, cast

from ._core.jsontext import Json, JsonObject, canonical, field_at, loads, put_field, take_field
from ._core.stream.pieces import End, Key, Meta, Part, Piece
from .errors import ConfigError, ReadError
from .losses import Report
from .message import Msg, Origin, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from .message.answer import latest, total
from .message.blocks import ANSWER, NOTES, ContentBlock, plain_value

MARK = "dragoman1."  # which envelopes begin with: no provider's own signature holds a dot
_SIGN = 32  # bytes of an HMAC
Made: TypeAlias = Callable[[object, object], object]  # is told what was made of which node


class _Unsigned(bytes):
    """No key at all: nobody meant to give one."""

    __slots__ = ()


_UNSIGNED = _Unsigned()


@dataclass(frozen=True, slots=True)
class Envelope:
    """How state is sealed: with a key it is signed (HMAC-SHA256), and nothing unsigned is opened.

    Sealed is not secret: whoever holds the text can read what is in it. Without a key, whoever
    speaks to the gateway can make up state; so a key that is empty, or no bytes, is a ConfigError:
    somebody meant to give one.
    """

    key: bytes = field(default=_UNSIGNED, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or (not self.key and type(self.key) is not _Unsigned):
            text = "an empty one" if self.key in (b"", "") else type(self.key).__name__
            fault = f"the key of an envelope is bytes, not {text}"
            raise ConfigError(fault, hint="Envelope() signs nothing", code="envelope.key")

    def seal(self, state: Json) -> str:
        """The state as text that fits into any protocol's opaque field."""
        text = canonical(state).encode()
        return MARK + urlsafe_b64encode(self._sign(text) + text).decode()

    def open(self, text: str | None) -> Any:
        """The state that was sealed; None for what is no envelope, or one that somebody forged."""
        if text is None or not text.startswith(MARK):
            return None
        try:
            data = urlsafe_b64decode(text[len(MARK) :])
            size = _SIGN if self.key else 0
            sign, said = data[:size], data[size:]
            return loads(said) if hmac.compare_digest(sign, self._sign(said)) else None
        except (Error, ValueError, ReadError):
            return None

    def _sign(self, text: bytes) -> bytes:
        return hmac.digest(self.key, text, sha256) if self.key else b""


@dataclass(frozen=True, slots=True)
class CallField:
    """Where clients of a protocol bring back what hangs on a call: a field of `issuer` at `path`.

    Some bring back nothing else: they drop thoughts, or fields of them. `is_bytes`: it is base64.
    """

    issuer: str
    path: str
    is_bytes: bool = False

    def put(self, call: ToolUseBlock, envelope: str) -> ToolUseBlock:
        """The call that bears the envelope."""
        text = b64encode(envelope.encode()).decode() if self.is_bytes else envelope
        fields = {**(call.extras or {}).get(self.issuer, {})}
        put_field(fields, self.path, text)
        return replace(call, extras={**(call.extras or {}), self.issuer: fields})

    def take(self, call: ToolUseBlock) -> tuple[str | None, ToolUseBlock]:
        """(the envelope that the call bears, the call without it)."""
        fields = (call.extras or {}).get(self.issuer)
        text = field_at(fields, self.path) if fields else None
        if isinstance(text, str) and self.is_bytes:
            try:
                text = b64decode(text, validate=True).decode()
            except ValueError:
                return None, call
        if not isinstance(text, str) or not text.startswith(MARK):
            return None, call
        fields = dict(fields or {})
        take_field(fields, self.path)
        extras: Any = {**(call.extras or {}), self.issuer: fields}
        if not fields:
            del extras[self.issuer]
        return text, replace(call, extras=extras or None)


def sealed(
    m: Msg,
    issuer: str,
    reads: frozenset[str],
    envelope: Envelope,
    made: Made | None = None,
    on_calls: CallField | None = None,
) -> Msg:
    """The message for a client of `issuer`, with the state of those whom `reads` does not name.

    Each thought bears its own; what hangs on other blocks stands in front of the first of them,
    for clients take what stands last for the answer. With `on_calls` the next call bears all that
    came before it once more, words included.
    """
    if isinstance(m.content, str):
        return m
    here = Origin(issuer)
    blocks: list[ContentBlock] = []
    pairs: list[tuple[object, object]] = []
    rider = _Rider(envelope, reads)
    attached: list[list[Json]] = []
    first = None
    for block, index in _numbered(m.content):
        if type(block) is ThinkingBlock:
            new: ContentBlock = sealed_thought(block, here, reads, envelope)
            rider.thought(block)
        else:
            first = len(blocks) if first is None else first
            new = unhung(block, reads)
            rider.count += 1
            rides = on_calls is not None and type(block) is ToolUseBlock
            if (row := _row(block, index, reads)) is not None:
                rider.rows.append(row)
                attached += [] if rides else [row]
            if on_calls is not None and type(new) is ToolUseBlock:
                new = rider.on(new, on_calls)
        pairs.append((new, block))
        blocks.append(new)
    if attached:
        seal = ThinkingBlock("", redacted=envelope.seal({"blocks": attached}), origin=here)
        blocks.insert(first or 0, seal)
        pairs.append((seal, m))
    pairs = [pair for pair in pairs if pair[0] is not pair[1]]
    if not pairs:
        return m
    whole = Msg.trusted(m.name, blocks, m.role, m)
    if made is not None:
        for copy, old in (*pairs, (whole, m)):
            made(copy, old)
    return whole


class _Rider:
    """Gathers what the next call of a candidate will bear."""

    def __init__(self, envelope: Envelope, reads: frozenset[str]) -> None:
        self.rows: list[list[Json]] = []
        self.count = 0  # of blocks that are no thoughts, so far
        self._envelope = envelope
        self._reads = reads
        self._thoughts: list[JsonObject] = []

    def thought(self, block: ThinkingBlock) -> None:
        """Take a thought along."""
        if block.origin is not None and block.origin.issuer not in self._reads:
            state = _state(block, block.origin)["thinking"]
            self._thoughts.append({**state, "words": block.thinking, "at": self.count})

    def on(self, call: ToolUseBlock, field: CallField) -> ToolUseBlock:
        """The call with all that was gathered."""
        parts = {"thoughts": self._thoughts, "blocks": self.rows}
        state: JsonObject = {name: value for name, value in parts.items() if value}
        self._thoughts, self.rows = [], []
        return field.put(call, self._envelope.seal(state)) if state else call


def sealed_thought(
    block: ThinkingBlock, here: Origin, reads: frozenset[str], envelope: Envelope
) -> ThinkingBlock:
    """The thought for a client of `here`: its proof, or its sealed form, in an envelope."""
    origin = block.origin
    if origin is None or origin.issuer in reads:
        return block
    state = _state(block, origin)
    if not (block.signature or block.redacted):  # the words are all that there is, and some
        state["thinking"]["words"] = block.thinking  # clients bring the envelope back alone
    text = envelope.seal(state)
    if block.thinking:
        return ThinkingBlock(block.thinking, text, origin=here)
    return ThinkingBlock("", redacted=text, origin=here)


def _state(block: ThinkingBlock, origin: Origin) -> dict[str, JsonObject]:
    state = {"text": bool(block.thinking), "signature": block.signature,
            "redacted": block.redacted, "spelling": block.spelling, "extras": _own(block),
            "origin": plain_value(origin)}  # fmt: skip
    return {"thinking": {name: value for name, value in state.items() if value}}


def _own(block: ContentBlock) -> JsonObject:
    """The block's fields that go back to their issuer."""
    extras = block.extras or {}
    return {who: fields for who, fields in extras.items() if not who.endswith((ANSWER, NOTES))}


def _with_fields(parts: list[ContentBlock]) -> ContentBlock:
    """The first part with the fields of all: what a row tells of a block is no more than that."""
    if len(parts) == 1:
        return parts[0]
    first: Any = next((part for part in parts if name_of(part)), parts[0])
    block: Any = replace(first, extras=latest([part.extras for part in parts if part.extras]))
    return cast("ContentBlock", block)


# what answers call themselves and their parts: no provider misses it
_ECHOES = frozenset({"annotations", "id", "index", "logprobs", "object", "status"})


def _row(block: ContentBlock, index: int, reads: frozenset[str]) -> list[Json] | None:
    """(kind, ordinal, name, fields) of a block that bears fields of others; None for one without.

    Not by id: some protocols give none, and each client's wire makes its own.
    """
    own = {who: fields for who, fields in _own(block).items() if who and who not in reads}
    opaque = {who: kept for who, fields in own.items()
              if (kept := {k: v for k, v in fields.items() if k not in _ECHOES})}  # fmt: skip
    if not opaque or type(block) is RawBlock:
        return None
    return [block.type, index, name_of(block), plain_value(opaque)]


def _numbered(blocks: list[ContentBlock]) -> Iterator[tuple[ContentBlock, int]]:
    """Each block with its ordinal among those of its kind."""
    seen: Counter[str] = Counter()
    for block in blocks:
        yield block, seen[block.type]
        seen[block.type] += 1


def unhung(block: ContentBlock, reads: frozenset[str]) -> ContentBlock:
    """The block without the fields that travel sealed; one that stays raw keeps them."""
    if block.extras is None or type(block) is RawBlock:
        return block
    left: Any = {
        who: fields if not who or who in reads or who.endswith((ANSWER, NOTES))
        else {key: value for key, value in fields.items() if key in _ECHOES}
        for who, fields in block.extras.items()
    }  # fmt: skip
    left = {who: fields for who, fields in left.items() if fields or not block.extras[who]}
    if left == block.extras:
        return block
    result: Any = replace(block, extras=left or None)
    return cast("ContentBlock", result)


def name_of(block: ContentBlock) -> str:
    """The name of a call, which tells it from others of its kind."""
    return block.name if type(block) is ToolUseBlock else ""


_SHUT = Origin("envelope")  # of what is sealed in one that was not opened: for no provider


def opened(
    msgs: list[Msg], envelope: Envelope, made: Made | None = None, on_calls: CallField | None = None
) -> list[Msg]:
    """The messages with what came back in envelopes in its place; the list itself without any.

    A thought whose envelope somebody changed stays, without any proof; what has no words of its
    own, as something sealed that no provider reads, for the writer to name it.
    """
    tell = made or (lambda _new, _old: None)
    messages = [_opened(m, envelope, tell, on_calls) for m in msgs]
    return msgs if all(a is b for a, b in zip(messages, msgs, strict=True)) else messages


def _opened(m: Msg, envelope: Envelope, made: Made, on_calls: CallField | None) -> Msg:
    if isinstance(m.content, str) or not any(_bears(block, on_calls) for block in m.content):
        return m
    blocks: list[ContentBlock] = []
    bare: list[ThinkingBlock] = []  # thoughts at the end of them that nobody has signed
    attached: dict[tuple[str, int, str], Any] = {}
    borne_by_calls: list[_Borne] = []
    for block in m.content:
        if not _bears(block, on_calls):
            blocks.append(block)
            unsigned = type(block) is ThinkingBlock and not (block.signature or block.redacted)
            bare = [*bare, cast("ThinkingBlock", block)] if unsigned else []
            continue
        if type(block) is ToolUseBlock and on_calls is not None:
            text, call = on_calls.take(block)
            made(call, block)
            state = envelope.open(text)
            if isinstance(state, dict):
                borne_by_calls += _thoughts(state.get("thoughts"), block, made)
                attached |= _places(state.get("blocks"))
            else:
                blocks.append(ThinkingBlock("", redacted=text, origin=_SHUT))
                made(blocks[-1], block)
            blocks.append(call)
            bare = []
            continue
        assert type(block) is ThinkingBlock  # no other bears one
        state = envelope.open(block.signature) or envelope.open(block.redacted)
        if isinstance(state, dict) and isinstance(state.get("blocks"), list):
            attached |= _places(state["blocks"])
        else:
            thought = _thought(block, state)
            made(thought, block)
            if bare and not block.thinking and _of_text(state):
                del blocks[-len(bare) :]
                thought = replace(thought, thinking="".join(item.thinking for item in bare))
            blocks.append(thought)
            bare = []
    blocks = _with_thoughts(blocks, borne_by_calls)
    whole = Msg.trusted(m.name, [*_rehung(blocks, attached, made)], m.role, m)
    made(whole, m)
    return whole


_Borne: TypeAlias = tuple[int, ThinkingBlock]  # where it stood, and a thought that a call bore


def _thoughts(states: Any, call: ToolUseBlock, made: Made) -> Iterator[_Borne]:
    """The thoughts that a call bears, each with the number of other blocks before it."""
    for row in states if isinstance(states, list) else ():
        state = row if isinstance(row, dict) else {}
        words, place = state.get("words"), state.get("at")
        if isinstance(words, str) and isinstance(place, int):
            thought = _thought(ThinkingBlock(words), {"thinking": state})
            if thought.origin is not None:  # else it is no state of ours
                made(thought, call)
                yield place, thought


def _with_thoughts(blocks: list[ContentBlock], borne_by_calls: list[_Borne]) -> list[ContentBlock]:
    """The blocks, with the thoughts where they stood, but for those that came back themselves."""
    if not borne_by_calls:
        return blocks
    known = {_proof(block) for block in blocks if type(block) is ThinkingBlock}
    bare = {b.thinking.strip(): i for i, b in enumerate(blocks)
            if type(b) is ThinkingBlock and not (b.signature or b.redacted)}  # fmt: skip
    last = sum(type(block) is not ThinkingBlock for block in blocks) - 1
    missing: dict[int, list[ContentBlock]] = {}
    for place, thought in borne_by_calls:
        if _proof(thought) in known:
            continue
        known.add(_proof(thought))
        words = thought.thinking.strip()
        if words and words in bare:
            blocks[bare.pop(words)] = thought
        else:
            missing.setdefault(max(0, min(place, last)), []).append(thought)
    result: list[ContentBlock] = []
    count = 0
    for block in blocks:
        if type(block) is not ThinkingBlock:
            result += missing.get(count, ())
            count += 1
        result.append(block)
    return result


def _proof(block: ThinkingBlock) -> tuple[object, ...]:
    return block.thinking, block.signature, block.redacted, block.origin


def _bears(block: ContentBlock, on_calls: CallField | None) -> bool:
    if type(block) is ToolUseBlock:
        return on_calls is not None and on_calls.take(block)[0] is not None
    return type(block) is ThinkingBlock and borne(block) is not None


def borne(block: ThinkingBlock) -> str | None:
    """The envelope that a thought bears; None for what a provider signed or sealed itself."""
    texts = (block.signature, block.redacted)
    return next((text for text in texts if text and text.startswith(MARK)), None)


def _places(data: Any) -> dict[tuple[str, int, str], JsonObject]:
    """Where fields hang; without a key, somebody may have made up anything."""
    places = {}
    for row in data if isinstance(data, list) else ():
        match row:
            case [str(kind), int(index), str(name), dict(fields)] if _fields(fields):
                places[kind, index, name] = fields
    return places


def _fields(value: Any) -> bool:
    """Whether the value is fields by issuer."""
    return isinstance(value, dict) and all(isinstance(fields, dict) for fields in value.values())


def _thought(block: ThinkingBlock, state: Any) -> ThinkingBlock:
    """The thought as it was; without its proof if the envelope tells nothing."""
    thought: Any = state.get("thinking") if isinstance(state, dict) else None
    match thought:
        case {"origin": {"issuer": str(), **data}} if _texts(data) and _texts(
            {name: thought.get(name) for name in ("signature", "redacted", "spelling", "words")}
        ) and _fields(thought.get("extras", {})):  # fmt: skip
            return ThinkingBlock(
                block.thinking or thought.get("words") or "", thought.get("signature"), thought.get("redacted"),
                extras=thought.get("extras"), spelling=thought.get("spelling"),
                origin=_origin(thought["origin"]),
            )  # fmt: skip
        case _:
            shut = None if block.thinking else borne(block)
            return ThinkingBlock(block.thinking, redacted=shut, origin=_SHUT if shut else None)


def _of_text(state: Any) -> bool:
    """Whether the thought has words: where a client keeps pieces apart, they stand before it."""
    return isinstance(state, dict) and state.get("thinking", {}).get("text") is True


def _texts(data: Any) -> bool:
    return all(value is None or isinstance(value, str) for value in data.values())


def _origin(data: JsonObject) -> Origin:
    return Origin(**{f.name: data[f.name] for f in fields(Origin) if f.name in data})


def _rehung(
    blocks: list[ContentBlock], attached: dict[tuple[str, int, str], Any], made: Made
) -> Iterator[ContentBlock]:
    for block, index in _numbered(blocks):
        fields = attached.get((block.type, index, name_of(block)))
        if fields is None:
            yield block
        else:
            result: Any = replace(block, extras={**(block.extras or {}), **fields})
            made(result, block)
            yield result


_LAST = 1 << 30  # behind every block of a candidate


class Sealing:
    """Takes the pieces of an answer of `origin`; gives those for a client of `issuer`.

    Without an envelope what is opaque is named as lost, and goes nowhere. With `on_calls` the next
    call bears what came before it. `ends_in_text`: the client takes the last block for the answer,
    so that nothing may be sealed behind a text; what comes that late is named as lost.
    """

    def __init__(
        self,
        issuer: str,
        origin: Origin,
        envelope: Envelope | None,
        report: Report,
        on_calls: CallField | None = None,
        ends_in_text: bool = False,
    ) -> None:
        self._here = Origin(issuer)
        self._reads = frozenset({issuer})
        self._origin = origin
        self._envelope = envelope
        self._report = report
        self._on_calls = on_calls
        self._ends_in_text = ends_in_text
        self._thought: tuple[Key, list[ThinkingBlock]] | None = None
        self._others: dict[Key, list[ContentBlock]] = {}
        self._gone: dict[Key, ThinkingBlock] = {}  # thoughts that went out, as they were sealed
        self._riders: dict[int, _Rider] = {}
        self._seen: Counter[tuple[int, str]] = Counter()  # blocks of each kind
        self._ordinals: dict[Key, int] = {}
        self._fresh: set[Key] = set()  # blocks with fields that have not gone out
        self._sent: dict[Key, Json] = {}  # the fields of others that went out
        self._waiting: list[Part] = []  # wordless seals behind a text that may be the last block
        self._seals = 0

    def feed(self, piece: Piece) -> list[Piece]:
        """What goes out for the piece."""
        if type(piece) is End:
            return [*self._closed(), *self._behind(piece.candidate), piece]
        if type(piece) is Meta and piece.model is not None and self._origin.model is None:
            self._origin = replace(self._origin, model=piece.model)
        if type(piece) is not Part:
            return [piece]
        block = piece.block
        if type(block) is not ThinkingBlock:
            result = self._closed()
            if piece.key not in self._others:
                return [*result, *self._begun(piece)]
            if block.extras is not None:
                self._others[piece.key].append(block)
                self._fresh.add(piece.key)
                if self._envelope is not None:
                    piece = replace(piece, block=unhung(block, self._reads))
            return [*result, piece]
        ends = self._thought is not None and self._thought[0] != piece.key
        result = self._closed() if ends else []
        if self._thought is None:
            self._thought = (piece.key, [])
        parts = self._thought[1]
        has_words = bool(block.thinking) or (piece.whole and any(one.thinking for one in parts))
        if piece.whole:
            parts.clear()
        parts.append(block)
        # a thought without words begins with its seal: an empty one would be taken for all of it
        return [*result, replace(piece, block=ThinkingBlock(block.thinking))] if has_words else result

    def finish(self) -> list[Piece]:
        """What is still held when no more will come."""
        return [*self._closed(), *self._behind(None)]

    def _begun(self, piece: Part) -> list[Piece]:
        """The first piece of a block, behind what is sealed for it."""
        block = piece.block
        key = piece.key
        self._others[key] = [block]
        if self._envelope is None:
            return [piece]
        self._ordinals[key] = self._seen[key[0], block.type]
        self._seen[key[0], block.type] += 1
        if block.extras is not None:
            self._fresh.add(key)
        result: list[Piece] = [*self._waiting]
        self._waiting = []
        rider = self._rider(key[0])
        rider.count += 1
        plain = unhung(block, self._reads)
        on_call = self._on_calls is not None and type(plain) is ToolUseBlock
        if on_call or block.type != "text" or block.text:  # else the client may never see it
            rows = [row for _, row in self._rows(key[0])]
            rider.rows += rows
            if rows and not on_call:
                result.append(self._seal(key[0], rows))
        if self._on_calls is not None and type(plain) is ToolUseBlock:
            plain = rider.on(plain, self._on_calls)
        return [*result, piece if plain is block else replace(piece, block=plain)]

    def _rider(self, candidate: int) -> _Rider:
        if candidate not in self._riders:
            assert self._envelope is not None  # nothing rides without one
            self._riders[candidate] = _Rider(self._envelope, self._reads)
        return self._riders[candidate]

    def _rows(self, candidate: int) -> Iterator[tuple[Key, list[Json]]]:
        """The fields that have not gone out so far, in the order of their blocks."""
        for key in sorted(key for key in self._fresh if key[0] == candidate):
            self._fresh.discard(key)
            row = _row(_with_fields(self._others[key]), self._ordinals[key], self._reads)
            if row is not None and self._sent.get(key) != row[3]:
                self._sent[key] = row[3]
                yield key, row

    def _seal(self, candidate: int, rows: list[list[Json]]) -> Part:
        """A block that bears the fields of others."""
        assert self._envelope is not None  # it is asked for only then
        self._seals += 1
        state = self._envelope.seal({"blocks": rows})
        block = ThinkingBlock("", redacted=state, origin=self._here)
        return Part((candidate, _LAST + self._seals), block)

    def _closed(self) -> list[Piece]:
        if self._thought is None:
            return []
        (key, parts), self._thought = self._thought, None
        whole: Any = total(parts)
        whole = replace(whole, origin=self._origin)
        self._report.made(whole, parts[0])
        if (gone := self._gone.setdefault(key, whole)) is not whole:
            # a provider tells it once more at the end; the proof of it is with the client
            if (gone.signature, gone.redacted) != (whole.signature, whole.redacted):
                self._report.lost("answer.unsaid", whole, "signature", what="a later proof")
            return []
        if self._envelope is None:
            for name in ("signature", "redacted"):
                if getattr(whole, name):
                    self._report.lost("answer.unsaid", whole, name, what="sealed thinking")
            return []
        self._rider(key[0]).thought(whole)
        result = sealed_thought(whole, self._here, frozenset(), self._envelope)
        piece = Part(key, replace(result, thinking=""))
        if self._ends_in_text and not whole.thinking and self._others:
            self._waiting.append(piece)
            return []
        return [piece]

    def _behind(self, candidate: int | None) -> list[Piece]:
        """What came too late to stand before its block."""
        if self._envelope is None:
            return []
        candidates = sorted({key[0] for key in self._others}) if candidate is None else [candidate]
        rows = [(key, row) for one in candidates for key, row in self._rows(one)]
        waiting, self._waiting = self._waiting, []
        last = max(self._others, default=None)
        if self._ends_in_text and last is not None and type(self._others[last][0]) is TextBlock:
            for piece in waiting:
                self._report.lost("answer.unsaid", piece.block, "redacted", what="a late proof")
            for key, row in rows:
                for who, fields in cast("dict[str, JsonObject]", row[3]).items():
                    self._report.foreign(self._others[key][0], who, fields)
            return []
        sealed_rows = [self._seal(rows[0][0][0], [row for _, row in rows])] if rows else []
        return [*waiting, *sealed_rows]
