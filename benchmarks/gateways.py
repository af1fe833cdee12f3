"""Gateways as processes: how each is started, when it is ready, what it has used.

Each runs as its documentation says: one worker, no database, open to anybody, logs errors alone;
it reaches two models: `gpt-4o` behind Chat Completions and `claude-sonnet-4-5` behind Messages.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
CHAT, CLAUDE = "gpt-4o", "claude-sonnet-4-5"
# what is installed is compiled, and from a checkout each file is at its first start
_ENVIRONMENT = {n: text for n, text in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
PATIENCE = 180.0  # seconds until a gateway must be ready


class Served(NamedTuple):
    """A model: what clients call it, the wire that it is behind, and what the provider calls it."""

    alias: str
    wire: str
    name: str


MODELS = (Served(CHAT, "openai-chat", CHAT), Served(CLAUDE, "anthropic", CLAUDE))


class Start(NamedTuple):
    """A command, what is added to its environment, and a path that answers when it is ready."""

    command: list[str]
    environment: Mapping[str, str]
    path: str


@dataclass
class Running:
    """A gateway that runs. `ready` is in seconds."""

    url: str
    ready: float
    process: psutil.Process
    alone: list[psutil.Process] = field(default_factory=list)

    def cpu(self) -> float:
        """Seconds of CPU that it and its children have used."""
        return sum(one.user + one.system for one in map(psutil.Process.cpu_times, self._all()))

    def memory(self) -> float:
        """Resident memory of it and its children, in MB."""
        return sum(one.memory_info().rss for one in self._all()) / 1e6

    def _all(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@dataclass(frozen=True)
class Gateway:
    """One gateway: its name, the module that must be installed, and what it can be asked for.

    `pairs` are the client's and the upstream's wire; None: all that are measured.
    """

    name: str
    module: str
    pairs: frozenset[tuple[str, str]] | None = None
    note: str = ""

    @property
    def installed(self) -> bool:
        """Whether it can be run here."""
        return find_spec(self.module) is not None

    def serves(self, client: str, upstream: str) -> bool:
        """Whether this pair of wires is measured with it."""
        return self.pairs is None or (client, upstream) in self.pairs

    @contextmanager
    def running(self, upstream: str, models: Sequence[Served] = MODELS) -> Iterator[Running]:
        """It, in front of this upstream."""
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            start = STARTS[self.name](Path(folder), port, upstream, models)
            with (Path(folder) / "log").open("w+b") as log:
                began = time.monotonic()
                process = subprocess.Popen(  # noqa: S603
                    start.command, cwd=ROOT, stdout=log, stderr=log,
                    env={**_ENVIRONMENT, "HOME": folder, **start.environment},
                )  # fmt: skip
                try:
                    url = f"http://127.0.0.1:{port}"
                    _wait(url + start.path, process, log.name)
                    yield Running(url, time.monotonic() - began, psutil.Process(process.pid))
                finally:
                    _stop(process)


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


def _wait(url: str, process: subprocess.Popen[bytes], log: str) -> None:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.01)
    raise RuntimeError(f"not ready: {Path(log).read_text('utf-8', 'replace')[-3000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End it with all its children."""
    family = [psutil.Process(process.pid)] if process.poll() is None else []
    for one in [*family, *(child for p in family for child in p.children(recursive=True))]:
        one.kill()
    process.wait()


def _floor(folder: Path, port: int, upstream: str, models: Sequence[Served]) -> Start:  # noqa: ARG001
    command = [sys.executable, "-m", "benchmarks.gateway_floor", str(port), upstream]
    return Start(command, {}, "/health")


def _dragoman(folder: Path, port: int, upstream: str, models: Sequence[Served]) -> Start:
    routes = folder / "routes.toml"
    written = {
        "openai-chat": ("openai/openai-chat", f"{upstream}/v1"),
        "openai-responses": ("openai/openai-responses", f"{upstream}/v1"),
        "anthropic": ("anthropic", upstream),
        "gemini": ("gemini/gemini", f"{upstream}/v1beta"),
    }
    parts = []
    for alias, wire, name in models:
        target, base = written[wire]
        parts.append(
            f'[[routes]]\nmodels = ["{alias}"]\nto = "{target}/{name}"\n'
            f'key = "UPSTREAM_KEY"\nbase_url = "{base}"\n'
        )
    routes.write_text("\n".join(parts), "utf-8")
    command = [
        sys.executable, "-m", "dragoman", "serve", "--config", str(routes), "--port", str(port),
    ]  # fmt: skip
    return Start(command, {"UPSTREAM_KEY": "none"}, "/healthz")


def _litellm(folder: Path, port: int, upstream: str, models: Sequence[Served]) -> Start:
    named = {
        "openai-chat": {"model": "openai/{}", "api_base": f"{upstream}/v1"},
        "openai-responses": {"model": "openai/responses/{}", "api_base": f"{upstream}/v1"},
        "anthropic": {"model": "anthropic/{}", "api_base": upstream},
        "gemini": {"model": "gemini/{}", "api_base": f"{upstream}/v1beta"},
    }
    served = []
    for alias, wire, name in models:
        params = {**named[wire], "model": named[wire]["model"].format(name), "api_key": "none"}
        served.append({"model_name": alias, "litellm_params": params})
    config = {
        "model_list": served,
        # the upstream speaks Chat Completions, not Responses
        "litellm_settings": {
            "use_chat_completions_url_for_anthropic_messages": any(
                wire == "openai-chat" for _, wire, _ in models
            ),
            "telemetry": False,
        },
        # a test of failures must not take the model from the tests behind it
        "router_settings": {"disable_cooldowns": True, "num_retries": 0},
    }
    (folder / "config.yaml").write_text(json.dumps(config), "utf-8")  # JSON is YAML
    command = [
        str(BIN / "litellm"), "--config", str(folder / "config.yaml"), "--host", "127.0.0.1",
        "--port", str(port), "--num_workers", "1", "--telemetry", "False",
    ]  # fmt: skip
    quiet = {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "LITELLM_MODE": "PRODUCTION", "LITELLM_LOG": "ERROR",
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
    }  # fmt: skip
    return Start(command, quiet, "/health/liveliness")


def _litellm_rust(folder: Path, port: int, upstream: str, models: Sequence[Served]) -> Start:
    start = _litellm(folder, port, upstream, models)
    return start._replace(environment={**start.environment, "LITELLM_RUST": "true"})


def _llm_rosetta(folder: Path, port: int, upstream: str, models: Sequence[Served]) -> Start:
    types = {
        "openai-chat": ("openai_chat", f"{upstream}/v1"),
        "openai-responses": ("openai_responses", f"{upstream}/v1"),
        "anthropic": ("anthropic", upstream),
        "gemini": ("google", upstream),
    }
    used = [types[one.wire] for one in models]
    providers = {kind: {"api_key": "none", "base_url": base} for kind, base in used}
    config = {
        "config_version": 1,
        "providers": providers,
        "models": {
            alias: {
                "provider": types[wire][0],
                "upstream_model": name,
                "capabilities": ["text", "vision", "tools", "reasoning"],
            }
            for alias, wire, name in models
        },
        "server": {"host": "127.0.0.1", "port": port, "open_on_no_keys": True},
    }
    (folder / "config.jsonc").write_text(json.dumps(config), "utf-8")
    command = [
        str(BIN / "llm-rosetta-gateway"), "--config", str(folder / "config.jsonc"), "--no-banner",
        "--log-level", "error", "--data-dir", str(folder),
    ]  # fmt: skip
    return Start(command, {}, "/health")


STARTS = {
    "floor": _floor,
    "dragoman": _dragoman,
    "LiteLLM": _litellm,
    "LiteLLM, Rust": _litellm_rust,
    "llm-rosetta": _llm_rosetta,
}
FLOOR = Gateway("floor", "aiohttp")
DRAGOMAN = Gateway("dragoman", "dragoman.gateway.server.process.server")
LITELLM = Gateway("LiteLLM", "litellm")
LITELLM_RUST = Gateway(
    "LiteLLM, Rust", "litellm", frozenset({("anthropic", "anthropic")}),
    "with `LITELLM_RUST=true`, which is for Messages in front of Anthropic alone; up to 1.109.1 "
    "the proxy hands each call a shared session, for which its own rules (`caller_client`) keep "
    "Python",
)  # fmt: skip
LLM_ROSETTA = Gateway("llm-rosetta", "llm_rosetta")
ALL = (FLOOR, DRAGOMAN, LITELLM, LITELLM_RUST, LLM_ROSETTA)
