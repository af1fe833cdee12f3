"""Where `ChatCompletionStreamState` and we part ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dragoman.message import ThinkingBlock, ToolUseBlock
from tests.contract.reading.difference import Difference, Reason, payloads

__all__ = ["REASONS"]


def _repeated_id(one: Difference) -> bool:
    """Hosts that repeat a call's id or name with each fragment: the SDK joins it like text."""
    if one.name == "calls" and one.theirs:
        return bool([[_once(id), _once(name)] for id, name in one.theirs] == one.ours)
    return one.field == "again.blocks" and _with_ids_once(one.theirs) == one.ours


def _once(id: str) -> str:
    """A text that stands there several times over, once."""
    if not id:
        return id
    return next(id[:n] for n in range(1, len(id) + 1) if id == id[:n] * (len(id) // n))


def _with_ids_once(candidates: Any) -> Any:
    return [
        [
            replace(b, id=_once(b.id), name=_once(b.name)) if type(b) is ToolUseBlock else b
            for b in blocks
        ]
        for blocks in candidates
    ]


def _other_chances(one: Difference) -> bool:
    """DeepSeek's log probabilities of thinking: the SDK keeps those of content and refusal."""
    if one.name != "logprobs" or not isinstance(one.ours, dict):
        return False
    known = {k: v for k, v in one.ours.items() if k in ("content", "refusal")}
    return bool((known or None) == one.theirs)


def _empty_first(one: Difference) -> bool:
    """Azure's first chunk has an empty id and model; some hosts' ids come later."""
    first = next(payloads(one.exchange))
    later = {chunk.get(one.name) for chunk in payloads(one.exchange)}
    return one.name in ("id", "model") and first.get(one.name) == "" and one.ours in later


def _usage_before_the_end(one: Difference) -> bool:
    """Usage in a chunk that is not the last: the SDK sets it back to nothing."""
    if not one.field.startswith("usage.") or one.theirs is not None:
        return False
    said = [chunk.get("usage") for chunk in payloads(one.exchange)]
    return said[-1] is None and any(said)


def _usage_of_the_host(one: Difference) -> bool:
    """Groq's older streams tell the usage in an object of its own, which the SDK does not read."""
    own = [chunk.get("x_groq") or {} for chunk in payloads(one.exchange)]
    return one.field.startswith("usage.") and one.theirs is None and any("usage" in x for x in own)


def _no_choices(one: Difference) -> bool:
    """A chunk without choices: the SDK wants a list."""
    return one.field == "refused" and any(
        not isinstance(chunk.get("choices"), list) for chunk in payloads(one.exchange)
    )


def _gap(one: Difference) -> bool:
    """Calls that do not count from 0: the SDK takes an index for a place in its list."""
    first = next((call.get("index") for call in _calls(one)), None)
    return one.field == "refused" and one.theirs.startswith("IndexError") and first != 0


def _calls(one: Difference) -> Iterator[Any]:
    for delta in _deltas(one):
        yield from delta.get("tool_calls") or ()


def _deltas(one: Difference) -> Iterator[Any]:
    for chunk in payloads(one.exchange):
        for choice in chunk.get("choices") or ():
            yield choice.get("delta") or {}


def _details_of_one_index(one: Difference) -> bool:
    """Details of several kinds or ids under one index: the SDK makes one of them."""
    kinds: dict[Any, set[Any]] = {}
    for delta in _deltas(one):
        for detail in delta.get("reasoning_details") or ():
            kinds.setdefault(detail.get("index"), set()).add((detail.get("type"), detail.get("id")))
    several = any(len(found) > 1 for found in kinds.values())
    return several and (one.name in ("thinking", "redacted", "signatures", "blocks"))


def _joined_marks(one: Difference) -> bool:
    """What each detail of thinking repeats (its format, its id): the SDK joins it like text."""
    if one.field != "again.blocks":
        return False
    return bool(_bare(one.theirs) == _bare(one.ours))


def _bare(candidates: Any) -> Any:
    return [
        [replace(b, extras=None) if type(b) is ThinkingBlock else b for b in blocks]
        for blocks in candidates
    ]


REASONS = (
    Reason("the SDK joins an id that each fragment repeats", _repeated_id),
    Reason("the SDK drops log probabilities of thinking", _other_chances),
    Reason("the SDK keeps the empty id or model of the first chunk", _empty_first),
    Reason("the SDK keeps the usage of the last chunk only", _usage_before_the_end),
    Reason("the SDK does not read usage in a host's own object", _usage_of_the_host),
    Reason("the SDK refuses chunks without choices", _no_choices),
    Reason("the SDK refuses calls that do not count from 0", _gap),
    Reason("the SDK makes one of all details of an index", _details_of_one_index),
    Reason("the SDK joins the marks that details of thinking repeat", _joined_marks),
)
