"""Streams of DashScope: pieces or snapshots of everything so far, told apart by the data."""

from __future__ import annotations

import dragoman
from dragoman.message import (
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    URLSource,
    Usage,
)
from tests.each_case import each_case
from tests.protocols.dashscope.answers import OWN, frame, streamed


def test_deltas() -> None:
    resp = streamed(
        frame({"content": "", "reasoning_content": "Let"}, tokens=1),
        frame({"content": "", "reasoning_content": " me"}, tokens=2),
        frame({"content": "", "reasoning_content": " see"}, tokens=3),
        frame({"content": "It", "reasoning_content": ""}, tokens=4),
        frame({"content": " is", "reasoning_content": ""}, tokens=5),
        frame({"content": "", "reasoning_content": ""}, "stop", tokens=5),
    )
    assert resp.msg.blocks == [ThinkingBlock("Let me see"), TextBlock("It is")]
    assert (resp.usage, resp.status) == (Usage(input=9, output=5), "complete")


def test_deltas_of_parts() -> None:
    resp = streamed(
        frame({"content": [], "reasoning_content": "hm"}, tokens=1),
        frame({"content": [{"text": "It"}]}, tokens=2),
        frame({"content": [{"text": " is"}]}, tokens=3),
        frame({"content": [{"image": "https://a.example/1.png"}]}, tokens=4),
        frame({"content": [{"text": "Oslo"}]}, tokens=5),
        frame({"content": []}, "stop", tokens=5),
    )
    assert resp.msg.blocks == [
        ThinkingBlock("hm"), TextBlock("It is"), ImageBlock(URLSource("https://a.example/1.png")),
        TextBlock("Oslo"),
    ]  # fmt: skip


def test_snapshots_of_everything() -> None:
    call = {"index": 0, "id": "call_1", "type": "function"}
    resp = streamed(
        frame({"content": "", "reasoning_content": "Let"}, tokens=1),
        frame({"content": "", "reasoning_content": "Let me"}, tokens=2),
        frame({"content": "I look", "reasoning_content": "Let me"}, tokens=4),
        frame({"content": "I look", "reasoning_content": "Let me",
               "tool_calls": [call | {"function": {"name": "look", "arguments": '{"a'}}]}),
        frame({"content": "I look", "reasoning_content": "Let me",
               "tool_calls": [call | {"function": {"name": "look", "arguments": '{"a": 1}'}}]},
              "tool_calls", 9),
    )  # fmt: skip
    assert [block.type for block in resp.msg.blocks] == ["thinking", "text", "tool_use"]
    assert resp.msg.blocks[0] == ThinkingBlock("Let me")
    assert (resp.text, resp.calls[0].input) == ("I look", {"a": 1})


def test_a_snapshot_that_says_it_otherwise_replaces() -> None:
    resp = streamed(
        frame({"content": "Its name"}, tokens=2),
        frame({"content": "Its name is 你\ufffd"}, tokens=5),
        frame({"content": "Its name is 你好[1]"}, tokens=8),
        frame({"content": "Its name is 你好[1]."}, "stop", tokens=9),
    )
    assert resp.text == "Its name is 你好[1]."


@each_case(
    ("texts", "tokens", "wanted"),
    [
        (["ha", "ha", ""], [1, 2, 2], "haha"),
        (["ha", "ha"], [1, 1], "ha"),
        (["ha", "ha"], [1, 2], "haha"),
        (["ha", "ha", "!"], [1, 2, 3], "haha!"),
        (["ha", "haha", "haha!"], [1, 2, 3], "haha!"),
        (["好", "好的", "学"], [1, 2, 3], "好好的学"),
        (["好", "好的", "好的学"], [1, 2, 3], "好的学"),
        (["1", "10", "0"], [1, 2, 3], "1100"),
        (["哈", "哈哈哈", "哈哈哈哈哈"], [1, 4, 9], "哈" * 9),
        (["哈", "哈哈哈", "哈哈哈哈哈"], [1, 3, 5], "哈" * 5),
        (["Hello", "Hello there"], [1, 2], "Hello there"),
        (["=", "=", "=", "=", " a"], [1, 2, 3, 4, 5], "==== a"),
        (["OK", "OK", "OK"], [1, 1, 1], "OK"),
        (["OK", "OK, sure"], [1, 3], "OK, sure"),
        (["ha", "ha"], [None, None], "haha"),
        (["ha", "haha"], [None, None], "haha"),
        (["The end.", "The end.", ""], [None, None, None], "The end.The end."),
        (["That is all of it.", "That is all of it."], [None, None], "That is all of it."),
    ],
)
def test_pieces_are_told_from_snapshots(
    texts: list[str], tokens: list[int | None], wanted: str
) -> None:
    reasons = ["null"] * (len(texts) - 1) + ["stop"]
    events = [
        frame({"content": text}, reason, count)
        for text, reason, count in zip(texts, reasons, tokens, strict=True)
    ]
    resp = streamed(*events)
    assert (resp.text, resp.status) == (wanted, "complete")


def test_the_dialect_may_say_which_it_is() -> None:
    from dragoman.protocols.dashscope import DashScope, Dialect

    for streams, wanted in (("deltas", "haha"), ("snapshots", "ha")):
        room = DashScope(Dialect(streams=streams))  # type: ignore[arg-type]
        reader = room.reader()
        made = [piece for _ in range(2) for piece in reader.feed(frame({"content": "ha"}))]
        texts = [p.block.text for p in made if hasattr(p, "block")]  # type: ignore[union-attr]
        assert "".join(texts) == wanted


def test_an_error_in_a_stream_keeps_what_was_said() -> None:
    body = (
        b'id:1\nevent:result\n:HTTP_STATUS/200\ndata:{"output":{"choices":[{"message":{"content":'
        b'"ha","role":"assistant"},"finish_reason":"null"}]},"request_id":"r-1"}\n\n'
        b'id:2\nevent:result\n:HTTP_STATUS/200\ndata:{"output":{"choices":[{"message":{"content":'
        b'"ha","role":"assistant"},"finish_reason":"null"}]},"request_id":"r-1"}\n\n'
        b'id:3\nevent:error\n:HTTP_STATUS/400\ndata:{"code":"DataInspectionFailed","message":'
        b'"Output data may contain inappropriate content.","request_id":"r-1"}\n\n'
    )
    stream = dragoman.wire("dashscope").read_stream([body[:50], body[50:]])
    assert list(stream)[-1].type == "finish"
    resp = stream.response
    assert (resp.status, resp.text) == ("error", "haha")
    assert resp.error is not None
    assert resp.error.code == "DataInspectionFailed"


def test_a_stream_that_breaks_off_while_it_is_in_doubt() -> None:
    resp = streamed(frame({"content": "ha"}, tokens=1), frame({"content": "ha"}, tokens=2))
    assert (resp.text, resp.status) == ("haha", "interrupted")


def test_a_shape_that_nobody_knows_among_events_in_doubt() -> None:
    odd = frame({"content": "ha", "tool_calls": [{"function": {"name": 7}}]}, tokens=2)
    first = frame({"content": "ha"}, tokens=1)
    for rest in ([], [frame({"content": "!"}, "stop", tokens=3)]):
        resp = streamed(first, odd, *rest)
        assert resp.text == ("haha!" if rest else "haha")
        assert resp.calls == []
        [event] = (resp.extras or {})[OWN]["events"]
        place = "$.output.choices[0].message.tool_calls[0].function.name"
        assert (event["at"], event["payload"]) == (place, 7)


def test_snapshots_of_parts() -> None:
    image = {"image": "https://a.example/1.png"}
    resp = streamed(
        frame({"content": [{"text": "Here"}]}, tokens=1),
        frame({"content": [{"text": "Here it is"}]}, tokens=3),
        frame({"content": [{"text": "Here it is"}, image]}, tokens=4),
        frame({"content": [{"text": "Here it is"}, image, {"text": "."}]}, "stop", tokens=5),
    )
    assert resp.msg.blocks == [
        TextBlock("Here it is"), ImageBlock(URLSource("https://a.example/1.png")), TextBlock("."),
    ]  # fmt: skip
