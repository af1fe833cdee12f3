"""A JSON array that arrives in pieces: each element as soon as it is whole."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dragoman.stream.framing import Decoder
from tests.each_case import each_case
from tests.laws.trees import json_objects


def elements(body: bytes, by: int | None = None) -> list[str]:
    decoder = Decoder("json-array")
    step = by or max(len(body), 1)
    found = [e for at in range(0, len(body), step) for e in decoder.feed(body[at : at + step])]
    return [one.data for one in [*found, *decoder.flush()]]


@each_case("by", [None, 1, 2, 5])
@each_case(
    ("body", "found"),
    [
        (b"[]", []),
        (b"", []),
        (b'[{"a": 1}]', ['{"a": 1}']),
        (b'[{"a": 1},\r\n{"b": [{}]}\n]\n', ['{"a": 1}', '{"b": [{}]}']),
        (b' \n[\n {"a": "]}"} , {"b": "\\"]"}]', ['{"a": "]}"}', '{"b": "\\"]"}']),
        (b'[{"a": "\\\\"},{"b": "\\\\\\""}]', ['{"a": "\\\\"}', '{"b": "\\\\\\""}']),
        (b"[[1], [2, [3]]]", ["[1]", "[2, [3]]"]),
        (b'{"error": {"code": 503}}', ['{"error": {"code": 503}}']),  # no array: an error
        (b'[{"a": 1},{"b": ', ['{"a": 1}', '{"b": ']),  # it breaks off
        (b'[{"a": "x', ['{"a": "x']),
    ],
)  # fmt: skip
def test_elements(body: bytes, found: list[str], by: int | None) -> None:
    assert elements(body, by) == found


def test_an_element_comes_before_the_next_begins() -> None:
    decoder = Decoder("json-array")
    assert decoder.feed(b'[{"a": 1') == []
    assert [one.data for one in decoder.feed(b"}")] == ['{"a": 1}']
    assert decoder.feed(b"\n") == []
    assert [one.data for one in decoder.feed(b',{"b": 2}]')] == ['{"b": 2}']
    assert decoder.flush() == []


@given(st.lists(json_objects, max_size=4), st.booleans(), st.data())
def test_what_was_written_is_found(values: list[Any], ascii: bool, draw: st.DataObject) -> None:
    body = json.dumps(values, ensure_ascii=ascii, indent=draw.draw(st.sampled_from([None, 1])))
    by = draw.draw(st.integers(1, 9))
    assert [json.loads(text) for text in elements(body.encode(), by)] == values
