"""Calls whose arguments arrive leaf by leaf."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import ChatResponse, ToolUseBlock
from tests.protocols.gemini.answers import body, called, chunk, streamed, text


def leaf(path: str, on: bool = False, **value: Any) -> dict[str, Any]:
    more = {"willContinue": True} if on else {}
    return called(partialArgs=[{"jsonPath": path, **value, **more}], willContinue=True)


def begun(name: str = "cook") -> dict[str, Any]:
    return called(name=name, willContinue=True) | {"thoughtSignature": "MQ=="}


END = called()


def call(resp: ChatResponse) -> ToolUseBlock:
    block = resp.msg.blocks[0]
    assert isinstance(block, ToolUseBlock)
    return block


LEAVES = [
    leaf("$.name", True, stringValue="Lasa"),
    leaf("$.name", True, stringValue='gna "al'),
    leaf("$.name", stringValue=""),
    leaf("$.steps[0].what", stringValue="boil"),
    called(willContinue=True),
    leaf("$.steps[0].minutes", numberValue=10),
    leaf("$.steps[1].what", stringValue="bake"),
    leaf("$.hot", boolValue=True),
    leaf("$['with sauce']", nullValue="NULL_VALUE"),
]
VALUE = {
    "name": 'Lasagna "al',
    "steps": [{"what": "boil", "minutes": 10}, {"what": "bake"}],
    "hot": True,
    "with sauce": None,
}


@pytest.mark.parametrize(
    "last", [[END], [], [called(partialArgs=[{"jsonPath": "$.hot", "boolValue": True}])]]
)
def test_leaves_make_the_arguments_however_the_end_is_told(last: list[Any]) -> None:
    resp = streamed(*[chunk(part) for part in [begun(), *LEAVES, *last]], body(text("")))
    made = call(resp)
    assert (made.name, made.input, made.raw_input) == ("cook", VALUE, None)
    assert made.extras == {"gemini": {"thoughtSignature": "MQ=="}}
    assert resp.calls == [made]
    assert resp.status == "complete"


def test_calls_run_one_behind_the_other() -> None:
    resp = streamed(
        chunk(called(name="clock")),
        chunk(begun("look")), chunk(leaf("$.at", True, stringValue="a")), chunk(END),
        chunk(begun("look")), chunk(leaf("$.at", stringValue="b")),
        chunk(text("Wait.")),
        body(begun("look")),
    )  # fmt: skip
    made = [b for b in resp.msg.blocks if isinstance(b, ToolUseBlock)]
    assert [(b.name, b.input) for b in made] == [
        ("clock", {}), ("look", {"at": "a"}), ("look", {"at": "b"}), ("look", {}),
    ]  # fmt: skip
    assert [b.type for b in resp.msg.blocks] == ["tool_use"] * 3 + ["text", "tool_use"]


def test_somebody_may_watch_and_half_a_call_is_never_run() -> None:
    decoder = dragoman.wire("gemini").stream_decoder()
    for part in [begun(), *LEAVES[:2]]:
        decoder.feed(chunk(part))
    assert decoder.arguments((0, 0)) == {"name": 'Lasagna "al'}
    resp = decoder.finish()
    assert resp.status == "interrupted"
    assert resp.calls == []
    assert call(resp).unfinished


def test_leaves_in_no_order_still_make_the_value() -> None:
    paths = ["$.a.x", "$.b", "$.a.y", "$.c[0]", "$.d", "$.c[1]"]
    leaves = [chunk(leaf(path, numberValue=n)) for n, path in enumerate(paths)]
    decoder = dragoman.wire("gemini").stream_decoder()
    for one in [chunk(begun()), *leaves]:
        decoder.feed(one)
    assert decoder.arguments((0, 0)) == {"a": {"x": 0}, "b": 1}  # whoever watches sees no more
    for one in [chunk(END), body(text(""))]:
        decoder.feed(one)
    resp = decoder.finish()
    assert call(resp).input == {"a": {"x": 0, "y": 2}, "b": 1, "c": [3, 5], "d": 4}
    assert len(resp.calls) == 1


@pytest.mark.parametrize("path", ["$.a[7]", "$[0]", "a", "$.a..b", None, f"$.a{'[0]' * 9999}"])
def test_a_leaf_without_a_place_spoils_the_call(path: Any) -> None:
    broken = called(partialArgs=[{"jsonPath": path, "stringValue": "x"}], willContinue=True)
    for before in ([], [leaf("$.ok", numberValue=1)]):
        resp = streamed(*map(chunk, [begun(), *before, broken, END]), body(text("")))
        assert resp.calls == []
        assert call(resp).unfinished
        assert "jsonPath" in str(resp.extras)
