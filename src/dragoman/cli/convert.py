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
from .._core.jsontext import JsonObject, arguments
from ..errors import DragomanError, LossRefused, ProviderError, WriteError
from ..losses import Loss, Policy
from ..losses.codes import CODES, KINDS
from ..losses.codes import Kind as LossKind
from ..losses.policies import LossLog
from ..sse import Framing, encode
from ..study.fidelity import Event
from ..vendors import wire
from . import inputs, options, output
from .output import CommandError, styled


class Kind(StrEnum):
    """What stands in the file."""

    request = "request"
    response = "response"


File: TypeAlias = Annotated[str, options.file("Bodies as JSON or JSONL, or a stream; - is stdin.")]

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
    """What a body became: `data` is its `body` with all that belongs to it, or `events`."""

    data: JsonObject
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
    to_file: options.Output = "-",
    as_json: options.Json = False,
    policy: options.PolicyName = options.Losses.log,
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
    printer = _Printer(target, many, as_json, request, each, policy is not options.Losses.ignore)
    output.print_or_save(printer.texts(jobs), to_file)
    printer.end(inputs.file_name(file))


def _jobs(file: str, source: str, kind: Kind, converter: _Converter) -> tuple[Iterable[_Job], bool]:
    """What is to be converted, each with its place; True if there may be several."""
    if kind is Kind.request and (lines := inputs.stream_values(file)) is not None:
        return ((one.place, partial(converter.request, one, source)) for one in lines), True
    if kind is Kind.request:
        entries, many = inputs.read_values(file)
        return [(entry.place, partial(converter.request, entry, source)) for entry in entries], many
    broken: list[CommandError] = []
    jobs: list[_Job] = [
        (part.place, partial(converter.answer, part, home))
        for recording in inputs.read_recordings(file, broken)
        for part, home in inputs.with_sender(recording, source)
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

    def request(self, entry: inputs.Entry, source: str) -> _Converted:
        body = inputs.body_of(entry)
        out = convert(body.value, inputs.sender(body, source), self.target, "request", self.model,
                      path=body.path, policy=self.policy)  # fmt: skip
        data = {"path": out.path, "headers": out.headers, "body": out.body}
        return _Converted(data, out.losses)

    def answer(self, recording: inputs.Recording, home: Wire | CommandError) -> _Converted:
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
        return _Converted({"body": out.body}, out.losses)

    def _stream(self, recording: inputs.Recording, home: Wire) -> _Converted:
        """As dragoman.convert_stream does it, and with the losses."""
        decoder = home.stream_decoder(model=self.model)
        encoder = self.target.stream_encoder(origin=decoder.origin)
        events: list[Event] = []
        for pieces in inputs.pieces_of(recording, decoder, home):
            for piece in pieces:
                events += encoder.feed(piece)
        events += encoder.finish()
        self.policy.judge(encoder.report, LossLog())
        plain_events = [_plain_event(event) for event in events]
        return _Converted({"events": plain_events}, encoder.losses, events)


def framed(events: Iterable[Event], framing: Framing) -> str:
    r"""The body of the stream.

    Frames of AWS are bytes; such a stream becomes JSON lines with names, as `dragoman read` takes
    them.

    >>> framed([("ping", {"a": 1}), (None, "[DONE]")], "sse")
    'event: ping\ndata: {"a": 1}\n\ndata: [DONE]\n\n'
    """
    match framing:
        case "json-array":
            texts = (data if isinstance(data, str) else arguments(data) for _, data in events)
            return f"[{','.join(texts)}]\n"
        case "aws-eventstream":
            return "".join(f"{arguments(_plain_event(event))}\n" for event in events)
        case _:
            return encode(events, framing).decode()


def _plain_event(event: Event) -> JsonObject:
    return dict(zip(("event", "data"), event, strict=True))


@dataclass(slots=True)
class _Printer:
    """Prints what bodies became: alone or as one of many, for programs or for people."""

    target: Wire
    many: bool
    as_json: bool
    request: bool  # the whole of it, not its body alone
    each: bool
    loud: bool
    failed: bool = False
    bodies: int = 0  # of many
    losing: int = 0  # of those
    codes: Counter[tuple[LossKind, str]] = field(default_factory=Counter)

    def texts(self, jobs: Iterable[_Job]) -> Iterator[str]:
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
        data = converted.data
        if self.as_json:
            data = {**data, "losses": [loss.to_dict() for loss in converted.losses]}
        elif converted.events is not None and not (self.many or self.request):
            return framed(converted.events, self.target.room.framing)
        elif converted.events is None and not self.request:
            data = data["body"]
        return output.json_text(data, self.many)

    def _failure(self, error: DragomanError | CommandError, place: str) -> Iterator[str]:
        losses = list(error.losses) if isinstance(error, LossRefused) else []
        failure = _command_error(error, place)
        if self.as_json:
            yield output.failure_text(failure, losses, self.many)
        if not self.many:
            self._show_losses(place, losses)
            raise failure from error
        self.failed = True
        output.report(str(failure), failure.code)

    def _show_losses(self, place: str, losses: list[Loss]) -> None:
        if self.as_json or not self.loud:
            return
        if self.many and not self.each:
            self.bodies += 1
            self.losing += bool(losses)
            self.codes.update((loss.kind, loss.code) for loss in losses)
        elif losses:
            output.show_losses(place, self.target.name, losses)

    def end(self, name: str) -> None:
        """Show what many bodies lost together. Ends the command if one of them failed."""
        if self.codes:
            self._show_sums(name)
        if self.failed:
            raise typer.Exit(output.REFUSED)

    def _show_sums(self, name: str) -> None:
        """Show how often each code came, the gravest kind first."""
        screen = output.Screen(stderr=True)
        summary = f"losses in {self.losing} of {self.bodies}"
        screen.line(f"{output.plain(name)} for {self.target.name} - {summary}", style="bold")
        sums = sorted(self.codes.items(), key=lambda row: (KINDS.index(row[0][0]), -row[1]))
        rows = []
        for (kind, code), count in sums:
            title = styled((code, "bold"), f": {CODES[code].meaning}")
            rows.append((str(count), styled(kind, style=output.COLOURS[kind]), title))
        screen.print(output.grid(rows, "right", "", "fold"))


def _command_error(error: DragomanError | CommandError, place: str) -> CommandError:
    match error:
        case CommandError():
            return error
        case ProviderError():
            text = output.provider_text(place, error)
            return CommandError(text, "there is no answer to convert", output.REFUSED)
        case WriteError():
            return CommandError.refused(error, place)
        case _:
            return CommandError.of(error, place)
