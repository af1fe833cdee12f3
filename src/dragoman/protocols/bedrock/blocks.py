"""A medium as a content block: its format, where it is, and for a document a name.

Opens nothing. A name is the document's own as far as the API takes it, and stands but once.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.stream.arguments import parsed
from ...capabilities import Capabilities
from ...errors import WriteError
from ...losses import Report
from ...message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    LocalSource,
    Origin,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock, MediaBlock, answered
from ..chat_shape import filled, own_extras


def cache_point(hint: CacheHint) -> JsonObject:
    """`{"cachePoint": {"type": "default"}}`, with a `ttl` if one was given."""
    point: JsonObject = {"type": "default"}
    if hint.ttl is not None:
        point["ttl"] = hint.ttl
    return {"cachePoint": point}


def marked(block: TextBlock, own: JsonObject) -> JsonObject:
    """A text with the fields of its own; those of citations and of guards say which kind it is."""
    if "citations" in own:
        return _cited(block, own)
    if "guardContent" in own:
        return {"guardContent": filled({"text": {"text": block.text}}, own["guardContent"])}
    return {"text": block.text, **own}


def _cited(block: TextBlock, own: JsonObject) -> JsonObject:
    """`citationsContent` as the model gave it, around the text as it is now."""
    said = own.get("content")
    if said is None or "".join(str(one.get("text", "")) for one in said) != block.text:
        said = [{"text": block.text}] if block.text else None
    rest = {key: value for key, value in own.items() if key != "content"}
    return {"citationsContent": rest if said is None else {**rest, "content": said}}


def thought(block: ThinkingBlock) -> JsonObject:
    """`reasoningText`, or `redactedContent`: the sealed text as bytes, which travel in base64."""
    if block.redacted is not None:
        return {"redactedContent": b64encode(block.redacted.encode()).decode("ascii")}
    said: JsonObject = {"text": block.thinking}
    if block.signature is not None:
        said["signature"] = block.signature
    return {"reasoningText": said}


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


_ENDINGS = {
    "image": {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"},
    "document": {
        name: name for name in ("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md")
    },
    "video": {
        **{name: name for name in ("mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv")},
        "3gp": "three_gp",
    },
    "audio": {
        name: name
        for name in ("mp3", "opus", "wav", "aac", "flac", "mp4", "ogg", "mka", "m4a", "pcm", "webm")
    },
}


# By the error text letters, digits, white space, hyphens, parentheses and square brackets; an
# underscore is taken too (recorded), no other alphabet is, nor a space behind a space.
_ODD = re.compile(r"[^A-Za-z0-9_()\[\] -]+")


_SPACES = re.compile(r" {2,}")


_LONGEST = 200


class Shelf:
    """The media of one request; remembers the names of its documents."""

    __slots__ = ("can", "count", "last", "names", "report")

    def __init__(self, caps: Capabilities, report: Report) -> None:
        self.can = caps
        self.report = report
        self.names: set[str] = set()
        self.count = 0
        self.last: dict[str, int] = {}  # a name's last number: none is tried twice

    def block(self, block: MediaBlock) -> JsonObject:
        """`{"image": {"format", "source"}}`, or `document` with its `name`, `video`, `audio`."""
        made: JsonObject = {}
        form = _format(block)
        if form:
            made["format"] = form
        if type(block) is DocumentBlock:
            made["name"] = self._name(block)
        made["source"] = _source(block)
        if block.extras is not None:
            filled(made, own_extras(block, self.can))
        return {block.type: made}

    def _name(self, block: DocumentBlock) -> str:
        """A name that no other document of the request has."""
        self.count += 1
        plain = _plain(block.title or "")
        base = plain or f"Document {self.count}"
        name = base
        nth = self.last.get(base, 1)
        while name in self.names:
            nth += 1
            tail = f" ({nth})"
            name = f"{base[: _LONGEST - len(tail)]}{tail}"
        self.last[base] = nth
        self.names.add(name)
        if block.title is None:
            self.report.lost("document_name.made", block, did=name)
        elif name != block.title:
            self.report.lost("document_name.mapped", block, "title", did=name)
        return name


def _plain(title: str) -> str:
    """What the API takes of a title; its ending goes, for the format says it.

    >>> _plain("Café menu: May.pdf")
    'Cafe menu May'
    """
    head, dot, ending = title.rpartition(".")
    if dot and ending.lower() in _ENDINGS["document"]:
        title = head
    bare = "".join(c for c in unicodedata.normalize("NFKD", title) if not unicodedata.combining(c))
    return _SPACES.sub(" ", _ODD.sub(" ", bare)).strip()[:_LONGEST].strip()


def _format(block: MediaBlock) -> str:
    """The format by media type, else by the ending of where it is; a document needs none."""
    source = block.source
    found = FORMATS.get(source.media_type or "", "")
    if not found and not isinstance(source, Base64Source):
        place = _place(block)
        found = _ENDINGS[block.type].get(place.rpartition(".")[2].lower(), "")
    if not found and type(block) is not DocumentBlock:
        raise WriteError(
            f"the format of {block.type} cannot be told from where it is",
            hint="give its source a media_type",
            code="media.type",
        )
    return found


def _source(block: MediaBlock) -> JsonObject:
    """`{"bytes": base64 text}` or `{"s3Location": {"uri"}}`."""
    source = block.source
    if isinstance(source, Base64Source):
        return {"bytes": source.data}
    return {"s3Location": {"uri": _place(block)}}


def _place(block: MediaBlock) -> str:
    match block.source:
        case URLSource(url=url):
            return url
        case FileSource(file_id=file_id):
            return file_id
        case LocalSource() | Base64Source() as other:
            raise WriteError(f"{block.type} from a {other.type} source", code="seat.unsaid")
        case other:
            assert_never(other)


MEDIA: dict[str, Any] = {
    "image": ImageBlock, "document": DocumentBlock, "video": VideoBlock, "audio": AudioBlock,
}  # fmt: skip


_TEXT = "text"  # the spelling of a document whose text stands there


_TYPES: dict[tuple[str, str], str] = {
    # formats that our own writer does not use
    ("image", "jpg"): "image/jpeg", ("audio", "mpeg"): "audio/mpeg",
    ("audio", "mpga"): "audio/mpeg", ("audio", "mkv"): "audio/x-matroska",
    ("video", "mpg"): "video/mpeg", ("video", "3gp"): "video/3gpp",
}  # fmt: skip


for _type, _form in FORMATS.items():
    _top = _type.partition("/")[0]
    _kind = _top if _top in MEDIA else "document"
    if (_kind, _form) not in _TYPES:
        _TYPES[_kind, _form] = _type


def plain(value: Any) -> Json:
    """The value with its bytes as base64 text, as they travel. Raises ValueError if it is deep."""
    try:
        return _medium_plain(value)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _medium_plain(value: Any) -> Json:
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {key: _medium_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_medium_plain(item) for item in value]
    return value


def medium(kind: str, told: JsonObject, issuer: str) -> ContentBlock | None:
    """The block of an `image`, `document`, `video` or `audio`; None for a source nobody models."""
    form, name, given = told.get("format"), told.get("name"), told.get("source")
    typed = _TYPES.get((kind, form), "") if isinstance(form, str) else ""
    if not isinstance(given, dict) or len(given) != 1:
        return None
    source, rest, spelling = _medium_source(given, typed, kind)
    if source is None:
        return None
    made: ContentBlock = MEDIA[kind](source)
    said = {"source"}
    if typed:
        said.add("format")
        spelling = form if FORMATS[typed] != form else spelling
    if type(made) is DocumentBlock and isinstance(name, str):
        made.title = name
        said.add("name")
    rest |= {key: value for key, value in told.items() if key not in said}
    made.spelling = spelling
    made.extras = {issuer: plain(rest)} if rest else None
    return made


def _medium_source(
    told: JsonObject, media_type: str, kind: str
) -> tuple[Base64Source | URLSource | None, JsonObject, str | None]:
    """(the source, what of it nobody models, how it is spelled)."""
    data, place, text = told.get("bytes"), told.get("s3Location"), told.get("text")
    if isinstance(data, (str, bytes, bytearray)) and (media_type or kind == "document"):
        return Base64Source(media_type or _UNKNOWN, plain(data)), {}, None
    if isinstance(place, dict) and isinstance(place.get("uri"), str):
        rest = {key: value for key, value in place.items() if key != "uri"}
        owned = {"source": {"s3Location": rest}} if rest else {}
        return URLSource(place["uri"], media_type or None), owned, None
    if kind == "document" and isinstance(text, str) and _worded(media_type):
        try:
            data = b64encode(text.encode()).decode("ascii")
        except UnicodeEncodeError:  # half of a pair
            return None, {}, None
        made = Base64Source(media_type or "text/plain", data)
        return made, {}, _TEXT if media_type else f"{_TEXT} bare"
    return None, {}, None


def _worded(media_type: str) -> bool:
    return not media_type or media_type.startswith("text/")


_UNKNOWN = "application/octet-stream"


def medium_as_read(block: MediaBlock, own: JsonObject) -> JsonObject:
    """`{"image": {...}}` and the like; `own`: the fields that nobody models."""
    source: Any = block.source
    word, _, bare = (block.spelling or "").partition(" ")
    made: JsonObject = {}
    form = FORMATS.get(source.media_type or "")
    if form is not None and not bare:
        made["format"] = word if word and word != _TEXT else form
    if type(block) is DocumentBlock and block.title is not None:
        made["name"] = block.title
    if type(source) is Base64Source:
        if word == _TEXT:
            made["source"] = {"text": b64decode(source.data).decode()}
        else:
            made["source"] = {"bytes": source.data}
    else:
        uri = source.file_id if type(source) is FileSource else source.url
        made["source"] = {"s3Location": {"uri": uri}}
    return {block.type: filled(made, own)}


SERVER = "server_tool_use"


TYPED = "tool_use"  # the spelling of a call that names its type


TEXT = "text"  # of one whose input is a text


def block(told: JsonObject, issuer: str, aside: str = "") -> ContentBlock:
    """One content block; `aside`: on whose name fields stand that nobody knows, if not answers'.

    Raises TypeError for what is no object, ValueError for bytes that are no base64.
    """
    if not isinstance(told, dict):
        raise TypeError("a content block is an object")
    made: ContentBlock | None = None
    aside = aside or answered(issuer)
    if len(told) == 1:
        ((key, value),) = told.items()
        if key == "text" and isinstance(value, str):
            made = TextBlock(value)
        elif isinstance(value, dict):
            made = _of(key, value, issuer, aside)
    elif isinstance(told.get("text"), str) and _MARKS.isdisjoint(told):
        made = TextBlock(told["text"])
        made.extras = {aside: {key: value for key, value in told.items() if key != "text"}}
    return _raw(plain(told), issuer) if made is None else made


_MARKS = frozenset({"citations", "guardContent"})  # by which other texts are told


def _of(key: str, told: JsonObject, issuer: str, aside: str) -> ContentBlock | None:
    """The block of this kind; None for what none models."""
    if key == "toolUse":
        return _call(told, issuer)
    if key == "reasoningContent":
        return _thinking(told, issuer, aside)
    if key == "citationsContent":
        return _content_cited(told, issuer)
    return medium(key, told, issuer) if key in MEDIA else None


def _call(told: JsonObject, issuer: str) -> ToolUseBlock | None:
    id, name, given = told.get("toolUseId", ""), told.get("name", ""), told.get("input", {})
    if told.get("type") == SERVER or not isinstance(id, str) or not isinstance(name, str):
        return None
    made = ToolUseBlock(id, name)
    words = []
    if isinstance(given, str):
        made.raw_input = given
        words.append(TEXT)
    else:
        made.input = given
    rest = {k: v for k, v in told.items() if k not in ("toolUseId", "name", "input")}
    if rest.get("type") == TYPED:  # answers may say it, requests must not
        words.append(TYPED)
        del rest["type"]
    made.spelling = " ".join(words) or None
    if rest:
        made.extras = {issuer: rest}
    return made


def _thinking(told: JsonObject, issuer: str, aside: str) -> ThinkingBlock | None:
    if told.keys() == {"redactedContent"}:
        return sealed(told["redactedContent"], issuer)
    said = told.get("reasoningText")
    if told.keys() != {"reasoningText"} or not isinstance(said, dict):
        return None
    text, signature = said.get("text", ""), said.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    made = ThinkingBlock(text, signature, spelling=None if "text" in said else "textless")
    known = {"text"} if signature is None else {"text", "signature"}
    rest = {key: value for key, value in said.items() if key not in known}
    if rest:
        made.extras = {aside: {"reasoningText": rest}}
    return made


def sealed(told: Any, issuer: str) -> ThinkingBlock:
    """Sealed thinking. Its bytes are a text, which the maker's own API has as it is.

    Raises TypeError for neither bytes nor text, ValueError for what is no base64.
    """
    raw = bytes(told) if isinstance(told, (bytes, bytearray)) else b64decode(told, validate=True)
    usual = b64encode(raw).decode("ascii")
    try:
        made = ThinkingBlock("", redacted=raw.decode())
    except UnicodeDecodeError:
        return ThinkingBlock("", redacted=usual, extras={issuer: {"redactedContent": usual}})
    if isinstance(told, str) and told != usual:  # base64 has several spellings of its last sign
        made.extras = {issuer: {"redactedContent": told}}
    return made


def _content_cited(told: JsonObject, issuer: str) -> TextBlock | None:
    """`{"content": [{"text"}], "citations"}`: a text; the citations go back as they came."""
    said, cited = told.get("content", []), told.get("citations")
    if not isinstance(said, list) or not isinstance(cited, list):
        return None
    texts = [one["text"] for one in said if isinstance(one, dict) and _is_text(one.get("text"))]
    if len(texts) < len(said):
        return None
    made = TextBlock("".join(texts))
    if cited:
        made.citations = [citation(one if isinstance(one, dict) else {}) for one in cited]
    # one text, or none: anything else comes back as it was
    usual = said == [{"text": made.text}] if made.text else "content" not in told
    own = {key: value for key, value in told.items() if key != "content" or not usual}
    made.extras = {issuer: own}
    return made


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def citation(told: Any) -> Citation:
    """The source and what is quoted of it, for readers. Raises TypeError for no object."""
    if not isinstance(told, dict):
        raise TypeError("a citation is an object")
    made = Citation()
    if isinstance(told.get("title"), str):
        made.title = told["title"]
    quoted = told.get("sourceContent")
    if isinstance(quoted, list):
        texts = [one.get("text") for one in quoted if isinstance(one, dict)]
        made.quote = "".join(text for text in texts if isinstance(text, str)) or None
    where = told.get("location")
    web = where.get("web") if isinstance(where, dict) else None
    url = web.get("url") if isinstance(web, dict) else told.get("source")
    if isinstance(url, str) and (web or url.startswith(("https://", "http://"))):
        made.url = url
    return made


def _raw(told: JsonObject, issuer: str) -> RawBlock:
    """A server's own call, its result, or anything else, with its pairing."""
    for key, role in (("toolUse", "call"), ("toolResult", "result")):
        inner = told.get(key)
        pair = inner.get("toolUseId") if isinstance(inner, dict) else None
        if isinstance(pair, str):
            return RawBlock(issuer, told, role, pair)  # type: ignore[arg-type]  # one of the two
    return RawBlock(issuer, told)


_STATUS = {"error": True, "success": False}


def read_parts(told: list[Json], issuer: str, origin: Origin | None = None) -> list[ContentBlock]:
    """The blocks of a list; a cache point is a hint on the block before it.

    `origin`: who wrote them, if that was a model; the results in its turns are the server's own.
    """
    made: list[ContentBlock] = []
    for one in told:
        if made and (hint := unmarked(one)) is not None:
            last: Any = made[-1]
            if getattr(last, "cache", hint) is None:
                last.cache = hint
                continue
        part = read_part(one, issuer, origin)
        if type(part) is ThinkingBlock:
            part.origin = origin
        made.append(part)
    return made


def parts_as_read(blocks: Iterable[ContentBlock], issuer: str) -> list[Json]:
    """The list that `read_parts` made the blocks of."""
    made: list[Json] = []
    for one in blocks:
        made.append(part_as_read(one, issuer))
        if (hint := getattr(one, "cache", None)) is not None:
            made.append(cache_point(hint))
    return made


def unmarked(told: Json) -> CacheHint | None:
    """The hint that a cache point is, if it says no more than that."""
    point = told.get("cachePoint") if type(told) is dict and len(told) == 1 else None
    if type(point) is not dict or point.get("type") != "default":
        return None
    ttl = point.get("ttl")
    usual = len(point) == 1 or (len(point) == 2 and isinstance(ttl, str))
    return CacheHint(ttl) if usual else None


def read_part(told: Json, issuer: str, origin: Origin | None = None) -> ContentBlock:
    """One content block; what no block models is kept as it came."""
    if type(told) is not dict:
        return RawBlock(issuer, told, by="client")
    try:
        inner: Any
        if len(told) == 1 and type(inner := next(iter(told.values()))) is dict:
            if "toolUse" in told:
                return _parts_call(inner, issuer) or _whole(told, issuer)
            if "toolResult" in told:
                return _result(inner, issuer, origin) or _whole(told, issuer)
            if "guardContent" in told:
                return _guarded(inner, issuer) or _whole(told, issuer)
        made = block(told, issuer, issuer)
    except (TypeError, ValueError):
        return RawBlock(issuer, told, by="client")
    if type(made) is RawBlock and origin is None:
        made.by = "client"
    return made


def _whole(told: JsonObject, issuer: str) -> RawBlock:
    """A call, a result or a guarded image as it came, with its pairing."""
    ((key, inner),) = told.items()
    pair = inner.get("toolUseId")
    paired = pair if isinstance(pair, str) else None
    role: Any = {"toolUse": "call", "toolResult": "result"}.get(key, "item")
    server = role != "item" and ("type" in inner)
    return RawBlock(issuer, told, role, paired, by="server" if server else "client")


def _parts_call(told: JsonObject, issuer: str) -> ContentBlock | None:
    """A call with its id, name and input; one of the server's own tools comes back whole."""
    if not ("toolUseId" in told and "name" in told and "input" in told):
        return None
    made = block({"toolUse": told}, issuer, issuer)
    if type(made) is ToolUseBlock and made.raw_input is not None:
        made.input = parsed(made.raw_input)
    return made


def _result(told: JsonObject, issuer: str, origin: Origin | None) -> ContentBlock | None:
    """A result; one of a server's own tool, which stands in the turn of the model, stays whole."""
    id, content, status = told.get("toolUseId"), told.get("content"), told.get("status")
    if origin is not None:
        return block({"toolResult": told}, issuer)
    if not isinstance(id, str) or not isinstance(content, list) or "type" in told:
        return None
    made = ToolResultBlock(id)
    known = {"toolUseId", "content"}
    if isinstance(status, str) and status in _STATUS:
        known.add("status")
        made.is_error = _STATUS[status]
        made.spelling = None if made.is_error else status
    first = content[0] if len(content) == 1 and type(content[0]) is dict else {}
    if first.keys() == {"text"} and isinstance(first["text"], str):
        made.output = first["text"]
    elif first.keys() == {"json"} and isinstance(first["json"], dict):
        made.output = first["json"]
    else:
        made.output = read_parts(content, issuer)
    rest = {key: value for key, value in told.items() if key not in known}
    made.extras = {issuer: rest} if rest else None
    return made


def _guarded(told: JsonObject, issuer: str) -> ContentBlock | None:
    """`{"text": {"text", "qualifiers"}}`: a text that a guardrail looks at."""
    said = told.get("text")
    if len(told) != 1 or not isinstance(said, dict) or not isinstance(said.get("text"), str):
        return None
    rest = {key: value for key, value in said.items() if key != "text"}
    own: JsonObject = {"guardContent": {"text": rest} if rest else {}}
    return TextBlock(said["text"], extras={issuer: own})


def own_fields(node: Any, issuer: str) -> JsonObject:
    """The fields that the issuer's requests and answers have beside what the node models."""
    extras = node.extras
    if not extras:
        return {}
    own, aside = extras.get(issuer), extras.get(answered(issuer))
    if own and aside:
        return filled(dict(own), aside)
    return own or aside or {}


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The object that `read_part`, or the reader of answers, made the block of."""
    own = own_fields(block, issuer)
    if type(block) is TextBlock:
        return marked(block, own) if own else {"text": block.text}
    if type(block) is ToolUseBlock:
        words = (block.spelling or "").split()
        said: JsonObject = {"toolUseId": block.id, "name": block.name, "input": block.input}
        if TEXT in words:
            said["input"] = block.raw_input
        if TYPED in words:
            said["type"] = TYPED
        return {"toolUse": {**said, **own}}
    if type(block) is ToolResultBlock:
        return {"toolResult": {**_said_result(block, issuer), **own}}
    if type(block) is ThinkingBlock:
        made = thought(block)
        if block.spelling == "textless":
            del made["reasoningText"]["text"]
        return {"reasoningContent": filled(made, own)}
    if type(block) is RawBlock:
        return block.data
    return medium_as_read(block, own)  # type: ignore[arg-type]  # no refusal is ever read


def _said_result(block: ToolResultBlock, issuer: str) -> JsonObject:
    output = block.output
    made: JsonObject = {"toolUseId": block.id}
    if isinstance(output, list):
        made["content"] = parts_as_read(output, issuer)
    else:
        made["content"] = [{"json" if isinstance(output, dict) else "text": output}]
    if block.is_error or block.spelling:
        made["status"] = "error" if block.is_error else block.spelling
    return made
