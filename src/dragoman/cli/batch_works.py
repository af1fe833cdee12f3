"""`dragoman batch check`, `count`, `cost`, `fidelity`, `fit` and `to-messages`.

What is found of all records is a table on stdout; records are written with -o alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

import typer

from ..analysis.fidelity import Example, Fidelity, WirePair
from ..batch import (
    checker,
    fidelity_meter,
    fitter,
    message_reader,
    pricer,
    token_counter,
)
from ..batch.lines import MAX_LINE
from ..batch.run import SEGMENT
from ..text.json_text import JsonObject
from . import options, output
from .batch_running import (
    Address,
    AskedModel,
    EngineChoice,
    EngineName,
    FilesAs,
    FilesRun,
    FormName,
    Inputs,
    Jobs,
    MaxLine,
    Out,
    OutIfAny,
    ReportFile,
    SegmentSize,
    check_form_name,
    leave,
    show_loss_sums,
)
from .fidelity import show_fidelity
from .output import Screen, plain, print_json, style_text

_AUTO = "auto"
_PARTS = ("system", "user", "assistant", "tool", "tools", "frame", "request", "answer", "rejected")
_FIGURES = ("failed", "input", "cache_read", "cache_write", "output")

CountedModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", metavar="MODEL", help="Whose tokens; by default of each record's model."
    ),
]
CounterName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--counter",
        metavar="WHAT",
        help="What counts; auto: the model's tokenizer where it is installed, else an estimate. "
        "Or hf:NAME_OR_FOLDER, openai:MODEL, mistral:MODEL; by their APIs anthropic:MODEL, "
        "gemini:MODEL.",
    ),
]
Tokens: TypeAlias = Annotated[
    int, typer.Option("--tokens", min=1, metavar="N", help="The most tokens of a record.")
]
Vendor: TypeAlias = Annotated[
    str,
    options.wire_option(
        "--from", "-f", help="Who answered (a vendor), or the format; auto: by each record."
    ),
]
InBatch: TypeAlias = Annotated[
    bool, typer.Option("--in-batch", help="They were answered in a batch, at the price of batches.")
]
CheckPolicy: TypeAlias = Annotated[
    options.LossOptions,
    typer.Option("--policy", help="Tell losses, be silent, or count what is lossy as not fine."),
]


def check_records(
    files: Inputs,
    to: options.To,
    to_file: OutIfAny = None,
    source: options.From = _AUTO,
    form: FormName = None,
    model: AskedModel = None,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    address: Address = None,
    report: ReportFile = None,
    as_json: options.Json = False,
    kind: FilesAs = None,
    max_line: MaxLine = MAX_LINE,
    policy: CheckPolicy = options.LossOptions.log,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Count what a provider would refuse of files of records, and what it would not get.

    A body of that wire is checked as it is, any other is converted first; nothing is sent. With -o
    there is a line for each record that is fine, and the others go into quarantine.

    Exit codes: 0 all are fine, 3 some are not, 2 usage or unreadable input.
    """
    options.known_source(source)
    options.check_wire_name(to)
    check_form_name(form)
    rule = options.policy(policy, refuse, allow)
    work = checker(target=to, source=source, model=model, policy=rule, form=form)
    fixed: JsonObject = {"command": "check", "from": source, "form": form, "to": to, "model": model}
    fixed |= {"refuse": list(rule.refuse), "allow": list(rule.allow)}
    run = FilesRun(files, to_file, jobs, engine, report, max_line, segment, address, kind)
    sums = run.run(work, fixed, "fine")
    if as_json:
        print_json(sums)
    else:
        screen = Screen()
        _show_refused(screen, sums.get("sums", {}).get("refused", {}), to)
        if policy is not options.LossOptions.ignore:
            show_loss_sums(screen, sums, to)
    leave(sums)


def count_records(
    files: Inputs,
    to_file: OutIfAny = None,
    source: options.From = _AUTO,
    form: FormName = None,
    model: CountedModel = None,
    counter: CounterName = _AUTO,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    address: Address = None,
    report: ReportFile = None,
    as_json: options.Json = False,
    kind: FilesAs = None,
    max_line: MaxLine = MAX_LINE,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Count the tokens of files of records, by model and by the parts of a conversation.

    With -o there is a line for each record: line, source, model, tokens, parts. A file that is the
    session log of a coding agent is one record.

    Exit codes: 0 all counted, 3 some could not be, 2 usage or unreadable input.
    """
    options.known_source(source)
    check_form_name(form)
    chosen = None if counter == _AUTO else options.counter(counter)
    work = token_counter(source=source, model=model, counter=chosen, form=form)
    fixed = {"command": "count", "from": source, "form": form, "model": model, "counter": counter}
    run = FilesRun(files, to_file, jobs, engine, report, max_line, segment, address, kind)
    sums = run.run(work, fixed, "counted")
    if as_json:
        print_json(sums)
    else:
        _show_tokens(Screen(), sums.get("sums", {}).get("models", {}))
    leave(sums)


def price_records(
    files: Inputs,
    to_file: OutIfAny = None,
    source: Vendor = _AUTO,
    form: FormName = None,
    in_batch: InBatch = False,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    address: Address = None,
    report: ReportFile = None,
    as_json: options.Json = False,
    kind: FilesAs = None,
    max_line: MaxLine = MAX_LINE,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Add up what files of answers cost, by day and model.

    A record is an answer, or an exchange of a request and its answer; a file that is the session
    log of a coding agent is one record. Prices are the vendor's own figure, else list prices; what
    has no known price is counted apart. With -o there is a line for each record.

    Exit codes: 0 all read, 3 some have no answer, 2 usage or unreadable input.
    """
    options.known_source(source)
    check_form_name(form)
    work = pricer(source=source, form=form, in_batch=in_batch)
    fixed = {"command": "cost", "from": source, "form": form, "in_batch": in_batch}
    run = FilesRun(files, to_file, jobs, engine, report, max_line, segment, address, kind)
    sums = run.run(work, fixed, "counted")
    if as_json:
        print_json(sums)
    else:
        _show_costs(Screen(), sums.get("sums", {}))
    leave(sums)


def measure_records(
    files: Inputs,
    to: options.Targets = None,
    to_file: OutIfAny = None,
    source: options.From = _AUTO,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    address: Address = None,
    report: ReportFile = None,
    as_json: options.Json = False,
    kind: FilesAs = None,
    max_line: MaxLine = MAX_LINE,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Count what files of records would lose on every wire, as `dragoman fidelity` does.

    Each is written for each wire and read back. With -o there is a line for each record.

    Exit codes: 0 all measured, 3 some could not be read, 2 usage or unreadable input.
    """
    options.known_source(source)
    targets = options.targets(to) or None
    work = fidelity_meter(source=source, targets=targets)
    fixed = {"command": "fidelity", "from": source, "to": targets}
    run = FilesRun(files, to_file, jobs, engine, report, max_line, segment, address, kind)
    sums = run.run(work, fixed, "measured")
    if as_json:
        print_json(sums)
    elif sums["out"]:
        show_fidelity(Screen(), _fidelity(sums))
    leave(sums)


def fit_records(
    files: Inputs,
    to_file: Out,
    tokens: Tokens,
    source: options.From = _AUTO,
    form: FormName = None,
    model: CountedModel = None,
    counter: CounterName = _AUTO,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    address: Address = None,
    report: ReportFile = None,
    kind: FilesAs = None,
    max_line: MaxLine = MAX_LINE,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Cut the records of files to a budget of tokens, each in its own form and on its own wire.

    The oldest turns go first, and no call loses its result. What fits stays as it was; a record
    whose last turn alone is too long goes into quarantine.

    Exit codes: 0 all fit, 3 something is in quarantine, 2 usage or unreadable input.
    """
    options.known_source(source)
    check_form_name(form)
    chosen = None if counter == _AUTO else options.counter(counter)
    work = fitter(tokens=tokens, source=source, model=model, counter=chosen, form=form)
    fixed: JsonObject = {"command": "fit", "from": source, "form": form, "model": model}
    fixed |= {"tokens": tokens, "counter": counter}
    run = FilesRun(files, to_file, jobs, engine, report, max_line, segment, address, kind)
    sums = run.run(work, fixed)
    found = sums.get("sums", {})
    cut, messages = found.get("cut", 0), found.get("messages", 0)
    screen = Screen(stderr=True)
    screen.line(f"{cut:,} record(s) were cut, by {messages:,} message(s)")
    leave(sums)


def read_messages(
    files: Inputs,
    to_file: Out,
    source: options.From = _AUTO,
    form: FormName = None,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    address: Address = None,
    report: ReportFile = None,
    kind: FilesAs = None,
    max_line: MaxLine = MAX_LINE,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Read files of records into Dragoman's own messages, as dragoman.message.load takes them.

    A record becomes a request, whose messages end in the answer that was recorded; an answer alone
    becomes a response. A file that is the session log of a coding agent is one record.

    Exit codes: 0 all read, 3 something is in quarantine, 2 usage or unreadable input.
    """
    options.known_source(source)
    check_form_name(form)
    fixed = {"command": "to-messages", "from": source, "form": form}
    run = FilesRun(files, to_file, jobs, engine, report, max_line, segment, address, kind)
    sums = run.run(message_reader(source=source, form=form), fixed)
    show_loss_sums(Screen(stderr=True), sums, "messages")
    leave(sums)


# -- tables ----------------------------------------------------------------------------------------


def _show_refused(screen: Screen, refused: JsonObject, target: str) -> None:
    if not refused:
        return
    screen.line(f"refused by {target}", style="bold")
    rows = []
    for code, row in sorted(refused.items(), key=lambda item: -item[1]["count"]):
        first = row["examples"][0]
        place = f"{first['source']}:{first['line']} {first['where']}"
        text = style_text((code, "bold"), f": {plain(first['rule'])} ", (plain(place), "dim"))
        rows.append((f"{row['count']:,}", text))
    screen.print(output.grid(rows, "right", "fold"))


def _show_tokens(screen: Screen, models: JsonObject) -> None:
    names = [name for name in _PARTS if any(name in row["parts"] for row in models.values())]
    rows = [
        (plain(model), *_figures(row["records"], row["tokens"], *_pick(row["parts"], names)))
        for model, row in sorted(models.items(), key=lambda item: -item[1]["tokens"])
    ]
    if len(models) > 1:
        total = [sum(row[key] for row in models.values()) for key in ("records", "tokens")]
        parts = [sum(row["parts"].get(name, 0) for row in models.values()) for name in names]
        rows.append(("all", *_figures(*total, *parts)))
    if rows:
        heads = ("model", "records", "tokens", *names)
        styles = ["right"] * (len(heads) - 1)
        screen.print(output.grid(rows, "fold", *styles, heads=heads, gap=2))
    if estimates := sum(row.get("estimates", 0) for row in models.values()):
        screen.line(f"{estimates:,} record(s) by estimate, without the tokenizer of the model")


def _pick(figures: JsonObject, names: list[str]) -> Iterator[int]:
    return (figures.get(name, 0) for name in names)


def _figures(*figures: int) -> Iterator[str]:
    return (f"{figure:,}" for figure in figures)


def _show_costs(screen: Screen, sums: JsonObject) -> None:
    days: JsonObject = sums.get("days", {})
    table = [
        (day, model, figures)
        for day, models in sorted(days.items())
        for model, figures in sorted(models.items())
    ]
    if not table:
        return
    if len(table) > 1:
        models = sorted({model for _, model, _ in table})
        if len(days) > 1 and len(models) > 1:
            for name in models:
                table.append(("all", name, _add(row for _, one, row in table[:] if one == name)))
        table.append(("all", "", _add(row for day, _, row in table if day != "all")))
    names = [name for name in _FIGURES if any(name in figures for _, _, figures in table)]
    rows = [(day, plain(model), *_cost_row(figures, names)) for day, model, figures in table]
    heads = ("day", "model", "answers", *(name.replace("_", " ") for name in names), "cost")
    columns = ["right"] * (len(heads) - 2)
    screen.print(output.grid(rows, "", "", *columns, heads=heads, gap=2))
    for reason, row in sums.get("unpriced", {}).items():
        screen.line(f"{row['count']:,} without a price: {plain(reason)}", style="dim")


def _add(rows: Any) -> JsonObject:
    total: JsonObject = Counter()
    for row in rows:
        for name, figure in row.items():
            total[name] += Decimal(figure) if name == "cost" else figure
    return total


def _cost_row(figures: Any, names: list[str]) -> Iterator[str]:
    yield f"{figures['records']:,}"
    yield from (f"{figures[name]:,}" if name in figures else "-" for name in names)
    cost, unpriced = figures.get("cost"), figures.get("unpriced", 0)
    texts = [] if cost is None else [f"${Decimal(cost):,.4f}"]
    yield " + ".join([*texts, *([f"{unpriced:,} unknown"] if unpriced else [])]) or "-"


def _fidelity(sums: JsonObject) -> Fidelity:
    pairs = []
    for stored in sums.get("sums", {}).get("pairs", {}).values():
        counts = {name: Counter(stored[name]) for name in ("refused", "codes")}
        examples = {
            code: Example(f"{one['source']}:{one['line']}", one["losses"], one["differences"])
            for code, (one, *_) in stored["examples"].items()
        }
        pairs.append(WirePair(**{**stored, **counts, "examples": examples}))
    read = sum(pair.count for pair in pairs) // max(1, len({pair.target for pair in pairs}))
    return Fidelity(pairs, read)
