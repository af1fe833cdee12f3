"""Losses: their paths, their words, and how they outlive the history they are about."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import pytest

from dragoman.codes import CODES, KINDS
from dragoman.losses import Loss, Report
from dragoman.message import (
    Base64Source,
    ChatRequest,
    ImageBlock,
    Msg,
    Options,
    TextBlock,
    Tool,
    ToolResultBlock,
    Written,
    places,
)

LONG = "QUJD" * 5_000


def report(msgs: list[Msg], request: ChatRequest | None = None) -> Report:
    return Report(msgs, request, places, "here")


def wheres(found: Report) -> list[str]:
    return [loss.where for loss in found.losses]


def test_nodes_are_found_where_they_stand() -> None:
    image = ImageBlock(Base64Source("image/png", LONG))
    result = ToolResultBlock("c", "f", [TextBlock("x"), image])
    msgs = [Msg("", "x"), Msg("", [result], "tool")]
    found = report(msgs)
    for node, field in ((msgs[0], ""), (msgs[0], "content"), (result, "is_error"), (image, ""),
                        (image.source, "data")):  # fmt: skip
        found.lost("block.unsaid", node, field)
    assert wheres(found) == [
        "$.messages[0]",
        "$.messages[0].content",
        "$.messages[1].content[0].is_error",
        "$.messages[1].content[0].output[1]",
        "$.messages[1].content[0].output[1].source.data",
    ]


def test_parts_of_a_request() -> None:
    tool = Tool("f")
    req = ChatRequest([Msg("", "x")], tools=[tool], options=Options(seed=1))
    found = report(req.messages, req)
    for node, field in ((req, "model"), (req.tools[0], "strict"), (req.options, "seed")):
        found.lost("option.unsaid", node, field)
    assert wheres(found) == ["$.model", "$.tools[0].strict", "$.options.seed"]


def test_what_stands_twice_is_named_twice() -> None:
    block = TextBlock("x")
    msg = Msg("", [block, TextBlock("y"), block])
    found = report([msg, Msg("", "z"), msg])
    for _ in range(4):
        found.lost("text.blank", block, "text")
    for _ in range(2):
        found.lost("message.empty", msg)
    assert wheres(found) == [
        "$.messages[0].content[0].text", "$.messages[0].content[2].text",
        "$.messages[2].content[0].text", "$.messages[2].content[2].text",
        "$.messages[0]", "$.messages[2]",
    ]  # fmt: skip


def test_one_node_with_several_losses_stays_in_its_place() -> None:
    msg = Msg("", "x")
    found = report([msg])
    found.lost("text.blank", msg)
    found.lost("message.empty", msg)
    found.lost("name.unsaid", msg, "name")
    assert wheres(found) == ["$.messages[0]", "$.messages[0]", "$.messages[0].name"]


def test_made_nodes_are_found_at_their_source() -> None:
    msgs = [Msg("", "x"), Msg("", "y"), Msg("", "z")]
    cut, again, merged = Msg("", "1"), Msg("", "2"), Msg("", "3")
    found = report(msgs)
    found.made(cut, msgs[1])
    found.made(again, cut)
    found.made(merged, msgs[1:])
    for node in (cut, again, merged):
        found.lost("message.empty", node)
    assert wheres(found) == ["$.messages[1]"] * 3
    assert found.source(again) is msgs[1]
    assert found.source(msgs[0]) is msgs[0]


def test_a_text_of_the_request_has_a_path_though_it_is_no_node() -> None:
    made = Msg("", "Be.", "system")
    found = report([Msg("", "x")])
    found.placed(made, "$.system")
    found.lost("message.empty", made)
    assert wheres(found) == ["$.system"]


def test_unknown_nodes_have_the_whole_as_their_place() -> None:
    found = report([Msg("", "x")])
    found.lost("message.empty", Msg("", "elsewhere"), "content")
    assert wheres(found) == ["$.content"]


def test_groups_are_walked_when_they_are_read() -> None:
    msgs = [Msg("a", "x"), Msg("b", "y")]
    found = report(msgs)
    walked: list[str] = []

    def rows() -> Any:
        for m in msgs:
            walked.append(m.name)
            yield m, "name", m.name

    found.each("name.unsaid", rows())
    assert found.kinds == {"dropped"}
    assert walked == []
    assert [(loss.where, loss.what) for loss in found.losses] == [
        ("$.messages[0].name", "a"), ("$.messages[1].name", "b"),
    ]  # fmt: skip
    assert len(found.losses) == 2, "and only once"


def test_the_list_is_kept_as_it_was_at_the_first_loss() -> None:
    msgs = [Msg("", "x"), Msg("", "y")]
    found = report(msgs)
    found.lost("message.empty", msgs[1])
    del msgs[0]
    assert wheres(found) == ["$.messages[1]"]


def test_words_are_capped_and_never_base64() -> None:
    msg = Msg("", [ImageBlock(Base64Source("image/png", LONG))])
    found = report([msg])
    found.lost("media.type", msg.content[0], what="x" * 500)
    found.lost("media.type", msg.content[0])
    found.lost("message.empty", msg)
    assert [loss.what for loss in found.losses] == ["x" * 80, "image", "Msg"]
    assert LONG[:100] not in repr(found.losses)


def test_a_loss_as_json_and_as_text() -> None:
    msg = Msg("", "x")
    found = report([msg])
    found.lost("message.empty", msg, "content", what="all", did="left out", rule="r")
    (loss,) = found.losses
    assert loss.to_dict() == {
        "code": "message.empty", "kind": "dropped", "where": "$.messages[0].content",
        "target": "here", "what": "all", "did": "left out", "rule": "r",
    }  # fmt: skip
    assert repr(loss) == "Loss(dropped message.empty at $.messages[0].content: all)"
    assert loss.meaning == CODES["message.empty"].meaning
    assert loss == copy.copy(loss)
    assert hash(loss) == hash(copy.copy(loss))
    assert loss != "message.empty"


def test_a_kind_may_be_given() -> None:
    found = report([])
    found.lost("message.empty", object(), kind="expected")
    assert found.losses[0].kind == "expected"
    assert found.kinds == {"expected"}


@pytest.mark.parametrize("code", CODES)
def test_codes_are_whole(code: str) -> None:
    row = CODES[code]
    assert row.name == code
    assert row.kind in KINDS
    assert row.meaning
    assert row.meaning[0].islower()
    assert not row.meaning.endswith(".")


def test_detached_losses_let_the_history_go() -> None:
    msgs = [Msg("", "x"), Msg("", "y")]
    found = report(msgs)
    found.lost("message.empty", msgs[1])
    loss = found.losses[0].detach()
    gone = weakref.ref(msgs[1])
    del msgs, found
    gc.collect()
    assert gone() is None
    assert loss.where == "$.messages[1]"


def test_detached_answers_let_the_history_go() -> None:
    msg = Msg("", "x")
    req = ChatRequest([msg])
    found = report(req.messages, req)
    found.each("message.empty", iter([(msg, "content", "")]))
    written = Written({}, report=found).detached()
    gone = weakref.ref(msg)
    del msg, req, found
    gc.collect()
    assert gone() is None
    assert [loss.where for loss in written.losses] == ["$.messages[0].content"]
    assert written.losses == written.losses


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_and_pickles_hold_the_paths(way: Any) -> None:
    msgs = [Msg("a", "x"), Msg("b", "y")]
    found = report(msgs)
    found.lost("message.empty", msgs[1])
    found.each("name.unsaid", ((m, "name", m.name) for m in msgs))
    written = Written({"k": 1}, "/v1", report=found)
    made = way(written)
    assert [loss.to_dict() for loss in made.losses] == [loss.to_dict() for loss in written.losses]
    assert made.report.kinds == {"dropped"}
    one: Loss = way(found.losses[0])
    assert one == found.losses[0]
    assert one.where == "$.messages[1]"


def test_a_report_without_losses_costs_nothing_to_read() -> None:
    found = report([Msg("", "x")])
    assert (found.losses, found.kinds) == ([], set())
