"""docs/*/models.md: the tables of vendors are up to date, and the official SDKs send the bodies.

The blocks that need a network run here against a server of our own, as they stand in the page.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dragoman.vendors import VENDORS, vendor, wire, wires

from . import vendors
from .pages import DOCS, FOLDERS, Block, blocks, pages, rows

PAGES = {name: (folder / "models.md").read_text("utf-8") for name, folder in FOLDERS.items()}
SAID = "In France."
ANSWERS: dict[str, Any] = {
    "openai": {
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": SAID}}],
    },
    "openai/openai-responses": {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "m",
        "status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "output": [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": SAID, "annotations": []}]}],
    },
    "anthropic": {
        "id": "1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": SAID}], "stop_reason": "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": SAID}]},
                        "finishReason": "STOP"}],
    },
    "ollama": {
        "model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True,
        "message": {"role": "assistant", "content": SAID},
    },
    "bedrock": {
        "output": {"message": {"role": "assistant", "content": [{"text": SAID}]}},
        "stopReason": "end_turn", "metrics": {"latencyMs": 1},
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    },
    "mistral": {
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": SAID}}],
    },
}  # fmt: skip
SDKS = {
    "openai": "openai", "openai/openai-responses": "openai", "anthropic": "anthropic",
    "gemini": "google.genai", "ollama": "ollama", "bedrock": "boto3",
    "mistral": "mistralai.client.sdkconfiguration",
}  # fmt: skip
UNASKED = {"mistral": {"stream": False}}  # what an SDK says by itself
WIRE = re.compile(r'dragoman\.wire\("([^"]+)"\)')


class Server(ThreadingHTTPServer):
    """Gives one answer to everybody and keeps what it was sent."""

    answer: Any = None
    path = ""
    body: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.path = self.path
        self.server.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = json.dumps(self.server.answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def sdk_blocks(page: str) -> dict[str, Block]:
    """The blocks that need a network, by the wire that they write to."""
    found = [block for block in blocks(page) if block.info == "python no-run"]
    return {WIRE.findall(block.text)[0]: block for block in found}


def up_to(page: str, last: Block) -> dict[str, Any]:
    """The names that the blocks before one have made, those that wait for something left out."""
    names: dict[str, Any] = {}
    for block in blocks(page):
        if block.line < last.line and block.info == "python" and "await " not in block.text:
            exec(block.text, names)
    return names


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("language", PAGES)
def test_the_official_sdk_sends_the_body_as_it_is(
    language: str, name: str, server: Server,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    sdk = importlib.import_module(SDKS[name])
    for variable, value in {
        "OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k",
        "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k",
        "GOOGLE_GEMINI_BASE_URL": server.url, "GEMINI_API_KEY": "k",
        "OLLAMA_HOST": server.url, "MISTRAL_API_KEY": "k",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": server.url, "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "k", "AWS_CONFIG_FILE": "none",
    }.items():  # fmt: skip
        monkeypatch.setenv(variable, value)
    if name == "mistral":  # which reads no address from the environment
        monkeypatch.setitem(sdk.SERVERS, sdk.SERVER_GLOBAL, server.url)
    server.answer = ANSWERS[name]
    page = PAGES[language]
    block = sdk_blocks(page)[name]
    names = up_to(page, block)
    capsys.readouterr()
    exec(block.text, names)
    assert capsys.readouterr().out == f"{SAID}\n"
    written = wire(name).write_request(names["request"], model=names["out"].model)
    assert server.path.endswith(written.path)
    assert camel(server.body) == camel({**UNASKED.get(name, {}), **written.body})


def camel(value: Any) -> Any:
    """The value with keys in one case: Google's SDK writes some of them in the other."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"_(.)", lambda found: found[1].upper(), key): camel(inner)
        for key, inner in value.items()
    }


def test_any_client_sends_it(server: Server) -> None:
    server.answer = {"output": {}}
    [block] = [block for block in blocks(PAGES["en"]) if "def send(" in block.text]
    names = up_to(PAGES["en"], block)
    exec(block.text, names)
    out = wire("dashscope").write_request(names["request"], model="qwen-plus")
    assert names["send"](server.url, "k", out) == {"output": {}}
    assert (server.path, server.body) == (out.path, out.body)


def test_every_sdk_of_the_page_is_tried() -> None:
    assert {*sdk_blocks(PAGES["en"])} == {*sdk_blocks(PAGES["zh"])} == {*ANSWERS} == {*SDKS}


@pytest.mark.parametrize("language", PAGES)
def test_the_tables_of_vendors_are_up_to_date(language: str) -> None:
    """A new host is a row and `--write`: nobody edits a table, in either language."""
    texts = [(FOLDERS[language] / name).read_text("utf-8") for name in vendors.PAGES]
    for text in texts:
        assert text == vendors.filled(text, language), "python -m tests.docs.vendors --write"
    found = re.findall(r"<!-- table (\w+),", "".join(texts))
    assert sorted(found) == sorted(vendors.TABLES)
    named = {name for name in wires() if name not in VENDORS}
    assert all(f"`{name}`" in PAGES[language] for name in named)


@pytest.mark.parametrize("language", PAGES)
def test_every_vendor_and_every_variable_is_in_a_table(language: str) -> None:
    listed = [tuple(cell.strip("`") for cell in row) for row in rows(PAGES[language])]
    for row in map(vendor, VENDORS):
        assert (row.name, wire(row.name).room.protocol, row.base_url, row.key) in listed
        for name in (*row.keys, *row.auth.bearers):
            assert f"`{name}`" in PAGES[language]


def test_a_table_that_is_out_of_date_is_written_anew() -> None:
    page = PAGES["zh"]
    old = page.replace("| `openai` | `openai-chat` |", "| `acme` | `openai-chat` |")
    assert old != page
    assert vendors.filled(old, "zh") == page


def test_no_other_page_counts_or_lists_all_vendors() -> None:
    """Such a number or list would have to be changed by hand for every new host."""
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    found = re.search(r"more than (\d+) hosts", readme)
    assert found is not None
    assert int(found[1]) < len(VENDORS)
    number = re.compile(rf"(?<![\d.,:-]){len(VENDORS)} (?:vendors|hosts)|{len(VENDORS)} (?:家|个)")
    texts = {page: page.read_text("utf-8") for page in pages()}
    assert [page for page, text in texts.items() if number.search(text)] == []


def test_both_languages_run_the_same_code() -> None:
    """Strings may differ, the rest may not."""
    assert _shapes("models", "en") == _shapes("models", "zh")
    assert _shapes("message-system", "en") == _shapes("message-system", "zh")
    assert _shapes("new-vendor", "en") == _shapes("new-vendor", "zh")


def _shapes(name: str, language: str) -> list[str]:
    page = (FOLDERS[language] / f"{name}.md").read_text("utf-8")
    return [_shape(block.text) for block in blocks(page) if block.info.startswith("python")]


def _shape(code: str) -> str:
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)
