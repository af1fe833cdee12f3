"""pydantic-ai's names of providers, and where it keeps what a part has no field for.

Reference: pydantic-ai-slim 2.68.0, `providers/` and `models/`, 2026-11-29.
"""

from __future__ import annotations

from typing import Any

PACKAGE = "pydantic-ai-slim"
TARGET = "pydantic-ai"
OURS = "dragoman"  # the key of `metadata` of a request or response for what it has no field for
# the ids of thinking whose `signature` is the whole of it, sealed
REDACTED = ("redacted_thinking", "redacted_content")
# what stands for arguments that are no object, where these are asked for as one
INVALID = "INVALID_JSON"
SIGNED_PARTS = ("gemini", "vertex")  # whose signatures belong to parts of any kind
SIGNATURE = "thought_signature"  # their key in `provider_details`
FILE_HOSTS = (
    "anthropic",
    "openai",
    "google",
    "google-cloud",
    "bedrock",
    "xai",
)  # of `UploadedFile`
# `provider_name` -> the issuer whose signatures and ids these are; others have the same name
_ISSUERS = {
    "openai": "openai-responses",
    "azure": "openai-responses",
    "google": "gemini",
    "google-gla": "gemini",
    "google-cloud": "vertex",
    "google-vertex": "vertex",
    "bedrock": "bedrock-converse",
}
_PROVIDERS = {
    "openai-responses": "openai",
    "openai-chat": "openai",
    "gemini": "google",
    "vertex": "google-cloud",
    "bedrock-converse": "bedrock",
}


def find_issuer(provider: Any) -> str:
    """Return the issuer of what a provider wrote.

    Args:
        provider: Its name in pydantic-ai, or None.
    """
    return _ISSUERS.get(provider, provider) if isinstance(provider, str) else ""


def find_provider(issuer: str) -> str:
    """Return pydantic-ai's name for the provider that an issuer is.

    Args:
        issuer: The protocol or vendor; empty for none.
    """
    return _PROVIDERS.get(issuer, issuer)
