"""Losses: their paths, their words, and how they outlive the history they are about."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import pytest

import dragoman
from dragoman import LossRefused, wire
from dragoman.formatter import WrittenMessages
from dragoman.losses import Loss, Losses, Policy, Report, by_weight
from dragoman.losses.codes import CODES
from dragoman.losses.codes.code import WEIGHTS
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
        found.add_loss("block.unsupported", node, field)
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
        found.add_loss("option.unsupported", node, field)
    assert wheres(found) == ["$.model", "$.tools[0].strict", "$.options.seed"]


def test_what_stands_twice_is_named_twice() -> None:
    block = TextBlock("x")
    msg = Msg("", [block, TextBlock("y"), block])
    found = report([msg, Msg("", "z"), msg])
    for _ in range(4):
        found.add_loss("text.blank", block, "text")
    for _ in range(2):
        found.add_loss("message.empty", msg)
    assert wheres(found) == [
        "$.messages[0].content[0].text", "$.messages[0].content[2].text",
        "$.messages[2].content[0].text", "$.messages[2].content[2].text",
        "$.messages[0]", "$.messages[2]",
    ]  # fmt: skip


def test_one_node_with_several_losses_stays_in_its_place() -> None:
    msg = Msg("", "x")
    found = report([msg])
    found.add_loss("text.blank", msg)
    found.add_loss("message.empty", msg)
    found.add_loss("name.unsupported", msg, "name")
    assert wheres(found) == ["$.messages[0]", "$.messages[0]", "$.messages[0].name"]


def test_made_nodes_are_found_at_their_source() -> None:
    msgs = [Msg("", "x"), Msg("", "y"), Msg("", "z")]
    cut, again, merged = Msg("", "1"), Msg("", "2"), Msg("", "3")
    found = report(msgs)
    found.record_copy(cut, msgs[1])
    found.record_copy(again, cut)
    found.record_copy(merged, msgs[1:])
    for node in (cut, again, merged):
        found.add_loss("message.empty", node)
    assert wheres(found) == ["$.messages[1]"] * 3
    assert found.source(again) is msgs[1]
    assert found.source(msgs[0]) is msgs[0]


def test_a_text_of_the_request_has_a_path_though_it_is_no_node() -> None:
    made = Msg("", "Be.", "system")
    found = report([Msg("", "x")])
    found.set_place(made, "$.system")
    found.add_loss("message.empty", made)
    assert wheres(found) == ["$.system"]


def test_unknown_nodes_have_the_whole_as_their_place() -> None:
    found = report([Msg("", "x")])
    found.add_loss("message.empty", Msg("", "elsewhere"), "content")
    assert wheres(found) == ["$.content"]


def test_groups_are_walked_when_they_are_read() -> None:
    msgs = [Msg("a", "x"), Msg("b", "y")]
    found = report(msgs)
    walked: list[str] = []

    def rows() -> Any:
        for m in msgs:
            walked.append(m.name)
            yield m, "name", m.name

    found.add_losses("name.unsupported", rows())
    assert found.kinds == {"dropped"}
    assert walked == []
    assert [(loss.where, loss.what) for loss in found.losses] == [
        ("$.messages[0].name", "a"), ("$.messages[1].name", "b"),
    ]  # fmt: skip
    assert len(found.losses) == 2, "and only once"


def test_the_list_is_kept_as_it_was_at_the_first_loss() -> None:
    msgs = [Msg("", "x"), Msg("", "y")]
    found = report(msgs)
    found.add_loss("message.empty", msgs[1])
    del msgs[0]
    assert wheres(found) == ["$.messages[1]"]


def test_words_are_capped_and_never_base64() -> None:
    msg = Msg("", [ImageBlock(Base64Source("image/png", LONG))])
    found = report([msg])
    found.add_loss("media.type", msg.content[0], what="so much " * 50, did="so much " * 50)
    found.add_loss("media.type", msg.content[0], f"extras.{LONG}", what=LONG, did=LONG)
    found.add_loss("media.type", msg.content[0])
    found.add_loss("message.empty", msg)
    capped = f"{('so much ' * 10)[:77]}..."
    assert [loss.what for loss in found.losses] == [capped, "<opaque text>...", "image", "Msg"]
    assert [loss.did for loss in found.losses][:2] == [capped, "<opaque text>..."]
    for loss in found.losses:
        for said in (*loss.to_dict().values(), loss.field, repr(loss)):
            assert "QUJDQUJD" not in said
            assert len(said) < 250


def test_a_loss_as_json_and_as_text() -> None:
    msg = Msg("", "x")
    found = report([msg])
    found.add_loss("message.empty", msg, "content", what="all", did="left out", rule="r")
    (loss,) = found.losses
    assert loss.to_dict() == {
        "code": "message.empty", "kind": "repaired", "where": "$.messages[0].content",
        "target": "here", "what": "all", "did": "left out", "rule": "r",
    }  # fmt: skip
    assert repr(loss) == "Loss(repaired message.empty at $.messages[0].content: all)"
    assert loss.meaning == CODES["message.empty"].meaning
    assert loss == copy.copy(loss)
    assert hash(loss) == hash(copy.copy(loss))
    assert loss != "message.empty"


def test_a_kind_may_be_given() -> None:
    found = report([])
    found.add_loss("message.empty", object(), kind="expected")
    assert found.losses[0].kind == "expected"
    assert found.kinds == {"expected"}


def test_meaning_and_fix_are_those_of_the_code() -> None:
    found = report([])
    found.add_loss("cache.limit", object())
    row = CODES["cache.limit"]
    assert [(loss.meaning, loss.fix) for loss in found.losses] == [(row.meaning, row.fix)]


def test_what_was_added_stands_by_itself() -> None:
    msg = Msg("", "x")
    found = report([msg])
    for code in ("message.empty", "turn.first", "cache.limit", "turn.last"):
        found.add_loss(code, msg)
    assert [loss.code for loss in found.added] == ["turn.first", "turn.last"]
    assert Written({}, report=found).added == found.added
    assert WrittenMessages([], found).added == found.added
    assert Written({}, report=found).detach().added == found.added
    assert report([msg]).added == []


# -- rules --------------------------------------------------------------------------------------


class Rules:
    """The rule of each code, and what was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []

    def __call__(self, code: str, field: str, kind: str) -> str:
        self.asked.append((code, field, kind))
        return f"{code} by the book (2026-11-01)"


def ruled(*codes: str) -> tuple[Report, Rules]:
    found, rules = report([Msg("", "x")]), Rules()
    found.rules = rules
    for code in codes:
        found.add_loss(code, TextBlock("x"), "cache")
    return found, rules


def test_a_rule_is_asked_for_when_it_is_read_and_once_a_kind_of_loss() -> None:
    found, rules = ruled("cache.limit", "cache.limit", "cache.unsupported")
    assert found.kinds == {"dropped"}
    losses = found.losses
    _ = [(loss.where, loss.what, repr(loss), hash(loss)) for loss in losses]
    assert rules.asked == []
    assert losses[0].rule == losses[1].rule == "cache.limit by the book (2026-11-01)"
    assert losses[0].to_dict()["rule"] == losses[0].rule
    assert rules.asked == [("cache.limit", "cache", "text")]
    assert losses[2].rule.startswith("cache.unsupported by")


def test_a_rule_that_is_given_wins() -> None:
    found, rules = ruled()
    found.add_loss("cache.limit", object(), rule="because")
    assert found.losses[0].rule == "because"
    assert rules.asked == []


def test_without_rules_there_is_none() -> None:
    found = report([])
    found.add_loss("cache.limit", object())
    assert found.losses[0].rule == ""
    assert "rule" not in found.losses[0].to_dict()


def test_a_trial_knows_the_rules() -> None:
    found, _ = ruled()
    trial = found.trial()
    trial.add_loss("cache.limit", object())
    assert trial.losses[0].rule.startswith("cache.limit by")
    assert found.losses == []


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_hold_the_rule_as_text(way: Any) -> None:
    found, rules = ruled("cache.limit")
    found.rules = lambda *asked: rules(*asked)  # noqa: PLW0108 - which nobody can pickle
    made: Loss = way(found.losses[0])
    assert made.rule == "cache.limit by the book (2026-11-01)"
    assert way(found).losses[0].rule == made.rule
    assert way(found.losses[0].detach()).rule == made.rule


def test_detached_losses_hold_the_rule_and_let_its_source_go() -> None:
    found, rules = ruled("cache.limit")
    gone = weakref.ref(rules)
    loss = found.losses[0].detach()
    del found, rules
    gc.collect()
    assert gone() is None
    assert loss.rule == "cache.limit by the book (2026-11-01)"


def test_judging_and_logging_ask_for_no_rule() -> None:
    found, rules = ruled("cache.limit", "thinking.unsupported")
    Policy(log=True, refuse=("moved",)).judge(found, set())
    assert rules.asked == []


# -- life and death -----------------------------------------------------------------------------


def test_detached_losses_let_the_history_go() -> None:
    msgs = [Msg("", "x"), Msg("", "y")]
    found = report(msgs)
    found.add_loss("message.empty", msgs[1])
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
    found.add_losses("message.empty", iter([(msg, "content", "")]))
    written = Written({}, report=found).detach()
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
    found.add_loss("message.empty", msgs[1])
    found.add_losses("name.unsupported", ((m, "name", m.name) for m in msgs))
    written = Written({"k": 1}, "/v1", report=found)
    made = way(written)
    assert [loss.to_dict() for loss in made.losses] == [loss.to_dict() for loss in written.losses]
    assert made.report.kinds == {"dropped", "repaired"}
    one: Loss = way(found.losses[0])
    assert one == found.losses[0]
    assert one.where == "$.messages[1]"


def test_a_report_without_losses_costs_nothing_to_read() -> None:
    found = report([Msg("", "x")])
    assert (found.losses, found.kinds) == ([], set())


def test_losses_show_themselves_a_line_each_and_as_a_table() -> None:
    req = ChatRequest([Msg("<Tony>", "Hi", "user")], options=Options(seed=3))
    losses = wire("ollama", policy="ignore").write_request(req, model="qwen3").losses
    assert repr(losses) == "[\n  dropped name.unsupported at $.messages[0].name: <Tony>\n]"
    assert "<td>name.unsupported</td><td>$.messages[0].name</td><td>&lt;Tony&gt;</td>" in (
        losses._repr_html_()
    )
    assert repr(losses[:0]) == repr(Losses()) == "[]"
    assert losses == list(losses) == pickle.loads(pickle.dumps(losses))


def test_what_matters_most_comes_first() -> None:
    """Echoes of answers and notes of a client bury no tool that is missing."""
    body = {
        "model": "gpt-5.6", "client_metadata": {"turn": "1"}, "prompt_cache_key": "k",
        "input": [{"role": "user", "content": "Hi"},
                  {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
                   "content": [{"type": "output_text", "text": "Yes?"}]},
                  {"role": "user", "content": "Go."}],
        "tools": [{"type": "tool_search"}],
    }  # fmt: skip
    out = dragoman.convert(body, "openai-responses", "anthropic", model="claude-opus-5-5",
                           policy="ignore")  # fmt: skip
    found = [(loss.weight, loss.where) for loss in by_weight(out.losses)]
    assert found[0] == ("major", "$.tools[0]")
    assert ("minor", "$.prompt_cache_key") in found
    assert {where for weight, where in found if weight == "trivial"} >= {
        "$.input[1].id", "$.input[1].status", "$.client_metadata.turn"}  # fmt: skip
    assert [WEIGHTS.index(weight) for weight, _ in found] == sorted(
        WEIGHTS.index(weight) for weight, _ in found)  # fmt: skip
    assert pickle.loads(pickle.dumps(by_weight(out.losses)[0])).weight == "major"
    with pytest.raises(LossRefused) as error:
        dragoman.convert(body, "openai-responses", "anthropic", policy=Policy(refuse=("dropped",)))
    assert error.value.losses[0].code == "tool.other_provider"


def test_a_rule_is_asked_once_for_losses_of_one_kind() -> None:
    said = [{"role": "user", "content": [{"type": "text", "text": "Hi",
             "cache_control": {"type": "ephemeral"}}]}] * 40  # fmt: skip
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": said}
    out = dragoman.convert(body, "anthropic", "mistral", policy="ignore")
    asked: list[str] = []
    rules = out.report.rules
    assert rules is not None

    def counted(code: str, field: str, kind: str) -> str:
        asked.append(code)
        return rules(code, field, kind)

    out.report.rules = counted
    assert len({loss.rule for loss in out.losses if loss.code == "cache.unsupported"}) == 1
    assert asked.count("cache.unsupported") == 1
