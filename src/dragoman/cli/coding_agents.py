"""Settings that make coding agents use a gateway: environment variables and configuration files.

The names are those of Claude Code 2.1.332, Codex 0.171, Gemini CLI 0.61, opencode 1.18, Qwen Code
0.24 and pi 1.6, which work with a gateway in this way (2026-11-28).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..llm.names import model_name

KEY = "DRAGOMAN_KEY"  # the variable that holds a client key


class Agent(StrEnum):
    """A coding agent that can be put in front of any model."""

    claude_code = "claude-code"
    codex = "codex"
    gemini_cli = "gemini-cli"
    opencode = "opencode"
    qwen_code = "qwen-code"
    pi = "pi"


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Environment variables, and the content of one file. `$` in a value names another variable.

    Attributes:
        variables: The variables.
        file: The path of the file; empty for none.
        text: Its content.
        keyed: Whether the user's own key is needed, in the variable DRAGOMAN_KEY.
    """

    variables: dict[str, str] = field(default_factory=dict)
    file: str = ""
    text: str = ""
    keyed: bool = False

    def lines(self) -> Iterator[str]:
        """Lines for a shell, and after a comment the content of the file."""
        yield "# in the shell"
        if self.keyed:
            yield f"# {KEY} must hold your client key"
        for name, value in self.variables.items():
            yield f"export {name}={_quote_value(value)}"
        if self.file:
            yield f"\n# in {self.file}\n{self.text}"


def _quote_value(value: str) -> str:
    """The value in quotes for a shell, so that a variable at its beginning is expanded."""
    if value.startswith("$"):
        return f'"{value}"'
    return shlex.quote(value)


def settings_for(agent: Agent, model: str, url: str, *, keyed: bool) -> AgentSettings:
    """The settings for an agent whose gateway is at `url` and sends all requests to `model`.

    `keyed`: the gateway has client keys, and the variable DRAGOMAN_KEY contains this user's.
    Raises ConfigError for an unknown model.
    """
    name = model_name(model).model
    key = f"${KEY}" if keyed else "none"  # agents need some key, even if the gateway does not
    return replace(_SETTINGS[agent](name, url, key), keyed=keyed)


def _claude_code(_model: str, url: str, key: str) -> AgentSettings:
    off = (
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_AUTOUPDATER",
    )
    return AgentSettings(
        {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": key, **dict.fromkeys(off, "1")}
    )


_CODEX = """\
model = {model}
model_provider = "dragoman"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.dragoman]
name = "Dragoman"
base_url = {base_url}
env_key = "DRAGOMAN_KEY"
wire_api = "responses"
supports_websockets = false"""


def _codex(model: str, url: str, key: str) -> AgentSettings:
    # Codex chooses tools and prompt by the name of the model: for a known one it offers all
    known = model if model.startswith("gpt-") else "gpt-5.5"
    text = _CODEX.format(model=json.dumps(known), base_url=json.dumps(f"{url}/v1"))
    variables = {} if key.startswith("$") else {KEY: key}
    return AgentSettings(variables, "~/.codex/config.toml", text)


def _gemini_cli(_model: str, url: str, key: str) -> AgentSettings:
    text = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    variables = {
        "GEMINI_API_KEY": key,
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }
    return AgentSettings(variables, "~/.gemini/settings.json", json.dumps(text, indent=2))


def _opencode(model: str, url: str, key: str) -> AgentSettings:
    off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
    text = {
        "$schema": "https://opencode.ai/config.json",
        "provider": {
            # opencode stores state of providers under this name, and returns it only to this name
            "google": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Dragoman",
                # opencode expands {env:...}
                "options": {"baseURL": f"{url}/v1", "apiKey": f"{{env:{KEY}}}"},
                "models": {
                    model: {
                        "name": model,
                        "attachment": True,
                        "tool_call": True,
                        "reasoning": True,
                        "modalities": {"input": ["text", "image"], "output": ["text"]},
                        # without a limit it never compacts; set the limits of your model
                        "limit": {"context": 200_000, "output": 32_000},
                    }
                },
            }
        },
        "model": f"google/{model}",
        "autoupdate": False,
        "share": "disabled",
    }
    file = "~/.config/dragoman/opencode.json"
    variables = {} if key.startswith("$") else {KEY: key}
    variables["OPENCODE_CONFIG"] = f"$HOME{file.removeprefix('~')}"
    variables |= {f"OPENCODE_DISABLE_{name}": "1" for name in off}
    return AgentSettings(variables, file, json.dumps(text, indent=2))


def _qwen_code(model: str, url: str, key: str) -> AgentSettings:
    limits = {"contextWindowSize": 200_000, "modalities": {"image": True}}  # set your model's
    entry = {"id": model, "envKey": KEY, "baseUrl": f"{url}/v1", "generationConfig": limits}
    text = {
        "security": {"auth": {"selectedType": "openai"}},
        "modelProviders": {"openai": [entry]},
        "model": {"name": model},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    variables = {} if key.startswith("$") else {KEY: key}
    return AgentSettings(variables, "~/.qwen/settings.json", json.dumps(text, indent=2))


def _pi(model: str, url: str, key: str) -> AgentSettings:
    entry = {
        "id": model,
        "reasoning": True,
        "input": ["text", "image"],
        "contextWindow": 200_000,  # set the limits of your model
        "maxTokens": 32_000,
    }
    provider = {
        "baseUrl": url,
        # over `openai-completions` signed thinking is not returned
        "api": "anthropic-messages",
        "apiKey": f"${KEY}",
        # current models decide themselves how long they think, and refuse a budget
        "compat": {"forceAdaptiveThinking": True},
        "models": [entry],
    }
    text = {"providers": {"dragoman": provider}}
    variables = {} if key.startswith("$") else {KEY: key}
    variables["PI_OFFLINE"] = "1"
    return AgentSettings(variables, "~/.pi/agent/models.json", json.dumps(text, indent=2))


_SETTINGS: dict[Agent, Callable[[str, str, str], AgentSettings]] = {
    Agent.claude_code: _claude_code,
    Agent.codex: _codex,
    Agent.gemini_cli: _gemini_cli,
    Agent.opencode: _opencode,
    Agent.qwen_code: _qwen_code,
    Agent.pi: _pi,
}
