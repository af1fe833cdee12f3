"""`Written.sdk()`: each official client, called with it, sends the body that was written.

Every client sends to a server of the test, which keeps the JSON and refuses the request.
"""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, ServerTool, Tool, ToolChoice
from dragoman.message import (
    Base64Source,
    ImageBlock,
    ResponseFormat,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Written,
)

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(32))).decode()
CITY = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "which"},
        "days": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["city"],
}


class Server:
    """What arrived: the path, the headers in small letters, and the parsed body."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], Any]] = []
        got = self.got

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                got.append((self.path, headers, json.loads(data)))
                answer = b'{"error": {"message": "no", "type": "invalid_request_error"}}'
                self.send_response(400)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self.thread.start()

    def close(self) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.close()


def _openai(out: Written, url: str) -> Any:
    import openai

    client = openai.OpenAI(base_url=url, api_key="k", max_retries=0)
    if out.path.endswith("/responses"):
        return client.responses.create(**out.sdk())
    return client.chat.completions.create(**out.sdk())


def _anthropic(out: Written, url: str) -> Any:
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)
    return client.messages.create(**out.sdk())


def _gemini(out: Written, url: str) -> Any:
    from google import genai

    client = genai.Client(api_key="k", http_options={"base_url": url})
    if "streamGenerateContent" in out.path:
        return list(client.models.generate_content_stream(**out.sdk()))
    return client.models.generate_content(**out.sdk())


def _mistral(out: Written, url: str) -> Any:
    from mistralai.client import Mistral

    with Mistral(api_key="k", server_url=url) as client:
        return client.chat.complete(**out.sdk())


def _ollama(out: Written, url: str) -> Any:
    import ollama

    answer = ollama.Client(host=url).chat(**out.sdk())
    return list(answer) if out.body["stream"] else answer


def _cohere(out: Written, url: str) -> Any:
    import cohere

    client = cohere.ClientV2(api_key="k", base_url=url)
    arguments = out.sdk()
    return (
        list(client.chat_stream(**arguments))
        if out.body.get("stream")
        else client.chat(**arguments)
    )


def _bedrock(out: Written, url: str) -> Any:
    import boto3
    from botocore.config import Config

    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, aws_access_key_id="k",
        aws_secret_access_key="s", config=Config(retries={"max_attempts": 0}),
    )  # fmt: skip
    try:
        send = client.converse_stream if out.path.endswith("-stream") else client.converse
        return send(**out.sdk())
    finally:
        client.close()


def _dashscope(out: Written, url: str) -> Any:
    import dashscope
    from dashscope.api_entities.http_request import close_shared_sync_session

    dashscope.base_http_api_url = url
    multimodal = "multimodal" in out.path
    kind = dashscope.MultiModalConversation if multimodal else dashscope.Generation
    try:
        answer = kind.call(api_key="k", **out.sdk())
        return answer if hasattr(answer, "status_code") else list(answer)
    finally:
        close_shared_sync_session()


CLIENTS: dict[str, Callable[[Written, str], Any]] = {
    "openai-chat": _openai, "openai-responses": _openai, "anthropic": _anthropic,
    "gemini": _gemini, "mistral": _mistral, "ollama": _ollama, "cohere": _cohere,
    "bedrock-converse": _bedrock, "dashscope": _dashscope,
}  # fmt: skip


def request(**fields: Any) -> ChatRequest:
    """A request with media, thinking, a call and its result, tools and options."""
    call = ToolUseBlock("call_1", "weather", {"city": "Paris", "source": {"bytes": "aGk="}})
    thought = ThinkingBlock("Look first.", signature="c2lnbmVk")
    image = ImageBlock(Base64Source("image/png", PNG))
    return ChatRequest(
        [
            Msg.system("You are Friday."),
            Msg.user([TextBlock("What is this?"), image]),
            Msg.assistant([thought, TextBlock("I look."), call]),
            Msg.tool("call_1", "Rain.", "weather"),
            Msg.user("And now?"),
        ],
        tools=[Tool("weather", "of a city", CITY)],
        **{"tool_choice": ToolChoice("auto"), **fields},
    )


# (wire, model): hosts with fields that the client's signature lacks stand beside the makers
HOSTS = [
    ("openai", "gpt-5.6"), ("openai/openai-responses", "gpt-5.6"), ("deepseek", "deepseek-flash"),
    ("minimax", "MiniMax-M3"), ("zhipu", "glm-5"), ("vllm", "qwen3.6-35b"),
    ("openrouter", "anthropic/claude-opus-5-5"), ("moonshot", "kimi-k3"), ("groq", "gpt-oss"),
    ("xai", "grok-5"), ("anthropic", "claude-opus-5-5"), ("minimax/anthropic", "MiniMax-M3"),
    ("gemini", "gemini-3.8-flash"), ("mistral", "mistral-large-latest"), ("ollama", "qwen3-vl"),
    ("cohere", "command-a-vision-07-2025"), ("bedrock", "us.anthropic.claude-opus-5-5"),
    ("bedrock", "amazon.nova-pro-v1:0"), ("dashscope", "qwen3.7-plus"), ("dashscope", "qwen3-max"),
]  # fmt: skip


def sent(out: Written, protocol: str, server: Server) -> tuple[str, dict[str, str], Any]:
    """What the official client sends; it raises an error of its own at the refusal."""
    server.got.clear()
    with contextlib.suppress(Exception):
        CLIENTS[protocol](out, server.url)
    if not server.got:
        CLIENTS[protocol](out, server.url)  # it raised before it sent: show why
    return server.got[0]


def expected(out: Written, protocol: str) -> Any:
    """The body, with the defaults that a client writes out, and without what its types drop."""
    body = json.loads(json.dumps(out.body))
    match protocol:
        case "cohere":
            body.setdefault("stream", False)
        case "gemini":
            body.setdefault("generationConfig", {})
        case "mistral":
            body.setdefault("stream", False)
            for message in body["messages"]:
                if message["role"] == "assistant":
                    message.setdefault("prefix", False)
                for i, call in enumerate(message.get("tool_calls", ())):
                    call.setdefault("index", i)
        case "ollama":
            body.setdefault("tools", [])
            for message in body["messages"]:
                message.pop("tool_call_id", None)
                for call in message.get("tool_calls", ()):
                    del call["id"], call["type"]
        case _:
            pass
    return body


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("name", "model"), HOSTS)
def test_the_client_sends_the_body(name: str, model: str, stream: bool, server: Server) -> None:
    wire = dragoman.wire(name, policy="ignore")
    options = Options(
        max_tokens=3000, temperature=0.5, top_k=20, reasoning="high", stop=("END",), seed=7
    )
    out = wire.write_request(request(options=options, stream=stream), model)
    _, headers, body = sent(out, wire.room.protocol, server)
    assert body == expected(out, wire.room.protocol)
    for header, value in out.headers.items():
        assert headers[header.lower()] == value, header


@pytest.mark.parametrize(("name", "model"), HOSTS)
def test_it_sends_formats_and_server_tools(name: str, model: str, server: Server) -> None:
    wire = dragoman.wire(name, policy="ignore")
    form = ResponseFormat("schema", CITY, "city", strict=False)
    for fields in ({"response_format": form, "tools": []}, {"tools": [ServerTool("web_search")]}):
        req = ChatRequest([Msg.user("Pick a city. Answer in JSON.")], **fields)
        out = wire.write_request(req, model)
        assert sent(out, wire.room.protocol, server)[2] == expected(out, wire.room.protocol)


def test_extras_that_no_client_names_are_sent(server: Server) -> None:
    req = ChatRequest([Msg.user("Hi")], extras={"openai-chat": {"new_field": {"a": 1}}})
    out = dragoman.wire("openai").write_request(req, "gpt-5.6")
    assert out.sdk()["extra_body"] == {"new_field": {"a": 1}}
    assert sent(out, "openai-chat", server)[2] == out.body


def test_a_client_without_a_door_for_others_is_named() -> None:
    for name in ("mistral", "ollama"):
        req = ChatRequest([Msg.user("Hi")], extras={name: {"new_field": 1}})
        out = dragoman.wire(name, policy="ignore").write_request(req)
        with pytest.raises(dragoman.ConfigError, match="new_field"):
            out.sdk()


def test_a_schema_that_ollamas_types_would_cut_is_refused() -> None:
    nested = {"type": "object", "properties": {"at": CITY}}
    req = ChatRequest([Msg.user("Hi")], tools=[Tool("weather", "of a city", nested)])
    out = dragoman.wire("ollama", policy="ignore").write_request(req, "qwen3")
    with pytest.raises(dragoman.ConfigError, match=r"parameters\.properties\.at\.properties"):
        out.sdk()


def test_what_a_tool_says_is_no_bytes() -> None:
    out = dragoman.wire("bedrock", policy="ignore").write_request(request(), "amazon.nova-pro-v1:0")
    call = out.sdk()["messages"][1]["content"][-1]["toolUse"]
    assert call["input"]["source"] == {"bytes": "aGk="}
    image = out.sdk()["messages"][0]["content"][1]["image"]["source"]["bytes"]
    assert image == base64.b64decode(PNG)
    assert out.body["messages"][0]["content"][1]["image"]["source"]["bytes"] == PNG


def test_hosts_with_the_model_in_the_path_name_it_all_the_same() -> None:
    out = dragoman.wire("vertex/anthropic", policy="ignore").write_request(
        request(), "claude-opus-5-5"
    )
    assert "model" not in out.body
    assert out.sdk()["model"] == "claude-opus-5-5"


def test_an_answer_has_no_arguments() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}
    out = dragoman.convert(answer, "openai-chat", "anthropic", "response", policy="ignore")
    with pytest.raises(dragoman.ConfigError, match="sdk"):
        out.sdk()


ODD: list[tuple[str, Any]] = [
    ("dashscope", {"model": "m", "input": True, "parameters": {}}),
    ("dashscope", {"model": "m", "input": {"messages": []}, "parameters": []}),
    ("ollama", {"model": "m", "messages": [], "tools": [[[]]]}),
    ("ollama", {"model": "m", "messages": [], "tools": [{"type": "function", "function": "f"}]}),
    ("gemini", {"contents": [], "tools": 7}),
    ("bedrock-converse", {"messages": 7}),
]


@pytest.mark.parametrize(("name", "body"), ODD)
def test_a_body_that_no_client_takes_is_refused_by_name(name: str, body: Any) -> None:
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(wire.read_request(body))
    with contextlib.suppress(dragoman.ConfigError):
        assert isinstance(out.sdk(), dict)
