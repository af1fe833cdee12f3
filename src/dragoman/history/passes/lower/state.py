"""The state of one fitting: capabilities, losses, texts, and how long cache hints last.

Also media and foreign blocks as a wire takes them: as they are, moved to a user's turn, or as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar, cast

from ....capabilities import Capabilities
from ....losses import Report
from ....message import (
    CacheHint,
    DocumentBlock,
    FramesSource,
    ImageBlock,
    Msg,
    RawBlock,
    TextBlock,
    TextSource,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from ....message.blocks import ANSWER, HEALED, NOTES, ContentBlock, Extras, MediaBlock, texts_within
from ....message.media_urls import (
    as_base64,
    document_text,
    media_fault,
    read_source,
    with_true_type,
)
from ....text.json_text import JsonObject
from ...wording import Wording
from ..survey import same_items, with_content, with_fields

_OURS = (ANSWER, NOTES, HEALED)  # ends of the keys of extras that are no provider's

_NUMBER = re.compile("[0-9]{1,9}")
_UNITS = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def limit_ttl(hint: CacheHint, caps: Capabilities, most: float | None) -> CacheHint:
    """The hint for as long as the wire lets it hold, which is its own time if need be.

    `most`: the minutes of the hints before it, which it must not outlast.
    """
    if hint.ttl is None:
        return hint
    if caps.cache_ttls and hint.ttl not in caps.cache_ttls:
        return CacheHint()
    if caps.cache_longest_first and most is not None and hint_minutes(hint, caps) > most:
        return CacheHint()
    return hint


def shortest_minutes(hints: Iterable[CacheHint], caps: Capabilities) -> float | None:
    """The minutes of the hint that ends first; None without one."""
    return min((hint_minutes(hint, caps) for hint in hints), default=None)


def hint_minutes(hint: CacheHint, caps: Capabilities) -> float:
    """How long a hint holds; without a time of its own, the shortest that the wire has."""
    if hint.ttl is None:
        return min(map(_minutes, caps.cache_ttls), default=0.0)
    return _minutes(hint.ttl)


def _minutes(ttl: str) -> float:
    number, unit = ttl[:-1], ttl[-1:]
    return int(number) * _UNITS[unit] if _NUMBER.fullmatch(number) and unit in _UNITS else 0.0


# (media type, base64 data) -> where the medium was put, as a text that a model may read
Saver: TypeAlias = Callable[[str, str], str]
_Block = TypeVar("_Block", bound=ContentBlock)
# a result without a name with what it was made from, and the name of its call
Asked: TypeAlias = tuple[tuple[object, ...], str]


def _names_of_results(msgs: Sequence[Msg]) -> dict[int, str]:
    """For each result without a name, by its identity: the tool that was called before it.

    An id may come again in a later turn, for another tool.
    """
    names: dict[str, str] = {}
    result_names: dict[int, str] = {}
    for m in msgs:
        for block in m.content if type(m.content) is not str else ():
            if type(block) is ToolUseBlock:
                names[block.id] = block.name
            elif type(block) is ToolResultBlock and not block.name and block.id in names:
                result_names[id(block)] = names[block.id]
    return result_names


@dataclass(slots=True)
class State:
    """One fitting: the capabilities, the report, the texts, and the cache hints that must go."""

    caps: Capabilities
    report: Report
    wording: Wording
    saver: Saver | None = None
    surplus: int = 0  # cache hints over the wire's limit; the oldest go first
    lasts: float | None = None  # minutes that the hint before holds
    msgs: Sequence[Msg] = ()  # the history, for the names of calls
    names: dict[int, str] | None = None  # of nameless results, once somebody has asked
    asked: list[Asked] = field(default_factory=list)  # for which names

    def find_tool_name(self, block: ToolResultBlock) -> str:
        """The name of the tool whose result it is; its call has it where the result has none."""
        if block.name:
            return block.name
        nodes = tuple(self.report.origins(block))
        name = self.find_name(nodes)
        self.asked.append((nodes, name))
        return name

    def find_name(self, nodes: Sequence[object]) -> str:
        """The name of the call that one of these nodes answers, which are a result and its copies.

        Empty if there is no such call.
        """
        if self.names is None:
            self.names = _names_of_results(self.msgs)
        names = (self.names.get(id(node)) for node in nodes)
        return next((name for name in names if name is not None), "")

    def text(self, text: str, source: object) -> TextBlock:
        """A text that replaces a node of the history."""
        return self.report.record_copy(TextBlock(text), source)

    def stand_in(self, text: str, source: MediaBlock) -> TextBlock:
        """A text in the place of a medium, with the cache hint of the medium."""
        block = self.text(text, source)
        block.cache = source.cache
        return self.fit_hint(block)

    def drop_hint(self, block: ContentBlock) -> None:
        """Count the cache hint of a block that is left out as lost."""
        if getattr(block, "cache", None) is None:
            return
        self.surplus = max(0, self.surplus - 1)
        self.report.add_loss("cache.unsupported", block, "cache")

    def fit_citations(self, block: TextBlock) -> TextBlock:
        """A text block without the citations that the wire has no place for."""
        extras = block.extras or {}
        # the wire's own fields of the block may hold the citations in the wire's form
        raw = any(issuer in self.caps.reads and "citations" in extras[issuer] for issuer in extras)
        if block.citations is not None and not (self.caps.citations or raw):
            self.report.add_loss("citations.unsupported", block, "citations")
        return self.fit_hint(block)

    def fit_extras(self, block: _Block) -> _Block:
        """The block with the fields that this wire reads; those of others are losses."""
        extras = self._readable_extras(block)
        return block if extras is block.extras else with_fields(block, self.report, extras=extras)

    def owned_message(self, m: Msg) -> Msg:
        """The message with the fields that this wire reads."""
        extras = self._readable_extras(m)
        if extras is m.extras:
            return m
        changed = with_content(m, m.content, self.report)
        changed.extras = extras
        return changed

    def holds_sealed_state(self, issuer: str, data: Mapping[str, Any]) -> bool:
        """Whether the fields hold state that the wire takes back from others alone."""
        caps = self.caps
        foreign = caps.claimed_by and issuer not in caps.claimed_by
        return bool(foreign) and not caps.claims.isdisjoint(data)

    def _readable_extras(self, node: Msg | ContentBlock) -> Extras | None:
        extras = node.extras
        if not extras:
            return extras
        if len(extras) == 1:  # another provider's fields alone, as of an agent's items
            ((issuer, data),) = extras.items()
            if issuer and issuer not in self.caps.reads and not issuer.endswith(_OURS):
                self.report.add_extras_losses(node, issuer, data)
                return None
        readable: Extras = {}
        for issuer, data in extras.items():
            if issuer == HEALED:
                for field in data.get("healed") or ():
                    self.report.add_loss("text.surrogate", node, field, did="half a pair is U+FFFD")
                for field, gone in (data.get("shortened") or {}).items():
                    what = f"{gone} characters of the middle"
                    self.report.add_loss("result.shortened", node, field, what=what)
                continue
            if issuer.endswith(ANSWER):
                self.report.add_loss(
                    "extras.answer", node, f"extras.{issuer}", what=", ".join(data)
                )
                continue
            if issuer.endswith(NOTES):
                readable[issuer] = data  # no writer says them
                continue
            fields = self._readable_fields(issuer, data)
            if fields or fields is data:
                readable[issuer] = fields
            if fields is not data:
                foreign = {name: value for name, value in data.items() if name not in fields}
                self.report.add_extras_losses(node, issuer, foreign)
        same = same_items([*readable, *readable.values()], [*extras, *extras.values()])
        return node.extras if same else readable or None

    def _readable_fields(self, issuer: str, data: JsonObject) -> JsonObject:
        """Those of an issuer's fields that the wire takes back; the very ones if it takes all."""
        claims = self.caps.claims
        if issuer in self.caps.reads:
            if not self.holds_sealed_state(issuer, data):
                return data
            return {name: value for name, value in data.items() if name not in claims}
        if issuer:
            return {}
        claimed = {name: value for name, value in data.items() if name in claims}
        return data if len(claimed) == len(data) else claimed

    def fit_hint(self, block: _Block) -> _Block:
        """The block with its cache hint, if the wire takes one more."""
        hint: CacheHint | None = getattr(block, "cache", None)
        if hint is None:
            return block
        limited = self._limit_hint(block, hint) if self._takes_hint(block, block) else None
        return block if limited is hint else with_fields(block, self.report, cache=limited)

    def _limit_hint(self, node: object, hint: CacheHint) -> CacheHint:
        """The hint for as long as it may hold on this wire."""
        limited = limit_ttl(hint, self.caps, self.lasts)
        self.lasts = shortest_minutes((limited,), self.caps)
        if limited is not hint:
            did = "the wire's own time"
            self.report.add_loss("cache.ttl", node, "cache.ttl", what=str(hint.ttl), did=did)
        return limited

    def _takes_hint(self, node: object, block: object) -> bool:
        """Whether `block` may carry the hint of `node`."""
        fits = self.caps.cached_calls or type(block) is not ToolUseBlock
        if self.caps.cache_hints and not self.surplus and fits:
            return True
        self.report.add_loss("cache.limit" if self.surplus else "cache.unsupported", node, "cache")
        self.surplus = max(0, self.surplus - 1)
        return False

    def fit_message_hint(self, m: Msg) -> Msg:
        """The message with its own cache hint on its last block, where the wire takes one."""
        if m.cache is None:
            return m
        blocks = list(m.blocks)
        content = m.content
        # thinking carries no hint of its own
        last = next((i for i in reversed(range(len(blocks))) if hasattr(blocks[i], "cache")), None)
        if last is None:
            self.report.add_loss("cache.unsupported", m, "cache")
        elif self._takes_hint(m, blocks[last]):
            hint = self._limit_hint(m, m.cache)
            blocks[last] = self.report.record_copy(
                replace(cast("Any", blocks[last]), cache=hint), m
            )
            content = blocks
        changed = with_content(m, content, self.report)
        changed.cache = None
        return changed


def fit_medium(
    state: State, block: MediaBlock, role: str, kinds: frozenset[str], moved: list[Msg]
) -> list[ContentBlock]:
    """The blocks of the message for the medium; a message that shows it may join `moved`."""
    caps, kind = state.caps, block.type
    if kind == "document" and (text := document_as_text(state, block, kinds)) is not None:
        return [text]
    moves = kind in caps.user and kind in caps.move_media
    if kind not in kinds and not moves and type(block.source) is not FramesSource:
        state.report.add_loss("block.unsupported", block, what=f"{kind} of the {role}")
        state.drop_hint(block)
        return []
    if (images := frames_as_images(state, block, kinds)) is not None:
        return [part for image in images for part in fit_medium(state, image, role, kinds, moved)]
    prepared = prepare_medium(state, block)
    if isinstance(prepared, str):
        if prepared:
            return [state.stand_in(prepared, block)]
        state.drop_hint(block)
        return []
    if kind in kinds:
        return [state.fit_hint(prepared)]
    if role == "assistant" and prepared.extras is not None:  # what an answer said of it
        prepared = with_fields(prepared, state.report, extras=None)
    m = Msg.create_unchecked("user", [state.fit_hint(prepared)], "user")
    state.report.add_loss("media.moved", block, did="follows in a user turn")
    moved.append(state.report.record_copy(m, block))
    return []


def frames_as_images(
    state: State, block: MediaBlock, kinds: frozenset[str]
) -> list[MediaBlock] | None:
    """The frames of a video as images, in order, where the wire takes no such video; else None."""
    source, caps = block.source, state.caps
    if type(source) is not FramesSource or not source.frames:
        return None
    shown = "video" in kinds or {"video"} <= caps.user & caps.move_media
    if shown and media_fault(block, caps) is None:
        return None
    if "image" not in kinds and not {"image"} <= caps.user & caps.move_media:
        return None
    state.report.add_loss("video.as_images", block, what=f"{len(source.frames)} frames")
    state.drop_hint(block)
    frames = (ImageBlock(read_source(frame)) for frame in source.frames)
    return [state.report.record_copy(image, block) for image in frames]


def document_as_text(state: State, block: MediaBlock, kinds: frozenset[str]) -> TextBlock | None:
    """A document of plain text as text, where these kinds do not allow the document."""
    caps = state.caps
    if "text" not in kinds:
        return None
    document, _ = with_true_type(as_base64(block), caps)
    allowed = "document" in kinds or {"document"} <= caps.user & caps.move_media
    if allowed and media_fault(document, caps) is None:
        return None
    text = document_text(document)
    if not text.strip():
        return None
    state.report.add_loss("media.as_text", block, did="its text is sent")
    for name in ("detail", "cite"):
        if getattr(block, name, None) is not None:
            state.report.add_loss("media.detail", block, name)
    names = [block.title, getattr(block.source, "found_at", None)]
    title = ", ".join(name for name in names if name)
    context = block.context if type(block) is DocumentBlock else None
    text = state.wording.words(text, context)
    return state.stand_in(state.wording.words(text, title), block)


def raw_as_text(state: State, block: RawBlock, kinds: frozenset[str]) -> TextBlock | None:
    """Another protocol's block that is plain text, such as a result of a search, as text."""
    text = "\n\n".join(texts_within(block)) if "text" in kinds else ""
    if not text.strip():
        return None
    data = block.data if isinstance(block.data, dict) else {}
    names = [data.get("title"), data.get("source")]
    state.report.add_loss(
        "media.as_text", block, what=str(data.get("type")), did="its text is sent"
    )
    title = ", ".join(name for name in names if isinstance(name, str))
    return state.text(state.wording.words(text, title), block)


def prepare_medium(state: State, block: MediaBlock) -> MediaBlock | str:
    """The block as the wire takes its kind, or the text that replaces it (empty: none)."""
    report = state.report
    prepared, code = with_true_type(as_base64(block), state.caps)
    if prepared is not block:
        report.record_copy(prepared, block)
    if code:
        media_type = getattr(prepared.source, "media_type", "")
        report.add_loss(code, block, "source", did=f"sent as {media_type}")
    fault = media_fault(prepared, state.caps)
    if fault is not None:
        did = "a text names it" if fault.place else "left out"
        report.add_loss(fault.code, block, "source", what=fault.what, did=did)
        for issuer, fields in (block.extras or {}).items():  # of others they are named already
            for name in () if issuer.endswith(NOTES) else fields:
                report.add_loss("extras.unsupported", block, f"extras.{issuer}.{name}", what=name)
    for name, kinds in (("detail", state.caps.details), ("title", state.caps.titles)):
        if getattr(block, name) is not None and (fault is not None or block.type not in kinds):
            report.add_loss("media.detail", block, name)
    if type(block) is DocumentBlock and (
        fault or "text" not in state.caps.sources.get("document", ())
    ):
        report_document_fields(block, report)
    source = prepared.source
    untyped = fault is None and block.type not in state.caps.typed_urls
    if untyped and type(source) is URLSource and source.media_type:
        report.add_loss("media.type_unsupported", source, "media_type", what=source.media_type)
    if fault is None:
        return prepared if type(prepared.source) is not TextSource else _passages(state, prepared)
    return state.wording.at(block.type, fault.place) if fault.place else ""


def report_document_fields(block: DocumentBlock, report: Report) -> None:
    """Report what only a wire has a place for whose answers cite documents."""
    for name in ("context", "cite"):
        if getattr(block, name) is not None:
            report.add_loss("media.detail", block, name)


def _passages(state: State, block: MediaBlock) -> MediaBlock | str:
    """A document in passages, none of them blank where that is refused; its name if found."""
    source, report = block.source, state.report
    assert type(source) is TextSource  # the caller looked
    changes: dict[str, Any] = {}
    passages = [text for text in source.passages if text.strip() or state.caps.blank_text]
    if len(passages) < len(source.passages):
        changes["source"] = replace(source, passages=passages)
    if changes or not passages:
        report.add_loss("text.blank", block, "source.passages")
    if not passages:
        return ""
    if source.found_at is not None and not block.title:
        report.add_loss("document_name.made", block, did=source.found_at)
        changes["title"] = source.found_at
    return with_fields(block, report, **changes) if changes else block
