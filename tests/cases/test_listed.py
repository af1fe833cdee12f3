"""Every case that concerns writing or reading has a test that is named after it."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
CASES = """
    2 3 4 5 7 13a 13b 13c 13e 13f 13h 13i 16 19 20 21 22 24 25 28 32 35a 35d 35g 36 37 38 39 40
    43 46 47 50 51 52a 52b 52c 52d 55 56 60 61 62 63 66 67 68 70 72 73 74 75 76 77 78 79 85 86 90
    95a 95b 95c 95d
""".split()  # noqa: SIM905 - sixty short words in quotes would be a wall
READ = """
    2 3 4 9 10 11 13d 13g 13j 15 16 18 26 27 28 29 30 31 32 35b 35c 35e 36 38 43 47 48
    49 52c 52d 52e 53 54 59 60 66 67 70 73 80 81 82 83 84 85 87 88 89 92 93 95b 95c
""".split()  # noqa: SIM905 - the same
PEERS = [f"t{n}" for n in range(1, 27)]


def test_no_case_is_without_a_test() -> None:
    assert [name for name in (*CASES, *PEERS) if name not in named("test_*.py")] == []
    assert [name for name in READ if name not in named("test_reading*.py")] == []


def named(files: str) -> set[str]:
    """The cases that tests of these files are named after."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in HERE.glob(files))
    return set(re.findall(r"def test_(?:case_)?(t?\d+[a-z]?)_\w+", source))
