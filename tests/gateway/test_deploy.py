"""deploy/: each file is judged by what reads it, and all of them mean the same gateway."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import dockerfile
import kubernetes_validate
import pytest
import yaml

from dragoman.gateway.config.read_toml import judge

from .running import Gateway

DEPLOY = Path(__file__).parents[2] / "deploy"
TOML = (DEPLOY / "gateway.toml").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
KUBERNETES: list[dict[str, Any]] = list(
    yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8"))
)
BY_KIND = {one["kind"]: one for one in KUBERNETES}
VARIABLES = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "DRAGOMAN_ENVELOPE_KEY": "ab" * 32}


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)


def container() -> dict[str, Any]:
    found: dict[str, Any] = BY_KIND["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    return found


def grace(args: list[str]) -> int:
    return int(args[args.index("--grace") + 1])


@pytest.mark.usefixtures("variables")
def test_the_configuration_is_right() -> None:
    judgement = judge(TOML)
    assert judgement.format_faults() == []
    assert judgement.config is not None
    assert judgement.config.host == "0.0.0.0"
    assert judgement.config.keys


def test_it_needs_the_variables_that_are_set_up_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    told = "\n".join(judge(TOML).format_faults())
    assert set(re.findall(r"the variable (\w+) is not set", told)) == set(VARIABLES)
    service = COMPOSE["services"]["gateway"]
    assert set(service["environment"]) == set(VARIABLES)
    head = (DEPLOY / "kubernetes.yaml").read_text("utf-8").partition("apiVersion")[0]
    assert set(re.findall(r"--from-literal=(\w+)=", head)) == set(VARIABLES)


@pytest.mark.usefixtures("variables")
def test_a_gateway_starts_with_it(tmp_path: Path) -> None:
    command = ("dragoman", "serve", "--config", str(DEPLOY / "gateway.toml"), "--port", "0")
    with Gateway(*command, state=tmp_path) as gateway:
        with urlopen(f"http://127.0.0.1:{gateway.port}/healthz", timeout=60) as answer:
            assert answer.status == 200
        gateway.signal(signal.SIGTERM)
        assert gateway.wait() == 0
        assert gateway.stderr == ""


def test_the_compose_file_fits_its_specification() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    ran = subprocess.run(
        [*command, str(DEPLOY / "compose.yaml")], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    service = COMPOSE["services"]["gateway"]
    assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    (mount,) = service["volumes"]
    assert (DEPLOY / mount["source"] / "gateway.toml").is_file()
    assert f"{mount['target']}/gateway.toml" in service["command"]
    assert int(service["stop_grace_period"].removesuffix("s")) > grace(service["command"])


@pytest.mark.parametrize("resource", KUBERNETES, ids=lambda one: str(one["kind"]))
def test_each_resource_fits_kubernetes(resource: dict[str, Any]) -> None:
    version = kubernetes_validate.latest_version()
    kubernetes_validate.validate(resource, version, strict=True)


def test_a_fault_in_a_resource_would_be_found() -> None:
    wrong = {**BY_KIND["Service"], "spec": {"prots": []}}
    version = kubernetes_validate.latest_version()
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, version, strict=True)


def test_the_resources_belong_together() -> None:
    deployment = BY_KIND["Deployment"]["spec"]
    pod = deployment["template"]["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    for selector in (
        deployment["selector"]["matchLabels"],
        BY_KIND["Service"]["spec"]["selector"],
        BY_KIND["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
    ):
        assert selector.items() <= labels.items()
    assert BY_KIND["ConfigMap"]["data"]["gateway.toml"] == TOML
    assert pod["volumes"][0]["configMap"]["name"] == BY_KIND["ConfigMap"]["metadata"]["name"]
    assert f"{container()['volumeMounts'][0]['mountPath']}/gateway.toml" in container()["args"]
    assert container()["ports"][0]["containerPort"] == 8080
    waits = int(container()["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > grace(container()["args"]) + waits
    assert pod["securityContext"]["runAsNonRoot"]
    assert container()["securityContext"]["readOnlyRootFilesystem"]


def test_the_image_runs_the_command_as_nobody_else() -> None:
    commands = dockerfile.parse_file(str(DEPLOY / "Dockerfile"))
    last = {command.cmd.upper(): command for command in commands}
    assert last["ENTRYPOINT"].value == ("dragoman", "serve")
    assert list(last["CMD"].value) == container()["args"]
    pod = BY_KIND["Deployment"]["spec"]["template"]["spec"]
    assert last["USER"].value == (str(pod["securityContext"]["runAsUser"]),)
    assert last["EXPOSE"].value == ("8080",)
    _, run, flag, program = last["HEALTHCHECK"].value
    assert (run, flag) == ("python", "-c")
    compile(program, "the health check", "exec")
    assert "http://127.0.0.1:8080/healthz" in program


def test_what_the_image_copies_is_not_ignored() -> None:
    text = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8")
    kept = {line.removeprefix("!") for line in text.splitlines() if line.startswith("!")}
    root = DEPLOY.parent
    assert all((root / name).exists() for name in kept)
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    needed = {project["project"]["readme"], *project["project"]["license-files"]}
    copied = {
        command.value[0]
        for command in dockerfile.parse_file(str(DEPLOY / "Dockerfile"))
        if command.cmd.upper() == "COPY" and not command.flags
    }
    assert needed | {"src", "pyproject.toml"} | copied - {"."} <= kept


def test_every_probe_asks_what_the_gateway_answers() -> None:
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container()[name]["httpGet"] == {"path": "/healthz", "port": "http"}
