"""A medium as a content part of Chat Completions. Opens nothing."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, assert_never

from ..._core.jsontext import Json, JsonObject
from ..._core.media import read_url, url_of
from ..._core.passes.roles import RoledHistory
from ..._core.stream.arguments import parsed
from ...capabilities import Capabilities
from ...errors import WriteError
from ...message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from ...message.blocks import ContentBlock, MediaBlock, answered
from ...message.request import called
from ..chat_shape import own_extras
from .dialect import Dialect

_FIELDS = ("reasoning_content",)  # where a user has thinking sent back and the dialect names none


def thought(
    made: JsonObject,
    thoughts: list[ThinkingBlock] | None,
    calls: bool,
    caps: Capabilities,
    dialect: Dialect,
) -> None:
    """Thinking in the vendor's fields; some demand the field on every turn that calls a tool."""
    if thoughts is None:
        if not (calls and caps.empty_thinking):
            return
        thoughts = []
    if dialect.thinking_details and thoughts:
        made["reasoning_details"] = [one for block in thoughts for one in _details(block, caps)]
        return
    for key in dialect.thinking_fields or _FIELDS:
        made[key] = "\n".join(block.thinking for block in thoughts)


def _details(block: ThinkingBlock, caps: Capabilities) -> list[JsonObject]:
    """What can be read of it, or its sealed form, or one behind the other."""
    made: list[JsonObject] = []
    if block.thinking or block.redacted is None:
        made.append({"type": "reasoning.text", "text": block.thinking})
        if block.signature is not None:
            made[0]["signature"] = block.signature
    if block.redacted is not None:
        made.append({"type": "reasoning.encrypted", "data": block.redacted})
    made[-1].update(own_extras(block, caps))
    return made


_FORMATS = {"audio/mp3": "mp3", "audio/mpeg": "mp3"}


def media_part(block: MediaBlock, dialect: Dialect) -> JsonObject:
    """A medium as a content part.

    `image_url`, `input_audio` and `file` are OpenAI's; `audio_url` and `video_url` are what
    compatible servers take.
    """
    source = block.source
    match block:
        case ImageBlock():
            image: JsonObject = {"url": _url(block)}
            if block.detail is not None:
                image["detail"] = block.detail
            return {"type": "image_url", "image_url": image}
        case AudioBlock() if dialect.audio_links:
            given = source.media_type if isinstance(source, Base64Source | URLSource) else None
            sound: JsonObject = {"data": _url(block)}
            if given is not None:
                sound["format"] = _FORMATS.get(given, given.rpartition("/")[2])
            return {"type": "input_audio", "input_audio": sound}
        case AudioBlock() if isinstance(source, Base64Source):
            form = _FORMATS.get(source.media_type, "wav")
            return {"type": "input_audio", "input_audio": {"data": source.data, "format": form}}
        case AudioBlock():
            return {"type": "audio_url", "audio_url": {"url": _url(block)}}
        case VideoBlock():
            return {"type": "video_url", "video_url": {"url": _url(block)}}
        case DocumentBlock() if isinstance(source, FileSource):
            return {"type": "file", "file": {"file_id": source.file_id}}
        case DocumentBlock():
            file = {"filename": block.title or "document.pdf", "file_data": _url(block)}
            return {"type": "file", "file": file}
        case _:
            assert_never(block)


def _url(block: MediaBlock) -> str:
    match block.source:
        case URLSource(url=url):
            return url
        case Base64Source() as source:
            return source.data_uri()
        case other:
            raise WriteError(f"{block.type} from a {other.type} source", code="seat.unsaid")


PART = "part"  # the spelling of what stands in a list of parts


BARE = "bare"  # of an image whose URL stands in no object


_SOUNDS = {"UklGR": "audio/wav", "SUQz": "audio/mpeg", "//": "audio/mpeg", "T2dn": "audio/ogg",
           "ZkxhQ": "audio/flac"}  # fmt: skip


def parts(content: Json, issuer: str) -> list[ContentBlock]:
    """Content that is a list, as some hosts have it."""
    made: list[ContentBlock] = []
    for part in content:
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            block: ContentBlock = TextBlock(part["text"])
            if rest := {k: v for k, v in part.items() if k not in ("type", "text")}:
                block.extras = {issuer: rest}
        elif kind == "image_url":
            block = image(part, issuer)
        elif kind == "refusal":
            block = RefusalBlock(text(part.get("refusal")))
        elif kind == "reasoning" and isinstance(part.get("summary"), list):
            said = "".join(text(one.get("text")) for one in part["summary"])
            block = ThinkingBlock(said, extras={issuer: part})
        else:
            block = RawBlock(issuer, part)
        block.spelling = PART if block.spelling is None else f"{PART} {block.spelling}"
        made.append(block)
    return made


def image(told: JsonObject, issuer: str) -> ContentBlock:
    """`{"image_url": {"url": ...}}`, or with the URL alone."""
    where = told.get("image_url")
    url = where.get("url") if isinstance(where, dict) else where
    if not isinstance(url, str):
        return RawBlock(issuer, told)
    source, head = read_url(url)
    block = ImageBlock(source, spelling=head)
    if not isinstance(where, dict):
        block.spelling = BARE if head is None else f"{BARE} {head}"
    rest = {k: v for k, v in told.items() if k not in ("type", "image_url")}
    if told.get("type", "image_url") != "image_url":
        rest["type"] = told["type"]
    if isinstance(where, dict) and len(where) > 1:
        rest["image_url"] = {k: v for k, v in where.items() if k != "url"}
    if rest:
        block.extras = {issuer: rest}
    return block


def citation(told: JsonObject, issuer: str, whole: bool) -> Citation:
    """`{"type": "url_citation", "url_citation": {start_index, end_index, url, title}}`.

    In a delta it has its place in the list beside it.
    """
    if not whole and "index" in told:
        told = {key: value for key, value in told.items() if key != "index"}
    kind = told.get("type")
    inner = told.get("url_citation")
    if kind != "url_citation" or not isinstance(inner, dict):
        return Citation(extras={issuer: told})
    start, end = inner.get("start_index"), inner.get("end_index")
    url, title = inner.get("url"), inner.get("title")
    made = Citation(
        start if type(start) is int else None,
        end if type(end) is int else None,
        url if isinstance(url, str) else None,
        title if isinstance(title, str) else None,
    )
    known = {"start_index": made.start, "end_index": made.end, "url": made.url,
             "title": made.title}  # fmt: skip
    if not any(value is not None for value in known.values()):
        return Citation(extras={issuer: told})
    rest = {k: v for k, v in inner.items() if k not in known or known[k] is None}
    more: JsonObject = {k: v for k, v in told.items() if k not in ("type", "url_citation")}
    if rest:
        more["url_citation"] = rest
    if more:
        made.extras = {issuer: more}
    return made


def sound(told: JsonObject, issuer: str) -> list[tuple[int, ContentBlock]]:
    """Speech: what was said, as text, and how it sounds."""
    made: list[tuple[int, ContentBlock]] = []
    spoken = told.get("transcript")
    if spoken:
        made.append((0, TextBlock(text(spoken), spelling="transcript")))
    data = text(told.get("data") or "")
    rest = {k: v for k, v in told.items() if k not in ("data", "transcript")}
    empty: JsonObject = {k: told[k] for k in ("data", "transcript") if k in told and not told[k]}
    if data or rest:
        kind = next((v for k, v in _SOUNDS.items() if data.startswith(k)), "audio/pcm")
        block = AudioBlock(Base64Source(kind, data))
        if rest:
            block.extras = {issuer: rest}
        if empty:
            block.extras = {**(block.extras or {}), answered(issuer): empty}
        made.append((1, block))
    return made


def says(value: Any) -> bool:
    """Whether there is anything in it: some hosts send calls whose every field is empty."""
    return any(value.values()) if isinstance(value, dict) else bool(value)


def text(value: Any) -> str:
    """The value if it is text. Raises TypeError for any other."""
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


FIELDS = ("reasoning_content", "reasoning")


_KINDS = {"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}


class Thoughts:
    """The thinking of one candidate. `cumulative`: each detail repeats what came before it."""

    def __init__(self, issuer: str, cumulative: bool) -> None:
        self._issuer = issuer
        self._cumulative = cumulative
        self._detailed = False
        self._open: tuple[Any, ...] | None = None
        self._count = 0
        self._length = 0  # of what the open detail says so far

    def read(self, told: JsonObject) -> list[tuple[int, ThinkingBlock]]:
        """(which block, what is added to it) of a message or delta; one field of several copies."""
        details = told.get("reasoning_details")
        if isinstance(details, list) and details:
            self._detailed = True
            return [self._detail(one) for one in details]
        if self._detailed:
            return []  # what the plain field says, the details have said
        for name in FIELDS:
            text = told.get(name)
            if isinstance(text, str) and text:
                return [(0, ThinkingBlock(text, spelling=name))]
            if text is not None and not isinstance(text, str):
                raise TypeError("thinking is text")
        return []

    def _detail(self, told: JsonObject) -> tuple[int, ThinkingBlock]:
        kind = told.get("type")
        field = _KINDS.get(kind) if isinstance(kind, str) else None
        said = told.get(field) if field else None
        if said is not None and not isinstance(said, str):
            raise TypeError("a detail is text")
        mark = (kind, told.get("index"), told.get("id") if kind == "reasoning.encrypted" else None)
        begun = mark != self._open or kind == "reasoning.encrypted"
        if begun:
            self._open = mark
            self._count += 1
            self._length = 0
        words = ("detail", field, "" if field in told else "unsaid") if field else ("detail",)
        block = ThinkingBlock("", spelling=" ".join(filter(None, words)))
        if field == "data":
            block.redacted = said
        elif said:
            block.thinking = self._added(said)
        signature = told.get("signature")
        if isinstance(signature, str):
            block.signature = signature
        rest = {k: v for k, v in told.items()
                if k != field and not (k == "signature" and isinstance(v, str))}  # fmt: skip
        if rest.get("type") == "reasoning.text":
            del rest["type"]
        if begun and rest:
            block.extras = {self._issuer: rest}
        return self._count - 1, block

    def _added(self, said: str) -> str:
        if not self._cumulative:
            return said
        added = said[self._length :] if len(said) > self._length else ""
        self._length = max(self._length, len(said))
        return added


_LINKS: dict[str, type[Any]] = {"image_url": ImageBlock, "video_url": VideoBlock,
                                "audio_url": AudioBlock}  # fmt: skip


_PARTS_FORMATS = {"wav": "audio/wav", "mp3": "audio/mpeg"}


_CLAUDES = {"tool_use": ("type", "id", "input"), "tool_result": ("type", "tool_use_id", "content")}


# cache marks: their key, and what stands in them beside the time that they hold
MARKS = {"cache_control": {"type": "ephemeral"}, "prompt_cache_breakpoint": {"mode": "explicit"}}


def read_part(told: Json, issuer: str) -> ContentBlock:
    """One entry of a content list; what no block models is kept as it came."""
    if not isinstance(told, dict):
        return RawBlock(issuer, told, by="client")
    kind = told.get("type")
    block: ContentBlock | None = None
    if kind == "text":
        block = TextBlock(told["text"]) if isinstance(told.get("text"), str) else None
    elif kind == "refusal":
        block = RefusalBlock(told["refusal"]) if isinstance(told.get("refusal"), str) else None
    elif isinstance(kind, str) and isinstance(told.get(kind), dict):
        block = _medium(kind, told[kind], issuer)
    if block is None:
        return RawBlock(issuer, told, by="client")
    _rest(block, {k: v for k, v in told.items() if k not in ("type", kind)}, issuer)
    return block


def _rest(block: ContentBlock, rest: JsonObject, issuer: str) -> None:
    """Hang on the block what stands in its part beside what it says."""
    if rest:
        hint, key = unmarked(rest)
        if hint is not None and type(block) is not RefusalBlock:
            block.spelling = " ".join(filter(None, (block.spelling, key)))
            block.cache = hint  # type: ignore[union-attr]  # every block that is made here has one
            rest = {name: value for name, value in rest.items() if name != key}
    if rest:
        own = (block.extras or {}).get(issuer, {})
        block.extras = {issuer: {**own, **rest}}


def read_said(told: Json, issuer: str) -> ContentBlock:
    """One entry of what a message says: some histories hold calls and results in Claude's form."""
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(kind, str) or kind not in _CLAUDES:
        return read_part(told, issuer)
    rest = {key: value for key, value in told.items() if key not in _CLAUDES[kind]}
    id, said = (told.get(key) for key in _CLAUDES[kind][1:3])
    made: ToolUseBlock | ToolResultBlock | None = None
    if isinstance(id, str) and kind == "tool_use":
        name = rest.pop("name", None)
        if isinstance(said, dict) and isinstance(name, str):
            made = ToolUseBlock(id, name, said, spelling=PART)
    elif isinstance(id, str) and isinstance(said, (str, list)):
        output: Any = said if isinstance(said, str) else [read_part(one, issuer) for one in said]
        made = ToolResultBlock(id, "", output, spelling=PART)
        if told.get("is_error") is True:
            made.is_error = rest.pop("is_error")
    if made is None:
        return RawBlock(issuer, told, by="client")
    _rest(made, rest, issuer)
    return made


def _medium(kind: str, inner: JsonObject, issuer: str) -> ContentBlock | None:
    rest = dict(inner)
    made: Any = None
    if kind in _LINKS and isinstance(inner.get("url"), str):
        source, head = read_url(rest.pop("url"))
        made = _LINKS[kind](source, spelling=head)
        if isinstance(inner.get("detail"), str):
            made.detail = rest.pop("detail")
    elif kind == "input_audio" and isinstance(inner.get("data"), str):
        form = inner.get("format")
        if (
            isinstance(form, str)
            and form in _PARTS_FORMATS
            and not inner["data"].startswith("data:")
        ):
            made = AudioBlock(
                Base64Source(_PARTS_FORMATS[form], rest.pop("data")), spelling="bytes"
            )
            del rest["format"]
    elif kind == "file" and isinstance(inner.get("file_data"), str):
        source, head = read_url(rest.pop("file_data"))
        made = DocumentBlock(source, spelling=head)
    elif kind == "file" and isinstance(inner.get("file_id"), str):
        made = DocumentBlock(FileSource(rest.pop("file_id"), issuer))
    if made is None:
        return None
    if type(made) is DocumentBlock and isinstance(inner.get("filename"), str):
        made.title = rest.pop("filename")
    if rest:
        made.extras = {issuer: {kind: rest}}
    return made  # type: ignore[no-any-return]  # a block of one of the kinds above


def unmarked(told: JsonObject) -> tuple[CacheHint | None, str]:
    """(the cache hint that a part, message or tool carries, the key that it stands under)."""
    for key, fixed in MARKS.items():
        mark = told.get(key)
        if isinstance(mark, dict) and {k: v for k, v in mark.items() if k != "ttl"} == fixed:
            ttl = mark.get("ttl")
            if isinstance(ttl, str) or "ttl" not in mark:
                return CacheHint(ttl), key
    return None, ""


def marked(hint: CacheHint, key: str) -> JsonObject:
    """The mark as it was read."""
    made: JsonObject = dict(MARKS[key])
    if hint.ttl is not None:
        made["ttl"] = hint.ttl
    return {key: made}


def part_as_read(block: ContentBlock, issuer: str) -> Json:
    """The part that `read_part` made the block of."""
    if type(block) is RawBlock:
        return block.data
    spelling, _, key = (block.spelling or "").partition(" ")
    key = key.partition(" ")[0]
    if spelling in MARKS:
        spelling, key = "", spelling
    own = (block.extras or {}).get(issuer, {})
    made: JsonObject
    if type(block) is TextBlock:
        made = {"type": "text", "text": block.text, **own}
    elif type(block) is RefusalBlock:
        made = {"type": "refusal", "refusal": block.text, **own}
    elif type(block) is ToolUseBlock:
        made = {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input, **own}
    elif type(block) is ToolResultBlock:
        said = block.output
        if isinstance(said, list):
            said = [part_as_read(one, issuer) for one in said]
        made = {"type": "tool_result", "tool_use_id": block.id, "content": said, **own}
        made.update({"is_error": True} if block.is_error else {})
    else:
        kind, inner = _said(block, spelling)
        made = {"type": kind, kind: inner}
        if own:
            made.update(own)
            made[kind] = {**inner, **own.get(kind, {})}
    hint = getattr(block, "cache", None)
    return made if hint is None else {**made, **marked(hint, key)}


def _said(block: Any, spelling: str) -> tuple[str, JsonObject]:
    source = block.source
    if type(block) is DocumentBlock:
        named = {} if block.title is None else {"filename": block.title}
        if isinstance(source, FileSource):
            return "file", {"file_id": source.file_id, **named}
        return "file", {"file_data": url_of(source, spelling), **named}
    if spelling == "bytes":
        form = next(form for form, kind in _PARTS_FORMATS.items() if kind == source.media_type)
        return "input_audio", {"data": source.data, "format": form}
    kind = next(kind for kind, made in _LINKS.items() if made is type(block))
    inner = {"url": url_of(source, spelling)}
    return kind, inner if block.detail is None else {**inner, "detail": block.detail}


LEGACY = "function_call"  # the spelling of calls without ids


_CALL = {"id", "function", "type"}


def read_calls(rest: JsonObject, issuer: str) -> list[ContentBlock]:
    """What an assistant's message has behind its content, taken out of the message."""
    made: list[ContentBlock] = []
    if isinstance(rest.get("refusal"), str) and rest["refusal"]:
        made.append(RefusalBlock(rest.pop("refusal"), spelling="field"))
    told = rest.get("tool_calls")
    if isinstance(told, list) and told:
        del rest["tool_calls"]
        made += [_call(one, issuer) for one in told]
    legacy = rest.get(LEGACY)
    if isinstance(legacy, dict) and _function(legacy):
        del rest[LEGACY]
        raw = legacy["arguments"]
        made.append(ToolUseBlock("", legacy["name"], parsed(raw), raw, spelling=LEGACY))
    return made


def usual_calls(
    told: Json, names: dict[str, str], history: RoledHistory
) -> list[ContentBlock] | None:
    """Calls of functions with nothing odd in any of them; None for all others.

    `names` learns what they are called by id, `history` their ids and names in order.
    """
    if type(told) is not list:
        return None
    ids, called_by = history.calls, history.names
    made: list[ContentBlock] = []
    try:
        for one in told:
            function, id = one["function"], one["id"]
            name, raw = function["name"], function["arguments"]
            if one["type"] != "function" or len(one) != 3 or len(function) != 2:
                return None
            if type(id) is not str or type(name) is not str or type(raw) is not str:
                return None
            given = parsed(raw)
            if type(given) is not dict:
                return None
            made.append(called(id, name, given, raw))
            names[id] = name
            ids.append(id)
            called_by.append(name)
    except (LookupError, TypeError):  # something is missing, or is no object
        return None
    return made


def _function(told: Any) -> bool:
    """Whether it is a name and the text of arguments, and nothing else."""
    return (
        isinstance(told, dict)
        and {*told} == {"name", "arguments"}
        and isinstance(told["name"], str)
        and isinstance(told["arguments"], str)
    )


def _call(told: Json, issuer: str) -> ContentBlock:
    function = told.get("function") if isinstance(told, dict) else None
    id = told.get("id") if isinstance(told, dict) else None
    block = _called(id, function) if isinstance(id, str) and isinstance(function, dict) else None
    if block is None:
        pair = id if isinstance(id, str) else None
        return RawBlock(issuer, told, "call", pair, "client", spelling="call")
    rest = {key: value for key, value in told.items() if key not in _CALL}
    if told.get("type") != "function":
        block.spelling = " ".join(filter(None, (block.spelling, "untyped")))
        if "type" in told:
            rest["type"] = told["type"]
    hint, key = unmarked(rest)
    if hint is not None:
        block.cache = hint
        block.spelling = f"{block.spelling or ''} {key}"
        del rest[key]
    if rest:
        block.extras = {issuer: rest}
    return block


def _called(id: str, function: JsonObject) -> ToolUseBlock | None:
    """The call of a function; some clients give the arguments as an object, or give none."""
    if _function(function):
        raw = function["arguments"]
        return ToolUseBlock(id, function["name"], parsed(raw), raw)
    given = function.get("arguments")
    usual = {*function} <= {"name", "arguments"} and isinstance(function.get("name"), str)
    if not usual or not (given is None or isinstance(given, dict)):
        return None
    word = "bare" if "arguments" not in function else "null" if given is None else "object"
    return ToolUseBlock(id, function["name"], given or {}, spelling=word)


def call_as_read(block: ToolUseBlock, issuer: str) -> JsonObject:
    """The call, or the `function_call`, that was read."""
    function: JsonObject = {"name": block.name, "arguments": block.raw_input}
    if block.spelling == LEGACY:
        return function
    made: JsonObject = {"id": block.id, "type": "function", "function": function}
    words = (block.spelling or "").split()
    if "bare" in words:
        del function["arguments"]
    elif "object" in words:
        function["arguments"] = block.input
    if "untyped" in words:
        del made["type"]
    if block.cache is not None:
        made.update(marked(block.cache, next(word for word in words if word in MARKS)))
    made.update((block.extras or {}).get(issuer, {}))
    return made


def paired(msgs: Sequence[Msg]) -> None:
    """Give calls without ids their own, and the same to the next result of that function."""
    open_calls: dict[str, list[str]] = {}
    for nth, m in enumerate(msgs):
        for block in () if isinstance(m.content, str) else m.content:
            if type(block) is ToolUseBlock and block.spelling == LEGACY:
                said = f"{nth}\0{block.name}\0{block.raw_input}"
                seed = said.encode("utf-8", "surrogatepass")
                block.id = f"call_{blake2b(seed, digest_size=9).hexdigest()}"
                open_calls.setdefault(block.name, []).append(block.id)
            elif type(block) is ToolResultBlock and not block.id and open_calls.get(block.name):
                block.id = open_calls[block.name].pop(0)


_UNSAID = "unsaid"  # the text of a detail stands in a field beside it


_DETAILS = {"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}


def read_thoughts(rest: JsonObject, issuer: str, origin: Origin) -> list[ContentBlock]:
    """The thoughts of an assistant's message, taken out of the message."""
    details = rest.get("reasoning_details")
    if isinstance(details, list) and details and all(isinstance(one, dict) for one in details):
        del rest["reasoning_details"]
        made = [_detail(one, issuer, origin) for one in details]
        return _proven(made, rest)
    field = next((name for name in FIELDS if isinstance(rest.get(name), str)), None)
    return [ThinkingBlock(rest.pop(field), spelling=field, origin=origin)] if field else []


def _proven(details: list[ThinkingBlock], rest: JsonObject) -> list[ContentBlock]:
    """Details without a text, and the text that stands in the field beside them."""
    first = details[0]
    field = next((name for name in FIELDS if isinstance(rest.get(name), str)), None)
    if field and first.signature is not None and not any(one.thinking for one in details):
        first.thinking = rest.pop(field)
        first.spelling = f"{first.spelling} {_UNSAID} {field}"
    return [*details]


def _detail(told: JsonObject, issuer: str, origin: Origin) -> ThinkingBlock:
    rest = dict(told)
    kind = told.get("type")
    field = _DETAILS.get(kind) if isinstance(kind, str) else None
    block = ThinkingBlock("", spelling="detail", origin=origin)
    if field and isinstance(told.get(field), str):
        said = rest.pop(field)
        if field == "data":
            block.redacted = said
        else:
            block.thinking = said
        block.spelling = f"detail {field}"
    if isinstance(told.get("signature"), str):
        block.signature = rest.pop("signature")
    if block.spelling == "detail text":
        del rest["type"]
    if rest:
        block.extras = {issuer: rest}
    return block


def say_thought(block: ThinkingBlock, made: JsonObject, issuer: str) -> None:
    """Put a thought into the field of the message that it was read from."""
    spelling = block.spelling or FIELDS[0]
    if not spelling.startswith("detail"):
        made[spelling] = block.thinking
        return
    made.setdefault("reasoning_details", []).append(_said_detail(block, issuer))
    _, _, field = spelling.partition(f" {_UNSAID} ")
    if field:
        made[field] = block.thinking


def _said_detail(block: ThinkingBlock, issuer: str) -> JsonObject:
    _, field, *aside = f"{block.spelling} ".split(" ")
    made: JsonObject = {"type": "reasoning.text"} if field == "text" else {}
    if field == "data":
        made[field] = block.redacted
    elif field and field != _UNSAID:
        made[field] = "" if _UNSAID in aside else block.thinking
    if block.signature is not None:
        made["signature"] = block.signature
    return {**made, **(block.extras or {}).get(issuer, {})}
