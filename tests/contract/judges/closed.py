"""The second layer: an official SDK's request types, made into a closed JSON Schema.

TypedDicts say nothing about other keys; here other keys are refused, in every object the
SDK names. Errors inside unions are told for the member that the value meant to be. Knows no
wire; the SDKs are imported by whoever calls.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .fault import Fault, Json, Path, brief

TAGS = ("role", "type")
Schema = dict[str, Any]


class ClosedTypes:
    """One closed schema, compiled on first use and kept for the process.

    `listed`: the key of the list that format() gives. `spelled`: keys that the SDK names
    otherwise than the wire does, as {type: {SDK's name: wire's name}}. `unknown`: how the names
    of types begin that stand for what the SDK does not know, where all its types are open.
    """

    def __init__(
        self,
        load: Callable[[], Any],
        *,
        headers: Iterable[str] = (),
        listed: str = "messages",
        spelled: Mapping[str, Mapping[str, str]] | None = None,
        unknown: str = "",
    ) -> None:
        self._load = load
        self._headers = tuple(headers)
        self._listed = listed
        self._spelled = spelled or {}
        self._unknown = unknown
        self._validators: dict[bool, Any] = {}

    def faults(self, body: Json, *, whole: bool) -> Iterator[Fault]:
        """Every mismatch. Not `whole`: only the list is there, nothing else is missed."""
        if whole not in self._validators:
            self._validators[whole] = self._compile(whole)
        errors = self._validators[whole].iter_errors(body)
        found = list(dict.fromkeys(fault for error in errors for fault in explain(error)))
        foreign = [fault.path for fault in found if fault.rule == "types.kind"]
        for fault in found:  # of an object of the wrong kind, only that is told
            inside = (fault.path[: len(path)] == path for path in foreign)
            if fault.rule == "types.kind" or not any(inside):
                yield fault

    def _compile(self, whole: bool) -> Any:
        # No type stubs come with these, and importing a judge must stay cheap.
        jsonschema_rs: Any = importlib.import_module("jsonschema_rs")
        pydantic: Any = importlib.import_module("pydantic")
        schema: Schema = pydantic.TypeAdapter(self._load()).json_schema()
        for name in self._headers:  # arguments that the SDK sends as headers
            schema["properties"].pop(name, None)
        if not whole:
            schema["required"] = [self._listed]
        for name, keys in self._spelled.items():
            _respell(schema["$defs"][name], keys)
        open_types = _drop_answer_types(schema, self._unknown)
        for definition in (schema, *schema["$defs"].values()):
            _close(definition, open_types)
        return jsonschema_rs.Draft202012Validator(schema)


def _drop_answer_types(schema: Schema, unknown: str = "") -> set[str]:
    """Take the answers' own classes out of unions: the SDK turns them into the params.

    They are the named types that are open by declaration; the one other such type is a JSON
    Schema of the user's, which must stay open. Where the SDK has types for what is `unknown`,
    those are taken out, and objects without a field of their own stay. Returns what stays open.
    """
    definitions: dict[str, Schema] = schema["$defs"]
    loose = {
        name
        for name, body in definitions.items()
        if body.get("additionalProperties") is True and not name.startswith("InputSchema")
    }
    if unknown:
        loose = {name for name in definitions if name.startswith(unknown)}
    gone = {f"#/$defs/{name}" for name in loose}
    for node in _walk(schema):
        if "anyOf" in node:
            kept = [arm for arm in node["anyOf"] if arm.get("$ref") not in gone]
            node["anyOf"] = kept or node["anyOf"]
    if unknown:
        return {name for name, body in definitions.items() if body.get("properties") == {}}
    return {name for name in definitions if name.startswith("InputSchema")}


def _respell(definition: Schema, keys: Mapping[str, str]) -> None:
    for sdk, wire in keys.items():
        definition["properties"][wire] = definition["properties"].pop(sdk)
        required = definition.get("required", [])
        definition["required"] = [wire if key == sdk else key for key in required]


def _walk(node: Any) -> Iterator[Schema]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from _walk(value)


def _close(definition: Schema, open_types: set[str]) -> None:
    if "properties" in definition and definition.get("title") not in open_types:
        definition["additionalProperties"] = False


def explain(error: Any) -> Iterator[Fault]:
    """Turn one error of jsonschema_rs into faults, descending into the union member meant."""
    path: Path = tuple(error.instance_path)
    kind = error.kind
    if kind.name in ("anyOf", "oneOf"):
        yield from _explain_union(error, path)
    elif kind.name == "additionalProperties":
        for key in kind.unexpected:
            yield Fault("types.unknown_key", (*path, key), "unknown key")
    elif kind.name == "required":
        yield Fault("types.missing", (*path, kind.property), "required key is missing")
    elif kind.name == "const" and path and path[-1] in TAGS:
        yield Fault("types.kind", path[:-1], f"no such kind here: {brief(error.instance)}")
    else:
        said = f"{brief(error.instance)} does not meet {kind.name} of the SDK's type"
        yield Fault("types.value", path, said)


def _explain_union(error: Any, path: Path) -> Iterator[Fault]:
    arms: list[list[Any]] = error.kind.context
    fitting = [arm for arm in arms if not any(_wrong_json_type(e, path) for e in arm)]
    if not fitting:
        yield Fault("types.value", path, f"{brief(error.instance)} has no type that fits")
        return
    meant = [arm for arm in fitting if not any(_wrong_tag(e, path) for e in arm)]
    if not meant:
        tags = {key: error.instance[key] for key in TAGS if key in error.instance}
        yield Fault("types.kind", path, f"no such kind here: {brief(tags)}")
        return
    told = ([fault for inner in arm for fault in explain(inner)] for arm in meant)
    yield from min(told, key=len)


def _wrong_json_type(error: Any, path: Path) -> bool:
    return error.kind.name == "type" and len(error.instance_path) == len(path)


def _wrong_tag(error: Any, path: Path) -> bool:
    here = error.instance_path[len(path) :]
    return error.kind.name in ("const", "enum", "anyOf") and len(here) == 1 and here[0] in TAGS
