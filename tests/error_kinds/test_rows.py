"""The table of errors: every row decides, every host has one, what looks alike stays apart."""

from __future__ import annotations

import re
from functools import partial

import pytest

from dragoman import BadRequest, ContextOverflow, ContextTooLong, ProviderError, wire
from dragoman.error_kinds import ErrorRow, error_kind, error_numbers, table
from dragoman.error_kinds.row import LONGEST, pattern
from dragoman.errors import by_kind
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from tests.each_case import each_case
from tests.growth import grows_in_proportion

from .answers import NEAR_MISSES, OTHERS, QUOTED, TOO_LONG, Refused

ROWS = [row for part in table() for row in part]
OWN = [(name, row) for name in VENDORS for row in vendor(name).errors]
ANSWERS = [*TOO_LONG, *OTHERS, *QUOTED, *NEAR_MISSES]


def name_of(value: object) -> str:
    if isinstance(value, Refused):
        return f"{value.host}-{value.status}-{value.kind}"
    return f"{value.kind}-{value.text[:40] or value.code}" if isinstance(value, ErrorRow) else ""


def sentence(row: ErrorRow) -> str:
    """What a host of this row says."""
    text = row.text.replace("{tokens}", "213462").replace("{limit}", "200,000")
    text = text.replace("{n}", "16").replace("{output}", "9")
    return re.sub(r"\*", " and so ", text).capitalize()


@each_case("row", ROWS, ids=name_of)
def test_a_row_decides(row: ErrorRow) -> None:
    code, status = row.code, row.status or 400
    error = ProviderError(f"Error: {sentence(row)}.", status=status, type=code)
    assert error.kind == row.kind
    if row.kind != "server":  # which has no class of its own
        assert type(by_kind(error)) is not ProviderError
    numbers = error_numbers(error.message)
    if "{limit}" in row.text:
        assert numbers.limit == 200000
    if "{tokens}" in row.text:
        assert numbers.tokens == 213462


@each_case(("host", "row"), OWN, ids=str)
def test_a_code_means_something_at_its_host_alone(host: str, row: ErrorRow) -> None:
    body = {"error": {"message": "no", "code": row.code}}
    assert wire(host).error(400, body).kind == row.kind
    assert row.hosts == (host,)
    if row.code.isdigit() and len(row.code) > 3:
        assert wire("openai").error(400, body).kind == "invalid"


@each_case("name", VENDORS)
def test_a_vendor_has_a_row(name: str) -> None:
    assert any(name in row.hosts for row in ROWS) or vendor(name).errors


@each_case("row", [*ROWS, *(row for _, row in OWN)], ids=name_of)
def test_a_row_says_when_and_where(row: ErrorRow) -> None:
    assert re.fullmatch(r"202[3-6]-[01]\d-[0-3]\d", row.since)
    assert len(row.source) > 3
    assert row.text == row.text.lower()
    assert row.text or row.code
    assert all(host == "*" or host in VENDORS for host in row.hosts)


@each_case("answer", ANSWERS, ids=name_of)
def test_what_hosts_say(answer: Refused) -> None:
    error = wire(answer.host).error(answer.status, answer.body)
    assert error.kind == answer.kind
    assert error.host == answer.host
    if isinstance(error, ContextTooLong):
        assert (error.tokens, error.limit) == (answer.tokens, answer.limit)
    else:
        assert answer.kind != "context_overflow"


@each_case("answer", [*TOO_LONG, *OTHERS], ids=name_of)
def test_what_hosts_say_in_place_of_an_answer(answer: Refused) -> None:
    status = answer.status or 400
    with pytest.raises(ProviderError) as raised:
        wire(answer.host).read_response(answer.body, status=status)
    assert raised.value.kind == answer.kind
    assert raised.value.host == answer.host


@pytest.mark.parametrize("answer", [one for one in TOO_LONG if one.host == "minimax"], ids=name_of)
def test_a_router_hands_it_on(answer: Refused) -> None:
    raw = wire(answer.host).error(answer.status, answer.body).message
    body = {"error": {"message": "Provider returned error", "metadata": {"raw": raw}}}
    error = wire("openrouter").error(400, body)
    assert error.kind == "context_overflow"
    assert raw in error.message


LONG = "prompt is too long: 213462 tokens > 200000 maximum"
# the event in which each wire tells of an error in the middle of a stream
EVENTS = {
    "openai-chat": b'data: {"error": {"message": "%s", "type": "invalid_request_error"}}\n\n',
    "openai-responses": b'event: error\ndata: {"type": "error", "code": "x", "message": "%s"}\n\n',
    "anthropic": b'event: error\ndata: {"type": "error", "error": {"type": '
    b'"invalid_request_error", "message": "%s"}}\n\n',
    "gemini": b'data: {"error": {"code": 400, "message": "%s", "status": "INVALID_ARGUMENT"}}\n\n',
    "gemini-interactions": b'event: error\ndata: {"event_type": "error", "error": {"code": '
    b'"invalid_request", "message": "%s"}}\n\n',
    "dashscope": b'event: error\ndata: {"code": "InvalidParameter", "message": "%s"}\n\n',
    "ollama": b'{"error": "%s"}\n',
    "mistral": b'data: {"object": "error", "message": "%s", "type": "x", "code": "y"}\n\n',
    "cohere": b'data: {"type": "error", "message": "%s"}\n\n',
}


@pytest.mark.parametrize("protocol", EVENTS)
def test_what_comes_in_a_stream(protocol: str) -> None:
    decoder = wire(protocol).stream_decoder()
    decoder.feed_bytes(EVENTS[protocol] % LONG.encode())
    error = decoder.finish().error
    assert error is not None
    assert (error.kind, error.message) == ("context_overflow", LONG)
    assert error_numbers(error.message)[:2] == (213462, 200000)


def test_what_comes_in_a_stream_of_bedrock() -> None:
    decoder = wire("bedrock").stream_decoder()
    decoder.feed({"validationException": {"message": LONG}})
    error = decoder.finish().error
    assert error is not None
    assert (error.kind, error.host) == ("context_overflow", "bedrock")
    assert set(PROTOCOLS) == {*EVENTS, "bedrock-converse"}  # none is left out


def test_a_host_s_own_code_in_a_stream() -> None:
    decoder = wire("zhipu").stream_decoder()
    decoder.feed({"error": {"code": "1113", "message": "no"}})
    error = decoder.finish().error
    assert error is not None
    assert (error.kind, error.host) == ("billing", "zhipu")


@each_case("answer", QUOTED, ids=name_of)
def test_what_hosts_say_in_a_stream(answer: Refused) -> None:
    """Without a status, the words say it, unless the status alone was telling."""
    text = wire(answer.host).error(answer.status, answer.body).message
    kind = error_kind("", "", None, text)
    assert kind in (answer.kind, "other")


def test_one_name_for_a_history_that_is_too_long() -> None:
    error = wire("anthropic").error(400, {"error": {"message": LONG}})
    with pytest.raises(ContextOverflow) as raised:
        raise error
    assert (raised.value.tokens, raised.value.limit) == (213462, 200000)
    assert not isinstance(error, BadRequest)


def search_beginning(pattern: re.Pattern[str], text: str, size: int) -> None:
    pattern.search(text[:size])


@each_case("row", [row for row in ROWS if row.text], ids=name_of)
def test_a_pattern_takes_time_in_proportion(row: ErrorRow) -> None:
    """Text made of a pattern's own pieces, over and over, which never comes to its end."""
    head = sentence(row).lower()
    for piece in (head[: len(head) // 2], head[: len(head) - 1], "1"):
        hostile = (piece * LONGEST)[:LONGEST]
        work = partial(search_beginning, pattern(row.text), hostile)
        assert grows_in_proportion(work, LONGEST // 4), piece


def test_no_more_than_the_beginning_is_read() -> None:
    text = "x" * LONGEST + LONG
    assert error_kind("", "", 400, text) == "invalid"
    assert error_kind("", "", 400, "maximum context length is " * 400_000) == "invalid"
