"""What breaks coding agents through other gateways: each complaint is a test, with its issues."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import pytest

from dragoman.errors import Overloaded
from dragoman.gateway import http_client
from dragoman.gateway.config.config_values import Config, Limits, Target, config_for
from dragoman.gateway.exchange.exchange import GatewayExchange
from dragoman.gateway.exchange.open_exchange import Gateway
from dragoman.gateway.surfaces import ClientRequest
from dragoman.llm.names import model_name
from dragoman.message import ImageBlock, TextBlock, ToolUseBlock
from dragoman.stream.framing import Decoder
from dragoman.testing import Fault, StrictServer
from tests.gateway.clients.serving import served
from tests.gateway.clients.test_answers import PNG, answered
from tests.gateway.clients.thoughts import THINKERS

QUESTION = {"role": "user", "content": "How warm is Samarkand?"}
CALL = ToolUseBlock("call_1", "warmth", {"city": "Samarkand"})
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ANTHROPIC_TOOL = {"name": "warmth", "description": "How warm it is.", "input_schema": SCHEMA}
CHAT_TOOL = {"type": "function", "function": {"name": "warmth", "parameters": SCHEMA}}


@dataclass
class Asked:
    """A client inside of this process, and the upstream that it reaches."""

    http: httpx2.Client
    judge: StrictServer

    def post(self, path: str, body: Any, **headers: str) -> httpx2.Response:
        names = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.http.post(f"http://gateway.test{path}", json=body, headers=names)

    def sent(self, nth: int = -1) -> Any:
        """The body of a call to the upstream, after nothing was wrong with any."""
        assert not any(self.judge.judged), self.judge.judged
        return json.loads(self.judge.calls[nth].body)


Onto = Callable[..., Asked]


@pytest.fixture
def onto() -> Iterator[Onto]:
    """`onto(model, *answers)`: a client of a gateway onto that model."""
    with ExitStack() as open_things:

        def start(
            model: str, *answers: Any, change: Callable[[Config], Config] | None = None
        ) -> Asked:
            name = model_name(model)
            judge = StrictServer(f"{name.host.name}/{name.protocol}", *answers)
            open_things.enter_context(judge)
            config = config_for(model, key="k", base_url=judge.url)
            config = config if change is None else change(config)
            return Asked(open_things.enter_context(http_client(config)), judge)

        yield start


def exchange(model: str, path: str, body: Any) -> GatewayExchange:
    """An exchange without sockets, whose call has been written."""
    request = ClientRequest("POST", path, headers={}, body=json.dumps(body).encode())
    begun = Gateway(config_for(model, key="k")).open(request)
    assert isinstance(begun, GatewayExchange)
    begun.call()
    return begun


def relayed(begun: GatewayExchange, *chunks: Any) -> bytes:
    """What the client gets for a stream of these events, JSON or text."""
    relay = begun.open_relay()
    out = b""
    for chunk in chunks:
        text = chunk if isinstance(chunk, str) else json.dumps(chunk)
        out += relay.feed(b"data: " + text.encode() + b"\n\n")
    return out + relay.finish()


def events(data: bytes) -> list[Any]:
    """The JSON of the events of a stream."""
    decoder = Decoder("sse")
    told = [*decoder.feed(data), *decoder.flush()]
    return [json.loads(event.data) for event in told if event.data != "[DONE]"]


def messages(stream: bool = False, **more: Any) -> dict[str, Any]:
    """A request in Anthropic's words."""
    return {"model": "m", "max_tokens": 99, "messages": [QUESTION], "stream": stream, **more}


# -- thoughts --------------------------------------------------------------------------------------


def test_thinking_signatures_come_back_unaltered_and_never_go_to_another_model(onto: Onto) -> None:
    """CLIProxyAPI#2172, opencode#25005."""
    signature = base64.b64encode(b"only Anthropic reads this" * 4).decode()
    history = [
        QUESTION,
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "I look.", "signature": signature},
            {"type": "tool_use", "id": "toolu_1", "name": "warmth", "input": {"city": "Samarkand"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "31"}]},
    ]  # fmt: skip
    body = messages(messages=history, tools=[ANTHROPIC_TOOL], thinking={"type": "adaptive"})
    own = onto("anthropic/claude-opus-5-5", "31 degrees.")
    assert own.post("/v1/messages", body).status_code == 200
    assert own.sent()["messages"] == history
    for model in ("gemini/gemini-3.8-flash", "openai/openai-responses/gpt-5.6"):
        other = onto(model, "31 degrees.")
        answer = other.post("/v1/messages", body)
        assert answer.status_code == 200
        assert signature.encode() not in other.judge.calls[0].body
        assert "thinking." in answer.headers["x-dragoman-losses"]


def test_geminis_thought_signature_survives_and_the_call_id_stays_an_id(onto: Onto) -> None:
    """litellm#16893, new-api#5528."""
    gemini = THINKERS["gemini"]
    asked = onto(gemini.model, *gemini.answers)
    body: Any = {"model": "m", "messages": [QUESTION], "tools": [CHAT_TOOL]}
    message = asked.post("/v1/chat/completions", body).json()["choices"][0]["message"]
    [call] = message["tool_calls"]
    assert len(call["id"]) <= 64
    # as opencode does: nothing of the message but its calls
    body["messages"] += [{"role": "assistant", "content": None, "tool_calls": [call]},
                         {"role": "tool", "tool_call_id": call["id"], "content": "31"}]  # fmt: skip
    assert asked.post("/v1/chat/completions", body).status_code == 200
    assert gemini.states(asked.sent()) == gemini.kept[0]


def test_deepseek_gets_its_reasoning_from_a_client_that_returns_encrypted_content_alone(
    onto: Onto,
) -> None:
    """CLIProxyAPI#3451."""
    deepseek = THINKERS["deepseek"]
    asked = onto(deepseek.model, *deepseek.answers)
    tool = {"type": "function", "name": "warmth", "parameters": SCHEMA, "strict": False}
    body: Any = {"model": "m", "input": [{"role": "user", "content": "How warm?"}], "store": False,
                 "tools": [tool], "include": ["reasoning.encrypted_content"]}  # fmt: skip
    output = asked.post("/v1/responses", body).json()["output"]
    for item in output:
        if item["type"] == "reasoning":
            item["summary"] = []
            item.pop("content", None)
    result = {"type": "function_call_output", "call_id": output[-1]["call_id"], "output": "31"}
    body["input"] += [*output, result]
    assert asked.post("/v1/responses", body).status_code == 200
    assert deepseek.states(asked.sent()) == deepseek.kept[0]


# -- fields, headers, tools ------------------------------------------------------------------------


def test_new_beta_fields_and_headers_reach_nobody_who_refuses_them(onto: Onto) -> None:
    """litellm#26240, litellm#27532, claude-code#21612."""
    body = messages(
        context_management={"edits": [{"type": "clear_tool_uses_20250919"}]},
        metadata={"user_id": "user_1"}, a_field_of_tomorrow={"on": True},
    )  # fmt: skip
    beta = "context-management-2025-06-27,a-beta-of-tomorrow-2027-01-01"
    for model in ("openai/openai-chat/gpt-5.6", "gemini/gemini-3.8-flash", "ollama/qwen3"):
        asked = onto(model, "31 degrees.")
        answer = asked.post("/v1/messages?beta=true", body, anthropic_beta=beta)
        assert answer.status_code == 200
        assert "a_field_of_tomorrow" not in json.dumps(asked.sent())
        assert not any("anthropic" in name.lower() for name in asked.judge.calls[0].headers)
        assert "extras.other_provider" in answer.headers["x-dragoman-losses"]


PATCH = {"type": "custom", "name": "apply_patch", "description": "Edit files.",
         "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/s"}}  # fmt: skip


@pytest.mark.parametrize("model", ["deepseek/deepseek-v4-pro", "anthropic/claude-opus-5-5",
                                   "gemini/gemini-3.8-flash"])  # fmt: skip
@pytest.mark.parametrize("grouped", [False, True], ids=["tools", "additional_tools"])
def test_codex_custom_tools_and_namespaces_arrive_and_are_called(
    onto: Onto, model: str, grouped: bool
) -> None:
    """litellm#27655, litellm#35878, codex#32318."""
    signed = {"gemini": {"thoughtSignature": "c2lnbmVk"}} if model.startswith("gemini") else None
    tools: list[Any] = [PATCH]
    if grouped:
        tools = [
            {"type": "namespace", "name": "editing", "description": "Files.", "tools": [PATCH]}
        ]
    question = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "Go"}],
    }
    body: Any = {"model": "m", "input": [question], "store": False, "stream": False}
    if grouped:
        body["input"].insert(0, {"type": "additional_tools", "role": "developer", "tools": tools})
    else:
        body["tools"] = tools
    names: list[str] = []

    def call(req: Any) -> Any:
        names.extend(tool.name for tool in req.tools)
        use = ToolUseBlock("call_1", req.tools[0].name, {"input": "*** Begin Patch"}, extras=signed)
        return answered(use, finish="tool_calls")

    asked = onto(model, call)
    answer = asked.post("/v1/responses", body)
    assert answer.status_code == 200, answer.text
    assert not any(asked.judge.judged)
    [name] = names
    assert "apply_patch" in name
    [item] = [one for one in answer.json()["output"] if one["type"] != "reasoning"]
    assert (item["type"], item["name"], item["input"]) == (
        "custom_tool_call",
        "apply_patch",
        "*** Begin Patch",
    )


@pytest.mark.parametrize("way", ["compact", "trigger", "streamed trigger"])
def test_codex_compaction_works_where_the_provider_has_none(onto: Onto, way: str) -> None:
    """copilot-api#359, CLIProxyAPI#5857."""
    asked = onto("anthropic/claude-opus-5-5", "The user wants to know how warm it is.", "31.")
    question = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "Go"}],
    }
    body: Any = {"model": "m", "input": [question], "store": False}
    if way == "compact":
        output = asked.post("/v1/responses/compact", body).json()["output"]
    else:
        body["input"].append({"type": "compaction_trigger"})
        answer = asked.post("/v1/responses", {**body, "stream": way != "trigger"})
        assert answer.status_code == 200
        if way == "trigger":
            output = answer.json()["output"]
        else:
            output = events(answer.content)[-1]["response"]["output"]
    assert output[-1]["type"] == "compaction"
    after = {**body, "input": [*output, {**question, "content": "Go on."}]}
    assert asked.post("/v1/responses", after).status_code == 200
    assert "The user wants to know how warm it is." in json.dumps(asked.sent()["messages"])


def test_an_upgrade_to_a_websocket_is_answered_with_426() -> None:
    """codex-lb#1886."""
    with served() as running, httpx2.Client() as http:
        running.app.reload(config_for("anthropic/claude-opus-5-5", key="k"))
        upgrade = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13",
                   "sec-websocket-key": "x3JJHMbDL1EzLkh9GBhXDw=="}  # fmt: skip
        answer = http.get(f"{running.url}/v1/responses", headers=upgrade)
    assert answer.status_code == 426
    assert "HTTP" in answer.json()["error"]["message"]


# -- streams ---------------------------------------------------------------------------------------


def test_a_chat_stream_ends_in_done_and_tells_the_reasoning_tokens(onto: Onto) -> None:
    """CLIProxyAPI#5028, bifrost#891."""
    thinker = THINKERS["openai-responses"]
    asked = onto(thinker.model, thinker.answers[1])
    body = {"model": "m", "messages": [QUESTION], "stream": True,
            "stream_options": {"include_usage": True}}  # fmt: skip
    data = asked.post("/v1/chat/completions", body).content
    assert data.endswith(b"data: [DONE]\n\n")
    assert data.count(b"[DONE]") == 1
    usage = [event["usage"] for event in events(data) if event.get("usage")]
    assert [one["completion_tokens_details"]["reasoning_tokens"] for one in usage] == [3]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages"])
def test_nothing_tells_of_success_behind_a_failure(onto: Onto, path: str) -> None:
    """openclaw#113629."""
    error = Overloaded("no capacity", status=529, type="overloaded_error")
    asked = onto(
        "anthropic/claude-opus-5-5", Fault("Warm and dry, I should say.", error=error, after=5)
    )
    body = {**messages(stream=True), "input": "How warm is Samarkand?"}
    if path != "/v1/messages":
        del body["max_tokens"]
    del body["messages" if path == "/v1/responses" else "input"]
    data = asked.post(path, body).content
    assert b"no capacity" in data
    for success in (b"[DONE]", b"response.completed", b"message_stop", b'"finish_reason":"stop"'):
        assert success not in data.partition(b"no capacity")[2]


def test_message_start_tells_the_tokens_that_the_upstream_has_told() -> None:
    """vercel/ai#17326."""
    usage = {"promptTokenCount": 1234, "totalTokenCount": 1234}
    part = {"content": {"parts": [{"text": "Warm."}], "role": "model"}}
    begun = exchange("gemini/gemini-3.8-flash", "/v1/messages", messages(stream=True))
    data = relayed(begun, {"candidates": [part], "usageMetadata": usage}, {
        "candidates": [{**part, "finishReason": "STOP"}],
        "usageMetadata": {**usage, "candidatesTokenCount": 2, "totalTokenCount": 1236},
    })  # fmt: skip
    first, last = events(data)[0], events(data)[-2]
    assert first["message"]["usage"]["input_tokens"] == 1234
    assert last["usage"]["output_tokens"] == 2


def limited(keep_alive: float, stall: float) -> Callable[[Config], Config]:
    return lambda config: replace(config, limits=Limits(keep_alive=keep_alive, stall=stall))


def test_silence_is_bridged_by_signs_of_life() -> None:
    """litellm#36024."""
    with (
        served() as running,
        httpx2.Client() as http,
        StrictServer("openai", Fault("Warm and dry.", pause=0.15)) as judge,
    ):
        config = config_for("openai/openai-chat/gpt-5.6", key="k", base_url=judge.url)
        running.app.reload(limited(0.05, 20)(config))
        data = http.post(f"{running.url}/v1/messages", json=messages(stream=True)).content
    assert b"event: ping" in data
    kinds = [event["type"] for event in events(data) if event["type"] != "ping"]
    assert (kinds[0], kinds[-1]) == ("message_start", "message_stop")


def test_signs_of_life_do_not_hide_a_dead_upstream() -> None:
    """sub2api#1707."""
    with (
        served() as running,
        httpx2.Client() as http,
        StrictServer("openai", Fault("Warm and dry.", pause=2.0)) as judge,
    ):
        config = config_for("openai/openai-chat/gpt-5.6", key="k", base_url=judge.url)
        running.app.reload(limited(0.05, 0.3)(config))
        data = http.post(f"{running.url}/v1/messages", json=messages(stream=True)).content
    assert b"event: ping" in data
    last = events(data)[-1]
    assert last["type"] == "error"
    assert "the provider sent nothing for 0.3 seconds" in last["error"]["message"]


def test_calls_without_arguments_and_calls_that_mingle_become_whole_blocks_in_turn() -> None:
    """agentgateway#3002, litellm#24355, bifrost#3441."""

    def delta(**fields: Any) -> Any:
        return {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m",
                "choices": [{"index": 0, "delta": fields, "finish_reason": None}]}  # fmt: skip

    def piece(index: int, arguments: str, **more: Any) -> Any:
        return {
            "index": index,
            "function": {"arguments": arguments, **more.pop("function", {})},
            **more,
        }

    begun = exchange("openai/openai-chat/gpt-4.1", "/v1/messages", messages(stream=True))
    data = relayed(
        begun,
        delta(role="assistant", tool_calls=[
            piece(0, "", id="call_1", type="function", function={"name": "warmth"})]),
        delta(tool_calls=[piece(1, "", id="call_2", type="function", function={"name": "look"})]),
        delta(tool_calls=[piece(0, '{"city": ')]),
        delta(tool_calls=[
            piece(2, '{"ci', id="call_3", type="function", function={"name": "warmth"})]),
        delta(tool_calls=[piece(0, '"Merv"}'), piece(2, 'ty": "Buchara"}')]),
        {**delta(), "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        "[DONE]",
    )  # fmt: skip
    arguments: dict[int, str] = {}
    names: dict[int, str] = {}
    open_block: int | None = None
    for event in events(data):
        match event:
            case {"type": "content_block_start", "index": index, "content_block": block}:
                assert open_block is None
                open_block, names[index], arguments[index] = index, block["name"], ""
            case {"type": "content_block_delta", "index": index, "delta": change}:
                assert index == open_block
                arguments[index] += change["partial_json"]
            case {"type": "content_block_stop", "index": index}:
                assert index == open_block
                open_block = None
            case other:
                assert other["type"].startswith("message_")
    assert [(names[i], json.loads(arguments[i] or "{}")) for i in sorted(names)] == [
        ("warmth", {"city": "Merv"}), ("look", {}), ("warmth", {"city": "Buchara"}),
    ]  # fmt: skip


def test_empty_arguments_in_a_history_become_an_empty_object(onto: Onto) -> None:
    """agentgateway#3002."""
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": ""}}
    history = [QUESTION, {"role": "assistant", "content": None, "tool_calls": [call]},
               {"role": "tool", "tool_call_id": "call_1", "content": "31"}]  # fmt: skip
    for model in ("anthropic/claude-opus-5-5", "gemini/gemini-3.8-flash", "ollama/qwen3"):
        asked = onto(model, "31 degrees.")
        answer = asked.post("/v1/chat/completions", {"model": "m", "messages": history})
        assert answer.status_code == 200
        asked.sent()
        [use] = [one for m in asked.judge.requests[0].messages for one in m.blocks
                 if type(one) is ToolUseBlock]  # fmt: skip
        assert use.input == {}


# -- caches, media, schemas, retries ---------------------------------------------------------------


@pytest.mark.parametrize("model", ["openai/openai-chat/gpt-5.6", "openai/openai-responses/gpt-5.6",
                                   "gemini/gemini-3.8-flash", "ollama/qwen3"])  # fmt: skip
def test_the_prefix_of_the_next_turn_is_the_last_one_byte_for_byte(onto: Onto, model: str) -> None:
    """sub2api#4926, openclaw#78747."""
    signed = {"gemini": {"thoughtSignature": "c2lnbmVk"}} if model.startswith("gemini") else None
    use = replace(CALL, extras=signed)
    asked = onto(model, answered(TextBlock("I look."), use, finish="tool_calls"), "31.", "Bye.")
    body = messages(tools=[ANTHROPIC_TOOL], system="Be brief.")
    answer = asked.post("/v1/messages", body).json()
    result = {"type": "tool_result", "tool_use_id": answer["content"][-1]["id"], "content": "31"}
    body["messages"] = [*body["messages"], {"role": "assistant", "content": answer["content"]},
                        {"role": "user", "content": [result]}]  # fmt: skip
    answer = asked.post("/v1/messages", body).json()
    body["messages"] = [*body["messages"], {"role": "assistant", "content": answer["content"]},
                        {"role": "user", "content": "Thanks."}]  # fmt: skip
    assert asked.post("/v1/messages", body).status_code == 200
    sent = [asked.sent(nth) for nth in range(3)]
    histories = [one.get("messages") or one.get("input") or one.get("contents") for one in sent]
    texts = [json.dumps(history) for history in histories]
    assert texts[1].startswith(texts[0][:-1])
    assert texts[2].startswith(texts[1][:-1])
    rest = [{name: one[name] for name in one if one[name] is not history}
            for one, history in zip(sent, histories, strict=True)]  # fmt: skip
    assert json.dumps(rest[0]) == json.dumps(rest[1]) == json.dumps(rest[2])


@pytest.mark.parametrize("model", ["openai/openai-chat/gpt-5.6", "openai/openai-responses/gpt-5.6",
                                   "gemini/gemini-3.8-flash"])  # fmt: skip
def test_images_in_tool_results_arrive(onto: Onto, model: str) -> None:
    """llama.cpp#22536."""
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
    history = [
        QUESTION,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "warmth",
                                           "input": {"city": "Samarkand"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1",
                                      "content": [{"type": "image", "source": source}]}]},
    ]  # fmt: skip
    asked = onto(model, "31 degrees.")
    answer = asked.post("/v1/messages", messages(messages=history, tools=[ANTHROPIC_TOOL]))
    assert answer.status_code == 200
    asked.sent()
    found = []
    for m in asked.judge.requests[0].messages:
        for block in m.blocks:
            inner: Any = getattr(block, "output", None)
            found += [one for one in (block, *(inner if isinstance(inner, list) else ()))
                      if type(one) is ImageBlock]  # fmt: skip
    assert [base64.b64decode(image.source.data) for image in found] == [PNG]  # type: ignore[union-attr]


def test_keywords_of_schemas_that_gemini_refuses_are_left_out(onto: Onto) -> None:
    """CLIProxyAPI#4754."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "pattern": "^[A-Z]"},
            "day": {"type": "integer", "exclusiveMinimum": 0},
            "unit": {"const": "C"}, "where": {"$ref": "#/$defs/Place"},
        },
        "$defs": {"Place": {"type": ["string", "null"]}},
        "required": ["city"], "additionalProperties": False,
    }  # fmt: skip
    asked = onto("gemini/gemini-3.8-flash", "31 degrees.")
    tool = {"name": "warmth", "description": "How warm it is.", "input_schema": schema}
    assert asked.post("/v1/messages", messages(tools=[tool])).status_code == 200
    [declared] = asked.sent()["tools"][0]["functionDeclarations"]
    parameters = declared.get("parametersJsonSchema") or declared["parameters"]
    assert set(parameters["properties"]) == {"city", "day", "unit", "where"}


@pytest.mark.parametrize("model", ["anthropic/claude-opus-5-5", "openai/openai-chat/gpt-5.6"])
def test_an_overload_in_mid_stream_keeps_its_type(onto: Onto, model: str) -> None:
    """envoy#2697."""
    error = Overloaded("no capacity", status=503, type="overloaded_error")
    asked = onto(model, Fault("Warm and dry, I should say.", error=error, after=5))
    last = events(asked.post("/v1/messages", messages(stream=True)).content)[-1]
    assert last["error"] == {"type": "overloaded_error", "message": "no capacity"}


def test_an_overload_as_the_first_event_goes_to_the_next_target(onto: Onto) -> None:
    """litellm#29808."""
    error = Overloaded("no capacity", status=529, type="overloaded_error")
    with StrictServer("openai", "Warm and dry.") as second:

        def fall_back(config: Config) -> Config:
            [route] = config.routes
            spare = Target("openai/openai-chat/gpt-5.6", secret="k", base_url=second.url)
            return replace(config, routes=(replace(route, fallbacks=(spare,)),))

        fault = Fault("Warm.", error=error, after=0)
        asked = onto("anthropic/claude-opus-5-5", fault, change=fall_back)
        data = asked.post("/v1/messages", messages(stream=True)).content
        assert len(second.requests) == 1
    texts = [event["delta"].get("text", "") for event in events(data)
             if event["type"] == "content_block_delta"]  # fmt: skip
    assert "".join(texts) == "Warm and dry."
    assert b"error" not in data


def test_a_count_of_0_never_reaches_the_client(onto: Onto) -> None:
    """sub2api#657, CLIProxyAPI#679. An estimate takes its place."""
    asked = onto("anthropic/claude-opus-5-5")
    asked.judge.tokens = 0
    body = {"model": "m", "messages": [QUESTION]}
    estimated = asked.post("/v1/messages/count_tokens", body)
    assert estimated.status_code == 200
    assert 5 <= estimated.json()["input_tokens"] <= 40
    asked.judge.tokens = 4711
    assert asked.post("/v1/messages/count_tokens", body).json() == {"input_tokens": 4711}
