"""How the value of a row becomes facts: what wires spell in different ways becomes one value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

__all__ = ["SERVED", "SPELLED", "Fact", "canonical", "payload"]


class Fact(NamedTuple):
    """One thing said. `scope` narrows where it may stand: a seat, an option's name, a key."""

    kind: str
    scope: str
    value: Any
    path: str


def _url(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    data, mime = payload(str(value))
    yield Fact("data", scope, data, path)
    if mime:
        yield Fact("mime", "", mime, path)


def _data(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("data", scope, payload(str(value))[0], path)


def _suffix(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("mime", "", _mime(str(value)), path)


def _call(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """Arguments, as text or as JSON: the value counts."""
    yield Fact("call", "", parsed(value), path)


def _schema(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """A schema, as text or as JSON; a word in its place is the form of the answer."""
    schema = parsed(value)
    if isinstance(schema, list) and all(isinstance(one, dict) and "name" in one for one in schema):
        schema = _listed(schema)
    if isinstance(schema, str):
        yield Fact("format", "", schema, path)
    else:
        yield Fact("schema", scope, schema, path)


def _listed(parameters: list[Any]) -> dict[str, Any]:
    """Parameters declared one by one, as by older clients of DashScope, as the schema they mean."""
    inner = {one["name"]: {k: v for k, v in one.items() if k not in ("name", "required")}
             for one in parameters}  # fmt: skip
    required = [one["name"] for one in parameters if one.get("required")]
    return {"type": "object", "properties": inner, "required": required}


def _picked(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """A choice that is the only key of an object."""
    for word, inner in value.items() if isinstance(value, dict) else ((value, None),):
        yield Fact("choice", "", word, path)
        if isinstance(inner, dict) and "name" in inner:
            yield Fact("choice_name", "", inner["name"], f"{path}.{word}.name")


def _include(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """What else an answer shall hold: of some things other wires have a flag."""
    if value == "message.output_text.logprobs":
        yield Fact("option", "logprobs", True, path)
    else:
        yield Fact("leaf", "include", value, path)


def _choice(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """Whether a tool must be called; of a list of allowed ones the list says it."""
    if value != "allowed_tools":
        yield Fact("choice", "", value, path)
    if value in ("VALIDATED", "validated"):  # and what is called, is called right
        yield Fact("every", "strict", True, path)


def _id(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("result_id" if seat == "tool" else "id", "", value, path)


def _status(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("option", "error", value == "error", path)


def _cache(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """A mark to cache up to here, whatever its name: in the system, a turn or the tools."""
    yield Fact("cache", _area(seat), "here", path)


def _ttl(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("ttl", _area(seat), value, path)


def _area(seat: str) -> str:
    return "system" if seat == "system" else "turns" if seat else "tools"


def _alone(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("option", "parallel", value is not True, path)


def _thinks(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """Whether to think; a level says how much."""
    level = isinstance(value, str) and value.lower() in ("minimal", "low", "medium", "high", "max")
    yield Fact("effort" if level else "thinks", "", value, path)


def _effort(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("effort", "", value.lower() if isinstance(value, str) else value, path)


def _shows(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """Whether thoughts are shown; how fully, one wire alone can say."""
    yield Fact("shows", "", value not in (False, "none", "omitted"), path)


def _hides(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    yield Fact("shows", "", value is not True, path)


def _tag(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """What kind of tool it is."""
    served = next((kind for word, kind in SERVED.items() if str(value).startswith(word)), None)
    if served is not None:
        yield Fact("server", "", served, path)
    elif value not in ("function", "custom", "namespace"):
        yield Fact("leaf", "type", value, path)


def _tool_name(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """The name of a function: that of a tool of the provider's follows from its kind."""
    if seat != "server":
        yield Fact("tool_name", "", value, path)


def _detail(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """How closely an image is looked at; Gemini spells the same words as its constants."""
    word = str(value).removeprefix("MEDIA_RESOLUTION_").lower()
    yield Fact("detail", "", "auto" if word == "unspecified" else word, path)


def _passage(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """A document in a list of its own, which Cohere cites without being asked."""
    yield Fact("text", scope, value, path)
    yield Fact("cites_anyway", "", True, path)


def _cited_result(scope: str, value: Any, path: str, seat: str) -> Iterator[Fact]:
    """A result in a document, which is cited likewise."""
    yield Fact("result", scope or seat, value, path)
    yield Fact("cites_anyway", "", True, path)


SPELLED: dict[str, Callable[[str, Any, str, str], Iterator[Fact]]] = {
    "detail": _detail, "passage": _passage, "cited_result": _cited_result,
    "url": _url, "data": _data, "mime": _suffix, "suffix": _suffix, "call": _call,
    "schema": _schema, "picked": _picked, "id": _id, "status": _status, "alone": _alone,
    "cache": _cache, "ttl": _ttl, "choice": _choice, "include": _include, "effort": _effort,
    "thinks": _thinks, "shows": _shows, "hides": _hides,
    "tag": _tag, "tool_name": _tool_name,
}  # fmt: skip
# how the tags of tools that the provider runs begin -> what they are
SERVED = {
    "web_search": "web_search", "openrouter:web_search": "web_search",
    "web_fetch": "web_fetch", "openrouter:web_fetch": "web_fetch", "url_context": "web_fetch",
    "code_execution": "code_execution", "nova_code_interpreter": "code_execution",
    "nova_grounding": "web_search", "code_interpreter": "code_execution",
    "file_search": "file_search", "google_search": "web_search", "browser_search": "web_search",
}  # fmt: skip


def payload(text: str) -> tuple[str, str]:
    """(base64 without its padding, or the URL or id itself; the type that a data URI names)."""
    if text.startswith("data:"):
        head, _, data = text.partition(",")
        return _plain(data), _mime(head[5:].split(";")[0])
    return _plain(text), ""


LONG = 40  # characters from which on a text without a colon is data


def _plain(data: str) -> str:
    """Both alphabets of base64 as one; a link, the id of a file or a plain text as it is."""
    if len(data) < LONG or ":" in data[:8] or " " in data[:LONG] or "\n" in data[:LONG]:
        return data
    return data.rstrip("=").replace("-", "+").replace("_", "/")


# the last word of a media type -> the word that everybody means by it
_ALIKE = {"jpg": "jpeg", "mp3": "mpeg", "mpga": "mpeg", "x-wav": "wav", "wave": "wav",
          "plain": "txt", "markdown": "md", "three_gp": "3gpp", "quicktime": "mov",
          "vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx", "x-m4a": "m4a",
          "vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
          "x-matroska": "mkv", "x-ms-wmv": "wmv", "x-flv": "flv", "msword": "doc",
          "vnd.ms-excel": "xls"}  # fmt: skip


def _mime(text: str) -> str:
    """`image/jpeg`, `jpeg` and `jpg` are one."""
    word = text.lower().split(";")[0].rpartition("/")[2]
    return _ALIKE.get(word, word)


def parsed(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return value
    return value


def canonical(value: Any) -> str:
    """JSON that is equal as text where it is equal as a value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
