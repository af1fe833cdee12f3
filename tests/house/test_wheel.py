"""What a user gets from `pip install dragoman`: the wheel, built from this tree and looked into."""

from __future__ import annotations

import email.message
import email.parser
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .sources import PACKAGE, ROOT, modules

BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    ran = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return folder / ran.stdout.splitlines()[-1]


def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return email.parser.Parser().parsestr(archive.read(name).decode("utf-8"))


def test_the_wheel_holds_the_package_its_types_and_its_license(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {path.relative_to(PACKAGE.parent).as_posix() for path in modules()} <= names
    assert "dragoman/py.typed" in names
    static = PACKAGE / "page" / "static"  # what the page is made of
    assert {path.relative_to(PACKAGE.parent).as_posix() for path in static.iterdir()} <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"dragoman"}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_what_uploads_a_release_knows_the_metadata(wheel: Path) -> None:
    """The action carries its own twine; from 1.14.2 on that is 7, the first to know 2.5."""
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    used = re.search(r"gh-action-pypi-publish@[0-9a-f]{40}  # v(\d+)\.(\d+)\.(\d+)", workflow)
    assert used is not None
    knows = "2.5" if tuple(map(int, used.groups())) >= (1, 14, 2) else "2.4"
    assert metadata(wheel)["Metadata-Version"] <= knows


def test_the_core_depends_on_the_two_libraries_of_the_cli(wheel: Path) -> None:
    needed = metadata(wheel).get_all("Requires-Dist") or []
    core = {text.split(">=")[0] for text in needed if "extra ==" not in text}
    assert core == {"typer", "rich"}


def test_every_vendor_has_its_extra(wheel: Path) -> None:
    extras = set(metadata(wheel).get_all("Provides-Extra") or [])
    assert extras >= {
        "openai", "anthropic", "gemini", "dashscope", "ollama", "bedrock", "mistral", "cohere",
        "tokens", "speed", "schema", "tools", "mcp", "all",
    }  # fmt: skip


def test_the_library_needs_nothing_but_python(wheel: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(wheel)!r}); import dragoman, dragoman.formatter;"
        "print([m.role for m in [dragoman.Msg('Tony', 'Hi', 'user')]], dragoman.__file__)"
    )
    ran = subprocess.run(  # -S: without what is installed here
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("['user'] ")
    assert wheel.name in ran.stdout


def test_the_command_is_installed_under_its_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        text = archive.read(name).decode("utf-8")
    assert "dragoman = dragoman.cli:main" in text
