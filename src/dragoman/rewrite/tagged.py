"""Tagged: the others are users whose text begins with their name, and one is the assistant.

Nobody's text can begin a line with another's tag: see `guard`. Knows no wire.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from typing import ClassVar

from ..losses import Report
from ..message import Citation, Msg, RefusalBlock, TextBlock
from ..message.blocks import ContentBlock
from .form import Form, known_names, lead_form, must_be_text
from .said import has_tools
from .voices import Voices

__all__ = ["Tagged"]


@dataclass(frozen=True, slots=True)
class Tagged:
    r"""Every other speaker is a user whose text begins with the name; `me` stays the assistant.

    >>> from dragoman.message import Msg
    >>> Tagged(me="Friday")([Msg("Bob", "Hi", "assistant")], Report())
    [Msg('', '[Bob]: Hi', 'user')]

    A line of the others that would read as the tag of a known speaker gets a backslash in front
    (`\[Alice]: `). Known are all who speak in the history, the names of roles, `me` and `known`.
    """

    lookback: ClassVar[int] = 0

    me: str | None = None
    tag: str = "[{name}]: "
    known: tuple[str, ...] = ()
    form: Form = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        must_be_text(self, "tag")
        object.__setattr__(self, "form", lead_form(self.tag))
        object.__setattr__(self, "known", known_names(self.known, self.me))

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages with names told in their text."""
        voices = Voices(self.form.guard, msgs, self.me, self.known)
        tagger = _Tagger(self, voices, report)
        out = [tagger.message(m) for m in msgs]
        if tagger.tagged:
            report.each("speaker.tagged", [(m, "name", m.name) for m in tagger.tagged])
            voices.renamed(tagger.tagged, report)
        if voices.late:
            pairs = zip(msgs, out, strict=True)
            voices.touched([([m], made) for m, made in pairs], report)
        return out


class _Tagger:
    """Tags one history, message by message."""

    __slots__ = ("by", "report", "tagged", "voices")

    def __init__(self, by: Tagged, voices: Voices, report: Report) -> None:
        self.by = by
        self.voices = voices
        self.report = report
        self.tagged: list[Msg] = []

    def message(self, m: Msg) -> Msg:
        spelled = self.voices.spelled[m.name]
        if m.role in ("system", "developer") or has_tools(m):
            return m
        if not m.name:
            if m.role != "user":
                return m
            content = self._content(m, "")
            if content is m.content:
                return m
            made = Msg.trusted("", content, "user", m)
        elif m.name == self.by.me:
            made = Msg.trusted("", m.content, "assistant", m)
        else:
            self.tagged.append(m)
            tag = self.by.form.lead_of(spelled)
            made = Msg.trusted("", self._content(m, tag), "user", m)
        self.report.made(made, m)
        return made

    def _content(self, m: Msg, tag: str) -> str | list[ContentBlock]:
        """The content behind the tag; without one, the very content if nothing is to escape."""
        content = m.content
        opens = not tag or self.by.form.guard.opens
        if isinstance(content, str):
            return tag + self._said(m, m, content, opens)[0]
        blocks: list[ContentBlock] = []
        lead = tag
        for block in content:
            if type(block) is TextBlock or type(block) is RefusalBlock:
                blocks.append(self._block(m, block, lead, opens))
                lead, opens = "", True
            else:
                blocks.append(block)
        if lead:
            return [TextBlock(lead.rstrip()), *blocks]
        same = all(new is old for new, old in zip(blocks, content, strict=True))
        return content if same else blocks

    def _block(
        self, m: Msg, block: TextBlock | RefusalBlock, lead: str, opens: bool
    ) -> ContentBlock:
        text, at = self._said(m, block, block.text, opens)
        if not lead and not at:
            return block
        made: TextBlock | RefusalBlock
        if type(block) is TextBlock:
            cited = [_shifted(one, len(lead), at) for one in block.citations or ()]
            made = replace(block, text=lead + text, citations=cited or None)
        else:
            made = replace(block, text=lead + text)
        self.report.made(made, block)
        return made

    def _said(
        self, m: Msg, node: Msg | ContentBlock, text: str, opens: bool
    ) -> tuple[str, list[int]]:
        if self.by.form.guard.calm(text) and not opens:
            return text, []
        return self.voices.safe(text, m, node, opens, self.report)


def _shifted(citation: Citation, by: int, at: list[int]) -> Citation:
    """The citation of a text that begins `by` characters later, with one more at each of `at`."""
    start, end = citation.start, citation.end
    return replace(
        citation,
        start=None if start is None else start + by + bisect_right(at, start),
        end=None if end is None else end + by + bisect_left(at, end),
    )
