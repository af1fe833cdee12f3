"""Answering: what a wire does with answers that go out to a client who speaks its protocol."""

from __future__ import annotations

from ..jsontext import Json
from ..losses import Loss, Policy, Report
from ..message import ChatRequest, ChatResponse, Written, answer_places
from ..pieces import Piece
from ..room import Encoder, Room

__all__ = ["Answering", "StreamEncoder"]


class Answering:
    """What a wire does with answers that go out."""

    __slots__ = ()
    room: Room
    name: str
    policy: Policy
    _logged: set[str]

    def write_response(
        self,
        resp: ChatResponse,
        request: ChatRequest | None = None,
        *,
        policy: Policy | None = None,
    ) -> Written:
        """The answer as this protocol's clients take it: body, losses.

        `request` is what the client asked, as this wire read it. Raises LossRefused where the
        policy says so.
        """
        report = Report((), resp, answer_places, self.name)
        body = self.room.write_response(resp, report, request)
        (policy or self.policy).judge(report, self._logged)
        return Written(body, model=resp.model, report=report)

    def stream_encoder(self, request: ChatRequest | None = None) -> StreamEncoder:
        """An encoder for one answer: pieces of any wire in, this protocol's events out."""
        report = Report(target=self.name)
        return StreamEncoder(self.room.encoder(report, request), report)


class StreamEncoder:
    """The pieces of one answer, in; its events as (name or None, payload), out."""

    __slots__ = ("_encoder", "report")

    def __init__(self, encoder: Encoder, report: Report) -> None:
        self._encoder = encoder
        self.report = report

    def feed(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events that the piece completes."""
        return self._encoder.feed(piece)

    def finish(self) -> list[tuple[str | None, Json]]:
        """The events that stand at the end; none that ends an answer which broke off."""
        return self._encoder.finish()

    @property
    def losses(self) -> list[Loss]:
        """What could not be said so far, and what was added."""
        return self.report.losses
