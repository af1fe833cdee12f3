"""`dragoman batch`: conversations by the million, on all processors, resumed where they broke."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from ..batch import Converter
from ..batch.lines import MAX_LINE
from ..batch.record_forms import FORMS
from ..batch.run import SEGMENT
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
    ReportFile,
    SegmentSize,
    check_form_name,
    leave,
    show_loss_sums,
)
from .batch_works import (
    check_records,
    count_records,
    fit_records,
    measure_records,
    price_records,
    read_messages,
)
from .provider_batch import cancel_batch, fetch_batch, show_batch, submit_batch

app = typer.Typer(no_args_is_help=True)

_WRITTEN = [name for name, form in FORMS.items() if form.is_written]
Target: TypeAlias = Annotated[
    str,
    options.wire_option(
        "--to",
        "-t",
        help=f"See `dragoman wires`; or a form of records: {', '.join(_WRITTEN)}.",
        metavar="WIRE|FORM",
    ),
]
PolicyName: TypeAlias = Annotated[
    options.LossOptions,
    typer.Option("--policy", help="Tell losses, be silent, or quarantine what is lossy."),
]


@app.callback()
def _batch() -> None:
    """Files of conversations, however many; and the batch interfaces of providers.

    Over files (JSON lines, also packed; folders; patterns): convert, check, count, cost, fidelity,
    fit, to-messages. A record is a line: a request, an answer, an exchange of both, an example of
    training data. Over a provider's batch interface: submit, status, fetch, cancel.
    """


@app.command("convert")
def convert_records(
    files: Inputs,
    to_file: Out,
    to: Target,
    source: options.From = "auto",
    form: FormName = None,
    model: AskedModel = None,
    jobs: Jobs = None,
    engine: EngineName = EngineChoice.local,
    address: Address = None,
    report: ReportFile = None,
    kind: FilesAs = None,
    max_line: MaxLine = MAX_LINE,
    policy: PolicyName = options.LossOptions.log,
    refuse: options.Refuse = None,
    allow: options.Allow = None,
    segment: SegmentSize = SEGMENT,
) -> None:
    """Convert files of records to another provider's wire, each to a file of its name in OUT.

    A record is a line: the body of a request or of an answer, an exchange of both, a line of a
    provider's batch file, an example of training data; or a whole file, the session log of a
    coding agent. One that cannot be converted goes, with its place and the reason, to
    NAME.quarantine.jsonl beside the output, which can be fed in again. A run that was killed goes
    on where it was if the same command is given again.

    Exit codes: 0 all converted, 3 something is in quarantine, 2 usage or unreadable input.
    """
    options.known_source(source)
    if to not in _WRITTEN:
        options.check_wire_name(to)
    check_form_name(form)
    rule = options.policy(policy, refuse, allow)
    fixed = {
        "from": source,
        "form": form,
        "to": to,
        "model": model,
        "refuse": list(rule.refuse),
        "allow": list(rule.allow),
    }
    run = FilesRun(files, to_file, jobs, engine, report, max_line, segment, address, kind)
    sums = run.run(Converter(source, to, model, rule, form), fixed)
    if policy is not options.LossOptions.ignore:
        show_loss_sums(output.Screen(stderr=True), sums, to)
    leave(sums)


app.command("check")(check_records)
app.command("count")(count_records)
app.command("cost")(price_records)
app.command("fidelity")(measure_records)
app.command("fit")(fit_records)
app.command("to-messages")(read_messages)
app.command("submit")(submit_batch)
app.command("status")(show_batch)
app.command("fetch")(fetch_batch)
app.command("cancel")(cancel_batch)
