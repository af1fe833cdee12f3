"""Turn the parts of an answer into steps for a wire that has one open block at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias, final

from ..losses import Report
from ..message import AudioBlock, RefusalBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ..message.answer import total
from ..message.blocks import ContentBlock, Extras
from ..text.json_text import arguments as spell
from ..text.redaction import Shown
from .arguments import MADE, NO_ARGUMENTS, Balance, closing_signs, derived_id, parse_arguments
from .pieces import Key, Part


@dataclass(slots=True, repr=False)
class _Step(Shown):
    index: int
    key: Key
    block: ContentBlock


@final
class Open(_Step):
    """A block begins. `block` is its first piece, which a Grow repeats; a call has its id."""

    __slots__ = ()


@final
class Grow(_Step):
    """The open block grows by the piece `block`; `argument_text` reads that of a call."""

    __slots__ = ()


@final
class Shut(_Step):
    """A block ends. `block` is the sum of its pieces; a call's arguments are not parsed."""

    __slots__ = ()


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
    if call.freeform:
        return call.input if isinstance(call.input, str) else ""
    return spell(call.input) if call.input else ""


def adds_nothing(block: ContentBlock) -> bool:
    """Whether a piece adds no word to its block: no text, no seal, no citation, no argument."""
    fields = _GROWS.get(type(block))
    if fields is None or any(getattr(block, name) for name in fields):
        return False
    if type(block) is TextBlock:
        return not block.citations
    return type(block) is not ToolUseBlock or not block.input


def going_on(pieces: list[ContentBlock], block: ContentBlock) -> ContentBlock:
    """A piece after a block that has ended: after a call, it is the next call of that name."""
    if type(block) is not ToolUseBlock or block.name:
        return block
    return replace(block, name=getattr(total(pieces), "name", ""))


def remaining_piece(sent_block: ContentBlock, final: ContentBlock) -> ContentBlock | None:
    """The piece that completes `sent_block` to the `final` block; None if they differ.

    Both are of one kind. A text that the whole block leaves out was not taken back by it.

    >>> remaining_piece(TextBlock("Sama"), TextBlock("Samarkand")).text
    'rkand'
    """
    if type(final) not in _GROWS:
        return None
    fields: dict[str, Any]
    if type(final) is ToolUseBlock and type(sent_block) is ToolUseBlock and final.raw_input is None:
        text = _missing_arguments(sent_block, final)
        if text is None and sent_block.raw_input:
            return None
        fields = {"raw_input": text}
    else:
        names = _GROWS[type(final)]
        fields = {name: _suffix(getattr(sent_block, name), getattr(final, name)) for name in names}
        if None in fields.values():
            return None
    if type(final) is ToolUseBlock:
        fields |= {"id": "", "name": ""} | ({} if fields["raw_input"] is None else {"input": {}})
    if type(final) is TextBlock and type(sent_block) is TextBlock:
        fields["citations"] = (final.citations or [])[len(sent_block.citations or ()) :] or None
    return replace(final, extras=_changed_extras(sent_block.extras, final.extras), **fields)


def _suffix(sent_text: str | None, final: str | None) -> str | None:
    """The rest of the final text after what was sent; None if it is another text."""
    if not final:
        return ""
    return final[len(sent_text or "") :] if final.startswith(sent_text or "") else None


def _missing_arguments(sent_call: ToolUseBlock, final: ToolUseBlock) -> str | None:
    """The argument text that completes what was sent to the final value; None if none does."""
    text = sent_call.raw_input or ""
    if sent_call.input == final.input and not text:
        return ""
    end = closing_signs(text)
    return end if text and parse_arguments(text + end) == final.input else None


def _changed_extras(sent_extras: Extras | None, final: Extras | None) -> Extras | None:
    """The fields that are new or otherwise."""
    extras: Extras = {}
    for issuer, fields in (final or {}).items():
        sent = (sent_extras or {}).get(issuer, {})
        changed = {k: v for k, v in fields.items() if k not in sent or sent[k] != v}
        if changed:
            extras[issuer] = changed
    return extras or None


class _OpenBlock:
    """The block that is open: the pieces of its key from `start` on."""

    __slots__ = (
        "balance",
        "freeform",
        "has_arguments",
        "held",
        "index",
        "is_whole",
        "key",
        "kind",
        "pieces",
        "start",
    )

    def __init__(self, index: int, key: Key, pieces: list[ContentBlock], kind: type[Any]) -> None:
        self.index = index
        self.key = key
        self.kind = kind
        self.pieces = pieces
        self.start = len(pieces)
        self.balance: Balance | None = None  # of argument text, from its first sign on
        self.has_arguments = False  # whether there is argument text at all, if only an empty one
        self.freeform = self.is_whole = False
        # arguments that are empty so far: later ones replace them
        self.held: ToolUseBlock | None = None

    def take(self, block: ContentBlock) -> list[ContentBlock]:
        """The pieces that go out now that this one has come; `{}` waits for what follows it."""
        if self.held is None and (self.freeform or self.balance is not None):
            return [block]
        if type(block) is not ToolUseBlock or not (block.raw_input or "").strip():
            return [block]
        before: list[ContentBlock] = []
        if self.held is not None:
            before.append(replace(self.held, raw_input=""))
        is_empty = argument_text(block).strip() == NO_ARGUMENTS and not block.freeform
        self.held = block if is_empty else None
        return before if is_empty else [*before, block]

    def release(self) -> list[ContentBlock]:
        """What waited, since nothing follows it."""
        held, self.held = self.held, None
        return [] if held is None else [held]

    def add(self, block: ContentBlock) -> None:
        self.pieces.append(block)
        self.freeform = self.freeform or getattr(block, "freeform", False)
        if self.freeform:
            return
        if type(block) is ToolUseBlock and (text := block.raw_input) is not None:
            self.has_arguments = True
            if self.balance is None and text.strip():
                self.balance = Balance()
            if self.balance is not None:
                self.balance.add(text)

    @property
    def may_end(self) -> bool:
        """Whether it may end: all but a call whose argument text goes on.

        A text that is no JSON does not show its end: somebody has to say that it is whole.
        """
        if self.freeform:
            return self.is_whole
        return (
            self.held is not None
            or not self.has_arguments
            or (self.balance is not None and self.balance.whole)
        )

    @property
    def is_open_call(self) -> bool:
        """Whether it is a call that the provider has not declared whole.

        Balanced arguments do not suffice: clients run what has ended (Claude Code 2.1.197 and
        Codex 0.169, seen on 2026-11-24), and a provider that fails there has not ended it.
        """
        return self.kind is ToolUseBlock and not self.is_whole

    def total(self) -> ContentBlock:
        return total(self.pieces[self.start :])


class Steps:
    """Takes the parts of one candidate, and returns the steps of a wire with one open block.

    Text and thinking end where anything else begins. So does a call, once its arguments are
    balanced: until then the others wait. Blocks that are no text come in one piece, sound at the
    very end. A call waits for its name; without an id it gets one from `seed` (the id of the
    answer), its place and its name.

    `untold`: blocks that differ from what had gone out, and fields that came too late.
    `unended`: the call that was open when the answer broke off.
    `report` gets the pieces that a block is built from, for the places of losses.
    """

    def __init__(self, seed: str = "", report: Report | None = None) -> None:
        self.seed = seed
        self.report = report
        self.untold: list[ContentBlock] = []
        self.unended: list[ContentBlock] = []
        self._current: _OpenBlock | None = None
        self._count = 0
        self._waiting: dict[Key, list[ContentBlock]] = {}
        self._sent: dict[Key, list[ContentBlock]] = {}  # of each key, all that went out of a kind
        self._first: ContentBlock = TextBlock("")
        self._whole: set[Key] = set()  # of the blocks that came whole, if in the end

    def feed(self, part: Part) -> list[Step]:
        """The steps that this piece makes."""
        key, block, now = part.key, part.block, self._current
        steps: list[Step] = []
        if part.whole:
            self._whole.add(key)
            if now is not None and now.key == key:
                now.is_whole = True
        if now is not None and now.key == key and type(block) is now.kind and not part.whole:
            self._goes_on(now, block, steps)
            if not self._waiting:
                return steps
        elif key in self._waiting:
            self._add_waiting(key, block, part.whole)
        elif key not in self._sent or type(self._sent[key][-1]) is not type(block):
            # the first piece of a key, or of another kind: then the provider changed its mind
            if now is not None and now.key == key:
                self._shut(steps)
            self._sent.pop(key, None)
            self._waiting[key] = [block]
        elif part.whole:
            self._replace_whole(key, block, steps)
        else:
            self._go_on_ended(key, block)
        self._drain(steps)
        return steps

    def finish(self, broken: bool = False) -> list[Step]:
        """The steps of the end: everything that waits goes out.

        `broken`: the answer failed, or was cut. Then the call that is open is not ended, and
        nothing can follow it.
        """
        steps: list[Step] = []
        while self._current is None or not (broken and self._current.is_open_call):
            self._shut(steps)
            if not self._waiting:
                return steps
            self._next(next(iter(self._waiting)), steps)
        self._say(self._current, self._current.release(), steps)
        self.unended.append(self._current.total())
        self.untold += [total(pieces) for pieces in self._waiting.values()]
        self._waiting.clear()
        self._current = None
        return steps

    def _goes_on(self, now: _OpenBlock, block: ContentBlock, steps: list[Step]) -> None:
        self._say(now, now.take(block), steps)

    def _say(self, now: _OpenBlock, blocks: list[ContentBlock], steps: list[Step]) -> None:
        for block in blocks:
            now.add(block)
            if now.kind in _GROWS:
                steps.append(Grow(now.index, now.key, block))

    def _add_waiting(self, key: Key, block: ContentBlock, whole: bool) -> None:
        """One more piece of what is held; a whole block is but what did not go out before."""
        waiting, pieces = self._waiting[key], self._sent.get(key)
        if not whole:
            waiting.append(block)
        elif pieces is None or type(pieces[-1]) is not type(block):
            waiting[:] = [block]
        elif (remaining := remaining_piece(total(pieces), block)) is None:
            self.untold.append(block)
        elif remaining.extras or not adds_nothing(remaining):
            waiting[:] = [going_on(pieces, remaining)]
        else:
            del self._waiting[key]

    def _go_on_ended(self, key: Key, block: ContentBlock) -> None:
        """One more piece of a block that has ended."""
        if adds_nothing(block):
            if block.extras:
                self.untold.append(block)
            return
        self._waiting[key] = [going_on(self._sent[key], block)]

    def _replace_whole(self, key: Key, block: ContentBlock, steps: list[Step]) -> None:
        """A whole block in the place of one of which something went out."""
        now, pieces = self._current, self._sent[key]
        sent_block = total(pieces)
        if block == sent_block:
            return
        open_now = now if now is not None and now.key == key else None
        if open_now is not None and open_now.kind not in _GROWS:  # nothing of it went out yet
            pieces[open_now.start :] = [block]
        elif (remaining := remaining_piece(sent_block, block)) is None:
            self.untold.append(block)
        elif open_now is None:
            self._go_on_ended(key, remaining)
        elif remaining.extras or not adds_nothing(remaining):
            self._goes_on(open_now, remaining, steps)

    def _drain(self, steps: list[Step]) -> None:
        """Open what waits, as long as the open block may end."""
        while self._waiting and (self._current is None or self._current.may_end):
            ready = next((key for key in self._waiting if self._ready(key)), None)
            if ready is None:
                return
            self._shut(steps)
            self._next(ready, steps)

    def _ready(self, key: Key) -> bool:
        waiting = self._waiting[key]
        if type(waiting[0]) is ToolUseBlock:
            return any(type(piece) is ToolUseBlock and piece.name for piece in waiting)
        return type(waiting[0]) is not AudioBlock

    def _next(self, key: Key, steps: list[Step]) -> None:
        """Open the block under `key`, with what is held of it up to another kind of block."""
        waiting = self._waiting.pop(key)
        kind = type(waiting[0])
        others = (index for index, piece in enumerate(waiting) if type(piece) is not kind)
        run = next(others, len(waiting))
        if run < len(waiting):
            self._waiting = {key: waiting[run:], **self._waiting}
        pieces = self._sent.get(key)
        if pieces is None or type(pieces[-1]) is not kind:
            pieces = self._sent[key] = []
        now = self._current = _OpenBlock(self._count, key, pieces, kind)
        self._count += 1
        now.is_whole = key in self._whole
        self._first = self._name_call(waiting[0], waiting[:run])
        if kind in _GROWS:
            steps.append(Open(now.index, key, self._first))
        for block in waiting[:run]:
            self._goes_on(now, block, steps)

    def _name_call(self, first: ContentBlock, parts: list[ContentBlock]) -> ContentBlock:
        """The first piece; for a call with the name and the id that all of its pieces give."""
        if type(first) is not ToolUseBlock:
            return first
        call = total(parts)
        assert type(call) is ToolUseBlock  # as the first is
        if call.id:
            return replace(first, id=call.id, name=call.name)
        note = f"{MADE} {first.spelling}" if first.spelling else MADE
        id = derived_id(f"{self.seed}\0{self._count}\0{call.name}")
        return replace(first, id=id, name=call.name, spelling=note)

    def _shut(self, steps: list[Step]) -> None:
        """End the open block, if there is one."""
        now, self._current = self._current, None
        if now is None:
            return
        self._say(now, now.release(), steps)
        block = now.total()
        begun = self._first
        if type(block) is ToolUseBlock and type(begun) is ToolUseBlock:
            if block.name not in ("", begun.name):  # the rest of it came when it had begun
                self.untold.append(block)
            block = replace(block, id=begun.id, name=begun.name, spelling=begun.spelling)
        if self.report is not None and block is not now.pieces[0]:
            self.report.record_copy(block, now.pieces[0])
        if now.kind not in _GROWS:
            steps += [Open(now.index, now.key, block), Grow(now.index, now.key, block)]
        steps.append(Shut(now.index, now.key, block))
