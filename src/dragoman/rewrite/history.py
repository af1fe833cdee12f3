"""ByName: each run of conversation becomes one user message that tells who said what.

Nobody's text can close the history or speak in another's name: see `guard`. Knows no wire.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ..errors import ConfigError
from ..losses import Report
from ..message import Msg, TextBlock
from ..message.blocks import ContentBlock
from .form import Form, fields_of, form_of, known_names, must_be_text
from .said import aside, has_tools, said
from .voices import Voices

__all__ = ["ByName"]

_HEADING = (
    "# Conversation History\n"
    "The content between <history></history> tags contains your conversation history\n"
)


@dataclass(frozen=True, slots=True)
class ByName:
    r"""The name decides who speaks: each run of conversation becomes one user message.

        # Conversation History
        The content between <history></history> tags contains your conversation history
        <history>
        Bob: Hello, Alice.
        Alice: Hello, Bob.
        </history>

    `heading` stands before the first run only. Calls and results stay messages of their own, and
    so does the system prompt. Media stay where they stood. With `tag_media`, a medium that no
    text of its speaker precedes is introduced by the speaker's name; one that the wire does not
    take is told as `unshown` (empty: not at all), with `{kind}` for image, audio and so on.

    A text that would read as a tag of the history, or one of its lines as the line of a known
    speaker, gets a backslash there (`<\/history>`, `\Bob: `); `split_history` takes it away.
    Known are all who speak in the history, the names of roles, `me` and `known`: give the names
    of those who have not spoken yet, so that nobody speaks for them and earlier text stays as it
    is when they come. Names lose line breaks, colons and tags. Raises ConfigError for a `line`
    that does not hold `{text}` once.
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
    form: Form = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        must_be_text(self, "heading", "opening", "closing", "line", "unshown")
        object.__setattr__(self, "form", form_of(self.opening, self.closing, self.line))
        object.__setattr__(self, "known", known_names(self.known, self.me))
        if set(fields_of(self.unshown)) - {"kind"}:
            raise ConfigError(
                f"{self.unshown!r} may hold {{kind}} and no other field", code="history.template"
            )

    def __call__(self, msgs: list[Msg], report: Report, /) -> list[Msg]:
        """The messages with each run of conversation merged."""
        teller = _Teller(self, msgs, report)
        leads, out = teller.leads, teller.out
        run: list[Msg] = []
        for i, m in enumerate(msgs):
            if i == 0 and m.role in ("system", "developer"):
                teller.lead(m.name)
                out.append(_nameless(m, report))
            elif type(m.content) is str or not (has_tools(m) or has_tools(report.source(m))):
                run.append(m)
            else:  # text that was cut from a message of calls or results stays with them
                if run:
                    teller.tell(run)
                    run = []
                if m.name not in leads:  # who says nothing here is a speaker all the same
                    teller.lead(m.name)
                out.append(m)
        if run:
            teller.tell(run)
        return teller.done()


def _nameless(m: Msg, report: Report) -> Msg:
    if not m.name:
        return m
    if m.name != m.role:
        report.lost("name.unsaid", m, "name", what=m.name)
    made = Msg.trusted("", m.content, m.role, m)
    report.made(made, m)
    return made


class _Teller:
    """Tells one history, run by run."""

    __slots__ = ("by", "leads", "out", "renamed", "report", "runs", "voices")

    def __init__(self, by: ByName, msgs: list[Msg], report: Report) -> None:
        self.by = by
        self.report = report
        self.voices = Voices(by.form.guard, msgs, by.me, by.known)
        self.leads: dict[str, str] = {}
        self.out: list[Msg] = []
        self.runs: list[tuple[list[Msg], Msg]] = []
        self.renamed = False

    def tell(self, run: list[Msg]) -> None:
        """One message for a run of conversation; none if nothing of it can be said."""
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
            report.lost("history.heading", run[0])
        made = Msg.trusted("", blocks, "user")
        report.made(made, run)
        self.runs.append((run, made))
        self.out.append(made)

    def done(self) -> list[Msg]:
        """The whole history, once all of it was told."""
        if self.runs:
            self.report.each("history.frame", ((run[0], "", "") for run, _ in self.runs))
        if self.renamed:
            self.voices.renamed((m for run, _ in self.runs for m in run), self.report)
        if self.voices.late:
            self.voices.touched(self.runs, self.report)
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
        if guard.calm(body) or guard.steady(text, self.voices.known(), len(lines)):
            return text
        return "\n".join(self._line(m, m, m.content) for m in run)  # type: ignore[arg-type]

    def _blocks(self, run: list[Msg]) -> list[ContentBlock]:
        """Texts as lines, and media between them."""
        blocks: list[ContentBlock] = []
        lines: list[str] = []
        for m in run:
            if m.name not in self.leads:
                self.lead(m.name)
            if m.cache is not None or m.extras is not None:
                aside(m, self.report)
            if type(m.content) is str:
                lines.append(self._line(m, m, m.content))
                continue
            for part in said(m, self.by.tag_media, self.report):
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
        return f"{self.leads[m.name]}{text}{form.tail_of(self.voices.spelled[m.name])}"

    def lead(self, name: str) -> str:
        """What stands before the texts of a speaker; names are taken in turn."""
        spelled = self.voices.spelled[name]
        if spelled != name:
            self.renamed = True
        made = self.leads[name] = self.by.form.lead_of(spelled)
        return made

    def _text(self, text: str, run: list[Msg]) -> TextBlock:
        made = TextBlock(text)
        self.report.made(made, run)
        return made

    def _wrap(self, blocks: list[ContentBlock], opening: str, run: list[Msg]) -> None:
        head, tail = blocks[0], blocks[-1]
        closing = self.by.closing
        if len(blocks) == 1 and type(head) is TextBlock:
            blocks[0] = self._text(f"{opening}{head.text}{closing}", run)
            return
        if type(head) is TextBlock:
            blocks[0] = self._text(opening + head.text, run)
        else:
            blocks.insert(0, self._text(opening, run))
        if type(tail) is TextBlock:
            last = blocks[-1]
            assert type(last) is TextBlock  # the tail, perhaps with the opening in front
            blocks[-1] = self._text(last.text + closing, run)
        else:
            blocks.append(self._text(closing.lstrip("\n"), run))
