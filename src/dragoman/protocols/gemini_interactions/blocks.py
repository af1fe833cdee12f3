"""Reads and writes the contents and steps of Interactions.

A step is the user's input, the model's output, a thought, a call, a result, or a run of one of the
provider's tools. Fields of a step that its block cannot hold are in the block's extras: those of a
`model_output` in the extras of its first block, under that name.

Reference: google-genai 3.4, `google.genai.interactions`: `Step`, `Content`, `Annotation`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ... import message as tree
from ...errors import WriteError
from ...message import Citation, RawBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import BLOCKS, MEDIA_KINDS, ContentBlock, MediaBlock, name_notes
from ...message.media import Source
from ...stream.arguments import parse_arguments
from ...text.json_text import Json, JsonObject
from .dialect import SERVER_STEPS

STEP = "step"  # the note of the first block of a `model_output`
PART = "part"  # the note of a raw block that was inside of a step
NESTED = "nested"  # the note of a result that was inside of a `user_input`
_TEXT = "text"  # the note of arguments that were text
ABSENT = "absent"  # the note with the keys that a step lacked
OUTPUT = "model_output"
_FILES = "https://generativelanguage.googleapis.com/"  # the address of the Files API's own files


# --- annotations ---

_URL = "url_citation"
_TITLES = {"file_citation": "file_name", "place_citation": "name"}
_URLS = {"file_citation": "document_uri"}
_CITED = (_URL, *_TITLES)


def _characters(text: str, byte: Any) -> int | None:
    """Return the index of the character that begins at this byte; None if there is none."""
    if type(byte) is not int or byte < 0:
        return None
    if text.isascii():
        return byte if byte <= len(text) else None
    data = text.encode("utf-8", "surrogatepass")
    if byte > len(data):
        return None
    try:
        return len(data[:byte].decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return None


def _bytes(text: str, character: int) -> int:
    return len(text[:character].encode("utf-8", "surrogatepass"))


def read_citation(data: JsonObject, text: str, issuer: str) -> Citation:
    """Read an annotation of the text: indexes are bytes, ends exclusive; the rest is extras."""
    kind = data.get("type")
    citation = Citation()
    if kind in _CITED:
        citation.start = _characters(text, data.get("start_index"))
        citation.end = _characters(text, data.get("end_index"))
        url, title = data.get(_URLS.get(kind, "url")), data.get(_TITLES.get(kind, "title"))
        citation.url = url if isinstance(url, str) else None
        citation.title = title if isinstance(title, str) else None
    fields = _citation_fields(citation, kind, text)
    if extras := {key: value for key, value in data.items() if fields.get(key, ...) != value}:
        citation.extras = {issuer: extras}
    if kind != _URL:
        citation.extras = {issuer: {**extras, **({"type": kind} if "type" in data else {})}}
    return citation


def _citation_fields(citation: Citation, kind: Any, text: str) -> JsonObject:
    """Return a citation's own fields under the names of this kind of annotation."""
    kind = kind if kind in _CITED else _URL  # a kind may be any value
    start, end = citation.start, citation.end
    fields = {
        "type": _URL,
        "start_index": None if start is None else _bytes(text, start),
        "end_index": None if end is None else _bytes(text, end),
        _URLS.get(kind, "url"): citation.url,
        _TITLES.get(kind, "title"): citation.title,
    }
    return {key: value for key, value in fields.items() if value is not None}


def write_citation(
    citation: Citation, text: str, issuers: Collection[str], as_read: bool = False
) -> JsonObject | None:
    """Write a citation as an annotation; with `as_read`, exactly as it was read.

    Returns:
        None if none of the issuers created it and it names no page, or has a quote, which has no
        field.
    """
    own: JsonObject = {}
    for issuer in citation.extras or ():
        if issuer in issuers:
            own |= (citation.extras or {})[issuer]
    if not as_read and not own and (citation.url is None or citation.quote is not None):
        return None
    fields = _citation_fields(citation, own.get("type", _URL), text)
    return {**fields, **own}


def read_annotations(
    text: str, entries: Json, issuer: str
) -> tuple[list[Citation] | None, JsonObject]:
    """Return the citations of a text, and extras for what no citation can give back."""
    if not (isinstance(entries, list) and entries and all(isinstance(e, dict) for e in entries)):
        return None, {"annotations": entries}
    citations = [read_citation(entry, text, issuer) for entry in entries]
    if [write_citation(c, text, (issuer,), as_read=True) for c in citations] != entries:
        return None, {"annotations": entries}
    return citations, {}


# --- contents ---


def read_content(data: Json, issuer: str) -> ContentBlock:
    """Read one content of a step; an unknown one is kept unchanged."""
    block: ContentBlock | None = None
    if isinstance(data, dict):
        kind = data.get("type")
        if kind == "text" and isinstance(data.get("text"), str):
            block = _read_text(data, issuer)
        elif isinstance(kind, str) and kind in MEDIA_KINDS:
            block = _read_medium(data, kind, issuer)
    if block is None:
        block = RawBlock(issuer, data, by="client", spelling=PART)
    block.read_from = data
    return block


def _read_text(data: JsonObject, issuer: str) -> TextBlock:
    block = TextBlock(data["text"])
    if len(data) == 2:
        return block
    extras = {key: value for key, value in data.items() if key not in ("type", "text")}
    if "annotations" in extras:
        block.citations, unknown = read_annotations(block.text, extras.pop("annotations"), issuer)
        extras |= unknown
    block.extras = {issuer: extras} if extras else None
    return block


def _read_medium(data: JsonObject, kind: str, issuer: str) -> ContentBlock | None:
    """Read media as base64, at a URI, or as a file of the provider's; None for any other form."""
    media_type, uri = data.get("mime_type"), data.get("uri")
    if media_type is not None and not isinstance(media_type, str):
        return None
    source: Source
    if isinstance(data.get("data"), str) and uri is None:
        source = tree.Base64Source(media_type or "", data["data"])
    elif isinstance(uri, str) and uri and data.get("data") is None:
        if uri.startswith(_FILES) or "://" not in uri:
            source = tree.FileSource(uri, issuer, media_type)
        else:
            source = tree.URLSource(uri, media_type, read=True)
    else:
        return None
    block: Any = BLOCKS[kind](source)
    detail = data.get("resolution")
    if kind != "audio" and isinstance(detail, str):
        block.detail = detail
    fields = _medium_fields(block)
    if extras := {key: value for key, value in data.items() if fields.get(key, ...) != value}:
        block.extras = {issuer: extras}
    if "mime_type" not in data and "mime_type" in fields:
        block.spelling = "untyped"
    return block  # type: ignore[no-any-return]  # as above


def _medium_fields(block: Any) -> JsonObject:
    """Write `{"type", "data" or "uri", "mime_type", "resolution"}`."""
    source = block.source
    fields: JsonObject = {"type": block.type}
    if isinstance(source, tree.Base64Source):
        fields["data"] = source.data
    elif isinstance(source, tree.URLSource):
        fields["uri"] = source.url
    elif isinstance(source, tree.FileSource):
        fields["uri"] = source.file_id
    else:
        raise WriteError(f"{block.type} from a {source.type} source", code="placement.unsupported")
    if source.media_type:
        fields["mime_type"] = source.media_type
    if block.detail is not None:
        fields["resolution"] = block.detail
    return fields


def write_content(block: ContentBlock) -> JsonObject:
    """Write a text or a medium, without citations and own fields."""
    if type(block) is TextBlock:
        return {"type": "text", "text": block.text}
    if isinstance(block, MediaBlock):
        return _medium_fields(block)
    raise WriteError(f"{block.type} is no content", code="placement.unsupported")


def content_as_read(block: ContentBlock, issuer: str) -> Json:
    """Return the content that `read_content` read the block from."""
    if type(block) is RawBlock:
        return block.data
    data = write_content(block)
    if block.extras is not None:
        fields = block.extras.get(issuer, {})
        data.update({key: value for key, value in fields.items() if key != OUTPUT})
    if type(block) is TextBlock and block.citations is not None:
        entries = [write_citation(c, block.text, (issuer,), True) for c in block.citations]
        data["annotations"] = entries
    return data


# --- steps ---


def read_step(step: JsonObject, issuer: str) -> list[ContentBlock]:
    """Read the blocks of one step of the model's, or of a result; other kinds of steps are raw."""
    kind = step.get("type")
    if kind == OUTPUT:
        return _read_output(step, issuer)
    if kind == "thought":
        return [read_thought(step, issuer)]
    if kind == "function_call":
        return [read_call(step, issuer)]
    if kind == "function_result":
        return [read_result(step, issuer)]
    return [raw_step(step, issuer)]


def _read_output(step: JsonObject, issuer: str) -> list[ContentBlock]:
    content = step.get("content")
    if not isinstance(content, list) or not content:
        return [raw_step(step, issuer)]
    blocks = [read_content(data, issuer) for data in content]
    fields = {key: value for key, value in step.items() if key not in ("type", "content")}
    if fields and type(blocks[0]) is RawBlock:
        return [raw_step(step, issuer)]
    if fields:
        add_extras(blocks[0], issuer, {OUTPUT: fields})
    for block in blocks:
        if type(block) is RawBlock:
            block.by = "server"
    add_note(blocks[0], STEP)
    return blocks


def read_thought(step: JsonObject, issuer: str) -> ThinkingBlock:
    """Read a thought: the texts of its summary, and the signature, which is all that most have."""
    summary, signature = step.get("summary"), step.get("signature")
    block = ThinkingBlock("".join(summary_texts(summary)))
    if isinstance(signature, str) and signature:
        block.signature = signature
    fields = write_thought(block)
    add_extras(block, issuer, {k: v for k, v in step.items() if fields.get(k, ...) != v})
    block.read_from = step
    return block


def summary_texts(summary: Json) -> list[str]:
    """Return the texts among the contents of a summary."""
    contents = summary if isinstance(summary, list) else ()
    return [
        content["text"]
        for content in contents
        if isinstance(content, dict) and isinstance(content.get("text"), str)
    ]


def write_thought(block: ThinkingBlock) -> JsonObject:
    """Write `{"type": "thought", "signature", "summary"}`, without missing fields."""
    step: JsonObject = {"type": "thought"}
    if block.signature is not None:
        step["signature"] = block.signature
    if block.thinking:
        step["summary"] = [{"type": "text", "text": block.thinking}]
    return step


def read_call(step: JsonObject, issuer: str) -> ToolUseBlock:
    """Read a function call, whose arguments are an object; unusual values stay in extras."""
    fields = {key: value for key, value in step.items() if key != "type"}
    block = ToolUseBlock("", "")
    if isinstance(fields.get("id"), str) and fields["id"]:
        block.id = fields.pop("id")
    if isinstance(fields.get("name"), str):
        block.name = fields.pop("name")
    values = fields.get("arguments")
    if isinstance(values, dict):
        block.input = fields.pop("arguments")
    elif isinstance(values, str):  # some relays
        block.input, block.raw_input = parse_arguments(values), fields.pop("arguments")
        add_note(block, _TEXT)
    add_extras(block, issuer, fields)
    _note_absent(block, issuer, ("id", "name", "arguments"), step)
    block.read_from = step
    return block


def write_call(block: ToolUseBlock) -> JsonObject:
    """Write `{"type": "function_call", "id", "name", "arguments": object}`."""
    return {"type": "function_call", "id": block.id, "name": block.name, "arguments": block.input}


def read_result(step: JsonObject, issuer: str) -> ToolResultBlock:
    """Read the result of a call: a text, an object or contents."""
    fields = {key: value for key, value in step.items() if key != "type"}
    block = ToolResultBlock("")
    if isinstance(fields.get("call_id"), str) and fields["call_id"]:
        block.id = fields.pop("call_id")
    if isinstance(fields.get("name"), str) and fields["name"]:
        block.name = fields.pop("name")
    result = fields.get("result")
    if isinstance(result, str | dict):
        block.output = fields.pop("result")
    elif isinstance(result, list):
        block.output = [read_content(data, issuer) for data in fields.pop("result")]
    if fields.get("is_error") is True:
        block.is_error = fields.pop("is_error")
    add_extras(block, issuer, fields)
    _note_absent(block, issuer, ("call_id", "result"), step)
    block.read_from = step
    return block


def result_as_read(block: ToolResultBlock, issuer: str) -> JsonObject:
    """Return the step that `read_result` read the block from."""
    output: Any = block.output
    if isinstance(output, list):
        output = [content_as_read(part, issuer) for part in output]
    step = write_result(block, output)
    return _with_fields(step, block, issuer)


def write_result(block: ToolResultBlock, result: Json) -> JsonObject:
    """Write `{"type": "function_result", "call_id", "name", "result", "is_error"}`."""
    step: JsonObject = {"type": "function_result", "call_id": block.id}
    if block.name:
        step["name"] = block.name
    step["result"] = result
    if block.is_error:
        step["is_error"] = True
    return step


def raw_step(step: Json, issuer: str) -> RawBlock:
    """Return an unknown step unchanged; steps of server tools are paired by their id."""
    block = RawBlock(issuer, step)
    block.read_from = step
    kind = step.get("type") if isinstance(step, dict) else None
    if isinstance(step, dict) and isinstance(kind, str) and kind in SERVER_STEPS:
        is_call = kind.endswith("_call")
        pair = step.get("id" if is_call else "call_id")
        if isinstance(pair, str) and pair:
            block.role, block.pair = "call" if is_call else "result", pair
    return block


def steps_as_read(blocks: Sequence[ContentBlock], issuer: str) -> list[Json]:
    """Return the steps that `read_step` read the blocks from."""
    return [_step_as_read(group, issuer) for group in group_steps(blocks)]


def _step_as_read(group: Sequence[ContentBlock], issuer: str) -> Json:
    first = group[0]
    if is_content(first):
        fields = (first.extras or {}).get(issuer, {}).get(OUTPUT, {})
        content = [content_as_read(block, issuer) for block in group]
        return {"type": OUTPUT, "content": content, **fields}
    if type(first) is RawBlock:
        return first.data
    if type(first) is ThinkingBlock:
        return _with_fields(write_thought(first), first, issuer)
    if type(first) is ToolUseBlock:
        step = write_call(first)
        values = first.raw_input if _TEXT in split_notes(first) else first.input
        return _with_fields({**step, "arguments": values}, first, issuer)
    assert type(first) is ToolResultBlock  # no other block is a step by itself
    return result_as_read(first, issuer)


def _with_fields(step: JsonObject, block: ContentBlock, issuer: str) -> JsonObject:
    """Return the step with its block's own fields, without those that it lacked before."""
    extras = block.extras or {}
    step.update(extras.get(issuer, {}))
    for key in extras.get(name_notes(issuer), {}).get(ABSENT, ()):
        step.pop(key, None)
    return step


def is_content(block: ContentBlock) -> bool:
    """Whether the block belongs inside of a step."""
    if type(block) is RawBlock:
        return PART in split_notes(block)
    return type(block) is TextBlock or isinstance(block, MediaBlock)


def group_steps(blocks: Sequence[ContentBlock]) -> list[list[ContentBlock]]:
    """Group the blocks into steps: a single block, or the contents of a `model_output`."""
    groups: list[list[ContentBlock]] = []
    for block in blocks:
        goes_on = groups and is_content(block) and is_content(groups[-1][-1])
        if goes_on and STEP not in split_notes(block):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _note_absent(block: ContentBlock, issuer: str, keys: Collection[str], step: JsonObject) -> None:
    if absent := [key for key in keys if key not in step]:
        add_extras(block, name_notes(issuer), {ABSENT: absent})


def add_extras(block: ContentBlock, issuer: str, fields: JsonObject) -> None:
    """Add an issuer's fields to the extras that the block already has of it."""
    if fields:
        extras = block.extras or {}
        block.extras = {**extras, issuer: {**extras.get(issuer, {}), **fields}}


def add_note(block: ContentBlock, note: str) -> None:
    """Add a note on how the block was written on the wire."""
    block.spelling = " ".join((*split_notes(block), note))


def split_notes(block: ContentBlock) -> list[str]:
    """Return the reader's notes on how the block was written on the wire."""
    return block.spelling.split() if block.spelling else []
