"""`make mutants`: which changes of the sources no test notices, one group of modules after another.

Each group is mutated in a copy of its own below build/mutants, where the results stay: a later run
tries what is new or has changed. `--again` tries all that lived once more, after new tests; and
`--left` shows what lives. docs/mutants.md says of each why it does.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.mutants.groups import GROUPS, Group

ROOT = Path(__file__).resolve().parents[2]
MUTMUT = str(Path(sysconfig.get_path("scripts")) / "mutmut")
# what mutmut writes down of a mutant: how pytest ended, or what ended it
NEW, LIVES, UNTESTED, KILLED = None, 0, 33, {1, 3}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("groups", nargs="*", help=f"of {', '.join(GROUPS)}; all if none is named")
    parser.add_argument("--jobs", default="2", help="how many mutants are tried at a time")
    parser.add_argument("--again", action="store_true", help="try what lived once more")
    parser.add_argument("--left", action="store_true", help="show what lives, and run nothing")
    given = parser.parse_args()
    for name in given.groups or GROUPS:
        home = ROOT / "build" / "mutants" / name
        if given.left:
            show(home)
            continue
        prepare(home, GROUPS[name])
        if given.again:
            forget(home)
        subprocess.run([MUTMUT, "run", "--max-children", given.jobs], cwd=home, check=True)
        report(home)
    return 0


def prepare(home: Path, group: Group) -> None:
    """A copy of the sources and tests as they are now, and what mutmut has to know of the group."""
    for old in (home / "tests", home / "mutants" / "tests"):
        shutil.rmtree(old, ignore_errors=True)
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, home / folder, dirs_exist_ok=True)
    settings = {
        "source_paths": ["src"],
        "only_mutate": [f"src/dragoman/{one}" for one in group.modules],
        "do_not_mutate": [f"src/dragoman/{one}" for one in group.but],
        "pytest_add_cli_args_test_selection": [
            *(f"tests/{one}" for one in group.tests),
            *(f"--{'deselect' if '::' in one else 'ignore'}=tests/{one}" for one in group.without),
        ],
        # no plugin that a test here needs; no collection of garbage and no diffs for each mutant
        "pytest_add_cli_args": [
            *(f"-pno:{one}" for one in ("cacheprovider", "xdist", "benchmark", "hypothesispytest",
                                        "anyio", "unraisableexception")),
            "--tb=no", "--assert=plain",
        ],
        "process_isolation": "forkserver",  # else what a test used up is used up for all mutants
        "timeout_multiplier": 6.0,  # of 15, the endless ones would take most of the time
        "track_dependencies": False,
        "use_git_change_detection": False,
    }  # fmt: skip
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in settings.items()]
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    (home / "pyproject.toml").write_text(f"{pyproject}\n[tool.mutmut]\n{''.join(lines)}", "utf-8")


def results(home: Path) -> Iterator[tuple[Path, dict[str, dict[str, int | None]]]]:
    """What mutmut keeps of each file."""
    for file in sorted((home / "mutants" / "src").rglob("*.meta")):
        yield file, json.loads(file.read_text("utf-8"))


def forget(home: Path) -> None:
    """Let all but the killed be tried again, and let it be found anew which test calls what."""
    (home / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    for file, kept in results(home):
        codes = kept["exit_code_by_key"]
        codes.update({name: NEW for name, code in codes.items() if code not in KILLED})
        file.write_text(json.dumps(kept), "utf-8")


def report(home: Path) -> None:
    """Print for each module how many mutants there are, and how many live."""
    whole: Counter[str] = Counter()
    for file, kept in results(home):
        found = Counter(map(fate, kept["exit_code_by_key"].values()))
        if found:
            module = file.relative_to(home / "mutants" / "src" / "dragoman").with_suffix("")
            print(line(str(module), found))
            whole += found
    print(line("all", whole))


def fate(code: int | None) -> str:
    """What became of a mutant; one that never ends is noticed as well."""
    if code is NEW:
        return "not tried"
    return "lives" if code in (LIVES, UNTESTED) else "killed"


def line(name: str, found: Counter[str]) -> str:
    """One row of figures."""
    total = found.total()
    more = f", {found['not tried']} not tried" if found["not tried"] else ""
    share = 100 * found["killed"] / total
    return f"{name:40} {total:6} {found['killed']:6} {found['lives']:5} {share:6.1f} %{more}"


def show(home: Path) -> None:
    """Print each mutant that lives, as mutmut shows it."""
    for _, kept in results(home):
        for name, code in kept["exit_code_by_key"].items():
            if fate(code) == "lives":
                subprocess.run([MUTMUT, "show", name], cwd=home, check=True)


if __name__ == "__main__":
    sys.exit(main())
