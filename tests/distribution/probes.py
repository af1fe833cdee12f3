"""What each extra promises, done in an environment that has that extra alone.

Run with the Python of such an environment: `python -I probes.py EXTRA`. A probe uses public names
only and asks no other machine: a client that calls a closed port of this one must end in our
ConnectionFailed, which shows that everything up to the socket is installed.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dragoman
from dragoman import LLM, AsyncLLM, ConnectionFailed, Msg

CLOSED = "http://127.0.0.1:9"  # the port of "discard", which nothing listens on


def expect_connection_failed(ask: Callable[[], object]) -> None:
    """Call a model behind a closed port; anything but ConnectionFailed is a fault.

    Args:
        ask: The call.

    Raises:
        SystemExit: The call went through.
    """
    try:
        ask()
    except ConnectionFailed:
        return
    sys.exit("a call to a closed port was answered")


def ask_by_client(model: str, client: Any) -> None:
    """Ask by an official client, which calls a closed port."""
    expect_connection_failed(lambda: LLM(model, client=client, retries=0).ask("Hi"))


def check_nothing() -> None:
    """Write, read and convert; the command works."""
    written = dragoman.Formatter("anthropic").format_sync([Msg.user("Hi")])
    assert written, "a formatter wrote nothing"
    request = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]}
    out = dragoman.convert(
        request, source="openai-chat", target="anthropic", model="claude-opus-5-5"
    )
    assert out.body["messages"], "nothing was converted"
    command = Path(sys.executable).parent / "dragoman"
    ran = subprocess.run(
        [str(command), "convert", "-", "--to", "gemini", "--model", "gemini-3.5-flash"],
        input=json.dumps(request), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(ran.stdout)["contents"], ran.stderr


def check_openai() -> None:
    import openai

    ask_by_client("openai/gpt-5.6", openai.OpenAI(api_key="none", base_url=CLOSED))


def check_anthropic() -> None:
    import anthropic

    client = anthropic.Anthropic(api_key="none", base_url=CLOSED)
    ask_by_client("anthropic/claude-opus-5-5", client)


def check_gemini() -> None:
    from google import genai

    options = genai.types.HttpOptions(base_url=CLOSED)
    ask_by_client("gemini/gemini-3.5-flash", genai.Client(api_key="none", http_options=options))


def check_dashscope() -> None:
    import dashscope

    dashscope.api_key = "none"
    dashscope.base_http_api_url = CLOSED
    ask_by_client("dashscope/qwen-max", dashscope)


def check_ollama() -> None:
    import ollama

    ask_by_client("ollama/llama3", ollama.Client(host=CLOSED))


def check_bedrock() -> None:
    import boto3

    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=CLOSED,
        aws_access_key_id="none", aws_secret_access_key="none",
    )  # fmt: skip
    ask_by_client("bedrock/anthropic.claude-opus-5-5", client)


def check_mistral() -> None:
    from mistralai.client import Mistral

    ask_by_client("mistral/mistral-large-latest", Mistral(api_key="none", server_url=CLOSED))


def check_cohere() -> None:
    import cohere

    client = cohere.ClientV2(api_key="none", base_url=CLOSED)
    ask_by_client("cohere/command-a-03-2025", client)


def check_tokens() -> None:
    """Count by Mistral's own vocabulary, which its package ships."""
    import jinja2
    import tiktoken
    import tokenizers
    import transformers

    from dragoman.tokens import MistralTokenCounter

    loaded = (jinja2, tiktoken, tokenizers, transformers)
    assert all(module.__name__ for module in loaded)
    messages = [{"role": "user", "content": "Hi"}]
    count = asyncio.run(MistralTokenCounter("mistral-large-latest").count(messages))
    assert count > 0, "nothing was counted"


def check_speed() -> None:
    import orjson

    assert orjson.loads(orjson.dumps({})) == {}
    check_nothing()


def check_schema() -> None:
    """An answer is judged by its schema."""
    from dragoman.testing import Scripted

    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    script = Scripted('{"town": "Samarkand"}')
    llm = LLM("openai/gpt-5.6", key="none", transport=script)
    try:
        llm.ask("Where?", response_format=schema)
    except dragoman.InvalidOutput:
        return
    sys.exit("an answer without what its schema requires was taken")


def check_tools() -> None:
    """A function becomes a tool with what its docstring says."""

    def measure_warmth(city: str) -> str:
        """How warm it is.

        Args:
            city: Its name.
        """
        return city

    [tool] = dragoman.Toolkit([measure_warmth]).tools
    assert "Its name." in json.dumps(tool.parameters), "the docstring was not read"


def check_mcp() -> None:
    """A server of another process is started, and its tool is known."""
    from dragoman.toolkit import McpServer

    lines = [
        "from mcp.server.mcpserver import MCPServer",
        "def add(a: int, b: int) -> int: return a + b",
        "server = MCPServer('shelf')",
        "server.tool()(add)",
        "server.run('stdio')",
    ]
    with McpServer([sys.executable, "-c", "\n".join(lines)]) as server:
        assert [tool.name for tool in dragoman.Toolkit([server]).tools] == ["add"]


def check_prices() -> None:
    limits = dragoman.limits("anthropic/claude-opus-4-1")
    assert limits.context_window, "no table of context windows was found"


def check_http() -> None:
    llm = LLM("openai/gpt-5.6", key="none", base_url=CLOSED, retries=0)
    expect_connection_failed(lambda: llm.ask("Hi"))


def check_fast() -> None:
    async def ask() -> None:
        async with AsyncLLM(
            "openai/gpt-5.6", key="none", base_url=CLOSED, retries=0, transport="aiohttp"
        ) as llm:
            await llm.ask("Hi")

    expect_connection_failed(lambda: asyncio.run(ask()))


def check_google() -> None:
    import google.auth

    assert callable(google.auth.default)


def check_azure() -> None:
    from azure.identity import DefaultAzureCredential

    DefaultAzureCredential().close()


def check_gateway() -> None:
    """A gateway starts and says where."""
    command = [str(Path(sys.executable).parent / "dragoman"), "serve", "anthropic/claude-opus-5-5"]
    with subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "ANTHROPIC_API_KEY": "none"},
    ) as server:  # fmt: skip
        assert server.stdout is not None
        line = server.stdout.readline()
        server.terminate()
    assert "http://127.0.0.1:" in line, f"no address in {line!r}"


def check_otel() -> None:
    """A span is made and ends."""
    from opentelemetry.sdk.trace import TracerProvider

    with TracerProvider().get_tracer("dragoman").start_as_current_span("chat") as span:
        assert span.is_recording(), "no span was made"


def check_batch() -> None:
    """A file that is packed with zstd is read and written, and a table."""
    import pyarrow.parquet
    import zstandard

    body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "Hi"}]}
    Path("in.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(json.dumps(body).encode()))
    command = [str(Path(sys.executable).parent / "dragoman"), "batch", "convert", "in.jsonl.zst"]
    subprocess.run([*command, "-o", "out", "--to", "anthropic"], check=True)
    with zstandard.open("out/in.jsonl.zst") as file:
        assert json.loads(file.read())["messages"], "the record is not there"
    subprocess.run([*command, "-o", "out.parquet", "--to", "anthropic"], check=True)
    assert pyarrow.parquet.read_table("out.parquet").num_rows == 1, "the table has no record"


def check_all() -> None:
    """Every other probe, in one environment."""
    for name, check in PROBES.items():
        if name != "all":
            check()


PROBES: dict[str, Callable[[], None]] = {
    "nothing": check_nothing,
    "openai": check_openai,
    "anthropic": check_anthropic,
    "gemini": check_gemini,
    "dashscope": check_dashscope,
    "ollama": check_ollama,
    "bedrock": check_bedrock,
    "mistral": check_mistral,
    "cohere": check_cohere,
    "tokens": check_tokens,
    "speed": check_speed,
    "schema": check_schema,
    "tools": check_tools,
    "mcp": check_mcp,
    "prices": check_prices,
    "http": check_http,
    "fast": check_fast,
    "google": check_google,
    "azure": check_azure,
    "gateway": check_gateway,
    "otel": check_otel,
    "batch": check_batch,
    "all": check_all,
}

if __name__ == "__main__":
    PROBES[sys.argv[1]]()
