"""One rule of names: what blocks, what is awaited, and the page that says so.

A plain name blocks and its twin to await has an `a` before it; where the name to await is
AgentScope's, the twin that blocks ends in `_sync`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator

import pytest

from tests.docs.pages import FOLDERS, rows

MODULES = ("", *(f".{name}" for name in (
    "agent", "agent_logs", "analysis", "bridges", "capabilities",
    "errors", "formatter", "gateway", "history",
    "llm", "losses", "message", "model", "schema", "sealed_state", "stream.framing",
    "structured_output",
    "testing", "tokens", "toolkit", "ui", "vendors",
)))  # fmt: skip
HEADING = {"en": "## Names with and without await", "zh": "## 带 await 和不带 await 的名称"}
# AgentScope's names that have no twin here: whoever blocks calls `agent.run`, `format_request`
AGENTSCOPE = {"reply", "events", "observe", "broadcast", "call", "format", "sequential_pipeline"}
# what only an event loop asks for
ALONE = {"acall", "aclose"}
# generators of events: no coroutines, and awaited all the same
STREAMS = {"run_events": "arun_events", "read_stream": "aread_stream"}


def awaits(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def awaited() -> Iterator[tuple[object, str, str]]:
    """(where it stands, what that is called, its name) of each public name that is awaited."""
    for name in MODULES:
        module = importlib.import_module(f"dragoman{name}")
        for listed in getattr(module, "__all__", ()):
            value = getattr(module, listed)
            if inspect.isclass(value):
                for method, _ in inspect.getmembers(value, awaits):
                    if not method.startswith("_"):
                        yield value, listed, method
            elif awaits(value):
                yield module, name, listed


def twin(home: object, name: str) -> tuple[str, str] | None:
    """(what blocks, what is awaited), if there are both."""
    for blocks in (f"{name}_sync", name.removeprefix("a")):
        if blocks != name and callable(function := getattr(home, blocks, None)):
            return None if awaits(function) else (blocks, name)
    return None


def test_every_name_that_is_awaited_keeps_the_rule() -> None:
    odd = sorted({
        f"{owner}.{name}"
        for home, owner, name in awaited()
        if twin(home, name) is None
        and not owner.startswith("Async")  # all of whose methods are awaited
        and name not in AGENTSCOPE | ALONE
    })  # fmt: skip
    assert odd == []


def test_a_twin_takes_the_same() -> None:
    for home, owner, name in awaited():
        if (pair := twin(home, name)) is not None:
            blocks, waits = (inspect.signature(getattr(home, one)).parameters for one in pair)
            assert [*blocks] == [*waits], f"{owner}: {pair}"


@pytest.mark.parametrize("language", FOLDERS)
def test_the_page_has_every_pair(language: str) -> None:
    page = (FOLDERS[language] / "agent.md").read_text("utf-8")
    section = page.split(HEADING[language])[1].partition("\n## ")[0]
    named = [
        [set(re.findall(r"`(?:\w+\.)?(\w+)`", cell)) for cell in row[:2]]
        for row in rows(section)[1:]
    ]
    pairs = {pair for home, _, name in awaited() if (pair := twin(home, name))}
    pairs |= {*STREAMS.items()}
    missing = [
        pair for pair in sorted(pairs)
        if not any(pair[0] in row[0] and pair[1] in row[1] for row in named)
    ]  # fmt: skip
    assert missing == []


def test_the_rule_finds_what_breaks_it() -> None:
    class Broken:
        async def fetch_async(self) -> None: ...
        async def aread(self) -> None: ...
        async def read(self) -> None: ...

    assert twin(Broken, "fetch_async") is None
    assert twin(Broken, "aread") is None
