"""What a fitting knows and what every part of it does: losses, made nodes, cache hints, extras."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

from ..capabilities import Capabilities
from ..losses import Report
from ..message import Msg, TextBlock
from ..message.blocks import ContentBlock, Extras
from ..told import Told

__all__ = ["Saver", "State"]

# (media type, base64 data) -> where the medium was put, as a text that a model may read
Saver: TypeAlias = Callable[[str, str], str]
_Block = TypeVar("_Block", bound=ContentBlock)


@dataclass(slots=True)
class State:
    """One fitting: what the wire can, where losses go, the words, and the hints that must go."""

    can: Capabilities
    report: Report
    told: Told
    saver: Saver | None = None
    surplus: int = 0  # cache hints over the wire's limit; the oldest go first

    def text(self, said: str, of: object) -> TextBlock:
        """A text of ours that stands for a node."""
        made = TextBlock(said)
        self.report.made(made, of)
        return made

    def said(self, block: TextBlock) -> TextBlock:
        """A text block without what the wire has no place for."""
        if block.citations is not None:
            self.report.lost("citations.unsaid", block, "citations")
        return self.hinted(block)

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

    def _kept(self, node: Msg | ContentBlock) -> Extras | None:
        extras, can = node.extras or {}, self.can
        kept: Extras = {}
        for issuer, own in extras.items():
            if issuer in can.reads or (not issuer and can.claims.issuperset(own)):
                kept[issuer] = own
                continue
            if not issuer and (claimed := {k: v for k, v in own.items() if k in can.claims}):
                kept[issuer] = claimed
            field = f"extras.{issuer}" if issuer else "extras"
            what = f"fields of {issuer or 'nobody'}"
            self.report.lost("extras.foreign", node, field, what=what)
        same = kept.keys() == extras.keys() and all(kept[name] is extras[name] for name in kept)
        return node.extras if same else kept or None

    def hinted(self, block: _Block) -> _Block:
        """The block with its cache hint, if the wire takes one more."""
        if getattr(block, "cache", None) is None or self._takes_hint(block):
            return block
        made: Any = replace(cast("Any", block), cache=None)
        self.report.made(made, block)
        return cast("_Block", made)

    def _takes_hint(self, node: object) -> bool:
        if self.can.cache_hints and not self.surplus:
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
        if at is not None and self._takes_hint(m):
            blocks[at] = replace(cast("Any", blocks[at]), cache=m.cache)
            self.report.made(blocks[at], m)
            made = Msg.trusted(m.name, blocks, m.role, m)
        else:
            made = Msg.trusted(m.name, m.content, m.role, m)
        made.cache = None
        self.report.made(made, m)
        return made
