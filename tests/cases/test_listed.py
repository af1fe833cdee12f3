"""Every case has a test that is named after it, in each direction that it concerns."""

from __future__ import annotations

import json
import re
from pathlib import Path

HERE = Path(__file__).parent
LETTERS = {13: "abcdefghij", 35: "abcdefg", 52: "abcde", 65: "abcde", 95: "abcd"}
CASES = [f"{n}{letter}" for n in range(1, 97) for letter in LETTERS.get(n, ("",))]
READ = """
    2 3 4 9 10 11 13d 13g 13j 15 16 18 26 27 28 29 30 31 32 35b 35c 35e 36 38 43 47 48
    49 52c 52d 52e 53 54 59 60 66 67 70 73 80 81 82 83 84 85 87 88 89 92 93 95b 95c
""".split()  # noqa: SIM905 - sixty short words in quotes would be a wall
CONVERTED = """
    1 6 7 8 10 11 12 13a 13b 13c 13g 14 15 16 17 18 19 21 22 23 24 25 26 27 28 31 33 34 35a 35b 35f
    35g 41 42 43 45 47 50 51 57 64 65a 65b 65c 65d 65e 66 69 73 74 80 81 93 95a 95b 95c 95d 96
""".split()  # noqa: SIM905 - the same
# what each feature of a schema becomes, with its verdict
SCHEMAS = ["6", "17", "42", "69", "96", "t2", "t3", "t14"]
# pairing, ids, names, roles and truncation: what is sent stands in a file, word for word
GOLDEN = """
    1 8 9 10 11 12 14 18 23 33 34 41 44 45 57 58 64 65a 65b 65c 65d 65e 71 89 91 92 94
""".split()  # noqa: SIM905 - the same
PEERS = [f"t{n}" for n in range(1, 27)]


def test_no_case_is_without_a_test() -> None:
    assert [name for name in CASES if name not in named(HERE, "test_*.py")] == []
    assert [name for name in READ if name not in named(HERE, "test_reading*.py")] == []
    assert [name for name in CONVERTED if name not in named(HERE, "test_converting*.py")] == []
    assert [name for name in SCHEMAS if name not in named(HERE.parent / "schema", "*.py")] == []


def test_no_case_of_a_history_is_without_a_golden_file() -> None:
    """The name of a golden case begins with the cases that it shows: `59 and 60: ...`."""
    found: set[str] = set()
    for path in (HERE.parent / "golden").glob("*/*.json"):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            shown = re.match(r"(\d+[a-z]?)(?: and (\d+[a-z]?))?: ", case["name"])
            found.update(filter(None, shown.groups()) if shown else ())
    assert [name for name in GOLDEN if name not in found] == []


def test_no_peers_case_is_without_a_test() -> None:
    """As messages of ours where they can be said so, and as bodies of one wire for another."""
    assert [name for name in PEERS if name not in named(HERE, "test_*.py")] == []
    converted = named(HERE, "test_peers_*.py")
    assert [name for name in PEERS if name not in converted] == []


def named(folder: Path, files: str) -> set[str]:
    """The cases that tests of these files are named after."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob(files))
    return set(re.findall(r"def test_(?:case_)?(t?\d+[a-z]?)_\w+", source))
