"""What editors that use pyright say of the names of the root, used as users do: nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .sources import PACKAGE, ROOT

pytest.importorskip("basedpyright", reason="needs basedpyright, of the extra dev")
USE = Path(__file__).parent / "public_use.py"


def checked(file: Path, folder: Path) -> list[str]:
    """The errors of a file, `line: message`, as pyright's own usual settings find them."""
    config = folder / "pyrightconfig.json"
    config.write_text(json.dumps({
        "include": [str(file)], "extraPaths": [str(PACKAGE.parent), str(ROOT)],
        "typeCheckingMode": "standard", "pythonVersion": "3.11",
    }), "utf-8")  # fmt: skip
    command = [sys.executable, "-m", "basedpyright", "--project", str(config), "--outputjson",
               "--level", "error", "--pythonpath", sys.executable]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["summary"]["filesAnalyzed"] >= 1, done.stderr
    return [
        f"{found['range']['start']['line'] + 1}: {found['message']}"
        for found in said["generalDiagnostics"] if found["severity"] == "error"
    ]  # fmt: skip


def test_the_names_of_the_root_are_used_without_an_error(tmp_path: Path) -> None:
    assert checked(USE, tmp_path) == []


def test_a_wrong_use_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong_use.py"
    wrong.write_text('from dragoman import Msg\n\nnumber: int = Msg.user("Hi")\n', "utf-8")
    (error,) = checked(wrong, tmp_path)
    assert error.startswith("3: ")
