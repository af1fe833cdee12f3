"""The notes of a release: the entry of its version in CHANGELOG.md.

`python -m tests.distribution.release_notes v0.1.0` prints them, and fails where tag, the version
in pyproject.toml and the newest entry are not the same.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from .extras import read_version

__all__ = ["find_entry", "release_notes"]

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"
_HEAD = re.compile(r"^## (\S+)(?: \(\d{4}-\d{2}-\d{2}\))?$", re.MULTILINE)


def find_entry(changelog: str) -> tuple[str, str]:
    """The newest entry of a changelog.

    Args:
        changelog: Its text.

    Returns:
        The version, and the text below its headline.

    Raises:
        ValueError: There is no entry.
    """
    heads = list(_HEAD.finditer(changelog))
    if not heads:
        raise ValueError("the changelog has no entry")
    end = heads[1].start() if len(heads) > 1 else len(changelog)
    return heads[0][1], changelog[heads[0].end() : end].strip()


def release_notes(tag: str, version: str, changelog: str) -> str:
    """The notes for a tag.

    Args:
        tag: Such as `v0.1.0`.
        version: That of pyproject.toml.
        changelog: The text of CHANGELOG.md.

    Raises:
        ValueError: The three do not speak of the same version, or the entry is empty.
    """
    newest, text = find_entry(changelog)
    if not tag == f"v{version}" == f"v{newest}":
        raise ValueError(f"tag {tag}, version {version} and changelog {newest} are not the same")
    if not text:
        raise ValueError(f"the entry of {newest} is empty")
    return text


if __name__ == "__main__":
    try:
        sys.stdout.write(release_notes(sys.argv[1], read_version(), CHANGELOG.read_text("utf-8")))
    except ValueError as error:
        sys.exit(str(error))
