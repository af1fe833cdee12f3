"""How many tokens models take, in the tables that installed packages carry.

`genai-prices` (extra `prices`) has windows; litellm's table, which is read where it is installed
and never imported, has the longest answers, too. Nothing is looked up anywhere else.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ..caches import remember
from ..suggestions.keywords import VENDOR_SYNONYMS
from ..text.json_text import loads

_TABLE = "model_prices_and_context_window_backup.json"


class LimitEntry(NamedTuple):
    """The figures of one table for a model; None where it has none."""

    context_window: int | None
    max_output: int | None
    source: str


def find_entries(model: str, vendor: str, prices: str, url: str) -> list[LimitEntry]:
    """The entries of installed tables for a model at a vendor, the table of prices first.

    Args:
        model: The model, as the vendor names it.
        vendor: The vendor's name.
        prices: Its name in `genai-prices`, where it has one of its own there.
        url: Its base URL, by which that package knows it otherwise.
    """
    found = (_in_prices(model, prices, url), _in_litellm(model, vendor))
    return [entry for entry in found if entry is not None]


@remember("context windows in genai-prices", entries=256)
def _in_prices(model: str, prices: str, url: str) -> LimitEntry | None:
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        return None
    address = None if prices else re.sub(r"\{\w+\}", "x", url)
    try:
        _, row = get_snapshot().find_provider_model(model, None, prices or None, address)
    except LookupError:  # an unknown vendor or model
        return None
    return LimitEntry(_figure(row.context_window), None, "genai-prices")


@remember("windows and longest answers in litellm's table", entries=256)
def _in_litellm(model: str, vendor: str) -> LimitEntry | None:
    table = _litellm_table()
    names = (vendor, *(name for name, ours in VENDOR_SYNONYMS.items() if ours == vendor))
    for key in (*(f"{name}/{model}" for name in names), model):
        row = table.get(key)
        if row is not None and row[0] in names:
            return LimitEntry(row[1], row[2], "litellm's table")
    return None


@remember("litellm's table of windows and longest answers", entries=1, size=2**22)
def _litellm_table() -> dict[str, tuple[str, int | None, int | None]]:
    """Vendor, window (of the input, there) and longest answer, by key."""
    spec = find_spec("litellm")
    path = Path(spec.origin).with_name(_TABLE) if spec is not None and spec.origin else None
    if path is None or not path.is_file():
        return {}
    data: dict[str, dict[str, Any]] = loads(path.read_bytes())
    return {
        key: (
            str(row.get("litellm_provider")),
            _figure(row.get("max_input_tokens")),
            _figure(row.get("max_output_tokens")),
        )
        for key, row in data.items()
    }


def _figure(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None
