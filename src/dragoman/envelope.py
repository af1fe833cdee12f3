"""One provider's opaque state, sealed to travel through another protocol's opaque field, and back.

Whole messages by `sealed` and `opened`, streams by `Sealing`. Knows no protocol.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from typing import Any, TypeAlias, cast

from ._core.jsontext import Json, JsonObject, canonical, loads
from ._core.stream.pieces import End, Key, Meta, Part, Piece
from .errors import ConfigError, ReadError
from .losses import Report
from .message import Msg, Origin, RawBlock, ThinkingBlock, ToolUseBlock
from .message.answer import total
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


def sealed(
    m: Msg, issuer: str, reads: frozenset[str], envelope: Envelope, made: Made | None = None
) -> Msg:
    """The message for a client of `issuer`, with the state of those whom `reads` does not name.

    Each thought bears its own; what hangs on other blocks follows in a thought behind the last.
    """
    if isinstance(m.content, str):
        return m
    here = Origin(issuer)
    blocks: list[ContentBlock] = [
        sealed_thought(block, here, reads, envelope)
        if type(block) is ThinkingBlock
        else unhung(block, reads)
        for block in m.content
    ]
    pairs: list[tuple[object, object]] = [*zip(blocks, m.content, strict=True)]
    if attached := list(hung_of(m.content, reads)):
        blocks.append(ThinkingBlock("", redacted=envelope.seal({"blocks": attached}), origin=here))
        pairs.append((blocks[-1], m))
    pairs = [(new, old) for new, old in pairs if new is not old]
    if not pairs:
        return m
    whole = Msg.trusted(m.name, blocks, m.role, m)
    if made is not None:
        for new, old in (*pairs, (whole, m)):
            made(new, old)
    return whole


def sealed_thought(
    block: ThinkingBlock, here: Origin, reads: frozenset[str], envelope: Envelope
) -> ThinkingBlock:
    """The thought for a client of `here`: its proof, or its sealed form, in an envelope."""
    origin = block.origin
    if origin is None or origin.issuer in reads:
        return block
    state = envelope.seal(_state(block, origin))
    if block.thinking:
        return ThinkingBlock(block.thinking, state, origin=here)
    return ThinkingBlock("", redacted=state, origin=here)


def _state(block: ThinkingBlock, origin: Origin) -> JsonObject:
    state = {"text": bool(block.thinking), "signature": block.signature,
            "redacted": block.redacted, "spelling": block.spelling, "extras": _own(block),
            "origin": plain_value(origin)}  # fmt: skip
    return {"thinking": {name: value for name, value in state.items() if value}}


def _own(block: ContentBlock) -> JsonObject:
    """The block's fields that go back to their issuer."""
    extras = block.extras or {}
    return {who: fields for who, fields in extras.items() if not who.endswith((ANSWER, NOTES))}


def hung_of(blocks: list[ContentBlock], reads: frozenset[str]) -> Iterator[list[Json]]:
    """(kind, ordinal, name, fields) of every block but thoughts that bears fields of others.

    Not by id: some protocols give none, and each client's wire makes its own.
    """
    for block, index in _numbered(blocks):
        if type(block) is ThinkingBlock:
            continue
        own = {who: fields for who, fields in _own(block).items() if who and who not in reads}
        if own:
            yield [block.type, index, name_of(block), plain_value(own)]


def _numbered(blocks: list[ContentBlock]) -> Iterator[tuple[ContentBlock, int]]:
    """Each block with its ordinal among those of its kind."""
    seen: Counter[str] = Counter()
    for block in blocks:
        yield block, seen[block.type]
        seen[block.type] += 1


def unhung(block: ContentBlock, reads: frozenset[str]) -> ContentBlock:
    """The block without the fields that `hung_of` tells of it; one that stays raw keeps them."""
    fields = [who for who in _own(block) if who and who not in reads]
    if not fields or type(block) is RawBlock:
        return block
    left: Any = {who: data for who, data in (block.extras or {}).items() if who not in fields}
    result: Any = replace(block, extras=left or None)
    return cast("ContentBlock", result)


def name_of(block: ContentBlock) -> str:
    """The name of a call, which tells it from others of its kind."""
    return block.name if type(block) is ToolUseBlock else ""


_SHUT = Origin("envelope")  # of what is sealed in one that was not opened: for no provider


def opened(msgs: list[Msg], envelope: Envelope, made: Made | None = None) -> list[Msg]:
    """The messages with what came back in envelopes in its place; the list itself without any.

    A thought whose envelope somebody changed stays, without any proof; what has no words of its
    own, as something sealed that no provider reads, for the writer to name it.
    """
    tell = made or (lambda _new, _old: None)
    messages = [_opened(m, envelope, tell) for m in msgs]
    return msgs if all(a is b for a, b in zip(messages, msgs, strict=True)) else messages


def _opened(m: Msg, envelope: Envelope, made: Made) -> Msg:
    if isinstance(m.content, str) or not any(map(_bears, m.content)):
        return m
    blocks: list[ContentBlock] = []
    bare: list[ThinkingBlock] = []  # thoughts at the end of them that nobody has signed
    attached: dict[tuple[str, int, str], Any] = {}
    for block in m.content:
        if not _bears(block):
            blocks.append(block)
            unsigned = type(block) is ThinkingBlock and not (block.signature or block.redacted)
            bare = [*bare, cast("ThinkingBlock", block)] if unsigned else []
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
    whole = Msg.trusted(m.name, [*_rehung(blocks, attached, made)], m.role, m)
    made(whole, m)
    return whole


def _bears(block: ContentBlock) -> bool:
    return type(block) is ThinkingBlock and borne(block) is not None


def borne(block: ThinkingBlock) -> str | None:
    """The envelope that a thought bears; None for what a provider signed or sealed itself."""
    texts = (block.signature, block.redacted)
    return next((text for text in texts if text and text.startswith(MARK)), None)


def _places(data: list[Any]) -> dict[tuple[str, int, str], JsonObject]:
    """Where fields hang; without a key, somebody may have made up anything."""
    places = {}
    for row in data:
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
            {name: thought.get(name) for name in ("signature", "redacted", "spelling")}
        ) and _fields(thought.get("extras", {})):  # fmt: skip
            return ThinkingBlock(
                block.thinking, thought.get("signature"), thought.get("redacted"),
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

    Without an envelope what is opaque is named as lost, and goes nowhere.
    """

    def __init__(
        self, issuer: str, origin: Origin, envelope: Envelope | None, report: Report
    ) -> None:
        self._here = Origin(issuer)
        self._reads = frozenset({issuer})
        self._origin = origin
        self._envelope = envelope
        self._report = report
        self._thought: tuple[Key, list[ContentBlock]] | None = None
        self._others: dict[Key, list[ContentBlock]] = {}
        self._gone: dict[Key, ThinkingBlock] = {}  # thoughts that went out, as they were sealed

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
            if piece.key not in self._others or block.extras is not None:
                self._others.setdefault(piece.key, []).append(block)
                if self._envelope is not None and block.extras is not None:
                    piece = replace(piece, block=unhung(block, self._reads))
            return [*result, piece]
        ends = self._thought is not None and self._thought[0] != piece.key
        result = self._closed() if ends else []
        if self._thought is None:
            self._thought = (piece.key, [])
        if piece.whole:
            self._thought[1].clear()
        self._thought[1].append(block)
        plain = ThinkingBlock(block.thinking)
        return [*result, replace(piece, block=plain)] if block.thinking or piece.whole else result

    def finish(self) -> list[Piece]:
        """What is still held when no more will come."""
        return [*self._closed(), *self._behind(None)]

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
            if whole.redacted is not None:
                self._report.lost("answer.unsaid", whole, "redacted", what="sealed thinking")
            return []
        result = sealed_thought(whole, self._here, frozenset(), self._envelope)
        return [Part(key, replace(result, thinking=""))]

    def _behind(self, candidate: int | None) -> list[Piece]:
        keys = sorted(key for key in self._others if candidate is None or key[0] == candidate)
        blocks = [total(self._others.pop(key)) for key in keys]
        attached = list(hung_of(blocks, self._reads))
        if self._envelope is None or not attached:
            return []
        sealed = self._envelope.seal({"blocks": attached})
        return [Part((keys[0][0], _LAST), ThinkingBlock("", redacted=sealed, origin=self._here))]
