"""Schemas and values by chance: schemas of draft 2020-12, and values that nearly fit them."""

from __future__ import annotations

from random import Random
from typing import Any

__all__ = ["Maker"]

# names that are keywords elsewhere, and one that is no identifier
NAMES = ("a", "b", "c", "ref", "type", "examples", "x-y")
VALUES: tuple[Any, ...] = (
    "", "a", "b", "abc", "A", 0, 1, 2, 3.5, -1, 1.0, True, False, None, [], {}, ["a"], {"a": 1},
)  # fmt: skip


# what stands where it has no business
_KEYWORDS = (
    "type title description format pattern $ref $id $schema $anchor $comment deprecated"
    " uniqueItems minLength maxItems minimum multipleOf exclusiveMinimum properties $defs"
    " patternProperties dependentSchemas dependentRequired dependencies $vocabulary anyOf"
    " oneOf allOf prefixItems enum required examples items additionalProperties"
    " additionalItems not if contains propertyNames nullable any_of min_items contentSchema"
    " default"
)
_SLIPS: tuple[Any, ...] = (
    None, 0, -1, 1.5, "", "#a", True, False, [], {}, ["a", "a"], [1], {"a": 1}, {"a": ["b", "b"]},
    {"type": "str"}, [None], ["string", "str"], "date", "ANY", ["any", "string"], "None", 6, 99,
)  # fmt: skip


class Maker:
    """Makes schemas and values from one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.names: list[str] = []

    def odds(self, share: float) -> bool:
        return self.chance.random() < share

    def some(self, values: tuple[Any, ...], most: int) -> list[Any]:
        return self.chance.sample(values, self.chance.randint(0, most))

    def document(self) -> dict[str, Any]:
        """A schema with an object at its root, and definitions that may lead to each other."""
        self.names = self.some(("A", "B", "C"), 3)
        made = self.object(self.chance.randint(0, 3))
        if self.odds(0.3):
            made[self.chance.choice(("anyOf", "oneOf", "allOf"))] = [
                self.chance.choice((self.object(1), {"required": ["a"]}, self.schema(1)))
                for _ in range(self.chance.randint(1, 3))
            ]
        if self.odds(0.1):
            del made["type"]
        if self.names:
            made["$defs"] = {
                name: self.schema(2) if self.odds(0.5) else self.object(2) for name in self.names
            }
        return made

    def slipped(self, node: Any) -> Any:
        """The same with slips of the pen anywhere in it."""
        if isinstance(node, list):
            return [self.slipped(one) for one in node]
        if not isinstance(node, dict):
            return node
        made = {key: self.slipped(value) for key, value in node.items()}
        while self.odds(0.3):
            made[self.chance.choice(_KEYWORDS.split())] = self.chance.choice(_SLIPS)
        return made

    def schema(self, depth: int) -> Any:
        kind = self.chance.random()
        if kind < 0.04:
            return self.chance.choice((True, {}))
        if kind < 0.14 and self.names:
            made: dict[str, Any] = {"$ref": f"#/$defs/{self.chance.choice(self.names)}"}
            if self.odds(0.4):
                made |= self.chance.choice(({"description": "d"}, {"minimum": 1}))
            return made
        if kind < 0.26 and depth > 0:
            keyword = self.chance.choice(("anyOf", "anyOf", "oneOf", "allOf"))
            made = {keyword: [self.schema(depth - 1) for _ in range(self.chance.randint(1, 3))]}
            return made | (self.scalar() if self.odds(0.3) else {})
        if kind < 0.34:
            return self.listed()
        if kind < 0.37:
            types = ("string", "number", "integer", "boolean", "null", "object", "array")
            return {"type": self.some(types, 3) or ["string"], "minLength": 1, "minimum": 1}
        if kind < 0.7 or depth <= 0:
            return self.scalar()
        return self.array(depth) if kind < 0.82 else self.object(depth)

    def listed(self) -> dict[str, Any]:
        if self.odds(0.4):
            return {"const": self.chance.choice(VALUES)}
        made: dict[str, Any] = {"enum": self.some(VALUES, 4) or ["a"]}
        if self.odds(0.3):
            made["type"] = self.chance.choice(("string", "integer", "number"))
        return made

    def scalar(self) -> dict[str, Any]:
        kind = self.chance.choice(("string", "integer", "number", "boolean", "null"))
        made: dict[str, Any] = {"type": kind}
        rules: dict[str, tuple[Any, ...]] = {}
        if kind == "string":
            rules = {"pattern": ("^a", "b$", "a", "(?=a)a"), "minLength": (0, 1, 2),
                     "maxLength": (1, 2, 3), "format": ("date", "uri", "date-time")}  # fmt: skip
        elif kind in ("integer", "number"):
            bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
            rules = dict.fromkeys(bounds, (1, 2, 3)) | {"multipleOf": (1, 2)}
        rules |= {"description": ("say",), "default": (None,), "title": ("T",)}
        return made | {k: self.chance.choice(v) for k, v in rules.items() if self.odds(0.15)}

    def array(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "array"}
        if self.odds(0.8):
            made["items"] = self.schema(depth - 1) if self.odds(0.9) else False
        if self.odds(0.2):
            made["prefixItems"] = [self.schema(depth - 1) for _ in range(2)]
        rules = {"minItems": 1, "maxItems": 2, "uniqueItems": True, "contains": {"type": "string"}}
        return made | {k: v for k, v in rules.items() if self.odds(0.12)}

    def object(self, depth: int) -> dict[str, Any]:
        names = self.some(NAMES, 4)
        made: dict[str, Any] = {"type": "object"}
        if names or self.odds(0.5):
            made["properties"] = {name: self.schema(depth - 1) for name in names}
        if self.odds(0.6):
            made["required"] = self.some(tuple(names), len(names))
        rest = self.chance.random()
        if rest < 0.5:
            made["additionalProperties"] = (
                False if rest < 0.35 else self.scalar() if rest < 0.45 else True
            )
        rules: dict[str, Any] = {
            "patternProperties": {"^x": self.scalar()}, "minProperties": 1,
            "not": {"required": ["a"]}, "propertyNames": {"maxLength": 2},
            "dependentRequired": {"a": ["b"]},
        }  # fmt: skip
        return made | {k: v for k, v in rules.items() if self.odds(0.05)}

    def value(self, schema: Any, root: dict[str, Any], depth: int = 5) -> Any:
        """A value that fits, or nearly."""
        if depth <= 0 or not isinstance(schema, dict) or self.odds(0.06):
            return self.chance.choice(VALUES)
        if "$ref" in schema:
            found = root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2], root)
            return self.value(found, root, depth - 1)
        if "const" in schema or schema.get("enum"):
            return self.chance.choice(schema.get("enum") or [schema["const"]])
        parts = [schema, *schema.get("allOf", ())]
        parts += [self.chance.choice(schema[key]) for key in ("anyOf", "oneOf") if schema.get(key)]
        kinds = schema.get("type", "")
        kind = self.chance.choice(kinds) if isinstance(kinds, list) else kinds
        if not kind and len(parts) > 1 and "properties" not in schema:
            return self.value(self.chance.choice(parts[1:]), root, depth - 1)
        return self._of(kind or "object", parts, root, depth)

    def _of(self, kind: str, parts: list[Any], root: dict[str, Any], depth: int) -> Any:
        plain: dict[str, tuple[Any, ...]] = {
            "string": ("", "a", "b", "ab", "abc", "aab", "2020-01-01"),
            "integer": (0, 1, 2, 3, 4, 1.0, -1, 6),
            "number": (0, 1, 2, 2.5, 3, -1, 4),
            "boolean": (True, False),
            "null": (None,),
        }
        if kind in plain:
            return self.chance.choice(plain[kind])
        if kind == "array":
            first = parts[0].get("prefixItems", [])
            rest = parts[0].get("items", {})
            return [
                self.value(first[i] if i < len(first) else rest, root, depth - 1)
                for i in range(self.chance.randint(0, 3))
            ]
        made: dict[str, Any] = {}
        for part in (part for part in parts if isinstance(part, dict)):
            for name, inner in part.get("properties", {}).items():
                if name in part.get("required", ()) or self.odds(0.5):
                    made[name] = self.value(inner, root, depth - 1)
        if self.odds(0.2):
            made[self.chance.choice((*NAMES, "xx"))] = self.chance.choice(VALUES)
        return made
