"""The tokenizer of Mistral's current models, out of what mistral-common ships.

The library ships the vocabulary of 2024-09, which current models still read, in the frame of its
time; the frame of version 13 it has only as code. Both together count what the API counts, to the
token in most of its recorded answers of 2025 and 2026 (large, medium, small, ministral, images).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ..capabilities import bare
from .hub import library

__all__ = ["current", "settings", "shipped"]

_HOME = "mistral_common.tokens.tokenizers"
_PROTOCOL = "mistral_common.protocol.instruct"
_VOCABULARY = "tekken_240911.json"
_VERSION = "v13"
# pixels of a patch, longest side, patches merged into a token: Mistral Small 3.1 and later
_IMAGE = (14, 1540, 2)
# They are told their reasoning effort before the first turn.
_WITH_SETTINGS = (
    *("mistral-small-latest", "mistral-small-26", "mistral-medium-latest"),
    *("mistral-medium-26", "mistral-medium-3-5"),
)
_SETTINGS = '{"reasoning_effort": "none"}'


def shipped(model: str) -> Any:
    """The MistralTokenizer that the library has for a model of 2023 or 2024, else None."""
    made = library(f"{_HOME}.mistral").MODEL_NAME_TO_TOKENIZER_CLS.get(bare(model))
    return made() if made else None


def settings(model: str) -> str:
    """What a model is told beside the conversation, to be counted; mostly nothing."""
    return _SETTINGS if bare(model).startswith(_WITH_SETTINGS) else ""


@cache
def current() -> Any:
    """A MistralTokenizer of version 13 with the shipped vocabulary; one for all counters."""
    home, base = library(f"{_HOME}.mistral"), library(f"{_HOME}.base")
    tekken, instruct = library(f"{_HOME}.tekken"), library(f"{_HOME}.instruct")
    folder = Path(library("mistral_common").__file__).parent / "data"
    file = json.loads((folder / _VOCABULARY).read_text("utf-8"))
    special = list(tekken.Tekkenizer.DEPRECATED_SPECIAL_TOKENS)
    known = {token["token_str"] for token in special}
    for token in base.SpecialTokens:  # their numbers do not matter, a count needs that they exist
        if token.value not in known:
            special.append({"rank": len(special), "token_str": token.value, "is_control": True})
    made = tekken.Tekkenizer(
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
            made, image_encoder=home.load_image_encoder(made.image, made)
        ),
        validator=validator.get_validator(made.version, mode=validator.ValidationMode.test),
        request_normalizer=library(f"{_PROTOCOL}.normalize").get_normalizer(made.version, None),
    )
