"""`dragoman ask`: a question from arguments and stdin, an answer on stdout, the rest on stderr."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.servers.real import SENTENCE

from .running import environment, run, written
from .scripted import call, scripted, text, thought

MODEL = "llamacpp/m"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.mark.parametrize("how", ["--stream", "--no-stream"])
@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic"])
def test_a_real_server_answers(llamacpp_server: str, wire: str, how: str) -> None:
    base = llamacpp_server + ("" if wire == "anthropic" else "/v1")
    ran = run("ask", f"llamacpp/{wire}/bigrams", "How warm is it?", "--base-url", base, how)
    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, f"{SENTENCE}\n", "")


def test_arguments_come_first_and_stdin_follows() -> None:
    with scripted(text("Short.\n")) as script:
        ran = run("ask", MODEL, "Sum", "this up", "--base-url", script.url, input="a\nb\n")
        assert (ran.exit_code, ran.stdout) == (0, "Short.\n")
        assert script.last == [{"role": "user", "content": "Sum this up\n\na\nb"}]


def test_stdin_alone_and_the_system_prompt() -> None:
    with scripted(text("Yes.")) as script:
        run("ask", MODEL, "-s", "Be brief.", "--base-url", script.url, input="Is it?")
        assert script.last == [{"role": "system", "content": "Be brief."},
                               {"role": "user", "content": "Is it?"}]  # fmt: skip


def test_options_are_those_of_a_request() -> None:
    args = ("--option", "temperature=0.2", "--option", "max_tokens=50", "--option", "stop=[]")
    with scripted(text("Yes.")) as script:
        ran = run("ask", MODEL, "Why?", *args, "--option", "retries=0", "--base-url", script.url)
        assert ran.exit_code == 0
        body = script.asked[0]
        assert (body["temperature"], body["max_tokens"]) == (0.2, 50)
        assert "retries" not in body


def test_images_stand_before_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(PNG)
    images = ("--image", str(tmp_path / "a.bin"), "--image", "https://x.example/b.png")
    with scripted(text("A dot.")) as script:
        ran = run("ask", MODEL, "What is it?", *images, "--base-url", script.url)
        assert (ran.exit_code, ran.stdout) == (0, "A dot.\n")
        first, second, words = script.last[0]["content"]
        assert first["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")
        assert second["image_url"]["url"] == "https://x.example/b.png"
        assert words == {"type": "text", "text": "What is it?"}


@pytest.mark.parametrize("how", ["--stream", "--no-stream"])
def test_json_of_a_schema(tmp_path: Path, how: str) -> None:
    schema = written(tmp_path / "city.json", CITY)
    with scripted(text('{"city": ', '"Paris"}'), text('{"town": 1}')) as script:
        args = ("ask", MODEL, "Which city?", "--json", schema, how, "--base-url", script.url)
        ran = run(*args)
        assert (ran.exit_code, json.loads(ran.stdout)) == (0, {"city": "Paris"})
        assert "city" in json.dumps(script.asked[0]["response_format"])
        failed = run(*args)
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr.startswith("error: InvalidOutput: ")
    assert '"city" is a required property' in failed.stderr


def test_thinking_is_no_part_of_the_answer_and_usage_is_told_on_demand() -> None:
    with scripted(thought("They ask why.", "Be", "cause.")) as script:
        ran = run("ask", MODEL, "Why?", "--usage", "--base-url", script.url)
    assert ran.stdout == "Because.\n"
    assert ran.stderr == "usage: 9 input, 4 output, 13 total\n"


def test_losses_are_told_on_stderr() -> None:
    args = ("ask", "deepseek/deepseek-chat", "Why?", "--option", "top_k=3", "--losses")
    with scripted(text("So.")) as script:
        ran = run(*args, "--base-url", script.url, DEEPSEEK_API_KEY="none")
    assert (ran.exit_code, ran.stdout) == (0, "So.\n")
    assert ran.stderr.startswith("the request for deepseek - losses: 1 dropped")
    assert "option.unsupported" in ran.stderr
    assert "$.options.top_k" in ran.stderr


def test_what_weighs_much_is_never_lost_in_silence(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    args = ("ask", "deepseek/deepseek-chat", "What?", "--image", str(tmp_path / "a.png"))
    with scripted(text("A text.")) as script:
        ran = run(*args, "--base-url", script.url, DEEPSEEK_API_KEY="none")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "deepseek-chat would not see what the newest turn shows: image" in ran.stderr


def test_an_answer_that_was_cut_says_so() -> None:
    with scripted(text("Once upon", finish="length")) as script:
        ran = run("ask", MODEL, "A tale", "--base-url", script.url)
    assert (ran.exit_code, ran.stdout) == (0, "Once upon\n")
    assert ran.stderr == "the answer ended early: length\n"


def test_a_refusal_is_exit_code_1() -> None:
    with scripted([{"refusal": "I will not."}, {"finish": "stop"}]) as script:
        ran = run("ask", "openai/m", "Do it", "--base-url", script.url, OPENAI_API_KEY="none")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "error: the model declined: I will not.\n" in ran.stderr


def test_what_is_no_text_is_named() -> None:
    with scripted(call("look", at=1)) as script:
        ran = run("ask", MODEL, "Look", "--base-url", script.url)
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert ran.stderr == "the answer also holds tool_use, which is no text\n"


def test_an_error_of_the_provider_is_typed_and_exit_code_1() -> None:
    with scripted(429) as script:
        ran = run("ask", MODEL, "Why?", "--option", "retries=0", "--base-url", script.url)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "error: RateLimited: slow down\n"


def test_nobody_there_is_exit_code_1() -> None:
    ran = run("ask", MODEL, "?", "--base-url", "http://127.0.0.1:9", "--option", "retries=0")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("error: ConnectionFailed: cannot connect to 127.0.0.1:9")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["deepseek/m", "Why?"], "error: deepseek needs a key (set DEEPSEEK_API_KEY, or "),
        (["nobody/m", "Why?"], "error: 'nobody/m' begins with no vendor (vendor/model; "),
        ([MODEL], "error: there is nothing to ask (dragoman ask MODEL"),
        ([MODEL, "?", "--option", "x=1"], "error: --option x: there is no such option (one of "),
        ([MODEL, "?", "--option", "top_p"], "error: --option top_p has no value (top_p=VALUE)"),
        ([MODEL, "?", "--option", "top_p=x"], "error: --option: $.options.top_p: "),
        ([MODEL, "?", "--key", "x"], "error: No such option"),
        ([MODEL, "?", "--image", "no.png"], "error: no.png: No such file or directory"),
        ([MODEL, "?", "--json", "no.json"], "error: no.json: No such file or directory"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_code_2(
    args: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    ran = run("ask", *args)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(told)
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("schema", ["[1]", "{broken"])
def test_a_schema_that_is_none(tmp_path: Path, schema: str) -> None:
    file = written(tmp_path / "schema.json", schema)
    ran = run("ask", MODEL, "?", "--json", file)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"error: {file}: ")


def test_what_is_piped_must_be_text() -> None:
    ran = run("ask", MODEL, input=b"\xff")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error: stdin: byte 0 is no UTF-8 (")


def test_a_file_whose_type_nothing_tells(tmp_path: Path) -> None:
    (tmp_path / "thing").write_bytes(b"???")
    ran = run("ask", MODEL, "?", "--image", str(tmp_path / "thing"))
    assert ran.exit_code == 2
    assert "thing: the first bytes do not tell the media type (a file that" in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_keeps_what_came() -> None:
    with scripted([{"content": "Once upon"}, "hang"]) as script:
        args = ["ask", MODEL, "A tale", "--base-url", script.url]
        running = subprocess.Popen(
            [sys.executable, "-m", "dragoman", *args], env=environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )  # fmt: skip
        with running:
            assert running.stdout is not None
            assert running.stderr is not None
            assert running.stdout.read(9) == b"Once upon"
            running.send_signal(signal.SIGINT)
            assert running.wait(timeout=60) == 130
            assert running.stdout.read() == b"\n"
            assert b"Traceback" not in running.stderr.read()


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_an_answer_that_broke_off_is_shown_and_fails(stream: str) -> None:
    canned = b'data: {"choices": [{"index": 0, "delta": {"content": "Once upon"}}]}\n\n'
    with closing_behind(canned) as url:
        ran = run("ask", MODEL, "A tale", stream, "--base-url", url, "--option", "retries=0")
        taken = run("ask", MODEL, "A tale", stream, "--base-url", url, "--allow-partial")
    assert (ran.exit_code, ran.stdout) == (1, "Once upon\n")
    assert "StreamBroken" in ran.stderr
    assert "broke off" in ran.stderr
    assert (taken.exit_code, taken.stdout) == (0, "Once upon\n")
    assert taken.stderr == "the answer ended early: interrupted\n"


@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b'{"ok": true}'])
@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_what_is_no_answer_fails(stream: str, body: bytes) -> None:
    with closing_behind(body) as url:
        ran = run("ask", MODEL, "A tale", stream, "--base-url", url, "--option", "retries=0")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "NoAnswer" in ran.stderr
    assert "status 200" in ran.stderr


def test_an_answer_that_a_filter_cut_fails() -> None:
    with scripted(text("Once upon", finish="content_filter")) as script:
        ran = run("ask", MODEL, "A tale", "--base-url", script.url)
    assert (ran.exit_code, ran.stdout) == (1, "Once upon\n")
    assert "content_filter" in ran.stderr


@contextmanager
def closing_behind(body: bytes) -> Iterator[str]:
    """A server that answers every request with these bytes, status 200, and closes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
