"""How state is sealed (`Envelope`), and messages for a client with others' state sealed in them."""

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

MARK = "dragoman1."  # prefix of envelopes; no provider's signature has a dot
_SIGN = 32  # bytes of an HMAC
OnCopy: TypeAlias = Callable[
    [object, object], object
]  # gets (new node, node from which it was made)


class _Unsigned(bytes):
    """The default: no key was given."""

    __slots__ = ()


_UNSIGNED = _Unsigned()


@dataclass(frozen=True, slots=True)
class Envelope:
    """Seals state; with a key it is signed (HMAC-SHA256), and nothing unsigned is opened.

    Sealed is not secret: the text shows its content to anyone who has it. Without a key, any client
    of the gateway can invent state.

    Args:
        key: The key; without one nothing is signed.

    Raises:
        ConfigError: The key is empty, or is no bytes; a missing key must be left out.
    """

    key: bytes = field(default=_UNSIGNED, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or (not self.key and type(self.key) is not _Unsigned):
            text = "an empty one" if self.key in (b"", "") else type(self.key).__name__
            fault = f"the key of an envelope is bytes, not {text}"
            raise ConfigError(fault, hint="Envelope() signs nothing", code="envelope.key")

    def seal(self, state: Json) -> str:
        """Seal state as a text that fits into any protocol's opaque field.

        Args:
            state: JSON.
        """
        text = canonical(state).encode()
        return MARK + urlsafe_b64encode(self._sign(text) + text).decode()

    def open(self, text: str | None) -> Any:
        """Open an envelope.

        Args:
            text: The text of an opaque field.

        Returns:
            The state; None if the text is no envelope, or a forged one.
        """
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
    """The field in which clients of a protocol bring back a call's state.

    Some clients bring back nothing else: they drop thoughts, or fields of them.

    Args:
        issuer: The provider whose field it is.
        path: Its path in the call.
        is_bytes: Whether its value is base64.
    """

    issuer: str
    path: str
    is_bytes: bool = False

    def put(self, call: ToolUseBlock, envelope: str) -> ToolUseBlock:
        """Put an envelope into a call.

        Args:
            call: The call.
            envelope: The text of the envelope.
        """
        text = b64encode(envelope.encode()).decode() if self.is_bytes else envelope
        fields = {**(call.extras or {}).get(self.issuer, {})}
        put_field(fields, self.path, text)
        return replace(call, extras={**(call.extras or {}), self.issuer: fields})

    def take(self, call: ToolUseBlock) -> tuple[str | None, ToolUseBlock]:
        """Take the envelope out of a call.

        Args:
            call: The call.

        Returns:
            (the envelope, None if there is none; the call without it)
        """
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


def seal_message(
    m: Msg,
    issuer: str,
    reads: frozenset[str],
    envelope: Envelope,
    on_copy: OnCopy | None = None,
    on_calls: CallField | None = None,
) -> Msg:
    """Seal the opaque state of other providers in a message for a client.

    Each thought contains its own state. State of other blocks goes before the first of them,
    because clients take the last block for the answer. With `on_calls`, the next call also contains
    all thoughts before it, with their text.

    Args:
        m: The message.
        issuer: The protocol of the client.
        reads: The issuers whose state the client's provider understands.
        envelope: Seals the state.
        on_copy: Called with each new node and the node from which it was made.
        on_calls: The field for envelopes on calls, if the protocol has one.
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
    whole = Msg.create_unchecked(m.name, blocks, m.role, m)
    if on_copy is not None:
        for copy, old in (*pairs, (whole, m)):
            on_copy(copy, old)
    return whole


class Rider:
    """Collects the state that the next call of a candidate will carry."""

    def __init__(self, envelope: Envelope, reads: frozenset[str]) -> None:
        self.rows: list[list[Json]] = []
        self.count = 0  # number of blocks so far that are no thoughts
        self._envelope = envelope
        self._reads = reads
        self._thoughts: list[JsonObject] = []

    def thought(self, block: ThinkingBlock) -> None:
        """Add a thought."""
        if block.origin is not None and block.origin.issuer not in self._reads:
            state = collect_state(block, block.origin)["thinking"]
            self._thoughts.append({**state, "words": block.thinking, "at": self.count})

    def on(self, call: ToolUseBlock, field: CallField) -> ToolUseBlock:
        """Put everything collected into the call."""
        parts = {"thoughts": self._thoughts, "blocks": self.rows}
        state: JsonObject = {name: value for name, value in parts.items() if value}
        self._thoughts, self.rows = [], []
        return field.put(call, self._envelope.seal(state)) if state else call


def sealed_thought(
    block: ThinkingBlock, here: Origin, reads: frozenset[str], envelope: Envelope
) -> ThinkingBlock:
    """Seal a thought for a client: its signature, or its sealed content, goes into an envelope.

    Args:
        block: The thought.
        here: The client's provider.
        reads: The issuers whose state that provider understands.
        envelope: Seals the state.
    """
    origin = block.origin
    if origin is None or origin.issuer in reads:
        return block
    state = collect_state(block, origin)
    if not (block.signature or block.redacted):  # there is only text, and some clients
        state["thinking"]["words"] = block.thinking  # bring back nothing but the envelope
    text = envelope.seal(state)
    if block.thinking:
        return ThinkingBlock(block.thinking, text, origin=here)
    return ThinkingBlock("", redacted=text, origin=here)


def collect_state(block: ThinkingBlock, origin: Origin) -> dict[str, JsonObject]:
    """The state of a thought that is sealed: everything but its text."""
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
    """The block's fields that must go back to their issuer."""
    extras = block.extras or {}
    return {who: fields for who, fields in extras.items() if not who.endswith((ANSWER, NOTES))}


def with_fields_of_all(parts: list[ContentBlock]) -> ContentBlock:
    """The first part with the fields of all parts, which is all that a row needs of a block."""
    if len(parts) == 1:
        return parts[0]
    first: Any = next((part for part in parts if read_name(part)), parts[0])
    block: Any = replace(first, extras=latest([part.extras for part in parts if part.extras]))
    return cast("ContentBlock", block)


# names of answers and their parts, which no provider needs back
_ECHOES = frozenset({"annotations", "id", "index", "logprobs", "object", "status"})


def build_row(block: ContentBlock, index: int, reads: frozenset[str]) -> list[Json] | None:
    """(kind, ordinal, name, fields) of a block with fields of others; None if it has none.

    It does not use ids: some protocols have none, and each client's wire makes its own.
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
    """The block without fields that travel sealed; a raw block keeps them."""
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
    """The name of a call, which distinguishes it from others of its kind."""
    return block.name if type(block) is ToolUseBlock else ""
