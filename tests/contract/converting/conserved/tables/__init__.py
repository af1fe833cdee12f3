"""One table for each wire: where it says what. Knows nothing of the package under test."""

from ..facts import Table
from . import (
    anthropic,
    bedrock,
    cohere,
    dashscope,
    gemini,
    gemini_interactions,
    mistral,
    ollama,
    openai_chat,
    openai_responses,
)

__all__ = ["TABLES"]

TABLES: dict[str, Table] = {
    "openai-chat": openai_chat.TABLE,
    "openai-responses": openai_responses.TABLE,
    "anthropic": anthropic.TABLE,
    "gemini": gemini.TABLE,
    "gemini-interactions": gemini_interactions.TABLE,
    "dashscope": dashscope.TABLE,
    "ollama": ollama.TABLE,
    "bedrock-converse": bedrock.TABLE,
    "mistral": mistral.TABLE,
    "cohere": cohere.TABLE,
}
