"""Message batches end to end; Anthropic's own client reads the same state."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import anthropic
import pytest

from dragoman import LLM, AsyncLLM
from dragoman.errors import BadRequest, BatchError, Overloaded
from dragoman.llm import Batch
from dragoman.model import Retries

from .anthropic_host import AnthropicHost, message
from .loopback import KEY, Call

CLAUDE = "anthropic/claude-opus-4-8"


def asking(host: AnthropicHost, **settings: Any) -> LLM:
    retries = Retries(attempts=3, backoff=0.0)
    llm: LLM = host.keep(LLM(CLAUDE, key=KEY, base_url=host.url, retries=retries, **settings))
    return llm


def official(host: AnthropicHost) -> anthropic.Anthropic:
    client = anthropic.Anthropic(api_key=KEY, base_url=host.url, max_retries=0)
    kept: anthropic.Anthropic = host.keep(client)
    return kept


def test_answers_come_in_the_order_of_the_requests(tmp_path: Path) -> None:
    with AnthropicHost() as host:
        batch = asking(host).batch([f"n{n}" for n in range(5)], file=tmp_path / "b.json")
        batch.submit()
        status = batch.wait(poll=0)
        assert (status.answered, status.failed) == (5, 0)
        items = list(batch.results())
        assert [i.answer.text for i in items if i.answer] == [f"You said n{n}" for n in range(5)]
        client = official(host)
        [held] = client.messages.batches.list().data
        assert held.request_counts.succeeded == 5
        theirs = {row.custom_id: row.result for row in client.messages.batches.results(held.id)}
        assert len(theirs) == 5
        assert all(result.type == "succeeded" for result in theirs.values())


def test_what_is_sent_is_what_the_official_client_sends(tmp_path: Path) -> None:
    with AnthropicHost() as host:
        batch = asking(host, max_tokens=50).batch(["one", "two"], file=tmp_path / "b.json")
        batch.submit()
        [rows] = host.requests.values()
        official(host).messages.batches.create(requests=rows)  # type: ignore[arg-type]
        ours, theirs = (c for c in host.calls if c.method == "POST")
        assert ours.json == theirs.json
        assert ours.path == theirs.path


def test_errors_are_nested_twice_and_typed(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Any:
        for word, kind, text in (
            ("bad", "invalid_request_error", "max_tokens: must be positive"),
            ("busy", "overloaded_error", "Overloaded"),
        ):
            if word in str(body["messages"]):
                return 400, {"type": "error", "error": {"type": kind, "message": text}}
        return message(body)

    with AnthropicHost(answer) as host:
        batch = asking(host).batch(["bad", "busy", "good"], file=tmp_path / "b.json")
        batch.submit()
        bad, busy, good = batch.results()
        assert type(bad.error) is BadRequest
        assert "max_tokens: must be positive" in str(bad.error)
        assert type(busy.error) is Overloaded
        assert good.answer is not None
        again = batch.retry(tmp_path / "again.json")
        assert again is not None
        assert len(again) == 2


@pytest.mark.parametrize(("kind", "code"), [("expired", "expired"), ("canceled", "cancelled")])
def test_what_expired_or_was_canceled(tmp_path: Path, kind: str, code: str) -> None:
    with AnthropicHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one", "two", "three"], file=tmp_path / "b.json")
        batch.submit()
        if kind == "canceled":
            assert "canceling" in str(batch.cancel())
        host.end(next(iter(host.batches)), 1, kind)
        one, two, three = batch.results()
        assert one.answer is not None
        for item in (two, three):
            assert type(item.error) is BatchError
            assert item.error.code == f"batch.{code}"


def test_the_cost_is_that_of_batches(tmp_path: Path) -> None:
    with AnthropicHost() as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        batch.submit()
        [item] = batch.results()
        assert item.answer is not None
        in_batch = item.cost
        item.answer.in_batch = False
        assert in_batch is not None
        assert item.answer.cost == in_batch * 2


def test_requests_with_other_betas_are_another_batch(tmp_path: Path) -> None:
    server = {"type": "mcp", "name": "m", "url": "https://x.example/mcp"}
    plain = {"model": "claude-opus-4-8", "max_tokens": 5, "messages": [
        {"role": "user", "content": "one"}]}  # fmt: skip
    tooled = {**plain, "mcp_servers": [{**server, "type": "url"}]}
    with AnthropicHost() as host:
        llm = asking(host)
        betas = {llm.request(body).headers.get("anthropic-beta") for body in (plain, tooled)}
        batch = llm.batch([plain, tooled, plain], file=tmp_path / "b.json")
        batch.submit()
        assert len(host.batches) == len(betas)
        sent = {c.headers.get("anthropic-beta") for c in host.calls if c.method == "POST"}
        assert sent == betas
        assert [item.error for item in batch.results()] == [None, None, None]


def lost(host: AnthropicHost, times: int = 1) -> list[Call]:
    """Break the connection after a batch was created."""
    cut: list[Call] = []

    def breaks(call: Call) -> bool:
        if call.method == "POST" and len(cut) < times:
            cut.append(call)
            return True
        return False

    host.cut = breaks
    return cut


def test_a_lost_batch_that_has_ended_is_known_by_its_results(tmp_path: Path) -> None:
    with AnthropicHost() as host:
        hers = [{"role": "user", "content": "hers"}]
        params = {"model": "claude-opus-4-8", "max_tokens": 5, "messages": hers}
        create = official(host).messages.batches.create
        create(requests=[{"custom_id": "x", "params": params}])  # type: ignore[typeddict-item]
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        cut = lost(host)

        def end_newest(call: Call) -> None:
            if cut and call.method == "GET":
                host.end([*host.batches][-1], None)

        host.refuse = end_newest
        batch.submit()
        assert len(cut) == 1
        assert len(host.batches) == 2
        assert [item.answer.text for item in batch.results() if item.answer] == ["You said one"]


def test_a_lost_batch_that_runs_is_waited_for(tmp_path: Path) -> None:
    with AnthropicHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        lost(host)
        status = batch.submit()
        assert [part.word for part in status.parts] == ["in doubt"]
        [rows] = host.requests.values()
        official(host).messages.batches.create(requests=rows)  # type: ignore[arg-type]
        assert not Batch.load(tmp_path / "b.json", asking(host)).submit().ended
        assert len(host.batches) == 2
        for held in host.batches:
            host.end(held, None)
        assert batch.wait(poll=0).ended
        assert len(host.batches) == 2
        assert [item.answer.text for item in batch.results() if item.answer] == ["You said one"]


def test_a_batch_that_was_never_created_is_created_once(tmp_path: Path) -> None:
    with AnthropicHost(runs_at_once=False) as host:
        batch = asking(host).batch(["one"], file=tmp_path / "b.json")
        lost(host)
        official(host).messages.batches.list()
        batch.submit()  # in doubt: it is there, and runs
        stranger = next(iter(host.batches))
        host.requests[stranger][0]["custom_id"] = "somebody-0"  # it was another one's
        host.end(stranger, None)
        host.runs_at_once = True
        assert batch.wait(poll=0).ended
        assert len(host.batches) == 2


def test_in_an_event_loop(tmp_path: Path) -> None:
    async def run(host: AnthropicHost) -> list[str]:
        async with AsyncLLM(CLAUDE, key=KEY, base_url=host.url) as llm:
            batch = await llm.batch(["one", "two"], file=tmp_path / "b.json")
            await batch.submit()
            return [item.answer.text async for item in batch.results() if item.answer]

    with AnthropicHost() as host:
        assert asyncio.run(run(host)) == ["You said one", "You said two"]
