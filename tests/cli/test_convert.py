"""`dragoman convert`: bodies to another wire's bodies, lines that fail, answers and streams."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman import wires
from dragoman.cli.convert import frame_events
from dragoman.message import ChatResponse, load

from .bodies import ANSWER, CLAUDE, EVENTS, NAMED, PLAIN, lines, sse
from .running import run, shell, widest, written

STEERING = "C1 \x9b31m and \x9d0;x\x07, \u202eturned\u2066, \x1b[31m, \x7f, \u2028"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def file(name: str, value: Any) -> str:
    return written(Path(name), value)


def out(*args: str, **rest: Any) -> Any:
    """The JSON on stdout of a command that goes well."""
    ran = run("convert", *args, **rest)
    assert ran.exit_code == 0, ran.stderr
    return json.loads(ran.stdout)


# -- requests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("to", wires())
@pytest.mark.parametrize("source", ["auto", "openai-chat"])
def test_a_request_goes_to_every_wire(to: str, source: str) -> None:
    request = file("request.json", NAMED)
    same = dragoman.convert(NAMED, "openai-chat", to, policy="ignore")
    assert out(request, "--to", to, "--from", source) == same.body


def test_a_request_is_seen_from_its_shape() -> None:
    text = json.dumps(CLAUDE)
    made = out("--to", "openai-chat", input=text)
    assert made["messages"][0] == {"role": "system", "content": "S"}
    assert out("-t", "anthropic", input=text) == CLAUDE


def test_a_model_is_asked_instead() -> None:
    made = out("--to", "gemini", "--model", "gemini-3.5-flash", "--request",
               input=json.dumps(PLAIN))  # fmt: skip
    assert made["path"] == "/models/gemini-3.5-flash:generateContent"
    assert made["body"]["contents"][0]["parts"] == [{"text": "Hi, 你好"}]
    assert "headers" in made


def test_losses_are_told_on_stderr_with_code_and_path() -> None:
    ran = run("convert", file("r.json", NAMED), "--to", "anthropic")
    losses = dragoman.convert(NAMED, "openai-chat", "anthropic", policy="ignore").losses
    assert ran.exit_code == 0
    assert ran.stderr.startswith("r.json for anthropic - losses: ")
    for loss in losses:
        assert f"{loss.kind} " in ran.stderr
        assert f"{loss.code}: " in ran.stderr
        assert f" {loss.where} " in ran.stderr.replace("\n", " ")
    assert widest(ran.stderr) <= 80
    assert run("convert", "r.json", "--to", "anthropic", "--policy", "ignore").stderr == ""


def test_json_holds_the_losses_and_stderr_is_silent() -> None:
    ran = run("convert", file("r.json", NAMED), "--to", "anthropic", "--json")
    found = json.loads(ran.stdout)
    assert found.keys() == {"path", "headers", "body", "losses"}
    assert {"name.unsupported", "block.unsupported"} <= {loss["code"] for loss in found["losses"]}
    assert ran.stderr == ""


def test_a_refusal_names_what_would_allow_it() -> None:
    request = file("r.json", {**PLAIN, "messages": NAMED["messages"][:1]})
    ran = run("convert", request, "--to", "gemini", "--policy", "refuse")
    assert (ran.exit_code, ran.stdout) == (1, "")
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("error: r.json: the policy refuses dropped name.unsupported at ")
    assert last.endswith("(--allow name.unsupported lets it pass)")
    assert run("convert", request, "--to", "gemini", "--policy", "refuse",
               "--allow", "name.*").exit_code == 0  # fmt: skip


def test_a_refusal_as_json() -> None:
    ran = run("convert", file("r.json", NAMED), "--to", "gemini", "--json", "--refuse", "dropped")
    assert ran.exit_code == 1
    found = json.loads(ran.stdout)
    assert {loss["code"] for loss in found["losses"]} == {
        "name.unsupported",
        "extras.other_provider",
    }
    assert ran.stderr == f"error: {found['error']}\n"


def test_facts_of_a_profile() -> None:
    body = {**PLAIN, "model": "qwen3.7-plus", "messages": NAMED["messages"][:1]}
    text = json.dumps(body)
    now = run("convert", "--to", "dashscope", "--json", input=text).stdout
    then = run("convert", "--to", "dashscope", "--json", "--facts", "documents-2025",
               input=text).stdout  # fmt: skip
    assert now != then


# -- many -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["many.jsonl", "many.txt", "many.json"])
def test_a_line_for_each_line(name: str) -> None:
    value = [PLAIN, CLAUDE] if name == "many.json" else lines(PLAIN, CLAUDE)
    ran = run("convert", file(name, value), "--to", "gemini", "--policy", "ignore")
    assert ran.exit_code == 0
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert found[0] == dragoman.convert(PLAIN, "openai-chat", "gemini", policy="ignore").body
    assert found[1] == dragoman.convert(CLAUDE, "anthropic", "gemini", policy="ignore").body


def test_a_line_that_fails_is_told_with_its_number_and_the_others_go_on() -> None:
    text = lines(PLAIN, "{broken", {"foo": 1}, {"request": CLAUDE}, [1], CLAUDE)
    ran = run("convert", file("many.jsonl", text), "--to", "mistral", "--policy", "ignore")
    assert ran.exit_code == 1
    assert len(ran.stdout.splitlines()) == 3
    told = ran.stderr.splitlines()
    assert told[0].startswith("error: many.jsonl:2: no JSON: ")
    assert told[1] == ("error: many.jsonl:3: $: no protocol has bodies with these keys "
                       "(--from WIRE says whose body it is)")  # fmt: skip
    assert told[2].startswith("error: many.jsonl:5: there is no request in it")


def test_a_line_that_is_refused_is_told_and_the_others_go_on() -> None:
    text = lines(NAMED, PLAIN)
    args = ("--to", "gemini", "--policy", "refuse")
    ran = run("convert", file("many.jsonl", text), *args)
    assert ran.exit_code == 1
    assert ran.stderr.startswith("error: many.jsonl:1: the policy refuses ")
    assert len(ran.stdout.splitlines()) == 1
    both = [
        json.loads(line)
        for line in run("convert", "many.jsonl", *args, "--json").stdout.splitlines()
    ]
    assert ["error" in one for one in both] == [True, False]


def test_many_lines_are_summed_up_and_told_one_by_one_on_request() -> None:
    name = file("many.jsonl", lines(NAMED, PLAIN, NAMED))
    sums = run("convert", name, "--to", "gemini").stderr
    assert "many.jsonl for gemini - losses in 3 of 3\n" in sums
    assert re.search(r"2 dropped +name.unsupported: ", sums)
    assert re.search(r"3 expected +model.other_provider: ", sums)
    each = run("convert", name, "--to", "gemini", "--losses").stderr
    assert "many.jsonl:1 for gemini - losses: " in each
    assert "many.jsonl:3 for gemini - losses: " in each
    assert each.count("$.messages[0].name") == 2


def test_the_path_of_a_record_is_used() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    row = {"request": body, "url": "/v1beta/models/gemini-2.5-pro:generateContent"}
    assert (
        out("--to", "openai-chat", input=json.dumps(row))["model"]
        == dragoman.wire("openai-chat").room.model
    )
    assert out("--to", "vertex", input=json.dumps(row))["contents"] == body["contents"]


def test_output_goes_into_a_file() -> None:
    ran = run("convert", file("many.jsonl", lines(PLAIN, "{", CLAUDE)), "--to", "anthropic",
              "-o", "out.jsonl", "--policy", "ignore")  # fmt: skip
    assert (ran.exit_code, ran.stdout) == (1, "")
    text = Path("out.jsonl").read_text("utf-8")
    assert [json.loads(line)["system"] for line in text.splitlines()] == ["S", "S"]
    assert "你好" in text


def test_what_fails_alone_leaves_the_file_as_it_was() -> None:
    target = Path("out.json")
    target.write_text("before")
    assert (
        run("convert", file("r.json", {"foo": 1}), "--to", "gemini", "-o", "out.json").exit_code
        == 2
    )
    assert target.read_text() == "before"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "error: stdin: there is nothing in it (a request as it was sent to a provider)\n"),
        ("{", "error: stdin: no JSON: "),
        ("7", "error: stdin: there is no request in it (give a request as it was sent to a "),
        ('[{"role": "user", "content": "Hi"}]',
         "error: stdin: these are messages of ours, and no body of a provider's ("),
        ('{"foo": 1}', "error: stdin: $: no protocol has bodies with these keys ("),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(text: str, told: str) -> None:
    ran = run("convert", "--to", "gemini", input=text)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("args", [["--to", "gemni"], ["--to", "gemini", "--from", "gemni"]])
def test_unknown_wires(args: list[str]) -> None:
    ran = run("convert", *args, input="{}")
    assert ran.exit_code == 2
    assert ran.stderr == "error: unknown wire 'gemni' (did you mean gemini?)\n"


# -- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("to", wires())
def test_an_answer_goes_to_every_wire(to: str) -> None:
    made = out("--to", to, "-k", "response", "--policy", "ignore", input=json.dumps(ANSWER))
    resp = dragoman.wire(to).read_response(made)
    assert (resp.text, resp.finish.reason) == ("Hello.", "stop")


def test_an_answer_stands_in_its_record() -> None:
    row = {"request": PLAIN, "response": ANSWER, "status": 200}
    made = out("--to", "anthropic", "-k", "response", input=json.dumps(row))
    assert made["content"] == [{"type": "text", "text": "Hello."}]


def test_the_answers_of_a_log_and_a_broken_line() -> None:
    text = lines(ANSWER, "{broken", {**ANSWER, "id": "a2"})
    ran = run("convert", file("a.jsonl", text), "--to", "anthropic", "-k", "response")
    assert ran.exit_code == 1
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one["id"] for one in found] == ["msg_a1", "msg_a2"]
    assert ran.stderr.startswith("error: a.jsonl:2: no JSON: ")


@pytest.mark.parametrize("source", ["openai", "auto"])
def test_a_failure_of_the_provider_is_no_answer(source: str) -> None:
    row = {"response": {"error": {"message": "busy", "type": "server_error"}}, "status": 503}
    ran = run("convert", "--to", "gemini", "--from", source, "-k", "response",
              input=json.dumps(row))  # fmt: skip
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == (
        "error: stdin: the provider says 503: busy (there is no answer to convert)\n"
    )


# -- streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize("to", wires())
def test_a_recorded_stream_goes_to_every_wire_and_can_be_read_there(to: str) -> None:
    stream = file("stream.sse", sse(EVENTS))
    ran = run("convert", stream, "--to", to, "-k", "response", "--policy", "ignore")
    assert ran.exit_code == 0, ran.stderr
    again = file("again.jsonl" if to == "ollama" else "again.txt", ran.stdout)
    resp = load(json.loads(run("read", again, "--from", to, "--json").stdout))
    assert isinstance(resp, ChatResponse)
    assert (resp.text, resp.finish.reason, resp.status) == ("Hello.", "stop", "complete")


def test_a_stream_goes_event_by_event() -> None:
    ran = run("convert", file("s.sse", sse(EVENTS)), "--to", "anthropic", "-k", "response")
    same = dragoman.convert_stream([sse(EVENTS).encode()], "openai-chat", "anthropic")
    events = [f"event: {one.event}\ndata: {one.data}\n\n" for one in same]
    assert len(events) == 7
    assert ran.stdout == "".join(events)


def test_lines_of_a_stream_are_told_from_lines_of_answers() -> None:
    name = file("s.jsonl", lines(*EVENTS))
    ran = run("convert", name, "--to", "ollama", "-k", "response", "--policy", "ignore")
    words = [json.loads(line)["message"]["content"] for line in ran.stdout.splitlines()]
    assert words == ["Hel", "lo.", ""]


def test_a_stream_as_json_holds_events_and_losses() -> None:
    found = out(file("s.sse", sse(EVENTS)), "--to", "ollama", "-k", "response", "--json")
    assert found.keys() == {"events", "losses"}
    assert found["events"][0]["event"] is None
    assert found["events"][0]["data"]["message"]["content"] == "Hel"
    assert "answer.unsupported" in {loss["code"] for loss in found["losses"]}


def test_the_policy_holds_for_streams() -> None:
    ran = run("convert", file("s.sse", sse(EVENTS)), "--to", "ollama", "-k", "response",
              "--refuse", "answer.unsupported")  # fmt: skip
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "answer.unsupported" in ran.stderr


def test_several_streams_give_a_line_each() -> None:
    text = lines({"events": EVENTS}, {"events": EVENTS})
    ran = run("convert", file("s.jsonl", text), "--to", "gemini", "-k", "response")
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [len(one["events"]) for one in found] == [3, 3]


def test_a_stream_of_another_wire_is_bad_input() -> None:
    ran = run("convert", file("s.sse", sse(EVENTS)), "--to", "gemini", "-k", "response",
              "--from", "anthropic")  # fmt: skip
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == (
        "error: s.sse: nothing in it is an event of anthropic (is it another wire?)\n"
    )


def test_events_in_each_framing() -> None:
    events: list[Any] = [("a", {"x": 1}), (None, "[DONE]")]
    assert frame_events(events, "sse") == 'event: a\ndata: {"x": 1}\n\ndata: [DONE]\n\n'
    assert frame_events([(None, "two\nlines")], "sse") == "data: two\ndata: lines\n\n"
    assert frame_events(events[:1], "ndjson") == '{"x": 1}\n'
    assert json.loads(frame_events(events, "json-array").replace("[DONE]", "2")) == [{"x": 1}, 2]
    assert [json.loads(line) for line in frame_events(events, "aws-eventstream").splitlines()] == [
        {"event": "a", "data": {"x": 1}}, {"event": None, "data": "[DONE]"},
    ]  # fmt: skip


def test_a_shell_pipes_it_on() -> None:
    ran = shell("convert", file("r.json", PLAIN), "--to", "anthropic")
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["system"] == "S"


def test_nothing_that_is_written_steers_a_terminal() -> None:
    """C1 controls and signs that turn text stand in JSON as they are; a terminal obeys them."""
    said: dict[str, Any] = {"role": "user", "content": STEERING}
    body = {"model": "gpt-5.6", STEERING: 1, "messages": [said], "tools": [
        {"type": "function", "function": {"name": "look", "parameters": {
            "type": "object", "properties": {STEERING: {"type": "string"}}}}}]}  # fmt: skip
    delta = {"index": 0, "delta": {"content": STEERING}, "finish_reason": "stop"}
    Path("stream.sse").write_text(sse([{"object": "chat.completion.chunk", "choices": [delta]}]),
                                  "utf-8")  # fmt: skip
    for to in ("anthropic", "openai-chat", "gemini"):
        for source in ((file("body.json", body),), ("stream.sse", "-k", "response")):
            for more in ((), ("--json",)):
                ran = run("convert", *source, "--to", to, *more)
                assert ran.exit_code == 0, ran.stderr
                assert "\\u202e" in ran.stdout
                told = ran.stdout + ran.stderr
                assert not [sign for sign in told if not sign.isprintable() and sign != "\n"]
    assert json.loads(run("convert", "body.json", "-t", "gemini").stdout)["contents"][0] == {
        "role": "user", "parts": [{"text": STEERING}]}  # fmt: skip
