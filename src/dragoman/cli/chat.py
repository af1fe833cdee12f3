"""`dragoman chat`: a conversation in the terminal, or line by line from a pipe."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack, suppress
from typing import Annotated, TypeAlias

import typer

from ..llm import profile
from ..toolkit import McpServer, Toolkit
from . import options, output
from .chat_session import ChatSession
from .chat_tools import EXAMPLES
from .chat_view import PlainView, TerminalView
from .output import CommandError
from .trust import ask_about

_VARIABLE = "DRAGOMAN_MODEL"
_PROFILE = "default"

Model: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="MODEL",
        envvar=_VARIABLE,
        show_envvar=False,
        help=f"As of `dragoman ask`; else {_VARIABLE}, or the profile {_PROFILE!r}.",
    ),
]

Tools: TypeAlias = Annotated[
    bool,
    typer.Option("--tools", help="Offer a clock, a calculator and files below this directory."),
]

Servers: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--mcp",
        metavar="SERVER",
        help="An MCP server: a command with its arguments, or a URL; repeatable.",
    ),
]

Yes: TypeAlias = Annotated[
    bool, typer.Option("--yes", "-y", help="Run what the model calls without asking.")
]


def chat(
    model: Model = None,
    system: options.System = None,
    option: options.Settings = None,
    base_url: options.BaseUrl = None,
    tools: Tools = False,
    mcp: Servers = None,
    yes: Yes = False,
) -> None:
    """Talk to a model in the terminal.

    Answers come as Markdown. Calls of tools are shown, and run if you allow it. /help lists the
    commands: another model in mid-conversation, images, saving and loading. Ctrl-C stops the answer
    under way, Ctrl-D leaves. From a pipe each line is a message or a command, and plain text is
    written.
    """
    settings = options.settings(option)
    name = model or _default()
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    with ExitStack() as stack:
        toolkit = Toolkit(EXAMPLES if tools else ())
        for place in mcp or ():
            toolkit.add(stack.enter_context(_server(place)))
        view = TerminalView(_read_keyboard) if interactive else PlainView(_read_pipe)
        session = ChatSession(
            name,
            view,
            toolkit=toolkit,
            yes=yes,
            system=system,
            base_url=base_url,
            settings=settings,
        )
        stack.callback(session.close)
        if interactive:
            view.note(f"{name} - /help lists the commands, Ctrl-D leaves")
        _converse(session, view, interactive)
    if session.failed and not interactive:
        raise typer.Exit(output.REFUSED)


def _default() -> str:
    ask_about(_PROFILE)
    if profile(_PROFILE) is not None:
        return _PROFILE
    hint = (
        f"dragoman chat vendor/model, or set {_VARIABLE}, or give dragoman.toml a table"
        f' [profiles.{_PROFILE}] with model = "vendor/model"'
    )
    raise CommandError("no model is named", hint)


def _server(place: str) -> McpServer:
    if place.startswith(("https://", "http://")):
        return McpServer(url=place)
    try:
        command = shlex.split(place)
    except ValueError as error:
        raise CommandError(f"--mcp {place}: {error}", "a command as a shell takes it") from error
    if not command:
        raise CommandError("--mcp names no server", "a command, or a URL")
    return McpServer(command)


def _converse(session: ChatSession, view: PlainView, interactive: bool) -> None:
    while True:
        try:
            line = view.read("> ")
            if line is None or not session.line(line):
                return
        except KeyboardInterrupt:
            if not interactive:
                raise
            view.note("\n(Ctrl-D leaves)")


def _read_keyboard(prompt: str) -> str | None:
    """Read a line from the keyboard, with the editing of readline if Python has it."""
    with suppress(ImportError):
        import readline  # noqa: F401  # input() uses it once it is loaded
    try:
        return input(prompt)
    except EOFError:
        sys.stdout.write("\n")
        return None


def _read_pipe(_: str) -> str | None:
    """Read a line of stdin, without a prompt."""
    try:
        return sys.stdin.readline() or None
    except UnicodeDecodeError as error:
        raise CommandError("stdin is no UTF-8", "messages are text") from error
