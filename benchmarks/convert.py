"""Time of converting a request, Chat Completions to Anthropic and to Gemini, beside the peers.

    make bench BENCHMARKS=benchmarks/convert.py

Parsed JSON in, parsed JSON out (Lingua takes JSON text, in Node, where Node and its package are).
Ours reads, writes and names the losses. The other tables of the same run: growth, what the images
cost in memory, and a request that goes back over its own wire. No clock in an assertion: the
tables at the end are the result.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

import dragoman

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no network here

HERE = Path(__file__).parent
MODELS = {"anthropic": "claude-opus-5-5", "gemini": "gemini-3.5-flash"}
PEERS = ("litellm", "llm-rosetta", "lingua")
TIMES: dict[tuple[str, str, str], float] = {}
NOTES: list[str] = []


def texts(count: int) -> list[dict[str, Any]]:
    """A system prompt and a chat."""
    said: list[dict[str, Any]] = [{"role": "system", "content": "You are a guide."}]
    for n in range(count - 1):
        role = "assistant" if n % 2 else "user"
        said.append({"role": role, "content": f"{n} miles of road, and then a gate."})
    return said


def tools(count: int) -> list[dict[str, Any]]:
    """Turns of a question, a call, its result and an answer."""
    said: list[dict[str, Any]] = []
    for n in range(count // 4):
        raw = json.dumps({"miles": n, "to": "gate"})
        call = {"id": f"call_{n}", "type": "function",
                "function": {"name": "walk", "arguments": raw}}  # fmt: skip
        said += [
            {"role": "user", "content": f"How far is it from {n}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{n}", "content": f"{n} miles"},
            {"role": "assistant", "content": f"It is {n} miles."},
        ]
    return [*said, {"role": "user", "content": "And now?"}]


def images(count: int, size: int = 200_000) -> list[dict[str, Any]]:
    """Each question shows an image of 200 KB; no two alike."""
    said: list[dict[str, Any]] = []
    for n in range(count // 2):
        url = "data:image/png;base64," + f"{n:04d}" + "A" * size
        shown = {"type": "image_url", "image_url": {"url": url}}
        said += [
            {"role": "user", "content": [{"type": "text", "text": f"What is on {n}?"}, shown]},
            {"role": "assistant", "content": "A gate."},
        ]
    return said


HISTORIES = {
    "20 texts": lambda: texts(20),
    "200 tools": lambda: tools(200),
    "40 with 20 images": lambda: images(40),
    "10,000": lambda: tools(10_000),
}


# of all sides: enough that interpreters and engines are warm where one round takes microseconds
ROUNDS = {"20 texts": 1000, "200 tools": 200, "40 with 20 images": 20, "10,000": 7}


def body(history: str) -> dict[str, Any]:
    """The Chat Completions request."""
    made: dict[str, Any] = {"model": "gpt-5.5", "messages": HISTORIES[history]()}
    if history != "20 texts" and "images" not in history:
        schema = {"type": "object", "properties": {"miles": {"type": "integer"},
                                                   "to": {"type": "string"}}}  # fmt: skip
        made["tools"] = [{"type": "function", "function": {"name": "walk", "description": "Walk.",
                                                           "parameters": schema}}]  # fmt: skip
    return made


def ours(target: str, given: dict[str, Any]) -> Callable[[], Any]:
    """Read, written, and the losses listed."""
    model = MODELS.get(target)

    def run() -> Any:
        out = dragoman.convert(given, "openai-chat", target, model=model, policy="ignore")
        return out.body, out.losses

    return run


def litellm_writer(target: str) -> Callable[[list[Any], dict[str, Any]], Any]:
    """LiteLLM's own transformation of messages and options; it changes what it is given."""
    pytest.importorskip("litellm", reason="needs LiteLLM: see the Makefile")
    model = MODELS[target]
    if target == "anthropic":
        from litellm.llms.anthropic.chat.transformation import AnthropicConfig

        config = AnthropicConfig()

        def write(said: list[Any], options: dict[str, Any]) -> Any:
            asked = config.map_openai_params(options, {}, model, drop_params=False)
            return config.transform_request(model, said, asked, {}, {})
    else:
        from litellm.llms.gemini.chat.transformation import GoogleAIStudioGeminiConfig
        from litellm.llms.vertex_ai.gemini.transformation import sync_transform_request_body

        google = GoogleAIStudioGeminiConfig()

        def write(said: list[Any], options: dict[str, Any]) -> Any:
            asked = google.map_openai_params(options, {}, model, drop_params=False)
            return sync_transform_request_body(
                gemini_api_key="none", messages=said, api_base=None, model=model, client=None,
                timeout=None, extra_headers=None, optional_params=asked, logging_obj=None,  # type: ignore[arg-type]
                custom_llm_provider="gemini", litellm_params={}, vertex_project=None,
                vertex_location=None, vertex_auth_header=None,
            )  # fmt: skip

    return write


def litellm(target: str, given: dict[str, Any], rounds: int) -> Callable[[], Any]:
    """LiteLLM's own transformations; it changes what it is given, so each round has a copy."""
    write = litellm_writer(target)
    rest = {key: value for key, value in given.items() if key not in ("model", "messages")}

    def run() -> Any:
        return write(copies.pop(), deepcopy(rest))

    copies = [[{**m, "content": deepcopy(m["content"])} for m in given["messages"]]
              for _ in range(rounds + 1)]  # fmt: skip
    return run


def rosetta(target: str, given: dict[str, Any]) -> Callable[[], Any]:
    """llm-rosetta's convert."""
    peer = pytest.importorskip("llm_rosetta", reason="needs llm-rosetta: see the Makefile")
    name = {"anthropic": "anthropic", "gemini": "google_generate"}[target]
    return lambda: peer.convert(given, name, source_provider="openai_chat")


def lingua(target: str, given: dict[str, Any], rounds: int, folder: Path) -> float:
    """Seconds of Lingua's best round, in Node."""
    node, modules = shutil.which("node"), Path(sys.prefix) / "node_modules"
    if node is None or not (modules / "@braintrust").exists():
        pytest.skip("needs Node and @braintrust/lingua-wasm: see the Makefile")
    file = folder / "body.json"
    file.write_text(json.dumps(given))
    name = {"anthropic": "anthropic", "gemini": "google"}[target]
    said = subprocess.run(  # noqa: S603  # the program that was found, and a file of ours
        [node, str(HERE / "lingua.mjs"), str(file), name, str(rounds)],
        env={**os.environ, "NODE_PATH": str(modules)}, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return float(json.loads(said)[0]) / 1000


def timed(run: Callable[[], Any], rounds: int) -> float:
    """Seconds of the best round."""
    best = float("inf")
    gc.collect()
    gc.disable()  # as timeit does
    try:
        for _ in range(rounds):
            start = perf_counter()
            run()
            best = min(best, perf_counter() - start)
    finally:
        gc.enable()
    return best


@pytest.mark.parametrize("who", ["dragoman", *PEERS])
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("target", MODELS)
def test_convert(target: str, history: str, who: str, tmp_path: Path) -> None:
    """Time one side on one history."""
    given = body(history)
    rounds = ROUNDS[history]
    if who == "lingua":
        best = lingua(target, given, rounds, tmp_path)
    else:
        sides = {"dragoman": ours, "llm-rosetta": rosetta}
        run = litellm(target, given, rounds) if who == "litellm" else sides[who](target, given)
        assert run()
        best = timed(run, rounds)
    TIMES[target, history, who] = best / len(given["messages"]) * 1e6


def test_images_are_copied_once() -> None:
    """The memory of the image case: at most one copy, and nothing beside on the same wire."""
    given = body("40 with 20 images")
    size = len(json.dumps(given))
    for target in ("anthropic", "gemini", "openai-chat"):
        run = ours(target, given)
        run()
        gc.collect()
        tracemalloc.start()
        kept = run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        del kept
        NOTES.append(f"peak of extra memory to {target}: {peak / size:.2%} of the input")
        # what is asserted is how often base64 is copied, and that is no matter of the machine
        assert peak < (0.02 if target == "openai-chat" else 1.05) * size


@pytest.fixture(scope="module", autouse=True)
def table(tables: Any) -> Iterator[None]:
    """Microseconds per message, and how many times faster than the fastest peer."""
    yield
    rows = []
    for (target, history, who), mine in TIMES.items():
        if who != "dragoman":
            continue
        theirs = [TIMES.get((target, history, peer)) for peer in PEERS]
        fastest = min((one for one in theirs if one), default=0.0)
        base = TIMES.get((target, "200 tools", "dragoman"))
        cells = [
            target, history, f"{mine:.2f}", *(f"{one:.1f}" if one else "" for one in theirs),
            f"{fastest / mine:.1f}" if fastest else "",
            f"{mine / base:.2f}" if base and history == "10,000" else "",
        ]  # fmt: skip
        rows.append(cells)
    head = ("target", "history", "us/message", *PEERS, "times faster", "growth")
    tables.add("Converting a request (`benchmarks/convert.py`)", head, rows, NOTES)
