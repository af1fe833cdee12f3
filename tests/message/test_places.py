"""The paths of a conversation: every node that a loss can name, where it stands."""

from __future__ import annotations

from dragoman.message import (
    ChatRequest,
    ImageBlock,
    Msg,
    Options,
    ResponseFormat,
    TextBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    URLSource,
    places,
)


def test_every_node_has_its_path() -> None:
    source = URLSource("https://example.com/a.png")
    image = ImageBlock(source)
    result = ToolResultBlock("c", "f", [TextBlock("x"), image])
    msgs = [Msg("", "text"), Msg("", [result], "tool")]
    found = dict(places(msgs, None))
    assert list(found) == [
        "$.messages[0]",
        "$.messages[1]",
        "$.messages[1].content[0]",
        "$.messages[1].content[0].output[0]",
        "$.messages[1].content[0].output[1]",
        "$.messages[1].content[0].output[1].source",
    ]
    assert found["$.messages[1].content[0].output[1].source"] is source
    assert found["$.messages[1]"] is msgs[1]


def test_the_other_parts_of_a_request() -> None:
    tools = [Tool("f"), Tool("g")]
    req = ChatRequest(
        [Msg("", "x")], tools=tools, tool_choice=ToolChoice("none"),
        options=Options(seed=1), response_format=ResponseFormat("json"),
    )  # fmt: skip
    found = dict(places(req.messages, req))
    assert found["$"] is req
    assert found["$.options"] is req.options
    assert found["$.tools[1]"] is tools[1]
    assert found["$.tool_choice"] is req.tool_choice
    assert found["$.response_format"] is req.response_format
    assert found["$.messages[0]"] is req.messages[0]


def test_what_stands_twice_is_found_twice() -> None:
    block = TextBlock("x")
    msg = Msg("", [block, block])
    paths = [path for path, node in places([msg, msg], None) if node is block]
    assert paths == [
        "$.messages[0].content[0]", "$.messages[0].content[1]",
        "$.messages[1].content[0]", "$.messages[1].content[1]",
    ]  # fmt: skip
