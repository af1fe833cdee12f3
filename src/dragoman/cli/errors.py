"""The door of the program: what a command raises becomes one line on stderr and an exit code.

0 it went well; 1 what was given cannot or may not be said; 2 usage, set-up or an unreadable file;
70 a mistake of ours; 130 interrupted; 141 nobody reads the output any more. Knows no command.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import DragomanError, LossRefused, WriteError
from .output import plain, printable

__all__ = ["BUG", "CLOSED", "INTERRUPTED", "REFUSED", "USAGE", "CommandError", "Door", "report"]

_LONGEST = 800  # characters of a line, whatever somebody's input holds
REFUSED, USAGE, BUG, INTERRUPTED, CLOSED = 1, 2, 70, 130, 141

# Typer brings the classes of Click, in some releases with Click and in others without; by way of
# a class that it exports they are found in all of them.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class CommandError(Exception):
    """Ends a command: what is wrong, what to do about it, and the exit code."""

    def __init__(self, message: str, hint: str = "", code: int = USAGE) -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.code = code

    @classmethod
    def of(cls, error: DragomanError, place: str, code: int, hint: str = "") -> CommandError:
        """The same error with the file (and line) in which it is."""
        told = isinstance(error, LossRefused)  # which names each of its places
        where = f"{place}: {error.path}" if error.path and not told else place
        return cls(f"{where}: {error.message}", hint or error.hint, code)

    @classmethod
    def refused(cls, error: WriteError, place: str) -> CommandError:
        """A refusal with the file (and line) that it is about, and the options that allow it."""
        hint = ""
        if isinstance(error, LossRefused):
            codes = dict.fromkeys(loss.code for loss in error.losses)
            hint = f"{' '.join(f'--allow {code}' for code in codes)} lets it pass"
        return cls.of(error, place, REFUSED, hint)


class Door(TyperGroup):
    """The group of all commands; every way out of the program leads through here."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command line and leave with its exit code."""
        extra["standalone_mode"] = False
        printable()
        try:
            code = super().main(*args, **extra)
        except typer.Abort:
            code = INTERRUPTED
        except _UsageError as error:
            code = report(_usage(error), USAGE)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was chosen."""
        try:
            value = super().invoke(ctx)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, _UsageError):
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, nobody wants a traceback
            raise typer.Exit(_left(error, debug=bool(ctx.obj))) from None
        return value


def _left(error: Exception, debug: bool) -> int:
    """Say what happened; the exit code for it."""
    if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.ESHUTDOWN):
        _abandon_stdout()
        return CLOSED
    if debug:
        traceback.print_exception(error)
    match error:
        case CommandError(code=code):
            return report(str(error), code)
        case WriteError():
            return report(str(error), REFUSED)
        case DragomanError():
            return report(str(error), USAGE)
        case OSError(filename=str(name), strerror=str(said)):
            return report(f"{name}: {said}", USAGE)
        case _:
            said = f"a mistake in dragoman, {type(error).__name__}: {error}"
            return report(said if debug else f"{said} (`dragoman --debug` shows where)", BUG)


def _usage(error: Any) -> str:
    said = str(error.format_message()).rstrip(".")
    ctx = getattr(error, "ctx", None)
    return f"{said} (see `{ctx.command_path} --help`)" if ctx is not None else said


def report(text: str, code: int) -> int:
    """Say on stderr what is wrong; the exit code for it."""
    sys.stdout.flush()
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    sys.stderr.write(f"error: {plain(shown)}\n")
    return code


def _abandon_stdout() -> None:
    """Let the interpreter's last flush go nowhere, so that it does not complain."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
