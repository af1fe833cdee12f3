"""Whose body is it? Judged by where it was sent, its keys, and at last by the model it names.

The rooms know their own addresses, keys and models; here they are only held against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Literal

from ._wire.embedded import all_plain, body_of
from .errors import ConfigError, ReadError
from .jsontext import JsonObject
from .room import Room
from .shown import shown
from .vendors import PROTOCOLS, wire

__all__ = ["Detected", "detect"]


@dataclass(frozen=True, slots=True)
class Detected:
    """Whose body it is: the likeliest wire, and the others that it would be valid on as well."""

    wire: str
    also: tuple[str, ...] = ()


def detect(
    body: Any, path: str | None = None, kind: Literal["request", "response"] = "request"
) -> Detected:
    """Which protocol a body belongs to: parsed JSON, its text, or an object of an official SDK.

    An address that only one protocol has decides (`/v1/messages`), then keys that only one has;
    where several could have it, the one at whose home the model is made (`claude-*`). Raises
    ReadError for what is no JSON object, or belongs to none.

    >>> detect({"model": "claude-opus-5", "max_tokens": 9, "messages": [
    ...     {"role": "user", "content": "Hi"}]}).wire
    'anthropic'
    """
    if kind not in ("request", "response"):
        raise ConfigError(f"a {shown(kind)} is not detected", hint='"request" or "response"')
    if path is not None and not isinstance(path, str):
        raise ConfigError(f"path must be text, not {type(path).__name__}")
    body = body_of(body, kind)
    found = _found(body, path, kind) or _found(all_plain(body), path, kind)
    if not found:
        raise ReadError(
            "no protocol has bodies with these keys", path="$", code="request.shape",
            hint="name the wire: source=...",
        )  # fmt: skip
    return Detected(found[0], tuple(found[1:]))


@cache
def _rooms() -> dict[str, Room]:
    return {name: wire(name).room for name in PROTOCOLS}


def _found(body: JsonObject, path: str | None, kind: str) -> list[str]:
    """The protocols that the body can be of, the likeliest first."""
    rooms = _rooms()
    if kind == "request":
        can = [name for name, room in rooms.items() if room.claims(body, path)]
        sent = _sent(path) if path else []
    else:
        can, sent = [name for name, room in rooms.items() if room.answers(body)], []
    # an address beats what a body lacks: one that is sent wrongly still belongs where it was sent
    can += sent if not set(sent) & set(can) else []
    model = body.get("model")
    # a tag stands behind a colon, where others serve the same weights
    named = model.lower() if isinstance(model, str) and ":" not in model else ""

    def rank(name: str) -> tuple[bool, bool, bool]:
        room = rooms[name]
        marked = not room.marks.isdisjoint(body)
        return name not in sent, not marked, not any(fnmatchcase(named, m) for m in room.makes)

    return sorted(can, key=rank)  # stable: the order of PROTOCOLS is the last word


def _sent(path: str) -> list[str]:
    """The protocols that have this address; those that share it all, unless the host tells."""
    bare = "/" + path.partition("?")[0].rstrip("/").removeprefix("https://")
    hits = {
        name: max(len(one) for one in room.addresses if fnmatchcase(bare, one))
        for name, room in _rooms().items()
        if any(fnmatchcase(bare, one) for one in room.addresses)
    }
    most = max(hits.values(), default=0)
    return [name for name, size in hits.items() if size == most]
