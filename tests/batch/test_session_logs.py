"""Session logs in batches: a file is a record, among files whose lines are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from atif import Trajectory

from dragoman.batch import converter
from tests.agent_logs import test_atif, test_claude_code, test_codex, test_gemini_cli
from tests.agent_logs.jsonl import lines
from tests.batch.records import command, entries, line
from tests.batch.records import convert as convert_files

ATIF = {"schema_version": "ATIF-v1.8", "agent": test_atif.AGENT, "steps": test_atif.STEPS}


def _converted(path: Path) -> list[Any]:
    return [json.loads(row) for row in path.read_bytes().splitlines()]


def _logs(place: Path) -> Path:
    place.mkdir()
    (place / "claude.jsonl").write_text(lines(test_claude_code.TURN), "utf-8")
    (place / "codex.jsonl.gz").write_bytes(gzip.compress(lines(test_codex.SESSION).encode()))
    (place / "gemini.jsonl").write_text(lines(test_gemini_cli.SESSION), "utf-8")
    (place / "one.json").write_text(json.dumps(ATIF, indent=2))
    (place / "many.jsonl").write_text(f"{json.dumps(ATIF)}\n{json.dumps(ATIF)}\n")
    (place / "requests.jsonl").write_bytes(line(1) + line(2) + line(3))
    return place


def test_a_log_is_one_record_and_lines_stay_records(tmp_path: Path) -> None:
    place, out = _logs(tmp_path / "in"), tmp_path / "out"
    work = converter(target="atif", policy="ignore")
    report = convert_files(place, to=out, converter=work, segment=64)  # cuts what may be cut
    assert (report["in"], report["out"], report["quarantined"]) == (9, 9, 0)
    for name, count in {"claude.jsonl": 1, "gemini.jsonl": 1, "one.json": 1, "many.jsonl": 2,
                        "requests.jsonl": 3}.items():  # fmt: skip
        records = _converted(out / name)
        assert len(records) == count
        for record in records:
            Trajectory.model_validate(record)
    packed = json.loads(gzip.decompress((out / "codex.jsonl.gz").read_bytes()))
    assert packed["agent"]["name"] == "codex"


def test_the_command_writes_trajectories_and_conversations(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(lines(test_claude_code.TURN), "utf-8")
    code, told = command(log, "-o", tmp_path / "t.jsonl", "--to", "atif")
    assert (code, "1 in = 1 out + 0 in quarantine" in told) == (0, True)
    code, _ = command(tmp_path / "t.jsonl", "-o", tmp_path / "c.jsonl", "--to", "openai-chat")
    assert code == 0
    [body] = _converted(tmp_path / "c.jsonl")
    assert body["messages"][0]["role"] == "user"
    code, _ = command(log, "-o", tmp_path / "d.jsonl", "--to", "openai-chat",
                      "--form", "session-log")  # fmt: skip
    assert (code, _converted(tmp_path / "d.jsonl")) == (0, [body])


def test_a_broken_log_goes_into_quarantine_and_can_be_fed_in_again(tmp_path: Path) -> None:
    rows = lines(test_codex.SESSION)
    log = tmp_path / "log.jsonl"
    log.write_text(f"{rows}no JSON\n{rows}", "utf-8")
    out = tmp_path / "out"
    work = converter(target="atif", policy="ignore")
    report = convert_files(log, to=out, converter=work)
    assert (report["in"], report["out"], report["quarantined"]) == (1, 0, 1)
    [entry] = entries(out / "log.quarantine.jsonl")
    assert (entry["code"], entry["line"], entry["record"]) == ("log.row", 1, log.read_text("utf-8"))
    again = tmp_path / "mended.quarantine.jsonl"
    entry["record"] = entry["record"].replace("no JSON\n", "")
    again.write_text(json.dumps(entry) + "\n", "utf-8")
    report = convert_files(again, to=tmp_path / "again", converter=work)
    assert (report["out"], report["quarantined"]) == (1, 0)
    [record] = _converted(tmp_path / "again/mended.jsonl")
    assert record["agent"]["name"] == "codex"


def test_a_log_that_is_too_long_is_quarantined_whole(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(lines(test_codex.SESSION), "utf-8")
    work = converter(target="atif", policy="ignore")
    convert_files(log, to=tmp_path / "out", converter=work, max_line=100)
    [entry] = entries(tmp_path / "out/log.quarantine.jsonl")
    assert (entry["code"], entry["record"]) == ("line.long", log.read_text("utf-8"))
