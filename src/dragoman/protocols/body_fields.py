"""The fields of a protocol's requests as rows of one table, and the tables that code looks up.

Each protocol has such a table in its `fields.py`: an option, a keyword argument of the official
client or a field that marks the protocol is one row there. What reads, writes, recognises and
checks bodies takes its names and limits from these rows. Messages and tools are not in them.
"""

# annotations are not deferred here: NamedTuple would compile each, for milliseconds of every import
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

Limits: TypeAlias = tuple[float, float]  # the least and the greatest value of an option


class BodyField(NamedTuple):
    """One field of a request's body, and what its provider takes there.

    Attributes:
        path: The place in the body: `a.b` is the field `b` of the object `a`.
        types: The JSON types that it may have, separated by blanks: number, integer, text, boolean,
            list, object. If there are none, its value is not checked.
        least: The least number.
        most: The greatest number.
        option: The option (of `Options`) that it holds. If several fields hold the same option, the
            first one is written, unless the dialect names another.
        special: Options, separated by blanks, that functions of the protocol read and write there.
        argument: Whether the official client has a parameter for it, and has had it for long.
        unique: Whether no other protocol has it.
        copied: Whether only hosts that copy the protocol have it, and its own API does not.
        closed: Whether this object may only have the fields that the table lists below it.
        needed: Whether it must be there.
        words: The only texts that are allowed, separated by blanks.
        fewest: The least number of elements of a list.
        longest: The greatest number of elements of a list.
        fix: What to do instead of a value that is refused.
    """

    path: str
    types: str = ""
    least: float | None = None
    most: float | None = None
    option: str = ""
    special: str = ""
    argument: bool = False
    unique: bool = False
    copied: bool = False
    closed: bool = False
    needed: bool = False
    words: str = ""
    fewest: int = 0
    longest: int | None = None
    fix: str = ""


class FieldTable:
    """The rows of one protocol, and what follows from them; built once, at import.

    Args:
        rows: The fields, in the order in which their faults are listed.

    Attributes:
        rows: The rows.
        names: The names of the fields at the top of a body.
        arguments: Those that the official client has parameters for.
        unique: Those that no other protocol has.
        places: Each option with all paths that may hold it, the usual one first.
        keys: Each option with its usual path.
        special: Each option that functions of the protocol read and write, with its paths.
        ranges: Each option with two limits, with these.
        words: The texts that are allowed at a path.
    """

    __slots__ = (
        "arguments",
        "keys",
        "names",
        "places",
        "ranges",
        "rows",
        "special",
        "unique",
        "words",
    )

    def __init__(self, *rows: BodyField) -> None:
        self.rows = rows
        self.names = frozenset(row.path.partition(".")[0] for row in rows)
        self.arguments = frozenset(row.path for row in rows if row.argument)
        self.unique = frozenset(row.path for row in rows if row.unique)
        self.places: dict[str, tuple[str, ...]] = {}
        self.special: dict[str, tuple[str, ...]] = {}
        self.ranges: dict[str, Limits] = {}
        for row in rows:
            if row.option:
                self.places[row.option] = (*self.places.get(row.option, ()), row.path)
                if row.least is not None and row.most is not None:
                    self.ranges[row.option] = (row.least, row.most)
            for name in row.special.split():
                self.special[name] = (*self.special.get(name, ()), row.path)
        self.keys = {name: paths[0] for name, paths in self.places.items()}
        self.words = {row.path: tuple(row.words.split()) for row in rows if row.words}

    def list_paths(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """Return the rows of the options for the table of paths: see `paths.PathTable`."""
        places = {**self.places, **self.special}
        return {("options", name): paths for name, paths in places.items()}

    def list_below(self, path: str) -> dict[str, tuple[str, ...]]:
        """Return each option that fields of this object hold, with the keys of these fields.

        Args:
            path: The path of an object in the body.
        """
        start = f"{path}."
        keys = {
            name: tuple(place.removeprefix(start) for place in places if place.startswith(start))
            for name, places in self.places.items()
        }
        return {name: found for name, found in keys.items() if found}

    def list_keys(self, path: str) -> list[str]:
        """Return the keys that the protocol's own API takes in an object of the body.

        Args:
            path: The path of the object; empty for the body.
        """
        start = f"{path}." if path else ""
        own = (row.path for row in self.rows if not row.copied and row.path.startswith(start))
        return list(dict.fromkeys(name.removeprefix(start).partition(".")[0] for name in own))
