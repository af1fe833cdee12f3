"""A key for a formatted message: equal keys, equal tokens.

By content and not by identity, since formatters make new dicts each time and users may change
old ones. Strings keep their hash, and are compared by identity first, so that a message whose
texts were seen before costs no walk over its characters.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

__all__ = ["content_key"]

_LONG = 256  # what is longer is known by its length and hash, so that a key keeps no long text
_PAYLOAD = 4096
_END = 128
_DICT, _LIST = 0, 1  # what a tuple stands for: {"a": "b"} is not ["a", "b"]
# Where base64 stands. Compressed data differ in their last bytes if they differ at all.
_PAYLOADS = frozenset(
    (
        *("data", "url", "bytes", "file_data", "image_url", "image", "audio", "video"),
        *("input_audio", "images", "result", "document", "file"),
    )
)
# What stands below these keys is the user's own: text to the model, whatever the keys are.
_OWN = frozenset(("input", "args", "arguments", "response", "parameters", "input_schema", "json"))


def content_key(value: Any) -> Hashable:
    """The key of a message, a tool schema or a list of them; takes what JSON has, and bytes."""
    return _key(value, False, True)


def _key(value: Any, payload: bool, media: bool) -> Hashable:
    kind = type(value)
    if kind is str:
        return value if len(value) <= _LONG else _text(value, payload)
    if kind is dict:
        items: list[Hashable] = []
        told = value.get("type") == "text"  # a text document, whose `data` are words
        for name, item in value.items():
            payload = media and name in _PAYLOADS and not told
            items += name, _key(item, payload, media and name not in _OWN)
        return _DICT, *items
    if kind is list or kind is tuple:
        return _LIST, *[_key(item, payload, media) for item in value]
    if kind is bytes:
        return "bytes", len(value), value[:_END], value[-_END:]
    if isinstance(value, dict):
        return _key(dict(value), payload, media)
    if isinstance(value, list):
        return _key(list(value), payload, media)
    if isinstance(value, str):
        return _key(str(value), payload, media)
    return kind.__name__, repr(value)  # 1, 1.0 and True are equal and written differently


def _text(value: str, payload: bool) -> Hashable:
    size = len(value)
    if payload and size > _PAYLOAD:
        return size, value[:_END], value[-_END:]
    return size, hash(value), value[:16]
