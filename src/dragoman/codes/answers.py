"""Codes of answers that are written for another client."""

from __future__ import annotations

from .code import Code

__all__ = ["ROWS"]

ROWS = (
    Code(
        "answer.unsaid",
        "dropped",
        "an answer of this wire has no place for it",
        fix="Keep the ChatResponse beside what was written, or answer over a wire that carries it.",
    ),
    Code(
        "answer.candidates",
        "dropped",
        "an answer of this wire has one candidate, and the first was written",
        fix="Ask for one candidate (`n=1`), or write each candidate as an answer of its own.",
    ),
    Code(
        "answer.field",
        "added",
        "a field that an answer of this wire must have and the source does not tell",
        fix="Nothing has to be done. Set `ChatResponse.id` or `.model` to have your own there.",
    ),
    Code(
        "answer.finish",
        "degraded",
        "this wire has no word for why the model stopped, so the nearest was written",
        fix="Nothing has to be done, unless the client branches on it: see `ChatResponse.finish`.",
    ),
    Code(
        "answer.usage",
        "dropped",
        "an answer of this wire has no place for this figure",
        fix="Take the figures from `ChatResponse.usage`.",
    ),
)
