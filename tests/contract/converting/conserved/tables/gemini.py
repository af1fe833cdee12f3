"""GenerateContent of Gemini; keys in either spelling."""

from __future__ import annotations

from typing import Any

from ..facts import Table
from .seats import by_role, words

__all__ = ["TABLE"]


def _part(part: dict[str, Any]) -> str | None:
    """A response is said by the user, and is none of his words."""
    return "tool" if "functionResponse" in part or "function_response" in part else None


def _thought(part: dict[str, Any]) -> str | None:
    return "(thoughts)" if part.get("thought") is True else _part(part)


_PARTS = {
    "text": "text",
    "inlineData.data": "data:",
    "inlineData.mimeType": "mime",
    "inlineData.displayName": "label",
    "fileData.fileUri": "url:",
    "fileData.mimeType": "mime",
    "fileData.displayName": "label",
    "thoughtSignature": "opaque",
    "functionCall.id": "id",
    "functionCall.name": "call_name",
    "functionCall.args": "call",
    "functionResponse.id": "result_id",
    "functionResponse.name": "result_name",
    "functionResponse.response": "result",
    "functionResponse.parts[].inlineData.data": "data:",
    "functionResponse.parts[].inlineData.mimeType": "mime",
    "functionResponse.parts[].inlineData.displayName": "label",
    "functionResponse.parts[].fileData.fileUri": "url:",
    "functionResponse.parts[].fileData.mimeType": "mime",
    "functionResponse.parts[].fileData.displayName": "label",
    "mediaResolution.level": "detail",
    "functionResponse.parts[].mediaResolution.level": "detail",
}
_CONFIG = {
    "maxOutputTokens": "option:max_tokens",
    "temperature": "option:temperature",
    "topP": "option:top_p",
    "topK": "option:top_k",
    "presencePenalty": "option:presence_penalty",
    "frequencyPenalty": "option:frequency_penalty",
    "seed": "option:seed",
    "stopSequences[]": "option:stop",
    "candidateCount": "option:n",
    "responseLogprobs": "option:logprobs",
    "logprobs": "option:top_logprobs",
    "responseMimeType": "format",
    "responseSchema": "schema:format",
    "responseJsonSchema": "schema:format",
    "thinkingConfig.thinkingBudget": "budget",
    "thinkingConfig.thinkingLevel": "effort",
    "thinkingConfig.includeThoughts": "shows",
}
TABLE = Table(
    camel=True,
    unset=True,
    hollow=words("generationConfig thinkingConfig toolConfig functionCallingConfig"),
    rows={
        "model": "model",
        **{f"contents[].parts[].{key}": kind for key, kind in _PARTS.items()},
        **{f"contents[].parts.{key}": kind for key, kind in _PARTS.items()},
        **{f"contents.parts[].{key}": kind for key, kind in _PARTS.items()},
        **{f"contents.parts.{key}": kind for key, kind in _PARTS.items()},
        "serviceTier": "option:service_tier",
        "contents[].parts": "text",
        "contents": "text:user",
        "contents[]": "text:user",
        "systemInstruction": "text:system",
        "systemInstruction.parts[].text": "text:system",
        "systemInstruction.parts.text": "text:system",
        **{f"generationConfig.{key}": kind for key, kind in _CONFIG.items()},
        "tools[].functionDeclarations[].name": "tool_name",
        "tools[].functionDeclarations[].description": "tool_description",
        "tools[].functionDeclarations[].parameters": "schema:tool",
        "tools[].functionDeclarations[].parametersJsonSchema": "schema:tool",
        "tools.functionDeclarations[].name": "tool_name",
        "tools.functionDeclarations[].description": "tool_description",
        "tools.functionDeclarations[].parameters": "schema:tool",
        "tools[].googleSearch": "server:web_search",
        "tools[].googleSearchRetrieval": "server:web_search",
        "tools[].urlContext": "server:web_fetch",
        "tools[].codeExecution": "server:code_execution",
        "tools[].fileSearch": "server:file_search",
        "tools[].fileSearch.fileSearchStoreNames[]": "option:stores",
        "toolConfig.functionCallingConfig.mode": "choice",
        "toolConfig.functionCallingConfig.allowedFunctionNames[]": "choice_name",
    },
    seats={
        "contents[]": by_role,
        "contents": by_role,
        "contents[].parts[]": _thought,
        "contents[].parts": _thought,
        "contents.parts[]": _thought,
    },
    quiet={
        "contents[].role": words("user model function"),
        "contents.role": words("user model"),
        "systemInstruction.role": words("system user model"),
        "systemInstruction.parts[].thought": frozenset({False}),
        "contents[].parts[].thought": frozenset({True, False}),
        "contents[].parts.thought": frozenset({True, False}),
    },
)
