"""The places that a provider's error names, in whatever spelling, as paths into the body.

messages.3.content.0: ...              tools.0.custom.input_schema.type: ...
messages[3].role, messages.[3].role    'contents[0].parts[1]'
#/messages/2/content/0: extraneous key [toolResult]
{"loc": ["body", "messages", 2]}       "param": "messages[3].content"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..jsontext import canonical
from .paths import Step

__all__ = ["named", "resolved", "texts_of"]

_NAME = r"[A-Za-z_$][\w$-]*"
_PATH = re.compile(rf"{_NAME}(?:\.?\[\d+\]|\[['\"][^'\"\]]+['\"]\]|\.(?:{_NAME}|\d+))+")
_POINTER = re.compile(r"#((?:/[\w~$-]+)+)")
_ROOTS = ("body", "request", "GenerateContentRequest", "root")
_LEADING = re.compile(r"(?:\A|: |\n)([a-z_]+): ")  # `system: text content blocks must be ...`
_STEP = re.compile(r"\.?([A-Za-z_$][\w$-]*)|\.?\[?(\d+)\]?|\[['\"]([^'\"\]]+)['\"]\]")
_QUOTED = re.compile(r"[`'\"\[]([A-Za-z_$][\w$.-]*)[`'\"\]]")


def named(texts: Sequence[str], body: Any) -> list[tuple[Step, ...]]:
    """The ways into `body` that the texts of an error name: the first named first, then deeper."""
    made: list[tuple[Step, ...]] = []
    for text in texts:
        for steps in _told(text):
            way = resolved(body, steps)
            if way and way not in made:
                made.append(way)
    return made


def _told(text: str) -> Iterator[list[Step]]:
    for match in _POINTER.finditer(text):
        rest = _QUOTED.match(text, text.find("[", match.end()))
        tail = [rest[1]] if rest is not None and text[match.end() :].startswith(": extra") else []
        yield [*(_step(one) for one in match[1].strip("/").split("/")), *tail]
    for match in _PATH.finditer(text):
        yield [_step(*found.groups()) for found in _STEP.finditer(match[0])]
    for match in _LEADING.finditer(text):
        yield [match[1]]


def _step(name: str | None, index: str | None = None, quoted: str | None = None) -> Step:
    told = name or index or quoted or ""
    return int(told) if told.isdigit() else told


def resolved(body: Any, steps: Sequence[Step]) -> tuple[Step, ...]:
    """How far the steps lead into the body; snake_case finds camelCase.

    Names of a union's branches, which a validator puts between, are passed over.
    """
    way: list[Step] = []
    for nth, step in enumerate(steps):
        key = _key(body, step)
        if key is not None:
            body = body[key]
            way.append(key)
        elif nth and way and isinstance(step, str) and nth + 1 < len(steps):
            continue  # the name of a branch, such as `custom`
        elif nth == 0 and step in _ROOTS:
            continue
        else:
            break
    return tuple(way)


def _key(value: Any, step: Step) -> Any:
    if isinstance(step, int):
        return step if isinstance(value, list) and step < len(value) else None
    if not isinstance(value, dict):
        return None
    if step in value:
        return step
    flat = _flat(step)
    return next((key for key in value if _flat(key) == flat), None)


def _flat(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def texts_of(body: Any, message: str) -> list[str]:
    """The texts of an error in which places may stand: the field that names one comes first."""
    found: list[str] = []
    waiting = [body]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            found += [str(value[key]) for key in ("param", "field") if value.get(key)]
            loc = value.get("loc")
            if isinstance(loc, list):
                found.append(".".join(map(str, loc)))
            waiting += list(value.values())
        elif isinstance(value, list):
            waiting += value
    told = body if isinstance(body, str) else canonical(body) if body else ""
    return [*found, message, *([told] if told != message else [])]
