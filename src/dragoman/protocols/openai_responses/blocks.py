"""Reads and writes annotations, content parts and items of the Responses API.

An item of the API is a message (with parts), a reasoning, a call, the output of a call, or one of
many that only this API has. One of our messages holds the blocks of several items. Fields of an
item that its block cannot hold are in the block's extras: those of a message item in the extras of
its first block.

Reference: OpenAI API, "Create a model response", `input`; "The response object", `output`, and
`annotations` of an `output_text`: offsets are characters, their ends exclusive; some hosts give
only the URL.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeAlias

from ... import message as tree
from ...errors import WriteError
from ...message import (
    CacheHint,
    Citation,
    ContentBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    URLSource,
)
from ...message.blocks import (
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    name_answers,
    name_notes,
)
from ...message.client_tools import item_of_call, item_spelled
from ...message.media_urls import read_document, read_url, restore_image, write_url
from ...stream.arguments import parse_arguments
from ...text.json_text import Json, JsonObject
from ..chat_like.messages import require_text
from .composed_items import CALL_KINDS, CUSTOM, reasoning, tool_call
from .raw_items import DRAWING, drawing_as_read, raw_item, read_drawing

ITEM = ("id", "status", "phase")  # fields of a message item, which are kept on its first block
ABSENT = "absent"  # the note with the keys that an item lacked
BESIDE = "reasoning"  # the spelling of thinking that is a text beside the items
BREAK = "\n\n"  # between the parts of a summary, each of which is a paragraph
MARK = "prompt_cache_breakpoint"
PART = "part"  # the spelling of a raw block that was inside of a message or a result
_MISSING = object()


def read_citation(data: JsonObject, issuer: str) -> Citation:
    """Read one annotation; what the neutral fields cannot give back is kept in the extras."""
    kind, citation = data.get("type"), Citation()
    for name, key in _span_keys(kind).items():
        if type(data.get(key)) is _SPAN_TYPES[name]:
            setattr(citation, name, data[key])
    fields = citation_span(citation, kind)
    extras = {key: value for key, value in data.items() if key != "type" and key not in fields}
    if extras or kind != URL or len(fields) < len(_SPAN_TYPES):
        citation.extras = {issuer: {"type": kind, **extras} if "type" in data else extras}
    return citation


def write_citation(
    citation: Citation, issuers: Collection[str], as_read: bool = False
) -> JsonObject | None:
    """Write a citation as an annotation; with `as_read`, exactly as `read_citation` read it.

    Returns:
        None if none of the issuers created it, or if fields are missing: of other issuers, only a
        page with a title and a span is a citation on this wire.
    """
    extras = citation.extras or {}
    fields: JsonObject = {}
    for issuer in extras:
        if issuer in issuers:
            fields |= extras[issuer]
    span = citation_span(citation, fields.get("type", URL))
    if as_read:
        return {**({"type": URL} if citation.extras is None else {}), **span, **fields}
    if not fields and (len(span) < len(_SPAN_TYPES) or extras or citation.quote is not None):
        return None
    return {"type": URL, **span, **fields}


URL = "url_citation"
_FILES = frozenset({"file_citation", "container_file_citation"})  # their `filename` is a title
_SPAN_TYPES = {"start": int, "end": int, "url": str, "title": str}


def _span_keys(kind: Any) -> dict[str, str]:
    title = "filename" if kind in _FILES else "title"
    return {"start": "start_index", "end": "end_index", "url": "url", "title": title}


def citation_span(citation: Citation, kind: Any = URL) -> JsonObject:
    """Return the fields of the citation itself, under the names of this kind of annotation."""
    fields = ((key, getattr(citation, name)) for name, key in _span_keys(kind).items())
    return {key: value for key, value in fields if value is not None}


# --- parts of the user's messages and of results ---

_TEXTS = ("input_text", "text", "output_text")
# the usual key of each medium
_MEDIUM_KEYS = {"input_image": "image_url", "input_file": "file_data"}
_AUDIO_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_AUDIO_FORMATS = {"audio/mp3": "mp3", "audio/mpeg": "mp3"}
_Medium: TypeAlias = tree.ImageBlock | tree.DocumentBlock | tree.AudioBlock


def read_part(data: Json, issuer: str) -> ContentBlock:
    """Read one part of a message or of a result; an unknown part is kept unchanged."""
    kind = data.get("type") if isinstance(data, dict) else None
    block: TextBlock | _Medium | RawBlock | None = None
    if kind == "input_text" and len(data) == 2 and type(data.get("text")) is str:
        block = TextBlock(data["text"])  # the usual part
    elif isinstance(kind, str) and (block := _part_block(kind, data, issuer)) is not None:
        fields = _part_fields(restore_image(block))
        if extras := {key: value for key, value in data.items() if key not in fields}:
            ttl = extras[MARK].get("ttl") if isinstance(extras.get(MARK), dict) else None
            hint = CacheHint(ttl if isinstance(ttl, str) else None)
            if extras.get(MARK) == mark(hint):  # the mark has no field except its lifetime
                block.cache = hint
                del extras[MARK]
            block.extras = {issuer: extras} if extras else None
    if block is None:
        block = RawBlock(issuer, data, by="client", spelling=PART)
    block.read_from = data
    return block


def _part_block(kind: str, data: JsonObject, issuer: str) -> TextBlock | _Medium | None:
    if kind in _TEXTS:
        text = data.get("text")
        spelling = None if kind == "input_text" else kind
        return TextBlock(text, spelling=spelling) if isinstance(text, str) else None
    if kind == "input_audio" and isinstance(audio := data.get(kind), dict):
        format, content = str(audio.get("format")), audio.get("data")
        if format not in _AUDIO_TYPES or not isinstance(content, str) or len(audio) != 2:
            return None
        return tree.AudioBlock(tree.Base64Source(_AUDIO_TYPES[format], content))
    if kind not in _MEDIUM_KEYS:
        return None
    source, spelling = _read_source(data, _MEDIUM_KEYS[kind], issuer)
    if source is None:
        return None
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    detail, name = texts.get("detail"), texts.get("filename")
    if kind == "input_image":
        return read_document(tree.ImageBlock(source, detail=detail, spelling=spelling))
    return tree.DocumentBlock(source, name, detail, spelling=spelling)


def _read_source(data: JsonObject, key: str, issuer: str) -> tuple[tree.Source | None, str | None]:
    """Read the source of a medium from the first key, and an unusual start of its data URI."""
    if isinstance(url := data.get(key), str) and url:
        source, head = read_url(url)
        # no other wire could send the bytes of a file without its type
        return (None, None) if key == "file_data" and type(source) is URLSource else (source, head)
    if isinstance(url := data.get("file_url"), str) and url and key == "file_data":
        return URLSource(url, read=True), None
    id = data.get("file_id")
    return (tree.FileSource(id, issuer) if isinstance(id, str) and id else None), None


def mark(hint: CacheHint) -> JsonObject:
    """Write a `prompt_cache_breakpoint`, with a lifetime if one was given."""
    return {"mode": "explicit"} if hint.ttl is None else {"mode": "explicit", "ttl": hint.ttl}


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """Return the part that `read_part` read the block from."""
    if type(block) is RawBlock:
        return block.data
    part = _part_fields(restore_image(block))
    if (hint := getattr(block, "cache", None)) is not None:
        part[MARK] = mark(hint)
    if block.extras is not None:
        part.update(block.extras.get(issuer, {}))
    return part


def _part_fields(block: Any) -> JsonObject:
    """Return the fields of the part that the block itself holds, spelled as they were read."""
    if type(block) is TextBlock:
        return {"type": block.spelling or "input_text", "text": block.text}
    return write_medium(block, block.title, block.detail, block.spelling)


def write_medium(
    block: _Medium, title: str | None, detail: str | None, spelling: str | None = None
) -> JsonObject:
    """Write `input_image`, `input_file` or `input_audio`; `spelling`: the start of its data URI."""
    source = block.source
    if type(block) is tree.AudioBlock and isinstance(source, tree.Base64Source):
        format = _AUDIO_FORMATS.get(source.media_type, "wav")
        return {"type": "input_audio", "input_audio": {"data": source.data, "format": format}}
    image = type(block) is tree.ImageBlock
    part: JsonObject = {"type": "input_image" if image else "input_file"}
    if title is not None:
        part["filename"] = title
    if isinstance(source, tree.FileSource):
        part["file_id"] = source.file_id
    elif isinstance(source, tree.Base64Source) or (image and isinstance(source, URLSource)):
        part["image_url" if image else "file_data"] = write_url(source, spelling)
    elif isinstance(source, URLSource):
        part["file_url"] = source.url
    else:
        raise WriteError(f"{block.type} from a {source.type} source", code="placement.unsupported")
    if detail is not None:
        part["detail"] = detail
    return part


# The types that are inside of a message or a result; all other types are items.
_PARTS = frozenset(
    {"input_text", "input_image", "input_file", "input_audio", "output_text", "refusal"}
)


def is_part(block: RawBlock) -> bool:
    """Whether the block's own JSON belongs inside of a message."""
    if block.spelling == PART:
        return True
    kind = block.data.get("type") if isinstance(block.data, dict) else None
    return isinstance(kind, str) and kind in _PARTS


# --- items of an answer, and of the model in an input ---

# Fields about the place of an item in an answer: no input knows them, though one recorded host
# repeats them. Values of the wrong type are dropped together with them, because they would be
# refused again. (`parsed` and `parsed_arguments` are the SDK's own: no host sends or takes them.)
_ANSWER_ONLY = (
    "created_by",
    "item_id",
    "output_index",
    "call_id",
    "name",
    "arguments",
    "input",
    "namespace",
)


def read_item(item: JsonObject, issuer: str, raw: bool) -> list[tuple[int, ContentBlock]]:
    """Read one item of `output`: return the index and the block of each part.

    `raw`: thinking goes back as text.
    """
    kind = item.get("type", "message")
    try:
        # a compacted conversation also has the user's messages
        if kind == "message" and item.get("role", "assistant") == "assistant":
            return _read_message(item, issuer)
        if kind == "reasoning":
            return [(0, _read_reasoning(item, issuer, raw))]
        if kind in CALL_KINDS:
            return [(0, read_call(item, issuer))]
        if kind == DRAWING and (image := read_drawing(item, issuer)) is not None:
            return [(0, image)]
    except (TypeError, KeyError, AttributeError):  # an undocumented form
        pass
    return [(0, raw_item(item, issuer))]


def items_as_read(blocks: Sequence[ContentBlock], issuer: str, raw: bool) -> list[Json]:
    """Return the items that `read_item` read, including the fields that only answers have."""
    return [_item_as_read(group, issuer, raw) for group in group_items(blocks, issuer)]


def _item_as_read(group: list[ContentBlock], issuer: str, raw: bool) -> Json:
    first = group[0]
    if type(first) is RawBlock:
        return first.data
    if type(first) is TextBlock or type(first) is RefusalBlock:
        return _message_as_read(group, issuer)
    if type(first) is ThinkingBlock:
        item = reasoning(first, raw)
    elif type(first) is ToolUseBlock:
        item = _call_as_read(first)
    elif type(first) is ToolResultBlock:
        name = {"name": first.name} if first.name else {}
        output: Any = first.output
        if isinstance(output, list):
            output = [part_as_read(part, issuer) for part in output]
        kind = "custom_tool_call" if CUSTOM in spellings(first) else "function_call"
        item = {"type": f"{kind}_output", "call_id": first.id, **name, "output": output}
    elif type(first) is tree.ImageBlock:
        item = drawing_as_read(first)
    else:  # no reader of this wire creates such a block
        raise TypeError(f"{first.type} is no item")
    extras = first.extras or {}
    item |= {**extras.get(name_answers(issuer), {}), **extras.get(issuer, {})}
    for key in extras.get(name_notes(issuer), {}).get(ABSENT, ()):
        item.pop(key, None)
    return item


def _call_as_read(call: ToolUseBlock) -> JsonObject:
    """Write the item of a call; a call that replaces a client's own item gets the form of that."""
    value = call.input if call.raw_input is None else call.raw_input
    if item_spelled(call) is not None:
        order = parse_arguments(value) if isinstance(value, str) else value
        item = item_of_call(call, order)
        if item is not None:
            return item
    return tool_call(call, value)


def read_result(item: JsonObject, issuer: str) -> ToolResultBlock:
    """Read the output of a call, which is a string or a list of parts."""
    extras = {key: value for key, value in item.items() if key != "type"}
    block = ToolResultBlock("", spelling=CUSTOM if item["type"].startswith(CUSTOM) else None)
    block.read_from = item
    if isinstance(extras.get("call_id"), str):
        block.id = extras.pop("call_id")
    if isinstance(extras.get("name"), str) and extras["name"]:
        block.name = extras.pop("name")
    if isinstance(extras.get("output"), str):
        block.output = extras.pop("output")
    elif isinstance(extras.get("output"), list):
        block.output = [read_part(part, issuer) for part in extras.pop("output")]
    add_extras(block, issuer, extras)
    _note_absent(block, issuer, ("call_id", "output"), item)
    return block


def _read_message(item: JsonObject, issuer: str) -> list[tuple[int, ContentBlock]]:
    content = item["content"]
    text = isinstance(content, str)
    blocks: list[tuple[int, ContentBlock]] = []
    unknown: JsonObject = {}  # parts, by their index
    for i, part in enumerate([{"type": "output_text", "text": content}] if text else content):
        if (block := read_output_part(part, issuer)) is None:
            unknown[str(i)] = part
        else:
            block.read_from = item if text else part
            blocks.append((i, block))
    if not blocks:
        return [(0, raw_item(item, issuer))]
    first = blocks[0][1]
    fields = {name: item[name] for name in ITEM if name in item}
    add_extras(first, issuer, fields)
    extras = {k: v for k, v in item.items() if k not in (*ITEM, "type", "content", "role")}
    if unknown:
        extras["content"] = unknown
    add_extras(first, name_answers(issuer), {"item": extras} if extras else {})
    notes = {
        "string": text,
        "item": not fields and not extras,  # nothing else shows where the item begins
        "bare": "type" not in item,
        "roleless": "role" not in item,
    }
    add_spelling(first, *(note for note, holds in notes.items() if holds))
    return blocks


def _message_as_read(group: list[ContentBlock], issuer: str) -> JsonObject:
    first = group[0]
    extras = first.extras or {}
    fields = extras.get(issuer, {})
    notes = spellings(first)
    item: JsonObject = {} if "bare" in notes else {"type": "message"}
    item.update({name: fields[name] for name in ITEM if name in fields})
    if "roleless" not in notes:
        item["role"] = "assistant"
    item_extras = dict(extras.get(name_answers(issuer), {}).get("item", {}))
    parts: list[Json] = [output_part_as_read(block, issuer) for block in group]
    unknown = item_extras.pop("content", {})
    for index in sorted(unknown, key=int):
        parts.insert(int(index), unknown[index])
    item["content"] = parts[0]["text"] if "string" in notes else parts
    return item | item_extras


def read_output_part(data: Any, issuer: str) -> TextBlock | RefusalBlock | None:
    """Read a part of the model's output; None for one that the writer does not know."""
    kind = data.get("type")
    key = "refusal" if kind == "refusal" else "text"
    text = data.get(key)
    if not isinstance(text, str) or (key == "text" and kind not in _TEXTS):
        return None
    block = RefusalBlock(text) if key == "refusal" else TextBlock(text)
    extras = {k: v for k, v in data.items() if k not in ("type", key, "parsed")}
    if type(block) is TextBlock:
        annotations: Any = extras.get("annotations")
        listed = isinstance(annotations, list) and annotations
        if listed and all(isinstance(entry, dict) for entry in annotations):
            block.citations = [read_citation(data, issuer) for data in extras.pop("annotations")]
        if kind != "output_text":
            block.spelling = kind
    # in the extras these would be fields of the item
    if part_extras := {name: extras.pop(name) for name in ITEM if name in extras}:
        block.extras = {name_answers(issuer): {"part": part_extras}}
    add_extras(block, issuer, extras)
    return block


def output_part_as_read(block: ContentBlock, issuer: str) -> Json:
    """Return the part that `read_output_part` read the block from."""
    kind = next((note for note in spellings(block) if note in _TEXTS), "output_text")
    part = write_output_part(block, kind)
    if type(block) is TextBlock and block.citations is not None:
        part["annotations"] = [write_citation(c, (issuer,), as_read=True) for c in block.citations]
    extras = block.extras or {}
    fields = extras.get(issuer, {})
    part.update({key: value for key, value in fields.items() if key not in ITEM})
    part.update(extras.get(name_answers(issuer), {}).get("part", {}))
    return part


def write_output_part(block: ContentBlock, kind: str = "output_text") -> JsonObject:
    """Write a refusal, or a text of a kind."""
    if type(block) is RefusalBlock:
        return {"type": "refusal", "refusal": block.text}
    if type(block) is TextBlock:
        return {"type": kind, "text": block.text}
    raise TypeError(f"{block.type} is no part")


def _read_reasoning(item: JsonObject, issuer: str, raw: bool) -> ThinkingBlock:
    """Read the summary, or the thinking itself where it is given; with the sealed form, if any."""
    summary, content = _paragraphs(item.get("summary")), _paragraphs(item.get("content"))
    block = ThinkingBlock((content or summary) if raw else (summary or content))
    block.read_from = item
    if not raw and isinstance(sealed := item.get("encrypted_content"), str) and sealed:
        block.redacted = sealed
    written = reasoning(block, raw)
    extras = {key: v for key, v in item.items() if written.get(key, _MISSING) != v}
    if raw and item.get("summary") and "content" in item:
        extras["content"] = item["content"]  # a summary alone is read as all of the thinking
    add_extras(block, issuer, extras)
    _note_absent(block, issuer, written, item)
    return block


def _paragraphs(parts: Any) -> str:
    texts = [part["text"] for part in parts or ()]
    return BREAK.join(map(require_text, texts))


def read_call(item: JsonObject, issuer: str) -> ToolUseBlock:
    """Read a call: `call_id` pairs it, `id` is the item's own. Its text is not parsed yet."""
    extras = {k: v for k, v in item.items() if k not in ("type", "parsed_arguments")}
    key = CALL_KINDS[item["type"]]
    block = ToolUseBlock("", "", freeform=key == "input")
    block.read_from = item
    # an empty id pairs nothing, and is refused like one that is no text
    if isinstance(extras.get("call_id"), str) and extras["call_id"]:
        block.id = extras.pop("call_id")
    if isinstance(extras.get("name"), str):
        block.name = extras.pop("name")
    if isinstance(extras.get("namespace"), str) and extras["namespace"]:
        block.namespace = extras.pop("namespace")
    if isinstance(extras.get(key), str):
        block.raw_input = extras.pop(key)
    elif isinstance(extras.get(key), dict) and not block.freeform:
        block.input, block.spelling = extras.pop(key), "object"
    answer_only = {key: extras.pop(key) for key in _ANSWER_ONLY if key in extras}
    add_extras(block, issuer, extras)
    add_extras(block, name_answers(issuer), answer_only)
    _note_absent(block, issuer, ("call_id", "name", key), item)
    return block


def parse(call: ToolUseBlock) -> None:
    """Set the input of a call whose text was read: parsed arguments, or the text itself."""
    if call.freeform:
        call.input, call.raw_input = call.raw_input or "", None
    elif call.raw_input is not None:
        call.input = parse_arguments(call.raw_input)


def _note_absent(block: ContentBlock, issuer: str, keys: Collection[str], item: JsonObject) -> None:
    """Note the keys that the item lacked, although its block has values for them."""
    if absent := [key for key in keys if key not in item]:
        add_extras(block, name_notes(issuer), {ABSENT: absent})


def add_extras(block: ContentBlock, issuer: str, fields: JsonObject) -> None:
    """Add an issuer's fields to the extras that the block already has of it."""
    if fields:
        extras = block.extras or {}
        block.extras = {**extras, issuer: {**extras.get(issuer, {}), **fields}}


def add_spelling(block: ContentBlock, *notes: str) -> None:
    """Add notes on how the block was written on the wire."""
    block.spelling = " ".join((*spellings(block), *notes)) or None


def spellings(block: ContentBlock) -> list[str]:
    """Return the reader's notes on how the block was written on the wire."""
    return block.spelling.split() if block.spelling else []


def group_items(blocks: Sequence[ContentBlock], issuer: str) -> list[list[ContentBlock]]:
    """Group the blocks into items: a single block, or the parts of a message."""
    groups: list[list[ContentBlock]] = []
    for block in blocks:
        text = type(block) is TextBlock or type(block) is RefusalBlock
        if groups and text and _continues(groups[-1][-1], block, issuer):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _continues(previous: ContentBlock, block: ContentBlock, issuer: str) -> bool:
    """Whether the block is one more part of the same message as the previous one."""
    if type(previous) is not TextBlock and type(previous) is not RefusalBlock:
        return False
    extras = block.extras or {}
    begins = any(name in extras.get(issuer, {}) for name in ITEM)
    item_extras = extras.get(name_answers(issuer), {})
    return not (begins or "item" in item_extras or "item" in spellings(block))
