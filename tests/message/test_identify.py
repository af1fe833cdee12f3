"""Ids of messages: given, or made of role, content and occurrence."""

from __future__ import annotations

import subprocess
import sys

from dragoman.message import (
    Base64Source,
    ImageBlock,
    Msg,
    Origin,
    TextBlock,
    ToolUseBlock,
    identify,
)


def image(data: str) -> Msg:
    return Msg("", [ImageBlock(Base64Source("image/png", data))], "user")


def test_given_ids_stay() -> None:
    assert identify([Msg("", "x", id="mine"), Msg("", "x", id="mine")]) == ["mine", "mine"]
    assert Msg("", "x", id="mine").id == "mine"


def test_equal_messages_get_the_same_base_and_their_occurrence() -> None:
    first, second, other = identify([Msg("", "x"), Msg("", "x"), Msg("", "y")])
    assert first.rpartition("-")[0] == second.rpartition("-")[0] != other.rpartition("-")[0]
    assert (first[-2:], second[-2:], other[-2:]) == ("-1", "-2", "-1")


def test_an_id_once_stored_is_found_again_by_later_releases() -> None:
    msg = Msg("a", "x", "user")
    assert identify([msg, msg]) == ["04e39329306946b2-1", "04e39329306946b2-2"]


def test_ids_depend_on_role_name_and_content_alone() -> None:
    base = Msg("a", "x", "user").id
    assert Msg("a", "x", "user", {"k": 1}, "now").id == base
    assert Msg("a", [TextBlock("x")], "user").id == base
    assert len({base, Msg("b", "x", "user").id, Msg("a", "y", "user").id,
                Msg("a", "x", "system").id, Msg("", "ax", "user").id}) == 5  # fmt: skip


def test_equal_histories_get_equal_ids() -> None:
    ours = [Msg("", [ToolUseBlock("c", "f", {"a": 1, "b": 2})], "assistant"), Msg("", "x")]
    theirs = [
        Msg("", [ToolUseBlock("c", "f", {"b": 2, "a": 1}, spelling="s", origin=Origin("x"))],
            "assistant"),
        Msg("", [TextBlock("x", origin=Origin("x"))]),
    ]  # fmt: skip
    assert ours == theirs
    assert identify(ours) == identify(theirs)


def test_text_is_never_taken_for_blocks() -> None:
    blocks = Msg("", [TextBlock("a"), TextBlock("b")])
    shown = "[{'text': 'a', 'type': 'text'}, {'text': 'b', 'type': 'text'}]"
    assert blocks.id != Msg("", shown).id
    assert blocks.id != Msg("", f"blocks\0{shown}").id


def test_media_count_by_length_and_ends() -> None:
    base = image("A" * 500)
    assert base.id == image("A" * 100 + "B" * 300 + "A" * 100).id, "the middle is not looked at"
    for other in ("A" * 499, "B" + "A" * 499, "A" * 499 + "B"):
        assert image(other).id != base.id
    assert image("A" * 20).id != image("A" * 9 + "B" + "A" * 10).id, "short data count whole"
    assert image("A" * 256).id != image("A" * 128 + "B" + "A" * 127).id
    assert image("A" * 257).id == image("A" * 128 + "B" + "A" * 128).id
    for at, looked in ((63, True), (64, False), (-65, False), (-64, True)):
        data = list("A" * 500)
        data[at] = "B"
        assert (image("".join(data)).id != base.id) is looked, at


def test_a_uri_counts_by_its_ends_as_well() -> None:
    def within(data: str) -> Msg:
        source = Base64Source("image/png", "A" * 500, f"data:image/png;base64,{data}")
        return Msg("", [ImageBlock(source)])

    base = within("A" * 500)
    assert base.id == within("A" * 250 + "B" + "A" * 249).id
    assert base.id != within("A" * 499 + "B").id


def test_lists_inside_count_like_the_rest() -> None:
    def call(*rows: object) -> Msg:
        return Msg("", [ToolUseBlock("c", "f", {"rows": [*rows]})], "assistant")

    assert call({"a": 1, "b": 2}).id == call({"b": 2, "a": 1}).id
    assert call(1).id != call(2).id


def test_arguments_count_whole_whatever_their_names_are() -> None:
    def call(text: str) -> Msg:
        return Msg("", [ToolUseBlock("c", "f", {"data": text, "uri": text})], "assistant")

    assert call("A" * 500).id != call("A" * 200 + "B" + "A" * 299).id


def test_lone_surrogates_that_were_put_in_later_do_not_break_ids() -> None:
    msg = Msg("", "x")
    msg.content = "\ud83d"
    assert msg.id


def test_ids_are_the_same_in_every_process() -> None:
    code = "from dragoman.message import Msg; print(Msg('a', 'x', 'user').id)"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert runs == {Msg("a", "x", "user").id}
