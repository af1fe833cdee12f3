"""Each word that a field of a few words may hold reaches other wires, or is named."""

from __future__ import annotations

import pytest

import dragoman

from .choices import choices, silent_words
from .known import KNOWN_WORDS
from .surfaces import Surface
from .test_sdk_types import INSTALLED

EVERY = 5
REQUESTS = [surface for surface in INSTALLED if surface.kind == "request"]


@pytest.mark.parametrize("surface", REQUESTS, ids=lambda surface: surface.name)
def test_no_word_of_a_request_is_lost_in_silence(surface: Surface) -> None:
    known = tuple(line for name, line, _ in KNOWN_WORDS if name == surface.name)
    count, lines = silent_words(surface, EVERY)
    assert count
    assert {line for line in lines if not line.startswith(known or ("-",))} == set()


def test_a_word_that_no_wire_hears_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    [surface] = [one for one in REQUESTS if one.name == "openai chat request"]
    paths = {choice.path: choice.words for choice in choices(surface)}
    assert "xhigh" in paths["$.reasoning_effort"]
    plain = dragoman.convert
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi."}]}
    monkeypatch.setattr(dragoman, "convert", lambda *_, **more: plain(
        body, "openai-chat", "anthropic", **more))  # fmt: skip
    _, lines = silent_words(surface, 1, ("anthropic",))
    assert "$.reasoning_effort xhigh -> anthropic" in lines
