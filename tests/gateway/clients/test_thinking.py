"""Thinking over three turns: each upstream gets its own state back, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.testing import StrictServer
from dragoman.text.json_text import loads
from tests.covering import covering

from . import CLIENTS, Talk
from .conftest import Begin
from .serving import Served
from .test_answers import WARMTH
from .thoughts import BYE, SAID, THINKERS, Thinker
from .ways import WAYS

# an Ollama client has no field for what it cannot read: mere words come back, the rest is named
WORDLESS = [name for name in THINKERS if name not in ("deepseek", "ollama")]
BOTH = [(client, upstream) for client in CLIENTS for upstream in THINKERS
        if client != "ollama" or upstream not in WORDLESS]  # fmt: skip
streams = pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])


def three_turns(talk: Talk, thinker: Thinker) -> None:
    """A question, the result of a call, and a last word; the client sees the thoughts."""
    first = talk.say("How warm is Samarkand?")
    assert [(call.name, call.arguments) for call in first.calls] == [
        ("warmth", {"city": "Samarkand"})
    ]
    assert first.thinking == thinker.words
    second = talk.give([(first.calls[0], "31 degrees", None)])
    assert second.text == SAID
    assert talk.say("Thanks.").text == BYE


def states(judge: StrictServer, thinker: Thinker) -> list[Any]:
    """What the second and the third request say of thoughts, after nothing was wrong with any."""
    assert not any(judge.judged), judge.judged
    return [thinker.states(loads(call.body)) for call in judge.calls[1:]]


@pytest.mark.parametrize(
    ("client", "upstream", "streams", "place"),
    [(client, upstream, *way) for client, upstream, way in covering(CLIENTS, THINKERS, WAYS)
     if (client, upstream) in BOTH],
)  # fmt: skip
def test_the_upstream_gets_its_own_state(
    begin: Begin, client: str, upstream: str, streams: bool
) -> None:
    thinker = THINKERS[upstream]
    talk, judge = begin(client, upstream, *thinker.answers, models={upstream: thinker.model},
                        tools=[WARMTH], thinks=True, streams=streams)  # fmt: skip
    three_turns(talk, thinker)
    assert states(judge, thinker) == [*thinker.kept]


@streams
@pytest.mark.parametrize("upstream", WORDLESS)
@pytest.mark.parametrize("place", ["server"])  # in process nobody is told of exchanges
def test_what_no_field_can_carry_is_named(
    begin: Begin, server: Served, place: str, upstream: str, streams: bool
) -> None:
    thinker = THINKERS[upstream]
    talk, judge = begin("ollama", upstream, *thinker.answers, models={upstream: thinker.model},
                        tools=[WARMTH], thinks=True, streams=streams)  # fmt: skip
    server.records.clear()
    three_turns(talk, thinker)
    assert not any(judge.judged)
    assert "answer.unsupported" in {loss.code for loss in server.records[0].losses}
