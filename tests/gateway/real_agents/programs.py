"""The six coding agents: how each is set up, started, resumed, and where its log lies.

Each runs headless with a home of its own, against one base URL, with everything switched off that
would ask another host. The settings are those of the releases that `make` installs (28 November
2026): Claude Code 2.1.332, Codex 0.171, Gemini CLI 0.61, opencode 1.18, Qwen Code 0.24, pi 1.6.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["AGENTS", "KEY", "OPEN", "Agent", "Place", "program_folder"]

OPEN = "DRAGOMAN_AGENTS_OPEN"  # set where the network is not the session's own
_NOWHERE = "http://127.0.0.1:9"
_PROXIES = {"HTTP_PROXY": _NOWHERE, "HTTPS_PROXY": _NOWHERE, "NO_PROXY": "127.0.0.1,localhost"}
KEY = "sk-test-0123456789abcdef"


def program_folder() -> Path:
    """Where the agents are installed: beside the interpreter, or where the variable says."""
    given = os.environ.get("DRAGOMAN_AGENTS")
    return Path(given) if given else Path(sys.prefix) / ".agents"


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one session: `home` and `work`, both the agent's own."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def work(self) -> Path:
        return self.root / "work"

    def make(self) -> None:
        """Create what is not there."""
        for folder in (self.home, self.work, self.root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)


class Agent(ABC):
    """One agent. `wire` is the protocol that it speaks, `model` the one it is told to ask."""

    name: str
    program: str
    wire: str
    model: str
    logged: str | None = None  # what `dragoman.agent_logs` calls it, where it reads such logs
    base: str  # the path of the base URL that it wants
    keeps = True  # whether it brings back what a provider sealed
    eager = False  # whether it runs a call whose arguments are whole, but not its answer
    gives_up = ""  # what it says of a full context, instead of summing up in the same run
    window = 200_000  # tokens of context that it believes in

    def executable(self) -> Path:
        return program_folder() / "node_modules" / ".bin" / self.program

    def environment(self, place: Place, url: str) -> dict[str, str]:
        """All that the process gets: nothing of the caller's but the path."""
        # some want a newer Node.js than the machine's, which is installed beside them
        path = [str(self.executable().parent), os.environ["PATH"]]
        return {
            "PATH": os.pathsep.join(path),
            "HOME": str(place.home),
            "TMPDIR": str(place.root / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "CI": "1",
            "NO_COLOR": "1",
            **(_PROXIES if OPEN in os.environ else {}),
            **self.settings(place, url + self.base),
        }

    @abstractmethod
    def settings(self, place: Place, base_url: str) -> dict[str, str]:
        """Write its files of configuration; the variables that it needs."""

    @abstractmethod
    def command(self, prompt: str, *, resumed: bool) -> list[str]:
        """What starts it with a prompt, or goes on with the latest session."""

    @abstractmethod
    def log(self, place: Place) -> str:
        """The log of the session, as it is kept or as the agent exports it."""


class ClaudeCode(Agent):
    name = "claude"
    logged = "claude-code"
    program = "claude"
    wire = "anthropic"
    model = "claude-opus-4-8"
    base = ""

    def settings(self, place: Place, base_url: str) -> dict[str, str]:
        off = ("DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "IS_SANDBOX")  # fmt: skip
        return {
            "ANTHROPIC_BASE_URL": base_url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(self.window),
            **dict.fromkeys(off, "1"),
        }

    def command(self, prompt: str, *, resumed: bool) -> list[str]:
        more = ["--continue"] if resumed else []
        return [
            str(self.executable()), "-p", prompt, *more, "--model", self.model,
            "--permission-mode", "bypassPermissions", "--output-format", "stream-json", "--verbose",
        ]  # fmt: skip

    def log(self, place: Place) -> str:
        return _newest((place.home / ".claude" / "projects").glob("*/*.jsonl"))


class Codex(Agent):
    name = "codex"
    logged = "codex"
    program = "codex"
    wire = "openai-responses"
    model = "gpt-5.5"
    base = "/v1"
    gives_up = "ran out of room in the model's context window"

    def settings(self, place: Place, base_url: str) -> dict[str, str]:
        folder = place.home / ".codex"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(
            f'model = "{self.model}"\n'
            'model_provider = "gateway"\n'
            "model_auto_compact_token_limit = 180000\n"
            "check_for_update_on_startup = false\n"
            "[analytics]\nenabled = false\n"
            "[model_providers.gateway]\n"
            f'name = "gateway"\nbase_url = "{base_url}"\n'
            'env_key = "GATEWAY_KEY"\nwire_api = "responses"\nsupports_websockets = false\n'
            "request_max_retries = 1\nstream_max_retries = 1\n",
            "utf-8",
        )
        return {"GATEWAY_KEY": KEY}

    def command(self, prompt: str, *, resumed: bool) -> list[str]:
        more = ["resume", "--last"] if resumed else []
        return [
            str(self.executable()), "exec", *more, "--json", "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox", prompt,
        ]  # fmt: skip

    def log(self, place: Place) -> str:
        return _newest((place.home / ".codex" / "sessions").rglob("rollout-*.jsonl"))


class CodexScripts(Codex):
    """Codex with one of the newest models, for which all tools are called from scripts."""

    name = "codex-scripts"
    model = "gpt-5.6-sol"


class GeminiCli(Agent):
    name = "gemini"
    logged = "gemini-cli"
    program = "gemini"
    wire = "gemini"
    eager = True  # it has seen the call, whatever comes behind, and runs it after a retry
    model = "gemini-3.8-flash"
    base = ""
    window = 1_048_576

    def settings(self, place: Place, base_url: str) -> dict[str, str]:
        folder = place.home / ".gemini"
        folder.mkdir(exist_ok=True)
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
        }
        (folder / "settings.json").write_text(json.dumps(settings), "utf-8")
        return {
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": base_url,
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def command(self, prompt: str, *, resumed: bool) -> list[str]:
        more = ["--resume", "latest"] if resumed else []
        return [
            str(self.executable()), *more, "-p", prompt, "--model", self.model, "--yolo",
            "--skip-trust", "-o", "stream-json",
        ]  # fmt: skip

    def log(self, place: Place) -> str:
        return _newest((place.home / ".gemini" / "tmp").glob("**/chats/*.json*"))


class OpenCode(Agent):
    name = "opencode"
    logged = "opencode"
    eager = True
    program = "opencode"
    wire = "openai-chat"
    model = "house"
    base = "/v1"

    def settings(self, place: Place, base_url: str) -> dict[str, str]:
        model = {
            "name": self.model,
            "attachment": True,
            "tool_call": True,
            "reasoning": True,
            "modalities": {"input": ["text", "image"], "output": ["text"]},
            "limit": {"context": self.window, "output": 32_000},
        }
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "gateway",
            "options": {"baseURL": base_url, "apiKey": KEY},
            "models": {self.model: model},
        }
        config = {
            "$schema": "https://opencode.ai/config.json",
            # only from a provider of this id do thought signatures come back
            "provider": {"google": provider},
            "model": f"google/{self.model}",
            "permission": {"*": "allow"},
            "autoupdate": False,
            "share": "disabled",
        }
        path = place.home / "opencode.json"
        path.write_text(json.dumps(config), "utf-8")
        off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
        return {
            "OPENCODE_CONFIG": str(path),
            **{f"OPENCODE_DISABLE_{name}": "1" for name in off},
        }

    def command(self, prompt: str, *, resumed: bool) -> list[str]:
        more = ["--continue"] if resumed else []
        return [str(self.executable()), "run", *more, "--format", "json", "--auto", prompt]

    def log(self, place: Place) -> str:
        told = (place.root / "leg-0" / "stdout.txt").read_text("utf-8")
        found = re.search(r"ses_\w+", told)  # each event of `run` names the session
        if not found:
            return ""
        path = place.root / "printed.txt"  # a pipe would get the first 64 KiB only
        with path.open("wb") as file:
            subprocess.run(
                [str(self.executable()), "export", found[0]], cwd=place.work, stdout=file,
                check=False, env=self.environment(place, ""), stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        return path.read_text("utf-8")


class QwenCode(Agent):
    name = "qwen"
    keeps = False  # over Chat Completions: of an answer it keeps text, thinking and calls alone
    eager = True
    program = "qwen"
    wire = "openai-chat"
    model = "house"
    base = "/v1"

    def settings(self, place: Place, base_url: str) -> dict[str, str]:
        folder = place.home / ".qwen"
        folder.mkdir(exist_ok=True)
        limits = {"contextWindowSize": self.window, "modalities": {"image": True}}
        model = {
            "id": self.model,
            "envKey": "GATEWAY_KEY",
            "baseUrl": base_url,
            "generationConfig": {**limits, "maxRetries": 1},
        }
        settings = {
            "security": {"auth": {"selectedType": "openai"}},
            "modelProviders": {"openai": [model]},
            "model": {"name": self.model},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
        }
        (folder / "settings.json").write_text(json.dumps(settings), "utf-8")
        return {"GATEWAY_KEY": KEY}

    def command(self, prompt: str, *, resumed: bool) -> list[str]:
        more = ["--continue"] if resumed else []
        return [str(self.executable()), *more, "-p", prompt, "--yolo", "-o", "stream-json"]

    def log(self, place: Place) -> str:
        return _newest((place.home / ".qwen" / "projects").glob("**/chats/*.jsonl"))


class Pi(Agent):
    name = "pi"
    program = "pi"
    wire = "anthropic"  # over Chat Completions it brings back no signatures in our form
    model = "house"
    base = ""

    def settings(self, place: Place, base_url: str) -> dict[str, str]:
        folder = place.home / ".pi" / "agent"
        folder.mkdir(parents=True, exist_ok=True)
        model = {
            "id": self.model,
            "reasoning": True,
            "input": ["text", "image"],
            "contextWindow": self.window,
            "maxTokens": 32_000,
        }
        provider = {
            "baseUrl": base_url,
            "api": "anthropic-messages",
            "apiKey": "$GATEWAY_KEY",
            "compat": {"forceAdaptiveThinking": True},
            "models": [model],
        }
        (folder / "models.json").write_text(json.dumps({"providers": {"gateway": provider}}))
        compaction = {"keepRecentTokens": 1_000}  # the sessions here are short
        settings = {"enableInstallTelemetry": False, "compaction": compaction}
        (folder / "settings.json").write_text(json.dumps(settings))
        return {"GATEWAY_KEY": KEY, "PI_OFFLINE": "1"}

    def command(self, prompt: str, *, resumed: bool) -> list[str]:
        more = ["--continue"] if resumed else []
        return [
            str(self.executable()), *more, "-p", "--mode", "json",
            "--model", f"gateway/{self.model}", "--thinking", "medium", prompt,
        ]  # fmt: skip

    def log(self, place: Place) -> str:
        return _newest((place.home / ".pi" / "agent" / "sessions").rglob("*.jsonl"))


def _newest(files: Iterable[Path]) -> str:
    """The text of the file that was written last."""
    kept = sorted(files, key=lambda file: file.stat().st_mtime)
    return kept[-1].read_text("utf-8") if kept else ""


AGENTS: dict[str, Agent] = {
    agent.name: agent
    for agent in (
        ClaudeCode(), Codex(), CodexScripts(), GeminiCli(), OpenCode(), QwenCode(), Pi(),
    )
}  # fmt: skip
