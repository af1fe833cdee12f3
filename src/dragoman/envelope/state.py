"""One provider's opaque state, sealed to travel through another protocol's opaque field, and back.

A gateway keeps nothing, yet signatures and sealed reasoning must come back through a client that
speaks another protocol. They go as the signature of a thinking block, which every protocol has a
field for: the writer of the client's wire says it as its own. Knows no protocol.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeAlias, cast

from ..errors import ConfigError, ReadError
from ..jsontext import Json, JsonObject, canonical, loads
from ..message import Msg, Origin, RawBlock, ThinkingBlock, ToolUseBlock
from ..message.blocks import ANSWER, NOTES, ContentBlock
from ..message.plain import plain_value

__all__ = ["MARK", "Envelope", "Made", "hung_of", "name_of", "sealed", "sealed_thought", "unhung"]

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
            said = "an empty one" if self.key in (b"", "") else type(self.key).__name__
            raise ConfigError(
                f"the key of an envelope is bytes, not {said}",
                hint="Envelope() signs nothing", code="envelope.key",
            )  # fmt: skip

    def seal(self, state: Json) -> str:
        """The state as text that fits into any protocol's opaque field."""
        said = canonical(state).encode()
        return MARK + urlsafe_b64encode(self._sign(said) + said).decode()

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

    def _sign(self, said: bytes) -> bytes:
        return hmac.digest(self.key, said, sha256) if self.key else b""


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
    if hung := list(hung_of(m.content, reads)):
        blocks.append(ThinkingBlock("", redacted=envelope.seal({"blocks": hung}), origin=here))
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
    kept = {"text": bool(block.thinking), "signature": block.signature,
            "redacted": block.redacted, "spelling": block.spelling, "extras": _own(block),
            "origin": plain_value(origin)}  # fmt: skip
    return {"thinking": {name: value for name, value in kept.items() if value}}


def _own(block: ContentBlock) -> JsonObject:
    """The block's fields that go back to their issuer."""
    extras = block.extras or {}
    return {who: own for who, own in extras.items() if not who.endswith((ANSWER, NOTES))}


def hung_of(blocks: list[ContentBlock], reads: frozenset[str]) -> Iterator[list[Json]]:
    """(kind, ordinal, name, fields) of every block but thoughts that bears fields of others.

    Not by id: some protocols give none, and each client's wire makes its own.
    """
    seen: dict[str, int] = {}
    for block in blocks:
        nth = seen[block.type] = seen.get(block.type, -1) + 1
        if type(block) is ThinkingBlock:
            continue
        own = {who: fields for who, fields in _own(block).items() if who and who not in reads}
        if own:
            yield [block.type, nth, name_of(block), plain_value(own)]


def unhung(block: ContentBlock, reads: frozenset[str]) -> ContentBlock:
    """The block without the fields that `hung_of` tells of it; one that stays raw keeps them."""
    own = [who for who in _own(block) if who and who not in reads]
    if not own or type(block) is RawBlock:
        return block
    left: Any = {who: told for who, told in (block.extras or {}).items() if who not in own}
    made: Any = replace(block, extras=left or None)
    return cast("ContentBlock", made)


def name_of(block: ContentBlock) -> str:
    """The name of a call, which tells it from others of its kind."""
    return block.name if type(block) is ToolUseBlock else ""
