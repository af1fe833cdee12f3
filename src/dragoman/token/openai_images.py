"""What OpenAI's models charge for an image: tiles of 512 pixels or patches of 32, by model.

Source: "Images and vision" of OpenAI's documentation (developers.openai.com/api/docs/guides/
images-vision), model sizing and cost tables as of October 2026; o4-mini and the small GPT-5
models, which those tables name with a factor only, keep the 1,536 patches of its edition of
March 2026, computer-use-preview its tiles. The documentation warns that bills may differ by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, sqrt

from ..capabilities import bare

__all__ = ["image_tokens"]


@dataclass(frozen=True, slots=True)
class _Fit:
    """The longest side that an image may have, and the patches; 0 is no limit of patches."""

    side: int
    patches: int = 0


@dataclass(frozen=True, slots=True)
class _Tiles:
    """A price for the image and one for each square of 512 pixels."""

    base: int
    tile: int


@dataclass(frozen=True, slots=True)
class _Patches:
    """Tokens of a patch of 32 x 32 pixels, and what each detail lets an image keep."""

    factor: float
    fits: Mapping[str, _Fit]


_SMALL = {"": _Fit(2048, 1536)}
_WHOLE = {"": _Fit(2048, 6144)}
_GPT_5_4 = {
    "low": _Fit(2048, 6144),
    "": _Fit(2048, 2500),
    "original": _Fit(6000, 10_000),
}
_GPT_5_5 = {"low": _Fit(512), "high": _Fit(2048, 2500), "": _Fit(6000, 10_000)}
_GPT_5_6 = {"low": _Fit(512), "high": _Fit(2048, 2500), "": _Fit(65_535)}

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
)
_GPT_5 = _Tiles(70, 140)
_NEWEST = _Patches(1.2, _GPT_5_6)  # GPT-5.6, and every model that has no row


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
        return _GPT_5
    return next((rule for starts, rule in _MODELS if name.startswith(starts)), _NEWEST)


def _tiles(rule: _Tiles, width: int, height: int, detail: str) -> int:
    if detail == "low":
        return rule.base
    width, height = _within(width, height, 2048)
    if (short := min(width, height)) > 768:
        width, height = (side * 768 // short for side in (width, height))
    return rule.base + rule.tile * ceil(width / 512) * ceil(height / 512)


def _patches(fit: _Fit, width: int, height: int) -> int:
    width, height = _within(width, height, fit.side)
    count = ceil(width / 32) * ceil(height / 32)
    if not fit.patches or count <= fit.patches:
        return count
    shrink = sqrt(32**2 * fit.patches / (width * height))
    # never below one patch: the longest side allowed takes fewer patches than any budget has
    wide, high = width * shrink / 32, height * shrink / 32
    shrink *= min(floor(wide) / wide, floor(high) / high)
    width, height = floor(width * shrink + 1e-6), floor(height * shrink + 1e-6)
    return min(fit.patches, ceil(width / 32) * ceil(height / 32))


def _within(width: int, height: int, side: int) -> tuple[int, int]:
    """The size scaled down to a longest side."""
    longest = max(width, height)
    if longest <= side:
        return width, height
    return max(1, round(width * side / longest)), max(1, round(height * side / longest))
