"""The paths of losses: what they cover, being that place or a parent of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["Covered", "parents"]


_DOLLAR = re.compile(r'\["(\$\w+)"\]')  # `["$defs"]` is `.$defs`


class Covered:
    """The places of the losses of one body.

    A loss at `$` is no place: it would cover everything. What was added covers nothing, but where
    something was added or moved, texts may stand in another seat.
    """

    def __init__(self, losses: Iterable[tuple[str, str]]) -> None:
        listed = [(kind, _DOLLAR.sub(r".\1", where)) for kind, where in losses if where != "$"]
        self._dropped = {where for kind, where in listed if kind not in ("added", "moved")}
        self._moved = {where for kind, where in listed if kind == "moved"}
        self._touched = {up for _, where in listed for up in (where, *parents(where)) if up != "$"}
        self._all = {where for _, where in listed}
        self._above = {up for kind, where in listed if kind != "added" for up in parents(where)}

    def drops(self, path: str) -> bool:
        """Whether a loss is at this place or above it."""
        dropped = self._dropped
        return bool(dropped) and (path in dropped or any(up in dropped for up in parents(path)))

    def told(self, path: str, under: str) -> bool:
        """Whether a loss of any kind but what was added is at this leaf, above it, or in it.

        What was moved is so with all it holds: of what stands `under` that path. In a leaf is what
        an empty schema was narrowed by.
        """
        above = (up for up in parents(path) if len(up) > len(under))
        if self.drops(path) or path in self._moved or path in self._above:
            return True
        return not self._moved.isdisjoint(above)

    def moves(self, path: str) -> bool:
        """Whether any loss is at this place, above it, or in the same message."""
        if path in self._all or any(up in self._all for up in parents(path)):
            return True
        *_, message = [path, *(up for up in parents(path) if up.endswith("]"))]
        return message in self._touched


def parents(path: str) -> Iterable[str]:
    """`$.a[0].b` -> `$.a[0]`, `$.a`."""
    at = len(path)
    while True:
        at = max(path.rfind(".", 0, at), path.rfind("[", 0, at))
        if at <= 1:
            return
        yield path[:at]
