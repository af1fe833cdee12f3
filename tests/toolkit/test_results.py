"""What a tool returned, as the output of its result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, Field

from dragoman import InvalidMessage, Msg
from dragoman.message import DocumentBlock, ImageBlock, TextBlock, VideoBlock
from dragoman.toolkit.results import failure, make_output, media_block

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@dataclass
class Place:
    lat: float
    seen: date


class City(BaseModel):
    name: str = Field(serialization_alias="Name")


@pytest.mark.parametrize(
    ("value", "output"),
    [
        (None, ""),
        ("", ""),
        ("warm", "warm"),
        (18, "18"),
        (True, "true"),
        ({"days": [1, 2], "città": None}, '{"days": [1, 2], "città": null}'),
        ((1, "a"), '[1, "a"]'),
        ([], "[]"),
        (Place(1.5, date(2026, 11, 22)), '{"lat": 1.5, "seen": "2026-11-22"}'),
        ([City(name="Paris")], '[{"Name": "Paris"}]'),
        ({"price": Decimal("1.10"), "odd": float("nan")}, '{"price": "1.10", "odd": "NaN"}'),
    ],
)
def test_values_become_text(value: Any, output: str) -> None:
    assert make_output(value) == output


def test_blocks_stay_and_bytes_become_media() -> None:
    image = ImageBlock.from_bytes(PNG)
    assert make_output(image) == make_output(PNG) == [image]
    assert make_output(["One photo.", PNG, {"n": 1}, TextBlock("end")]) == [
        TextBlock("One photo."), image, TextBlock('{"n": 1}'), TextBlock("end"),
    ]  # fmt: skip
    assert make_output(Msg.assistant("Hi", "Friday")) == [TextBlock("Hi")]
    assert type(media_block(VideoBlock.from_bytes(b"\x1aE\xdf\xa3").source)) is VideoBlock  # type: ignore[arg-type]
    assert make_output(b"%PDF-1.7") == [DocumentBlock.from_bytes(b"%PDF-1.7")]


@pytest.mark.parametrize(
    "value", [object(), b"\x00\x01", lambda: 1, ["a", TextBlock("b"), object()]]
)
def test_what_has_no_form_is_named(value: Any) -> None:
    with pytest.raises(InvalidMessage):
        make_output(value)


def test_a_failure_tells_type_and_text_and_no_key() -> None:
    assert failure(KeyError("city")) == ("KeyError: 'city'", True)
    assert failure(ValueError()) == ("ValueError", True)
    key = "sk-" + "aB3dE6gH9" * 8
    outcome = failure(RuntimeError(f"refused {key}"))
    assert outcome == ("RuntimeError: refused <opaque text>", True)
    assert len(failure(RuntimeError("x " * 5000)).output) == 2000
    json.dumps(outcome)
