"""Keys of a request in either case, nulls among them: read as camelCase, and said as they stood.

The words that tell how an object was spelled are its keys in snake_case and, with `=null` behind
them, those that say nothing. Reference: JSON of protocol buffers, "JSON names" and "null".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...jsontext import JsonObject
from .dialect import Dialect
from .spelling import cased

__all__ = ["NULL", "camel", "nulls", "plain", "read_keys", "spell_keys", "spell_paths"]

NULL = "=null"

_CASES = Dialect(), Dialect(case="snake")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")


def camel(told: JsonObject) -> JsonObject:
    """One level of an object in camelCase."""
    return cased(told, _CASES[0]) if any("_" in key for key in told) else told


def plain(told: JsonObject) -> JsonObject:
    """One level of an object in camelCase, without what is null."""
    if None in told.values():
        told = {key: value for key, value in told.items() if value is not None}
    return camel(told)


def nulls(told: JsonObject) -> JsonObject:
    """The nulls of an answer; none of an object of google-genai's, which names every field."""
    if any("_" in key for key in told):
        return {}
    return {key: None for key, value in told.items() if value is None}


def read_keys(told: JsonObject, prefix: str = "") -> tuple[JsonObject, list[str]]:
    """(one level in camelCase without nulls, the words that tell how it stood).

    What cannot be told in words keeps its spelling. The object itself comes back if it is plain.
    """
    if "_" not in "".join(told) and None not in told.values():
        return told, []
    made: JsonObject = {}
    words: list[str] = []
    for key, value in told.items():
        if value is None and _WORD.fullmatch(key):
            words.append(f"{prefix}{key}{NULL}")
            continue
        name = _camel(key)
        if name != key and name not in told:
            words.append(prefix + key)
            made[name] = value
        else:
            made[key] = value
    return made, words


def _camel(key: str) -> str:
    """The key in camelCase, if that tells how it was spelled; else as it is."""
    if _SNAKE.fullmatch(key) is None:
        return key
    name = next(iter(cased({key: 0}, _CASES[0])))
    return name if next(iter(cased({name: 0}, _CASES[1]))) == key else key


def spell_keys(made: JsonObject, words: Iterable[str], prefix: str = "") -> JsonObject:
    """`made`, whose keys are camelCase, as the words with this prefix tell; in place."""
    for word in words:
        key = word.removeprefix(prefix)
        if not word.startswith(prefix) or "." in key:
            continue
        if key.endswith(NULL):
            made[key.removesuffix(NULL)] = None
        elif "_" in key and (name := _camel(key)) in made:
            made[key] = made.pop(name)
    return made


def spell_paths(body: JsonObject, words: Iterable[str]) -> None:
    """The same for words whose prefix is the path of an object in camelCase; in place."""
    for word in sorted(words, key=lambda word: -word.count(".")):
        *path, key = word.split(".")
        here = body
        for step in path:
            inner = here.get(step)
            if not isinstance(inner, dict):
                if not key.endswith(NULL) or inner is not None:
                    break
                inner = {}
            here[step] = here = dict(inner)
        else:
            spell_keys(here, [key])
