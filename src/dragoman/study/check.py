"""Refusal: one thing in a body that a provider would refuse."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import isfinite
from typing import Any, TypeAlias

from .._core.exchange.plain_json import all_plain, body_of
from .._core.exchange.wire import Wire
from .._core.jsontext import JsonObject
from .._core.redaction import Shown, clipped, shown
from ..capabilities import bare
from ..errors import DragomanError, InvalidMessage, ReadError, WriteError
from ..losses import InBody, Loss, Report, policy
from ..losses.codes import CODES
from ..message import Base64Source, ChatRequest, ImageBlock, URLSource, places
from ..message import places as all_places
from ..schema import Change, dialect, lowered
from ..schema.lowering import exceeded
from ..vendors import Vendor, wire
from .paths import MISSING, Step, existing, found, spelled, walked
from .rules import (
    FIELDS,
    LAST,
    REFUSED,
    SAYS,
    TOGETHER,
    FieldRule,
    JsonType,
    RefusedLoss,
    Rules,
    Together,
)
from .rules.together import OPTIONAL, SCHEMAS, STRICT_TOOLS, SchemaPlace


@dataclass(frozen=True, slots=True, repr=False)
class Refusal(Shown):
    """One thing that the provider would refuse, with the rule that says so.

    `where` is the path in the body; `rule` says in a sentence what is wrong there; `source` and
    `since` where it is written down, and when it came or was looked up (ISO date, or empty). `fix`
    is the smallest change; `code` is that of a loss, or `field.*`.
    """

    where: str
    rule: str
    source: str = ""
    since: str = ""
    fix: str = ""
    code: str = ""


_Places: TypeAlias = Iterator[tuple[tuple[Step, ...], Any]]


_NAMES: dict[JsonType, str] = {
    "number": "a number", "integer": "a whole number", "text": "text", "boolean": "true or false",
    "list": "a list", "object": "an object",
}  # fmt: skip


def field_refusals(body: Any, told: Sequence[Rules], model: str | None) -> list[Refusal]:
    """What the rows refuse in the body; those of later rules stand for rows of the same path."""
    made: list[Refusal] = []
    name = bare(model) if model else ""
    chosen: dict[str, list[tuple[FieldRule, Rules]]] = {}
    for rules in told:
        fresh: dict[str, list[tuple[FieldRule, Rules]]] = {}
        for row in rules.rows:
            fresh.setdefault(row.path, []).append((row, rules))
        chosen.update(fresh)
    for rows in chosen.values():
        for row, rules in rows:
            if _concerns(row, name):
                made += _held(body, row, rules)
    return made


def _concerns(row: FieldRule, model: str) -> bool:
    if not row.models:
        return True
    return bool(model) and any(fnmatchcase(model, one) for one in row.models) and not any(
        fnmatchcase(model, one) for one in row.but
    )  # fmt: skip


def placed(body: Any, path: str, *, loose: bool = False) -> _Places:
    """(way, value) of each place at the path of a FieldRule; MISSING where only its home is."""
    return _places(body, path.split(".") if path else [], (), loose)


def _held(body: Any, row: FieldRule, rules: Rules) -> Iterator[Refusal]:
    for way, value in placed(body, row.path, loose=rules.loose):
        if value is MISSING or value is None:
            if row.needed:
                yield _refusal(way, "field.missing", "it must be there", row, rules)
        elif row.absent:
            if value is False:
                continue
            yield _refusal(way, "field.refused", "this model takes no such field", row, rules)
        else:
            yield from _wrong(way, value, row, rules)


def _places(value: Any, steps: list[str], way: tuple[Step, ...], loose: bool) -> _Places:
    """(way, value) of each place that the steps lead to; MISSING where only its home is there."""
    if not steps:
        yield way, value
        return
    if not isinstance(value, dict):
        return
    step, *rest = steps
    name = step.removesuffix("[]")
    key = _snake(name) if loose and name not in value and _snake(name) in value else name
    inner = value.get(key, MISSING)
    if name == step:
        if rest and not isinstance(inner, dict):
            return
        yield from _places(inner, rest, (*way, key), loose)
    elif isinstance(inner, list):
        for i, one in enumerate(inner):
            yield from _places(one, rest, (*way, key, i), loose)


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _wrong(way: tuple[Step, ...], value: Any, row: FieldRule, rules: Rules) -> Iterator[Refusal]:
    number = _number(value, rules.loose)
    if row.kinds and not any(_is(value, kind, number) for kind in row.kinds):
        kinds = " or ".join(_NAMES[kind] for kind in row.kinds)
        yield _refusal(way, "field.type", f"must be {kinds}, not {shown(value)}", row, rules)
        return
    if number is not None:
        low = row.least is not None and number < row.least
        if low or (row.most is not None and number > row.most):
            bounds = (_bound(row.least, "at least"), _bound(row.most, "at most"))
            span = " and ".join(bound for bound in bounds if bound)
            yield _refusal(way, "field.range", f"must be {span}, not {value}", row, rules)
    if row.words and isinstance(value, str) and not _worded(value, row.words, rules.loose):
        words = ", ".join(sorted(row.words))
        yield _refusal(way, "field.word", f"{shown(value)} is none of {words}", row, rules)
    if row.like and isinstance(value, str) and re.fullmatch(row.like, value) is None:
        said = f"{shown(value)} is not {row.form}"
        yield _refusal(way, "field.form", said, row, rules)
    listed = isinstance(value, list) or (isinstance(value, dict) and row.longest is None)
    size = len(value) if listed else row.fewest
    if size < row.fewest or (row.longest is not None and size > row.longest):
        most = None if row.longest is None else float(row.longest)
        bounds = (_bound(row.fewest or None, "at least"), _bound(most, "at most"))
        said = f"holds {size} and must hold {' and '.join(filter(None, bounds))}"
        yield _refusal(way, "field.length", said, row, rules)
    if row.keys and isinstance(value, dict):
        known = row.keys | ({_snake(key) for key in row.keys} if rules.loose else set())
        for key in value:
            if key not in known:
                said = "there is no such field"
                yield _refusal((*way, key), "field.unknown", said, row, rules)


def _worded(value: str, words: frozenset[str], loose: bool) -> bool:
    return value in words or (loose and value.lower() in words)


def _number(value: Any, loose: bool) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if loose and isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


def _is(value: Any, kind: JsonType, number: float | None) -> bool:
    match kind:
        case "number":
            return number is not None
        case "integer":
            return number is not None and number == number // 1
        case "text":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "list":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)


def _bound(limit: float | None, word: str) -> str:
    return "" if limit is None else f"{word} {limit:g}"


_FIXES = {
    "field.missing": "Set it.",
    "field.unknown": "Leave it out.",
    "field.refused": "Leave it out.",
    "field.form": "Spell it so.",
    "field.word": "Use one of these words, or leave it out.",
    "field.range": "Bring the value into the range, or leave it out.",
    "field.length": "Bring it to this length, or leave it out.",
    "field.type": "Give a value of this type, or leave it out.",
}


def _refusal(
    way: tuple[Step, ...], code: str, said: str, row: FieldRule, rules: Rules
) -> Refusal:  # fmt: skip
    name = way[-1] if way else "the body"
    if isinstance(name, int):
        name = f"element {name} of {way[-2]}"
    rule = f"{name}: {said}"
    return Refusal(spelled(way), rule, rules.source, rules.since, row.fix or _FIXES[code], code)


_SAID = frozenset({"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"})


_STARTS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")


_URI = re.compile(r"data:([\w/+.-]+);base64,")


_SOURCE = "W3C PNG, ISO 10918 (JPEG), GIF89a and RIFF (WebP): the first bytes of a file"


_ENOUGH = 64  # characters of base64 that hold the first bytes of a file


def media_refusals(req: ChatRequest) -> Iterator[Refusal]:
    """The images whose bytes are of no type that an image can have."""
    for path, node in all_places(req.messages, req):
        block = node.node if type(node) is InBody else node
        if type(block) is ImageBlock:
            said, data = _bytes_of(block.source)
            if said in _SAID and not _an_image(data):
                rule = clipped(f"the bytes are no image, though they are said to be {said}")
                yield Refusal(path, rule, _SOURCE, "", _FIX, "media.bytes")


_FIX = "Give the bytes of a PNG, JPEG, GIF or WebP image, base64 of them, and its own type."


def _bytes_of(source: Any) -> tuple[str, str]:
    """(media type, the beginning of the base64) of what is given in the body itself."""
    if type(source) is Base64Source:
        return source.media_type, source.data[:_ENOUGH]
    if type(source) is URLSource and (uri := _URI.match(source.url[:_ENOUGH])):
        return uri[1], source.url[uri.end() : uri.end() + _ENOUGH]
    return "", ""


def _an_image(data: str) -> bool:
    head = re.sub(r"\s", "", data).replace("-", "+").replace("_", "/")
    try:
        start = a2b_base64(head[: len(head) // 4 * 4])
    except (Error, ValueError):
        return False
    return start.startswith(_STARTS)


_CHECK_SCHEMAS_FIXES = {
    "schema.unfit": "Leave `strict` unset for this tool, or split it in two.",
    "schema.size": "Make some of them required, or leave `strict` unset for this tool.",
    "schema.root": 'Say `"type": "object"` at the root, and what it may hold in `properties`.',
    "schema.type": "Give a JSON Schema of an object.",
}


_CHECK_SCHEMAS_FIX = (
    "Write the schema as the dialect takes it: `dragoman.schema.lowered(schema, dialect(...))`."
)


def schema_refusals(body: Any, hosts: tuple[str, ...], *, loose: bool) -> Iterator[Refusal]:
    """What is refused of the schemas, and too many strict ones."""
    for host in hosts:
        for row in SCHEMAS.get(host, ()):
            for home, told in placed(body, row.home, loose=loose):
                if isinstance(told, dict):
                    yield from _check_schemas_held(home, told, row, loose)
        if host in STRICT_TOOLS:
            yield from _crowd(body, *STRICT_TOOLS[host])


def _check_schemas_held(
    home: tuple[Step, ...], told: Any, row: SchemaPlace, loose: bool
) -> Iterator[Refusal]:  # fmt: skip
    for way, schema in placed(told, row.schema, loose=loose):
        strict = not row.when or any(one is True for _, one in placed(told, row.when))
        name = row.dialect if strict else row.plain
        if schema is MISSING or schema is None or not name:
            continue
        yield from _refused((*home, *way), schema, name)


def _refused(way: tuple[Step, ...], schema: Any, name: str) -> Iterator[Refusal]:
    taken = dialect(name)
    here = spelled(way)
    if not isinstance(schema, dict):
        said = f"{way[-1]}: must be a schema of an object, not {shown(schema)}"
        yield Refusal(
            here,
            said,
            taken.source,
            taken.since,
            _CHECK_SCHEMAS_FIXES["schema.type"],
            "schema.type",
        )
        return
    if "object root" in taken.demands and not taken.upper and schema.get("type") != "object":
        said = "the root of the schema must say that it is an object"
        fix = _CHECK_SCHEMAS_FIXES["schema.root"]
        yield Refusal(here, said, taken.source, taken.since, fix, "schema.root")
    made = lowered(schema, taken, tell=False)
    if made.unfit:
        said = f"{_meaning('schema.unfit')}: {made.unfit}"
        yield Refusal(
            here,
            said,
            taken.source,
            taken.since,
            _CHECK_SCHEMAS_FIXES["schema.unfit"],
            "schema.unfit",
        )
    elif name in OPTIONAL and (said := exceeded(made.schema, {"optional": OPTIONAL[name][0]})):
        _, source, since = OPTIONAL[name]
        yield Refusal(here, said.removeprefix("$: "), source, since, _CHECK_SCHEMAS_FIXES["schema.size"],
                      "schema.unfit")  # fmt: skip
    for change in made.changes:
        if change.code in ("schema.note", "schema.restated") and change.keyword != "$ref":
            continue
        said = clipped(_said(change))
        yield Refusal(
            f"{here}{change.where[1:]}",
            said,
            taken.source,
            taken.since,
            _CHECK_SCHEMAS_FIX,
            change.code,
        )


def _said(change: Change) -> str:
    if change.did == "dropped":
        return f"this dialect does not take {change.what}"
    name = change.keyword or "the schema"
    return f"{name} ({change.what}) must be said in another way: {change.did}"


def _meaning(code: str) -> str:
    row = CODES.get(code)
    return row.meaning if row else "the target has no true form for the schema"


def _crowd(body: Any, most: int, source: str, since: str) -> Iterator[Refusal]:
    strict = [way for way, one in placed(body, "tools[].strict") if one is True]
    if len(strict) > most:
        said = f"strict: {len(strict)} tools are strict, at most {most}"
        fix = f"Leave `strict` unset from the tool {spelled(strict[most][:-1])} on."
        yield Refusal("$.tools", said, source, since, fix, "schema.crowd")


def together_refusals(body: Any, hosts: tuple[str, ...]) -> Iterator[Refusal]:
    """What the rows refuse of pairs of fields."""
    for host in hosts:
        rules = FIELDS.get(host)
        for row in TOGETHER.get(host, ()) if rules is not None else ():
            assert rules is not None  # or there were no rows
            for home, value in placed(body, row.home, loose=rules.loose):
                if isinstance(value, dict):
                    for way, said in _check_together_wrong(value, row, rules.loose):
                        yield Refusal(
                            spelled((*home, *way)), said, rules.source, rules.since, row.fix,
                            "field.together",
                        )  # fmt: skip


def _check_together_wrong(
    home: Any, row: Together, loose: bool
) -> Iterator[tuple[tuple[Step, ...], str]]:  # fmt: skip
    for way, one in placed(home, row.field, loose=loose):
        for _, other in placed(home, row.other, loose=loose):
            if one is MISSING or one is None:
                continue
            there = other is not MISSING and other is not None
            if row.how == "never" and there:
                yield way, f"{row.field}: it may not stand beside {row.other}"
            elif row.how == "needs" and not (there and other):
                yield way, f"{row.field}: it needs {row.other}"
            elif (
                row.how == "below"
                and _check_together_number(one)
                and _check_together_number(other)
                and one >= other
            ):
                yield way, f"{row.field}: it must be below {row.other}, and {one} is not"


def _check_together_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def last_refusals(body: Any, hosts: tuple[str, ...]) -> Iterator[Refusal]:
    """A last turn that nobody may answer."""
    for host in hosts:
        row, rules = LAST.get(host), FIELDS.get(host)
        listed = body.get(row.home) if row is not None else None
        if row is None or rules is None or not isinstance(listed, list) or not listed:
            continue
        last = listed[-1]
        if isinstance(last, dict) and last.get("role") == row.role and not last.get(row.unless):
            said = f"the last message may be the {row.role}'s only with `{row.unless}`: true"
            where = spelled((row.home, len(listed) - 1))
            yield Refusal(where, said, rules.source, rules.since, row.fix, "turn.last")


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
            yield Refusal(where, _check_said(loss), source, since, loss.fix, loss.code)


def _check_said(loss: Loss) -> str:
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
