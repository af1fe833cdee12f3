"""ChatResponse: an answer, its candidates, what it cost and how the reading of it ended.

`total` is the sum of a block's streamed parts: texts joined, the latest of everything else.
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
    """Why the model stopped, and the provider's own word for it."""

    reason: FinishReason = "stop"
    raw: str | None = None


@explains_attributes(OF_USAGE)
@final
@dataclass(slots=True, repr=False)
class Usage(HasExtras, Shown):
    """Tokens, disjoint: `input` without cache, `output` with reasoning. None means unknown."""

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
        """The sum of two answers: a figure that only one of them tells is that one's.

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
        """`sum(usages)` begins at 0."""
        return replace(self) if other == 0 else NotImplemented


_FIGURES = tuple(f.name for f in fields(Usage) if f.name != "extras")


@dataclass(slots=True, repr=False)
class Candidate(HasExtras, Shown):
    """One of the answers to a request."""

    msg: Msg
    finish: Finish = field(default_factory=Finish)
    extras: Extras | None = None

    @property
    def logprobs(self) -> list[Logprob]:
        """How likely each token of its text was, in order; empty where nobody has told it."""
        found = tokens_within(self.extras)
        return found or [one for block in self.msg.blocks for one in tokens_within(block.extras)]

    @property
    def sources(self) -> list[AnswerSource]:
        """The pages and documents that it cites, or that its searches found, each once."""
        return collect_sources(self.msg.blocks, self.msg.extras, self.extras)


@dataclass(slots=True, repr=False)
class ChatResponse(HasExtras, Shown):
    """An answer: its candidates, what it cost, and how the reading of it ended.

    `status`: `complete`, `truncated` (cut by a limit), `interrupted` (the stream broke off) or
    `error`, which `error` then holds.
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
        """The text of the first candidate: blocks side by side are one text, in pieces."""
        runs = groupby(self.msg.blocks, type)
        texts = ["".join(b.text for b in run if type(b) is TextBlock) for _, run in runs]
        return "\n".join(text for text in texts if text)

    @property
    def logprobs(self) -> list[Logprob]:
        """How likely each token of the first candidate's text was; empty if nobody has told it."""
        first = self.candidates[0].logprobs if self.candidates else []
        return first or tokens_within(self.extras)

    @property
    def sources(self) -> list[AnswerSource]:
        """The pages and documents that the first candidate is based on, each once.

        Cited ones, with what is quoted, and those that a search of the provider's only found.
        """
        first = self.candidates[0]
        return collect_sources(first.msg.blocks, first.msg.extras, first.extras, self.extras)

    @property
    def calls(self) -> list[ToolUseBlock]:
        """The tool calls of the first candidate that may be run, in order.

        Among them are calls of a form that one API alone has, such as `shell_call`: each is named
        by its kind, and `Msg.tool(call.id, ...)` behind the answer goes back in its form. A call of
        `multi_tool_use.parallel`, which some models invent, is the calls that it holds.
        """
        blocks = self.msg.blocks
        calls = [b if type(b) is ToolUseBlock else call_within(b) for b in blocks]
        runnable = (call for call in calls if call is not None and not call.unfinished)
        return [single for call in runnable for single in joint_calls(call)]


def total(parts: Sequence[ContentBlock]) -> ContentBlock:
    """The block that the parts make together; they are of one kind.

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
    """The text as it stands in one that begins `length` characters before: citations count them."""
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
    """Whether a text at the end of one body and one at the beginning of the next are the same."""
    return type(earlier) is TextBlock and type(later) is TextBlock and not earlier.extras


_first = itemgetter(0)


def _source(sources: list[Any]) -> Any:
    """Media that came in pieces, each of them base64 of its own or a cut of one text."""
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
        return "".join(pieces)  # one text, cut anywhere


def latest(extras: Sequence[Extras]) -> Extras:
    """The extras of several parts in one; of each field the last."""
    result: Extras = {}
    copied: set[str] = set()  # issuers whose fields are in an object of ours by now
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
    """JSON values in one: objects by key, texts and lists one behind the other, else the last.

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


# of these fields each part brings a piece; of any other the first that says something holds
def _call_name(parts: Sequence[ContentBlock]) -> str:
    """The name of a call: some hosts say it in each piece, some cut it as they cut arguments.

    A piece with another id does not go on with it. (NousResearch/hermes-agent pull request 12230;
    continuedev/continue pull request 5849; looked up on 2026-11-28.)
    """
    name = id = ""
    for part in parts:
        if type(part) is not ToolUseBlock or (id and part.id not in ("", id)):
            continue
        id = id or part.id
        if part.name.startswith(name):  # again, or more of it
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
