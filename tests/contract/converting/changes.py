"""What a real client changed in an answer before it sent it back, in six classes and no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

__all__ = ["CLASSES", "changes"]

CLASSES = (
    "null or empty key", "dropped field", "re-spelled JSON", "text edited", "element inserted",
    "element removed",
)  # fmt: skip


def changes(ours: Any, theirs: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """(class, place and words) for whatever the client says otherwise than what we would send."""
    if ours == theirs and _text(ours) == _text(theirs):  # 1, 1.0 and true differ
        return
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from _keys(ours, theirs, path)
    elif isinstance(ours, list) and isinstance(theirs, list):
        yield from _items(ours, theirs, path)
    elif _respelled(ours, theirs):
        yield "re-spelled JSON", f"{path}: {ours!r:.60} became {theirs!r:.60}"
    elif _empty(ours) or _empty(theirs):
        yield "null or empty key", f"{path}: {ours!r:.60} became {theirs!r:.60}"
    elif isinstance(ours, str) and isinstance(theirs, str):
        yield "text edited", f"{path}: {ours!r:.60} became {theirs!r:.60}"
    else:
        yield "other", f"{path}: {ours!r:.60} became {theirs!r:.60}"


def _keys(ours: dict[str, Any], theirs: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    for key in {**ours, **theirs}:
        here = f"{path}.{key}"
        if key in ours and key in theirs:
            yield from changes(ours[key], theirs[key], here)
            continue
        value = ours[key] if key in ours else theirs[key]
        if _empty(value):
            yield "null or empty key", f"{here}: {value!r:.60}"
        elif key in ours:
            yield "dropped field", f"{here}: {value!r:.60}"
        else:
            yield "element inserted", f"{here}: {value!r:.60}"


def _items(ours: list[Any], theirs: list[Any], path: str) -> Iterator[tuple[str, str]]:
    """Elements that are alike are compared, the others were inserted or removed."""
    one, two = [_kind(item) for item in ours], [_kind(item) for item in theirs]
    for verb, a, b, c, d in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if verb == "equal" or (verb == "replace" and b - a == d - c):
            for nth in range(b - a):
                yield from changes(ours[a + nth], theirs[c + nth], f"{path}[{a + nth}]")
            continue
        for item in ours[a:b]:
            yield "element removed", f"{path}[{a}]: {item!r:.80}"
        for item in theirs[c:d]:
            yield "element inserted", f"{path}[{a}]: {item!r:.80}"


def _kind(item: Any) -> str:
    """What makes two elements the same one: what they are, and which keys say so."""
    if not isinstance(item, dict):
        return type(item).__name__
    tag = item.get("type") or item.get("role")
    return str(tag) if tag else " ".join(sorted(k for k in item if not _empty(item[k]))[:1])


def _empty(value: Any) -> bool:
    """Whether a value says nothing, all the way down."""
    if isinstance(value, (dict, list)):
        return all(map(_empty, value.values() if isinstance(value, dict) else value))
    return value is None or value == "" or value is False


def _respelled(ours: Any, theirs: Any) -> bool:
    """Whether both are the same value in another spelling."""
    one, two = _value(ours), _value(theirs)
    if one == two and isinstance(one, bool) == isinstance(two, bool):
        return True
    texts = [_plain(ours), _plain(theirs)]
    return texts[0] is not None and texts[0] == texts[1]


def _value(given: Any) -> Any:
    if isinstance(given, str):
        try:
            return json.loads(given)
        except ValueError:
            return given
    return given


def _plain(given: Any) -> str | None:
    """The text of a string, or of a list of one text."""
    if isinstance(given, str):
        return given
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], dict):
        text = given[0].get("text")
        return text if isinstance(text, str) else None
    return None


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
