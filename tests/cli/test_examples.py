"""Every code has an example that produces it, and a fix that is rid of it."""

from __future__ import annotations

import ast
import copy
import json
import re
from dataclasses import replace

import pytest

from dragoman import detect
from dragoman.cli.examples import WireExample, example, examples
from dragoman.losses.codes import CODES
from dragoman.message import load
from dragoman.text.json_text import check
from tests.each_case import each_case

EXAMPLES = examples()
MENDED = {code: made for code, one in EXAMPLES.items() if (made := one.apply_fix()) is not None}


def test_no_code_is_without_an_example() -> None:
    assert sorted(set(CODES) - set(EXAMPLES)) == [], "see dragoman/losses/codes/examples"


def test_no_example_is_of_a_code_that_is_gone() -> None:
    assert sorted(set(EXAMPLES) - set(CODES)) == []


@each_case("code", EXAMPLES)
def test_an_example_produces_its_code(code: str) -> None:
    out = EXAMPLES[code].run()
    assert code in [loss.code for loss in out.losses]
    check(out.written, "$")


@each_case("code", MENDED)
def test_the_fix_is_rid_of_the_loss(code: str) -> None:
    assert code not in [loss.code for loss in MENDED[code].run().losses]


OVERRIDE = re.compile(r"`can=(\{.*?\})`")
OVERRIDES = {
    code: ast.literal_eval(found[1])
    for code, row in CODES.items()
    if (found := OVERRIDE.search(row.fix)) is not None
}


@pytest.mark.parametrize("code", OVERRIDES)
def test_what_a_fix_overrides_makes_a_difference(code: str) -> None:
    one = EXAMPLES[code]
    options = dict(one.options or {})
    options["can"] = {**options.get("can", {}), **OVERRIDES[code]}
    before, after = one.run(), replace(one, options=options).run()
    assert after.written != before.written
    # another maximum is still one of our own, and an orphan that is told is one still
    if code not in ("max_tokens.default", "result.orphan"):
        assert code not in [loss.code for loss in after.losses]


def test_some_fixes_override_a_capability() -> None:
    assert len(OVERRIDES) > 10


@each_case("code", EXAMPLES)
def test_an_example_is_small_and_loses_little_else(code: str) -> None:
    one = EXAMPLES[code]
    assert len(json.dumps(one.given)) < 1200
    others = {loss.code for loss in one.run().losses} - {code, "max_tokens.default"}
    assert len(others) <= 3


def test_most_codes_have_a_fix_that_is_shown() -> None:
    assert len(MENDED) > 0.8 * len(EXAMPLES)


def test_running_an_example_changes_nothing_of_it() -> None:
    for one in EXAMPLES.values():
        before = copy.deepcopy(one)
        one.run()
        assert one == before


def test_a_call_says_how_it_is_written() -> None:
    given = {"dragoman": 1, "kind": "messages", "value": []}
    assert WireExample("ollama", given).call() == "Formatter('ollama').write(messages)"
    options = {"speakers": {"tagged": {"me": "Friday"}}, "prompt": {"describe_tools": "always"},
               "media_saver": "saved/x", "can": {"tools": False}}  # fmt: skip
    assert WireExample("openai", {**given, "kind": "request"}, "m", options).call() == (
        "Formatter('openai', model='m', speakers=Tagged(me='Friday'), "
        "prompt=SystemPrompt(describe_tools='always'), media_saver=save, can={'tools': False})"
        ".format_request(request)"
    )
    assert WireExample("gemini", {}, "m", source="ollama").call() == (
        "dragoman.convert(body, 'ollama', 'gemini', model='m')"
    )


def test_examples_are_in_our_stored_form_or_of_their_source() -> None:
    for one in EXAMPLES.values():
        if one.source is None:
            assert one.given["dragoman"] == 1
            load(one.given)
        else:  # the request of another wire, which that one claims
            found = detect(one.given)
            assert one.source in (found.wire, *found.also)


def test_a_dialogue_is_a_conversation_with_its_fix() -> None:
    one = example([
        "request openai-chat gpt-5.6",
        "user: How warm is it",
        "        in Paris?",
        '- user calls get_weather {"city": "Paris"}',
        '+ assistant calls get_weather {"city": "Paris"}',
        "tool returns 18 degrees",
    ])  # fmt: skip
    messages = one.given["value"]["messages"]
    assert messages[0] == {"name": "", "role": "user", "content": "How warm is it in Paris?"}
    assert [message["role"] for message in messages] == ["user", "user", "tool"]
    assert messages[2]["content"][0]["id"] == messages[1]["content"][0]["id"] == "call_1"
    assert messages[2]["content"][0]["name"] == "get_weather"
    fixed = one.apply_fix()
    assert fixed is not None
    assert [m["role"] for m in fixed.given["value"]["messages"]] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("line", ["somebody says Hi.", "nothing"])
def test_a_line_that_is_none_of_a_dialogue_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="no line of a dialogue"):
        example(["request openai-chat", line])
