"""What a client gets is noted the same, whether a part of it is sent or written at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dragoman.gateway.server.asgi_client import Client
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord, Kept

PARTS = [b"123", b"456", b"789"]


async def _take(*_: Any) -> Any:
    return {}


@pytest.mark.parametrize("at_once", [False, True], ids=["sent", "written"])
def test_a_recording_keeps_no_more_than_its_bound(at_once: bool) -> None:
    kept = Kept(most=5)
    record = ExchangeRecord("req_1", 0.0, kept=kept)
    client = Client(_take, _take, record, lambda _: True)

    async def main() -> None:
        for part in PARTS:
            if at_once:
                assert client.try_send(part)
            else:
                await client.send(part)

    asyncio.run(main())
    assert (bytes(kept.response), kept.cut) == (b"12345", {"response"})
    assert record.bytes_out == 9
