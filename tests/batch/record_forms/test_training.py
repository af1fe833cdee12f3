"""Training data: every form is read and written from every other; nothing is lost unsaid."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from dragoman import ReadError, WriteError
from dragoman.batch import converter
from dragoman.batch.record_forms import FORMS
from tests.each_case import each_case

from .loaders import JUDGES

TOOL = {"name": "light", "description": "the lights", "parameters": {
    "type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"],
}}  # fmt: skip
CALLS = [{"name": "light", "arguments": {"room": "a"}}, {"name": "light", "arguments": {}}]


def _call(number: int, text: bool) -> Any:
    given: Any = CALLS[number]["arguments"]
    arguments = json.dumps(given) if text else given
    return {"id": f"c{number}", "type": "function",
            "function": {"name": "light", "arguments": arguments}}  # fmt: skip


def _messages(text: bool) -> list[Any]:
    return [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi!"},
        {"role": "user", "content": "Lights on"},
        {"role": "assistant", "content": None, "tool_calls": [_call(0, text), _call(1, text)]},
        {"role": "tool", "tool_call_id": "c0", "content": "on"},
        {"role": "tool", "tool_call_id": "c1", "content": "which?"},
        {"role": "assistant", "content": "Done."},
    ]


ASKED = {"role": "user", "content": "Hi"}
GOOD, BAD = {"role": "assistant", "content": "Good."}, {"role": "assistant", "content": "Bad."}
TURNS = [
    {"from": "human", "value": "Hello"}, {"from": "gpt", "value": "Hi!"},
    {"from": "human", "value": "Lights on"}, {"from": "function_call", "value": json.dumps(CALLS)},
    {"from": "observation", "value": '["on", "which?"]'}, {"from": "gpt", "value": "Done."},
]  # fmt: skip
# of each form: with tools, where it has any
TALKS: dict[str, Any] = {
    "openai-tuning": {
        "messages": _messages(text=True), "tools": [{"type": "function", "function": TOOL}],
        "parallel_tool_calls": True,
    },
    "gemini-tuning": {
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hello"}]},
            {"role": "model", "parts": [{"text": "Hi!"}]},
            {"role": "user", "parts": [{"text": "Lights on"}]},
            {"role": "model", "parts": [
                {"functionCall": {"name": "light", "args": call["arguments"]}} for call in CALLS
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "light", "response": {"output": text}}}
                for text in ("on", "which?")
            ]},
            {"role": "model", "parts": [{"text": "Done."}]},
        ],
        "tools": [{"functionDeclarations": [
            {**{k: TOOL[k] for k in ("name", "description")},
             "parametersJsonSchema": TOOL["parameters"]},
        ]}],
    },
    "bedrock-tuning": {
        "schemaVersion": "bedrock-conversation-2024", "system": [{"text": "Be kind."}],
        "messages": [
            {"role": "user", "content": [{"text": "Hello"}]},
            {"role": "assistant", "content": [{"text": "Hi!"}]},
            {"role": "user", "content": [{"text": "Lights on"}]},
            {"role": "assistant", "content": [
                {"toolUse": {"toolUseId": f"c{i}", "name": "light", "input": call["arguments"]}}
                for i, call in enumerate(CALLS)
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": f"c{i}", "content": [{"text": text}]}}
                for i, text in enumerate(("on", "which?"))
            ]},
            {"role": "assistant", "content": [{"text": "Done."}]},
        ],
        "toolConfig": {"tools": [{"toolSpec": {
            **{k: TOOL[k] for k in ("name", "description")},
            "inputSchema": {"json": TOOL["parameters"]},
        }}]},
    },
    "sharegpt": {
        "conversations": TURNS, "system": "Be kind.", "tools": json.dumps([TOOL]), "row": 1,
    },
    "alpaca": {
        "instruction": "Lights on", "input": "", "output": "Done.", "system": "Be kind.",
        "history": [["Hello", "Hi!"]], "row": 1,
    },
    "hf-messages": {
        "messages": _messages(text=False), "tools": [{"type": "function", "function": TOOL}],
        "row": 1,
    },
    "hf-prompt-completion": {
        "prompt": _messages(text=False)[:-1], "completion": _messages(text=False)[-1:],
        "tools": [{"type": "function", "function": TOOL}], "label": True,
    },
}  # fmt: skip
PAIRS: dict[str, Any] = {
    "openai-tuning": {
        "input": {"messages": [ASKED]}, "preferred_output": [GOOD], "non_preferred_output": [BAD],
    },
    "gemini-tuning": {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "completions": [
            {"score": score, "completion": {"role": "model", "parts": [{"text": text}]}}
            for score, text in ((1, "Good."), (0, "Bad."))
        ],
    },
    "bedrock-tuning": {
        "schemaVersion": "bedrock-conversation-2024",
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}, {
            "role": "assistant", "candidates": [
                {"content": [{"text": "Good."}], "preferenceLabel": "preferred"},
                {"content": [{"text": "Bad."}], "preferenceLabel": "non-preferred"},
            ],
        }],
    },
    "sharegpt": {
        "conversations": [{"from": "human", "value": "Hi"}],
        "chosen": {"from": "gpt", "value": "Good."}, "rejected": {"from": "gpt", "value": "Bad."},
    },
    "alpaca": {"instruction": "Hi", "input": "", "chosen": "Good.", "rejected": "Bad."},
    "hf-preference": {"prompt": [ASKED], "chosen": [GOOD], "rejected": [BAD]},
}  # fmt: skip
EXCHANGE: dict[str, Any] = {
    "request": {
        "model": "claude-opus-5-5", "max_tokens": 99, "system": "Be kind.",
        "messages": [{"role": "user", "content": "Hi"}],
    },
    "response": {
        "id": "m1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                    {"type": "text", "text": "Good."}],
        "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 2},
    },
    "ts": 7,
}  # fmt: skip


def _to(target: str, record: Any, **rest: Any) -> tuple[Any, set[str]]:
    """The record for the target, and the codes of what is lost."""
    before = copy.deepcopy(record)
    body, losses = converter(target=target, policy="ignore", **rest).convert(record)
    assert record == before
    return body, {loss.code for loss in losses if loss.kind != "expected"}


def _texts(record: Any) -> str:
    return json.dumps(_to("hf-messages", record)[0])


@pytest.mark.parametrize("name", JUDGES)
def test_the_records_of_these_tests_are_what_the_loaders_take(name: str) -> None:
    for records in (TALKS, PAIRS):
        if name in records:
            JUDGES[name](records[name])


@each_case("records", [TALKS, PAIRS])
@each_case("target", JUDGES)
@each_case("source", JUDGES)
def test_every_form_is_written_from_every_other(records: Any, source: str, target: str) -> None:
    if source not in records:
        return
    record = records[source]
    pair = records is PAIRS
    if target == "hf-preference" and not pair:
        with pytest.raises(WriteError, match="one"):
            _to(target, record)
        return
    body, codes = _to(target, record)
    JUDGES[target](body)
    assert ("answer.candidates" in codes) == (
        pair and target in ("hf-messages", "hf-prompt-completion")
    )
    words = ["Hi", "Good."] if pair else ["Be kind.", "Hello", "Hi!", "Lights on", "Done."]
    said = json.dumps(body)
    assert all(word in said for word in words)
    has_calls = not pair and "alpaca" not in (source, target)
    if has_calls:
        assert "call.as_text" not in codes
        assert "which?" in said
        assert '"room' in said.replace("\\", "")
    assert ("tools.unsupported" in codes) == (
        not pair and target == "alpaca" and source != "alpaca"
    )


@pytest.mark.parametrize("records", [TALKS, PAIRS], ids=["talks", "pairs"])
@pytest.mark.parametrize("name", JUDGES)
def test_a_record_written_in_its_own_form_is_the_same(records: Any, name: str) -> None:
    if name not in records:
        return
    body, codes = _to(name, records[name], form=name)
    wanted = json.loads(json.dumps(records[name]))
    if name.startswith("hf-"):  # what templates take beside what was there
        for m in [m for key in ("messages", "prompt") for m in wanted.get(key, ())]:
            if m["role"] == "tool":
                m["name"] = "light"
            if m.get("content", "") is None:
                del m["content"]
    if "tools" in wanted and isinstance(wanted["tools"], str):
        wanted["tools"], body["tools"] = json.loads(wanted["tools"]), json.loads(body["tools"])
        for turn in [*wanted["conversations"], *body["conversations"]]:
            if turn["value"][0] == "[":
                turn["value"] = json.loads(turn["value"])
    assert body == wanted
    assert codes == set()


@pytest.mark.parametrize("name", [name for name in JUDGES if name != "openai-tuning"])
def test_a_form_is_known_by_its_keys(name: str) -> None:
    for records in (TALKS, PAIRS):
        if name in records:
            named = _to("hf-messages", records[name], form=name)
            assert _to("hf-messages", records[name]) == named


@each_case("target", ["anthropic", "openai-chat", "gemini", "openai-responses"])
@each_case("source", JUDGES)
def test_every_form_becomes_the_body_of_a_wire_without_an_invented_turn(
    source: str, target: str
) -> None:
    record = TALKS.get(source, PAIRS.get(source))
    # a record of Gemini's is also the body of a request, which has no answer at its end
    body, codes = _to(target, record, form=source)
    assert not codes & {"turn.last", "turn.first", "result.orphan", "result.missing"}
    assert "Continue" not in json.dumps(body)
    turns = body.get("messages") or body.get("contents") or body["input"]
    assert turns[-1]["role"] in ("assistant", "model")
    body, codes = _to(target, PAIRS["openai-tuning"])
    assert "answer.candidates" in codes
    assert "Bad." not in json.dumps(body)


@pytest.mark.parametrize("target", [name for name in JUDGES if name != "hf-preference"])
def test_logs_become_training_data(target: str) -> None:
    body, codes = _to(target, EXCHANGE)
    JUDGES[target](body)
    assert "Good." in json.dumps(body)
    assert "option.unsupported" in codes
    holds_thinking = target not in ("openai-tuning", "gemini-tuning")
    assert ("Hm." in json.dumps(body)) == holds_thinking
    assert ("thinking.unsupported" in codes) != holds_thinking
    keeps = target.startswith("hf-") or target in ("sharegpt", "alpaca")
    assert ("ts" in body) == keeps
    assert ("extras.unsupported" in codes) != keeps


@pytest.mark.parametrize("target", [name for name in JUDGES if name != "hf-preference"])
def test_requests_that_end_in_an_answer_become_training_data(target: str) -> None:
    body = {"model": "m", "messages": [ASKED, GOOD]}
    JUDGES[target](_to(target, body)[0])
    claude = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [ASKED, GOOD]}
    assert _to(target, claude)[0] == _to(target, body)[0]


_CUT = {**EXCHANGE["response"], "content": [{"type": "tool_use", "id": "t", "name": "f"}]}
_FAILED = {"type": "error", "error": {"type": "overloaded_error", "message": "Later."}}


@each_case("target", JUDGES)
@each_case(
    "record",
    [
        {"model": "m", "messages": [ASKED]},
        {"messages": [ASKED], "row": 1},
        {"prompt": [ASKED], "completion": []},
        {"conversations": [{"from": "human", "value": "Hi"}]},
        {"instruction": "Hi", "output": ""},
        {**EXCHANGE, "response": None},
        {**EXCHANGE, "response": _FAILED},
        {**EXCHANGE, "response": {**EXCHANGE["response"], "content": []}},
    ],
)
def test_without_an_answer_there_is_nothing_to_learn(target: str, record: Any) -> None:
    with pytest.raises(WriteError) as raised:
        _to(target, record)
    if target != "hf-preference":
        assert raised.value.code == "record.answer"
        assert "exchanges" in raised.value.hint


def test_losses_have_their_paths_in_the_record() -> None:
    def places(target: str, record: Any) -> dict[str, str]:
        losses = converter(target=target, policy="ignore").convert(record)[1]
        return {loss.code: loss.where for loss in losses}

    talk = {**TALKS["sharegpt"]}
    found = places("alpaca", talk)
    assert found["call.as_text"].startswith("$.conversations[3]")
    assert found["result.as_text"].startswith("$.conversations[4]")
    assert places("openai-tuning", talk)["extras.unsupported"] == "$.row"
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    asked = {"role": "user", "content": [{"type": "text", "text": "Which?"}, picture]}
    pair = {
        "input": {"messages": [asked]}, "preferred_output": [GOOD],
        "non_preferred_output": [{**BAD, "reasoning_content": "Hm."}],
    }  # fmt: skip
    found = places("openai-tuning", pair)
    assert found["block.unsupported"].startswith("$.input.messages[0].content[1]")
    assert found["thinking.unsupported"].startswith("$.non_preferred_output[0]")
    assert places("openai-tuning", EXCHANGE)["thinking.unsupported"].startswith("$.response")
    assert places("gemini-tuning", EXCHANGE)["option.unsupported"] == "$.request.max_tokens"


def test_trl_has_neither_ids_nor_texts_of_arguments() -> None:
    messages = [
        ASKED,
        {"role": "assistant", "thinking": "Hm.", "tool_calls": [
            {"type": "function", "function": {"name": "f", "arguments": {"row": 1}}},
            {"type": "function", "function": {"name": "g", "arguments": {"n": 2}}},
        ]},
        {"role": "tool", "name": "g", "content": "of g"},
        {"role": "tool", "name": "f", "content": "of f"},
        GOOD,
    ]  # fmt: skip
    body, codes = _to("anthropic", {"messages": messages, "tools": [], "source": "trl"})
    assert "result.orphan" not in codes
    calls = {block["id"]: block for block in body["messages"][1]["content"]}
    results = body["messages"][2]["content"]
    told = {calls[r["tool_use_id"]]["name"]: r["content"][0]["text"] for r in results}
    assert told == {"f": "of f", "g": "of g"}


@pytest.mark.parametrize("name", ["hf-prompt-completion", "hf-preference"])
def test_plain_texts_and_prompts_that_both_answers_repeat(name: str) -> None:
    if name == "hf-preference":
        record: Any = {"chosen": [ASKED, GOOD], "rejected": [ASKED, BAD], "row": 1}
        assert _to(name, record)[0] == {**PAIRS[name], "row": 1}
        record = {"prompt": "Hi", "chosen": "Good.", "rejected": "Bad."}
        assert _to(name, record)[0] == PAIRS[name]
        with pytest.raises(ReadError, match="in common"):
            _to(name, {"chosen": "Hi Good.", "rejected": "Hi Bad."})
    else:
        record = {"prompt": "Hi", "completion": "Good.", "label": False}
        wanted = {"prompt": [ASKED], "completion": [GOOD], "label": False}
        assert _to(name, record)[0] == wanted


def test_an_answer_to_nothing_has_no_prompt() -> None:
    with pytest.raises(WriteError, match="before the answer"):
        _to("hf-prompt-completion", {"messages": [GOOD]})
    assert _to("hf-messages", {"messages": [GOOD]})[0] == {"messages": [GOOD]}


PIXEL = "data:image/png;base64,iVBORw0KGgo="


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [ASKED, GOOD], "images": [PIXEL]},
        {"messages": [{"role": "user", "content": [
            {"type": "image"}, {"type": "text", "text": "Hi"}]}, GOOD], "images": [PIXEL]},
        {"messages": [{"role": "user", "content": [
            {"type": "image", "image": PIXEL}, {"type": "text", "text": "Hi"}]}, GOOD]},
        {"conversations": [{"from": "human", "value": "<image>Hi"},
                           {"from": "gpt", "value": "Good."}], "images": [PIXEL]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("target", ["hf-messages", "sharegpt", "openai-tuning"])
def test_images_are_where_they_are_shown(record: Any, target: str) -> None:
    body, codes = _to(target, record)
    JUDGES[target](body)
    assert codes == set()
    claude = _to("anthropic", body)[0]["messages"][0]["content"]
    assert [block["type"] for block in claude] == ["image", "text"]
    for lost in ("gemini-tuning", "bedrock-tuning", "alpaca"):
        body, codes = _to(lost, record)
        JUDGES[lost](body)
        assert codes & {"media.source", "block.unsupported"}


@pytest.mark.parametrize(
    ("form", "record"),
    [
        ("sharegpt", {"conversations": [{"from": "nobody", "value": "x"}]}),
        ("sharegpt", {"conversations": [{"from": "function_call", "value": "no JSON"}]}),
        ("sharegpt", {"conversations": TURNS, "tools": "no JSON"}),
        ("alpaca", {"instruction": "x", "output": "y", "history": ["z"]}),
        ("alpaca", {"instruction": 3, "output": "y"}),
        ("hf-messages", {"messages": ["x"]}),
        ("hf-messages", {"messages": [ASKED, GOOD], "images": [3]}),
        ("hf-messages", {"messages": [{"role": "user", "content": [{"type": "image"}]}, GOOD]}),
        ("gemini-tuning", {"contents": [], "completions": [{"score": 1}]}),
        ("bedrock-tuning", {"schemaVersion": "bedrock-conversation-2024"}),
        ("openai-tuning", {"input": 3, "preferred_output": [], "non_preferred_output": []}),
    ],
)
def test_what_is_none_of_a_form_is_an_error_with_its_place(form: str, record: Any) -> None:
    with pytest.raises(ReadError) as raised:
        converter(form=form, target="openai-tuning", policy="ignore")(record)
    assert raised.value.path.startswith("$.")
    assert raised.value.code.startswith("record.")


@pytest.mark.parametrize("target", ["sharegpt", "gemini-tuning", "bedrock-tuning", "alpaca"])
def test_a_pair_of_several_turns_is_refused_where_an_answer_is_one(target: str) -> None:
    turns = [
        {"role": "assistant", "tool_calls": [_call(0, text=True)]},
        {"role": "tool", "tool_call_id": "c0", "content": "on"},
        GOOD,
    ]
    pair = {"prompt": [ASKED], "chosen": turns, "rejected": [BAD]}
    with pytest.raises(WriteError, match="one turn"):
        _to(target, pair)
    body, _ = _to("hf-preference", pair)
    JUDGES["hf-preference"](body)
    assert len(body["chosen"]) == 3


def test_every_form_has_a_judge_here() -> None:
    others = {"exchange", "messages", "atif", "session-log"}  # have tests of their own
    assert {name for name, form in FORMS.items() if form.line is None} == {*JUDGES, *others}
