"""Law 4: however the bytes of a stream are cut, the answer is the same, in every framing.

Made-up streams here; `make corpus` does the same with recorded ones, a thousand cuts each.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.laws.cutting import by_bytes, by_events, cut
from tests.laws.encoding import ENDINGS, encoded
from tests.laws.streams import FRAMINGS, STREAMS

SPLITS = 40


CASES = [
    pytest.param(wire, nth, framing, ending, id=f"{wire}-{nth}-{framing}-{ending!r}")
    for wire, streams in STREAMS.items()
    for nth in range(len(streams))
    for framing in FRAMINGS.get(wire, ("sse",))
    for ending in (ENDINGS if framing == "sse" else ENDINGS[:1])
]


@pytest.mark.parametrize(("wire", "nth", "framing", "ending"), CASES)
def test_any_cut_gives_the_same_answer(wire: str, nth: int, framing: str, ending: str) -> None:
    events = STREAMS[wire][nth]
    rng = Random(f"{wire}{nth}{framing}{ending}")
    whole = by_bytes(wire, [encoded(events, framing, ending)], framing)
    assert whole == by_events(wire, events)
    for turn in range(SPLITS):
        body = encoded(events, framing, ending, ascii=turn % 2 == 1)
        assert by_bytes(wire, cut(body, rng), framing) == whole


@pytest.mark.parametrize("wire", STREAMS)
def test_byte_by_byte(wire: str) -> None:
    for framing in FRAMINGS.get(wire, ("sse",)):
        body = encoded(STREAMS[wire][0], framing)
        chunks = [body[at : at + 1] for at in range(len(body))]
        assert by_bytes(wire, chunks, framing) == by_bytes(wire, [body], framing)


@pytest.mark.parametrize("wire", STREAMS)
def test_the_streams_say_what_they_were_made_of(wire: str) -> None:
    whole, *short = [by_events(wire, events) for events in STREAMS[wire]]
    assert whole.status == "complete"
    assert "北京" in whole.text
    assert {resp.status for resp in short} <= {"complete", "interrupted", "error"}
    assert any(resp.status != "complete" for resp in short)
