"""The texts that are added to a conversation, all replaceable: another language, another tone.

Each text that is added to somebody's prompt is reported as a loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from ..message import (
    Base64Source,
    FileSource,
    FramesSource,
    LocalSource,
    Source,
    TextSource,
    URLSource,
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The templates of all texts that are added to a conversation.

    The field `{kind}` is image, audio, video or document, `{place}` where the medium is.
    """

    found_at: str = "The {kind} can be found at: {place}"
    returned_at: str = "The returned {kind} can be found at: {place}"
    returned: str = "The returned {kind} ({media_type}) is not shown here."
    returned_below: str = "The returned {kind} ({media_type}) is shown below."
    opening: str = (
        "<system-info>The following are the {kind} contents from the tool result of '{name}':"
    )
    line: str = "\n- The {kind} from '{place}': "
    line_bare: str = "\n- The {kind}: "
    closing: str = "</system-info>"
    media: str = ""  # one word for every kind in `opening`
    call: str = "[called {name} with {input}]"
    result: str = "[{name} returned: {output}]"
    error: str = "Error: "
    failed: str = "The call failed and said nothing."
    missing: str = "No result: the call was not carried out."
    reminder: str = "<system-reminder>\n{text}\n</system-reminder>"
    first_turn: str = "(The conversation continues.)"
    last_turn: str = "Continue."
    bridge: str = "(The results are noted.)"
    document: str = "(See the document.)"
    freeform: str = "Put the whole text into `input`, as it is."
    grammar: str = "The text must follow this {syntax} grammar:\n{text}"
    titled: str = "{title}\n\n{text}"
    json: str = "Answer in JSON."
    schema: str = "Answer in JSON that fits this JSON Schema:\n{schema}"
    answer: str = "Call this with the final answer, once it is known."

    def words(self, text: str, title: str | None) -> str:
        """Write the text of a document, under its title if it has one.

        Args:
            text: The text of the document.
            title: Its title; None or empty for none.

        Returns:
            The text.
        """
        return self.titled.format(title=title, text=text) if title else text

    def at(self, kind: str, place: str) -> str:
        """Write the text in the place of a medium of a message.

        Args:
            kind: The kind of the medium: image, audio, video or document.
            place: Where the medium is, such as its URL.

        Returns:
            The text.
        """
        return self.found_at.format(kind=kind, place=place)

    def reference(self, kind: str, source: Source, saved: str, below: bool) -> str:
        """Write the text in the place of a medium of a tool result.

        Args:
            kind: The kind of the medium: image, audio, video or document.
            source: The source of the medium.
            saved: Where the medium was saved; empty if it was not.
            below: Whether the medium itself follows in a later message.

        Returns:
            The text.
        """
        place = saved or self.place(source)
        if place:
            return self.returned_at.format(kind=kind, place=place)
        text = self.returned_below if below else self.returned
        return text.format(kind=kind, media_type=source.media_type or kind)

    def heading(self, kind: str, name: str) -> str:
        """Write the text before the media that follow a tool result.

        Args:
            kind: The kind of the media, where no word for all kinds is set (`media`).
            name: The name of the tool.

        Returns:
            The text.
        """
        return self.opening.format(kind=self.media or kind, name=name)

    def item(self, kind: str, place: str) -> str:
        """Write the text before one medium that follows a tool result.

        Args:
            kind: The kind of the medium: image, audio, video or document.
            place: Where the medium is; empty if no text can name it.

        Returns:
            The text.
        """
        template = self.line if place else self.line_bare
        return template.format(kind=kind, place=place)

    def place(self, source: Source) -> str:
        """Write where a medium is.

        Args:
            source: The source of the medium.

        Returns:
            The URL, path or file id; empty for base64, which has no place.
        """
        match source:
            case URLSource(url=url):
                return "" if url.startswith("data:") else url
            case LocalSource(path=path):
                return path
            case FileSource(file_id=file_id):
                return file_id
            case TextSource(found_at=found_at):
                return found_at or ""
            case Base64Source() | FramesSource():
                return ""
            case _:
                assert_never(source)
