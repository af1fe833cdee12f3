"""Many files at once: folders, patterns, stdin, compressed ones, and processes that share them."""

from __future__ import annotations

import gzip
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import Formatter, Msg
from dragoman.cli.output import CommandError
from dragoman.cli.sources import sources
from dragoman.cli.workers import map_in_order

from .bodies import ANSWER, CLAUDE, EVENTS, PLAIN, lines, sse
from .running import environment, run, shell, written

TO = ("--to", "gemini", "--policy", "ignore")
HI = {"name": "Bob", "role": "user", "content": "Hi"}


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def body(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def texts(stdout: str) -> list[str]:
    """What the first turn of each converted body says."""
    return [json.loads(line)["contents"][0]["parts"][0]["text"] for line in stdout.splitlines()]


@pytest.fixture
def logs() -> None:
    """A folder: lines, a document below, a compressed file, and what is not read."""
    Path("logs/deep").mkdir(parents=True)
    Path("logs/.git").mkdir()
    written(Path("logs/b.jsonl"), lines(body("b1"), body("b2")))
    written(Path("logs/deep/d.json"), body("d"))
    Path("logs/a.jsonl.gz").write_bytes(gzip.compress(lines(body("a")).encode()))
    written(Path("logs/notes.txt"), "no JSON")
    written(Path("logs/.git/x.json"), body("hidden"))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["logs"], ["a", "b1", "b2", "d"]),
        (["logs/**/*.json*"], ["a", "b1", "b2", "d"]),
        (["logs/*.jsonl"], ["b1", "b2"]),
        (["logs/deep/d.json", "-", "logs/a.jsonl.gz"], ["d", "stdin", "a"]),
    ],
)
def test_many_files_give_a_line_for_each_body_in_their_order(
    logs: None, files: list[str], expected: list[str], jobs: str
) -> None:
    ran = run("convert", *files, *TO, "--jobs", jobs, input=json.dumps(body("stdin")))
    assert ran.exit_code == 0, ran.stderr
    assert texts(ran.stdout) == expected


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_fails_among_many_is_told_in_its_place_and_the_others_go_on(jobs: str) -> None:
    rows = "".join(lines(body(str(i))) if i % 40 else "{broken\n" for i in range(1, 121))
    written(Path("many.jsonl"), rows)
    Path("bad.json.gz").write_bytes(b"\x1f\x8b" + bytes(12))
    Path("empty").mkdir()
    written(Path("last.json"), body("last"))
    files = ["many.jsonl", "missing.json", "bad.json.gz", "empty", "*.none", "last.json"]
    ran = run("convert", *files, *TO, "--jobs", jobs)
    assert ran.exit_code == 1
    assert texts(ran.stdout) == [*(str(i) for i in range(1, 121) if i % 40), "last"]
    begins = ["many.jsonl:40: no JSON", "many.jsonl:80: no JSON", "many.jsonl:120: no JSON",
              "missing.json: No such file", "bad.json.gz: the gzip data is broken",
              "empty: there is no file to read in this folder",
              "*.none: no file has such a name"]  # fmt: skip
    told = ran.stderr.splitlines()
    assert all(line.startswith(f"error: {begin}") for line, begin in zip(told, begins, strict=True))


def test_a_pattern_alone_that_names_nothing_is_a_mistake_of_usage() -> None:
    ran = run("convert", "*.none", *TO)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == "error: *.none: no file has such a name\n"


def test_a_file_whose_name_looks_like_a_pattern_is_a_file() -> None:
    written(Path("log[1].jsonl"), lines(body("one"), body("two")))
    assert texts(run("convert", "log[1].jsonl", *TO).stdout) == ["one", "two"]


def test_stdin_can_be_named_once() -> None:
    with pytest.raises(CommandError, match="stdin is named twice"):
        sources(["-", "a", "-"])


@pytest.mark.parametrize("data", [json.dumps(PLAIN).encode(), lines(PLAIN, CLAUDE).encode()])
def test_compressed_stdin_is_read_as_what_is_in_it(data: bytes) -> None:
    plain = run("convert", "--to", "gemini", input=data)
    assert plain.exit_code == 0
    zipped = run("convert", "--to", "gemini", input=gzip.compress(data))
    assert (zipped.stdout, zipped.stderr) == (plain.stdout, plain.stderr)


def test_lines_of_a_pipe_are_converted_as_they_come() -> None:
    args = [sys.executable, "-m", "dragoman", "convert", *TO]
    with subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment(PYTHONUNBUFFERED="1")) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(body("1"), body("2")).encode())
        process.stdin.flush()
        assert texts(process.stdout.readline().decode()) == ["1"]
        process.stdin.close()
        assert texts(process.stdout.read().decode()) == ["2"]
    assert process.returncode == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_losses_of_many_files_are_summed_up_together(jobs: str) -> None:
    for name in ("a.json", "b.json"):
        written(Path(name), {**CLAUDE, "top_k": 5})
    ran = run("convert", "a.json", "b.json", "--to", "openai", "--jobs", jobs)
    assert "a.json and 1 more for openai - losses in 2 of 2\n" in ran.stderr
    assert "2 dropped  option.unsupported: " in ran.stderr
    each = run("convert", "a.json", "b.json", "--to", "openai", "--jobs", jobs, "--losses")
    assert "a.json for openai - losses: " in each.stderr
    assert "b.json for openai - losses: " in each.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_answers_and_streams_of_many_files(jobs: str) -> None:
    written(Path("s.sse"), sse(EVENTS))
    written(Path("a.json"), ANSWER)
    written(Path("log.jsonl"), lines(*({"events": EVENTS} for _ in range(150)), ANSWER))
    ran = run("convert", "s.sse", "a.json", "log.jsonl", "-k", "response", *TO, "--jobs", jobs)
    assert ran.exit_code == 0, ran.stderr
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [("events" in one) for one in found] == [True, False, *[True] * 150, False]


def test_a_long_log_of_answers_is_told_from_one_long_stream() -> None:
    written(Path("many.jsonl"), lines(*({**ANSWER, "id": f"a{i}"} for i in range(150)), "{"))
    ran = run("convert", "many.jsonl", "-k", "response", *TO)
    assert ran.exit_code == 1
    assert len(ran.stdout.splitlines()) == 150
    assert ran.stderr.startswith("error: many.jsonl:151: no JSON")
    chunk = {"id": "c", "choices": [{"index": 0, "delta": {"content": "a"}}]}
    written(Path("one.jsonl"), lines(*[chunk] * 150, *EVENTS[-1:]))
    stream = run("convert", "one.jsonl", "-k", "response", "--to", "ollama", "--policy", "ignore")
    parts = [json.loads(line)["message"]["content"] for line in stream.stdout.splitlines()]
    assert "".join(parts).startswith("a" * 150)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_conversations_of_many_files(jobs: str) -> None:
    written(Path("many.jsonl"), lines([HI], [{**HI, "content": "Ho"}]))
    written(Path("messages.jsonl"), lines(HI, {**HI, "role": "assistant"}))
    written(Path("one.json"), [HI])
    ran = run("format", "many.jsonl", "messages.jsonl", "one.json", "--to", "openai-chat",
              "--jobs", jobs)  # fmt: skip
    assert ran.exit_code == 0, ran.stderr
    formatter = Formatter("openai-chat")
    assert [json.loads(line) for line in ran.stdout.splitlines()] == [
        formatter.format_sync(msgs) for msgs in (
            [Msg("Bob", "Hi")], [Msg("Bob", "Ho")],
            [Msg("Bob", "Hi"), Msg("Bob", "Hi", "assistant")], [Msg("Bob", "Hi")],
        )
    ]  # fmt: skip


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_conversation_that_fails_ends_its_file_and_others_go_on(jobs: str) -> None:
    written(Path("a.jsonl"), lines([HI], [{**HI, "role": "boss"}], [HI]))
    written(Path("b.json"), "{")
    written(Path("c.json"), [HI])
    ran = run("format", "a.jsonl", "b.json", "c.json", "none.json", "--to", "openai-chat",
              "--jobs", jobs)  # fmt: skip
    assert ran.exit_code == 1
    assert len(ran.stdout.splitlines()) == 2
    told = ran.stderr.splitlines()
    assert told[0].startswith("error: a.jsonl:2: $[0].role: unknown role 'boss'")
    assert told[1].startswith("error: b.json: no JSON")
    assert told[2].startswith("error: none.json: No such file")
    assert len(told) == 3


HALF = (
    '{"model": "m", "messages": [{"role": "user", "content": "\\u4f60 \\ud83d"}], "x": "\\ud83d"}'
)


@pytest.mark.parametrize("to", ["openai-chat", "anthropic", "gemini"])
def test_half_of_a_surrogate_pair_ends_no_command(to: str) -> None:
    written(Path("r.json"), HALF)
    ran = shell("convert", "r.json", "--to", to, "--from", "openai-chat", "--json")
    assert ran.returncode == 0, ran.stderr
    out = dragoman.convert(json.loads(HALF), "openai-chat", to, policy="ignore")
    assert json.loads(ran.stdout)["body"] == out.body


def test_work_is_handed_out_a_few_parcels_ahead() -> None:
    taken = 0

    def values() -> Any:
        nonlocal taken
        for taken in range(1, 100_000):
            yield -taken

    results = map_in_order(_absolute, (), values(), 2)
    assert [next(results) for _ in range(10)] == list(range(1, 11))
    assert taken < 1000
    results.close()  # type: ignore[attr-defined]


def _absolute() -> Any:
    return abs


def test_a_process_that_dies_is_named() -> None:
    with pytest.raises(CommandError, match="a process of --jobs was ended"):
        list(map_in_order(_leave, (), [3], 2))


def _leave() -> Any:
    return os._exit


def test_progress_is_shown_on_a_terminal_and_nowhere_else() -> None:
    written(Path("many.jsonl"), lines(*[PLAIN] * 20))
    args = [sys.executable, "-m", "dragoman", "convert", "many.jsonl", *TO, "-o", "out.jsonl"]
    ours, theirs = pty.openpty()
    ran = subprocess.run(args, env=environment(TERM="xterm"), stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=theirs, check=False)  # fmt: skip
    os.close(theirs)
    shown = os.read(ours, 2**16).decode()
    os.close(ours)
    assert ran.returncode == 0
    assert "20 done, " in shown
    assert shell("convert", "many.jsonl", *TO, "-o", "out.jsonl").stderr == ""
