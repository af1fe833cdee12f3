"""`dragoman read`: an answer's blocks in order, why it ended, and its tokens; or its replay.

All text of the model is printed as plain text.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeAlias

import typer

from ..codec.wire import Wire
from ..errors import ProviderError, ReadError
from ..message import ChatResponse, blocks, dump, media
from ..stream.events import EventView, StreamEvent
from ..stream.pieces import Key
from . import options, output, recordings
from .output import CommandError, Screen, plain, report

STYLES = {
    "head": "bold",
    "text": "",
    "thinking": "dim",
    "tool": "bold yellow",
    "refusal": "red",
    "aside": "dim",
    "wrong": "bold red",
}

_WIDTH = 96


def show(screen: Screen, resp: ChatResponse) -> None:
    """Print the message of each candidate, and the ending."""
    count = len(resp.candidates)
    for number, candidate in enumerate(resp.candidates, 1):
        if count > 1:
            put(screen, "head", f"candidate {number} of {count}: {candidate.finish.reason}")
        for block in candidate.msg.blocks:
            for style, text in _block(block):
                put(screen, style, text)
            put(screen, "text", "")
    for style, text in ending(resp):
        put(screen, style, text)


def put(screen: Screen, style: str, text: str, end: str = "\n") -> None:
    """Print text in one of the styles, without characters that could control the terminal."""
    screen.line(lines(text), style=STYLES[style], end=end)


def lines(text: str) -> str:
    """The text without control characters; line ends and tabs stay."""
    return "".join(c if c in "\n\t" else plain(c) for c in text.replace("\r\n", "\n"))


def _block(block: blocks.ContentBlock) -> Iterator[tuple[str, str]]:
    match block:
        case blocks.TextBlock():
            yield "text", block.text
            yield from (("aside", _citation(citation)) for citation in block.citations or ())
        case blocks.ThinkingBlock():
            yield "thinking", title(block)
            if block.thinking:
                yield "thinking", block.thinking
        case blocks.RefusalBlock():
            yield "refusal", f"refuses: {block.text}"
        case blocks.ToolUseBlock():
            yield "tool", title(block)
            yield "text", arguments(block)
        case _:
            yield "aside", title(block)


def arguments(call: blocks.ToolUseBlock) -> str:
    """The input of a call, laid out; for a call that broke off, the text that came."""
    broken = call.unfinished and call.raw_input is not None
    return (call.raw_input or "") if broken else output.laid_out(call.input, _WIDTH)


def title(block: blocks.ContentBlock) -> str:
    """A line that describes a block."""
    match block:
        case blocks.ToolUseBlock():
            broken = ", unfinished: it must not be run" if block.unfinished else ""
            return f"calls {block.name}  (id {block.id}{broken})"
        case blocks.ThinkingBlock():
            sealed = len(block.redacted or block.signature or "")
            return f"(thinking, sealed in {sealed} characters)" if sealed else "(thinking)"
        case blocks.RawBlock():
            kind = block.data.get("type") if isinstance(block.data, dict) else None
            pair = f", id {block.pair}" if block.pair else ""
            return f"({block.issuer}: {kind or block.role}{pair})"
        case _:
            return f"({block.type}{_source(block.get('source'))})"


def _source(source: Any) -> str:
    if isinstance(source, media.Base64Source):
        return f", {source.media_type}, {len(source.data)} characters of base64"
    url = getattr(source, "url", None)
    return f", {url}" if url else ""


def _citation(citation: blocks.Citation) -> str:
    quote = f'"{citation.quote}"' if citation.quote else None
    parts = [part for part in (citation.title, citation.url, quote) if part]
    return f"  [{'  '.join(parts) or 'a source'}]"


def ending(resp: ChatResponse) -> Iterator[tuple[str, str]]:
    """How the answer ended, its model and id, and its tokens."""
    finish, raw = resp.finish.reason, resp.finish.raw
    status = f"{resp.status}: {finish}" + (f" ({raw})" if raw and raw != finish else "")
    style = "aside" if resp.status == "complete" else "wrong"
    yield style, "  ".join(part for part in (status, resp.model, resp.id) if part)
    usage = ((f.name, getattr(resp.usage, f.name)) for f in fields(resp.usage))
    counts = [f"{name} {count}" for name, count in usage if type(count) is int]
    if counts:
        yield "aside", f"tokens: {', '.join(counts)}"


class PacedPrinter:
    """Prints events of one answer, at most `speed` of them a second; 0 is all at once."""

    def __init__(self, screen: Screen, speed: float) -> None:
        self._screen = screen
        self._pause = 1 / speed if speed else 0.0
        self._key: Key | None = None  # of the block whose line is not finished
        self._titles: dict[Key, str] = {}

    def show(self, events: list[StreamEvent]) -> None:
        """Print these events, and wait."""
        for event in events:
            kind, _, part = event.type.partition("-")
            if kind == "finish":
                self._line(None)
            elif kind == "block":
                self._line(None)
                if event.block is not None:
                    self._put("aside", title(event.block))
            elif part == "start":
                self._begin(event)
            elif part == "delta":
                self._grow(event, kind)
            elif isinstance(event.block, blocks.ToolUseBlock) and event.block.unfinished:
                self._line(None)
                self._put("wrong", title(event.block))

    def finish(self, resp: ChatResponse) -> None:
        """Print how the answer ended."""
        self._line(None)
        for style, text in ending(resp):
            self._put(style, text)

    def _begin(self, event: StreamEvent) -> None:
        self._line(None)
        if event.type == "thinking-start":
            self._put("thinking", "(thinking)")
        if event.block is not None:
            self._titles[event.key] = title(event.block)
            self._put("tool", self._titles[event.key])
            self._key = event.key

    def _grow(self, event: StreamEvent, kind: str) -> None:
        if event.key != self._key:
            self._line(event.key)
        self._put("text" if kind == "tool" else kind, event.text, "")
        sys.stdout.flush()
        if self._pause:
            time.sleep(self._pause)

    def _line(self, key: Key | None) -> None:
        """End the unfinished line; if calls interleave, print which one continues."""
        if self._key is not None:
            self._put("text", "\n")
        if key in self._titles:
            self._put("tool", f"{self._titles[key]} goes on")
        self._key = key

    def _put(self, style: str, text: str, end: str = "\n") -> None:
        put(self._screen, style, text, end)


File: TypeAlias = Annotated[str, options.file("An answer, or a recorded stream; - is stdin.")]

Live: TypeAlias = Annotated[bool, typer.Option("--replay", help="Show it as it came in.")]

Speed: TypeAlias = Annotated[
    float, typer.Option("--speed", min=0, metavar="N", help="Deltas a second; 0 waits for nothing.")
]


def read_answers(
    file: File = "-",
    source: options.From = "auto",
    replay: Live = False,
    speed: Speed = 30,
    as_json: options.Json = False,
) -> None:
    """Read recorded answers and streams of a provider.

    FILE is JSON, server-sent events (.sse), JSON lines (each an event, an answer, or an object
    with `events` or a `response`), or an AWS event stream. `--json` prints the answer as
    dragoman.message.dump stores it.
    """
    if replay and as_json:
        raise CommandError("--replay contradicts --json", "give one of them")
    options.known_source(source)
    pairs = [
        pair
        for recording in recordings.read_recordings(file)
        for pair in recordings.with_sender(recording, source)
    ]
    printer = _Printer(Screen(), len(pairs) > 1, as_json, speed if replay else None)
    code = max(printer.print(recording, home) for recording, home in pairs)
    if code:
        raise typer.Exit(code)


@dataclass(slots=True)
class _Printer:
    """Prints answers: one of `many` or alone, for programs or for people, live or at once."""

    screen: Screen
    many: bool
    as_json: bool
    speed: float | None

    def print(self, recording: recordings.RecordedAnswer, home: Wire | CommandError) -> int:
        """Print one answer, or its error; returns the exit code."""
        place, status = recording.place, recording.status
        try:
            if isinstance(home, CommandError):
                raise home
            resp = self._read(recording, home)
        except ProviderError as error:
            return self._print_failure(output.provider_text(place, error, status), output.REFUSED)
        except ReadError as error:
            return self._print_failure(str(CommandError.of(error, place)), output.USAGE)
        except CommandError as error:
            return self._print_failure(str(error), error.code)
        if self.as_json:
            output.print_json(dump(resp), self.many)
        elif self.speed is None:
            show(self.screen, resp)
        if resp.error is None:
            return 0
        return report(output.provider_text(place, resp.error, status), output.REFUSED)

    def _read(self, recording: recordings.RecordedAnswer, home: Wire) -> ChatResponse:
        if self.speed is not None:
            self._head(recording, home)
            return _read_stream(recording, home, PacedPrinter(self.screen, self.speed))
        if recording.whole:
            resp = home.read_response(recording.events[0][1], status=recording.status)
        else:
            resp = _read_stream(recording, home, None)
        self._head(recording, home)
        return resp

    def _head(self, recording: recordings.RecordedAnswer, home: Wire) -> None:
        if not self.as_json:
            place = f"{recording.place}  " if self.many else ""
            put(self.screen, "head", f"{place}assistant  ({home.name})")

    def _print_failure(self, text: str, code: int) -> int:
        if self.as_json:
            output.print_json({"error": text}, self.many)
        return report(text, code)


def _read_stream(
    recording: recordings.RecordedAnswer, home: Wire, live: PacedPrinter | None
) -> ChatResponse:
    """The answer of a recorded stream, shown while it is read."""
    decoder = home.stream_decoder()
    view = EventView(decoder.names)
    for pieces in recordings.read_pieces(recording, decoder, home):
        if live is not None:
            live.show([event for piece in pieces for event in view.feed(piece)])
    resp = decoder.finish()
    if live is not None:
        live.show(view.finish(resp))
        live.finish(resp)
    return resp
