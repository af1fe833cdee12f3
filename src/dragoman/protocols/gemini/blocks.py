"""A medium as a part: bytes inline, or a file that the provider fetches or holds.

Opens nothing. A URL's media type is read off its ending.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject, arguments, loads
from ..._core.stream.arguments import MADE, parsed
from ...capabilities import Capabilities
from ...envelope import borne
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock, MediaBlock
from ..chat_shape import filled
from .dialect import Dialect, keys, plain, read_keys, spell_keys

_TYPES = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    "heic": "image/heic", "heif": "image/heif",
    "mp3": "audio/mpeg", "wav": "audio/wav", "aiff": "audio/aiff", "aac": "audio/aac",
    "ogg": "audio/ogg", "flac": "audio/flac",
    "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpg", "mov": "video/mov",
    "avi": "video/avi", "flv": "video/x-flv", "webm": "video/webm", "wmv": "video/wmv",
    "3gp": "video/3gpp",
    "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "html": "text/html",
    "csv": "text/csv",
}  # fmt: skip


# The field is required for a URL, and not every URL has an ending.
_COMMONEST = {
    "image": "image/jpeg", "audio": "audio/mpeg", "video": "video/mp4",
    "document": "application/pdf",
}  # fmt: skip


_FILM = "video/*"


_YOUTUBE = ("youtube.com", "youtu.be")


_LEVELS = {
    name: f"MEDIA_RESOLUTION_{name.upper()}" for name in ("low", "medium", "high", "ultra_high")
}


DETAILS = {level: name for name, level in _LEVELS.items()}


def media_part(
    block: MediaBlock, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    """`{"inlineData": ...}` or `{"fileData": ...}`, with the resolution to look at it in."""
    key = keys(dialect)
    source = block.source
    made: JsonObject
    match source:
        case Base64Source(media_type=media_type, data=data):
            spelled = dialect.mime.get(media_type, media_type)
            made = {key.inline: {key.mime: spelled, "data": data}}
        case URLSource(url=url):
            kind = source.media_type or kind_of(url)
            if kind is None:
                kind = _COMMONEST[block.type]
                report.lost("media.type_assumed", block, "source", did=kind)
            made = {key.file: _file(url, None if kind == _FILM else kind, dialect)}
        case FileSource(file_id=file_id):
            made = {key.file: _file(file_id, source.media_type, dialect)}
        case LocalSource():
            raise WriteError(f"{block.type} from a local file", code="seat.unsaid")
        case _:
            assert_never(source)
    if block.detail is not None and block.type in caps.details and block.detail != "auto":
        level = _LEVELS.get(block.detail.lower())
        if level is None:
            report.lost("media.detail", block, "detail")
        else:
            made[key.resolution] = {"level": level}
    return made


def level_of(detail: str) -> JsonObject:
    """The resolution that a word for it stands for."""
    return {"level": _LEVELS[detail]}


def _file(uri: str, media_type: str | None, dialect: Dialect) -> JsonObject:
    key = keys(dialect)
    if media_type is None:
        return {key.uri: uri}
    return {key.mime: dialect.mime.get(media_type, media_type), key.uri: uri}


def kind_of(url: str) -> str | None:
    """The media type of a URL by its ending; `video/*` for a film of YouTube's, which needs none.

    None if the URL does not tell.
    """
    place = url.partition("://")[2].partition("?")[0].partition("#")[0]
    host, _, path = place.partition("/")
    if host.lower().removeprefix("www.").removeprefix("m.") in _YOUTUBE:
        return _FILM
    return _TYPES.get(path.rpartition(".")[2].lower())


BARE = "bare"  # the spelling of a text that stands for a part without any data


TEXT = "text"  # of what is text, or arguments as text, where an object is the rule


UNTHOUGHT = "unthought"  # of a text that says that it is no thought


URLSAFE = "urlsafe"  # of a medium whose base64 had the signs of URLs


UNPADDED = "unpadded"  # of a medium whose base64 lacked its end


ARGLESS = "argless"  # of a call without arguments, which others say as an empty object


NAMELESS = "nameless"


_SEALED = "ZHJhZ29tYW4xL"  # the mark of an envelope, in base64


_ASIDE = {"thought", "thoughtSignature", "partMetadata"}


# what runs at the provider: (the part's key, whether it asks or answers)
_PAIRS = {"executableCode": "call", "codeExecutionResult": "result", "toolCall": "call",
          "toolResponse": "result", "functionResponse": "result"}  # fmt: skip


_MEDIA: dict[str, type[ImageBlock | AudioBlock | VideoBlock]] = {
    "image": ImageBlock,
    "audio": AudioBlock,
    "video": VideoBlock,
}


_FILES = "https://generativelanguage.googleapis.com/"  # where the Files API keeps what it is given


_BLOBS = {"inlineData": "data", "fileData": "fileUri"}


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One part of a content; what no block models is kept as it came."""
    if isinstance(told, str):
        return TextBlock(told, spelling=TEXT)
    if not isinstance(told, dict):
        return RawBlock(issuer, told, by="client")
    if len(told) == 1 and isinstance(text := told.get("text"), str):
        return TextBlock(text)
    try:
        return block_of(told, issuer)
    except (TypeError, LookupError):
        return RawBlock(issuer, told, by="client")


def undressed(part: JsonObject) -> JsonObject:
    """A part of google-genai's objects, which name every field, as it came from the API."""
    if not any("_" in key for key in part):
        return part
    return {key: plain(value) if isinstance(value, dict) else value
            for key, value in plain(part).items()}  # fmt: skip


def block_of(told: JsonObject, issuer: str) -> ContentBlock:
    """The block that a part makes; what is not modelled comes back in extras.

    Raises TypeError or KeyError for data of an unexpected kind.
    """
    part, words = read_keys(told)
    if "text" in part and not part.keys() & _BLOBS.keys() and "functionCall" not in part:
        return _text(part, words, issuer)
    if "functionCall" in part:
        return _call(part, words, issuer)
    for key in _BLOBS:
        if key in part:
            return _medium(part, key, words, issuer)
    for key, role in _PAIRS.items():
        if key in part:
            id = plain(object_of(part[key])).get("id")
            pair = id if isinstance(id, str) else None
            return RawBlock(issuer, told, role, pair, "server")  # type: ignore[arg-type]  # as listed
    if part.keys() <= _ASIDE:
        return _text({"text": "", **part}, [BARE, *words], issuer)
    return RawBlock(issuer, told)


def _text(part: JsonObject, words: list[str], issuer: str) -> ContentBlock:
    """Thinking if the part says that it is a thought; a signature alone says nothing of that."""
    thought = part.get("thought")
    rest = {key: value for key, value in part.items() if key != "text"}
    if isinstance(thought, bool):
        del rest["thought"]
    if thought is False:
        words.append(UNTHOUGHT)
    made = ThinkingBlock if thought is True else TextBlock
    block = made(
        _string(part["text"]), extras={issuer: rest} if rest else None, spelling=_spelling(words)
    )
    if isinstance(block, ThinkingBlock) and rest:
        block.signature = _envelope(rest.get("thoughtSignature"))
    return block


def _envelope(told: Json) -> str | None:
    """What a gateway sealed into a signature, which nobody here signs itself."""
    if not isinstance(told, str) or not told.startswith(_SEALED):
        return None
    try:
        return b64decode(told, validate=True).decode()
    except ValueError:
        return None


def _call(part: JsonObject, words: list[str], issuer: str) -> ToolUseBlock:
    said, inner = read_keys(object_of(part["functionCall"]), ".")
    block = ToolUseBlock("", _string(said.get("name", "")))
    rest = {key: value for key, value in said.items() if key != "name"}
    words += inner
    if "name" not in said:
        words.append(NAMELESS)
    if isinstance(said.get("id"), str) and said["id"]:
        block.id = rest.pop("id")
    args = rest.pop("args", None)
    if isinstance(args, dict):
        block.input = args
    elif isinstance(args, str):  # relays; the API gives an object
        block.input, block.raw_input = parsed(args), args
        words.append(TEXT)
    elif args is None:
        words.append(ARGLESS)
    else:
        raise TypeError("arguments are an object")
    return _finished(block, part, "functionCall", rest, words, issuer)  # type: ignore[return-value]  # the block


def _medium(part: JsonObject, key: str, words: list[str], issuer: str) -> MediaBlock:
    blob, inner = read_keys(object_of(part[key]), ".")
    words += inner
    rest = {name: value for name, value in blob.items() if name not in (_BLOBS[key], "mimeType")}
    kind = blob.get("mimeType")
    if not (isinstance(kind, str) and kind) and "mimeType" in blob:
        raise TypeError("a media type is text")
    source: Any
    if key == "inlineData":
        source = Base64Source(kind or "", _data(_string(blob["data"]), words))
    else:
        uri = _string(blob["fileUri"])
        held = uri.startswith(_FILES) or "://" not in uri
        source = FileSource(uri, issuer, kind) if held else URLSource(uri, kind)
    seen = kind or (kind_of(source.url) if type(source) is URLSource else None) or ""
    made = _MEDIA.get(seen.partition("/")[0].lower(), DocumentBlock)(source)
    part, made.detail = _looked_at(part)
    return _finished(made, part, key, rest, words, issuer)  # type: ignore[return-value]  # the block


def _looked_at(part: JsonObject) -> tuple[JsonObject, str | None]:
    """(the part without its resolution, the word for that), if it has one that we know."""
    told = part.get("mediaResolution")
    level = told.get("level") if isinstance(told, dict) and len(told) == 1 else None
    if not isinstance(level, str) or level not in DETAILS:
        return part, None
    rest = {key: value for key, value in part.items() if key != "mediaResolution"}
    return rest, DETAILS[level]


def _data(told: str, words: list[str]) -> str:
    """Standard base64, whole; the signs of URLs and a missing end are told in words."""
    data = told
    if ("-" in told or "_" in told) and not ("+" in told or "/" in told):
        data = told.replace("-", "+").replace("_", "/")
        words.append(URLSAFE)
    if len(data) % 4 > 1 and not data.endswith("="):
        data += "=" * (-len(data) % 4)
        words.append(UNPADDED)
    return data


def _finished(
    block: ContentBlock, part: JsonObject, key: str, inner: JsonObject, words: list[str],
    issuer: str,
) -> ContentBlock:  # fmt: skip
    """The block with what stands beside its data, and what else stands in them."""
    rest = {name: value for name, value in part.items() if name != key}
    if rest.get("thought") is False:
        del rest["thought"]
        words.append(UNTHOUGHT)
    if inner:
        rest[key] = inner
    if rest:
        block.extras = {issuer: rest}
    block.spelling = _spelling(words)
    return block


def _spelling(words: list[str]) -> str | None:
    return " ".join(words) or None


def object_of(value: Any) -> JsonObject:
    """The value if it is an object. Raises TypeError."""
    if not isinstance(value, dict):
        raise TypeError("an object was expected")
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


ABSENT = "absent"  # the spelling of a result without a response


# of a text that stands for the response, where the result shows parts
OUTPUT, ERROR, JSON = "output", "error", "json"


SHOWN = (OUTPUT, ERROR, JSON)


def result_of(part: JsonObject, words: list[str], issuer: str) -> ToolResultBlock:
    """The result that a part tells, which is camelCase. Raises TypeError for a strange one."""
    said, inner = read_keys(object_of(part["functionResponse"]), ".")
    name = said.get("name", "")
    if not isinstance(name, str):
        raise TypeError("a name is text")
    block = ToolResultBlock("", name)
    rest = {key: value for key, value in said.items() if key != "name"}
    words = [*words, *inner]
    if "name" not in said:
        words.append(NAMELESS)
    if isinstance(said.get("id"), str) and said["id"]:
        block.id = rest.pop("id")
    response = said.get("response")
    if isinstance(response, dict):
        del rest["response"]
        block.output = response
        block.is_error = response.keys() == {ERROR}
        if _shows(said.get("parts")):
            shown = [read_part(one, issuer) for one in rest.pop("parts")]
            block.output = [*_texts(response), *shown]
    else:
        block.output = None
        words.append(ABSENT)
    beside = {key: value for key, value in part.items() if key != "functionResponse"}
    if beside.get("thought") is False:
        del beside["thought"]
        words.append(UNTHOUGHT)
    if rest:
        beside["functionResponse"] = rest
    if beside:
        block.extras = {issuer: beside}
    block.spelling = " ".join(words) or None
    return block


def _shows(parts: Any) -> bool:
    return isinstance(parts, list) and bool(parts) and all(isinstance(one, dict) for one in parts)


def _texts(response: JsonObject) -> list[ContentBlock]:
    """The response as a text before the parts; none if it is empty."""
    for key in (OUTPUT, ERROR):
        if response.keys() == {key} and isinstance(response[key], str):
            return [TextBlock(response[key], spelling=key)]
    return [TextBlock(arguments(response), spelling=JSON)] if response else []


def part_as_read(block: ContentBlock, issuer: str, noted: bool = True) -> Json:
    """The part that the block was read from; unless `noted`, its spelling is another wire's."""
    if type(block) is TextBlock and block.spelling is None and block.extras is None:
        return {"text": block.text}
    if type(block) is RawBlock:
        return block.data
    words = (block.spelling or "").split()
    if not noted:  # but for ids: nobody needs those that we made
        words = [MADE] if MADE in words else []
    if type(block) is TextBlock or type(block) is ThinkingBlock:
        if TEXT in words and isinstance(block, TextBlock):
            return block.text
        key, made = "", _again_text(block, words)
    elif type(block) is ToolUseBlock:
        key, made = "functionCall", {"functionCall": _again_call(block, words)}
    elif type(block) is ToolResultBlock:
        key, made = "functionResponse", {"functionResponse": _result(block, words, issuer)}
    else:
        assert not isinstance(block, RefusalBlock)  # which this wire does not know
        key, made = _again_medium(block, words)
    if UNTHOUGHT in words:
        made["thought"] = False
    if block.extras is not None:
        made = filled(made, block.extras.get(issuer, {}))
    if words and key:
        made[key] = spell_keys(dict(made[key]), words, ".")
    return spell_keys(made, words)


def _again_text(block: TextBlock | ThinkingBlock, words: list[str]) -> JsonObject:
    made: JsonObject = {}
    if BARE not in words:
        made["text"] = block.text if isinstance(block, TextBlock) else block.thinking
    if type(block) is ThinkingBlock:
        made["thought"] = True
        if (envelope := borne(block)) is not None:  # the field holds bytes
            made["thoughtSignature"] = b64encode(envelope.encode()).decode()
    return made


def _again_call(block: ToolUseBlock, words: list[str]) -> JsonObject:
    made: JsonObject = {}
    if block.id and MADE not in words:
        made["id"] = block.id
    if NAMELESS not in words:
        made["name"] = block.name
    if ARGLESS not in words:
        made["args"] = block.raw_input if TEXT in words else block.input
    return made


def _result(block: ToolResultBlock, words: list[str], issuer: str) -> JsonObject:
    made: JsonObject = {}
    if block.id and MADE not in words:
        made["id"] = block.id
    if NAMELESS not in words:
        made["name"] = block.name
    output = block.output
    if isinstance(output, list):
        response: Any = {}
        shown = output
        if (word := output[0].spelling) in SHOWN:
            response, shown = _response(output[0], word), output[1:]
        made["parts"] = [part_as_read(one, issuer) for one in shown]
        output = response
    if ABSENT not in words:
        made["response"] = output
    return made


def _response(block: Any, word: str) -> Json:
    """What a result says beside what it shows."""
    if word == JSON:
        return loads(block.text)
    return {OUTPUT: block.text} if word == OUTPUT else {ERROR: block.text}


def _again_medium(block: MediaBlock, words: list[str]) -> tuple[str, JsonObject]:
    source = block.source
    kind = source.media_type
    made: JsonObject = {"mimeType": kind} if kind else {}
    if isinstance(source, Base64Source):
        key, made["data"] = "inlineData", _again_data(source.data, words)
    else:
        assert isinstance(source, URLSource | FileSource)  # nobody reads a local file
        key = "fileData"
        made["fileUri"] = source.url if isinstance(source, URLSource) else source.file_id
    beside = {} if block.detail is None else {"mediaResolution": level_of(block.detail)}
    return key, {key: made, **beside}


def _again_data(data: str, words: list[str]) -> str:
    if UNPADDED in words:
        data = data.rstrip("=")
    return data.replace("+", "-").replace("/", "_") if URLSAFE in words else data
