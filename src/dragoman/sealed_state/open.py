"""Opens envelopes in messages that a client brings back: sealed state is restored in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, TypeAlias, cast

from ..message import Msg, Origin, ThinkingBlock, ToolUseBlock
from ..message.blocks import ContentBlock
from ..text.json_text import JsonObject
from .seal import MARK, CallField, Envelope, OnCopy, number_blocks, read_name

_SHUT = Origin("envelope")  # the origin of state in an unopened envelope


def open_messages(
    msgs: list[Msg],
    envelope: Envelope,
    on_copy: OnCopy | None = None,
    on_calls: CallField | None = None,
) -> list[Msg]:
    """Restore in the messages what came back in envelopes; the same list if there is none.

    A thought whose envelope was changed stays without its signature. If it has no text either, it
    stays as sealed content that no provider reads, so that the writer reports its loss.

    Args:
        msgs: The messages as the client sent them.
        envelope: Opens what it has sealed.
        on_copy: Called with each new node and the node from which it was made.
        on_calls: The field in which the protocol's clients bring envelopes back on calls.
    """
    tell = on_copy or (lambda _new, _old: None)
    messages = [_open_message(m, envelope, tell, on_calls) for m in msgs]
    return msgs if all(a is b for a, b in zip(messages, msgs, strict=True)) else messages


def _open_message(m: Msg, envelope: Envelope, on_copy: OnCopy, on_calls: CallField | None) -> Msg:
    if isinstance(m.content, str) or not any(_bears(block, on_calls) for block in m.content):
        return m
    blocks: list[ContentBlock] = []
    bare: list[ThinkingBlock] = []  # unsigned thoughts at the end of the blocks
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
            on_copy(call, block)
            state = envelope.open(text)
            if isinstance(state, dict):
                borne_by_calls += _thoughts(state.get("thoughts"), block, on_copy)
                attached |= _places(state.get("blocks"))
            else:
                blocks.append(ThinkingBlock("", redacted=text, origin=_SHUT))
                on_copy(blocks[-1], block)
            blocks.append(call)
            bare = []
            continue
        assert type(block) is ThinkingBlock  # only thoughts have one
        state = envelope.open(block.signature) or envelope.open(block.redacted)
        if isinstance(state, dict) and isinstance(state.get("blocks"), list):
            attached |= _places(state["blocks"])
        else:
            thought = _thought(block, state)
            on_copy(thought, block)
            if bare and not block.thinking and _of_text(state):
                del blocks[-len(bare) :]
                thought = replace(thought, thinking="".join(item.thinking for item in bare))
            blocks.append(thought)
            bare = []
    blocks = _with_thoughts(blocks, borne_by_calls)
    whole = Msg.create_unchecked(m.name, [*_restore_fields(blocks, attached, on_copy)], m.role, m)
    on_copy(whole, m)
    return whole


_Borne: TypeAlias = tuple[int, ThinkingBlock]  # (its position, a thought from a call's envelope)


def _thoughts(states: Any, call: ToolUseBlock, on_copy: OnCopy) -> Iterator[_Borne]:
    """The thoughts in a call's envelope, each with the number of other blocks before it."""
    for row in states if isinstance(states, list) else ():
        state = row if isinstance(row, dict) else {}
        words, place = state.get("words"), state.get("at")
        if isinstance(words, str) and isinstance(place, int):
            thought = _thought(ThinkingBlock(words), {"thinking": state})
            if thought.origin is not None:  # otherwise it is not our state
                on_copy(thought, call)
                yield place, thought


def _with_thoughts(blocks: list[ContentBlock], borne_by_calls: list[_Borne]) -> list[ContentBlock]:
    """Insert the thoughts at their positions, except those that came back by themselves."""
    if not borne_by_calls:
        return blocks
    known = {_proof(block) for block in blocks if type(block) is ThinkingBlock}
    bare = {
        b.thinking.strip(): i
        for i, b in enumerate(blocks)
        if type(b) is ThinkingBlock and not (b.signature or b.redacted)
    }
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
    return type(block) is ThinkingBlock and find_envelope(block) is not None


def find_envelope(block: ThinkingBlock) -> str | None:
    """The envelope in a thought; None if a provider signed or sealed the thought itself.

    Args:
        block: The thought.
    """
    texts = (block.signature, block.redacted)
    return next((text for text in texts if text and text.startswith(MARK)), None)


def _places(data: Any) -> dict[tuple[str, int, str], JsonObject]:
    """Where the fields belong; without a key a client may have invented the data."""
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
    """The original thought; without its signature if the envelope is not valid."""
    thought: Any = state.get("thinking") if isinstance(state, dict) else None
    match thought:
        case {"origin": {"issuer": str(), **data}} if (
            _texts(data)
            and _texts(
                {name: thought.get(name) for name in ("signature", "redacted", "spelling", "words")}
            )
            and _fields(thought.get("extras", {}))
        ):
            return ThinkingBlock(
                block.thinking or thought.get("words") or "",
                thought.get("signature"),
                thought.get("redacted"),
                extras=thought.get("extras"),
                spelling=thought.get("spelling"),
                origin=_origin(thought["origin"]),
            )
        case _:
            shut = None if block.thinking else find_envelope(block)
            return ThinkingBlock(block.thinking, redacted=shut, origin=_SHUT if shut else None)


def _of_text(state: Any) -> bool:
    """Whether the thought has text: clients that store parts separately send the text first."""
    return isinstance(state, dict) and state.get("thinking", {}).get("text") is True


def _texts(data: Any) -> bool:
    return all(value is None or isinstance(value, str) for value in data.values())


def _origin(data: JsonObject) -> Origin:
    return Origin(**{f.name: data[f.name] for f in fields(Origin) if f.name in data})


def _restore_fields(
    blocks: list[ContentBlock], attached: dict[tuple[str, int, str], Any], on_copy: OnCopy
) -> Iterator[ContentBlock]:
    for block, index in number_blocks(blocks):
        fields = attached.get((block.type, index, read_name(block)))
        if fields is None:
            yield block
        else:
            result: Any = replace(block, extras={**(block.extras or {}), **fields})
            on_copy(result, block)
            yield result
