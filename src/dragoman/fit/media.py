"""Media at their seat: as they are, moved into a user turn, told as text, or left out."""

from __future__ import annotations

from ..media import as_base64, as_it_is, plain_text, refused
from ..message import Msg, RawBlock, TextBlock
from ..message.blocks import ContentBlock, MediaBlock, texts_within
from .state import State

__all__ = ["medium", "ready", "worded", "worded_raw"]


def medium(
    state: State, block: MediaBlock, seat: str, kinds: frozenset[str], moved: list[Msg]
) -> list[ContentBlock]:
    """What stands at the seat for the medium; a message that shows it may join `moved`."""
    can, kind = state.can, block.type
    if kind == "document" and (said := worded(state, block, kinds)) is not None:
        return [said]
    moves = kind in can.user and kind in can.move_media
    if kind not in kinds and not moves:
        state.report.lost("block.unsaid", block, what=f"{kind} of the {seat}")
        state.unhinted(block)
        return []
    shown = ready(state, block)
    if isinstance(shown, str):
        if shown:
            return [state.stand_in(shown, block)]
        state.unhinted(block)
        return []
    if kind in kinds:
        return [state.hinted(shown)]
    made = Msg.trusted("user", [state.hinted(shown)], "user")
    state.report.made(made, block)
    state.report.lost("media.moved", block, did="follows in a user turn")
    moved.append(made)
    return []


def worded(state: State, block: MediaBlock, kinds: frozenset[str]) -> TextBlock | None:
    """A document of plain text as text, where the seat, of these kinds, cannot show it."""
    can = state.can
    if "text" not in kinds:
        return None
    made, _ = as_it_is(as_base64(block), can)
    shown = "document" in kinds or {"document"} <= can.user & can.move_media
    if (shown and refused(made, can) is None) or not (text := plain_text(made)).strip():
        return None
    state.report.lost("media.as_text", block, did="its text is told")
    if block.detail is not None:
        state.report.lost("media.detail", block, "detail")
    return state.stand_in(state.told.words(text, block.title), block)


def worded_raw(state: State, block: RawBlock, kinds: frozenset[str]) -> TextBlock | None:
    """Another protocol's block that is plain text, such as a result of a search, as text."""
    text = "\n\n".join(texts_within(block)) if "text" in kinds else ""
    if not text.strip():
        return None
    data = block.data if isinstance(block.data, dict) else {}
    names = [data.get("title"), data.get("source")]
    state.report.lost("media.as_text", block, what=str(data.get("type")), did="its text is told")
    said = state.told.words(text, ", ".join(name for name in names if isinstance(name, str)))
    return state.text(said, block)


def ready(state: State, block: MediaBlock) -> MediaBlock | str:
    """The block as the wire takes its kind, or the text that stands for it (empty: none)."""
    made, code = as_it_is(as_base64(block), state.can)
    if made is not block:
        state.report.made(made, block)
    if code:
        said = getattr(made.source, "media_type", "")
        state.report.lost(code, block, "source", did=f"sent as {said}")
    fault = refused(made, state.can)
    if fault is not None:
        did = "a text names it" if fault.place else "left out"
        state.report.lost(fault.code, block, "source", what=fault.what, did=did)
        for name in ("detail", "title"):
            if getattr(block, name) is not None:
                state.report.lost("media.detail", block, name)
        return state.told.at(block.type, fault.place) if fault.place else ""
    for name, kinds in (("detail", state.can.details), ("title", state.can.titles)):
        if getattr(block, name) is not None and block.type not in kinds:
            state.report.lost("media.detail", block, name)
    return made
