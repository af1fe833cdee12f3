"""A protocol that one vendor owns has that vendor's address and key, by its bare name too."""

from __future__ import annotations

import pytest

import dragoman
from dragoman.vendors import PROTOCOLS

OWNERS = {"anthropic": "anthropic", "gemini": "gemini", "dashscope": "dashscope",
          "ollama": "ollama", "mistral": "mistral", "cohere": "cohere",
          "bedrock-converse": "bedrock", "gemini-interactions": "gemini"}  # fmt: skip


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_who_owns_a_protocol(protocol: str) -> None:
    vendor = dragoman.wire(protocol).vendor
    if protocol not in OWNERS:
        assert vendor is None, "many hosts speak it"
        return
    assert vendor.name == OWNERS[protocol]
    assert vendor.url(protocol).startswith("http")
    assert protocol == "ollama" or vendor.key
