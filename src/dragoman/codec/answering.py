"""Writes answers for a wire's own clients: whole (`WireAnswering`), in pieces (`StreamEncoder`).

`StreamReport` locates the losses of a streamed answer: it counts the blocks as they begin, and
gives each loss the path of its block in the ChatResponse that the pieces make. It does next to no
work until something is lost.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields, replace
from typing import Any

from .. import message as tree
from ..capabilities import Capabilities
from ..errors import DragomanError, InvalidMessage, ProviderError
from ..history.passes.plain_tools import plain_answer, plain_call, tell_namespace
from ..losses import Loss, Policy, Report
from ..losses.codes.code import Kind
from ..losses.policies import LossLog
from ..message import (
    Candidate,
    ChatRequest,
    ChatResponse,
    ContentBlock,
    Finish,
    Msg,
    ToolUseBlock,
    Usage,
    Written,
)
from ..message.answer import total
from ..message.check import FAULTS, raise_for_notes
from ..message.ending import CUTS_CALLS, choose_written_finish, client_error
from ..protocols.answers import AnswerWriter
from ..protocols.base import PieceEncoder, Room
from ..sealed_state import Envelope, Sealing, seal_message
from ..stream.builder import FinishCorrector
from ..stream.pieces import End, Failed, Key, Part, Piece
from ..text.json_text import Json, arguments
from .adopted_answers import HostConverter

# fields of an error's own body that the written error carries again
_ERROR_FIELDS = ("type", "code", "message", "request_id", "object", "param", "error_type")
_TOLD = ("error", "errors", "status")  # fields of an answer that repeat its error
_FIGURES = tuple(f.name for f in fields(Usage) if f.name != "extras")
_BESIDE = {Usage: "$.usage", Finish: "$.candidates[0]", Candidate: "$.candidates[0]"}


def _lacks_reason(finish: Finish) -> bool:
    """Whether the provider gave no reason why the answer ended."""
    return finish.reason == "other" and not finish.raw


class StreamReport(Report):
    """A report that knows the first piece of each block, and so the block's path."""

    __slots__ = ("_counts", "_firsts", "_now")

    def __init__(self, target: str) -> None:
        super().__init__(target=target)
        self._firsts: dict[Key, ContentBlock] = {}
        self._counts: dict[int, int] = {}  # blocks of each candidate
        self._now: Part | None = None

    def note_piece(self, piece: Piece) -> None:
        """Note the next piece, before a loss of it is reported."""
        if type(piece) is not Part:
            self._now = None
            return
        self._now = piece
        if piece.key not in self._firsts:
            self._begin_block(piece)
            return
        if piece.whole and piece.block is not self._firsts[piece.key]:
            self.record_copy(piece.block, self._firsts[piece.key])
        if getattr(piece.block, "citations", None):
            self._place_citations(piece)

    def add_loss(
        self,
        code: str,
        node: object,
        field: str = "",
        what: str = "",
        did: str = "",
        rule: str = "",
        kind: Kind | None = None,
    ) -> None:
        """Report a loss; a loss of a piece gets the path of its block, or of its candidate."""
        part = self._now
        if code == "answer.candidates":
            index = node.key[0] if type(node) is Part else getattr(node, "candidate", None)
            self.set_place(node, f"$.candidates[{index or 0}]")
        elif part is not None and (node is part or node is part.block):
            first = self._firsts[part.key]
            if node is not first:
                self.record_copy(node, first)
        super().add_loss(code, node, field, what, did, rule, kind)

    def locate(self, node: object, ordinal: int = 0, field: str = "") -> str:
        """The path of a node's field."""
        path = super().locate(node, ordinal, field)
        base = _BESIDE.get(type(node))
        return base + path[1:] if base and not path.startswith(base) else path

    def _begin_block(self, piece: Part) -> None:
        candidate = piece.key[0]
        index = self._counts.get(candidate, 0)
        self._counts[candidate] = index + 1
        self._firsts[piece.key] = piece.block
        self.set_place(piece.block, f"$.candidates[{candidate}].msg.content[{index}]")
        if getattr(piece.block, "citations", None):
            self._place_citations(piece)

    def _place_citations(self, piece: Part) -> None:
        block: Any = piece.block
        for citation in block.citations:
            self.record_copy(citation, self._firsts[piece.key])


class WireAnswering:
    """The part of `Wire` that writes answers for clients of its protocol."""

    __slots__ = ()
    room: Room
    name: str
    policy: Policy
    _reads: frozenset[str]  # issuers whose opaque state this protocol's clients understand
    loss_log: LossLog

    def write_response(
        self,
        resp: ChatResponse,
        request: ChatRequest | None = None,
        *,
        envelope: Envelope | None = None,
        policy: Policy | None = None,
        report: Report | None = None,
    ) -> Written:
        """Write a whole answer as this protocol's clients take it.

        Args:
            resp: The answer, read over any wire.
            request: What the client asked, as this wire read it.
            envelope: Seals the opaque state of another provider into the answer, for `read_request`
                to open when the client sends it back. Without one that state is lost.
            policy: Which losses raise; the wire's own policy without one.
            report: Collects the losses; a new one by default.

        Returns:
            The body and its losses.

        Raises:
            LossRefused: The policy refuses one of the losses.
        """
        if not isinstance(resp, ChatResponse):
            text = f"must be a ChatResponse, not {type(resp).__name__}"
            hint = "read_response makes one of a body"
            raise InvalidMessage(text, path="$", code="answer.type", hint=hint)
        report = report or Report((), resp, tree.answer_places, self.name)
        origin = resp.candidates[0].msg.origin if resp.candidates else None
        if origin is not None and (
            converter := self._choose_converter(origin, resp.model, envelope, report)
        ):
            resp = converter.response(resp)
        if envelope is not None:
            resp = self._seal_answer(resp, envelope, report)
        if origin is None or origin.issuer != self.room.issuer:
            if (error := client_error(resp, self.room.failures)) is not None:
                if "failed" not in self.room.failures:
                    return self._failure(error, resp, report, policy)
                resp = report.record_copy(replace(resp, status="error", error=error), resp)
            resp = self._with_reasons(plain_answer(resp, self.can(), report), report)
        try:
            body = self.room.write_response(resp, report, request)
        except FAULTS as error:
            if not isinstance(error, DragomanError):
                nodes = (resp, resp.usage, *resp.candidates)
                raise_for_notes(nodes, (candidate.msg for candidate in resp.candidates), error)
            raise
        (policy or self.policy).judge(report, self.loss_log)
        return Written(body, model=resp.model, report=report)

    def _failure(
        self, error: ProviderError, resp: ChatResponse, report: Report, policy: Policy | None
    ) -> Written:
        """Write the error of a failed answer in this wire's form; the content is lost."""
        for candidate in resp.candidates:
            if candidate.msg.content or candidate.extras or candidate.msg.extras:
                report.add_loss("answer.unsupported", candidate, what="what came before it failed")
        # the body of an error has no place for the answer's other fields, only for its own
        writer = AnswerWriter(report, self.room.dialect.reads_items_of, own=False)
        writer.fields(resp, _TOLD)
        writer.fields(resp.usage)
        for name in _FIGURES:
            if getattr(resp.usage, name):
                report.add_loss("answer.usage", resp.usage, name)
        for name in ("id", "model"):
            if getattr(resp, name) is not None:
                report.add_loss("answer.unsupported", resp, name)
        told = ChatResponse([], status="error", error=error)
        body = self.room.write_response(told, Report((), told, tree.answer_places, self.name))
        if body != error.body:  # an error read over this wire is unchanged
            names = ("type", "error") if "error" in body else _ERROR_FIELDS
            body = {name: body[name] for name in names if name in body}
        (policy or self.policy).judge(report, self.loss_log)
        return Written(body, report=report)

    def _with_reasons(self, resp: ChatResponse, report: Report) -> ChatResponse:
        """Give the candidates of another wire's answer finish reasons that this one's clients know.

        An answer that ended without a reason gets the plain one; one whose call breaks off gets
        that of a limit. Under any other reason than a limit such a call is left out: written as a
        value it would look complete.
        """
        if resp.status not in ("complete", "truncated"):
            return resp
        complete = resp.status == "complete"
        candidates = [self._with_reason(one, complete, report) for one in resp.candidates]
        if all(one is before for one, before in zip(candidates, resp.candidates, strict=True)):
            return resp
        return report.record_copy(replace(resp, candidates=candidates), resp)

    def _with_reason(self, candidate: Candidate, complete: bool, report: Report) -> Candidate:
        """Give the candidate the reason that clients of another wire get."""
        finish, unsaid = candidate.finish, _lacks_reason(candidate.finish)
        told = choose_written_finish(
            Finish("stop") if unsaid and complete else finish, candidate.msg.blocks
        )
        if told is not finish:
            what = "no reason" if unsaid else finish.reason
            report.add_loss("answer.finish", candidate, "finish", what=what, did=told.reason)
            candidate = report.record_copy(replace(candidate, finish=told), candidate)
        return self._without_cut_calls(candidate, report)

    def _without_cut_calls(self, candidate: Candidate, report: Report) -> Candidate:
        """Drop calls that break off, unless the candidate's reason says that it was cut."""
        cut = [b for b in candidate.msg.blocks if type(b) is ToolUseBlock and b.unfinished]
        if not cut or candidate.finish.reason in CUTS_CALLS:
            return candidate
        for call in cut:
            report.add_loss("answer.unsupported", call, what="a call that breaks off")
        m = candidate.msg
        kept = [b for b in m.blocks if not (type(b) is ToolUseBlock and b.unfinished)]
        made = report.record_copy(Msg.create_unchecked(m.name, kept, m.role, m), m)
        return report.record_copy(replace(candidate, msg=made), candidate)

    def stream_encoder(
        self,
        request: ChatRequest | None = None,
        *,
        origin: tree.Origin | None = None,
        envelope: Envelope | None = None,
        second: int = 0,
    ) -> StreamEncoder:
        """An encoder for one answer: takes the pieces of any wire, gives this protocol's events.

        Args:
            request: What the client asked, as this wire read it.
            origin: The provider that answers (`StreamDecoder.origin`); this wire's own by default.
                Opaque state of another provider is lost, or sealed into `envelope`.
            envelope: Seals that state.
            second: Seconds of the Unix clock that date an answer without a date of its own.
        """
        if request is not None:
            request = tree.check_request(request)
        report = StreamReport(self.name)
        report.second = second
        sealing = None
        converter = (
            self._choose_converter(origin, None, envelope, report) if origin is not None else None
        )
        if converter is None and origin is not None and origin.issuer not in self._reads:
            sealing = Sealing(
                self.room.protocol,
                origin,
                envelope,
                report,
                self.room.call_field,
                self.room.ends_in_text,
            )
        is_own = origin is None or origin.issuer == self.room.issuer
        caps = self.can()
        same = is_own or (caps.freeform_tools and caps.namespaces)
        calls = None if same else _PlainCalls(caps, report)
        return StreamEncoder(
            self.room.encoder(report, request),
            report,
            calls,
            sealing,
            converter,
            foreign=not is_own,
        )

    def _choose_converter(
        self, origin: tree.Origin, model: str | None, envelope: Envelope | None, report: Report
    ) -> HostConverter | None:
        """The conversion of an answer by a host of the same maker; None where none is needed.

        With an envelope, the answer of another provider stays as it is.
        """
        other = origin.protocol is not None and origin.protocol != self.room.protocol
        if not other and (origin.issuer == self.room.issuer or envelope is not None):
            return None
        name = model or origin.model or self.room.model
        return HostConverter.choose(origin, self.room, self.can(name), report)

    @abstractmethod
    def can(self, model: str | None = None, request: ChatRequest | None = None) -> Capabilities:
        """What this wire carries for `model`."""

    def _seal_answer(self, resp: ChatResponse, envelope: Envelope, report: Report) -> ChatResponse:
        reads = self._reads
        candidates = []
        for candidate in resp.candidates:
            seal = self.room.call_field
            msg = seal_message(
                candidate.msg, self.room.protocol, reads, envelope, report.record_copy, seal
            )
            candidates.append(replace(candidate, msg=msg))
            report.record_copy(candidates[-1], candidate)
        sealed_response = replace(resp, candidates=candidates)
        report.record_copy(sealed_response, resp)
        return sealed_response


class _PlainCalls:
    """Collects the pieces of freeform calls for a wire that has none, and gives them as plain ones.

    `_grouped` are the calls whose namespace has been reported as a loss already.
    """

    __slots__ = ("_caps", "_grouped", "_report", "kept")

    def __init__(self, caps: Capabilities, report: StreamReport) -> None:
        self._caps = caps
        self._report = report
        self.kept: dict[Key, list[ToolUseBlock]] = {}
        self._grouped: set[Key] = set()

    def keeps(self, piece: Piece) -> bool:
        """Whether the piece is part of such a call; it is given out when the call is complete."""
        if type(piece) is not Part or type(call := piece.block) is not ToolUseBlock:
            return False
        if call.namespace and not self._caps.namespaces and piece.key not in self._grouped:
            self._grouped.add(piece.key)
            tell_namespace(call, self._report)
        if piece.key not in self.kept and (not call.freeform or self._caps.freeform_tools):
            return False
        if piece.whole:
            self.kept[piece.key] = [call]
        else:
            self.kept.setdefault(piece.key, []).append(call)
        return True

    def before(self, piece: Piece) -> list[Piece]:
        """The collected calls that go out before this piece.

        The calls of a candidate that ends are complete. Those that an error ends stay unfinished.
        """
        if type(piece) is Failed:
            return self.rest()
        if type(piece) is not End:
            return []
        keys = [key for key in self.kept if key[0] == piece.candidate]
        return [self._plain(key, whole=True) for key in keys]

    def rest(self) -> list[Piece]:
        """The calls that broke off, as far as they came."""
        return [self._plain(key, whole=False) for key in [*self.kept]]

    def _plain(self, key: Key, whole: bool) -> Piece:
        parts = self.kept.pop(key)
        call = total(parts)
        assert type(call) is ToolUseBlock  # as all parts of it are
        text = call.raw_input if call.raw_input is not None else call.input
        call = self._report.record_copy(replace(call, input=text, raw_input=None), parts[0])
        plain = plain_call(call, self._caps, self._report)
        if not whole:  # so that it stays unfinished
            plain = replace(plain, input={}, raw_input=arguments(plain.input).removesuffix('"}'))
        return Part(key, self._report.record_copy(plain, parts[0]), whole)


class StreamEncoder:
    """Takes the pieces of one answer and gives its events as (name or None, payload).

    Providers sometimes contradict themselves on why an answer ended; the finish reason that goes
    out is the one that the content supports.
    """

    __slots__ = ("_calls", "_encoder", "_ends", "_host_converter", "_sealing", "report")

    def __init__(
        self,
        encoder: PieceEncoder,
        report: StreamReport,
        calls: _PlainCalls | None = None,
        sealing: Sealing | None = None,
        converter: HostConverter | None = None,
        foreign: bool = False,
    ) -> None:
        self._encoder = encoder
        self._host_converter = converter
        self._calls = calls
        self._ends = FinishCorrector(foreign)
        self._sealing = sealing
        self.report = report

    def feed(self, piece: Piece) -> list[tuple[str | None, Json]]:
        """The events that the piece completes."""
        piece = self._ends.feed(piece)
        self.report.note_piece(piece)
        if type(piece) is End:
            self._name_cut(piece)
        if self._host_converter is not None:
            piece = self._host_converter.piece(piece)
        calls = self._calls
        if calls is not None and calls.keeps(piece):
            return []
        if self._sealing is None and (calls is None or not calls.kept):
            return self._encoder.feed(piece)
        return self._feed_all([piece] if calls is None else [*calls.before(piece), piece])

    def _feed_all(self, pieces: list[Piece]) -> list[tuple[str | None, Json]]:
        if (sealing := self._sealing) is None:
            return [event for piece in pieces for event in self._feed_piece(piece)]
        events: list[tuple[str | None, Json]] = []
        for piece in pieces:
            sealed = sealing.feed(piece)
            if len(sealed) == 1 and sealed[0] is piece and len(pieces) == 1:
                return self._encoder.feed(piece)  # the usual case; the report has the piece
            for one in sealed:
                events += self._feed_piece(one)
        return events

    def _feed_piece(self, piece: Piece) -> list[tuple[str | None, Json]]:
        self.report.note_piece(piece)
        return self._encoder.feed(piece)

    def finish(self) -> list[tuple[str | None, Json]]:
        """The last events; no end event if the answer broke off."""
        events = self._feed_all(self._calls.rest()) if self._calls is not None else []
        ends = self._ends.finish()
        for end in ends:
            self._name_cut(end)
        sealed = self._sealing.finish() if self._sealing is not None else []
        events += [event for piece in (*sealed, *ends) for event in self._feed_piece(piece)]
        return [*events, *self._encoder.finish()]

    def _name_cut(self, end: End) -> None:
        """Report the reason that was replaced by a limit because a call breaks off."""
        if (finish := self._ends.cut.pop(end.candidate, None)) is not None:
            did = end.finish.reason
            self.report.add_loss("answer.finish", end.finish, "finish", what=finish.reason, did=did)

    @property
    def losses(self) -> list[Loss]:
        """What could not be written so far, and what was added."""
        return self.report.losses
