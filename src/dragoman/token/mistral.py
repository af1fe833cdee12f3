"""Tokens as Mistral's models read a conversation, by mistral-common, the maker's own library.

It ships tokenizers and knows how each generation frames turns, tools and calls. A template may
merge neighbours and moves the tools, so the count of a list is no sum. Knows messages by shape.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError
from .base import TokenCounterBase
from .chat import as_json, turns
from .hub import library, require
from .loading import Loading
from .media import Kind, Medium, estimates
from .mistral_tokenizer import current, settings, shipped
from .payload import Payload
from .pixels import pixels
from .schemas import function_tools

__all__ = ["MistralTokenCounter"]

_TOKENIZERS = "mistral_common.tokens.tokenizers.mistral"
_REQUEST = "mistral_common.protocol.instruct.request"
_NORMALIZE = "mistral_common.protocol.instruct.normalize"
_NO_ID = "000000000"
_FRAME = 2  # the tokens around reasoning, and around a model's settings


class MistralTokenCounter(Loading, TokenCounterBase):
    """Counts with the tokenizer of a Mistral model, offline.

    Models of 2023 and 2024 have the tokenizers that mistral-common ships for them, later ones its
    newest vocabulary in today's frame; `tokenizer` gives another: the path of a tekken.json, or a
    MistralTokenizer. Nothing is downloaded. Images that the message carries cost their patches;
    other media a flat figure, which `media_tokens` replaces.
    """

    def __init__(
        self,
        model_name: str,
        *,
        tokenizer: str | os.PathLike[str] | Any = None,
        media_tokens: Mapping[Kind, int] | None = None,
    ) -> None:
        require("MistralTokenCounter", "mistral_common")
        self.model_name = model_name
        self.media_tokens = dict(media_tokens or {})
        self._flat = estimates(media_tokens)
        self._given = os.fspath(tokenizer) if isinstance(tokenizer, os.PathLike) else tokenizer
        self._forget()

    @property
    def tokenizer(self) -> Any:
        """The MistralTokenizer, loaded at first use."""
        return self._once()

    def _load(self) -> Any:
        if self._given is not None and not isinstance(self._given, str):
            return self._given
        module = library(_TOKENIZERS)
        try:
            if self._given is not None:
                return module.MistralTokenizer.from_file(self._given)
            return shipped(self.model_name) or current()
        except Exception as error:  # the library raises many kinds for a file that is no tokenizer
            raise ConfigError(
                f"no tokenizer of {self._given or self.model_name!r}: {error}",
                hint="pass the path of the model's tekken.json as tokenizer=",
                code="token.not_loaded",
            ) from error

    async def count(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """The same as `count_sync`, in a worker thread: loading takes a second."""
        return await asyncio.to_thread(self.count_sync, messages, tools, **kwargs)

    def count_sync(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """Tokens of the messages and tools as the model reads them; other keywords do nothing.

        Raises ConfigError if mistral-common cannot make a conversation of the messages.
        """
        said, media = turns(messages)
        total = sum(map(self._medium, media)) + sum(map(self._reasoning, said))
        views = function_tools(tools or [])
        functions = [view for view in views if "function" in view]
        others = [view for view in views if "function" not in view]
        total += sum(self._text(as_json(view)) for view in others)
        if not said and not functions:
            return total
        if self._given is None and (told := settings(self.model_name)):
            total += _FRAME + self._text(told)
        messages = [_message(turn) for turn in said if not _says_nothing(turn)]
        return total + self._conversation(messages, functions)

    def _conversation(self, messages: list[Any], functions: list[Any]) -> int:
        tokenizer = self.tokenizer
        inner = tokenizer.instruct_tokenizer
        try:
            request = library(_REQUEST).ChatCompletionRequest(
                messages=messages or [{"role": "user", "content": ""}], tools=functions or None
            )
            # not encode_chat_completion: it refuses what is not ready to be answered, such as a
            # history that ends with the model's turn
            normalizer = library(_NORMALIZE).get_normalizer(
                tokenizer.version, inner.tokenizer.model_settings_builder
            )
            instruct = normalizer.from_chat_completion_request(request)
            return len(inner.encode_instruct(instruct).tokens)
        except (
            ValueError,
            AssertionError,
            library("mistral_common.exceptions").MistralCommonException,
        ) as error:
            raise ConfigError(
                f"mistral-common cannot count these messages: {error}",
                hint="count messages as a formatter for Mistral or OpenAI's wire writes them",
                code="token.template",
            ) from error

    def _reasoning(self, turn: dict[str, Any]) -> int:
        text = turn.get("reasoning_content")
        return _FRAME + self._text(text) if isinstance(text, str) and text else 0

    def _text(self, text: str) -> int:
        return len(self.tokenizer.instruct_tokenizer.tokenizer.encode(text, bos=False, eos=False))

    def _medium(self, medium: Medium) -> int:
        if medium.kind in self.media_tokens or medium.kind != "image" or not medium.inline:
            return self._flat[medium.kind]
        size = pixels(Payload(medium.payload))
        return self._patches(*size) if size else self._flat["image"]

    def _patches(self, width: int, height: int) -> int:
        """A token for each patch and one at the end of each row, as mistral-common encodes them."""
        encoder = self.tokenizer.instruct_tokenizer.image_encoder
        config = getattr(encoder, "image_config", None)
        if config is None:
            return self._flat["image"]
        ratio = max(width, height) / config.max_image_size
        if ratio > 1:
            width, height = (max(1, round(side / ratio)) for side in (width, height))
        patch: int = config.image_patch_size * config.spatial_merge_size
        return -(-height // patch) * (-(-width // patch) + 1)


def _says_nothing(turn: dict[str, Any]) -> bool:
    """Whether an answer has no words and no calls beside what is counted apart."""
    content = turn["content"]
    words = any(content) if isinstance(content, list) else content
    return turn["role"] == "assistant" and not words and not turn.get("tool_calls")


def _message(turn: dict[str, Any]) -> dict[str, Any]:
    """A turn as mistral-common's request takes it: no names, and ids where there are none."""
    content = turn["content"]
    if isinstance(content, list):
        content = [{"type": "text", "text": text or ""} for text in content]
    made = {"role": turn["role"], "content": content}
    if made["role"] == "tool":
        made["tool_call_id"] = str(turn.get("tool_call_id") or _NO_ID)
        if isinstance(turn.get("name"), str):
            made["name"] = turn["name"]
    if calls := turn.get("tool_calls"):
        made["tool_calls"] = [_call(call) for call in calls]
    return made


def _call(call: Any) -> dict[str, Any]:
    said = call.get("function", call) if isinstance(call, dict) else {}
    arguments = said.get("arguments")
    return {
        "id": str(call.get("id") or _NO_ID) if isinstance(call, dict) else _NO_ID,
        "type": "function",
        "function": {
            "name": str(said.get("name", "")),
            "arguments": arguments if isinstance(arguments, str) else as_json(arguments or {}),
        },
    }
