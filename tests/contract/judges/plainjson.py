"""The first layer: a body is plain JSON before it is anything else.

String keys, finite numbers, no lone surrogates, no Python-only values, no endless nesting.
Walks with a stack of its own, so that nothing a writer makes can overflow it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from .fault import Fault, Json, Path, brief

DEEPEST = 200  # far beyond any request; a list that holds itself ends here


def json_faults(body: Json) -> Iterator[Fault]:
    stack: list[tuple[Path, Json]] = [((), body)]
    while stack:
        path, value = stack.pop()
        if len(path) > DEEPEST:
            yield Fault("json.deep", path[:3], f"nested deeper than {DEEPEST} levels")
        elif type(value) is dict:
            for key, item in value.items():
                if type(key) is not str:
                    yield Fault("json.key", path, f"key {brief(key)} is no string")
                else:
                    yield from _text_faults(path, key)
                    stack.append(((*path, key), item))
        elif type(value) is list:
            stack.extend(((*path, index), item) for index, item in enumerate(value))
        else:
            yield from _leaf_faults(path, value)


def _leaf_faults(path: Path, value: Json) -> Iterator[Fault]:
    if type(value) is str:
        yield from _text_faults(path, value)
    elif type(value) is float:
        if not math.isfinite(value):
            yield Fault("json.number", path, f"{value} is no JSON number")
    elif value is not None and type(value) not in (int, bool):
        yield Fault("json.value", path, f"{type(value).__name__} is no JSON value")


def _text_faults(path: Path, text: str) -> Iterator[Fault]:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        yield Fault("json.surrogate", path, f"lone surrogate at character {error.start}")
