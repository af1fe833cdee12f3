"""Recorded traffic of the hosts that have some, over their own rows: read, and written back equal.

What a host answered with 200 must not be called a fault by its row.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import dragoman
from dragoman import analysis
from tests.contract.reading.compare import read
from tests.contract.reading.recorded import PRESENT, Exchange, exchanges

pytestmark = pytest.mark.skipif(not PRESENT, reason="needs ../shared: recorded traffic")
THOUGHTS = ("reasoning", "reasoning_content", "reasoning_details")
# what Ollama reads over: images for a model that does not see, and a choice of tools
READ_OVER = {
    "ollama/openai-chat": {"media.as_reference", "block.unsupported", "tool_choice.lowered"}
}
# wire -> the vendor as the recordings call it, and how many there are at least
RECORDED = {
    "bedrock-mantle/openai-chat": ("bedrock-mantle", 1),
    "bedrock-mantle/openai-responses": ("bedrock-mantle", 8),
    "cerebras/openai-chat": ("cerebras", 8),
    "together/openai-chat": ("together", 10),
    "snowflake/openai-chat": ("snowflake", 6),
    "perplexity/openai-chat": ("perplexity", 19),
    "databricks/openai-chat": ("databricks", 9),
    "huggingface/openai-chat": ("huggingface", 29),
    "cloudflare/openai-chat": ("cloudflare", 3),
    "llamacpp/openai-chat": ("llamacpp", 86),
    "llamacpp/openai-responses": ("llamacpp", 1),
    "lmstudio/openai-responses": ("lmstudio", 4),
    "ollama/openai-chat": ("ollama", 85),
}


def of(wire: str) -> Iterator[Exchange]:
    by, _ = RECORDED[wire]
    return (
        one for one in exchanges(wire.partition("/")[2])
        if one.vendor == by and one.taken
    )  # fmt: skip


@pytest.mark.parametrize("name", RECORDED)
def test_requests_go_back_as_they_came(name: str) -> None:
    wire, count = dragoman.wire(name, policy="ignore"), 0
    for one in of(name):
        count += 1
        if isinstance(one.request, dict):
            req = wire.read_request(one.request)
            assert wire.write_request(req).body == one.request, one.id
    assert count >= RECORDED[name][1]


@pytest.mark.parametrize("name", RECORDED)
def test_no_request_that_was_answered_is_called_a_fault(name: str) -> None:
    for one in of(name):
        if isinstance(one.request, dict):
            found = [(f.where, f.code) for f in analysis.check(one.request, name)]
            assert [fault for fault in found if fault[1] not in READ_OVER.get(name, ())] == [], (
                one.id
            )


@pytest.mark.parametrize("name", RECORDED)
def test_thinking_is_found_in_their_answers(name: str) -> None:
    wire = dragoman.wire(name, policy="ignore")
    for one in of(name):
        told = str(one.body if one.events is None else one.events)
        if any(f"'{key}': '" in told for key in THOUGHTS):
            blocks = read(wire, one).msg.blocks
            assert "thinking" in {block.type for block in blocks}, one.id
