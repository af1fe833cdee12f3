"""What `dragoman format` reads, line by line or whole, and how it names what it cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dragoman import ChatRequest, Formatter, Msg
from dragoman.message import Candidate, ChatResponse, dump

from .running import CHAT, run, written

HI = {"name": "Bob", "role": "user", "content": "Hi"}
TO = ("--to", "openai-chat")


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.mark.parametrize("name", ["chat.jsonl", "chat.ndjson", "chat.txt", "-"])
def test_a_message_on_each_line_is_one_conversation(tmp_path: Path, name: str) -> None:
    text = "\n" + lines(*(msg.to_dict() for msg in CHAT)) + "\n"
    file = name if name == "-" else written(tmp_path / name, text)
    ran = run("format", file, *TO, input=text if name == "-" else None)
    assert ran.exit_code == 0, ran.stderr
    assert json.loads(ran.stdout) == Formatter("openai-chat").format_sync(CHAT)


def test_stored_messages_on_lines_are_one_conversation() -> None:
    text = lines(*(dump(msg) for msg in CHAT))
    found = json.loads(run("format", *TO, input=text).stdout)
    assert found == Formatter("openai-chat").format_sync(CHAT)


@pytest.mark.parametrize("request_", [False, True])
def test_a_conversation_on_each_line_gives_a_line_of_output(tmp_path: Path, request_: bool) -> None:
    other = ChatRequest([Msg("", "Bye", "user")], model="m")
    text = lines([HI], dump(CHAT), dump(other))
    ran = run("format", written(tmp_path / "many.jsonl", text), *TO,
              *(["--request"] if request_ else []))  # fmt: skip
    assert ran.exit_code == 0, ran.stderr
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    formatter = Formatter("openai-chat")
    expected = [formatter.format_sync(said) for said in ([Msg("Bob", "Hi")], CHAT, other)]
    assert [one["body"]["messages"] if request_ else one for one in found] == expected


def test_losses_of_lines_name_the_line(tmp_path: Path) -> None:
    file = written(tmp_path / "many.jsonl", lines([HI], [{**HI, "name": ""}], [HI]))
    ran = run("format", file, "--to", "gemini")
    assert f"{file}:1 for gemini - losses: 1 dropped" in ran.stderr
    assert f"{file}:2" not in ran.stderr
    assert f"{file}:3 for gemini" in ran.stderr


def test_json_lines_hold_their_losses(tmp_path: Path) -> None:
    file = written(tmp_path / "many.jsonl", lines([HI], [{**HI, "name": ""}]))
    ran = run("format", file, "--to", "gemini", "--json")
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [[loss["code"] for loss in one["losses"]] for one in found] == [["name.unsupported"], []]


def test_a_refused_line_ends_the_output_there(tmp_path: Path) -> None:
    file = written(tmp_path / "many.jsonl", lines([{**HI, "name": ""}], [HI], [HI]))
    ran = run("format", file, "--to", "gemini", "--refuse", "name.*")
    assert ran.exit_code == 1
    assert len(ran.stdout.splitlines()) == 1
    assert f"error: {file}:2: the policy refuses dropped name.unsupported" in ran.stderr


def test_a_line_separator_inside_a_text_is_no_end_of_line(tmp_path: Path) -> None:
    text = json.dumps([{**HI, "content": "a\u2028b"}], ensure_ascii=False) + "\n"
    ran = run("format", written(tmp_path / "many.jsonl", text + text), *TO)
    assert [json.loads(line)[0]["content"] for line in ran.stdout.split("\n")[:-1]] == [
        "a\u2028b", "a\u2028b",
    ]  # fmt: skip


def test_a_stored_message_is_a_conversation_of_one() -> None:
    ran = run("format", *TO, input=json.dumps(dump(CHAT[-1])))
    assert json.loads(ran.stdout) == [{"role": "user", "content": "Thanks!", "name": "Bob"}]


ANSWER = dump(ChatResponse([Candidate(Msg("", "Hi", "assistant"))]))
SHORT = {"role": "user", "content": "Hi"}
BODY = {"model": "gpt-5.6", "messages": [SHORT]}
FIELDS = '(a message has "name" (which may be empty), "role" and "content")'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", f"error: stdin: there is nothing in it {FIELDS}"),
        (" \n\n", f"error: stdin: there is nothing in it {FIELDS}"),
        ("[1, 2", "error: stdin: no JSON: "),
        ("[NaN]", "error: stdin: no JSON: NaN is no JSON value"),
        ("7", f"error: stdin: $: a message must be an object, not int {FIELDS}"),
        (lines([SHORT]), f"error: stdin: $[0]: name is missing {FIELDS}"),
        (lines([HI, 7]), f"error: stdin: $[1]: a message must be an object, not int {FIELDS}"),
        (lines([HI, {**HI, "role": "boss"}]), "error: stdin: $[1].role: unknown role 'boss' (one"),
        (lines([{**HI, "content": [{"type": "x"}]}]),
         "error: stdin: $[0].content[0]: unknown block type 'x' (one of text, "),
        (lines(BODY), "error: stdin: $: an object with messages is no list of them (messages are"),
        (lines(ANSWER), "error: stdin: $.kind: an answer is no conversation (store the"),
        (lines({**dump([]), "dragoman": 99}), "error: stdin: $.dragoman: version 99 is not known"),
        (lines([dump([])]), "error: stdin: $[0]: a stored value that is no message"),
        (lines(HI, [HI]), "error: stdin:2: messages and conversations are mixed (each line is a"),
        (lines([HI], HI), "error: stdin:2: messages and conversations are mixed"),
        (lines(HI, SHORT), f"error: stdin:2: $: name is missing {FIELDS}"),
        (lines(HI) + "{oops}\n", "error: stdin:2: no JSON: "),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_in_one_line(text: str, told: str) -> None:
    ran = run("format", *TO, input=text)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == 1


def test_half_of_a_surrogate_pair_is_healed_and_named() -> None:
    ran = run("format", *TO, input=lines([{**HI, "content": "a\ud800"}]))
    assert ran.exit_code == 0
    assert json.loads(ran.stdout) == [{**HI, "content": "a\ufffd"}]
    assert "repaired text.surrogate" in ran.stderr
    assert "$.messages[0].content" in ran.stderr


def test_bytes_that_are_no_utf8() -> None:
    ran = run("format", *TO, input=b'["\xff"]')
    assert ran.exit_code == 2
    assert ran.stderr == "error: stdin: byte 2 is no UTF-8 (the input is JSON in UTF-8)\n"


@pytest.mark.parametrize(
    "broken",
    [
        {"tools": 1},
        {"tools": [1]},
        {"tool_choice": 5},
        {"response_format": "json"},
        {"options": {"stop": 7}},
        {"options": []},
        {"messages": {"a": 1}},
        {"messages": [{**HI, "role": []}]},
        {"nonsense": True},
    ],
    ids=str,
)
def test_a_broken_stored_request_is_bad_input_and_no_mistake_of_ours(broken: Any) -> None:
    stored = dump(ChatRequest([Msg("", "Hi", "user")]))
    stored["value"].update(broken)
    ran = run("format", *TO, input=json.dumps(stored))
    assert ran.exit_code == 2
    assert ran.stderr.startswith("error: stdin: $.")
    assert ran.stderr.count("\n") == 1
