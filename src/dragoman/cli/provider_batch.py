"""`dragoman batch submit|status|fetch|cancel`: many requests over a provider's batch interface."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TypeAlias

import typer

from ..batch.compression import HEAD, compression, unpack
from ..batch.lines import MAX_LINE, LineReader
from ..errors import ConfigError, DragomanError, ProviderError, ReadError
from ..llm import LLM, Batch, BatchItem, BatchStatus
from ..llm.batches.store import BatchStore
from ..llm.batches.writing import NamedRequest
from ..losses import Policy
from ..message.stored import load
from ..model import Cost
from ..text.json_text import JsonObject, loads
from . import options, output
from .output import CommandError
from .trust import ask_about

FAILED = 3  # the exit code where a request has no answer

Inputs: TypeAlias = Annotated[
    list[str],
    options.file("JSON lines, also packed, of requests, texts or messages; - is stdin.", "IN..."),
]
StateOut: TypeAlias = Annotated[
    Path, typer.Option("--output", "-o", metavar="BATCH", help="The file that keeps the batch.")
]
State: TypeAlias = Annotated[Path, options.file("The file that keeps the batch.", "BATCH")]
Wait: TypeAlias = Annotated[bool, typer.Option("--wait", help="Wait until the batch has ended.")]
Poll: TypeAlias = Annotated[
    float | None, typer.Option("--poll", min=0.0, metavar="SECONDS", help="Between two looks.")
]
Partial: TypeAlias = Annotated[
    bool, typer.Option("--partial", help="Take the parts that have ended, if others have not.")
]


Results: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--results", metavar="FILE", help="Of your bucket (Bedrock); repeatable."),
]


def submit_batch(
    model: options.Asked,
    files: Inputs,
    to_file: StateOut,
    system: options.System = None,
    option: options.Settings = None,
    base_url: options.BaseUrl = None,
) -> None:
    """Send requests as a batch: answers within a day, at half the price.

    Each line is a request: the body of any wire, a text, messages, or a line of a batch file, whose
    id is kept. BATCH and the folder beside it keep all that is needed; after a break the same
    command goes on, and nothing is submitted twice. The key is read from the vendor's environment
    variable.

    Exit codes: 0 submitted, 3 submitted without requests that cannot be written, 1 refused by the
    provider, 2 usage or unreadable input.
    """
    settings: dict[str, Any] = {"policy": Policy(), **options.settings(option)}
    if base_url is not None:
        settings["base_url"] = base_url
    if system is not None:
        settings["system"] = system
    ask_about(model)
    with LLM(model, **settings) as llm:
        if to_file.exists():
            batch = Batch.load(to_file, llm)
            _note(
                f"{to_file} goes on with its {len(batch):,} requests; the input is not read again"
            )
        else:
            with ExitStack() as opened:
                batch = llm.batch(_each_request(files, opened), file=to_file)
        try:
            status = batch.submit()
        except ConfigError as error:
            if error.code != "batch.bucket":
                raise
            _note(str(error))
            raise typer.Exit from None
        unsent = batch.unsent() if status.unsent else []
    _note(str(status))
    for item in unsent[:_SHOWN]:
        _note(f"request {item.id} is not sent: {item.error}")
    if unsent:
        raise typer.Exit(FAILED)


def show_batch(
    file: State,
    base_url: options.BaseUrl = None,
    wait: Wait = False,
    poll: Poll = None,
    as_json: options.Json = False,
) -> None:
    """Show how a batch stands, as the provider says."""
    with _open_llm(file, base_url) as llm:
        batch = Batch.load(file, llm)
        status = batch.wait(poll=poll, progress=True) if wait else batch.status()
    if as_json:
        output.print_json(_status_data(status))
        return
    screen = output.Screen()
    screen.line(str(status), style="bold")
    rows = []
    for part in status.parts:
        done = f"{part.answered or 0:,} answered, {part.failed or 0:,} failed"
        name = output.plain(part.batch or "-")
        rows.append((name, part.word or "not submitted", f"{part.requests:,} requests, {done}"))
    screen.print(output.grid(rows, "", "", "fold"))
    for part in status.parts:
        for fault in part.faults[:_SHOWN]:
            screen.line(f"  {output.plain(fault)}", style="red")


def fetch_batch(
    file: State,
    to_file: options.Output = "-",
    base_url: options.BaseUrl = None,
    wait: Wait = False,
    poll: Poll = None,
    partial: Partial = False,
    results: Results = None,
) -> None:
    """Write the results of a batch in the order of its requests, a line of JSON each.

    A line has the `id` of the request and its `answer`, the body of the provider, or its `error`.

    Exit codes: 0 all are answered, 3 some are not, 2 the batch has not ended.
    """
    sums = _Sums()
    with _open_llm(file, base_url) as llm:
        batch = Batch.load(file, llm)
        if results:
            batch.take_results(*results)
        elif wait:
            batch.wait(poll=poll, progress=True)
        texts = (output.json_text(sums.add(item), True) for item in batch.results(partial))
        output.print_or_save((f"{text.rstrip()}\n" for text in texts), to_file)
    _note(sums.words())
    if sums.failed:
        raise typer.Exit(FAILED)


def cancel_batch(file: State, base_url: options.BaseUrl = None) -> None:
    """Cancel a batch; what is answered already is kept, and costs."""
    with _open_llm(file, base_url) as llm:
        _note(str(Batch.load(file, llm).cancel()))


_SHOWN = 10  # lines about single requests


def _open_llm(file: Path, base_url: str | None) -> LLM:
    """Return the LLM of a batch; only the shell decides which address gets the key."""
    settings = {} if base_url is None else {"base_url": base_url}
    return LLM(BatchStore.load(file).header["target"], **settings)  # type: ignore[arg-type]


def _note(text: str) -> None:
    typer.echo(output.plain(text), err=True)


class _Sums:
    """How many requests have an answer, and what these cost."""

    def __init__(self) -> None:
        self.answered = self.failed = 0
        self._cost: Cost | None = Cost()

    def add(self, item: BatchItem) -> JsonObject:
        """Count a result, and return it as JSON."""
        data: JsonObject = {"id": item.id}
        if item.answer is None:
            self.failed += 1
            assert item.error is not None  # it is one of both
            return {**data, "error": _error_data(item.error)}
        self.answered += 1
        cost = None
        with suppress(ConfigError):  # the package of prices is not installed
            cost = item.cost
        self._cost = None if cost is None or self._cost is None else self._cost + cost
        data["answer"] = item.answer.raw
        if cost is not None:
            data["cost"] = str(cost.total)
        return data

    def words(self) -> str:
        """Return the sums in words."""
        total = self.answered + self.failed
        text = f"{total:,} requests = {self.answered:,} answers + {self.failed:,} errors"
        return text if self._cost is None else f"{text}, {self._cost:.6f} dollars"


def _error_data(error: DragomanError) -> JsonObject:
    data: JsonObject = {"type": type(error).__name__, "message": error.message, "code": error.code}
    if isinstance(error, ProviderError):
        data |= {"kind": error.kind, "status": error.status, "body": error.body}
    if error.path:
        data["path"] = error.path
    return {key: value for key, value in data.items() if value not in (None, "")}


def _status_data(status: BatchStatus) -> JsonObject:
    return {
        "requests": status.requests,
        "answered": status.answered,
        "failed": status.failed,
        "unsent": status.unsent,
        "unsubmitted": status.unsubmitted,
        "ended": status.ended,
        "batches": [
            {"id": part.batch, "state": part.word, "requests": part.requests, "ended": part.ended,
             "answered": part.answered, "failed": part.failed, "faults": [*part.faults]}
            for part in status.parts
        ],
    }  # fmt: skip


# -- what is read ----------------------------------------------------------------------------------


def _each_request(files: list[str], opened: ExitStack) -> Iterator[Any]:
    """Yield each request of the files, or the error for a line that is none."""
    for name in files:
        for line in LineReader(_open(name, opened), 0, None, MAX_LINE):
            if line.fault:
                raise CommandError(f"{name}:{line.number}: {line.fault}")
            if not line.data.strip():
                continue
            place = f"{output.plain(name)}:{line.number}"
            if line.too_long:
                yield ReadError(f"{place}: the line is too long", code="line.long")
                continue
            try:
                yield read_record(loads(line.data))
            except DragomanError as error:
                yield ReadError(f"{place}: {error}", code=error.code)


def _open(name: str, opened: ExitStack) -> BinaryIO:
    if name == "-":
        return sys.stdin.buffer
    file = opened.enter_context(Path(name).open("rb"))  # noqa: SIM115 - the stack closes it
    how = compression(file.read(HEAD))
    file.seek(0)
    return unpack(file, how)


# lines of batch files: the key of the request, and that of its id; OpenAI's and Mistral's,
# Anthropic's, Gemini's, Bedrock's (the types of their SDKs, 2026-11-27)
_ENVELOPES = (
    ("body", "custom_id"),
    ("params", "custom_id"),
    ("request", "key"),
    ("modelInput", "recordId"),
)


def read_record(record: Any) -> Any:
    """Return what `LLM.batch` takes for a record: a request, or an id and a request."""
    if isinstance(record, dict):
        if "dragoman" in record:
            return load(record)
        for body, key in _ENVELOPES:
            if isinstance(record.get(body), dict) and isinstance(record.get(key), str):
                return NamedRequest(record[key], record[body])
    return record
