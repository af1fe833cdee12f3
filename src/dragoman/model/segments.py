"""Answers in several bodies: the provider gives a token, with which it sends the rest.

Gemini 4 ends a body after 32,768 tokens, a streamed one after 65,536 (`CONTINUATION`; an
interaction `requires_continuation`). Google's SDK sends the request again with the token until the
model has ended, and returns one answer with the usage of all (google-genai 3.6.1,
`merge_continuation_responses`, `merge_unary_hops`; looked up 2026-11-28). This module does the
same, except that a connection that breaks in the middle is an error, as for any other answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import cast

from ..codec.stream import SegmentEnd
from ..codec.wire import Wire
from ..errors import ProviderError
from ..message import Candidate, ChatResponse, ContentBlock, TextBlock, Usage, Written
from ..message.answer import behind, goes_on_in, latest, total
from .received import Received

MAX_SEGMENTS = 64  # two million tokens in whole bodies: more than any model answers


class AnswerSegments:
    """The requests for one answer: each asks for the rest after the bodies before it."""

    __slots__ = ("_body", "_out", "_room", "_sent")

    def __init__(self, wire: Wire, out: Written) -> None:
        self._room = wire.room
        self._out = out
        self._body = out.body
        self._sent = 1

    @property
    def possible(self) -> bool:
        """Whether answers of this wire can come in several bodies."""
        return bool(self._room.token_fields)

    @property
    def end(self) -> SegmentEnd:
        """What is put between the chunks of two bodies."""
        return SegmentEnd(self._room.token_fields)

    def following(self, resp: ChatResponse) -> Written | None:
        """Return the request for the rest of an answer.

        Args:
            resp: What came, at least of the last body.

        Returns:
            None for an answer that has ended, whose provider gave no new token, or for which
            MAX_SEGMENTS requests were sent: then it stays paused.
        """
        if not (resp.candidates and resp.finish.reason == "pause") or self._sent == MAX_SEGMENTS:
            return None
        body = self._room.request_rest(self._out.body, resp)
        if body is None or body == self._body:  # the same request would bring the same body
            return None
        self._body = body
        self._sent += 1
        return replace(self._out, body=body)

    def ask(self, ask: Callable[[Written], Received]) -> Received:
        """Return the whole answer; `ask` sends one request."""
        parts = [ask(self._out)]
        while (out := self.following(parts[-1].response)) is not None:
            try:
                parts.append(ask(out))
            except ProviderError as error:
                raise self._attach_partial(error, parts) from error.__cause__
        return self._join_parts(parts)

    async def aask(self, ask: Callable[[Written], Awaitable[Received]]) -> Received:
        """Return the whole answer, in an event loop; `ask` sends one request."""
        parts = [await ask(self._out)]
        while (out := self.following(parts[-1].response)) is not None:
            try:
                parts.append(await ask(out))
            except ProviderError as error:
                raise self._attach_partial(error, parts) from error.__cause__
        return self._join_parts(parts)

    def _attach_partial(self, error: ProviderError, parts: Sequence[Received]) -> ProviderError:
        """Return the error of a later request with what came before it."""
        error.response = error.response or self._join_parts(parts).response
        return error

    def _join_parts(self, parts: Sequence[Received]) -> Received:
        if len(parts) == 1:
            return parts[0]
        answers = [part.response for part in parts]
        return Received(
            [part.raw for part in parts], joined_answer(answers, self._room.token_fields)
        )


def joined_answer(parts: Sequence[ChatResponse], token_fields: Sequence[str]) -> ChatResponse:
    """Join parts of an answer: their blocks in order, their usage summed, the end of the last.

    Args:
        parts: The parts in their order, at least one.
        token_fields: Fields of a part that do not apply to the parts after it.
    """
    last = parts[-1]
    rows = zip_longest(*(part.candidates for part in parts))
    candidates = [_candidate([one for one in row if one is not None], token_fields) for row in rows]
    usage = sum((part.usage for part in parts), Usage())
    extras = _extras([part.extras for part in parts], token_fields)
    return replace(last, candidates=candidates, usage=usage, extras=extras)


def _candidate(parts: Sequence[Candidate], token_fields: Sequence[str]) -> Candidate:
    blocks: list[ContentBlock] = []
    for part in parts:
        own = [*part.msg.blocks]
        if blocks and own and goes_on_in(blocks[-1], own[0]):
            cut, rest = cast("TextBlock", blocks.pop()), cast("TextBlock", own[0])
            own[0] = total([cut, behind(rest, len(cut.text))])
        blocks += own
    msg = parts[-1].msg
    msg.content = blocks
    return replace(parts[-1], extras=_extras([part.extras for part in parts], token_fields))


def _extras(
    parts: Sequence[dict[str, dict[str, object]] | None], token_fields: Sequence[str]
) -> dict[str, dict[str, object]] | None:
    """Merge the extras of all parts; token fields only from the last part."""
    earlier = [
        {
            issuer: {key: value for key, value in fields.items() if key not in token_fields}
            for issuer, fields in extras.items()
        }
        for extras in parts[:-1]
        if extras
    ]
    return latest([*earlier, parts[-1] or {}]) or None
