"""Prices of images: the examples of OpenAI's documentation, and bills that users published."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.tokens.openai import image_tokens
from tests.each_case import each_case

MODELS = (
    "gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "o1", "o3", "o4-mini",
    "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5.1", "gpt-5.2", "gpt-5.4-mini", "gpt-5.5",
    "gpt-5.6-sol", "gpt-6-astra", "computer-use-preview", "somebody/else",
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "size", "detail", "figure"),
    [
        # printed in the guide, in this or an earlier edition
        pytest.param("gpt-4o", (1024, 1024), "high", 765, id="a square in tiles"),
        pytest.param("gpt-4o", (2048, 4096), "high", 1105, id="a tall one in tiles"),
        pytest.param("gpt-4o", (4096, 8192), "low", 85, id="low detail in tiles"),
        pytest.param("gpt-5.4", (1024, 1024), "high", 1229, id="a square in patches"),
        pytest.param("gpt-5.4", (2048, 2048), "high", 3000, id="one over the budget"),
        pytest.param("o4-mini", (1800, 2400), "high", 2498, id="1,452 patches"),  # x 1.72
        # bills that users published, less the text around the image
        pytest.param("gpt-4.1", (2049, 513), "high", 1445, id="a bill"),
        pytest.param("gpt-4.1", (2050, 513), "high", 765, id="a bill of a pixel more"),
        pytest.param("gpt-4.1-mini", (4000, 1474), "high", 2489, id="a bill in patches"),
        pytest.param("openai/gpt-4o-mini", (512, 512), "auto", 2833 + 5667, id="4o-mini"),
        pytest.param("gpt-4o-mini-2024-07-18", (10, 10), "low", 2833, id="4o-mini, low"),
        pytest.param("gpt-5", (1024, 1024), "high", 70 + 4 * 140, id="gpt-5"),
        pytest.param("gpt-5-2025-08-07", (1, 1), "low", 70, id="gpt-5 with a date"),
        pytest.param("gpt-5-mini", (32, 32), "auto", 2, id="one patch of gpt-5-mini"),
        pytest.param("gpt-5.1", (1, 1), "low", 70, id="gpt-5.1"),
        pytest.param("o3", (1, 1), "low", 75, id="o3"),
        pytest.param("gpt-5.5", (5000, 4000), "low", 250, id="16 x 13 patches"),
        pytest.param("gpt-5.6-sol", (4000, 2500), "auto", 11850, id="a bill without a budget"),
        pytest.param("gpt-6-astra", (4000, 2500), "high", 2949, id="63 x 39 patches"),
        # a published table of bills by size: 16:9 above 2048, and twelve megapixels
        pytest.param("gpt-6-astra", (2560, 1440), "high", 2931, id="16:9 above 2048"),
        pytest.param("gpt-6-astra", (3840, 2160), "high", 2931, id="four times as large"),
        pytest.param("gpt-6-astra", (4032, 3024), "high", 2942, id="twelve megapixels"),
        pytest.param("gpt-6-astra", (4032, 3024), "auto", 14364, id="all of them"),
        pytest.param("gpt-6.2-sol", (3840, 2160), "auto", 9792, id="of a newer model"),
        pytest.param("gpt-5.5", (4032, 3024), "auto", 11868, id="of an older one"),
        pytest.param("gpt-5.2", (4000, 4000), "high", 4916, id="a budget that never binds"),
    ],
)
def test_figures(model: str, size: tuple[int, int], detail: str, figure: int) -> None:
    assert image_tokens(model, *size, detail) == figure


# The tables of the guide once more: patches by detail (longest side, budget), or tiles.
SMALL = (2048, 1536)
WHOLE = (2048, 6144)
PATCHES = {
    "gpt-4.1-mini": ("1.62", {"low": WHOLE, "high": WHOLE, "auto": WHOLE}),
    "gpt-4.1-nano": ("2.46", {"high": SMALL, "auto": SMALL}),
    "o4-mini": ("1.72", {"high": SMALL, "auto": SMALL}),
    "gpt-5-mini": ("1.2", {"high": SMALL, "auto": SMALL}),
    "gpt-5-nano": ("1.5", {"high": SMALL, "auto": SMALL}),
    "gpt-5.2": ("1.2", {"low": WHOLE, "high": WHOLE, "auto": WHOLE}),
    "gpt-5.4": (
        "1.2",
        {"low": WHOLE, "high": (2048, 2500), "original": (6000, 10_000), "auto": (2048, 2500)},
    ),
    "gpt-5.5": (
        "1.2",
        {"low": (512, 0), "high": (2048, 2500), "original": (6000, 10_000), "auto": (6000, 10_000)},
    ),
    "gpt-5.6-luna": (
        "1.2",
        {"low": (512, 0), "high": (2048, 2500), "original": (65_535, 0), "auto": (65_535, 0)},
    ),
    "gpt-6-sol": (
        "1.2",
        {"low": (512, 0), "high": (65_535, 2500), "original": (65_535, 0), "auto": (65_535, 0)},
    ),
}
TILES = {
    "gpt-5": (70, 140), "gpt-5.1": (70, 140), "gpt-4o": (85, 170), "gpt-4.1": (85, 170),
    "gpt-4o-mini": (2833, 5667), "o1": (75, 150), "o1-pro": (75, 150), "o3": (75, 150),
    "computer-use-preview": (65, 129),
}  # fmt: skip


def documented(factor: str, side: int, budget: int, width: int, height: int) -> int:
    """The guide's steps A to D, in exact arithmetic but for its square root."""
    longest = max(width, height)
    if longest > side:
        width, height = (max(1, round(Fraction(x * side, longest))) for x in (width, height))
    patches = ceil(Fraction(width, 32)) * ceil(Fraction(height, 32))
    if budget and patches > budget:
        shrink = sqrt(1024 * budget / (width * height))
        shrink *= min(floor(x * shrink / 32) / (x * shrink / 32) for x in (width, height))
        width, height = (floor(x * shrink + 1e-6) for x in (width, height))
        patches = min(budget, ceil(Fraction(width, 32)) * ceil(Fraction(height, 32)))
    return ceil(patches * Fraction(factor))


SIZES = [(32, 33), (2049, 1), (2048, 2048), (4000, 3000), (6001, 1), (6400, 6400), (65_536, 64)]


@each_case("model", PATCHES)
@each_case("size", SIZES)
def test_every_row_of_patches(model: str, size: tuple[int, int]) -> None:
    factor, fits = PATCHES[model]
    for detail, fit in fits.items():
        assert image_tokens(model, *size, detail) == documented(factor, *fit, *size)


@pytest.mark.parametrize("model", TILES)
def test_every_row_of_tiles(model: str) -> None:
    base, tile = TILES[model]
    assert image_tokens(model, 4000, 3000, "low") == base
    for size, tiles in (((512, 512), 1), ((513, 512), 2), ((2048, 768), 8), ((768, 770), 4)):
        assert image_tokens(model, *size, "high") == base + tiles * tile
        assert image_tokens(model, *size) == base + tiles * tile


sides = st.integers(1, 70_000)


@given(st.sampled_from(MODELS), sides, sides, st.sampled_from(("low", "high", "original", "auto")))
def test_every_size_costs_something_and_the_same_when_turned(
    model: str, width: int, height: int, detail: str
) -> None:
    figure = image_tokens(model, width, height, detail)
    assert figure > 0
    assert abs(image_tokens(model, height, width, detail) - figure) <= 1


@given(st.sampled_from(("gpt-5.4", "gpt-5.5", "gpt-6-astra")), sides, sides)
def test_a_budget_holds(model: str, width: int, height: int) -> None:
    assert image_tokens(model, width, height, "high") <= 3000


@given(sides, sides)
def test_original_of_gpt_5_5_has_a_budget_too(width: int, height: int) -> None:
    assert image_tokens("gpt-5.5", width, height) <= 12_000
