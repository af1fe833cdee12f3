"""The sum of pieces: whatever order they come in, one answer, in linear time."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.errors import ReadError, StreamError
from dragoman.message import (
    Finish,
    Msg,
    Origin,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    dump,
    load,
)
from dragoman.stream.builder import Builder, build
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw, provider_error
from tests.laws.test_linear import work

STOP = End(Finish("stop", "stop"))


def text(said: str, *key: int, whole: bool = False) -> Part:
    return Part(key or (0, 0), TextBlock(said), whole)


def call(raw: str, *key: int, id: str = "", name: str = "") -> Part:
    return Part(key, ToolUseBlock(id, name, raw_input=raw))


def built(*pieces: Piece, **options: Any) -> Any:
    return build(pieces, **options)


def test_blocks_stand_in_the_order_of_their_keys() -> None:
    resp = built(text("b", 0, 1), text("a", 0, 0), text("c", 0, 10), text("B", 0, 1), STOP)
    assert [block.text for block in resp.msg.blocks] == ["a", "bB", "c"]


def test_candidates_stand_in_the_order_of_their_numbers() -> None:
    resp = built(text("two", 2, 0), text("none", 0, 0), STOP, End(Finish("length", "max"), 2))
    assert [one.msg.text for one in resp.candidates] == ["none", "two"]
    assert [one.finish.reason for one in resp.candidates] == ["stop", "length"]
    assert resp.status == "truncated"


def test_nothing_is_an_answer_that_broke_off() -> None:
    resp = built()
    assert (resp.status, resp.msg.blocks, resp.finish.raw) == ("interrupted", [], None)


def test_a_whole_piece_takes_the_place_of_all_before() -> None:
    resp = built(text("a"), text("b"), text("ab.", whole=True), text("c"), STOP)
    assert resp.text == "ab.c"


def test_a_server_that_changes_its_mind_on_a_block_loses_nothing() -> None:
    resp = built(Part((0, 0), ThinkingBlock("hm")), text("a"), text("b"), STOP)
    assert [(block.type, block[block.type]) for block in resp.msg.blocks] == [
        ("thinking", "hm"), ("text", "ab"),
    ]  # fmt: skip


def test_of_a_figure_the_last_that_was_said_holds() -> None:
    resp = built(Usage(input=9, output=1), Usage(output=5, extras={"p": {"a": 1, "b": 1}}),
                 Usage(total=14, extras={"p": {"b": 2}}), STOP)  # fmt: skip
    assert resp.usage == Usage(input=9, output=5, total=14, extras={"p": {"a": 1, "b": 2}})
    assert built(Usage(output=0), STOP).usage.output == 0
    assert built(STOP).usage == Usage()


def test_the_first_id_and_model_hold() -> None:
    resp = built(Meta(id="", model=None), Meta(id="1"), Meta(model="m"), Meta(id="2", model="n"))
    assert (resp.id, resp.model) == ("1", "m")


def test_fields_that_nobody_models() -> None:
    resp = built(Meta({"a": 1}), Meta({"a": 2, "b": 1}), Meta({"c": 1}, 0), Meta({"c": 2}, 1),
                 Meta({"l": {"x": [1]}}, 0, joined=True), Meta({"l": {"x": [2]}}, 0, joined=True),
                 Raw("odd", {"y": 1}), STOP, issuer="p")  # fmt: skip
    events = [{"event": "odd", "payload": {"y": 1}}]
    assert resp.extras == {"p": {"a": 2, "b": 1, "events": events}}
    assert [one.extras for one in resp.candidates] == [
        {"p": {"l": {"x": [1, 2]}, "c": 1}}, {"p": {"c": 2}},
    ]  # fmt: skip


def test_an_end_without_a_word_does_not_hide_the_word() -> None:
    assert built(End(Finish("length", "max")), End(Finish("other"))).finish.raw == "max"
    assert built(End(Finish("other")), End(Finish("length", "max"))).finish.raw == "max"


def test_who_answers() -> None:
    resp = built(text("a"), Meta(model="m-1"), STOP, origin=Origin("p", "m", prefix="h"))
    assert resp.msg.origin == Origin("p", "m-1", prefix="h")
    assert resp.msg.role == "assistant"


def test_an_error_keeps_what_came() -> None:
    failed = Failed(
        provider_error({"error": {"message": "overloaded", "type": "busy", "code": 529}})
    )
    resp = built(text("Half"), call('{"a": ', 0, 1, id="x"), failed,
                 Failed(provider_error({"error": "later"})))  # fmt: skip
    assert resp.status == "error"
    assert resp.text == "Half"
    assert resp.calls == []
    assert isinstance(resp.error, StreamError)
    assert (resp.error.message, resp.error.type, resp.error.status) == ("overloaded", "busy", 529)
    assert resp.error.response is resp


def test_a_snapshot_changes_nothing() -> None:
    pieces: list[Piece] = [
        text("a"), Part((0, 1), ThinkingBlock("b", "s")), call('{"a":', 0, 2, name="f"),
        call("1}", 0, 2), Usage(output=1), Meta({"x": [1]}, 0, joined=True), STOP,
    ]  # fmt: skip
    asked, plain = Builder("p", origin=Origin("p")), Builder("p", origin=Origin("p"))
    for piece in pieces:
        plain.add(piece)
        asked.add(piece)
        asked.finish()
        asked.finish()
    assert asked.finish() == plain.finish()


def test_the_view_of_arguments_while_they_arrive() -> None:
    builder = Builder()
    seen = []
    for piece in ('{"city": "Sa', 'markand", "n": [1', "]}"):
        builder.add(call(piece, 0, 0, name="f"))
        seen.append(builder.arguments((0, 0)))
    assert seen == [
        {"city": "Sa"},
        {"city": "Samarkand", "n": [1]},
        {"city": "Samarkand", "n": [1]},
    ]
    assert builder.block((0, 0)).type == "tool_use"
    builder.add(text("x", 0, 1))
    with pytest.raises(ReadError):
        builder.arguments((0, 1))


def test_halves_of_a_character_in_two_pieces_are_one() -> None:
    resp = built(text("ok \ud83d"), text("\ude00!"), call('{"a": "\ud83d', 0, 1, id="a"),
                 call('\ude00"}', 0, 1), STOP)  # fmt: skip
    assert resp.text == "ok \U0001f600!"
    assert resp.calls[0].input == {"a": "\U0001f600"}
    assert resp.calls[0].raw_input == '{"a": "\U0001f600"}'


def test_a_half_that_stays_alone_is_marked_and_named() -> None:
    resp = built(text("ok \ud83d"), STOP)
    assert resp.text == "ok �"
    assert resp.msg.extras == {"dragoman": {"healed": ["content[0].text"]}}


def test_what_stands_beside_the_message_is_healed_too() -> None:
    half = "a\ud83d"
    resp = built(text("x"), Meta({half: [half]}, id=half, model=half), Meta({"k": half}, 0),
                 Usage(extras={"p": {"k": half}}), Raw(half, {"y": half}),
                 End(Finish("other", half)), issuer="p", origin=Origin("p"))  # fmt: skip
    assert (resp.id, resp.model, resp.finish.raw) == ("a�", "a�", "a�")
    assert resp.msg.origin.model == "a�"
    assert load(dump(resp)) == resp
    assert "candidates[0].finish.raw" in resp.extras["dragoman"]["healed"]


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for piece in (Meta({"a": deep}), Part((0, 0), ToolUseBlock("a", "b", {"a": deep}))):
        with pytest.raises(ReadError) as caught:
            built(piece)
        assert caught.value.code == "json.deep"


def test_a_sum_is_linear_in_its_pieces() -> None:
    def run(pieces: int) -> int:
        told = [piece for n in range(pieces) for piece in (text("x"), call("x", 0, 1))]
        return work(lambda: built(*told, STOP))

    assert run(800) / run(200) < 5


def test_a_sum_is_linear_in_its_candidates() -> None:
    def run(candidates: int) -> int:
        return work(lambda: built(*(text("x", n, 0) for n in range(candidates)), STOP))

    assert run(800) / run(200) < 5


def test_refusals_are_blocks() -> None:
    resp = built(Part((0, 0), RefusalBlock("No")), Part((0, 0), RefusalBlock(".")), STOP)
    assert resp.msg == Msg("", [RefusalBlock("No.")], "assistant") or resp.msg.blocks == [
        RefusalBlock("No.")
    ]
    assert resp.finish.reason == "refusal"


def test_fields_beside_are_joined_in_linear_time() -> None:
    def run(pieces: int) -> int:
        told = [Meta({f"k{n}": n}, n % 7) for n in range(pieces)]
        return work(lambda: built(*told, STOP, issuer="p"))

    assert run(800) / run(200) < 5


def test_notes_stand_beside_the_fields_that_nobody_models() -> None:
    resp = built(
        Meta({"a": 1}, notes={"absent": ["b"]}), Meta(None, 0, notes={"at": 1}), STOP, issuer="x"
    )
    assert resp.extras == {"x": {"a": 1}, "x (notes)": {"absent": ["b"]}}
    assert resp.candidates[0].extras == {"x (notes)": {"at": 1}}
