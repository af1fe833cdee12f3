"""Every wire to every other over somebody's own logs: what is lost, how often, and what remains.

For trust, and for CI: a run is plain JSON, and `worse` compares it with an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._convert import detect
from .._wire import Wire
from ..errors import DragomanError, InvalidMessage, ProviderError, ReadError, WriteError
from ..jsontext import Json
from ..losses import policy
from ..message import ChatRequest, ChatResponse, Msg
from ..vendors import PROTOCOLS, wire
from .pairs import Fidelity, Kind, Pair
from .records import Record, record
from .sameness import Difference, diff

__all__ = ["fidelity"]

_QUIET = policy("ignore")


def fidelity(
    rows: Iterable[tuple[str, Json]],
    source: str = "auto",
    targets: Mapping[str, str | None] | None = None,
) -> Fidelity:
    """Write every body for every target, read it back, and count what happened, by pair of wires.

    `rows` are (place, value): a body of a request or an answer, or `{"request": ..., "response":
    ...}`, also with `path` (or `url`) and `status`, and with `events` where it was streamed.
    `source` is whose they are; "auto" looks at each. `targets` are wires with the model to ask
    there, all protocols with their default models without it; a request stays with its own model
    on its own protocol. Answers that are errors are left out; what cannot be read is in `unread`.

    >>> run = fidelity([("a", {"model": "m", "messages": [{"role": "user", "content": "Hi"}]})])
    >>> [(pair.target, pair.lossless) for pair in run.pairs][:2]
    [('openai-chat', 1), ('openai-responses', 1)]
    """
    run = _Run(source, dict.fromkeys(PROTOCOLS) if targets is None else targets)
    for place, value in _pairs(rows):
        run.row(place, value)
    return run.made


def _pairs(rows: object) -> Iterator[tuple[str, Json]]:
    listed = isinstance(rows, Iterable) and not isinstance(rows, (str, bytes, Mapping))
    for row in rows if listed else (rows,):  # type: ignore[attr-defined]  # as was asked
        if not (isinstance(row, (tuple, list)) and len(row) == 2):
            raise InvalidMessage(
                f"rows are pairs of a place and a body, not {type(row).__name__}", code="row.type",
                hint='[("log.jsonl:1", body), ...]',
            )  # fmt: skip
        yield row[0], row[1]


class _Run:
    """The pairs so far, and the wires, which remember what they know of models."""

    def __init__(self, source: str, targets: Mapping[str, str | None]) -> None:
        self.source = source
        self.targets = [(wire(name, policy="ignore"), model) for name, model in targets.items()]
        self.made = Fidelity([])
        self._pairs: dict[tuple[str, str, str], Pair] = {}
        self._homes: dict[str, Wire] = {}

    def row(self, place: str, value: Json) -> None:
        """Count what a row holds; what cannot be read of it is noted."""
        try:
            one, home = self._exchange(value)
            if one.request is not None:
                req = home.read_request(one.request, one.path)
                self.made.read += 1
                for target, model in self.targets:
                    self._request(place, req, home, target, model)
            if one.answered:
                resp = _answer(one, home)
                self.made.read += 1
                for target, _ in self.targets:
                    self._response(place, resp, home, target)
        except ProviderError:
            return  # there was no answer
        except DragomanError as error:
            said = f"{error.path}: {error.message}" if error.path else error.message
            self.made.unread.append((place, said))

    def _exchange(self, value: Json) -> tuple[Record, Wire]:
        """The exchange that a row holds, and whose it is."""
        one = record(value)
        if one is None:
            if not isinstance(value, dict):
                raise ReadError(f"{type(value).__name__} is no body", path="$")
            one = Record(request=value) if self._asks(value) else Record(response=value)
        name = self.source
        if name == "auto":
            said = detect(one.request, one.path) if one.request is not None else \
                detect(one.response, kind="response")  # fmt: skip
            name = said.wire
        if name not in self._homes:
            self._homes[name] = wire(name, policy="ignore")
        return one, self._homes[name]

    def _asks(self, body: dict[str, Any]) -> bool:
        """Whether a bare body is a request; what looks like neither is taken for one."""
        names = PROTOCOLS if self.source == "auto" else (self.source,)
        rooms = [self._room(name) for name in names]
        return any(room.claims(body) for room in rooms) or not any(
            room.answers(body) for room in rooms
        )

    def _room(self, name: str) -> Any:
        if name not in self._homes:
            self._homes[name] = wire(name, policy="ignore")
        return self._homes[name].room

    def _pair(self, kind: Kind, home: Wire, target: Wire) -> Pair:
        key = (kind, home.name, target.name)
        if key not in self._pairs:
            self._pairs[key] = Pair(*key)
            self.made.pairs.append(self._pairs[key])
        pair = self._pairs[key]
        pair.count += 1
        return pair

    def _request(
        self, place: str, req: ChatRequest, home: Wire, target: Wire, model: str | None
    ) -> None:
        pair = self._pair("request", home, target)
        if model is None and not (req.model and home.room.protocol == target.room.protocol):
            model = target.room.model
        try:
            out = target.write_request(req, model, policy=_QUIET)
        except WriteError as error:
            pair.refuse(place, error)
            return
        try:
            changes = diff(req, target.read_request(out.body, out.path, out.headers))
        except DragomanError as error:
            changes = [_unreadable(error)]
        pair.add(place, out.losses, changes)

    def _response(self, place: str, resp: ChatResponse, home: Wire, target: Wire) -> None:
        pair = self._pair("response", home, target)
        try:
            out = target.write_response(resp, policy=_QUIET)
        except WriteError as error:
            pair.refuse(place, error)
            return
        try:
            changes = diff(_said(resp), _said(target.read_response(out.body)))
        except DragomanError as error:
            changes = [_unreadable(error)]
        pair.add(place, out.losses, changes)


def _answer(one: Record, home: Wire) -> ChatResponse:
    """The answer, whole or as it was streamed. Raises ProviderError for an error in its place."""
    if one.response is not None:
        return home.read_response(one.response)
    decoder = home.stream_decoder()
    for name, data in one.events:
        decoder.feed(data, name)
    resp = decoder.finish()
    if resp.error is not None:
        raise resp.error
    return resp


def _said(resp: ChatResponse) -> list[Msg]:
    return [one.msg for one in resp.candidates]


def _unreadable(error: DragomanError) -> Difference:
    """What is different of a body that was written and cannot be read."""
    return Difference("changed", "body", now=str(error))
