"""Real servers over small models, asked by LLM, agent and gateway: `make servers` prints a table.

llama.cpp runs from the wheel `xllamacpp` over scripted bigrams; `transformers serve` and vLLM run
in environments of their own (`--python`, `--vllm`) over a random model. Random words prove nothing
about a model, but how a server says them, what it counts and how it ends is its own.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dragoman import LLM, Msg, ReActAgent
from tests.gateway.running import Gateway
from tests.servers.bigrams import write_bigrams

_HERE = Path(__file__).parent


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.servers.all")
    parser.add_argument("--python", help="an interpreter with transformers[serving]")
    parser.add_argument("--vllm", help="an interpreter with vLLM, as vllm_cpu.py installs it")
    given = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        with llamacpp(Path(folder)) as url:
            for wire in ("openai-chat", "openai-responses", "anthropic"):
                base = url if wire == "anthropic" else f"{url}/v1"
                faults += _judge(f"llamacpp/{wire}/bigrams", base)
        if given.python:
            with transformers(Path(folder), Path(given.python)) as (model, url):
                faults += _judge(f"vllm/openai-chat/{model}", f"{url}/v1")
        if given.vllm:
            with vllm(Path(folder), Path(given.vllm)) as (model, url):
                for wire in ("openai-chat", "openai-responses", "anthropic"):
                    base = url if wire == "anthropic" else f"{url}/v1"
                    faults += _judge(f"vllm/{wire}/{model}", base)
    _say(f"{faults} faults")
    return 1 if faults else 0


def _judge(name: str, base: str) -> int:
    """How many of the checks fail; prints a row for each."""
    faults = 0
    for label, check in CHECKS.items():
        began = time.monotonic()
        try:
            told = check(name, base)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the row
            faults, told = faults + 1, f"FAULT {type(error).__name__}: {error}"
        _say(f"{name:36} {label:8} {time.monotonic() - began:5.1f} s  {told[:200]}")
    return faults


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


# -- the servers -----------------------------------------------------------------------------------


@contextmanager
def llamacpp(folder: Path) -> Iterator[str]:
    """llama.cpp's server; its address without `/v1`."""
    import xllamacpp

    model = folder / "bigrams.gguf"
    write_bigrams(model)
    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(model), {"bigrams"}
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 8192, 2, 1
    params.n_threads_http, params.sampling.temp = 4, 0.0
    params.fit_params = params.warmup = params.ui = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


@contextmanager
def transformers(folder: Path, python: Path) -> Iterator[tuple[str, str]]:
    """`transformers serve` over a model made on the spot: (name of the model, address)."""
    with _serving(folder, python, "hf", "transformers") as served:
        yield served


@contextmanager
def vllm(folder: Path, python: Path) -> Iterator[tuple[str, str]]:
    """A vLLM on a processor over a model made on the spot: (name of the model, address)."""
    options = ("--max-model-len", "512", "--gpu-memory-utilization", "0.1", "--enforce-eager",
               "--enable-auto-tool-choice", "--tool-call-parser", "hermes")  # fmt: skip
    with _serving(folder, python, "small", "vllm", *options) as served:
        yield served


@contextmanager
def _serving(
    folder: Path, python: Path, model: str, name: str, *options: str
) -> Iterator[tuple[str, str]]:
    """The program of that name beside the interpreter, with its command `serve`."""
    subprocess.run([python, _HERE / "small_model.py", folder / model], check=True,
                   capture_output=True)  # fmt: skip
    port = _free_port()
    program = python.absolute().parent / name
    command = [str(program), "serve", model, "--port", str(port), *options]
    quiet = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **quiet}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}/v1/models", server)
            yield model, f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait(url: str, server: subprocess.Popen[bytes], most: float = 900.0) -> None:
    end = time.monotonic() + most
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (OSError, urllib.error.URLError):
            time.sleep(1)
        else:
            return
    raise RuntimeError(f"{url} did not answer")


# -- what is asked ---------------------------------------------------------------------------------


def _llm(name: str, base: str, **more: Any) -> LLM:
    return LLM(name, base_url=base, key="none", timeout=300, **more)


def ask(name: str, base: str) -> str:
    """A whole answer, cut after a few tokens, that is counted and says how it ended."""
    answer = _llm(name, base, max_tokens=12).ask("How warm is it?")
    assert answer.usage.output, "nothing is counted"
    return f"{answer.finish.reason}, {answer.usage.input} + {answer.usage.output} tokens"


def stream(name: str, base: str) -> str:
    """The same as it arrives."""
    llm = _llm(name, base, max_tokens=12)
    stream = llm.stream("How warm is it?")
    events = sum(1 for _ in stream)
    return f"{events} events, {stream.response.finish.reason}"


def agent(name: str, base: str) -> str:
    """A run of an agent with a tool."""
    calls: list[str] = []

    def warmth(city: str) -> str:
        """How warm it is in a city."""
        calls.append(city)
        return "41 degrees"

    friday = ReActAgent("Friday", None, _llm(name, base, max_tokens=64), toolkit=[warmth])
    reply = friday.run(Msg("Tony", "How warm is it in Samarkand?", "user"))
    return f"{len(calls)} calls, {reply.finish}"


def gateway(name: str, base: str) -> str:
    """A client of the Messages API through the gateway, whole and as a stream."""
    command = ("dragoman", "serve", name, "--upstream", base, "--port", "0")
    with tempfile.TemporaryDirectory() as state, Gateway(*command, state=Path(state)) as here:
        own = f"http://127.0.0.1:{here.port}"
        return f"{ask('anthropic/x', own)}; {stream('anthropic/x', own)}"


CHECKS: dict[str, Callable[[str, str], str]] = {
    "ask": ask,
    "stream": stream,
    "agent": agent,
    "gateway": gateway,
}

if __name__ == "__main__":
    sys.exit(main())
