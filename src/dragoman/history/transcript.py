"""The text of a conversation in a merged history: its parts, its form, the names of its speakers.

The rest of a message is reported as lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import Formatter as Parser
from typing import Any, assert_never

from ..caches import remember
from ..capabilities.name_rules import IdRule, number_value
from ..errors import ConfigError
from ..losses import Report
from ..message import (
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from ..message.blocks import ContentBlock, MediaBlock
from ..text.redaction import show
from .lookalikes import (
    BREAKS,
    RARE,
    KnownNames,
    LookalikeGuard,
    fold_text,
    lookalikes,
    visible,
    with_backslashes,
)


def texts_and_media(
    m: Msg, tag_media: bool, report: Report
) -> Iterator[tuple[Msg | ContentBlock, str] | MediaBlock]:
    """Texts with the node that holds each, and media.

    `tag_media`: an empty text of the message comes before a medium that none of its own precedes.
    """
    introduced = False
    for block in m.blocks:
        assert type(block) is not ToolUseBlock, "a call is no conversation"
        assert type(block) is not ToolResultBlock, "a result is no conversation"
        if type(block) is TextBlock or type(block) is RefusalBlock:
            introduced = True
            report_dropped_fields(block, report)
            if type(block) is RefusalBlock:
                report.add_loss("refusal.as_text", block)
            yield block, block.text
        elif isinstance(block, MediaBlock):
            if not introduced and m.name:
                if tag_media:
                    introduced = True
                    yield m, ""
                else:
                    report.add_loss("speaker.unnamed", m, "name")
            yield block
        elif type(block) is ThinkingBlock:
            report.add_loss("thinking.unsupported", block)
        elif type(block) is RawBlock:
            report.add_loss("raw.other_provider", block, what=f"raw block of {block.issuer}")
        else:
            assert_never(block)


def report_dropped_fields(node: Msg | ContentBlock, report: Report) -> None:
    """Report what a text in a history cannot carry: hints, citations, fields of providers."""
    for name in ("cache", "citations"):
        if getattr(node, name, None) is not None:
            report.add_loss(f"{name}.unsupported", node, name)
    for issuer in node.extras or {}:
        path = f"extras.{issuer}" if issuer else "extras"
        report.add_loss("extras.other_provider", node, path, what=f"fields of {issuer or 'nobody'}")


def has_tools(m: object) -> bool:
    """Whether the node is a message that holds a tool call or a tool result."""
    content = getattr(m, "content", "")
    if type(content) is str:
        return False
    for block in content:  # noqa: SIM110 - any(...) would cost more than the looking
        if type(block) is ToolUseBlock or type(block) is ToolResultBlock:
            return True
    return False


_TAG = re.compile(r"<\s*/?\s*([^\s<>/\\]+)")


@dataclass(frozen=True, slots=True)
class Form:
    """`lead` and `tail` around a text, and what no text may look like."""

    lead: str
    tail: str
    guard: LookalikeGuard

    def format_lead(self, name: str) -> str:
        """The lead of this speaker's texts."""
        return self.lead.replace("\1", name)

    def format_tail(self, name: str) -> str:
        """The tail of this speaker's texts."""
        return self.tail.replace("\1", name)


@remember("the forms of merged histories", entries=64, longest=4096, size=2**17)
def build_form(opening: str, closing: str, line: str) -> Form:
    """The form of lines like `line` between `opening` and `closing`. Raises ConfigError."""
    fields = parse_fields(line)
    if fields.count("text") != 1 or set(fields) - {"name", "text"}:
        fault = f"the line {line!r} must hold {{text}} once, and may hold {{name}}"
        raise ConfigError(fault, code="history.line")
    lead, _, tail = line.format(name="\1", text="\0").partition("\0")
    return _form(lead, tail, f"{opening}\n{closing}")


@remember("the forms of tags of speakers", entries=64, longest=4096, size=2**17)
def lead_form(tag: str) -> Form:
    """The form of texts that only begin with `tag`. Raises ConfigError."""
    if set(parse_fields(tag)) - {"name"}:
        raise ConfigError(f"the tag {tag!r} may hold {{name}} alone", code="history.line")
    return _form(tag.format(name="\1"), "", "")


def parse_fields(template: str) -> list[str]:
    """The fields of a template. Raises ConfigError if it is none, or wants a field in a format."""
    try:
        parsed = list(Parser().parse(template))
    except ValueError as error:
        raise ConfigError(f"{template!r}: {error}", code="history.template") from None
    if any(spec or conversion for _, _, spec, conversion in parsed):
        raise ConfigError(f"{template!r} must take its fields as they are", code="history.template")
    return [name for _, name, _, _ in parsed if name is not None]


def must_be_text(owner: object, *fields: str) -> None:
    """Raise ConfigError unless each of these fields is text."""
    for field in fields:
        if not isinstance(value := getattr(owner, field), str):
            raise ConfigError(f"{field} must be text, not {show(value)}", code="history.value")


def speaker_names(value: Iterable[str], me: str | None) -> tuple[str, ...]:
    """Names of speakers, one or several. Raises ConfigError for what is no name."""
    names: tuple[Any, ...] = (value,)
    if isinstance(value, Iterable) and not isinstance(value, str):
        names = tuple(value)
    for name in names if me is None else (me, *names):
        if not isinstance(name, str):
            raise ConfigError(f"a speaker's name is text, not {show(name)}", code="history.value")
    return names


def _form(lead: str, tail: str, frame: str) -> Form:
    guard = _guard(frame, lead)
    if guard.before.startswith("\\"):
        fault = "a line may not begin with a backslash, which says that it is none"
        raise ConfigError(fault, code="history.line")
    return Form(lead, tail, guard)


def _guard(frame: str, lead: str) -> LookalikeGuard:
    r"""The guard of a frame's texts, and of lines that begin with `lead`: `\1` for the name.

    A mark of `frame` is a tag that it holds, opened or closed, or else a whole line of it.
    """
    tails: dict[str, dict[str, None]] = {}
    for line in frame.splitlines():
        tags = [fold_text(tag) for tag in _TAG.findall(line)]
        for tag in tags:
            tails.setdefault("<", {})[f"/?{re.escape(tag)}"] = None
        line_looks = fold_text(line).lstrip("\\")
        if not tags and len(line_looks) > 1:
            tails.setdefault(line_looks[0], {})[re.escape(line_looks[1:])] = None
    marks = [rf"{re.escape(sign)}\\*(?={'|'.join(others)})" for sign, others in tails.items()]
    first_signs = sorted({sign for first in tails for sign in lookalikes(first)})
    head, has_name, tail = lead.partition("\1")  # this sign is invisible, so it folds to nothing
    before = fold_text(head).rpartition("\n")[2]
    after = fold_text(tail.partition("\1")[0]).partition("\n")[0]
    return LookalikeGuard(
        re.compile("|".join(marks)) if marks else None,
        tuple(sign for sign in first_signs if sign.isascii()),
        (*RARE, *(sign for sign in first_signs if not sign.isascii())),
        _lines("\n", after) if has_name else None,
        _lines(BREAKS, after),
        before,
        after,
        fold_text(tail).endswith("\n"),
        tuple(lookalikes(after[0])) if after else (),
        bool(has_name) and len(after) == 1 and not before,
        not any(map(str.isalnum, (*first_signs, *after))),
    )


def _lines(breaks: str, after: str) -> re.Pattern[str]:
    """A pattern for the beginning of a line, up to the first sign that may end a name."""
    if not after:
        return re.compile(f"[{breaks}]()")
    ends = "".join(map(re.escape, lookalikes(after[0])))
    return re.compile(f"[{breaks}]([^{breaks}{ends}]*+)[{ends}]")


_ESCAPED = "a backslash was put before it"
_ANY = IdRule()


class ShownNames(dict[str, str]):
    """Name -> how a line shows it: without what ends a line, and unlike every earlier name.

    The first to come keeps a name, so that a later speaker never changes what was written.
    """

    __slots__ = ("_guard", "_last", "_used")

    def __init__(self, guard: LookalikeGuard, first: Iterable[str] = ()) -> None:
        super().__init__()
        self._guard = guard
        self._used: set[str] = set()
        self._last: dict[str, int] = {}
        for name in first:
            _ = self[name]

    def __missing__(self, name: str) -> str:
        clean = self._guard.clean_name(name)
        looks_like = visible(clean)
        if looks_like in self._used:
            # numbers go on, so that none is tried twice
            number = self._last[looks_like] = self._last.get(looks_like, 1) + 1
            clean = looks_like = number_value(looks_like or "_", number, self._used, _ANY)[0]
        self._used.add(looks_like)
        self[name] = clean
        return clean


class Speaking:
    """The speakers of `msgs`; `me` and `known` are among them before they speak.

    One for each call of a rewrite; it reads the whole history only if some text needs it. The
    caller asks for every name in order: the first speaker of a name keeps it.
    """

    __slots__ = ("_at", "_first", "_known", "guard", "late", "msgs", "spelled")

    def __init__(
        self, guard: LookalikeGuard, msgs: list[Msg], me: str | None, known: tuple[str, ...]
    ) -> None:
        self.guard = guard
        self.msgs = msgs
        self._first = known if me is None else (me, *known)
        self.spelled = ShownNames(guard, self._first)
        self._known: KnownNames | None = None
        self._at: dict[int, int] = {}
        self.late: list[tuple[Msg, Msg]] = []  # a text, and the later speaker it had to wait for

    def list_names(self) -> KnownNames:
        """Every name of the history, with the message in which it first speaks."""
        if self._known is None:
            names = KnownNames([*self._first, *(self.spelled[name] for name in self._first)])
            spoke: set[str] = set()
            for i, m in enumerate(self.msgs):
                self._at.setdefault(id(m), i)
                if m.name not in spoke:
                    spoke.add(m.name)
                    names.add(m.name, i)
                    names.add(self.spelled[m.name], i)
            self._known = names
        return self._known

    def safe(
        self, text: str, m: Msg, node: Msg | ContentBlock, opens: bool, report: Report
    ) -> tuple[str, list[int]]:
        """The text with a backslash wherever it reads as a mark or as somebody's line; and where.

        `node` is what holds it: the message, or a block of it.
        """
        speakers = self.list_names()
        indexes, names = self.guard.find_places(text, speakers, opens)
        if not indexes:
            return text, indexes
        field = "content" if node is m else "text"
        report.add_loss("speaker.escaped", node, field, did=_ESCAPED)
        since = max((speakers.first.get(name, -1) for name in names), default=-1)
        if since > self._at[id(m)]:
            later = self.msgs[since]
            did = f"{_ESCAPED} since {self.spelled[later.name]} speaks"
            report.add_loss("speaker.later", node, field, did=did)
            self.late.append((m, later))
        return with_backslashes(text, indexes), indexes

    def report_renamed(self, msgs: Iterable[Msg], report: Report) -> None:
        """Name the messages whose speaker is shown under another name."""
        for m in msgs:
            if (spelled := self.spelled[m.name]) != m.name:
                report.add_loss("speaker.renamed", m, "name", did=f"written as {spelled}")

    def report_touched(self, runs: Sequence[tuple[list[Msg], Msg]], report: Report) -> None:
        """Report the messages whose text changed because a later speaker has a name in it."""
        messages = {id(m): message for run, message in runs for m in run}
        for m, later in self.late:
            node, until = messages[id(m)], messages.get(id(later), later)
            if node is not until:
                report.note_edit("the escape of a later speaker's name", node, until)
