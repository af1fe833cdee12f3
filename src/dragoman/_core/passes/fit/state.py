"""How long cache hints last: known times, and where a wire wants it, the longest ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

from ....capabilities import Capabilities
from ....losses import Report
from ....message import CacheHint, Msg, RawBlock, TextBlock, ToolResultBlock, ToolUseBlock
from ....message.blocks import ANSWER, NOTES, ContentBlock, Extras, MediaBlock, texts_within
from ....message.check import HEALED
from ...jsontext import JsonObject
from ...media import as_base64, as_it_is, plain_text, refused
from ...wording import Told

_UNITS = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def lasting(hint: CacheHint, caps: Capabilities, most: float | None) -> CacheHint:
    """The hint for as long as the wire lets it hold, which is its own time if need be.

    `most`: the minutes of the hints before it, which it must not outlast.
    """
    if hint.ttl is None:
        return hint
    if caps.cache_ttls and hint.ttl not in caps.cache_ttls:
        return CacheHint()
    if caps.cache_longest_first and most is not None and minutes(hint, caps) > most:
        return CacheHint()
    return hint


def least(hints: Iterable[CacheHint], caps: Capabilities) -> float | None:
    """The minutes of the hint that ends first; None without one."""
    return min((minutes(hint, caps) for hint in hints), default=None)


def minutes(hint: CacheHint, caps: Capabilities) -> float:
    """How long a hint holds; without a time of its own, the shortest that the wire has."""
    if hint.ttl is None:
        return min(map(_minutes, caps.cache_ttls), default=0.0)
    return _minutes(hint.ttl)


def _minutes(ttl: str) -> float:
    number, unit = ttl[:-1], ttl[-1:]
    return int(number) * _UNITS[unit] if number.isdecimal() and unit in _UNITS else 0.0


# (media type, base64 data) -> where the medium was put, as a text that a model may read
Saver: TypeAlias = Callable[[str, str], str]


_Block = TypeVar("_Block", bound=ContentBlock)


def _answered(msgs: Sequence[Msg]) -> dict[int, str]:
    """For each result without a name, by its identity: the tool that was called before it.

    An id may come again in a later turn, for another tool.
    """
    names: dict[str, str] = {}
    found: dict[int, str] = {}
    for m in msgs:
        for block in m.content if type(m.content) is not str else ():
            if type(block) is ToolUseBlock:
                names[block.id] = block.name
            elif type(block) is ToolResultBlock and not block.name and block.id in names:
                found[id(block)] = names[block.id]
    return found


@dataclass(slots=True)
class State:
    """One fitting: what the wire can, where losses go, the words, and the hints that must go."""

    caps: Capabilities
    report: Report
    told: Told
    saver: Saver | None = None
    surplus: int = 0  # cache hints over the wire's limit; the oldest go first
    lasts: float | None = None  # minutes that the hint before holds
    msgs: Sequence[Msg] = ()  # the history, for the names of calls
    names: dict[int, str] | None = None  # of nameless results, once somebody has asked

    def called(self, block: ToolResultBlock) -> str:
        """The name of the tool whose result it is; its call has it where the result has none."""
        if block.name:
            return block.name
        if self.names is None:
            self.names = _answered(self.msgs)
        found = (self.names.get(id(one)) for one in self.report.origins(block))
        return next((name for name in found if name is not None), "")

    def text(self, said: str, of: object) -> TextBlock:
        """A text of ours that stands for a node."""
        made = TextBlock(said)
        self.report.made(made, of)
        return made

    def stand_in(self, said: str, of: MediaBlock) -> TextBlock:
        """A text in the place of a medium, with the cache hint that stood there."""
        made = self.text(said, of)
        made.cache = of.cache
        return self.hinted(made)

    def unhinted(self, block: ContentBlock) -> None:
        """The block goes and takes its cache hint along, which may stand at a place of its own."""
        if getattr(block, "cache", None) is None:
            return
        self.surplus = max(0, self.surplus - 1)
        self.report.lost("cache.unsaid", block, "cache")

    def said(self, block: TextBlock) -> TextBlock:
        """A text block without what the wire has no place for."""
        carried = self.caps.citations or self._holds(block, "citations")
        if block.citations is not None and not carried:
            self.report.lost("citations.unsaid", block, "citations")
        return self.hinted(block)

    def _holds(self, block: TextBlock, name: str) -> bool:
        """Whether the wire's own fields of the block say it in the wire's words."""
        extras = block.extras or {}
        return any(issuer in self.caps.reads and name in own for issuer, own in extras.items())

    def owned(self, block: _Block) -> _Block:
        """The block with the fields that this wire reads; those of others are losses."""
        kept = self._kept(block)
        if kept is block.extras:
            return block
        made: Any = replace(block, extras=kept)
        self.report.made(made, block)
        return cast("_Block", made)

    def owned_message(self, m: Msg) -> Msg:
        """The message with the fields that this wire reads."""
        kept = self._kept(m)
        if kept is m.extras:
            return m
        made = Msg.trusted(m.name, m.content, m.role, m)
        made.extras = kept
        self.report.made(made, m)
        return made

    def sealed(self, issuer: str, own: Mapping[str, Any]) -> bool:
        """Whether the fields hold state that the wire takes back from others alone."""
        caps = self.caps
        strange = caps.claimed_by and issuer not in caps.claimed_by
        return bool(strange) and not caps.claims.isdisjoint(own)

    def _kept(self, node: Msg | ContentBlock) -> Extras | None:
        extras = node.extras or {}
        kept: Extras = {}
        for issuer, own in extras.items():
            if issuer == HEALED:
                for field in own["healed"]:
                    self.report.lost("text.surrogate", node, field, did="half a pair is U+FFFD")
                continue
            if issuer.endswith(ANSWER):
                self.report.lost("extras.answer", node, f"extras.{issuer}", what=", ".join(own))
                continue
            if issuer.endswith(NOTES):
                kept[issuer] = own  # no writer says them
                continue
            theirs = self._theirs(issuer, own)
            if theirs or theirs is own:
                kept[issuer] = theirs
            if theirs is own:
                continue
            gone = {name: value for name, value in own.items() if name not in theirs}
            self.report.foreign(node, issuer, gone)
        same = kept.keys() == extras.keys() and all(kept[name] is extras[name] for name in kept)
        return node.extras if same else kept or None

    def _theirs(self, issuer: str, own: JsonObject) -> JsonObject:
        """Those of an issuer's fields that the wire takes back; the very ones if it takes all."""
        claims = self.caps.claims
        if issuer in self.caps.reads:
            if not self.sealed(issuer, own):
                return own
            return {name: value for name, value in own.items() if name not in claims}
        if issuer:
            return {}
        claimed = {name: value for name, value in own.items() if name in claims}
        return own if len(claimed) == len(own) else claimed

    def hinted(self, block: _Block) -> _Block:
        """The block with its cache hint, if the wire takes one more."""
        hint: CacheHint | None = getattr(block, "cache", None)
        if hint is None:
            return block
        kept = self._lasted(block, hint) if self._takes_hint(block, block) else None
        if kept is hint:
            return block
        made: Any = replace(cast("Any", block), cache=kept)
        self.report.made(made, block)
        return cast("_Block", made)

    def _lasted(self, node: object, hint: CacheHint) -> CacheHint:
        """The hint for as long as it may hold here."""
        kept = lasting(hint, self.caps, self.lasts)
        self.lasts = least((kept,), self.caps)
        if kept is not hint:
            did = "the wire's own time"
            self.report.lost("cache.ttl", node, "cache.ttl", what=str(hint.ttl), did=did)
        return kept

    def _takes_hint(self, node: object, place: object) -> bool:
        """Whether the hint of `node` may stand on `place`."""
        fits = self.caps.cached_calls or type(place) is not ToolUseBlock
        if self.caps.cache_hints and not self.surplus and fits:
            return True
        self.report.lost("cache.limit" if self.surplus else "cache.unsaid", node, "cache")
        self.surplus = max(0, self.surplus - 1)
        return False

    def cached(self, m: Msg) -> Msg:
        """The message with its own cache hint on its last block, where the wire takes one."""
        if m.cache is None:
            return m
        blocks = list(m.blocks)
        # thinking carries no hint of its own
        at = next((i for i in reversed(range(len(blocks))) if hasattr(blocks[i], "cache")), None)
        if at is None:
            self.report.lost("cache.unsaid", m, "cache")
        if at is not None and self._takes_hint(m, blocks[at]):
            hint = self._lasted(m, m.cache)
            blocks[at] = replace(cast("Any", blocks[at]), cache=hint)
            self.report.made(blocks[at], m)
            made = Msg.trusted(m.name, blocks, m.role, m)
        else:
            made = Msg.trusted(m.name, m.content, m.role, m)
        made.cache = None
        self.report.made(made, m)
        return made


def medium(
    state: State, block: MediaBlock, seat: str, kinds: frozenset[str], moved: list[Msg]
) -> list[ContentBlock]:
    """What stands at the seat for the medium; a message that shows it may join `moved`."""
    caps, kind = state.caps, block.type
    if kind == "document" and (said := worded(state, block, kinds)) is not None:
        return [said]
    moves = kind in caps.user and kind in caps.move_media
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
    caps = state.caps
    if "text" not in kinds:
        return None
    made, _ = as_it_is(as_base64(block), caps)
    shown = "document" in kinds or {"document"} <= caps.user & caps.move_media
    if (shown and refused(made, caps) is None) or not (text := plain_text(made)).strip():
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
    made, code = as_it_is(as_base64(block), state.caps)
    if made is not block:
        state.report.made(made, block)
    if code:
        said = getattr(made.source, "media_type", "")
        state.report.lost(code, block, "source", did=f"sent as {said}")
    fault = refused(made, state.caps)
    if fault is not None:
        did = "a text names it" if fault.place else "left out"
        state.report.lost(fault.code, block, "source", what=fault.what, did=did)
        for name in ("detail", "title"):
            if getattr(block, name) is not None:
                state.report.lost("media.detail", block, name)
        return state.told.at(block.type, fault.place) if fault.place else ""
    for name, kinds in (("detail", state.caps.details), ("title", state.caps.titles)):
        if getattr(block, name) is not None and block.type not in kinds:
            state.report.lost("media.detail", block, name)
    return made
