"""How a protocol's own provider says that a context is full: the sentence that its clients know.

Agents shorten a history and go on when they read it, and stop when they read another. So an error
that came in other words is told in these, with the words that came behind them. Looked up in
Claude Code 2.1.332, which looks for "prompt is too long" and the numbers behind it, and in Codex
0.171, which looks for OpenAI's code, on 2026-11-28.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..error_kinds.row import pattern
from ..errors import ProviderError, context_numbers


@dataclass(frozen=True, slots=True)
class OverflowWords:
    """The sentence of one protocol.

    Attributes:
        exact: With the numbers `{tokens}` and `{limit}`, or one of them.
        plain: Without numbers.
        others: Further sentences that mean the same to clients.
    """

    exact: str
    plain: str
    others: tuple[str, ...] = ()

    def matches(self, message: str) -> bool:
        """Whether clients know what a message means, as it came."""
        lowered = message.lower()
        sentences = (self.exact, *self.others)
        return any(pattern(text.lower()).search(lowered) is not None for text in sentences)

    def message(self, error: ProviderError) -> str:
        """The error's message, as clients of this protocol know it; what came stands behind.

        Another error keeps its message, and so does one that says it in these words already.
        """
        came = error.message
        if error.kind != "context_overflow" or self.matches(came):
            return came
        tokens, limit, output = context_numbers(error)
        if tokens is not None and limit is not None and tokens <= limit:
            # with the room that was asked for the answer it was too long
            tokens = tokens + output if output is not None else None
        text = self.exact
        for name, value in (("{tokens}", tokens), ("{limit}", limit)):
            if value is not None:
                text = text.replace(name, str(value))
        if "{" in text:
            if self.plain.lower() in came.lower():
                return came
            text = self.plain
        return f"{text} ({came})" if came else text
