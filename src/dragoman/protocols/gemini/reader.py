"""Arguments that arrive leaf by leaf, each under its JSONPath, texts in pieces.

Reference: Gemini API in Google Cloud, "Function calling", `streamFunctionCallArguments`:
`partialArgs` with `jsonPath`, one of `stringValue`, `numberValue`, `boolValue`, `nullValue`, and
`willContinue`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject, canonical
from ..._core.stream.pieces import End, Failed, Key, Meta, Part, Piece, fault
from ...message import Citation, Finish, TextBlock, ThinkingBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from .answer import REASONS, UNSAID, usage
from .blocks import block_of, undressed
from .dialect import Dialect, camel, nulls, plain

_Path: TypeAlias = tuple[str | int, ...]


_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")


_ESCAPED = re.compile(r"\\(.)")


_DEEPEST = 200  # steps of a path


_VALUES = ("stringValue", "numberValue", "boolValue")


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
        self._quiet = False  # leaves came in no order that text could follow
        self._said: set[_Path] = set()

    def add(self, pieces: list[Any]) -> str:
        """The JSON text that the pieces add. Raises ValueError or TypeError for a strange one."""
        if self.broken:
            return ""
        self.broken = True
        made = "".join([self._piece(plain(piece)) for piece in pieces])
        self.broken = False
        made = "" if self._quiet else made
        self.begun = self.begun or bool(made)
        return made

    def close(self) -> None:
        """Nothing more will come: a text that goes on ends."""
        self._ended()

    def _piece(self, piece: JsonObject) -> str:
        path = _steps(piece["jsonPath"])
        on = bool(piece.get("willContinue"))
        value: Json = next((piece[key] for key in _VALUES if key in piece), None)
        if self._string is not None and path == self._path and type(value) is str:
            self._string.append(value)
            return _inner(value) + ("" if on else self._ended())
        made = self._ended() + self._opened(path)
        self._path = path
        if type(value) is str and on:
            self._put(path, "")
            self._string = [value]
            return f'{made}"{_inner(value)}'
        self._put(path, value)
        return made + json.dumps(value)

    def _ended(self) -> str:
        if self._string is None:
            return ""
        self._put(self._path, "".join(self._string))
        self._string = None
        return '"'

    def _opened(self, path: _Path) -> str:
        """The brackets, commas and keys between the last leaf and this one."""
        old = self._path
        most = min(len(old), len(path)) - 1
        same = next((at for at in range(most) if old[at] != path[at]), max(most, 0))
        step = path[same]
        next_one = old[same] + 1 if old and type(old[same]) is int else 0  # type: ignore[operator]  # an int
        rest = path[same + 1 :]
        straight = (type(step) is str or step == next_one) and not any(
            type(one) is int and one for one in rest
        )
        self._quiet = self._quiet or path[: same + 1] in self._said or not straight
        self._said.update(path[: at + 1] for at in range(same, len(path)))
        made = ["]" if type(old[at]) is int else "}" for at in range(len(old) - 1, same, -1)]
        made.append("," if old else "{")
        for at in range(same, len(path)):
            inside = "" if at == same else "[" if type(path[at]) is int else "{"
            made.append(inside + (f"{json.dumps(path[at])}:" if type(path[at]) is str else ""))
        return "".join(made)

    def _put(self, path: _Path, value: Json) -> None:
        here: Any = self.value
        for step, then in pairwise(path):
            here = _entered(here, step, [] if type(then) is int else {})
        if type(path[-1]) is int and path[-1] < len(here):
            here[path[-1]] = value
        else:
            _entered(here, path[-1], value, anew=True)


def _entered(here: Any, step: str | int, fresh: Any, anew: bool = False) -> Any:
    """What stands at `step`, put there if nothing does. Raises ValueError where it cannot."""
    if type(step) is int and type(here) is list and step <= len(here):
        if step == len(here):
            here.append(fresh)
        return here[step]
    if type(step) is str and type(here) is dict:
        if anew:
            here[step] = fresh
        return here.setdefault(step, fresh)
    raise ValueError("a path that leads nowhere")


def _steps(path: Any) -> _Path:
    if not isinstance(path, str) or not path.startswith("$"):
        raise ValueError("no JSONPath")
    made: list[str | int] = []
    at = 1
    while at < len(path) and len(made) <= _DEEPEST:
        found = _STEP.match(path, at)
        if found is None:
            raise ValueError("an unknown JSONPath")
        name, index, single, double = found.groups()
        quoted = single if single is not None else double
        if index is not None:
            made.append(int(index))
        else:
            made.append(name if quoted is None else _ESCAPED.sub(r"\1", quoted))
        at = found.end()
    if not 0 < len(made) <= _DEEPEST or type(made[0]) is int:
        raise ValueError("arguments are an object")
    return tuple(made)


def _inner(text: str) -> str:
    return json.dumps(text)[1:-1]


_SOURCES = ("web", "retrievedContext", "maps", "image")


class Texts:
    """The texts of one candidate, block by block, as they stand when somebody cites them."""

    def __init__(self, blocks: list[tuple[Key, list[str]]]) -> None:
        texts = [(key, "".join(said)) for key, said in blocks]
        self.whole = "".join(text for _, text in texts)
        self._blocks: list[tuple[int, int, Key]] = []  # where each begins and ends
        at = 0
        for key, text in texts:
            self._blocks.append((at, at + len(text), key))
            at += len(text)

    def characters(self, offsets: set[int]) -> dict[int, int]:
        """Offsets in bytes -> in characters; one pass for all of them."""
        if self.whole.isascii():
            return {at: at for at in offsets if at <= len(self.whole)}
        data = self.whole.encode("utf-8", "surrogatepass")
        found: dict[int, int] = {}
        before = count = 0
        for at in sorted(offsets):
            if at > len(data):
                break
            count += len(data[before:at].decode("utf-8", "ignore"))
            found[at], before = count, at
        return found

    def spans(self, start: int, end: int) -> Iterator[tuple[Key, int, int]]:
        """(block, from, to) for each block that the span touches."""
        first = bisect_right(self._blocks, start, key=lambda one: one[0]) - 1
        for begin, over, key in self._blocks[max(first, 0) :]:
            if begin >= end:
                break
            if max(start, begin) < min(end, over):
                yield key, max(start, begin) - begin, min(end, over) - begin

    @property
    def last(self) -> Key:
        """The last block."""
        return self._blocks[-1][2]


def cited(told: JsonObject, texts: Texts) -> Iterator[tuple[Key, Citation]]:
    """(block, citation) for each source of each segment that grounding supports."""
    told = plain(told)
    chunks = [plain(one) for one in told.get("groundingChunks") or ()]
    supports = [plain(one) for one in told.get("groundingSupports") or ()]
    segments = [plain(one.get("segment") or {}) for one in supports]
    places = texts.characters({at for one in segments for at in _offsets(one)})
    for support, segment in zip(supports, segments, strict=True):
        span = _span(segment, texts, places)
        indices = support.get("groundingChunkIndices") or ()
        sources = [_source(chunks[at]) for at in indices if 0 <= at < len(chunks)]
        yield from _placed(span, sources or [Citation()], texts)


def recited(told: JsonObject, texts: Texts) -> Iterator[tuple[Key, Citation]]:
    """(block, citation) for each source that the model recites."""
    told = plain(told)
    listed = told.get("citationSources") or told.get("citations") or ()
    sources = [plain(one) for one in listed]
    places = texts.characters({at for one in sources for at in _offsets(one)})
    for one in sources:
        made = Citation(url=_word(one.get("uri")), title=_word(one.get("title")))
        yield from _placed(_span(one, texts, places), [made], texts)


def _placed(
    span: tuple[int, int] | None, sources: list[Citation], texts: Texts
) -> Iterator[tuple[Key, Citation]]:
    where = list(texts.spans(*span)) if span is not None else []
    for one in sources:
        for key, start, end in where:
            yield key, Citation(start, end, one.url, one.title, one.quote)
        if not where:
            yield texts.last, one


def _offsets(segment: JsonObject) -> tuple[int, int]:
    start, end = segment.get("startIndex", 0), segment.get("endIndex", 0)
    if type(start) is not int or type(end) is not int or start < 0:
        raise TypeError("offsets are whole numbers")
    return start, end


def _span(segment: JsonObject, texts: Texts, places: dict[int, int]) -> tuple[int, int] | None:
    """From and to in characters; None if the answer does not say, or says another text."""
    start, end = _offsets(segment)
    text = _word(segment.get("text"))
    if start in places and end in places and start < end:
        span = places[start], places[end]
        if not text or texts.whole[slice(*span)] == text:
            return span
    at = texts.whole.find(text) if text else -1  # counted otherwise, but it says what it means
    return None if text is None or at < 0 else (at, at + len(text))


def _source(chunk: JsonObject) -> Citation:
    told = plain(next((chunk[key] for key in _SOURCES if isinstance(chunk.get(key), dict)), {}))
    url = _word(told.get("uri")) or _word(told.get("sourceUri"))
    return Citation(url=url, title=_word(told.get("title")), quote=_word(told.get("text")))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


# fields that grow from chunk to chunk, and those of which each chunk may know a part
_GROWING = ("citationMetadata", "logprobsResult")


_FILLED = ("groundingMetadata", "urlContextMetadata")


_ARRIVING = ("partialArgs", "willContinue")


_NONE = object()


class _Call:
    """A call whose arguments arrive leaf by leaf."""

    __slots__ = ("arguments", "block", "key")

    def __init__(self, key: Key, block: ToolUseBlock) -> None:
        self.key = key
        self.block = block
        self.arguments = Arguments()


class Candidate:
    """Reads what chunks say of one candidate."""

    def __init__(self, index: int, issuer: str) -> None:
        self._index = index
        self._issuer = issuer
        self._count = 0  # of blocks
        self._open: type[ContentBlock] | None = None  # of the text that may go on
        self._key: Key = ()
        self._texts: list[tuple[Key, list[str]]] = []  # what may be cited
        self._call: _Call | None = None
        self._held: list[Part] = []  # empty texts: a whole answer has them, a stream does not
        self._nulls: JsonObject = {}
        self._seen: JsonObject = {}
        self._cited: set[str] = set()

    def read(self, told: JsonObject, made: list[Piece], first: bool) -> bool:
        """Append the pieces of one entry of `candidates`; whether it says how it ended."""
        content = told.get("content")
        index = told.get("index")
        if index is not None and self._seen.get("index", _NONE) != index:
            self._aside("index", index, made)
        if content is not None:
            parts = content.get("parts")
            if not parts or len(content) != 2 or content.get("role") != "model":
                self._content(content, bool(parts), made, first)
            if parts:
                self._parts(parts if type(parts) is list else [parts], made, first)
        if len(told) == (content is not None) + (index is not None):
            return False
        if first and None in told.values():
            self._nulls = nulls(told)
        told = plain(told)
        for key, value in told.items():
            if key not in ("content", "finishReason") and self._seen.get(key, _NONE) != value:
                self._aside(key, value, made)
        return self._ended(told.get("finishReason"), made)

    def whole(self, made: list[Piece]) -> None:
        """What stands in a whole answer only: texts that say nothing, and nulls."""
        made += self._held
        self._held = []
        if self._nulls:
            made.append(Meta(self._nulls, self._index, issuer=self._issuer))

    def _parts(self, parts: list[Any], made: list[Piece], first: bool) -> None:
        if len(parts) == 1 == len(parts[0]) and type(text := parts[0].get("text")) is str:
            self._text(TextBlock, text, made, first)  # most of a stream
            return
        lengths: list[int] = []  # of neighbours that become one text, for a whole answer has them
        start = len(made)
        for part in parts:
            text = part.get("text")
            thought = part.get("thought") is True
            if type(text) is not str or len(part) != 1 + thought:
                self._cut(made, start, lengths)
                self._other(part, made)
                start, lengths = len(made), []
                continue
            kind = ThinkingBlock if thought else TextBlock
            if kind is not self._open and lengths:
                self._cut(made, start, lengths)
                start, lengths = len(made), []
            self._text(kind, text, made, first)
            if first:
                lengths.append(len(text))
        self._cut(made, start, lengths)

    def _cut(self, made: list[Piece], start: int, lengths: list[int]) -> None:
        """Note in the first of neighbouring texts where the parts of this chunk ended."""
        if len(lengths) < 2:
            return
        piece = made[start] if start < len(made) else self._held[-1]
        if type(piece) is Part:
            note = type(piece.block)("", spelling=" ".join(map(str, lengths)))  # type: ignore[call-arg, arg-type]  # a text
            self._held.append(Part(piece.key, note))

    def _text(
        self, kind: type[TextBlock | ThinkingBlock], text: str, made: list[Piece], first: bool
    ) -> None:
        """More of the text that is open, or a new one; nothing opens none."""
        if self._open is not kind:
            if not (text or first):
                return
            self._next()
            self._open = kind
            if kind is TextBlock:
                self._texts.append((self._key, []))
            if not text:
                self._held.append(Part(self._key, kind("")))
        if text:
            if kind is TextBlock:
                self._texts[-1][1].append(text)
            made.append(Part(self._key, kind(text)))

    def _next(self) -> Key:
        self._key = (self._index, self._count)
        self._count += 1
        self._open = None
        return self._key

    def _other(self, part: JsonObject, made: list[Piece]) -> None:
        """A part that is more than text: a block of its own, or more of the call that is open."""
        told = undressed(part)
        call = told.get("functionCall")
        said = plain(call) if call is not None else {}
        if call is not None and "name" not in said and "args" not in said:
            self._more(said, made)
            return
        if self._call is not None:
            self._complete(made)
        going = said.get("willContinue") or "partialArgs" in said
        if going or "willContinue" in said:  # how it arrives is over when it is whole
            begun = {name: value for name, value in said.items() if name not in _ARRIVING}
            told = {**told, "functionCall": begun}
        block = block_of(told, self._issuer)
        key = self._next()
        made.append(Part(key, block))
        if type(block) is TextBlock:
            self._texts.append((key, [block.text]))
        if type(block) is ToolUseBlock and going and "args" not in said:
            block.spelling = None  # it is not told yet that it has no arguments
            self._call = _Call(key, block)
            self._more(said, made)

    def _more(self, said: JsonObject, made: list[Piece]) -> None:
        """More arguments of the call that is open, or its end."""
        call = self._call
        if call is None:
            if said.get("partialArgs"):
                raise ValueError("arguments of no call")
            return  # the end of a call that has ended
        text = call.arguments.add(said.get("partialArgs") or [])
        if text:
            made.append(Part(call.key, ToolUseBlock("", "", raw_input=text)))
        if not said.get("willContinue"):
            self._complete(made)

    def _complete(self, made: list[Piece]) -> None:
        """The call with its arguments as a value; half of one stays text that breaks off."""
        call, self._call = self._call, None
        if call is None:
            return
        if call.arguments.broken:
            if not call.arguments.begun:
                made.append(Part(call.key, ToolUseBlock("", "", raw_input="{")))
            return
        call.arguments.close()
        old = call.block
        block = ToolUseBlock(old.id, old.name, call.arguments.value, extras=old.extras)
        made.append(Part(call.key, block, whole=True))

    def _content(self, content: JsonObject, said: bool, made: list[Piece], first: bool) -> None:
        """What a content has beside its parts, or has in their place."""
        rest = {key: value for key, value in content.items() if not (said and key == "parts")}
        if first or rest.keys() - {"parts", "role"}:
            made.append(Meta({"content": rest}, self._index, issuer=self._issuer))

    def _ended(self, reason: Any, made: list[Piece]) -> bool:
        if reason is None:
            return False
        if reason in UNSAID or not isinstance(reason, (str, int)):
            made.append(Meta({"finishReason": reason}, self._index, issuer=self._issuer))
            return False
        self._complete(made)
        if not isinstance(reason, str):
            made.append(Meta({"finishReason": reason}, self._index, issuer=self._issuer))
        made.append(End(Finish(REASONS.get(reason, "other"), str(reason)), self._index))
        return True

    def _aside(self, key: str, value: Json, made: list[Piece]) -> None:
        """Fields that nobody models, and the citations that some of them hold."""
        if key in _GROWING:
            made.append(Meta({key: value}, self._index, joined=True, issuer=self._issuer))
        else:
            if key in _FILLED and isinstance(value, dict):
                known = self._seen.get(key)
                value = {**(known or {}), **value}
                if value == known:
                    return
            self._seen[key] = value
            made.append(Meta({key: value}, self._index, issuer=self._issuer))
        if key in ("groundingMetadata", "citationMetadata") and value and self._texts:
            if not isinstance(value, dict):
                raise TypeError("metadata is an object")
            find = cited if key == "groundingMetadata" else recited
            for where, citation in find(value, Texts(self._texts)):
                mark = canonical([where, citation.start, citation.end, citation.url,
                                  citation.title, citation.quote])  # fmt: skip
                if mark not in self._cited:
                    self._cited.add(mark)
                    made.append(Part(where, TextBlock("", [citation])))


_BODY = {"candidates", "usageMetadata", "modelVersion", "responseId", "createTime",
         "promptFeedback", "modelStatus"}  # fmt: skip


# what the objects of google-genai add to an answer
_SDK = {"sdkHttpResponse", "automaticFunctionCallingHistory", "parsed"}


class GeminiReader:
    """Reads one answer."""

    def __init__(self, dialect: Dialect) -> None:
        self._issuer = dialect.issuers[0]
        self._chunks = 0
        self._seen: JsonObject = {}  # fields of the body that were told already
        self._nulls: JsonObject = {}
        self._spent: list[JsonObject] = []  # figures that nobody has been told yet
        self._candidates: dict[int, Candidate] = {}

    def feed(self, payload: Json, event: str | None = None) -> list[Piece]:
        """The pieces of one chunk, or of a whole answer; a list holds several."""
        made: list[Piece] = []
        if type(payload) is list:
            for one in payload:
                made += self.feed(one, event)
            return made
        candidates: Any = None
        seen = self._seen
        told: Any = payload
        if "modelVersion" not in payload:
            payload = _body(payload)
        self._chunks += 1
        if self._chunks == 1:
            made.append(Meta(issuer=self._issuer))  # whose the parts are
            self._nulls = nulls(told)
        for key, value in payload.items():
            if key == "candidates":
                candidates = value
            elif key == "usageMetadata" and type(value) is dict and value:
                self._spent.append(value)
            elif seen.get(key, _NONE) != value:
                self._told(key, value, made)
        ended = False
        for nth, one in enumerate(candidates or ()):
            ended = self._candidate(one, nth).read(one, made, self._chunks == 1) or ended
        if not candidates:
            self._without(payload, candidates, made)
        if ended or not candidates:
            self._spend(made)
        return made

    def _candidate(self, told: JsonObject, nth: int) -> Candidate:
        index = told.get("index")
        at = index if type(index) is int and index >= 0 else nth
        candidate = self._candidates.get(at)
        if candidate is None:
            candidate = self._candidates[at] = Candidate(at, self._issuer)
        return candidate

    def finish(self) -> list[Piece]:
        """What the only chunk of a whole answer leaves open, and figures of an unended stream."""
        made: list[Piece] = []
        if self._chunks == 1:
            for candidate in self._candidates.values():
                candidate.whole(made)
            if self._nulls:
                made.append(Meta(self._nulls, issuer=self._issuer))
        self._spend(made)
        return made

    def _told(self, key: str, value: Json, made: list[Piece]) -> None:
        """What the body says of the whole answer; chunks repeat it."""
        if value is None or key in _SDK:
            return
        self._seen[key] = value
        if key == "modelVersion" and isinstance(value, str):
            made.append(Meta(model=value, issuer=self._issuer))
        elif key == "responseId" and isinstance(value, str):
            made.append(Meta(id=value, issuer=self._issuer))
        elif key == "error":
            made.append(Failed(fault({key: value})))
        else:
            made.append(Meta({key: value}, issuer=self._issuer))

    def _without(self, payload: JsonObject, candidates: Any, made: list[Piece]) -> None:
        """A body without candidates: the prompt may have been blocked."""
        if candidates is not None and self._chunks == 1:
            made.append(Meta({"candidates": candidates}, issuer=self._issuer))
        feedback = payload.get("promptFeedback")
        if isinstance(feedback, dict):
            reason = plain(feedback).get("blockReason")
            if reason and not self._candidates:
                made.append(End(Finish("content_filter", str(reason))))

    def _spend(self, made: list[Piece]) -> None:
        """The figures so far, each the last that was said: they are told of the whole answer."""
        spent: JsonObject = {}
        for told in self._spent:
            said = camel(told)
            spent |= {key: n for key, n in said.items() if n is not None or key not in spent}
        self._spent = []
        if spent:
            made.append(usage(spent, self._issuer))


def _body(payload: Any) -> JsonObject:
    """A body in camelCase. Raises LookupError for what is none."""
    told = plain(payload)
    if not ("candidates" in told or "promptFeedback" in told or "error" in told):
        strange = told.keys() - _BODY
        if strange or not told:
            raise LookupError("no answer of generateContent")
    return told
