"""Answers in several bodies: the provider pauses, and another request brings the rest.

- Anthropic pauses a long turn of its own tools, such as searches (`pause_turn`): the request is
  sent again with the answer so far as its last message, until the model has ended.
- Gemini 4 ends a body after 32,768 tokens, a streamed one after 65,536 (`CONTINUATION`; an
  interaction `requires_continuation`): the request is sent again with a token. Google's SDK returns
  one answer with the usage of all (google-genai 3.6.1, `merge_continuation_responses`,
  `merge_unary_hops`; looked up 2026-11-28).

`Room.request_rest` of each protocol writes that request. A connection that breaks in the middle is
an error, as for any other answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import replace
from itertools import zip_longest
from typing import cast

from ..codec.wire import Wire
from ..errors import ProviderError
from ..message import Candidate, ChatResponse, ContentBlock, TextBlock, Written
from ..message.answer import behind, goes_on_in, join_usages, latest, total
from ..stream.builder import SegmentEnd
from ..text.json_text import JsonObject
from .received import Received

MAX_SEGMENTS = 64  # two million tokens in whole bodies: more than any model answers


def is_paused(resp: ChatResponse) -> bool:
    """Return whether the provider has paused in the answer."""
    return bool(resp.candidates) and resp.finish.reason == "pause"


class AnswerSegments:
    """The requests for one answer: each asks for the rest after the bodies before it."""

    __slots__ = ("_body", "_out", "_room", "_sent")

    def __init__(self, wire: Wire, out: Written) -> None:
        self._room = wire.room
        self._out = out
        self._body: JsonObject | None = None  # of the last request for the rest
        self._sent = 1

    @property
    def possible(self) -> bool:
        """Whether answers of this wire can come in several bodies."""
        return self._room.pauses

    @property
    def end(self) -> SegmentEnd:
        """What is put between the chunks of two bodies."""
        return SegmentEnd(self._room.token_fields, self._room.cuts_texts)

    def following(self, resp: ChatResponse) -> Written | None:
        """Return the request for the rest of an answer.

        Args:
            resp: What has come of the answer, in all bodies.

        Returns:
            None for an answer that has ended, that only the caller can go on with, that has not
            grown (or whose provider gave no new token), or for which MAX_SEGMENTS requests were
            sent: then it stays paused.
        """
        if not is_paused(resp) or self._sent == MAX_SEGMENTS:
            return None
        first = self._out.body
        body = self._room.request_rest(first, resp)
        if body is None or body == (self._body or first):  # it would bring the same body again
            return None
        self._body = body
        self._sent += 1
        return replace(self._out, body=body)

    def join(self, parts: Sequence[ChatResponse]) -> ChatResponse:
        """Join parts of an answer: their blocks in order, their usage summed, the last one's end.

        Args:
            parts: The parts in their order, at least one. The messages of all are left as they are.
        """
        if len(parts) == 1:
            return parts[0]
        rows = zip_longest(*(part.candidates for part in parts))
        candidates = [self._candidate([one for one in row if one is not None]) for row in rows]
        usage = join_usages([part.usage for part in parts])
        extras = self._extras([part.extras for part in parts])
        return replace(parts[-1], candidates=candidates, usage=usage, extras=extras)

    def complete(self, first: Received, ask: Callable[[Written], Received]) -> Received:
        """Return the whole answer.

        Args:
            first: Its first part.
            ask: Sends one request.
        """
        parts = [first]
        while (out := self.following(self._response(parts))) is not None:
            try:
                parts.append(ask(out))
            except ProviderError as error:
                raise self._attach_partial(error, parts) from error.__cause__
        return self._received(parts)

    async def acomplete(
        self, first: Received, ask: Callable[[Written], Awaitable[Received]]
    ) -> Received:
        """Return the whole answer, in an event loop.

        Args:
            first: Its first part.
            ask: Sends one request.
        """
        parts = [first]
        while (out := self.following(self._response(parts))) is not None:
            try:
                parts.append(await ask(out))
            except ProviderError as error:
                raise self._attach_partial(error, parts) from error.__cause__
        return self._received(parts)

    def _attach_partial(self, error: ProviderError, parts: Sequence[Received]) -> ProviderError:
        """Return the error of a later request with what came before it, and of its own answer."""
        came = [part.response for part in parts]
        error.response = self.join(came if error.response is None else [*came, error.response])
        return error

    def _response(self, parts: Sequence[Received]) -> ChatResponse:
        return self.join([part.response for part in parts])

    def _received(self, parts: Sequence[Received]) -> Received:
        if len(parts) == 1:
            return parts[0]
        usages = tuple(part.response.usage for part in parts)
        return Received([part.raw for part in parts], self._response(parts), usages)

    def _candidate(self, parts: Sequence[Candidate]) -> Candidate:
        blocks: list[ContentBlock] = []
        for part in parts:
            own = [*part.msg.blocks]
            if self._room.cuts_texts and blocks and own and goes_on_in(blocks[-1], own[0]):
                cut, rest = cast("TextBlock", blocks.pop()), cast("TextBlock", own[0])
                own[0] = total([cut, behind(rest, len(cut.text))])
            blocks += own
        msg = copy(parts[-1].msg)
        msg.content = blocks
        extras = self._extras([part.extras for part in parts])
        return replace(parts[-1], msg=msg, extras=extras)

    def _extras(
        self, parts: Sequence[dict[str, dict[str, object]] | None]
    ) -> dict[str, dict[str, object]] | None:
        """Merge the extras of all parts; token fields only from the last part."""
        tokens = self._room.token_fields
        earlier = [
            {
                issuer: {key: value for key, value in fields.items() if key not in tokens}
                for issuer, fields in extras.items()
            }
            for extras in parts[:-1]
            if extras
        ]
        return latest([*earlier, parts[-1] or {}]) or None
