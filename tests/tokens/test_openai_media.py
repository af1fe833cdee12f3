"""Images and sounds in messages for OpenAI's models: found, measured and charged."""

from __future__ import annotations

import base64
import io
import wave
from typing import Any

import pytest

from dragoman.errors import ConfigError
from dragoman.tokens import OpenAITokenCounter
from dragoman.tokens.openai import image_tokens
from tests.each_case import each_case

from .encodings import small


def counter(model: str = "gpt-5.6", **options: Any) -> OpenAITokenCounter:
    return OpenAITokenCounter(model, encoding=small(), **options)


def picture(width: int, height: int, detail: str | None = None) -> dict[str, Any]:
    """A PNG that has a head and no body: more is not read."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data = base64.b64encode(head + b"\x08\x02\0\0\0").decode()
    url: dict[str, Any] = {"url": f"data:image/png;base64,{data}"}
    if detail:
        url["detail"] = detail
    return {"role": "user", "content": [{"type": "image_url", "image_url": url}]}


BLANK = {"role": "user", "content": []}


def image_figure(model: str, message: dict[str, Any], **options: Any) -> int:
    one = counter(model, **options)
    return one.count_message(message) - one.count_message(BLANK)


@each_case("model", ["gpt-4o", "gpt-4o-mini", "gpt-5.4", "gpt-5.6", "o4-mini"])
@each_case("detail", [None, "low", "high", "original"])
def test_an_image_costs_what_its_size_and_detail_say(model: str, detail: str | None) -> None:
    figure = image_figure(model, picture(3000, 2000, detail))
    assert figure == image_tokens(model, 3000, 2000, detail or "auto")


def test_detail_is_read_where_each_wire_has_it() -> None:
    [part] = picture(3000, 2000)["content"]
    url = part["image_url"]["url"]
    item = {"type": "input_image", "image_url": url, "detail": "low"}
    output = {"type": "function_call_output", "call_id": "1", "output": [item]}
    low = image_tokens("gpt-4o", 3000, 2000, "low")
    assert image_figure("gpt-4o", {"role": "user", "content": [item]}) == low
    empty = {**output, "output": []}
    one = counter("gpt-4o")
    assert one.count_message(output) - one.count_message(empty) == low


def test_an_image_that_is_not_there_costs_a_square_of_1024() -> None:
    url = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    assert image_figure("gpt-4o", {"role": "user", "content": [url]}) == 765
    assert image_figure("gpt-5.4", {"role": "user", "content": [url]}) == 1229
    assert image_figure("gpt-4o", {"role": "user", "content": [{"image": "a.png"}]}) == 765


def test_a_figure_of_ones_own_replaces_the_rule() -> None:
    assert image_figure("gpt-4o", picture(3000, 2000), media_tokens={"image": 7}) == 7
    with pytest.raises(ConfigError, match="picture"):
        counter(media_tokens={"picture": 7})


def sound(length: float) -> str:
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(8000)
        made.writeframes(b"\0\0" * int(8000 * length))
    return base64.b64encode(file.getvalue()).decode()


def test_audio_costs_ten_tokens_a_second() -> None:
    part = {"type": "input_audio", "input_audio": {"data": sound(12.34), "format": "wav"}}
    assert image_figure("gpt-audio", {"role": "user", "content": [part]}) == 124
    unknown = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}}
    assert image_figure("gpt-audio", {"role": "user", "content": [unknown]}) == 2000
    file = {"type": "file", "file": {"file_id": "file-1"}}
    assert image_figure("gpt-5.6", {"role": "user", "content": [file]}) == 6000


def test_base64_is_never_tokenised() -> None:
    class Nothing:
        def encode_ordinary(self, text: str) -> list[int]:
            assert "AAAA" not in text
            return [0]

    one = OpenAITokenCounter("gpt-5.6", encoding=Nothing())
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "AAAA" * 9000}}
    assert one.count_sync([{"role": "user", "content": [part]}]) < 2000
