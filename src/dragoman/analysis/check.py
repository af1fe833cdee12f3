"""What a provider would refuse of a body: one validator that applies the rules of its wire.

Order: fields, fields that exclude each other, the last turn, schemas, images, and then what the
wire's own writer would change because the provider would refuse it. Nothing is sent.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain
from math import isfinite
from typing import Any, TypeAlias

from ..capabilities import bare, matches
from ..codec.sdk_objects import all_plain, parse_body
from ..codec.wire import Wire
from ..errors import InvalidMessage, ReadError, WriteError
from ..losses import InBody, Loss, Report, policy
from ..losses.codes import CODES
from ..message import Base64Source, ChatRequest, ImageBlock, URLSource, places
from ..schema import Change, SchemaDialect, dialect, lower_schema
from ..schema.lowering import exceeded_limit
from ..text.json_text import JsonObject
from ..text.redaction import Shown, clip_text, show
from ..vendors import PROTOCOLS, Vendor, wire
from .paths import MISSING, Step, existing, format_path, value_at, walk
from .rules.losses import REFUSED
from .rules.schema import Limit, RefusedLoss, Rule, Rules, Schema, Together
from .rules.wires import OPTIONAL_PROPERTIES, find_rules


@dataclass(frozen=True, slots=True, repr=False)
class Refusal(Shown):
    """One thing that the provider would refuse, with the rule for it.

    Attributes:
        where: The path in the body.
        rule: What is wrong there, as a sentence.
        source: Where the rule is documented; may be empty.
        since: When the rule came or was looked up (ISO date); may be empty.
        fix: The smallest change that helps.
        code: That of a loss, or `field.*`.
    """

    where: str
    rule: str
    source: str = ""
    since: str = ""
    fix: str = ""
    code: str = ""


_Way: TypeAlias = tuple[Step, ...]


def _refusal(
    rule: Rules | Limit | SchemaDialect, way: _Way, text: str, fix: str, code: str
) -> Refusal:
    return Refusal(format_path(way), text, rule.source, rule.since, fix, code)


_QUIET = policy("ignore")
_DATED = re.compile(r"(.*) \((\d{4}-\d\d-\d\d)\)\Z", re.DOTALL)
_OPENAI_MODEL = re.compile(r"(gpt-|chatgpt-|o\d|codex-)")
_SHARED = ("openai-chat", "openai-responses")  # protocols that many hosts speak


def check(
    body: Any, target: str | Vendor | Wire, model: str | None = None, path: str | None = None
) -> list[Refusal]:
    """What the provider of `target` would refuse of the body; empty if nothing is known.

    It works offline: keys, credit and URLs are not looked at, and a model's name only as far as it
    is another provider's.

    Args:
        body: A request: parsed JSON, its text, or an object of an official SDK.
        target: The vendor or wire to which it would be sent.
        model: The model that is asked, if the body names none.
        path: Where the body would be sent; Gemini has the model's name there.

    Raises:
        ReadError: The body is no JSON object.

    >>> body = {"model": "gpt-5.5", "n": 0, "messages": [{"role": "user", "content": "Hi"}]}
    >>> [(refusal.where, refusal.code) for refusal in check(body, "openai")]
    [('$.n', 'field.range')]
    """
    target = wire(target, policy="ignore")
    body = parse_body(body)
    try:
        body = all_plain(body)
    except ReadError as error:
        return [_no_json(error.path, error.message)]
    try:
        refusals = _Validator(body, target, model, path).refusals()
    except InvalidMessage as error:
        no_number = (
            way for way, item in walk(body) if isinstance(item, float) and not isfinite(item)
        )
        return [_no_json(format_path(next(no_number, ())), error.message)]
    first = {(refusal.where, refusal.code): refusal for refusal in reversed(refusals)}
    return [refusal for refusal in refusals if first[refusal.where, refusal.code] is refusal]


def _no_json(where: str, message: str) -> Refusal:
    """The refusal of what is no JSON: NaN, infinity, or a Python object."""
    fix = "Give a value that JSON has."
    return Refusal(where, message, "RFC 8259, Values", "2017-12-01", fix, "json.value")


class _Validator:
    """Applies all rules of a wire and its host to one body."""

    def __init__(self, body: JsonObject, target: Wire, model: str | None, path: str | None) -> None:
        self.body = body
        self.wire = target
        self.request = target.read_request(body, path)
        self.model = self.request.model or model
        protocol = target.room.protocol
        name = self.model or ""
        of_openai = "/" not in name and _OPENAI_MODEL.match(bare(name)) is not None
        # a model of the company that defines the protocol
        self._home = protocol not in _SHARED or of_openai
        self._model_outside = bool(model and not self.request.model)  # the body need not name it
        names = [protocol]
        if target.vendor is not None:
            names.append(f"{target.vendor.name}/{protocol}")
        elif self._home:
            names.append(f"{'openai' if protocol in _SHARED else protocol}/{protocol}")
        self._hosts = frozenset((*"/".join(names).split("/"), *names))
        table = target.room.body_fields
        found = (find_rules(name, table) for name in names)
        self._rules = [rules for rules in found if rules is not None]

    def refusals(self) -> list[Refusal]:
        """All refusals; the same one may come several times."""
        result = [*self._fields()]
        for part in (self._together, self._last_turn, self._schemas):
            for rules in self._rules:
                result += part(rules)
        result += _images(self.request)
        result += self._foreign_model()
        places = {refusal.where for refusal in result}
        result += (
            refusal
            for refusal in self._losses()
            if refusal.code != "option.range" or refusal.where not in places
        )
        return result

    def _foreign_model(self) -> Iterator[Refusal]:
        """A model that, by its name, another maker serves, at a maker who serves only its own."""
        room, vendor, name = self.wire.room, self.wire.vendor, bare(self.model or "")
        if vendor is None or not vendor.own_models_only:
            return
        if any(fnmatchcase(name, own) for own in room.model_patterns):
            return
        others = (protocol for protocol in PROTOCOLS if protocol != room.protocol)
        if any(fnmatchcase(name, p) for other in others for p in wire(other).room.model_patterns):
            yield Refusal(
                "$.model",
                f"the model {show(name)} is another provider's",
                f"the models that {vendor.name} lists",
                "",
                f"Name a model of {vendor.name}, such as {room.model}.",
                "model.other_provider",
            )

    # -- rules of fields

    def _fields(self) -> Iterator[Refusal]:
        """What the rules of fields refuse; a host's rules for a path replace its protocol's."""
        rows: dict[str, list[tuple[Rule, Rules]]] = {}
        for rules in self._rules:
            rows |= {field.path: [] for field in rules.fields}
            for field in rules.fields:
                rows[field.path].append((field, rules))
        if self._model_outside:
            rows.pop("model", None)
        model = bare(self.model) if self.model else ""
        for field, rules in chain.from_iterable(rows.values()):
            named = model and matches(model, field.models) and not matches(model, field.but)
            if named or not field.models:
                yield from self._field(field, rules)

    def _field(self, field: Rule, rules: Rules) -> Iterator[Refusal]:
        for way, value in _at(self.body, field.path, rules.loose):
            for step, code, text in _faults(value, field, rules.loose):
                place = (*way, step) if step else way
                name = place[-1] if place else "the body"
                if isinstance(name, int):
                    name = f"element {name} of {place[-2]}"
                fix = field.fix or _FIELD_FIXES[code]
                yield _refusal(rules, place, f"{name}: {text}", fix, code)

    def _together(self, rules: Rules) -> Iterator[Refusal]:
        for row in rules.together:
            for home, value in _at(self.body, row.home, rules.loose):
                for way, text in _conflicts(value, row, rules.loose):
                    yield _refusal(rules, (*home, *way), text, row.fix, "field.together")

    def _last_turn(self, rules: Rules) -> Iterator[Refusal]:
        """Refuse a last turn to which the model cannot answer."""
        row = rules.last_turn
        turns = self.body.get(row.home) if row is not None else None
        if row is None or not isinstance(turns, list) or not turns:
            return
        turn = turns[-1]
        if isinstance(turn, dict) and turn.get("role") == row.role and not turn.get(row.unless):
            text = f"the last message may be the {row.role}'s only with `{row.unless}`: true"
            yield _refusal(rules, (row.home, len(turns) - 1), text, row.fix, "turn.last")

    # -- schemas

    def _schemas(self, rules: Rules) -> Iterator[Refusal]:
        """What is refused of the schemas, and too many strict ones."""
        loose = any(other.loose for other in self._rules)
        for row in rules.schemas:
            for home, value in _at(self.body, row.home, loose):
                if isinstance(value, dict):
                    yield from _schema_refusals(home, value, row, loose)
        limit = rules.strict_tools
        strict = [way for way, value in _at(self.body, "tools[].strict") if value is True]
        if limit is not None and len(strict) > limit.most:
            text = f"strict: {len(strict)} tools are strict, at most {limit.most}"
            fix = f"Leave `strict` unset from the tool {format_path(strict[limit.most][:-1])} on."
            yield _refusal(limit, ("tools",), text, fix, "schema.crowd")

    # -- losses of the writer

    def _losses(self) -> Iterator[Refusal]:
        """What the writer would change because the provider would refuse it."""
        fresh = replace(self.request, read=None)
        report = Report(self.request.messages, self.request, places, self.wire.name)
        report.record_copy(fresh, self.request)
        try:
            self.wire.write_request(fresh, self.model, policy=_QUIET, report=report)
        except WriteError as error:
            row = REFUSED.get(error.code)
            # each of several empty messages is a refusal of its own
            each_named = error.code == "messages.empty" and bool(self.request.messages)
            if not each_named and (row is None or row.counts(self._hosts)):
                where = existing(self.body, error.path)
                yield Refusal(where, error.message, *self._cite_rule(""), error.hint, error.code)
        for loss in report.losses:
            row = REFUSED.get(loss.code)
            if row is not None and row.counts(self._hosts) and not _harmless(loss, row, self.body):
                source, since = self._cite_rule(loss.rule)
                if self._is_decided(row, source):
                    where = existing(self.body, loss.where)
                    yield Refusal(where, _loss_rule(loss, row), source, since, loss.fix, loss.code)

    def _is_decided(self, row: RefusedLoss, source: str) -> bool:
        """Whether what decided the loss is known well enough to call it a refusal.

        A bare protocol does not name its host, so what hosts refuse of their models is unknown.
        """
        by_protocol = source == self.wire.room.can().source
        known = self.wire.vendor is not None or self._home
        suits = known or (by_protocol and not row.known)
        return suits and row.is_decided(self._hosts, by_fact=not by_protocol)

    def _cite_rule(self, rule: str) -> tuple[str, str]:
        """Source and date of a rule; those of the protocol's reference if it has none."""
        match = _DATED.match(rule)
        if match is not None:
            return match[1], match[2]
        if rule:
            return rule, ""
        caps = self.wire.room.can()
        return caps.source, caps.since


# -- values at the paths of rules -----------------------------------------------------------------


def _at(value: Any, path: str, loose: bool = False, way: _Way = ()) -> Iterator[tuple[_Way, Any]]:
    """(way, value) of each place at a rule's path; MISSING where only the parent exists."""
    if not path:
        yield way, value
        return
    if not isinstance(value, dict):
        return
    name, _, deeper = path.partition(".")
    key = name.removesuffix("[]")
    if loose and key not in value and _snake(key) in value:
        key = _snake(key)
    item = value.get(key, MISSING)
    if not name.endswith("[]"):
        if not deeper or isinstance(item, dict):
            yield from _at(item, deeper, loose, (*way, key))
    elif isinstance(item, list):
        for i, element in enumerate(item):
            yield from _at(element, deeper, loose, (*way, key, i))


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


# -- one field ------------------------------------------------------------------------------------

_TYPES: dict[str, tuple[str, type]] = {
    "number": ("a number", float),
    "integer": ("a whole number", int),
    "text": ("text", str),
    "boolean": ("true or false", bool),
    "list": ("a list", list),
    "object": ("an object", dict),
}

_FIELD_FIXES = {
    "field.missing": "Set it.",
    "field.unknown": "Leave it out.",
    "field.refused": "Leave it out.",
    "field.form": "Spell it so.",
    "field.word": "Use one of these words, or leave it out.",
    "field.range": "Bring the value into the range, or leave it out.",
    "field.length": "Bring it to this length, or leave it out.",
    "field.type": "Give a value of this type, or leave it out.",
}


def _faults(value: Any, field: Rule, loose: bool) -> Iterator[tuple[str, str, str]]:
    """(key in the value or "", code, what is wrong) of each thing that the row refuses."""
    if value is MISSING or value is None:
        if field.needed:
            yield "", "field.missing", "it must be there"
        return
    if field.absent:
        if value is not False:
            yield "", "field.refused", "this model takes no such field"
        return
    yield from _value_faults(value, field, loose)


def _value_faults(value: Any, field: Rule, loose: bool) -> Iterator[tuple[str, str, str]]:
    number = _number(value, loose)
    types = field.types.split()
    if types and not any(_is(value, name, number) for name in types):
        names = " or ".join(_TYPES[name][0] for name in types)
        yield "", "field.type", f"must be {names}, not {show(value)}"
        return
    if number is not None and not _within(number, field.least, field.most):
        yield "", "field.range", f"must be {_span(field.least, field.most)}, not {value}"
    if isinstance(value, str):
        yield from _text_faults(value, field, loose)
    counts = isinstance(value, list) or (isinstance(value, dict) and field.longest is None)
    if counts and not _within(len(value), field.fewest, field.longest):
        span = _span(field.fewest or None, field.longest)
        yield "", "field.length", f"holds {len(value)} and must hold {span}"
    if field.keys and isinstance(value, dict):
        keys = set(field.keys.split())
        if loose:
            keys |= {_snake(key) for key in keys}
        for key in value:
            if key not in keys:
                yield key, "field.unknown", "there is no such field"


def _text_faults(value: str, field: Rule, loose: bool) -> Iterator[tuple[str, str, str]]:
    words = field.words.split()
    if words and value not in words and not (loose and value.lower() in words):
        yield "", "field.word", f"{show(value)} is none of {', '.join(sorted(words))}"
    if field.like and re.fullmatch(field.like, value) is None:
        yield "", "field.form", f"{show(value)} is not {field.form}"


def _number(value: Any, loose: bool) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not (loose and isinstance(value, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _is(value: Any, type_name: str, number: float | None) -> bool:
    if type_name == "number":
        return number is not None
    if type_name == "integer":
        return number is not None and number == number // 1
    return isinstance(value, _TYPES[type_name][1])


def _within(number: float, least: float | None, most: float | None) -> bool:
    return not ((least is not None and number < least) or (most is not None and number > most))


def _span(least: float | None, most: float | None) -> str:
    bounds = ((least, "at least"), (most, "at most"))
    return " and ".join(f"{words} {float(limit):g}" for limit, words in bounds if limit is not None)


def _conflicts(home: Any, row: Together, loose: bool) -> Iterator[tuple[_Way, str]]:
    """(way, what is wrong) of two fields of an object that exclude each other."""
    if not isinstance(home, dict):
        return
    for way, value in _at(home, row.field, loose):
        for _, other in _at(home, row.other, loose):
            if value is MISSING or value is None:
                continue
            present = other is not MISSING and other is not None
            numbers = _number(value, False) is not None and _number(other, False) is not None
            if row.how == "never" and present:
                yield way, f"{row.field}: it may not stand beside {row.other}"
            elif row.how == "needs" and not (present and other):
                yield way, f"{row.field}: it needs {row.other}"
            elif row.how == "below" and numbers and value >= other:
                yield way, f"{row.field}: it must be below {row.other}, and {value} is not"


# -- one schema -----------------------------------------------------------------------------------

_SCHEMA_FIXES = {
    "schema.unfit": "Leave `strict` unset for this tool, or split it in two.",
    "schema.root": 'Say `"type": "object"` at the root, and what it may hold in `properties`.',
    "schema.type": "Give a JSON Schema of an object.",
}
_SIZE_FIX = "Make some of them required, or leave `strict` unset for this tool."
_CHANGE_FIX = (
    "Write the schema as the dialect takes it: "
    "`dragoman.schema.lower_schema(schema, dialect(...))`."
)


def _schema_refusals(home: _Way, value: JsonObject, row: Schema, loose: bool) -> Iterator[Refusal]:
    for way, schema in _at(value, row.path, loose):
        strict = not row.when or any(flag is True for _, flag in _at(value, row.when))
        name = row.dialect if strict else row.otherwise
        if schema is not MISSING and schema is not None and name:
            yield from _dialect_refusals((*home, *way), schema, name)


def _dialect_refusals(way: _Way, schema: Any, name: str) -> Iterator[Refusal]:
    target, where = dialect(name), format_path(way)
    if not isinstance(schema, dict):
        text = f"{way[-1]}: must be a schema of an object, not {show(schema)}"
        yield _refusal(target, way, text, _SCHEMA_FIXES["schema.type"], "schema.type")
        return
    if "object root" in target.demands and not target.upper and schema.get("type") != "object":
        text = "the root of the schema must say that it is an object"
        yield _refusal(target, way, text, _SCHEMA_FIXES["schema.root"], "schema.root")
    result = lower_schema(schema, target, tell=False)
    limit = OPTIONAL_PROPERTIES.get(name)
    if result.unfit:
        text = f"{CODES['schema.unfit'].meaning}: {result.unfit}"
        yield _refusal(target, way, text, _SCHEMA_FIXES["schema.unfit"], "schema.unfit")
    elif limit and (text := exceeded_limit(result.schema, {"optional": limit.most})):
        yield _refusal(limit, way, text.removeprefix("$: "), _SIZE_FIX, "schema.unfit")
    for change in result.changes:
        if change.code not in ("schema.note", "schema.restated") or change.keyword == "$ref":
            yield Refusal(
                f"{where}{change.where[1:]}",
                clip_text(_change_rule(change)),
                target.source,
                target.since,
                _CHANGE_FIX,
                change.code,
            )


def _change_rule(change: Change) -> str:
    if change.did == "dropped":
        return f"this dialect does not take {change.what}"
    name = change.keyword or "the schema"
    return f"{name} ({change.what}) must be said in another way: {change.did}"


# -- images ---------------------------------------------------------------------------------------

_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"})
_DATA_URI = re.compile(r"data:([\w/+.-]+);base64,")
_IMAGE_SOURCE = "W3C PNG, ISO 10918 (JPEG), GIF89a and RIFF (WebP): the first bytes of a file"
_IMAGE_FIX = "Give the bytes of a PNG, JPEG, GIF or WebP image, base64 of them, and its own type."
_ENOUGH = 64  # characters of base64, enough for the first bytes of a file


def _images(request: ChatRequest) -> Iterator[Refusal]:
    """Refuse images whose bytes are of no image type."""
    for path, node in places(request.messages, request):
        block = node.node if type(node) is InBody else node
        if type(block) is ImageBlock:
            media_type, data = _beginning(block.source)
            if media_type in _IMAGE_TYPES and not _is_image(data):
                rule = clip_text(f"the bytes are no image, though they are said to be {media_type}")
                yield Refusal(path, rule, _IMAGE_SOURCE, "", _IMAGE_FIX, "media.bytes")


def _beginning(source: Any) -> tuple[str, str]:
    """(media type, the beginning of the base64) of media that the body itself holds."""
    if type(source) is Base64Source:
        return source.media_type, source.data[:_ENOUGH]
    if type(source) is URLSource and (uri := _DATA_URI.match(source.url[:_ENOUGH])):
        return uri[1], source.url[uri.end() : uri.end() + _ENOUGH]
    return "", ""


def _is_image(data: str) -> bool:
    head = re.sub(r"\s", "", data).replace("-", "+").replace("_", "/")
    try:
        start = a2b_base64(head[: len(head) // 4 * 4])
    except (Error, ValueError):
        return False
    return start.startswith((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF"))


# -- losses ---------------------------------------------------------------------------------------

# names of nodes and blocks, which add nothing to the rule of a loss
_NODES = frozenset(
    {
        "Msg",
        "ToolChoice",
        "Options",
        "ChatRequest",
        "ResponseFormat",
        "text",
        "thinking",
        "tool_use",
        "tool_result",
    }
)


def _loss_rule(loss: Loss, row: RefusedLoss) -> str:
    """The rule as a sentence, and what breaks it."""
    rule = row.rule or CODES[loss.code].meaning
    return rule if loss.what in _NODES else f"{rule}: {loss.what}"


def _harmless(loss: Loss, row: RefusedLoss, body: JsonObject) -> bool:
    value = value_at(body, loss.where)
    if loss.code == "cache.moved":  # harmless if it was moved off a blank text after the document
        return value is MISSING
    if loss.code in ("message.empty", "text.blank"):
        return value is MISSING or loss.where.startswith("$.system")
    key = loss.where.rpartition(".")[2]
    return any(
        key == name and type(value) is type(default) and value == default
        for name, default in row.harmless
    )
