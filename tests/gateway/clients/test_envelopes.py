"""Envelopes: any worker takes any turn; what was changed, has expired or is another's is named."""

from __future__ import annotations

import random
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from time import time
from typing import Any

import httpx2
import pytest

from dragoman.gateway import http_transport
from dragoman.gateway.config.client_keys import new_key
from dragoman.gateway.config.config_values import ClientKey, Config, Envelopes, config_for
from dragoman.testing import StrictServer
from dragoman.text.json_text import loads

from . import CLIENTS, Door, Talk, talk
from .serving import Served
from .test_answers import WARMTH
from .test_thinking import WORDLESS, states, three_turns
from .thoughts import THINKERS, Thinker

SEALING = [client for client in CLIENTS if client != "ollama"]
OLD, NEW = bytes(range(32)), bytes(range(1, 33))

# an envelope as it stands in a body, plain or in base64
_SEAL = re.compile(rb"dragoman1\.[\w-]+|ZHJhZ29tYW4xL[\w+/=]+")


class Workers(httpx2.BaseTransport):
    """Takes each request to a worker: the next of `turns`, else any but the last.

    `change` makes another body of a request; `losses` are what the answers' headers named.
    """

    def __init__(self, workers: Sequence[Any], turns: Sequence[int] = (), seed: int = 0) -> None:
        self.workers = workers
        self.asked: list[int] = []
        self.losses: list[str] = []
        self.change: Callable[[httpx2.Request], httpx2.Request] = lambda request: request
        self._turns = list(turns)
        self._random = random.Random(seed)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        others = [n for n in range(len(self.workers)) if self.asked[-1:] != [n]] or [0]
        nth = self._turns.pop(0) if self._turns else self._random.choice(others)
        self.asked.append(nth)
        answer: httpx2.Response = self.workers[nth].handle_request(self.change(request))
        self.losses.append(answer.headers.get("x-dragoman-losses", ""))
        return answer


Start = Callable[..., tuple[Talk, StrictServer, Workers]]


@pytest.fixture
def start() -> Iterator[Start]:
    """`start(client, thinker, envelopes, ...)`: a conversation over several gateways."""
    with ExitStack() as open_things:

        def begin(
            client: str, thinker: Thinker, *envelopes: Envelopes, turns: Sequence[int] = (),
            **options: Any,
        ) -> tuple[Talk, StrictServer, Workers]:  # fmt: skip
            judge = open_things.enter_context(StrictServer(thinker.wire, *thinker.answers))
            config = config_for(thinker.model, key="k", base_url=judge.url)
            workers = [http_transport(replace(config, envelopes=one)) for one in envelopes]
            door = Workers(workers, turns)
            http = open_things.enter_context(httpx2.Client(transport=door))
            for worker in workers:
                open_things.callback(worker.close)
            made = talk(client)(Door("http://gateway.test", http, None), tools=[WARMTH],
                                thinks=True, **options)  # fmt: skip
            return made, judge, door

        yield begin


clients = pytest.mark.parametrize("client", SEALING)
streams = pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])
onto = pytest.mark.parametrize("upstream", WORDLESS)


@streams
@onto
@clients
def test_every_state_survives_another_worker_per_turn(
    start: Start, client: str, upstream: str, streams: bool
) -> None:
    thinker = THINKERS[upstream]
    shared = [Envelopes(keys=(OLD,))] * 3
    made, judge, door = start(client, thinker, *shared, streams=streams)
    three_turns(made, thinker)
    assert states(judge, thinker) == [*thinker.kept]
    assert all(one != two for one, two in zip(door.asked, door.asked[1:], strict=False))


@clients
def test_keys_are_rotated_within_a_conversation(start: Start, client: str) -> None:
    thinker = THINKERS["anthropic" if client != "anthropic" else "openai-responses"]
    old, both, new = Envelopes((OLD,)), Envelopes((NEW, OLD)), Envelopes((NEW,))
    made, judge, _ = start(client, thinker, old, both, new, turns=[0, 1, 1, 2])
    three_turns(made, thinker)
    assert states(judge, thinker) == [*thinker.kept]
    # the first envelope was sealed with the key that the last worker has no more
    with pytest.raises(made.raised[400]) as caught:
        made.say("Are you still there?")
    assert "sealed with a key that is not configured" in made.message_of(caught.value)
    assert made.header_of(caught.value, "x-dragoman-error") == "envelope.unknown_key"


def changed(request: httpx2.Request) -> httpx2.Request:
    """The request with one character of each of its envelopes changed."""
    body, count = _SEAL.subn(_with_another_letter, request.read())
    assert count
    headers = {**request.headers, "content-length": str(len(body))}
    return httpx2.Request(request.method, request.url, headers=headers, content=body)


def _with_another_letter(seal: re.Match[bytes]) -> bytes:
    is_bytes = seal[0].startswith(b"ZHJ")
    plain = bytearray(b64decode(seal[0]) if is_bytes else seal[0])
    middle = len(plain) // 2
    plain[middle] = ord("A") if plain[middle] != ord("A") else ord("B")
    return b64encode(plain) if is_bytes else bytes(plain)


def asked_once(made: Talk) -> Any:
    """The first call of a conversation that has begun."""
    [call] = made.say("How warm is Samarkand?").calls
    return call


def thinker_for(client: str) -> Thinker:
    """One whose state the client's own protocol does not carry."""
    return THINKERS["openai-responses" if client == "anthropic" else "anthropic"]


@clients
def test_one_that_was_changed_is_refused(start: Start, client: str) -> None:
    made, judge, door = start(client, thinker_for(client), Envelopes((OLD,)))
    call = asked_once(made)
    door.change = changed
    with pytest.raises(made.raised[400]) as caught:
        made.give([(call, "31 degrees", None)])
    assert "an envelope of opaque state was changed on its way" in made.message_of(caught.value)
    assert made.header_of(caught.value, "x-dragoman-error") == "envelope.changed"
    assert len(judge.calls) == 1


@clients
def test_one_that_has_expired_is_refused(
    start: Start, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, judge, _ = start(client, thinker_for(client), Envelopes((OLD,), lifetime=60))
    call = asked_once(made)
    later = time() + 61
    monkeypatch.setattr("dragoman.gateway.exchange.cipher.time", lambda: later)
    with pytest.raises(made.raised[400]) as caught:
        made.give([(call, "31 degrees", None)])
    assert "an envelope of opaque state has expired" in made.message_of(caught.value)
    assert made.header_of(caught.value, "x-dragoman-error") == "envelope.expired"
    assert len(judge.calls) == 1


@clients
def test_one_that_was_changed_is_a_loss_where_the_configuration_says_so(
    start: Start, client: str
) -> None:
    thinker = thinker_for(client)
    made, judge, door = start(client, thinker, Envelopes((OLD,), on_fault="drop"))
    call = asked_once(made)
    door.change = changed
    made.give([(call, "31 degrees", None)])
    assert "dropped envelope.changed" in door.losses[-1]
    assert not any(judge.judged)
    assert thinker.states(loads(judge.calls[-1].body)) == []


ONE, TWO = new_key("one"), new_key("two")


@clients
def test_one_of_another_tenant_is_refused(server: Served, client: str) -> None:
    thinker = thinker_for(client)
    keys: tuple[ClientKey, ...] = (ONE.entry, TWO.entry)
    with StrictServer(thinker.wire, *thinker.answers) as judge, httpx2.HTTPTransport() as sockets:
        config: Config = config_for(thinker.model, key="k", base_url=judge.url)
        server.door(replace(config, keys=keys, envelopes=Envelopes((OLD,))))
        door = Workers([sockets])
        with httpx2.Client(transport=door) as http:
            made = talk(client)(
                Door(server.url, http, None), tools=[WARMTH], thinks=True, key=ONE.key
            )
            call = asked_once(made)
            door.change = _as_two
            with pytest.raises(made.raised[400]) as caught:
                made.give([(call, "31 degrees", None)])
    said = "an envelope of opaque state was made for another client key"
    assert said in made.message_of(caught.value)
    assert made.header_of(caught.value, "x-dragoman-error") == "envelope.foreign"
    assert len(judge.calls) == 1


def _as_two(request: httpx2.Request) -> httpx2.Request:
    headers = {name: text.replace(ONE.key, TWO.key) for name, text in request.headers.items()}
    return httpx2.Request(request.method, request.url, headers=headers, content=request.read())
