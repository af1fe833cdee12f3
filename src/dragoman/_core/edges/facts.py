"""Facts of your own, from a TOML or JSON file or a mapping of the same form.

Says what is wrong with a file and where; what a fact means, and whether a capability takes a
value, is settled in `capabilities`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NoReturn

from ...capabilities import Capabilities, Fact, Facts, bare, override
from ...capabilities.facts import STATES
from ...errors import ConfigError, ReadError
from ...message import Options
from ..jsontext import loads
from ..redaction import shown

_KEYS = ("pin", "fact", "always", "since", "source")


_FACT_KEYS = ("models", "but", "wire", "when", "since", "source", "changes")


_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


_GIVEN = "facts given in the program"


def facts(
    path_or_mapping: str | os.PathLike[str] | Mapping[str, Any], *, pin: str | date | None = None
) -> Facts:
    """Facts that override what is known, for `wire(..., facts=)` and `Formatter(..., facts=)`.

    `fact`: a list of `{"models": [...], "changes": {...}}`, each perhaps with `but`, `wire` (a
    protocol or a vendor), `when` (a state of the request: thinking, still, tools, stream, whole),
    `since` and `source`. `always`: changes for every model, and without one. `pin`: leave out what
    the package knows of later dates, e.g. `2026-03`; the argument wins over the file.

    Raises ConfigError, with a path such as `$.fact[2].changes.options`.

    >>> facts({"fact": [{"models": ["acme-*"], "changes": {"image": ["user"]}}]}).rows[0].models
    ('acme-*',)
    """
    if isinstance(path_or_mapping, Mapping):
        given, name = path_or_mapping, _GIVEN
    elif isinstance(path_or_mapping, (str, os.PathLike)):
        given, name = _read(Path(path_or_mapping)), Path(path_or_mapping).name
    else:
        raise ConfigError(
            f"facts come from a file or a mapping, not from {type(path_or_mapping).__name__}",
            code="facts.value",
        )
    _known(given, _KEYS, "$")
    always = _changes(given.get("always", {}), "$.always")
    return Facts(
        rows=tuple(_rows(given.get("fact", []), name)),
        always=always,
        since=_dated(given, "since", "$"),
        source=_text(given, "source", "$") or (name if always else ""),
        pin=_date(pin, "$.pin") if pin is not None else _dated(given, "pin", "$"),
    )


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: bytes that are no text, or no file name
        said = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(
            f"cannot read the facts in {shown(str(path))}: {said}", code="facts.file"
        ) from error
    try:
        # no TOML begins like a JSON object
        is_json = path.suffix == ".json" or text.lstrip().startswith("{")
        found = loads(text) if is_json else tomllib.loads(text)
    except (ReadError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(
            f"{shown(path.name)} is neither TOML nor JSON: {error}", code="facts.file"
        ) from error
    if not isinstance(found, dict):
        _fail("$", found, "a table")
    return found


def _rows(given: Any, name: str) -> list[Fact]:
    if not isinstance(given, (list, tuple)):
        _fail("$.fact", given, "a list of tables ([[fact]])")
    return [_row(row, name, f"$.fact[{i}]") for i, row in enumerate(given)]


def _row(given: Any, name: str, path: str) -> Fact:
    if not isinstance(given, Mapping):
        _fail(path, given, "a table")
    _known(given, _FACT_KEYS, path)
    for key in ("models", "changes"):
        if key not in given:
            raise ConfigError(f"a fact needs {key}", path=path, code="facts.value")
    when = _text(given, "when", path)
    if when and when not in STATES:
        _fail(f"{path}.when", when, f"one of {', '.join(STATES)}")
    models = _patterns(given["models"], f"{path}.models")
    if not models:
        _fail(f"{path}.models", given["models"], "a list of one model or more")
    return Fact(
        models=models,
        changes=_changes(given["changes"], f"{path}.changes"),
        since=_dated(given, "since", path),
        source=_text(given, "source", path) or name,
        but=_patterns(given.get("but", []), f"{path}.but"),
        wire=_text(given, "wire", path),
        when=when,
    )


def _patterns(given: Any, path: str) -> tuple[str, ...]:
    """Patterns over bare names, so those of a host (`org/Model-*`) are taken as well."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, (list, tuple)):
        _fail(path, given, "a list of model names")
    for i, one in enumerate(listed):
        if not isinstance(one, str) or not one:
            _fail(f"{path}[{i}]", one, "the name of a model, or a pattern such as gpt-5*")
    return tuple(bare(one) for one in listed)


def _changes(given: Any, path: str) -> dict[str, Any]:
    """The changes as they were given, each tried on capabilities."""
    if not isinstance(given, Mapping):
        _fail(path, given, "a table of capabilities")
    for name, value in given.items():
        try:
            override(Capabilities(), {name: value})
        except ConfigError as error:
            raise ConfigError(
                error.message, path=path + error.path[1:], hint=error.hint, code=error.code
            ) from None
    for option in given.get("options", {}):
        if option not in Options.__dataclass_fields__:
            _fail(f"{path}.options.{option}", option, "an option of dragoman.Options")
    return dict(given)


def _known(given: Mapping[str, Any], keys: tuple[str, ...], path: str) -> None:
    for key in given:
        if key not in keys:
            raise ConfigError(
                f"unknown key {shown(key)}",
                path=f"{path}.{key}",
                hint=f"one of {', '.join(keys)}",
                code="facts.key",
            )


def _text(given: Mapping[str, Any], key: str, path: str) -> str:
    value = given.get(key, "")
    if not isinstance(value, str):
        _fail(f"{path}.{key}", value, "a text")
    return value


def _dated(given: Mapping[str, Any], key: str, path: str) -> str:
    return _date(given.get(key, ""), f"{path}.{key}")


def _date(value: Any, path: str) -> str:
    """An ISO date, month or year; TOML has dates of its own."""
    if isinstance(value, date):
        value = value.isoformat()[:10]
    if not isinstance(value, str) or (value and not _is_date(value)):
        _fail(path, value, "a date, a month or a year such as 2026-11-01, 2026-11, 2026")
    return value


def _is_date(value: str) -> bool:
    if not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(f"{value}-01-01"[:10])
    except ValueError:
        return False
    return True


def _fail(path: str, value: Any, wanted: str) -> NoReturn:
    raise ConfigError(f"{shown(value)} is not {wanted}", path=path, code="facts.value")
