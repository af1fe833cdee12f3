"""Bedrock's batches: files for a bucket of the user's, and results that came out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dragoman import LLM, ConfigError
from dragoman.errors import BadRequest, BatchError
from dragoman.llm import Batch
from tests.cli.running import run

NOVA = "bedrock/amazon.nova-lite-v1:0"


def run_job(place: Path, out: Path, most: int | None = None) -> None:
    """What a job makes of a file: each record with its input, in another order."""
    lines = []
    for record in map(json.loads, place.read_text().splitlines()[:most]):
        text = record["modelInput"]["messages"][-1]["content"][0]["text"]
        row: dict[str, Any] = dict(record)
        if text == "bad":
            row["error"] = {"errorCode": 400, "errorMessage": "Malformed input request"}
        else:
            row["modelOutput"] = {
                "output": {"message": {"role": "assistant", "content": [{"text": f"Said {text}"}]}},
                "stopReason": "end_turn",
                "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
            }
        lines.append(row)
    out.write_text("".join(f"{json.dumps(row)}\n" for row in reversed(lines)))


def test_files_for_a_bucket_and_results_from_it(tmp_path: Path) -> None:
    batch = LLM(NOVA, key="k").batch(["one", "bad", "two", "late"], file=tmp_path / "b.json")
    with pytest.raises(ConfigError, match="bucket") as caught:
        batch.submit()
    assert caught.value.code == "batch.bucket"
    [place] = batch.request_files()
    assert str(place) in str(caught.value)
    assert place.suffix == ".jsonl"
    for early in (batch.results, batch.wait):
        with pytest.raises(ConfigError):
            early()
    run_job(place, tmp_path / "out.jsonl", 3)
    later = Batch.load(tmp_path / "b.json", LLM(NOVA, key="k"))
    assert later.take_results(tmp_path / "out.jsonl").ended
    one, bad, two, late = later.results()
    assert one.answer is not None
    assert two.answer is not None
    assert [one.answer.text, two.answer.text] == ["Said one", "Said two"]
    assert type(bad.error) is BadRequest
    assert "Malformed input request" in str(bad.error)
    assert type(late.error) is BatchError
    assert late.error.code == "batch.missing"
    again = later.retry(tmp_path / "again.json")
    assert again is not None
    assert len(again.request_files()) == 1
    assert len(again) == 2


def test_a_body_is_that_of_converse(tmp_path: Path) -> None:
    llm = LLM(NOVA, key="k")
    batch = llm.batch(["one"], file=tmp_path / "b.json")
    [record] = map(json.loads, batch.request_files()[0].read_text().splitlines())
    assert record["modelInput"] == llm.request("one").body
    assert record["modelInput"]["messages"][0]["content"] == [{"text": "one"}]


def test_a_provider_with_an_interface_takes_no_files(tmp_path: Path) -> None:
    llm = LLM("openai/gpt-5.6", key="k", base_url="http://127.0.0.1:9/v1")
    batch = llm.batch(["one"], file=tmp_path / "b.json")
    with pytest.raises(ConfigError, match="at its provider"):
        batch.take_results(tmp_path / "out.jsonl")


def bedrock(*args: str) -> Any:
    return run("batch", *args, AWS_BEARER_TOKEN_BEDROCK="k")


def test_by_the_shell(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('"one"\n"two"\n')
    state = str(tmp_path / "b.json")
    done = bedrock("submit", NOVA, str(tmp_path / "in.jsonl"), "-o", state)
    assert done.exit_code == 0, done.stderr
    place = tmp_path / "b.json.d" / "requests-0.jsonl"
    assert place.name in done.stderr.replace("\n", "")
    run_job(place, tmp_path / "out.jsonl")
    fetched = bedrock("fetch", state, "--results", str(tmp_path / "out.jsonl"))
    assert fetched.exit_code == 0, fetched.stderr
    rows = [json.loads(line) for line in fetched.stdout.splitlines()]
    texts = [row["answer"]["output"]["message"]["content"][0]["text"] for row in rows]
    assert texts == ["Said one", "Said two"]
