"""Tools and response formats from what Python says: the schema that a model is told."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

import dragoman
from dragoman import ChatRequest, ConfigError, InvalidMessage, Msg, ResponseFormat, Tool


class Unit(Enum):
    CELSIUS = "C"
    FAHRENHEIT = "F"


@dataclass
class Place:
    """Somewhere.

    Attributes:
        lat: degrees to the north
    """

    lat: float
    tags: list[str] = field(default_factory=list)


class Stop(TypedDict):
    name: str
    days: NotRequired[int]


class Trip(BaseModel):
    """A journey."""

    stops: list[Stop]
    then: Trip | None = None
    schema_: str = Field("x", alias="schema", description="its name is one of pydantic's own")


def warmth(
    city: str,
    unit: Literal["C", "F"] = "C",
    place: Place | None = None,
    json: Annotated[str, "a plain text"] = "",
    days: Annotated[int, Field(description="how many", ge=1)] = 3,
    *,
    scale: Unit = Unit.CELSIUS,
    _x: Stop | None = None,
) -> str:
    """How warm it is.

    In the shade.

    Args:
        city: which one
        days: not this, the annotation says more
    """
    raise AssertionError("nothing is called")


def test_a_function_is_a_tool() -> None:
    tool = Tool.of(warmth)
    assert (tool.name, tool.description) == ("warmth", "How warm it is.\n\nIn the shade.")
    assert tool.schema is not None
    place = {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "default": None}
    stop = {"anyOf": [{"$ref": "#/$defs/Stop"}, {"type": "null"}], "default": None}
    assert tool.schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "which one"},
            "unit": {"enum": ["C", "F"], "type": "string", "default": "C"},
            "place": place,
            "json": {"type": "string", "default": "", "description": "a plain text"},
            "days": {"type": "integer", "default": 3, "minimum": 1, "description": "how many"},
            "scale": {"$ref": "#/$defs/Unit", "default": "C"},
            "_x": stop,
        },
        "required": ["city"],
        "$defs": tool.schema["$defs"],
    }
    assert tool.schema["$defs"]["Unit"] == {"enum": ["C", "F"], "type": "string"}
    assert tool.schema["$defs"]["Stop"]["required"] == ["name"]


async def unannotated(x, y=2): ...  # type: ignore[no-untyped-def]


class Machine:
    def run(self, q: str) -> None:
        """Run it."""

    def __call__(self, q: str) -> None:
        """Call it."""


@pytest.mark.parametrize(
    ("function", "name", "description", "properties"),
    [
        (unannotated, "unannotated", "", {"x": {}, "y": {"default": 2}}),
        (Machine().run, "run", "Run it.", {"q": {"type": "string"}}),
        (Machine(), "Machine", "Call it.", {"q": {"type": "string"}}),
        (partial(Machine().run), "run", "Run it.", {"q": {"type": "string"}}),
    ],
)
def test_whatever_can_be_called_by_name(
    function: Any, name: str, description: str, properties: dict[str, Any]
) -> None:
    tool = Tool.of(function)
    assert tool.schema is not None
    assert (tool.name, tool.description) == (name, description)
    assert tool.schema["properties"] == properties


def test_a_type_is_a_tool_and_a_format() -> None:
    for cls, description, names in (
        (Place, "Somewhere.", ["lat", "tags"]),
        (Stop, "", ["name", "days"]),
        (Trip, "A journey.", ["stops", "then", "schema"]),
    ):
        tool, form = Tool.of(cls), ResponseFormat.of(cls)
        assert tool.schema is not None
        assert tool.schema == form.schema
        assert (tool.name, tool.description) == (form.name, form.description)
        assert (tool.name, tool.description) == (cls.__name__, description)
        assert list(tool.schema["properties"]) == names
        assert "title" not in str(tool.schema)
    schema: Any = ResponseFormat.of(Trip).schema
    assert schema["type"] == "object"
    assert ResponseFormat.of(list[int]).schema == {"type": "array", "items": {"type": "integer"}}
    assert ResponseFormat.of("json") == ResponseFormat("json")


def test_a_request_takes_them_as_they_are() -> None:
    request: Any = {"tools": [warmth, Stop], "response_format": Place}
    req = ChatRequest([Msg.user("Hi")], **request)
    assert [tool.name for tool in req.tools] == ["warmth", "Stop"]  # type: ignore[union-attr]
    out = dragoman.wire("openai-responses", policy="refuse").write_request(req)
    assert [tool["name"] for tool in out.body["tools"]] == ["warmth", "Stop"]
    assert out.body["text"]["format"]["name"] == "Place"


def star(*cities: str) -> None: ...
def first(city: str, /) -> None: ...
def odd(call: Machine) -> None: ...
def nowhere(x: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize("value", [star, first, odd, nowhere, lambda: 1, int, 5, Machine])
def test_what_cannot_be_a_tool_is_refused_with_its_place(value: Any) -> None:
    with pytest.raises(InvalidMessage) as raised:
        ChatRequest([Msg.user("Hi")], tools=[Tool("a"), value])
    assert raised.value.path == "$.tools[1]"


@pytest.mark.parametrize("value", ["xml", 5, {"type": "object"}, Machine, Machine()])
def test_what_is_no_format_is_refused(value: Any) -> None:
    with pytest.raises(InvalidMessage, match=r"\$\.response_format"):
        ResponseFormat.of(value)


@pytest.mark.parametrize("missing", ["pydantic", "docstring_parser"])
def test_a_missing_library_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigError, match=rf"{missing} .*pip install 'dragoman\[tools\]'"):
        Tool.of(warmth)
