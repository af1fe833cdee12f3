"""A provider of four wires that answers as their documents say, for judges of gateways.

    python -m benchmarks.reference

prints its port. It calls the first tool where tools are given and no result stands last, writes
JSON to a schema where one is asked for, thinks where it is told to, and says a sentence elsewhere;
it refuses a request without what its wire requires. Written by hand and apart from the library, so
that nothing of ours judges itself; the judges' own scores of it stand beside those of the gateways.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

CREATED = 1_767_225_600
SENTENCE = "It is a long way, and most of it is road."
THOUGHT = "Let me see which way is shorter."
SIGNED = "c2lnbmVk"
IN, OUT, THINKING = 20, 12, 7
Event = tuple[str, Any]


@dataclass
class Asked:
    """What every wire's request comes to."""

    model: str
    stream: bool = False
    tools: list[tuple[str, Any]] = field(default_factory=list)  # names with their schemas
    answered: bool = False  # a result stands last, or no tool may be called
    schema: Any = None
    thinks: bool = False

    @property
    def call(self) -> tuple[str, Any] | None:
        """The tool that is called, with its arguments."""
        if not self.tools or self.answered:
            return None
        name, schema = self.tools[0]
        return name, instance(schema)

    @property
    def text(self) -> str:
        """What is said."""
        return SENTENCE if self.schema is None else json.dumps(instance(self.schema))

    @property
    def thought(self) -> str:
        """What is thought before."""
        return THOUGHT if self.thinks else ""

    @property
    def tokens(self) -> int:
        """How many went into the thought."""
        return THINKING if self.thinks else 0


class Refused(Exception):
    """The request lacks something."""


def instance(schema: Any) -> Any:
    """A value that a JSON Schema takes."""
    if not isinstance(schema, dict):
        return {}
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        if schema.get(key):
            return schema[key][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return instance(schema[key][0])
    kind = schema.get("type", "object")
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        return {name: instance(inner) for name, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema.get("items"))]
    return {"integer": 1, "number": 1.5, "boolean": True, "null": None}.get(kind, "Samarkand")


def halves(text: str) -> tuple[str, str]:
    """Two pieces of a text, as a stream brings it."""
    return text[: len(text) // 2], text[len(text) // 2 :]


def needed(body: dict[str, Any], *names: str) -> None:
    """Refuse a body that lacks one of these."""
    for name in names:
        if not body.get(name):
            raise Refused(f"{name}: field required")


# -- Chat Completions ------------------------------------------------------------------------------


def read_chat(body: dict[str, Any], _: web.Request) -> Asked:
    """A request of Chat Completions."""
    needed(body, "model", "messages")
    made = body.get("response_format") or {}
    return Asked(
        body["model"],
        bool(body.get("stream")),
        [(t["function"]["name"], t["function"].get("parameters")) for t in body.get("tools") or []],
        body["messages"][-1]["role"] == "tool" or body.get("tool_choice") == "none",
        made.get("json_schema", {}).get("schema"),
        body.get("reasoning_effort", "none") not in ("none", "minimal"),
    )


def chat_usage(asked: Asked) -> dict[str, Any]:
    """How much was used."""
    return {
        "prompt_tokens": IN, "completion_tokens": OUT, "total_tokens": IN + OUT,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": asked.tokens, "audio_tokens": 0,
            "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
        },
    }  # fmt: skip


def chat_calls(asked: Asked) -> list[dict[str, Any]]:
    """The call, as a message has it."""
    if asked.call is None:
        return []
    name, arguments = asked.call
    function = {"name": name, "arguments": json.dumps(arguments)}
    return [{"id": "call_1", "type": "function", "function": function}]


def chat_whole(asked: Asked, _: dict[str, Any]) -> dict[str, Any]:
    """A whole answer."""
    calls = chat_calls(asked)
    message = {"role": "assistant", "content": None if calls else asked.text, "refusal": None,
               "annotations": []}  # fmt: skip
    if calls:
        message["tool_calls"] = calls
    if asked.thinks:
        message["reasoning_content"] = asked.thought
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": CREATED, "model": asked.model,
        "choices": [{
            "index": 0, "message": message, "logprobs": None,
            "finish_reason": "tool_calls" if calls else "stop",
        }],
        "usage": chat_usage(asked), "service_tier": "default", "system_fingerprint": "fp_1",
    }  # fmt: skip


def chat_events(asked: Asked, body: dict[str, Any]) -> Iterator[Event]:
    """The same as a stream."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": CREATED,
            "model": asked.model, "service_tier": "default",
            "system_fingerprint": "fp_1"}  # fmt: skip

    def chunk(delta: dict[str, Any], reason: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return "", {**head, "choices": [choice]}

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    if asked.thinks:
        yield chunk({"reasoning_content": asked.thought})
    calls = chat_calls(asked)
    for index, call in enumerate(calls):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, **call, "function": function}]})
        for half in halves(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": half}}]})
    for half in () if calls else halves(asked.text):
        yield chunk({"content": half})
    yield chunk({}, "tool_calls" if calls else "stop")
    if (body.get("stream_options") or {}).get("include_usage"):
        yield "", {**head, "choices": [], "usage": chat_usage(asked)}
    yield "", "[DONE]"


# -- Responses -------------------------------------------------------------------------------------


def read_responses(body: dict[str, Any], _: web.Request) -> Asked:
    """A request of Responses."""
    needed(body, "model", "input")
    items = body["input"] if isinstance(body["input"], list) else []
    made = (body.get("text") or {}).get("format") or {}
    return Asked(
        body["model"],
        bool(body.get("stream")),
        [(t["name"], t.get("parameters")) for t in body.get("tools") or [] if "name" in t],
        bool(items and items[-1].get("type") == "function_call_output")
        or body.get("tool_choice") == "none",
        made.get("schema"),
        (body.get("reasoning") or {}).get("effort", "none") != "none",
    )


def response_items(asked: Asked) -> list[dict[str, Any]]:
    """What is put out."""
    items: list[dict[str, Any]] = []
    if asked.thinks:
        summary = [{"type": "summary_text", "text": asked.thought}]
        items.append({"id": "rs_1", "type": "reasoning", "summary": summary, "content": [],
                      "encrypted_content": "c2VhbGVk", "status": "completed"})  # fmt: skip
    if asked.call is not None:
        name, arguments = asked.call
        items.append({"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": name,
                      "arguments": json.dumps(arguments), "status": "completed"})  # fmt: skip
        return items
    text = {"type": "output_text", "text": asked.text, "annotations": [], "logprobs": []}
    items.append({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                  "content": [text]})  # fmt: skip
    return items


def response(asked: Asked, body: dict[str, Any], status: str, output: Any) -> dict[str, Any]:
    """The resource of a response."""
    done = status == "completed"
    tools = [{"description": None, "strict": None, **tool} for tool in body.get("tools") or []]
    reasoning = {"effort": None, "summary": None, **(body.get("reasoning") or {})}
    usage = {
        "input_tokens": IN, "output_tokens": OUT, "total_tokens": IN + OUT,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": asked.tokens},
    }  # fmt: skip
    return {
        "id": "resp_1", "object": "response", "created_at": CREATED,
        "completed_at": CREATED + 1 if done else None, "status": status,
        "incomplete_details": None, "model": asked.model, "previous_response_id": None,
        "instructions": body.get("instructions"), "output": output, "error": None, "tools": tools,
        "tool_choice": body.get("tool_choice", "auto"), "truncation": "disabled",
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "text": {"format": {"type": "text"}, **(body.get("text") or {})}, "top_p": 1,
        "presence_penalty": 0, "frequency_penalty": 0, "top_logprobs": 0, "temperature": 1,
        "reasoning": reasoning, "usage": usage if done else None,
        "max_output_tokens": body.get("max_output_tokens"), "max_tool_calls": None,
        "store": body.get("store", True), "background": False, "service_tier": "default",
        "metadata": {}, "safety_identifier": None,
        "prompt_cache_key": body.get("prompt_cache_key"),
    }  # fmt: skip


def responses_whole(asked: Asked, body: dict[str, Any]) -> dict[str, Any]:
    """A whole answer."""
    return response(asked, body, "completed", response_items(asked))


def responses_events(asked: Asked, body: dict[str, Any]) -> Iterator[Event]:
    """The same as a stream, each event with its number."""
    for number, (kind, payload) in enumerate(_responses_events(asked, body)):
        yield kind, {"type": kind, "sequence_number": number, **payload}


def _responses_events(asked: Asked, body: dict[str, Any]) -> Iterator[Event]:
    begun = response(asked, body, "in_progress", [])
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    items = response_items(asked)
    for index, item in enumerate(items):
        yield from _item_events(index, item)
    done = response(asked, body, "completed", items)
    yield "response.completed", {"response": done}


def _item_events(index: int, item: dict[str, Any]) -> Iterator[Event]:
    at = {"output_index": index, "item_id": item["id"]}
    empty = {"message": {"content": []}, "function_call": {"arguments": ""},
             "reasoning": {"summary": []}}[item["type"]]  # fmt: skip
    opened = {**item, **empty, "status": "in_progress"}
    yield "response.output_item.added", {"output_index": index, "item": opened}
    if item["type"] == "function_call":
        for half in halves(item["arguments"]):
            yield "response.function_call_arguments.delta", {**at, "delta": half}
        yield "response.function_call_arguments.done", {**at, "arguments": item["arguments"]}
    elif item["type"] == "message":
        part = item["content"][0]
        at["content_index"] = 0
        yield "response.content_part.added", {**at, "part": {**part, "text": ""}}
        for half in halves(part["text"]):
            yield "response.output_text.delta", {**at, "delta": half, "logprobs": []}
        yield "response.output_text.done", {**at, "text": part["text"], "logprobs": []}
        yield "response.content_part.done", {**at, "part": part}
    yield "response.output_item.done", {"output_index": index, "item": item}


def _kept(item: dict[str, Any]) -> dict[str, Any]:
    """What a user said, as it stays behind a compaction."""
    said = item["content"]
    content = [{"type": "input_text", "text": said}] if isinstance(said, str) else said
    return {"id": "msg_0", "status": "completed", **item, "content": content}


async def compact(request: web.Request) -> web.StreamResponse:
    """`/responses/compact`."""
    body = await request.json()
    try:
        needed(body, "model")
    except Refused as refused:
        return chat_refusal(str(refused))
    usage = response(Asked(body["model"]), body, "completed", [])["usage"]
    summary = {"id": "cmp_1", "type": "compaction", "encrypted_content": "c2VhbGVk"}
    return web.json_response({
        "id": "resp_2", "object": "response.compaction", "created_at": CREATED,
        "output": [*(_kept(i) for i in body["input"] if i.get("role") == "user"), summary],
        "usage": usage,
    })  # fmt: skip


# -- Messages --------------------------------------------------------------------------------------


def read_messages(body: dict[str, Any], _: web.Request) -> Asked:
    """A request of Messages."""
    needed(body, "model", "max_tokens", "messages")
    last = body["messages"][-1]["content"]
    answered = isinstance(last, list) and any(b["type"] == "tool_result" for b in last)
    made = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    return Asked(
        body["model"],
        bool(body.get("stream")),
        [(t["name"], t.get("input_schema")) for t in body.get("tools") or []],
        answered or (body.get("tool_choice") or {}).get("type") == "none",
        made.get("schema"),
        (body.get("thinking") or {}).get("type") in ("enabled", "adaptive"),
    )


def message_blocks(asked: Asked) -> list[dict[str, Any]]:
    """What an answer holds."""
    blocks: list[dict[str, Any]] = []
    if asked.thinks:
        blocks.append({"type": "thinking", "thinking": asked.thought, "signature": "c2lnbmVk"})
    if asked.call is None:
        return [*blocks, {"type": "text", "text": asked.text, "citations": None}]
    name, arguments = asked.call
    call = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
    return [*blocks, {**call, "caller": {"type": "direct"}}]


def messages_whole(asked: Asked, _: dict[str, Any]) -> dict[str, Any]:
    """A whole answer."""
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": asked.model,
        "content": message_blocks(asked), "stop_sequence": None, "stop_details": None,
        "stop_reason": "tool_use" if asked.call else "end_turn", "container": None,
        "usage": {
            "input_tokens": IN, "output_tokens": OUT, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0, "service_tier": "standard", "inference_geo": "global",
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens_details": {"thinking_tokens": asked.tokens}, "server_tool_use": None,
        },
    }  # fmt: skip


def messages_events(asked: Asked, body: dict[str, Any]) -> Iterator[Event]:
    """The same as a stream."""
    for kind, payload in _messages_events(messages_whole(asked, body)):
        yield kind, {"type": kind, **payload}


def _messages_events(whole: dict[str, Any]) -> Iterator[Event]:
    usage = {**whole["usage"], "output_tokens": 1}
    opened = {**whole, "content": [], "stop_reason": None, "usage": usage}
    yield "message_start", {"message": opened}
    for index, block in enumerate(whole["content"]):
        kind = block["type"]
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""},
                 "tool_use": {"input": {}}}[kind]  # fmt: skip
        yield "content_block_start", {"index": index, "content_block": {**block, **empty}}
        for delta in _deltas(block):
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": delta, "usage": {"output_tokens": OUT}}
    yield "message_stop", {}


def _deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        for half in halves(block["text"]):
            yield {"type": "text_delta", "text": half}
    elif block["type"] == "thinking":
        yield {"type": "thinking_delta", "thinking": block["thinking"]}
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        for half in halves(json.dumps(block["input"])):
            yield {"type": "input_json_delta", "partial_json": half}


# -- Gemini ----------------------------------------------------------------------------------------


def read_gemini(body: dict[str, Any], request: web.Request) -> Asked:
    """A request of Gemini; the model and whether it streams stand in the path."""
    needed(body, "contents")
    model, _, method = request.match_info["call"].rpartition(":")
    tools = [
        (one["name"], one.get("parameters") or one.get("parametersJsonSchema"))
        for tool in body.get("tools") or []
        for one in tool.get("functionDeclarations") or tool.get("function_declarations") or []
    ]
    last = body["contents"][-1].get("parts") or [{}]
    made = body.get("generationConfig") or {}
    thinking = made.get("thinkingConfig") or {}
    return Asked(
        model,
        method == "streamGenerateContent",
        tools,
        "functionResponse" in last[-1],
        made.get("responseSchema") or made.get("responseJsonSchema"),
        bool(thinking.get("includeThoughts")),
    )


def gemini_chunk(asked: Asked, parts: list[Any], reason: str = "STOP") -> dict[str, Any]:
    """One answer, or one piece of it."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if reason:
        candidate["finishReason"] = reason
    usage = {
        "promptTokenCount": IN, "candidatesTokenCount": OUT,
        "totalTokenCount": IN + OUT + asked.tokens,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": IN}],
    }  # fmt: skip
    if asked.thinks:
        usage["thoughtsTokenCount"] = asked.tokens
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": asked.model,
            "responseId": "gemini-1"}  # fmt: skip


def gemini_parts(asked: Asked) -> list[dict[str, Any]]:
    """What an answer holds; its last part is signed, as Gemini 3 does without being asked."""
    parts: list[dict[str, Any]] = []
    if asked.thinks:
        parts.append({"text": asked.thought, "thought": True})
    if asked.call is None:
        return [*parts, {"text": asked.text, "thoughtSignature": SIGNED}]
    name, arguments = asked.call
    call = {"id": "call_1", "name": name, "args": arguments}
    return [*parts, {"functionCall": call, "thoughtSignature": SIGNED}]


def gemini_whole(asked: Asked, _: dict[str, Any]) -> dict[str, Any]:
    """A whole answer."""
    return gemini_chunk(asked, gemini_parts(asked))


def gemini_events(asked: Asked, _: dict[str, Any]) -> Iterator[Event]:
    """The same as a stream."""
    *before, last = gemini_parts(asked)
    for part in before:
        yield "", gemini_chunk(asked, [part], "")
    if "text" in last:
        first, rest = halves(last["text"])
        yield "", gemini_chunk(asked, [{"text": first}], "")
        last = {**last, "text": rest}
    yield "", gemini_chunk(asked, [last])


# -- the server ------------------------------------------------------------------------------------


def chat_refusal(why: str) -> web.Response:
    """A refusal of OpenAI's."""
    error = {"message": why, "type": "invalid_request_error", "param": None, "code": None}
    return web.json_response({"error": error}, status=400)


def messages_refusal(why: str) -> web.Response:
    """A refusal of Anthropic's."""
    error = {"type": "invalid_request_error", "message": why}
    return web.json_response({"type": "error", "error": error, "request_id": "req_1"}, status=400)


def gemini_refusal(why: str) -> web.Response:
    """A refusal of Google's."""
    error = {"code": 400, "message": why, "status": "INVALID_ARGUMENT"}
    return web.json_response({"error": error}, status=400)


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def answering(read: Any, whole: Any, events: Any, refusal: Any) -> Handler:
    """What serves one wire."""

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        try:
            asked: Asked = read(body, request)
        except Refused as refused:
            made: web.Response = refusal(str(refused))
            return made
        if not asked.stream:
            return web.json_response(whole(asked, body))
        stream = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await stream.prepare(request)
        for kind, payload in events(asked, body):
            data = payload if isinstance(payload, str) else json.dumps(payload)
            name = f"event: {kind}\n" if kind else ""
            await stream.write(f"{name}data: {data}\n\n".encode())
            await asyncio.sleep(0)
        return stream

    return handle


async def models(_: web.Request) -> web.Response:
    """The list of models of OpenAI's."""
    model = {"id": "gpt-5", "object": "model", "created": CREATED, "owned_by": "reference"}
    return web.json_response({"object": "list", "data": [model]})


def application() -> web.Application:
    """The paths of the four wires."""
    chat = answering(read_chat, chat_whole, chat_events, chat_refusal)
    responses = answering(read_responses, responses_whole, responses_events, chat_refusal)
    messages = answering(read_messages, messages_whole, messages_events, messages_refusal)
    gemini = answering(read_gemini, gemini_whole, gemini_events, gemini_refusal)
    app = web.Application(client_max_size=2**26)
    app.add_routes([
        web.get("/v1/models", models),
        web.post("/v1/chat/completions", chat),
        web.post("/v1/responses", responses),
        web.post("/v1/responses/compact", compact),
        web.post("/v1/messages", messages),
        web.post("/{version:v1|v1beta}/models/{call:.+}", gemini),
    ])  # fmt: skip
    return app


async def main() -> None:
    """Serve until the process is ended."""
    runner = web.AppRunner(application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
