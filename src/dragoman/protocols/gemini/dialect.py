"""What hosts of generateContent disagree on, and the case of keys.

The API takes keys in camelCase and in snake_case, and nulls for fields that are not set. Readers
convert an object to camelCase without nulls, level by level, and note its spelling; `spell_keys`
and `spell_paths` write it according to the notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..._old_names import keeps_old_names
from ...caches import remember
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, ServerTool, Tool
from ...message.blocks import NOTES
from ...text.json_text import JsonObject
from ..chat_like.messages import own_extras


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    Attributes:
        case: The case of keys; the API takes both.
        bullets: Whether several texts of one tool result become a list with dashes.
        joined_system: Whether a system prompt has to be one text.
        mime: Media types with another name on this host.
        foreign_calls: What to do with unsigned calls while the model is unknown: `keep` them so, or
            give them the signature that skips the check (`bypass`).
        blocked_domains: The key of a search for domains that it must not read; empty if there is
            none.
        result_role: The role of tool results; hosts took `function` before it was the user.
        path: The path below the base URL.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    case: Literal["camel", "snake"] = "camel"
    bullets: bool = False
    joined_system: bool = False
    mime: Mapping[str, str] = field(default_factory=dict)
    foreign_calls: Literal["keep", "bypass"] = "bypass"
    blocked_domains: str = ""
    result_role: Literal["user", "function"] = "user"
    path: str = "/models/{model}"
    model: str = "gemini-3.8-flash"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("gemini",)


_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BAR = re.compile(r"_([a-z])")
NULL = "=null"  # the end of the note of a key that held null
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_NOTABLE = re.compile(r"[A-Za-z_$][\w$-]*")  # keys that a note can hold


@remember("keys in snake_case", entries=1024)
def snake_key(key: str) -> str:
    """Return the key in snake_case."""
    return _HUMP.sub("_", key).lower()


def camel_key(key: str) -> str:
    """Return the key in camelCase."""
    return _BAR.sub(lambda match: match[1].upper(), key) if "_" in key else key


def change_case(fields: Mapping[str, Any], dialect: Dialect) -> JsonObject:
    """Return one level of keys in the dialect's case.

    >>> change_case({"topK": 1}, Dialect(case="snake"))
    {'top_k': 1}
    """
    if dialect.case == "snake":
        return {snake_key(key): value for key, value in fields.items()}
    return camel_keys(dict(fields))


def merge_fields(body: JsonObject, fields: Mapping[str, Any], dialect: Dialect) -> JsonObject:
    """Add an issuer's own fields to `body`: objects are merged, lists extended, others set."""
    for key, value in change_case(fields, dialect).items():
        current = body.get(key)
        if isinstance(current, dict) and isinstance(value, Mapping):
            body[key] = merge_fields(dict(current), value, dialect)
        elif isinstance(current, list) and isinstance(value, list):
            body[key] = [*current, *value]
        else:
            body[key] = value
    return body


@dataclass(slots=True)
class WriteTarget:
    """What a request is written for: a host's dialect, what the model takes, and the losses."""

    dialect: Dialect
    caps: Capabilities
    report: Report

    def with_extras(self, body: JsonObject, node: ChatRequest | Tool | ServerTool) -> JsonObject:
        """Add this wire's extras of a request or tool to `body`; others' extras are losses."""
        for issuer, fields in (node.extras or {}).items():
            if issuer not in self.caps.reads and not issuer.endswith(NOTES):
                self.report.add_extras_losses(node, issuer, fields)
        return (
            merge_fields(body, own_extras(node, self.caps), self.dialect) if node.extras else body
        )


def camel_keys(data: JsonObject) -> JsonObject:
    """Return one level of an object in camelCase."""
    if "_" in "".join(data):
        return {camel_key(key): value for key, value in data.items()}
    return data


def set_fields(data: JsonObject) -> JsonObject:
    """Return one level of an object in camelCase, without nulls."""
    if None in data.values():
        data = {key: value for key, value in data.items() if value is not None}
    return camel_keys(data)


def null_fields(data: JsonObject) -> JsonObject:
    """Return the nulls of an answer; none of google-genai's objects, which name every field."""
    if any("_" in key for key in data):
        return {}
    return {key: None for key, value in data.items() if value is None}


def read_keys(data: JsonObject, prefix: str = "") -> tuple[JsonObject, list[str]]:
    """Return one level in camelCase without nulls, and notes on the spelling of its keys.

    A key that no note can restore keeps its spelling. An object that needs no notes is returned
    itself.
    """
    if "_" not in "".join(data) and None not in data.values():
        return data, []
    fields: JsonObject = {}
    notes: list[str] = []
    for key, value in data.items():
        if value is None and _NOTABLE.fullmatch(key):
            notes.append(f"{prefix}{key}{NULL}")
            continue
        name = _restorable(key)
        if name != key and name not in data:
            notes.append(prefix + key)
            fields[name] = value
        else:
            fields[key] = value
    return fields, notes


def _restorable(key: str) -> str:
    """Return the key in camelCase if that can be reversed, otherwise unchanged."""
    name = camel_key(key)
    return name if _SNAKE.fullmatch(key) and snake_key(name) == key else key


def spell_keys(data: JsonObject, notes: Iterable[str], prefix: str = "") -> JsonObject:
    """Change the keys of `data` from camelCase to what the notes with this prefix say."""
    for note in notes:
        key = note.removeprefix(prefix)
        if not note.startswith(prefix) or "." in key:
            continue
        if key.endswith(NULL):
            data[key.removesuffix(NULL)] = None
        elif "_" in key and (name := _restorable(key)) in data:
            data[key] = data.pop(name)
    return data


def spell_paths(body: JsonObject, notes: Iterable[str]) -> None:
    """Change keys as the notes say whose prefix is the path of an object in camelCase."""
    for note in sorted(notes, key=lambda note: -note.count(".")):
        *path, key = note.split(".")
        data = body
        for step in path:
            child = data.get(step)
            if not isinstance(child, dict):
                if not key.endswith(NULL) or child is not None:
                    break
                child = {}
            data[step] = data = dict(child)
        else:
            spell_keys(data, [key])
