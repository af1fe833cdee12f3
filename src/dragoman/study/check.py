"""What a provider would refuse in a body, found without asking it; for hand-written bodies too.

The body is read, and composed anew as the writer would say it: what the writer would not have sent
is refused, and the loss names rule and fix. What composing cannot see (types, ranges, unknown keys,
schemas) stands as rows in `rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

from .._wire import Wire
from .._wire.embedded import all_plain, body_of
from ..capabilities import bare
from ..codes import CODES
from ..errors import DragomanError, InvalidMessage, ReadError, WriteError
from ..jsontext import JsonObject
from ..losses import Loss, Report, policy
from ..message import ChatRequest, places
from ..vendors import Vendor, wire
from .check_fields import field_refusals
from .check_media import media_refusals
from .check_schemas import schema_refusals
from .check_together import last_refusals, together_refusals
from .paths import MISSING, existing, found, spelled, walked
from .refusal import Refusal
from .rules import FIELDS, REFUSED, SAYS, RefusedLoss

__all__ = ["check"]

_QUIET = policy("ignore")
_DATED = re.compile(r"(.*) \((\d{4}-\d\d-\d\d)\)\Z", re.DOTALL)
_OURS = re.compile(r"(gpt-|chatgpt-|o\d|codex-)")
_PARTS = frozenset({"Msg", "ToolChoice", "Options", "ChatRequest", "ResponseFormat", "text",
                    "thinking", "tool_use", "tool_result"})  # fmt: skip
_SHARED = ("openai-chat", "openai-responses")  # protocols that many hosts speak


def check(
    body: Any,
    target: str | Vendor | Wire,
    model: str | None = None,
    path: str | None = None,
) -> list[Refusal]:
    """What the provider behind `target` would refuse of the body; empty if nothing is known.

    `model` is asked where the body names none, `path` is where the body is sent (Gemini's model
    stands there). Offline: keys, credit, model names and URLs are not looked at. Raises ReadError
    for what is no JSON object.

    >>> body = {"model": "gpt-5.5", "n": 0, "messages": [{"role": "user", "content": "Hi"}]}
    >>> [(one.where, one.code) for one in check(body, "openai")]
    [('$.n', 'field.range')]
    """
    there = wire(target, policy="ignore")
    body = body_of(body)
    try:
        body = all_plain(body)
    except ReadError as error:
        return [_no_json(error.path, error)]
    try:
        return _checked(body, there, model, path)
    except InvalidMessage as error:
        odd = (way for way, one in walked(body) if isinstance(one, float) and not isfinite(one))
        return [_no_json(spelled(next(odd, ())), error)]


def _checked(body: JsonObject, there: Wire, model: str | None, path: str | None) -> list[Refusal]:
    req = there.read_request(body, path)
    asked = req.model or model
    hosts = _hosts(there, asked)
    told = [FIELDS[name] for name in hosts if name in FIELDS]
    loose = any(rules.loose for rules in told)
    made = field_refusals(body, told, asked)
    if not req.model and model:  # it is named elsewhere
        made = [one for one in made if one.where != "$.model"]
    made += together_refusals(body, hosts)
    made += last_refusals(body, hosts)
    made += schema_refusals(body, hosts, loose=loose)
    made += media_refusals(req)
    exact = {one.where for one in made}
    names = frozenset("/".join(hosts).split("/"))
    made += (one for one in _unsayable(body, req, there, asked, names)
             if one.code != "option.range" or one.where not in exact)  # fmt: skip
    return _each_once(made)


def _no_json(where: str, error: DragomanError) -> Refusal:
    """What is no JSON: NaN, infinity, or a Python object."""
    return Refusal(
        where, error.message, "RFC 8259, Values", "2017-12-01", "Give a value that JSON has.",
        "json.value",
    )  # fmt: skip


def _hosts(there: Wire, model: str | None) -> tuple[str, ...]:
    """Whose rules hold: the protocol's, and those of the host that speaks it."""
    protocol = there.room.protocol
    if there.vendor is not None:
        return protocol, f"{there.vendor.name}/{protocol}"
    if protocol in _SHARED:
        return (protocol, f"openai/{protocol}") if _at_home(model) else (protocol,)
    return protocol, f"{protocol}/{protocol}"


def _at_home(model: str | None) -> bool:
    return model is not None and "/" not in model and _OURS.match(bare(model)) is not None


def _unsayable(
    body: JsonObject, req: ChatRequest, there: Wire, model: str | None, hosts: frozenset[str]
) -> Iterator[Refusal]:
    """What the writer would say otherwise, as far as that means that it would be refused."""
    anew = replace(req, read=None)
    report = Report(req.messages, req, places, there.name)
    report.made(anew, req)
    try:
        there.write_request(anew, model, policy=_QUIET, report=report)
    except WriteError as error:
        row = REFUSED.get(error.code)
        blank = error.code == "messages.empty" and bool(req.messages)  # each is named by itself
        if not blank and (row is None or row.counts(hosts)):
            where, dated = existing(body, error.path), _dated("", there)
            yield Refusal(where, error.message, *dated, error.hint, error.code)
    own = there.room.can().source
    # a bare protocol says nothing of its host, so what hosts refuse of their models is not known
    known = there.vendor is not None or there.room.protocol not in _SHARED or _at_home(model)
    for loss in report.losses:
        row = REFUSED.get(loss.code)
        if row is None or not row.counts(hosts) or _harmless(loss, row, body):
            continue
        source, since = _dated(loss.rule, there)
        if row.decided(hosts, by_fact=source != own) and (
            known or (source == own and not row.known)
        ):
            where = existing(body, loss.where)
            yield Refusal(where, _said(loss), source, since, loss.fix, loss.code)


def _said(loss: Loss) -> str:
    """The rule in a sentence, and what breaks it."""
    said = SAYS.get(loss.code) or CODES[loss.code].meaning
    return said if loss.what in _PARTS else f"{said}: {loss.what}"


def _harmless(loss: Loss, row: RefusedLoss, body: JsonObject) -> bool:
    value = found(body, loss.where)
    if loss.code in ("message.empty", "text.blank"):
        return value is MISSING or loss.where.startswith("$.system")
    key = loss.where.rpartition(".")[2]
    return any(key == name and type(value) is type(same) and value == same
               for name, same in row.harmless)  # fmt: skip


def _dated(rule: str, there: Wire) -> tuple[str, str]:
    """Source and date of a rule; those of the protocol's reference if it has none."""
    match = _DATED.match(rule)
    if match is not None:
        return match[1], match[2]
    if rule:
        return rule, ""
    own = there.room.can()
    return own.source, own.since


def _each_once(made: list[Refusal]) -> list[Refusal]:
    """Without those that say again of a place what was said of it, or of a part of it."""
    seen: set[tuple[str, str]] = set()
    kept: list[Refusal] = []
    for one in made:
        if (one.where, one.code) not in seen:
            seen.add((one.where, one.code))
            kept.append(one)
    return kept
