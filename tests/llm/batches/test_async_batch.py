"""AsyncBatch takes the steps of Batch in an event loop, over both transports."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dragoman import AsyncLLM
from dragoman.errors import BatchError
from dragoman.llm import AsyncBatch
from dragoman.model import Retries

from .loopback import KEY, Call
from .openai_host import OpenAIHost


def asking(host: OpenAIHost, transport: str) -> AsyncLLM:
    retries = Retries(attempts=3, backoff=0.0)
    return AsyncLLM(
        "openai/openai-chat/gpt-5.6", key=KEY, base_url=host.url, retries=retries,
        transport=transport,
    )  # fmt: skip


@pytest.mark.parametrize("transport", ["httpx2", "aiohttp"])
def test_a_batch_in_an_event_loop(tmp_path: Path, transport: str) -> None:
    async def run(host: OpenAIHost) -> None:
        async with asking(host, transport) as llm:
            made = await llm.batch([f"n{n}" for n in range(4)], file=tmp_path / "b.json")
            await made.submit()
            batch = AsyncBatch.load(tmp_path / "b.json", llm)
            assert not (await batch.status()).ended
            host.end(next(iter(host.batches)), "expired", 2)
            assert (await batch.wait(poll=0)).answered == 2
            items = [item async for item in batch.results()]
            assert [item.answer.text for item in items if item.answer] == [
                "You said n0",
                "You said n1",
            ]
            assert [type(item.error) for item in items[2:]] == [BatchError, BatchError]
            again = await batch.retry(tmp_path / "again.json")
            assert again is not None
            await again.submit()
            await again.cancel()
            codes = [item.error.code async for item in again.results() if item.error]
            assert codes == ["batch.cancelled", "batch.cancelled"]

    with OpenAIHost(runs_at_once=False) as host:
        asyncio.run(run(host))


def test_a_lost_reply_is_asked_for(tmp_path: Path) -> None:
    async def run(host: OpenAIHost) -> None:
        async with asking(host, "httpx2") as llm:
            batch = await llm.batch(["one"], file=tmp_path / "b.json")
            seen: list[str] = []

            def breaks(call: Call) -> bool:
                if call.path == "/batches":
                    seen.append(call.method)
                return seen == ["POST"] and call.path == "/batches"

            host.cut = breaks
            await batch.submit()
            assert seen[:2] == ["POST", "GET"]
            assert len(host.batches) == 1

    with OpenAIHost() as host:
        asyncio.run(run(host))
