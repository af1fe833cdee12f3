"""The command `dragoman` and its subcommands.

Only this package imports Typer and Rich. Each command has its own file; those of the page share
one. `output` turns errors into messages and exit codes for all of them. Nothing imports this
package.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable
from importlib import import_module, metadata
from typing import Annotated, Any, NoReturn

import typer

from .output import USAGE, Door

__all__ = ["app", "application", "main"]

_OLD_NAME = r".* now; the old name goes"  # the warnings of `_old_names`
_PYTHONS = warnings.formatwarning


_EXAMPLES = """\
Examples:

\b
  dragoman demo
  dragoman format chat.json --to anthropic
  dragoman format chat.json --to dashscope --multi-agent --request
  dragoman read answer.json
  dragoman read stream.sse --from anthropic --replay
  dragoman convert request.json --to gemini
  dragoman batch convert logs/ -o gemini/ --to gemini
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


# command -> its file, and the function in it (or the commands below it)
_COMMANDS = {
    "ask": ("ask", "ask_model"),
    "batch": ("batch", "app"),
    "chat": ("chat", "chat"),
    "check": ("check", "check_bodies"),
    "convert": ("convert", "convert_bodies"),
    "demo": ("demo", "demo"),
    "diff": ("diff", "diff_conversations"),
    "explain": ("explain", "explain"),
    "export": ("page", "export"),
    "fidelity": ("fidelity", "measure_fidelity"),
    "format": ("format", "format_messages"),
    "keys": ("keys", "app"),
    "matrix": ("matrix", "show_matrix"),
    "plan": ("plan", "plan_conversations"),
    "play": ("page", "play"),
    "read": ("read", "read_answers"),
    "serve": ("serve", "serve_gateway"),
    "trust": ("trust", "trust_folder"),
    "view": ("page", "view"),
    "wires": ("wires", "list_wires"),
}


def application(names: Iterable[str] = _COMMANDS) -> typer.Typer:
    """The command line as a Typer application; only the files of these commands are loaded.

    Args:
        names: The names of the commands; all without it.
    """
    made = typer.Typer(
        name="dragoman",
        cls=Door,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # help as plain text: no boxes in a pipe
        epilog=_EXAMPLES,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(invoke_without_command=True)(_root)
    for name in names:
        file, function = _COMMANDS[name]
        command: Any = getattr(import_module(f".{file}", __name__), function)
        if isinstance(command, typer.Typer):
            made.add_typer(command, name=name)
        else:
            made.command(name)(command)
    return made


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return application()


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
    ctx.obj = debug  # read when a command fails


def _format_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Return the text of a warning: of an old name without a place, as none is the reader's."""
    if re.match(_OLD_NAME, str(message)):
        return f"warning: {message}\n"
    return _PYTHONS(message, category, filename, lineno, line)


def main() -> NoReturn:
    """Run the command line that the shell gave, and leave with its exit code.

    Raises:
        SystemExit: Always, with the exit code.
    """
    # what a command was given under an old name is said to whoever typed it
    warnings.filterwarnings("default", _OLD_NAME, DeprecationWarning)
    warnings.formatwarning = _format_warning
    word = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    application([word] if word in _COMMANDS else _COMMANDS)()
    raise AssertionError("the door always leaves")
