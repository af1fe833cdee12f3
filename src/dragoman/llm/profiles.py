"""Profiles: names for a model and its settings, in a TOML file.

    [profiles.fast]
    model = "anthropic/claude-haiku-5-5"
    temperature = 0.2
    timeout = 30
    fallbacks = ["openai/gpt-6-luna"]

A profile may have every keyword of `LLM` that TOML can express, but never a key: keys come from the
environment. A `dragoman.toml` in the current directory may be written by somebody else. So settings
that decide where keys and prompts go (an address, headers, tools, ...) are used from there only
after the user has trusted the file in its present state: its path and the hash of its content are
stored in the user's state directory.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigError
from ..message.options import OPTIONS
from ..suggestions.keywords import rename_keywords
from ..text.redaction import one_line, show

VARIABLE = "DRAGOMAN_PROFILES"  # the path of the file, if it is elsewhere
FILE = "dragoman.toml"
UNTRUSTED = "profile.untrusted"  # the code of the error

# What a file in the current directory may set without trust: the model and its options. All other
# settings, and all of later versions, may name a place to which keys or prompts are sent.
_FREE = frozenset({
    "model", "fallbacks", "order", "timeout", "retries", "repairs", "way", "response_format",
    "system", "memories", "agent_name", "tool_choice", "metadata", "history_tokens", "strict",
    "policy", "max_answer_bytes", "max_event_bytes", *OPTIONS,
})  # fmt: skip
_PLAIN_TABLES = frozenset({"response_format", "metadata", "policy"})  # tables in these name no host


class Untrusted(NamedTuple):
    """A file that is not trusted yet.

    Attributes:
        file: The file.
        settings: The settings in it that need trust.
        digest: The hash of its content.
    """

    file: Path
    settings: tuple[str, ...]
    digest: str


class _Content(NamedTuple):
    """The profiles of a file, and the hash of the bytes from which they were read."""

    profiles: dict[str, Any]
    digest: str


def profile(name: str, path: str | Path | None = None) -> dict[str, Any] | None:
    """Return the settings of a profile, including `model`; None if there is no such profile.

    Args:
        name: The name of the profile.
        path: The file. Without it: the one that the variable DRAGOMAN_PROFILES names, else
            `dragoman.toml` in the current directory, else in `~/.config/dragoman` (or below
            XDG_CONFIG_HOME).

    Returns:
        The keywords for `LLM`.

    Raises:
        ConfigError: The file cannot be read; the profile has no model, or has a key; or it is in
            the current directory, decides where keys go, and is not trusted.
    """
    for file in _files(path):
        content = _read(file)
        table = content.profiles.get(name)
        if table is None:
            continue
        where = f"$.profiles.{name}"
        if not isinstance(table, dict) or not isinstance(table.get("model"), str):
            text = f"the profile {show(name)} in {file.name} names no model"
            hint = 'model = "vendor/model"'
            raise ConfigError(text, path=f"{where}.model", hint=hint, code="profile.model")
        table = rename_keywords(table, ("key", "base_url", "headers", "model"))
        if "key" in table:
            text = f"the profile {show(name)} in {file.name} holds a key"
            hint = "set the variable of the vendor in the environment"
            raise ConfigError(text, path=f"{where}.key", hint=hint, code="profile.key")
        decisive = _decisive(table)
        if decisive and path is None and not _is_trusted(file, content.digest):
            text = f"{file.name} of this folder says {_join(decisive)}, and nobody trusts it yet"
            hint = (
                "read it, then run `dragoman trust` in this folder, move it to"
                f" {_own_file().parent}, or name the file: LLM(..., profiles={FILE!r})"
            )
            raise ConfigError(text, path=f"{where}.{decisive[0]}", hint=hint, code=UNTRUSTED)
        return dict(table)
    return None


def find_untrusted(name: str | None = None, path: str | Path | None = None) -> Untrusted | None:
    """Return what the user must be asked before a profile (or any of the file) can be used.

    None if there is nothing to ask. The file is that of the current directory, or `path`.

    Raises:
        ConfigError: The file cannot be read.
    """
    if path is None and os.environ.get(VARIABLE) is not None:
        return None
    file = Path(path if path is not None else FILE)
    if path is None and not file.is_file():
        return None
    content = _read(file)
    if _is_trusted(file, content.digest):
        return None
    tables = content.profiles if name is None else {name: content.profiles.get(name)}
    wanted = tuple(
        f"{profile_name}: {setting} = {table[setting]}"
        for profile_name, table in tables.items()
        if isinstance(table, dict)
        for setting in _decisive(table)
    )
    lines = tuple(one_line(line) for line in wanted)
    return Untrusted(file.resolve(), lines, content.digest) if wanted else None


def trust(file: str | Path, digest: str | None = None) -> None:
    """Trust a file with its present content, or with the content of `digest`.

    A file that changes must be trusted again.

    Raises:
        ConfigError: The list of trusted files cannot be stored.
    """
    path = Path(file).resolve()
    trusted = _read_trusted()
    trusted[str(path)] = digest if digest is not None else _read(path).digest
    _store(trusted)


def distrust(file: str | Path) -> bool:
    """Remove a file from the trusted ones; return False if it was not trusted."""
    trusted = _read_trusted()
    if trusted.pop(str(Path(file).resolve()), None) is None:
        return False
    _store(trusted)
    return True


# -- files -----------------------------------------------------------------------------------------


def _files(path: str | Path | None) -> list[Path]:
    named = path if path is not None else os.environ.get(VARIABLE)
    if named is not None:
        if not Path(named).is_file():
            raise ConfigError(f"there is no file {show(str(named))}", code="profile.file")
        return [Path(named)]
    return [file for file in (Path(FILE), _own_file()) if file.is_file()]


def _below(variable: str, usual: str) -> Path:
    """Return a folder of the user by the XDG Base Directory Specification.

    A relative path in the variable is ignored, as the specification demands: it would be a place in
    the current directory.
    """
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / usual) / "dragoman"


def _own_file() -> Path:
    return _below("XDG_CONFIG_HOME", ".config") / FILE


def _state_file() -> Path:
    return _below("XDG_STATE_HOME", ".local/state") / "trusted.json"


def _read(file: Path) -> _Content:
    try:
        content = file.read_bytes()
        table = tomllib.loads(content.decode()).get("profiles", {})
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {file.name}: {error}", code="profile.file") from error
    if not isinstance(table, dict):
        raise ConfigError(f"`profiles` in {file.name} is no table", code="profile.file")
    return _Content(table, hashlib.sha256(content).hexdigest())


# -- trust -----------------------------------------------------------------------------------------


def _decisive(table: Mapping[str, Any]) -> list[str]:
    """Return the settings of a profile that can decide where a key or a prompt is sent."""
    return [
        name
        for name, value in table.items()
        if name not in _FREE or (_has_table(value) and name not in _PLAIN_TABLES)
    ]


def _has_table(value: Any) -> bool:
    """Return whether the value contains a table: one in `fallbacks` may have its own address."""
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and any(map(_has_table, value))


def _join(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(show(name) for name in names[:3]) + more


def _is_trusted(file: Path, digest: str) -> bool:
    """Return whether the user named the file, owns it as configuration, or has trusted it."""
    if os.environ.get(VARIABLE) is not None:
        return True
    resolved = file.resolve()
    return resolved == _own_file().resolve() or _read_trusted().get(str(resolved)) == digest


def _read_trusted() -> dict[str, str]:
    """Return the trusted files: path -> hash of the content."""
    try:
        table = json.loads(_state_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}


def _store(trusted: Mapping[str, str]) -> None:
    """Replace the list by a new file that only the user can read."""
    file = _state_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as opened:
            json.dump(trusted, opened, indent=1)
        Path(opened.name).replace(file)
    except OSError as error:
        text = f"cannot keep what is trusted in {file.parent}: {error.strerror or error}"
        hint = "name the file in the variable DRAGOMAN_PROFILES"
        raise ConfigError(text, hint=hint, code="profile.state") from error
