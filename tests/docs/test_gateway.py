"""docs/*/gateway.md and coding-agents.md: the file, the commands and the figures that they name."""

from __future__ import annotations

import re
import shlex
import signal
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dragoman.gateway.config.config_values import ClientKey, Config, Envelopes, Limits, config_for
from dragoman.gateway.config.read_toml import judge, parse
from dragoman.gateway.server.process.connection import (
    BODY_SECONDS,
    HEAD_BYTES,
    HEAD_FIELDS,
    HEAD_SECONDS,
)
from dragoman.gateway.server.process.server import BACKLOG, GRACE, KEEP_ALIVE
from dragoman.gateway.telemetry.log import log_fields
from dragoman.gateway.telemetry.metrics import Metrics
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord
from dragoman.transport.retries import Retries
from tests.cli.running import run
from tests.gateway.running import Gateway

from .pages import FOLDERS, blocks, plain, rows

LANGUAGES = ("en", "zh")
GATEWAY = {name: (folder / "gateway.md").read_text("utf-8") for name, folder in FOLDERS.items()}
AGENTS = {name: (folder / "coding-agents.md").read_text("utf-8")
          for name, folder in FOLDERS.items()}  # fmt: skip
REMARK = re.compile(r"\s+# .*")
KEYS = {"DRAGOMAN_ENVELOPE_KEY": "ab" * 32, "DEEPSEEK_API_KEY": "k", "ANTHROPIC_API_KEY": "k",
        "AWS_BEARER_TOKEN_BEDROCK": "k", "AWS_REGION": "eu-west-1"}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files and keys that the page names."""
    monkeypatch.chdir(tmp_path)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "gateway.toml").write_text(block("toml"), "utf-8")


def block(info: str, page: str = GATEWAY["en"]) -> str:
    found = [one.text for one in blocks(page) if one.info == info]
    return found[0]


def staged(page: str) -> list[str]:
    texts = [one.text for one in blocks(page) if one.info == "sh staged"]
    return [REMARK.sub("", line) for text in texts for line in text.splitlines()]


def test_both_languages_show_the_same() -> None:
    for pages in (GATEWAY, AGENTS):
        code = [[(one.info, REMARK.sub("", one.text)) for one in blocks(pages[name])]
                for name in LANGUAGES]  # fmt: skip
        assert code[0] == code[1]
        names = [[cells[0] for cells in rows(pages[name]) if "`" in cells[0]]
                 for name in LANGUAGES]  # fmt: skip
        assert [one for one in names[0] if not one.startswith("in ")] == [
            one for one in names[1] if not one.endswith(" 中")
        ]


def test_the_file_of_the_page_is_right() -> None:
    assert judge(block("toml")).format_faults() == []
    assert parse(block("toml")).keys[0].name == "laptop"


@pytest.mark.parametrize("line", [*staged(GATEWAY["en"]), *staged(AGENTS["en"])])
def test_every_command_is_one(line: str) -> None:
    words = shlex.split(line.partition(" >> ")[0])[1:]
    further = ["--check"] if words[0] == "serve" and "--check" not in words else []
    ran = run(*words, *further, OPENAI_API_KEY="k")
    assert ran.exit_code == 0, ran.output


def tables(page: str) -> dict[str, list[str]]:
    """The keys that each section's table names."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for cells in rows(page):
        if match := re.search(r"`\[+(\w+)\]+`", cells[0]):
            current = found.setdefault(match[1], [])
        elif re.match(r"`\w+`", cells[0]) and found and len(cells) == 3:
            current += re.findall(r"`(\w+)`", cells[0])
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_name_every_key_of_the_file(language: str) -> None:
    named = tables(GATEWAY[language])
    sections = {"routes", "keys", "limits", "envelopes"}
    assert set(named["server"]) == {f.name for f in fields(Config)} - sections
    assert set(named["limits"]) == {f.name for f in fields(Limits)}
    assert set(named["envelopes"]) == {f.name for f in fields(Envelopes)}
    assert set(named["keys"]) == {f.name for f in fields(ClientKey)}
    wrong = judge('[[routes]]\nto = "ollama/x"\nzzzzzzzzzzzz = 1').faults
    (fault,) = [one for one in wrong if "unknown key" in one.message]
    of_one = set(fault.hint.removeprefix("one of ").split(", "))
    assert set(named["routes"]) == of_one | {"targets"}  # which a file has instead of `to`


def test_the_defaults_of_the_page_are_those_of_the_configuration() -> None:
    cells = {row[0]: row[1] for row in rows(GATEWAY["en"]) if len(row) == 3}
    limits, envelopes = Limits(), Envelopes()
    config = config_for("ollama/x")
    assert cells["`host`, `port`"] == f"`{config.host}`, {config.port}"
    assert cells["`body`"] == f"{limits.body // 2**20} MiB"
    assert cells["`event`"] == f"{limits.event // 2**20} MiB"
    assert cells["`header`"] == f"{limits.header} bytes"
    assert cells["`keep_alive`"] == f"{limits.keep_alive:g} s"
    assert cells["`stall`"] == f"{limits.stall / 60:g} min"
    assert cells["`lifetime`"] == f"{envelopes.lifetime / 86400:g} days"
    assert cells["`on_fault`"] == f'`"{envelopes.on_fault}"`'
    timeouts = config.routes[0].timeouts
    assert (timeouts.connect, timeouts.read, timeouts.total) == (10.0, 600.0, None)
    assert cells["`timeouts`"] == "10 s, 10 min, none"
    assert config.routes[0].retries.kinds == {"connection"}
    retries = next(row[2] for row in rows(GATEWAY["en"]) if row[0] == "`retries`")
    assert set(re.findall(r"`(\w+)`", retries)) == {f.name for f in fields(Retries)} - {"begun"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bounds_of_the_page_are_those_of_a_connection(language: str) -> None:
    text = plain(GATEWAY[language])
    assert HEAD_BYTES == 64 * 1024
    for figure in ("64 KiB", HEAD_FIELDS, int(HEAD_SECONDS), int(BODY_SECONDS), KEEP_ALIVE,
                   BACKLOG, f"({GRACE})" if language == "en" else f"（{GRACE}）"):  # fmt: skip
        assert str(figure) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_metrics_of_the_page_are_those_that_there_are(language: str) -> None:
    named = set(re.findall(r"`(dragoman_\w+)`", plain(GATEWAY[language])))
    text = Metrics.of(config_for("ollama/x")).text()[0].decode()
    kinds = {"counter": "_total", "gauge": "", "histogram": ""}
    there = {
        f"{name.removesuffix('_total')}{kinds[kind]}"
        for name, kind in re.findall(r"^# TYPE (dragoman_\w+) (\w+)$", text, re.MULTILINE)
        if not name.endswith("_created")
    }
    assert named == there


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_fields_of_the_log_are_those_that_there_are(language: str) -> None:
    everything: dict[str, Any] = {
        f.name: 1.5 if f.name in ("begun", "first_byte", "ended") else "x"
        for f in fields(ExchangeRecord)
        if f.name not in ("losses", "usage", "kept")
    }
    known = {*log_fields(ExchangeRecord(**everything)), "tokens", "losses"}
    (line,) = [one for one in GATEWAY[language].splitlines() if "`upstream_status`" in one]
    sentence = re.split(r"; what is empty|；空的", line)[0]
    assert set(re.findall(r"`(\w+)`", sentence)) == known


AGENT_NAMES = ["claude-code", "codex", "gemini-cli", "opencode", "qwen-code", "pi"]


@pytest.mark.parametrize("agent", AGENT_NAMES)
def test_what_an_agent_is_told_is_what_the_command_prints(agent: str) -> None:
    texts = [one.text for one in blocks(AGENTS["en"]) if one.info == "text"]
    assert len(texts) == len(AGENT_NAMES)
    assert run("serve", "--for", agent, "deepseek/deepseek-chat").stdout in texts


def test_the_gateway_of_the_page_starts(tmp_path: Path) -> None:
    command = ("dragoman", "serve", "--config", "gateway.toml", "--port", "0")
    with Gateway(*command, state=tmp_path) as gateway:
        assert gateway.get("/healthz").startswith('{"status":"ok"')
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() == 0


def test_a_toml_block_is_toml() -> None:
    for page in (*GATEWAY.values(), *AGENTS.values()):
        for one in blocks(page):
            if one.info == "toml":
                tomllib.loads(one.text)
