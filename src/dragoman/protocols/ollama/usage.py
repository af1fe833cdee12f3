"""Token counts of an answer: the fields that have them."""

from __future__ import annotations

COUNTS = {"prompt_eval_count": "input", "eval_count": "output"}
