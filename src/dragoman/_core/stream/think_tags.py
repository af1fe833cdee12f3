"""The tags, where a dialect expects them, and how a block notes that it stood in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Protocol, TypeAlias

from ...message import TextBlock, ThinkingBlock
from ...message.blocks import ContentBlock
from ..jsontext import Json
from .pieces import End, Key, Meta, Part, Piece

OPEN, CLOSE = "<think>", "</think>"


GAP = "|"  # in a spelling: where the thinking stood between its tags


# Where: nowhere; at the start of the message; there, and the template has written the opening tag
# into the prompt, so that the message begins inside; anywhere, any number of them.
TagForm: TypeAlias = Literal["", "leading", "inside", "sections"]


def overlap(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the beginning of the tag."""
    at = text.find("<", max(0, len(text) - len(tag) + 1))
    while at >= 0:
        if tag.startswith(text[at:]):
            return len(text) - at
        at = text.find("<", at + 1)
    return 0


_START, _OPENED, _THINKING, _CLOSED, _MIRRORED, _TEXT = range(6)


class Text:
    """One text of the answer, and where in it we are."""

    def __init__(self, key: Key, form: TagForm, whole: bool, field: list[str] | None) -> None:
        self._key = key
        self._whole = whole  # it replaces what was read under the key
        self._field = field  # thinking in a field of its own: what the tags may only say again
        self._form = form if field is None else ""
        self._copy: list[str] = []  # of a section that may say it again
        self._state = _START if form else _TEXT
        if self._form == "inside":
            self._state = _OPENED
        self._note: str | None = None  # how the text itself stood on the wire
        self._held = ""  # shorter than a tag: the beginning of one, perhaps
        self._blanks: list[str] = []  # before what comes next
        self._before = ""  # tags that were passed, and no block has them in its spelling yet
        self._after = ""
        self._nth = 0  # how many blocks there were
        self._open = False  # whether the block has begun
        self.plain = False  # nothing that comes can be a tag
        self._all: list[str] | None = [] if self._form == "inside" else None

    def feed(self, piece: Part, block: TextBlock, made: list[Piece]) -> None:
        """Append what the piece is made of."""
        plain = self._form != "sections" or "<" not in block.text
        if plain and self._state == _TEXT and not (self._nth or self._held or self._before):
            self._open = True
            self.plain = self._form != "sections"
            made.append(piece)
            return
        self._note = block.spelling
        aside = block.citations or block.extras or block.cache
        begun = len(made)
        self._add(block.text, made)
        if aside:  # what stands beside the text goes with the first of its pieces
            self._beside(block, made, begun)

    def _beside(self, block: TextBlock, made: list[Piece], begun: int) -> None:
        for nth in range(begun, len(made)):
            piece = made[nth]
            if type(piece) is Part and type(piece.block) is TextBlock:
                said = replace(block, text=piece.block.text, spelling=piece.block.spelling)
                made[nth] = Part(piece.key, said, piece.whole)
                return
        made.append(Part(self._here(TextBlock), replace(block, text="", spelling=None)))

    def _add(self, text: str, made: list[Piece]) -> None:
        if self._all is not None:
            self._all.append(text)
        text, self._held = self._held + text, ""
        while text:
            if self._state == _TEXT:
                text = self._said(text, made)
            elif self._state == _THINKING:
                text = self._thinking(text, made)
            elif self._state == _START:
                text = self._started(text)
            elif self._state == _OPENED:
                text = self._opened(text)
            elif self._state == _CLOSED:
                text = self._closed(text, made)
            else:
                text = self._mirrored(text)

    def _unblank(self, text: str) -> str:
        """The text behind its blanks, which are put aside."""
        bare = text.lstrip()
        if len(bare) < len(text):
            self._blanks.append(text[: len(text) - len(bare)])
        return bare

    def _taken(self) -> str:
        blanks, self._blanks = "".join(self._blanks), []
        return blanks

    def _started(self, text: str) -> str:
        bare = self._unblank(text)
        if bare.startswith(OPEN):
            self._before += self._taken() + OPEN
            self._state = _OPENED if self._field is None else _MIRRORED
            return bare[len(OPEN) :]
        if bare.startswith(CLOSE) and self._field is None:  # its opener was the template's
            self._before += self._taken() + CLOSE
            self._state = _CLOSED
            return bare[len(CLOSE) :]
        if OPEN.startswith(bare) or CLOSE.startswith(bare):
            self._held = bare
            return ""
        self._state = _TEXT
        return self._taken() + bare

    def _opened(self, text: str) -> str:
        bare = self._unblank(text)
        if self._form == "inside" and not self._before:
            if bare.startswith(OPEN):  # the template opened nothing
                self._before = self._taken() + OPEN
                return bare[len(OPEN) :]
            if OPEN.startswith(bare):
                self._held = bare
                return ""
        if bare:
            self._before += self._taken()
            self._state = _THINKING
        return bare

    def _thinking(self, text: str, made: list[Piece]) -> str:
        at = text.find(CLOSE)
        end = at if at >= 0 else len(text) - overlap(text, CLOSE)
        said = text[:end]
        bare = said.rstrip()
        if bare:
            self._emit(ThinkingBlock(self._taken() + bare), made)
        if len(bare) < len(said):
            self._blanks.append(said[len(bare) :])
        if at < 0:
            self._held = text[end:]
            return ""
        self._after = self._taken() + CLOSE
        self._state = _CLOSED
        self._all = None
        return text[at + len(CLOSE) :]

    def _mirrored(self, text: str) -> str:
        """A section of an answer that has its thinking in a field, too."""
        at = text.find(CLOSE)
        end = at if at >= 0 else len(text) - overlap(text, CLOSE)
        self._copy.append(text[:end])
        if at < 0:
            self._held = text[end:]
            return ""
        inner, self._copy = "".join(self._copy), []
        if inner.strip() == "".join(self._field or ()).strip():
            self._after = inner + CLOSE
            self._state = _CLOSED
            return text[at + len(CLOSE) :]
        before, self._before = self._before, ""
        self._state = _TEXT
        return before + inner + text[at:]

    def _closed(self, text: str, made: list[Piece]) -> str:
        bare = self._unblank(text)
        if bare:
            self._close(made)
            self._state = _TEXT
        return bare

    def _close(self, made: list[Piece]) -> None:
        """End the section; the tags of an empty one wait for the next block."""
        self._after += self._taken()
        if self._open:
            spelling = self._before + GAP + self._after
            self._emit(ThinkingBlock("", spelling=spelling), made)
            self._next()
        else:
            self._before += self._after
        self._after = ""

    def _next(self) -> None:
        self._before = ""
        self._nth += 1
        self._open = False

    def _said(self, text: str, made: list[Piece]) -> str:
        if self._form != "sections":
            self._emit(TextBlock(text), made)
            return ""
        at = text.find(OPEN)
        end = at if at >= 0 else len(text) - overlap(text, OPEN)
        if end:
            self._emit(TextBlock(text[:end]), made)
        if at < 0:
            self._held = text[end:]
            return ""
        if self._open:
            self._next()
        self._before += OPEN
        self._state = _OPENED
        return text[at + len(OPEN) :]

    def _here(self, kind: type[TextBlock | ThinkingBlock]) -> Key:
        return (*self._key, self._nth) if self._nth or kind is ThinkingBlock else self._key

    def _emit(self, block: TextBlock | ThinkingBlock, made: list[Piece]) -> None:
        if type(block) is TextBlock and not self._open:
            block.spelling, self._before = self._before or self._note, ""
        whole = self._whole and not self._open
        self._open = True
        made.append(Part(self._here(type(block)), block, whole))

    def off(self, field: list[str]) -> None:
        """The answer has thinking in a field. A section that is being read goes on to its end."""
        if self._state == _OPENED and not self._open:
            if self._form == "inside" and not self._before:
                self._state = _START
            else:
                self._state = _MIRRORED
                self._copy = [self._taken()]
        self._field = field
        self._form = ""

    def finish(self, made: list[Piece], stopped: bool) -> None:
        """Say what was held back. `stopped`: the model had said all that it had to say."""
        if self._all is not None and stopped and self._state in (_OPENED, _THINKING):
            # it never closed what it was taken to begin in: so it did not think
            text = "".join(self._all)
            if text:
                made.append(Part(self._here(ThinkingBlock), TextBlock(text), whole=True))
            return
        self._flush(made)

    def _flush(self, made: list[Piece]) -> None:
        held, self._held = self._held, ""
        if self._state == _CLOSED:
            self._close(made)
        elif self._state in (_OPENED, _THINKING):
            if held:
                self._emit(ThinkingBlock(self._taken() + held), made)
            if self._open:
                spelling = self._before + GAP + self._taken()
                self._emit(ThinkingBlock("", spelling=spelling), made)
                self._next()
            self._before += self._taken()
        elif self._state == _MIRRORED:
            inner = "".join(self._copy) + held
            if inner.strip() and "".join(self._field or ()).strip().startswith(inner.strip()):
                self._before += inner
            else:
                before, self._before = self._before, ""
                self._emit(TextBlock(before + inner), made)
        elif held or self._blanks:
            self._emit(TextBlock(self._taken() + held), made)
        if self._before:  # of sections without a word, and nothing came behind them
            made.append(Meta({"think_tags": self._before}, self._key[0]))
            self._before = ""


def glued(blocks: Sequence[ContentBlock]) -> Sequence[ContentBlock]:
    """The blocks, thinking that was read in tags put back into the text about it, as it stood."""
    if all(block.spelling is None for block in blocks):
        return blocks  # nothing was read in tags
    made: list[ContentBlock] = []
    tagged = False  # whether the text before ends with a section
    for block in blocks:
        text = _spelled(block)
        last = made[-1] if made else None
        if text is None:
            made.append(block)
        elif type(last) is TextBlock and (tagged or type(block) is ThinkingBlock):
            base = block if type(block) is TextBlock else last
            made[-1] = replace(base, text=last.text + text, spelling=None)
        else:
            base = block if type(block) is TextBlock else TextBlock("")
            made.append(replace(base, text=text, spelling=None))
        tagged = type(block) is ThinkingBlock and text is not None
    return made


def _spelled(block: ContentBlock) -> str | None:
    """What the block says in the text of a message; None if it stands elsewhere."""
    note = block.spelling or ""
    if type(block) is TextBlock:
        return note + block.text if CLOSE in note else block.text
    if type(block) is ThinkingBlock and GAP in note:
        before, _, after = note.partition(GAP)
        return before + block.thinking + after
    return None


class _Reads(Protocol):
    def feed(self, payload: Json, event: str | None = None) -> list[Piece]: ...

    def finish(self) -> list[Piece]: ...


class Tagged:
    r"""A reader whose texts are split at the tags.

    An answer that has thinking in a field of its own keeps tags as text, except for a section that
    says the same again. Blanks next to a tag belong to it: they stand in the `spelling` of the
    thinking (`<think>\n|\n</think>\n\n`). A section that is empty, or said again, stands in the
    `spelling` of the text behind it.
    """

    def __init__(self, reader: _Reads, form: TagForm) -> None:
        self._reader = reader
        self._form = form
        self._texts: dict[Key, Text] = {}
        self._fields: dict[int, list[str]] = {}  # of candidates with thinking in a field
        self._begun: set[int] = set()  # candidates of whose text the first block is known
        self._stopped: set[int] = set()

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one event, or of a whole answer."""
        return self._split(self._reader.feed(payload, event))

    def finish(self) -> list[Piece]:
        """What was held back for a tag that did not come."""
        made = self._split(self._reader.finish())
        for key, text in self._texts.items():
            text.finish(made, key[0] in self._stopped)
        return made

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
                self._thought(piece.key[0], piece.block.thinking)
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
            form = self._form if first or self._form == "sections" else ""
            field = self._fields.get(candidate)
            text = self._texts[piece.key] = Text(piece.key, form, piece.whole, field)
        return text

    def _thought(self, candidate: int, thinking: str) -> None:
        field = self._fields.get(candidate)
        if field is None:
            field = self._fields[candidate] = []
            for key, text in self._texts.items():
                if key[0] == candidate:
                    text.off(field)
        field.append(thinking)
