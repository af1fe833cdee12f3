"""Which of OpenAI's vocabularies a model reads, and tiktoken's encoding of it, loaded on use.

tiktoken ships no vocabulary: it downloads one at its first use and keeps it in a folder. Where
there is no network the file has to be put there, and the error says how.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from math import ceil, floor, sqrt
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..capabilities import bare
from ..errors import ConfigError
from ..text.json_text import JsonObject
from .base import SumTokenCounter, Tools
from .chat_messages import Kind, Medium, as_json, function_tools, media_estimates, template_turns
from .loading import Loading, library, require
from .media_sizes import Payload, pixels, seconds

NEWEST = "o200k_base"  # of every model since GPT-4o; what a model unknown to tiktoken is read with
FILES = "https://openaipublic.blob.core.windows.net/encodings/"

# o200k_harmony is o200k_base with other special tokens, which no message can contain.
_SAME_FILE = {"o200k_harmony": "o200k_base", "p50k_edit": "p50k_base"}


class Encoding(Protocol):
    """What is needed of an encoding: tiktoken's, or that of a library like it."""

    def encode_ordinary(self, text: str) -> list[int]:
        """The tokens of a text, what looks like a special token in it taken as text."""
        ...


def encoding_name(model: str) -> str:
    """The vocabulary of a model by tiktoken's table; of an unknown one the newest."""
    table = library("tiktoken.model")
    try:
        return str(table.encoding_name_for_model(bare(model)))
    except KeyError:
        return NEWEST


def encoding(name: str) -> Encoding:
    """The encoding of tiktoken; raises ConfigError if there is no vocabulary, here or to fetch."""
    tiktoken = library("tiktoken")
    if name not in tiktoken.list_encoding_names():
        hint = f"it has {', '.join(tiktoken.list_encoding_names())}"
        raise ConfigError(f"tiktoken has no encoding {name!r}", hint=hint, code="token.encoding")
    try:
        vocabulary: Encoding = tiktoken.get_encoding(name)
    except (OSError, ValueError) as error:  # requests' errors are OSError; ValueError: a bad file
        text = f"tiktoken cannot load the vocabulary {name}: {type(error).__name__}: {error}"
        raise ConfigError(text, hint=_offline(name), code="token.no_vocabulary") from error
    return vocabulary


def _offline(name: str) -> str:
    url = f"{FILES}{_SAME_FILE.get(name, name)}.tiktoken"
    # the name that tiktoken.load gives its copy
    copy = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    return (
        f"without a network fetch {url} elsewhere, put it as {copy} into a folder, and name "
        "that folder in the environment variable TIKTOKEN_CACHE_DIR; or give the counter an "
        "encoding= that ships its vocabulary"
    )


class _Fit(NamedTuple):
    """The longest side that an image may have, and the patches; 0 is no limit of patches."""

    side: int
    patches: int = 0


class _Tiles(NamedTuple):
    """A price for the image and one for each square of 512 pixels."""

    base: int
    tile: int


class _Patches(NamedTuple):
    """Tokens of a patch of 32 x 32 pixels, and what each detail lets an image keep."""

    factor: float
    fits: Mapping[str, _Fit]


_SMALL = {"": _Fit(2048, 1536)}
_WHOLE = {"": _Fit(2048, 6144)}

_GPT_5_4 = {"low": _Fit(2048, 6144), "": _Fit(2048, 2500), "original": _Fit(6000, 10_000)}

_GPT_5_5 = {"low": _Fit(512), "high": _Fit(2048, 2500), "": _Fit(6000, 10_000)}
_GPT_5_6 = {"low": _Fit(512), "high": _Fit(2048, 2500), "": _Fit(65_535)}
# no longest side at high detail: huggingface.co/datasets/JOHNISKING/image-token-cost, bills of 2026
_GPT_6 = {**_GPT_5_6, "high": _Fit(65_535, 2500)}

# By the beginning of the bare model name, the first that fits; "" is any detail not named.
_MODELS: tuple[tuple[tuple[str, ...], _Tiles | _Patches], ...] = (
    (("gpt-4o-mini",), _Tiles(2833, 5667)),
    (("gpt-4.1-mini",), _Patches(1.62, _WHOLE)),
    (("gpt-4.1-nano",), _Patches(2.46, _SMALL)),
    (("o4-mini",), _Patches(1.72, _SMALL)),
    (("o1", "o3"), _Tiles(75, 150)),
    (("gpt-4", "gpt-3", "chatgpt-4o"), _Tiles(85, 170)),
    (("computer-use",), _Tiles(65, 129)),
    (("gpt-5-nano",), _Patches(1.5, _SMALL)),
    (("gpt-5-mini", "gpt-5-codex-mini", "gpt-5.1-codex-mini"), _Patches(1.2, _SMALL)),
    (("gpt-5.2", "gpt-5.3"), _Patches(1.2, _WHOLE)),
    (("gpt-5.4",), _Patches(1.2, _GPT_5_4)),
    (("gpt-5.5",), _Patches(1.2, _GPT_5_5)),
    (("gpt-5.1", "gpt-5-"), _Tiles(70, 140)),
    (("gpt-5.",), _Patches(1.2, _GPT_5_6)),
)

_NEWEST = _Patches(1.2, _GPT_6)  # GPT-6, and every model that has no row


def image_tokens(model: str, width: int, height: int, detail: str = "auto") -> int:
    """Tokens of an image of so many pixels; `detail` is low, high, original or auto.

    >>> image_tokens("gpt-4o", 1024, 1024)
    765
    >>> image_tokens("gpt-5.4", 2048, 2048, "high")
    3000
    """
    rule = _rule(bare(model))
    if isinstance(rule, _Tiles):
        return _tiles(rule, width, height, detail)
    fit = rule.fits.get(detail, rule.fits[""])
    # a factor such as 1.2 is not exact in binary: 1,000 patches are 1,200 tokens, not 1,201
    return ceil(round(_patches(fit, width, height) * rule.factor, 6))


def _rule(name: str) -> _Tiles | _Patches:
    if name == "gpt-5":
        return _Tiles(70, 140)
    return next((rule for starts, rule in _MODELS if name.startswith(starts)), _NEWEST)


def _tiles(rule: _Tiles, width: int, height: int, detail: str) -> int:
    if detail == "low":
        return rule.base
    width, height = _within(width, height, 2048)
    if (shortest := min(width, height)) > 768:
        width, height = (side * 768 // shortest for side in (width, height))
    return rule.base + rule.tile * ceil(width / 512) * ceil(height / 512)


def _patches(fit: _Fit, width: int, height: int) -> int:
    width, height = _within(width, height, fit.side)
    count = ceil(width / 32) * ceil(height / 32)
    if not fit.patches or count <= fit.patches:
        return count
    shrink = sqrt(32**2 * fit.patches / (width * height))
    # never below one patch: the longest side allowed takes fewer patches than any budget has
    columns, rows = width * shrink / 32, height * shrink / 32
    shrink *= min(floor(columns) / columns, floor(rows) / rows)
    width, height = floor(width * shrink + 1e-6), floor(height * shrink + 1e-6)
    return min(fit.patches, ceil(width / 32) * ceil(height / 32))


def _within(width: int, height: int, side: int) -> tuple[int, int]:
    """The size scaled down to a longest side."""
    longest = max(width, height)
    if longest <= side:
        return width, height
    return max(1, round(width * side / longest)), max(1, round(height * side / longest))


Tokens: TypeAlias = Callable[[str], int]
_PROPERTIES, _PROPERTY, _ENUM, _ENUM_ITEM, _END = 3, 3, -3, 3, 12
_DEPTH = 12  # a schema may hold itself by $ref, but never by nesting; this is a guard


def tools_tokens(tools: list[JsonObject], tokens: Tokens, each: int) -> int:
    """Tokens of the schemas; `each` is what a function costs before its first word."""
    return _END + sum(_tool(view, tokens, each) for view in function_tools(tools))


def _tool(view: JsonObject, tokens: Tokens, each: int) -> int:
    function = view.get("function")
    if not isinstance(function, dict):  # a server tool, or one that takes free text
        return each + tokens(as_json(view))
    words = f"{function.get('name', '')}:{_sentence(function.get('description'))}"
    return each + tokens(words) + _schema(function.get("parameters"), tokens, _DEPTH)


def _schema(schema: Any, tokens: Tokens, depth: int) -> int:
    """What is declared inside a schema: its properties, and those of its items and choices."""
    if not isinstance(schema, dict) or not depth:
        return 0
    total = 0
    if isinstance(properties := schema.get("properties"), dict) and properties:
        total += _PROPERTIES
        total += sum(_property(key, value, tokens, depth) for key, value in properties.items())
    parts = [schema.get("items"), schema.get("additionalProperties")]
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if isinstance(choices := schema.get(key), list):
            parts += choices
    for key in ("$defs", "definitions"):
        if isinstance(definitions := schema.get(key), dict):
            parts += definitions.values()
    return total + sum(_schema(part, tokens, depth - 1) for part in parts)


def _property(key: str, schema: Any, tokens: Tokens, depth: int) -> int:
    if not isinstance(schema, dict):
        return _PROPERTY + tokens(f"{key}::")
    total = _PROPERTY
    if isinstance(choices := schema.get("enum"), list):
        texts = [item if isinstance(item, str) else as_json(item) for item in choices]
        total += _ENUM + sum(_ENUM_ITEM + tokens(text) for text in texts)
    kind = schema.get("type", "")
    kind = "|".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    total += tokens(f"{key}:{kind}:{_sentence(schema.get('description'))}")
    return total + _schema(schema, tokens, depth - 1)


def _sentence(description: Any) -> str:
    """A description as the cookbook counts it: without its last full stop."""
    return str(description or "").removesuffix(".")


# The cookbook's frame: <|start|>{role}<|message|>...<|end|>, a name, and the answer's beginning.
_MESSAGE = 3
_NAME = 1
_ANSWER = 3
_FUNCTION, _FUNCTION_CL100K = 7, 10

# What no document gives: the names that results carry, the wrapper of calls in one message, and
# the instructions about tools that GPT-5 and later get on the chat API. By what the API counted in
# recorded traffic of 2024 to 2026, where it is right within a few tokens.
_RESULT, _RESULT_GPT_5 = 3, 9
_PARALLEL = 12
_CHAT_TOOLS_GPT_5 = 82
_UNSEEN = 1024  # the side of an image whose size the message does not have
_PER_SECOND = 10  # a token of audio is 100 ms (OpenAI's guide to the costs of audio)


class OpenAITokenCounter(Loading, SumTokenCounter):
    """Counts for a model of OpenAI; one that tiktoken does not know with its newest vocabulary.

    Images cost what OpenAI documents for the model, their size and `detail`; one whose size is
    unknown (a URL, a file id) what 1,024 x 1,024 pixels cost. WAV and MP3 cost ten tokens a
    second. Other media, and kinds that `media_tokens` names, cost a flat figure.

    Args:
        model_name: The model, as OpenAI names it.
        encoding: The vocabulary: a name of tiktoken's, or an object that has `encode_ordinary`;
            None takes the model's.
        media_tokens: Flat figures by kind of medium.

    Raises:
        ConfigError: `encoding` cannot encode; at the first count, if the vocabulary is not
            installed and cannot be fetched.
    """

    def __init__(
        self,
        model_name: str,
        *,
        encoding: str | Encoding | None = None,
        media_tokens: Mapping[Kind, int] | None = None,
    ) -> None:
        if encoding is None or isinstance(encoding, str):
            require("OpenAITokenCounter", "tiktoken")
        elif not callable(getattr(encoding, "encode_ordinary", None)):
            text = f"{type(encoding).__name__} is no encoding: it has no encode_ordinary method"
            hint = "pass a name such as 'o200k_base', or what tiktoken.get_encoding gives"
            raise ConfigError(text, hint=hint, code="token.encoding")
        self.model_name = model_name
        self.media_tokens = dict(media_tokens or {})
        self._flat = media_estimates(media_tokens)
        self._given = encoding
        generation = re.match(r"gpt-(\d+)", bare(model_name))
        self._since_gpt_5 = generation is not None and int(generation[1]) >= 5
        self._forget()

    @property
    def encoding(self) -> Encoding:
        """The vocabulary, loaded (and downloaded) at first use."""
        vocabulary: Encoding = self._once()
        return vocabulary

    def _load(self) -> Encoding:
        if self._given is None:
            return encoding(encoding_name(self.model_name))
        return encoding(self._given) if isinstance(self._given, str) else self._given

    def count_message(self, message: JsonObject) -> int:
        """The tokens of one formatted message, its calls, results, reasoning and media."""
        turns, media = template_turns([message])
        total = sum(map(self._turn, turns)) + sum(map(self._medium, media))
        return total + self._count_sealed(message)

    def overhead(self, tools: Tools = None) -> int:
        """Count the beginning of the answer, and the tool schemas.

        Args:
            tools: The tool schemas as they go to the provider; None counts no tools.

        Returns:
            The number of tokens.
        """
        if not tools:
            return _ANSWER
        is_cl100k = getattr(self.encoding, "name", "") == "cl100k_base"
        each = _FUNCTION_CL100K if is_cl100k else _FUNCTION
        chat = any(
            isinstance(view.get("function"), dict) for view in tools if isinstance(view, dict)
        )
        instructions = _CHAT_TOOLS_GPT_5 if chat and self._since_gpt_5 else 0
        return _ANSWER + instructions + tools_tokens(tools, self._tokens, each)

    def _turn(self, turn: JsonObject) -> int:
        content = turn["content"]
        texts = [turn["role"], turn.get("reasoning_content")]
        texts += content if isinstance(content, list) else [content]
        total = _MESSAGE + sum(self._tokens(text) for text in texts if isinstance(text, str))
        if isinstance(name := turn.get("name"), str):
            total += _NAME + self._tokens(name)
        if turn["role"] == "tool":
            total += _RESULT_GPT_5 if self._since_gpt_5 else _RESULT
        calls = turn.get("tool_calls") or ()
        if len(calls) > 1 and not self._since_gpt_5:
            total += _PARALLEL
        return total + sum(map(self._call, calls))

    def _call(self, call: Any) -> int:
        """A call as a model writes it: a frame, the function's name, the arguments; no ids."""
        function = call
        if isinstance(call, dict):
            function = call.get("function", call.get("custom", call))
        if not isinstance(function, dict):
            return _MESSAGE + self._tokens(as_json(function))
        arguments = function.get("arguments", function.get("input", ""))
        text = arguments if isinstance(arguments, str) else as_json(arguments)
        return _MESSAGE + self._tokens(f"functions.{function.get('name', '')}") + self._tokens(text)

    def _count_sealed(self, message: JsonObject) -> int:
        """Reasoning that only OpenAI can read: by its length, as the Codex client estimates it."""
        sealed = message.get("encrypted_content")
        if not isinstance(sealed, str):
            return 0
        return max(0, len(sealed) * 3 // 4 - 650) // 4

    def _medium(self, medium: Medium) -> int:
        if medium.kind in self.media_tokens:
            return self.media_tokens[medium.kind]
        payload = Payload(medium.payload if medium.inline else None)
        if medium.kind == "image":
            width, height = pixels(payload) or (_UNSEEN, _UNSEEN)
            return image_tokens(self.model_name, width, height, medium.detail or "auto")
        if medium.kind == "audio" and (length := seconds(payload)) is not None:
            return ceil(length * _PER_SECOND)
        return self._flat[medium.kind]

    def _tokens(self, text: str) -> int:
        return len(self.encoding.encode_ordinary(text))
