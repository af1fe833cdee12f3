"""Annotations of a text <-> citations: what a text of the model's leans on, and where it says so.

Reference: OpenAI API, "The response object", `annotations` of an `output_text`. Offsets are
characters, their ends exclusive; some hosts give the URL alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, TypeAlias

from ..._core.jsontext import Json, JsonObject
from ..._core.media import read_url, url_of
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
    RawBlock,
    RefusalBlock,
    Source,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
)
from ...message.blocks import ContentBlock, MediaBlock, answered, noted
from ..chat_shape import own_extras
from .dialect import Dialect

_URL = "url_citation"


_FILES = frozenset({"file_citation", "container_file_citation"})  # their `filename` is a title


_SPAN = {"start": "start_index", "end": "end_index", "url": "url", "title": "title"}


def citation(told: JsonObject, issuer: str) -> Citation:
    """One annotation; what the neutral fields do not give back stands in the extras."""
    kind = told.get("type")
    names = {**_SPAN, "title": "filename"} if kind in _FILES else _SPAN
    made = Citation(
        _kept(told.get(names["start"]), int),
        _kept(told.get(names["end"]), int),
        _kept(told.get(names["url"]), str),
        _kept(told.get(names["title"]), str),
    )
    said = _said(made, names)
    rest = {key: value for key, value in told.items() if key != "type" and key not in said}
    if rest or kind != _URL or len(said) < len(_SPAN):
        made.extras = {issuer: {"type": kind, **rest} if "type" in told else rest}
    return made


def annotation(cited: Citation, reads: Collection[str]) -> JsonObject | None:
    """The annotation that says this; None if nobody who is read here made it, or it lacks fields.

    Of others, only a page with its title and a span is a citation here, too.
    """
    extras = cited.extras or {}
    own = {key: value for issuer in extras if issuer in reads for key, value in
           extras[issuer].items()}  # fmt: skip
    kind = own.get("type", _URL)
    said = _said(cited, {**_SPAN, "title": "filename"} if kind in _FILES else _SPAN)
    if not own and (len(said) < len(_SPAN) or extras or cited.quote is not None):
        return None
    return {"type": kind, **said, **own}


def as_cited(cited: Citation, issuer: str) -> JsonObject:
    """The annotation that `citation` made this of."""
    if cited.extras is None:
        return {"type": _URL, **_said(cited, _SPAN)}
    own = cited.extras.get(issuer, {})
    names = {**_SPAN, "title": "filename"} if own.get("type") in _FILES else _SPAN
    return {**_said(cited, names), **own}


def _said(cited: Citation, names: dict[str, str]) -> JsonObject:
    fields = ((key, getattr(cited, name)) for name, key in names.items())
    return {key: value for key, value in fields if value is not None}


def _kept(value: Any, kind: type) -> Any:
    return value if type(value) is kind else None


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

    def __init__(self, caps: Capabilities, dialect: Dialect, report: Report) -> None:
        self.can = caps
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


_Part: TypeAlias = TextBlock | ImageBlock | DocumentBlock | AudioBlock


MARK = "prompt_cache_breakpoint"


_TEXTS = ("input_text", "text", "output_text")


_KEYS = {"input_image": "image_url", "input_file": "file_data"}  # where a medium mostly is


_FORMATS = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One part of a message or of a result; what no block models is kept as it came."""
    kind = told.get("type") if isinstance(told, dict) else None
    if kind == "input_text" and len(told) == 2 and type(told.get("text")) is str:
        return TextBlock(told["text"])
    block = _block(kind, told, issuer) if isinstance(kind, str) else None
    if block is None:
        return RawBlock(issuer, told, by="client", spelling=PART)
    said = _given_said(block)
    if rest := {key: value for key, value in told.items() if key not in said}:
        hint = _hint(rest.get(MARK))
        if hint is not None:
            block.cache = hint
            del rest[MARK]
        block.extras = {issuer: rest} if rest else None
    return block


def _block(kind: str, told: JsonObject, issuer: str) -> _Part | None:
    if kind in _TEXTS:
        said = told.get("text")
        spelling = None if kind == "input_text" else kind
        return TextBlock(said, spelling=spelling) if isinstance(said, str) else None
    if kind == "input_audio" and isinstance(sound := told.get(kind), dict):
        form, data = str(sound.get("format")), sound.get("data")
        if form not in _FORMATS or not isinstance(data, str) or len(sound) != 2:
            return None
        return AudioBlock(Base64Source(_FORMATS[form], data))
    if kind not in _KEYS:
        return None
    source, note = _source(told, _KEYS[kind], issuer)
    if source is None:
        return None
    detail, name = told.get("detail"), told.get("filename")
    seen = detail if isinstance(detail, str) else None
    if kind == "input_image":
        return ImageBlock(source, detail=seen, spelling=note)
    title = name if isinstance(name, str) else None
    return DocumentBlock(source, title, seen, spelling=note)


def _source(told: JsonObject, key: str, issuer: str) -> tuple[Source | None, str | None]:
    """(where the medium is, how its data URI began if that is not kept); the first that is told."""
    if isinstance(url := told.get(key), str) and url:
        source, note = read_url(url)
        # a file's bytes without their type are nothing that another wire could send
        return (None, None) if key == "file_data" and type(source) is URLSource else (source, note)
    if isinstance(url := told.get("file_url"), str) and url and key == "file_data":
        return URLSource(url), None
    id = told.get("file_id")
    return (FileSource(id, issuer) if isinstance(id, str) and id else None), None


def _hint(told: Json) -> CacheHint | None:
    """A breakpoint that says no more than that, and how long it holds."""
    if not isinstance(told, dict) or told.get("mode") != "explicit":
        return None
    ttl = told.get("ttl")
    known = isinstance(ttl, str) if "ttl" in told else True
    return CacheHint(ttl) if known and {*told} <= {"mode", "ttl"} else None


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The part that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    made = _given_said(block)
    if (hint := getattr(block, "cache", None)) is not None:
        made[MARK] = mark(hint)
    if block.extras is not None:
        made.update(block.extras.get(issuer, {}))
    return made


def _given_said(block: Any) -> JsonObject:
    """What the block itself says of the part."""
    if type(block) is TextBlock:
        return {"type": block.spelling or "input_text", "text": block.text}
    source = block.source
    if type(block) is AudioBlock:
        form = next(form for form, kind in _FORMATS.items() if kind == source.media_type)
        return {"type": "input_audio", "input_audio": {"data": source.data, "format": form}}
    image = type(block) is ImageBlock
    made: JsonObject = {"type": "input_image" if image else "input_file"}
    if type(source) is FileSource:
        made["file_id"] = source.file_id
    elif image or type(source) is Base64Source:
        made["image_url" if image else "file_data"] = url_of(source, block.spelling)
    else:
        made["file_url"] = source.url
    if block.title is not None:
        made["filename"] = block.title
    if block.detail is not None:
        made["detail"] = block.detail
    return made


_TEXT = {"type", "text"}


_EVERY = {"phase"}  # the API wants it on each message of the model's


def message(role: str, parts: list[JsonObject], short: bool, own: JsonObject) -> JsonObject:
    """`{"role", "content"}`; `short`: the content is a string if it is one text."""
    only = parts[0] if short and len(parts) == 1 and "status" not in own else {}
    said: Any = only["text"] if only.keys() == _TEXT else parts
    made: JsonObject = {"role": role, "content": said}
    if own:
        if "status" in own:
            made["type"] = "message"
        made.update(own)
    return made


def told(parts: list[JsonObject], short: bool, own: JsonObject) -> list[JsonObject]:
    """What the model said, bare; `short`: each text is a message of its own, a string.

    In parts goes what is more than texts: refusals, annotations, fields of one item alone.
    """
    if short and own.keys() <= _EVERY and all(part.keys() == _TEXT for part in parts):
        return [message("assistant", [part], True, own) for part in parts]
    return [message("assistant", parts, short, own)]


def whole(id: str, parts: list[JsonObject], own: JsonObject) -> JsonObject:
    """What the model said, with each field that its answer had."""
    made: JsonObject = {"type": "message", "id": id, "status": "completed", "role": "assistant"}
    made["content"] = [_annotated(part) for part in parts]
    made.update(own)
    return made


def reasoning(block: ThinkingBlock, raw: bool) -> JsonObject:
    """A summary with its sealed form; or raw text, where the host reads that back."""
    if raw:
        full: JsonObject = {"type": "reasoning", "summary": []}
        if block.thinking:
            full["content"] = [{"type": "reasoning_text", "text": block.thinking}]
        return full
    told = [{"type": "summary_text", "text": block.thinking}] if block.thinking else []
    made: JsonObject = {"type": "reasoning", "summary": told}
    if block.signature or block.redacted:
        made["encrypted_content"] = block.signature or block.redacted
    return made


def bare(item: JsonObject, short: bool) -> list[JsonObject]:
    """A whole item that lost its id and status, as the conversation says it."""
    parts = [_plain(part) for part in item["content"]]
    own = {key: value for key, value in item.items() if key not in ("type", "role", "content")}
    return told(parts, short, own)


def _annotated(part: JsonObject) -> JsonObject:
    needs = part.get("type") == "output_text" and "annotations" not in part
    return {**part, "annotations": []} if needs else part


def _plain(part: JsonObject) -> JsonObject:
    if part.get("annotations") == []:
        return {key: value for key, value in part.items() if key != "annotations"}
    return part


BREAK = "\n\n"  # between the parts of a summary, each of which is a paragraph


ITEM = ("id", "status", "phase")  # fields of a message item, which stand on its first block


ABSENT = "absent"  # the note of keys that an item was without


BESIDE = "reasoning"  # the note of thoughts that stand beside the items, as a text


TEXTS = ("output_text", "text", "input_text")


# of the place in the answer: no input knows them, though one recorded host repeats them
# (and `parsed`, `parsed_arguments` are the SDK's own: no host sends them, or takes them)
_PLACE = frozenset({"item_id", "output_index", "created_by"})


# what names a call and its answer, where that is no `call_id`
_PAIRED = {"mcp_approval_request": "id", "mcp_approval_response": "approval_request_id"}


# whose owner has to run them, or to say something to them
_CLIENTS = frozenset({"custom_tool_call", "computer_call", "local_shell_call", "shell_call",
                      "apply_patch_call", "mcp_approval_request"})  # fmt: skip


def blocks(item: JsonObject, issuer: str, raw: bool) -> list[tuple[int, ContentBlock]]:
    """(place in the item, block) of one item of `output`; `raw`: thoughts go back as text."""
    kind = item.get("type", "message")
    try:
        # a compacted conversation brings the user's messages, too
        if kind == "message" and item.get("role", "assistant") == "assistant":
            return _message(item, issuer)
        if kind == "reasoning":
            return [(0, _thought(item, issuer, raw))]
        if kind == "function_call":
            return [(0, call(item, issuer))]
    except (TypeError, KeyError, AttributeError):  # not as anybody documents it
        pass
    return [(0, told_raw(item, issuer))]


def _message(item: JsonObject, issuer: str) -> list[tuple[int, ContentBlock]]:
    content = item["content"]
    listed = [{"type": "output_text", "text": content}] if isinstance(content, str) else content
    made: list[tuple[int, TextBlock | RefusalBlock]] = []
    strange: JsonObject = {}
    for at, told in enumerate(listed):
        block = part(told, issuer)
        if block is None:
            strange[str(at)] = told
        else:
            made.append((at, block))
    if not made:
        return [(0, told_raw(item, issuer))]
    own = {name: item[name] for name in ITEM if name in item}
    rest = {k: v for k, v in item.items() if k not in (*ITEM, "type", "content", "role")}
    if strange:
        rest["content"] = strange  # parts that nobody knows, by their places
    first = made[0][1]
    if own:
        _own(first, issuer, own)
    if rest:
        _own(first, answered(issuer), {"item": rest})
    _spell(first, item, not own and not rest)
    return list(made)


def _spell(first: TextBlock | RefusalBlock, item: JsonObject, bare: bool) -> None:
    """Note how a message was spelled on its first part; `bare`: nothing else tells of its start."""
    words = (
        ("string", isinstance(item["content"], str)),
        ("item", bare),
        ("bare", "type" not in item),
        ("roleless", "role" not in item),
    )
    for word, said in words:
        if said:
            first.spelling = f"{first.spelling} {word}" if first.spelling else word


def part(told: Any, issuer: str) -> TextBlock | RefusalBlock | None:
    """A part of what the model says; None if it is none that the writer knows."""
    kind = told.get("type")
    key = "refusal" if kind == "refusal" else "text"
    said = told.get(key)
    if not isinstance(said, str) or (key == "text" and kind not in TEXTS):
        return None
    made = RefusalBlock(said) if key == "refusal" else TextBlock(said)
    own = {k: v for k, v in told.items() if k not in ("type", key, "parsed")}
    if type(made) is TextBlock:
        noted = own.get("annotations")
        if isinstance(noted, list) and noted and all(isinstance(one, dict) for one in noted):
            made.citations = [citation(one, issuer) for one in own.pop("annotations")]
        if kind != "output_text":
            made.spelling = kind
    # in extras these would be the item's
    if aside := {name: own.pop(name) for name in ITEM if name in own}:
        made.extras = {answered(issuer): {"part": aside}}
    if own:
        _own(made, issuer, own)
    return made


def _thought(item: JsonObject, issuer: str, raw: bool) -> ThinkingBlock:
    """The summary, or the thoughts themselves where they are told; sealed, if they are."""
    shown, full = _paragraphs(item.get("summary")), _paragraphs(item.get("content"))
    made = ThinkingBlock((full or shown) if raw else (shown or full))
    if not raw:
        made.redacted = sealed(item)
    again = reasoning(made, raw)
    own = {key: value for key, value in item.items() if again.get(key, _NONE) != value}
    if raw and item.get("summary") and "content" in item:
        own["content"] = item["content"]  # a summary alone is taken for all that was told
    if own:
        made.extras = {issuer: own}
    _note(made, issuer, [key for key in again if key not in item])
    return made


_NONE = object()


def sealed(item: JsonObject) -> str | None:
    """The sealed thoughts of a reasoning item."""
    said = item.get("encrypted_content")
    return said if isinstance(said, str) and said else None


def _paragraphs(parts: Any) -> str:
    said = [one["text"] for one in parts or ()]
    if not all(isinstance(text, str) for text in said):
        raise TypeError("thinking is text")
    return BREAK.join(said)


def call(item: JsonObject, issuer: str) -> ToolUseBlock:
    """A function call: `call_id` is what pairs it, `id` the item's own."""
    id, name, said = item.get("call_id"), item.get("name"), item.get("arguments")
    made = ToolUseBlock(id if isinstance(id, str) else "", name if isinstance(name, str) else "")
    known = {"type", "parsed_arguments"}
    if made.id:  # an empty one pairs nothing, so it is told with what is no text
        known.add("call_id")
    if isinstance(name, str):
        known.add("name")
    if isinstance(said, (str, dict)):
        known.add("arguments")
        if isinstance(said, str):
            made.raw_input = said
        else:
            made.input = said
            made.spelling = "object"
    rest = {key: value for key, value in item.items() if key not in known}
    aside = {key: rest.pop(key) for key in _ANSWERED if key in rest}
    if rest:
        _own(made, issuer, rest)
    if aside:
        _own(made, answered(issuer), aside)
    _note(made, issuer, [key for key in ("call_id", "name", "arguments") if key not in item])
    return made


def _note(block: ContentBlock, issuer: str, absent: list[str]) -> None:
    """Note keys that the item was without, though its block says what they would."""
    if absent:
        _own(block, noted(issuer), {ABSENT: absent})


# what is no text where text belongs would only be refused again
_ANSWERED = (*sorted(_PLACE), "call_id", "name", "arguments")


def told_raw(item: Any, issuer: str) -> RawBlock:
    """An item that only this API has, verbatim; paired by its `call_id`."""
    if not isinstance(item, dict):
        return RawBlock(issuer, item)
    kind = str(item.get("type"))
    pair = item.get(_PAIRED.get(kind, "call_id"))
    if kind == "local_shell_call_output":
        pair = item.get("call_id", item.get("id"))  # the reference names it `id`
    role: Literal["call", "result", "item"] = "item"
    if isinstance(pair, str) and pair:
        role = "result" if kind.endswith(("_output", "_response")) else "call"
    mine = kind in _CLIENTS and not _hosted(item)
    by: Literal["client", "server"] = (
        "client" if mine or item.get("execution") == "client" else "server"
    )
    return RawBlock(issuer, item, role, pair if role != "item" else None, by)


def _hosted(item: JsonObject) -> bool:
    """Whether a shell runs in a container of the host's."""
    where = item.get("environment")
    return isinstance(where, dict) and str(where.get("type")).startswith("container")


def _own(block: ContentBlock, issuer: str, fields: JsonObject) -> None:
    extras = block.extras or {}
    block.extras = {**extras, issuer: {**extras.get(issuer, {}), **fields}}


def words(block: ContentBlock) -> list[str]:
    """The reader's notes on a block."""
    return block.spelling.split() if block.spelling else []


def grouped(blocks: Sequence[ContentBlock], issuer: str) -> list[list[ContentBlock]]:
    """The blocks of each item: one, or those of a message's parts."""
    made: list[list[ContentBlock]] = []
    for block in blocks:
        text = type(block) is TextBlock or type(block) is RefusalBlock
        if made and text and _goes_on(made[-1][-1], block, issuer):
            made[-1].append(block)
        else:
            made.append([block])
    return made


def _goes_on(before: ContentBlock, block: ContentBlock, issuer: str) -> bool:
    """Whether the block is one more part of the message that the one before it is of."""
    if type(before) is not TextBlock and type(before) is not RefusalBlock:
        return False
    extras = block.extras or {}
    begins = any(name in extras.get(issuer, {}) for name in ITEM)
    return not (begins or "item" in extras.get(answered(issuer), {}) or "item" in words(block))


def items_as_read(blocks: Sequence[ContentBlock], issuer: str, raw: bool) -> list[Json]:
    """The items; `raw`: thoughts are text. Fields of answers alone stand in them, too."""
    return [_item(group, issuer, raw) for group in grouped(blocks, issuer)]


def _item(group: list[ContentBlock], issuer: str, raw: bool) -> Json:
    first = group[0]
    if type(first) is RawBlock:
        return first.data
    if type(first) is TextBlock or type(first) is RefusalBlock:
        return _items_message(group, issuer)
    extras = first.extras or {}
    own = {**extras.get(answered(issuer), {}), **extras.get(issuer, {})}
    absent = extras.get(noted(issuer), {}).get(ABSENT, ())
    if type(first) is ThinkingBlock:
        made = {**reasoning(first, raw), **own}
    elif type(first) is ToolUseBlock:
        said = first.input if first.raw_input is None else first.raw_input
        made = {"type": "function_call", "call_id": first.id, "name": first.name, "arguments": said}
        made.update(own)
    else:  # nothing that a reader of this wire makes
        raise TypeError(f"{first.type} is no item")
    return {key: value for key, value in made.items() if key not in absent} if absent else made


def _items_message(group: list[ContentBlock], issuer: str) -> JsonObject:
    first = group[0]
    extras = first.extras or {}
    own = extras.get(issuer, {})
    notes = words(first)
    made: JsonObject = {} if "bare" in notes else {"type": "message"}
    made.update({name: own[name] for name in ITEM if name in own})
    if "roleless" not in notes:
        made["role"] = "assistant"
    rest = dict(extras.get(answered(issuer), {}).get("item", {}))
    parts: list[Json] = [part_as_told(block, issuer) for block in group]
    strange = rest.pop("content", {})
    for at in sorted(strange, key=int):
        parts.insert(int(at), strange[at])
    made["content"] = parts[0]["text"] if "string" in notes else parts
    made.update(rest)
    return made


def part_as_told(block: ContentBlock, issuer: str) -> Json:
    """The part of what the model says that `answers.part` made the block of."""
    extras = block.extras or {}
    made: JsonObject
    if type(block) is RefusalBlock:
        made = {"type": "refusal", "refusal": block.text}
    elif type(block) is TextBlock:
        kind = next((one for one in words(block) if one in TEXTS), "output_text")
        made = {"type": kind, "text": block.text}
        if block.citations is not None:
            made["annotations"] = [as_cited(one, issuer) for one in block.citations]
    else:
        raise TypeError(f"{block.type} is no part")
    own = extras.get(issuer, {})
    made.update({key: value for key, value in own.items() if key not in ITEM})
    made.update(extras.get(answered(issuer), {}).get("part", {}))
    return made
