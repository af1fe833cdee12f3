"""The ways to write who speaks: ByName, Tagged, ByRole and NameField. Knows no wire.

A text cannot close the history, or pass for the text of another speaker: `lookalikes` finds what
would read so, and a backslash is added there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from operator import is_
from typing import ClassVar, Literal, Protocol, TypeAlias

from ..capabilities.name_rules import IdRule, mapping
from ..errors import ConfigError
from ..losses import Report
from ..message import Citation, Msg, RefusalBlock, TextBlock
from ..message.blocks import ContentBlock
from ..text.redaction import show
from . import transcript as speech
from .transcript import Form, Speaking, has_tools

_HEADING = (
    "# Conversation History\n"
    "The content between <history></history> tags contains your conversation history\n"
)


@dataclass(frozen=True, slots=True)
class ByName:
    r"""Write each run of conversation as one user message whose lines name their speakers.

        # Conversation History
        The content between <history></history> tags contains your conversation history
        <history>
        Bob: Hello, Alice.
        Alice: Hello, Bob.
        </history>

    Calls and results stay messages of their own, and so does the system prompt. Media stay where
    they were.

    A text that would read as a tag of the history, or one of its lines as the line of a known
    speaker, gets a backslash there (`<\/history>`, `\Bob: `); `split_history` takes it away.
    Known are all who speak in the history, the names of roles, `me` and `known`. Names lose line
    breaks, colons and tags.

    Args:
        heading: The text before the first run; later runs have none.
        opening: The text before each run.
        closing: The text after each run.
        line: The template of a text, with the fields `{name}` and `{text}`.
        tag_media: Whether the speaker's name introduces a medium that no text of its speaker
            precedes.
        unshown: The text for a medium that the wire does not take, with `{kind}` for image, audio
            and so on; empty for no text.
        me: The name of the agent whose model reads the history. With it, other agents' calls and
            their results are written into the history as text too, for on the wire a call is the
            model's own.
        known: The names of speakers who have not spoken yet, so that no text can pass for theirs,
            and earlier text stays as it is when they begin to speak.
        own_messages: What becomes of the messages of `me`: "merge" writes them into the history,
            "assistant" leaves each a message of the assistant between two histories.

    Raises:
        ConfigError: `line` does not hold `{text}` once, or a value is of the wrong type.
    """

    lookback: ClassVar[int] = 1  # the last message grows while the conversation goes on

    heading: str = _HEADING
    opening: str = "<history>\n"
    closing: str = "\n</history>"
    line: str = "{name}: {text}"
    tag_media: bool = True
    unshown: str = "[{kind}]"
    me: str | None = None
    known: tuple[str, ...] = ()
    own_messages: Literal["merge", "assistant"] = "merge"
    form: Form = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        speech.must_be_text(self, "heading", "opening", "closing", "line", "unshown")
        if self.own_messages not in ("merge", "assistant"):
            fault = f"own_messages is merge or assistant, not {show(self.own_messages)}"
            raise ConfigError(fault, code="history.value")
        object.__setattr__(self, "form", speech.build_form(self.opening, self.closing, self.line))
        object.__setattr__(self, "known", speech.speaker_names(self.known, self.me))
        if set(speech.parse_fields(self.unshown)) - {"kind"}:
            fault = f"{self.unshown!r} may hold {{kind}} and no other field"
            raise ConfigError(fault, code="history.template")

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages with each run of conversation merged."""
        teller = _Merger(self, msgs, report)
        leads = teller.leads
        own = self.me if self.own_messages == "assistant" else None
        run: list[Msg] = []
        for i, m in enumerate(msgs):
            if i == 0 and m.role in ("system", "developer"):
                teller.lead(m.name)
                teller.out.append(_without_name(m, report))
            elif (type(m.content) is str or not self._stays(m, report)) and (
                own is None or m.name != own or m.role in ("system", "developer")
            ):
                run.append(m)
            else:
                if run:
                    teller.tell(run)
                    run = []
                if m.name not in leads:  # a speaker without text keeps its name from others too
                    teller.lead(m.name)
                if own is not None and m.name == own and not has_tools(m):
                    m = report.record_copy(Msg.create_unchecked("", m.content, "assistant", m), m)  # noqa: PLW2901
                teller.out.append(m)
        if run:
            teller.tell(run)
        return teller.finish_history()

    def _stays(self, m: Msg, report: Report) -> bool:
        """Whether the message is one of calls or results, or text that was cut from one.

        Text of another agent beside its calls goes into the history with them.
        """
        if has_tools(m):
            return True
        other = self.me is not None and m.role == "assistant" and m.name not in ("", self.me)
        return not other and has_tools(report.source(m))


def _without_name(m: Msg, report: Report) -> Msg:
    if not m.name:
        return m
    if m.name != m.role:
        report.add_loss("name.unsupported", m, "name", what=m.name)
    return report.record_copy(Msg.create_unchecked("", m.content, m.role, m), m)


class _Merger:
    """Merges the runs of one history, one by one."""

    __slots__ = ("by", "leads", "out", "report", "runs", "voices")

    def __init__(self, by: ByName, msgs: list[Msg], report: Report) -> None:
        self.by = by
        self.report = report
        self.voices = Speaking(by.form.guard, msgs, by.me, by.known)
        self.leads: dict[str, str] = {}
        self.out: list[Msg] = []
        self.runs: list[tuple[list[Msg], Msg]] = []

    def tell(self, run: list[Msg]) -> None:
        """Add one message for a run of conversation; none if nothing of it can be written."""
        report, by = self.report, self.by
        opening = by.opening if self.runs else by.heading + by.opening
        text = self._texts(run)
        if text is not None:
            blocks: list[ContentBlock] = [self._text(f"{opening}{text}{by.closing}", run)]
        else:
            blocks = self._blocks(run)
            if not blocks:
                return
            self._wrap(blocks, opening, run)
        if not self.runs and by.heading:
            report.add_loss("history.heading", run[0])
        message = report.record_copy(Msg.create_unchecked("", blocks, "user"), run)
        self.runs.append((run, message))
        self.out.append(message)

    def finish_history(self) -> list[Msg]:
        """The whole history, after the last run was merged."""
        if self.runs:
            self.report.add_losses("history.frame", ((run[0], "", "") for run, _ in self.runs))
        if any(name != spelled for name, spelled in self.voices.spelled.items()):
            self.voices.report_renamed((m for run, _ in self.runs for m in run), self.report)
        if self.voices.late:
            self.voices.report_touched(self.runs, self.report)
        return self.out

    def _texts(self, run: list[Msg]) -> str | None:
        """The lines of mere texts, with one look at all of them; None if there is more to it."""
        form, guard = self.by.form, self.by.form.guard
        if form.tail or guard.opens:
            return None
        try:
            body = "".join([m.content for m in run])  # type: ignore[misc]  # raises for blocks
        except TypeError:
            return None
        leads = self.leads
        lines = []
        for m in run:
            if m.cache is not None or m.extras is not None:
                return None
            try:
                lead = leads[m.name]
            except KeyError:
                lead = self.lead(m.name)
            lines.append(lead + m.content)  # type: ignore[operator]  # it is text
        text = "\n".join(lines)
        if guard.calm(body) or guard.steady(text, self.voices.list_names(), len(lines)):
            return text
        return "\n".join(self._line(m, m, m.content) for m in run)  # type: ignore[arg-type]

    def _blocks(self, run: list[Msg]) -> list[ContentBlock]:
        """Texts as lines, and media between them."""
        blocks: list[ContentBlock] = []
        lines: list[str] = []
        for m in run:
            self.lead(m.name)
            if m.cache is not None or m.extras is not None:
                speech.report_dropped_fields(m, self.report)
            if type(m.content) is str:
                lines.append(self._line(m, m, m.content))
                continue
            for part in speech.texts_and_media(m, self.by.tag_media, self.report):
                if isinstance(part, tuple):
                    lines.append(self._line(m, *part))
                    continue
                if lines:
                    blocks.append(self._text("\n".join(lines), run))
                    lines = []
                blocks.append(part)
        if lines:
            blocks.append(TextBlock("\n".join(lines)))
        return blocks

    def _line(self, m: Msg, node: Msg | ContentBlock, text: str) -> str:
        form = self.by.form
        if not form.guard.calm(text) or form.guard.opens:
            text, _ = self.voices.safe(text, m, node, form.guard.opens, self.report)
        return f"{self.leads[m.name]}{text}{form.format_tail(self.voices.spelled[m.name])}"

    def lead(self, name: str) -> str:
        """The text before each text of a speaker; the first to use a name keeps it."""
        if name not in self.leads:
            self.leads[name] = self.by.form.format_lead(self.voices.spelled[name])
        return self.leads[name]

    def _text(self, text: str, run: list[Msg]) -> TextBlock:
        return self.report.record_copy(TextBlock(text), run)

    def _wrap(self, blocks: list[ContentBlock], opening: str, run: list[Msg]) -> None:
        """Put opening and closing around the blocks: into a text at the end, else beside it."""
        first = blocks[0]
        if type(first) is TextBlock:
            blocks[0] = self._text(opening + first.text, run)
        else:
            blocks.insert(0, self._text(opening, run))
        last, closing = blocks[-1], self.by.closing
        if type(last) is TextBlock:
            blocks[-1] = self._text(last.text + closing, run)
        else:
            blocks.append(self._text(closing.lstrip("\n"), run))


@dataclass(frozen=True, slots=True)
class Tagged:
    r"""Write each other speaker as a user whose text begins with the name; `me` is the assistant.

    >>> from dragoman.message import Msg
    >>> Tagged(me="Friday")([Msg("Bob", "Hi", "assistant")], Report())
    [Msg('', '[Bob]: Hi', 'user')]

    A line of the others that would read as the tag of a known speaker gets a backslash in front
    (`\[Alice]: `). Known are all who speak in the history, the names of roles, `me` and `known`.

    Args:
        me: The name of the agent whose model reads the history. With it, other agents' calls and
            their results are written as text of those agents.
        tag: The template of the text before a speaker's text, with the field `{name}`.
        known: The names of speakers who have not spoken yet.

    Raises:
        ConfigError: `tag` holds another field, or a value is of the wrong type.
    """

    lookback: ClassVar[int] = 0

    me: str | None = None
    tag: str = "[{name}]: "
    known: tuple[str, ...] = ()
    form: Form = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        speech.must_be_text(self, "tag")
        object.__setattr__(self, "form", speech.lead_form(self.tag))
        object.__setattr__(self, "known", speech.speaker_names(self.known, self.me))

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages with the names of their speakers in the text."""
        voices = Speaking(self.form.guard, msgs, self.me, self.known)
        tagger = _Tagger(self, voices, report)
        out = [tagger.message(m) for m in msgs]
        if tagger.tagged:
            report.add_losses("speaker.tagged", [(m, "name", m.name) for m in tagger.tagged])
            voices.report_renamed(tagger.tagged, report)
        if voices.late:
            pairs = zip(msgs, out, strict=True)
            voices.report_touched([([m], message) for m, message in pairs], report)
        return out


class _Tagger:
    """Tags one history, message by message."""

    __slots__ = ("by", "report", "tagged", "voices")

    def __init__(self, by: Tagged, voices: Speaking, report: Report) -> None:
        self.by = by
        self.voices = voices
        self.report = report
        self.tagged: list[Msg] = []

    def message(self, m: Msg) -> Msg:
        shown_name = self.voices.spelled[m.name]
        if m.role in ("system", "developer") or has_tools(m):
            return m
        if not m.name:
            if m.role != "user":
                return m
            content = self._content(m, "")
            if content is m.content:
                return m
            tagged = Msg.create_unchecked("", content, "user", m)
        elif m.name == self.by.me:
            tagged = Msg.create_unchecked("", m.content, "assistant", m)
        else:
            self.tagged.append(m)
            tag = self.by.form.format_lead(shown_name)
            tagged = Msg.create_unchecked("", self._content(m, tag), "user", m)
        return self.report.record_copy(tagged, m)

    def _content(self, m: Msg, tag: str) -> str | list[ContentBlock]:
        """The tag and the content; the very same content if there is no tag and no escape."""
        content = m.content
        opens = not tag or self.by.form.guard.opens
        if isinstance(content, str):
            return tag + self._tag_text(m, m, content, opens)[0]
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
        return content if all(map(is_, blocks, content)) else blocks

    def _block(
        self, m: Msg, block: TextBlock | RefusalBlock, lead: str, opens: bool
    ) -> ContentBlock:
        text, indexes = self._tag_text(m, block, block.text, opens)
        if not lead and not indexes:
            return block
        tagged = replace(block, text=lead + text)
        if type(tagged) is TextBlock:
            citations = tagged.citations or ()
            tagged.citations = [_shift_citation(c, len(lead), indexes) for c in citations] or None
        return self.report.record_copy(tagged, block)

    def _tag_text(
        self, m: Msg, node: Msg | ContentBlock, text: str, opens: bool
    ) -> tuple[str, list[int]]:
        if self.by.form.guard.calm(text) and not opens:
            return text, []
        return self.voices.safe(text, m, node, opens, self.report)


def _shift_citation(citation: Citation, offset: int, indexes: list[int]) -> Citation:
    """The citation of a text that begins `offset` later, with one character more at `indexes`."""
    start, end = citation.start, citation.end
    return replace(
        citation,
        start=None if start is None else start + offset + bisect_right(indexes, start),
        end=None if end is None else end + offset + bisect_left(indexes, end),
    )


class Rewrite(Protocol):
    """Any rewrite of a history: messages and a Report in, messages out.

    It may have an attribute `lookback`: how many of the last messages it may write otherwise when
    the history goes on; without it, none.
    """

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages rewritten; the very list if there is nothing to do."""
        ...


@dataclass(frozen=True, slots=True)
class ByRole:
    """The role decides who speaks: a chat of a user and an assistant."""

    lookback: ClassVar[int] = 0

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages as they are."""
        return msgs


@dataclass(frozen=True, slots=True)
class NameField:
    r"""Leave the names to the wire's own name field, cleaned so that the field accepts them.

    Args:
        rule: What the field accepts; by default that of Chat Completions: no white space and none
            of `<|\\/>`.

    Raises:
        ConfigError: `rule` is no IdRule.
    """

    lookback: ClassVar[int] = 0

    rule: IdRule = IdRule(chars=r"^\s<|\\/>", max=64)

    def __post_init__(self) -> None:
        if not isinstance(self.rule, IdRule):
            raise ConfigError(f"{show(self.rule)} is no IdRule", code="history.value")

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages under names that the rule accepts; two names never become one."""
        return clean_names(msgs, self.rule, report)


Speakers: TypeAlias = ByRole | ByName | Tagged | NameField


def clean_names(
    msgs: list[Msg], rule: IdRule, report: Report, before: tuple[str, ...] = ()
) -> list[Msg]:
    """Rename speakers so that a rule accepts their names; two names never become one.

    Args:
        msgs: The messages; they are not changed.
        rule: The rule for names.
        report: Gets a loss for each message whose name changes.
        before: The names of speakers of earlier messages, which keep their new names.

    Returns:
        The messages under their new names; the very list if none changes.
    """
    names = mapping([*filter(None, before), *(m.name for m in msgs if m.name)], rule)
    if not names:
        return msgs
    return [_rename_speaker(m, names[m.name], report) if m.name in names else m for m in msgs]


def _rename_speaker(m: Msg, name: str, report: Report) -> Msg:
    report.add_loss("name.mapped", m, "name", did=f"written as {name}")
    return report.record_copy(Msg.create_unchecked(name, m.content, m.role, m), m)
