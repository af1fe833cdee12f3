"""Gemini's batches end to end, in the call and over a file; google-genai reads the same state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google import genai

from dragoman import LLM
from dragoman.errors import BadRequest, BatchError, RateLimited
from dragoman.llm import Batch
from dragoman.model import Retries
from dragoman.protocols.batches import BatchLimits
from dragoman.vendors import vendor

from .gemini_host import GeminiHost, content
from .loopback import KEY, Call

FLASH = "gemini/gemini-2.5-flash"


def asking(host: GeminiHost, **settings: Any) -> LLM:
    retries = Retries(attempts=3, backoff=0.0)
    llm: LLM = host.keep(LLM(FLASH, key=KEY, base_url=host.url, retries=retries, **settings))
    return llm


def official(host: GeminiHost) -> genai.Client:
    address = host.url.removesuffix("/v1beta")
    client = genai.Client(api_key=KEY, http_options={"base_url": address, "api_version": "v1beta"})
    kept: genai.Client = host.keep(client)
    return kept


@pytest.fixture(params=["call", "file"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    inline = 10**6 if request.param == "call" else 0
    limits = {"gemini": BatchLimits(100, 10**6, inline=inline)}
    monkeypatch.setattr(type(vendor("gemini")), "batches", limits)
    name: str = request.param
    return name


def test_answers_come_in_the_order_of_the_requests(tmp_path: Path, way: str) -> None:
    with GeminiHost() as host:
        batch = asking(host).batch([f"n{n}" for n in range(5)], file=tmp_path / "b.json")
        batch.submit()
        status = batch.wait(poll=0)
        assert (status.answered, status.failed) == (5, 0)
        items = list(batch.results())
        assert [i.answer.text for i in items if i.answer] == [f"You said n{n}" for n in range(5)]
        assert bool(host.files) is (way == "file")
        [job] = official(host).batches.list()
        assert job.name is not None
        job = official(host).batches.get(name=job.name)
        assert job.state is not None
        assert job.state.name == "JOB_STATE_SUCCEEDED"
        assert job.dest is not None
        if way == "file":
            assert job.dest.file_name is not None
            data = official(host).files.download(file=job.dest.file_name)
            assert data.count(b'"key"') == 5
        else:
            assert job.dest.inlined_responses is not None
            answers = [row.response for row in job.dest.inlined_responses]
            assert [a.text for a in answers if a] == [f"You said n{n}" for n in range(5)]


def test_what_is_sent_is_what_the_official_client_sends(tmp_path: Path) -> None:
    with GeminiHost() as host:
        asking(host).batch(["one"], file=tmp_path / "b.json").submit()
        [ours] = (c for c in host.calls if c.path.endswith(":batchGenerateContent"))
        [row] = ours.json["batch"]["inputConfig"]["requests"]["requests"]
        request, metadata = row["request"], row["metadata"]
        official(host).batches.create(
            model="gemini-2.5-flash",
            src=[genai.types.InlinedRequest(contents=request["contents"], metadata=metadata)],
            config={"display_name": ours.json["batch"]["displayName"]},
        )
        theirs = host.calls[-1]
        assert theirs.path == ours.path
        assert theirs.json == ours.json


def test_results_without_metadata_are_matched_by_their_place(tmp_path: Path) -> None:
    with GeminiHost() as host:
        host.metadata_comes_back = False
        batch = asking(host).batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        assert [i.answer.text for i in batch.results() if i.answer] == [
            "You said one",
            "You said two",
        ]


def test_errors_are_typed(tmp_path: Path, way: str) -> None:
    def answer(body: dict[str, Any]) -> Any:
        if "bad" in str(body["contents"]):
            return 400, {"code": 3, "message": "Request contains an invalid argument."}
        if "much" in str(body["contents"]):
            return 429, {"code": 8, "message": "Resource has been exhausted"}
        return content(body)

    with GeminiHost(answer) as host:
        batch = asking(host).batch(["bad", "much", "good"], file=tmp_path / "b.json")
        batch.submit()
        bad, much, good = batch.results()
        assert type(bad.error) is BadRequest
        assert "invalid argument" in str(bad.error)
        assert type(much.error) is RateLimited
        assert good.answer is not None


@pytest.mark.parametrize(
    ("state", "code"), [("EXPIRED", "expired"), ("CANCELLED", "cancelled"), ("FAILED", "failed")]
)
def test_what_ended_early(tmp_path: Path, way: str, state: str, code: str) -> None:
    with GeminiHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        assert not batch.status().ended
        [name] = host.batches
        if state == "CANCELLED":
            assert batch.cancel().ended
        else:
            host.end(name, state, 0, "The file is too odd" if state == "FAILED" else "")
        for item in batch.results():
            assert type(item.error) is BatchError
            assert item.error.code == f"batch.{code}"
            assert ("The file is too odd" in str(item.error)) is (state == "FAILED")


def test_a_batch_that_is_half_done(tmp_path: Path, way: str) -> None:
    with GeminiHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one", "two", "three"], file=tmp_path / "b.json")
        batch.submit()
        host.end(next(iter(host.batches)), "PARTIALLY_SUCCEEDED", 2)
        one, two, three = batch.results()
        assert one.answer is not None
        assert two.answer is not None
        assert three.error is not None
        assert three.error.code == "batch.missing"


def test_a_lost_reply_is_asked_for(tmp_path: Path, way: str) -> None:
    with GeminiHost() as host:
        for name in ("a", "b", "c"):
            official(host).batches.create(
                model="gemini-2.5-flash",
                src=[genai.types.InlinedRequest(contents=name)],
                config={"display_name": name},
            )
        cut: list[Call] = []

        def breaks(call: Call) -> bool:
            if call.path.endswith(":batchGenerateContent") and not cut:
                cut.append(call)
                return True
            return False

        host.cut = breaks
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        assert len(host.batches) == 4
        later = Batch.load(tmp_path / "b.json", asking(host))
        assert [item.answer.text for item in later.results() if item.answer] == ["You said one"]


def test_the_cost_is_that_of_batches(tmp_path: Path) -> None:
    with GeminiHost() as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        [item] = batch.results()
        assert item.answer is not None
        in_batch = item.cost
        item.answer.in_batch = False
        assert in_batch is not None
        assert item.answer.cost == in_batch * 2
