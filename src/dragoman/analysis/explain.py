"""Which part of a request a provider's error refers to, whose it is, and what to do.

The error may name a place (`messages[3].content`). If not, the place is found by the words that the
error shares with the body: keys (`temperature`, "Web search options"), short values that it quotes
(`xhigh`), kinds of media, and a few things for which providers have names of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..codec.sdk_objects import decode_text, plain
from ..errors import ConfigError, ProviderError, ReadError
from ..message import Written
from ..stream.pieces import provider_error
from ..text.json_text import canonical, loads
from ..text.redaction import Shown, clip_text
from .check import Refusal, check
from .paths import Step, format_path, inside, walk
from .sources import Source, check_written, sourcemap

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_CALL = re.compile(r"[Ff]unction call `(?:\w+:)?([\w.-]+)`(?:\s*,\s*position (\d+))?")
_CALLED = (("functionCall", "name"), ("function_call", "name"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_QUOTED = re.compile(r"[`'\"‘“]([^`'\"‘’“”\s]{1,64})[`'\"’”]")
# keys that are common English words, too: used only if nothing better is found
_PLAIN_WORDS = (
    "type text content role model messages contents parts input user name system tools tool"
    " function id data source format value url object properties required description schema json"
    " body path error code title items stop"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())
# inside of these are the user's own words: schemas and arguments
_THEIRS = frozenset(
    {
        "properties",
        "args",
        "arguments",
        "input",
        "input_schema",
        "$defs",
        "parameters",
        "parametersJsonSchema",
        "schema",
        "json",
    }
)


@dataclass(frozen=True, slots=True)
class Hint:
    """Which places an error means that contains certain words.

    `says` is a regular expression over the message; `keys` are searched in order, with `values`
    only those whose text begins so; `last` names lists whose last element is meant.
    """

    says: str
    keys: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


HINTS = (
    Hint(
        r"prefill|must end with a user|ending with a model turn|last (message|role)",
        last=("messages", "contents", "input"),
    ),
    Hint(
        r"strict tools|number of tools|tool schemas|too complex for compilation",
        keys=("tools", "toolConfig"),
    ),
    Hint(r"s3 ?uri|s3 ?location", keys=("s3Location", "s3Uri"), values=("s3://",)),
    Hint(
        r"unsupported image|invalid.image|image (data|format|url)|could not process image",
        keys=("image_url", "inlineData", "inline_data", "image", "source", "images"),
    ),
    Hint(
        r"provided url|fetch content|download(ing)? (the )?(image|file|content)",
        keys=("fileUri", "file_uri", "image_url", "file_url", "url"),
        values=("http",),
    ),
    Hint(r"tool.?call validation|tool.?choice is required|tool.?use.?failed", keys=("tools",)),
    Hint(r"effort level", keys=("effort", "reasoning_effort", "thinkingLevel")),
    Hint(r"signature", keys=("signature", "thoughtSignature", "thought_signature")),
    Hint(r"thinking", keys=("thinking", "reasoning", "thinkingConfig", "reasoning_effort")),
    Hint(
        r"response.?format|structured output|json schema",
        keys=("response_format", "responseSchema", "output_config", "textFormat", "format"),
    ),
)


def find_hinted(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The ways into the body that the message may mean, the likeliest first."""
    looks = (_by_call, _by_name, _by_key, _by_value, _by_hint, _by_plain_key)
    return list(dict.fromkeys(way for look in looks for way in look(message, body)))


def _by_call(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The parts that call a function, by "Function call `default_api:look` , position 2".

    The position is that of the content, counted from 1; of several calls in it the first is meant.
    """
    match = _CALL.search(message)
    if match is None:
        return []
    ways = [way[:-2] for way, name in walk(body) if name == match[1] and way[-2:] in _CALLED]
    position = int(match[2]) - 1 if match[2] else None
    return sorted(ways, key=lambda way: way[1:2] != (position,))


def _by_key(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The ways to keys that the message contains as words; longer names come first."""
    message_tokens = _words(message)
    scored = []
    for way, _ in _ours(body):
        key = way[-1]
        if isinstance(key, str) and key not in _PLAIN and _holds(message_tokens, _words(key)):
            scored.append((-len(_words(key)), -len(key), way))
    return [way for *_, way in sorted(scored, key=lambda row: row[:2])]


def _by_name(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The ways to what has a name that the message contains: tools first, then calls of them."""
    names = set(re.findall(r"[\w.-]+", message))
    ways = []
    for way, value in _ours(body):
        if way[-1] == "name" and isinstance(value, str) and len(value) > 3 and value in names:
            ways.append(way[: -2 if way[-2] in ("function", "toolSpec") else -1])
    return sorted(ways, key=lambda way: "tool" not in str(way[0]))


def _by_value(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The ways to short texts that the message quotes."""
    quoted = {match[1].rstrip(".,:") for match in _QUOTED.finditer(message)} - {""}
    return [
        way
        for way, value in _ours(body)
        if isinstance(value, str) and value in quoted and way[-1] != "role"
    ]


def _by_hint(message: str, body: Any) -> Iterator[tuple[Step, ...]]:
    for hint in HINTS:
        if re.search(hint.says, message, re.IGNORECASE) is None:
            continue
        for name in hint.last:
            if isinstance(body, dict) and isinstance(body.get(name), list) and body[name]:
                yield name, len(body[name]) - 1
        places = list(_ours(body))
        for key in hint.keys:
            for way, value in places:
                if way[-1] == key and (not hint.values or _begins(value, hint.values)):
                    yield way


def _begins(value: Any, starts: tuple[str, ...]) -> bool:
    """Whether a text in the value begins with one of these."""
    return any(isinstance(text, str) and text.startswith(starts) for _, text in walk(value))


def _by_plain_key(message: str, body: Any) -> list[tuple[Step, ...]]:
    """The ways to keys that the message quotes and that are common words, too."""
    quoted = {match[1] for match in _QUOTED.finditer(message)}
    return [way for way, _ in _ours(body) if way[-1] in quoted]


def narrow_way(message: str, body: Any, way: tuple[Step, ...]) -> tuple[Step, ...]:
    """The place below a named one whose key or value the message quotes, or the place itself."""
    quoted = [match[1] for match in _QUOTED.finditer(message)]
    value: Any = body
    for step in way:
        value = value[step]
    if not isinstance(value, (dict, list)):
        return way
    for name in quoted:
        for place, item in walk(value, way):
            if place != way and place[-1] == "type" and item == name:
                return place[:-1]
    keys = [place for place, _ in walk(value, way) if place != way and place[-1] in quoted]
    return keys[0] if keys and keys[0][-1] not in _PLAIN else way


def _ours(body: Any) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Everything but the parameters of tools, whose keys are the user's own words."""
    for way, value in walk(body):
        if way and _THEIRS.isdisjoint(way[1:-1]):
            yield way, value


def _words(text: str) -> list[str]:
    return [token.lower() for part in _WORD.findall(text) for token in _CAMEL.split(part)]


def _holds(message_tokens: list[str], tokens: list[str]) -> bool:
    size = len(tokens)
    ends = range(size, len(message_tokens) + 1) if size else ()
    return any(message_tokens[end - size : end] == tokens for end in ends)


_NAME = r"[A-Za-z_$][\w$-]*"
# match only at the beginning of a word: else a long word would be read again from each letter
_PATH = re.compile(rf"(?<![\w$-]){_NAME}(?:\.?\[\d+\]|\[['\"][^'\"\]]+['\"]\]|\.(?:{_NAME}|\d+))+")
_POINTER = re.compile(r"#((?:/[\w~$-]+)+)")
_LEADING = re.compile(r"(?:\A|: |\n)([a-z_]+): ")  # `system: text content blocks must be ...`
_STEP = re.compile(r"\.?([A-Za-z_$][\w$-]*)|\.?\[?(\d+)\]?|\[['\"]([^'\"\]]+)['\"]\]")
_NAMED_QUOTED = re.compile(r"[`'\"\[]([A-Za-z_$][\w$.-]*)[`'\"\]]")


def find_named(texts: Sequence[str], body: Any) -> list[tuple[Step, ...]]:
    """The ways into `body` that the texts of an error name: the first named first, then deeper."""
    ways: list[tuple[Step, ...]] = []
    for text in texts:
        for steps in _parse_places(text):
            way = resolve_steps(body, steps)
            if way and way not in ways:
                ways.append(way)
    return ways


def _parse_places(text: str) -> Iterator[list[Step]]:
    for match in _POINTER.finditer(text):
        names: list[str] = match[1].strip("/").split("/")
        quoted = _NAMED_QUOTED.match(text, text.find("[", match.end()))
        steps = [_step(name) for name in names]
        if quoted is not None and text.startswith(": extra", match.end()):
            steps.append(quoted[1])
        yield steps
    for match in _PATH.finditer(text):
        yield [_step(*step.groups()) for step in _STEP.finditer(match[0])]
    for match in _LEADING.finditer(text):
        yield [match[1]]


def _step(name: str | None, index: str | None = None, quoted: str | None = None) -> Step:
    text = name or index or quoted or ""
    return int(text) if text.isdecimal() and len(text) < 10 else text


def resolve_steps(body: Any, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Follow the steps into the body as far as they lead; snake_case finds camelCase.

    Names of a union's branches, which validators insert into their paths, are skipped.
    """
    way: list[Step] = []
    for i, step in enumerate(steps):
        key = _key(body, step)
        if key is not None:
            body = body[key]
            way.append(key)
        elif i and way and isinstance(step, str) and i + 1 < len(steps):
            continue  # the name of a branch, such as `custom`
        elif i == 0 and step in ("body", "request", "GenerateContentRequest", "root"):
            continue
        else:
            break
    return tuple(way)


def _key(value: Any, step: Step) -> Any:
    if isinstance(step, int):
        return step if isinstance(value, list) and step < len(value) else None
    if not isinstance(value, dict):
        return None
    if step in value:
        return step
    flat = _flat(step)
    return next((key for key in value if _flat(key) == flat), None)


def _flat(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def collect_texts(body: Any, message: str) -> list[str]:
    """The texts of an error that may contain places; the field meant for a place comes first."""
    texts: list[str] = []
    waiting = [body]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            texts += [str(value[key]) for key in ("param", "field") if value.get(key)]
            loc = value.get("loc")
            if isinstance(loc, list):
                texts.append(".".join(map(str, loc)))
            waiting += list(value.values())
        elif isinstance(value, list):
            waiting += value
    whole_text = body if isinstance(body, str) else canonical(body) if body else ""
    return [*texts, message, *([whole_text] if whole_text != message else [])]


_MOST = 500
_EXPLAIN_WORD = re.compile(r"[a-z]{4,}")
_USUAL = frozenset(
    {
        "this",
        "that",
        "with",
        "without",
        "model",
        "must",
        "takes",
        "only",
        "request",
        "does",
        "value",
        "field",
        "supported",
        "there",
        "have",
        "other",
    }
)


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Shown):
    """Why the provider refused a request.

    Attributes:
        where: The path in what the program gave; empty if no place was found.
        whose: Who says it (`turn 2 of assistant Bob`).
        what: The thing (`thinking block 1, issued by anthropic`).
        why: The rule that was broken, with source and date; empty if none is known.
        fix: What to do; empty if no rule is known.
        error: The provider's message.
        at: The path in the body; empty if no place was found.
        code: The code of the rule.
    """

    where: str = ""
    whose: str = ""
    what: str = ""
    why: str = ""
    fix: str = ""
    error: str = ""
    at: str = ""
    code: str = ""

    def __str__(self) -> str:
        source = ", ".join(part for part in (self.whose, self.what) if part)
        head = f"{self.where} ({source}): " if self.where else "the error names no place: "
        advice = " ".join(part for part in (self.why and f"{self.why}.", self.fix) if part)
        return f"{head}{self.error}" + (f" -- {advice}" if advice else "")


def explain(error: ProviderError | Any, written: Written) -> Explanation:
    """Which part of the request an error refers to, whose it is, and what to do about it.

    Args:
        error: A ProviderError (`wire.error(status, body)`), an exception of an official client, or
            the body or the text of the error.
        written: The request as it was sent, before `Written.detach`.

    Raises:
        InvalidMessage: `written` is no Written.

    >>> import dragoman
    >>> body = {"model": "gpt-5.5", "temperature": 9, "messages": [{"role": "user", "content": ""}]}
    >>> wire = dragoman.wire("openai", policy="ignore")
    >>> made = wire.write_request(wire.read_request(body))
    >>> explain("Invalid 'temperature': decimal above maximum value.", made).where
    '$.temperature'
    """
    written = check_written(written)
    if isinstance(error, BaseException) and _UNSENT.search(type(error).__name__):
        return Explanation(error=clip_text(str(error), _MOST))  # not about the request
    failure = error if isinstance(error, ProviderError) else _failure(error)
    refused = _find_refusals(written)
    path, rule = _place(failure, written.body, refused)
    message = clip_text(failure.message, _MOST)
    if not path:
        return Explanation(error=message)
    source = sourcemap(written).of(path) if written.walk_sources is not None else Source(path)
    place = Explanation(source.path, source.whose, source.what, error=message, at=path)
    if rule is None:
        return place
    dated = f" ({', '.join(filter(None, (rule.source, rule.since)))})" if rule.source else ""
    return replace(place, why=rule.rule + dated, fix=rule.fix, code=rule.code)


# where the exceptions of official clients keep the body of an error, and its status
_BODIES = ("body", "details", "response", "error")
_STATUSES = ("status_code", "code", "status")


_UNSENT = re.compile("Connection|Connect|Timeout|Network")


def _failure(error: Any) -> ProviderError:
    """The error, given as a body, its text, or the exception of an official client."""
    if not isinstance(error, BaseException):
        return provider_error(error)
    status = next(
        (value for name in _STATUSES if type(value := getattr(error, name, None)) is int), None
    )
    body = next(filter(None, map(_body, (getattr(error, name, None) for name in _BODIES))), None)
    if isinstance(body, dict) and isinstance(inner := body.get("Error"), dict):
        body = {"error": inner}  # botocore has metadata beside it
    return provider_error(str(error) if body is None else body, status)


def _body(value: Any) -> Any:
    """Parsed JSON, or the text if it is no JSON; None for anything else."""
    if isinstance(value, (str, bytes)):
        try:
            return loads(value)
        except ReadError:
            return decode_text(value) if isinstance(value, bytes) else value
    return plain(value) if isinstance(value, (dict, list)) else None


def _find_refusals(written: Written) -> list[Refusal]:
    try:
        return check(written.body, written.report.target, written.model, written.path)
    except ConfigError:  # a custom wire, which has no registered name
        return []


def _place(failure: ProviderError, body: Any, refused: list[Refusal]) -> tuple[str, Refusal | None]:
    """The path in the body that is meant, and the rule that is broken there."""
    texts = collect_texts(failure.body, failure.message)
    for way in find_named(texts, body):
        path = format_path(way)
        if (rule := _rule_at(path, refused)) is None:
            path = format_path(narrow_way(failure.message, body, way))
            rule = _rule_at(path, refused)
        return rule.where if rule is not None and inside(rule.where, path) else path, rule
    ways = [format_path(way) for way in find_hinted(failure.message, body)]
    for path in ways:  # of many places, one that breaks a rule is the surest
        if (rule := _rule_at(path, refused)) is not None:
            return rule.where, rule
    if ways:
        return ways[0], None
    only = len(refused) == 1
    rule = next((rule for rule in refused if _speaks(failure.message, rule, only=only)), None)
    return (rule.where if rule is not None else ""), rule


def _speaks(message: str, rule: Refusal, *, only: bool) -> bool:
    """Whether an error that names no place may mean the violation of this rule.

    If the violation is the `only` one, it does. For a rule about the whole request that is not
    enough: the error must contain words of the rule.
    """
    if rule.where != "$":
        return only
    message_words, rule_words = (
        set(_EXPLAIN_WORD.findall(text.lower())) - _USUAL for text in (message, rule.rule)
    )
    return len(message_words & rule_words) > 1


def _rule_at(path: str, refused: list[Refusal]) -> Refusal | None:
    """The violation at the path, below it, or of what contains it.

    A rule about the whole request contains every path and explains none.
    """
    for refusal in refused:
        if inside(refusal.where, path):
            return refusal
    around = [rule for rule in refused if rule.where != "$" and inside(path, rule.where)]
    return max(around, key=lambda rule: len(rule.where), default=None)
