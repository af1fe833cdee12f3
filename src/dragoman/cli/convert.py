"""`dragoman convert`: bodies of one provider's wire become those of another's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Annotated, TypeAlias

import typer

from .._core.convert import convert
from .._core.exchange.wire import Wire
from .._core.jsontext import Json, JsonObject, arguments
from .._core.stream.pieces import Raw
from ..errors import DragomanError, LossRefused, ProviderError, ReadError, WriteError
from ..losses import Loss, Policy
from ..losses.codes import CODES
from ..losses.codes.code import KINDS
from ..sse import Framing
from ..study.fidelity import Event
from ..vendors import wire
from . import options
from .inputs import Entry, Recording, body_of, read_recordings, read_values, sender, with_sender
from .options import Losses
from .output import (
    COLOURS,
    REFUSED,
    USAGE,
    CommandError,
    console,
    grid,
    json_text,
    plain,
    print_or_save,
    report,
    show_losses,
)


class Tally:
    """Counts losses by kind and code, and the bodies in which there are any."""

    def __init__(self) -> None:
        self.bodies = 0
        self.losing = 0
        self.codes: Counter[tuple[str, str]] = Counter()

    def add(self, losses: Iterable[Loss]) -> None:
        """Count one body."""
        codes = [(loss.kind, loss.code) for loss in losses]
        self.bodies += 1
        self.losing += bool(codes)
        self.codes.update(codes)

    def show(self, place: str, target: str) -> None:
        """Show the sums on stderr, the gravest kind first; nothing where there was no loss."""
        from rich.text import Text

        if not self.codes:
            return
        screen = console(stderr=True)
        head = f"{plain(place)} for {target} - losses in {self.losing} of {self.bodies}"
        screen.print(head, style="bold", soft_wrap=True)
        table = grid("right", "", "fold")
        order: list[str] = list(KINDS)
        for (kind, code), count in sorted(
            self.codes.items(), key=lambda row: (order.index(row[0][0]), -row[1])
        ):
            title = Text(code, "bold").append(f": {CODES[code].meaning}", "not bold")
            table.add_row(str(count), Text(kind, COLOURS[kind]), title)
        screen.print(table)


class Kind(StrEnum):
    """What stands in the file."""

    request = "request"
    response = "response"


File: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="FILE", help="Bodies as JSON or JSONL, or a stream; - is stdin."),
]

KindName: TypeAlias = Annotated[
    Kind, typer.Option("--kind", "-k", help="What FILE holds: requests, or answers and streams.")
]

Asked: TypeAlias = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="MODEL", help="The model to ask, or that answers."),
]

Each: TypeAlias = Annotated[
    bool, typer.Option("--losses", help="Of many bodies, tell each loss and not sums by code.")
]


@dataclass(slots=True)
class _Converted:
    """What a body became: `data` with all that belongs to it, `key` what is printed of it alone."""

    data: JsonObject
    key: str
    losses: list[Loss]
    events: list[Event] | None = None  # of a stream


_Job: TypeAlias = tuple[str, Callable[[], _Converted]]


def convert_bodies(
    to: options.To,
    file: File = "-",
    source: options.From = "auto",
    kind: KindName = Kind.request,
    model: Asked = None,
    request: options.Request = False,
    each: Each = False,
    output: options.Output = "-",
    as_json: options.Json = False,
    policy: options.PolicyName = Losses.log,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    facts: options.Facts = None,
) -> None:
    """Convert bodies from one provider's wire to another's: JSON on stdout, losses on stderr.

    FILE holds the JSON of a request, or with `--kind response` an answer or a recorded stream.
    JSONL gives a line for each line, which may also be {"request": ..., "response": ...}; one
    that fails is told on stderr, the others go on, and the exit code is 1.
    """
    options.known_source(source)
    target = wire(options.known(to), facts=options.facts(facts), policy="ignore")
    converter = _Converter(target, model, options.policy(policy, refuse, allow))
    jobs, many = _jobs(file, source, kind, converter)
    printer = _Printer(target, many, as_json, request, each, policy is not Losses.ignore)
    print_or_save(printer.texts(jobs), output)
    printer.end("stdin" if file == "-" else file)


def _jobs(file: str, source: str, kind: Kind, converter: _Converter) -> tuple[list[_Job], bool]:
    """What is to be converted, each with its place; True if there may be several."""
    if kind is Kind.request:
        entries, many = read_values(file)
        return [(entry.place, partial(converter.request, entry, source)) for entry in entries], many
    broken: list[CommandError] = []
    recordings = read_recordings(file, broken)
    jobs: list[_Job] = [
        (part.place, partial(converter.answer, part, home))
        for recording in recordings
        for part, home in with_sender(recording, source)
    ]
    jobs += [("", partial(_fail, error)) for error in broken]
    return jobs, len(jobs) > 1


def _fail(error: CommandError) -> _Converted:
    raise error


@dataclass(frozen=True, slots=True)
class _Converter:
    """Converts to one wire."""

    target: Wire
    model: str | None
    policy: Policy

    def request(self, entry: Entry, source: str) -> _Converted:
        body = body_of(entry)
        out = convert(body.value, sender(body, source), self.target, "request", self.model,
                      path=body.path, policy=self.policy)  # fmt: skip
        data = {"path": out.path, "headers": out.headers, "body": out.body}
        return _Converted(data, "body", out.losses)

    def answer(self, recording: Recording, home: Wire | CommandError) -> _Converted:
        status = recording.status
        if recording.whole and status is not None and status >= 400:
            # errors look alike everywhere
            raise self.target.error(status, recording.events[0][1])
        if isinstance(home, CommandError):
            raise home
        if not recording.whole:
            return self._stream(recording, home)
        answer = recording.events[0][1]
        out = convert(answer, home, self.target, "response", self.model, policy=self.policy)
        return _Converted({"body": out.body}, "body", out.losses)

    def _stream(self, recording: Recording, home: Wire) -> _Converted:
        """As dragoman.convert_stream does it, and with the losses."""
        decoder = home.stream_decoder(model=self.model)
        encoder = self.target.stream_encoder(origin=decoder.origin)
        events: list[Event] = []
        understood = False
        for name, data in recording.events:
            for piece in decoder.feed(data, name):
                understood = understood or type(piece) is not Raw
                events += encoder.feed(piece)
        pieces = decoder.rest()
        events += [event for piece in pieces for event in encoder.feed(piece)]
        events += encoder.finish()
        if not (understood or pieces):
            raise ReadError(f"nothing in it is an event of {home.name}", hint="is it another wire?")
        self.policy.judge(encoder.report, set())
        plain_events = [_plain_event(event) for event in events]
        return _Converted({"events": plain_events}, "events", encoder.losses, events)


def framed(events: Iterable[Event], framing: Framing) -> str:
    r"""The body of the stream.

    Frames of AWS are bytes; such a stream becomes JSON lines with names, as `dragoman read` takes
    them.

    >>> framed([("ping", {"a": 1}), (None, "[DONE]")], "sse")
    'event: ping\ndata: {"a": 1}\n\ndata: [DONE]\n\n'
    """
    match framing:
        case "sse":
            return "".join(_server_sent(name, _event_text(data)) for name, data in events)
        case "ndjson":
            return "".join(f"{_event_text(data)}\n" for _, data in events)
        case "json-array":
            return f"[{','.join(_event_text(data) for _, data in events)}]\n"
        case "aws-eventstream":
            return "".join(f"{arguments(_plain_event(event))}\n" for event in events)


def _plain_event(event: Event) -> JsonObject:
    name, data = event
    return {"event": name, "data": data}


def _event_text(data: Json) -> str:
    return data if isinstance(data, str) else arguments(data)


def _server_sent(name: str | None, text: str) -> str:
    head = f"event: {name}\n" if name is not None else ""
    return head + "".join(f"data: {line}\n" for line in text.split("\n")) + "\n"


@dataclass(slots=True)
class _Printer:
    """Prints what bodies became: alone or as one of many, for programs or for people."""

    target: Wire
    many: bool
    as_json: bool
    request: bool  # the whole of it, not its body alone
    each: bool
    loud: bool
    tally: Tally = field(default_factory=Tally)
    failed: bool = False

    def texts(self, jobs: list[_Job]) -> Iterator[str]:
        """The text for each body. One of many that fails is told on stderr; alone, it raises."""
        for place, convert_one in jobs:
            try:
                converted = convert_one()
            except (DragomanError, CommandError) as error:
                yield from self._failure(error, place)
                continue
            self._show_losses(place, converted.losses)
            yield self._text(converted)

    def _text(self, converted: _Converted) -> str:
        if self.as_json:
            losses = [loss.to_dict() for loss in converted.losses]
            return json_text({**converted.data, "losses": losses}, self.many)
        if converted.events is not None:
            if self.many or self.request:
                return json_text(converted.data, self.many)
            return framed(converted.events, self.target.room.framing)
        data = converted.data if self.request else converted.data[converted.key]
        return json_text(data, self.many)

    def _failure(self, error: DragomanError | CommandError, place: str) -> Iterator[str]:
        losses = list(error.losses) if isinstance(error, LossRefused) else []
        failure = _command_error(error, place)
        if self.as_json:
            dicts = [loss.to_dict() for loss in losses]
            yield json_text({"error": str(failure), "losses": dicts}, self.many)
        if not self.many:
            self._show_losses(place, losses)
            raise failure from error
        self.failed = True
        report(str(failure), failure.code)

    def _show_losses(self, place: str, losses: list[Loss]) -> None:
        if self.as_json or not self.loud:
            return
        if self.many and not self.each:
            self.tally.add(losses)
        elif losses:
            show_losses(place, self.target.name, losses)

    def end(self, name: str) -> None:
        """Show what many bodies lost together. Ends the command if one of them failed."""
        self.tally.show(name, self.target.name)
        if self.failed:
            raise typer.Exit(REFUSED)


def _command_error(error: DragomanError | CommandError, place: str) -> CommandError:
    match error:
        case CommandError():
            return error
        case ProviderError():
            status = f" {error.status}" if error.status else ""
            text = f"{place}: the provider says{status}: {error.message}"
            return CommandError(text, "there is no answer to convert", REFUSED)
        case WriteError():
            return CommandError.refused(error, place)
        case _:
            return CommandError.of(error, place, USAGE)
