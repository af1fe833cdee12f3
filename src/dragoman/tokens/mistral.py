"""The tokenizer of Mistral's current models, out of what mistral-common ships.

The library ships the vocabulary of 2024-09, which current models still read, in the frame of its
time; the frame of version 13 it has only as code. Both together count what the API counts, to the
token in most of its recorded answers of 2025 and 2026 (large, medium, small, ministral, images).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..caches import remember
from ..capabilities import bare
from ..errors import ConfigError
from ..text.json_text import JsonObject
from .base import Messages, Tools
from .chat_messages import Kind, Medium, as_json, function_tools, media_estimates, template_turns
from .loading import Loading, library, require
from .media_sizes import Payload, pixels

_HOME = "mistral_common.tokens.tokenizers"
_PROTOCOL = "mistral_common.protocol.instruct"
_VOCABULARY = "tekken_240911.json"
_VERSION = "v13"

# pixels of a patch, longest side, patches merged into a token: Mistral Small 3.1 and later
_IMAGE = (14, 1540, 2)

# Their template writes the reasoning effort before the first turn.
_WITH_SETTINGS = (
    *("mistral-small-latest", "mistral-small-26", "mistral-medium-latest"),
    *("mistral-medium-26", "mistral-medium-3-5"),
)

_SETTINGS = '{"reasoning_effort": "none"}'


@remember("the tokenizer of Mistral", entries=1, size=2**27)
def current() -> Any:
    """A MistralTokenizer of version 13 with the shipped vocabulary; one for all counters."""
    home, base = library(f"{_HOME}.mistral"), library(f"{_HOME}.base")
    tekken, instruct = library(f"{_HOME}.tekken"), library(f"{_HOME}.instruct")
    folder = Path(library("mistral_common").__file__).parent / "data"
    file = json.loads((folder / _VOCABULARY).read_text("utf-8"))
    special = list(tekken.Tekkenizer.DEPRECATED_SPECIAL_TOKENS)
    values = {token["token_str"] for token in special}
    for token in base.SpecialTokens:  # their numbers do not matter, a count needs that they exist
        if token.value not in values:
            special.append({"rank": len(special), "token_str": token.value, "is_control": True})
    tokenizer = tekken.Tekkenizer(
        vocab=file["vocab"],
        special_tokens=special,
        pattern=file["config"]["pattern"],
        vocab_size=file["config"]["default_vocab_size"],
        num_special_tokens=file["config"]["default_num_special_tokens"],
        version=base.TokenizerVersion(_VERSION),
        image_config=library(f"{_HOME}.image").ImageConfig(*_IMAGE),
    )
    validator = library(f"{_PROTOCOL}.validator")
    return home.MistralTokenizer(
        instruct.InstructTokenizerV13(
            tokenizer, image_encoder=home.load_image_encoder(tokenizer.image, tokenizer)
        ),
        validator=validator.get_validator(tokenizer.version, mode=validator.ValidationMode.test),
        request_normalizer=library(f"{_PROTOCOL}.normalize").get_normalizer(
            tokenizer.version, None
        ),
    )


_NO_ID = "000000000"
_FRAME = 2  # the tokens around reasoning, and around a model's settings


class MistralTokenCounter(Loading):
    """Counts with the tokenizer of a Mistral model, offline.

    Models of 2023 and 2024 have the tokenizers that mistral-common ships for them, later ones its
    newest vocabulary in today's frame. Nothing is downloaded. Images that the message carries cost
    their patches; other media a flat figure.

    Args:
        model_name: The model, as Mistral names it.
        tokenizer: Another tokenizer: the path of a tekken.json, or a MistralTokenizer; None takes
            the model's.
        media_tokens: Figures by kind of medium that replace the flat ones.
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
        self._flat = media_estimates(media_tokens)
        self._given = os.fspath(tokenizer) if isinstance(tokenizer, os.PathLike) else tokenizer
        self._forget()

    @property
    def tokenizer(self) -> Any:
        """The MistralTokenizer, loaded at first use."""
        return self._once()

    def _load(self) -> Any:
        if self._given is not None and not isinstance(self._given, str):
            return self._given
        module = library(f"{_HOME}.mistral")
        try:
            if self._given is not None:
                return module.MistralTokenizer.from_file(self._given)
            # the tokenizers that the library has for models of 2023 and 2024
            tokenizer_class = module.MODEL_NAME_TO_TOKENIZER_CLS.get(bare(self.model_name))
            return tokenizer_class() if tokenizer_class else current()
        except Exception as error:  # the library raises many kinds for a file that is no tokenizer
            text = f"no tokenizer of {self._given or self.model_name!r}: {error}"
            hint = "pass the path of the model's tekken.json as tokenizer="
            raise ConfigError(text, hint=hint, code="token.not_loaded") from error

    def count_sync(self, messages: Messages, tools: Tools = None, **kwargs: Any) -> int:
        """Tokens of the messages and tools as the model reads them; other keywords do nothing.

        Raises ConfigError if mistral-common cannot make a conversation of the messages.
        """
        turns, media = template_turns(messages)
        total = sum(map(self._medium, media)) + sum(map(self._reasoning, turns))
        views = function_tools(tools or [])
        functions = [view for view in views if "function" in view]
        others = [view for view in views if "function" not in view]
        total += sum(self.text_tokens(as_json(view)) for view in others)
        if not turns and not functions:
            return total
        if self._given is None and bare(self.model_name).startswith(_WITH_SETTINGS):
            total += _FRAME + self.text_tokens(_SETTINGS)
        messages = [_message(turn) for turn in turns if not _says_nothing(turn)]
        return total + self._conversation(messages, functions)

    def _conversation(self, messages: list[Any], functions: list[Any]) -> int:
        tokenizer = self.tokenizer
        instruct_tokenizer = tokenizer.instruct_tokenizer
        try:
            request = library(f"{_PROTOCOL}.request").ChatCompletionRequest(
                messages=messages or [{"role": "user", "content": ""}], tools=functions or None
            )
            # not encode_chat_completion: it refuses what is not ready to be answered, such as a
            # history that ends with the model's turn
            normalizer = library(f"{_PROTOCOL}.normalize").get_normalizer(
                tokenizer.version, instruct_tokenizer.tokenizer.model_settings_builder
            )
            instruct = normalizer.from_chat_completion_request(request)
            return len(instruct_tokenizer.encode_instruct(instruct).tokens)
        except (
            ValueError,
            AssertionError,
            library("mistral_common.exceptions").MistralCommonException,
        ) as error:
            text = f"mistral-common cannot count these messages: {error}"
            hint = "count messages as a formatter for Mistral or OpenAI's wire writes them"
            raise ConfigError(text, hint=hint, code="token.template") from error

    def _reasoning(self, turn: JsonObject) -> int:
        text = turn.get("reasoning_content")
        return _FRAME + self.text_tokens(text) if isinstance(text, str) and text else 0

    def text_tokens(self, text: str) -> int:
        """The tokens of a text alone."""
        return len(self.tokenizer.instruct_tokenizer.tokenizer.encode(text, bos=False, eos=False))

    def _medium(self, medium: Medium) -> int:
        if medium.kind in self.media_tokens or medium.kind != "image" or not medium.inline:
            return self._flat[medium.kind]
        size = pixels(Payload(medium.payload))
        encoder = self.tokenizer.instruct_tokenizer.image_encoder if size else None
        config = getattr(encoder, "image_config", None)
        return _patches(*size, config) if size and config else self._flat["image"]


def _patches(width: int, height: int, config: Any) -> int:
    """A token for each patch and one at the end of each row, as mistral-common encodes them."""
    ratio = max(width, height) / config.max_image_size
    if ratio > 1:
        width, height = (max(1, round(side / ratio)) for side in (width, height))
    patch: int = config.image_patch_size * config.spatial_merge_size
    return -(-height // patch) * (-(-width // patch) + 1)


def _says_nothing(turn: JsonObject) -> bool:
    """Whether an answer has no words and no calls beside what is counted apart."""
    content = turn["content"]
    text = any(content) if isinstance(content, list) else content
    return turn["role"] == "assistant" and not text and not turn.get("tool_calls")


def _message(turn: JsonObject) -> JsonObject:
    """A turn as mistral-common's request takes it: no names, and ids where there are none."""
    content = turn["content"]
    if isinstance(content, list):
        content = [{"type": "text", "text": text or ""} for text in content]
    message = {"role": turn["role"], "content": content}
    if message["role"] == "tool":
        message["tool_call_id"] = str(turn.get("tool_call_id") or _NO_ID)
        if isinstance(turn.get("name"), str):
            message["name"] = turn["name"]
    if calls := turn.get("tool_calls"):
        message["tool_calls"] = [_call(call) for call in calls]
    return message


def _call(call: Any) -> JsonObject:
    fields = call if isinstance(call, dict) else {}
    function = fields.get("function", fields)
    name, arguments = function.get("name", ""), function.get("arguments")
    text = arguments if isinstance(arguments, str) else as_json(arguments or {})
    id, spelled = str(fields.get("id") or _NO_ID), {"name": str(name), "arguments": text}
    return {"id": id, "type": "function", "function": spelled}
