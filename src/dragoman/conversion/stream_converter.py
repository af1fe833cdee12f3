"""Convert the stream of one answer, event by event; without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import time
from typing import Any

from ..codec.answering import StreamEncoder
from ..codec.stream import feed_chunk
from ..codec.stream_decoder import StreamDecoder
from ..codec.wire import Wire
from ..errors import LossRefused, ProviderError
from ..losses import Loss, Policy
from ..message import ChatRequest, Finish, Usage, Written
from ..message.ending import client_error
from ..sealed_state import Envelope
from ..stream.builder import SegmentEnd
from ..stream.pieces import End, Failed, Meta, Part, Piece, Raw
from ..text.json_text import Json


class StreamConverter:
    """Converts the stream of one answer: takes bytes of its wire, gives events of the target's.

    `model` is the model's name for the clients. `request` is what the client asked, `sent` what was
    sent to the source's provider for it. It does no I/O.
    """

    def __init__(
        self,
        reader: Wire,
        target: Wire,
        model: str | None,
        policy: Policy,
        request: ChatRequest | None = None,
        envelope: Envelope | None = None,
        sent: Written | None = None,
        answer_id: str | None = None,
    ) -> None:
        self._answer_id = answer_id  # for an answer whose wire has no ids
        self._reader, self._sent = reader, sent or request
        self.decoder: StreamDecoder = self.open_decoder()
        self.encoder: StreamEncoder = target.stream_encoder(
            request, origin=self.decoder.origin, envelope=envelope, second=int(time())
        )
        self.failed: ProviderError | None = None  # the provider's error
        self.begun = False  # whether content of the answer has come
        self._model = model
        self._candidates: set[int] = set()  # with content so far
        self._ended: set[int] = set()  # with a finish reason
        self._named = model is None  # whether the given name of the model went out
        self._policy = policy
        self._judged = 0  # losses that the policy lets pass
        self._doubtful: list[End] = []  # ends that may not count; see `settle`
        # ends that wait while other candidates go on: if one of those breaks off, the answer is an
        # error, and no end may come beside it
        self._waiting: list[End] = []
        self._segment_end: SegmentEnd | None = None  # of a body that is continued in another
        self._pauses: list[Meta | End] = []  # ends of such a body, and its tokens
        self._is_later = False  # whether this body continues another
        self._failures = target.room.failures
        origin = self.decoder.origin
        self._is_own = origin is not None and origin.issuer == target.room.issuer

    @property
    def losses(self) -> list[Loss]:
        """What could not be written so far, and what was added."""
        return self.encoder.losses

    @property
    def finished(self) -> bool:
        """Whether every candidate that has begun has a finish reason."""
        return bool(self._ended) and self._candidates <= self._ended

    @property
    def paused(self) -> bool:
        """Whether the body has ended, and the answer may go on in another; see `follow_pauses`."""
        paused = {piece.candidate for piece in self._pauses if type(piece) is End}
        others = {end.candidate for end in self._waiting} | self._ended
        return bool(paused) and self._candidates <= paused | others

    def open_decoder(self) -> StreamDecoder:
        """A fresh decoder for bodies of this answer."""
        return self._reader.stream_decoder(request=self._sent)

    def follow_pauses(self, end: SegmentEnd) -> None:
        """Hold back the end of a body that is paused: `begin_segment` may follow, or `settle`.

        Args:
            end: How a body is followed by the next.
        """
        self._segment_end = end

    def begin_segment(self) -> None:
        """Go on with the next body, after the last pieces of one that is paused."""
        assert self._segment_end is not None  # as nothing is paused otherwise
        feed_chunk(self.decoder, self._segment_end)
        self._pauses.clear()
        self._is_later = True

    def feed(self, chunk: Any) -> list[tuple[str | None, Json]]:
        """The events that the chunk completes. Raises LossRefused by the policy."""
        return self.pieces(feed_chunk(self.decoder, chunk))

    def pieces(self, pieces: Iterable[Piece]) -> list[tuple[str | None, Json]]:
        """The events of pieces from the decoder; none after an error."""
        return [event for piece in pieces for event in self._piece(piece)]

    def finish(self) -> list[tuple[str | None, Json]]:
        """The last events, once nothing more will come.

        They are an error if the answer has no end, or no content that the target's clients see.
        """
        return self.pieces(self.decoder.rest()) + self.settle() + self.end()

    def settle(self) -> list[tuple[str | None, Json]]:
        """The events of ends that were held back, or of the error that replaces them."""
        held, self._pauses, self._segment_end = self._pauses, [], None
        events = self.pieces(held)  # no other body follows
        if self.failed is not None or (self.finished and not self._doubtful):
            return events
        ends, self._doubtful = self._doubtful, []
        error = client_error(self.decoder.snapshot(), self._failures if ends else frozenset())
        if error is not None:
            return events + self._piece(Failed(error))
        ends, self._waiting = [*self._waiting, *ends], []
        return events + [event for end in ends for event in self._ending(end)]

    def end(self) -> list[tuple[str | None, Json]]:
        """The target's closing events, after the last piece."""
        return self._judge_events(self.encoder.finish())

    def fail(self, error: ProviderError) -> list[tuple[str | None, Json]]:
        """The events of an error, and the closing events; an open call is left open."""
        return self._piece(Failed(error)) + self.end()

    def _piece(self, piece: Piece) -> list[tuple[str | None, Json]]:
        if self.failed is not None:
            return []  # neither success nor another error follows an error
        if type(piece) is Part:
            self.begun = True
            self._candidates.add(piece.key[0])
        elif type(piece) is End:
            if self._segment_end is not None and piece.finish.reason == "pause":
                self._pauses.append(piece)
                return []
            if self._may_be_none(piece):
                self._doubtful.append(piece)
                return []
            self._waiting.append(piece)
            return self._release_ends()
        elif type(piece) is Failed:
            self.failed = piece.error
        elif self._segment_end is not None:
            return self._write_beside(piece, self._segment_end.token_fields)
        return self._write_piece(piece)

    def _write_beside(
        self, piece: Meta | Usage | Raw, token_fields: Sequence[str]
    ) -> list[tuple[str | None, Json]]:
        """The events of what is beside the content, in one of several bodies.

        A token for the next body is held back with the pause. Figures are those of all bodies so
        far: each has its own.
        """
        if type(piece) is Usage and self._is_later:
            piece = self.decoder.usage
        elif type(piece) is Meta and piece.extras is not None:
            extras = piece.extras
            if tokens := {name: extras[name] for name in token_fields if name in extras}:
                self._pauses.append(Meta(tokens, piece.candidate, issuer=piece.issuer))
                rest = {name: value for name, value in extras.items() if name not in tokens}
                piece = replace(piece, extras=rest or None)
        return self._write_piece(piece)

    def _release_ends(self) -> list[tuple[str | None, Json]]:
        """The events of the waiting ends, once every candidate has one."""
        if self._candidates - self._ended - {end.candidate for end in self._waiting}:
            return []
        # of a candidate that has ended in several bodies the last end counts
        ends = {end.candidate: end for end in self._waiting}
        self._waiting = []
        return [event for end in ends.values() for event in self._ending(end)]

    def _may_be_none(self, end: End) -> bool:
        """Whether this end counts is decided by the whole answer only."""
        reason, index = end.finish.reason, end.candidate
        if reason == "tool_calls":
            return not self.decoder.builder.has_call(index)
        if reason in ("other", "stop") and index not in self._candidates:
            # there may have been no content at all
            return not (end.finish.raw and self._is_own)
        return reason in ("malformed_call", "error")

    def _ending(self, end: End) -> list[tuple[str | None, Json]]:
        """The events of an end; a missing reason becomes the plain one for another's clients."""
        self._ended.add(end.candidate)
        finish = end.finish
        if not self._is_own and finish.reason == "other" and not finish.raw:
            plain = Finish("stop")
            self.encoder.report.add_loss(
                "answer.finish", plain, "finish", what="no reason", did="stop"
            )
            end = End(plain, end.candidate)
        return self._write_piece(end)

    def _write_piece(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events of a piece; those of the model's name come before the first."""
        if self._named:
            if self._model is not None and type(piece) is Meta and piece.model is not None:
                piece = replace(piece, model=self._model)
            return self._encode_piece(piece)
        return self._with_name(piece)

    def _with_name(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events of a piece, after those of the model's name."""
        if type(piece) in (Raw, Failed):
            return self._encode_piece(piece)
        self._named = True
        if type(piece) is Meta and piece.candidate is None:
            named = replace(piece, model=self._model, id=piece.id or self._answer_id)
            return self._encode_piece(named)
        origin = self.decoder.origin
        issuer = origin.issuer if origin is not None else ""
        named = Meta(model=self._model, id=self._answer_id, issuer=issuer)
        return self._encode_piece(named) + self._encode_piece(piece)

    def _encode_piece(self, piece: Piece) -> list[tuple[str | None, Json]]:
        return self._judge_events(self.encoder.feed(piece))

    def _judge_events(self, events: list[tuple[str | None, Json]]) -> list[tuple[str | None, Json]]:
        policy = self._policy
        if (policy.refuse or policy.append_only) and self.encoder.report.kinds:
            new_losses = self.encoder.losses[self._judged :]
            if refused := [loss for loss in new_losses if policy.refuses(loss)]:
                raise LossRefused(refused)
            self._judged += len(new_losses)
        return events
