"""The distribution as a user gets it: built, judged by twine, and installed with each extra alone.

    python -m tests.distribution                  # all of it: what `make dist` and a release run
    python -m tests.distribution --extras http fast   # these alone; "nothing" is the bare wheel
    python -m tests.distribution --built dist     # without building: what stands in that folder

The wheel is built from the sdist, so that what the sdist lacks is noticed. Every environment is
new and empty, and probes.py is run in it. Needs the extra `release`, and a package index.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from .extras import EXTRAS, fault_of_names, read_version

ROOT = Path(__file__).resolve().parents[2]
PROBES = Path(__file__).with_name("probes.py")


def run(*command: str | Path) -> None:
    """Run a command from the root. Raises CalledProcessError if it fails."""
    print("$", *command, flush=True)
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


def build(folder: Path) -> None:
    """Build sdist and wheel into a folder, where nothing older stays."""
    for old in folder.glob("dragoman-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", folder)


def find_wheel(folder: Path) -> Path:
    """The wheel of this version in a folder.

    Raises:
        SystemExit: The folder does not hold exactly one wheel and one sdist of this version.
    """
    if fault := fault_of_names([path.name for path in folder.iterdir()], read_version()):
        sys.exit(f"{folder}: {fault}")
    [wheel] = folder.glob("*.whl")
    return wheel


def try_extra(wheel: Path, extra: str) -> None:
    """Install the wheel with one extra into an empty environment and run its probe there.

    Raises:
        CalledProcessError: Installing fails, `pip check` finds a conflict, or the probe fails.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        venv.create(folder)
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        # our pip installs into it: to bring one of its own takes longer than most extras
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
        wanted = f"{wheel}[{extra}]" if extra != "nothing" else str(wheel)
        run(*pip, "install", "--quiet", "--no-compile", wanted)
        run(*pip, "check")
        run(python, "-I", PROBES, extra)
    print(f"{extra}: works alone, {time.monotonic() - began:.0f} s", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Build, judge and try what the arguments name."""
    parser = argparse.ArgumentParser(prog="tests.distribution", description=__doc__)
    parser.add_argument("--built", type=Path, help="a folder with a wheel and an sdist")
    parser.add_argument("--extras", nargs="*", choices=EXTRAS, default=EXTRAS)
    parsed = parser.parse_args(arguments)
    folder = parsed.built or ROOT / "dist"
    if parsed.built is None:
        build(folder)
    wheel = find_wheel(folder).resolve()
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(folder.glob("dragoman-*")))
    for extra in parsed.extras:
        try_extra(wheel, extra)
    print(f"{len(parsed.extras)} environments, each with one extra alone: {wheel.name}")


if __name__ == "__main__":
    main()
