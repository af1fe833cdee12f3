"""`dragoman format`: messages in, the JSON of one wire out. Losses go to stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from ..errors import LossRefused, WriteError
from ..formatter import Formatter
from ..losses import Loss
from ..message import ChatRequest
from ..text.json_text import JsonObject
from . import inputs, options, output
from .outcomes import CommandOutcome, Printer, format_names
from .output import CommandError
from .sources import InputFile, failure_at, only, sources
from .workers import map_in_order

Files: TypeAlias = Annotated[
    list[str] | None,
    options.file("Our messages as JSON or JSONL: files, folders, patterns; - is stdin.", "FILE..."),
]

_Value: TypeAlias = inputs.JsonLine | inputs.Whole | CommandError


def format_messages(
    to: options.To,
    files: Files = None,
    multi_agent: options.MultiAgent = False,
    speakers: options.Speakers = None,
    model: options.Model = None,
    max_tokens: options.Budget = None,
    counter: options.Counter = "char",
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
    """Format messages as a provider takes them.

    The JSON goes to stdout, losses to stderr. FILE holds a list of messages (each with name, role
    and content) or a stored request; JSONL holds a message on each line, or a conversation on each
    line, which gives a line of output; .gz is decompressed. Several files, a folder or a pattern
    give a line for each conversation. A conversation that fails ends its file; other files go on,
    and the exit code is 1.
    """
    names = files or ["-"]
    found, several = sources(names, inputs.MESSAGE)
    settings = {
        "to": options.check_wire_name(to),
        "facts": facts,
        "model": model,
        "speakers": options.speakers(speakers, multi_agent),
        "max_tokens": max_tokens,
        "counter": counter,
        "policy": options.policy(policy, refuse, allow),
    }
    options.counter(counter)
    name = _formatter(settings).wire.name  # wrong options are refused before anything is read
    values, lines = _values(found, several)
    many = several or lines
    loud = not as_json and policy is not options.LossOptions.ignore
    each = each or not several
    printer = Printer(name, several, each, loud)
    args = (settings, many, request, as_json, loud and each, loud, output.is_utf8())
    with printer.progress(to_file):
        outcomes = map_in_order(_FormatWriter.begin, args, values, jobs)
        output.print_or_save(printer.texts(_until_failures(outcomes)), to_file)
    printer.end(format_names(names))


def _formatter(settings: dict[str, Any]) -> Formatter:
    max_tokens = settings["max_tokens"]
    return Formatter(
        settings["to"],
        facts=options.facts(settings["facts"]),
        model=settings["model"],
        speakers=settings["speakers"],
        max_tokens=max_tokens,
        token_counter=options.counter(settings["counter"]) if max_tokens is not None else None,
        policy=settings["policy"],
    )


def _values(
    found: Iterator[InputFile | CommandError], several: bool
) -> tuple[Iterator[_Value], bool]:
    if not several:
        return inputs.conversations(only(found))
    return (value for one in found for value in _of_source(one)), True


def _of_source(source: InputFile | CommandError) -> Iterator[_Value]:
    if isinstance(source, CommandError):
        yield source
        return
    try:
        yield from inputs.conversations(source)[0]
    except (CommandError, OSError) as error:
        yield failure_at(source, error)


def _until_failures(outcomes: Iterator[CommandOutcome]) -> Iterator[CommandOutcome]:
    """The outcomes, without those of a source that come after one that failed."""
    failed = ""
    for outcome in outcomes:
        if not outcome.source or outcome.source != failed:
            yield outcome
        if outcome.failure is not None:
            failed = outcome.source


@dataclass(frozen=True, slots=True)
class _FormatWriter:
    """Writes conversations for one wire."""

    formatter: Formatter
    many: bool
    request: bool
    as_json: bool
    each: bool  # whether losses are shown one by one
    loud: bool
    utf8: bool

    @classmethod
    def begin(cls, settings: dict[str, Any], *rest: bool) -> Callable[[_Value], CommandOutcome]:
        """A function that writes one conversation after the other, for this process or another."""
        return cls(_formatter(settings), *rest).outcome

    def outcome(self, value: _Value) -> CommandOutcome:
        """The outcome for a value: its text and its losses, or why there is none."""
        if isinstance(value, CommandError):
            return CommandOutcome("", failure=value)
        outcome = CommandOutcome("", source=value.name)
        try:
            place, conversation, outcome.note = inputs.read_with_note(value)
        except CommandError as error:
            outcome.failure = error
            return outcome
        outcome.place = place
        try:
            data, losses = self._write_conversation(conversation)
        except WriteError as error:
            self._refuse(outcome, error)
            return outcome
        if self.as_json:
            data["losses"] = [loss.to_dict() for loss in losses]
        elif self.loud:
            outcome.count(losses, self.each)
        shown = data if self.as_json or self.request else data["messages"]
        outcome.text = output.json_text(shown, self.many, self.utf8)
        return outcome

    def _refuse(self, outcome: CommandOutcome, error: WriteError) -> None:
        outcome.losses = list(error.losses) if isinstance(error, LossRefused) else []
        outcome.failure = CommandError.from_refusal(error, outcome.place)
        if self.as_json:
            outcome.text = output.failure_text(outcome.failure, outcome.losses, self.many)

    def _write_conversation(
        self, conversation: inputs.Conversation
    ) -> tuple[JsonObject, list[Loss]]:
        if not self.request:
            out = self.formatter.write(conversation)
            return {"messages": out.messages}, out.losses
        if not isinstance(conversation, ChatRequest):
            conversation = ChatRequest(conversation)
        written = self.formatter.format_request(conversation)
        data = {"path": written.path, "headers": written.headers, "body": written.body}
        return data, written.losses
