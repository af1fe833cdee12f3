"""What a request was when it was read, so that what nobody edited goes back as it came.

Holds references, no copies: a message counts as read while its name, role, fields and blocks are
the very ones that the reader made. Knows no protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any

from .msg import Msg

__all__ = ["ITEM", "AsRead"]

ITEM = "item:"  # among fields that name what a provider keeps: a type of messages that does


class AsRead:
    """The messages and fields of a request as the reader of `protocol` made them.

    `issuer` is whose dialect was read; `model` whom the request asked; `fields` the values of the
    request's fields by name, lists as tuples. `places` walks the body that was read, for the paths
    of losses: (path, node). Nothing is ever written from there, and a copy does without. `state`
    are the fields that name what the provider keeps, such as an earlier answer. Without `held`
    nothing counts as read: for what goes to another wire in any case. Without `watched` all of it
    does: for what is written before anybody sees it. Such messages may be surveyed by their reader,
    who then leaves in `surveyed` what was found.
    """

    __slots__ = ("_seen", "edited", "fields", "issuer", "messages", "model", "places", "protocol",
                 "state", "surveyed")  # fmt: skip

    def __init__(
        self,
        protocol: str,
        issuer: str,
        messages: Sequence[Msg],
        fields: Mapping[str, Any],
        model: str | None = None,
        edited: bool = False,
        state: tuple[str, ...] = (),
        places: Callable[[], Iterator[tuple[str, object]]] | None = None,
        held: bool = True,
        watched: bool = True,
    ) -> None:
        self.protocol = protocol
        self.issuer = issuer
        self.model = model
        self.fields = fields
        self.places = places
        self.state = state
        self.surveyed: object = None
        self.edited = edited  # it was no longer whole when it was stored
        self.messages = messages
        self._seen: dict[int, tuple[object, ...]] | None = {}  # None: all of them, as they are
        if held:
            self._seen = {id(m): _parts(m) for m in self.messages} if watched else None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy knows its messages by other identities, and only those that nobody edited."""
        held = [m for m in self.messages if self.holds(m)]
        edited = self.edited or len(held) < len(self.messages)
        return AsRead, (
            self.protocol,
            self.issuer,
            held,
            dict(self.fields),
            self.model,
            edited,
            self.state,
        )

    def holds(self, m: Msg) -> bool:
        """Whether the message is one of those that were read, and nobody has edited it."""
        if self._seen is None:
            return any(m is one for one in self.messages)
        seen = self._seen.get(id(m))
        if seen is None:
            return False
        now = _parts(m)
        return len(seen) == len(now) and all(a is b for a, b in zip(seen, now, strict=True))

    def kept(self, fields: Mapping[str, Any]) -> list[str]:
        """The names of those fields that still say what was read."""
        read = self.fields
        if self._seen is None:
            return list(fields)
        return [
            name
            for name, value in fields.items()
            if name in read and (value is read[name] or _same(value, read[name]))
        ]

    def grown(self, messages: list[Msg]) -> bool:
        """Whether the list is the one that was read, or that list with messages at its end."""
        return (
            not self.edited
            and len(messages) >= len(self.messages)
            and all(map(is_, self.messages, messages))
            and (self._seen is None or all(map(self.holds, self.messages)))
        )


def _same(value: Any, old: Any) -> bool:
    if type(value) is not type(old):
        return False
    if type(value) is tuple:  # tools, or texts that stop an answer
        return len(value) == len(old) and all(
            a is b or (type(a) is str and a == b) for a, b in zip(value, old, strict=True)
        )
    return bool(value == old)


def _parts(m: Msg) -> tuple[object, ...]:
    content: Any = m.content
    said = (content,) if type(content) is str else tuple(content)
    return (m, m.name, m.role, m.extras, m.cache, m.spelling, *said)
