"""`dragoman keys new`: a key for a client of the gateway, and the entry that lets it in."""

from __future__ import annotations

import json
import sys
from typing import Annotated, TypeAlias

import typer

from .output import CommandError, require_libraries

app = typer.Typer(help="Make and show keys for the clients of the gateway.", no_args_is_help=True)

Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="Who comes with it.")]
Rate: TypeAlias = Annotated[
    float | None, typer.Option("--rate", metavar="N", help="Requests in a minute, at most.")
]
Concurrent: TypeAlias = Annotated[
    int | None, typer.Option("--concurrent", metavar="N", help="Requests at a time, at most.")
]
Models: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", metavar="PATTERN", help="What it may ask for; repeatable."),
]


_EXACT = 2**53  # below it each integer has a float of its own


@app.callback()
def _keys() -> None:
    """Make keys for the clients of the gateway."""


@app.command("new")
def new(name: Name, rate: Rate = None, concurrent: Concurrent = None, model: Models = None) -> None:
    """Make a client key. It is shown only this once; the gateway stores only its hash.

    The key goes to stderr and its entry to stdout, so that `>> gateway.toml` stores only the entry.
    """
    require_libraries("gateway", "argon2")
    for what, value in (("the name", name), *(("a pattern", pattern) for pattern in model or ())):
        if not (value.isprintable() and value.strip()):
            raise CommandError(f"{what} of a key is one line of plain text")
    from ..gateway.config.client_keys import new_key

    made = new_key(name, rate=rate, concurrent=concurrent, models=tuple(model or ("*",)))
    entry = made.entry
    fields = {
        "name": entry.name,
        "hash": entry.hash,
        "rate": rate,
        "concurrent": concurrent,
        "models": model,
    }
    sys.stderr.write(f"{made.key}\n")
    sys.stderr.flush()
    rows = (f"{key} = {_toml(value)}" for key, value in fields.items() if value is not None)
    sys.stdout.write("\n".join(["[[keys]]", *rows, ""]))


def _toml(value: str | float | list[str]) -> str:
    """A number, a text or a list of texts, which are written in TOML as in JSON."""
    if isinstance(value, float) and value.is_integer() and value < _EXACT:
        value = int(value)
    return json.dumps(value, ensure_ascii=False)
