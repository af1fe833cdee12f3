"""What one side of a bridge cannot hold, kept in the metadata of the other side.

Some libraries keep metadata beside each message, which no model is given. There a bridge notes what
a message of ours has and theirs cannot hold, and in `Msg.metadata` the other way round. A note
names the block that it was made for, by a hash: where a program has edited that, the edit counts
and the note does not. In contrast to `noted`, one message of theirs may be several of ours, and a
note counts for its block alone.

    {"parts": [{"blocks": 1, "msg": {"role": "tool"}, "notes": {"0": {"of": ..., "set": ...}}}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from ..errors import InvalidMessage
from ..message import Msg, TextBlock
from ..message.blocks import ContentBlock, plain_block, plain_value
from ..message.check import check_content
from ..text.json_text import JsonObject, canonical
from ..text.json_text import check as check_json
from .results import NOTED

OURS = "dragoman"  # the key of the notes in metadata of theirs
_KEPT = ("strands", "agentscope", "smolagents")  # those in metadata of ours


def _hash(value: Any) -> str:
    """Return a short hash of a JSON value; empty if it is none."""
    try:
        text = canonical(value)
    except (TypeError, ValueError, RecursionError):
        return ""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def note_difference(have: JsonObject, want: JsonObject) -> JsonObject | None:
    """Note what makes one object of another.

    Args:
        have: The object that will be there.
        want: The object that it is to become.

    Returns:
        The note; None if they are equal, or if one is no JSON.
    """
    changed = {key: value for key, value in want.items() if key not in have or have[key] != value}
    missing = [key for key in have if key not in want]
    name = _hash(have) if changed or missing else ""
    if not name:
        return None
    try:
        check_json(changed, "$")
    except InvalidMessage:
        return None
    note: JsonObject = {"of": name}
    if changed:
        note["set"] = changed
    if missing:
        note["drop"] = missing
    return note


def amend(have: JsonObject, note: Any) -> JsonObject:
    """Return the object as a note wants it; unchanged if the note was made for another.

    Args:
        have: The object.
        note: What `note_difference` made; anything else is no note.
    """
    if not isinstance(note, Mapping) or note.get("of") != _hash(have):
        return have
    dropped, changed = note.get("drop"), note.get("set")
    found = dict(have)
    for key in dropped if isinstance(dropped, list) else ():
        if isinstance(key, str):
            found.pop(key, None)
    if isinstance(changed, Mapping):
        found.update(changed)
    return found


# -- what theirs cannot hold of ours ---------------------------------------------------------------


def _plain(block: ContentBlock) -> JsonObject:
    """Return a block as plain JSON, without its form on a wire."""
    data = plain_block(block)
    _forget_spelling(data)
    return data


def _forget_spelling(data: JsonObject) -> None:
    data.pop("spelling", None)
    inner = data.get("output")
    for one in inner if isinstance(inner, list) else ():
        one.pop("spelling", None)


def describe(msg: Msg, *, every: bool = False) -> JsonObject:
    """Return what a message is besides its blocks, as JSON; its defaults are left out.

    Args:
        msg: The message.
        every: Whether all of its metadata belong to it; otherwise those that bridges note of an
            answer.
    """
    data = msg.to_dict()
    for key in ("content", "spelling", "metadata"):
        data.pop(key, None)
    found = {key: value for key, value in data.items() if value}
    noted: JsonObject = {}
    for key, value in (msg._metadata or {}).items():
        if key in NOTED or (every and key not in _KEPT):
            try:
                plain = plain_value(value)
                check_json(plain, "$")
            except InvalidMessage:
                continue
            noted[key] = plain
    return {**found, **({"metadata": noted} if noted else {})}


def _whole(msg: Msg, *, every: bool) -> JsonObject:
    blocks = [_plain(block) for block in msg.blocks]
    return {**describe(msg, every=every), "content": blocks}


Part = tuple[Msg, Sequence[ContentBlock], Mapping[int, ContentBlock]]


def note_parts(parts: Sequence[Part], back: Sequence[Msg]) -> JsonObject | None:
    """Note what one message of theirs cannot hold of those of ours that it was made of.

    Args:
        parts: Of each message: itself, its blocks that were written, and those that have no form,
            by their place.
        back: What is read of the message of theirs without a note. It has as many blocks as were
            written.

    Returns:
        The note; None if nothing is missing.
    """
    ours = [part[0] for part in parts]
    if len(ours) == len(back) and all(
        _whole(msg, every=i > 0) == _whole(back[i], every=False) for i, msg in enumerate(ours)
    ):
        return None
    flat = [block for msg in back for block in msg.blocks]
    found: list[JsonObject] = []
    position = 0
    for msg, written, lost in parts:
        # the metadata of the first stand in metadata of theirs
        part: JsonObject = {"blocks": len(written), "msg": describe(msg, every=bool(found))}
        here = flat[position : position + len(written)]
        pairs = enumerate(zip(here, written, strict=False))
        notes = {
            str(i): note
            for i, (have, want) in pairs
            if (note := note_difference(_plain(have), _plain(want))) is not None
        }
        if notes:
            part["notes"] = notes
        if lost:
            part["lost"] = [[at, _plain(block)] for at, block in lost.items()]
        found.append(part)
        position += len(written)
    return {"parts": found}


def read_parts(note: Any, blocks: Sequence[ContentBlock]) -> list[Msg] | None:
    """Return the messages that a message of theirs was made of.

    Args:
        note: What `note_parts` made, as it stands in metadata of theirs; anything else is none.
        blocks: The blocks of the message of theirs.

    Returns:
        The messages; None if there is no note for as many blocks.
    """
    parts = note.get("parts") if isinstance(note, Mapping) else None
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        return None
    counts = [part.get("blocks") for part in parts]
    if not all(type(count) is int for count in counts) or sum(counts) != len(blocks):
        return None
    found: list[Msg] = []
    position = 0
    for part, count in zip(parts, counts, strict=True):
        here = blocks[position : position + count]
        position += count
        try:
            found.append(_read_part(part, here))
        except InvalidMessage:  # a program has changed the note
            return None
    return found


def _read_part(part: Mapping[str, Any], blocks: Sequence[ContentBlock]) -> Msg:
    notes = part.get("notes")
    notes = notes if isinstance(notes, Mapping) else {}
    content = [_with_note(block, notes.get(str(i))) for i, block in enumerate(blocks)]
    lost = part.get("lost")
    for item in lost if isinstance(lost, list) else ():
        if isinstance(item, list) and len(item) == 2 and type(item[0]) is int:
            content.insert(item[0], _build(item[1]))
    told = part.get("msg")
    data = dict(told) if isinstance(told, Mapping) else {}
    return Msg.from_dict({"name": "", "role": "user", **data, "content": join_text(content)})


def join_text(blocks: Sequence[ContentBlock]) -> str | list[ContentBlock]:
    """Return the content that blocks are: a text, if they are one without anything besides."""
    if len(blocks) == 1 and type(blocks[0]) is TextBlock and blocks[0] == TextBlock(blocks[0].text):
        return blocks[0].text
    return [*blocks]


def _with_note(block: ContentBlock, note: Any) -> ContentBlock:
    if note is None:
        return block
    data = _plain(block)
    wanted = amend(data, note)
    if wanted is data:
        return block
    return _build(wanted)


def _build(data: Any) -> ContentBlock:
    """Build a block of JSON.

    Raises:
        InvalidMessage: It is none.
    """
    found = check_content([data], "$.content")
    assert isinstance(found, list)  # as a list was given
    return found[0]


# -- what ours cannot hold of theirs ---------------------------------------------------------------


def keep_items(
    written: Iterable[JsonObject | None], theirs: Iterable[JsonObject]
) -> dict[str, JsonObject]:
    """Note where items of theirs are other than what is written of the blocks that they became.

    Args:
        written: What is written of each block.
        theirs: The items themselves.
    """
    pairs = enumerate(zip(written, theirs, strict=True))
    return {
        str(i): note
        for i, (have, want) in pairs
        if have is not None and (note := note_difference(have, want)) is not None
    }


def put_back(items: Sequence[JsonObject], kept: Any) -> list[JsonObject]:
    """Return the items as they were read, where nobody has edited their blocks.

    Args:
        items: What is written of the blocks.
        kept: What `keep_items` made.
    """
    notes = kept if isinstance(kept, Mapping) else {}
    return [amend(item, notes.get(str(i))) if notes else item for i, item in enumerate(items)]
