"""Reads the results of a batch in the order of its requests: each an answer, or a typed error.

Results come in any order. Where each begins in its file is remembered, eight bytes a request; then
the requests are walked, and one result is in memory at a time. A request without a result is an
error, too.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from ... import errors
from ...errors import BatchError, DragomanError, InvalidOutput, ProviderError, ReadError
from ...losses import Losses, Report
from ...losses.loss import load_loss
from ...message import ChatRequest, Written
from ...message.stored import load
from ...model.answer import Answer
from ...model.cost import Cost
from ...model.received import read_reply
from ...protocols.batches import BatchLines, BatchResult, read_result_line
from ...structured_output import Structured
from ...text.json_text import JsonObject, loads
from ...transport.call import Reply
from ...vendors.protocol_rooms import batch_lines
from ..targets import ModelTarget
from .store import BatchPart, BatchStore

_log = logging.getLogger("dragoman.llm")
_NONE = -1  # of a request without a result

_REASONS = {
    "": ("batch.missing", "the results of the batch have no line about this request"),
    "expired": ("batch.expired", "the batch expired before this request was answered"),
    "cancelled": ("batch.cancelled", "the batch was cancelled before this request was answered"),
    "failed": ("batch.failed", "the batch was refused as a whole"),
}


@dataclass(frozen=True, slots=True)
class BatchItem:
    """What became of one request: an answer, or an error.

    Attributes:
        id: The id that the program gave it; else its number as text.
        number: Its number among the requests, from 0.
        answer: The answer, None for an error.
        error: The error, None for an answer. A BatchError is one of a request that the batch left
            without an answer; another ProviderError has the provider's words.
        losses: What could not be written for this provider, and what was added.
        sent: Whether it was sent to the provider.
    """

    id: str
    number: int
    answer: Answer[Any] | None
    error: DragomanError | None
    losses: Losses
    sent: bool = True

    @property
    def cost(self) -> Cost | None:
        """The cost of the answer at the price of batches; None where it is not known.

        Raises:
            ConfigError: The package of prices is missing (extra `prices`).
        """
        return None if self.answer is None else self.answer.cost


class BatchReader:
    """Reads the results that are on the disk.

    Args:
        store: The files of the batch.
        target: The model that was asked.
        structured: The type that answers must have, None for any.
    """

    def __init__(
        self, store: BatchStore, target: ModelTarget, structured: Structured[Any] | None
    ) -> None:
        self._store = store
        self._target = target
        self._structured = structured
        self._places = array("q", [_NONE]) * store.count
        self._by_position: dict[int, dict[int, int]] = {}  # part -> number in it -> place

    def items(self) -> Iterator[BatchItem]:
        """Yield every request of which it is known what became of it, in their order."""
        with ExitStack() as files:
            results: dict[int, BinaryIO] = {}
            requests: dict[int, BinaryIO] = {}
            for part in self._store.parts:
                if part.fetched:
                    results[part.number] = files.enter_context(
                        self._store.results(part.number).open("rb")
                    )
                    place = self._store.requests(part.number)
                    requests[part.number] = files.enter_context(place.open("rb"))
                    self._find_places(part, results[part.number])
            within = [0] * len(self._store.parts)  # the number of the next request in its part
            for number, item in enumerate(self._store.each_item()):
                if (stored := item.get("error")) is not None:
                    key = str(item.get("id", number))
                    yield BatchItem(key, number, None, load_error(stored), Losses(), sent=False)
                    continue
                index: int = item["part"]
                position, within[index] = within[index], within[index] + 1
                if index in results:
                    out = self.load_request(item, requests[index])
                    line = self._read_line(results[index], index, number, position)
                    yield self._read_item(item, number, position, out, line)

    def _find_places(self, part: BatchPart, file: BinaryIO) -> None:
        """Remember where the result of each request of a part begins."""
        form = batch_lines(part.protocol)
        place = strange = doubled = 0
        for line in file:
            result = self._parse(form, line)
            number = self._store.number(result.id)
            if number is None and not result.id and result.position is not None:
                self._by_position.setdefault(part.number, {})[result.position] = place
            elif number is None:
                strange += 1
            elif self._places[number] != _NONE:
                doubled += 1  # the first one counts
            else:
                self._places[number] = place
            place += len(line)
        for count, what in ((strange, "are about no request of it"), (doubled, "are second ones")):
            if count:
                _log.warning("%d results of the batch %s %s", count, part.batch, what)

    def _parse(self, form: BatchLines, line: bytes) -> BatchResult:
        try:
            return form.result(read_result_line(line))
        except (ReadError, LookupError, TypeError, ValueError, AttributeError):
            return BatchResult("", "error")  # about no request that can be known

    def _read_line(
        self, file: BinaryIO, part: int, number: int, position: int
    ) -> BatchResult | None:
        place = self._places[number]
        if place == _NONE:
            place = self._by_position.get(part, {}).get(position, _NONE)
        if place == _NONE:
            return None
        file.seek(place)
        return self._parse(batch_lines(self._store.parts[part].protocol), file.readline())

    def _read_item(
        self,
        item: JsonObject,
        number: int,
        position: int,
        out: Written,
        result: BatchResult | None,
    ) -> BatchItem:
        key = str(item.get("id", number))
        part = self._store.parts[item["part"]]
        target = self._target.over(part.protocol)
        request = ChatRequest([], agent_name=item.get("agent"))
        try:
            answer = self._read_answer(part, position, target, out, request, result)
        except ProviderError as error:
            return BatchItem(key, number, None, target.place_error(error, out), out.losses)
        except InvalidOutput as error:
            if error.response is not None:
                error.response.in_batch = True
            return BatchItem(key, number, None, error, out.losses)
        except ReadError as error:
            return BatchItem(key, number, None, error, out.losses)
        return BatchItem(key, number, answer, None, out.losses)

    def _read_answer(
        self,
        part: BatchPart,
        position: int,
        target: ModelTarget,
        out: Written,
        request: ChatRequest,
        result: BatchResult | None,
    ) -> Answer[Any]:
        """Return the answer. Raises ProviderError, InvalidOutput or ReadError."""
        if result is None:
            raise _find_reason(part, position, target)
        if result.kind in ("expired", "cancelled"):
            raise _build_error(target, result.kind, _words(result.body), result.body)
        if result.kind == "error":
            raise target.wire.error(result.status, result.body)
        allow_partial = target.model.allow_partial or self._store.header["allow_partial"]
        status = result.status or 200
        received = read_reply(
            target.wire, out, Reply(status, {}, result.body), allow_partial=allow_partial
        )
        target.formatter.name_answer(received.response, out)
        answer = target.answer(out, received.response, request, self._structured, received.raw)
        answer.in_batch = True
        return answer

    def load_request(self, item: JsonObject, file: BinaryIO) -> Written:
        """Return a request of the batch as it was written, with its losses as text."""
        part = self._store.parts[item["part"]]
        file.seek(item["at"])
        body = batch_lines(part.protocol).body(loads(file.readline()))
        prefix = item.get("prefix", "")
        losses = [load_loss(row) for row in item.get("losses", ())]
        tools = {}
        for name, tool in item.get("tools", {}).items():
            value = {"messages": [], "tools": [tool]}
            request = load({"dragoman": 1, "kind": "request", "value": value})
            assert isinstance(request, ChatRequest)
            tools[name] = request.tools[0]
        return Written(
            body,
            part.path,
            dict(part.headers),
            part.model or None,
            item.get("ids", {}),
            item.get("names", {}),
            item.get("properties", {}),
            tools,  # type: ignore[arg-type]  # the tools that a written request had
            report=Report.of(losses, self._target.over(part.protocol).wire.name),
            make_prefix=partial(str, prefix) if prefix else None,
        )


def _find_reason(part: BatchPart, position: int, target: ModelTarget) -> ProviderError:
    """Return the error for a request without a result."""
    if part.reason != "failed" or not part.faults:
        return _build_error(target, part.reason, "")
    own = next((fault for fault in part.faults if fault.line == position + 1), None)
    if own is not None:  # the line for which the batch was refused
        body = {"error": {"message": own.message, "code": own.code}}
        return target.wire.error(400, body)
    words = "; ".join(fault.message for fault in part.faults[:_FAULTS])
    return _build_error(target, "failed", words)


_FAULTS = 3  # that an error names


def _build_error(target: ModelTarget, reason: str, words: str, body: Any = None) -> BatchError:
    code, text = _REASONS[reason]
    hint = "batch.retry() asks again"
    error = BatchError(f"{text}: {words}" if words else text, code=code, hint=hint, body=body)
    home = target.wire.vendor
    error.host = home.name if home is not None else ""
    return error


def _words(body: Any) -> str:
    return str(body.get("message") or "") if isinstance(body, dict) else ""


def load_error(stored: JsonObject) -> DragomanError:
    """Return an error that the files have, as the class that it had."""
    kind = getattr(errors, stored["type"], DragomanError)
    error: DragomanError = kind.__new__(kind)
    error.args = (stored["text"],)
    for name in ("message", "path", "hint", "code"):
        setattr(error, name, stored[name])
    return error
