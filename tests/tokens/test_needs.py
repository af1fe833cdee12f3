"""What each counter needs is loaded when it counts, and asked for by name when it is missing."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

from dragoman.errors import ConfigError
from dragoman.tokens import (
    AnthropicTokenCounter,
    GeminiTokenCounter,
    MistralTokenCounter,
    OpenAITokenCounter,
    TokenCounterBase,
)
from dragoman.tokens import loading as hub

NEEDS: list[tuple[type[TokenCounterBase], str, str]] = [
    (OpenAITokenCounter, "tiktoken", "tokens"),
    (MistralTokenCounter, "mistral_common", "tokens"),
    (AnthropicTokenCounter, "anthropic", "anthropic"),
    (GeminiTokenCounter, "google.genai", "gemini"),
]


@pytest.mark.parametrize(("kind", "package", "extra"), NEEDS)
@pytest.mark.parametrize("whole", [True, False])
def test_a_missing_library_is_named_with_the_extra_that_brings_it(
    kind: Any, package: str, extra: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(name: str) -> Any:
        if name != package:
            return find_spec(name)
        if whole and "." in name:  # nor is what it stands in
            raise ModuleNotFoundError(name)
        return None

    monkeypatch.setattr(hub, "find_spec", without)
    with pytest.raises(ConfigError, match=rf"{kind.__name__} needs {package} .*\[{extra}\]"):
        kind("model")


def test_an_encoding_of_ones_own_needs_no_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bytes:
        def encode_ordinary(self, text: str) -> list[int]:
            return list(text.encode())

    monkeypatch.setattr(hub, "find_spec", lambda _name: None)
    counter = OpenAITokenCounter("gpt-5.6", encoding=Bytes())
    assert counter.count_sync([{"role": "user", "content": "abc"}]) == 3 + 3 + 4 + 3


MADE = """
import sys
from dragoman.tokens import *
counters = [
    AnthropicTokenCounter("m"), GeminiTokenCounter("m"), MistralTokenCounter("m"),
    OpenAITokenCounter("m"), CachedTokenCounter(CharTokenCounter()),
]
heavy = {"anthropic", "google.genai", "mistral_common", "tiktoken", "httpx2", "PIL", "numpy"}
print(sorted(heavy & set(sys.modules)))
"""


def test_making_a_counter_loads_nothing() -> None:
    ran = subprocess.run([sys.executable, "-c", MADE], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
