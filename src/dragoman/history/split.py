"""Read a merged history back into the messages of its speakers.

This is the inverse of ByName: exact for what it wrote, and for logs of others as good as their form
allows.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import ConfigError, InvalidMessage, ReadError
from ..message import Msg, RawBlock, TextBlock
from ..message.blocks import ContentBlock
from .lookalikes import KnownNames
from .speakers import ByName
from .transcript import ShownNames

_LONGEST = 64


def split_history(
    content: Msg | str | Sequence[ContentBlock | Mapping[str, Any]],
    names: Iterable[str] | None = None,
    *,
    by: ByName | None = None,
) -> list[Msg]:
    r"""Read the messages that ByName merged, unescaped, with media in their places.

    Messages of `by.me` are the assistant's, all others the user's. Several texts of one message
    come back as several messages, for lines do not show their borders. A medium that no name
    introduces goes to the last speaker.

    Args:
        content: A message or its content: text, content blocks, or a wire's content list, in which
            `{"text": ...}` is text and every item that is no block of ours becomes a RawBlock
            without an issuer.
        names: The speakers of the whole history in the order in which they came; those that `by`
            knows are always among them. Without names every line that begins like a speaker's is
            taken for one: a guess, good for logs.
        by: The ByName that merged the history; None takes the default one.

    Returns:
        The messages, in order.

    >>> split_history("<history>\nBob: Look\nhere.\nAlice: Yes?\n</history>", ["Bob", "Alice"])
    [Msg('Bob', 'Look\nhere.', 'user'), Msg('Alice', 'Yes?', 'user')]

    Raises:
        ReadError: The content is no history in the form of `by`.
        ConfigError: The lines of `by` do not begin with a name.
    """
    by = by or ByName()
    if "\1" not in by.form.lead:
        raise ConfigError(f"lines like {by.line!r} do not begin with a name", code="history.line")
    parts = _without_frame(_parts(content), by)
    if names is None:
        names = _guess_names(parts, by)
    reader = _SpeechReader(by, [names] if isinstance(names, str) else names)
    for part in parts:
        if isinstance(part, str):
            reader.text(part)
        else:
            reader.medium(part)
    return reader.messages()


def _parts(content: Any) -> list[str | ContentBlock]:
    """Texts and everything else, in order."""
    if isinstance(content, Msg):
        content = content.content
    if isinstance(content, str):
        return [content]
    if not isinstance(content, Sequence):
        text = f"a history is text or a list of blocks, not {type(content).__name__}"
        raise ReadError(text, path="$", code="history.content")
    return [_part(item) for item in content]


def _part(item: Any) -> str | ContentBlock:
    if isinstance(item, Mapping):
        if item.get("type", "text") == "text" and isinstance(text := item.get("text"), str):
            return text
        try:
            return Msg("", [item]).blocks[0]
        except InvalidMessage:
            return RawBlock("", dict(item))
    return item.text if type(item) is TextBlock else Msg("", [item]).blocks[0]


def _without_frame(parts: list[str | ContentBlock], by: ByName) -> list[str | ContentBlock]:
    """The parts without heading, opening and closing."""
    texts = [i for i, part in enumerate(parts) if isinstance(part, str)]
    if not texts:
        raise ReadError("there is no text in the history", path="$", code="history.content")
    unframed = list(parts)
    for i, remove in ((texts[0], _after_opening), (texts[-1], _before_closing)):
        text = unframed[i]
        assert isinstance(text, str)
        unframed[i] = remove(text, by)
    return [part for i, part in enumerate(unframed) if part != "" or i not in texts]


def _after_opening(text: str, by: ByName) -> str:
    opening = by.heading + by.opening
    if not text.startswith(opening):
        opening = by.opening  # any text may come before it
    _, separator, text_after = text.partition(opening) if opening else ("", "x", text)
    if not separator:
        raise _no_frame("begin", by.opening)
    return text_after


def _before_closing(text: str, by: ByName) -> str:
    closing = by.closing
    if text == closing.lstrip("\n"):  # after a medium
        return ""
    text_before, separator, _ = text.rpartition(closing) if closing else (text, "x", "")
    if not separator:
        raise _no_frame("end", closing)
    return text_before


def _no_frame(does: str, sign: str) -> ReadError:
    hint = "give the ByName that wrote it as `by`"
    text = f"the history does not {does} with {sign!r}"
    return ReadError(text, path="$", hint=hint, code="history.frame")


def _guess_names(parts: list[str | ContentBlock], by: ByName) -> list[str]:
    """The text at the place of the name in every line."""
    lead, _, tail = by.form.lead.partition("\1")
    if not tail.strip():
        text = f"lines like {by.line!r} do not tell where a name ends"
        raise ConfigError(text, hint="give the names", code="history.names")
    tail = tail.partition("\1")[0]
    name = rf"([^\n\\]{{1,{_LONGEST}}}?)"
    line = re.compile(rf"^{re.escape(lead)}{name}{re.escape(tail)}", re.MULTILINE)
    return [name for part in parts if isinstance(part, str) for name in line.findall(part)]


def _shorter(leads: Sequence[str]) -> dict[str, str | None]:
    """For each of the sorted leads the longest other one that it begins with."""
    shorter: dict[str, str | None] = {}
    around: list[str] = []
    for lead in leads:
        while around and not lead.startswith(around[-1]):
            around.pop()
        shorter[lead] = around[-1] if around else None
        around.append(lead)
    return shorter


class _SpeechReader:
    """Puts messages together, part by part."""

    def __init__(self, by: ByName, names: Iterable[str]) -> None:
        self.by = by
        first_names = by.known if by.me is None else (by.me, *by.known)
        self.spelled = ShownNames(by.form.guard, (*first_names, *names))
        self.known = KnownNames([*self.spelled, *self.spelled.values()])
        self.leads = {by.form.format_lead(spelled): name for name, spelled in self.spelled.items()}
        self.sorted = sorted(self.leads)
        self.shorter = _shorter(self.sorted)
        several_lines = any("\n" in lead for lead in self.sorted)
        self.longest = max(map(len, self.sorted), default=0) if several_lines else None
        self.said: list[tuple[str, list[str | ContentBlock]]] = []

    def text(self, part: str) -> None:
        """One text of the history: lines of several speakers."""
        starts = self._starts(part)
        ends = [*(start - 1 for start, _ in starts), len(part)]
        if not starts or starts[0][0]:  # text without a speaker: in no history that ByName wrote
            if not self.said:
                self.said.append(("", []))
            self.said[-1][1].append(self._plain(part[: ends[0]]))
        for (start, lead), end in zip(starts, ends[1:], strict=True):
            name = self.leads[lead]
            text = part[start + len(lead) : end]
            tail = self.by.form.format_tail(self.spelled[name])
            self._add_speech(name, self._plain(text.removesuffix(tail)))

    def medium(self, block: ContentBlock) -> None:
        """Add a block between the texts to the last speaker's message."""
        if not self.said:
            self.said.append(("", []))
        name, blocks = self.said[-1]
        if self.by.tag_media and name and blocks == [""]:
            blocks.clear()  # the line only names the speaker of the medium
        blocks.append(block)

    def messages(self) -> list[Msg]:
        """The messages of all speakers, in order."""
        return [self._message(name, parts) for name, parts in self.said]

    def _starts(self, part: str) -> list[tuple[int, str]]:
        """The places where a speaker's text begins, each with its lead."""
        starts = []
        index = 0
        while index >= 0:
            end = part.find("\n", index)
            stop = None if end < 0 else end
            stop = stop if self.longest is None else index + self.longest
            if (lead := self._lead(part[index:stop])) is not None:
                starts.append((index, lead))
            index = end + 1 or -1
        return starts

    def _lead(self, line: str) -> str | None:
        """The longest lead that the line begins with.

        It is the last one in order before the line, or that begins with it: no other is asked.
        """
        i = bisect_right(self.sorted, line) - 1
        lead = self.sorted[i] if i >= 0 else None
        while lead is not None and not line.startswith(lead):
            lead = self.shorter[lead]
        return lead

    def _plain(self, text: str) -> str:
        guard = self.by.form.guard
        if guard.calm(text) and not guard.opens:
            return text
        return guard.plain(text, self.known, guard.opens)

    def _add_speech(self, name: str, text: str) -> None:
        last_name, parts = self.said[-1] if self.said else ("", [])
        if last_name == name and parts and not isinstance(parts[-1], str):
            parts.append(text)  # a speaker's texts around a medium are one message
        else:
            self.said.append((name, [text]))

    def _message(self, name: str, parts: list[str | ContentBlock]) -> Msg:
        role = "assistant" if name and name == self.by.me else "user"
        if len(parts) == 1 and isinstance(parts[0], str):
            return Msg.create_unchecked(name, parts[0], role)  # type: ignore[arg-type]  # a Role
        blocks = [TextBlock(part) if isinstance(part, str) else part for part in parts]
        return Msg.create_unchecked(name, blocks, role)  # type: ignore[arg-type]  # a Role
