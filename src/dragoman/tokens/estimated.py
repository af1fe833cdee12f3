"""EstimatedTokenCounter: close to what the maker counts, without its tokenizer and its network.

A request is counted as its maker counts it: the texts by a vocabulary, the frames of messages,
calls and results, tool schemas, pictures by the maker's formula. Each maker is a row; the figures
that no document gives were fitted to what APIs answered in recorded traffic of 2024 to 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

from ..capabilities import bare
from ..text.json_text import JsonObject
from .base import SumTokenCounter, Tools
from .chat_messages import Kind, Medium, as_json, function_tools, media_estimates, template_turns
from .media_sizes import Payload, pages, pixels, seconds
from .openai import OpenAITokenCounter, image_tokens
from .text_estimate import TextEstimate

_UNSEEN = 1024  # the side of an image whose size the message does not have


@dataclass(frozen=True, slots=True)
class Maker:
    """How a maker counts.

    Args:
        vocabulary: Which of the known vocabularies its tokenizer is nearest to.
        factor: What that one's figures are multiplied by.
        message: Tokens around a message.
        answer: Tokens of a request beside its messages.
        call: Tokens around a call.
        result: Tokens around a result, beside those of its message.
        tools: Tokens of the instructions that come with tools.
        tool: Tokens around each tool.
        schema: What a tool's JSON text is multiplied by, for makers that write it shorter.
        image: Tokens of a picture of so many pixels, asked for in such detail.
        audio: Tokens of a second.
        video: Tokens of a second.
        page: Tokens of a page of PDF.
        exact: Whether the vocabulary is the maker's own.
    """

    vocabulary: str
    factor: float = 1.0
    message: int = 4
    answer: int = 3
    call: int = 6
    result: int = 4
    tools: int = 40
    tool: int = 8
    schema: float = 1.0
    image: Callable[[str, int, int, str], int] | None = None
    audio: float = 25
    video: float = 300
    page: int = 1500
    exact: bool = False


# -- pictures --------------------------------------------------------------------------------------


def _patches(width: int, height: int, patch: int, side: int, most: int) -> int:
    """Squares of `patch` pixels, once a picture fits a longest side and `most` squares."""
    scale = min(1.0, side / max(width, height))
    count = ceil(width * scale / patch) * ceil(height * scale / patch)
    if count > most:
        scale *= sqrt(most / count)
        count = min(most, ceil(width * scale / patch) * ceil(height * scale / patch))
    return max(1, count)


def _claude(model: str, width: int, height: int, _detail: str) -> int:
    """Patches of 28 pixels. Before Opus 4.7 at most 1,568 of them; from Claude 5.5 sides of 2,000.

    Source: huggingface.co/datasets/JOHNISKING/image-token-cost, bills of 2026; Anthropic's
    documents say width x height / 750, which is within three tokens of a hundred of it.
    """
    if _is_new_claude(model):
        later = re.search(r"-5[-.][5-9]|-[6-9]\b", model)
        return _patches(width, height, 28, 2000 if later else 2576, 4784)
    return _patches(width, height, 28, 1568, 1568)


def _is_new_claude(model: str) -> bool:
    """Whether the model has the tokenizer and the eyes of Opus 4.7 and later."""
    return re.search(r"claude-(?:[a-z]+-)?(?:4[-.][789]|[5-9])(?!\d)", bare(model)) is not None


def _gemini(model: str, width: int, height: int, detail: str) -> int:
    """1,090 whatever the size since Gemini 3; before it 258 for each tile of 768 pixels.

    Source: Gemini API, Token counting, Media resolution (2026-11); the bills named above.
    """
    if not re.search(r"gemini-(?:1|2)[.-]|gemma", model):
        return {"low": 280, "medium": 560}.get(detail, 1090)
    if max(width, height) <= 384:
        return 258
    tile = max(256.0, min(768.0, min(width, height) / 1.5))
    return 258 * ceil(width / tile) * ceil(height / tile)


def _qwen(model: str, width: int, height: int, _detail: str) -> int:
    """Patches of 28 pixels, of 32 since Qwen3-VL; Alibaba Cloud Model Studio, Visual understanding.

    At most 1,280 of the small ones and 2,560 of the large ones, unless high resolution is asked.
    """
    old = re.search(r"qwen-?2|qvq|qwen-vl", model)
    patch, most = (28, 1280) if old else (32, 2560)
    return max(4, _patches(width, height, patch, 65_535, most)) + 2


def _pixtral(_model: str, width: int, height: int, _detail: str) -> int:
    """Patches of 28 pixels and an end of each row, sides of 1,540: as mistral-common counts."""
    scale = min(1.0, 1540 / max(width, height))
    width, height = max(1, round(width * scale)), max(1, round(height * scale))
    return ceil(height / 28) * (ceil(width / 28) + 1)


def _grok(_model: str, width: int, height: int, _detail: str) -> int:
    """256 for each tile of 448 pixels and one more, six at most; xAI docs, Image understanding."""
    return 256 * (min(6, ceil(width / 448) * ceil(height / 448)) + 1)


def _usual(_model: str, width: int, height: int, _detail: str) -> int:
    """Patches of 28 pixels, as most open models see."""
    return _patches(width, height, 28, 2048, 4096)


# -- makers ----------------------------------------------------------------------------------------

# all but the texts as OpenAITokenCounter has it
_OPENAI = Maker("o200k", exact=True, image=image_tokens)
_CL100K = Maker("cl100k", exact=True, image=image_tokens)
# Anthropic documents 346 tokens of instructions; answers of 2025 and 2026 count some 420
_CLAUDE = Maker(
    "claude",
    1.09,
    message=3,
    call=28,
    result=28,
    tools=420,
    tool=26,
    schema=0.9,
    image=_claude,
    page=3000,
)
_GEMINI = Maker(
    "o200k",
    1.05,
    message=0,
    answer=0,
    call=3,
    result=3,
    tools=5,
    tool=3,
    schema=0.5,
    image=_gemini,
    audio=32,
    video=290,
    page=258,
)
_TEMPLATE: dict[str, Any] = {"call": 14, "result": 8, "tools": 100}
_QWEN = Maker("qwen", message=5, image=_qwen, **_TEMPLATE)
_MISTRAL = Maker("tekken", message=2, answer=1, call=5, result=3, tools=2, tool=10, image=_pixtral)

# By the beginning of the bare name of the model, the first that fits.
_MAKERS: tuple[tuple[str, Maker], ...] = (
    (r"gpt-oss", Maker("o200k", message=4, answer=67, call=16, result=8, tools=10, schema=0.5)),
    (r"gpt-4(?!o|\.|-1)|gpt-3|text-|davinci", _CL100K),
    (r"gpt|o\d|chatgpt|codex|computer-use", _OPENAI),
    (r"claude|fable|mythos", _CLAUDE),
    (r"gemini|gemma|learnlm", _GEMINI),
    (r"qwen|qwq|qvq|mimo|tongyi", _QWEN),
    (
        r"(?:open-)?(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)|labs-",
        _MISTRAL,
    ),
    (r"deepseek", Maker("deepseek", message=1, call=40, result=30, tools=160)),
    (r"kimi|moonshot", Maker("deepseek", message=3, **_TEMPLATE)),
    (r"glm|chatglm", Maker("deepseek", message=2, answer=8, **_TEMPLATE)),
    # it has instructions of its own before the first message
    (r"grok", Maker("o200k", answer=120, call=25, result=15, image=_grok)),
    (r"llama|hermes|nemotron", Maker("cl100k", message=5, **_TEMPLATE)),
    (r"nova", Maker("cl100k", call=40, result=30, tools=250)),
)
_OTHER = Maker("o200k")


def maker_row(model: str) -> Maker:
    """How the maker of a model counts; a row of the usual for a maker that is not known."""
    name = bare(model)
    return next((row for pattern, row in _MAKERS if re.match(pattern, name)), _OTHER)


class EstimatedTokenCounter(SumTokenCounter):
    """Estimates the tokens of a request to a model, offline, by no tokenizer.

    Within a tenth of the real count of whole histories in English, Chinese, source code and JSON,
    with tools; less close in other languages and in a few words. `docs/histories.md` has the
    figures. Pictures, sound and pages whose bytes are there cost what the maker documents; media
    of unknown size a flat figure.

    Args:
        model_name: The model, as its host names it; the usual row of makers if it is empty.
        media_tokens: Figures by kind of medium that replace the usual ones: `{"image": 800}`.

    >>> EstimatedTokenCounter("claude-opus-5-5").count_sync([{"role": "user", "content": "Hi!"}])
    8
    """

    is_estimate = True

    def __init__(
        self, model_name: str = "", *, media_tokens: Mapping[Kind, int] | None = None
    ) -> None:
        self.model_name = model_name
        self.media_tokens = dict(media_tokens or {})
        self._flat = media_estimates(media_tokens)
        self.maker = maker_row(model_name)
        self._tokens = self._vocabulary()
        self._openai = self._build_framing_counter()

    def _vocabulary(self) -> Callable[[str], float]:
        """What counts a text."""
        return TextEstimate(self.maker.vocabulary, self.maker.factor).tokens

    def _build_framing_counter(self) -> OpenAITokenCounter | None:
        """What counts for a model of OpenAI all but the texts."""
        if not self.maker.exact:
            return None
        lengths = _Lengths(self.maker.vocabulary, self._tokens)
        return OpenAITokenCounter(self.model_name, encoding=lengths, media_tokens=self.media_tokens)

    def __getstate__(self) -> JsonObject:
        """Without the vocabulary, which a copy makes anew."""
        aside = ("_tokens", "_openai")
        return {name: value for name, value in self.__dict__.items() if name not in aside}

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._tokens = self._vocabulary()
        self._openai = self._build_framing_counter()

    def count_message(self, message: JsonObject) -> int:
        """The tokens of one formatted message, its calls, results, reasoning and media."""
        if self._openai is not None:
            return self._openai.count_message(message)
        turns, media = template_turns([message])
        total = sum(map(self._turn, turns)) + sum(map(self._medium, media))
        return round(total)

    def overhead(self, tools: Tools = None) -> int:
        """Count what a request takes beside its messages, and the tool schemas.

        Args:
            tools: The tool schemas as they go to the provider; None counts no tools.

        Returns:
            The number of tokens.
        """
        if self._openai is not None:
            return self._openai.overhead(tools)
        maker = self.maker
        if not tools:
            return maker.answer
        views = function_tools(tools)
        schemas = sum(maker.tool + maker.schema * self._tokens(_schema(view)) for view in views)
        return maker.answer + maker.tools + round(schemas)

    def _turn(self, turn: JsonObject) -> float:
        content = turn["content"]
        texts = [
            *(content if isinstance(content, list) else [content]),
            turn.get("reasoning_content"),
            turn.get("name"),
        ]
        total = self.maker.message + sum(
            self._tokens(text) for text in texts if isinstance(text, str)
        )
        if turn["role"] == "tool":
            total += self.maker.result
        return total + sum(map(self._call, turn.get("tool_calls") or ()))

    def _call(self, call: Any) -> float:
        """A call as a model writes it: a frame, the function's name, the arguments; no ids."""
        function = (
            call.get("function", call.get("custom", call)) if isinstance(call, dict) else call
        )
        if not isinstance(function, dict):
            return self.maker.call + self._tokens(as_json(function))
        arguments = function.get("arguments", function.get("input", ""))
        text = arguments if isinstance(arguments, str) else as_json(arguments)
        return self.maker.call + self._tokens(f"{function.get('name', '')}") + self._tokens(text)

    def _medium(self, medium: Medium) -> int:
        if medium.kind in self.media_tokens:
            return self.media_tokens[medium.kind]
        payload, maker = Payload(medium.payload if medium.inline else None), self.maker
        if medium.kind == "image":
            width, height = pixels(payload) or (_UNSEEN, _UNSEEN)
            size = maker.image or _usual
            return size(self.model_name, width, height, medium.detail or "auto")
        if medium.kind == "audio" and (length := seconds(payload)) is not None:
            return ceil(length * maker.audio)
        if medium.kind == "document" and (count := pages(payload)):
            return count * maker.page
        return self._flat[medium.kind]


class _Lengths:
    """An encoding for OpenAITokenCounter that gives as many tokens as an estimate."""

    def __init__(self, vocabulary: str, tokens: Callable[[str], float]) -> None:
        self.name = f"{vocabulary}_base"
        self._count = tokens

    def encode_ordinary(self, text: str) -> Any:
        """As many numbers as the text has tokens."""
        return range(round(self._count(text)))


def _schema(view: JsonObject) -> str:
    function = view.get("function")
    return as_json(function if isinstance(function, dict) else view)
