"""Mistral's batch jobs end to end; mistralai reads the same state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mistralai.client import Mistral

from dragoman import LLM
from dragoman.errors import BadRequest, BatchError
from dragoman.model import Retries

from .loopback import KEY, Call
from .mistral_host import MistralHost
from .openai_host import chat_answer

SMALL = "mistral/mistral-small-latest"


def asking(host: MistralHost, **settings: Any) -> LLM:
    retries = Retries(attempts=3, backoff=0.0)
    llm: LLM = host.keep(LLM(SMALL, key=KEY, base_url=host.url, retries=retries, **settings))
    return llm


def official(host: MistralHost) -> Mistral:
    return Mistral(api_key=KEY, server_url=host.url.removesuffix("/v1"))


def test_answers_come_in_the_order_of_the_requests(tmp_path: Path) -> None:
    with MistralHost() as host, official(host) as client:
        batch = asking(host).batch([f"n{n}" for n in range(5)], file=tmp_path / "b.json")
        batch.submit()
        status = batch.wait(poll=0)
        assert (status.answered, status.failed) == (5, 0)
        items = list(batch.results())
        assert [i.answer.text for i in items if i.answer] == [f"You said n{n}" for n in range(5)]
        jobs = client.batch.jobs.list().data
        assert jobs is not None
        [job] = jobs
        assert (job.status, job.endpoint) == ("SUCCESS", "/v1/chat/completions")
        assert job.model == "mistral-small-latest"
        data = client.files.download(file_id=str(job.output_file)).read()
        assert data.count(b"custom_id") == 5


def test_what_is_sent_is_what_the_official_client_sends(tmp_path: Path) -> None:
    with MistralHost() as host, official(host) as client:
        asking(host).batch(["one"], file=tmp_path / "b.json").submit()
        [create] = (c for c in host.calls if (c.method, c.path) == ("POST", "/batch/jobs"))
        [file] = create.json["input_files"]
        named = {"file_name": "x.jsonl", "content": host.files[file]}
        uploaded = client.files.upload(file=named, purpose="batch")
        client.batch.jobs.create(
            input_files=[uploaded.id], endpoint="/v1/chat/completions",
            model="mistral-small-latest", metadata=create.json["metadata"],
        )  # fmt: skip
        assert {**host.calls[-1].json, "input_files": []} == {**create.json, "input_files": []}
        assert host.files[uploaded.id] == host.files[file]


def test_errors_are_typed(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:
        if "bad" in str(body["messages"]):
            error = {"object": "error", "type": "invalid_request_error"}
            return 422, {**error, "message": "Invalid temperature"}
        return chat_answer(body)

    with MistralHost(answer) as host:
        batch = asking(host).batch(["good", "bad"], file=tmp_path / "b.json")
        batch.submit()
        good, bad = batch.results()
        assert good.answer is not None
        assert type(bad.error) is BadRequest
        assert "Invalid temperature" in str(bad.error)


@pytest.mark.parametrize(
    ("status", "code"), [("TIMEOUT_EXCEEDED", "expired"), ("CANCELLED", "cancelled")]
)
def test_what_ended_early_is_retried(tmp_path: Path, status: str, code: str) -> None:
    with MistralHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        if status == "CANCELLED":
            assert batch.cancel().ended
        else:
            host.end(next(iter(host.batches)), status, 0)
        for item in batch.results():
            assert type(item.error) is BatchError
            assert item.error.code == f"batch.{code}"
        again = batch.retry(tmp_path / "again.json")
        assert again is not None
        again.submit()
        host.runs_at_once = True
        assert [i.answer.text for i in again.results() if i.answer] == [
            "You said one",
            "You said two",
        ]


def test_a_lost_reply_is_asked_for(tmp_path: Path) -> None:
    with MistralHost() as host:
        cut: list[Call] = []

        def breaks(call: Call) -> bool:
            if (call.method, call.path) == ("POST", "/batch/jobs") and not cut:
                cut.append(call)
                return True
            return False

        host.cut = breaks
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        assert len(host.batches) == 1
        assert len(cut) == 1
