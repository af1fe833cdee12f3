"""Same conversation? One hash for all wires, and the differences by place.

For logs without doubles, cache keys across providers, and proof that a migration kept the meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

from .._convert import detect
from .._wire import Wire
from .._wire.embedded import body_of
from ..errors import ReadError
from ..message import ChatRequest, Msg
from ..message.request import messages_of
from ..shown import Shown
from ..vendors import Vendor, wire
from .canonical import Item, items, tools

__all__ = ["Conversation", "Difference", "conversation_of", "diff", "hashed"]

Conversation: TypeAlias = ChatRequest | Sequence[Msg] | dict[str, Any] | str | bytes


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Shown):
    """One thing that only one side says, or that the sides say differently.

    `left` and `right` are paths into the two, empty on the side that says nothing.
    """

    change: Literal["removed", "inserted", "changed"]
    kind: str
    left: str = ""
    right: str = ""
    was: str = ""
    now: str = ""


def conversation_of(
    given: Conversation, source: str | Vendor | Wire | None = None
) -> ChatRequest | Sequence[Msg]:
    """The conversation itself; a body is read over the wire `source`, or over a detected one.

    A body is parsed JSON, its text, or an object of an official SDK. Raises ReadError for what is
    no conversation, NotMessages for a list that holds something else than messages.
    """
    if isinstance(given, ChatRequest):
        return given
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        return messages_of(given)
    body = body_of(given)
    return wire(detect(body).wire if source is None else source).read_request(body)


def hashed(given: Conversation, source: str | Vendor | Wire | None = None) -> str:
    """The hash of what the conversation says, the same over every wire: 32 hex digits.

    Messages and tools count, each in its own words; options, ids and spelling do not.
    """
    state = blake2b(digest_size=16)
    for item in _all(conversation_of(given, source)):
        state.update(_key(item).encode())
        state.update(b"\0")
    return state.hexdigest()


def diff(
    left: Conversation,
    right: Conversation,
    *,
    left_source: str | Vendor | Wire | None = None,
    right_source: str | Vendor | Wire | None = None,
) -> list[Difference]:
    """What the one says and the other does not, in the order of the conversation."""
    ours = _all(conversation_of(left, left_source))
    theirs = _all(conversation_of(right, right_source))
    keys = [_key(item) for item in ours], [_key(item) for item in theirs]
    made: list[Difference] = []
    for tag, i, j, k, n in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag != "equal":
            made += _differences(ours[i:j], theirs[k:n])
    return made


def _all(given: ChatRequest | Sequence[Msg]) -> list[Item]:
    offered = tools(given) if isinstance(given, ChatRequest) else []
    return [*offered, *items(given)]


def _key(item: Item) -> str:
    try:
        return item.key
    except RecursionError as error:
        raise ReadError("nested too deeply", path=item.where, code="json.deep") from error


def _differences(ours: list[Item], theirs: list[Item]) -> list[Difference]:
    made = []
    while ours and theirs and (ours[0].seat, ours[0].kind) == (theirs[0].seat, theirs[0].kind):
        one, other = ours.pop(0), theirs.pop(0)
        made.append(Difference("changed", one.kind, one.where, other.where, one.text, other.text))
    made += [Difference("removed", one.kind, left=one.where, was=one.text) for one in ours]
    made += [Difference("inserted", one.kind, right=one.where, now=one.text) for one in theirs]
    return made
