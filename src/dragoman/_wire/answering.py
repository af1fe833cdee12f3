"""Answering: what a wire does with answers that go out to a client who speaks its protocol."""

from __future__ import annotations

from dataclasses import replace

from ..envelope import Envelope, Sealing, sealed
from ..errors import InvalidMessage
from ..jsontext import Json
from ..losses import Loss, Policy, Report
from ..message import ChatRequest, ChatResponse, Origin, Written, answer_places
from ..pieces import Piece
from ..pieces.ending import Ends
from ..room import Encoder, Room
from .pieced import Pieced

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
        envelope: Envelope | None = None,
        policy: Policy | None = None,
    ) -> Written:
        """The answer as this protocol's clients take it: body, losses.

        `request` is what the client asked, as this wire read it. In an `envelope` the opaque state
        of another provider goes along, for `read_request` to open. Raises LossRefused where the
        policy says so.
        """
        if not isinstance(resp, ChatResponse):
            raise InvalidMessage(
                f"must be a ChatResponse, not {type(resp).__name__}", path="$", code="answer.type",
                hint="read_response makes one of a body",
            )  # fmt: skip
        report = Report((), resp, answer_places, self.name)
        if envelope is not None:
            resp = self._sealed(resp, envelope, report)
        body = self.room.write_response(resp, report, request)
        (policy or self.policy).judge(report, self._logged)
        return Written(body, model=resp.model, report=report)

    def stream_encoder(
        self,
        request: ChatRequest | None = None,
        *,
        origin: Origin | None = None,
        envelope: Envelope | None = None,
    ) -> StreamEncoder:
        """An encoder for one answer: pieces of any wire in, this protocol's events out.

        `origin` is who answers (`StreamDecoder.origin`), this wire's provider unless it is given:
        the opaque state of another goes nowhere, or into an `envelope`.
        """
        report = Pieced(self.name)
        sealing = None
        if origin is not None and origin.issuer not in self.room.can().reads:
            sealing = Sealing(self.room.protocol, origin, envelope, report)
        return StreamEncoder(self.room.encoder(report, request), report, sealing)

    def _sealed(self, resp: ChatResponse, envelope: Envelope, report: Report) -> ChatResponse:
        reads = self.room.can().reads
        candidates = []
        for one in resp.candidates:
            msg = sealed(one.msg, self.room.protocol, reads, envelope, report.made)
            candidates.append(replace(one, msg=msg))
            report.made(candidates[-1], one)
        made = replace(resp, candidates=candidates)
        report.made(made, resp)
        return made


class StreamEncoder:
    """The pieces of one answer, in; its events as (name or None, payload), out.

    Why it ended is said as its content bears it out, which providers contradict.
    """

    __slots__ = ("_encoder", "_ends", "_sealing", "report")

    def __init__(self, encoder: Encoder, report: Pieced, sealing: Sealing | None = None) -> None:
        self._encoder = encoder
        self._ends = Ends()
        self._sealing = sealing
        self.report = report

    def feed(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events that the piece completes."""
        piece = self._ends.feed(piece)
        self.report.came(piece)
        if self._sealing is None:
            return self._encoder.feed(piece)
        return [event for one in self._sealing.feed(piece) for event in self._fed(one)]

    def _fed(self, piece: Piece) -> list[tuple[str | None, Json]]:
        self.report.came(piece)
        return self._encoder.feed(piece)

    def finish(self) -> list[tuple[str | None, Json]]:
        """The events that stand at the end; none that ends an answer which broke off."""
        rest = self._ends.finish()
        if self._sealing is not None:
            rest = [*self._sealing.finish(), *rest]
        return [*(event for one in rest for event in self._fed(one)),
                *self._encoder.finish()]  # fmt: skip

    @property
    def losses(self) -> list[Loss]:
        """What could not be said so far, and what was added."""
        return self.report.losses
