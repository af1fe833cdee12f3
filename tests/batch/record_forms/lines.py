"""Lines of providers' batch files as their documentation shows them, and judges of those we write.

Pages and types: see `protocols/*/batch.py`. The judges are the official SDKs' own types, and the
judges of bodies in `tests/contract`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pydantic
from anthropic.types.messages import MessageBatchIndividualResponse, batch_create_params
from google.genai import types as gemini
from mistralai.client import models as mistral
from openai.types import responses
from openai.types.chat import ChatCompletion

from tests.contract.judges import judge_request

__all__ = ["ANSWERS", "FAILURES", "REQUESTS", "judge_line", "judge_result"]

_USER = [{"role": "user", "content": "Hi"}]
_CONTENTS = [{"role": "user", "parts": [{"text": "Hi"}]}]
_TOOL = {"name": "look", "description": "Look.", "parameters": {
    "type": "object", "properties": {"x": {"type": "string"}},
}}  # fmt: skip
_CLAUDE = {"max_tokens": 9, "messages": _USER}
_INVOKE = {"anthropic_version": "bedrock-2023-05-31", **_CLAUDE}
_CONVERSE = {
    "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
    "inferenceConfig": {"maxTokens": 9},
}  # fmt: skip
_OF_VERTEX = {"contents": _CONTENTS, "labels": {"custom_id": "a1"}}
_CLAUDE_OF_VERTEX = {"anthropic_version": "vertex-2023-10-16", **_CLAUDE}

REQUESTS: dict[str, Any] = {
    "openai-batch": {
        "custom_id": "a1", "method": "POST", "url": "/v1/chat/completions", "body": {
            "model": "gpt-4.1", "messages": [{"role": "system", "content": "Be kind."}, *_USER],
            "tools": [{"type": "function", "function": _TOOL}], "max_completion_tokens": 64,
        },
    },
    "openai-responses-batch": {
        "custom_id": "a1", "method": "POST", "url": "/v1/responses",
        "body": {"model": "gpt-5.6", "input": "Hi"},
    },
    "mistral-batch": {"custom_id": "a1", "body": {"messages": _USER, "max_tokens": 9}},
    "anthropic-batch": {"custom_id": "a1", "params": {"model": "claude-opus-5-5", **_CLAUDE}},
    "gemini-batch": {
        "key": "a1", "request": {"contents": _CONTENTS, "generation_config": {"topP": 0.5}},
    },
    "bedrock-invoke-batch": {"recordId": "a1", "modelInput": _INVOKE},
    "bedrock-batch": {"recordId": "a1", "modelInput": _CONVERSE},
    "vertex-claude-batch": {"custom_id": "a1", "request": _CLAUDE_OF_VERTEX},
    "vertex-batch": {"request": _OF_VERTEX},
}  # fmt: skip

_COMPLETION = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Hello."}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}  # fmt: skip
_RESPONSE = {
    "id": "resp_1", "object": "response", "created_at": 1, "status": "completed",
    "model": "gpt-5.6", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Hello.", "annotations": []}]}],
}  # fmt: skip
_MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
    "content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn",
    "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2},
}  # fmt: skip
_GENERATED = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]},
                    "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5},
    "modelVersion": "gemini-3.5-flash",
}  # fmt: skip
_OUTPUT = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Hello."}]}},
    "stopReason": "end_turn", "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
    "metrics": {"latencyMs": 1},
}  # fmt: skip
_TIME = "2026-07-09T19:57:43.558+00:00"


def _openai(body: Any, status: int = 200) -> Any:
    response = {"status_code": status, "request_id": "r1", "body": body}
    return {"id": "batch_req_1", "custom_id": "a1", "response": response, "error": None}


ANSWERS: dict[str, Any] = {
    "openai-batch": _openai(_COMPLETION),
    "openai-responses-batch": _openai(_RESPONSE),
    "anthropic-batch": {"custom_id": "a1", "result": {"type": "succeeded", "message": _MESSAGE}},
    "gemini-batch": {"key": "a1", "response": _GENERATED},
    "bedrock-invoke-batch": {"recordId": "a1", "modelInput": _INVOKE, "modelOutput": _MESSAGE},
    "bedrock-batch": {"recordId": "a1", "modelInput": _CONVERSE, "modelOutput": _OUTPUT},
    "vertex-claude-batch": {
        "custom_id": "a1", "request": _CLAUDE_OF_VERTEX, "response": _MESSAGE, "status": "",
    },
    "vertex-batch": {
        "status": "", "processed_time": _TIME, "request": _OF_VERTEX, "response": _GENERATED,
    },
}  # fmt: skip

_ERRORED = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}
FAILURES: dict[str, Any] = {
    "openai-batch": _openai({"error": {"message": "Slow down.", "type": "tokens"}}, 429),
    "mistral-batch": _openai({"object": "error", "message": "Slow down.", "code": "1300"}, 429),
    # two levels: the result has an error, and that is a whole body of one
    "anthropic-batch": {"custom_id": "a1", "result": {"type": "errored", "error": _ERRORED}},
    "gemini-batch": {"key": "a1", "error": {"code": 8, "message": "Slow down."}},
    "bedrock-batch": {
        "recordId": "a1", "modelInput": _CONVERSE,
        "error": {"errorCode": 429, "errorMessage": "Slow down."},
    },
    "vertex-batch": {  # the form of "Batch inference from Cloud Storage" of Google Cloud
        "status": 'Too Many Requests: {"error": {"code": 429, "message": "Slow down.",'
                  ' "status": "RESOURCE_EXHAUSTED"}}',
        "processed_time": _TIME, "request": _OF_VERTEX,
    },
}  # fmt: skip

# form -> keys of a request's line, the key of its body, the judge of bodies, the path there
_LINES: dict[str, tuple[set[str], str, str, str | None]] = {
    "openai-batch": (
        {"custom_id", "method", "url", "body"}, "body", "openai/openai-chat", "/chat/completions",
    ),
    "openai-responses-batch": (
        {"custom_id", "method", "url", "body"}, "body", "openai/openai-responses", "/responses",
    ),
    "mistral-batch": ({"custom_id", "body"}, "body", "mistral", None),
    "anthropic-batch": ({"custom_id", "params"}, "params", "anthropic", None),
    "gemini-batch": ({"key", "request"}, "request", "gemini/gemini", None),
    "bedrock-invoke-batch": (
        {"recordId", "modelInput"}, "modelInput", "bedrock/anthropic", None,
    ),
    "bedrock-batch": ({"recordId", "modelInput"}, "modelInput", "bedrock-converse", None),
    "vertex-claude-batch": ({"custom_id", "request"}, "request", "vertex/anthropic", None),
    "vertex-batch": ({"request"}, "request", "vertex/gemini", None),
}  # fmt: skip
_CLAUDE_REQUEST: Any = pydantic.TypeAdapter(batch_create_params.Request)


def judge_line(form: str, line: Any) -> None:
    """A line that the provider takes: its keys, its id, and the body by the judge of its wire."""
    keys, key, wire, path = _LINES[form]
    assert line.keys() == keys
    body = dict(line[key])
    if path is not None:
        assert (line["method"], line["url"]) == ("POST", f"/v1{path}")
    if form == "anthropic-batch":
        _CLAUDE_REQUEST.validate_python(line)
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", line["custom_id"])
    elif form == "mistral-batch":
        mistral.BatchRequest.model_validate(line)
        body.setdefault("model", "mistral-small-latest")  # the job may name it
    elif form == "vertex-batch":
        labels = body.pop("labels")  # a field of GenerateContentConfig for Vertex alone
        assert re.fullmatch("[a-z0-9_-]{1,63}", labels["custom_id"])
    assert "stream" not in body
    assert judge_request(wire, body, path and f"/v1{path}") == []


class _Openai(pydantic.BaseModel, extra="forbid"):
    """A line of a file of results, by OpenAI's guide on batches."""

    id: str
    custom_id: str
    response: dict[str, Any] | None
    error: dict[str, str] | None


def _read_openai(line: Any) -> dict[str, Any] | None:
    row = _Openai.model_validate(line)
    if row.response is None:
        assert row.error is not None
        return {"code": row.error["code"]}
    assert row.error is None
    if row.response["status_code"] >= 400:
        return {"status": row.response["status_code"], **row.response["body"]}
    return None


def _judge_chat(line: Any) -> Any:
    if (failed := _read_openai(line)) is not None:
        return failed
    return ChatCompletion.model_validate(line["response"]["body"]).choices[0].message.content


def _judge_responses(line: Any) -> Any:
    if (failed := _read_openai(line)) is not None:
        return failed
    return responses.Response.model_validate(line["response"]["body"]).output_text


def _judge_mistral(line: Any) -> Any:
    if (failed := _read_openai(line)) is not None:
        return failed
    body = mistral.ChatCompletionResponse.model_validate(line["response"]["body"])
    message = body.choices[0].message
    assert message is not None
    return message.content


def _judge_anthropic(line: Any) -> Any:
    result = MessageBatchIndividualResponse.model_validate(line).result
    if result.type == "succeeded":
        block = result.message.content[0]
        return block.text if block.type == "text" else None
    if result.type == "errored":
        return {"status": 429, "error": {"message": result.error.error.message}}
    return {"code": result.type}


def _judge_gemini(line: Any) -> Any:
    told = gemini.InlinedResponse.model_validate({k: v for k, v in line.items() if k != "key"})
    assert line["key"] == "a1"
    if told.error is not None:
        assert told.error.code in (1, 4, 8)
        if told.error.code != 8:
            return {"code": told.error.code}
        return {"status": 429, "error": {"message": told.error.message}}
    assert told.response is not None
    return told.response.text


def _judge_bedrock(line: Any) -> Any:
    if "error" in line:
        assert "modelOutput" not in line
        error = line["error"]
        return {"status": error["errorCode"], "error": {"message": error["errorMessage"]}}
    output = line["modelOutput"]
    if "output" in output:
        return output["output"]["message"]["content"][0]["text"]
    return _judge_anthropic({"custom_id": "a", "result": {"type": "succeeded", "message": output}})


def _judge_vertex(line: Any) -> Any:
    if line["status"]:
        assert "response" not in line
        is_busy = line["status"].startswith("Too Many Requests: {")
        assert is_busy == ("Slow down." in line["status"])
        return {"status": 429, "error": {"message": "Slow down."}} if is_busy else {"code": "late"}
    told = line["response"]
    if "candidates" in told:
        return gemini.GenerateContentResponse.model_validate(told).text
    return _judge_anthropic({"custom_id": "a", "result": {"type": "succeeded", "message": told}})


_RESULTS: dict[str, Callable[[Any], Any]] = {
    "openai-batch": _judge_chat,
    "openai-responses-batch": _judge_responses,
    "mistral-batch": _judge_mistral,
    "anthropic-batch": _judge_anthropic,
    "gemini-batch": _judge_gemini,
    "bedrock-invoke-batch": _judge_bedrock,
    "bedrock-batch": _judge_bedrock,
    "vertex-claude-batch": _judge_vertex,
    "vertex-batch": _judge_vertex,
}


def judge_result(form: str, line: Any) -> Any:
    """The text that a line of a result answers with; the error as an object, if there is one."""
    return _RESULTS[form](line)
