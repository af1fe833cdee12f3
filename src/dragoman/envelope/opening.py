"""What a client sends back in envelopes, opened: each thing in its place again.

Only what was sealed with the same key is opened. Knows no protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, cast

from ..jsontext import JsonObject
from ..message import Msg, Origin, ThinkingBlock
from ..message.blocks import ContentBlock
from .state import MARK, Envelope, Made, name_of

__all__ = ["borne", "opened"]

_SHUT = Origin("envelope")  # of what is sealed in one that was not opened: for no provider


def opened(msgs: list[Msg], envelope: Envelope, made: Made | None = None) -> list[Msg]:
    """The messages with what came back in envelopes in its place; the list itself without any.

    A thought whose envelope somebody changed stays, without any proof; what has no words of its
    own, as something sealed that no provider reads, for the writer to name it.
    """
    told = made or _nobody
    found = [_opened(m, envelope, told) for m in msgs]
    return msgs if all(a is b for a, b in zip(found, msgs, strict=True)) else found


def _nobody(_: object, __: object) -> None:
    pass


def _opened(m: Msg, envelope: Envelope, made: Made) -> Msg:
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
        else:
            thought = _thought(block, state)
            made(thought, block)
            if bare and not block.thinking and _of_text(state):
                del blocks[-len(bare) :]
                thought = replace(thought, thinking="".join(one.thinking for one in bare))
            blocks.append(thought)
            bare = []
    whole = Msg.trusted(m.name, [*_rehung(blocks, hung, made)], m.role, m)
    made(whole, m)
    return whole


def _bears(block: ContentBlock) -> bool:
    return type(block) is ThinkingBlock and borne(block) is not None


def borne(block: ThinkingBlock) -> str | None:
    """The envelope that a thought bears; None for what a provider signed or sealed itself."""
    texts = (block.signature, block.redacted)
    return next((text for text in texts if text and text.startswith(MARK)), None)


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


def _thought(block: ThinkingBlock, state: Any) -> ThinkingBlock:
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
            shut = None if block.thinking else borne(block)
            return ThinkingBlock(block.thinking, redacted=shut, origin=_SHUT if shut else None)


def _of_text(state: Any) -> bool:
    """Whether the thought has words: where a client keeps pieces apart, they stand before it."""
    return isinstance(state, dict) and state.get("thinking", {}).get("text") is True


def _texts(told: Any) -> bool:
    return all(value is None or isinstance(value, str) for value in told.values())


def _origin(told: JsonObject) -> Origin:
    return Origin(**{f.name: told[f.name] for f in fields(Origin) if f.name in told})


def _rehung(
    blocks: list[ContentBlock], hung: dict[tuple[str, int, str], Any], told: Made
) -> Iterator[ContentBlock]:
    seen: dict[str, int] = {}
    for block in blocks:
        nth = seen[block.type] = seen.get(block.type, -1) + 1
        own = hung.get((block.type, nth, name_of(block)))
        if own is None:
            yield block
        else:
            made: Any = replace(block, extras={**(block.extras or {}), **own})
            told(made, block)
            yield made
