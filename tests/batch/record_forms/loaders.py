"""What the libraries that load training data demand, written from their sources; no code shared.

TRL 1.16 (`trl/data_utils.py`, `docs/source/dataset_formats.md`), llamafactory 0.9.5
(`data/converter.py`, `data/formatter.py`), the validator of aws-samples/amazon-nova-samples
(`nova_ft_dataset_validator.py`), OpenAI's OpenAPI description 2.3.0, and Google Cloud's pages on
tuning, all read on 2026-11-29. `real_loaders.py` asks the libraries themselves.
"""

from __future__ import annotations

import json
from typing import Any

import botocore.session
import pydantic
from botocore.validate import ParamValidator
from google.genai import types as gemini
from openai.types import chat

__all__ = ["JUDGES"]

_MESSAGE: Any = pydantic.TypeAdapter(chat.ChatCompletionMessageParam)
_TOOL: Any = pydantic.TypeAdapter(chat.ChatCompletionToolParam)


def _judge_chat(messages: list[Any], media: bool = True) -> None:
    for m in messages:
        _MESSAGE.validate_python({key: value for key, value in m.items() if key != "weight"})
        assert m.get("weight", 1) in (0, 1)
        for part in m["content"] if isinstance(m.get("content"), list) else ():
            assert part["type"] in (("text", "image_url", "refusal") if media else ("text",))


def judge_openai_tuning(record: Any) -> None:
    """FineTuneChatRequestInput, or FineTunePreferenceRequestInput."""
    if "preferred_output" not in record:
        assert record.keys() <= {"messages", "tools", "parallel_tool_calls"}
        _judge_chat(record["messages"])
        assert record["messages"][-1]["role"] == "assistant"
    else:
        assert record.keys() == {"input", "preferred_output", "non_preferred_output"}
        _judge_chat(record["input"]["messages"], media=False)
        assert record["input"]["messages"][-1]["role"] in ("user", "tool", "system", "developer")
        for key in ("preferred_output", "non_preferred_output"):
            _judge_chat(record[key], media=False)
            assert {m["role"] for m in record[key]} <= {"assistant", "tool"}
        record = record["input"]
    for tool in record.get("tools", ()):
        _TOOL.validate_python(tool)


def judge_gemini_tuning(record: Any) -> None:
    """Google Cloud: "Prepare supervised fine-tuning data", "Prepare preference tuning data"."""
    assert record.keys() <= {"systemInstruction", "contents", "tools", "completions"}
    contents = [gemini.Content.model_validate(turn) for turn in record["contents"]]
    for turn in contents:
        assert turn.role in ("user", "model")
        assert not any(part.inline_data or part.thought for part in turn.parts or ())
    for tool in record.get("tools", ()):
        gemini.Tool.model_validate(tool)
    if "systemInstruction" in record:
        gemini.Content.model_validate(record["systemInstruction"])
    if "completions" not in record:
        assert contents[-1].role == "model"
        return
    assert contents[-1].role == "user"
    assert sorted(row["score"] for row in record["completions"]) == [0, 1]
    for row in record["completions"]:
        assert gemini.Content.model_validate(row["completion"]).role == "model"


def _judge_converse(body: Any) -> None:
    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape
    report = ParamValidator().validate({"modelId": "m", **body}, shape)
    assert not report.has_errors(), report.generate_report()


def judge_bedrock_tuning(record: Any) -> None:
    """Nova's validator: Converse's blocks, alternating roles, media in S3, no other keys."""
    assert record["schemaVersion"] == "bedrock-conversation-2024"
    assert record.keys() <= {"schemaVersion", "system", "messages", "toolConfig"}
    *asked, last = record["messages"]
    turns = last.get("candidates", [last])
    for turn in turns:
        answer = {"role": last["role"], "content": turn["content"]}
        body = {key: value for key, value in record.items() if key != "schemaVersion"}
        _judge_converse({**body, "messages": [*asked, answer]})
    if "candidates" in last:
        labels = [turn["preferenceLabel"] for turn in turns]
        assert labels == ["preferred", "non-preferred"]
    roles = [m["role"] for m in record["messages"]]
    assert roles == ["user", "assistant"] * (len(roles) // 2)
    for m in asked:
        for block in m["content"]:
            media = next((block[k] for k in ("image", "video", "document") if k in block), None)
            assert media is None or "s3Location" in media["source"]


def _judge_columns(record: Any) -> None:
    if "tools" in record:
        tools = json.loads(record["tools"])
        assert isinstance(tools, list)
        assert all(tool["name"] and "properties" in tool["parameters"] for tool in tools)


def judge_sharegpt(record: Any) -> None:
    """SharegptDatasetConverter and FunctionFormatter of llamafactory."""
    turns = record["conversations"]
    pair = "chosen" in record
    assert len(turns) % 2 == (1 if pair else 0)
    assert turns
    for i, turn in enumerate(turns):
        assert turn["from"] in (("gpt", "function_call") if i % 2 else ("human", "observation"))
        assert isinstance(turn["value"], str)
        if turn["from"] == "function_call":
            calls = json.loads(turn["value"].rpartition("</think>")[2])
            for call in calls if isinstance(calls, list) else [calls]:
                assert isinstance(call["name"], str)
                assert isinstance(call["arguments"], dict)
    if pair:
        for key in ("chosen", "rejected"):
            assert record[key]["from"] in ("gpt", "function_call")
            assert isinstance(record[key]["value"], str)
    places = sum(turn["value"].count("<image>") for turn in turns)
    assert places == len(record.get("images", ()))
    _judge_columns(record)


def judge_alpaca(record: Any) -> None:
    """AlpacaDatasetConverter of llamafactory."""
    keys = ["instruction", "input"] + (["chosen", "rejected"] if "chosen" in record else ["output"])
    assert all(isinstance(record[key], str) for key in keys)
    assert record["instruction"]
    assert isinstance(record.get("system", ""), str)
    for asked, told in record.get("history", ()):
        assert isinstance(asked, str)
        assert isinstance(told, str)


def _judge_conversation(messages: list[Any], images: list[Any]) -> None:
    """`is_conversational` and `prepare_multimodal_messages` of TRL."""
    assert messages
    places = 0
    plain = 0
    for m in messages:
        assert m["role"] in ("system", "user", "assistant", "tool")
        content = m.get("content")
        assert content is not None or m.get("tool_calls")
        plain += isinstance(content, str) and m["role"] == "user"
        for part in content if isinstance(content, list) else ():
            assert part["type"] in ("text", "image")
            places += part["type"] == "image" and m["role"] != "tool"
        for call in m.get("tool_calls") or ():
            assert isinstance(call["function"]["arguments"], dict)
        if m["role"] == "tool":
            assert m.get("name") or m.get("tool_call_id")
    assert places == len(images)
    assert not (images and plain)


def judge_messages(record: Any) -> None:
    """TRL: conversational language modeling."""
    assert record["messages"][-1]["role"] == "assistant"
    _judge_conversation(record["messages"], record.get("images", []))


def judge_prompt_completion(record: Any) -> None:
    """TRL: conversational prompt-completion; `apply_chat_template` wants such last roles."""
    assert record["prompt"][-1]["role"] in ("user", "tool", "assistant")
    assert record["completion"][0]["role"] == "assistant"
    _judge_conversation([*record["prompt"], *record["completion"]], record.get("images", []))


def judge_preference(record: Any) -> None:
    """TRL: conversational preference with an explicit prompt."""
    assert record["prompt"][-1]["role"] in ("user", "tool")
    for key in ("chosen", "rejected"):
        assert record[key][0]["role"] == "assistant"
        _judge_conversation([*record["prompt"], *record[key]], record.get("images", []))


JUDGES = {
    "openai-tuning": judge_openai_tuning,
    "gemini-tuning": judge_gemini_tuning,
    "bedrock-tuning": judge_bedrock_tuning,
    "sharegpt": judge_sharegpt,
    "alpaca": judge_alpaca,
    "hf-messages": judge_messages,
    "hf-prompt-completion": judge_prompt_completion,
    "hf-preference": judge_preference,
}
