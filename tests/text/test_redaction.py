"""What may be shown of somebody's words: capped texts, veiled base64, short paths."""

from __future__ import annotations

import base64
import random
from typing import Any

import pytest

from dragoman.message import Base64Source, ThinkingBlock
from dragoman.text.redaction import CAP, clip_text, mask, shorten_path, show
from tests.redaction.planted import BASE64, LONG, SECRET, leaks


@pytest.mark.parametrize("most", [4, 12, CAP])
def test_texts_are_clipped(most: int) -> None:
    for text in (*LONG, "x" * 5_000, "see " + BASE64, "a b " * 90 + BASE64, "", "Where is Paris?"):
        said = clip_text(text, most)
        assert len(said) <= most
        assert leaks(said) == []
    assert clip_text("Where is Paris?") == "Where is Paris?"
    assert clip_text(SECRET).startswith("secret0000 secret0001")


def test_whole_texts_are_veiled() -> None:
    assert mask(f"before {BASE64} after") == "before <opaque text> after"
    for text in ("get_the_weather_of_tomorrow_in_the_city_of_paris", "call_0c9a2f1e-7d35-4f7b-9a2e",
                 "/home/Friday/2026/holiday/in/Paris/pictures/of/the/tower.png"):  # fmt: skip
        assert mask(text) == text
    assert mask("EqQBCkgIARABGAIiQL8v3Ac9dQ7bT1xSgkUzNfR0") == "<opaque text>"


def test_paths_are_shortened() -> None:
    short = "$.messages[3].content[0].source"
    assert shorten_path(short) == short
    assert leaks(shorten_path(f"$.messages[0].content[0].input.{SECRET}.a")) == []
    assert shorten_path(f"$.a.{BASE64}.b") == "$.a.<opaque text>.b"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("x", "'x'"),
        (7, "7"),
        (None, "None"),
        ([1, {"a": "b"}], "[1, {'a': 'b'}]"),
        (b"abc", "<3 bytes>"),
        ([[[[[[[[1]]]]]]]], "[[[[[[[...]]]]]]]"),
        (list(range(1_000)), None),
        ({str(n): n for n in range(1_000)}, None),
    ],
)
def test_values_are_shown(value: object, said: str | None) -> None:
    assert len(show(value)) < 4 * CAP
    assert said is None or show(value) == said


def test_a_huge_integer_is_shown() -> None:
    assert show(10**5_000) == "<an integer of 16610 bits>"


def test_a_list_that_holds_itself_is_shown() -> None:
    own: list[Any] = []
    own.append(own)
    assert show(own).startswith("[[[")


def test_sealed_fields_show_their_length_alone() -> None:
    assert repr(Base64Source("image/png", "QUJD")) == (
        "Base64Source(media_type='image/png', data=<4 characters>)"
    )
    assert repr(ThinkingBlock("Hm.", "c2ln")) == (
        "ThinkingBlock(thinking='Hm.', signature=<4 characters>)"
    )


@pytest.mark.parametrize("text", [
    "/tmp/pytest-of-user/pytest-0/popen-gw0/test_a_tokenizer_that_cannot_be_built0/Model-7B",
    "https://example.com/v1/projects/my-project/locations/us-central1/models/Gemini-3-Pro",
])  # fmt: skip
def test_a_long_path_is_told(text: str) -> None:
    assert mask(f"no tokenizer of {text}") == f"no tokenizer of {text}"


@pytest.mark.parametrize("form", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_veiled_whatever_its_signs(form: Any) -> None:
    for seed in range(300):
        said = form(random.Random(seed).randbytes(60)).decode()  # eighty signs
        assert said[20:60] not in mask(f"see {said} there"), said
