"""Envelope: how state is sealed; and messages for a client, with the state of others sealed."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeAlias, cast

from ..errors import ConfigError, ReadError
from ..message import Msg, Origin, RawBlock, ThinkingBlock, ToolUseBlock
from ..message.answer import latest
from ..message.blocks import ANSWER, NOTES, ContentBlock, plain_value
from ..text.json_text import Json, JsonObject, canonical, field_at, loads, put_field, take_field

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
    rider = Rider(envelope, reads)
    attached: list[list[Json]] = []
    first = None
    for block, index in number_blocks(m.content):
        if type(block) is ThinkingBlock:
            new: ContentBlock = sealed_thought(block, here, reads, envelope)
            rider.thought(block)
        else:
            first = len(blocks) if first is None else first
            new = drop_sealed_fields(block, reads)
            rider.count += 1
            rides = on_calls is not None and type(block) is ToolUseBlock
            if (row := build_row(block, index, reads)) is not None:
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


class Rider:
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
            state = collect_state(block, block.origin)["thinking"]
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
    state = collect_state(block, origin)
    if not (block.signature or block.redacted):  # the words are all that there is, and some
        state["thinking"]["words"] = block.thinking  # clients bring the envelope back alone
    text = envelope.seal(state)
    if block.thinking:
        return ThinkingBlock(block.thinking, text, origin=here)
    return ThinkingBlock("", redacted=text, origin=here)


def collect_state(block: ThinkingBlock, origin: Origin) -> dict[str, JsonObject]:
    """What is sealed of a thought: all but its words."""
    state = {
        "text": bool(block.thinking),
        "signature": block.signature,
        "redacted": block.redacted,
        "spelling": block.spelling,
        "extras": own_fields(block),
        "origin": plain_value(origin),
    }
    return {"thinking": {name: value for name, value in state.items() if value}}


def own_fields(block: ContentBlock) -> JsonObject:
    """The block's fields that go back to their issuer."""
    extras = block.extras or {}
    return {who: fields for who, fields in extras.items() if not who.endswith((ANSWER, NOTES))}


def with_fields_of_all(parts: list[ContentBlock]) -> ContentBlock:
    """The first part with the fields of all: what a row tells of a block is no more than that."""
    if len(parts) == 1:
        return parts[0]
    first: Any = next((part for part in parts if read_name(part)), parts[0])
    block: Any = replace(first, extras=latest([part.extras for part in parts if part.extras]))
    return cast("ContentBlock", block)


# what answers call themselves and their parts: no provider misses it
_ECHOES = frozenset({"annotations", "id", "index", "logprobs", "object", "status"})


def build_row(block: ContentBlock, index: int, reads: frozenset[str]) -> list[Json] | None:
    """(kind, ordinal, name, fields) of a block that bears fields of others; None for one without.

    Not by id: some protocols give none, and each client's wire makes its own.
    """
    own = {who: fields for who, fields in own_fields(block).items() if who and who not in reads}
    opaque = {
        who: kept
        for who, fields in own.items()
        if (kept := {k: v for k, v in fields.items() if k not in _ECHOES})
    }
    if not opaque or type(block) is RawBlock:
        return None
    return [block.type, index, read_name(block), plain_value(opaque)]


def number_blocks(blocks: list[ContentBlock]) -> Iterator[tuple[ContentBlock, int]]:
    """Each block with its ordinal among those of its kind."""
    seen: Counter[str] = Counter()
    for block in blocks:
        yield block, seen[block.type]
        seen[block.type] += 1


def drop_sealed_fields(block: ContentBlock, reads: frozenset[str]) -> ContentBlock:
    """The block without the fields that travel sealed; one that stays raw keeps them."""
    if block.extras is None or type(block) is RawBlock:
        return block
    left: Any = {
        who: fields
        if not who or who in reads or who.endswith((ANSWER, NOTES))
        else {key: value for key, value in fields.items() if key in _ECHOES}
        for who, fields in block.extras.items()
    }
    left = {who: fields for who, fields in left.items() if fields or not block.extras[who]}
    if left == block.extras:
        return block
    result: Any = replace(block, extras=left or None)
    return cast("ContentBlock", result)


def read_name(block: ContentBlock) -> str:
    """The name of a call, which tells it from others of its kind."""
    return block.name if type(block) is ToolUseBlock else ""
