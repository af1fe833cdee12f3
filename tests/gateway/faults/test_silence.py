"""Providers that fall silent: signs of life for the client, and an end when it takes too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.gateway.faults.provider import (
    CHUNKED,
    HANG,
    LAST,
    WAIT,
    Provider,
    Step,
    answer,
    chunked,
    head,
)
from tests.gateway.faults.serving import (
    Answer,
    ask,
    at_once,
    connected,
    read_until,
    request,
    route,
    serving,
)
from tests.gateway.faults.wires import (
    CHAT,
    GEMINI,
    MESSAGES,
    OLLAMA,
    PAIRS,
    RESPONSES,
    Wire,
    error_of,
    errors,
    named,
    successes,
    texts,
)
from tests.gateway.running import Gateway

SOME = [(CHAT, CHAT), (MESSAGES, CHAT), (RESPONSES, MESSAGES), (OLLAMA, OLLAMA), (GEMINI, GEMINI)]
# others: a comment
SIGNS = {
    "anthropic": b"event: ping",
    "ollama": b"",
    "gemini": b"\n\n\n",
    "openai-responses": b'event: keepalive\ndata: {"type":"keepalive","sequence_number":',
}
PING = b'event: ping\ndata: {"type": "ping"}\n\n'
DEAD = "sent nothing for 2 seconds"


def _sign(client: Wire) -> bytes:
    return SIGNS.get(client.name, b": keep-alive")


def test_a_provider_that_never_begins(hasty: Gateway, provider: Provider) -> None:
    """The client sees signs of life and then an error event; where no sign is known, a status."""
    plans: dict[str, list[Step]] = {
        "before the head": [HANG],
        "behind the head": [head(), HANG],
        "behind the head of an error": [head(500, kind="application/json"), b'{"err', HANG],
    }

    def check(client: Wire, behind: Wire, plan: list[Step]) -> None:
        case = provider.case(plan)
        told = ask(hasty, client, behind.model, text=case.mark)
        assert told.whole
        if client is OLLAMA:
            assert told.status == 504
            assert DEAD in error_of(client, told.body)[0]
        else:
            assert told.status == 200
            assert _sign(client) in told.body
            assert len(errors(client, told.body)) == 1
            assert DEAD.encode() in told.body
        assert case.asked[0].closed.wait(60)

    at_once({f"{named(pair)} {when}": partial(check, *pair, plan)
             for pair in SOME for when, plan in plans.items()})  # fmt: skip


def test_a_provider_that_falls_silent_or_only_pings(hasty: Gateway, provider: Provider) -> None:
    """Pings and comments do not hide that nothing comes any more."""

    def check(client: Wire, behind: Wire, more: list[Step]) -> None:
        begun = next(i for i, one in enumerate(behind.events) if b"Hel" in one) + 1
        case = provider.case([head(), *behind.events[:begun], *more])
        told = ask(hasty, client, behind.model, text=case.mark)
        assert told.whole
        assert texts(client, told.body) == "Hel"
        assert len(errors(client, told.body)) == 1
        assert not successes(client, told.body)
        assert DEAD.encode() in told.body
        assert case.asked[0].closed.wait(60)

    checks: dict[str, Callable[[], None]] = {}
    for pair in PAIRS:
        checks[f"{named(pair)} silence"] = partial(check, *pair, [HANG])
        pings = {"ping": PING, "comment": b": still here\n\n", "CRLF": PING.replace(b"\n", b"\r\n")}
        for name, ping in pings.items() if pair[1] is MESSAGES else ():
            checks[f"{named(pair)} {name}"] = partial(check, *pair, [0.4, ping] * 60)
    at_once(checks)


def test_a_provider_that_does_not_close_behind_its_end(hasty: Gateway, provider: Provider) -> None:
    """The answer is whole: it ends without an error, whenever the connection is given up."""

    def check(client: Wire, behind: Wire) -> None:
        case = provider.case([head(), *behind.events, HANG])
        told = ask(hasty, client, behind.model, text=case.mark)
        assert told.whole
        assert not errors(client, told.body)
        assert successes(client, told.body)
        assert texts(client, told.body) == "Hello"

    at_once({named(pair): partial(check, *pair) for pair in PAIRS})


def test_a_slow_provider_is_no_dead_one(hasty: Gateway, provider: Provider) -> None:
    """Signs of life come between its events and never inside of one."""

    def check(client: Wire, behind: Wire) -> None:
        slowly = [step for event in behind.events[:5] for step in (event[:9], 0.6, event[9:])]
        case = provider.case([head(), *slowly, *behind.events[5:]])
        told = ask(hasty, client, behind.model, text=case.mark)
        assert told.whole
        assert not errors(client, told.body)
        assert successes(client, told.body)
        if client is not OLLAMA:
            assert _sign(client) in told.body
        if client is behind:
            sign = PING if client is MESSAGES else b": keep-alive\n\n"
            plain = told.body.replace(sign, b"")
            if client is RESPONSES:
                plain = re.sub(rb"event: keepalive\ndata: \{[^}]*\}\n\n", b"", plain)
            if client is GEMINI:  # its signs are blank lines
                plain = re.sub(rb"\n{2,}", b"\n\n", plain).lstrip()
            assert plain == b"".join(behind.events)

    at_once({named(pair): partial(check, *pair) for pair in PAIRS})


def test_signs_of_life_before_the_first_event(hasty: Gateway, provider: Provider) -> None:
    for client, behind in SOME:
        if client is OLLAMA:
            continue
        provider.will([WAIT, CHUNKED, *chunked(behind.events), LAST])
        with connected(hasty) as connection:
            body = client.request(behind.model)
            connection.sendall(request(client.path(behind.model, True), body))
            begun = read_until(connection, b"1\r\n\n" if client is GEMINI else _sign(client))
            assert begun.startswith(b"HTTP/1.1 200 ")
            assert b"content-type: text/event-stream" in begun
            provider.go_on()
            assert b"Hel" in read_until(connection, b"\r\n0\r\n\r\n")


def test_an_error_behind_signs_of_life_is_an_event(hasty: Gateway, provider: Provider) -> None:
    """Once 200 has been said, an error with a status of its own is told in the stream."""

    def check(client: Wire, behind: Wire) -> None:
        body = b'{"error": {"message": "no such thing", "type": "invalid_request_error"}}'
        told_so = b'{"error": "no such thing"}' if behind is OLLAMA else body
        case = provider.case([1.0, answer(told_so, 400)])
        told = ask(hasty, client, behind.model, text=case.mark)
        assert told.whole
        assert b"no such thing" in told.body
        if client is OLLAMA:
            assert told.status == 400
        else:
            assert told.status == 200
            assert len(errors(client, told.body)) == 1
            assert not successes(client, told.body)

    at_once({named(pair): partial(check, *pair) for pair in PAIRS})


@pytest.fixture(scope="module")
def falling(server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Two targets, the second of another protocol."""
    limits = "[limits]\nkeep_alive = 0.2\nstall = 2\n"
    targets = [("anthropic/first", server.url), ("openai/openai-chat/second", f"{server.url}/v1")]
    settings = limits + route("*", targets, retries=0)
    with serving(settings, tmp_path_factory.mktemp("falling")) as running:
        yield running


def _told(falling: Gateway, provider: Provider, client: Wire, *plans: list[Step]) -> Answer:
    case = provider.case(*plans)
    told = ask(falling, client, "any", text=case.mark)
    assert told.whole
    assert [one.line.split()[1] for one in case.asked] == [
        "/v1/messages", "/v1/chat/completions",
    ]  # fmt: skip
    return told


def test_signs_of_life_while_targets_fail(falling: Gateway, provider: Provider) -> None:
    """Both targets take their time: the client sees signs all the while, then one answer."""

    def check(client: Wire) -> None:
        slowly: list[Step] = [0.6, CHUNKED, 0.6, *chunked(CHAT.events), LAST]
        told = _told(falling, provider, client, [head(), HANG], slowly)
        assert told.body.count(_sign(client)) > (2 if client is GEMINI else 6)
        assert not errors(client, told.body)
        assert texts(client, told.body) == "Hello"

    def stalls_twice(client: Wire) -> None:
        told = _told(falling, provider, client, [head(), HANG], [head(), HANG])
        assert len(errors(client, told.body)) == 1
        assert DEAD.encode() in told.body

    def is_told_the_last_fault(client: Wire) -> None:
        last = b'{"error": {"message": "the second has no such model", "type": "x"}}'
        told = _told(falling, provider, client, [head(), HANG], [answer(last, 404)])
        assert b"the second has no such model" in told.body
        assert DEAD.encode() not in told.body

    checks = (check, stalls_twice, is_told_the_last_fault)
    at_once({f"{client} {one.__name__}": partial(one, client)
             for client in (MESSAGES, CHAT, GEMINI) for one in checks})  # fmt: skip


def test_a_client_that_does_not_read_is_no_stall(hasty: Gateway, provider: Provider) -> None:
    """The provider waits for the client: nobody may say that it fell silent."""
    piece = CHAT.events[1].replace(b'"lo"', b'"%s"' % (b"x" * 2**18))
    provider.will([head(), CHAT.events[0], *[piece] * 64, *CHAT.events[1:]])
    with connected(hasty) as connection:
        connection.sendall(request(CHAT.path(CHAT.model, True), CHAT.request(CHAT.model)))
        read_until(connection, b"Hel")
        provider.asked[0].closed.wait(3)  # longer than a provider may be silent
        rest = read_until(connection, b"\r\n0\r\n\r\n")
    assert b"[DONE]" in rest
    assert b'"error"' not in rest
