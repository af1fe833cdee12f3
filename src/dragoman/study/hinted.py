"""Finds what an error speaks of without naming a place: by the words that it shares with the body.

Keys (`temperature`, "Web search options"), short values that it quotes (`xhigh`), kinds of media,
and a few things that providers call by a name of their own, as rows of data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .paths import Step, walked

__all__ = ["hinted", "narrowed"]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_CALL = re.compile(r"[Ff]unction call `(?:\w+:)?([\w.-]+)`(?:\s*,\s*position (\d+))?")
_CALLED = (("functionCall", "name"), ("function_call", "name"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_QUOTED = re.compile(r"[`'\"‘“]([^`'\"‘’“”\s]{1,64})[`'\"’”]")
# keys that also are words of the language: only if nothing better is found
_PLAIN_WORDS = (
    "type text content role model messages contents parts input user name system tools tool"
    " function id data source format value url object properties required description schema json"
    " body path error code title items stop"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())

# what stands inside of these is the user's own: the words of schemas and of arguments
_THEIRS = frozenset({"properties", "args", "arguments", "input", "input_schema", "$defs",
                     "parameters", "parametersJsonSchema", "schema", "json"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hint:
    """What an error means that holds these words: keys whose last is there, or the end of a list.

    `says` is a regular expression over the message; `keys` are looked for from left to right,
    `values` are beginnings of texts; `last`: the last element of this list is meant.
    """

    says: str
    keys: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


HINTS = (
    Hint(r"prefill|must end with a user|ending with a model turn|last (message|role)",
         last=("messages", "contents", "input")),
    Hint(r"strict tools|number of tools|tool schemas|too complex for compilation",
         keys=("tools", "toolConfig")),
    Hint(r"s3 ?uri|s3 ?location", keys=("s3Location", "s3Uri"), values=("s3://",)),
    Hint(r"unsupported image|invalid.image|image (data|format|url)|could not process image",
         keys=("image_url", "inlineData", "inline_data", "image", "source", "images")),
    Hint(r"provided url|fetch content|download(ing)? (the )?(image|file|content)",
         keys=("fileUri", "file_uri", "image_url", "file_url", "url"), values=("http",)),
    Hint(r"tool.?call validation|tool.?choice is required|tool.?use.?failed", keys=("tools",)),
    Hint(r"effort level", keys=("effort", "reasoning_effort", "thinkingLevel")),
    Hint(r"signature", keys=("signature", "thoughtSignature", "thought_signature")),
    Hint(r"thinking", keys=("thinking", "reasoning", "thinkingConfig", "reasoning_effort")),
    Hint(r"response.?format|structured output|json schema",
         keys=("response_format", "responseSchema", "output_config", "textFormat", "format")),
)  # fmt: skip


def hinted(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The ways into the body that the message speaks of, the likeliest first."""
    found = [
        *_by_call(message, body),
        *_by_name(message, body),
        *_by_key(message, body),
        *_by_value(message, body),
        *_by_hint(message, body),
    ]
    return list(dict.fromkeys(found + _by_plain_key(message, body)))


def _by_call(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The parts that call a function: "Function call `default_api:look` , position 2".

    The position is that of the content, counted from 1; of several calls in it the first is meant.
    """
    said = _CALL.search(message)
    if said is None:
        return []
    made = [way[:-2] for way, value in walked(body)
            if value == said[1] and way[-2:] in _CALLED]  # fmt: skip
    place = int(said[2]) - 1 if said[2] else None
    return sorted(made, key=lambda way: way[1:2] != (place,))


def _by_key(message: str, body: Any) -> list[tuple[Step, ...]]:
    """Where the keys stand that the message holds as words: longer names are surer."""
    told = _words(message)
    scored = []
    for way, _ in _ours(body):
        key = way[-1]
        if isinstance(key, str) and key not in _PLAIN and _holds(told, _words(key)):
            scored.append((-len(_words(key)), -len(key), way))
    return [way for *_, way in sorted(scored, key=lambda one: one[:2])]


def _by_name(message: str, body: Any) -> list[tuple[Step, ...]]:
    """What bears a name that the message holds, such as a tool; calls of it come behind."""
    told = set(re.findall(r"[\w.-]+", message))
    made = []
    for way, value in _ours(body):
        if way[-1] == "name" and isinstance(value, str) and len(value) > 3 and value in told:
            made.append(way[: -2 if way[-2] in ("function", "toolSpec") else -1])
    return sorted(made, key=lambda way: "tool" not in str(way[0]))


def _by_value(message: str, body: Any) -> Iterator[tuple[Step, ...]]:
    """Where short texts stand that the message quotes."""
    quoted = {match[1].rstrip(".,:") for match in _QUOTED.finditer(message)} - {""}
    for way, value in _ours(body):
        if isinstance(value, str) and value in quoted and way[-1] != "role":
            yield way


def _by_hint(message: str, body: Any) -> Iterator[tuple[Step, ...]]:
    for hint in HINTS:
        if re.search(hint.says, message, re.IGNORECASE) is None:
            continue
        for name in hint.last:
            if isinstance(body, dict) and isinstance(body.get(name), list) and body[name]:
                yield name, len(body[name]) - 1
        places = list(_ours(body))
        for key in hint.keys:
            for way, value in places:
                if way[-1] == key and (not hint.values or _begins(value, hint.values)):
                    yield way


def _begins(value: Any, starts: tuple[str, ...]) -> bool:
    """Whether a text in the value begins so."""
    return any(isinstance(one, str) and one.startswith(starts) for _, one in walked(value))


def _by_plain_key(message: str, body: Any) -> list[tuple[Step, ...]]:
    """Where a key stands that the message quotes, though it also is a word of the language."""
    quoted = {match[1] for match in _QUOTED.finditer(message)}
    return [way for way, _ in _ours(body) if way[-1] in quoted]


def narrowed(message: str, body: Any, way: tuple[Step, ...]) -> tuple[Step, ...]:
    """The place inside of a named one that the message quotes a word of, or the place itself."""
    quoted = [match[1] for match in _QUOTED.finditer(message)]
    value: Any = body
    for step in way:
        value = value[step]
    if not isinstance(value, (dict, list)):
        return way
    for word in quoted:
        for there, one in walked(value, way):
            if there != way and there[-1] == "type" and one == word:
                return there[:-1]
    keys = [there for there, _ in walked(value, way) if there != way and there[-1] in quoted]
    return keys[0] if keys and keys[0][-1] not in _PLAIN else way


def _ours(body: Any) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Everything but what tools say of their arguments: those keys are the user's own words."""
    for way, value in walked(body):
        if way and _THEIRS.isdisjoint(way[1:-1]):
            yield way, value


def _words(text: str) -> list[str]:
    return [word.lower() for part in _WORD.findall(text) for word in _CAMEL.split(part)]


def _holds(told: Sequence[str], words: Sequence[str]) -> bool:
    size = len(words)
    return bool(words) and any(
        told[i : i + size] == list(words) for i in range(len(told) - size + 1)
    )
