"""What hosts of Converse may disagree on, formats of media, how a request is recognised."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from ..._old_names import keeps_old_names
from ...message.blocks import MEDIA_KINDS
from ...text.json_text import Json
from .fields import FIELDS


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Dialect:
    """The host's endpoint and default model.

    Attributes:
        path: The path of the endpoint below the base URL.
        reads_items_of: The hosts and protocols whose extras, opaque blocks and ids of stored items
            the host reads, its own name first.
    """

    path: str = "/model/{model}"
    model: str = "us.anthropic.claude-sonnet-5"  # asked where the row of a host names none
    reads_items_of: tuple[str, ...] = ("bedrock-converse", "bedrock")


# service model: ImageFormat, DocumentFormat, VideoFormat, AudioFormat
FORMATS = {
    "image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp",
    "application/pdf": "pdf", "text/csv": "csv", "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html", "text/plain": "txt", "text/markdown": "md",
    "video/x-matroska": "mkv", "video/quicktime": "mov", "video/mov": "mov", "video/mp4": "mp4",
    "video/webm": "webm", "video/x-flv": "flv", "video/mpeg": "mpeg", "video/mpg": "mpg",
    "video/x-ms-wmv": "wmv", "video/wmv": "wmv", "video/3gpp": "three_gp",
    "audio/mp3": "mp3", "audio/mpeg": "mp3", "audio/opus": "opus", "audio/wav": "wav",
    "audio/x-wav": "wav", "audio/wave": "wav", "audio/aac": "aac", "audio/x-aac": "x-aac",
    "audio/flac": "flac", "audio/mp4": "mp4", "audio/m4a": "m4a", "audio/x-m4a": "m4a",
    "audio/ogg": "ogg", "audio/webm": "webm", "audio/pcm": "pcm", "audio/x-matroska": "mka",
}  # fmt: skip

# (kind, ending of an address) -> the format that it means
ENDINGS = {("image", "jpg"): "jpeg", ("video", "3gp"): "three_gp"}

# (kind, format) -> media type: of formats that our own writer does not use, and of all others
MEDIA_TYPES = {
    ("image", "jpg"): "image/jpeg",
    ("audio", "mpeg"): "audio/mpeg",
    ("audio", "mpga"): "audio/mpeg",
    ("audio", "mkv"): "audio/x-matroska",
    ("video", "mpg"): "video/mpeg",
    ("video", "3gp"): "video/3gpp",
}

MEDIA_TYPES_OF_KIND: dict[str, tuple[str, ...]] = {"audio": ("audio/x-m4a",)}

for _type, _form in FORMATS.items():
    _kind = _type.partition("/")[0]
    _kind = _kind if _kind in MEDIA_KINDS else "document"
    MEDIA_TYPES_OF_KIND[_kind] = (*MEDIA_TYPES_OF_KIND.get(_kind, ()), _type)
    MEDIA_TYPES.setdefault((_kind, _form), _type)
    if _form.isalnum():  # `three_gp` and `x-aac` are no endings
        ENDINGS[_kind, _form] = _form


# service model: members of ConverseRequest that other bodies of messages lack, and of ContentBlock
_OWN = FIELDS.names - {"messages", "system", "modelId"}

_BLOCKS = frozenset(
    {
        "text",
        "image",
        "document",
        "video",
        "audio",
        "toolUse",
        "toolResult",
        "guardContent",
        "cachePoint",
        "reasoningContent",
        "citationsContent",
        "searchResult",
        "toolAddition",
        "toolRemoval",
    }
)


_STREAMED = "converse-stream"


def read_path(path: str | None) -> tuple[str | None, bool]:
    """Read `.../model/{modelId}/converse`: return the model, and whether a stream is wanted."""
    parent, _, operation = (path or "").partition("?")[0].rstrip("/").rpartition("/")
    _, separator, model = parent.rpartition("/model/")
    if not separator or operation not in ("converse", _STREAMED):
        return None, False
    return unquote(model) or None, operation == _STREAMED


def claims(body: Json, path: str | None = None) -> bool:
    """Whether the body can be a request of Converse; a path of Converse weighs most."""
    if not isinstance(body, dict) or not isinstance(body.get("messages", []), list):
        return False
    if read_path(path)[0] is not None:
        return not body.keys() - FIELDS.names or "messages" in body
    if body.keys() - FIELDS.names or (not body.get("messages") and _OWN.isdisjoint(body)):
        return False
    return _claims_blocks(body.get("system", [])) and all(
        isinstance(message, dict)
        and message.get("role") in ("user", "assistant", "system")
        and message.keys() <= {"role", "content"}
        and _claims_blocks(message.get("content"))
        for message in body.get("messages", ())
    )


def _claims_blocks(data: Json) -> bool:
    return isinstance(data, list) and all(
        isinstance(block, dict) and len(block) == 1 and not _BLOCKS.isdisjoint(block)
        for block in data
    )
