"""`dragoman serve` and `dragoman keys`: what they judge, print and refuse."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dragoman.gateway.config.client_keys import KeyRing
from dragoman.gateway.config.read_toml import parse

from .running import run, widest

FINE = """\
[server]
port = 9000

[[routes]]
name = "claude"
models = ["claude-*", "opus"]
to = "anthropic/claude-opus-5-5"
key = "MY_KEY"
fallbacks = ["openai/gpt-5.6"]

[[routes]]
to = "ollama/*"
base_url = "http://gpu.example:11434"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "gateway.toml"
    path.write_text(FINE, "utf-8")
    return path


def test_check_shows_the_routes_of_a_file_that_is_right(file: Path) -> None:
    ran = run("serve", "--config", str(file), "--check", MY_KEY="k", OPENAI_API_KEY="k")
    assert ran.exit_code == 0
    assert ran.stderr == ""
    lines = [" ".join(line.split()) for line in ran.stdout.splitlines()]
    assert lines == [
        "models go to",
        "claude-*, opus anthropic/claude-opus-5-5 key: MY_KEY",
        "then openai/gpt-5.6",
        "* ollama/* http://gpu.example:11434",
        "on 127.0.0.1, port 9000; workers: 1; no client keys: this machine alone",
    ]
    assert widest(ran.stdout) <= 80


def test_check_tells_each_fault_with_its_line_and_remedy(file: Path) -> None:
    file.write_text(FINE.replace("models", "modles").replace("ollama/*", "olama/*"), "utf-8")
    ran = run("serve", "--config", str(file), "--check", MY_KEY="k", OPENAI_API_KEY="k")
    assert ran.exit_code == 1
    assert ran.stdout.splitlines() == [
        f"error: {file}:6: $.routes[0].modles: unknown key 'modles' (did you mean models?)",
        (
            f"error: {file}:11: $.routes[1]: no model reaches this route: claude before it takes"
            " all of them (put it before, or give it other models)"
        ),
        (
            f"error: {file}:12: $.routes[1].to: 'olama/model' begins with no vendor"
            " (did you mean ollama?)"
        ),
    ]


def test_check_warns_of_variables_that_are_not_set(file: Path) -> None:
    ran = run("serve", "--config", str(file), "--check", OPENAI_API_KEY="k")
    assert ran.exit_code == 0
    assert ran.stdout.startswith(f"warning: {file}:8: $.routes[0].key: the variable MY_KEY is not")


def test_check_of_a_model_warns_of_its_key() -> None:
    ran = run("serve", "openai/gpt-5.6", "--check", OPENAI_API_KEY="")
    assert ran.exit_code == 0
    assert ran.stdout.startswith(
        "warning: openai/gpt-5.6: the variable OPENAI_API_KEY is not set\n"
    )
    own_server = ("--upstream", "http://127.0.0.1:1")
    for args, key in (((), "k"), (own_server, "")):
        ran = run("serve", "openai/gpt-5.6", "--check", *args, OPENAI_API_KEY=key)
        assert "warning" not in ran.stdout


def test_check_tells_where_a_gateway_without_keys_would_listen(file: Path) -> None:
    file.write_text(FINE.replace("port = 9000", 'host = "0.0.0.0"'), "utf-8")
    told = "$.server.host: without client keys the gateway listens on loopback alone"
    ran = run("serve", "-c", str(file), "--check", MY_KEY="k", OPENAI_API_KEY="k")
    assert ran.exit_code == 1
    assert ran.stdout.startswith(f"error: {file}:2: {told}")
    ran = run("serve", "-c", str(file), "--check", "--host", "127.0.0.1")
    assert ran.exit_code == 0
    ran = run("serve", "ollama/x", "--check", "--host", "10.1.2.3")
    assert ran.exit_code == 1
    assert ran.stdout.startswith(f"error: ollama/x: {told}, not on 10.1.2.3")


def test_check_of_a_model_and_what_the_command_line_changes() -> None:
    ran = run("serve", "ollama/qwen3", "--check", "--port", "0", "--workers", "3",
              "--upstream", "http://127.0.0.1:1")  # fmt: skip
    assert ran.exit_code == 0
    assert "ollama/qwen3" in ran.stdout
    assert "http://127.0.0.1:1" in ran.stdout
    assert "port 0; workers: 3" in ran.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["serve"], "error: give a model or a file (dragoman serve MODEL, or "),
        (["serve", "ollama/x", "-c", "f"], "error: give a model or a file, not both ("),
        (["serve", "nobody/x"], "error: 'nobody/x' begins with no vendor ("),
        (["serve", "-c", "no/such.toml"], "error: cannot read 'no/such.toml': No such file"),
        (["serve", "-c", "no/such.toml", "--check"], "error: cannot read 'no/such.toml': No such"),
        (["serve", "ollama/x", "--port", "70000"], "error: Invalid value for '--port'"),
        (["serve", "ollama/x", "--host", "0.0.0.0"],
         "error: $.server.host: without client keys the gateway listens on loopback alone"),
        (["serve", "--for", "codex"], "error: --for needs one model (dragoman serve --for codex"),
        (["serve", "--for", "codex", "anthropic/*"], "error: --for needs one model ("),
        (["serve", "--for", "codex", "nobody/x"], "error: 'nobody/x' begins with no vendor ("),
        (["serve", "--for", "vim", "ollama/x"], "error: Invalid value for '--for': "),
        (["serve", "--for", "codex", "ollama/x", "--port", "0"],
         "error: --for needs the port that the gateway has (give --port)"),
        *((["serve", "ollama/x", "--upstream", url, *more], f"error: --upstream: {told}")
          for more in ([], ["--check"]) for url, told in {
              "foo": "is no address of a server (https:// or http://, a host",
              "": "is no address of a server",
              "http://host:99999": "is no address of a server",
              "http://user:4f9a8b7c@host/v1": "an address must hold neither a user nor a query",
              "http://host/v1?key=4f9a8b7c": "an address must hold neither a user nor a query",
              "http://host/v1#x": "an address must not hold a fragment",
          }.items()),
        (["keys"], ""),
        (["keys", "new"], "error: Missing argument 'NAME'"),
        (["keys", "new", "a", "--rate", "0"], "error: the client key 'a' has a rate of 0"),
        (["keys", "new", "a", "--rate", "inf"], "error: the client key 'a' has a rate of inf"),
        (["keys", "new", "a\nb"], "error: the name of a key is one line of plain text"),
        (["keys", "new", " "], "error: the name of a key is one line of plain text"),
        (["keys", "new", "a", "-m", "\x7f"], "error: a pattern of a key is one line of plain text"),
    ],
)  # fmt: skip
def test_usage_errors(args: list[str], told: str) -> None:
    ran = run(*args)
    assert ran.exit_code == 2
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") <= 1
    assert "Traceback" not in ran.stderr
    assert "4f9a8b7c" not in ran.stderr + ran.stdout


def test_all_faults_of_a_file_are_told_before_anything_is_served(file: Path) -> None:
    file.write_text('[server]\nhots = "x"\n[[routes]]\nto = "ollama/x"\nrepare = 1\n', "utf-8")
    ran = run("serve", "-c", str(file))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.splitlines() == [
        f"error: {file}:2: $.server.hots: unknown key 'hots' (did you mean host?)",
        f"error: {file}:5: $.routes[0].repare: unknown key 'repare' (did you mean repair?)",
    ]


# -- what agents are told --------------------------------------------------------------------------


def told(*args: str, home: Path, **env: str) -> tuple[dict[str, str], str, str]:
    """What a shell makes of the lines: the variables, the name of the file, and its text."""
    ran = run("serve", "--for", *args)
    assert ran.exit_code == 0, ran.stderr
    shell, _, rest = ran.stdout.partition("\n\n")
    script = f"set -eu; {shell}\nexec env -0"
    out = subprocess.run(
        ["sh", "-c", script], env={"PATH": "/usr/bin:/bin", "HOME": str(home), **env},
        capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    variables = dict(line.split("=", 1) for line in out.split("\0") if line)
    head, _, text = rest.partition("\n")
    names = {line.split("=")[0].removeprefix("export ") for line in shell.splitlines()}
    return ({name: value for name, value in variables.items() if name in names},
            head.removeprefix("# in "), text)  # fmt: skip


def test_claude_code(tmp_path: Path) -> None:
    variables, file, _ = told("claude-code", "deepseek/deepseek-chat", home=tmp_path)
    assert variables["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:8080"
    assert variables["ANTHROPIC_API_KEY"] == "none"
    assert variables["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"
    assert file == ""


def test_codex(tmp_path: Path) -> None:
    variables, file, text = told("codex", "deepseek/deepseek-chat", "-p", "9", home=tmp_path)
    assert (variables, file) == ({"DRAGOMAN_KEY": "none"}, "~/.codex/config.toml")
    config = tomllib.loads(text)
    assert config["model_provider"] == "dragoman"
    provider = config["model_providers"]["dragoman"]
    assert provider["base_url"] == "http://127.0.0.1:9/v1"
    assert provider["env_key"] == "DRAGOMAN_KEY"
    assert (provider["wire_api"], provider["supports_websockets"]) == ("responses", False)
    # a model that it does not know gets fewer tools
    assert config["model"] == "gpt-5.5"
    _, _, text = told("codex", "openai/gpt-6.1", home=tmp_path)
    assert tomllib.loads(text)["model"] == "gpt-6.1"


def test_gemini_cli(tmp_path: Path) -> None:
    args = ("gemini-cli", "ollama/qwen3", "--host", "::1")
    variables, file, text = told(*args, home=tmp_path)
    assert variables["GOOGLE_GEMINI_BASE_URL"] == "http://[::1]:8080"
    assert variables["GEMINI_API_KEY"] == "none"
    assert file == "~/.gemini/settings.json"
    assert json.loads(text)["security"] == {"auth": {"selectedType": "gemini-api-key"}}


def test_opencode(tmp_path: Path) -> None:
    variables, file, text = told("opencode", "openrouter/qwen/qwen3-max", home=tmp_path)
    assert file == "~/.config/dragoman/opencode.json"
    assert variables["OPENCODE_CONFIG"] == str(tmp_path / ".config" / "dragoman" / "opencode.json")
    assert variables["DRAGOMAN_KEY"] == "none"
    config: dict[str, Any] = json.loads(text)
    (name,) = config["provider"]
    provider = config["provider"][name]
    assert provider["options"]["baseURL"] == "http://127.0.0.1:8080/v1"
    assert provider["options"]["apiKey"] == "{env:DRAGOMAN_KEY}"
    assert list(provider["models"]) == ["qwen/qwen3-max"]
    assert config["model"] == f"{name}/qwen/qwen3-max"


def test_qwen_code(tmp_path: Path) -> None:
    variables, file, text = told("qwen-code", "openrouter/qwen/qwen3-max", home=tmp_path)
    assert file == "~/.qwen/settings.json"
    config: dict[str, Any] = json.loads(text)
    (entry,) = config["modelProviders"]["openai"]
    assert (entry["id"], entry["baseUrl"]) == ("qwen/qwen3-max", "http://127.0.0.1:8080/v1")
    assert variables[entry["envKey"]] == "none"
    assert config["model"] == {"name": "qwen/qwen3-max"}


def test_pi(tmp_path: Path) -> None:
    variables, file, text = told("pi", "openrouter/qwen/qwen3-max", home=tmp_path)
    assert file == "~/.pi/agent/models.json"
    (provider,) = json.loads(text)["providers"].values()
    assert (provider["baseUrl"], provider["api"]) == ("http://127.0.0.1:8080", "anthropic-messages")
    assert variables[provider["apiKey"].lstrip("$")] == "none"
    assert [one["id"] for one in provider["models"]] == ["qwen/qwen3-max"]


@pytest.mark.parametrize(
    "agent", ["claude-code", "codex", "gemini-cli", "opencode", "qwen-code", "pi"]
)
def test_with_client_keys_an_agent_takes_the_user_s_own(agent: str, file: Path) -> None:
    key = run("keys", "new", "me").stdout
    text = FINE.replace("port = 9000", 'host = "0.0.0.0"')
    file.write_text(f"{text}\n{key}", "utf-8")
    args = (agent, "anthropic/claude-opus-5-5", "-c", str(file))
    variables, _, text = told(*args, home=file.parent, DRAGOMAN_KEY="dg_1")
    assert "none" not in variables.values()
    assert "dg_1" in variables.values() or "DRAGOMAN_KEY" in text
    assert "http://127.0.0.1:8080" in json.dumps([variables, text])


# -- keys ------------------------------------------------------------------------------------------


def test_a_new_key_and_its_entry() -> None:
    ran = run("keys", "new", 'Zoë "z"', "--rate", "60", "--concurrent", "4", "-m", "gpt-*",
              "-m", "claude-*")  # fmt: skip
    assert ran.exit_code == 0
    key = ran.stderr.strip()
    assert key not in ran.stdout
    config = parse(f'[[routes]]\nto = "ollama/x"\n{ran.stdout}')
    (entry,) = config.keys
    assert (entry.name, entry.rate, entry.concurrent) == ('Zoë "z"', 60, 4)
    assert entry.models == ("gpt-*", "claude-*")
    assert KeyRing(config.keys).admit_sync(key) == entry


@pytest.mark.parametrize(
    "rate", [60, 1234567, 0.1234567891, 2**53 - 1, 2**63, 1e-7, 1e16, 1e300, 1.5e-300]
)
def test_a_rate_reads_back_as_it_was_given(rate: float) -> None:
    ran = run("keys", "new", "laptop", "--rate", repr(rate))
    assert ran.exit_code == 0, ran.stderr
    assert parse(f'[[routes]]\nto = "ollama/x"\n{ran.stdout}').keys[0].rate == rate
    assert rate != 1234567 or "\nrate = 1234567\n" in ran.stdout


def test_a_key_without_bounds_says_nothing_of_them() -> None:
    ran = run("keys", "new", "laptop")
    assert list(tomllib.loads(ran.stdout)["keys"][0]) == ["name", "hash"]
    assert run("keys", "new", "laptop").stderr != ran.stderr
