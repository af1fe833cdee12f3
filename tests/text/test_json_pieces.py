"""JSON in pieces says what JSON in one piece says, and no piece is long."""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import pytest

from dragoman.errors import ReadError
from dragoman.text import json_pieces, json_text
from dragoman.text.hidden_keys import HiddenKey
from dragoman.text.json_pieces import LONG, PIECE, dumps_in_pieces, end_of_text, loads_in_pieces
from tests.each_case import each_case

_LETTERS = ["a", '"', "\\", "\n", "\u4e2d", "\U0001f600", "{", "}", "[", "]", ",", ":", "\x01"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pieces, "PIECE", 64)


def _text(rng: random.Random) -> str:
    return "".join(rng.choices(_LETTERS, k=rng.choice([0, 1, 3, 10, 40, 120])))


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if depth <= 0 or kind < 0.4:
        return rng.choice([_text(rng), _text(rng), 1, -2.5, None, True])
    if kind < 0.7:
        return [_value(rng, depth - 1) for _ in range(rng.randint(0, 6))]
    return {_text(rng)[:4]: _value(rng, depth - 1) for _ in range(rng.randint(0, 5))}


def _texts(seed: int) -> tuple[Any, str]:
    rng = random.Random(seed)
    value = _value(rng, rng.randint(0, 5))
    indent = rng.choice([None, None, 1])
    return value, json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=indent)


@pytest.mark.usefixtures("small")
@each_case("seed", range(300))
def test_a_value_is_read_and_written_as_in_one_piece(seed: int) -> None:
    value, text = _texts(seed)
    read = loads_in_pieces(text.encode(), json_text.loads, 100)
    assert json.dumps(read) == json.dumps(value)  # also the order of keys
    assert dumps_in_pieces(value, json_text.encode_json) == json_text.encode_json(value)
    spaced = dumps_in_pieces(value, json_text._raw, b", ", b": ").decode(*json_text._RAW)
    assert spaced == json_text.arguments(value)


@pytest.mark.usefixtures("small")
@each_case("seed", range(300))
def test_what_is_no_json_in_one_piece_is_none_in_pieces(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(_texts(seed)[1].encode())
    at = rng.randrange(len(data))
    if rng.random() < 0.5:
        del data[at : at + rng.randint(1, 3)]
    else:
        data.insert(at, rng.choice(b'",[]{}:\\ 1u\x80'))
    assert _read(bytes(data), in_pieces=True) in (_read(bytes(data)), "a long key")


def _read(data: bytes, in_pieces: bool = False) -> Any:
    """The value, or what is told in its place; two texts of a broken one may become one key."""
    try:
        return loads_in_pieces(data, json_text.loads, 100) if in_pieces else json_text.loads(data)
    except ReadError as error:
        return "a long key" if "a key is too long" in error.message else error.code


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "text",
    ["[1,,2]", "[1,]", "[,1]", '["' + "x" * 90 + '",]', '["' + "x" * 90 + '" 1]', "[[]", "[]]",
     '{"a":"' + "x" * 90 + '","b"}', "[" * 5 + "}" * 5, "", " " * 300, "1 2", "1," + "2" * 250],
)  # fmt: skip
def test_what_stands_between_pieces_is_judged(text: str) -> None:
    with pytest.raises(ReadError) as caught:
        loads_in_pieces(text.encode(), json_text.loads, 100)
    assert caught.value.code == "json.invalid"


@pytest.mark.usefixtures("small")
def test_the_last_of_two_keys_counts_and_depth_is_bounded() -> None:
    text = '{"a":1,"b":"' + "x" * 90 + '","a":2}'
    assert loads_in_pieces(text.encode(), json_text.loads, 9) == {"a": 2, "b": "x" * 90}
    assert loads_in_pieces(b"[" * 9 + b"]" * 9, json_text.loads, 9)
    with pytest.raises(ReadError) as caught:
        loads_in_pieces(b"[" * 10 + b"]" * 10, json_text.loads, 9)
    assert caught.value.code == "json.deep"


class _Spy:
    """The parser, which notes how much it is given at once."""

    def __init__(self) -> None:
        self.longest = 0
        self.JSONDecodeError = json.JSONDecodeError

    def loads(self, text: str | bytes) -> Any:
        self.longest = max(self.longest, len(text))
        return json.loads(text)

    def dumps(self, value: Any) -> bytes:
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self.longest = max(self.longest, len(written))
        return written


@pytest.mark.parametrize(
    "value",
    ["x" * LONG, ["x" * 1000] * 5000, {"messages": [{"content": [{"data": "QUJD" * 2**20}]}]},
     {str(nth): {"text": "\u4e2d\n" * 50} for nth in range(30_000)}, [[["y" * 9]] * 400_000]],
    ids=["text", "texts", "image", "members", "nested"],
)  # fmt: skip
def test_no_piece_that_holds_the_interpreter_is_long(
    value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = _Spy()
    monkeypatch.setattr(json_text, "orjson", spy)
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    assert len(data) > LONG
    assert json_text.loads(data) == value
    assert json_text.loads(data.decode()) == value
    assert json_text.encode_json(value, len(data)) == data
    assert spy.longest <= 4 * PIECE


def _steps(work: Any) -> int:
    steps = 0

    def note(*_: Any) -> None:
        nonlocal steps
        steps += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return steps


@pytest.mark.parametrize("sign", [b'\\"', b"\\\\", b"\\n"])
def test_a_text_of_escapes_takes_a_step_for_a_piece(sign: bytes) -> None:
    data = sign * PIECE + b'"'
    assert _steps(lambda: end_of_text(data, 0)) < 20
    assert end_of_text(data, 0) == len(data)
    assert end_of_text(data[:-1], 0) == len(data) - 1


def test_a_key_in_escapes_begins_at_the_first_backslash_of_a_row_alone() -> None:
    """From each of them a row of 20,000 took 22 seconds, as its square."""
    key = HiddenKey("sk-abcdefghijklmnop")
    row = b"\\" * 40 + key.raw
    assert [at for at in range(len(row)) if key._escaped_pattern.match(row, at)] == [0, 40]


@each_case("before", [0, 5, 30, PIECE - 3, PIECE + 1, 2 * PIECE - 20])
@each_case("spelled", [b"sk-abcdefghijklmnop", b"\\u0073k\\u002dabcdefghijklmnop",
                                     b"\\\\\\u0073k-abcdefghijklm\\\\u006Eop"])  # fmt: skip
def test_a_key_is_taken_out_wherever_a_piece_ends(before: int, spelled: bytes) -> None:
    key = HiddenKey("sk-abcdefghijklmnop")
    data = b"." * before + spelled + b"." * PIECE + b" \\/ " + spelled
    assert key.data(data) == b"." * before + b"<secret>" + b"." * PIECE + b" \\/ <secret>"
