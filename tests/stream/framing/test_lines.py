"""Server-sent events and JSON lines: grammar, comments, cuts, what stands beyond the grammar."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ConfigError
from dragoman.stream.framing import Decoder, ServerEvent
from tests.each_case import each_case


def events(body: bytes, framing: Any = "sse", *, by: int | None = None) -> list[tuple[Any, str]]:
    """(name, data) of each event, the body fed in pieces of `by` bytes."""
    decoder = Decoder(framing)
    step = by or max(len(body), 1)
    found = [e for at in range(0, len(body), step) for e in decoder.feed(body[at : at + step])]
    return [(one.event, one.data) for one in [*found, *decoder.flush()]]


def data(body: bytes, framing: Any = "sse", *, by: int | None = None) -> list[str]:
    return [text for _, text in events(body, framing, by=by)]


@each_case("by", [None, 1, 2, 3])
@each_case(
    ("body", "found"),
    [
        (b"data: a\n\n", [(None, "a")]),
        (b"data:a\n\n", [(None, "a")]),
        (b"data:  a\n\n", [(None, " a")]),  # one blank is the grammar's, the next is data
        (b"data: a\r\n\r\n", [(None, "a")]),
        (b"data: a\r\r", [(None, "a")]),
        (b"data: a\r\n\n", [(None, "a")]),
        (b"data: a\ndata: b\n\n", [(None, "a\nb")]),
        (b"data: a\ndata:\ndata: b\n\n", [(None, "a\n\nb")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", [("x", "a"), (None, "b")]),
        (b"event:x\nid: 7\nretry: 3\ndata: a\n\n", [("x", "a")]),
        (b"event: x\n\ndata: a\n\n", [(None, "a")]),  # a name without data is forgotten
        (b"event:\ndata: a\n\n", [(None, "a")]),
        (b"data: a\nevent: x\n\n", [("x", "a")]),
        (b"\n\n\ndata: a\n\n\n\n", [(None, "a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [(None, "a")]),
        (b"\xef\xbb\xbf\r\ndata: a\n\n", [(None, "a")]),
        (b"data: a", [(None, "a")]),  # beyond the grammar: the end closes it
        (b"data: a\n", [(None, "a")]),
        (b"data: a\n\ndata: b\r", [(None, "a"), (None, "b")]),
        (b"data: [DONE]\n\n", [(None, "[DONE]")]),
        (b"data:[DONE]", [(None, "[DONE]")]),
        (b": hi\n:\n:hi\ndata: a\n: x\n\n", [(None, "a")]),
        (b"dataset: a\ndata: b\nother\n\n", [(None, "b")]),
        (b"", []),
        (b"\n", []),
        (b": only a comment\n\n", []),
    ],
)
def test_grammar(body: bytes, found: list[Any], by: int | None) -> None:
    assert events(body, by=by) == found


@pytest.mark.parametrize("by", [None, 1, 3])
@pytest.mark.parametrize(
    "body",
    [b'{"error": {"message": "x"}}', b'{"a":\n 1}\n', b'  {"a": 1}', b'\xef\xbb\xbf{"a": 1}'],
)  # fmt: skip
def test_a_body_of_plain_json_is_one_event(body: bytes, by: int | None) -> None:
    (text,) = data(body, by=by)
    assert json.loads(text) == json.loads(body.decode("utf-8-sig"))


@each_case("by", [None, 1, 2, 5])
@each_case("before", [b"", b"\n ", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"])
def test_a_body_that_is_an_array_is_its_elements(before: bytes, by: int | None) -> None:
    assert data(before + b'[{"a": 1},\n{"b": 2}]', by=by) == ['{"a": 1}', '{"b": 2}']


@pytest.mark.parametrize("by", [None, 1, 3])
@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"<html>\n<h1>502</h1>\n</html>", ["<html>\n<h1>502</h1>\n</html>"]),
        (b"upstream timed out", ["upstream timed out"]),
        (b": hi\nid: 3\n\ndatabase: down\r\n", ["database: down"]),
        (b"odd: field\ndata: a\n\n", ["a"]),
    ],
)
def test_a_body_without_events_is_one(body: bytes, found: list[str], by: int | None) -> None:
    assert data(body, by=by) == found


def test_json_behind_events_is_none() -> None:
    assert data(b'data: a\n\n{"b": 1}\n') == ["a"]


@pytest.mark.parametrize("framing", ["sse", "ndjson", "json-array"])
def test_a_character_may_be_cut_anywhere(framing: Any) -> None:
    text = '{"t": "北京 é \U0001f54c"}'
    body = {"sse": f"data: {text}\n\n", "ndjson": f"{text}\n", "json-array": f"[{text}]"}[framing]
    for at in range(1, len(body.encode())):
        decoder = Decoder(framing)
        cut = body.encode()
        found = [*decoder.feed(cut[:at]), *decoder.feed(cut[at:]), *decoder.flush()]
        assert [one.data for one in found] == [text]


def test_bytes_that_are_no_utf8_are_marked() -> None:
    assert data(b"data: a\xffb\n\n") == ["a�b"]


def test_other_line_ends_of_unicode_end_no_line() -> None:
    text = '{"t": "a\u2028b\u2029c\x85d\x0be\x0cf"}'
    assert data(f"data: {text}\n\n".encode()) == [text]
    assert data(f"{text}\n".encode(), "ndjson") == [text]


def test_events_come_as_soon_as_they_are_whole() -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: a\n") == []
    assert decoder.feed(b"\n") == [ServerEvent(None, "a")]
    assert decoder.feed(b"data: b\r") == []
    assert decoder.feed(b"\r") == [ServerEvent(None, "b")], "CR alone ends a line"
    assert decoder.feed(b"\ndata: c\n\n") == [ServerEvent(None, "c")], "its LF is no second line"


@pytest.mark.parametrize("by", [None, 1, 2])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n"])
def test_json_lines(ending: str, by: int | None) -> None:
    body = ending.join(['{"a": 1}', '{"b": 2}', '{"c": 3}']).encode()
    assert data(body, "ndjson", by=by) == ['{"a": 1}', '{"b": 2}', '{"c": 3}']
    assert data(body + ending.encode(), "ndjson", by=by) == ['{"a": 1}', '{"b": 2}', '{"c": 3}']


def test_blank_lines_are_no_values() -> None:
    assert data(b"\n  \n{}\n \n", "ndjson") == ["{}"]


def test_an_unknown_framing_is_refused() -> None:
    with pytest.raises(ConfigError):
        Decoder("xml")  # type: ignore[arg-type]  # that is the point


_LINES = st.lists(
    st.sampled_from(["data: a", "data:b", "data", "event: x", ": c", "", "id: 1", "data: 北", "{"]),
    max_size=12,
)


@given(_LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_no_cut_changes_the_events(lines: list[str], ending: str, draw: st.DataObject) -> None:
    body = ending.join([*lines, ""]).encode()
    cuts = sorted(draw.draw(st.sets(st.integers(0, len(body)), max_size=5)))
    pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    decoder = Decoder()
    found = [one for piece in pieces for one in decoder.feed(piece)] + decoder.flush()
    assert [(one.event, one.data) for one in found] == events(body)
    assert events(body) == events(body.replace(ending.encode(), b"\n"))
