"""One provider's opaque state, sealed to travel through another protocol's opaque field, and back.

A gateway keeps nothing, yet signatures and sealed reasoning must come back through a client that
speaks another protocol. They go as the signature of a thinking block, which every protocol has a
field for: the writer of the client's wire says it as its own. Knows no protocol.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any, cast

from ..errors import ReadError
from ..jsontext import Json, JsonObject, canonical, loads
from ..message import Msg, Origin, ThinkingBlock, ToolUseBlock
from ..message.blocks import ANSWER, NOTES, ContentBlock
from ..message.plain import plain_value

__all__ = ["Envelope", "borne", "hung_of", "opened", "sealed", "sealed_thought"]

_MARK = "dragoman1."  # no provider's own signature holds a dot
_SIGN = 32  # bytes of an HMAC


@dataclass(frozen=True, slots=True)
class Envelope:
    """How state is sealed: with a key it is signed (HMAC-SHA256), and nothing unsigned is opened.

    Sealed is not secret: whoever holds the text can read what is in it.
    """

    key: bytes = b""

    def seal(self, state: Json) -> str:
        """The state as text that fits into any protocol's opaque field."""
        said = canonical(state).encode()
        return _MARK + urlsafe_b64encode(self._sign(said) + said).decode()

    def open(self, text: str | None) -> Any:
        """The state that was sealed; None for what is no envelope, or one that somebody forged."""
        if text is None or not text.startswith(_MARK):
            return None
        try:
            data = urlsafe_b64decode(text[len(_MARK) :])
            size = _SIGN if self.key else 0
            sign, said = data[:size], data[size:]
            return loads(said) if hmac.compare_digest(sign, self._sign(said)) else None
        except (Error, ValueError, ReadError):
            return None

    def _sign(self, said: bytes) -> bytes:
        return hmac.digest(self.key, said, sha256) if self.key else b""


def sealed(m: Msg, issuer: str, reads: frozenset[str], envelope: Envelope) -> Msg:
    """The message for a client of `issuer`, with the state of those whom `reads` does not name.

    Each thought bears its own; what hangs on other blocks follows in a thought behind the last.
    """
    if isinstance(m.content, str):
        return m
    here = Origin(issuer)
    blocks = [
        sealed_thought(block, here, reads, envelope) if type(block) is ThinkingBlock else block
        for block in m.content
    ]
    if hung := list(hung_of(m.content, reads)):
        blocks.append(ThinkingBlock("", redacted=envelope.seal({"blocks": hung}), origin=here))
    if all(a is b for a, b in zip(blocks, m.content, strict=False)) and not hung:
        return m
    return Msg.trusted(m.name, blocks, m.role, m)


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
            yield [block.type, nth, _name(block), plain_value(own)]


def _name(block: ContentBlock) -> str:
    return block.name if type(block) is ToolUseBlock else ""


def opened(msgs: list[Msg], envelope: Envelope) -> list[Msg]:
    """The messages with what came back in envelopes in its place; the list itself without any.

    A thought whose envelope somebody changed stays, without any proof.
    """
    made = [_opened(m, envelope) for m in msgs]
    return msgs if all(a is b for a, b in zip(made, msgs, strict=True)) else made


def _opened(m: Msg, envelope: Envelope) -> Msg:
    if isinstance(m.content, str) or not any(map(_bears, m.content)):
        return m
    blocks: list[ContentBlock] = []
    bare: list[ThinkingBlock] = []  # thoughts at the end of them that nobody has signed
    hung: dict[tuple[str, int, str], Any] = {}
    for block in m.content:
        if not _bears(block):
            blocks.append(block)
            unsigned = type(block) is ThinkingBlock and not (block.signature or block.redacted)
            bare = [*bare, cast("ThinkingBlock", block)] if unsigned else []
            continue
        assert type(block) is ThinkingBlock  # no other bears one
        state = envelope.open(block.signature) or envelope.open(block.redacted)
        if isinstance(state, dict) and isinstance(state.get("blocks"), list):
            hung |= _places(state["blocks"])
        elif (thought := _thought(block, state)) is not None:
            if bare and not block.thinking and _of_text(state):
                del blocks[-len(bare) :]
                thought = replace(thought, thinking="".join(one.thinking for one in bare))
            blocks.append(thought)
            bare = []
    return Msg.trusted(m.name, [*_rehung(blocks, hung)], m.role, m)


def _bears(block: ContentBlock) -> bool:
    return type(block) is ThinkingBlock and borne(block) is not None


def borne(block: ThinkingBlock) -> str | None:
    """The envelope that a thought bears; None for what a provider signed or sealed itself."""
    texts = (block.signature, block.redacted)
    return next((text for text in texts if text and text.startswith(_MARK)), None)


def _places(told: list[Any]) -> dict[tuple[str, int, str], JsonObject]:
    """Where fields hang; without a key, somebody may have made up anything."""
    found = {}
    for row in told:
        match row:
            case [str(kind), int(nth), str(name), dict(own)] if _fields(own):
                found[kind, nth, name] = own
    return found


def _fields(value: Any) -> bool:
    """Whether the value is fields by issuer."""
    return isinstance(value, dict) and all(isinstance(own, dict) for own in value.values())


def _thought(block: ThinkingBlock, state: Any) -> ThinkingBlock | None:
    """The thought as it was; without its proof if the envelope tells nothing."""
    kept: Any = state.get("thinking") if isinstance(state, dict) else None
    match kept:
        case {"origin": {"issuer": str(), **told}} if _texts(told) and _texts(
            {name: kept.get(name) for name in ("signature", "redacted", "spelling")}
        ) and _fields(kept.get("extras", {})):  # fmt: skip
            return ThinkingBlock(
                block.thinking, kept.get("signature"), kept.get("redacted"),
                extras=kept.get("extras"), spelling=kept.get("spelling"),
                origin=_origin(kept["origin"]),
            )  # fmt: skip
        case _:
            return ThinkingBlock(block.thinking) if block.thinking else None


def _of_text(state: Any) -> bool:
    """Whether the thought has words: where a client keeps pieces apart, they stand before it."""
    return isinstance(state, dict) and state.get("thinking", {}).get("text") is True


def _texts(told: Any) -> bool:
    return all(value is None or isinstance(value, str) for value in told.values())


def _origin(told: JsonObject) -> Origin:
    return Origin(**{f.name: told[f.name] for f in fields(Origin) if f.name in told})


def _rehung(
    blocks: list[ContentBlock], hung: dict[tuple[str, int, str], Any]
) -> Iterator[ContentBlock]:
    seen: dict[str, int] = {}
    for block in blocks:
        nth = seen[block.type] = seen.get(block.type, -1) + 1
        own = hung.get((block.type, nth, _name(block)))
        if own is None:
            yield block
        else:
            made: Any = replace(block, extras={**(block.extras or {}), **own})
            yield made
