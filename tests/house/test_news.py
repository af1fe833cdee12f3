"""Fragments of the changelog: named by issue and kind, one sentence each; towncrier takes them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.distribution.release_notes import find_entry

from .sources import ROOT

NEWS = ROOT / "news"


def kinds() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [kind["directory"] for kind in settings["tool"]["towncrier"]["type"]]


def faults(folder: Path) -> list[str]:
    """What is wrong with the fragments of a folder."""
    name = re.compile(rf"\d+\.(?:{'|'.join(kinds())})(?:\.\d+)?\.md")
    found = []
    for path in sorted(folder.iterdir()):
        if path.name in {"README.md", ".gitkeep"}:
            continue
        text = path.read_text("utf-8").strip()
        if not name.fullmatch(path.name):
            found.append(f"{path.name}: the name is no <issue>.<kind>.md")
        if "\n" in text or not text.endswith((".", "。")) or not text[0].isupper():
            found.append(f"{path.name}: not one sentence on one line")
    return found


def test_fragments_are_well_formed() -> None:
    assert faults(NEWS) == []


def test_the_changelog_can_be_built() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "next"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for path in NEWS.glob("[0-9]*.md"):
        assert path.read_text("utf-8").split()[0] in ran.stdout


def test_a_release_moves_fragments_to_the_top_of_the_changelog(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "CHANGELOG.md", "news/README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    fragment = tmp_path / "news" / "12.added.md"
    fragment.write_text("Answers can be sung.\n", "utf-8")
    old = (tmp_path / "CHANGELOG.md").read_text("utf-8")
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "9.9.9"]
    ran = subprocess.run(
        [*command, "--date", "2030-01-02"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    new = (tmp_path / "CHANGELOG.md").read_text("utf-8")
    version, text = find_entry(new)
    assert version == "9.9.9"
    assert "## 9.9.9 (2030-01-02)\n" in new
    assert "- Answers can be sung. (#12)" in text
    assert new.endswith(find_entry(old)[1] + "\n")  # what older releases brought stays
    assert sorted(path.name for path in fragment.parent.iterdir()) == ["README.md"]


def test_the_changelog_has_the_place_for_them() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    marker = settings["tool"]["towncrier"]["start_string"]
    assert marker in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fix.md", "A sentence."),
        ("12.feature.md", "A sentence."),
        ("12.fixed.md", "a sentence."),
        ("12.fixed.md", "No full stop"),
        ("12.fixed.md", "Two.\nLines."),
    ],
)
def test_a_bad_fragment_is_found(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "12.added.1.md").write_text("A good one.\n")
    (tmp_path / name).write_text(text)
    assert [fault.split(":")[0] for fault in faults(tmp_path)] == [name]
