"""An exchange on one wire: the JSON that the library writes, with its losses on both sides.

`where` of a loss is its path in the source; `at` are the paths in the body that show it: the same
place if it was written in some form, else the nearest part around it that was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

from .._old_names import OLD_CODES
from ..analysis import sourcemap
from ..analysis.paths import format_path, steps
from ..codec.wire import Wire
from ..conversion.convert import convert
from ..errors import DragomanError, WriteError
from ..formatter import Formatter
from ..history.speakers import ByName, ByRole, NameField, Rewrite, Tagged
from ..losses import Loss, by_weight
from ..losses.codes import CODES
from ..message import ChatRequest, Written
from ..text.json_text import JsonObject
from ..vendors import wire
from .exchange import PageExchange
from .long_texts import LongTexts

Shown: TypeAlias = dict[str, Any]

SPEAKERS: dict[str, str] = {
    "role": "The role decides who speaks",
    "name": "The name decides: turns are merged into a history",
    "tagged": "Each turn begins with its speaker's name",
    "namefield": "Names go into the field that the wire has for them",
}


def choose_speakers(how: str, request: ChatRequest) -> Rewrite:
    """The way to show who speaks; `tagged` takes the first assistant with a name as the agent."""
    match how:
        case "name":
            return ByName()
        case "tagged":
            names = (m.name for m in request.messages if m.role == "assistant" and m.name)
            return Tagged(me=next(names, "assistant"))
        case "namefield":
            return NameField()
        case _:
            return ByRole()


def get_target(name: str) -> Wire:
    """The wire of a name, without fetching media. Raises ConfigError for an unknown one."""
    return wire(name, policy="ignore", fetch=None)


def write_exchange(
    exchange: PageExchange, target: Wire, how: str, counter: Any = None, limit: int | None = None
) -> Written:
    """The request in the form of the target, as `convert` and a `Formatter` write it.

    Raises WriteError, ReadError, and ContextOverflow if nothing fits into `limit`.
    """
    request = exchange.request
    assert request is not None, "an exchange without a request is not written"
    plain = target.write_request(request)
    if how == "role" and limit is None:
        return plain
    limits = {"token_counter": counter, "max_tokens": limit} if limit is not None else {}
    formatter = Formatter(
        target, speakers=choose_speakers(how, request), policy="ignore", fetch=None, **limits
    )
    return formatter.format_request(request, plain.model)  # every way asks for the same model


def request_on(
    exchange: PageExchange,
    target: str,
    how: str,
    texts: LongTexts,
    counter: Any = None,
    limit: int | None = None,
) -> Shown:
    """What the page shows of a request on one wire."""
    shown: Shown = {"wire": target, "speakers": how}
    try:
        out = write_exchange(exchange, get_target(target), how, counter, limit)
    except WriteError as error:
        losses = [_loss(loss, {}) for loss in by_weight(error.losses)]
        return {**shown, "refused": _show_refusal(error), "losses": losses}
    pairs = [[path, source.path] for path, source in sourcemap(out).paths()]
    nearest = _by_source(pairs)
    body, cut = texts.body(out.body)
    return {
        **shown,
        "model": out.model,
        "path": out.path,
        "headers": out.headers,
        "body": body,
        "long": cut,
        "pairs": pairs,
        "losses": [_loss(loss, nearest) for loss in by_weight(out.losses)],
    }


def _show_refusal(error: DragomanError) -> Shown:
    fields = {"text": error.message, "path": error.path, "hint": error.hint, "code": error.code}
    return {key: value for key, value in fields.items() if value}


def _by_source(pairs: Iterable[list[str]]) -> dict[str, list[str]]:
    """The paths in the body, by the paths in the source that they come from or are part of."""
    exact: dict[str, list[str]] = {}
    around: dict[str, list[str]] = {}
    for at, source in pairs:
        exact.setdefault(source, []).append(at)
        way = steps(source) or []
        for end in range(len(way) - 1, 0, -1):
            around.setdefault(format_path(way[:end]), [at])
    return {**around, **exact}


def _loss(loss: Loss, nearest: dict[str, list[str]]) -> Shown:
    return {
        "kind": loss.kind,
        "code": loss.code,
        "weight": loss.weight,
        "where": loss.where,
        "what": loss.what,
        "did": loss.did,
        "rule": loss.rule,
        "meaning": loss.meaning,
        "fix": loss.fix,
        "at": _at(loss, nearest),
    }


def _at(loss: Loss, nearest: dict[str, list[str]]) -> list[str]:
    """The paths in the body that show a loss."""
    way = steps(loss.where) or []
    for end in range(len(way), 0, -1):
        if places := nearest.get(format_path(way[:end])):
            # only the first of several places, as marks on all would look like more losses
            return places if end == len(way) else places[:1]
    name = way[-1] if way else ""
    by_name = [
        at for places in nearest.values() for at in places if (steps(at) or [""])[-1] == name
    ]
    return by_name[:1] or ["$"]


def counts(exchange: PageExchange, targets: Iterable[str], how: str) -> Iterator[Shown]:
    """For each wire the number of losses of each kind, or why the request cannot be sent."""
    for name in targets:
        try:
            out = write_exchange(exchange, get_target(name), how)
        except DragomanError as error:
            yield {"wire": name, "refused": error.message}
            continue
        kinds = Counter(loss.kind for loss in out.losses)
        weights = Counter(loss.weight for loss in out.losses if loss.kind != "added")
        yield {"wire": name, "kinds": dict(kinds), "major": weights["major"]}


# -- answers --------------------------------------------------------------------------------------


def answer_on(exchange: PageExchange, target: str, texts: LongTexts) -> Shown:
    """A whole answer or the events of a stream on one wire; `from` is the event that caused one."""
    recorded = exchange.answer
    assert recorded is not None, "an exchange without an answer has none on any wire"
    shown: Shown = {"wire": target}
    try:
        if not recorded.whole:
            return {**shown, **_stream_on(exchange, target, texts)}
        [(_, answer)] = recorded.events
        out = convert(answer, recorded.home, get_target(target), "response", policy="ignore")
    except DragomanError as error:
        return {**shown, "refused": _show_refusal(error), "losses": []}
    body, cut = texts.body(out.body)
    losses = [_loss(loss, {}) for loss in by_weight(out.losses)]
    return {**shown, "body": body, "long": cut, "pairs": [], "losses": losses}


def _stream_on(exchange: PageExchange, target: str, texts: LongTexts) -> Shown:
    """The events of another wire, as `convert_stream` gives them, each with its cause."""
    recorded = exchange.answer
    assert recorded is not None, "it was looked at before"
    decoder = recorded.home.stream_decoder()
    encoder = get_target(target).stream_encoder(origin=decoder.origin)
    events: list[Shown] = []
    shown_event = partial(_event, texts)
    for number, (name, data) in enumerate(recorded.events):
        for piece in decoder.feed(data, name):
            events += [shown_event(number, event) for event in encoder.feed(piece)]
    last = len(recorded.events) - 1
    for piece in decoder.rest():
        events += [shown_event(last, event) for event in encoder.feed(piece)]
    events += [shown_event(last, event) for event in encoder.finish()]
    return {"events": events, "losses": [_loss(loss, {}) for loss in by_weight(encoder.losses)]}


def _event(texts: LongTexts, number: int, event: tuple[str | None, Any]) -> Shown:
    name, data = event
    body, cut = texts.body(data)
    return {"from": number, "name": name, "data": body, "long": cut}


# -- recordings of a gateway ----------------------------------------------------------------------


def recorded_on(exchange: PageExchange, side: str, texts: LongTexts) -> Shown:
    """The recording of one side, `client` or `upstream`, unchanged."""
    if side == "upstream" and exchange.upstream is not None:
        row: JsonObject = exchange.upstream.row
        name, value, path = exchange.upstream.wire, row.get("request"), row.get("url_path")
    else:
        name, value, path = exchange.wire, exchange.body, exchange.path
    body, cut = texts.body(value)
    shown: Shown = {
        "wire": name,
        "side": side,
        "path": path or "",
        "headers": {},
        "body": body,
        "long": cut,
        "pairs": [],
        "losses": [],
    }
    if side == "upstream" and exchange.losses:
        pairs = _recorded_pairs(exchange, name)
        nearest = _by_source(pairs)
        shown |= {
            "pairs": pairs,
            "losses": [_recorded_loss(row, nearest) for row in exchange.losses],
        }
    return shown


def _recorded_pairs(exchange: PageExchange, name: str) -> list[list[str]]:
    """The pairs of paths in the upstream body and in the request, from writing it once more."""
    try:
        out = write_exchange(exchange, get_target(name), "role")
    except DragomanError:
        return []  # the marks are then at the head of the body
    return [[path, source.path] for path, source in sourcemap(out).paths()]


def _recorded_loss(row: JsonObject, nearest: dict[str, list[str]]) -> Shown:
    """A loss that a gateway recorded, with the meaning of its code."""
    code = str(row.get("code", ""))
    known = CODES.get(OLD_CODES.get(code, code))  # recorded by an earlier release
    shown = {key: str(row.get(key, "")) for key in ("kind", "code", "where", "what", "did", "rule")}
    where = steps(shown["where"]) or []
    found = (nearest.get(format_path(where[:end])) for end in range(len(where), 0, -1))
    at = next(filter(None, found), ["$"])
    return {
        **shown,
        "weight": known.weigh("") if known else "major",
        "meaning": known.meaning if known else "",
        "fix": known.fix if known else "",
        "at": at,
    }
