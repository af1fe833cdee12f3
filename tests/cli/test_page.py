"""`dragoman play`, `view` and `export`: what they open, what they write, and what they refuse."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest

from dragoman.page import Page, export_page
from tests.page import samples

from .running import run, shell

REQUEST = json.dumps(samples.JOURNEY)


def test_a_page_is_written_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(REQUEST, "utf-8")
    (tmp_path / "b.sse").write_text(samples.STREAM, "utf-8")
    target = tmp_path / "page.html"
    files = (str(tmp_path / "a.json"), str(tmp_path / "b.sse"))
    ran = run("export", *files, "-o", str(target))
    assert (ran.exit_code, ran.output) == (0, "")
    page = Page()
    for file in files:
        page.open(Path(file).read_bytes(), file)
    assert target.read_text("utf-8") == export_page(page)


def test_a_folder_stands_for_the_recordings_in_it(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_bytes(samples.lines(samples.SESSION))
    (tmp_path / "a.jsonl").write_bytes(samples.lines([samples.gateway()]))
    (tmp_path / "notes.txt").write_text("no recording")
    ran = run("export", str(tmp_path))
    assert ran.exit_code == 0
    assert ran.stdout.index('"name": "a.jsonl"') < ran.stdout.index('"name": "b.jsonl"')
    (tmp_path / "empty").mkdir()
    refused = run("export", str(tmp_path / "empty"))
    assert (refused.exit_code, "no recording in it" in refused.stderr) == (2, True)


def test_one_file_of_several_that_cannot_be_opened_says_why_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(REQUEST, "utf-8")
    (tmp_path / "b.sse").write_text(samples.STREAM, "utf-8")
    (tmp_path / "c.json").write_text("{", "utf-8")
    ran = run("export", str(tmp_path))
    assert ran.exit_code == 0
    assert [ran.stdout.count(f'"name": "{name}"') for name in ("a.json", "b.sse", "c.json")] == [
        1
    ] * 3
    assert '"fault": "no JSON' in ran.stdout
    (tmp_path / "d.json").write_text("12", "utf-8")
    both = (str(tmp_path / "c.json"), str(tmp_path / "d.json"))
    assert run("export", *both).exit_code == 2


def test_stdin_is_opened_and_stdout_written() -> None:
    ran = run("export", "-", input=REQUEST)
    assert ran.exit_code == 0
    assert ran.stdout.startswith("<!doctype html>")
    assert '"name": "stdin"' in ran.stdout


def test_a_counter_counts(tmp_path: Path) -> None:
    ran = run("export", "-", "--counter", "char", input=REQUEST)
    assert ran.exit_code == 0
    assert '"counted_by": "char"' in ran.stdout
    assert run("export", "-", "--counter", "none", input=REQUEST).exit_code == 2


@pytest.mark.parametrize("command", ["view", "export"])
@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "error: stdin: "), ("", "error: stdin: there is nothing in it"),
     ('{"a": 1}', "error: stdin: $: no wire has requests")],
)  # fmt: skip
def test_what_cannot_be_opened_is_named(command: str, text: str, said: str) -> None:
    ran = run(command, "-", input=text)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(said)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = run("view", str(tmp_path / "none.json"))
    assert ran.exit_code == 2
    assert "none.json: No such file" in ran.stderr


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ran = run("play", "--no-open", "--port", port)
    assert ran.exit_code == 2
    assert f"nothing can listen on 127.0.0.1:{port}" in ran.stderr
    assert "--port 0" in ran.stderr


@pytest.mark.parametrize("library", ["starlette", "uvicorn"])
def test_the_extra_is_named_where_it_is_missing(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith(("dragoman.page.server",))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    if library == "starlette":
        monkeypatch.setitem(sys.modules, "starlette.applications", None)
    ran = run("play", "--no-open")
    assert ran.exit_code == 2
    assert f"the live page needs {library}" in ran.stderr
    assert 'pip install "dragoman[gateway]"' in ran.stderr


def test_help_says_that_nothing_leaves_the_machine() -> None:
    assert "to this machine alone" in " ".join(shell("play", "--help").stdout.split())
    assert "one HTML file that needs no network" in " ".join(
        shell("export", "--help").stdout.split()
    )
