"""Where the prompt cache of one request ends for another, and what that costs.

How each provider caches is a row with its source and date: the order in which it reads a body, and
which changes start its cache over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any

from ..capabilities import bare
from ..codec.wire import Wire
from ..conversion.detection import detect
from ..errors import ConfigError, ReadError
from ..message import Written
from ..text.json_text import JsonObject, arguments, loads
from ..text.redaction import Shown
from ..tokens.cached import rough_message, rough_tools
from ..vendors import wire as wire_of
from .paths import MISSING, value_at


@dataclass(frozen=True, slots=True)
class CacheRule:
    """One protocol's prompt cache, as its provider documents it.

    Args:
        order: Paths of the parts of the prompt, in the order in which they are hashed.
        source: Where the provider documents it.
        over: Fields whose change invalidates the whole cache.
        messages: Fields whose change invalidates the messages, but not tools and system.
        minimum: Tokens below which nothing is cached; None if that is not stated.
        least: The same for models for which it differs, by patterns of bare names.
        marked: Whether only what precedes a cache mark is cached.
        exact: Models for which only a prefix that ends at a mark or a turn is found.
        unit: Tokens that are cached together.
        since: The date of the source (ISO).
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
        """The number of tokens below which nothing is cached for a model, by its bare name."""
        limits = (tokens for pattern, tokens in self.least if fnmatchcase(model, pattern))
        return next(limits, self.minimum)


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
        minimum=1024,
        least=_CLAUDE,
        marked=True,
    ),
    "openai-chat": CacheRule(
        ("tools", "response_format", "messages"),
        _OPENAI,
        over=("model", "prompt_cache_key"),
        minimum=1024,
        exact=_GPT,
    ),
    "openai-responses": CacheRule(
        ("tools", "text.format", "instructions", "input"),
        f"{_OPENAI}; of effort: OpenRouter's notes on moving to gpt-6-astra",
        over=("model", "prompt_cache_key", "reasoning.effort"),
        minimum=1024,
        exact=_GPT,
    ),
    "gemini": CacheRule(
        ("systemInstruction", "tools", "contents"),
        f"Gemini API docs: caching, gemini-4-argon{_UNSTATED}",
        over=("cachedContent",),
        messages=("toolConfig",),
        least=(("gemini-4-argon*", 6144),),
    ),
    "gemini-interactions": CacheRule(
        ("system_instruction", "tools", "input"),
        f"Gemini API docs: caching, interactions{_UNSTATED}",
        over=("cached_content", "previous_interaction_id"),
        messages=("generation_config.tool_choice",),
        least=(("gemini-4-argon*", 6144),),
    ),
    "bedrock-converse": CacheRule(
        ("toolConfig.tools", "system", "messages"),
        "Amazon Bedrock user guide: prompt caching; Claude as on its own API",
        over=("additionalModelRequestFields.thinking",),
        messages=("toolConfig.toolChoice",),
        minimum=1024,
        least=_CLAUDE,
        marked=True,
    ),
    "dashscope": CacheRule(
        ("parameters.tools", "input.messages"),
        f"Model Studio docs: context-cache{_UNSTATED}",
        minimum=1024,
    ),
    "mistral": CacheRule(
        ("tools", "messages"),
        f"Mistral docs: prompt-caching{_UNSTATED}",
        over=("model", "prompt_cache_key"),
        unit=64,
    ),
    "cohere": CacheRule(
        ("tools", "documents", "messages"), f"Cohere docs: v2/chat, usage{_UNSTATED}"
    ),
    "ollama": CacheRule(
        ("tools", "messages"), f"Ollama's llama_server.go: the prefix of the last prompt{_UNSTATED}"
    ),
}

_MARKS = ("cache_control", "prompt_cache_breakpoint")

_POINT = "cachePoint"

_LISTS = ("content", "parts")  # fields that hold a message's content


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a prompt, at its path.

    `said` is its text, as it is compared; `part` the path of the section of the prompt; `message`
    what a token counter gets. `marked`: a cache mark is on it or follows it. `ends`: a turn of the
    user or of tools ends with it.
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
    """All parts of the prompt, in the order in which the provider reads them."""
    result: list[Piece] = []
    for part in rule.order:
        value = value_at(body, f"$.{part}")
        if value is not MISSING and value is not None:
            result += _part(value, part, is_history=part == rule.order[-1])
    if any(mark in body for mark in _MARKS):  # the provider sets the mark itself
        _mark_last(result)
    return result


def _part(value: Any, part: str, is_history: bool) -> list[Piece]:
    path = f"$.{part}"
    tool = part.endswith("tools")
    if isinstance(value, dict) and isinstance(value.get("parts"), list):  # Gemini's instruction
        value, path = value["parts"], f"{path}.parts"
    if not isinstance(value, list):
        return [_piece(_text_block(value) if isinstance(value, str) else value, part, path, tool)]
    result: list[Piece] = []
    for i, item in enumerate(value):
        if _is_point(item):
            _mark_last(result)
        elif is_history and isinstance(item, dict):
            result += _message(item, part, f"{path}[{i}]")
        else:
            result.append(_piece(item, part, f"{path}[{i}]", tool))
    return result


def _message(message: JsonObject, part: str, path: str) -> list[Piece]:
    """The pieces of a message: each block of its content, and its other fields."""
    key = next((key for key in _LISTS if isinstance(message.get(key), (str, list))), None)
    if key is None:
        return [_piece(message, part, path, ends=_is_input(message))]
    content = message[key]
    blocks = (
        {f"{path}.{key}": _text_block(content)}
        if isinstance(content, str)
        else {f"{path}.{key}[{i}]": block for i, block in enumerate(content)}
    )
    result: list[Piece] = []
    for block_path, block in blocks.items():
        if _is_point(block):
            _mark_last(result)
        else:
            alone = {"role": message.get("role"), key: [block]}
            result.append(_piece(alone, part, block_path))
    fields = {name: value for name, value in message.items() if name not in (key, *_MARKS)}
    if len(fields) > ("role" in fields) or not result:
        result.append(_piece(fields, part, path))
    if any(mark in message for mark in _MARKS):
        _mark_last(result)
    result[-1] = replace(result[-1], ends=_is_input(message))
    return result


def _text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _is_input(message: JsonObject) -> bool:
    """Whether the message is input to the model."""
    if "role" in message:
        return message["role"] not in ("assistant", "model")
    return str(message.get("type", "")).endswith("_output")


def _piece(value: Any, part: str, path: str, tool: bool = False, ends: bool = False) -> Piece:
    unmarked, marked = _strip_marks(value)
    message = unmarked
    if not isinstance(unmarked, dict) or not (tool or "role" in unmarked):
        content = unmarked if isinstance(unmarked, (str, list)) else [unmarked]
        message = {"role": "system", "content": content}
    return Piece(path, part, arguments(unmarked), message, marked, ends, tool)


def _mark_last(result: list[Piece]) -> None:
    if result:
        result[-1] = replace(result[-1], marked=True)


def _is_point(value: Any) -> bool:
    return isinstance(value, dict) and _POINT in value


def _strip_marks(value: Any) -> tuple[Any, bool]:
    """The value without its cache marks, and whether it had any."""
    if isinstance(value, dict):
        marks = any(mark in value for mark in _MARKS)
        result: JsonObject = {}
        for key, item in value.items():
            if key not in _MARKS:
                result[key], item_marks = _strip_marks(item)
                marks = marks or item_marks
        return result, marks
    if isinstance(value, list):
        items = [_strip_marks(item) for item in value]
        return [item for item, _ in items], any(marks for _, marks in items)
    return value, False


_MODEL = "model"


@dataclass(frozen=True, slots=True, repr=False)
class CacheBreak(Shown):
    """Where the cache of one request ends for another, and what that costs.

    Attributes:
        wire: The name of the wire.
        path: The first part of the second request that its provider has not read in that place;
            empty if the first request is sent again unchanged.
        why: What that part is, in words.
        kept: Tokens before it, which are found again; an estimate unless `counted`.
        missed: Tokens after it, which were read before and must be read anew; likewise.
        counted: Whether a counter gave the figures.
        cached: Whether so many tokens are cached at all: on some wires only those before a mark.
        minimum: The tokens from which on they are cached; None if that is not known.
        unbound: Paths, in the second request, of thinking that its provider refuses or drops after
            such a change.
        rule: Where the provider documents it, with the date.
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
    """Where the prompt cache of `before` ends for `after`.

    Args:
        before: A request as `write_request` writes it, or a body.
        after: The request that follows it, likewise.
        wire: Whose requests they are, if their keys do not show it.
        counter: A token counter of `dragoman.tokens` that works without an event loop; without one
            the figures are estimates by length.

    >>> asked = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]}
    >>> told = {"role": "system", "content": "It is 9:41."}
    >>> later = {"model": "gpt-5.5", "messages": [told, *asked["messages"]]}
    >>> cache_break(asked, later, wire="openai").path
    '$.messages[0].content'

    Raises:
        ReadError: One of the two is no request.
        ConfigError: The requests are of two wires, the wire is not known, or the counter needs an
            event loop.
    """
    requests = _read_written(before), _read_written(after)
    home = wire if isinstance(wire, Wire) else wire_of(_name(*requests) if wire is None else wire)
    rule = CACHES.get(home.room.protocol)
    if rule is None:
        text = f"nothing is known of a prompt cache behind {home.name}"
        raise ConfigError(text, code="cache.unknown")
    old, new = (_Prompt(r.body, r.model or "", pieces(r.body, rule)) for r in requests)
    model = bare(new.model)
    index, field = _first(rule, old, new)
    minimum = rule.smallest(model)
    hits = new.pieces[: _hits(old.pieces, index, rule, model)]
    tokens = _tokens(hits, counter) // rule.unit * rule.unit
    return CacheBreak(
        home.name,
        *_place(field, old.pieces[index:], new.pieces[index:]),
        tokens,
        _tokens(old.pieces[index:], counter),
        counter is not None,
        tokens > 0 and tokens >= (minimum or 0),
        minimum,
        _find_unbound_thinking(home, old, new),
        f"{rule.source} ({rule.since})",
    )


@dataclass(frozen=True, slots=True)
class _Prompt:
    """One of the two requests: its body, the model that it asks, and what its prompt holds."""

    body: JsonObject
    model: str
    pieces: list[Piece]


def _read_written(request: Written | JsonObject | str | bytes) -> Written:
    """The request itself, or a body as a written request. Raises ReadError for anything else."""
    body: Any = request.body if isinstance(request, Written) else request
    if isinstance(body, (str, bytes)):
        body = loads(body)
    if not isinstance(body, dict) or not body:
        raise ReadError(f"{type(request).__name__} is no request", path="$", code="request.shape")
    if isinstance(request, Written):
        return request
    model = body.get(_MODEL)
    return Written(body, model=model if isinstance(model, str) else None)


def _name(before: Written, after: Written) -> str:
    """The wire of both requests."""
    names = [r.report.target or detect(r.body, r.path or None).wire for r in (before, after)]
    if names[0] != names[1]:
        text = f"one request is for {names[0]} and the other for {names[1]}"
        raise ConfigError(text, code="cache.wires", hint="say whose they are: wire=...")
    return names[0]


def _first(rule: CacheRule, old: _Prompt, new: _Prompt) -> tuple[int, str]:
    """(how many pieces are the same, the field that starts all or a part of it over)."""

    def differs(field: str) -> bool:
        return bool(value_at(old.body, f"$.{field}") != value_at(new.body, f"$.{field}"))

    if old.model != new.model:
        return 0, _MODEL
    if field := next(filter(differs, rule.over), ""):
        return 0, field
    same = sum(1 for _ in takewhile(_alike, zip(old.pieces, new.pieces, strict=False)))
    field = next(filter(differs, rule.messages), "")
    front = sum(1 for _ in takewhile(lambda piece: piece.part != rule.order[-1], old.pieces))
    return (front, field) if field and front < same else (same, "")


def _alike(pair: tuple[Piece, Piece]) -> bool:
    piece, other = pair
    return (piece.part, piece.said) == (other.part, other.said)


def _place(field: str, old: Sequence[Piece], new: Sequence[Piece]) -> tuple[str, str]:
    """The path of the first difference, and what it is; takes the pieces from there on."""
    if field:
        return f"$.{field}", f"{field} is another one"
    if not old:
        return "", "what was sent before is sent again as it was"
    if not new:
        return "", "nothing follows what is found"
    if new[0].part != old[0].part:
        return new[0].path, f"{old[0].part} is shorter than it was"
    return new[0].path, f"{new[0].part} is another one from here on"


def _hits(old_pieces: list[Piece], index: int, rule: CacheRule, model: str) -> int:
    """How many pieces are found again: up to the last point at which the provider has an entry."""
    exact = any(fnmatchcase(model, pattern) for pattern in rule.exact)
    if not (rule.marked or exact):
        return index
    for i in range(index - 1, -1, -1):
        if old_pieces[i].marked or (exact and old_pieces[i].ends):
            return i + 1
    return 0


def _tokens(counted_pieces: list[Piece], counter: Any) -> int:
    if counter is None:
        return sum(piece.tokens for piece in counted_pieces)
    tokens = 0
    for piece in counted_pieces:
        tool = {"role": "system", "content": piece.said}
        tokens += counter.count_sync([tool if piece.tool else piece.message])
    return tokens


def _find_unbound_thinking(home: Wire, old: _Prompt, new: _Prompt) -> tuple[str, ...]:
    """The paths of signed thinking in `new` that was sent before, after another prefix.

    Options, cache marks and other thinking are not compared. Messages API docs, Preserved
    thinking.
    """
    if home.can(new.model or None).binding == "none":
        return ()
    prefix = [piece for piece in old.pieces if not _thinks(piece)]
    thoughts = {piece.said for piece in old.pieces if _thinks(piece)}
    paths: list[str] = []
    index, same_prefix = 0, True
    for piece in new.pieces:
        if _thinks(piece):
            if not same_prefix and piece.said in thoughts:
                paths.append(piece.path)
            continue
        same_prefix = same_prefix and index < len(prefix) and _alike((prefix[index], piece))
        index += 1
    return tuple(paths)


def _thinks(piece: Piece) -> bool:
    """Whether it is thinking that carries a signature."""
    content = piece.message.get("content")
    block = content[0] if isinstance(content, list) and content else piece.message
    if not isinstance(block, dict):
        return False
    reasoning = block.get("reasoningContent")
    if isinstance(reasoning, dict):
        text = reasoning.get("reasoningText")
        signed = isinstance(text, dict) and bool(text.get("signature"))
        return signed or "redactedContent" in reasoning
    kind = block.get("type")
    return kind == "redacted_thinking" or (kind == "thinking" and bool(block.get("signature")))
