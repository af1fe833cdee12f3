"""Content parts: what a user shows, what the model said, and what stands in a tool result.

A breakpoint of the prompt cache stands on input parts alone. Opens nothing.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Capabilities
from ...errors import WriteError
from ...jsontext import JsonObject
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    URLSource,
)
from ...message.blocks import CacheHint, ContentBlock, MediaBlock
from ...shapes import own_extras
from .cited import annotation
from .dialect import Dialect

__all__ = ["PART", "Parts", "is_part", "mark"]

PART = "part"  # the reader's note: this stood inside of a message or a result

# The types that stand inside a message or a result; every other one is an item of its own.
_PARTS = frozenset({"input_text", "input_image", "input_file", "input_audio", "output_text",
                    "refusal"})  # fmt: skip
_DETAILS = {
    "image": frozenset({"low", "high", "auto", "original"}),
    "document": frozenset({"low", "high", "auto"}),
}
_SOUNDS = {"audio/mp3": "mp3", "audio/mpeg": "mp3"}
# The API reads the kind of a file off its name, which bytes must have.
_ENDINGS = {
    "application/pdf": "pdf", "application/json": "json", "application/xml": "xml",
    "application/rtf": "rtf", "application/msword": "doc", "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt", "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "text/markdown": "md", "text/html": "html", "text/csv": "csv", "text/xml": "xml",
}  # fmt: skip


class Parts:
    """Content parts in one dialect; what a part has no field for goes to the report."""

    __slots__ = ("_always", "can", "report")

    def __init__(self, can: Capabilities, dialect: Dialect, report: Report) -> None:
        self.can = can
        self.report = report
        self._always = dialect.detail

    def given(self, block: ContentBlock, own: JsonObject | None = None) -> JsonObject:
        """`input_text`, `input_image`, `input_file` or `input_audio`, or a part as it came.

        `own`: the part's own fields, where the block's extras hold those of its item too.
        """
        made: JsonObject
        if type(block) is TextBlock:
            made = {"type": "input_text", "text": block.text}
            if block.citations is not None:  # only what the model said can be supported by others
                self.report.lost("citations.unsaid", block, "citations")
        elif type(block) is ImageBlock:
            made = self._image(block)
        elif type(block) is DocumentBlock:
            made = self._file(block)
        elif type(block) is AudioBlock and isinstance(block.source, Base64Source):
            form = _SOUNDS.get(block.source.media_type, "wav")
            sound = {"data": block.source.data, "format": form}
            made = {"type": "input_audio", "input_audio": sound}
        elif type(block) is RawBlock and isinstance(block.data, dict):
            return block.data
        else:
            raise WriteError(f"{block.type} is no part of an input", code="seat.unsaid")
        if block.extras is not None:
            made.update(own_extras(block, self.can) if own is None else own)
        if block.cache is not None:
            made["prompt_cache_breakpoint"] = mark(block.cache)
        return made

    def said(self, block: TextBlock | RefusalBlock, own: JsonObject) -> JsonObject:
        """`output_text` or `refusal`, with the part's own fields."""
        if type(block) is RefusalBlock:
            return {"type": "refusal", "refusal": block.text, **own}
        self.unhinted(block)
        made: JsonObject = {"type": "output_text", "text": block.text}
        if block.citations and "annotations" not in own:
            listed = [annotation(one, self.can.reads) for one in block.citations]
            if said := [one for one in listed if one is not None]:
                made["annotations"] = said
            if None in listed:
                self.report.lost("citations.unsaid", block, "citations")
        return {**made, **own}

    def unhinted(self, block: Any) -> None:
        """A block whose item or part takes no breakpoint."""
        if getattr(block, "cache", None) is not None:
            self.report.lost("cache.unsaid", block, "cache")

    def _image(self, block: ImageBlock) -> JsonObject:
        made: JsonObject = {"type": "input_image"}
        if isinstance(block.source, FileSource):
            made["file_id"] = block.source.file_id
        else:
            made["image_url"] = _url(block)
        detail = self._detail(block)
        if detail is not None or self._always:
            made["detail"] = detail or "auto"
        return made

    def _file(self, block: DocumentBlock) -> JsonObject:
        made: JsonObject = {"type": "input_file"}
        source = block.source
        if isinstance(source, Base64Source):
            made["filename"] = block.title or f"document.{_ENDINGS.get(source.media_type, 'txt')}"
            made["file_data"] = source.data_uri()
        elif block.title is not None:
            # a file that is already somewhere has its name there
            self.report.lost("media.detail", block, "title")
        if isinstance(source, FileSource):
            made["file_id"] = source.file_id
        elif isinstance(source, URLSource):
            made["file_url"] = source.url
        elif not isinstance(source, Base64Source):
            raise WriteError(f"document from a {source.type} source", code="seat.unsaid")
        if (detail := self._detail(block)) is not None:
            made["detail"] = detail
        return made

    def _detail(self, block: ImageBlock | DocumentBlock) -> str | None:
        if block.detail is None or block.detail in _DETAILS[block.type]:
            return block.detail
        self.report.lost("media.detail", block, "detail", what=block.detail)
        return None


def mark(hint: CacheHint) -> JsonObject:
    """A `prompt_cache_breakpoint`, with a lifetime if one was given."""
    return {"mode": "explicit"} if hint.ttl is None else {"mode": "explicit", "ttl": hint.ttl}


def is_part(block: RawBlock) -> bool:
    """Whether the block's own JSON stands inside a message."""
    if block.spelling == PART:
        return True
    kind = block.data.get("type") if isinstance(block.data, dict) else None
    return isinstance(kind, str) and kind in _PARTS


def _url(block: MediaBlock) -> str:
    match block.source:
        case URLSource(url=url):
            return url
        case Base64Source() as source:
            return source.data_uri()
        case other:
            raise WriteError(f"{block.type} from a {other.type} source", code="seat.unsaid")
