"""Servers that speak providers' protocols and that nobody here wrote, as fixtures on loopback.

`llamacpp_server` is llama.cpp's own server over a scripted model, `aimock_server` is the mock of
providers that CopilotKit publishes. Both say `SENTENCE`, or call `warmth` where a tool is offered
and has not answered yet. `tests/conftest.py` hands the fixtures to every test; each worker starts
its servers once, when the first test asks.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.needs import program
from tests.servers.bigrams import ARGUMENTS, TEXT, TOOL, write_bigrams

__all__ = ["SENTENCE", "aimock_server", "llamacpp_server"]

SENTENCE = "".join(TEXT)
# `make test` installs it here
AIMOCK = Path(sys.prefix, ".aimock", "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
_ANSWERS = {
    "fixtures": [
        {"match": {"hasToolResult": True}, "response": {"content": SENTENCE}},
        {
            "match": {"toolName": TOOL},
            "response": {"toolCalls": [{"id": "call_1", "name": TOOL, "arguments": ARGUMENTS}]},
        },
        {"match": {}, "response": {"content": SENTENCE}},
    ]
}


@pytest.fixture(scope="session")
def llamacpp_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of llama.cpp's server, without `/v1`."""
    import xllamacpp

    model = tmp_path_factory.mktemp("llamacpp") / "bigrams.gguf"
    write_bigrams(model)
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {"bigrams"}
    params.n_ctx = 8192
    params.n_parallel = 2
    params.cpuparams.n_threads = 1
    params.n_threads_http = 4
    params.sampling.temp = 0.0
    params.fit_params = params.warmup = params.ui = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


@pytest.fixture(scope="session")
def aimock_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of aimock, without the path of any provider."""
    node = program("node", "aimock runs in it")
    if not AIMOCK.is_file():
        reason = "aimock is not installed; `make test` installs it with npm"
        if os.environ.get("DRAGOMAN_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    answers = tmp_path_factory.mktemp("aimock") / "answers.json"
    answers.write_text(json.dumps(_ANSWERS))
    command = [node, str(AIMOCK), "-p", "0", "-f", str(answers)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    ) as server:
        try:
            yield _address(server)
        finally:
            server.terminate()


def _address(server: subprocess.Popen[str]) -> str:
    """Where it says that it listens; its later lines are few, and the pipe takes them."""
    assert server.stdout is not None
    said = []
    for line in server.stdout:
        if found := re.search(r"listening on (http://\S+)", line):
            return found[1]
        said.append(line)
    raise RuntimeError(f"aimock did not start: {''.join(said)}")
