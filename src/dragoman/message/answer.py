"""ChatResponse and its parts: candidates, usage, why the answer stopped; and the joining of parts.

`total` joins the streamed parts of a block: texts are concatenated, of everything else the latest
value counts.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Literal, TypeAlias, final

from ..errors import ProviderError
from ..suggestions.import_names import OF_USAGE, explains_attributes
from ..text.redaction import Shown
from .blocks import (
    ContentBlock,
    Extras,
    HasExtras,
    TextBlock,
    ToolUseBlock,
    joint_calls,
)
from .client_tools import call_within
from .logprobs import Logprob, tokens_within
from .media import Base64Source
from .msg import Msg
from .sources import AnswerSource, collect_sources

FinishReason: TypeAlias = Literal[
    "stop",
    "length",
    "tool_calls",
    "content_filter",
    "refusal",
    "pause",
    "context_overflow",
    "malformed_call",
    "error",
    "other",
]


Status: TypeAlias = Literal["complete", "truncated", "interrupted", "error"]


@dataclass(frozen=True, slots=True, repr=False)
class Finish(Shown):
    """Why the model stopped, and the provider's own word for it.

    Attributes:
        reason: The reason, in words that are the same for every provider.
        raw: The provider's word, None if it gave none.
    """

    reason: FinishReason = "stop"
    raw: str | None = None


@explains_attributes(OF_USAGE)
@final
@dataclass(slots=True, repr=False)
class Usage(HasExtras, Shown):
    """Token counts, disjoint: `input` without cached tokens, `output` with reasoning.

    None means that a count is not known.

    Attributes:
        input: Tokens of the request that were not in the cache.
        cache_read: Tokens of the request that were read from the cache.
        cache_write: Tokens of the request that were written to the cache.
        output: Tokens of the answer, reasoning included.
        reasoning: The part of `output` that is reasoning.
        audio_in: The part of the request that is audio.
        audio_out: The part of `output` that is audio.
        total: The provider's total.
        extras: Fields that only one provider has.
    """

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    audio_in: int | None = None
    audio_out: int | None = None
    total: int | None = None
    extras: Extras | None = None

    def __add__(self, other: Usage) -> Usage:
        """Add the counts of two answers; a count that only one of them has is taken from that one.

        >>> Usage(input=3, output=1) + Usage(input=4)
        Usage(input=7, output=1)
        """
        if not isinstance(other, Usage):
            return NotImplemented
        figures = {}
        for name in _FIGURES:
            one, two = getattr(self, name), getattr(other, name)
            figures[name] = two if one is None else one if two is None else one + two
        return Usage(**figures)

    def __radd__(self, other: object) -> Usage:
        """Support `sum(usages)`, which begins at 0."""
        return replace(self) if other == 0 else NotImplemented


_FIGURES = tuple(f.name for f in fields(Usage) if f.name != "extras")


def join_usages(usages: Sequence[Usage]) -> Usage:
    """Return the usage of an answer that took several requests, with the figures of its extras.

    Costs may depend on the latter, such as the number of searches: `+` leaves them out.
    """
    if len(usages) == 1:
        return usages[0]
    joined = sum(usages, Usage())
    joined.extras = _add_figures([usage.extras for usage in usages if usage.extras]) or None
    return joined


def _add_figures(values: Sequence[Any]) -> Any:
    """Add numbers, at any depth of objects; lists are concatenated, of others the last counts."""
    if all(isinstance(value, dict) for value in values):
        names = dict.fromkeys(name for value in values for name in value)
        return {name: _add_figures([v[name] for v in values if name in v]) for name in names}
    if all(isinstance(value, (int, float)) and value is not True for value in values):
        return sum(values)
    if all(isinstance(value, list) for value in values):
        return _lists([*values])
    return next((value for value in reversed(values) if value is not None), None)


@dataclass(slots=True, repr=False)
class Candidate(HasExtras, Shown):
    """One of the answers to a request.

    Attributes:
        msg: The message.
        finish: Why the model stopped.
        extras: Fields that only one provider has.
    """

    msg: Msg
    finish: Finish = field(default_factory=Finish)
    extras: Extras | None = None

    @property
    def logprobs(self) -> list[Logprob]:
        """The probability of each token of the text, in order; empty if it is not reported."""
        found = tokens_within(self.extras)
        return found or [one for block in self.msg.blocks for one in tokens_within(block.extras)]

    @property
    def sources(self) -> list[AnswerSource]:
        """The pages and documents that the answer cites, or that its searches found, each once."""
        return collect_sources(self.msg.blocks, self.msg.extras, self.extras)


@dataclass(slots=True, repr=False)
class ChatResponse(HasExtras, Shown):
    """An answer: its candidates, its usage, and whether it is complete.

    Attributes:
        candidates: The candidates; most requests ask for one.
        usage: The tokens of all of them.
        status: `complete`, `truncated` (cut by a limit), `interrupted` (the stream broke off) or
            `error`, with the error in `error`.
        model: The model that answered, as the provider names it.
        id: The provider's id of the answer.
        extras: Fields that only one provider has.
        error: The provider's error, None if there is none.
    """

    candidates: list[Candidate]
    usage: Usage = field(default_factory=Usage)
    status: Status = "complete"
    model: str | None = None
    id: str | None = None
    extras: Extras | None = None
    error: ProviderError | None = field(default=None, compare=False)

    @property
    def msg(self) -> Msg:
        """The message of the first candidate."""
        return self.candidates[0].msg

    @property
    def finish(self) -> Finish:
        """Why the first candidate stopped."""
        return self.candidates[0].finish

    @property
    def text(self) -> str:
        """The text of the first candidate; adjacent text blocks are joined without a separator."""
        runs = groupby(self.msg.blocks, type)
        texts = ["".join(b.text for b in run if type(b) is TextBlock) for _, run in runs]
        return "\n".join(text for text in texts if text)

    @property
    def logprobs(self) -> list[Logprob]:
        """The probability of each token of the first candidate's text; empty if not reported."""
        first = self.candidates[0].logprobs if self.candidates else []
        return first or tokens_within(self.extras)

    @property
    def sources(self) -> list[AnswerSource]:
        """The pages and documents that the first candidate is based on, each once.

        These are the cited ones, with the quoted texts, and those that were only found by a search
        of the provider.
        """
        first = self.candidates[0]
        return collect_sources(first.msg.blocks, first.msg.extras, first.extras, self.extras)

    @property
    def calls(self) -> list[ToolUseBlock]:
        """The tool calls of the first candidate that may be run, in order.

        They include calls of a form that only one API has, such as `shell_call`: the name of such a
        call is its kind, and the result `Msg.tool(call.id, ...)` after the answer is written in its
        form. A call of `multi_tool_use.parallel`, which some models invent, is replaced by the
        calls that it contains.
        """
        blocks = self.msg.blocks
        calls = [b if type(b) is ToolUseBlock else call_within(b) for b in blocks]
        runnable = (call for call in calls if call is not None and not call.unfinished)
        return [single for call in runnable for single in joint_calls(call)]


def total(parts: Sequence[ContentBlock]) -> ContentBlock:
    """Join parts of one block, all of one kind, into the block.

    >>> total([TextBlock("Sama"), TextBlock("rkand")]).text
    'Samarkand'
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    result = replace(first)
    for f in fields(result):
        values = list(map(attrgetter(f.name), parts))
        changes = values.count(values[0]) < len(values)
        if changes or (f.name in _SUMS and f.name != "extras"):
            texts = [value for value in values if value is not None and value not in ("", {}, [])]
            sum_of = _SUMS.get(f.name, _first)
            setattr(result, f.name, sum_of(texts) if texts else values[0])
    if type(result) is ToolUseBlock:
        result.name = _call_name(parts)
    return result


def behind(text: TextBlock, length: int) -> TextBlock:
    """Shift the citations of a text by `length` characters, the length of the text before it."""
    if not text.citations or not length:
        return text
    return replace(
        text,
        citations=[
            replace(
                one,
                start=None if one.start is None else one.start + length,
                end=None if one.end is None else one.end + length,
            )
            for one in text.citations
        ],
    )


def goes_on_in(earlier: ContentBlock, later: ContentBlock) -> bool:
    """Return whether the last text of one body and the first of the next are one text."""
    return type(earlier) is TextBlock and type(later) is TextBlock and not earlier.extras


_first = itemgetter(0)
_name = attrgetter("name")


def _source(sources: list[Any]) -> Any:
    """Join media that came in pieces: each piece is base64 of its own, or a part of one text."""
    pieces = [item for item in sources if type(item) is Base64Source]
    if len(pieces) < 2 or len(pieces) < len(sources):
        return sources[-1]
    return replace(pieces[0], data=_base64([piece.data for piece in pieces]), uri=None)


def _lists(values: list[Any]) -> list[Any]:
    return [item for value in values for item in value]


def _base64(pieces: list[str]) -> str:
    if all(len(piece) % 4 == 0 and not piece.endswith("=") for piece in pieces[:-1]):
        return "".join(pieces)
    try:
        return b64encode(b"".join(b64decode(piece, validate=True) for piece in pieces)).decode()
    except (Error, ValueError):
        return "".join(pieces)  # one text, cut at any place


def latest(extras: Sequence[Extras]) -> Extras:
    """Merge the extras of several parts; of each field, the last value counts."""
    result: Extras = {}
    copied: set[str] = set()  # issuers whose fields were copied already
    for item in extras:
        for issuer, issuer_fields in item.items():
            if issuer not in result:
                result[issuer] = issuer_fields
                continue
            if issuer not in copied:
                copied.add(issuer)
                result[issuer] = dict(result[issuer])
            result[issuer].update(issuer_fields)
    return result


def join_values(values: Sequence[Any]) -> Any:
    """Join JSON values: objects by key, texts and lists by concatenation, otherwise the last value.

    >>> join_values([{"a": [1], "b": "x"}, {"a": [2]}, {"b": "y"}])
    {'a': [1, 2], 'b': 'xy'}
    """
    texts = [value for value in values if value is not None]
    if len(texts) < 2:
        return texts[0] if texts else None
    if all(isinstance(value, dict) for value in texts):
        found: dict[str, list[Any]] = {}
        for value in texts:
            for key, item in value.items():
                found.setdefault(key, []).append(item)
        return {key: join_values(items) for key, items in found.items()}
    if all(isinstance(value, list) for value in texts):
        return _lists(texts)
    if all(isinstance(value, str) for value in texts):
        return "".join(texts)
    return texts[-1]


# each part has a piece of these fields; of other fields, the first value that is set counts
def _call_name(parts: Sequence[ContentBlock]) -> str:
    """Return the name of a call: some hosts repeat it in each piece, some cut it like arguments.

    A piece with another id does not continue it. (NousResearch/hermes-agent pull request 12230;
    continuedev/continue pull request 5849; looked up on 2026-11-28.)
    """
    names = list(map(_name, parts))
    if names[0] and not any(names[1:]):  # most calls
        return str(names[0])
    name = id = ""
    for part in parts:
        if type(part) is not ToolUseBlock or (id and part.id not in ("", id)):
            continue
        id = id or part.id
        if part.name.startswith(name):  # repeated, or longer
            name = part.name or name
        elif not name.endswith(part.name):
            name += part.name
    return name


_SUMS: dict[str, Callable[[list[Any]], Any]] = {
    **dict.fromkeys(("text", "thinking", "signature", "redacted", "raw_input"), "".join),
    "citations": _lists,
    "data": join_values,
    "source": _source,
    "extras": latest,
    "unfinished": any,
}
