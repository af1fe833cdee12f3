"""Media that a wire wants as bytes: which they are, and the bytes in their place.

Pure: `wanted` names what is needed, an edge fetches it, `placed` puts it in. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ...capabilities import Capabilities
from ...losses import Report
from ...message import Base64Source, Msg, Source
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ..media import as_base64, refused, with_source
from .roles import RoledHistory

# Source -> its bytes, or None where the fetcher's policy says no. May raise a WriteError.
Fetch: TypeAlias = Callable[[Source, str], Base64Source | None]


def wanted(history: RoledHistory, caps: Capabilities) -> list[Source]:
    """The sources whose bytes this wire needs.

    Only media of messages that the program built: what came from a provider or out of a tool
    must not decide which files and addresses are opened.
    """
    found: list[Source] = []
    for i in history.dirty:
        m = history.msgs[i]
        if not isinstance(m.content, str) and m.origin is None:
            found.extend(
                block.source  # type: ignore[union-attr]  # a media kind has a source
                for block in m.content
                if block.type in MEDIA_KINDS and block.origin is None and _needs(block, caps)
            )
    return found


def _needs(block: ContentBlock, caps: Capabilities) -> bool:
    ready = as_base64(block)  # type: ignore[arg-type]  # the caller looked at its kind
    if not any(block.type in kinds for kinds in (caps.user, caps.assistant, caps.system)):
        return False
    fault = refused(ready, caps)
    return fault is not None and fault.code == "media.not_fetched"


def placed(
    history: RoledHistory, fetched: Mapping[int, Base64Source], report: Report
) -> RoledHistory:
    """The history with fetched bytes (by the id of their source) in the place of their sources."""
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in history.dirty:
        m = history.msgs[i]
        if isinstance(m.content, str):
            continue
        blocks = [_placed(block, fetched, report) for block in m.content]
        if any(new is not old for new, old in zip(blocks, m.content, strict=True)):
            made = Msg.trusted(m.name, blocks, m.role, m)
            report.made(made, m)
            changes[i] = [(made, history.seats[i])]
    return history.spliced(changes) if changes else history


def _placed(
    block: ContentBlock, fetched: Mapping[int, Base64Source], report: Report
) -> ContentBlock:
    source = getattr(block, "source", None)
    found = fetched.get(id(source)) if source is not None else None
    if found is None:
        return block
    made = with_source(block, found)  # type: ignore[arg-type]  # only media have a source
    report.made(made, block)
    report.made(found, source)
    return made
