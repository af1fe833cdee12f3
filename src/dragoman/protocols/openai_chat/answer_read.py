"""Reads answers of Chat Completions, whole ones and streams, into pieces.

Reference: OpenAI API, "The chat completion object", "Chat completion chunk"; recorded answers and
streams of some forty hosts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ...message import AudioBlock, Base64Source, Citation, ContentBlock, ImageBlock, RawBlock
from ...message.blocks import (
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    name_answers,
    name_notes,
)
from ...message.media_urls import read_url
from ...stream import pieces as errors
from ...stream.arguments import StreamedCalls
from ...stream.pieces import End, Failed, Meta, Part, Piece
from ...text.json_text import Json, JsonObject, canonical
from ..chat_like.messages import answered_call, require_text
from ..shared_finish_words import says_reason
from .blocks import BARE, CITATION_FIELDS, CUSTOM, LEGACY, PART, TRANSCRIPT
from .dialect import THINKING_FIELDS, Dialect
from .finish_reasons import read_choice_finish
from .thinking import ThinkingReader
from .usage import read_usage

# the index of a `function_call`, which comes after all calls in `tool_calls`
_LEGACY_INDEX = 1 << 20


def read_answer_parts(content: Json, issuer: str) -> list[ContentBlock]:
    """Read the content of an answer that is a list, as some hosts send it."""
    blocks: list[ContentBlock] = []
    for part in content:
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            other_fields = {key: part[key] for key in part if key not in ("type", "text")}
            extras = {issuer: other_fields} if other_fields else None
            block: ContentBlock = TextBlock(part["text"], extras=extras)
        elif kind == "image_url":
            block = read_image(part, issuer)
        elif kind == "refusal":
            block = RefusalBlock(require_text(part.get("refusal")))
        elif kind == "reasoning" and isinstance(part.get("summary"), list):
            summary = "".join(require_text(entry.get("text")) for entry in part["summary"])
            block = ThinkingBlock(summary, extras={issuer: part})
        else:
            block = RawBlock(issuer, part)
        block.spelling = PART if block.spelling is None else f"{PART} {block.spelling}"
        blocks.append(block)
    return blocks


def read_image(entry: JsonObject, issuer: str) -> ContentBlock:
    """Read an image of an answer: `{"image_url": {"url": ...}}`, or with the URL alone."""
    link = entry.get("image_url")
    url = link.get("url") if isinstance(link, dict) else link
    if not isinstance(url, str):
        return RawBlock(issuer, entry)
    source, head = read_url(url)
    block = ImageBlock(source, spelling=head)
    other_fields = {key: entry[key] for key in entry if key not in ("type", "image_url")}
    if entry.get("type", "image_url") != "image_url":
        other_fields["type"] = entry["type"]
    if not isinstance(link, dict):
        block.spelling = BARE if head is None else f"{BARE} {head}"
    elif len(link) > 1:
        other_fields["image_url"] = {key: link[key] for key in link if key != "url"}
    notes: JsonObject = {} if "type" in entry else {"absent": ["type"]}
    extras = {issuer: other_fields, name_notes(issuer): notes}
    block.extras = {key: fields for key, fields in extras.items() if fields} or None
    return block


def read_citation(entry: JsonObject, issuer: str, in_delta: bool) -> Citation:
    """Read a citation: `{"type": "url_citation", "url_citation": {start_index, ...}}`.

    In a delta it has its index in the list beside it.
    """
    if in_delta and "index" in entry:
        entry = {key: value for key, value in entry.items() if key != "index"}
    citation = Citation()
    data = entry.get("url_citation")
    unknown = dict(data) if isinstance(data, dict) and entry.get("type") == "url_citation" else {}
    for key, name in CITATION_FIELDS.items():
        if type(unknown.get(key)) is (int if key.endswith("_index") else str):
            setattr(citation, name, unknown.pop(key))
    if citation == Citation():
        return Citation(extras={issuer: entry})
    other_fields = {key: entry[key] for key in entry if key not in ("type", "url_citation")}
    if unknown:
        other_fields["url_citation"] = unknown
    citation.extras = {issuer: other_fields} if other_fields else None
    return citation


# the first bytes of each format, in base64
_AUDIO_BEGINNINGS = {
    "UklGR": "audio/wav",
    "SUQz": "audio/mpeg",
    "//": "audio/mpeg",
    "T2dn": "audio/ogg",
    "ZkxhQ": "audio/flac",
}


def read_audio(audio: JsonObject, issuer: str) -> list[tuple[int, ContentBlock]]:
    """Read speech of an answer: its transcript as text, and its sound."""
    blocks: list[tuple[int, ContentBlock]] = []
    if audio.get("transcript"):
        transcript = require_text(audio["transcript"])
        blocks.append((0, TextBlock(transcript, spelling=TRANSCRIPT)))
    data = require_text(audio.get("data") or "")
    other_fields = {key: audio[key] for key in audio if key not in ("data", "transcript")}
    empty_fields = {key: audio[key] for key in ("data", "transcript") if not audio.get(key, "x")}
    if data or other_fields:
        media_types = (of for head, of in _AUDIO_BEGINNINGS.items() if data.startswith(head))
        block = AudioBlock(Base64Source(next(media_types, "audio/pcm"), data))
        extras = {issuer: other_fields, name_answers(issuer): empty_fields}
        block.extras = {key: fields for key, fields in extras.items() if fields} or None
        blocks.append((1, block))
    return blocks


def has_content(value: Any) -> bool:
    """Whether the value has any content: some hosts send calls with only empty fields."""
    return any(value.values()) if isinstance(value, dict) else bool(value)


_CALL_FIELDS = {"id", "type", "function", "index"}
_FUNCTION_FIELDS = {"name", "arguments"}


def read_call(entry: JsonObject, issuer: str, complete: bool) -> ContentBlock:
    """Read one entry of `tool_calls`: a call of a function, or of a custom tool, which takes text.

    `complete`: the call is no fragment of a stream, so missing fields are noted.
    """
    id, function = entry.get("id"), entry.get("function")
    if not isinstance(function, dict):
        if function is not None:
            raise TypeError("a call's function is an object")
        if (call := _read_freeform_call(entry, issuer)) is not None:
            return call
        if complete or "custom" in entry:
            return RawBlock(issuer, entry, "call", id if isinstance(id, str) else None, "client")
        function = {}
    name = function.get("name")
    if type(id) is int:  # of servers that count their calls
        id = str(id)
    id, name = "" if id is None else require_text(id), "" if name is None else require_text(name)
    block = answered_call(id, name, function.get("arguments"))
    if not complete and entry.keys() <= _CALL_FIELDS and function.keys() <= _FUNCTION_FIELDS:
        return block  # most fragments
    # such as a signature, which has to be sent back
    unknown = {key: value for key, value in entry.items() if key not in _CALL_FIELDS}
    unusual: JsonObject = {}
    if other_fields := {k: v for k, v in function.items() if k not in _FUNCTION_FIELDS}:
        unusual["function"] = other_fields
    # the empty field means that this is no custom call
    if CUSTOM in unknown and not has_content(unknown[CUSTOM]):
        unusual[CUSTOM] = unknown.pop(CUSTOM)
    absent = _read_spelling(entry, function, unusual) if complete else []
    extras = {
        issuer: unknown,
        name_notes(issuer): {"absent": absent} if absent else {},
        name_answers(issuer): unusual,
    }
    block.extras = {key: fields for key, fields in extras.items() if fields} or None
    return block


def _read_freeform_call(entry: JsonObject, issuer: str) -> ToolUseBlock | None:
    """Read a call of a custom tool, or a fragment: `{"id", "custom": {"name", "input"}}`."""
    custom = entry.get(CUSTOM)
    if not isinstance(custom, dict):
        return None
    id, name, text = entry.get("id"), custom.get("name"), custom.get("input")
    if not all(isinstance(value, str | None) for value in (id, name, text)):
        return None
    call = ToolUseBlock(id or "", name or "", raw_input=text, freeform=True)
    unknown = {key: value for key, value in entry.items() if key not in (*_CALL_FIELDS, CUSTOM)}
    other_fields = {k: v for k, v in custom.items() if k not in ("name", "input")}
    if other_fields:
        unknown[CUSTOM] = other_fields
    call.extras = {issuer: unknown} if unknown else None
    return call


def _read_spelling(entry: JsonObject, function: JsonObject, unusual: JsonObject) -> list[str]:
    """Return the fields that a whole call lacks; add unusual values of the others to `unusual`."""
    id = entry.get("id")
    odd = {
        "index": True,
        "type": entry.get("type") != "function",
        "id": not id or not isinstance(id, str),
    }
    unusual |= {key: entry[key] for key, is_odd in odd.items() if is_odd and key in entry}
    empty_fields = {
        key: function[key]
        for key in ("name", "arguments")
        if key in function and function[key] in (None, {})
    }
    if empty_fields:
        unusual["function"] = {**unusual.get("function", {}), **empty_fields}
    absent = [key for key in ("id", "type", "function") if key not in entry]
    return absent + [key for key in ("name", "arguments") if key not in function]


THINKING, TEXT, REFUSAL, AUDIO, IMAGE, CALL = range(6)  # the order of blocks


_CHOICE_FIELDS = {
    "index",
    "delta",
    "message",
    "finish_reason",
    "logprobs",
    "usage",
    "text",
    "error",
}


_BESIDE_MESSAGE = {"delta", "text", "usage", "error"}


_MESSAGE_FIELDS = {
    "role",
    "content",
    "refusal",
    "tool_calls",
    "function_call",
    "reasoning_details",
    "audio",
    "images",
    "annotations",
    *THINKING_FIELDS,
}


_USUAL_FIELDS = {"role", "content", "refusal", "reasoning_details", *THINKING_FIELDS}
# a choice of a chunk with these fields, and no value in the latter, has nothing but its delta
_FRAME_VALUES = ("finish_reason", "logprobs")
_FRAME = {"index", *_FRAME_VALUES}
_ABSENT = object()


class ChoiceReader:
    """Reads one candidate of the answer."""

    def __init__(self, index: int, issuer: str, dialect: Dialect) -> None:
        self.error_reason = ""  # why the candidate ended, if that is an error
        self._index = index
        self._issuer = issuer
        self._pieces: list[Piece] = []
        self._calls = StreamedCalls()
        self._thinking = ThinkingReader(issuer, dialect.cumulative_details)
        self._length = 0  # characters of text so far, for hosts that repeat the whole text
        self._citations: set[str] = set()
        self._values: JsonObject = {}  # fields that are already in the extras
        self._has_deltas = False
        self._frame: JsonObject | None = None  # of a delta: fields that say nothing new

    def read(self, choice: JsonObject, position: int, chunk: bool) -> list[Piece]:
        """Return the pieces of one entry of `choices`; `chunk`: it surely is part of a stream."""
        self._pieces = []
        delta, message = choice.get("delta"), choice.get("message")
        if chunk and type(delta) is dict:
            frame = choice.copy()
            del frame["delta"]
            if frame == self._frame:  # most chunks
                self._message(delta, complete=False)
                return self._pieces
            if frame.keys() <= _FRAME and all(frame.get(key) is None for key in _FRAME_VALUES):
                self._frame = frame
        complete = not isinstance(delta, dict)
        if isinstance(message, dict):
            self._message(message, complete=True, snapshot=not complete)
        elif isinstance(delta, dict):
            self._has_deltas = True
            self._message(delta, complete=False)
        elif isinstance(choice.get("text"), str):
            self._part(TEXT, 0, TextBlock(choice["text"]))
        if (complete or isinstance(message, dict)) and not chunk:
            self._spelling(choice, position)
        self._read_unknown(choice, complete, chunk)
        if choice.get("error"):
            self._pieces.append(Failed(errors.provider_error(choice)))
        if isinstance(choice.get("usage"), dict):
            self._pieces.append(read_usage(choice["usage"], self._issuer))
        raw = choice.get("finish_reason")
        if says_reason(raw) or (complete and isinstance(message, dict)):
            finish = read_choice_finish(choice)
            if finish.reason == "error":
                self.error_reason = finish.raw or ""
            self._pieces.append(End(finish, self._index))
        return self._pieces

    def _part(self, rank: int, i: int, block: ContentBlock) -> None:
        self._pieces.append(Part((self._index, rank, i), block))

    def _spelling(self, choice: JsonObject, position: int) -> None:
        """Return notes on the spelling of a whole choice, where it is unusual."""
        message = choice.get("message")
        absent = [key for key in ("index", "finish_reason", "message") if key not in choice]
        notes: JsonObject = {}
        if isinstance(message, dict):
            absent += [key for key in ("role", "content") if key not in message]
            if isinstance(message.get("content"), list):
                notes["content"] = "list"
        if absent:
            notes["absent"] = absent
        index = choice.get("index", self._index)
        if index != self._index or type(index) is not int:
            notes["index"] = index
        if position != self._index:
            notes["at"] = position
        raw = choice.get("finish_reason")
        if raw is not None and read_choice_finish(choice).raw != raw:
            notes["finish_reason"] = raw
        if notes:
            self._pieces.append(Meta(None, self._index, issuer=self._issuer, notes=notes))

    def _read_unknown(self, choice: JsonObject, complete: bool, chunk: bool) -> None:
        """Read log probabilities, which grow, and the fields that no node can hold."""
        full = (complete or "message" in choice) and not chunk
        logprobs = choice.get("logprobs")
        if logprobs is not None or (full and "logprobs" in choice):
            fields = {"logprobs": logprobs}
            self._pieces.append(Meta(fields, self._index, joined=True, issuer=self._issuer))
        modeled = _CHOICE_FIELDS
        if full and "message" in choice:  # beside a message, a delta adds nothing to it
            modeled = modeled - _BESIDE_MESSAGE
            modeled = modeled if isinstance(choice["message"], dict) else modeled - {"message"}
        if choice.keys() <= modeled:
            return
        unknown = {
            key: value
            for key, value in choice.items()
            if key not in modeled
            and (full or value is not None)
            and self._values.get(key, _ABSENT) != value
        }
        self._values |= unknown
        if unknown:
            self._pieces.append(Meta(unknown, self._index, issuer=self._issuer))

    def _message(self, message: JsonObject, complete: bool, snapshot: bool = False) -> None:
        if not complete and len(message) == 1:  # most deltas
            if type(text := message.get("content")) is str:
                if text:
                    self._length += len(text)
                    self._pieces.append(Part((self._index, TEXT, 0), TextBlock(text)))
                return
            if type(entries := message.get("tool_calls")) is list:
                self._read_calls(entries, complete=False)
                return
        for i, thinking in self._thinking.read(message):
            self._part(THINKING, i, thinking)
        content = message.get("content")
        if type(content) is str:
            text = content[self._length :] if snapshot else content
            if text:
                self._length += len(text)
                self._part(TEXT, 0, TextBlock(text))
        elif content is not None:
            for i, block in enumerate(read_answer_parts(content, self._issuer)):
                self._part(TEXT, i, block)
        if message.get("refusal"):
            self._part(REFUSAL, 0, RefusalBlock(require_text(message["refusal"])))
        if complete or not message.keys() <= _USUAL_FIELDS:
            self._more(message, complete)

    def _more(self, message: JsonObject, complete: bool) -> None:
        """Read what only few messages have beside their text."""
        entries = message.get("tool_calls") or ()
        self._read_calls(entries, complete)
        function = message.get(LEGACY)
        # hosts that also serve old clients repeat one call in both fields
        is_repeated = complete and any(entry.get("function") == function for entry in entries)
        if function and has_content(function) and not is_repeated:
            # in a stream, each delta of the call has one of the two
            call = ToolUseBlock("", require_text(function.get("name") or ""), spelling=LEGACY)
            if complete:
                call.extras = {name_notes(self._issuer): {"field": LEGACY}}
            if (raw := function.get("arguments")) is not None:
                call.raw_input = require_text(raw)
            self._part(CALL, _LEGACY_INDEX, call)
        audio = message.get("audio")
        if audio and has_content(audio):
            for i, block in read_audio(audio, self._issuer):
                self._part(AUDIO, i, block)
        for i, entry in enumerate(message.get("images") or ()):
            self._part(IMAGE, i, read_image(entry, self._issuer))
        if "annotations" in message and (citations := self._new_citations(message, complete)):
            self._part(TEXT, 0, TextBlock("", citations))
        unknown = _unknown_fields(message, complete)
        if is_repeated and function:
            unknown[LEGACY] = function
        if unknown:
            fields = {"message": unknown}
            self._pieces.append(Meta(fields, self._index, joined=True, issuer=self._issuer))

    def _read_calls(self, entries: Iterable[JsonObject], complete: bool) -> None:
        for i, entry in enumerate(entries):
            if complete:
                self._part(CALL, i, read_call(entry, self._issuer, complete))
            elif (fragment := self._fragment(entry)) is not None:
                self._part(CALL, *fragment)

    def _fragment(self, entry: JsonObject) -> tuple[int, ContentBlock] | None:
        """Return which call a fragment belongs to, and what it adds; None for an empty fragment."""
        index = entry.get("index")
        function = entry.get("function")
        if len(entry) == 2 and type(index) is int and type(function) is dict:
            text = function.get("arguments")  # most fragments
            if len(function) == 1 and type(text) is str and self._calls.has(index):
                return self._calls.call("", "", index, text), ToolUseBlock("", "", {}, text)
        block = read_call(entry, self._issuer, complete=False)
        if type(block) is not ToolUseBlock:
            return self._calls.call(str(entry.get("id") or ""), "", index, ""), block
        text = block.raw_input or ("{}" if block.input else "")
        if self._calls.says_nothing(block.id, block.name, index, text) and not block.extras:
            return None
        return self._calls.call(block.id, block.name, index, text), block

    def _new_citations(self, message: JsonObject, complete: bool) -> list[Citation]:
        """Return the annotations, without those that a stream repeats."""
        citations: list[Citation] = []
        for entry in message.get("annotations") or ():
            text = canonical(entry)
            if text not in self._citations or (complete and not self._has_deltas):
                citations.append(read_citation(entry, self._issuer, in_delta=not complete))
            self._citations.add(text)
        return citations


def _unknown_fields(message: JsonObject, complete: bool) -> JsonObject:
    """Return the fields of a message or delta that no block can hold."""
    if not complete:
        return {
            key: value
            for key, value in message.items()
            if key not in _MESSAGE_FIELDS and value is not None
        }
    # an empty value means nothing, but it is part of the body
    unknown = {
        key: value
        for key, value in message.items()
        if key not in _MESSAGE_FIELDS or not has_content(value)
    }
    if message.get("role") != "assistant" and "role" in message:
        unknown["role"] = message["role"]
    copies = [name for name in THINKING_FIELDS if message.get(name)]
    if not message.get("reasoning_details"):
        copies = copies[1:]  # the first of them is the block
    return unknown | {name: message[name] for name in copies}


_READ_ELSEWHERE = {"object", "choices", "usage", "error", "obfuscation"}  # fields of a body
_CHUNK = "chat.completion.chunk"
_CHUNKS = (_CHUNK, "chat.completion.done")
_OBJECTS = ("chat.completion", *_CHUNKS, "")


# of errors without an enclosing object
_ERROR_FIELDS = {
    "message",
    "msg",
    "Message",
    "detail",
    "errors",
    "error_message",
    "error_msg",
    "code",
}


_EMPTY: Mapping[str, Json] = MappingProxyType({})


class ChatReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._issuer = dialect.reads_items_of[0]
        self._values: JsonObject = {}  # fields of the body that were read already
        self._choices: dict[int, ChoiceReader] = {}
        self._frame: JsonObject | None = None  # of a chunk: fields that say nothing new

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one chunk, or of a whole answer."""
        choices = payload.get("choices")
        frame: JsonObject | None = None
        if type(choices) is list and len(choices) == 1 and payload.get("object") == _CHUNK:
            frame = payload.copy()
            del frame["choices"]
            frame.pop("obfuscation", None)  # padding, of another length in each chunk
            if frame == self._frame and type(index := choices[0].get("index")) is int:
                choice = self._choices.get(index)
                if choice is not None:  # most chunks
                    return choice.read(choices[0], 0, chunk=True)
        pieces: list[Piece] = []
        host_field = self._dialect.own_field
        host_data = (payload.get(host_field) if host_field else None) or _EMPTY
        # a chunk may have no choices; a payload that is no chunk at all is an error
        usual = "choices" in payload or "usage" in payload or payload.get("object") in _OBJECTS
        error = payload.get("error") or host_data.get("error")
        error = error or ("base_resp" in payload and errors.host_error(payload))
        if error or not usual:
            described = error or _ERROR_FIELDS & payload.keys()
            if not described or isinstance(payload.get("message"), dict):
                raise LookupError("neither a chunk nor an error")  # such as a host's own ping
            of_host = host_data.get("error") and not payload.get("error")
            failure = errors.provider_error(host_data if of_host else payload, name=event)
            failure.body = payload
            pieces.append(Failed(failure))
        kind = payload.get("object")
        complete, chunk = kind == "chat.completion", kind in _CHUNKS
        for i, entry in enumerate(choices or ()):
            index = entry.get("index")
            if type(index) is not int or index < 0:
                index = i
            choice = self._choices.get(index)
            if choice is None:
                choice = self._choices[index] = ChoiceReader(index, self._issuer, self._dialect)
            pieces += choice.read(entry, i, chunk)
            complete = complete or "delta" not in entry
        complete = complete and not chunk
        full = complete or (choices is None and not chunk)
        usage = payload.get("usage") or host_data.get("usage")
        if head := self._head(payload, complete, full):
            pieces[:0] = head
        elif not (error or host_data or usage):
            self._frame = frame
        if isinstance(usage, dict):
            pieces.append(read_usage(usage, self._issuer, complete))
        return pieces

    def finish(self) -> list[Piece]:
        """Return nothing, unless a host ended with an error that it never described."""
        reasons = (choice.error_reason for choice in self._choices.values())
        reason = next(filter(None, reasons), "")
        return [Failed(errors.finish_error(reason))] if reason else []

    def _head(self, payload: JsonObject, complete: bool, full: bool) -> list[Piece]:
        """Read the fields about the whole answer, which chunks repeat. `full`: keep nulls, too."""
        pieces: list[Piece] = []
        values = self._values
        unknown: JsonObject = {}
        for key, value in payload.items():
            if key in _READ_ELSEWHERE:
                if full and _is_unusual(key, value, complete):
                    unknown[key] = value
            elif values.get(key, _ABSENT) == value:
                continue
            elif key in ("id", "model"):
                values[key] = value
                if not isinstance(value, str) or (full and not value):
                    unknown[key] = value
                else:
                    id, model = (value, None) if key == "id" else (None, value)
                    pieces.append(Meta(id=id, model=model, issuer=self._issuer))
            elif value is not None or full:
                values[key] = unknown[key] = value
        notes: JsonObject = {}
        if complete:  # what is unusual in a whole answer
            absent = [key for key in ("object", "usage", "choices") if key not in payload]
            notes |= {"absent": absent} if absent else {}
            if "choices" in payload and not payload["choices"]:
                notes["choices"] = payload["choices"]
        if unknown or notes:
            pieces.append(Meta(unknown, issuer=self._issuer, notes=notes or None))
        return pieces


def _is_unusual(key: str, value: Json, complete: bool) -> bool:
    """Whether a field differs from that of a usual answer."""
    if key == "object":
        return bool(value != "chat.completion")
    if key == "usage":
        return not isinstance(value, dict) or not value
    return complete and key == "error"
