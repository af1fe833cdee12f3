"""`dragoman trust`: lets the `dragoman.toml` of a folder decide where keys and prompts go.

It also asks the user at a terminal, for the commands that use profiles.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ..llm.names import find_maker
from ..llm.profiles import FILE, Untrusted, distrust, find_untrusted, trust
from .output import CommandError, errors_at, plain

Place: TypeAlias = Annotated[
    Path, typer.Argument(metavar="PLACE", help="A file of profiles, or the folder it is in.")
]
Forget: TypeAlias = Annotated[
    bool, typer.Option("--forget", help="Trust it no longer, whatever it says.")
]


def trust_folder(place: Place = Path(), forget: Forget = False) -> None:
    """Trust the dragoman.toml of this folder as it is now.

    Without this, profiles of a folder may only name a model and its options. What decides where the
    key of the environment and the prompts go (base_url, headers, places, tools, ...) counts only in
    a file of your own configuration, in one that the variable DRAGOMAN_PROFILES names, and in one
    that is trusted. A file that changes must be trusted again.
    """
    file = place / FILE if place.is_dir() else place
    if forget:
        known = distrust(file)
        sys.stdout.write(f"{plain(str(file))} {'is' if known else 'was'} not trusted\n")
        return
    if not file.is_file():
        raise CommandError(f"there is no file {plain(str(file))}", "dragoman trust FOLDER")
    with errors_at(str(file)):
        found = find_untrusted(path=file)
        if found is None:
            text = "is trusted already, or says nothing that needs it"
            sys.stdout.write(f"{plain(str(file))} {text}\n")
            return
        trust(found.file, found.digest)
    sys.stdout.write("\n".join([f"trusted: {plain(str(found.file))}", *_lines(found), ""]))


def ask_about(name: str) -> None:
    """Ask whether the profile of this folder may decide where the key goes, if it tries to.

    Without a terminal no question is asked, and the library's error says what to do. Raises
    CommandError if the user says no.
    """
    if "/" in name or find_maker(name):
        return  # profiles cannot have such names
    with errors_at(FILE):
        found = find_untrusted(name)
    if found is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    title = f"{plain(str(found.file))} decides where your key and prompts go:"
    sys.stderr.write("\n".join([title, *_lines(found), "Trust this file as it is now? [y/N] "]))
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError(f"{FILE} of this folder is not trusted", "nothing was sent")
    trust(found.file, found.digest)


def _lines(found: Untrusted) -> list[str]:
    return [f"  {plain(setting)}" for setting in found.settings]
