"""Reads answers and streams of generateContent: chunks become pieces.

Arguments may arrive leaf by leaf, each under its JSONPath, texts in pieces. Citations name bytes
of all texts of a candidate. What no node models goes out as fields of the answer or a candidate.

Reference: Gemini API, "GenerateContentResponse" and "GroundingMetadata"; Gemini API in Google
Cloud, "Function calling", `streamFunctionCallArguments`: `partialArgs` with `jsonPath`, one of
`stringValue`, `numberValue`, `boolValue`, `nullValue`, and `willContinue`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from ...message import Citation, Finish, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...stream.pieces import End, Failed, Key, Meta, Part, Piece, provider_error
from ...text.json_text import Json, JsonObject, canonical
from ..chat_like.messages import without
from ..finish_words import finish_meaning
from .answer_write import REASONS, UNSPECIFIED, read_usage
from .blocks import api_part, listed_calls, read_block
from .dialect import Dialect, camel_keys, null_fields, set_fields

_Path: TypeAlias = tuple[str | int, ...]
_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPED = re.compile(r"\\(.)")
_DEEPEST = 200  # steps of a path


class Arguments:
    """The arguments of one call: `value`, and as JSON text for whoever watches it grow.

    A leaf that has no place makes it `broken`, so that nobody runs half of a call.
    """

    def __init__(self) -> None:
        self.value: JsonObject = {}
        self.broken = False
        self.begun = False  # whether there was any text
        self._path: _Path = ()  # of the leaf that came last
        self._string: list[str] | None = None  # its pieces, if it is a text that goes on
        self._unordered = False  # leaves came in no order that text could follow
        self._written: set[_Path] = set()

    def add(self, pieces: list[Any]) -> str:
        """The JSON text that the pieces add. Raises ValueError or TypeError for a strange one."""
        if self.broken:
            return ""
        self.broken = True
        text = "".join([self._piece(set_fields(piece)) for piece in pieces])
        self.broken = False
        text = "" if self._unordered else text
        self.begun = self.begun or bool(text)
        return text

    def _piece(self, piece: JsonObject) -> str:
        path = _steps(piece["jsonPath"])
        continues = bool(piece.get("willContinue"))
        values = (piece.get(f"{kind}Value") for kind in ("string", "number", "bool"))
        value: Json = next((value for value in values if value is not None), None)
        if self._string is not None and path == self._path and type(value) is str:
            self._string.append(value)
            return json.dumps(value)[1:-1] + ("" if continues else self.end_string())
        text = self.end_string() + self._move_to(path)
        self._path = path
        if type(value) is str and continues:
            self._put(path, "")
            self._string = [value]
            return text + json.dumps(value)[:-1]
        self._put(path, value)
        return text + json.dumps(value)

    def end_string(self) -> str:
        """The end of a text that goes on, if there is one."""
        if self._string is None:
            return ""
        self._put(self._path, "".join(self._string))
        self._string = None
        return '"'

    def _move_to(self, path: _Path) -> str:
        """The brackets, commas and keys between the last leaf and this one."""
        last = self._path
        shared = min(len(last), len(path)) - 1
        fork = next((i for i in range(shared) if last[i] != path[i]), max(shared, 0))
        step = path[fork]
        index = last[fork] + 1 if last and type(last[fork]) is int else 0  # type: ignore[operator]  # an int
        in_order = (type(step) is str or step == index) and not any(
            type(below) is int and below for below in path[fork + 1 :]
        )
        self._unordered = self._unordered or path[: fork + 1] in self._written or not in_order
        self._written.update(path[: i + 1] for i in range(fork, len(path)))
        text = ["]" if type(last[i]) is int else "}" for i in range(len(last) - 1, fork, -1)]
        text.append("," if last else "{")
        for i in range(fork, len(path)):
            bracket = "" if i == fork else "[" if type(path[i]) is int else "{"
            text.append(bracket + (f"{json.dumps(path[i])}:" if type(path[i]) is str else ""))
        return "".join(text)

    def _put(self, path: _Path, value: Json) -> None:
        node: Any = self.value
        for step, below in pairwise(path):
            node = _enter_step(node, step, [] if type(below) is int else {})
        step = path[-1]
        if (type(step) is int and step < len(node)) or _enter_step(node, step, value) is not value:
            node[step] = value


def _enter_step(node: Any, step: str | int, default: Any) -> Any:
    """What stands at `step`, put there if nothing does. Raises ValueError where it cannot."""
    if type(step) is str and type(node) is dict:
        return node.setdefault(step, default)
    if type(step) is not int or type(node) is not list or step > len(node):
        raise ValueError("a path that leads nowhere")
    if step == len(node):
        node.append(default)
    return node[step]


def _steps(path: Any) -> _Path:
    if not isinstance(path, str) or not path.startswith("$"):
        raise ValueError("no JSONPath")
    steps: list[str | int] = []
    position = 1
    while position < len(path) and len(steps) <= _DEEPEST:
        match = _STEP.match(path, position)
        if match is None:
            raise ValueError("an unknown JSONPath")
        name, index, single, double = match.groups()
        quoted = single if single is not None else double
        key = name if quoted is None else _ESCAPED.sub(r"\1", quoted)
        steps.append(key if index is None else int(index))
        position = match.end()
    if not 0 < len(steps) <= _DEEPEST or type(steps[0]) is int:
        raise ValueError("arguments are an object")
    return tuple(steps)


_SOURCES = ("web", "retrievedContext", "maps", "image")


class Texts:
    """The texts of one candidate, block by block, as they stand when somebody cites them."""

    def __init__(self, blocks: list[tuple[Key, list[str]]]) -> None:
        self.blocks: list[tuple[int, int, Key]] = []  # where each begins and ends
        texts = ["".join(pieces) for _, pieces in blocks]
        ends = [0, *accumulate(map(len, texts))]
        self.text = "".join(texts)
        for (start, end), (key, _) in zip(pairwise(ends), blocks, strict=True):
            self.blocks.append((start, end, key))

    def characters(self, offsets: set[int]) -> dict[int, int]:
        """Offsets in bytes -> in characters; one pass for all of them."""
        if self.text.isascii():
            return {offset: offset for offset in offsets if offset <= len(self.text)}
        data = self.text.encode("utf-8", "surrogatepass")
        positions: dict[int, int] = {}
        start = count = 0
        for offset in sorted(offset for offset in offsets if offset <= len(data)):
            count += len(data[start:offset].decode("utf-8", "ignore"))
            positions[offset], start = count, offset
        return positions

    def spans(self, start: int, end: int) -> Iterator[tuple[Key, int, int]]:
        """(block, from, to) for each block that the span touches."""
        position = bisect_right(self.blocks, start, key=lambda block: block[0]) - 1
        for block_start, block_end, key in self.blocks[max(position, 0) :]:
            if block_start >= end:
                break
            first, last = max(start, block_start), min(end, block_end)
            if first < last:
                yield key, first - block_start, last - block_start


def citations(key: str, data: JsonObject, texts: Texts) -> Iterator[tuple[Key, Citation]]:
    """(block, citation) for each source of each segment that a field of metadata tells of."""
    read = _read_recitations if key == "citationMetadata" else _read_grounding
    rows = list(read(set_fields(data)))
    positions = texts.characters({offset for segment, _ in rows for offset in _offsets(segment)})
    for segment, sources in rows:
        span = _span(segment, texts, positions)
        spans = [] if span is None else list(texts.spans(*span))
        for source in sources:
            for block, start, end in spans:
                yield block, replace(source, start=start, end=end)
            if not spans:
                yield texts.blocks[-1][2], source


def _read_grounding(metadata: JsonObject) -> Iterator[tuple[JsonObject, list[Citation]]]:
    """(segment, its sources) of `groundingMetadata`."""
    chunks = [set_fields(chunk) for chunk in metadata.get("groundingChunks") or ()]
    for item in metadata.get("groundingSupports") or ():
        support = set_fields(item)
        indices = support.get("groundingChunkIndices") or ()
        sources = [_source(chunks[index]) for index in indices if 0 <= index < len(chunks)]
        yield set_fields(support.get("segment") or {}), sources or [Citation()]


def _read_recitations(metadata: JsonObject) -> Iterator[tuple[JsonObject, list[Citation]]]:
    """(segment, its source) of `citationMetadata`: what the model recites."""
    for item in metadata.get("citationSources") or metadata.get("citations") or ():
        source = set_fields(item)
        url, title = _string(source.get("uri")), _string(source.get("title"))
        yield source, [Citation(url=url, title=title)]


def _offsets(segment: JsonObject) -> tuple[int, int]:
    start, end = segment.get("startIndex", 0), segment.get("endIndex", 0)
    if type(start) is not int or type(end) is not int or start < 0:
        raise TypeError("offsets are whole numbers")
    return start, end


def _span(segment: JsonObject, texts: Texts, positions: dict[int, int]) -> tuple[int, int] | None:
    """From and to in characters; None if the answer does not say, or says another text."""
    start, end = _offsets(segment)
    text = _string(segment.get("text"))
    if start in positions and end in positions and start < end:
        span = positions[start], positions[end]
        if not text or texts.text[slice(*span)] == text:
            return span
    # counted otherwise, but the segment repeats the text that it means
    position = texts.text.find(text) if text else -1
    return None if text is None or position < 0 else (position, position + len(text))


def _source(chunk: JsonObject) -> Citation:
    sources = (chunk[key] for key in _SOURCES if isinstance(chunk.get(key), dict))
    data: JsonObject = set_fields(next(sources, {}))
    url = _string(data.get("uri")) or _string(data.get("sourceUri"))
    return Citation(url=url, title=_string(data.get("title")), quote=_string(data.get("text")))


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


# fields that grow from chunk to chunk, and those of which each chunk may know a part
_GROWING = ("citationMetadata", "logprobsResult")
_COLLECTED = ("groundingMetadata", "urlContextMetadata")
_CITING = ("groundingMetadata", "citationMetadata")
_NONE = object()


class CandidateReader:
    """Reads what chunks say of one candidate."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._count = 0  # of blocks
        self._open: type[ContentBlock] | None = None  # of the text that may go on
        self._key: Key = ()
        self._texts: list[tuple[Key, list[str]]] = []  # what may be cited
        self._call: tuple[Key, ToolUseBlock, Arguments] | None = None  # arrives leaf by leaf
        self._empty: list[Part] = []  # empty texts: a whole answer has them, a stream does not
        self._nulls: JsonObject = {}
        self._fields: JsonObject = {}  # that were read already
        self._pieces: list[Piece] = []  # of the chunk that is read, which may be the first one
        self._first = False
        self._citations: set[str] = set()

    def read(self, entry: JsonObject, pieces: list[Piece], first: bool) -> bool:
        """Append the pieces of one entry of `candidates`; whether it says how it ended."""
        self._pieces, self._first = pieces, first
        content = entry.get("content")
        index = entry.get("index")
        if index is not None and self._fields.get("index", _NONE) != index:
            self._field("index", index)
        if content is not None:
            parts = content.get("parts")
            if not parts or len(content) != 2 or content.get("role") != "model":
                self._content(content, bool(parts))
                if calls := listed_calls(content):
                    parts = [*(parts if type(parts) is list else [parts] if parts else []), *calls]
            if parts:
                self._parts(parts if type(parts) is list else [parts])
        if len(entry) == (content is not None) + (index is not None):
            return False
        if first and None in entry.values():
            self._nulls = null_fields(entry)
        entry = set_fields(entry)
        for key, value in entry.items():
            if key not in ("content", "finishReason") and self._fields.get(key, _NONE) != value:
                self._field(key, value)
        return self._end(entry.get("finishReason"))

    def whole(self, pieces: list[Piece]) -> None:
        """What stands in a whole answer only: texts that say nothing, and nulls."""
        pieces += self._empty
        self._empty = []
        self._pieces = pieces
        if self._nulls:
            self._meta(self._nulls)

    def _meta(self, fields: JsonObject, joined: bool = False) -> None:
        self._pieces.append(Meta(fields, self._index, joined=joined, issuer=self._issuer))

    def _parts(self, parts: list[Any]) -> None:
        if len(parts) == 1 == len(parts[0]) and type(text := parts[0].get("text")) is str:
            self._text(TextBlock, text)  # most of a stream
            return
        lengths: list[int] = []  # of neighbours that become one text, for a whole answer has them
        start = len(self._pieces)
        for part in parts:
            text = part.get("text")
            thought = part.get("thought") is True
            is_text = type(text) is str and len(part) == 1 + thought
            kind = ThinkingBlock if thought else TextBlock
            if not is_text or (kind is not self._open and lengths):
                self._note_lengths(start, lengths)
                start, lengths = len(self._pieces), []
            if is_text:
                self._text(kind, text)
                if self._first:
                    lengths.append(len(text))
            else:
                self._other(part)
                start = len(self._pieces)
        self._note_lengths(start, lengths)

    def _note_lengths(self, start: int, lengths: list[int]) -> None:
        """Note in the first of neighbouring texts where the parts of this chunk ended."""
        if len(lengths) < 2:
            return
        piece = self._pieces[start] if start < len(self._pieces) else self._empty[-1]
        if type(piece) is Part:
            note = type(piece.block)("", spelling=" ".join(map(str, lengths)))  # type: ignore[call-arg, arg-type]  # a text
            self._empty.append(Part(piece.key, note))

    def _text(self, kind: type[TextBlock | ThinkingBlock], text: str) -> None:
        """More of the text that is open, or a new one; nothing opens none."""
        if self._open is not kind:
            if not (text or self._first):
                return
            self._next_key()
            self._open = kind
            if kind is TextBlock:
                self._texts.append((self._key, []))
            if not text:
                self._empty.append(Part(self._key, kind("")))
        if text:
            if kind is TextBlock:
                self._texts[-1][1].append(text)
            self._pieces.append(Part(self._key, kind(text)))

    def _next_key(self) -> Key:
        self._key = (self._index, self._count)
        self._count += 1
        self._open = None
        return self._key

    def _other(self, data: JsonObject) -> None:
        """A part that is more than text: a block, or more of the call that is open."""
        part = api_part(data)
        call = part.get("functionCall")
        fields = set_fields(call) if call is not None else {}
        if call is not None and "name" not in fields and "args" not in fields:
            if self._call is None and fields.get("partialArgs"):  # of no call that was begun
                self._complete_call()
                self._pieces.append(Part(self._next_key(), RawBlock(self._issuer, data)))
                return
            self._continue_call(fields)
            return
        self._complete_call()
        arrives = fields.get("willContinue") or "partialArgs" in fields
        if arrives or "willContinue" in fields:  # how it arrives is over when it is complete
            over = ("willContinue",) if "args" in fields else ("partialArgs", "willContinue")
            part = {**part, "functionCall": without(fields, *over)}
        block = read_block(part, self._issuer)
        key = self._next_key()
        self._pieces.append(Part(key, block))
        if type(block) is TextBlock:
            self._texts.append((key, [block.text]))
        if type(block) is ToolUseBlock and arrives and "args" not in fields:
            block.spelling = None  # it is not known yet that it has no arguments
            self._call = key, block, Arguments()
            self._continue_call(fields)

    def _continue_call(self, fields: JsonObject) -> None:
        """More arguments of the call that is open, or its end."""
        if self._call is None:
            return  # the end of a call that has ended
        key, _, arguments = self._call
        if text := arguments.add(fields.get("partialArgs") or []):
            self._pieces.append(Part(key, ToolUseBlock("", "", raw_input=text)))
        if not fields.get("willContinue"):
            self._complete_call()

    def _complete_call(self) -> None:
        """The call with its arguments as a value; half of one stays text that breaks off."""
        if self._call is None:
            return
        key, call, arguments = self._call
        self._call = None
        if not arguments.broken:
            arguments.end_string()
            block = ToolUseBlock(call.id, call.name, arguments.value, extras=call.extras)
            self._pieces.append(Part(key, block, whole=True))
        elif not arguments.begun:
            self._pieces.append(Part(key, ToolUseBlock("", "", raw_input="{")))

    def _content(self, content: JsonObject, has_parts: bool) -> None:
        """What a content has beside its parts, or has in their place."""
        fields = {key: content[key] for key in content if not (has_parts and key == "parts")}
        if listed_calls(content):  # which become parts
            fields = without(fields, "functionCalls", "function_calls")
        if self._first or fields.keys() - {"parts", "role"}:
            self._meta({"content": fields})

    def _end(self, reason: Any) -> bool:
        if reason is None:
            return False
        is_unknown = reason in UNSPECIFIED or not isinstance(reason, (str, int))
        if not is_unknown:
            self._complete_call()
        if is_unknown or not isinstance(reason, str):
            self._meta({"finishReason": reason})
        if not is_unknown:
            is_word = isinstance(reason, str)
            meaning = finish_meaning(reason, REASONS) if is_word else REASONS.get(reason, "other")
            finish = Finish(meaning, str(reason))
            self._pieces.append(End(finish, self._index))
        return not is_unknown

    def _field(self, key: str, value: Json) -> None:
        """A field that nobody models, and the citations that it may hold."""
        if key in _COLLECTED and isinstance(value, dict):
            before = self._fields.get(key)
            value = {**(before or {}), **value}
            if value == before:
                return
        cited: list[tuple[Key, Citation]] = []
        if key in _CITING and value and self._texts:
            if not isinstance(value, dict):
                raise TypeError("metadata is an object")
            cited = [*citations(key, value, Texts(self._texts))]  # it may fail: before all else
        if key in _GROWING:
            self._meta({key: value}, joined=True)
        else:
            self._fields[key] = value
            self._meta({key: value})
        for text_key, citation in cited:
            mark = canonical(
                [
                    text_key,
                    citation.start,
                    citation.end,
                    citation.url,
                    citation.title,
                    citation.quote,
                ]
            )
            if mark not in self._citations:
                self._citations.add(mark)
                self._pieces.append(Part(text_key, TextBlock("", [citation])))


_BODY = {
    "candidates",
    "usageMetadata",
    "modelVersion",
    "responseId",
    "createTime",
    "promptFeedback",
    "modelStatus",
}


# what the objects of google-genai add to an answer
_SDK = {"sdkHttpResponse", "automaticFunctionCallingHistory", "parsed"}


class GeminiReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._chunks = 0
        self._fields: JsonObject = {}  # of the body, that were read already
        self._nulls: JsonObject = {}
        self._figures: list[JsonObject] = []  # that no piece has yet
        self._candidates: dict[int, CandidateReader] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one chunk, or of a whole answer; a list holds several."""
        pieces: list[Piece] = []
        if type(payload) is list:
            return [piece for chunk in payload for piece in self.feed(chunk, event)]
        candidates: Any = None
        body: Any = payload
        if "modelVersion" not in payload:
            body = _body(payload)
        self._chunks += 1
        first = self._chunks == 1
        if first:
            pieces.append(Meta(issuer=self._issuer))  # whose the parts are
            self._nulls = null_fields(payload)
        for key, value in body.items():
            if key == "candidates":
                candidates = value
            elif key == "usageMetadata" and type(value) is dict and value:
                self._figures.append(value)
            elif self._fields.get(key, _NONE) != value:
                self._field(key, value, pieces)
        if first and self._figures and _goes_on(candidates):
            # how long the prompt was: clients of others want it before anything of the answer
            pieces.append(read_usage(self._collect_figures(), self._issuer))
        entries = [*enumerate(candidates or ())]
        read = [self._candidate(entry, i).read(entry, pieces, first) for i, entry in entries]
        ended = any(read)  # none is left unread behind one that has ended
        if not candidates:
            self._no_candidates(body, candidates, pieces)
        if ended or not candidates:
            self._usage(pieces)
        return pieces

    def _candidate(self, entry: JsonObject, position: int) -> CandidateReader:
        index = entry.get("index")
        index = index if type(index) is int and index >= 0 else position
        if index not in self._candidates:
            self._candidates[index] = CandidateReader(index, self._issuer)
        return self._candidates[index]

    def finish(self) -> list[Piece]:
        """What the only chunk of a whole answer leaves open, and figures of an unended stream."""
        pieces: list[Piece] = []
        if self._chunks == 1:
            for candidate in self._candidates.values():
                candidate.whole(pieces)
            if self._nulls:
                pieces.append(Meta(self._nulls, issuer=self._issuer))
        self._usage(pieces)
        return pieces

    def _field(self, key: str, value: Json, pieces: list[Piece]) -> None:
        """What the body says of the whole answer; chunks repeat it."""
        if value is None or key in _SDK:
            return
        self._fields[key] = value
        if key == "modelVersion" and isinstance(value, str):
            pieces.append(Meta(model=value, issuer=self._issuer))
        elif key == "responseId" and isinstance(value, str):
            pieces.append(Meta(id=value, issuer=self._issuer))
        elif key == "error":
            pieces.append(Failed(provider_error({key: value})))
        else:
            pieces.append(Meta({key: value}, issuer=self._issuer))

    def _no_candidates(self, body: JsonObject, candidates: Any, pieces: list[Piece]) -> None:
        """A body without candidates: the prompt may have been blocked."""
        if candidates is not None and self._chunks == 1:
            pieces.append(Meta({"candidates": candidates}, issuer=self._issuer))
        feedback = body.get("promptFeedback")
        if isinstance(feedback, dict):
            reason = set_fields(feedback).get("blockReason")
            if reason:
                ends = [*self._candidates] or [0]
                finish = Finish("content_filter", str(reason))
                pieces += [End(finish, index) for index in ends]

    def _usage(self, pieces: list[Piece]) -> None:
        """The figures so far, the last of each kind: they are those of the whole answer."""
        figures = self._collect_figures()
        self._figures = []
        if figures:
            pieces.append(read_usage(figures, self._issuer))

    def _collect_figures(self) -> JsonObject:
        """The figures that no piece of the end has yet."""
        figures: JsonObject = {}
        for data in self._figures:
            fields = camel_keys(data)
            figures |= {key: n for key, n in fields.items() if n is not None or key not in figures}
        return figures


def _goes_on(candidates: Any) -> bool:
    """Whether a chunk is not the last of its answer."""
    return bool(candidates) and not any(
        isinstance(entry, dict) and (entry.get("finishReason") or entry.get("finish_reason"))
        for entry in candidates
    )


def _body(payload: Any) -> JsonObject:
    """A body in camelCase. Raises LookupError for what is none."""
    body = set_fields(payload)
    marked = "candidates" in body or "promptFeedback" in body or "error" in body
    if not marked and (body.keys() - _BODY or not body):
        raise LookupError("no answer of generateContent")
    return body
