"""`dragoman play`, `view` and `export`: the page, live for one browser or as a file."""

from __future__ import annotations

import sys
import webbrowser
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ..errors import DragomanError
from ..page import Page, export_page
from . import inputs, options, output
from .output import CommandError

Files: TypeAlias = Annotated[
    list[str],
    options.file(
        "Requests, answers, streams, recordings or a folder of them, session logs, messages, spans;"
        " - is stdin.",
        "FILE...",
    ),
]

Port: TypeAlias = Annotated[
    int, typer.Option("--port", min=0, max=65535, metavar="N", help="0 takes one that is free.")
]

Browser: TypeAlias = Annotated[
    bool, typer.Option("--open/--no-open", help="Open the page in the browser, or tell its URL.")
]

_IN_FOLDERS = (".jsonl", ".ndjson", ".json", ".sse")

Counter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--counter",
        metavar="WHAT",
        help="What counts tokens: char, hf:NAME_OR_FOLDER, openai:MODEL or mistral:MODEL; an"
        " estimate by length without it.",
    ),
]


def play(port: Port = 0, browser: Browser = True, counter: Counter = None) -> None:
    """Open an empty page, to paste what was sent or drop a file.

    It is served to this machine alone, until Ctrl-C; it asks no other host, and writes no file.
    """
    _serve(_page([], counter), port, browser)


def view(files: Files, port: Port = 0, browser: Browser = True, counter: Counter = None) -> None:
    """Open files in the page: a chat beside the JSON of every wire.

    What a wire loses is marked in both; streams are replayed, consecutive requests compared. It is
    served to this machine alone, until Ctrl-C.
    """
    _serve(_page(files, counter), port, browser)


def export(files: Files, to_file: options.Output = "-", counter: Counter = None) -> None:
    """Write the page as one HTML file that needs no network."""
    if to_file == "-" and sys.stdout.isatty():
        raise CommandError("a page is no text for a terminal", "-o page.html writes it to a file")
    output.print_or_save([export_page(_page(files, counter))], to_file)


def _page(files: list[str], counter: str | None) -> Page:
    """The page with the files open; a file that cannot be opened is an entry with the reason."""
    page = Page(options.counter(counter) if counter is not None else None, counter or "")
    places = [*chain.from_iterable(map(_files, files))]
    broken: list[tuple[str, DragomanError]] = []
    for file in places:
        name = inputs.file_name(file)
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        try:
            page.open(data, name)
        except DragomanError as error:
            broken.append((name, error))
            page.fail(name, error)
    if broken and len(broken) == len(places):
        first, why = broken[0]
        raise CommandError.of(why, first) from why
    return page


def _files(place: str) -> list[str]:
    """The file itself; for a folder the files whose names end like recordings or bodies."""
    if place == "-" or not Path(place).is_dir():
        return [place]
    files = sorted(str(file) for file in Path(place).iterdir() if file.suffix in _IN_FOLDERS)
    if not files:
        hint = f"a folder of files that end with {', '.join(_IN_FOLDERS)}"
        raise CommandError(f"{place}: there is no recording in it", hint)
    return files


def _serve(page: Page, port: int, browser: bool) -> None:
    try:
        from ..page.server import HOST, Server
    except ImportError as error:
        text = f"the live page needs {error.name}"
        hint = 'pip install "dragoman[gateway]"; `dragoman export` needs nothing'
        raise CommandError(text, hint) from error
    try:
        server = Server(page, port)
    except OSError as error:
        text = f"nothing can listen on {HOST}:{port}: {error.strerror}"
        raise CommandError(text, "--port 0 takes a port that is free") from error

    def ready() -> None:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        if browser:
            webbrowser.open(server.url)

    server.run(ready)
