"""Zhipu: auto is its only tool choice, names have no place, options have narrow ranges."""

from __future__ import annotations

from dragoman import Msg
from dragoman.message import Base64Source, ImageBlock, ResponseFormat, TextBlock, VideoBlock
from tests.vendors.asking import IMAGE, LOOK, codes, losses, said, wrote

GLM = "glm-5.2"


def test_no_call_means_no_tools() -> None:
    assert wrote("zhipu", GLM, tools=[LOOK], tool_choice="auto").body["tool_choice"] == "auto"
    forced = wrote("zhipu", GLM, tools=[LOOK], tool_choice="required")
    assert (forced.body["tool_choice"], codes(forced)) == ("auto", ["tool_choice.lowered"])
    out = wrote("zhipu", GLM, tools=[LOOK], tool_choice="none")
    assert not {"tools", "tool_choice"} & out.body.keys()
    assert set(codes(out)) == {"tools.withheld"}


def test_values_come_into_its_ranges() -> None:
    out = wrote("zhipu", GLM, options={"temperature": 1.5, "top_p": 0.0})
    assert (out.body["temperature"], out.body["top_p"]) == (1, 0.01)
    assert losses(out) == [("option.range", "$.options.temperature"),
                           ("option.range", "$.options.top_p")]  # fmt: skip
    assert codes(wrote("zhipu", GLM, options={"temperature": 0.5, "top_p": 0.5})) == []


def test_what_it_does_not_know_is_lost() -> None:
    given = {"seed": 1, "presence_penalty": 0.1, "n": 2, "logprobs": True, "user": "user-1"}
    out = wrote("zhipu", GLM, options=given)
    assert codes(out) == ["option.refused"] * 4
    assert out.body["user_id"] == "user-1"
    schema = ResponseFormat("schema", {"type": "object"})
    assert codes(wrote("zhipu", GLM, response_format=schema)) == [
        "format.in_words", "format.lowered",
    ]  # fmt: skip
    assert codes(wrote("zhipu", GLM, Msg("Bob", "Hi."))) == ["name.unsupported"]


def test_a_request_has_a_user() -> None:
    """Error 1214."""
    roles = [m["role"] for m in said("zhipu", GLM, Msg.system("Be."), Msg.assistant("Yes."))]
    assert "user" in roles


def test_who_sees_and_watches() -> None:
    film = VideoBlock(Base64Source("video/mp4", "AAAA"))
    shown = Msg.user([TextBlock("?"), IMAGE, film])
    assert codes(wrote("zhipu", "glm-4.6v", shown)) == []
    assert codes(wrote("zhipu", GLM, shown)) == ["block.unsupported", "block.unsupported"]
    assert isinstance(IMAGE, ImageBlock)
