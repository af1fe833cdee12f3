"""How often each loss came, where many bodies were converted and nobody wants to read them all."""

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
from .._core.jsontext import JsonObject
from .._core.stream.pieces import Raw
from ..errors import DragomanError, LossRefused, ProviderError, ReadError, WriteError
from ..losses import Loss, Policy
from ..losses.codes import CODES
from ..losses.codes.code import KINDS
from ..vendors import wire
from . import options
from .inputs import (
    Found,
    FramingEvent,
    Recorded,
    body,
    bound,
    framed,
    plain_event,
    recorded,
    sender,
    values,
)
from .options import Losses
from .output import (
    COLOURS,
    REFUSED,
    USAGE,
    CommandError,
    console,
    json_text,
    plain,
    report,
    say_or_save,
    tell,
)


class Tally:
    """Counts losses by kind and code, and the bodies in which there are any."""

    def __init__(self) -> None:
        self.bodies = 0
        self.touched = 0
        self.codes: Counter[tuple[str, str]] = Counter()

    def add(self, losses: Iterable[Loss]) -> None:
        """Count one body."""
        found = [(loss.kind, loss.code) for loss in losses]
        self.bodies += 1
        self.touched += bool(found)
        self.codes.update(found)

    def tell(self, place: str, target: str) -> None:
        """Tell the sums on stderr, the gravest kind first; nothing where there was no loss."""
        from rich.table import Table
        from rich.text import Text

        if not self.codes:
            return
        screen = console(stderr=True)
        head = f"{plain(place)} for {target} - losses in {self.touched} of {self.bodies}"
        screen.print(head, style="bold", soft_wrap=True)
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True, justify="right")
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for (kind, code), count in self._ranked():
            said = Text(code, "bold").append(f": {CODES[code].meaning}", "not bold")
            table.add_row(str(count), Text(kind, COLOURS[kind]), said)
        screen.print(table)

    def _ranked(self) -> list[tuple[tuple[str, str], int]]:
        order = list(KINDS)
        return sorted(self.codes.items(), key=lambda row: (order.index(row[0][0]), -row[1]))  # type: ignore[arg-type]


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
class _Made:
    """What a body became: `plain` with all that belongs to it, `key` what is said of that alone."""

    plain: JsonObject
    key: str
    losses: list[Loss]
    events: list[FramingEvent] | None = None  # of a stream


_Job: TypeAlias = tuple[str, Callable[[], _Made]]


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
    if source != "auto":
        options.known(source)
    target = wire(options.known(to), facts=options.facts(facts), policy="ignore")
    door = _Door(target, model, options.policy(policy, refuse, allow))
    jobs, many = _jobs(file, source, kind, door)
    show = _Show(target, many, as_json, request, each, policy is not Losses.ignore)
    say_or_save(show.texts(jobs), output)
    show.end("stdin" if file == "-" else file)


def _jobs(file: str, source: str, kind: Kind, door: _Door) -> tuple[list[_Job], bool]:
    """What is to be converted, each with its place; True if there may be several."""
    if kind is Kind.request:
        found, many = values(file)
        return [(one.place, partial(door.request, one, source)) for one in found], many
    spoilt: list[CommandError] = []
    pairs = [pair for one in recorded(file, spoilt) for pair in bound(one, source)]
    jobs: list[_Job] = [(one.place, partial(door.answer, one, said)) for one, said in pairs]
    jobs += [("", partial(_raised, error)) for error in spoilt]
    return jobs, len(jobs) > 1


def _raised(error: CommandError) -> _Made:
    raise error


@dataclass(frozen=True, slots=True)
class _Door:
    """Converts to one wire."""

    target: Wire
    model: str | None
    policy: Policy

    def request(self, found: Found, source: str) -> _Made:
        one = body(found)
        out = convert(one.value, sender(one, source), self.target, "request", self.model,
                      path=one.path, policy=self.policy)  # fmt: skip
        return _Made({"path": out.path, "headers": out.headers, "body": out.body}, "body",
                     out.losses)  # fmt: skip

    def answer(self, one: Recorded, said: Wire | CommandError) -> _Made:
        if one.whole and one.status is not None and one.status >= 400:
            raise self.target.error(one.status, one.events[0][1])  # errors look alike everywhere
        if isinstance(said, CommandError):
            raise said
        if not one.whole:
            return self._stream(one, said)
        told = one.events[0][1]
        out = convert(told, said, self.target, "response", self.model, policy=self.policy)
        return _Made({"body": out.body}, "body", out.losses)

    def _stream(self, one: Recorded, said: Wire) -> _Made:
        """As dragoman.convert_stream does it, and with the losses."""
        decoder = said.stream_decoder(model=self.model)
        encoder = self.target.stream_encoder(origin=decoder.origin)
        events: list[FramingEvent] = []
        read = False
        for name, data in one.events:
            for piece in decoder.feed(data, name):
                read = read or type(piece) is not Raw
                events += encoder.feed(piece)
        last = decoder.rest()
        events += [event for piece in last for event in encoder.feed(piece)]
        events += encoder.finish()
        if not (read or last):
            raise ReadError(f"nothing in it is an event of {said.name}", hint="is it another wire?")
        self.policy.judge(encoder.report, set())
        made: JsonObject = {"events": [plain_event(event) for event in events]}
        return _Made(made, "events", encoder.losses, events)


@dataclass(slots=True)
class _Show:
    """How what was made is shown: alone or as one of many, for programs or for people."""

    target: Wire
    many: bool
    as_json: bool
    whole: bool
    each: bool
    loud: bool
    tally: Tally = field(default_factory=Tally)
    failed: bool = False

    def texts(self, jobs: list[_Job]) -> Iterator[str]:
        """The text for each body. One of many that fails is told on stderr; alone, it raises."""
        for place, make in jobs:
            try:
                made = make()
            except (DragomanError, CommandError) as error:
                yield from self._refused(error, place)
                continue
            self._tell(place, made.losses)
            yield self._text(made)

    def _text(self, made: _Made) -> str:
        if self.as_json:
            lost = [loss.to_dict() for loss in made.losses]
            return json_text({**made.plain, "losses": lost}, self.many)
        if made.events is not None:
            alone = not (self.many or self.whole)
            return (framed(made.events, self.target.room.framing) if alone
                    else json_text(made.plain, self.many))  # fmt: skip
        return json_text(made.plain if self.whole else made.plain[made.key], self.many)

    def _refused(self, error: DragomanError | CommandError, place: str) -> Iterator[str]:
        losses = list(error.losses) if isinstance(error, LossRefused) else []
        ended = _ended(error, place)
        if self.as_json:
            lost = [loss.to_dict() for loss in losses]
            yield json_text({"error": str(ended), "losses": lost}, self.many)
        if not self.many:
            self._tell(place, losses)
            raise ended from error
        self.failed = True
        report(str(ended), ended.code)

    def _tell(self, place: str, losses: list[Loss]) -> None:
        if self.as_json or not self.loud:
            return
        if self.many and not self.each:
            self.tally.add(losses)
        elif losses:
            tell(place, self.target.name, losses)

    def end(self, name: str) -> None:
        """Tell what many bodies lost together. Ends the command if one of them failed."""
        self.tally.tell(name, self.target.name)
        if self.failed:
            raise typer.Exit(REFUSED)


def _ended(error: DragomanError | CommandError, place: str) -> CommandError:
    match error:
        case CommandError():
            return error
        case ProviderError():
            status = f" {error.status}" if error.status else ""
            said = f"{place}: the provider says{status}: {error.message}"
            return CommandError(said, "there is no answer to convert", REFUSED)
        case WriteError():
            return CommandError.refused(error, place)
        case _:
            return CommandError.of(error, place, USAGE)
