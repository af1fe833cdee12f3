"""Every Python block of the README and of docs/ runs as it stands and prints what the page says.

Without a network and without keys; blocks that need either are marked `no-run` and only compiled.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from dragoman.model import endpoint
from dragoman.testing import Scripted
from dragoman.vendors import vendor
from tests.cli.running import run as run_command
from tests.each_case import each_case

from .pages import ROOT, blocks, pages

PAGES = {page.relative_to(ROOT).as_posix(): page.read_text("utf-8") for page in pages()}
WITH_PYTHON = [
    name for name, text in PAGES.items() if any(b.info == "python" for b in blocks(text))
]
FEW = 8  # blocks of a page that only a network can run


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: None) -> Path:
    """An empty folder to work in, and no other machine to connect to."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(code: str, place: str, line: int, names: dict[str, Any]) -> None:
    """Run a block; `await` stands at its top as in a notebook."""
    tree = compile(
        "\n" * (line - 1) + code, place, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
    )
    try:
        waiting = eval(tree, names)
        if inspect.iscoroutine(waiting):
            asyncio.run(waiting)
    finally:
        close_left_loop()


def close_left_loop() -> None:
    """Close the event loop that `run_sync` of pydantic-ai or of the Agents SDK leaves open.

    Else it is the test that runs when it is collected which fails.
    """
    with suppress(RuntimeError):  # there is none
        asyncio.get_event_loop_policy().get_event_loop().close()
    asyncio.set_event_loop(None)


_SAYS = re.compile(r"<!-- the model says: (.*?) -->", re.DOTALL)


def scripts(page: str) -> list[tuple[int, Scripted]]:
    """(line, what models answer from there on): JSON in comments that no reader sees."""
    return [
        (page.count("\n", 0, found.start()) + 1, Scripted(*json.loads(f"[{found[1]}]")))
        for found in _SAYS.finditer(page)
    ]


@contextmanager
def answered_by(script: Scripted) -> Iterator[None]:
    """Models answer with the script, and keys are there."""
    keys = {vendor(host).key: "none" for host in ("anthropic", "openai", "gemini", "deepseek")}
    with (
        patch.dict(os.environ, keys),
        patch.object(endpoint, "choose_transport", lambda given, **_: given or script),
    ):
        yield


def played(name: str, page: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run the blocks of a page; what is printed otherwise than the page says."""
    names: dict[str, Any] = {"__name__": name}
    wrong = []
    said = ""
    answering = scripts(page)
    for block in blocks(page):
        if block.info == "python":
            script = next((one for line, one in reversed(answering) if line < block.line), None)
            with nullcontext() if script is None else answered_by(script):
                run(block.text, name, block.line, names)
            said = capsys.readouterr().out
        elif block.info == "output" and said != block.text:
            wrong.append(f"{name}:{block.line}: printed\n{said}and not\n{block.text}")
    return wrong


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_the_python_of_a_page_runs_and_prints_what_it_says(
    name: str, alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert played(name, PAGES[name], capsys) == []


@each_case("name", WITH_PYTHON)
def test_what_does_not_run_is_little_and_compiles(name: str) -> None:
    left = [block for block in blocks(PAGES[name]) if block.info == "python no-run"]
    assert len(left) < FEW
    for block in left:
        compile(block.text, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def test_no_block_hides_behind_another_name() -> None:
    known = ("", "python", "python no-run", "python staged", "output", "sh", "sh staged",
             "text", "json", "toml")  # fmt: skip
    others = {
        f"{name}:{block.line}: {block.info}"
        for name, page in PAGES.items()
        for block in blocks(page)
        if block.info not in known and not block.info.startswith("python src/")
    }
    assert others == set()
    assert {"README.md", "docs/models.md", "docs/zh/models.md"} <= set(WITH_PYTHON)


def test_a_false_output_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    page = "```python\nx = 1\n```\n\n```python\nprint(x)\n```\n\n```output\n2\n```\n"
    [wrong] = played("page", page, capsys)
    assert wrong.startswith("page:10: printed\n1\n")


def test_an_example_that_fails_names_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NameError) as failed:
        played("page", "Text.\n\n```python\n\nnobody\n```\n", capsys)
    assert failed.traceback[-1].lineno == 4  # counted from 0


def commands(page: str) -> list[str]:
    """The `dragoman` commands of a page's shell blocks, without their comments."""
    lines = [line for b in blocks(page) if b.info == "sh" for line in b.text.splitlines()]
    return [line.partition("#")[0].strip() for line in lines if line.startswith("dragoman ")]


@pytest.mark.parametrize(
    ("name", "command"), [(name, line) for name, page in PAGES.items() for line in commands(page)]
)
def test_the_commands_of_a_page_work(
    name: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = '{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}'
    (tmp_path / "chat.json").write_text('[{"name": "Tony", "role": "user", "content": "Hi"}]')
    (tmp_path / "answer.json").write_text(said)
    (tmp_path / "stream.sse").write_text(f"data: {said}\n\n")
    body = '{"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]}'
    (tmp_path / "request.json").write_text(body)
    (tmp_path / "logs.jsonl").write_text(f"{body}\n{body}\n")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "monday.jsonl").write_text(f"{body}\n")
    ran = run_command(*shlex.split(command)[1:])
    assert ran.exit_code == 0, ran.output
    assert ran.stdout, f"{name}: {command} prints nothing"


def test_the_readme_is_short_and_begins_with_a_call_and_a_tool() -> None:
    """Not with a loop by hand, at which strangers leave: that one is on the page of models."""
    lines = PAGES["README.md"].splitlines()
    assert len(lines) < 150
    first = "\n".join(lines[:40])
    for step in ("LLM(", ".ask(", "@tool", "ReActAgent(", "not on PyPI yet", "Apache-2.0"):
        assert step in first
    for name in ("docs/chat-models.md", "docs/zh/chat-models.md"):
        for step in ("write_request", "read_response", ".append(resp.msg)", "Msg.tool("):
            assert step in PAGES[name]


def test_the_readme_has_the_order_in_which_a_stranger_decides() -> None:
    page = PAGES["README.md"]
    steps = (
        "Version", "Apache-2.0", "pip install", ".ask(", "@tool", "response_format=", "losses",
        "dragoman serve", "make demo", "make test", "| LiteLLM |", "## Versions", "## Where",
    )  # fmt: skip
    places = [page.find(step) for step in steps]
    assert places == sorted(places)
    assert min(places) > 0
    what = page.split("\n\n")[1]  # what it is and why, in two sentences
    assert len(re.findall(r"[.!?](?:\s|$)", what)) == 2
    call = page.partition(".ask(")[0].rpartition("```python")[2]
    assert call.count("\n") <= 5


def test_the_readme_names_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"Version {project['version']}" in PAGES["README.md"]
    extras = re.findall(r'pip install "\.\[([\w,]+)\]"', PAGES["README.md"])[0].split(",")
    assert {*extras} <= {*project["optional-dependencies"]}


def test_no_page_installs_by_a_name_that_is_not_published() -> None:
    """Until the first release what works is the folder of a clone: `pip install ".[http]"`."""
    named = re.compile(r"pip install [\"']?dragoman\b")
    assert [name for name, page in PAGES.items() if named.search(page)] == []


# pages of those who work on the sources
_INSIDE = {"docs/tour.md", "docs/mutants.md", "docs/coverage.md"}
_PRIVATE = re.compile(r"\b(seats?|manner)\b")
# pages that were read aloud as a whole; a page that is rewritten comes here
_PLAIN = (
    "README.md", "docs/index.md", "docs/api.md", "docs/errors.md", "docs/observability.md",
    "docs/why-dragoman.md", "docs/quickstart.md", "docs/costs.md", "docs/retries.md",
    "docs/reasoning.md", "docs/web-and-notebooks.md", "docs/coming-from-openai.md",
    "docs/coming-from-pydantic-ai.md", "docs/coming-from-litellm.md", "docs/tutorial.md",
    "docs/coming-from-langchain.md", "docs/structured-output.md", "docs/llm.md", "docs/agent.md",
    "docs/terminal.md", "docs/coding-agents.md", "docs/media.md", "docs/testing.md",
    "docs/tools.md", "docs/gateway.md",
)  # fmt: skip
_METAPHORS = re.compile(r"\b(told|tells?|stands?|stood|behind|nobody|whoever)\b", re.IGNORECASE)


@each_case("name", sorted(PAGES.keys() - _INSIDE))
def test_a_page_for_users_has_no_private_word(name: str) -> None:
    prose = re.sub(r"(?ms)^```.*?^```|`[^`]*`", "", PAGES[name])
    assert _PRIVATE.findall(prose) == []


@each_case("name", _PLAIN)
def test_a_plain_page_has_none_of_our_metaphors(name: str) -> None:
    prose = re.sub(r"(?ms)^```.*?^```|`[^`]*`|<!--.*?-->", "", PAGES[name])
    assert _METAPHORS.findall(prose) == []


def test_a_metaphor_is_found() -> None:
    assert _METAPHORS.findall("Whoever stands behind it is told.") == [
        "Whoever", "stands", "behind", "told",
    ]  # fmt: skip


def test_the_readme_shows_commands() -> None:
    assert len(commands(PAGES["README.md"])) > 1
