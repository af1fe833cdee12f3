"""LangChain's names of providers, and where it keeps what has no field of its own.

Reference: langchain-core 1.8.3, `messages/block_translators/`, and the packages of its partners
(langchain-anthropic 1.7.10, langchain-openai 1.7.4, langchain-google-genai 4.4.3), 2026-11-29.
"""

from __future__ import annotations

PACKAGE = "langchain-core"
CHAT = "openai-chat"  # any host may speak it: what was sealed over it is nobody's known
LANGCHAIN = "langchain"  # the issuer of fields that only LangChain has
OURS = "dragoman"  # the key of `additional_kwargs` for what no field of LangChain holds
UNFINISHED = "the answer broke off in this call"  # the `error` of an invalid call of ours
ROLE_FIELD = "__openai_role__"  # the only place of the developer's role
GEMINI_SIGNATURES = "__gemini_function_call_thought_signatures__"
# Of an answer of these, `content_blocks` leaves out the calls that stand beside a text alone.
LISTS_CALLS = frozenset({"anthropic", "bedrock", "bedrock_converse"})
# `model_provider` -> the issuer whose signatures and fields these are; others have the same name
_ISSUERS = {
    "openai": "openai-responses",
    "azure": "openai-responses",
    "google_genai": "gemini",
    "google_vertexai": "vertex",
    "bedrock_converse": "bedrock-converse",
    "amazon_bedrock": "bedrock-converse",
    "mistralai": "mistral",
}
_PROVIDERS = {
    "openai-responses": "openai",
    "openai-chat": "openai",
    "gemini": "google_genai",
    "vertex": "google_vertexai",
    "bedrock-converse": "bedrock_converse",
    "bedrock": "bedrock_converse",
    "mistral": "mistralai",
}


def find_issuer(provider: str) -> str:
    """Return the issuer of what a provider wrote.

    Args:
        provider: Its name in LangChain; empty for none.
    """
    return _ISSUERS.get(provider, provider.replace("_", "-"))


def find_provider(issuer: str) -> str:
    """Return LangChain's name for the provider that an issuer is.

    Args:
        issuer: The protocol or vendor; empty for none.
    """
    return _PROVIDERS.get(issuer, issuer.replace("-", "_"))
