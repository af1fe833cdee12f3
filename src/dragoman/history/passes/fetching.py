"""Find the media that a wire wants as bytes, and put the fetched bytes in their place.

This module does no I/O: `media_to_fetch` lists the sources, the caller fetches them,
`insert_fetched` puts the bytes in. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ...capabilities import Capabilities
from ...losses import Report
from ...message import Base64Source, Msg, Source
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ...message.media_urls import as_base64, is_local, media_fault
from .survey import USER, RoledHistory, same_items, with_content, with_fields

Fetched: TypeAlias = Mapping[int, Base64Source]  # the bytes, by the id of their source

# Source -> its bytes, or None where the fetcher's policy says no. May raise a WriteError.
Fetch: TypeAlias = Callable[[Source, str], Base64Source | None]


def media_to_fetch(
    history: RoledHistory, caps: Capabilities, of_read: bool = False
) -> list[Source]:
    """The sources whose bytes this wire needs.

    Only media of messages that the program built: a message from a provider or a tool must not
    decide which files and addresses are opened, nor may a block that moved out of such a message.
    `of_read`: also web addresses in a user's message of a body that was read, and never a local
    file that is named there.
    """
    sources: list[Source] = []
    for i in history.unusual:
        m = history.msgs[i]
        if isinstance(m.content, str) or m.role == "tool":
            continue
        if m.origin is not None and not of_read:
            continue
        for block in m.content:
            if block.type not in MEDIA_KINDS or not _needs(block, caps):
                continue
            source: Source = block.source  # type: ignore[union-attr]  # a media kind has a source
            built = m.origin is None and block.origin is None
            built = built and not getattr(source, "read", False)
            if built or (of_read and history.roles[i] == USER and not is_local(source)):
                sources.append(source)
    return sources


def _needs(block: ContentBlock, caps: Capabilities) -> bool:
    medium = as_base64(block)  # type: ignore[arg-type]  # the caller looked at its kind
    if not any(block.type in kinds for kinds in (caps.user, caps.assistant, caps.system)):
        return False
    fault = media_fault(medium, caps)
    return fault is not None and fault.code == "media.not_fetched"


def insert_fetched(history: RoledHistory, fetched: Fetched, report: Report) -> RoledHistory:
    """The history with fetched bytes in the place of their sources."""
    changes: dict[int, Msg | None] = {}
    for i in history.unusual:
        m = history.msgs[i]
        if not isinstance(m.content, str):
            blocks = [_with_bytes(block, fetched, report) for block in m.content]
            if not same_items(blocks, m.content):
                changes[i] = with_content(m, blocks, report)
    return history.with_contents(changes)


def _with_bytes(block: ContentBlock, fetched: Fetched, report: Report) -> ContentBlock:
    source = getattr(block, "source", None)
    data = fetched.get(id(source)) if source is not None else None
    if data is None:
        return block
    report.record_copy(data, source)
    return with_fields(block, report, source=data)
