"""Config from TOML: `load` a file, `parse` a text, `of_mapping` values that are parsed already.

Every fault of a file is reported, each with its line and what to do about it; `judge` returns the
faults together with the values. A key is a field in `config_values.py`, and a `take` here. Secrets
are never in the file: it names the environment variables that hold them.
"""

from __future__ import annotations

import logging
import os
import re
import tomllib
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..._old_names import keeps_old_names
from ...errors import ConfigError
from ...text.redaction import show
from .config_values import (
    ClientKey,
    Config,
    Envelopes,
    Limits,
)
from .read_routes import ALL_MODELS, read_routes
from .typed_toml import (
    ConfigFault,
    FaultReport,
    Place,
    Table,
    choose_from,
    default_of,
    find_lines,
    flag,
    positive,
    seconds,
    size,
    text,
    variable,
    whole,
)

_log = logging.getLogger("dragoman.gateway")

KEY_BYTES = 32  # of AES-256, which seals envelopes
_CACHED_MEDIA = 16 * 2**20  # bytes in memory for a route: histories repeat their media at each turn


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Judgement:
    """The values of a file and its faults; `config` is None if the file cannot be used."""

    config: Config | None
    faults: tuple[ConfigFault, ...]
    name: str
    lines: Mapping[Place, int]

    def format_faults(self) -> list[str]:
        """A line for each fault, in the order of the file."""
        return [fault.format_line(self.name) for fault in self.faults]


def load(path: str | os.PathLike[str]) -> Config:
    """The Config of a TOML file.

    A relative `record` is a folder beside the file.

    Args:
        path: The file.

    Raises:
        ConfigError: The file cannot be read, or has faults; the error lists all of them.
    """
    return _config(judge_file(path))


def parse(toml: str, name: str = "gateway.toml") -> Config:
    """The Config of a TOML text; `name` stands for the file in errors."""
    return _config(judge(toml, name))


def of_mapping(mapping: Mapping[str, Any]) -> Config:
    """The Config of parsed TOML, or of a mapping in the same form."""
    return _config(_judge_values(mapping, "gateway", {}, Path()))


def judge_file(path: str | os.PathLike[str]) -> Judgement:
    """The values of a file and its faults. Raises ConfigError if it cannot be read."""
    file = Path(path)
    try:
        toml = file.read_text("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or no valid file name
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"cannot read {str(file)!r}: {reason}", code="gateway.file") from error
    return judge(toml, str(file), file.parent)


def judge(toml: str, name: str = "gateway.toml", folder: Path | None = None) -> Judgement:
    """The values of a TOML text and its faults; relative paths begin at `folder`."""
    try:
        values = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"\(at (?:line (\d+)|end of document)", str(error))
        line = int(match[1]) if match and match[1] else toml.count("\n") + 1
        message = str(error).partition(" (at ")[0]
        return Judgement(None, (ConfigFault("$", f"no TOML: {message}", line=line),), name, {})
    return _judge_values(values, name, find_lines(toml), folder or Path())


def _config(judgement: Judgement) -> Config:
    """The Config, if a gateway can start with it; its warnings are logged."""
    serious = [fault for fault in judgement.faults if fault.level != "warning"]
    if judgement.config is None or serious:
        told = [fault.format_line(judgement.name) for fault in serious]
        text = "\n".join([f"{judgement.name} has {len(told)} faults", *told])
        raise ConfigError(told[0] if len(told) == 1 else text, code="gateway.settings")
    for fault in judgement.faults:
        _log.warning("%s", fault.format_line(judgement.name))
    return judgement.config


def _judge_values(
    values: Mapping[str, Any], name: str, lines: Mapping[Place, int], folder: Path
) -> Judgement:
    report = FaultReport(lines)
    config = _gateway(Table(values, (), report), folder)
    order = sorted(report.faults, key=lambda fault: fault.line or 0)
    usable = not any(fault.level == "error" for fault in order)
    return Judgement(config if usable else None, tuple(order), name, lines)


# -- sections --------------------------------------------------------------------------------------


def _gateway(root: Table, folder: Path) -> Config:
    server = root.table("server") or Table({}, ("server",), root.report)
    record = server.take("record", text, "")
    config = Config(
        routes=read_routes(root),
        keys=_keys(root),
        limits=_limits(root),
        envelopes=_envelopes(root),
        aliases=server.take("aliases", flag, default_of(Config, "aliases")),
        record=folder / record if record else None,
        spans=_spans(server),
        sessions=server.take("sessions", flag, default_of(Config, "sessions")),
        host=server.take("host", text, default_of(Config, "host")),
        port=server.take("port", whole(0, 65535), default_of(Config, "port")),
        workers=server.take("workers", whole(1, 1024), default_of(Config, "workers")),
    )
    server.close()
    root.close()
    return config


def _spans(server: Table) -> bool:
    """Whether exchanges are reported to OpenTelemetry, for which its package must be installed."""
    wanted: bool = server.take("spans", flag, default_of(Config, "spans"))
    if wanted and find_spec("opentelemetry") is None:
        server.add("spans", "the extra otel is not installed", 'pip install "dragoman[otel]"')
    return wanted


_LIMITS: dict[str, Any] = {
    "body": size,
    "values": whole(1),
    "answer": size,
    "event": size,
    "recorded": size,
    "header": size,
    "keep_alive": seconds,
    "stall": seconds,
    "concurrent": whole(1),
    "memory": size,
    "answer_values": whole(1),
}


def _limits(root: Table) -> Limits:
    table = root.table("limits")
    if table is None:
        return Limits()
    values = {
        name: table.take(name, read, default_of(Limits, name)) for name, read in _LIMITS.items()
    }
    table.close()
    return Limits(**values)


def _envelopes(root: Table) -> Envelopes:
    table = root.table("envelopes")
    if table is None:
        return Envelopes()
    names = table.take_each("keys", variable)
    keys = [_sealing_key(table, name) for name in names]
    envelopes = Envelopes(
        keys=tuple(key for key in keys if key is not None),
        lifetime=table.take("lifetime", seconds, default_of(Envelopes, "lifetime")),
        on_fault=table.take("on_fault", choose_from("refuse", "drop"), "refuse"),
    )
    table.close()
    return envelopes


def _sealing_key(table: Table, variable: str) -> bytes | None:
    value = os.environ.get(variable, "").strip()
    if not value:
        hint = f"export {variable}=$(openssl rand -base64 {KEY_BYTES})"
        table.add("keys", f"the variable {variable} is not set", hint, "unset")
        return None
    try:
        key = bytes.fromhex(value) if len(value) == 2 * KEY_BYTES else _of_base64(value)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        fault = f"{variable} does not hold {KEY_BYTES} bytes in base64 or hex"
        table.add("keys", fault, f"openssl rand -base64 {KEY_BYTES} makes such a key")
        return None
    return key


def _of_base64(value: str) -> bytes:
    """Decode base64 of either alphabet, with or without padding. Raises ValueError."""
    plain = value.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except Base64Error as error:
        raise ValueError("no base64") from error


def _keys(root: Table) -> tuple[ClientKey, ...]:
    keys: list[ClientKey] = []
    for table in root.tables("keys"):
        key = ClientKey(
            name=table.take("name", text, ""),
            hash=table.take("hash", _hash, ""),
            rate=table.take("rate", positive, None),
            concurrent=table.take("concurrent", whole(1), None),
            models=table.take_some("models", text, ("*",), ALL_MODELS),
            bytes=table.take("bytes", size, None),
            values=table.take("values", whole(1), None),
        )
        table.close()
        for name in ("name", "hash"):
            if name not in table:
                table.add("", f"a client's key needs a {name}", "`dragoman keys new NAME` gives it")
        if key.name in [other.name for other in keys]:
            table.add(
                "name",
                f"a second key is called {key.name!r}",
                "each key has a name of its own: it is its tenant's",
            )
        key_id = key.hash.partition(":")[0]
        same = next((one for one in keys if key_id and one.hash.startswith(f"{key_id}:")), None)
        if same is not None:
            table.add(
                "hash",
                f"the key {show(same.name)} has the same hash",
                "`dragoman keys new NAME` makes a key for each client",
            )
        keys.append(key)
    return tuple(keys)


_ENTRY = re.compile(
    r"[0-9a-f]{16}:\$argon2(id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+"
)


def _hash(value: Any) -> str:
    # the value is not shown, as it may be a key itself
    if not isinstance(value, str) or not _ENTRY.fullmatch(value):
        raise ConfigError("is no hash of a key", hint="`dragoman keys new NAME` prints one")
    return value
