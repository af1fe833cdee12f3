"""Streams of each wire as events of (name, payload), made up in the shape of its API.

Each holds text beyond ASCII, thinking and calls whose arguments come in pieces, where its wire
has them. `STREAMS[wire]` are lists of events, `FRAMINGS[wire]` how they travel.
"""

from __future__ import annotations

from . import (
    anthropic,
    bedrock_converse,
    cohere,
    dashscope,
    gemini,
    gemini_interactions,
    mistral,
    ollama,
    openai_chat,
    openai_responses,
)
from .words import ARGUMENTS, TEXT, THOUGHTS, Event

__all__ = ["ARGUMENTS", "FRAMINGS", "STREAMS", "TEXT", "THOUGHTS", "Event"]

STREAMS: dict[str, list[list[Event]]] = {
    "openai-chat": openai_chat.streams(),
    "openai-responses": openai_responses.streams(),
    "anthropic": anthropic.streams(),
    "gemini": gemini.streams(),
    "gemini-interactions": gemini_interactions.streams(),
    "dashscope": dashscope.streams(),
    "ollama": ollama.streams(),
    "bedrock-converse": bedrock_converse.streams(),
    "mistral": mistral.streams(),
    "cohere": cohere.streams(),
}
FRAMINGS: dict[str, tuple[str, ...]] = {
    "ollama": ("ndjson",),
    "bedrock-converse": ("aws-eventstream",),
    "gemini": ("sse", "json-array"),
    "anthropic": ("sse", "aws-eventstream"),
}
