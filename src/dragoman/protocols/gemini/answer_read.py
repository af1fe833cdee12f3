"""Reads answers and streams of generateContent: chunks become pieces.

Texts arrive in pieces, arguments of calls as a whole or leaf by leaf (`streamed_arguments`).
Citations refer to bytes of all texts of a candidate (`citations`). Fields without a node are sent
as fields of the answer or of a candidate.

Reference: Gemini API, "GenerateContentResponse" and "GroundingMetadata"; Gemini API in Google
Cloud, "Function calling", `streamFunctionCallArguments`: `partialArgs` with `jsonPath`, one of
`stringValue`, `numberValue`, `boolValue`, `nullValue`, and `willContinue`.
"""

from __future__ import annotations

from typing import Any

from ...message import Citation, Finish, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...stream.pieces import End, Failed, Key, Meta, Part, Piece, provider_error
from ...text.json_text import Json, JsonObject, canonical
from ..chat_like.messages import without
from ..shared_finish_words import finish_meaning
from .blocks import api_part, listed_calls, read_block
from .citations import Texts, citations
from .dialect import Dialect, camel_keys, null_fields, set_fields
from .finish_reasons import REASONS, UNSPECIFIED
from .streamed_arguments import Arguments
from .usage import read_usage

# fields that grow from chunk to chunk, and those that come in parts in several chunks
_GROWING = ("citationMetadata", "logprobsResult")
_COLLECTED = ("groundingMetadata", "urlContextMetadata")
_CITING = ("groundingMetadata", "citationMetadata")
_NONE = object()


class CandidateReader:
    """Reads the parts and fields of one candidate from the chunks."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._count = 0  # of blocks
        self._open: type[ContentBlock] | None = None  # of the text that may continue
        self._key: Key = ()
        self._texts: list[tuple[Key, list[str]]] = []  # the texts that may be cited
        # the call that arrives leaf by leaf
        self._call: tuple[Key, ToolUseBlock, Arguments] | None = None
        self._empty: list[Part] = []  # empty texts, which a whole answer has and a stream does not
        self._nulls: JsonObject = {}
        self._fields: JsonObject = {}  # fields that were read already
        self._pieces: list[Piece] = []  # of the current chunk, which may be the first one
        self._first = False
        self._citations: set[str] = set()

    def read(self, entry: JsonObject, pieces: list[Piece], first: bool) -> bool:
        """Append the pieces of one entry of `candidates`; return whether it has a finish reason."""
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
        """Add what only a whole answer has: empty texts, and nulls."""
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
        lengths: list[int] = []  # of adjacent texts that become one, which a whole answer has
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
        """Note in the first of adjacent texts where the parts of this chunk ended."""
        if len(lengths) < 2:
            return
        piece = self._pieces[start] if start < len(self._pieces) else self._empty[-1]
        if type(piece) is Part:
            note = type(piece.block)("", spelling=" ".join(map(str, lengths)))  # type: ignore[call-arg, arg-type]  # a text
            self._empty.append(Part(piece.key, note))

    def _text(self, kind: type[TextBlock | ThinkingBlock], text: str) -> None:
        """Add text to the open one, or begin a new one; an empty text begins none."""
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
        """Read a part that is more than text: a block, or more of the open call."""
        part = api_part(data)
        call = part.get("functionCall")
        fields = set_fields(call) if call is not None else {}
        if call is not None and "name" not in fields and "args" not in fields:
            # no call of these arguments has begun
            if self._call is None and fields.get("partialArgs"):
                self._complete_call()
                self._pieces.append(Part(self._next_key(), RawBlock(self._issuer, data)))
                return
            self._continue_call(fields)
            return
        self._complete_call()
        arrives = fields.get("willContinue") or "partialArgs" in fields
        # these fields have no meaning once the call is complete
        if arrives or "willContinue" in fields:
            over = ("willContinue",) if "args" in fields else ("partialArgs", "willContinue")
            part = {**part, "functionCall": without(fields, *over)}
        block = read_block(part, self._issuer)
        key = self._next_key()
        self._pieces.append(Part(key, block))
        if type(block) is TextBlock:
            self._texts.append((key, [block.text]))
        if type(block) is ToolUseBlock and arrives and "args" not in fields:
            block.spelling = None  # whether it has no arguments is not known yet
            self._call = key, block, Arguments()
            self._continue_call(fields)

    def _continue_call(self, fields: JsonObject) -> None:
        """Read more arguments of the open call, or its end."""
        if self._call is None:
            return  # the end of a call that has ended already
        key, _, arguments = self._call
        if text := arguments.add(fields.get("partialArgs") or []):
            self._pieces.append(Part(key, ToolUseBlock("", "", raw_input=text)))
        if not fields.get("willContinue"):
            self._complete_call()

    def _complete_call(self) -> None:
        """Return the call with its arguments as a value; incomplete ones remain as text."""
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
        """Read the fields of a content beside its parts, or without any parts."""
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
        """Read a field that no node can hold, and the citations in it."""
        if key in _COLLECTED and isinstance(value, dict):
            before = self._fields.get(key)
            value = {**(before or {}), **value}
            if value == before:
                return
        cited: list[tuple[Key, Citation]] = []
        if key in _CITING and value and self._texts:
            if not isinstance(value, dict):
                raise TypeError("metadata is an object")
            cited = [*citations(key, value, Texts(self._texts))]  # this may fail, so it comes first
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


# fields that the objects of google-genai add to an answer
_SDK = {"sdkHttpResponse", "automaticFunctionCallingHistory", "parsed"}


class GeminiReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.reads_items_of[0]
        self._chunks = 0
        self._fields: JsonObject = {}  # fields of the body that were read already
        self._nulls: JsonObject = {}
        self._figures: list[JsonObject] = []  # figures that no piece has carried yet
        self._candidates: dict[int, CandidateReader] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """Return the pieces of one chunk, of a list of chunks, or of a whole answer."""
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
            pieces.append(Meta(issuer=self._issuer))  # the issuer of the parts
            self._nulls = null_fields(payload)
        for key, value in body.items():
            if key == "candidates":
                candidates = value
            elif key == "usageMetadata" and type(value) is dict and value:
                self._figures.append(value)
            elif self._fields.get(key, _NONE) != value:
                self._field(key, value, pieces)
        if first and self._figures and _goes_on(candidates):
            # the length of the prompt, which clients of other wires expect first
            pieces.append(read_usage(self._collect_figures(), self._issuer))
        entries = [*enumerate(candidates or ())]
        read = [self._candidate(entry, i).read(entry, pieces, first) for i, entry in entries]
        ended = any(read)  # after the end of one candidate, the others are still read
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
        """Return what the only chunk of a whole answer leaves open, and figures without an end."""
        pieces: list[Piece] = []
        if self._chunks == 1:
            for candidate in self._candidates.values():
                candidate.whole(pieces)
            if self._nulls:
                pieces.append(Meta(self._nulls, issuer=self._issuer))
        self._usage(pieces)
        return pieces

    def _field(self, key: str, value: Json, pieces: list[Piece]) -> None:
        """Read a field about the whole answer, which chunks repeat."""
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
        """Read a body without candidates: the prompt may have been blocked."""
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
        """Read the figures so far; the last ones of each kind are those of the whole answer."""
        figures = self._collect_figures()
        self._figures = []
        if figures:
            pieces.append(read_usage(figures, self._issuer))

    def _collect_figures(self) -> JsonObject:
        """Return the figures that no piece has carried yet."""
        figures: JsonObject = {}
        for data in self._figures:
            fields = camel_keys(data)
            figures |= {key: n for key, n in fields.items() if n is not None or key not in figures}
        return figures


def _goes_on(candidates: Any) -> bool:
    """Whether a chunk is not the last one of its answer."""
    return bool(candidates) and not any(
        isinstance(entry, dict) and (entry.get("finishReason") or entry.get("finish_reason"))
        for entry in candidates
    )


def _body(payload: Any) -> JsonObject:
    """Return a body in camelCase.

    Raises:
        LookupError: If the payload is no body.
    """
    body = set_fields(payload)
    marked = "candidates" in body or "promptFeedback" in body or "error" in body
    if not marked and (body.keys() - _BODY or not body):
        raise LookupError("no answer of generateContent")
    return body
