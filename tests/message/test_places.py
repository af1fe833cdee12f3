"""The paths of a conversation: every node that a loss can name, where it stands."""

from __future__ import annotations

from dragoman.losses import Field, InBody
from dragoman.message import (
    AsRead,
    Candidate,
    ChatRequest,
    ChatResponse,
    Citation,
    ImageBlock,
    Msg,
    Options,
    ResponseFormat,
    TextBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    URLSource,
    answer_places,
    places,
)
from dragoman.message.paths import also


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


def test_what_was_read_stands_where_it_stood_in_that_body() -> None:
    block, tool = TextBlock("x"), Tool("f")
    msg = Msg("", [block])
    req = ChatRequest([msg], tools=[tool])
    other = ChatRequest([])  # as the reader made it, before somebody changed it
    body = [
        ("$.contents[0]", msg),
        ("$.contents[0].parts[0].text", Field(block, "text")),
        ("$.generationConfig.seed", Field(other, "seed")),
    ]
    req.read = AsRead("gemini", "gemini", [msg], {}, places=lambda: iter(body))
    assert list(places(req.messages, req)) == [
        ("$", InBody(req)),
        ("$.contents[0]", InBody(msg)),
        ("$.contents[0].parts[0].text", Field(block, "text")),
        ("$.generationConfig.seed", Field(req, "seed")),
        ("$.options", req.options),
        ("$.tools[0]", tool),
        ("$.messages[0].content[0]", block),
    ]
    req.read = AsRead("gemini", "gemini", [msg], {})
    assert dict(places(req.messages, req))["$"] is req


def test_what_was_made_of_a_node_stands_there_too() -> None:
    first, second, third, other = (TextBlock(text) for text in "abcd")
    walk = [("$.a", first), ("$.d", other)]
    made = [(second, first), (third, second), (TextBlock("e"), TextBlock("f"))]
    assert list(also(lambda: iter(walk), made)) == [
        ("$.a", first), ("$.a", second), ("$.a", third), ("$.d", other),
    ]  # fmt: skip
    twice = list(also(lambda: iter([("$.a", first), ("$.b", first)]), [(second, first)]))
    assert twice == [("$.a", first), ("$.a", second), ("$.b", first), ("$.b", second)]


def test_every_part_of_an_answer_has_its_path() -> None:
    cited = TextBlock("x", [Citation(url="1"), Citation(url="2")])
    image = ImageBlock(URLSource("https://example.com/a.png"))
    first, second = Candidate(Msg.assistant([image, cited])), Candidate(Msg.assistant("y"))
    resp = ChatResponse([first, second])
    assert list(answer_places([], resp)) == [
        ("$", resp),
        ("$.usage", resp.usage),
        ("$.candidates[0]", first),
        ("$.candidates[0].finish", first.finish),
        ("$.candidates[0].msg", first.msg),
        ("$.candidates[0].msg.content[0]", image),
        ("$.candidates[0].msg.content[0].source", image.source),
        ("$.candidates[0].msg.content[1]", cited),
        ("$.candidates[0].msg.content[1].citations[0]", Citation(url="1")),
        ("$.candidates[0].msg.content[1].citations[1]", Citation(url="2")),
        ("$.candidates[1]", second),
        ("$.candidates[1].finish", second.finish),
        ("$.candidates[1].msg", second.msg),
    ]
