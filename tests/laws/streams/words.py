"""What the made-up streams say: beyond ASCII, with what looks like framing, cut in odd places."""

from __future__ import annotations

from typing import Any

__all__ = ["ARGUMENTS", "TEXT", "THOUGHTS", "WORDS", "Event"]

Event = tuple[str | None, Any]

WORDS = (
    "Samarkand: ",
    "über ",
    "北京",
    " \U0001f54c\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\n\n data: x\r\n",
    "é" * 9,
)
THOUGHTS = ("Zuerst ", "überlegen - ", "然后")
ARGUMENTS = (
    '{"city": "Sama',
    'rkand", "note": "a\\',
    "n\\ud83d\\ude",
    '00 北京", "n": [1, {',
    '"x": null}]}',
)
TEXT = "".join(WORDS)
