"""`dragoman read`: what a provider answered, as the message that it is. Live, with `--replay`.

Puts together what the library offers; decides nothing about answers itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from .._wire import Wire
from ..errors import ProviderError, ReadError
from ..message import ChatResponse, dump
from ..pieces import EventView, Raw
from . import options
from .answer import put, show
from .errors import REFUSED, USAGE, CommandError, report
from .output import console, json_text, say
from .recorded import Recorded, recorded
from .replay import Replay
from .senders import bound

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["read_answers"]

File: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="FILE", help="An answer, or a recorded stream; - is stdin."),
]
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
    """Read what a provider answered: whole answers, and recorded streams.

    FILE is JSON, server-sent events (.sse), JSON lines (each an event, an answer, or an object
    with `events` or a `response`), or an AWS event stream. `--json` prints the answer as
    dragoman.message.dump stores it.
    """
    if replay and as_json:
        raise CommandError("--replay contradicts --json", "give one of them")
    if source != "auto":
        options.known(source)
    found = [pair for each in recorded(file) for pair in bound(each, source)]
    shown = _Shown(console(), len(found) > 1, as_json, speed if replay else None)
    code = max(shown.told(one, sender) for one, sender in found)
    if code:
        raise typer.Exit(code)


class _Shown:
    """How answers are told: one of `many` or alone, for programs or for people, live or at once."""

    def __init__(self, screen: Console, many: bool, as_json: bool, speed: float | None) -> None:
        self._screen = screen
        self._many = many
        self._as_json = as_json
        self._speed = speed

    def told(self, one: Recorded, sender: Wire | CommandError) -> int:
        """Print one answer, or say what is wrong with it; the exit code for it."""
        try:
            if isinstance(sender, CommandError):
                raise sender
            resp = self._read(one, sender)
        except ProviderError as error:
            return self._failed(_said(one, error), REFUSED)
        except ReadError as error:
            return self._failed(str(CommandError.of(error, one.place, USAGE)), USAGE)
        except CommandError as error:
            return self._failed(str(error), error.code)
        if self._as_json:
            say(json_text(dump(resp), self._many))
        elif self._speed is None:
            show(self._screen, resp)
        return 0 if resp.error is None else report(_said(one, resp.error), REFUSED)

    def _read(self, one: Recorded, sender: Wire) -> ChatResponse:
        if one.whole and self._speed is None:
            resp = sender.read_response(one.events[0][1], status=one.status)
            self._head(one, sender)
            return resp
        live = None
        if self._speed is not None:
            self._head(one, sender)
            live = Replay(self._screen, self._speed)
        resp = _streamed(one, sender, live)
        if live is None:
            self._head(one, sender)
        return resp

    def _head(self, one: Recorded, sender: Wire) -> None:
        if not self._as_json:
            place = f"{one.place}  " if self._many else ""
            put(self._screen, "head", f"{place}assistant  ({sender.name})")

    def _failed(self, said: str, code: int) -> int:
        if self._as_json:
            say(json_text({"error": said}, self._many))
        return report(said, code)


def _said(one: Recorded, error: ProviderError) -> str:
    status = error.status or one.status
    return f"{one.place}: the provider says{f' {status}' if status else ''}: {error.message}"


def _streamed(one: Recorded, sender: Wire, live: Replay | None) -> ChatResponse:
    """The answer of a recorded stream, shown on the way."""
    decoder = sender.stream_decoder()
    view = EventView(decoder.names)
    read = False
    for name, data in one.events:
        made = decoder.feed(data, name)
        read = read or any(type(piece) is not Raw for piece in made)
        if live is not None:
            live.show([event for piece in made for event in view.feed(piece)])
    last = decoder.rest()
    resp = decoder.finish()
    if not (read or last):
        raise ReadError(f"nothing in it is an event of {sender.name}", hint="is it another wire?")
    if live is not None:
        live.show([event for piece in last for event in view.feed(piece)])
        live.show(view.finish(resp))
        live.finish(resp)
    return resp
