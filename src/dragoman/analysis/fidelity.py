"""Convert a log from every wire to every other: what is lost, and what is read back differently.

A row of the log is a body, or what was sent to a provider and what it answered, under the keys that
people commonly use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache, partial
from typing import Any, Literal, TypeAlias

from .. import errors
from ..codec.wire import Wire
from ..conversion.detection import detect
from ..losses import Loss
from ..message import ChatRequest, ChatResponse, Msg
from ..text.json_text import Json, JsonObject
from ..text.redaction import Shown
from ..vendors import PROTOCOLS, wire
from .paths import inside
from .plan import WEIGHTS
from .sameness import Difference, diff

Event: TypeAlias = tuple[str | None, Json]  # its name, if it has one, and its data

_PATHS = ("path", "url_path", "url")


@dataclass(frozen=True, slots=True)
class Record:
    """One exchange with a provider.

    Attributes:
        request: The body that was sent.
        response: The body of the answer.
        events: Those of a streamed answer, each with its name if it has one.
        path: Where the request went, if that is known.
        status: The HTTP status, if that is known.
    """

    request: JsonObject | None = None
    response: JsonObject | None = None
    events: tuple[Event, ...] = ()
    path: str | None = None
    status: int | None = None

    @property
    def answered(self) -> bool:
        """Whether there is an answer that is no error."""
        has_answer = self.response is not None or bool(self.events)
        return has_answer and (self.status is None or self.status < 400)


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """What a record holds that something else has read.

    Attributes:
        home: The wire of its bodies; None for messages of ours.
        request: What was asked.
        answer: The answer.
    """

    home: Wire | None
    request: ChatRequest | None = None
    answer: ChatResponse | None = None


OURS = "messages"  # the source of pairs for messages of ours


def record(value: Json) -> Record | None:
    """The exchange, if the value is a row such as `{"request": {...}, "response": {...}}`.

    Args:
        value: The row. It may have `events` instead of a response: each as it is, or as
            `{"event": name, "data": ...}`.

    Returns:
        The exchange; None for a body, which has none of these keys, except for the events of one
        wire, which have a `type` beside it.

    >>> record({"request": {"model": "m"}, "url": "/v1/messages"}).path
    '/v1/messages'
    """
    if not isinstance(value, dict) or "type" in value:
        return None
    request, response, events = (value.get(key) for key in ("request", "response", "events"))
    request = request if isinstance(request, dict) else None
    response = response if isinstance(response, dict) else None
    named_events = tuple(map(read_event, events)) if isinstance(events, list) else ()
    if request is None and response is None and not named_events:
        return None
    path = next((value[key] for key in _PATHS if isinstance(value.get(key), str)), None)
    status = value.get("status")
    return Record(request, response, named_events, path, status if type(status) is int else None)


def read_event(value: Json) -> Event:
    """An event as it is, or one stored with its name: `{"event": ..., "data": ...}`."""
    if isinstance(value, dict) and "data" in value and value.keys() <= {"event", "data"}:
        name = value.get("event")
        return (name if isinstance(name, str) else None), value["data"]
    return None, value


Kind: TypeAlias = Literal["request", "response"]
SILENT = "silent"  # the key of the example of a change without a loss
_VERSION = 1
_LESS = ("lossless", "clean", "same")  # shares that are worse when they fall
_MORE = ("refused", "silent", "weight")  # and when they rise
_SLACK = 1e-9
_UNSENT = 1_000  # the weight of a body that cannot be sent
_MOST = 5  # losses and differences in an example


@dataclass(slots=True, repr=False)
class Example(Shown):
    """The first body of a kind: its place in the log, its losses, its differences afterwards."""

    place: str
    losses: list[JsonObject]
    differences: list[JsonObject]

    def near(self) -> list[JsonObject]:
        """The differences at the paths of the losses; all of them if there is no loss."""
        # paths in an answer, as the differences of its messages write them
        spots = [
            re.sub(r"^\$\.candidates(\[\d+])\.msg", r"$.messages\1", x["where"])
            for x in self.losses
        ]
        return [
            c for c in self.differences if not spots or any(_overlap(c["left"], s) for s in spots)
        ]


def _overlap(path: str, other: str) -> bool:
    return bool(path) and (inside(path, other) or inside(other, path))


def _example(place: str, losses: list[Loss], changes: list[Difference]) -> Example:
    """An example, with the differences at the paths of its losses first."""
    dicts = [loss.to_dict() for loss in losses]
    example = Example(place, dicts[:_MOST], [asdict(change) for change in changes])
    nearest = example.near()
    others = [change for change in example.differences if change not in nearest]
    example.differences = [*nearest, *others][:_MOST]
    return example


@dataclass(slots=True, repr=False)
class WirePair(Shown):
    """What happened to bodies of one wire that were written for another.

    Attributes:
        kind: Requests or responses.
        source: The wire whose bodies they are.
        target: The wire for which they were written.
        count: The number of bodies.
        lossless: Those that lose nothing; something may be added.
        clean: Those that lose nothing and to which nothing is added.
        same: Those that are the same conversation when they are read back.
        silent: Those that are another conversation although no loss names it.
        weight: The sum of what their losses weigh in a plan; 1,000 for a body that cannot be sent.
        refused: Those that cannot be sent, by code.
        codes: The number of bodies in which each code came.
        examples: The first body for each code.
    """

    kind: Kind
    source: str
    target: str
    count: int = 0
    lossless: int = 0
    clean: int = 0
    same: int = 0
    silent: int = 0
    weight: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Example] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Such as `request openai-chat -> gemini`."""
        return f"{self.kind} {self.source} -> {self.target}"

    def share(self, name: str) -> float:
        """The share of `lossless`, `clean`, `same`, `silent` or `refused` bodies, 0 to 1.

        Args:
            name: Which of them.
        """
        value = self.refused.total() if name == "refused" else getattr(self, name)
        return value / self.count if self.count else 0.0

    def refuse(self, place: str, error: errors.WriteError) -> None:
        """Count a body that cannot be sent.

        Args:
            place: Its place in the log.
            error: Why it cannot be sent.
        """
        code = error.code or "refused"
        self.refused[code] += 1
        self.weight += _UNSENT
        loss: JsonObject = {"code": code, "where": error.path, "what": error.message}
        self.examples.setdefault(code, Example(place, [loss], []))

    def add(self, place: str, losses: list[Loss], changes: list[Difference]) -> None:
        """Count a body that was written.

        Args:
            place: Its place in the log.
            losses: What the writer lost or added.
            changes: How it differs when it is read back.
        """
        counted = [loss for loss in losses if loss.kind != "expected"]
        lossless = all(loss.kind == "added" for loss in counted)
        self.lossless += lossless
        self.clean += not counted
        self.same += not changes
        self.weight += sum(WEIGHTS[loss.kind] for loss in counted)
        for code in dict.fromkeys(loss.code for loss in counted):
            self.codes[code] += 1
            if code not in self.examples:
                same_code = [loss for loss in counted if loss.code == code]
                self.examples[code] = _example(place, same_code, changes)
        # an insertion has its path only in the written body
        unexplained = [c for c in changes if not (counted and c.change == "inserted")]
        if lossless and unexplained:
            self.silent += 1
            self.examples.setdefault(SILENT, _example(place, [], unexplained))


@dataclass(slots=True, repr=False)
class Fidelity(Shown):
    """The result for all pairs.

    Attributes:
        pairs: Each pair of wires, and each kind of body.
        read: The number of bodies that were understood.
        unread: (place, error) of those that were not.
    """

    pairs: list[WirePair]
    read: int = 0
    unread: list[tuple[str, str]] = field(default_factory=list)

    def to_dict(self) -> JsonObject:
        """The run as plain JSON."""
        return {
            "fidelity": _VERSION,
            "read": self.read,
            "unread": [list(row) for row in self.unread],
            "pairs": [_plain(pair) for pair in self.pairs],
        }

    @classmethod
    def of(cls, stored: Any) -> Fidelity:
        """Read what `to_dict` returned.

        Args:
            stored: The parsed JSON.

        Raises:
            ConfigError: It is anything else.
        """
        try:
            if stored["fidelity"] != _VERSION:
                text = f"a run of version {stored['fidelity']!r} is not known here"
                raise errors.ConfigError(text)
            unread = [(str(place), str(error)) for place, error in stored["unread"]]
            return cls([_pair(pair) for pair in stored["pairs"]], int(stored["read"]), unread)
        except (KeyError, TypeError, ValueError) as error:
            hint = "`--save FILE` makes one"
            raise errors.ConfigError("this is no run of fidelity", hint=hint) from error


def _plain(pair: WirePair) -> JsonObject:
    data = {f.name: getattr(pair, f.name) for f in fields(pair)}
    examples = {code: asdict(example) for code, example in pair.examples.items()}
    return {**data, "refused": dict(pair.refused), "codes": dict(pair.codes), "examples": examples}


def _pair(stored: Mapping[str, Any]) -> WirePair:
    examples = {code: Example(**example) for code, example in stored["examples"].items()}
    counts = {name: Counter(stored[name]) for name in ("refused", "codes")}
    return WirePair(**{**stored, **counts, "examples": examples})


@dataclass(frozen=True, slots=True, repr=False)
class Worse(Shown):
    """One figure of a pair that is worse than it was.

    Attributes:
        pair: The name of the pair; empty for all bodies together.
        what: The name of a share (0 to 1), or `weight`, the average weight of a body's losses.
        was: The figure before.
        now: The figure now.
        codes: Those that come in more bodies now.
    """

    pair: str
    what: str
    was: float
    now: float
    codes: tuple[str, ...] = ()


def worse(now: Fidelity, before: Fidelity) -> list[Worse]:
    """What got worse since an earlier run, for the pairs that both have.

    Shares are compared, so the logs need not be the same ones; they should be alike.

    Args:
        now: The new run.
        before: The earlier run.
    """
    result = []
    was, share = _unread(before), _unread(now)
    if share > was + _SLACK:
        result.append(Worse("", "unread", was, share))
    earlier = {pair.name: pair for pair in before.pairs}
    for pair in now.pairs:
        if pair.name in earlier:
            result += _worse(pair, earlier[pair.name])
    return result


def _worse(now: WirePair, before: WirePair) -> Iterator[Worse]:
    codes = tuple(code for code in now.codes if _often(now, code) > _often(before, code) + _SLACK)
    for name in (*_LESS, *_MORE):
        was, share = before.share(name), now.share(name)
        if (was - share if name in _LESS else share - was) > _SLACK:
            yield Worse(now.name, name, was, share, codes)


def _often(pair: WirePair, code: str) -> float:
    return pair.codes[code] / pair.count if pair.count else 0.0


def _unread(run: Fidelity) -> float:
    total = run.read + len(run.unread)
    return len(run.unread) / total if total else 0.0


def fidelity(
    rows: Iterable[tuple[str, Json | KnownRecord]],
    source: str = "auto",
    targets: Mapping[str, str | None] | None = None,
) -> Fidelity:
    """Write every body for every target, read it back, and count what happened, by pair of wires.

    Answers that are errors are left out.

    Args:
        rows: (place, value): a body of a request or an answer, or `{"request": ..., "response":
            ...}`, also with `path` (or `url`) and `status`, and with `events` where it was
            streamed; or a KnownRecord.
        source: The wire of the bodies; "auto" detects it for each.
        targets: Wires with the model to ask there; by default all protocols with their default
            models. On its own protocol a request keeps its own model.

    Returns:
        The counts, with what cannot be read in `unread`.

    >>> run = fidelity([("a", {"model": "m", "messages": [{"role": "user", "content": "Hi"}]})])
    >>> [(pair.target, pair.lossless) for pair in run.pairs][:2]
    [('openai-chat', 1), ('openai-responses', 1)]
    """
    run = _Run(source, dict.fromkeys(PROTOCOLS) if targets is None else targets)
    for place, value in _pairs(rows):
        run.row(place, value)
    run.result.pairs = list(run.pairs.values())
    return run.result


def _pairs(rows: object) -> Iterator[tuple[str, Any]]:
    is_list = isinstance(rows, Iterable) and not isinstance(rows, (str, bytes, Mapping))
    for row in rows if is_list else (rows,):  # type: ignore[attr-defined]  # checked
        if not (isinstance(row, (tuple, list)) and len(row) == 2):
            text = f"rows are pairs of a place and a body, not {type(row).__name__}"
            raise errors.InvalidMessage(text, code="row.type", hint='[("log.jsonl:1", body), ...]')
        yield row[0], row[1]


class _Run:
    """The pairs so far, and the wires, which cache what they know of models."""

    def __init__(self, source: str, targets: Mapping[str, str | None]) -> None:
        self.source = source
        self.targets = [(wire(name, policy="ignore"), model) for name, model in targets.items()]
        self.result = Fidelity([])
        self.pairs: dict[tuple[Kind, str, str], WirePair] = {}
        self._wire = cache(partial(wire, policy="ignore"))

    def row(self, place: str, value: Json | KnownRecord) -> None:
        """Count what a row holds; note what cannot be read of it."""
        try:
            if isinstance(value, KnownRecord):
                self._write(place, value)
                return
            exchange, home = self._exchange(value)
            if exchange.request is not None:
                req = home.read_request(exchange.request, exchange.path)
                self._write(place, KnownRecord(home, req))
            if exchange.answered:
                self._write(place, KnownRecord(home, answer=_answer(exchange, home)))
        except errors.ProviderError:
            return  # there was no answer
        except errors.DragomanError as error:
            text = f"{error.path}: {error.message}" if error.path else error.message
            self.result.unread.append((place, text))

    def _write(self, place: str, known: KnownRecord) -> None:
        """Count what is read: a request, an answer, or both."""
        if known.request is not None:
            self.result.read += 1
            for target, model in self.targets:
                self._request(place, known.request, known.home, target, model)
        if known.answer is not None:
            self.result.read += 1
            for target, _ in self.targets:
                self._response(place, known.answer, known.home, target)

    def _exchange(self, value: Json) -> tuple[Record, Wire]:
        """The exchange that a row holds, and its wire."""
        exchange = record(value)
        if exchange is None:
            if not isinstance(value, dict):
                raise errors.ReadError(f"{type(value).__name__} is no body", path="$")
            exchange = Record(request=value) if self._asks(value) else Record(response=value)
        if self.source != "auto":
            return exchange, self._wire(self.source)
        if exchange.request is not None:
            detected = detect(exchange.request, exchange.path)
        else:
            detected = detect(exchange.response, kind="response")
        return exchange, self._wire(detected.wire)

    def _asks(self, body: dict[str, Any]) -> bool:
        """Whether a bare body is a request; a body that looks like neither counts as one."""
        names = PROTOCOLS if self.source == "auto" else (self.source,)
        rooms = [self._wire(name).room for name in names]
        answers = any(room.answers(body) for room in rooms)
        return not answers or any(room.claims(body) for room in rooms)

    def _pair(self, kind: Kind, home: Wire | None, target: Wire) -> WirePair:
        key = (kind, OURS if home is None else home.name, target.name)
        pair = self.pairs.setdefault(key, WirePair(*key))
        pair.count += 1
        return pair

    def _request(
        self, place: str, req: ChatRequest, home: Wire | None, target: Wire, model: str | None
    ) -> None:
        pair = self._pair("request", home, target)
        is_own = home is not None and home.room.protocol == target.room.protocol
        if model is None and not (req.model and is_own):
            model = target.room.model
        self._count(
            pair,
            place,
            lambda: target.write_request(req, model),
            lambda out: diff(req, target.read_request(out.body, out.path, out.headers)),
        )

    def _response(self, place: str, resp: ChatResponse, home: Wire | None, target: Wire) -> None:
        self._count(
            self._pair("response", home, target),
            place,
            lambda: target.write_response(resp),
            lambda out: diff(_msgs(resp), _msgs(target.read_response(out.body))),
        )

    def _count(
        self,
        pair: WirePair,
        place: str,
        write: Callable[[], Any],
        differences: Callable[[Any], list[Difference]],
    ) -> None:
        try:
            out = write()
        except errors.WriteError as error:
            pair.refuse(place, error)
            return
        try:
            changes = differences(out)
        except errors.DragomanError as error:  # it was written and cannot be read
            changes = [Difference("changed", "body", now=str(error))]
        pair.add(place, out.losses, changes)


def _answer(exchange: Record, home: Wire) -> ChatResponse:
    """The answer, whole or as it was streamed. Raises ProviderError for an error in its place."""
    if exchange.response is not None:
        return home.read_response(exchange.response)
    decoder = home.stream_decoder()
    for name, data in exchange.events:
        decoder.feed(data, name)
    resp = decoder.finish()
    if resp.error is not None:
        raise resp.error
    return resp


def _msgs(resp: ChatResponse) -> list[Msg]:
    return [candidate.msg for candidate in resp.candidates]
