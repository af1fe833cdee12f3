"""Reads and writes parts: texts, thinking, calls, results, media, and runs of the provider's tools.

`read_part` reads a part as a block and notes the form of the part in its `spelling`. The `write_*`
functions write the block's own fields; `write_part` builds the whole part according to the notes.
No URL is opened: its media type is determined by its ending.

Reference: Gemini API, "Content" and "Part".
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any, Literal, TypeVar, assert_never

from ... import message as tree
from ...errors import WriteError
from ...message import RawBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, URLSource
from ...message.blocks import ContentBlock, MediaBlock
from ...message.media import Source
from ...sealed_state import find_envelope
from ...stream.arguments import MADE, parse_arguments
from ...text.json_text import Json, JsonObject, arguments, loads
from ..chat_like.messages import fill_fields, require_text, without
from .dialect import WriteTarget, change_case, read_keys, set_fields, spell_keys

_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "heic": "image/heic",
    "heif": "image/heif",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "aiff": "audio/aiff",
    "aac": "audio/aac",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpg",
    "mov": "video/mov",
    "avi": "video/avi",
    "flv": "video/x-flv",
    "webm": "video/webm",
    "wmv": "video/wmv",
    "3gp": "video/3gpp",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "csv": "text/csv",
}


# The field is required for a URL, and not every URL has an ending.
_COMMONEST = {
    "image": "image/jpeg",
    "audio": "audio/mpeg",
    "video": "video/mp4",
    "document": "application/pdf",
}


_FILM = "video/*"


_RESOLUTIONS = {
    name: {"level": f"MEDIA_RESOLUTION_{name.upper()}"}
    for name in ("low", "medium", "high", "ultra_high")
}


# The notes in the spelling of a block:
BARE = "bare"  # a text that was read from a part without any data
TEXT = "text"  # text, or arguments as text, where an object is usual
UNTHOUGHT = "unthought"  # a text that is explicitly no thought
URLSAFE = "urlsafe"  # a medium with base64 in the alphabet of URLs
UNPADDED = "unpadded"  # a medium with base64 without padding
ARGLESS = "argless"  # a call without arguments, which usually are an empty object
NAMELESS = "nameless"  # a call or result without a name
ABSENT = "absent"  # a result without a response


# a text that was the response of a result with parts
OUTPUT, ERROR, JSON = "output", "error", "json"
RESPONSE_TEXTS = (OUTPUT, ERROR, JSON)
_SEALED = "ZHJhZ29tYW4xL"  # the first characters of an envelope, in base64
_BESIDE_DATA = {"thought", "thoughtSignature", "partMetadata"}


# runs of the provider's tools: (the part's key, whether it is a call or a result)
_PAIRS: dict[str, Literal["call", "result"]] = {
    "executableCode": "call",
    "codeExecutionResult": "result",
    "toolCall": "call",
    "toolResponse": "result",
    "functionResponse": "result",
}


_MEDIA: dict[str, type[tree.ImageBlock | tree.AudioBlock | tree.VideoBlock]] = {
    "image": tree.ImageBlock,
    "audio": tree.AudioBlock,
    "video": tree.VideoBlock,
}


_FILES = "https://generativelanguage.googleapis.com/"  # the address of the Files API's own files
_BLOBS = {"inlineData": "data", "fileData": "fileUri"}
_Block = TypeVar("_Block", bound=ContentBlock)


def read_part(part: Json, issuer: str) -> ContentBlock:
    """Read one part of a content; an unknown part is kept unchanged."""
    if isinstance(part, str):
        return TextBlock(part, spelling=TEXT)
    if isinstance(part, dict) and len(part) == 1 and isinstance(part.get("text"), str):
        return TextBlock(part["text"])
    try:
        return read_block(_object(part), issuer)
    except (TypeError, LookupError):
        return RawBlock(issuer, part, by="client")


def read_request_part(part: Json, issuer: str) -> ContentBlock:
    """Read one part of a request, in which the client answers calls."""
    if isinstance(part, dict) and ("functionResponse" in part or "function_response" in part):
        fields, notes = read_keys(part)
        try:
            if "functionResponse" in fields and "functionCall" not in fields:
                return _read_result(fields, notes, issuer)
        except TypeError:
            return RawBlock(issuer, part, by="client")
    return read_part(part, issuer)


def listed_calls(content: JsonObject) -> list[JsonObject]:
    """Return the calls of a content that are in `function_calls`, a list beside its parts.

    AgentScope's documents have calls there; the API never did.
    """
    calls = content.get("functionCalls", content.get("function_calls"))
    if type(calls) is not list or any(type(call) is not dict for call in calls):
        return []
    return [{"functionCall": call} for call in calls]


def api_part(part: JsonObject) -> JsonObject:
    """Return a part of google-genai's objects, which name every field, in the API's form."""
    if not any("_" in key for key in part):
        return part
    return {
        key: set_fields(value) if isinstance(value, dict) else value
        for key, value in set_fields(part).items()
    }


def read_block(data: JsonObject, issuer: str) -> ContentBlock:
    """Read a part as a block; fields that the block cannot hold become its extras.

    Raises:
        TypeError: For data of an unexpected type.
        KeyError: For missing data.
    """
    part, notes = read_keys(data)
    if "text" in part and not part.keys() & _BLOBS.keys() and "functionCall" not in part:
        return _read_text(part, notes, issuer)
    if "functionCall" in part:
        return _read_call(part, notes, issuer)
    for key in _BLOBS:
        if key in part:
            if part.get("thought") is True:  # a draft of the picture that the model draws
                return RawBlock(issuer, data)
            return _read_media(part, key, notes, issuer)
    for key, role in _PAIRS.items():
        if key not in part:
            continue
        id = set_fields(_object(part[key])).get("id")
        return RawBlock(issuer, data, role, id if isinstance(id, str) else None)
    if part.keys() <= _BESIDE_DATA:
        return _read_text({"text": "", **part}, [BARE, *notes], issuer)
    return RawBlock(issuer, data)


def _read_text(part: JsonObject, notes: list[str], issuer: str) -> ContentBlock:
    """Read thinking if the part is marked as a thought; a signature alone does not mark it."""
    thought = part.get("thought")
    fields = without(part, "text")
    if isinstance(thought, bool):
        del fields["thought"]
    if thought is False:
        notes.append(UNTHOUGHT)
    kind = ThinkingBlock if thought is True else TextBlock
    block = kind(require_text(part["text"]), spelling=" ".join(notes) or None)
    if fields:
        block.extras = {issuer: fields}
        if isinstance(block, ThinkingBlock):
            block.signature = _envelope(fields.get("thoughtSignature"))
    return block


def _envelope(signature: Json) -> str | None:
    """Return what a gateway sealed into a signature of a text, which the API itself never signs."""
    if not isinstance(signature, str) or not signature.startswith(_SEALED):
        return None
    try:
        return b64decode(signature, validate=True).decode()
    except ValueError:
        return None


def _read_call(part: JsonObject, notes: list[str], issuer: str) -> ToolUseBlock:
    block = ToolUseBlock("", "")
    fields = _read_name(block, part["functionCall"], notes)
    args = fields.pop("args", None)
    if isinstance(args, dict):
        block.input = args
    elif isinstance(args, str):  # some relays; the API gives an object
        block.input, block.raw_input = parse_arguments(args), args
        notes.append(TEXT)
    elif args is None:
        notes.append(ARGLESS)
    else:
        raise TypeError("arguments are an object")
    return _with_extras(block, part, "functionCall", fields, notes, issuer)


def _read_result(part: JsonObject, notes: list[str], issuer: str) -> ToolResultBlock:
    """Read the result in a part in camelCase.

    Raises:
        TypeError: If the part has another form.
    """
    block = ToolResultBlock("", "")
    fields = _read_name(block, part["functionResponse"], notes)
    response, parts = fields.get("response"), fields.get("parts")
    if isinstance(response, dict):
        del fields["response"]
        block.output = response
        block.is_error = response.keys() == {ERROR}
        # Gemini API reference, FunctionResponse: `output` is the output, `error` the error; text
        # that other providers get must not be escaped as JSON
        text = response.get(ERROR if block.is_error else OUTPUT)
        if len(response) == 1 and isinstance(text, str) and (text or not block.is_error):
            block.output = text
        if isinstance(parts, list) and parts and all(isinstance(item, dict) for item in parts):
            del fields["parts"]
            media = [read_part(item, issuer) for item in parts]
            block.output = [*_response_texts(response), *media]
    else:
        block.output = None
        notes.append(ABSENT)
    return _with_extras(block, part, "functionResponse", fields, notes, issuer)


def _read_name(block: ToolUseBlock | ToolResultBlock, value: Json, notes: list[str]) -> JsonObject:
    """Set id and name of a call or result; return its other fields."""
    data, key_notes = read_keys(_object(value), ".")
    notes += key_notes
    block.name = require_text(data.get("name", ""))
    if "name" not in data:
        notes.append(NAMELESS)
    fields = without(data, "name")
    if isinstance(data.get("id"), str) and data["id"]:
        block.id = fields.pop("id")
    return fields


def _response_texts(response: JsonObject) -> list[ContentBlock]:
    """Return the response as a text before the parts; none if it is empty."""
    for key in (OUTPUT, ERROR):
        if response.keys() == {key} and isinstance(response[key], str):
            return [TextBlock(response[key], spelling=key)]
    return [TextBlock(arguments(response), spelling=JSON)] if response else []


def _read_media(part: JsonObject, key: str, notes: list[str], issuer: str) -> MediaBlock:
    data, key_notes = read_keys(_object(part[key]), ".")
    notes += key_notes
    fields, media_type = without(data, _BLOBS[key], "mimeType"), data.get("mimeType")
    if not (isinstance(media_type, str) and media_type) and "mimeType" in data:
        raise TypeError("a media type is text")
    source: Source
    kind, value = media_type, require_text(data[_BLOBS[key]])
    if key == "inlineData":
        source = tree.Base64Source(media_type or "", _standard_base64(value, notes))
    elif value.startswith(_FILES) or "://" not in value:
        source = tree.FileSource(value, issuer, media_type)
    else:
        source = URLSource(value, media_type, read=True)
        kind = kind or type_of_url(value)
    block = _MEDIA.get((kind or "").partition("/")[0].lower(), tree.DocumentBlock)(source)
    details = (name for name, data in _RESOLUTIONS.items() if data == part.get("mediaResolution"))
    if (detail := next(details, None)) is not None:
        block.detail = detail
        part = without(part, "mediaResolution")
    return _with_extras(block, part, key, fields, notes, issuer)


def _standard_base64(data: str, notes: list[str]) -> str:
    """Return standard base64 with padding; note the alphabet of URLs and missing padding."""
    signs = data
    if ("-" in signs or "_" in signs) and not ("+" in signs or "/" in signs):
        data = data.replace("-", "+").replace("_", "/")
        notes.append(URLSAFE)
    if len(data) % 4 > 1 and not data.endswith("="):
        data += "=" * (-len(data) % 4)
        notes.append(UNPADDED)
    return data


def _with_extras(
    block: _Block, part: JsonObject, key: str, fields: JsonObject, notes: list[str], issuer: str
) -> _Block:
    """Return the block with the unknown fields of its part, and those of the data under `key`."""
    extras = without(part, key)
    if extras.get("thought") is False:
        del extras["thought"]
        notes.append(UNTHOUGHT)
    if fields:
        extras[key] = fields
    block.extras = {issuer: extras} if extras else None
    block.spelling = " ".join(notes) or None
    return block


def _object(value: Any) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError("an object was expected")
    return value


def write_part(block: ContentBlock, issuer: str, as_read: bool = True) -> Json:
    """Write the part that a block was read from; without `as_read`, its spelling is ignored."""
    if type(block) is TextBlock and block.spelling is None and block.extras is None:
        return {"text": block.text}
    if type(block) is RawBlock:
        return block.data
    notes = (block.spelling or "").split()
    if not as_read:  # except for generated ids, which no other wire needs
        notes = [MADE] if MADE in notes else []
    if TEXT in notes and type(block) is TextBlock:
        return block.text
    part = _write_fields(block, notes, issuer)
    key = next(iter(part), "")
    if UNTHOUGHT in notes:
        part["thought"] = False
    if block.extras is not None:
        part = fill_fields(part, block.extras.get(issuer, {}))
    if notes and isinstance(part.get(key), dict):
        part[key] = spell_keys(dict(part[key]), notes, ".")
    return spell_keys(part, notes)


def _write_fields(block: ContentBlock, notes: list[str], issuer: str) -> JsonObject:
    """Return the fields of the part that the block holds."""
    if type(block) is ToolUseBlock:
        return {"functionCall": write_call(block, notes)}
    if type(block) is ToolResultBlock:
        return {"functionResponse": _result_as_read(block, notes, issuer)}
    if type(block) is TextBlock:
        return write_text(block, notes)
    if type(block) is ThinkingBlock:
        part = write_text(block, notes)
        if (envelope := find_envelope(block)) is not None:  # the field holds bytes
            part["thoughtSignature"] = b64encode(envelope.encode()).decode()
        return part
    if not isinstance(block, MediaBlock):  # raw blocks are written elsewhere
        raise WriteError(f"{block.type} was never read as a part", code="placement.unsupported")
    part = _media_data(block.source, block.source.media_type or None, notes)
    return part | resolution(block)


def write_text(block: TextBlock | ThinkingBlock, notes: Sequence[str] = ()) -> JsonObject:
    """Write `{"text"}`; for thinking `{"text", "thought"}`."""
    part: JsonObject = {}
    if BARE not in notes:
        part["text"] = block.text if isinstance(block, TextBlock) else block.thinking
    if type(block) is ThinkingBlock:
        part["thought"] = True
    return part


def write_call(block: ToolUseBlock, notes: Sequence[str] = ()) -> JsonObject:
    """Write `{"id", "name", "args"}`, without an id that was generated here."""
    if block.id and not notes:  # most calls
        return {"id": block.id, "name": block.name, "args": block.input}
    call = _write_name(block, notes)
    if ARGLESS not in notes:
        call["args"] = block.raw_input if TEXT in notes else block.input
    return call


def _write_name(block: ToolUseBlock | ToolResultBlock, notes: Sequence[str]) -> JsonObject:
    data: JsonObject = {}
    if block.id and MADE not in notes:
        data["id"] = block.id
    if NAMELESS not in notes:
        data["name"] = block.name
    return data


def _result_as_read(block: ToolResultBlock, notes: list[str], issuer: str) -> JsonObject:
    """Write `{"id", "name", "response", "parts"}`."""
    result = _write_name(block, notes)
    response: Json = block.output
    media: list[ContentBlock] = []
    if isinstance(block.output, str):
        response = {ERROR if block.is_error else OUTPUT: block.output}
    if isinstance(block.output, list):
        response, media = {}, block.output
        first = media[0]
        if first.spelling in RESPONSE_TEXTS:
            text = getattr(first, "text", "")
            response = loads(text) if first.spelling == JSON else {first.spelling: text}
            media = media[1:]
    if ABSENT not in notes:
        result["response"] = response
    if media:
        result["parts"] = [write_part(item, issuer) for item in media]
    return result


def write_media(block: MediaBlock, target: WriteTarget) -> JsonObject:
    """Write the part of a medium, with the resolution to look at it in."""
    source = block.source
    media_type = source.media_type
    if isinstance(source, URLSource):
        media_type = media_type or type_of_url(source.url)
        if media_type is None:
            media_type = _COMMONEST[block.type]
            target.report.add_loss("media.type_assumed", block, "source", did=media_type)
        elif media_type == _FILM:
            media_type = None
    if media_type is not None:
        media_type = target.dialect.mime.get(media_type, media_type)
    if isinstance(source, tree.LocalSource):
        raise WriteError(f"{block.type} from a local file", code="placement.unsupported")
    [(key, data)] = _media_data(source, media_type).items()
    part: JsonObject = {key: change_case(data, target.dialect)}
    if block.type in target.caps.details:
        part |= resolution(block)
        if has_odd_detail(block):
            target.report.add_loss("media.detail", block, "detail")
    return change_case(part, target.dialect)


def resolution(block: MediaBlock) -> JsonObject:
    """Write `{"mediaResolution": {"level"}}` for a detail that this wire has."""
    data = _RESOLUTIONS.get((block.detail or "").lower())
    return {} if data is None else {"mediaResolution": dict(data)}


def has_odd_detail(block: MediaBlock) -> bool:
    """Whether the detail has no resolution; `auto` needs no field."""
    return block.detail not in (None, "auto") and not resolution(block)


def _media_data(source: Source, media_type: str | None, notes: Sequence[str] = ()) -> JsonObject:
    """Write `{"inlineData": {"mimeType", "data"}}` or `{"fileData": {"mimeType", "fileUri"}}`."""
    data: JsonObject = {} if media_type is None else {"mimeType": media_type}
    match source:
        case tree.Base64Source():
            text = source.data
            if UNPADDED in notes:
                text = text.rstrip("=")
            if URLSAFE in notes:
                text = text.replace("+", "-").replace("/", "_")
            return {"inlineData": {**data, "data": text}}
        case URLSource():
            return {"fileData": {**data, "fileUri": source.url}}
        case tree.FileSource():
            return {"fileData": {**data, "fileUri": source.file_id}}
        case tree.LocalSource() | tree.TextSource() | tree.FramesSource():
            raise WriteError(f"a medium from a {source.type} source", code="placement.unsupported")
        case _:
            assert_never(source)


def type_of_url(url: str) -> str | None:
    """Return a URL's media type by its ending; `video/*` for a video of YouTube's.

    None if the ending is unknown.
    """
    address = url.partition("://")[2].partition("?")[0].partition("#")[0]
    host, _, path = address.partition("/")
    if host.lower().removeprefix("www.").removeprefix("m.") in ("youtube.com", "youtu.be"):
        return _FILM
    return _TYPES.get(path.rpartition(".")[2].lower())
