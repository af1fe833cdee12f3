"""`dragoman serve`: the gateway, from a file of routes or for one model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from ..errors import ConfigError
from ..gateway.config.config_values import (
    KEPT,
    Config,
    Route,
    Target,
    checked_base_url,
    config_for,
    with_upstream,
)
from ..gateway.config.typed_toml import ConfigFault
from ..gateway.server.process.exposure import client_url, refuse_exposed
from . import output
from .coding_agents import Agent, settings_for
from .output import CommandError, plain, style_text

_LIBRARIES = (
    "uvicorn",
    "httptools",
    "starlette",
    "aiohttp",
    "argon2",
    "cryptography",
    "prometheus_client",
)

Model: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="[MODEL]", help="The model for all requests: vendor/model, or vendor/*."
    ),
]
File: TypeAlias = Annotated[
    Path | None, typer.Option("--config", "-c", metavar="FILE", help="Routes, keys and limits.")
]
Host: TypeAlias = Annotated[
    str | None,
    typer.Option("--host", metavar="HOST", help="The address to listen on; else 127.0.0.1."),
]
Port: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--port",
        "-p",
        metavar="PORT",
        min=0,
        max=65535,
        help="The port; else 8080; 0: any free one.",
    ),
]
Workers: TypeAlias = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Processes on one socket.")
]
Upstream: TypeAlias = Annotated[
    str | None,
    typer.Option("--upstream", metavar="URL", help="Send requests to this URL, not the vendor's."),
]
Aliases: TypeAlias = Annotated[
    bool, typer.Option("--aliases", help="List the models that coding agents look for.")
]
Record: TypeAlias = Annotated[
    Path | None, typer.Option("--record", metavar="DIR", help="Keep exchanges, without secrets.")
]
Grace: TypeAlias = Annotated[
    int,
    typer.Option(
        "--grace", metavar="SECONDS", min=0, help="How long running requests may take at the end."
    ),
]
Check: TypeAlias = Annotated[
    bool, typer.Option("--check", help="Check the configuration and show its routes.")
]
For: TypeAlias = Annotated[
    Agent | None,
    typer.Option("--for", help="Print the settings with which a coding agent uses this gateway."),
]


def serve_gateway(
    model: Model = None,
    config: File = None,
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    upstream: Upstream = None,
    aliases: Aliases = False,
    record: Record = None,
    grace: Grace = 30,
    check: Check = False,
    agent: For = None,
) -> None:
    """Run the gateway: clients of any protocol, models of any vendor.

    A line with the URL is printed when it is ready. SIGTERM ends it once running requests have
    finished, SIGHUP reads the file again. Without client keys it listens on this machine alone;
    `dragoman keys new` makes such keys. With --check, exit code 1 means that the file has mistakes.
    """
    given = {
        "host": host,
        "port": port,
        "workers": workers,
        "record": record,
        "aliases": aliases or None,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if agent is not None:
        _print_settings(agent, model, config, changes)
        return
    if (model is None) == (config is None):
        text = "give a model or a file" if model is None else "give a model or a file, not both"
        raise CommandError(text, "dragoman serve MODEL, or dragoman serve --config FILE")
    if upstream is not None:
        _judge_upstream(upstream)
    if check:
        _check(model, config, changes, upstream)
        return
    output.require_libraries("gateway", *_LIBRARIES)
    code = _serve(model, config, changes, upstream or "", grace)
    if code:
        raise typer.Exit(code)


def _judge_upstream(url: str) -> None:
    """Raise CommandError for an invalid base URL, which is not shown, as it may hold a secret."""
    try:
        checked_base_url(url)
    except ConfigError as error:
        hint = error.hint
        if error.code == "url.secret":
            hint = "set the provider's own variable, or name another one in a file"
        raise CommandError(f"--upstream: {error.message}", hint) from None


def _serve(
    model: str | None, file: Path | None, changes: dict[str, Any], upstream: str, grace: int
) -> int:
    from ..gateway.server.process.server import serve
    from ..gateway.server.process.serving import ConfigSource

    if file is not None:
        _refuse_faults(file)
    origin = config_for(model) if model is not None else file
    assert origin is not None  # one of the two is given
    return serve(ConfigSource(origin, changes, upstream), grace=grace)


def _refuse_faults(file: Path) -> None:
    """Report every fault of a file in a line of its own. Raises typer.Exit if there is one."""
    from ..gateway.config.read_toml import judge_file

    judgement = judge_file(file)
    serious = [fault for fault in judgement.faults if fault.level != "warning"]
    for fault in serious:
        output.report(fault.format_line(judgement.name), output.USAGE)
    if serious:
        raise typer.Exit(output.USAGE)


# -- --check ---------------------------------------------------------------------------------------


def _check(
    model: str | None, file: Path | None, changes: dict[str, Any], upstream: str | None
) -> None:
    from ..gateway.config.read_toml import Judgement, judge_file
    from ..gateway.config.targets import unset_key

    if file is not None:
        judgement = judge_file(file)
    else:
        assert model is not None  # one of the two is given
        asked = config_for(model)
        target = (with_upstream(asked, upstream) if upstream else asked).routes[0].target
        unset = unset_key(target)
        missing = ConfigFault("", f"the variable {unset} is not set", "", level="warning")
        judgement = Judgement(asked, (missing,) if unset else (), model, {})
    screen = output.Screen()
    _show_faults(screen, judgement.faults, judgement.name)
    config = judgement.config and replace(judgement.config, **changes)
    if config is None:
        raise typer.Exit(output.REFUSED)
    try:
        refuse_exposed(config)
    except ConfigError as error:
        line = None if "host" in changes else judgement.lines.get(("server", "host"))
        fault = ConfigFault(error.path, error.message, error.hint, line)
        _show_faults(screen, (fault,), judgement.name)
        raise typer.Exit(output.REFUSED) from None
    _show_routes(screen, with_upstream(config, upstream) if upstream else config)


_STYLES = {"error": "red", "unset": "yellow", "warning": "yellow"}


def _show_faults(screen: output.Screen, faults: tuple[ConfigFault, ...], name: str) -> None:
    for fault in faults:
        level = "error" if fault.level == "error" else "warning"
        screen.line((f"{level}: ", _STYLES[fault.level]), plain(fault.format_line(name)))


def _show_routes(screen: output.Screen, config: Config) -> None:
    """Show each route: the models that clients ask for, and the targets for them."""
    rows = [cells for route in config.routes for cells in _route_rows(route)]
    screen.print(output.grid(rows, "fold", "fold", "fold", heads=("models", "go to", ""), gap=2))
    who = f"{len(config.keys)} client keys" if config.keys else "no client keys: this machine alone"
    screen.line(
        f"on {config.host}, port {config.port}; workers: {config.workers}; {who}", style="dim"
    )


def _route_rows(route: Route) -> Iterator[tuple[str | output.Text, ...]]:
    balanced = 1 + len(route.alternatives)
    for i, target in enumerate(route.targets):
        models = ", ".join(route.models) if i == 0 else ""
        name = target.name if i == 0 else f"{'or' if i < balanced else 'then'} {target.name}"
        yield style_text(plain(models), style="bold"), plain(name), plain(_describe_target(target))


def _describe_target(target: Target) -> str:
    parts = [f"key: {target.key}" if target.key else "", target.base_url]
    return ", ".join(part for part in parts if part)


# -- --for -----------------------------------------------------------------------------------------


def _print_settings(
    agent: Agent, model: str | None, file: Path | None, changes: dict[str, Any]
) -> None:
    if model is None or model.endswith(KEPT):
        raise CommandError("--for needs one model", f"dragoman serve --for {agent.value} MODEL")
    config = config_for(model)
    if file is not None:
        from ..gateway.config.read_toml import load

        config = load(file)
    config = replace(config, **changes)
    if config.port == 0:
        raise CommandError("--for needs the port that the gateway has", "give --port")
    url = client_url(config.host, config.port)
    settings = settings_for(agent, model, url, keyed=bool(config.keys))
    sys.stdout.write("\n".join((*settings.lines(), "")))
