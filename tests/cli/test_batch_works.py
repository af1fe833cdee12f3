"""`dragoman batch check`, `count`, `cost`, `fidelity`, `fit`, `to-messages` as users see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.message import load
from tests.batch.record_works.test_record_works import ANSWER, EXCHANGE, REQUEST, TRAINING

from .running import run


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [REQUEST, EXCHANGE, {"bad": 1}, {**ANSWER, "model": "my-own"}, TRAINING]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_tokens_are_a_table_and_lines_know_their_places_in_any_segment() -> None:
    ran = run("batch", "count", "a.jsonl", "-o", "out", "--segment", "1500", "--jobs", "1")
    assert ran.exit_code == 3
    assert "gpt-5.6" in ran.stdout
    assert "5 in = 4 counted + 1 in quarantine" in ran.stderr
    rows = [json.loads(row) for row in Path("out/a.jsonl").read_bytes().splitlines()]
    assert [(row["line"], row["source"]) for row in rows] == [
        (number, "a.jsonl") for number in (1, 2, 4, 5)
    ]
    assert all(row["tokens"] == sum(row["parts"].values()) for row in rows)
    ran = run("batch", "count", "a.jsonl", "--json", "--jobs", "1", "--report", "report.json")
    assert ran.exit_code == 3
    assert "a.jsonl:3" in ran.stderr
    report = json.loads(ran.stdout)
    assert report == json.loads(Path("report.json").read_text("utf-8"))
    models = report["sums"]["models"]
    assert sum(row["tokens"] for row in models.values()) == sum(row["tokens"] for row in rows)
    assert report["parts"] == [{"source": "a.jsonl", "in": 5, "out": 4, "quarantined": 1}]
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl", "out", "report.json"]


def test_costs_are_by_day_and_model() -> None:
    ran = run("batch", "cost", "a.jsonl", "--jobs", "1")
    assert ran.exit_code == 3
    rows = [line.split() for line in ran.stdout.splitlines()]
    assert rows[0] == ["day", "model", "answers", "input", "output", "cost"]
    assert rows[1][:5] == ["2026-05-28", "my-own", "1", "3,000", "200"]
    assert rows[1][5:] == ["1", "unknown"]
    assert rows[2][:2] == ["2026-11-02", "gpt-5.6"]
    assert rows[2][5].startswith("$0.")
    assert rows[-2][:3] == ["all", "2", "6,000"]
    assert rows[-2][4:] == [rows[2][5], "+", "1", "unknown"]
    assert "3 record.answer" not in ran.stdout


def test_a_check_says_what_is_not_fine_and_where() -> None:
    Path("b.jsonl").write_text(json.dumps({**REQUEST, "n": 0, "tools": []}) + "\n", "utf-8")
    ran = run("batch", "check", "a.jsonl", "b.jsonl", "--to", "openai", "--jobs", "1")
    assert ran.exit_code == 3
    assert "field.range" in ran.stdout
    assert "b.jsonl:1 $.n" in " ".join(ran.stdout.split())
    Path("c.jsonl").write_text(json.dumps(TRAINING) + "\n", "utf-8")
    ran = run("batch", "check", "c.jsonl", "--to", "anthropic", "-o", "out", "--jobs", "1")
    assert ran.exit_code == 0
    assert "1 in = 1 fine + 0 in quarantine" in ran.stderr
    row = json.loads(Path("out/c.jsonl").read_text("utf-8"))
    assert (row["line"], row["ok"], row["lost"][0]["where"]) == (1, True, "$.label")


def test_fidelity_is_the_table_of_the_single_command() -> None:
    Path("d.jsonl").write_text(json.dumps(REQUEST) + "\n" + json.dumps(EXCHANGE) + "\n", "utf-8")
    one = run("fidelity", "d.jsonl", "--to", "gemini")
    many = run("batch", "fidelity", "d.jsonl", "--to", "gemini", "--jobs", "1")
    assert (many.exit_code, many.stdout) == (0, one.stdout)


def test_records_are_cut_and_read() -> None:
    ran = run("batch", "fit", "a.jsonl", "-o", "fit", "--tokens", "200", "--jobs", "1")
    assert ran.exit_code == 3
    assert "3 record(s) were cut" in ran.stderr
    rows = [json.loads(row) for row in Path("fit/a.jsonl").read_bytes().splitlines()]
    assert rows[1]["response"] == ANSWER
    assert rows[2]["label"] == 1
    ran = run("batch", "to-messages", "a.jsonl", "-o", "messages", "--jobs", "1")
    assert "extras.unsupported" in ran.stderr
    rows = [json.loads(row) for row in Path("messages/a.jsonl").read_bytes().splitlines()]
    assert len([load(row) for row in rows]) == 4


def test_what_is_wrong_on_the_command_line_is_said() -> None:
    for args, said in (
        (("count", "a.jsonl", "--from", "nowhere"), "nowhere"),
        (("cost", "a.jsonl", "--form", "nothing"), "nothing"),
        (("fit", "a.jsonl", "--tokens", "9"), "--output"),
        (("fit", "a.jsonl", "-o", "out"), "--tokens"),
        (("check", "a.jsonl"), "--to"),
        (("fidelity", "missing.jsonl"), "missing.jsonl"),
        (("count", "a.jsonl", "--counter", "fingers"), "fingers"),
    ):
        ran = run("batch", *args)
        assert ran.exit_code == 2, args
        assert said in ran.stderr, args
