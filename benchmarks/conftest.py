"""Prints the tables of a run at its end, and writes them to a page where `--page` names one.

A benchmark module adds its tables to the fixture `tables`; nothing of them is captured by pytest.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

PEERS = (
    "dragoman", "orjson", "agentscope", "litellm", "llm-rosetta", "langchain-core", "openai",
    "anthropic", "tiktoken", "httpx2", "aiohttp", "pydantic-ai-slim", "any-llm-sdk",
    "openai-agents", "uvicorn", "uvloop", "httptools", "granian",
)  # fmt: skip
_MARK = "<!-- tables: written by"


@dataclass
class Tables:
    """The tables of one run, as Markdown."""

    parts: list[str] = field(default_factory=list)

    def add(
        self,
        title: str,
        head: Sequence[str],
        rows: Sequence[Sequence[str]],
        notes: Sequence[str] = (),
    ) -> None:
        """Add a table under its title; one without rows is left out."""
        if not rows:
            return
        lines = [f"### {title}", "", _row(head), "|" + "---|" * len(head), *map(_row, rows)]
        if notes:
            lines += ["", *(f"- {note}" for note in notes)]
        self.parts.append("\n".join(lines))


_TABLES = Tables()


@pytest.fixture(scope="session")
def tables() -> Tables:
    """Where a benchmark puts its tables."""
    return _TABLES


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--page docs/performance.md` writes the tables there as well, in the part of `--target`."""
    parser.addoption("--page", type=Path, default=None, help="a page for the tables of this run")
    parser.addoption("--target", default="bench", help="what of make writes this part of the page")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the machine, the versions and the tables; write them to the page."""
    if not _TABLES.parts:
        return
    text = "\n\n".join([_machine(), *_TABLES.parts])
    terminalreporter.write_line("")
    terminalreporter.write_line(text)
    page: Path | None = terminalreporter.config.getoption("--page")
    if page is not None:
        target: str = terminalreporter.config.getoption("--target")
        written = page.read_text("utf-8") if page.exists() else ""
        page.write_text(_with_part(written, target, text), "utf-8")
        terminalreporter.write_line(f"\nwritten to {page}")


def _with_part(page: str, target: str, text: str) -> str:
    """The page with this text behind the target's mark, up to the next target's."""
    mark = f"{_MARK} `make {target}` -->"
    head, _, rest = page.partition(mark)
    _, following, others = rest.partition(_MARK)
    return f"{head.rstrip()}\n\n{mark}\n\n{text}\n" + f"\n{following}{others}" * bool(following)


def _machine() -> str:
    """The day, the processor, Python, and the versions of what was measured."""
    known = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.+)", known.read_text("utf-8")) if known.exists() else []
    processor = f"{names[0]} ({len(names)} cores)" if names else platform.processor()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    versions = ", ".join(f"{name} {found}" for name in PEERS if (found := _version(name)))
    return f"Measured on {date.today():%Y-%m-%d}: {processor}, {python}; {versions}."  # noqa: DTZ011


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
