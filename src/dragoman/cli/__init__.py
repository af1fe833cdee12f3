"""The command `dragoman` and its subcommands.

The only place that imports Typer and Rich. One file for each command, those of the page in one;
`errors` is the way out of all of them. Nothing imports this package.
"""

from __future__ import annotations

from importlib import metadata
from typing import Annotated, NoReturn

import typer

from . import (
    ask,
    chat,
    check,
    convert,
    demo,
    diff,
    explain,
    fidelity,
    keys,
    matrix,
    page,
    plan,
    read,
    serve,
    wires,
)
from .format import format_messages
from .output import USAGE, Door

__all__ = ["app", "main"]


_EXAMPLES = """\
Examples:

\b
  dragoman demo
  dragoman format chat.json --to anthropic
  dragoman format chat.json --to dashscope --multi-agent --request
  dragoman read answer.json
  dragoman read stream.sse --from anthropic --replay
  dragoman convert request.json --to gemini
  dragoman check request.json --to anthropic
  dragoman plan request.json
  dragoman diff request.json --to anthropic gemini
  dragoman fidelity logs.jsonl --save before.json
  dragoman wires --model deepseek-flash
  dragoman explain thinking.unsigned
  dragoman matrix
  dragoman view logs.jsonl
  dragoman export logs.jsonl -o page.html
  dragoman ask deepseek/deepseek-chat "Why is the sky blue?"
  dragoman chat anthropic/claude-opus-5-5 --tools
  dragoman serve anthropic/claude-opus-5-5
  dragoman serve --for codex deepseek/deepseek-chat
  dragoman keys new laptop
"""


app = typer.Typer(
    name="dragoman",
    cls=Door,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help as plain text: no boxes in a pipe
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="DRAGOMAN_DEBUG", help="Show tracebacks of errors.")
    ] = False,
) -> None:
    """One conversation, every LLM API: messages in, each provider's exact JSON out, and back.

    Exit codes: 0 done, 1 refused (by a policy, a check or a provider) or different, 2 usage or
    unreadable input, 130 interrupted.
    """
    if version:
        try:
            typer.echo(f"dragoman {metadata.version('dragoman')}")
        except metadata.PackageNotFoundError:
            typer.echo("dragoman (not installed)")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit(USAGE)
    ctx.obj = debug  # the door asks for it when something goes wrong


app.command("ask")(ask.ask_model)


app.command("chat")(chat.chat)


app.command("check")(check.check_bodies)


app.command("convert")(convert.convert_bodies)


app.command("demo")(demo.demo)


app.command("diff")(diff.diff_conversations)


app.command("explain")(explain.explain)


app.command("export")(page.export)


app.command("fidelity")(fidelity.measure_fidelity)


app.command("format")(format_messages)


app.add_typer(keys.app, name="keys")


app.command("matrix")(matrix.show_matrix)


app.command("plan")(plan.plan_conversations)


app.command("play")(page.play)


app.command("read")(read.read_answers)


app.command("serve")(serve.serve_gateway)


app.command("view")(page.view)


app.command("wires")(wires.list_wires)


def main() -> NoReturn:
    """Run the command line that the shell gave."""
    app()
    raise AssertionError("the door always leaves")
