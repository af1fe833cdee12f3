"""The sentence by which a protocol's clients recognise that the context is full.

Agents that read this sentence shorten the history and go on; other errors make them stop. So an
error that another provider words differently is sent with this sentence, followed by the original
message. Looked up in Claude Code 2.1.332, which searches for "prompt is too long" and the numbers
after it, and in Codex 0.171, which searches for OpenAI's code, on 2026-11-28.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..error_kinds.row import pattern
from ..errors import ProviderError, context_numbers


@dataclass(frozen=True, slots=True)
class OverflowWords:
    """The sentence of one protocol.

    Attributes:
        exact: The sentence with the numbers `{tokens}` and `{limit}`, or one of them.
        plain: The sentence without numbers.
        others: Further sentences that clients treat as the same error.
    """

    exact: str
    plain: str
    others: tuple[str, ...] = ()

    def matches(self, message: str) -> bool:
        """Whether clients of this protocol already recognise the message."""
        lowered = message.lower()
        sentences = (self.exact, *self.others)
        return any(pattern(text.lower()).search(lowered) is not None for text in sentences)

    def message(self, error: ProviderError) -> str:
        """Return the error's message in the words that clients of this protocol know.

        The original message follows after them. Other errors keep their message, and so does one
        that already has these words.
        """
        came = error.message
        if error.kind != "context_overflow" or self.matches(came):
            return came
        tokens, limit, output = context_numbers(error)
        if tokens is not None and limit is not None and tokens <= limit:
            # with the room that was reserved for the answer, the request was too long
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
