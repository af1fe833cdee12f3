"""Profiles: names for a model and its settings, in a TOML file.

    [profiles.fast]
    model = "anthropic/claude-haiku-5-5"
    temperature = 0.2
    timeout = 30
    fallbacks = ["openai/gpt-6-luna"]

Every keyword of `LLM` that TOML can say may stand in a profile, a key never: it comes from the
environment.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from ...errors import ConfigError
from ..redaction import shown

VARIABLE = "DRAGOMAN_PROFILES"  # the file's path, where it stands elsewhere
_FILE = "dragoman.toml"


def profile(name: str, path: str | Path | None = None) -> dict[str, Any] | None:
    """The settings of a profile, `model` among them; None if no file has one of this name.

    Without a path: the file that the variable DRAGOMAN_PROFILES names, else `dragoman.toml` in the
    current directory, else `~/.config/dragoman/dragoman.toml`. Raises ConfigError for a file that
    cannot be read, and for a profile that names no model or holds a key.
    """
    for file in _files(path):
        table = _profiles(file).get(name)
        if table is None:
            continue
        where = f"$.profiles.{name}"
        if not isinstance(table, dict) or not isinstance(table.get("model"), str):
            text = f"the profile {shown(name)} in {file.name} names no model"
            hint = 'model = "vendor/model"'
            raise ConfigError(text, path=f"{where}.model", hint=hint, code="profile.model")
        if "key" in table:
            text = f"the profile {shown(name)} in {file.name} holds a key"
            hint = "set the variable of the vendor in the environment"
            raise ConfigError(text, path=f"{where}.key", hint=hint, code="profile.key")
        return dict(table)
    return None


def _files(path: str | Path | None) -> list[Path]:
    named = path if path is not None else os.environ.get(VARIABLE)
    if named is not None:
        if not Path(named).is_file():
            raise ConfigError(f"there is no file {shown(str(named))}", code="profile.file")
        return [Path(named)]
    usual = [Path(_FILE), Path.home() / ".config" / "dragoman" / _FILE]
    return [file for file in usual if file.is_file()]


def _profiles(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as opened:
            table = tomllib.load(opened).get("profiles", {})
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {file.name}: {error}", code="profile.file") from error
    if not isinstance(table, dict):
        raise ConfigError(f"`profiles` in {file.name} is no table", code="profile.file")
    return table
