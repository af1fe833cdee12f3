"""What an LLM can be asked: text, messages of this package or of a wire, requests, bodies, files.

One list may mix all kinds of messages: a program may append `answer.msg` to a list of dicts, and
then a dict of the same kind as those before.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import groupby
from mimetypes import guess_type
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from ..codec.sdk_objects import plain
from ..conversion.detection import detect
from ..errors import ConfigError, InvalidMessage, NotMessages
from ..media_fetch.local_files import MOST, bytes_below
from ..message import Base64Source, ChatRequest, ChatResponse, Msg, URLSource
from ..message.blocks import (
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    MediaBlock,
    TextBlock,
    VideoBlock,
)
from ..message.check import LOOSE_CONTENT
from ..model.base import build_body
from ..model.shapes import find_protocols
from ..text.redaction import show
from ..toolkit.results import media_block
from ..vendors import PROTOCOLS, wire

# LangChain's roles, which convert_to_messages of langchain-core 1.7 accepts
_ROLES = {"human": "user", "ai": "assistant"}

FileLike: TypeAlias = str | PathLike[str] | bytes | MediaBlock


def to_request(x: Any) -> ChatRequest:
    """Return the request for text, a message, messages or another wire's body.

    Args:
        x: Text, a Msg, a list of these and of a wire's messages (plain dicts, objects of its SDK,
            answers of an LLM) or of another library's (of which `bridges` has a module), a list of
            texts and media for one message of the user, a ChatRequest, or another wire's body.

    Returns:
        A request with a list of messages of its own. Messages as plain dicts are read by the wire
        that has such messages, by Chat Completions if several have.

    Raises:
        NotMessages: It is none of these; the path names what is not.
        ReadError: It is a body of no known wire.
    """
    if isinstance(x, str):
        return ChatRequest([Msg.user(x)])
    if isinstance(x, Msg):
        return ChatRequest([x])
    if isinstance(x, ChatRequest):
        return replace(x, messages=list(x.messages))
    if isinstance(x, ChatResponse):
        return ChatRequest([x.msg])
    if isinstance(x, Mapping) and isinstance(x.get("role"), str):  # a single message
        return to_request([x])
    if isinstance(x, Mapping):
        body = dict(x)
        request = wire(detect(body).wire, policy="ignore").read_request(body)
        return request if request.model else replace(request, read=None)
    if isinstance(x, LOOSE_CONTENT) and not isinstance(x, (bytes, str)):
        return ChatRequest([Msg.user([x])])
    if (bridge := find_bridge(x)) is not None:  # one message of another library, or a prompt
        return ChatRequest(bridge.read_messages(x).messages)
    if not isinstance(x, Iterable) or isinstance(x, (bytes, bytearray)):
        return ChatRequest(x)  # type: ignore[arg-type]  # it says what is wrong with it
    items = [*x]
    if items and all(isinstance(item, LOOSE_CONTENT) for item in items):
        return ChatRequest([Msg.user(items)])
    items = _cross(items)
    # what no message holds is at fault, and not the text beside it
    others_first = sorted(range(len(items)), key=lambda i: isinstance(items[i], LOOSE_CONTENT))
    found = {i: _message(items[i], f"$.messages[{i}]") for i in others_first}
    return _read_mixed([found[i] for i in range(len(items))])


def find_bridge(value: object) -> Any:
    """Find the bridge for an object of another library; None if there is none for it.

    Bridges are above this: their models ask an LLM.
    """
    return import_module("dragoman.bridges").find_bridge(value)


def _cross(items: list[Any]) -> list[Any]:
    """Return the items with ours in the place of messages of another library."""
    find = import_module("dragoman.bridges").find_bridge  # once: a history can be long
    for item in items:
        if isinstance(item, (Msg, ChatResponse)):
            continue
        if not isinstance(item, Mapping) or find(item) is not None:
            break
    else:
        return items
    found: list[Any] = []
    for bridge, run in groupby(items, find):
        same = [*run]
        found += same if bridge is None else bridge.read_messages(same).messages
    return found


def _message(item: Any, path: str) -> Msg | Mapping[str, Any]:
    """Return a Msg, or a message of a wire as a plain dict."""
    if isinstance(item, Mapping) and item.get("role") in _ROLES:
        role = item["role"]
        raise NotMessages(
            f"no wire has the role {show(role)}", path=f"{path}.role", hint=f'"{_ROLES[role]}"'
        )
    if isinstance(item, Msg):
        return item
    if isinstance(item, Mapping):
        return _with_media(item) or item
    if isinstance(item, ChatResponse):
        return item.msg
    kind = type(item)
    if callable(getattr(item, "model_dump", None)) and isinstance(getattr(item, "role", None), str):
        found = plain(item)
        if isinstance(found, dict):
            # a whole answer of an SDK is a message with further fields
            return {key: found[key] for key in ("role", "content")} if "usage" in found else found
    fault = f"expected a Msg or a dict of a wire, not {kind.__name__}"
    raise NotMessages(fault, path=path, hint=_instead(item))


# media in the forms of libraries, not of wires: LangChain's content blocks (langchain-core 0.3
# and 1.7), the AI SDK's parts (ai 6), MCP's content (schema 2025-11-25)
_MEDIA = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
    "file": DocumentBlock,
    "media": DocumentBlock,
}
_TYPES = ("mime_type", "mimeType", "mediaType", "media_type")
_VALUES = ("url", "base64", "data", "image")


def _with_media(item: Mapping[str, Any]) -> Msg | None:
    """Return the user's message if it has media in the form of a library; None if it has none."""
    content = item.get("content")
    if item.get("role") != "user" or not isinstance(content, list):
        return None
    blocks: list[Any] = []
    for part in content:
        if not isinstance(part, Mapping):
            return None
        if part.get("type") == "text" and part.keys() == {"type", "text"}:
            blocks.append(TextBlock(part["text"]))
        elif (block := _foreign_medium(part)) is not None:
            blocks.append(block)
        else:
            return None
    if all(type(block) is TextBlock for block in blocks):
        return None
    name = item.get("name")
    return Msg.user(blocks, name if isinstance(name, str) else "")


def _foreign_medium(part: Mapping[str, Any]) -> MediaBlock | None:
    """Return the block for a part with its URL or its base64 in a field of its own."""
    kind = part.get("type")
    values = [part[key] for key in _VALUES if isinstance(part.get(key), str)]
    if kind not in _MEDIA or len(values) != 1 or not values[0]:
        return None
    media_type = next((part[key] for key in _TYPES if isinstance(part.get(key), str)), None)
    value, title = values[0], part.get("filename", part.get("name"))
    try:
        if value.partition(":")[0] in ("http", "https", "data", "gs", "s3"):
            source: Any = URLSource(value, media_type)
        elif media_type is not None:
            source = Base64Source(media_type, value)
        else:
            source = Base64Source.from_bytes(b64decode(value, validate=True))
    except ValueError:  # not a known form
        return None
    told = (media_type or getattr(source, "media_type", None) or "").partition("/")[0]
    shown_as = _MEDIA.get(told if kind in ("file", "media") else kind, DocumentBlock)
    block: MediaBlock = shown_as(source, title if isinstance(title, str) else None)
    return block


def _instead(item: Any) -> str:
    if isinstance(item, str):
        return "Msg.user(text)"
    if isinstance(item, tuple) and len(item) == 2 and all(isinstance(one, str) for one in item):
        return "Msg.user(text), Msg.system(text), or Msg(name, content, role)"
    return "Msg(name, content, role), Msg.user(content), or {'role': 'user', 'content': ...}"


def _read_mixed(items: Sequence[Msg | Mapping[str, Any]]) -> ChatRequest:
    """Return the request for messages; the wire that has all of them reads the dicts among them."""
    dicts = [item for item in items if not isinstance(item, Msg)]
    if not dicts:
        return ChatRequest(list(items))  # type: ignore[arg-type]  # all are Msg
    possible = find_protocols(dicts)
    name = next((name for name in PROTOCOLS if name in possible), "openai-chat")
    reader = wire(name, policy="ignore")
    if len(dicts) == len(items):
        request = reader.read_request(build_body(reader.room.messages_path, dicts))
        return replace(request, read=None)  # it is no complete body: it names no model
    messages: list[Msg] = []
    for is_ours, run in groupby(items, lambda item: isinstance(item, Msg)):
        if is_ours:
            messages += run  # type: ignore[arg-type]
        else:
            body = build_body(reader.room.messages_path, [*run])
            messages += reader.read_request(body).messages
    return ChatRequest(messages)


# -- files -----------------------------------------------------------------------------------------


def with_files(request: ChatRequest, files: Iterable[FileLike] | FileLike) -> ChatRequest:
    """Return the request with files before the text of its last message, which must be the user's.

    Args:
        request: The request.
        files: Paths, URLs, bytes and media blocks, or one of these. The program itself names these
            files, so they are read wherever they are.

    Raises:
        ConfigError: A file cannot be read, or its type cannot be detected.
    """
    given: Iterable[Any] = files  # type: ignore[assignment]  # or one of them, which is asked next
    if isinstance(files, (str, PathLike, bytes, MediaBlock)):
        given = [files]
    if not isinstance(given, Iterable):
        raise _no_file(files, "$.files")
    blocks = [_medium(file, f"$.files[{i}]") for i, file in enumerate(given)]
    if not blocks:
        return request
    *before, last = request.messages or [Msg.user([])]
    if last.role != "user":
        before, last = [*before, last], Msg.user([])
    shown_to = Msg.create_unchecked(last.name, [*blocks, *last.blocks], "user", like=last)
    return replace(request, messages=[*before, shown_to])


def _medium(file: Any, path: str) -> MediaBlock:
    """Return the block for a file."""
    if isinstance(file, MediaBlock):
        return file
    if isinstance(file, str) and file.startswith(("https://", "http://", "data:", "gs://")):
        return _by_name(file)
    try:
        if isinstance(file, bytes):
            return media_block(Base64Source.from_bytes(file))
        return read_file(file)
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", "") or getattr(error, "message", "") or str(error)
        text = f"cannot show {show(file)}: {what}"
        raise ConfigError(text, path=path, hint=_FILES, code="llm.files") from error
    except TypeError:
        raise _no_file(file, path) from None


_FILES = "a path, a URL, bytes, or a block such as ImageBlock.from_bytes(data)"


def _no_file(value: object, path: str) -> ConfigError:
    text = f"{type(value).__name__} is no file"
    return ConfigError(text, path=path, hint=_FILES, code="llm.files")


def _by_name(url: str) -> MediaBlock:
    """Return the block for a URL: an image, unless its name shows another type."""
    head, _, _ = url.partition(",")
    kind = head[5:].partition(";")[0] if head.startswith("data:") else guess_type(url)[0]
    return replace(media_block(Base64Source(kind or "image/png", "")), source=URLSource(url))


def read_file(file: str | PathLike[str]) -> MediaBlock:
    """Return the block for a local file, of the type that its bytes or its name show.

    Raises:
        OSError: It cannot be read, or is larger than 256 MB.
        InvalidMessage: Its type cannot be detected.
    """
    place = Path(file).expanduser().resolve()
    data = bytes_below(place.parent, (place.name,), MOST)
    try:
        source = Base64Source.from_bytes(data)
    except InvalidMessage:
        source = Base64Source.from_bytes(data, guess_type(place.name)[0])
    is_document = source.media_type.partition("/")[0] not in ("image", "audio", "video")
    return media_block(source, place.name if is_document else None)
