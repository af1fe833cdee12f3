"""What hosts of generateContent disagree on, and what all of them carry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ..._core.jsontext import JsonObject
from ...capabilities import Capabilities
from ...capabilities.naming import IdRule, NameRule
from ...losses import Report
from ...message import ChatRequest, ServerTool, Tool
from ...message.blocks import NOTES
from ..chat_shape import own_extras


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one host spells what the protocol leaves open.

    `case`: the API takes keys in either. `bullets`: several texts of one tool result become a
    list with dashes. `joined_system`: a system prompt is one text. `mime`: media types that are
    spelled another way. `foreign_calls`: what unsigned calls carry while no model is known.
    `blocked_domains`: the key of a search for what it must not read; empty where there is none.
    `path` stands below the base URL.
    """

    case: Literal["camel", "snake"] = "camel"
    bullets: bool = False
    joined_system: bool = False
    mime: Mapping[str, str] = field(default_factory=dict)
    foreign_calls: Literal["keep", "bypass"] = "bypass"
    blocked_domains: str = ""
    path: str = "/models/{model}"
    model: str = "gemini-3.8-flash"  # sent where nobody names one
    issuers: tuple[str, ...] = ("gemini",)


# Gemini API reference, "Content", "Part" and "FunctionDeclaration". Contents know the roles user
# and model, both of which may show media; a prompt of the system stands apart and is text. The
# answers to one turn's calls are one content, in order, and a call stands right behind the user's
# turn or a result. Empty parts are refused. An id is on both sides or on neither.
CAN = Capabilities(
    tool_schema="gemini",
    format_schema="gemini-format",
    user=frozenset({"text", "image", "audio", "video", "document", "raw"}),
    assistant=frozenset({"text", "image", "audio", "video", "document", "raw"}),
    result=frozenset({"text", "raw"}),
    sources={
        kind: frozenset({"url", "base64", "file"})
        for kind in ("image", "audio", "video", "document")
    },
    media_types={
        # docs "Image understanding": GIF is refused as "Unsupported MIME type"
        "image": ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"),
        "document": ("application/pdf", "text/*"),
    },
    schemes=frozenset({"http", "https", "gs"}),
    move_media=frozenset({"image", "audio", "video", "document"}),
    claims=frozenset({"thought_signature", "thoughtSignature", "part_metadata", "partMetadata"}),
    thinking="all",
    tool_choices=frozenset({"auto", "none", "required", "tool", "allowed"}),
    result_error=True,
    result_names=True,
    system_place="top",
    late_system="reminder",
    blank_text=False,
    gather_results=True,
    join_calls=True,
    first_user=True,
    prefill=False,
    ids=IdRule(unique=True, blank=True),
    tool_names=NameRule(chars=r"a-zA-Z0-9_.:\-", start="a-zA-Z_", max=128),
    thinks="always",
    efforts=("low", "medium", "high"),
    server_tools=frozenset({"web_search", "code_execution", "file_search"}),
    form="level",
    source="Gemini API reference, Generating content",
    since="2026-11-21",
)


_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


_BAR = re.compile(r"_([a-z])")


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that a message needs, in one case."""

    call: str = "functionCall"
    result: str = "functionResponse"
    inline: str = "inlineData"
    file: str = "fileData"
    mime: str = "mimeType"
    uri: str = "fileUri"
    signature: str = "thoughtSignature"
    resolution: str = "mediaResolution"


def _snake(key: str) -> str:
    return _HUMP.sub("_", key).lower()


def _camel(key: str) -> str:
    return _BAR.sub(lambda found: found[1].upper(), key) if "_" in key else key


_CAMEL = Keys()


_SNAKE = Keys(**{f.name: _snake(getattr(_CAMEL, f.name)) for f in fields(Keys)})


def keys(dialect: Dialect) -> Keys:
    """The keys of a message in the dialect's case."""
    return _SNAKE if dialect.case == "snake" else _CAMEL


def cased(made: Mapping[str, Any], dialect: Dialect) -> JsonObject:
    """One level of keys in the dialect's case.

    >>> cased({"topK": 1}, Dialect(case="snake"))
    {'top_k': 1}
    """
    spell = _snake if dialect.case == "snake" else _camel
    return {spell(key): value for key, value in made.items()}


def added(made: JsonObject, own: Mapping[str, Any], dialect: Dialect) -> JsonObject:
    """`made` with an issuer's own fields: objects are filled, lists grow, the rest is set."""
    for key, value in cased(own, dialect).items():
        there = made.get(key)
        if isinstance(there, dict) and isinstance(value, Mapping):
            made[key] = added(dict(there), value, dialect)
        elif isinstance(there, list) and isinstance(value, list):
            made[key] = [*there, *value]
        else:
            made[key] = value
    return made


def replayed(
    made: JsonObject,
    node: ChatRequest | Tool | ServerTool,
    caps: Capabilities,
    dialect: Dialect,
    report: Report,
) -> JsonObject:
    """`made` with the own fields of a request or tool; those of other issuers are losses."""
    if node.extras is None:
        return made
    for issuer, own in node.extras.items():
        if issuer not in caps.reads and not issuer.endswith(NOTES):
            report.foreign(node, issuer, own)
    return added(made, own_extras(node, caps), dialect)


NULL = "=null"


_CASES = Dialect(), Dialect(case="snake")


_KEYS_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")


_WORD = re.compile(r"[A-Za-z_$][\w$-]*")


def camel(told: JsonObject) -> JsonObject:
    """One level of an object in camelCase."""
    return cased(told, _CASES[0]) if any("_" in key for key in told) else told


def plain(told: JsonObject) -> JsonObject:
    """One level of an object in camelCase, without what is null."""
    if None in told.values():
        told = {key: value for key, value in told.items() if value is not None}
    return camel(told)


def nulls(told: JsonObject) -> JsonObject:
    """The nulls of an answer; none of an object of google-genai's, which names every field."""
    if any("_" in key for key in told):
        return {}
    return {key: None for key, value in told.items() if value is None}


def read_keys(told: JsonObject, prefix: str = "") -> tuple[JsonObject, list[str]]:
    """(one level in camelCase without nulls, the words that tell how it stood).

    What cannot be told in words keeps its spelling. The object itself comes back if it is plain.
    """
    if "_" not in "".join(told) and None not in told.values():
        return told, []
    made: JsonObject = {}
    words: list[str] = []
    for key, value in told.items():
        if value is None and _WORD.fullmatch(key):
            words.append(f"{prefix}{key}{NULL}")
            continue
        name = _keys_camel(key)
        if name != key and name not in told:
            words.append(prefix + key)
            made[name] = value
        else:
            made[key] = value
    return made, words


def _keys_camel(key: str) -> str:
    """The key in camelCase, if that tells how it was spelled; else as it is."""
    if _KEYS_SNAKE.fullmatch(key) is None:
        return key
    name = next(iter(cased({key: 0}, _CASES[0])))
    return name if next(iter(cased({name: 0}, _CASES[1]))) == key else key


def spell_keys(made: JsonObject, words: Iterable[str], prefix: str = "") -> JsonObject:
    """`made`, whose keys are camelCase, as the words with this prefix tell; in place."""
    for word in words:
        key = word.removeprefix(prefix)
        if not word.startswith(prefix) or "." in key:
            continue
        if key.endswith(NULL):
            made[key.removesuffix(NULL)] = None
        elif "_" in key and (name := _keys_camel(key)) in made:
            made[key] = made.pop(name)
    return made


def spell_paths(body: JsonObject, words: Iterable[str]) -> None:
    """The same for words whose prefix is the path of an object in camelCase; in place."""
    for word in sorted(words, key=lambda word: -word.count(".")):
        *path, key = word.split(".")
        here = body
        for step in path:
            inner = here.get(step)
            if not isinstance(inner, dict):
                if not key.endswith(NULL) or inner is not None:
                    break
                inner = {}
            here[step] = here = dict(inner)
        else:
            spell_keys(here, [key])
