"""HiddenKey: however JSON spells a key, and wherever a stream is cut, it does not go on."""

from __future__ import annotations

import json
import pickle

import pytest

from dragoman.errors import ConnectionFailed, ProviderError
from dragoman.text.hidden_keys import INSTEAD, HiddenKey, without_keys
from tests.each_case import each_case

KEY = "sk-proj-0123/456789-abcdef"
SPELLED = (
    KEY,
    KEY.replace("/", "\\/"),
    KEY.replace("s", "\\u0073", 1),
    KEY.replace("f", "\\u0066").replace("-", "\\u002D"),
    "".join(f"\\u{ord(letter):04x}" for letter in KEY),
    json.dumps({"error": json.dumps({"key": KEY})})[21:-5],
    KEY.replace("/", "\\\\\\/"),
)
hidden = HiddenKey(KEY)


@pytest.mark.parametrize("spelled", SPELLED)
def test_a_key_is_found_however_it_is_spelled(spelled: str) -> None:
    data = hidden.data(f'{{"a": "x {spelled} y"}}'.encode())
    assert INSTEAD.encode() in data
    assert KEY not in json.dumps(json.loads(data))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_key_is_found_wherever_it_is_cut(size: int) -> None:
    data = f"sk-proj {KEY}{KEY[:9]}, and sk-proj-0123/4 {KEY[:-1]}".encode()
    pieces, out = hidden.pieces(), b""
    for at in range(0, len(data), size):
        out += pieces.feed(data[at : at + size])
        assert KEY.encode() not in out
    assert out + pieces.rest() == data.replace(KEY.encode(), INSTEAD.encode())


@each_case("spelled", SPELLED)
@each_case("size", [1, 2, 3, 5, 7, 11])
def test_a_key_is_found_wherever_it_is_cut_and_however_it_is_spelled(
    spelled: str, size: int
) -> None:
    data = f'{{"a": "x {spelled} y", "b": "\\u0073k and \\\\ {KEY[:5]}"}}'.encode()
    pieces, out = hidden.pieces(), b""
    for at in range(0, len(data), size):
        out += pieces.feed(data[at : at + size])
    told = json.loads(out + pieces.rest())
    assert INSTEAD in told["a"]
    assert KEY not in json.dumps(told)
    assert told["b"] == f"sk and \\ {KEY[:5]}"


@pytest.mark.parametrize("key", ["", "none", "a-word"])
def test_a_mere_word_stays(key: str) -> None:
    assert not HiddenKey(key)
    assert HiddenKey(key).data(b"none a-word \\u006e") == b"none a-word \\u006e"
    assert HiddenKey(key).pieces().feed(b"none") == b"none"


def test_an_error_shows_it_nowhere() -> None:
    error = ProviderError(
        f"wrong key {KEY}", status=401, type=f"t-{KEY}", body={KEY: [KEY, {"a": KEY.encode()}]},
        path=f"$.{KEY}", hint=KEY, code=KEY, request_id=KEY,
    )  # fmt: skip
    with pytest.raises(ProviderError) as caught, without_keys({"Authorization": f"Bearer {KEY}"}):
        raise error
    assert caught.value is error
    again = pickle.loads(pickle.dumps(error))
    for text in (str(error), repr(error), str(vars(error)), str(vars(again)), repr(again)):
        assert KEY not in text


def test_what_a_library_says_of_it_is_cut_off() -> None:
    error = ConnectionFailed(f"no answer: bad header {KEY}", type="connection")
    with pytest.raises(ConnectionFailed) as caught, without_keys({"x-api-key": KEY}):
        raise error from ValueError(f"bad header {KEY}")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert KEY not in str(caught.value)
