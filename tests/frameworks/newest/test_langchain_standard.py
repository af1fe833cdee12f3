"""`ChatModel` before LangChain's own judge: the standard suites of langchain-tests.

The integration suite asks a server on loopback, over three wires. The server judges each request
by the types of the official SDK, and answers what it is asked (tests/bridges/provider.py).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import langchain_tests.integration_tests.chat_models as suite
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests

from dragoman import LLM
from dragoman.bridges.langchain import ChatModel
from dragoman.testing import StrictServer
from tests.bridges.provider import answer

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
WAV = (
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0"
)

# wire: (the model, another one of the same host)
MODELS = {
    "openai-chat": ("openai/openai-chat/gpt-5.6", "gpt-5.6-mini"),
    "openai-responses": ("openai/openai-responses/gpt-5.6", "gpt-5.6-mini"),
    "anthropic": ("anthropic/claude-sonnet-5", "claude-sonnet-4-5"),
}


class _Downloaded:
    """What the suite would fetch from the network."""

    def __init__(self, url: str) -> None:
        self.content = PDF if url.endswith(".pdf") else WAV if url.endswith(".wav") else PNG

    def raise_for_status(self) -> None:
        """It was found."""


@pytest.fixture(autouse=True)
def _no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGCHAIN_TESTS_USER_AGENT", "a test")
    monkeypatch.setattr(suite.httpx, "get", lambda url, **_: _Downloaded(url))


class TestUnit(ChatModelUnitTests):  # type: ignore[misc]  # is in the other environment
    """What needs no answer."""

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"llm": "anthropic/claude-opus-5-5"}


class _Integration(ChatModelIntegrationTests):  # type: ignore[misc]
    wire = ""
    server: StrictServer

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _serve(cls) -> Iterator[None]:
        with StrictServer(cls.wire, answer) as cls.server:
            yield

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        address = f"{self.server.root}/v1"
        model = MODELS[self.wire][0]
        return {"llm": LLM(model, key="none", base_url=address, max_tokens=500)}

    supports_json_mode = True
    supports_image_inputs = True
    supports_image_urls = True
    supports_image_tool_message = True
    supports_pdf_inputs = True
    supports_pdf_tool_message = True
    supports_anthropic_inputs = True
    supports_model_override = True

    @property
    def model_override_value(self) -> str:
        return MODELS[self.wire][1]

    @property
    def supported_usage_metadata_details(self) -> dict[Any, Any]:
        return {"invoke": ["cache_read_input"], "stream": ["cache_read_input"]}

    def invoke_with_cache_read_input(self, *, stream: bool = False) -> AIMessage:
        model = ChatModel(**self.chat_model_params)
        if not stream:
            return model.invoke("Hello")
        chunks = [*model.stream("Hello")]
        full = chunks[0]
        for chunk in chunks[1:]:
            full = full + chunk
        return full


class TestOpenAIChat(_Integration):
    """Over Chat Completions."""

    wire = "openai-chat"
    supports_audio_inputs = False  # of this model; below is one that hears


class TestOpenAIResponses(_Integration):
    """Over Responses."""

    wire = "openai-responses"


class TestAnthropic(_Integration):
    """Over Messages."""

    wire = "anthropic"


def test_audio_is_heard_by_a_model_that_takes_it() -> None:
    hearing = TestOpenAIChat()
    with StrictServer("openai-chat", answer) as server:
        llm = LLM("openai/openai-chat/gpt-audio", key="none", base_url=f"{server.root}/v1")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TestOpenAIChat, "supports_audio_inputs", True)
            hearing.test_audio_inputs(ChatModel(llm))
