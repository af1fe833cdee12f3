"""Answers as objects of the official SDKs read as their JSON does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dragoman
from tests.contract.reading.told import told
from tests.fuzz.seeds import ANSWERS


def openai_chat(body: Any) -> Any:
    from openai._models import construct_type
    from openai.types.chat import ChatCompletion

    return construct_type(type_=ChatCompletion, value=body)


def openai_responses(body: Any) -> Any:
    from openai._models import construct_type
    from openai.types.responses import Response

    return construct_type(type_=Response, value=body)


def anthropic(body: Any) -> Any:
    from anthropic._models import construct_type
    from anthropic.types import Message

    return construct_type(type_=Message, value=body)


def gemini(body: Any) -> Any:
    from google.genai.types import GenerateContentResponse

    return GenerateContentResponse.model_validate(body)


def ollama(body: Any) -> Any:
    from ollama import ChatResponse

    return ChatResponse.model_validate(body)


def mistral(body: Any) -> Any:
    from mistralai.client.models import ChatCompletionResponse

    return ChatCompletionResponse.model_validate(body)


def cohere(body: Any) -> Any:
    from cohere.core.unchecked_base_model import construct_type
    from cohere.v2.types.v2chat_response import V2ChatResponse

    return construct_type(type_=V2ChatResponse, object_=body)


MAKERS: dict[str, Callable[[Any], Any]] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": ollama,
    "mistral": mistral,
    "cohere": cohere,
}


@pytest.mark.parametrize("wire", MAKERS)
def test_an_object_says_what_its_json_says(wire: str) -> None:
    for body in ANSWERS[wire]:
        read = dragoman.wire(wire).read_response
        ours, theirs = read(body), read(MAKERS[wire](body))
        if wire == "ollama":  # its SDK does not know the ids of calls
            ours.msg.calls[0].id, ours.msg.calls[0].spelling = "", "made"
        assert told(theirs) == told(ours)
        assert theirs.usage.total == ours.usage.total
        assert theirs.status == ours.status == "complete"
