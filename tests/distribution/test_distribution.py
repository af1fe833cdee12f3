"""What stands around a release holds together: versions, extras, bounds, workflows, forms."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.quick import quick_arguments
from tests.house.sources import ROOT

from .extras import DEVELOPMENT, EXTRAS, fault_of_names, read_project, read_version
from .probes import PROBES
from .release_notes import CHANGELOG, find_entry, release_notes

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
PINNED = re.compile(r"^[\w-]+/[\w.-]+@[0-9a-f]{40}$")


def load(path: Path) -> Any:
    """The YAML of a file; `on` of a workflow is read as True."""
    return yaml.safe_load(path.read_text("utf-8"))


def jobs(workflow: Any) -> dict[str, Any]:
    return dict(workflow["jobs"])


def find_faults(path: Path) -> list[str]:
    """What a workflow may not be: unpinned, with rights for all jobs, without an end."""
    text, workflow = path.read_text("utf-8"), load(path)
    faults = [] if workflow.get("permissions") == {} else ["rights for all jobs"]
    for line in re.findall(r"uses: (.+)", text):
        action, _, remark = line.partition("#")
        local = action.startswith("./.github/workflows/")
        if not local and not (PINNED.match(action.strip()) and re.match(r" v\d+\.\d+", remark)):
            faults.append(f"not pinned by a commit and its version: {line}")
    for name, job in jobs(workflow).items():
        if "uses" not in job and "timeout-minutes" not in job:
            faults.append(f"{name} has no end")
        if "permissions" not in job:
            faults.append(f"{name} does not say its rights")
        for step in job.get("steps", []):
            checks_out = step.get("uses", "").startswith("actions/checkout@")
            if checks_out and step.get("with", {}).get("persist-credentials") is not False:
                faults.append(f"{name} leaves the token in the clone")
            if "${{" in step.get("run", ""):
                faults.append(f"{name} puts an expression into a script")
    return faults


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_pinned_and_have_few_rights(path: Path) -> None:
    assert find_faults(path) == []


def test_faults_of_a_workflow_are_found(tmp_path: Path) -> None:
    good = (GITHUB / "workflows" / "tests.yml").read_text("utf-8")
    for old, new in [
        ("permissions: {}\n", "permissions: write-all\n"),
        ("  # v7.0.1", ""),
        ("@3d3c42e5aac5ba805825da76410c181273ba90b1  # v7.0.1", "@v7"),
        ("    timeout-minutes: 20\n", ""),
        ("          persist-credentials: false\n", "          fetch-depth: 1\n"),
        ("run: make lint", "run: make ${{ github.head_ref }} lint"),
        ("    permissions:\n      contents: read\n", ""),
    ]:
        assert old in good
        path = tmp_path / "x.yml"
        path.write_text(good.replace(old, new, 1), "utf-8")
        assert find_faults(path) != [], new


def judge_by_schema(schema: str, *paths: Path) -> str:
    """What check-jsonschema says of files, empty if nothing."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    ran = subprocess.run(
        [*command, *map(str, paths)], capture_output=True, text=True, check=False
    )  # fmt: skip
    return ran.stdout if ran.returncode else ""


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("vendor.github-workflows", ".github/workflows/*.yml"),
        ("custom.github-workflows-require-timeout", ".github/workflows/[dn]*.yml"),
        ("vendor.dependabot", ".github/dependabot.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ],
)
def test_files_are_what_their_schemas_say(schema: str, pattern: str) -> None:
    paths = sorted(ROOT.glob(pattern))
    assert paths
    assert judge_by_schema(schema, *paths) == ""


def test_a_form_that_its_schema_refuses_is_found(tmp_path: Path) -> None:
    form = load(GITHUB / "ISSUE_TEMPLATE" / "bug.yml")
    form["body"][1]["type"] = "novel"
    (tmp_path / "bug.yml").write_text(yaml.safe_dump(form), "utf-8")
    assert "novel" in judge_by_schema("vendor.github-issue-forms", tmp_path / "bug.yml")


def test_the_quick_part_runs_on_every_system_and_python() -> None:
    quick = jobs(load(GITHUB / "workflows" / "tests.yml"))["quick"]
    matrix = quick["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    project = read_project()
    heads = "Programming Language :: Python :: 3."
    listed = {f"3.{name.removeprefix(heads)}" for name in project["classifiers"]
              if name.startswith(heads)}  # fmt: skip
    assert listed <= set(matrix["python"])
    assert project["requires-python"] == f">={matrix['python'][0]}"


@pytest.mark.parametrize(
    "path", [*WORKFLOWS, ROOT / ".pre-commit-config.yaml"], ids=lambda path: path.name
)
def test_what_they_run_is_there(path: Path) -> None:
    names = re.findall(r"(?<![\w/.])tests/[\w/]+(?:\.py)?", path.read_text("utf-8"))
    assert [name for name in names if not (ROOT / name).exists()] == []
    modules = re.findall(r"-m (tests\.[\w.]+)", path.read_text("utf-8"))
    files = [ROOT / name.replace(".", "/") for name in modules]
    assert [f for f in files if not (f.is_dir() or f.with_suffix(".py").is_file())] == []


def test_the_quick_part_is_that_of_the_makefile() -> None:
    arguments = quick_arguments((ROOT / "Makefile").read_text("utf-8"))
    assert len(arguments) > 3
    paths = [argument.removeprefix("--ignore=") for argument in arguments]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_a_makefile_without_a_quick_part_is_an_error() -> None:
    assert quick_arguments("A := x\nQUICK := a b \\\n  c\nB :=\n") == ["a", "b", "c"]
    with pytest.raises(ValueError, match="QUICK"):
        quick_arguments("SLOW := a\n")


def test_every_extra_of_users_has_a_probe() -> None:
    assert sorted(PROBES) == sorted(EXTRAS)
    assert set(read_project()["optional-dependencies"]) > DEVELOPMENT


@pytest.mark.parametrize("extra", ["nothing", "schema", "http", "openai", "gateway"])
def test_a_probe_does_what_the_extra_promises(extra: str) -> None:
    PROBES[extra]()


def test_a_release_is_one_wheel_and_one_sdist_of_its_version() -> None:
    both = ["dragoman-1.2.3-py3-none-any.whl", "dragoman-1.2.3.tar.gz"]
    assert fault_of_names(both, "1.2.3") is None
    assert fault_of_names(both, "1.2.4") is not None
    assert fault_of_names([*both, "dragoman-1.2.2.tar.gz"], "1.2.3") is not None
    assert fault_of_names([], "1.2.3") == "holds nothing, not " + str(sorted(both))


def test_version_citation_and_changelog_agree() -> None:
    version = read_version()
    newest, text = find_entry(CHANGELOG.read_text("utf-8"))
    assert newest == version
    assert text
    assert load(ROOT / "CITATION.cff")["version"] == version


def test_release_notes_are_the_entry_of_the_tag() -> None:
    changelog = "# Changelog\n\n## 0.2.0 (2026-12-01)\n\nNew.\n\n## 0.1.0 (2026-11-28)\n\nOld.\n"
    assert release_notes("v0.2.0", "0.2.0", changelog) == "New."
    for tag, version in [("v0.1.0", "0.2.0"), ("v0.2.0", "0.1.0"), ("0.2.0", "0.2.0")]:
        with pytest.raises(ValueError, match="not the same"):
            release_notes(tag, version, changelog)
    with pytest.raises(ValueError, match="is empty"):
        release_notes("v0.2.0", "0.2.0", changelog.replace("New.", ""))
    with pytest.raises(ValueError, match="no entry"):
        release_notes("v0.2.0", "0.2.0", "# Changelog\n")


def test_uvicorn_stops_before_the_first_minor_version_that_is_untested() -> None:
    """The gateway subclasses what is not public there; the tests run over the installed release."""
    needed = read_project()["optional-dependencies"]["gateway"]
    [bound] = [text for text in needed if text.startswith("uvicorn")]
    major, minor = importlib.metadata.version("uvicorn").split(".")[:2]
    assert bound.endswith(f",<{major}.{int(minor) + 1}")


def test_hooks_before_a_commit_are_the_repositorys_own_tools() -> None:
    for repository in load(ROOT / ".pre-commit-config.yaml")["repos"]:
        assert repository["repo"] == "local"
        for hook in repository["hooks"]:
            assert hook["language"] == "system"
            assert hook["entry"].startswith(".venv/bin/")


def test_the_sdist_takes_what_its_tests_read() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    taken = settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for name in ("/.github", "/CITATION.cff", "/*.md", "/.pre-commit-config.yaml"):
        assert name in taken
