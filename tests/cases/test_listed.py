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
READ = ["9", "10", "11", "13d", "13g", "13j", "27", "53", "54", "80", "81", "82", "83", "93"]
PEERS = [f"t{n}" for n in range(1, 27)]


def test_no_case_is_without_a_test() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py"))
    found = set(re.findall(r"def test_(?:case_)?(t?\d+[a-z]?)_\w+", source))
    assert [name for name in (*CASES, *READ, *PEERS) if name not in found] == []
