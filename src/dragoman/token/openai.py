"""Tokens as OpenAI's models count them, by tiktoken and the documented prices of media and tools.

What a message costs beside its words is known from OpenAI's cookbook; the vocabulary is loaded
when it is first used. Knows formatted messages by shape, so it counts those of any wire.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from math import ceil
from typing import Any

from ..capabilities import bare
from ..errors import ConfigError
from .base import SumTokenCounter
from .chat import as_json, turns
from .hub import require
from .loading import Loading
from .media import Kind, Medium, estimates
from .openai_images import image_tokens
from .openai_tools import tools_tokens
from .payload import Payload
from .pixels import pixels
from .seconds import seconds
from .vocabulary import Encoding, encoding, encoding_name

__all__ = ["OpenAITokenCounter"]

# The cookbook's frame: <|start|>{role}<|message|>...<|end|>, a name, and the answer's beginning.
_MESSAGE = 3
_NAME = 1
_ANSWER = 3
_FUNCTION, _FUNCTION_CL100K = 7, 10
# What no document tells: the names that results carry, the wrapper of calls in one message, and
# what GPT-5 and later are told about tools on the chat API. By what the API counted in recorded
# traffic of 2024 to 2026, where it is right within a few tokens.
_RESULT, _RESULT_GPT_5 = 3, 9
_PARALLEL = 12
_CHAT_TOOLS_GPT_5 = 82
_UNSEEN = 1024  # the side of an image whose size the message does not tell
_PER_SECOND = 10  # a token of audio is 100 ms (OpenAI's guide to the costs of audio)


class OpenAITokenCounter(Loading, SumTokenCounter):
    """Counts for a model of OpenAI; one that tiktoken does not know with its newest vocabulary.

    `encoding` replaces the model's vocabulary: a name of tiktoken's, or an object that has
    `encode_ordinary`. Images cost what OpenAI documents for the model, their size and `detail`;
    one whose size the message does not tell (a URL, a file id) what 1,024 x 1,024 pixels cost.
    WAV and MP3 cost ten tokens a second. Other media, and kinds that `media_tokens` names, cost a
    flat figure.

    Raises ConfigError when it first counts if the vocabulary is not there and cannot be fetched.
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
            raise ConfigError(
                f"{type(encoding).__name__} is no encoding: it has no encode_ordinary method",
                hint="pass a name such as 'o200k_base', or what tiktoken.get_encoding gives",
                code="token.encoding",
            )
        self.model_name = model_name
        self.media_tokens = dict(media_tokens or {})
        self._flat = estimates(media_tokens)
        self._given = encoding
        generation = re.match(r"gpt-(\d+)", bare(model_name))
        self._since_gpt_5 = generation is not None and int(generation[1]) >= 5
        self._forget()

    @property
    def encoding(self) -> Encoding:
        """The vocabulary, loaded (and downloaded) at first use."""
        made: Encoding = self._once()
        return made

    def _load(self) -> Encoding:
        if self._given is None:
            return encoding(encoding_name(self.model_name))
        return encoding(self._given) if isinstance(self._given, str) else self._given

    async def count(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """The same as `count_sync`, in a worker thread: the first use may download."""
        return await asyncio.to_thread(self.count_sync, messages, tools, **kwargs)

    def count_message(self, message: dict[str, Any]) -> int:
        """The tokens of one formatted message, its calls, results, reasoning and media."""
        said, media = turns([message])
        total = sum(map(self._turn, said)) + sum(map(self._medium, media))
        return total + self._sealed(message)

    def overhead(self, tools: list[dict[str, Any]] | None = None) -> int:
        """The beginning of the answer, and the tool schemas."""
        if not tools:
            return _ANSWER
        old = getattr(self.encoding, "name", "") == "cl100k_base"
        each = _FUNCTION_CL100K if old else _FUNCTION
        chat = any(isinstance(tool.get("function"), dict) for tool in tools)
        told = _CHAT_TOOLS_GPT_5 if chat and self._since_gpt_5 else 0
        return _ANSWER + told + tools_tokens(tools, self._tokens, each)

    def _turn(self, turn: dict[str, Any]) -> int:
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
        said = call.get("function", call.get("custom", call)) if isinstance(call, dict) else call
        if not isinstance(said, dict):
            return _MESSAGE + self._tokens(as_json(said))
        arguments = said.get("arguments", said.get("input", ""))
        text = arguments if isinstance(arguments, str) else as_json(arguments)
        return _MESSAGE + self._tokens(f"functions.{said.get('name', '')}") + self._tokens(text)

    def _sealed(self, message: dict[str, Any]) -> int:
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
