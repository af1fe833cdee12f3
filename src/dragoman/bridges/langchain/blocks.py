"""LangChain's content blocks (`langchain_core.messages.content`) and ours.

Reference: langchain-core 1.8.3, `messages/content.py` and `messages/block_translators/`, read and
run on 2026-11-29. A block has its fields, and `extras` for those of a provider; which provider that
is, `response_metadata["model_provider"]` of the message says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...losses import Report
from ...message import (
    Base64Source,
    CacheHint,
    Citation,
    FileSource,
    LocalSource,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    URLSource,
)
from ...message.blocks import (
    AudioBlock,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    MediaBlock,
    ToolUseBlock,
    VideoBlock,
)
from ...message.media_urls import read_url
from ...protocols.anthropic.blocks import cache_control, read_part, take_cache
from ...stream.arguments import parse_arguments
from ...text.json_text import Json, JsonObject, arguments
from ..results import lose_extras, own_fields, text_or_none
from .names import CHAT, LANGCHAIN, OURS, UNFINISHED, find_issuer, find_provider

_PARAGRAPHS = "\n\n"  # between the parts of a summary, as the reader of Responses joins them
_MEDIA: dict[str, type[Any]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
    "file": DocumentBlock,
}
_TITLES = ("title", "filename", "name")
_NAMES_OF_FILES = ("filename", "title")  # langchain-openai reads the one, langchain-anthropic both
_URL_KEYS = frozenset({"url", "base64"})
_FILE_ISSUER = "file_issuer"  # in `extras`: whose file it is, where the message names no provider
_SIGNED_PARTS = ("gemini", "vertex")  # whose signatures belong to parts of any kind
# what tells the kinds of Anthropic's citations apart, as langchain-anthropic does
_CITATIONS = (
    ("start_char_index", "char_location", "document_title"),
    ("search_result_index", "search_result_location", "title"),
    ("start_block_index", "content_block_location", "document_title"),
    ("start_page_number", "page_location", "document_title"),
)


class StandardReader:
    """Reads the v1 blocks of one message.

    Args:
        issuer: The issuer of what its provider wrote; empty if it names none.
        origin: Who wrote it, None if that is not known.
    """

    def __init__(self, issuer: str = "", origin: Origin | None = None) -> None:
        self._issuer = issuer
        self._origin = origin

    def read(self, blocks: Iterable[Mapping[str, Any]]) -> list[ContentBlock]:
        """Read blocks; what is in no block of ours is kept in one for LangChain alone."""
        found: list[ContentBlock] = []
        last_thought: object = None
        for block in blocks:
            data = {key: value for key, value in block.items() if key != "index"}
            kind = data.get("type")
            thought = data.get("id") if kind == "reasoning" else None
            if thought and thought == last_thought and isinstance(found[-1], ThinkingBlock):
                self._go_on(found[-1], data)  # Responses: one item, a block for each paragraph
            else:
                found.append(self._read_one(data, str(kind)))
            last_thought = thought
        return found

    def _read_one(self, data: JsonObject, kind: str) -> ContentBlock:
        fields = {key: value for key, value in data.items() if key != "type"}
        block: ContentBlock | None = None
        if not isinstance(fields.get("extras") or {}, dict):
            return RawBlock(LANGCHAIN, dict(data))
        if fields.get("extras"):
            fields["extras"] = dict(fields["extras"])  # the message stays as it is
        if kind == "text" and isinstance(data.get("text"), str):
            block = self._text(fields)
        elif kind == "reasoning":
            block = self._thinking(fields)
        elif kind in _MEDIA:
            block = self._medium(_MEDIA[kind], fields)
        elif kind == "text-plain" and isinstance(fields.get("text"), str):
            source = TextSource([fields.pop("text")], media_type=_pop_text(fields, "mime_type"))
            block = DocumentBlock(source, **_titled(fields))
            _take_cite(block, fields)
        elif kind == "refusal":
            extras = fields.get("extras") or {}
            block = RefusalBlock(str(fields.pop("refusal", "")), text_or_none(extras.get("type")))
        elif kind == "tool_call":
            block = self.call(fields)
        elif kind in ("invalid_tool_call", "tool_call_chunk"):
            block = self.broken_call(fields)
        elif kind == "non_standard" and "value" in data:
            return self.raw(data["value"], (data.get("extras") or {}).get(OURS))
        if block is None:
            return RawBlock(LANGCHAIN, dict(data))
        self._keep(block, fields)
        return block

    def raw(self, value: Any, noted: Any = None) -> ContentBlock:
        """Read what a provider alone has; `noted` is what a block of ours knew besides."""
        kind = value.get("type") if isinstance(value, dict) else None
        if isinstance(noted, Mapping):
            return RawBlock(
                noted.get("issuer", self._issuer or LANGCHAIN),
                value,
                noted.get("role", "item"),
                noted.get("pair"),
                noted.get("by", "server"),
            )
        if isinstance(value, dict) and kind == "media":  # langchain-google-genai
            block = self._medium(DocumentBlock, {k: v for k, v in value.items() if k != "type"})
            if block is not None:
                return block
        if self._issuer == "anthropic":
            return read_native(value, self._issuer, self._origin)
        return RawBlock(self._issuer or LANGCHAIN, value)

    def _keep(self, block: Any, fields: JsonObject) -> None:
        """Keep the fields that the block itself does not hold, as its provider's or LangChain's."""
        if str(fields.get("id", "")).startswith("lc_"):
            del fields["id"]  # made up anew by every reading of `content_blocks`
        extras = fields.pop("extras", None)
        flat = {**fields, **extras} if isinstance(extras, dict) else fields
        if hasattr(block, "cache") and (hint := take_cache(flat)) is not None:
            block.cache = hint
        if isinstance(block, ToolUseBlock) and "item_id" in flat:
            flat["id"] = flat.pop("item_id")
        if self._issuer in _SIGNED_PARTS and "signature" in flat:
            flat["thoughtSignature"] = flat.pop("signature")
        flat = {key: value for key, value in flat.items() if value is not None}
        if flat:
            block.extras = {self._issuer or LANGCHAIN: {**self._own(block), **flat}}

    def _own(self, block: Any) -> JsonObject:
        return own_fields(block.extras, self._issuer or LANGCHAIN)

    def _text(self, fields: JsonObject) -> TextBlock:
        block = TextBlock(fields.pop("text"))
        annotations = fields.pop("annotations", None)
        if isinstance(annotations, list) and annotations:
            block.citations = [self._citation(one) for one in annotations]
            if self._issuer == "anthropic":
                raw = [_anthropic_citation(one) for one in annotations]
                block.extras = {"anthropic": {"citations": raw}}
        return block

    def _citation(self, data: Any) -> Citation:
        if not isinstance(data, dict) or not isinstance(data.get("extras") or {}, dict):
            return Citation(extras={self._issuer or LANGCHAIN: {"value": data}})
        if data.get("type") == "non_standard_annotation":
            value = data.get("value")
            kept = value if isinstance(value, dict) else {"value": value}
            return Citation(extras={self._issuer or LANGCHAIN: kept})
        extras = data.get("extras") or {}
        citation = Citation(
            data.get("start_index"),
            data.get("end_index"),
            data.get("url"),
            data.get("title"),
            data.get("cited_text"),
        )
        if extras and self._issuer != "anthropic":  # Anthropic's are kept whole, on the text
            citation.extras = {self._issuer or LANGCHAIN: dict(extras)}
        return citation

    def _thinking(self, fields: JsonObject) -> ThinkingBlock:
        block = ThinkingBlock(str(fields.pop("reasoning", "") or ""), origin=self._origin)
        for place in (fields, fields.get("extras")):
            if not isinstance(place, dict):
                continue
            if self._issuer not in _SIGNED_PARTS and isinstance(place.get("signature"), str):
                fields |= {"extras": {**(fields.get("extras") or {})}}
                block.signature = place["signature"]
                place.pop("signature", None)
                fields["extras"].pop("signature", None)
            for key in ("encrypted_content", "redacted"):
                if isinstance(place.get(key), str) and place[key]:
                    block.redacted = place[key]
                    fields["extras"] = {**(fields.get("extras") or {})}
                    fields["extras"].pop(key, None)
                    fields.pop(key, None)
        return block

    def _go_on(self, block: ThinkingBlock, data: JsonObject) -> None:
        """Add one more paragraph of a summary."""
        text = str(data.get("reasoning", ""))
        own = own_fields(block.extras, self._issuer or LANGCHAIN)
        parts = own.get("summary") or [_paragraph(block.thinking)]
        own["summary"] = [*parts, _paragraph(text)]
        block.thinking += _PARAGRAPHS + text
        block.extras = {self._issuer or LANGCHAIN: own}

    def _medium(self, kind: type[Any], fields: JsonObject) -> MediaBlock | None:
        media_type = text_or_none(fields.get("mime_type"))
        source: Any = None
        if isinstance(url := fields.get("url"), str):
            source = read_url(url)[0] if url.startswith("data:") else URLSource(url, read=True)
            if media_type and isinstance(source, URLSource):
                source.media_type = media_type
            del fields["url"]
        elif isinstance(data := fields.get("base64", fields.get("data")), str):
            source = Base64Source(media_type or "application/octet-stream", data)
            fields.pop("base64", None)
            fields.pop("data", None)
        elif isinstance(id := fields.get("file_id"), str):
            extras = {**(fields.get("extras") or {})}
            source = FileSource(id, extras.pop(_FILE_ISSUER, self._issuer), media_type)
            del fields["file_id"]
            fields["extras"] = extras
        if source is None:
            return None
        fields.pop("mime_type", None)
        shown = (media_type or "").partition("/")[0]
        if kind is DocumentBlock and shown in ("audio", "video", "image"):
            kind = _MEDIA[shown]
        titled = _titled(fields)
        if kind is not DocumentBlock:
            titled.pop("context", None)
        block: MediaBlock = kind(source, **titled)
        if isinstance(block, DocumentBlock):
            _take_cite(block, fields)
        return block

    def call(self, fields: JsonObject) -> ToolUseBlock:
        """Read a call; takes its fields out of `fields`."""
        id, name = fields.pop("id", None), fields.pop("name", None)
        return ToolUseBlock(str(id or ""), str(name or ""), fields.pop("args", None) or {})

    def broken_call(self, fields: JsonObject) -> ToolUseBlock:
        """Read a call whose arguments are no object; it stays the text that the model wrote."""
        id, name = fields.pop("id", None), fields.pop("name", None)
        text, error = fields.pop("args", None), fields.pop("error", None)
        block = ToolUseBlock(str(id or ""), str(name or ""))
        if isinstance(text, str):
            block.raw_input, block.input = text, parse_arguments(text)
        elif text is not None:
            block.input = text
        if error == UNFINISHED:
            block.unfinished = True
        elif error is not None:
            block.extras = {self._issuer or LANGCHAIN: {"error": error}}
        return block


def read_native(data: Json, issuer: str, origin: Origin | None) -> ContentBlock:
    """Read a block in the form of Anthropic's API, as LangChain keeps it without v1.

    Args:
        data: The block.
        issuer: The issuer of its fields.
        origin: Who wrote it.
    """
    block = read_part(data, issuer, origin)
    del block.read_from
    return block


def _paragraph(text: str) -> JsonObject:
    return {"type": "summary_text", "text": text}


def _pop_text(fields: JsonObject, key: str) -> str:
    return text_or_none(fields.pop(key, None)) or "text/plain"


def _titled(fields: JsonObject) -> dict[str, Any]:
    """Take title, detail and context of a medium out of the fields or their `extras`."""
    extras = dict(fields["extras"]) if isinstance(fields.get("extras"), dict) else None
    found: dict[str, Any] = {}
    for place in (fields, extras or {}):
        for name in _TITLES:
            if isinstance(title := place.get(name), str) and found.get("title", title) == title:
                found["spelling"] = None if "title" in found else name
                found["title"] = place.pop(name)
        for name in ("detail", "context"):
            if isinstance(place.get(name), str):
                found[name] = place.pop(name)
    if extras is not None:
        fields["extras"] = extras
    return found


def _take_cite(block: DocumentBlock, fields: JsonObject) -> None:
    """Take the wish for citations out of the fields or their `extras`."""
    for place in (fields, fields.get("extras")):
        wish = place.get("citations") if isinstance(place, dict) else None
        if isinstance(wish, dict) and wish.keys() == {"enabled"} and place is not None:
            block.cite = wish["enabled"]
            del place["citations"]


def _anthropic_citation(data: Any) -> Json:
    """Return a citation as Anthropic's API has it, of which its translator made a standard one."""
    if not isinstance(data, dict) or not isinstance(data.get("extras") or {}, dict):
        return data
    if data.get("type") != "citation":
        return data.get("value")
    extras = data.get("extras") or {}
    kind, title = "web_search_result_location", "title"
    if "url" not in data:
        known = (row[1:] for row in _CITATIONS if row[0] in extras)
        kind, title = next(known, ("citation", "title"))
    named = {"cited_text": data.get("cited_text"), title: data.get("title"), "url": data.get("url")}
    return {"type": kind, **{k: v for k, v in named.items() if v is not None}, **extras}


class StandardWriter:
    """Writes the blocks of one message as v1 blocks.

    Args:
        report: Collects the losses.
        issuer: The issuer whose fields go into `extras`; empty for a message of no provider.
        author: The issuer of the message's origin, of which `issuer` is LangChain's idea.
    """

    def __init__(self, report: Report, issuer: str = "", author: str = "") -> None:
        self._report = report
        self._issuer = issuer
        self._author = author

    def write(self, blocks: Sequence[ContentBlock]) -> list[JsonObject]:
        """Write the blocks; one that has no form is reported."""
        return [data for block in blocks for data in self._write_one(block)]

    def _write_one(self, block: Any) -> Iterator[JsonObject]:
        match block.type:
            case "text":
                yield self._finish(block, self._text(block))
            case "thinking":
                yield from self._thinking(block)
            case "image" | "audio" | "video" | "document":
                if (data := self._medium(block)) is not None:
                    yield self._finish(block, data)
            case "tool_use":
                yield self._finish(block, {"type": "tool_call", **self.call(block)})
            case "refusal":
                data = {"type": "refusal", "refusal": block.text}
                if block.category:
                    data["extras"] = {"type": block.category}
                yield self._finish(block, data)
            case "raw" if block.issuer == LANGCHAIN and isinstance(block.data, dict):
                yield block.data
            case "raw" if block.issuer == self._issuer or not self._issuer:
                yield self._raw(block)
            case "raw":
                self._report.add_loss("raw.other_provider", block)
            case _:
                self._report.add_loss("block.unsupported", block)

    def _raw(self, block: RawBlock) -> JsonObject:
        noted = {
            key: value
            for key, value, usual in (
                ("issuer", block.issuer, self._issuer),
                ("role", block.role, "item"),
                ("pair", block.pair, None),
                ("by", block.by, "server"),
            )
            if value != usual
        }
        extras = {"extras": {OURS: noted}} if noted else {}
        return {"type": "non_standard", "value": block.data, **extras}

    def _finish(self, block: Any, data: JsonObject) -> JsonObject:
        """Add the fields of the provider, and the cache hint."""
        extras = data.pop("extras", {})
        own = own_fields(block.extras, self._issuer) if self._issuer else {}
        if block.type == "tool_use" and "id" in own:
            own["item_id"] = own.pop("id")
        elif "id" in own:
            data["id"] = own.pop("id")
        if block.type == "text" and self._issuer == "anthropic":
            own.pop("citations", None)  # they are the annotations
        if "thoughtSignature" in own:
            own["signature"] = own.pop("thoughtSignature")
        own.pop("error" if data["type"] == "invalid_tool_call" else "", None)
        if extras or own:
            data["extras"] = {**extras, **own}
        data |= own_fields(block.extras, LANGCHAIN)
        lose_extras(self._report, block, block.extras, (LANGCHAIN, self._issuer))
        hint: CacheHint | None = getattr(block, "cache", None)
        if hint is not None and block.type in ("text", "image", "document"):
            data["cache_control"] = cache_control(hint)
        elif hint is not None:
            self._report.add_loss("cache.unsupported", block, "cache")
        return data

    def _text(self, block: TextBlock) -> JsonObject:
        data: JsonObject = {"type": "text", "text": block.text}
        if not block.citations:
            return data
        raw = own_fields(block.extras, "anthropic").get("citations")
        if self._issuer == "anthropic" and isinstance(raw, list):
            data["annotations"] = [_standard_citation(one) for one in raw]
        else:
            data["annotations"] = [self._citation(one) for one in block.citations]
        return data

    def _citation(self, one: Citation) -> JsonObject:
        own = own_fields(one.extras, self._issuer, LANGCHAIN)
        values = {
            "start_index": one.start,
            "end_index": one.end,
            "url": one.url,
            "title": one.title,
            "cited_text": one.quote,
        }
        found = {key: value for key, value in values.items() if value is not None}
        lose_extras(self._report, one, one.extras, (self._issuer, LANGCHAIN))
        if own and not found:
            return {"type": "non_standard_annotation", "value": own}
        return {"type": "citation", **found, **({"extras": own} if own else {})}

    def _thinking(self, block: ThinkingBlock) -> Iterator[JsonObject]:
        author = block.origin.issuer if block.origin is not None else self._author
        is_own = author != CHAT and find_issuer(find_provider(author)) == self._issuer
        if (block.signature or block.redacted) and author and not is_own:
            self._report.add_loss("thinking.other_provider", block, "signature")
            if not block.thinking:
                return
            block = replace(block, signature=None, redacted=None)
        if block.redacted is not None and self._issuer == "anthropic":
            value = {"type": "redacted_thinking", "data": block.redacted}
            yield {"type": "non_standard", "value": value}
            return
        data: JsonObject = {"type": "reasoning", "reasoning": block.thinking}
        if block.signature is not None:
            data["extras"] = {"signature": block.signature}
        if block.redacted is not None and self._issuer == "openai-responses":
            data["encrypted_content"] = block.redacted  # where its translator puts it
        elif block.redacted is not None:
            data["extras"] = {**data.get("extras", {}), "redacted": block.redacted}
        data = self._finish(block, data)
        parts = data.get("extras", {}).pop("summary", None)
        if not data.get("extras", True):
            del data["extras"]
        texts = [part.get("text") for part in parts or () if isinstance(part, dict)]
        if not texts or _PARAGRAPHS.join(map(str, texts)) != block.thinking:
            yield data
            return
        for i, text in enumerate(texts):
            own: JsonObject = data if i == 0 else {k: data[k] for k in ("type", "id") if k in data}
            yield {**own, "reasoning": text}

    def _medium(self, block: MediaBlock) -> JsonObject | None:
        data = self._source(block)
        if data is None:
            return None
        if block.detail is not None and data["type"] == "image" and _URL_KEYS & data.keys():
            # langchain-openai sends the detail of this form alone
            url = data.get("url") or f"data:{data['mime_type']};base64,{data['base64']}"
            return {"type": "image_url", "image_url": {"url": url, "detail": block.detail}}
        extras: JsonObject = data.pop("extras", {})
        names = _NAMES_OF_FILES if block.spelling not in _TITLES else (block.spelling,)
        if data["type"] == "text-plain":
            names, place = ("title",), data
        else:
            place = extras
        if block.title is not None:
            place |= dict.fromkeys(names, block.title)
        if isinstance(block, DocumentBlock):
            if block.context is not None:
                place["context"] = block.context
            if block.cite is not None:
                extras["citations"] = {"enabled": block.cite}
        return {**data, **({"extras": extras} if extras else {})}

    def _source(self, block: MediaBlock) -> JsonObject | None:
        """Write where a medium is; None, and a loss, if that cannot be."""
        source = block.source
        data: JsonObject = {"type": "file" if block.type == "document" else block.type}
        if isinstance(source, URLSource | LocalSource):
            data["url"] = source.url if isinstance(source, URLSource) else source.path
        elif isinstance(source, Base64Source):
            data["base64"] = source.data
        elif isinstance(source, FileSource):
            data["file_id"] = source.file_id
            if source.issuer not in ("", self._issuer):
                data["extras"] = {_FILE_ISSUER: source.issuer}
        elif isinstance(source, TextSource):
            data = {"type": "text-plain", "text": "\n\n".join(source.passages)}
            if len(source.passages) > 1 or source.found_at is not None:
                self._report.add_loss("media.as_text", block)
        else:
            self._report.add_loss("media.source", source)
            return None
        if source.media_type is not None:
            data["mime_type"] = source.media_type
        return data

    def call(self, block: ToolUseBlock) -> JsonObject:
        """Write `{name, args, id}`, with the type of a call that cannot be run if it is one."""
        value, id = block.input, block.id or None
        if block.freeform and isinstance(value, str):
            self._report.add_loss("call.freeform", block)
            value = {"input": value}  # as our own wires name the argument
        if block.namespace is not None:
            self._report.add_loss("tool.namespace", block, "namespace")
        if type(value) is dict and not block.unfinished:
            return {"type": "tool_call", "name": block.name, "args": value, "id": id}
        text = block.raw_input
        if text is None:
            text = value if isinstance(value, str) else arguments(value)
        error = own_fields(block.extras, self._issuer, LANGCHAIN).get("error")
        return {
            "type": "invalid_tool_call",
            "name": block.name,
            "args": text,
            "id": id,
            "error": UNFINISHED if block.unfinished else error,
        }


def _standard_citation(raw: Any) -> JsonObject:
    """Return a citation of Anthropic's API as its translator makes a standard one of it."""
    kind = raw.get("type") if isinstance(raw, dict) else None
    titles = {name: title for _, name, title in _CITATIONS}
    titles["web_search_result_location"] = "title"
    if kind not in titles or "cited_text" not in raw:
        return {"type": "non_standard_annotation", "value": raw}
    taken = {"type", "cited_text", "url", titles[kind]}
    named = {"cited_text": raw["cited_text"], "title": raw.get(titles[kind]), "url": raw.get("url")}
    extras = {key: value for key, value in raw.items() if key not in taken}
    found = {key: value for key, value in named.items() if value is not None}
    return {"type": "citation", **found, **({"extras": extras} if extras else {})}
