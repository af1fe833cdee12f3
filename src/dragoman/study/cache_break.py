"""How providers cache prompts, as rows: in which order they read a body, and what starts it over.

Each row with its source and date. Knows no request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any

from .._core.convert import detect
from .._core.counters.cached import rough_message, rough_tools
from .._core.exchange.wire import Wire
from .._core.jsontext import JsonObject, arguments, loads
from .._core.redaction import Shown
from ..capabilities import bare
from ..errors import ConfigError, ReadError
from ..message import Written
from ..vendors import wire as wire_of
from .paths import MISSING, found


@dataclass(frozen=True, slots=True)
class CacheRule:
    """One protocol's prompt cache, as its provider documents it.

    `order`: paths of the parts of the prompt, in the order in which they are hashed; `over`: fields
    of which another value finds nothing; `messages`: those of which another value finds tools and
    system, but no message. `minimum`: tokens below which nothing is cached, `least` for models
    (patterns of bare names) of which it is known otherwise; None: not stated. `marked`: only what
    stands in front of a mark is cached; `exact`: models for which only what ends in such a place.
    `unit`: tokens that are cached together.
    """

    order: tuple[str, ...]
    source: str
    over: tuple[str, ...] = ("model",)
    messages: tuple[str, ...] = ()
    minimum: int | None = None
    least: tuple[tuple[str, int], ...] = ()
    marked: bool = False
    exact: tuple[str, ...] = ()
    unit: int = 1
    since: str = "2026-11-21"

    def smallest(self, model: str) -> int | None:
        """The tokens below which nothing is cached for a model, by its bare name."""
        known = (tokens for pattern, tokens in self.least if fnmatchcase(model, pattern))
        return next(known, self.minimum)

    def told(self) -> str:
        """The source with its date."""
        return f"{self.source} ({self.since})"


_CLAUDE = (("claude-opus-5*", 512), ("claude-sonnet-5-5*", 512))


_GPT = ("gpt-5.6*", "gpt-6*")


_OPENAI = "OpenAI docs: guides/prompt-caching"


_UNSTATED = "; the order is not stated: as chat templates have it"


CACHES: dict[str, CacheRule] = {
    "anthropic": CacheRule(
        ("tools", "system", "messages"),
        "Anthropic docs: build-with-claude/prompt-caching, extended-thinking, effort",
        over=("model", "thinking", "output_config.effort"),
        messages=("tool_choice",),
        minimum=1024, least=_CLAUDE, marked=True,
    ),
    "openai-chat": CacheRule(
        ("tools", "response_format", "messages"), _OPENAI,
        over=("model", "prompt_cache_key"), minimum=1024, exact=_GPT,
    ),
    "openai-responses": CacheRule(
        ("tools", "text.format", "instructions", "input"),
        f"{_OPENAI}; of effort: OpenRouter's notes on moving to gpt-6-astra",
        over=("model", "prompt_cache_key", "reasoning.effort"), minimum=1024, exact=_GPT,
    ),
    "gemini": CacheRule(
        ("systemInstruction", "tools", "contents"),
        f"Gemini API docs: caching, gemini-4-argon{_UNSTATED}",
        over=("cachedContent",), messages=("toolConfig",), least=(("gemini-4-argon*", 6144),),
    ),
    "bedrock-converse": CacheRule(
        ("toolConfig.tools", "system", "messages"),
        "Amazon Bedrock user guide: prompt caching; Claude as on its own API",
        over=("additionalModelRequestFields.thinking",),
        messages=("toolConfig.toolChoice",),
        minimum=1024, least=_CLAUDE, marked=True,
    ),
    "dashscope": CacheRule(
        ("parameters.tools", "input.messages"),
        f"Model Studio docs: context-cache{_UNSTATED}",
        minimum=1024,
    ),
    "mistral": CacheRule(
        ("tools", "messages"), f"Mistral docs: prompt-caching{_UNSTATED}",
        over=("model", "prompt_cache_key"), unit=64,
    ),
    "cohere": CacheRule(
        ("tools", "documents", "messages"), f"Cohere docs: v2/chat, usage{_UNSTATED}"
    ),
    "ollama": CacheRule(
        ("tools", "messages"), f"Ollama's llama_server.go: the prefix of the last prompt{_UNSTATED}"
    ),
}  # fmt: skip


_MARKS = ("cache_control", "prompt_cache_breakpoint")


_POINT = "cachePoint"


_LISTS = ("content", "parts")  # what a message says


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that a prompt says, at its path. `said`: its text, as it is compared.

    `part` is the path of the part of the prompt, `message` what a counter is given. `marked`: a
    cache mark stands on it or behind it. `ends`: a turn of the user or of tools ends with it.
    """

    path: str
    part: str
    said: str
    message: JsonObject
    marked: bool = False
    ends: bool = False
    tool: bool = False

    @property
    def tokens(self) -> int:
        """Roughly how many tokens it takes."""
        return rough_tools([self.message]) if self.tool else rough_message(self.message)


def pieces(body: JsonObject, rule: CacheRule) -> list[Piece]:
    """Everything that the prompt says, in the order in which the provider reads it."""
    made: list[Piece] = []
    for part in rule.order:
        value = found(body, f"$.{part}")
        if value is not MISSING and value is not None:
            made += _part(value, part, last=part == rule.order[-1])
    if made and any(mark in body for mark in _MARKS):  # the provider sets the mark itself
        made[-1] = _marked(made[-1])
    return made


def _part(value: Any, part: str, last: bool) -> Iterator[Piece]:
    path = f"$.{part}"
    tool = part.endswith("tools")
    if isinstance(value, dict) and isinstance(value.get("parts"), list):  # Gemini's instruction
        value, path = value["parts"], f"{path}.parts"
    if not isinstance(value, list):
        listed = [{"type": "text", "text": value}] if isinstance(value, str) else [value]
        yield from (_piece(one, part, path, tool) for one in listed)
        return
    before: Piece | None = None
    for i, one in enumerate(value):
        for piece in _element(one, part, f"{path}[{i}]", tool, last):
            if before is not None:
                yield before
            before = piece
        if _is_point(one) and before is not None:
            before = _marked(before)
    if before is not None:
        yield before


def _element(one: Any, part: str, path: str, tool: bool, last: bool) -> Iterator[Piece]:
    if _is_point(one):
        return
    if not last or not isinstance(one, dict):
        yield _piece(one, part, path, tool)
        return
    key = next((key for key in _LISTS if isinstance(one.get(key), (str, list))), None)
    if key is None:
        yield _piece(one, part, path, tool, ends=_heard(one))
        return
    yield from _message(one, key, part, path)


def _message(one: JsonObject, key: str, part: str, path: str) -> Iterator[Piece]:
    """The pieces of a message: each block of its content, and what stands beside it."""
    content = one[key]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    paths = [f"{path}.{key}" if isinstance(content, str) else f"{path}.{key}[{i}]"
             for i in range(len(blocks))]  # fmt: skip
    made: list[Piece] = []
    for block, at in zip(blocks, paths, strict=True):
        if _is_point(block):
            if made:
                made[-1] = _marked(made[-1])
            continue
        said = {"role": one.get("role"), key: [block]}
        made.append(_piece(said, part, at, False))
    beside = {name: value for name, value in one.items() if name not in (key, *_MARKS)}
    if len(beside) > ("role" in beside) or not made:
        made.append(_piece(beside, part, path, False))
    if any(mark in one for mark in _MARKS):
        made[-1] = _marked(made[-1])
    yield from made[:-1]
    yield _marked(made[-1], made[-1].marked, _heard(one))


def _heard(one: JsonObject) -> bool:
    """Whether it is said to the model."""
    if "role" in one:
        return one["role"] not in ("assistant", "model")
    return str(one.get("type", "")).endswith("_output")


def _piece(value: Any, part: str, path: str, tool: bool, ends: bool = False) -> Piece:
    plain, marks = _unmarked(value)
    message = plain if isinstance(plain, dict) and (tool or "role" in plain) else {
        "role": "system", "content": plain if isinstance(plain, (str, list)) else [plain]
    }  # fmt: skip
    return Piece(path, part, arguments(plain), message, marks, ends, tool)


def _marked(piece: Piece, marked: bool = True, ends: bool | None = None) -> Piece:
    return Piece(piece.path, piece.part, piece.said, piece.message, marked,
                 piece.ends if ends is None else ends, piece.tool)  # fmt: skip


def _is_point(value: Any) -> bool:
    return isinstance(value, dict) and _POINT in value


def _unmarked(value: Any) -> tuple[Any, bool]:
    """The value without its cache marks, and whether it had any."""
    if isinstance(value, dict):
        marks = any(mark in value for mark in _MARKS)
        made: JsonObject = {}
        for key, one in value.items():
            if key not in _MARKS:
                made[key], inner = _unmarked(one)
                marks = marks or inner
        return made, marks
    if isinstance(value, list):
        rows = [_unmarked(one) for one in value]
        return [one for one, _ in rows], any(marks for _, marks in rows)
    return value, False


_MODEL = "model"


@dataclass(frozen=True, slots=True, repr=False)
class CacheBreak(Shown):
    """Where the cache of one request ends for another, and what that costs.

    `path` is the first thing in the second request that its provider has not read there (empty:
    what was sent before is sent again as it was), `why` what it is in words. `kept` tokens in front
    of it are found again, `missed` tokens behind it were read before and are read anew; both are
    estimates unless `counted`. `cached` is whether so much is cached at all: `minimum` tokens are,
    where that is known, and on some wires only what a mark stands behind. `unbound` are the places
    in the second request of thinking that its provider refuses or drops behind such a change.
    `rule` is where the provider says so, with its date.
    """

    wire: str
    path: str
    why: str
    kept: int
    missed: int
    counted: bool
    cached: bool
    minimum: int | None
    unbound: tuple[str, ...]
    rule: str

    def __bool__(self) -> bool:
        """Whether anything breaks."""
        return bool(self.path)


def cache_break(
    before: Written | JsonObject | str | bytes,
    after: Written | JsonObject | str | bytes,
    *,
    wire: str | Wire | None = None,
    counter: Any = None,
) -> CacheBreak:
    """Where what `before` left in the provider's cache ends for `after`.

    Both are requests as `write_request` writes them, or bodies; `wire` says whose, if their keys
    alone do not. `counter` is a token counter of `dragoman.token` that counts without an event
    loop; without one the figures are estimates by length.

    >>> asked = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]}
    >>> told = {"role": "system", "content": "It is 9:41."}
    >>> later = {"model": "gpt-5.5", "messages": [told, *asked["messages"]]}
    >>> cache_break(asked, later, wire="openai").path
    '$.messages[0].content'

    Raises ReadError for what is no request, ConfigError for requests of two wires, for a wire
    that is not known, or if the counter needs an event loop.
    """
    old, new = _body(before), _body(after)
    spoken = _wire(wire, before, old, after, new)
    rule = CACHES.get(spoken.room.protocol)
    if rule is None:
        raise ConfigError(
            f"nothing is known of a prompt cache behind {spoken.name}", code="cache.unknown"
        )
    model = _model(after, new)
    olds, news = pieces(old, rule), pieces(new, rule)
    at, field = _first(rule, (old, _model(before, old)), (new, model), olds, news)
    still = _kept(olds, at, rule, bare(model))
    minimum = rule.smallest(bare(model))
    kept = _tokens(news[:still], counter) // rule.unit * rule.unit
    return CacheBreak(
        spoken.name, *_place(field, at, olds, news), kept, _tokens(olds[at:], counter),
        counter is not None, kept > 0 and kept >= (minimum or 0), minimum,
        _unbound(spoken, model, olds, news), rule.told(),
    )  # fmt: skip


def _body(given: Written | JsonObject | str | bytes) -> JsonObject:
    made = given.body if isinstance(given, Written) else given
    if isinstance(made, (str, bytes)):
        read = loads(made)
        made = read if isinstance(read, dict) else {}
    if not isinstance(made, dict) or not made:
        raise ReadError(f"{type(given).__name__} is no request", path="$", code="request.shape")
    return made


def _wire(wire: str | Wire | None, before: Any, old: Any, after: Any, new: Any) -> Wire:
    """The one wire of both."""
    if wire is not None:
        return wire if isinstance(wire, Wire) else wire_of(wire)
    names = [_named(given, body) for given, body in ((before, old), (after, new))]
    if names[0] != names[1]:
        raise ConfigError(
            f"one request is for {names[0]} and the other for {names[1]}", code="cache.wires",
            hint="say whose they are: wire=...",
        )  # fmt: skip
    return wire_of(names[0])


def _named(given: Any, body: JsonObject) -> str:
    if isinstance(given, Written):
        return given.report.target or detect(body, given.path).wire
    return detect(body).wire


def _model(given: Any, body: JsonObject) -> str:
    named = given.model if isinstance(given, Written) else body.get(_MODEL)
    return named if isinstance(named, str) else ""


def _first(
    rule: CacheRule,
    before: tuple[JsonObject, str],
    after: tuple[JsonObject, str],
    olds: list[Piece],
    news: list[Piece],
) -> tuple[int, str]:
    """(so many pieces are the same, the field that starts all of it over or parts of it)."""
    (old, was), (new, now) = before, after
    if was != now:
        return 0, _MODEL
    for field in rule.over:
        if found(old, f"$.{field}") != found(new, f"$.{field}"):
            return 0, field
    same = sum(1 for _ in takewhile(_alike, zip(olds, news, strict=False)))
    if any(found(old, f"$.{field}") != found(new, f"$.{field}") for field in rule.messages):
        asides = sum(1 for _ in takewhile(lambda piece: piece.part != rule.order[-1], olds))
        if asides < same:
            choice = (f for f in rule.messages if found(old, f"$.{f}") != found(new, f"$.{f}"))
            return asides, next(choice)
    return same, ""


def _alike(pair: tuple[Piece, Piece]) -> bool:
    one, other = pair
    return (one.part, one.said) == (other.part, other.said)


def _place(field: str, at: int, olds: Sequence[Piece], news: Sequence[Piece]) -> tuple[str, str]:
    """The path of the first difference, and what it is."""
    if field:
        return f"$.{field}", f"{field} is another one"
    if at == len(olds):
        return "", "what was sent before is sent again as it was"
    if at == len(news):
        return "", "nothing follows what is found"
    if news[at].part != olds[at].part:
        return news[at].path, f"{olds[at].part} is shorter than it was"
    return news[at].path, f"{news[at].part} is another one from here on"


def _kept(olds: list[Piece], at: int, rule: CacheRule, model: str) -> int:
    """So many pieces are found again: up to the last place where the provider keeps an entry."""
    exact = any(fnmatchcase(model, pattern) for pattern in rule.exact)
    if not (rule.marked or exact):
        return at
    for i in range(at - 1, -1, -1):
        if olds[i].marked or (exact and olds[i].ends):
            return i + 1
    return 0


def _tokens(some: list[Piece], counter: Any) -> int:
    if counter is None:
        return sum(piece.tokens for piece in some)
    return sum(
        counter.count_sync([{"role": "system", "content": piece.said}] if piece.tool
                           else [piece.message])
        for piece in some
    )  # fmt: skip


def _unbound(spoken: Wire, model: str, olds: list[Piece], news: list[Piece]) -> tuple[str, ...]:
    """Where signed thinking stands in `news` that was sent before, behind another prefix.

    Neither options nor marks are compared, nor is other thinking. Messages API docs, Preserved
    thinking.
    """
    if spoken.can(model or None).binding == "none":
        return ()
    was = [piece for piece in olds if not _thinks(piece)]
    thoughts = {piece.said for piece in olds if _thinks(piece)}
    gone: list[str] = []
    at, same = 0, True
    for piece in news:
        if _thinks(piece):
            if not same and piece.said in thoughts:
                gone.append(piece.path)
            continue
        same = same and at < len(was) and _alike((was[at], piece))
        at += 1
    return tuple(gone)


def _thinks(piece: Piece) -> bool:
    """Whether it is thinking with a proof of its own."""
    content = piece.message.get("content")
    block = content[0] if isinstance(content, list) and content else piece.message
    if not isinstance(block, dict):
        return False
    inner = block.get("reasoningContent")
    if isinstance(inner, dict):
        text = inner.get("reasoningText")
        return "redactedContent" in inner or bool(isinstance(text, dict) and text.get("signature"))
    if block.get("type") == "redacted_thinking":
        return True
    return block.get("type") == "thinking" and bool(block.get("signature"))
