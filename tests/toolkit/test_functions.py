"""Functions and types as tools: what the model is told, and its arguments as their types."""

from __future__ import annotations

import asyncio
import copy
import pickle
import sys
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

import dragoman
from dragoman import ChatRequest, ConfigError, InvalidMessage, InvalidOutput, Msg, Tool, tool
from dragoman.message import Parameter, ToolUseBlock
from dragoman.toolkit import FunctionTool, TypeTool


class Unit(Enum):
    CELSIUS = "C"
    KELVIN = "K"


@dataclass
class Place:
    """Somewhere."""

    lat: float
    tags: list[str] = field(default_factory=list)


class Stop(TypedDict):
    name: str
    days: int


class Trip(BaseModel):
    """A journey."""

    model_config = ConfigDict(strict=True)

    stops: tuple[Stop, ...]
    start: date
    then: Trip | None = None


@tool
def warmth(
    city: str,
    unit: Literal["C", "F"] = "C",
    at: Place | None = None,
    *,
    scale: Unit = Unit.CELSIUS,
    days: Annotated[int, Field(description="how many", ge=1)] = 3,
) -> tuple[Any, ...]:
    """How warm it is.

    Args:
        city: which one
    """
    return city, unit, at, scale, days


def call(name: str, arguments: Any, **fields: Any) -> ToolUseBlock:
    return ToolUseBlock("1", name, arguments, **fields)


def test_it_stays_the_function_and_is_a_tool() -> None:
    assert isinstance(warmth, FunctionTool)
    assert warmth("Paris")[0] == "Paris"
    assert (warmth.__name__, warmth.is_async) == ("warmth", False)
    assert warmth.tool == Tool.of(warmth.function) == Tool.of(warmth)
    assert warmth.tool.schema is not None
    assert warmth.tool.schema["properties"]["city"] == {
        "type": "string",
        "description": "which one",
    }
    given: Any = [warmth]
    [told] = ChatRequest([Msg.user("Hi")], tools=given).tools
    assert told is warmth.tool


def test_its_name_and_description_may_be_given() -> None:
    @tool(name="weather.now", description="The weather.", strict=True, timeout=2)
    async def f(x: int) -> int:
        """Not this."""
        return x

    assert (f.tool.name, f.tool.description, f.tool.strict) == ("weather.now", "The weather.", True)
    assert (f.is_async, f.timeout) == (True, 2)
    assert asyncio.run(f(3)) == 3
    double = tool(name="double")(lambda n: 2 * n)
    assert (double.tool.name, double.parse(call("double", {"n": 2}))) == ("double", {"n": 2})


def test_a_tool_may_be_told_otherwise() -> None:
    first = tool(name="heat", timeout=3)(warmth.function)
    second = FunctionTool(first, description="Heat.", preset={"unit": "F"})
    assert (second.tool.name, second.tool.description) == ("heat", "Heat.")
    assert (second.timeout, second.parse(call("heat", {"city": "Paris"}))["unit"]) == (3, "F")
    assert second.function is warmth.function


class Machine:
    @tool
    def run(self, speed: int) -> tuple[Machine, int]:
        """Run."""
        return self, speed


def test_a_method_is_a_tool_of_its_object() -> None:
    machine = Machine()
    assert machine.run(3) == (machine, 3)
    assert machine.run.tool.schema == {
        "type": "object", "properties": {"speed": {"type": "integer"}}, "required": ["speed"],
    }  # fmt: skip
    arguments = machine.run.parse(call("run", {"speed": "3"}))
    assert machine.run.function(**arguments) == (machine, 3)
    assert isinstance(Machine.run, FunctionTool)


def test_arguments_become_the_types_that_are_declared() -> None:
    told = {"city": "Paris", "at": {"lat": "48.8"}, "scale": "K", "days": "2"}
    assert warmth.parse(call("warmth", told)) == {
        "city": "Paris", "unit": "C", "at": Place(48.8), "scale": Unit.KELVIN, "days": 2,
    }  # fmt: skip
    assert warmth.parse(call("warmth", {"city": "Paris", "unit": None}))["unit"] == "C"


def test_what_does_not_fit_is_named_by_its_path() -> None:
    wrong = {"unit": "K", "at": {"lat": "north", "tags": ["a", 1]}, "days": 0, "more": 1}
    with pytest.raises(InvalidOutput) as caught:
        warmth.parse(call("warmth", wrong, raw_input="{...}"))
    paths = dict(caught.value.faults)
    places = {"$.city", "$.unit", "$.at.lat", "$.at.tags[1]", "$.days", "$.more"}
    assert set(paths) == places
    assert "$.unit: Input should be 'C' or 'F'" in str(caught.value)
    assert (caught.value.code, caught.value.text) == ("output.schema", "{...}")
    assert caught.value.path == caught.value.faults[0][0]
    assert isinstance(caught.value, dragoman.DragomanError)


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (call("warmth", {"city": "P"}, unfinished=True), "output.unfinished"),
        (call("warmth", '{"city": "P'), "output.json"),
        (call("warmth", ["P"]), "output.json"),
        (call("warmth", {"city": "\ud83d"}), "output.json"),
    ],
)
def test_a_call_that_is_no_whole_object_is_refused(broken: ToolUseBlock, code: str) -> None:
    with pytest.raises(InvalidOutput) as caught:
        warmth.parse(broken)
    assert caught.value.code == code


def test_a_type_is_a_tool_whose_call_is_its_arguments() -> None:
    trip = TypeTool(Trip)
    assert (trip.tool.name, trip.tool.description) == ("Trip", "A journey.")
    told = {"stops": [{"name": "Samarkand", "days": 2}], "start": "2026-11-22"}
    found = trip.parse(call("Trip", told))
    assert found == Trip(stops=(Stop(name="Samarkand", days=2),), start=date(2026, 11, 22))
    assert TypeTool(Place).parse(call("Place", {"lat": 1})) == Place(1.0)
    assert TypeTool(Stop).parse(call("Stop", {"name": "a", "days": 1})) == {"name": "a", "days": 1}
    with pytest.raises(InvalidOutput) as caught:
        trip.parse(call("Trip", {"stops": [{"name": "a"}], "start": "soon"}))
    assert dict(caught.value.faults).keys() == {"$.stops[0].days", "$.start"}


class Union(BaseModel):
    """Branches of a union stand in no path."""

    one: int | Place | list[Stop]


def test_the_path_names_no_branch_of_a_union() -> None:
    with pytest.raises(InvalidOutput) as caught:
        TypeTool(Union).parse(call("Union", {"one": [{"name": "a", "days": "x"}]}))
    assert "$.one[0].days" in dict(caught.value.faults)
    assert all(path.startswith("$.one") for path, _ in caught.value.faults)


def test_a_schema_may_be_given_instead() -> None:
    def search(**words: Any) -> Any:
        return words

    parameters = [Parameter("q", required=True), Parameter("n", "integer")]
    found = tool(description="Search.", parameters=parameters)(search)
    assert found.tool == Tool("search", "Search.", parameters)
    assert found.parse(call("search", {"q": "x", "n": "3"})) == {"q": "x", "n": 3}
    with pytest.raises(InvalidOutput, match=r"n: .*integer"):
        found.parse(call("search", {"q": "x", "n": "three"}))


def test_preset_arguments_are_neither_seen_nor_set() -> None:
    bound = FunctionTool(warmth.function, preset={"unit": "F", "at": None})
    assert bound.tool.schema is not None
    assert set(bound.tool.schema["properties"]) == {"city", "scale", "days"}
    assert bound.parse(call("warmth", {"city": "Paris"}))["unit"] == "F"
    with pytest.raises(InvalidOutput):
        bound.parse(call("warmth", {"city": "Paris", "unit": "C"}))


def plain(n: int) -> int:
    return n


@pytest.mark.parametrize(
    "made",
    [warmth, Machine.run, FunctionTool(plain, name="other", timeout=3, preset={}), TypeTool(Place)],
)
def test_a_copy_is_the_same_tool(made: Any) -> None:
    told = made.tool
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert again.tool == told
        assert again.timeout == made.timeout
    assert pickle.loads(pickle.dumps(warmth)) is warmth


def test_what_has_no_parameters_by_name_is_refused() -> None:
    def positional(x: int, /) -> None: ...

    def elsewhere(x: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    name: Any = "warmth"
    with pytest.raises(InvalidMessage, match="str is no function"):
        tool(name)
    for function in (positional, elsewhere, lambda x: x):
        with pytest.raises(InvalidMessage):
            _ = tool(function).tool
    assert tool(partial(warmth.function, unit="F")).parse(call("w", {"city": "P"}))["unit"] == "F"


@pytest.mark.parametrize("library", ["pydantic", "docstring_parser"])
def test_a_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)

    def about(x: int) -> None:
        """It has a docstring."""

    with pytest.raises(ConfigError, match=rf"{library} .*dragoman\[tools\]"):
        _ = tool(about).tool


WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, st.integers()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (bool, st.booleans()),
    (str, WORDS),
    (date, st.dates()),
    (Unit, st.sampled_from(Unit)),
    (list[int], st.lists(st.integers(), max_size=4)),
    (tuple[str, int], st.tuples(WORDS, st.integers())),
    (set[str], st.sets(WORDS, max_size=3)),
    (dict[str, float], st.dictionaries(WORDS, st.floats(-1, 1), max_size=3)),
    (int | None, st.none() | st.integers()),
    (Place, st.builds(Place, st.floats(-90, 90), st.lists(WORDS, max_size=2))),
    (Stop, st.fixed_dictionaries({"name": WORDS, "days": st.integers()})),
    (Trip, st.builds(Trip, stops=st.just(()), start=st.dates(), then=st.none())),
]


@given(data=st.data())
def test_arguments_of_any_type_come_back_as_they_were(data: st.DataObject) -> None:
    kind, values = data.draw(st.sampled_from(VALUES))

    def take(value: Any, others: Any = ()) -> None: ...

    take.__annotations__ = {"value": kind, "others": list[kind]}  # type: ignore[valid-type]
    value, others = data.draw(values), data.draw(st.lists(values, max_size=2))
    plain = TypeAdapter(dict[str, Any]).dump_python({"value": value, "others": others}, mode="json")
    assert tool(take).parse(call("take", plain)) == {"value": value, "others": others}
