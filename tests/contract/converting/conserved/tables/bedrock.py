"""Converse of Bedrock."""

from __future__ import annotations

from typing import Any

from ..facts import Table
from .seats import by_role, inside, words

__all__ = ["TABLE"]


def _block(block: dict[str, Any]) -> str | None:
    return "tool" if "toolResult" in block else None


_MEDIA = {
    f"{kind}.{key}": row
    for kind in ("image", "document", "video", "audio")
    for key, row in (("source.bytes", f"data:{kind}"), ("source.s3Location.uri", f"url:{kind}"),
                     ("source.text", "text"), ("source.content[].text", "text"),
                     ("format", "suffix"), ("name", "label"), ("context", "label"))
}  # fmt: skip
_PARTS = {
    "text": "text",
    "citationsContent.content[].text": "text",
    "citationsContent.citations[].title": "label",
    "citationsContent.citations[].source": "label",
    "citationsContent.citations[].sourceContent[].text": "label",
    **{
        f"citationsContent.citations[].location.{place}.{key}": f"option:cited_{word}"
        for place in ("documentChar", "documentPage", "documentChunk", "searchResultLocation")
        for key, word in (
            ("documentIndex", "document"),
            ("searchResultIndex", "search"),
            ("start", "start"),
            ("end", "end"),
        )
    },
    "searchResult.content[].text": "text",
    "searchResult.title": "label",
    "searchResult.source": "label",
    "cachePoint.type": "cache",
    "cachePoint.ttl": "ttl",
    **_MEDIA,
}
_CONFIG = {
    "inferenceConfig.maxTokens": "option:max_tokens",
    "inferenceConfig.temperature": "option:temperature",
    "inferenceConfig.topP": "option:top_p",
    "inferenceConfig.stopSequences[]": "option:stop",
    "serviceTier.type": "option:service_tier",
    "outputConfig.textFormat.type": "format",
    "outputConfig.textFormat.structure.jsonSchema.schema": "schema:format",
    "outputConfig.textFormat.structure.jsonSchema.name": "format_name",
    "outputConfig.textFormat.structure.jsonSchema.description": "format_description",
}
_MORE = {
    "top_k": "option:top_k",
    "inferenceConfig.topK": "option:top_k",
    "thinking.type": "thinks",
    "thinking.budget_tokens": "budget",
    "thinking.display": "shows",
    "reasoning_config.type": "thinks",
    "reasoning_config.budget_tokens": "budget",
    "reasoningConfig.type": "thinks",
    "reasoningConfig.maxReasoningEffort": "effort",
    "output_config.effort": "effort",
    "reasoning_effort": "effort",
    "tool_choice.disable_parallel_tool_use": "alone",
    "user": "option:user",
    "metadata.user_id": "option:user",
    "seed": "option:seed",
    "presence_penalty": "option:presence_penalty",
    "frequency_penalty": "option:frequency_penalty",
}
TABLE = Table(
    rows={
        "modelId": "model",
        "system[].text": "text:system",
        "system[].cachePoint.type": "cache",
        "system[].cachePoint.ttl": "ttl",
        **{f"messages[].content[].{key}": kind for key, kind in _PARTS.items()},
        **{f"messages[].content[].toolResult.content[].{key}": kind
           for key, kind in _PARTS.items()},
        "messages[].content[].toolResult.content[].json": "result",
        "messages[].content": "text",
        "messages[].content[].toolResult.content": "text:tool",
        "messages[].content[].toolResult.toolUseId": "result_id",
        "messages[].content[].toolResult.status": "status",
        "messages[].content[].toolUse.toolUseId": "id",
        "messages[].content[].toolUse.name": "call_name",
        "messages[].content[].toolUse.input": "call",
        "messages[].content[].reasoningContent.reasoningText.text": "thinking",
        "messages[].content[].reasoningContent.reasoningText.signature": "opaque",
        "messages[].content[].reasoningContent.redactedContent": "opaque",
        **{f"messages[].content[].{at}{kind}.citations.enabled": "cites"
           for at in ("", "toolResult.content[].") for kind in ("searchResult", "document")},
        **_CONFIG,
        **{f"additionalModelRequestFields.{key}": kind for key, kind in _MORE.items()},
        "toolConfig.tools[].toolSpec.name": "tool_name",
        "toolConfig.tools[].toolSpec.description": "tool_description",
        "toolConfig.tools[].toolSpec.inputSchema.json": "schema:tool",
        "toolConfig.tools[].toolSpec.strict": "option:strict",
        "toolConfig.tools[].cachePoint.type": "cache",
        "toolConfig.tools[].cachePoint.ttl": "ttl",
        "toolConfig.tools[].systemTool.name": "tag",
        "toolConfig.toolChoice": "picked",
    },
    seats={"system[]": inside("system"), "messages[]": by_role, "messages[].content[]": _block},
    quiet={
        "messages[].role": words("user assistant system"),
        "messages[].content[].toolUse.type": words("tool_use"),
    },
)  # fmt: skip
