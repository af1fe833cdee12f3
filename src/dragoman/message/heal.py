"""Text with half of a surrogate pair has no UTF-8 form: pairs are joined, halves become U+FFFD.

What was healed is written down in the node's extras under `HEALED`, so that whoever writes the
node to a wire can name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

__all__ = ["HEALED", "heal", "note"]

HEALED = "dragoman"


def heal(value: Any, path: str, found: list[str]) -> Any:
    """The value without broken text; the very value if nothing is wrong with it.

    `found` takes the paths of what was healed. Anything that is no text, JSON or block stays as
    it is, for the checks to judge.
    """
    if isinstance(value, str):
        return _text(value, path, found)
    if isinstance(value, Mapping):
        pairs = [
            (heal(key, f"{path}.{_shown(key)}", found), heal(item, f"{path}.{_shown(key)}", found))
            for key, item in value.items()
        ]
        same = all(
            new is old and key is own
            for (key, new), (own, old) in zip(pairs, value.items(), strict=True)
        )
        return value if same else dict(pairs)
    if isinstance(value, (list, tuple)):
        items = [heal(item, f"{path}[{i}]", found) for i, item in enumerate(value)]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    if is_dataclass(value) and not isinstance(value, type):
        changes = {
            f.name: new
            for f in fields(value)
            if f.init and (new := heal(old := getattr(value, f.name), f"{path}.{f.name}", found))
            is not old
        }  # fmt: skip
        return replace(value, **changes) if changes else value
    return value


def _text(text: str, path: str, found: list[str]) -> str:
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        found.append(path)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _shown(key: object) -> str:
    return str(key).encode("ascii", "replace").decode()


def note(extras: dict[str, dict[str, Any]] | None, found: list[str]) -> dict[str, dict[str, Any]]:
    """The extras with the places that were healed."""
    return {**(extras or {}), HEALED: {"healed": found}}
