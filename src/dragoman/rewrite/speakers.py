"""Msgs -> Msgs: who speaks. By role, by name in one merged history, by tag, or by a name field.

Each is a value that is called with the messages and a Report. Knows no wire: whether a wire has
a name field is a capability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias, assert_never

from ..losses import Report
from ..message import (
    AudioBlock,
    Citation,
    DocumentBlock,
    ImageBlock,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from ..message.blocks import ContentBlock
from ..rules import IdRule, mapping

__all__ = ["ByName", "ByRole", "NameField", "Rewrite", "Speakers", "Tagged", "clean_names"]


class Rewrite(Protocol):
    """Any rewrite of a history: messages and a Report in, messages out."""

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages rewritten; the very list if there is nothing to do."""
        ...


@dataclass(frozen=True, slots=True)
class ByRole:
    """The role decides who speaks: a chat of a user and an assistant."""

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages as they are."""
        return msgs


@dataclass(frozen=True, slots=True)
class NameField:
    r"""The wire's own name field tells the speakers apart; names are cleaned as `rule` demands.

    The default rule is the one of Chat Completions: no white space and none of `<|\\/>`.
    """

    rule: IdRule = IdRule(chars=r"^\s<|\\/>", max=64)

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages under names that the rule accepts; two names never become one."""
        return clean_names(msgs, self.rule, report)


def clean_names(msgs: list[Msg], rule: IdRule, report: Report) -> list[Msg]:
    """The messages under names that the rule accepts."""
    names = mapping((m.name for m in msgs if m.name), rule)
    if not names:
        return msgs
    out = []
    for m in msgs:
        if m.name not in names:
            out.append(m)
            continue
        made = Msg.trusted(names[m.name], m.content, m.role, m)
        report.made(made, m)
        report.lost("name.mapped", m, "name", did=f"written as {made.name}")
        out.append(made)
    return out


@dataclass(frozen=True, slots=True)
class Tagged:
    """Every other speaker is a user whose text begins with the name; `me` stays the assistant.

    >>> from dragoman.message import Msg
    >>> Tagged(me="Friday")([Msg("Bob", "Hi", "assistant")], Report())
    [Msg('', '[Bob]: Hi', 'user')]
    """

    me: str | None = None
    tag: str = "[{name}]: "

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages with names told in their text."""
        return [self._message(m, report) for m in msgs]

    def _message(self, m: Msg, report: Report) -> Msg:
        if not m.name or m.role in ("system", "developer") or _has_tools(m):
            return m
        if m.name == self.me:
            made = Msg.trusted("", m.content, "assistant", m)
        else:
            made = Msg.trusted("", self._tagged(m, report), "user", m)
        report.made(made, m)
        return made

    def _tagged(self, m: Msg, report: Report) -> str | list[ContentBlock]:
        tag = self.tag.format(name=m.name)
        content = m.content
        if isinstance(content, str):
            return tag + content
        blocks = list(content)
        for i, block in enumerate(blocks):
            if type(block) is TextBlock:
                shift = len(tag)
                cited = [_shifted(one, shift) for one in block.citations or ()]
                blocks[i] = replace(block, text=tag + block.text, citations=cited or None)
                report.made(blocks[i], block)
                return blocks
        return [TextBlock(tag.rstrip()), *blocks]


def _shifted(citation: Citation, by: int) -> Citation:
    """The citation of a text that begins `by` characters later."""
    start, end = citation.start, citation.end
    return replace(
        citation,
        start=None if start is None else start + by,
        end=None if end is None else end + by,
    )


_HEADING = (
    "# Conversation History\n"
    "The content between <history></history> tags contains your conversation history\n"
)


@dataclass(frozen=True, slots=True)
class ByName:
    """The name decides who speaks: each run of conversation becomes one user message.

        # Conversation History
        The content between <history></history> tags contains your conversation history
        <history>
        Bob: Hello, Alice.
        Alice: Hello, Bob.
        </history>

    `heading` stands before the first run only. Calls and results stay messages of their own, and
    so does the system prompt. Media stay where they stood. With `tag_media`, a medium that no
    text of its speaker precedes is introduced by the speaker's name.
    """

    heading: str = _HEADING
    opening: str = "<history>\n"
    closing: str = "\n</history>"
    line: str = "{name}: {text}"
    tag_media: bool = True
    _plain: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_plain", self.line == "{name}: {text}")

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages with each run of conversation merged."""
        out: list[Msg] = []
        run: list[Msg] = []
        first = True
        for i, m in enumerate(msgs):
            if i == 0 and m.role in ("system", "developer"):
                out.append(_nameless(m, report))
            elif type(m.content) is str or not (_has_tools(m) or _has_tools(report.source(m))):
                run.append(m)
            else:  # text that was cut from a message of calls or results stays with them
                if run:
                    first = not self._close(run, out, first, report) and first
                    run = []
                out.append(m)
        if run:
            self._close(run, out, first, report)
        return out

    def _close(self, run: list[Msg], out: list[Msg], first: bool, report: Report) -> bool:
        made = self.merged(run, first, report)
        if made is not None:
            out.append(made)
        return made is not None

    def merged(self, run: list[Msg], first: bool, report: Report) -> Msg | None:
        """One user message for a run of conversation; None if nothing of it can be said."""
        blocks: list[ContentBlock] = []
        lines: list[str] = []
        line = self.line
        for m in run:
            content = m.content
            if m.cache is not None or m.extras is not None:
                _aside(m, report)
            if type(content) is str:
                name = m.name
                plain = self._plain
                lines.append(
                    f"{name}: {content}" if plain else line.format(name=name, text=content)
                )
                continue
            for block in self._told(m, report):
                if type(block) is str:
                    lines.append(line.format(name=m.name, text=block))
                    continue
                if lines:
                    blocks.append(self._text("\n".join(lines), run, report))
                    lines = []
                blocks.append(block)  # type: ignore[arg-type]  # text was a line
        if lines:
            blocks.append(TextBlock("\n".join(lines)))
        if not blocks:
            return None
        if first and self.heading:
            report.lost("history.heading", run[0])
        self._wrap(blocks, self.heading if first else "", run, report)
        made = Msg.trusted("", blocks, "user")
        report.made(made, run)
        return made

    def _text(self, text: str, run: list[Msg], report: Report) -> TextBlock:
        made = TextBlock(text)
        report.made(made, run)
        return made

    def _wrap(
        self, blocks: list[ContentBlock], heading: str, run: list[Msg], report: Report
    ) -> None:
        head, tail = blocks[0], blocks[-1]
        opening = heading + self.opening
        if len(blocks) == 1 and type(head) is TextBlock:
            blocks[0] = self._text(f"{opening}{head.text}{self.closing}", run, report)
            return
        if type(head) is TextBlock:
            blocks[0] = self._text(opening + head.text, run, report)
        else:
            blocks.insert(0, self._text(opening, run, report))
        if type(tail) is TextBlock:
            last = blocks[-1]
            assert type(last) is TextBlock  # the tail, perhaps with the opening in front
            blocks[-1] = self._text(last.text + self.closing, run, report)
        else:
            blocks.append(self._text(self.closing.lstrip("\n"), run, report))

    def _told(self, m: Msg, report: Report) -> Iterator[str | ContentBlock]:
        """What a speaker says, text or media in order; what nobody can tell is a loss."""
        named = False
        for block in m.blocks:
            if type(block) is TextBlock or type(block) is RefusalBlock:
                named = True
                _aside(block, report)
                if type(block) is RefusalBlock:
                    report.lost("refusal.as_text", block)
                yield block.text
            elif (
                type(block) is ImageBlock
                or type(block) is AudioBlock
                or type(block) is VideoBlock
                or type(block) is DocumentBlock
            ):
                if not named and m.name:
                    if self.tag_media:
                        named = True
                        yield ""
                    else:
                        report.lost("speaker.untold", m, "name")
                yield block
            elif type(block) is ThinkingBlock:
                report.lost("thinking.unsaid", block)
            elif type(block) is RawBlock:
                report.lost("raw.foreign", block, what=f"raw block of {block.issuer}")
            elif type(block) is ToolUseBlock or type(block) is ToolResultBlock:
                raise AssertionError("calls and results are no conversation")
            else:
                assert_never(block)


def _aside(node: Msg | ContentBlock, report: Report) -> None:
    """Name what a text that is told leaves behind: hints, citations, fields of providers."""
    for name in ("cache", "citations"):
        if getattr(node, name, None) is not None:
            report.lost(f"{name}.unsaid", node, name)
    for issuer in node.extras or {}:
        where = f"extras.{issuer}" if issuer else "extras"
        report.lost("extras.foreign", node, where, what=f"fields of {issuer or 'nobody'}")


def _nameless(m: Msg, report: Report) -> Msg:
    if not m.name or m.name == m.role:
        made = Msg.trusted("", m.content, m.role, m) if m.name else m
    else:
        report.lost("name.unsaid", m, "name", what=m.name)
        made = Msg.trusted("", m.content, m.role, m)
    if made is not m:
        report.made(made, m)
    return made


def _has_tools(m: object) -> bool:
    content = getattr(m, "content", "")
    # str first: most messages of a conversation are text
    return type(content) is not str and any(
        type(block) is ToolUseBlock or type(block) is ToolResultBlock for block in content
    )


Speakers: TypeAlias = ByRole | ByName | Tagged | NameField
