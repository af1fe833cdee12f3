"""The verdict holds: judged by jsonschema, over schemas and values by chance."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from dragoman.schema import (
    DIALECTS,
    Change,
    LoweredSchema,
    SchemaDialect,
    lower_schema,
    without_nulls,
)
from dragoman.schema.normalize import normalize
from tests.schema.generating import Maker

JUDGE = jsonschema.Draft202012Validator
EVERY = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda row: row.name)
SEEDS = st.integers(0, 2**32)


def arguments(maker: Maker, *schemas: dict[str, Any], count: int = 10) -> list[dict[str, Any]]:
    """Objects that fit one of the schemas, or nearly."""
    made = [maker.value(maker.chance.choice(schemas), schemas[0]) for _ in range(count)]
    return [one for one in made if isinstance(one, dict)]


def accepts(schema: dict[str, Any], value: Any) -> bool:
    try:
        return bool(JUDGE(schema).is_valid(value))
    except RecursionError:  # a reference to itself and nothing else
        reject()


@EVERY
@settings(max_examples=60)
@given(SEEDS)
def test_what_no_change_calls_wider_refuses_what_the_original_refuses(
    dialect: SchemaDialect, seed: int
) -> None:
    maker = Maker(seed)
    original = maker.document()
    made = lower_schema(original, dialect)
    if "wider" in verdicts(made):
        assert made.verdict == "wider"
        return
    target = normalize(made.schema)
    for value in arguments(maker, original, target):
        assert accepts(original, value) or not accepts(target, value), value


@EVERY
@settings(max_examples=60)
@given(SEEDS)
def test_what_no_change_calls_narrower_accepts_what_the_original_accepts(
    dialect: SchemaDialect, seed: int
) -> None:
    maker = Maker(seed)
    original = maker.document()
    made = lower_schema(original, dialect)
    if "narrower" in verdicts(made):
        assert made.verdict != "equal"
        return
    target = normalize(made.schema)
    for value in arguments(maker, original, target):
        assert accepts(target, value) or not accepts(original, value), value


def verdicts(made: LoweredSchema) -> set[str]:
    return {change.verdict for change in made.changes}


@EVERY
@given(SEEDS)
def test_the_result_is_a_schema_and_the_original_stays_as_it_was(
    dialect: SchemaDialect, seed: int
) -> None:
    original = Maker(seed).document()
    before = json.dumps(original)
    made = lower_schema(original, dialect)
    assert json.dumps(original) == before
    jsonschema_rs.meta.validate(normalize(made.schema))
    assert (made.schema is original) == (json.dumps(made.schema) == before)
    if made.schema is original:
        assert (made.verdict, made.changes) == ("equal", ())


@EVERY
@given(SEEDS)
def test_slips_of_the_pen_are_set_right(dialect: SchemaDialect, seed: int) -> None:
    maker = Maker(seed)
    original = maker.slipped(maker.document())
    made = lower_schema(original, dialect)
    if dialect.upper or dialect.nullable:  # no JSON Schema, but Gemini's own
        jsonschema_rs.meta.validate(normalize(made.schema))
    else:
        jsonschema_rs.meta.validate(made.schema)


@given(SEEDS)
def test_every_slip_of_the_pen_is_noted(seed: int) -> None:
    maker = Maker(seed)
    original = maker.slipped(maker.document())
    changes: list[Change] = []
    made = normalize(original, changes, known_types=True)
    gone = {keyword for keyword in original if keyword not in made}
    restated = {"minimum", "maximum"}  # by the flags of older drafts, which are noted
    assert gone - restated <= {change.keyword for change in changes if change.path == "$"}
    assert JUDGE(JUDGE.META_SCHEMA).is_valid(original) or changes


@EVERY
@given(SEEDS)
def test_only_keywords_of_the_dialect_are_left(dialect: SchemaDialect, seed: int) -> None:
    made = lower_schema(Maker(seed).document(), dialect)
    assert list(strange(made.schema, dialect, at_root=True)) == []


def strange(schema: Any, dialect: SchemaDialect, *, at_root: bool) -> Any:
    """The keywords that the dialect does not take, wherever they stand."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if not dialect.allows(keyword, at_root):
            yield keyword
        if keyword in dialect.verbatim:
            continue
        if keyword in ("properties", "$defs", "definitions"):
            inner = list(value.values())
        elif keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
            inner = value
        else:
            inner = [value] if keyword in ("items", "additionalProperties") else []
        for one in inner:
            yield from strange(one, dialect, at_root=False)


@given(SEEDS)
def test_a_null_that_stands_for_absent_goes_and_the_rest_stays(seed: int) -> None:
    """What a strict target answers for a schema of scalars is what was meant."""
    maker = Maker(seed)
    kinds = {name: maker.chance.choice(("string", "integer", "boolean")) for name in "abcd"}
    needed = [name for name in kinds if maker.odds(0.5)]
    original = {
        "type": "object", "properties": {name: {"type": kind} for name, kind in kinds.items()},
        "required": needed, "additionalProperties": False,
    }  # fmt: skip
    strict = lower_schema(original, DIALECTS["openai-strict"]).schema
    for value in arguments(maker, strict):
        if accepts(strict, value):
            assert accepts(original, without_nulls(original, value))


def test_the_generator_makes_what_the_laws_need() -> None:
    """A law that no example reaches shows nothing."""
    reached: Counter[tuple[str, str]] = Counter()
    fitting = 0
    for seed in range(150):
        maker = Maker(seed)
        original = maker.document()
        JUDGE.check_schema(original)
        with suppress(RecursionError):
            fitting += sum(JUDGE(original).is_valid(one) for one in arguments(maker, original))
        for name, dialect in DIALECTS.items():
            found = verdicts(lower_schema(original, dialect))
            reached.update((name, one) for one in ("wider", "narrower") if one not in found)
    assert fitting > 300
    assert len(reached) == 2 * len(DIALECTS)
    assert min(reached.values()) > 5, reached
