"""Views of a chat: plain lines, or a terminal with Markdown that is laid out as it comes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..losses import Loss
from ..message import ContentBlock, Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ..stream.events import StreamEvent
from ..text.json_text import arguments
from . import output
from .output import plain, printable, style_text

if TYPE_CHECKING:
    from rich.live import Live

_SHOWN = 500  # characters of a tool's arguments, and of its result
_MARGIN = 3  # lines of the terminal that the growing text leaves free
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


class PlainView:
    """Lines of text, for pipes and scripts.

    Args:
        read: Gets a prompt and returns the next line; None at the end.
    """

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self.read = read
        self.screen = output.Screen()
        self._line_open = False

    def event(self, event: StreamEvent) -> None:
        """Write a piece of an answer; of several candidates only the first."""
        if event.type == "finish" or event.key[0]:
            return
        kind, _, step = event.type.partition("-")
        if event.type == "block":
            self._write(_block_text(event.block))
        elif kind == "tool":
            return
        elif step == "start" and kind == "thinking":
            self._write("thinking: ")
        elif step == "delta":
            self._write(printable(event.text))
        if step in ("", "end"):
            self._end_line()

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
        self._line_open = not text.endswith("\n") if text else self._line_open

    def _end_line(self) -> None:
        if self._line_open:
            self._write("\n")

    def finish_answer(self) -> None:
        """End the line of an answer."""
        self._end_line()

    def note(self, text: str) -> None:
        """Write a message of the session."""
        for line in text.splitlines():
            self.screen.line(plain(line), style="dim")

    def error(self, text: str) -> None:
        """Write an error to stderr."""
        output.report(text, 0)

    def losses(self, title: str, losses: Sequence[Loss]) -> None:
        """Write losses, the most important first."""
        self.screen.line(f"{plain(title)} - {output.count_losses(losses)}", style="bold")
        if losses:
            self.screen.print(output.loss_table(losses))

    def call(self, call: ToolUseBlock, whole: bool = False) -> None:
        """Write the call of a tool; `whole`: all of its arguments, however long they are.

        What the user approves must be fully visible, and free of characters that move text.
        """
        given = call.input if isinstance(call.input, str) else arguments(call.input)
        given = given if whole else _cut(given)
        self.screen.line(("calls ", "dim"), (plain(f"{call.name} {given}"), "yellow"))

    def result(self, msg: Msg) -> None:
        """Write the result of a tool."""
        for block in msg.blocks:
            if isinstance(block, ToolResultBlock):
                word = "fails: " if block.is_error else "gives: "
                self.screen.line((word, "dim"), plain(_cut(_output_text(block))))

    def agrees(self, question: str) -> bool:
        """Whether the next line says yes."""
        return (self.read(f"{plain(question)} [y/N] ") or "").strip().lower() in ("y", "yes")


class TerminalView(PlainView):
    """A terminal: finished paragraphs of Markdown stay, and the last one grows below them."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        super().__init__(read)
        self._live: Live | None = None
        self._kind = ""
        self._text = ""

    def event(self, event: StreamEvent) -> None:
        """Draw a piece of an answer; of several candidates only the first."""
        if event.type == "finish" or event.key[0]:
            return
        kind, _, step = event.type.partition("-")
        if event.type == "block":
            self._commit()
            self.screen.line(plain(_block_text(event.block)), style="dim")
        elif step == "delta" and kind != "tool":
            if kind != self._kind:
                self._commit()
                self._kind = kind
            self._text += printable(event.text)
            self._commit(find_last_paragraph(self._text))
            self._draw()
        elif step == "end" and kind != "tool":
            self._commit()

    def finish_answer(self) -> None:
        """Print the remaining text."""
        self._commit()

    def _commit(self, end: int | None = None) -> None:
        """Print the text up to a position, so that it does not change any more."""
        if end == 0:
            return
        if self._live is not None:
            self._live.stop()
            self._live = None
        text, self._text = self._text[:end], "" if end is None else self._text[end:]
        if text.strip():
            self.screen.print(self._laid_out(text))
            self.screen.print()

    def _laid_out(self, text: str) -> Any:
        if self._kind == "thinking":
            return style_text(text.strip("\n"), style="dim italic")
        return output.markdown(text)

    def _draw(self) -> None:
        if self._live is None and self._text.strip():
            self._live = self.screen.live(self._growing)
            self._live.start()

    def _growing(self) -> Any:
        """The end of the growing text, as much as fits into the terminal."""
        return output.last_lines(self._laid_out(self._text), max(1, self.screen.height - _MARGIN))


def find_last_paragraph(text: str) -> int:
    r"""Where the last paragraph of a Markdown text begins: the text before it will not change.

    >>> find_last_paragraph("One.\n\nTwo"), find_last_paragraph("```\na\n\nb")
    (6, 0)
    """
    settled_at = position = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        position += len(line)
        found = _FENCE.match(line)
        if fence:
            if found is not None and found[1].startswith(fence):
                fence = ""
        elif found is not None:
            fence = found[1]
        elif not line.strip() and line.endswith("\n"):
            settled_at = position
    return settled_at


def _block_text(block: ContentBlock) -> str:
    """The text of a block that came whole; for other blocks their type."""
    return printable(block.text) if isinstance(block, TextBlock) else f"[{block.type}]"


def _output_text(block: ToolResultBlock) -> str:
    if not isinstance(block.output, list):
        return block.output if isinstance(block.output, str) else arguments(block.output)
    return " ".join(
        part.text if isinstance(part, TextBlock) else f"[{part.type}]" for part in block.output
    )


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
