"""Values of Python types out of JSON, and what is said of those that do not fit."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from dragoman import InvalidOutput
from dragoman.schema.typed import keep_to_schema, type_adapter, typed_value


class Node(BaseModel):
    n: int
    inner: dict[str, list[Node]] = {}


NODE = type_adapter(Node)


def test_a_value_becomes_its_type() -> None:
    value = {"n": 1, "inner": {"a b": [{"n": 2}]}}
    assert typed_value(NODE, value, "it") == Node(n=1, inner={"a b": [Node(n=2)]})


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"inner": {"a b": [{"n": 2}, {"n": "x"}, {}]}}, ["$.n", '$.inner["a b"][1].n',
                                                            '$.inner["a b"][2].n']),
        ({"n": None}, ["$.n"]),
        ([], ["$"]),
    ],
)  # fmt: skip
def test_every_fault_has_its_path(value: Any, faults: list[str]) -> None:
    with pytest.raises(InvalidOutput) as caught:
        typed_value(NODE, value, "the answer", "as written")
    error = caught.value
    assert [path for path, _ in error.faults] == faults
    assert (error.path, error.text, error.code) == (faults[0], "as written", "output.schema")
    assert str(error).startswith(f"the answer does not fit its schema: {faults[0]}: ")
    assert isinstance(error.__cause__, ValidationError)


def test_an_error_of_many_faults_tells_how_many() -> None:
    with pytest.raises(InvalidOutput) as caught:
        typed_value(type_adapter(list[int]), ["x"] * 20, "it")
    assert len(caught.value.faults) == 20
    assert "and 12 more" in str(caught.value)


@pytest.mark.parametrize("value", [float("nan"), "\udc00", object()])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(InvalidOutput) as caught:
        typed_value(type_adapter(Any), value, "it")
    assert caught.value.code == "output.json"


def test_a_schema_is_kept_to() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    keep_to_schema(schema, {"n": 1}, "it")
    with pytest.raises(InvalidOutput, match=r"\$\.n: "):
        keep_to_schema(schema, {"n": "x"}, "it")
