"""Facts of the program's own, from a TOML or JSON file or a mapping of the same form.

The errors of this module name what is wrong with a file and where. The meaning of facts, and
whether a capability accepts a value, is decided in `capabilities`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NoReturn

from ..capabilities import Capabilities, Fact, Facts, bare, override
from ..capabilities.facts import STATES
from ..errors import ConfigError, ReadError
from ..message import Options
from ..text.json_text import loads
from ..text.redaction import show

_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


def facts(
    path_or_mapping: str | os.PathLike[str] | Mapping[str, Any], *, pin: str | date | None = None
) -> Facts:
    """Read facts that override what is known, for `wire(..., facts=)` and `Formatter(..., facts=)`.

    `fact` is a list of `{"models": [...], "changes": {...}}`, each optionally with `but`, `wire` (a
    protocol or a vendor), `when` (a state of the request: thinking, still, tools, stream, whole),
    `since` and `source`. `always` holds changes for every model, and for requests without one.
    `pin` leaves out what the package knows from later dates.

    >>> facts({"fact": [{"models": ["acme-*"], "changes": {"image": ["user"]}}]}).rows[0].models
    ('acme-*',)

    Args:
        path_or_mapping: A TOML or JSON file, or a mapping of the same form.
        pin: A date such as `2026-03`; it takes precedence over that of the file.

    Returns:
        The facts.

    Raises:
        ConfigError: The file is wrong, with a path such as `$.fact[2].changes.options`.
    """
    if isinstance(path_or_mapping, Mapping):
        data, name = path_or_mapping, "facts given in the program"
    elif isinstance(path_or_mapping, (str, os.PathLike)):
        data, name = _read(Path(path_or_mapping)), Path(path_or_mapping).name
    else:
        fault = f"facts come from a file or a mapping, not from {type(path_or_mapping).__name__}"
        raise ConfigError(fault, code="facts.value")
    _check_keys(data, ("pin", "fact", "always", "since", "source"), "$")
    always = _changes(data.get("always", {}), "$.always")
    return Facts(
        rows=tuple(_rows(data.get("fact", []), name)),
        always=always,
        since=_read_date(data, "since", "$"),
        source=_text(data, "source", "$") or (name if always else ""),
        pin=_date(pin, "$.pin") if pin is not None else _read_date(data, "pin", "$"),
    )


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or not a file name
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        fault = f"cannot read the facts in {show(str(path))}: {reason}"
        raise ConfigError(fault, code="facts.file") from error
    try:
        # TOML cannot begin with a brace
        is_json = path.suffix == ".json" or text.lstrip().startswith("{")
        table = loads(text) if is_json else tomllib.loads(text)
    except (ReadError, tomllib.TOMLDecodeError) as error:
        fault = f"{show(path.name)} is neither TOML nor JSON: {error}"
        raise ConfigError(fault, code="facts.file") from error
    if not isinstance(table, dict):
        _fail("$", table, "a table")
    return table


def _rows(data: Any, name: str) -> list[Fact]:
    if not isinstance(data, (list, tuple)):
        _fail("$.fact", data, "a list of tables ([[fact]])")
    return [_row(row, name, f"$.fact[{i}]") for i, row in enumerate(data)]


def _row(data: Any, name: str, path: str) -> Fact:
    if not isinstance(data, Mapping):
        _fail(path, data, "a table")
    _check_keys(data, ("models", "but", "wire", "when", "since", "source", "changes"), path)
    for key in ("models", "changes"):
        if key not in data:
            raise ConfigError(f"a fact needs {key}", path=path, code="facts.value")
    when = _text(data, "when", path)
    if when and when not in STATES:
        _fail(f"{path}.when", when, f"one of {', '.join(STATES)}")
    models = _patterns(data["models"], f"{path}.models")
    if not models:
        _fail(f"{path}.models", data["models"], "a list of one model or more")
    return Fact(
        models=models,
        changes=_changes(data["changes"], f"{path}.changes"),
        since=_read_date(data, "since", path),
        source=_text(data, "source", path) or name,
        but=_patterns(data.get("but", []), f"{path}.but"),
        wire=_text(data, "wire", path),
        when=when,
    )


def _patterns(data: Any, path: str) -> tuple[str, ...]:
    """Read patterns over bare names; those of a host (`org/Model-*`) are accepted as well."""
    rows = [data] if isinstance(data, str) else data
    if not isinstance(rows, (list, tuple)):
        _fail(path, data, "a list of model names")
    for i, row in enumerate(rows):
        if not isinstance(row, str) or not row:
            _fail(f"{path}[{i}]", row, "the name of a model, or a pattern such as gpt-5*")
    return tuple(bare(row) for row in rows)


def _changes(data: Any, path: str) -> dict[str, Any]:
    """Return the changes as they were given, after trying each on capabilities."""
    if not isinstance(data, Mapping):
        _fail(path, data, "a table of capabilities")
    for name, value in data.items():
        try:
            override(Capabilities(), {name: value})
        except ConfigError as error:
            raise ConfigError(
                error.message, path=path + error.path[1:], hint=error.hint, code=error.code
            ) from None
    for option in data.get("options", {}):
        if option not in Options.__dataclass_fields__:
            _fail(f"{path}.options.{option}", option, "an option of dragoman.Options")
    return dict(data)


def _check_keys(data: Mapping[str, Any], keys: tuple[str, ...], path: str) -> None:
    for key in data:
        if key not in keys:
            fault, hint = f"unknown key {show(key)}", f"one of {', '.join(keys)}"
            raise ConfigError(fault, path=f"{path}.{key}", hint=hint, code="facts.key")


def _text(data: Mapping[str, Any], key: str, path: str) -> str:
    value = data.get(key, "")
    if not isinstance(value, str):
        _fail(f"{path}.{key}", value, "a text")
    return value


def _read_date(data: Mapping[str, Any], key: str, path: str) -> str:
    return _date(data.get(key, ""), f"{path}.{key}")


def _date(value: Any, path: str) -> str:
    """Return an ISO date, month or year; TOML has a type for dates."""
    if isinstance(value, date):
        value = value.isoformat()[:10]
    if not isinstance(value, str) or (value and not _is_date(value)):
        _fail(path, value, "a date, a month or a year such as 2026-11-01, 2026-11, 2026")
    return value


def _is_date(value: str) -> bool:
    try:
        return bool(_DATE.fullmatch(value) and date.fromisoformat(f"{value}-01-01"[:10]))
    except ValueError:
        return False


def _fail(path: str, value: Any, expected: str) -> NoReturn:
    raise ConfigError(f"{show(value)} is not {expected}", path=path, code="facts.value")
