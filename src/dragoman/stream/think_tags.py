"""Thinking that models write into their text between tags such as `<think>`, as blocks of its own.

`TAG_PAIRS` has the pairs of tags: a new one is a row there, and its name in the `think_pairs` of
the dialects whose hosts may send it.

A block notes in its `spelling` which tags and blanks stood around it, so that the text can be
written again as it stood. Where a model writes them is `think_tags` of a dialect, such as those of
`vendors/*.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, TypeAlias

from ..message import TextBlock, ThinkingBlock
from ..message.blocks import ContentBlock
from ..text.json_text import Json
from .pieces import End, Key, Meta, Part, Piece


class TagPair(NamedTuple):
    """The tags before and after the thinking."""

    opening: str
    closing: str


TAG_PAIRS: Mapping[str, TagPair] = MappingProxyType(
    {
        # the chat templates of Qwen, DeepSeek, GLM, MiniMax and most others; vLLM, basic_parsers.py
        "think": TagPair("<think>", "</think>"),
        # the chat template of Seed-OSS; vLLM, seedoss_reasoning_parser.py (2026-11-29)
        "seed": TagPair("<seed:think>", "</seed:think>"),
        # that of LongCat-Flash-Thinking; vLLM, longcat_reasoning_parser.py (2026-11-29)
        "longcat": TagPair("<longcat_think>", "</longcat_think>"),
    }
)
USUAL = TAG_PAIRS["think"]  # the pair that is written where thinking has to be text
SERVERS = tuple(TAG_PAIRS)  # for servers that run whatever model they are given
GAP = "|"  # in a spelling: where the thinking stood between its tags

# Where: nowhere; at the start of the message; there, and the template has written the opening tag
# into the prompt, so that the message begins inside; anywhere, any number of them; and the same to
# the letter, as the documents of AgentScope Java split it: blanks stay where they are, and a
# section without its closing tag is text.
TagForm: TypeAlias = Literal["", "leading", "inside", "sections", "exact"]


def overlap(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the beginning of the tag."""
    position = text.find("<", max(0, len(text) - len(tag) + 1))
    while position >= 0:
        if tag.startswith(text[position:]):
            return len(text) - position
        position = text.find("<", position + 1)
    return 0


_START, _OPENED, _THINKING, _CLOSED, _MIRRORED, _TEXT = range(6)


class Text:
    """One text of the answer, and where in it we are."""

    def __init__(
        self,
        key: Key,
        form: TagForm,
        whole: bool,
        field: list[str] | None,
        pairs: Sequence[TagPair],
    ) -> None:
        self._key = key
        self._pairs = pairs
        self._closings = tuple(pair.closing for pair in pairs)  # one, when a section is open
        self._whole = whole  # it replaces what was read under the key
        self._field = field  # thinking in a field of its own: what the tags may only say again
        self._form = form if field is None else ""
        self._section: list[str] = []  # of a section that may say it again
        self._state = _START if form else _TEXT
        if self._form == "inside":
            self._state = _OPENED
        self._spelling: str | None = None  # how the text itself stood on the wire
        self._pending = ""  # shorter than a tag: the beginning of one, perhaps
        self._blanks: list[str] = []  # before what comes next
        self._opening = ""  # tags that were passed, and no block has them in its spelling yet
        self._ending = ""
        self._index = 0  # how many blocks there were
        self._begun = False  # whether the block has begun
        self.plain = False  # nothing that comes can be a tag
        self._full_text: list[str] | None = [] if self._form == "inside" else None

    def feed(self, piece: Part, block: TextBlock, pieces: list[Piece]) -> None:
        """Append the pieces that the piece is split into."""
        plain = self._form != "sections" or "<" not in block.text
        if plain and self._state == _TEXT and not (self._index or self._pending or self._opening):
            self._begun = True
            self.plain = self._form != "sections"
            pieces.append(piece)
            return
        self._spelling = block.spelling
        extra_fields = block.citations or block.extras or block.cache
        start = len(pieces)
        self._add(block.text, pieces)
        if extra_fields:  # fields beside the text go with the first of its pieces
            self._add_fields(block, pieces, start)

    def _add_fields(self, block: TextBlock, pieces: list[Piece], start: int) -> None:
        for index in range(start, len(pieces)):
            piece = pieces[index]
            if type(piece) is Part and type(piece.block) is TextBlock:
                with_fields = replace(block, text=piece.block.text, spelling=piece.block.spelling)
                pieces[index] = Part(piece.key, with_fields, piece.whole)
                return
        pieces.append(Part(self._block_key(TextBlock), replace(block, text="", spelling=None)))

    def _add(self, text: str, pieces: list[Piece]) -> None:
        if self._full_text is not None:
            self._full_text.append(text)
        text, self._pending = self._pending + text, ""
        while text:
            text = _READERS[self._state](self, text, pieces)

    def _until(self, text: str, tags: Sequence[str]) -> tuple[str, str, str | None]:
        """The text before the first of the tags, the tag, and the text after it.

        None comes after it if no tag has come; what may be the beginning of one waits for more.
        """
        found = [(position, tag) for tag in tags if (position := text.find(tag)) >= 0]
        if found:
            position, tag = min(found)
            return text[:position], tag, text[position + len(tag) :]
        end = len(text) - max(overlap(text, tag) for tag in tags)
        self._pending = text[end:]
        return text[:end], "", None

    def _take_opening(self, text: str) -> str | None:
        """The text after the opening tag that it begins with; None if it begins with none."""
        for pair in self._pairs:
            if text.startswith(pair.opening):
                self._opening += self._take_blanks() + pair.opening
                self._closings = (pair.closing,)
                return text[len(pair.opening) :]
        return None

    def _may_open(self, text: str) -> bool:
        """Whether the text may be the beginning of an opening tag."""
        return any(pair.opening.startswith(text) for pair in self._pairs)

    def _unblank(self, text: str) -> str:
        """The text after its leading blanks, which are stored."""
        stripped = text.lstrip()
        if len(stripped) < len(text):
            self._blanks.append(text[: len(text) - len(stripped)])
        return stripped

    def _take_blanks(self) -> str:
        blanks, self._blanks = "".join(self._blanks), []
        return blanks

    def _read_start(self, text: str, _pieces: list[Piece]) -> str:
        stripped = self._unblank(text)
        if (behind := self._take_opening(stripped)) is not None:
            self._state = _OPENED if self._field is None else _MIRRORED
            return behind
        closing = next(filter(stripped.startswith, self._closings), None)
        if closing is not None and self._field is None:  # its opener was the template's
            self._opening += self._take_blanks() + closing
            self._state = _CLOSED
            return stripped[len(closing) :]
        if self._may_open(stripped) or any(tag.startswith(stripped) for tag in self._closings):
            self._pending = stripped
            return ""
        self._state = _TEXT
        return self._take_blanks() + stripped

    def _read_opening(self, text: str, _pieces: list[Piece]) -> str:
        stripped = self._unblank(text)
        if self._form == "inside" and not self._opening:
            if (behind := self._take_opening(stripped)) is not None:  # the template opened nothing
                return behind
            if self._may_open(stripped):
                self._pending = stripped
                return ""
        if stripped:
            self._opening += self._take_blanks()
            self._state = _THINKING
        return stripped

    def _thinking(self, text: str, pieces: list[Piece]) -> str:
        thinking, tag, behind = self._until(text, self._closings)
        stripped = thinking.rstrip()
        if stripped:
            self._emit(ThinkingBlock(self._take_blanks() + stripped), pieces)
        if len(stripped) < len(thinking):
            self._blanks.append(thinking[len(stripped) :])
        if behind is None:
            return ""
        self._ending = self._take_blanks() + tag
        self._state = _CLOSED
        self._full_text = None
        return behind

    def _read_mirrored(self, text: str, _pieces: list[Piece]) -> str:
        """A section of an answer that has its thinking in a field, too."""
        words, tag, behind = self._until(text, self._closings)
        self._section.append(words)
        if behind is None:
            return ""
        section, self._section = "".join(self._section), []
        if section.strip() == "".join(self._field or ()).strip():
            self._ending = section + tag
            self._state = _CLOSED
            return behind
        tags, self._opening = self._opening, ""
        self._state = _TEXT
        return tags + section + tag + behind

    def _read_closing(self, text: str, pieces: list[Piece]) -> str:
        stripped = self._unblank(text)
        if stripped:
            self._close(pieces)
            self._state = _TEXT
        return stripped

    def _close(self, pieces: list[Piece]) -> None:
        """End the section; the tags of an empty one wait for the next block."""
        self._ending += self._take_blanks()
        if self._begun:
            spelling = self._opening + GAP + self._ending
            self._emit(ThinkingBlock("", spelling=spelling), pieces)
            self._next()
        else:
            self._opening += self._ending
        self._ending = ""

    def _next(self) -> None:
        self._opening = ""
        self._index += 1
        self._begun = False

    def _outside(self, text: str, pieces: list[Piece]) -> str:
        if self._form != "sections":
            self._emit(TextBlock(text), pieces)
            return ""
        words, tag, behind = self._until(text, [pair.opening for pair in self._pairs])
        if words:
            self._emit(TextBlock(words), pieces)
        if behind is None:
            return ""
        if self._begun:
            self._next()
        self._take_opening(tag)
        self._state = _OPENED
        return behind

    def _block_key(self, kind: type[TextBlock | ThinkingBlock]) -> Key:
        return (*self._key, self._index) if self._index or kind is ThinkingBlock else self._key

    def _emit(self, block: TextBlock | ThinkingBlock, pieces: list[Piece]) -> None:
        if type(block) is TextBlock and not self._begun:
            block.spelling, self._opening = self._opening or self._spelling, ""
        whole = self._whole and not self._begun
        self._begun = True
        pieces.append(Part(self._block_key(type(block)), block, whole))

    def off(self, field: list[str]) -> None:
        """The answer has thinking in a field. A section that is being read goes on to its end."""
        if self._state == _OPENED and not self._begun:
            if self._form == "inside" and not self._opening:
                self._state = _START
            else:
                self._state = _MIRRORED
                self._section = [self._take_blanks()]
        self._field = field
        self._form = ""

    def finish(self, pieces: list[Piece], stopped: bool) -> None:
        """Send what was held back. `stopped`: the model had finished its answer."""
        if self._full_text is not None and stopped and self._state in (_OPENED, _THINKING):
            # it never closed what it was taken to begin in: so it did not think
            text = "".join(self._full_text)
            if text:
                pieces.append(Part(self._block_key(ThinkingBlock), TextBlock(text), whole=True))
            return
        self._flush(pieces)

    def _flush(self, pieces: list[Piece]) -> None:
        pending, self._pending = self._pending, ""
        if self._state in (_OPENED, _THINKING, _CLOSED):
            if pending:
                self._emit(ThinkingBlock(self._take_blanks() + pending), pieces)
            self._close(pieces)
        elif self._state == _MIRRORED:
            section = "".join(self._section) + pending
            if section.strip() and "".join(self._field or ()).strip().startswith(section.strip()):
                self._opening += section
            else:
                tags, self._opening = self._opening, ""
                self._emit(TextBlock(tags + section), pieces)
        elif pending or self._blanks:
            self._emit(TextBlock(self._take_blanks() + pending), pieces)
        if self._opening:  # of sections without a word, and nothing came after them
            pieces.append(Meta({"think_tags": self._opening}, self._key[0]))
            self._opening = ""


class ExactText(Text):
    """One text, of which each closed section is thinking and all else is text, to the letter."""

    def __init__(
        self, key: Key, whole: bool, field: list[str] | None, pairs: Sequence[TagPair]
    ) -> None:
        super().__init__(key, "sections", whole, field, pairs)
        self._state = _TEXT

    def _add(self, text: str, pieces: list[Piece]) -> None:
        if not self._form:  # thinking has a field of its own, so that this is text
            self._say(self._take_held() + text, pieces)
            return
        rest: str | None = self._pending + text
        self._pending = ""
        while rest:
            if self._state == _TEXT:
                words, tag, rest = self._until(rest, [pair.opening for pair in self._pairs])
                self._say(words, pieces)
                if rest is not None:
                    self._take_opening(tag)
                    self._state = _THINKING
                continue
            words, tag, rest = self._until(rest, self._closings)
            self._section.append(words)
            if rest is not None:
                thinking, self._section = "".join(self._section), []
                spelling = self._opening + GAP + tag
                if self._begun:
                    self._next()
                self._emit(ThinkingBlock(thinking, spelling=spelling), pieces)
                self._next()
                self._state = _TEXT

    def _say(self, text: str, pieces: list[Piece]) -> None:
        if text:
            self._emit(TextBlock(text), pieces)

    def _take_held(self) -> str:
        """What waits for a tag, which goes with it."""
        held = self._opening + "".join(self._section) + self._pending
        self._state, self._section, self._pending, self._opening = _TEXT, [], "", ""
        return held

    def off(self, field: list[str]) -> None:
        """The answer has thinking in a field: tags are text from now on."""
        self._field = field
        self._form = ""

    def finish(self, pieces: list[Piece], stopped: bool) -> None:
        """Send what was held back; a section without its closing tag is text."""
        self._say(self._take_held(), pieces)


# By state, in the order of the states.
_READERS: tuple[Callable[[Text, str, list[Piece]], str], ...] = (
    *(Text._read_start, Text._read_opening, Text._thinking),
    *(Text._read_closing, Text._read_mirrored, Text._outside),
)


def join_think_tags(blocks: Sequence[ContentBlock]) -> Sequence[ContentBlock]:
    """The blocks, thinking that was read in tags put back into the text about it, as it stood."""
    if all(block.spelling is None for block in blocks):
        return blocks  # nothing was read in tags
    joined_blocks: list[ContentBlock] = []
    tagged = False  # whether the text before ends with a section
    for block in blocks:
        text = _spell_block(block)
        last = joined_blocks[-1] if joined_blocks else None
        if text is None:
            joined_blocks.append(block)
        elif type(last) is TextBlock and (tagged or type(block) is ThinkingBlock):
            base = block if type(block) is TextBlock else last
            joined_blocks[-1] = replace(base, text=last.text + text, spelling=None)
        else:
            base = block if type(block) is TextBlock else TextBlock("")
            joined_blocks.append(replace(base, text=text, spelling=None))
        tagged = type(block) is ThinkingBlock and text is not None
    return joined_blocks


def _spell_block(block: ContentBlock) -> str | None:
    """The block in the text of a message; None if it has a place elsewhere."""
    note = block.spelling or ""
    if type(block) is TextBlock:
        in_tags = any(pair.closing in note for pair in TAG_PAIRS.values())
        return note + block.text if in_tags else block.text
    if type(block) is ThinkingBlock and GAP in note:
        opening, _, ending = note.partition(GAP)
        return opening + block.thinking + ending
    return None


class _Reads(Protocol):
    def feed(self, payload: Json, event: str | None = None) -> list[Piece]: ...

    def finish(self) -> list[Piece]: ...


class ThinkTagReader:
    r"""A reader whose texts are split at the tags.

    An answer that has thinking in a field of its own keeps tags as text, except for a section that
    repeats it. Blanks next to a tag belong to it: the `spelling` of the thinking has them
    (`<think>\n|\n</think>\n\n`). The `spelling` of the text after a section has the section, if
    that is empty or a repetition.
    """

    def __init__(self, reader: _Reads, form: TagForm, pairs: Sequence[str] = ("think",)) -> None:
        self._reader = reader
        self._form = form
        self._pairs = [TAG_PAIRS[name] for name in pairs]
        self._texts: dict[Key, Text] = {}
        self._fields: dict[int, list[str]] = {}  # of candidates with thinking in a field
        self._begun: set[int] = set()  # candidates of whose text the first block is known
        self._stopped: set[int] = set()

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        return self._split(self._reader.feed(payload, event))

    def finish(self) -> list[Piece]:
        """What was held back for a tag that did not come."""
        pieces = self._split(self._reader.finish())
        for key, text in self._texts.items():
            text.finish(pieces, key[0] in self._stopped)
        return pieces

    def _split(self, pieces: list[Piece]) -> list[Piece]:
        if len(pieces) == 1:  # the usual piece is one more of a text that has no tags any more
            text = self._texts.get(getattr(pieces[0], "key", ()))
            if text is not None and text.plain and not pieces[0].whole:  # type: ignore[union-attr]
                return pieces
        made: list[Piece] = []
        for piece in pieces:
            if type(piece) is Part and type(piece.block) is TextBlock:
                self._text(piece).feed(piece, piece.block, made)
                continue
            if type(piece) is Part and type(piece.block) is ThinkingBlock:
                self._add_thinking(piece.key[0], piece.block.thinking)
            elif type(piece) is End and piece.finish.reason in ("stop", "tool_calls"):
                self._stopped.add(piece.candidate)
            made.append(piece)
        return made

    def _text(self, piece: Part) -> Text:
        text = self._texts.get(piece.key)
        if text is None or piece.whole:
            candidate = piece.key[0]
            first = text is not None or candidate not in self._begun
            self._begun.add(candidate)
            field = self._fields.get(candidate)
            if self._form == "exact":
                text = ExactText(piece.key, piece.whole, field, self._pairs)
            else:
                form = self._form if first or self._form == "sections" else ""
                text = Text(piece.key, form, piece.whole, field, self._pairs)
            self._texts[piece.key] = text
        return text

    def _add_thinking(self, candidate: int, thinking: str) -> None:
        field = self._fields.get(candidate)
        if field is None:
            field = self._fields[candidate] = []
            for key, text in self._texts.items():
                if key[0] == candidate:
                    text.off(field)
        field.append(thinking)
