"""The AI SDK's names of providers, and where it keeps what has no field of its own.

Reference: npm `ai` 7.0.173 and the providers' packages `@ai-sdk/*` of that time, 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from ...message.blocks import AudioBlock, ImageBlock, VideoBlock

TARGET = "ai-sdk"
OURS = "dragoman"
ERROR = "Error: "  # before the output of a call that failed, where no type says so
RESPONSES = "openai-responses"
# issuer, its field in our extras, and its key in the options of its provider
FIELDS = (("gemini", "thoughtSignature", "thoughtSignature"), (RESPONSES, "id", "itemId"))
# the key of `providerOptions` -> the issuer whose signatures and ids these are
ISSUERS = {
    "anthropic": "anthropic",
    "openai": "openai-responses",
    "google": "gemini",
    "vertex": "vertex",
    "bedrock": "bedrock-converse",
    "amazonBedrock": "bedrock-converse",
}
PROVIDERS = {
    "anthropic": "anthropic",
    "openai-responses": "openai",
    "gemini": "google",
    "vertex": "vertex",
    "bedrock-converse": "bedrock",
}
MEDIA: dict[str, type[Any]] = {"image": ImageBlock, "audio": AudioBlock, "video": VideoBlock}
