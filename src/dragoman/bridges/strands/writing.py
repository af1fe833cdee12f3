"""Our messages to Strands'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...losses import PolicyLike
from ...message import Msg
from ...text.json_text import JsonObject
from ..kept import OURS, Part, note_parts, put_back
from ..results import NOTED, Bridged, Said, as_msg, finish_bridge, read_notes, take_said
from .items import TARGET, UNKNOWN, StrandsWriter, read_item, write_parts_of
from .reading import USAGE, list_answered, make_message, note_usage


def write_messages(
    messages: Iterable[Said] | Said, *, policy: PolicyLike = "log"
) -> Bridged[JsonObject]:
    """Write messages as those of Strands.

    >>> write_messages([Msg.user("Where is Paris?")]).messages
    [{'role': 'user', 'content': [{'text': 'Where is Paris?'}]}]

    Args:
        messages: Messages and answers of a model.
        policy: What to do about losses.

    Returns:
        The messages as dicts with bytes, as an agent takes them, and the losses. Neighbours of one
        role are one message.

    Raises:
        NotMessages: Something is neither a message nor an answer.
        LossRefused: The policy refuses a loss.
    """
    said, report = take_said(messages, TARGET)
    writer = StrandsWriter(report, list_answered(as_msg(one) for one in said))
    groups: list[tuple[str, list[Said]]] = []
    for one in said:
        role = "assistant" if as_msg(one).role == "assistant" else "user"
        if groups and groups[-1][0] == role:
            groups[-1][1].append(one)
        else:
            groups.append((role, [one]))
    found = [_write(writer, role, group) for role, group in groups]
    return finish_bridge(found, report, policy)


def _write(writer: StrandsWriter, role: str, group: Sequence[Said]) -> JsonObject:
    """Write neighbours of one role as one message."""
    items: list[JsonObject] = []
    parts: list[Part] = []
    rest: JsonObject = {}
    issuer = UNKNOWN
    for one in group:
        written, blocks, lost = writer.write(as_msg(one))
        msg = _with_answer(one)
        kept = msg.metadata.get(TARGET) if msg._metadata else None
        if isinstance(kept, Mapping):
            written = put_back(written, kept.get("items"))
            rest = rest or dict(kept.get("message") or {})
            issuer = str(kept.get("issuer") or issuer)
        items += written
        parts.append((msg, blocks, lost))
    own = (parts[0][0]._metadata or {}).items()
    custom: JsonObject = {key: value for key, value in own if key not in (TARGET, *NOTED)}
    theirs = rest.pop("metadata", None)
    has_theirs = isinstance(theirs, Mapping) and "usage" in theirs
    metadata = _metadata(theirs, group)
    note: JsonObject | None = None
    for known in dict.fromkeys((issuer, UNKNOWN)):  # what was theirs, unedited, needs no note
        back = make_message(role, [read_item(item, known) for item in items])
        if has_theirs:  # ours is noted, as figures of theirs can have two meanings
            note_usage(back, metadata, known)
        if (note := note_parts(parts, [back])) is None:
            break
    if note is not None:
        custom[OURS] = note
    if custom:
        metadata["custom"] = custom
    message: JsonObject = {"role": role, "content": write_parts_of(items)}
    return {**message, **rest, **({"metadata": metadata} if metadata else {})}


def _with_answer(said: Said) -> Msg:
    """Return the message with what is known of its answer in its metadata."""
    msg = as_msg(said)
    found = Msg.create_unchecked(msg.name, msg.content, msg.role, like=msg)
    found._metadata = dict(msg._metadata or {}) or None
    if said is not msg:
        read_notes(said).note_on(found)
    return found


def _metadata(kept: Any, group: Sequence[Said]) -> JsonObject:
    """Write the metadata of a message: what was kept of them, and the usage of its answer."""
    found: JsonObject = dict(kept) if isinstance(kept, Mapping) else {}
    usage = read_notes(group[-1]).usage
    if usage is not None and "usage" not in found:
        figures = {name: getattr(usage, ours) for name, ours in USAGE}
        known = {name: value for name, value in figures.items() if value is not None}
        total = (usage.input or 0) + (usage.output or 0)
        found["usage"] = {"inputTokens": 0, "outputTokens": 0, "totalTokens": total, **known}
    found.pop("custom", None)
    return found
