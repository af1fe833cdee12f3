"""`dragoman convert`: converts bodies of one provider's wire to another's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Annotated, TypeAlias

import typer

from ..analysis.fidelity import Event
from ..codec.wire import Wire
from ..conversion.convert import convert
from ..errors import DragomanError, LossRefused, ProviderError, WriteError
from ..losses import Loss, Policy
from ..losses.policies import LossLog
from ..stream.framing import Framing, encode
from ..text.json_text import JsonObject, arguments
from ..vendors import wire
from . import inputs, options, output, recordings
from .outcomes import CommandOutcome, Printer, format_names
from .output import CommandError
from .sources import InputFile, failure_at, only, sources
from .workers import map_in_order


class Kind(StrEnum):
    """The content of the files."""

    request = "request"
    response = "response"


Files: TypeAlias = Annotated[
    list[str] | None,
    options.file(
        "Bodies as JSON or JSONL, or streams: files, folders, patterns; - is stdin.", "FILE..."
    ),
]

KindName: TypeAlias = Annotated[
    Kind, typer.Option("--kind", "-k", help="What FILE holds: requests, or answers and streams.")
]

Asked: TypeAlias = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="MODEL", help="The model to ask, or that answers."),
]


@dataclass(slots=True)
class _Converted:
    """The result for a body: `data` is its `body` with what belongs to it, or its `events`."""

    data: JsonObject
    losses: list[Loss]
    events: list[Event] | None = None  # of a stream


_Value: TypeAlias = (
    inputs.Entry | inputs.JsonLine | tuple[recordings.RecordedAnswer, str] | CommandError
)  # the text is the name of the wire that a recording came from, or "auto"


def convert_bodies(
    to: options.To,
    files: Files = None,
    source: options.From = "auto",
    kind: KindName = Kind.request,
    model: Asked = None,
    request: options.Request = False,
    each: options.Each = False,
    jobs: options.Jobs = 1,
    to_file: options.Output = "-",
    as_json: options.Json = False,
    policy: options.PolicyName = options.LossOptions.log,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    facts: options.Facts = None,
) -> None:
    """Convert JSON from one provider's format to another's.

    The JSON goes to stdout, losses to stderr. FILE holds the JSON of a request, or with `--kind
    response` an answer or a recorded stream; .gz is decompressed. JSONL gives a line for each line,
    which may also be {"request": ..., "response": ...}, and so do several files, a folder or a
    pattern ("logs/**/*.jsonl"), one after the other. A body that fails is reported on stderr, the
    others go on, and the exit code is 1. A file of lines is never in memory as a whole, nor are its
    losses.
    """
    options.known_source(source)
    options.check_wire_name(to)
    options.facts(facts)
    names = files or ["-"]
    found, several = sources(names)
    read = _requests if kind is Kind.request else _answers
    values, many = read(found, several, source)
    loud = policy is not options.LossOptions.ignore and not as_json
    rule = options.policy(policy, refuse, allow)
    shape = _ConvertForm(source, many, request, as_json, loud and (each or not many), loud)
    printer = Printer(wire(to).name, many, each, loud)
    args = (to, facts, model, rule, shape, output.is_utf8())
    with printer.progress(to_file):
        outcomes = map_in_order(_Converter.begin, args, values, jobs)
        output.print_or_save(printer.texts(outcomes), to_file)
    printer.end(format_names(names))


def _requests(
    found: Iterator[InputFile | CommandError], several: bool, _source: str
) -> tuple[Iterator[_Value], bool]:
    if not several:
        return inputs.bodies(only(found))
    return (value for one in found for value in _bodies(one)), True


def _bodies(source: InputFile | CommandError) -> Iterator[_Value]:
    if isinstance(source, CommandError):
        yield source
        return
    try:
        yield from inputs.bodies(source)[0]
    except (CommandError, OSError) as error:
        yield failure_at(source, error)


def _answers(
    found: Iterator[InputFile | CommandError], several: bool, source: str
) -> tuple[Iterator[_Value], bool]:
    if several:
        return (value for one in found for value in _parts(one, source)), True
    parts = _split_source(only(found), source)
    head = list(islice(parts, 2))
    return chain(head, parts), len(head) > 1


def _parts(source: InputFile | CommandError, sender: str) -> Iterator[_Value]:
    if isinstance(source, CommandError):
        yield source
        return
    try:
        yield from _split_source(source, sender)
    except (CommandError, OSError) as error:
        yield failure_at(source, error)


def _split_source(source: InputFile, sender: str) -> Iterator[_Value]:
    for recording in recordings.recordings(source):
        if isinstance(recording, CommandError):
            yield recording
            continue
        for part, home in recordings.with_sender(recording, sender):
            yield part, home.name if isinstance(home, Wire) and sender == "auto" else sender


@dataclass(frozen=True, slots=True)
class _ConvertForm:
    """How bodies are read, and in which form their conversions are written."""

    source: str
    many: bool
    request: bool  # whether path and headers are written, too
    as_json: bool
    each: bool  # whether losses are shown one by one
    loud: bool


@dataclass(frozen=True, slots=True)
class _Converter:
    """Converts to one wire."""

    target: Wire
    model: str | None
    policy: Policy
    shape: _ConvertForm
    utf8: bool

    @classmethod
    def begin(
        cls,
        to: str,
        facts: str | None,
        model: str | None,
        policy: Policy,
        shape: _ConvertForm,
        utf8: bool,
    ) -> Callable[[_Value], CommandOutcome]:
        """A function that converts one value after the other, for this process or another."""
        target = wire(to, facts=options.facts(facts), policy="ignore")
        return cls(target, model, policy, shape, utf8).outcome

    def outcome(self, value: _Value) -> CommandOutcome:
        """The outcome for a value: its text and its losses, or why there is none."""
        match value:
            case CommandError():
                return self._failure(value, "")
            case (recording, _):
                place = recording.place
            case _:
                place = value.place
        try:
            if isinstance(value, tuple):
                converted = self._answer(*value)
            else:
                converted = self._request(inputs.parse_line(value))
        except (DragomanError, CommandError) as error:
            return self._failure(error, place)
        outcome = CommandOutcome(place, self._text(converted))
        if self.shape.loud:
            outcome.count(converted.losses, self.shape.each)
        return outcome

    def _failure(self, error: DragomanError | CommandError, place: str) -> CommandOutcome:
        losses = list(error.losses) if isinstance(error, LossRefused) else []
        failure = _command_error(error, place)
        many = self.shape.many
        if self.shape.as_json:
            return CommandOutcome(
                place, output.failure_text(failure, losses, many), failure=failure
            )
        return CommandOutcome(place, losses=[] if many else losses, failure=failure)

    def _text(self, converted: _Converted) -> str:
        data, shape = converted.data, self.shape
        if shape.as_json:
            data = {**data, "losses": [loss.to_dict() for loss in converted.losses]}
        elif converted.events is not None and not (shape.many or shape.request):
            return frame_events(converted.events, self.target.room.framing)
        elif converted.events is None and not shape.request:
            data = data["body"]
        return output.json_text(data, shape.many, self.utf8)

    def _request(self, entry: inputs.Entry) -> _Converted:
        body = inputs.read_body(entry)
        home = inputs.sender(body, self.shape.source)
        out = convert(
            body.value, home, self.target, "request", self.model, path=body.path, policy=self.policy
        )
        data = {"path": out.path, "headers": out.headers, "body": out.body}
        return _Converted(data, out.losses)

    def _answer(self, recording: recordings.RecordedAnswer, sender: str) -> _Converted:
        status = recording.status
        if recording.whole and status is not None and status >= 400:
            # errors look alike on all wires
            raise self.target.error(status, recording.events[0][1])
        home = wire(recordings.sender_name(recording, sender))
        if not recording.whole:
            return self._stream(recording, home)
        answer = recording.events[0][1]
        out = convert(answer, home, self.target, "response", self.model, policy=self.policy)
        return _Converted({"body": out.body}, out.losses)

    def _stream(self, recording: recordings.RecordedAnswer, home: Wire) -> _Converted:
        """Convert a stream as dragoman.convert_stream does, with its losses."""
        decoder = home.stream_decoder(model=self.model)
        encoder = self.target.stream_encoder(origin=decoder.origin)
        events: list[Event] = []
        for pieces in recordings.read_pieces(recording, decoder, home):
            for piece in pieces:
                events += encoder.feed(piece)
        events += encoder.finish()
        self.policy.judge(encoder.report, LossLog())
        plain_events = [_plain_event(event) for event in events]
        return _Converted({"events": plain_events}, encoder.losses, events)


def frame_events(events: Iterable[Event], framing: Framing) -> str:
    r"""The body of the stream.

    Frames of AWS are bytes; such a stream becomes JSON lines with names, which `dragoman read`
    accepts.

    >>> frame_events([("ping", {"a": 1}), (None, "[DONE]")], "sse")
    'event: ping\ndata: {"a": 1}\n\ndata: [DONE]\n\n'
    """
    match framing:
        case "json-array":
            texts = (data if isinstance(data, str) else arguments(data) for _, data in events)
            return output.unsteering(f"[{','.join(texts)}]\n")
        case "aws-eventstream":
            rows = (f"{arguments(_plain_event(event))}\n" for event in events)
            return output.unsteering("".join(rows))
        case _:
            return output.unsteering(encode(events, framing).decode())


def _plain_event(event: Event) -> JsonObject:
    return dict(zip(("event", "data"), event, strict=True))


def _command_error(error: DragomanError | CommandError, place: str) -> CommandError:
    match error:
        case CommandError():
            return error
        case ProviderError():
            text = output.provider_text(place, error)
            return CommandError(text, "there is no answer to convert", output.REFUSED)
        case WriteError():
            return CommandError.from_refusal(error, place)
        case _:
            return CommandError.of(error, place)
