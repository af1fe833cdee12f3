"""All reading and writing of JSON text: how arguments are written, and what counts as JSON.

orjson is used where it is exact, the standard library where it is not. Knows no messages.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from math import inf, isfinite
from typing import Any, TypeAlias

from ..errors import InvalidMessage, ReadError
from .json_pieces import LONG, dumps_in_pieces, loads_in_pieces

try:
    import orjson
except ImportError:  # the extra `speed` is not installed
    orjson = None  # type: ignore[assignment]


Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]
MAX_DEPTH = 1000
_BIG = 2.0**63
_LARGE = 2**18
_SHORT = 500  # bytes of an event of a stream; most have less
_LETTERS = 160  # of a text for each of its values, from which on a look at all values is faster
_RAW = ("utf-8", "surrogatepass")
_LONG = b"0" * 19
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
# what is looked at in a text: digits, as zeros; what opens an object or list, as `[`; and what ends
# a number. Taking out all other bytes is three times as fast as searching among them.
_MARKS = bytes.maketrans(b"123456789{", b"000000000[")
_UNMARKED = bytes(set(range(256)) - set(b'0123456789[{,:"'))
_BEFORE_NUMBER = b"[,: \t\r\n-"
_PLAIN_KEY = re.compile(r"\$?[^\W\d]\w*")
_SPELLER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def _encoder() -> Callable[[Json], str]:
    """An encoder like `_SPELLER.encode`, which would build a new one for each call."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an interpreter without the C accelerator
        return _SPELLER.encode
    text = json.encoder.encode_basestring
    # separators and non-ASCII text as AgentScope writes them: readable, and stable for caches
    spell = make(None, _SPELLER.default, text, None, ": ", ", ", False, False, False)

    def encode(value: Json) -> str:
        return "".join(spell(value, 0))

    return encode


_encode = _encoder()


def arguments(value: Json) -> str:
    """The JSON text of a tool call's input, e.g. `{"location": [104.48, 36.3]}`.

    Raises InvalidMessage for NaN and for values that are no JSON.
    """
    try:
        if type(value) is dict:  # a tool's text for a file may be long
            for item in value.values():
                if type(item) is str and len(item) > LONG:
                    return dumps_in_pieces(value, _raw, b", ", b": ").decode(*_RAW)
        return _encode(value)
    except RecursionError as error:
        raise InvalidMessage("nested too deeply", code="json.deep") from error
    except (TypeError, ValueError) as error:
        raise InvalidMessage(f"tool input is no JSON: {error}", code="json.invalid") from error


def _raw(value: Json) -> bytes:
    return _encode(value).encode(*_RAW)


def encode_json(value: Json, size: int = 0) -> bytes:
    """JSON text in UTF-8, for the body of a request. Raises InvalidMessage for other values.

    `size` is roughly how many bytes it will have, if it may be long; it is then written in pieces.
    """
    if size > LONG:
        return dumps_in_pieces(value, encode_json)
    if orjson is not None:
        try:
            return orjson.dumps(value)
        except TypeError:  # half surrogate pairs, integers beyond 64 bits, no JSON
            pass
    return arguments(value).encode("utf-8", "replace")


def canonical(value: Json) -> str:
    """One ASCII text for all spellings of a value: for hashes, never for a wire.

    Raises RecursionError for a value nested too deeply; only the caller knows what to call it.

    >>> canonical({"b": 1, "a": [2]})
    '{"a":[2],"b":1}'
    """
    return _CANONICAL.encode(value)


def loads(text: str | bytes) -> Json:
    """Parse JSON text; integers of any size stay integers.

    Raises ReadError for text that is no JSON (NaN included) or is nested deeper than `MAX_DEPTH`.
    Raises MemoryError where there is not enough memory for the values.
    """
    if len(text) > LONG:
        return _loads_long(text)
    if orjson is None:
        return _loads_std(text)
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, SystemError) as error:
        return _loads_otherwise(text, error)
    # orjson silently turns integers beyond 64 bits into floats. The arguments of a call are mostly
    # flat, so looking at each value is the fastest
    if type(value) is dict:
        for item in value.values():
            kind = type(item)
            if kind is dict or kind is list or (kind is float and not -_BIG < item < _BIG):
                break
        else:
            return value
    # few values in much text: looking at each is faster than a search for a long number in the text
    size = len(text)
    few = _is_small(value, size // _LETTERS) if size > _SHORT else None
    if few is not None:
        return value if few else _loads_std(text)
    if size < _LARGE:  # the text is searched, unless most of it is media
        data = text if type(text) is bytes else text.encode()  # type: ignore[union-attr]  # text
        marks = data.translate(_MARKS, _UNMARKED)
        if _LONG not in marks or not _may_hold_long_number(data):
            if size > 2 * MAX_DEPTH and marks.count(b"[") > MAX_DEPTH:
                _shallow(data, value)
            return value
    if any(abs(item) >= _BIG for item in _floats(value)):
        return _loads_std(text)
    _shallow(text, value)
    return value


def _loads_otherwise(text: str | bytes, error: Exception) -> Json:
    """What the standard library reads where orjson does not, or an error in words."""
    if isinstance(error, SystemError):  # orjson 3.13 can raise one when it has no memory left
        raise error.__cause__ if isinstance(error.__cause__, MemoryError) else error
    return _loads_std(text)


def _is_small(value: Json, most: int) -> bool | None:
    """Whether all numbers are within 64 bits; None for more than `most` values, or perhaps deep."""
    values = [value]
    for item in values:
        kind = type(item)
        if kind is dict:
            values += item.values()
        elif kind is list:
            values += item
        elif kind is float and not -_BIG < item < _BIG:
            return False
        else:
            continue
        if len(values) > most:
            return None
    return True if len(values) <= MAX_DEPTH else None


def _may_hold_long_number(data: bytes) -> bool:
    """Whether 19 digits follow each other outside of texts, or perhaps after a space in a text."""
    zeros = data.translate(_DIGITS)
    at = zeros.find(_LONG)
    while at >= 0:
        if at == 0 or data[at - 1] in _BEFORE_NUMBER:
            return True
        at = zeros.find(_LONG, at + len(_LONG))  # after another digit, if this number goes on
    return False


def _shallow(text: str | bytes, value: Json) -> None:
    """Raise for a value nested too deeply: orjson accepts a little more than the limit."""
    sign: Any = "[{" if isinstance(text, str) else (0x5B, 0x7B)
    if sum(text.count(item) for item in sign) > MAX_DEPTH and too_deep(value):
        raise ReadError(f"nested deeper than {MAX_DEPTH}", code="json.deep")


def too_deep(value: Json, most: int = MAX_DEPTH) -> bool:
    """Whether the value is nested deeper than `most`; does not recurse itself."""
    level = [value]
    for _ in range(most + 1):
        level = [
            inner
            for item in level
            if type(item) is dict or type(item) is list
            for inner in (item.values() if type(item) is dict else item)
        ]
        if not level:
            return False
    return True


def _loads_long(text: str | bytes) -> Json:
    try:
        data = text if isinstance(text, bytes) else text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only a program can pass
        return _loads_std(text)
    return loads_in_pieces(data.removeprefix(BOM_UTF8), loads, MAX_DEPTH)


def _loads_std(text: str | bytes) -> Json:
    try:
        # json would accept other encodings, too, and half surrogate pairs
        plain = text if isinstance(text, str) else text.decode("utf-8-sig")
        value = _READER.decode(plain)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"no JSON: {error}", code="json.invalid") from error
    _shallow(text, value)
    return value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _finite(text: str) -> float:
    """The number; `1e999` becomes an infinity, which JSON cannot express."""
    if abs(value := float(text)) == inf:
        raise ValueError("a number beyond all floats")
    return value


_READER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def _floats(value: Json) -> Iterator[float]:
    stack = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is float:
            yield item
        elif kind is dict:
            stack.extend(item.values())
        elif kind is list:
            stack.extend(item)


def member(path: str, key: str) -> str:
    r"""The path of a member of the object at `path`; a key that is no name is in JSON text.

    >>> member("$.a", "b"), member("$", 'a "key"')
    ('$.a.b', '$["a \\"key\\""]')
    """
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{_CANONICAL.encode(key)}]"


def check(value: Json, path: str) -> None:
    """Raise InvalidMessage, naming the path, unless `value` is JSON that every provider accepts.

    Not allowed: NaN and infinities, lone surrogates, keys that are no text, objects of other types,
    nesting beyond `MAX_DEPTH`.
    """
    stack: list[tuple[Json, str, int]] = [(value, path, 0)]
    while stack:
        item, where, depth = stack.pop()
        if item is None or item is True or item is False or isinstance(item, int):
            continue
        if isinstance(item, str):
            check_text(item, where)
        elif isinstance(item, float):
            if not isfinite(item):
                raise InvalidMessage(f"{item} is no JSON value", path=where, code="json.nan")
        elif depth >= MAX_DEPTH:
            raise InvalidMessage(f"nested deeper than {MAX_DEPTH}", path=where, code="json.deep")
        elif isinstance(item, dict):
            for key, inner in item.items():
                if not isinstance(key, str):
                    fault = f"a key must be text, not {type(key).__name__}"
                    raise InvalidMessage(fault, path=where, code="json.key")
                check_text(key, where)
                stack.append((inner, member(where, key), depth + 1))
        elif isinstance(item, (list, tuple)):
            stack.extend((inner, f"{where}[{i}]", depth + 1) for i, inner in enumerate(item))
        else:
            fault = f"{type(item).__name__} is no JSON value"
            raise InvalidMessage(fault, path=where, code="json.type")


def check_text(text: str, path: str) -> None:
    """Raise InvalidMessage if `text` has half of a surrogate pair, which has no UTF-8 form."""
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        fault = f"a lone surrogate at character {error.start}"
        hint = 'decode the source with errors="replace"'
        raise InvalidMessage(fault, path=path, hint=hint, code="text.surrogate") from None


def field_at(body: JsonObject, path: str) -> Any:
    """The value at a path with dots, e.g. `metadata.user_id`; None if there is none."""
    value: Any = body
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def take_field(body: JsonObject, path: str) -> Any:
    """Remove a value from the body, and the objects that are empty without it; return the value.

    The body is changed; objects inside of it are copied first.
    """
    key, _, below = path.partition(".")
    if not below:
        return body.pop(key, None)
    if not isinstance(body.get(key), dict):
        return None
    body[key] = fields = dict(body[key])
    value = take_field(fields, below)
    if not fields:
        del body[key]
    return value


def put_field(body: JsonObject, path: str, value: Json) -> None:
    """Put a value into the body, which is changed; objects inside of it are copied first."""
    key, _, below = path.partition(".")
    if not below:
        body[key] = value
        return
    body[key] = fields = dict(body.get(key) or {})
    put_field(fields, below, value)
