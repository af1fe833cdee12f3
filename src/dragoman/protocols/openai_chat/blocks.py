"""Reads and writes content blocks of Chat Completions: parts, media, tool calls and thinking.

Opens no files and no connections. Reference: OpenAI API, "Create chat completion", `messages`, and
"The chat completion object", `message`; requests and answers of some forty hosts and clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ... import message as tree
from ...capabilities import Capabilities
from ...errors import WriteError
from ...history.passes.survey import RoledHistory
from ...message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    ContentBlock,
    Msg,
    RawBlock,
    TextBlock,
)
from ...message.blocks import MediaBlock, ThinkingBlock, ToolBlock, ToolResultBlock, ToolUseBlock
from ...message.media_urls import read_document, read_url, restore_image, write_url
from ...message.request import new_call
from ...stream.arguments import parse_arguments
from ...text.json_text import Json, JsonObject, arguments
from .. import claude_parts
from ..chat_like.messages import are_texts, fill_fields, own_extras, write_arguments
from ..chat_like.messages import write_call as shaped_call

# Cache marks are fields of a part, message or tool. Below are the key of each mark, and its name in
# dialects: the key, followed by a mode where the mark has one.
CACHE_MARKS = {
    "cache_control": "cache_control",
    "prompt_cache_breakpoint": "prompt_cache_breakpoint explicit",
}


def read_cache_mark(fields: JsonObject) -> tuple[CacheHint | None, str]:
    """Take the cache hint out of the fields; return the hint and its key."""
    for key in CACHE_MARKS:
        value = fields.get(key)
        ttl = value.get("ttl") if isinstance(value, dict) else 0
        if ttl is None or isinstance(ttl, str):
            hint = CacheHint(ttl)
            if cache_mark(hint, key) == {key: value}:
                del fields[key]
                return hint, key
    return None, ""


def cache_mark(hint: CacheHint, mark: str) -> JsonObject:
    """Return the cache mark `{key: {...}}`: the provider may cache everything up to it."""
    key, _, mode = CACHE_MARKS.get(mark, mark).partition(" ")
    fields = {"mode": mode} if mode else {"type": "ephemeral"}
    return {key: fields if hint.ttl is None else {**fields, "ttl": hint.ttl}}


FRAMES = "frames"  # the spelling of a video in frames
PART = "part"  # the spelling of a block from a list of parts
TRANSCRIPT = "transcript"  # of the text that the model spoke
BARE = "bare"  # of an image whose URL is given without an object


_LINK_PARTS: dict[str, type[Any]] = {
    "image_url": tree.ImageBlock,
    "video_url": tree.VideoBlock,
    "audio_url": AudioBlock,
}


_AUDIO_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_AUDIO_FORMATS = {"audio/mp3": "mp3", "audio/mpeg": "mp3"}


# parts in Claude's form, which some histories hold -> the keys for which a block has fields
_CLAUDE_PARTS = {
    "tool_use": ("type", "id", "input"),
    "tool_result": ("type", "tool_use_id", "content"),
}


def read_part(part: Json, issuer: str) -> ContentBlock:
    """Read one entry of a content list of a request; an unknown entry is kept unchanged."""
    kind = part.get("type") if isinstance(part, dict) else None
    value: Any = part.get(kind) if isinstance(kind, str) else None
    block: ContentBlock | None = None
    if kind == "text" and isinstance(value, str):
        block = TextBlock(value)
    elif kind == "refusal" and isinstance(value, str):
        block = tree.RefusalBlock(value)
    elif isinstance(kind, str) and isinstance(value, dict):
        block = _read_media(kind, value, issuer)
    elif kind == "video" and are_texts(value):  # as some hosts take it
        block = tree.VideoBlock(tree.FramesSource(value), spelling=FRAMES)
    elif kind == "image_url" and isinstance(value, str):  # as some clients send it
        source, head = read_url(value)
        spelling = BARE if head is None else f"{BARE} {head}"
        block = read_document(tree.ImageBlock(source, spelling=spelling))
    elif isinstance(part, dict) and (found := claude_parts.read_part(part)) is not None:
        return _with_fields(found[0], part, found[1], issuer)
    if block is None:
        block = RawBlock(issuer, part, by="client")
        block.read_from = part
        return block
    return _with_fields(block, part, ("type", kind), issuer)


def read_content_part(part: Json, issuer: str) -> ContentBlock:
    """Read an entry as `read_part` does, and also calls and results in Claude's form."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind not in _CLAUDE_PARTS:
        return read_part(part, issuer)
    keys = _CLAUDE_PARTS[kind]
    id, value = part.get(keys[1]), part.get(keys[2])
    if isinstance(id, str) and kind == "tool_use":
        name = part.get("name")
        if isinstance(value, dict) and isinstance(name, str):
            block = ToolUseBlock(id, name, value, spelling=PART)
            return _with_fields(block, part, (*keys, "name"), issuer)
    elif isinstance(id, str) and isinstance(value, (str, list)):
        output: Any = value
        if isinstance(value, list):
            output = [read_part(entry, issuer) for entry in value]
        is_error = part.get("is_error") is True
        result = ToolResultBlock(id, "", output, is_error, spelling=PART)
        return _with_fields(result, part, (*keys, "is_error") if is_error else keys, issuer)
    return read_part(part, issuer)  # unchanged


def _with_fields(
    block: ContentBlock, part: JsonObject, read_keys: Sequence[Any], issuer: str
) -> ContentBlock:
    """Return the block of a part with its cache mark and the fields beside `read_keys`."""
    block.read_from = part
    fields = {key: value for key, value in part.items() if key not in read_keys}
    if fields and hasattr(block, "cache"):
        hint, key = read_cache_mark(fields)
        if hint is not None:
            block.spelling = " ".join(filter(None, (block.spelling, key)))
            block.cache = hint  # each kind of block has the field
    if fields:
        extras = (block.extras or {}).get(issuer, {})
        block.extras = {issuer: {**extras, **fields}}
    return block


def _read_media(kind: str, value: JsonObject, issuer: str) -> ContentBlock | None:
    unknown = dict(value)
    block: Any = None
    if kind in _LINK_PARTS and isinstance(value.get("url"), str):
        source, head = read_url(unknown.pop("url"))
        block = _LINK_PARTS[kind](source, spelling=head)
        if isinstance(value.get("detail"), str):
            block.detail = unknown.pop("detail")
        block = read_document(block)
    elif kind == "input_audio" and isinstance(value.get("data"), str):
        media_type = _AUDIO_TYPES.get(str(value.get("format")))
        if media_type is not None and not value["data"].startswith("data:"):
            block = AudioBlock(Base64Source(media_type, unknown.pop("data")), spelling="bytes")
            del unknown["format"]
    elif kind == "file" and isinstance(value.get("file_data"), str):
        source, head = read_url(unknown.pop("file_data"))
        block = tree.DocumentBlock(source, spelling=head)
    elif kind == "file" and isinstance(value.get("file_id"), str):
        block = tree.DocumentBlock(tree.FileSource(unknown.pop("file_id"), issuer))
    if kind == "file" and block is not None and isinstance(value.get("filename"), str):
        block.title = unknown.pop("filename")
    if block is not None and unknown:
        block.extras = {issuer: {kind: unknown}}
    return block  # type: ignore[no-any-return]  # a block of one of the kinds above


def write_part(
    block: ContentBlock, audio_links: bool = False, spelling: str | None = None
) -> JsonObject:
    """Write a text, refusal or medium as a content part, without the fields that no block can hold.

    `image_url`, `input_audio` and `file` are OpenAI's; `audio_url` and `video_url` are what
    compatible servers take. Raises WriteError for other blocks.

    Args:
        block: The block.
        audio_links: Whether `input_audio` holds a web address or a data URI.
        spelling: The spelling in the request that it was read from; None for other blocks.
    """
    if type(block) is TextBlock:
        return {"type": "text", "text": block.text}
    if type(block) is tree.RefusalBlock:
        return {"type": "refusal", "refusal": block.text}
    if not isinstance(block, MediaBlock):
        other: ThinkingBlock | ToolBlock | RawBlock = block  # a new kind is answered above
        raise WriteError(f"{other.type} is no part of content", code="placement.unsupported")
    kind, source = type(block), block.source
    if isinstance(source, tree.FramesSource):
        return {"type": "video", "video": list(source.frames)}
    if kind is tree.DocumentBlock:
        file_id = source.file_id if isinstance(source, tree.FileSource) else None
        usual = block.title or "document.pdf" if file_id is None else None
        name = usual if spelling is None else block.title
        file: JsonObject = {} if name is None else {"filename": name}
        file |= {"file_data": _url(block, spelling)} if file_id is None else {"file_id": file_id}
        return {"type": "file", "file": file}
    if kind is AudioBlock and spelling is None and audio_links:
        sound: JsonObject = {"data": _url(block)}
        media_type = getattr(source, "media_type", None)
        if media_type is not None:
            sound["format"] = _AUDIO_FORMATS.get(media_type, media_type.rpartition("/")[2])
        return {"type": "input_audio", "input_audio": sound}
    bytes_part = kind is AudioBlock if spelling is None else spelling == "bytes"
    if bytes_part and isinstance(source, Base64Source):
        name = _AUDIO_FORMATS.get(source.media_type, "wav")
        return {"type": "input_audio", "input_audio": {"data": source.data, "format": name}}
    link: JsonObject = {"url": _url(block, spelling)}
    if block.detail is not None and (spelling is not None or kind is tree.ImageBlock):
        link["detail"] = block.detail
    return {"type": f"{block.type}_url", f"{block.type}_url": link}


def _url(block: MediaBlock, head: str | None = None) -> str:
    if block.source.type in ("url", "base64"):
        return write_url(block.source, head)
    text = f"{block.type} from a {block.source.type} source"
    raise WriteError(text, code="placement.unsupported")


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """Return the part that `read_part` or `read_content_part` read the block from."""
    if type(block) is RawBlock:
        return block.data
    block = restore_image(block)
    head, _, key = (block.spelling or "").partition(" ")
    bare = head == BARE
    if bare:
        head, _, key = key.partition(" ")
    if head in CACHE_MARKS:
        head, key = "", head
    part: JsonObject
    if type(block) is ToolUseBlock:
        part = {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    elif type(block) is ToolResultBlock:
        output = block.output
        if isinstance(output, list):
            output = [part_as_read(item, issuer) for item in output]
        part = {"type": "tool_result", "tool_use_id": block.id, "content": output}
        part |= {"is_error": True} if block.is_error else {}
    elif head == claude_parts.FORM:
        part, key = claude_parts.part_as_read(block), key.rpartition(" ")[2]
    else:
        part = write_part(block, spelling=head)
        if bare:
            part[part["type"]] = part[part["type"]]["url"]
    part = fill_fields(part, (block.extras or {}).get(issuer, {}))
    hint = getattr(block, "cache", None)
    return part if hint is None else {**part, **cache_mark(hint, key.partition(" ")[0])}


# the fields of `url_citation` -> those of a Citation
CITATION_FIELDS = {"start_index": "start", "end_index": "end", "url": "url", "title": "title"}


# Tool calls

CUSTOM = "custom"  # the type of tools and calls that take text instead of arguments
LEGACY = "function_call"  # the field, and the spelling, of calls without ids


def read_calls(fields: JsonObject, issuer: str) -> list[ContentBlock]:
    """Take the calls that follow the content of an assistant's message out of its fields."""
    blocks: list[ContentBlock] = []
    if isinstance(fields.get("refusal"), str) and fields["refusal"]:
        blocks.append(tree.RefusalBlock(fields.pop("refusal"), spelling="field"))
    if isinstance(fields.get("tool_calls"), list) and fields["tool_calls"]:
        blocks += [_read_call(entry, issuer) for entry in fields.pop("tool_calls")]
    function = fields.get(LEGACY)
    block = _read_function_call("", function)
    if block is not None:
        del fields[LEGACY]
        block.spelling = " ".join(filter(None, (LEGACY, block.spelling)))
        block.read_from = function
        blocks.append(block)
    return blocks


def read_usual_calls(
    entries: Json, names: dict[str, str], history: RoledHistory
) -> list[ContentBlock] | None:
    """Read calls of functions if nothing in any of them is unusual; return None otherwise.

    `names` gets their names by id, `history` their ids and names in order.
    """
    if type(entries) is not list:
        return None
    ids, call_names = history.calls, history.names
    blocks: list[ContentBlock] = []
    try:
        for entry in entries:
            function, id = entry["function"], entry["id"]
            name, raw = function["name"], function["arguments"]
            if entry["type"] != "function" or len(entry) != 3 or len(function) != 2:
                return None
            if type(id) is not str or type(name) is not str or type(raw) is not str:
                return None
            values = parse_arguments(raw)
            if type(values) is not dict:
                return None
            blocks.append(new_call(id, name, values, raw, entry))
            names[id] = name
            ids.append(id)
            call_names.append(name)
    except (LookupError, TypeError):  # a field is missing, or a value is no object
        return None
    return blocks


def _read_call(entry: Json, issuer: str) -> ContentBlock:
    unknown = {**entry} if isinstance(entry, dict) else {}
    if (call := _read_freeform_call(unknown, issuer)) is not None:
        call.read_from = entry
        return call
    id, function = unknown.pop("id", None), unknown.pop("function", None)
    id = id if isinstance(id, str) else None
    block = _read_function_call(id, function)
    if block is None:
        raw = RawBlock(issuer, entry, "call", id, "client", spelling="call")
        raw.read_from = entry
        return raw
    typed = unknown.get("type") == "function"
    if typed:
        del unknown["type"]
    block.cache, key = read_cache_mark(unknown)
    notes = (block.spelling, None if typed else "untyped", key)
    block.spelling = " ".join(filter(None, notes)) or None
    block.extras = {issuer: unknown} if unknown else None
    block.read_from = entry
    return block


def _read_freeform_call(entry: JsonObject, issuer: str) -> ToolUseBlock | None:
    """Read `{"id", "type": "custom", "custom": {"name", "input"}}`; None for other entries."""
    id, custom = entry.get("id"), entry.get(CUSTOM)
    if entry.get("type") != CUSTOM or not isinstance(id, str) or not isinstance(custom, dict):
        return None
    name, text = custom.get("name"), custom.get("input")
    if custom.keys() != {"name", "input"} or not isinstance(name, str) or not isinstance(text, str):
        return None
    block = ToolUseBlock(id, name, text, freeform=True)
    unknown = {key: value for key, value in entry.items() if key not in ("id", "type", CUSTOM)}
    block.extras = {issuer: unknown} if unknown else None
    return block


def freeform_call(block: ToolUseBlock, text: Json) -> JsonObject:
    """Write the entry of a call that holds text."""
    return {"id": block.id, "type": CUSTOM, CUSTOM: {"name": block.name, "input": text}}


def _read_function_call(id: str | None, function: Json) -> ToolUseBlock | None:
    """Read a call of a function; some clients give its arguments as an object, or none."""
    if id is None or not isinstance(function, dict) or function.keys() - {"name", "arguments"}:
        return None
    name, values = function.get("name"), function.get("arguments")
    if isinstance(name, str) and isinstance(values, str):
        return ToolUseBlock(id, name, parse_arguments(values), values)
    if not isinstance(name, str) or not (values is None or isinstance(values, dict)):
        return None
    spelling = "bare" if "arguments" not in function else "null" if values is None else "object"
    return ToolUseBlock(id, name, values or {}, spelling=spelling)


def write_call(block: ToolUseBlock, caps: Capabilities) -> JsonObject:
    """Write `{"id", "type": "function", "function": {"name", "arguments": JSON text}}`."""
    if block.freeform:
        entry = freeform_call(block, block.input)
    else:
        raw = arguments(block.input) if block.raw_input is None else write_arguments(block)
        function = {"name": block.name, "arguments": raw}
        entry = {"id": block.id, "type": "function", "function": function}
    if block.extras is not None:
        entry.update(own_extras(block, caps))
    return entry


def call_as_read(block: ToolUseBlock, issuer: str) -> JsonObject:
    """Return the call, or the `function_call`, that the block was read from."""
    if block.freeform:
        return {**freeform_call(block, block.input), **(block.extras or {}).get(issuer, {})}
    notes = (block.spelling or "").split()
    entry = shaped_call(block, block.raw_input, {}, "untyped" not in notes)
    function: JsonObject = entry["function"]
    if "bare" in notes:
        del function["arguments"]
    elif "object" in notes:
        function["arguments"] = block.input
    if LEGACY in notes:
        return function
    if block.cache is not None:
        entry.update(cache_mark(block.cache, next(key for key in notes if key in CACHE_MARKS)))
    entry.update((block.extras or {}).get(issuer, {}))
    return entry


def pair_legacy_calls(msgs: Sequence[Msg]) -> None:
    """Give calls without ids a generated one, and the next result of the function the same."""
    open_calls: dict[str, list[str]] = {}
    for i, m in enumerate(msgs):
        for block in m.blocks:
            if type(block) is ToolUseBlock and LEGACY in (block.spelling or "").split():
                block.id = make_call_id(i, block.name, block.raw_input)
                open_calls.setdefault(block.name, []).append(block.id)
            elif type(block) is ToolResultBlock and not block.id and open_calls.get(block.name):
                block.id = open_calls[block.name].pop(0)


def make_call_id(*seeds: object) -> str:
    """Return an id for a call that has none; equal seeds give equal ids."""
    seed = "\0".join(map(str, seeds)).encode("utf-8", "surrogatepass")
    return f"call_{blake2b(seed, digest_size=9).hexdigest()}"
