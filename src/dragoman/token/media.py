"""Media in formatted messages, recognised by their shape on any wire, and what they cost.

Base64 is no text to a model, so no counter may read it as text: it is cut out of a view that
shares everything else with the message. Tool arguments are never searched: what stands there is
text to the model, whatever it looks like. Knows shapes, not wires.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from ..errors import ConfigError

__all__ = ["ESTIMATES", "Kind", "Medium", "estimates", "without_payloads"]

Kind: TypeAlias = Literal["image", "audio", "video", "document"]

# Tokens of one medium. Round upper figures of what providers charge for a picture of a megapixel
# (OpenAI 765, Gemini 1,120, Qwen 1,300, Claude 1,570), a minute of speech (OpenAI 600, Gemini
# 1,920), a minute of video at low resolution (Gemini 6,000) and three pages of PDF (Claude 6,000).
ESTIMATES: Mapping[Kind, int] = {"image": 1500, "audio": 2000, "video": 6000, "document": 6000}

# Where media stand in a part, with the kind that the key tells. A file's kind is in its media type.
_PLACES: Mapping[str, Kind] = {
    "image": "image",
    "image_url": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "document": "document",
    "document_url": "document",
    "doc_url": "document",
    "file": "document",
    "file_id": "document",
    "file_url": "document",
    "file_data": "document",
    "fileData": "document",
    "inline_data": "document",
    "inlineData": "document",
    "source": "document",
}
# Keys whose lists or objects hold further parts: message contents and tool results.
_CONTAINERS = (
    "content",
    "parts",
    "output",
    "toolResult",
    "functionResponse",
    "function_response",
)
_MEDIA_TYPES = ("media_type", "mime_type", "mimeType")
# Keys of a part's type that name a medium: `source` alone may also be the link of a search result.
_TYPES: Mapping[str, Kind] = {
    "image": "image",
    "input_image": "image",
    "computer_screenshot": "image",
    "audio": "audio",
    "video": "video",
    "document": "document",
}
_HEADS: Mapping[str, Kind] = {
    "image": "image",
    "audio": "audio",
    "video": "video",
    "application": "document",
    "text": "document",
}
_HEADER = 200  # a data URI's media type and parameters end long before this
_LONGEST_PATH = 1024  # what is longer and has neither scheme nor header is base64 all the same


@dataclass(frozen=True, slots=True)
class Medium:
    """One medium of a message; `inline` when the message carries its bytes, else a reference.

    `payload` is what stood there: a data URI, bare base64, bytes or the reference; `detail` is the
    resolution that OpenAI's messages ask for, where they do.
    """

    kind: Kind
    inline: bool
    payload: Any = field(default=None, compare=False, repr=False)
    detail: str = field(default="", compare=False)


def estimates(given: Mapping[Kind, int] | None) -> dict[Kind, int]:
    """The table of estimates with a user's figures put over the defaults."""
    unknown = set(given or ()) - set(ESTIMATES)
    if unknown:
        raise ConfigError(
            f"no such kind of medium: {', '.join(map(str, sorted(unknown)))}",
            hint=f"the kinds are {', '.join(ESTIMATES)}",
            code="token.media_kind",
        )
    return {**ESTIMATES, **(given or {})}


def without_payloads(part: dict[str, Any]) -> tuple[dict[str, Any], list[Medium]]:
    """A message (or one part of it) without base64, and the media found in it.

    The given dict is not changed; it is returned itself when it carries no base64.
    """
    found: list[Medium] = []
    return _part(part, found), found


def _part(part: dict[str, Any], found: list[Medium]) -> dict[str, Any]:
    before = len(found)
    changed: dict[str, Any] = {}
    for key, value in part.items():
        if not value or isinstance(value, (bool, int, float)):
            continue
        if key in _CONTAINERS:
            new = _inside(value, found)
        elif key in _PLACES:
            new = _place(part, key, value, found)
        elif key == "images" and isinstance(value, list):
            new = [_frame(item, "image", found, raw=True) for item in value]
        elif key == "result" and part.get("type") == "image_generation_call":
            new = _frame(value, "image", found, raw=True)
        else:
            continue
        if new is not value:
            changed[key] = new
    _detailed(part, found, before)
    return {**part, **changed} if changed else part


def _detailed(holder: dict[str, Any], found: list[Medium], before: int) -> None:
    """Tell the media found in `holder` the detail that it asks for."""
    if isinstance(detail := holder.get("detail"), str) and len(found) > before:
        found[before:] = [
            medium if medium.detail else replace(medium, detail=detail) for medium in found[before:]
        ]


def _inside(value: Any, found: list[Medium]) -> Any:
    """The parts of a message or of a tool result; text stays what it is."""
    if isinstance(value, dict):
        return _part(value, found)
    if not isinstance(value, list):
        return value
    new = [_part(item, found) if isinstance(item, dict) else item for item in value]
    return new if any(a is not b for a, b in zip(new, value, strict=True)) else value


def _place(part: dict[str, Any], key: str, value: Any, found: list[Medium]) -> Any:
    """The value of a key where a medium stands, its bytes cut out."""
    kind = _PLACES[key]
    if key in ("source", "file_id"):
        known = _TYPES.get(str(part.get("type", "")))
        if known is None and key == "source":
            return value
        kind = known or kind
    if isinstance(value, list):  # the frames of a video
        new = [_frame(item, "image", found, raw=False) for item in value]
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    if isinstance(value, dict):
        return _holder(value, kind, found)
    return _frame(value, kind, found, raw=key in ("input_audio", "file_data"))


def _holder(value: dict[str, Any], kind: Kind, found: list[Medium]) -> dict[str, Any]:
    """An object around a medium: `{"url"}`, `{"data"}`, `{"file_data"}`, `{"source": ...}`."""
    source = value.get("source")
    if isinstance(source, dict):
        new = _holder(source, kind, found)
        return value if new is source else {**value, "source": new}
    if value.get("type") == "text" or "text" in value:  # a document of plain text is text
        return value
    if "content" in value:
        return _part(value, found)
    kind = next((_kind(value[key], kind) for key in _MEDIA_TYPES if value.get(key)), kind)
    for key in ("data", "bytes", "file_data"):
        payload = value.get(key)
        if isinstance(payload, (str, bytes)):
            return {**value, key: _frame(payload, kind, found, raw=True)}
        if payload is not None:  # an object of the user's own: text to the model
            return value
    url, before = value.get("url"), len(found)
    new_url = _frame(url, kind, found, raw=False)
    _detailed(value, found, before)
    return value if new_url is url else {**value, "url": new_url}


def _frame(value: Any, kind: Kind, found: list[Medium], *, raw: bool) -> Any:
    """One payload or reference; `raw` says that text without a `data:` header is base64 too."""
    if isinstance(value, dict):
        return _holder(value, kind, found)
    if isinstance(value, bytes):
        found.append(Medium(kind, inline=True, payload=value))
        return b""
    if isinstance(value, str) and value[:5].lower() == "data:":
        header = value[:_HEADER].partition(",")[0]
        found.append(Medium(_kind(header[5:], kind), inline=True, payload=value))
        return f"{header}," if len(header) < _HEADER else "data:,"
    inline = isinstance(value, str) and (
        raw or (len(value) > _LONGEST_PATH and "://" not in value[:_HEADER])
    )
    found.append(Medium(kind, inline, payload=value))
    return "" if inline else value


def _kind(media_type: Any, default: Kind) -> Kind:
    return _HEADS.get(str(media_type).partition("/")[0], default)
