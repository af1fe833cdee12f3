"""Bodies of a JSON Schema: for each place where a type may stand, one that holds it, filled.

A string that may say anything is a word of its own, a number likewise, so that each can be looked
for in what is made of the body. Knows no wire and no SDK.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any]
DEEPEST = 12  # objects inside of each other, in types that hold themselves
PDF, PIXEL = b"%PDF-1.4\n", b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Edge:
    """A place: a type, where it stands in another one, and how a body gets there."""

    parent: str
    key: str
    kind: str
    steps: tuple[Any, ...]  # (property, object schema) from the root to the place


@dataclass(slots=True)
class Body:
    """A body, and the planted values in it: the word or number, and the path of each."""

    edge: Edge
    value: dict[str, Any]
    planted: dict[str, str | int | float] = field(default_factory=dict)


class Types:
    """The types of one schema, `$defs` and all."""

    def __init__(self, schema: Schema) -> None:
        self.root: Schema = schema
        self.definitions: Mapping[str, Schema] = schema.get("$defs", {})

    def named(self, node: Schema) -> tuple[str, Schema]:
        """(the name, the schema) behind a reference."""
        name = ""
        while "$ref" in node:
            name = str(node["$ref"]).rpartition("/")[2]
            node = self.definitions[name]
        for only in ("allOf", "anyOf", "oneOf"):
            if len(node.get(only, ())) == 1 and "properties" not in node:
                inner, schema = self.named(node[only][0])
                return inner or name, schema
        return name or str(node.get("title", "")), node

    def branches(self, node: Schema) -> Iterator[tuple[str, Schema]]:
        """Each type that a value of the schema may have, unions taken apart."""
        name, node = self.named(node)
        arms = node.get("anyOf") or node.get("oneOf")
        if not arms:
            yield name, node
            return
        for arm in arms:
            yield from self.branches(arm)

    def edges(self) -> Iterator[Edge]:
        """Every place of every object type, the nearest way to each type first."""
        name, root = self.named(self.root)
        seen: set[tuple[str, str, str]] = set()
        reached = {name or "ROOT"}
        queue: deque[tuple[str, Schema, tuple[Any, ...]]] = deque([("ROOT", root, ())])
        while queue:
            parent, schema, steps = queue.popleft()
            for key, held in (schema.get("properties") or {}).items():
                for kind, inner, way in self._held(held):
                    identity = (parent, key, kind)
                    if identity in seen:
                        continue
                    seen.add(identity)
                    there = (*steps, (key, way))
                    yield Edge(parent, key, kind, there)
                    if kind not in reached:
                        reached.add(kind)
                        queue.append((kind, inner, there))

    def _held(self, node: Schema) -> Iterator[tuple[str, Schema, Any]]:
        """(name, schema, way) of each object type in a property: itself, or in its lists."""
        for name, schema in self.branches(node):
            if schema.get("properties"):
                yield name or _told_by_type(schema), schema, schema
            elif "items" in schema:
                for kind, inner, way in self._held(schema["items"]):
                    yield kind, inner, [way]


def _told_by_type(schema: Schema) -> str:
    tag = (schema.get("properties") or {}).get("type", {})
    return str(tag.get("const") or next(iter(tag.get("enum", ())), "") or schema.get("title", ""))


class Maker:
    """Makes the bodies of one schema. `fixed`: values that some keys have to have."""

    def __init__(self, types: Types, fixed: Mapping[str, Any]) -> None:
        self.types = types
        self.fixed = fixed
        self._count = 0
        self._planted: dict[str, str | int | float] = {}

    def body(self, edge: Edge) -> Body:
        """A body that holds the type at its place, with all fields that the type has."""
        self._count, self._planted = 0, {}
        _, root = self.types.named(self.types.root)
        value = self._along(root, edge.steps, "$")
        return Body(edge, value, self._planted)

    def _along(self, schema: Schema, steps: tuple[Any, ...], path: str) -> dict[str, Any]:
        if not steps:
            return self._object(schema, path, every=True, depth=0)
        (key, way), *rest = steps
        made = self._object(schema, path, every=False, depth=0, but=key)
        inner, at, lists = way, f"{path}.{key}", 0
        while isinstance(inner, list):
            inner, at, lists = inner[0], f"{at}[0]", lists + 1
        value: Any = self._along(inner, tuple(rest), at)
        for _ in range(lists):
            value = [value]
        made[key] = value
        return made

    def _object(
        self, schema: Schema, path: str, *, every: bool, depth: int, but: str = ""
    ) -> dict[str, Any]:
        required = schema.get("required", ())
        made: dict[str, Any] = {}
        for key, held in (schema.get("properties") or {}).items():
            if key != but and (every or key in required):
                value = self._value(key, held, f"{path}.{key}", depth + 1)
                if value is not _NOTHING:
                    made[key] = value
        return made

    def _value(self, key: str, node: Schema, path: str, depth: int) -> Any:
        arms = sorted(self.types.branches(node), key=lambda arm: _rank(arm[1]))
        _, schema = arms[0]
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return next(value for value in schema["enum"] if value is not None)
        if key in self.fixed:
            return self.fixed[key]
        kind = schema.get("type")
        if schema.get("properties") or kind == "object":
            return self._inner(schema, path, depth)
        if kind == "array":
            if depth > DEEPEST:
                return _NOTHING
            item = self._value(_singular(key), schema.get("items", {}), f"{path}[0]", depth + 1)
            return _NOTHING if item is _NOTHING else [item]
        if kind == "boolean":
            return True
        if kind in ("integer", "number"):
            return self._number(schema, kind, path)
        return self._text(key, schema, path)

    def _inner(self, schema: Schema, path: str, depth: int) -> Any:
        if depth > DEEPEST:
            return _NOTHING
        if schema.get("properties"):
            return self._object(schema, path, every=False, depth=depth)
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and more:
            value = self._value("planted_key", more, f"{path}.planted_key", depth + 1)
            return {} if value is _NOTHING else {"planted_key": value}
        return {"planted_key": self._word(f"{path}.planted_key")}

    def _number(self, schema: Schema, kind: Any, path: str) -> int | float:
        self._count += 1
        least, most = schema.get("minimum", 0), schema.get("maximum")
        number: int | float = 40_000 + self._count
        if most is not None and number > most:
            number = least if kind == "integer" else round(least + (most - least) / 2, 3)
        else:
            self._planted[path] = number
        return number

    def _word(self, path: str) -> str:
        self._count += 1
        word = f"Planted{self._count}x"
        self._planted[path] = word
        return word

    def _text(self, key: str, schema: Schema, path: str) -> str:
        if schema.get("format") in ("date-time", "date"):
            return "2026-11-28T00:00:00Z"
        word = self._word(path)
        if _URL.search(key):
            made = f"https://example.com/{word}.png"
        elif _BYTES.search(key) or schema.get("format") in ("binary", "byte", "base64url"):
            made = b64encode(PIXEL + word.encode()).decode()
            self._planted[path] = made
        elif _MEDIA_TYPE.search(key):
            del self._planted[path]
            made = "image/png"
        elif key == "arguments" or (key == "input" and "function" in path):
            made = f'{{"at": "{word}"}}'
        else:
            made = word
        return made


_NOTHING = object()
_URL = re.compile(r"(^|_)(url|uri)$|Uri$|Url$")
_BYTES = re.compile(r"^(data|bytes|file_data|image_bytes|imageBytes|b64_json|audio_bytes)$")
_MEDIA_TYPE = re.compile(r"mime_?type$|^media_type$", re.IGNORECASE)


def _singular(key: str) -> str:
    return key.removesuffix("s")


def _rank(schema: Schema) -> int:
    """Plain values first: the text of a content, then lists, then objects; null is last."""
    kind = schema.get("type")
    if "const" in schema or schema.get("enum"):
        return 1
    return {"string": 0, "integer": 2, "number": 2, "boolean": 3, "array": 4, "null": 9}.get(
        str(kind), 5
    )
