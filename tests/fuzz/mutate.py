"""JSON made wrong: values, keys, types, nesting; what no provider should send, and some do."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

__all__ = ["mutated", "mutated_text"]

DEPTH = 50  # how deep mutations reach


def _nested(depth: int) -> Any:
    value: Any = "x"
    for n in range(depth):
        value = {"a": value} if n % 2 else [value]
    return value


SMALL: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, 2**64 + 1, -(2**70), 10**30, 1e308, -0.0, 1.5,
    "", " ", "null", "[DONE]", "\ud83d", "\ude00 \ud83d", "\x00", "\u2028", "{", '{"a": 1}{"b": 2}',
    '"{\\"a\\": 1}"', "<think>", "</think>", "data:image/png;base64,AAA", "=", "AAAA",
    [], [[]], {}, [None], [{}], {"": None}, {"type": None}, {"type": {}}, {"index": -1},
    {"index": "0"}, {"id": []}, [1, "a", None, {}], {"a": {"b": {"c": [{"d": 1}] * 3}}},
)  # fmt: skip
HUGE: tuple[Any, ...] = (
    "x" * 50_000, "é" * 50_000, "}{" * 10_000, '{"a":' * 5000, "{}" * 5000, '"' * 9999, "\\" * 9999,
    "<think>" * 3000, "<think>x</think>" * 2000, "A" * 50_000, "\ud83d" * 5000, 10**4000,
    [{"index": n} for n in range(2000)], [{}] * 2000, [{"type": "text", "text": "x"}] * 2000,
    {str(n): n for n in range(2000)}, _nested(400), _nested(5000),
)  # fmt: skip
KEYS = ("", "type", "id", "index", "content", "text", "error", "usage", "delta", "\ud800",
        "x" * 300, "__class__", "role", "signature", "citations", "choices", "arguments", "input",
        "name")  # fmt: skip
SIGNS = ("{", "}", "[", "]", '"', "\\", ",", "\\ud83d", "NaN", "1e999", "\x00", "\n\n", "\r",
         "data: ", "[" * 3000, "9" * 500)  # fmt: skip


def mutated(value: Any, rng: Random, donors: list[Any]) -> Any:
    """A copy with one to four things wrong; `donors` lend pieces of other payloads."""
    made = _copied(value)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        made = _once(made, rng, donors)
    return made


def _once(value: Any, rng: Random, donors: list[Any]) -> Any:
    places = list(_places(value))
    if not places or rng.random() < 0.01:
        return _strange(rng, donors)
    holder, key = rng.choice(places)
    kind = rng.randrange(8)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = _other_type(holder[key])
    elif kind == 2 and isinstance(holder, dict):
        holder[rng.choice(KEYS)] = holder.pop(key)
    elif kind == 3 and isinstance(holder, list):
        holder.insert(key, _copied(holder[rng.randrange(len(holder))]))
    elif kind == 4:
        holder[key] = [holder[key]] if rng.random() < 0.5 else {rng.choice(KEYS): holder[key]}
    elif kind == 5 and isinstance(holder[key], str):
        holder[key] = _text(holder[key], rng)
    elif kind == 6 and isinstance(holder, dict):
        holder[rng.choice(KEYS)] = _strange(rng, donors)
    else:
        holder[key] = _strange(rng, donors)
    return value


def _strange(rng: Random, donors: list[Any]) -> Any:
    if rng.random() < 0.25:
        places = list(_places(rng.choice(donors)))
        if places:
            holder, key = rng.choice(places)
            return _copied(holder[key])
    return _copied(rng.choice(HUGE if rng.random() < 0.05 else SMALL))


def _other_type(value: Any) -> Any:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return {str(n): item for n, item in enumerate(value)}
    return list(value.values()) if isinstance(value, dict) else {}


def _text(text: str, rng: Random) -> str:
    at = rng.randrange(len(text) + 1)
    return rng.choice((text[:at], text[at:], text + text, text[:at] + "\ud83d" + text[at:],
                       text[:at] + '"}]' + text[at:], text[::-1]))  # fmt: skip


def _copied(value: Any, depth: int = 0) -> Any:
    """A copy of what may be changed: nothing is, further down."""
    if depth > DEPTH or not isinstance(value, (dict, list)):
        return value
    if isinstance(value, dict):
        return {key: _copied(item, depth + 1) for key, item in value.items()}
    return [_copied(item, depth + 1) for item in value]


def _places(value: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """(holder, key) of everything inside."""
    if depth >= DEPTH or not isinstance(value, (dict, list)):
        return
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        yield from _places(item, depth + 1)


def mutated_text(text: str, rng: Random) -> str:
    """JSON text that is broken as text: cut, doubled, with a sign put in or another name for it."""
    at = rng.randrange(len(text) + 1)
    sign = rng.choice(SIGNS)
    return rng.choice((text[:at], text[at:], text + text, text[:at] + sign + text[at:]))
