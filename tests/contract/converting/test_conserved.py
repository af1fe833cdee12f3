"""The judge of law 2 on conversions made by hand: one leaf or one loss less is found."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.judges import judge_request

from .conserved import silent
from .conserved.texts import Texts
from .pairs import AT, CHAT_TO_ANTHROPIC, GEMINI_TO_RESPONSES, PAIRS, RESPONSES_TO_CHAT, Pair

NAMES = [f"{pair.source} to {pair.target}" for pair in PAIRS]
# leaves that a target says by itself: nothing in the source says them
ADDED = {
    ("openai-responses", "model"),  # Gemini's stands in the path
    ("openai-responses", "tools.0.strict"),  # where it is absent it would be tried
    ("openai-responses", "text.format.name"),
    ("openai-responses", "input.0.type"),  # a message may go without
    ("openai-chat", "messages.2.content"),  # null, beside calls
}


def lost(pair: Pair) -> list[str]:
    """What the judge says of a pair."""
    return silent(
        pair.source, pair.body, pair.target, pair.made, pair.losses, pair.ids, pair.names, pair.path
    )


def leaves(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The steps to every leaf, empty ones included."""
    if isinstance(value, (dict, list)) and value:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*steps, key))
    else:
        yield steps


def without(body: Any, steps: tuple[Any, ...]) -> Any:
    """The body without one leaf."""
    made = deepcopy(body)
    at = made
    for step in steps[:-1]:
        at = at[step]
    del at[steps[-1]]
    return made


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_a_right_conversion_has_no_silent_loss(pair: Pair) -> None:
    assert lost(pair) == []


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_each_leaf_that_is_missing_is_found(pair: Pair) -> None:
    """By this judge; what is structure alone, a type tag, by that of the wire's types."""
    known = set(judge_request(pair.target, pair.made))
    missed = []
    for steps in leaves(pair.made):
        if (pair.target, ".".join(map(str, steps))) in ADDED:
            continue
        made = without(pair.made, steps)
        if not lost(replace(pair, made=made)) and not set(judge_request(pair.target, made)) - known:
            missed.append(steps)
    assert missed == []


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_each_loss_that_is_missing_is_found(pair: Pair) -> None:
    for nth in range(len(pair.losses)):
        kept = [loss for at, loss in enumerate(pair.losses) if at != nth]
        assert lost(replace(pair, losses=kept)), pair.losses[nth]


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_each_leaf_that_is_changed_is_found(pair: Pair) -> None:
    known = set(judge_request(pair.target, pair.made))
    missed = []
    for steps in leaves(pair.made):
        if (pair.target, ".".join(map(str, steps))) in ADDED:
            continue
        made = deepcopy(pair.made)
        at = made
        for step in steps[:-1]:
            at = at[step]
        at[steps[-1]] = "something else" if isinstance(at[steps[-1]], str) else 12345
        if not lost(replace(pair, made=made)) and not set(judge_request(pair.target, made)) - known:
            missed.append(steps)
    assert missed == []


def test_the_same_text_elsewhere_is_no_excuse() -> None:
    made = deepcopy(CHAT_TO_ANTHROPIC.made)
    result, said = made["messages"][2]["content"]
    result["content"], said["text"] = "", "And now? seen it"
    assert lost(replace(CHAT_TO_ANTHROPIC, made=made)) == ["$.messages[3].content: text 'seen it'"]


def test_a_text_that_is_said_twice_has_to_stand_twice() -> None:
    body, made = deepcopy(RESPONSES_TO_CHAT.body), RESPONSES_TO_CHAT.made
    body["input"].append({"role": "user", "content": "Add 2 and 3."})
    pair = replace(RESPONSES_TO_CHAT, body=body)
    assert lost(pair) == ["$.input[5].content: text 'Add 2 and 3.'"]
    more = [*made["messages"], {"role": "user", "content": "Add 2 and 3."}]
    assert lost(replace(pair, made={**made, "messages": more})) == []


def test_texts_may_be_joined_or_wrapped() -> None:
    made = deepcopy(CHAT_TO_ANTHROPIC.made)
    made["messages"][2]["content"][1]["text"] = "<note>And now?</note>"
    assert lost(replace(CHAT_TO_ANTHROPIC, made=made)) == []


def test_a_loss_without_a_place_covers_nothing() -> None:
    losses = [("dropped", "$"), *CHAT_TO_ANTHROPIC.losses[:-1]]
    assert lost(replace(CHAT_TO_ANTHROPIC, losses=losses))


def test_what_was_added_covers_nothing_but_another_seat() -> None:
    made = deepcopy(GEMINI_TO_RESPONSES.made)
    del made["instructions"]
    added = [("added", "$.system_instruction.parts[0]"), *GEMINI_TO_RESPONSES.losses]
    assert lost(replace(GEMINI_TO_RESPONSES, made=made, losses=added))
    made["input"][0]["content"] = "<system-reminder>Be brief.</system-reminder>\nLook at it."
    assert lost(replace(GEMINI_TO_RESPONSES, made=made))
    assert lost(replace(GEMINI_TO_RESPONSES, made=made, losses=added)) == []


def test_numbers_keep_their_value() -> None:
    made = {**CHAT_TO_ANTHROPIC.made, "temperature": 0.4}
    assert lost(replace(CHAT_TO_ANTHROPIC, made=made)) == ["$.temperature: option 0.5"]


def test_of_a_schema_in_another_dialect_each_leaf_counts() -> None:
    body = deepcopy(RESPONSES_TO_CHAT.body)
    schema = {**AT, "properties": {"at": {"$ref": "#/$defs/Place"}}, "minProperties": 1,
              "$defs": {"Place": {"type": "string", "description": "where"}}}  # fmt: skip
    body["tools"][0]["parameters"] = schema
    pair = replace(RESPONSES_TO_CHAT, body=body)
    assert lost(pair) == ["$.tools[0].parameters.minProperties: schema minProperties 1"]
    told = ("moved", "$.tools[0].parameters.minProperties")
    assert lost(replace(pair, losses=[*pair.losses, told])) == []
    made = deepcopy(pair.made)
    del made["tools"][0]["function"]["parameters"]["properties"]["at"]["description"]
    assert lost(replace(pair, made=made, losses=[*pair.losses, told])) == [
        '$.tools[0].parameters.$defs.Place.description: schema description "where"'
    ]


def test_texts_are_used_up_character_by_character() -> None:
    texts = Texts()
    texts.add("a, b and a")
    assert texts.take("")
    assert texts.take("a")
    assert texts.take(" and a")
    assert not texts.take("a")
    assert texts.take(", b")
    assert not texts.take(", b")


EMPTIES: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"safetySettings": None, "toolConfig": None, "generationConfig": {}}, []),
        ({"tools": [{"codeExecution": None, "functionDeclarations": []}]}, []),
        ({"tools": [{"urlContext": {}}]}, ["$.tools[0].urlContext: server 'web_fetch'"]),
        ({"tools": [{"codeExecution": {}}]}, ["$.tools[0].codeExecution: server 'code_execution'"]),
    ],
)  # fmt: skip
def test_what_is_unset_in_gemini_says_nothing(more: dict[str, Any], left: list[str]) -> None:
    made = {"messages": [{"role": "user", "content": "hi"}]}
    assert silent("gemini", {**EMPTIES, **more}, "openai-chat", made) == left


def test_a_long_text_is_looked_for_first() -> None:
    said = ["Error:", "sky", "Error: sky"]
    body = {"messages": [{"role": "user", "content": text} for text in said]}
    made = {"messages": [{"role": "user", "content": text} for text in ("Error:\nsky", said[2])]}
    assert silent("openai-chat", body, "mistral", made) == []


def test_what_was_moved_out_of_a_schema_goes_with_all_that_it_holds() -> None:
    schema = {"type": "array", "prefixItems": [{"type": "string"}]}
    told = {"type": "array", "description": "prefixItems"}
    body, made = (
        {"messages": [], "tools": [{"function": {"name": "f", "parameters": one}}]}
        for one in (schema, told)
    )
    at = "$.tools[0].function.parameters"
    kinds = [f"{at}.prefixItems[0].type: schema type string"]
    assert silent("openai-chat", body, "mistral", made) == kinds
    assert silent("openai-chat", body, "mistral", made, [("moved", f"{at}.prefixItems")]) == []
    assert silent("openai-chat", body, "mistral", made, [("moved", "$.tools[0]")]) == kinds


def test_a_tool_all_of_whose_settings_are_named_is_named() -> None:
    body = {"messages": [], "web_search_options": {"search_context_size": "low"}}
    size = ("dropped", "$.web_search_options.search_context_size")
    assert silent("openai-chat", body, "mistral", {"messages": []}, [size]) == []
    body["web_search_options"] = {"search_context_size": "low", "more": 1}
    assert silent("openai-chat", body, "mistral", {"messages": []}, [size])


def test_the_name_of_a_result_is_that_of_its_call() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    turns: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": [call]},
             {"role": "tool", "tool_call_id": "a", "content": "1"}]  # fmt: skip
    for name, left in (("f", []), ("g", ["$.messages[1].name: result_name 'g'"])):
        body = {"messages": [turns[0], {**turns[1], "name": name}]}
        assert silent("openai-chat", body, "mistral", {"messages": turns}) == left
