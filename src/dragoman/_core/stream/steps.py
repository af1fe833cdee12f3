"""What becomes of the one block that is open: it begins, it grows, it ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, TypeAlias, final

from ...losses import Report
from ...message import AudioBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.answer import total
from ...message.blocks import ContentBlock, Extras
from ..jsontext import JsonObject
from ..jsontext import arguments as spell
from ..redaction import Shown
from .arguments import MADE, Balance, closing, parsed
from .pieces import Key, Part


@final
@dataclass(slots=True, repr=False)
class Open(Shown):
    """A block begins. `block` is its first piece, which a Grow says again; a call has its id."""

    index: int
    key: Key
    block: ContentBlock


@final
@dataclass(slots=True, repr=False)
class Grow(Shown):
    """`block` is a piece of the block that is open: see `argument_text` for that of a call."""

    index: int
    key: Key
    block: ContentBlock


@final
@dataclass(slots=True, repr=False)
class Shut(Shown):
    """A block ends. `block` is the sum of its pieces; a call's arguments are not parsed."""

    index: int
    key: Key
    block: ContentBlock


Step: TypeAlias = Open | Grow | Shut


_GROWS: dict[type[Any], tuple[str, ...]] = {
    TextBlock: ("text",),
    ThinkingBlock: ("thinking", "signature", "redacted"),
    ToolUseBlock: ("raw_input",),
    RefusalBlock: ("text",),
}


def argument_text(call: ToolUseBlock) -> str:
    """The argument text of a call, or of a piece of one; nothing if it has no arguments so far."""
    if call.raw_input is not None:
        return call.raw_input
    return spell(call.input) if call.input else ""


def silent(block: ContentBlock) -> bool:
    """Whether a piece adds no word to its block: no text, no seal, no citation, no argument."""
    fields = _GROWS.get(type(block))
    if fields is None or any(getattr(block, name) for name in fields):
        return False
    if type(block) is TextBlock:
        return not block.citations
    return type(block) is not ToolUseBlock or not block.input


def going_on(said: list[ContentBlock], block: ContentBlock) -> ContentBlock:
    """A piece behind a block that has ended: behind a call, it is the next call of that name."""
    if type(block) is not ToolUseBlock or block.name:
        return block
    return replace(block, name=getattr(total(said), "name", ""))


def rest(said: ContentBlock, whole: ContentBlock) -> ContentBlock | None:
    """The piece that makes `said` the `whole` block; None if it says otherwise.

    Both are of one kind. A text that the whole block leaves out was not taken back by it.

    >>> rest(TextBlock("Sama"), TextBlock("Samarkand")).text
    'rkand'
    """
    if type(whole) not in _GROWS:
        return None
    given: dict[str, Any]
    if type(whole) is ToolUseBlock and type(said) is ToolUseBlock and whole.raw_input is None:
        text = _missing(said, whole)
        if text is None and said.raw_input:
            return None
        given = {"raw_input": text}
    else:
        names = _GROWS[type(whole)]
        given = {name: _behind(getattr(said, name), getattr(whole, name)) for name in names}
        if None in given.values():
            return None
    if type(whole) is ToolUseBlock:
        given |= {"id": "", "name": ""} | ({} if given["raw_input"] is None else {"input": {}})
    if type(whole) is TextBlock and type(said) is TextBlock:
        given["citations"] = (whole.citations or [])[len(said.citations or ()) :] or None
    return replace(whole, extras=_news(said.extras, whole.extras), **given)


def _behind(said: str | None, whole: str | None) -> str | None:
    """What the whole text has behind what was said; None if it is another text."""
    if not whole:
        return ""
    return whole[len(said or "") :] if whole.startswith(said or "") else None


def _missing(said: ToolUseBlock, whole: ToolUseBlock) -> str | None:
    """The argument text that is missing for a value to stand there; None if none makes it."""
    text = said.raw_input or ""
    if said.input == whole.input and not text:
        return ""
    end = closing(text)
    return end if text and parsed(text + end) == whole.input else None


def _news(said: Extras | None, whole: Extras | None) -> Extras | None:
    """The fields that are new or otherwise."""
    made: dict[str, JsonObject] = {}
    for issuer, told in (whole or {}).items():
        before = (said or {}).get(issuer, {})
        if new := {k: v for k, v in told.items() if k not in before or before[k] != v}:
            made[issuer] = new
    return made or None


_STREAMED = frozenset({TextBlock, ThinkingBlock, ToolUseBlock, RefusalBlock})


class _Now:
    """The block that is open: the pieces of its key from `start` on."""

    __slots__ = ("balance", "begun", "index", "key", "kind", "said", "start")

    def __init__(self, index: int, key: Key, said: list[ContentBlock], kind: type[Any]) -> None:
        self.index = index
        self.key = key
        self.kind = kind
        self.said = said
        self.start = len(said)
        self.balance: Balance | None = None  # of argument text, from its first sign on
        self.begun = False  # whether there is argument text at all, if only an empty one

    def add(self, block: ContentBlock) -> None:
        self.said.append(block)
        if type(block) is ToolUseBlock and (text := block.raw_input) is not None:
            self.begun = True
            if self.balance is None and text.strip():
                self.balance = Balance()
            if self.balance is not None:
                self.balance.add(text)

    @property
    def over(self) -> bool:
        """Whether it may end: all but a call whose argument text goes on."""
        return not self.begun or (self.balance is not None and self.balance.whole)

    def total(self) -> ContentBlock:
        return total(self.said[self.start :])


class Steps:
    """Takes the parts of one candidate; what a wire of one open block says of them, and when.

    Text and thinking end where anything else begins. So does a call, once its arguments are
    balanced: until then the others wait. Blocks that are no text come in one piece, sound at the
    very end. A call waits for its name; without an id it gets one, made of `seed` (the id of the
    answer), its place and its name.

    `untold`: blocks that say otherwise than what had gone out, and fields that came too late.
    `report` is told which pieces a block is made of, for the places of losses.
    """

    def __init__(self, seed: str = "", report: Report | None = None) -> None:
        self.seed = seed
        self.report = report
        self.untold: list[ContentBlock] = []
        self._now: _Now | None = None
        self._count = 0
        self._held: dict[Key, list[ContentBlock]] = {}
        self._said: dict[Key, list[ContentBlock]] = {}  # of each key, all that went out of a kind
        self._open: ContentBlock = TextBlock("")

    def feed(self, part: Part) -> list[Step]:
        """The steps that this piece makes."""
        key, block, now = part.key, part.block, self._now
        made: list[Step] = []
        if now is not None and now.key == key and type(block) is now.kind and not part.whole:
            self._goes_on(now, block, made)
            if not self._held:
                return made
        elif key in self._held:
            self._waits(key, block, part.whole)
        elif key not in self._said or type(self._said[key][-1]) is not type(block):
            self._anew(key, block, made)
        elif part.whole:
            self._settled(key, block, made)
        else:
            self._again(key, block)
        self._drain(made)
        return made

    def finish(self) -> list[Step]:
        """The steps of the end: everything that waits goes out."""
        made: list[Step] = []
        self._shut(made)
        while self._held:
            self._next(next(iter(self._held)), made)
            self._shut(made)
        return made

    def _goes_on(self, now: _Now, block: ContentBlock, made: list[Step]) -> None:
        now.add(block)
        if now.kind in _STREAMED:
            made.append(Grow(now.index, now.key, block))

    def _waits(self, key: Key, block: ContentBlock, whole: bool) -> None:
        """One more piece of what is held; a whole block is but what did not go out before."""
        held, said = self._held[key], self._said.get(key)
        if not whole:
            held.append(block)
        elif said is None or type(said[-1]) is not type(block):
            held[:] = [block]
        elif (more := rest(total(said), block)) is None:
            self.untold.append(block)
        elif more.extras or not silent(more):
            held[:] = [going_on(said, more)]
        else:
            del self._held[key]

    def _anew(self, key: Key, block: ContentBlock, made: list[Step]) -> None:
        """The first piece of a key, or of another kind: then the provider changed its mind."""
        if self._now is not None and self._now.key == key:
            self._shut(made)
        self._said.pop(key, None)
        self._held[key] = [block]

    def _again(self, key: Key, block: ContentBlock) -> None:
        """One more piece of a block that has ended."""
        if silent(block):
            if block.extras:
                self.untold.append(block)
            return
        self._held[key] = [going_on(self._said[key], block)]

    def _settled(self, key: Key, block: ContentBlock, made: list[Step]) -> None:
        """A whole block in the place of one of which something went out."""
        now, said = self._now, self._said[key]
        before = total(said)
        if block == before:
            return
        open_now = now if now is not None and now.key == key else None
        if open_now is not None and open_now.kind not in _STREAMED:  # nothing of it went out yet
            said[open_now.start :] = [block]
        elif (more := rest(before, block)) is None:
            self.untold.append(block)
        elif open_now is None:
            self._again(key, more)
        elif more.extras or not silent(more):
            self._goes_on(open_now, more, made)

    def _drain(self, made: list[Step]) -> None:
        """Open what waits, as long as the open block may end."""
        while self._held and (self._now is None or self._now.over):
            ready = next((key for key in self._held if self._ready(key)), None)
            if ready is None:
                return
            self._shut(made)
            self._next(ready, made)

    def _ready(self, key: Key) -> bool:
        held = self._held[key]
        if type(held[0]) is ToolUseBlock:
            return any(type(one) is ToolUseBlock and one.name for one in held)
        return type(held[0]) is not AudioBlock

    def _next(self, key: Key, made: list[Step]) -> None:
        """Open the block under `key`, with what is held of it up to another kind of block."""
        held = self._held.pop(key)
        kind = type(held[0])
        run = next((at for at, one in enumerate(held) if type(one) is not kind), len(held))
        if run < len(held):
            self._held = {key: held[run:], **self._held}
        said = self._said.get(key)
        if said is None or type(said[-1]) is not kind:
            said = self._said[key] = []
        now = self._now = _Now(self._count, key, said, kind)
        self._count += 1
        self._open = self._named(held[0], held[:run])
        if kind in _STREAMED:
            made.append(Open(now.index, key, self._open))
        for block in held[:run]:
            self._goes_on(now, block, made)

    def _named(self, first: ContentBlock, parts: list[ContentBlock]) -> ContentBlock:
        """The first piece; that of a call with the name and the id that all of them tell."""
        if type(first) is not ToolUseBlock:
            return first
        whole = total(parts)
        assert type(whole) is ToolUseBlock  # as the first is
        if whole.id:
            return replace(first, id=whole.id, name=whole.name)
        said = f"{self.seed}\0{self._count}\0{whole.name}"
        id = f"call_{blake2b(said.encode('utf-8', 'surrogatepass'), digest_size=9).hexdigest()}"
        note = f"{MADE} {first.spelling}" if first.spelling else MADE
        return replace(first, id=id, name=whole.name, spelling=note)

    def _shut(self, made: list[Step]) -> None:
        """End the open block, if there is one."""
        now, self._now = self._now, None
        if now is None:
            return
        block = now.total()
        begun = self._open
        if type(block) is ToolUseBlock and type(begun) is ToolUseBlock:
            block = replace(block, id=begun.id, name=begun.name, spelling=begun.spelling)
        if self.report is not None and block is not now.said[0]:
            self.report.made(block, now.said[0])
        if now.kind not in _STREAMED:
            made += [Open(now.index, now.key, block), Grow(now.index, now.key, block)]
        made.append(Shut(now.index, now.key, block))
