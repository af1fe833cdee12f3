"""Every word of the official SDKs for why an answer ended has a meaning of ours."""

from __future__ import annotations

import typing
from importlib import import_module as sdk
from typing import Any

import pytest

from dragoman import wire
from dragoman.error_kinds import error_kind
from dragoman.protocols.anthropic.finish_reasons import FINISH_REASONS as ANTHROPIC
from dragoman.protocols.bedrock.finish_reasons import FINISH_REASONS as BEDROCK
from dragoman.protocols.cohere.finish_reasons import FINISH_REASONS as COHERE
from dragoman.protocols.gemini.finish_reasons import REASONS as GEMINI
from dragoman.protocols.gemini.finish_reasons import UNSPECIFIED
from dragoman.protocols.gemini_interactions.finish_reasons import FINISH_REASONS as INTERACTIONS
from dragoman.protocols.gemini_interactions.finish_reasons import OPEN_STATES
from dragoman.protocols.mistral.finish_reasons import FINISH_REASONS as MISTRAL
from dragoman.protocols.openai_chat.finish_reasons import FINISH_REASONS as CHAT
from dragoman.protocols.openai_responses.finish_reasons import FINISH_REASONS as RESPONSES


def literals(annotation: Any) -> set[str]:
    """The texts of all Literals in it."""
    if typing.get_origin(annotation) is typing.Literal:
        return {word for word in typing.get_args(annotation) if isinstance(word, str)}
    return {word for part in typing.get_args(annotation) for word in literals(part)}


def field(module: str, name: str, key: str) -> set[str]:
    """The words of a field of an SDK's model."""
    return literals(getattr(sdk(module), name).model_fields[key].annotation)


def chat() -> set[str]:
    return field("openai.types.chat.chat_completion", "Choice", "finish_reason") | field(
        "openai.types.chat.chat_completion_chunk", "Choice", "finish_reason"
    )


def responses() -> set[str]:
    # an answer that is still made, or was stopped, has no end
    states = field("openai.types.responses.response", "Response", "status")
    reasons = field("openai.types.responses.response", "IncompleteDetails", "reason")
    return reasons | states - {"incomplete", "in_progress", "queued", "cancelled"}


def anthropic() -> set[str]:
    return literals(sdk("anthropic.types").StopReason) | literals(
        sdk("anthropic.types.beta").BetaStopReason
    )


def gemini() -> set[str]:
    return {word.value for word in sdk("google.genai.types").FinishReason} - {UNSPECIFIED[0]}


def interactions() -> set[str]:
    states = field("google.genai.interactions", "Interaction", "status")
    return states - set(OPEN_STATES)


def mistral() -> set[str]:
    module = sdk("mistralai.client.models.chatcompletionchoice")
    return literals(module.ChatCompletionChoiceFinishReason)


def cohere() -> set[str]:
    return literals(sdk("cohere.types").ChatFinishReason)


def bedrock() -> set[str]:
    session = sdk("botocore.session").get_session()
    model = session.get_service_model("bedrock-runtime")
    return set(model.shape_for("StopReason").enum)


TABLES = {
    chat: CHAT,
    responses: RESPONSES,
    anthropic: ANTHROPIC,
    gemini: GEMINI,
    interactions: INTERACTIONS,
    mistral: MISTRAL,
    cohere: COHERE,
    bedrock: BEDROCK,
}


@pytest.mark.parametrize("words", TABLES, ids=lambda words: words.__name__)
def test_every_reason_of_the_sdk_is_known(words: Any) -> None:
    known = words()
    assert len(known) > 2
    assert known - set(TABLES[words]) == set()


def test_every_code_of_a_response_that_failed_has_a_kind() -> None:
    codes = field("openai.types.responses.response_error", "ResponseError", "code")
    assert {code for code in codes if error_kind(code, "", None) == "other"} == set()


def test_every_error_of_the_messages_api_has_a_kind() -> None:
    union = sdk("anthropic.types").ErrorObject
    models = typing.get_args(typing.get_args(union)[0])
    types = {word for model in models for word in literals(model.model_fields["type"].annotation)}
    assert len(types) > 5
    assert {word for word in types if error_kind("", word, None) == "other"} == set()


def test_every_exception_of_converse_has_a_kind() -> None:
    model = sdk("botocore.session").get_session().get_service_model("bedrock-runtime")
    names = {shape.name for shape in model.operation_model("Converse").error_shapes}
    assert {name for name in names if error_kind("", name, None) == "other"} == set()


@pytest.mark.parametrize(
    ("details", "reason", "status"),
    [
        ({"reason": "steered"}, "pause", "complete"),
        (None, "length", "truncated"),
        ({"reason": "of_tomorrow"}, "length", "truncated"),
        ({"reason": "max_messages"}, "length", "truncated"),
    ],
)
def test_an_incomplete_response_is_none_that_ended(details: Any, reason: str, status: str) -> None:
    content = [{"type": "output_text", "text": "So", "annotations": []}]
    item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
    body = {"id": "r", "object": "response", "status": "incomplete", "model": "gpt-6",
            "incomplete_details": details, "output": [item]}  # fmt: skip
    target = wire("openai/openai-responses", policy="ignore")
    resp = target.read_response(body)
    assert (resp.finish.reason, resp.status) == (reason, status)
    written: Any = target.write_response(resp).body
    assert (written["status"], written["incomplete_details"]) == ("incomplete", details)


@pytest.mark.parametrize("word", ["load", "unload"])
def test_loading_a_model_is_an_answer_without_words(word: str) -> None:
    body = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True, "done_reason": word,
            "message": {"role": "assistant", "content": ""}}  # fmt: skip
    target = wire("ollama", policy="ignore")
    resp = target.read_response(body)
    assert (resp.finish.reason, resp.finish.raw, resp.status) == ("stop", word, "complete")
    assert target.write_response(resp).body == body


def test_a_debug_event_is_known() -> None:
    decoder = wire("cohere").stream_decoder()
    decoder.feed({"type": "debug", "prompt": "<|START|>"})
    extras: Any = decoder.finish().extras
    assert extras == {"cohere": {"debug": {"prompt": "<|START|>"}}}
