"""explain takes what official clients raise: the body of the error and its status are in there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, analysis

SAYS = "Invalid 'temperature': decimal above maximum value."
BODY = {"error": {"message": SAYS, "type": "invalid_request_error", "param": "temperature"}}


def _response() -> Any:
    return httpx.Response(400, json=BODY, request=httpx.Request("POST", "http://x"))


def _openai() -> Exception:
    import openai

    return openai.BadRequestError("Error code: 400", response=_response(), body=BODY["error"])


def _anthropic() -> Exception:
    import anthropic

    return anthropic.BadRequestError("Error code: 400", response=_response(), body=BODY)


def _ollama() -> Exception:
    import ollama

    return ollama.ResponseError('{"error": "invalid temperature"}', 400)


def _gemini() -> Exception:
    from google.genai import errors

    return errors.ClientError(400, {"error": {"code": 400, "message": SAYS}}, None)


def _bedrock() -> Exception:
    from botocore.exceptions import ClientError

    given: Any = {"Error": {"Code": "ValidationException", "Message": SAYS},
                  "ResponseMetadata": {"HTTPStatusCode": 400}}  # fmt: skip
    raised: Exception = ClientError(given, "Converse")
    return raised


def _cohere() -> Exception:
    from cohere.core.api_error import ApiError

    return ApiError(status_code=400, body={"message": SAYS})


def _mistral() -> Exception:
    from mistralai.client import errors

    error: Exception = errors.SDKError("API error occurred", _response())
    return error


RAISED = [_openai, _anthropic, _ollama, _gemini, _bedrock, _cohere, _mistral]


def written() -> dragoman.message.Written:
    req = ChatRequest([Msg.user("Hi")], options=Options(temperature=9))
    return dragoman.wire("openai", policy="ignore").write_request(req, "gpt-4.1")


@pytest.mark.parametrize("raised", RAISED, ids=lambda raised: raised.__name__)
def test_what_a_client_raised_is_explained(raised: Callable[[], Exception]) -> None:
    found = analysis.explain(raised(), written())
    assert found.where == "$.options.temperature"
    assert "temperature" in found.error


def test_an_error_that_no_provider_made_is_about_no_part() -> None:
    import openai

    lost = openai.APIConnectionError(request=_response().request)
    assert analysis.explain(lost, written()).where == ""
    assert analysis.explain(ValueError("odd"), written()).error == "odd"
