"""What was recorded: requests that were taken although a rule is broken, and some that were not.

Few of the taken, each with its reason; their number is exact, so that a rule which grows too strict
is seen. Of the refused, those whose reason a rule here tells.
"""

from __future__ import annotations

__all__ = ["REFUSED", "TAKEN", "UNMENDED"]

_SUMMED = "neighbours of one role, which the API sums first; other hosts refuse them (case 12)"
_OLLAMA = "the server checks no pairs, its templates go by them"
_ONE_SIDED = "the Developer API takes an id without its echo; laravel/ai#390 was refused"
# (wire, rule) -> how many requests, and why the rule stands all the same
TAKEN: dict[tuple[str, str], tuple[int, str]] = {
    ("openai-chat", "no_tools"): (7, "one host (Hugging Face) takes it, most refuse (case 22)"),
    ("openai-chat", "answered"): (1, f"Ollama's copy: {_OLLAMA}"),
    ("openai-chat", "arguments"): (2, "OpenAI reads any text; vLLM fails over it (case 16)"),
    ("openai-responses", "arguments"): (4, "an empty list; OpenAI reads any text, copies do not"),
    ("anthropic", "answered"): (5, f"four {_SUMMED}; one answers another id"),
    ("anthropic", "orphan"): (5, f"four {_SUMMED}; one answers another id"),
    ("anthropic", "source"): (1, "an old model took a JPEG for a PNG; later ones refuse (13b)"),
    ("anthropic", "blank"): (1, "one space, once; refused since (case 62)"),
    ("gemini", "answered"): (2, _SUMMED),
    ("gemini", "count"): (2, _SUMMED),
    ("gemini", "call_place"): (2, _SUMMED),
    ("gemini", "empty_text"): (6, "the Developer API takes it, Vertex refuses it (case 46)"),
    ("gemini", "part"): (1, "an answer of nothing, sent back; refused elsewhere (case 46)"),
    ("gemini", "no_parts"): (2, "an answer of nothing, sent back; refused elsewhere (case 46)"),
    ("gemini", "order"): (1, "told by ids; without ids the order alone tells (case 44)"),
    ("gemini", "same_id"): (4, _ONE_SIDED),
    ("gemini-interactions", "seat"): (1, "a result in what the user puts in; a step by the types"),
    ("dashscope", "answered"): (2, "Qwen-Agent puts the id elsewhere: read as if it were missing"),
    ("dashscope", "orphan"): (2, "Qwen-Agent puts the id elsewhere: read as if it were missing"),
    ("ollama", "orphan"): (1, _OLLAMA),
    ("gemini", "mixed_tools"): (1, "Gemini 2.5 took it once; reports say that it refuses"),
    ("bedrock-converse", "blank"): (2, "a line break before a cache point, once (case 62)"),
}
# ids that were rewritten for publication tell nothing of what the API took
UNMENDED = {("mistral", "call_id")}

# words of a 400 -> wire, rule
REFUSED: dict[str, tuple[str, str]] = {
    "does not support assistant message prefill": ("anthropic", "prefill"),
    "tools.0.custom.input_schema": ("anthropic", "schema"),
    "does not support 'developer' with this model": ("openai-chat", "developer"),
    "Thinking mode does not support this tool_choice": ("openai-chat", "forced"),
    "unknown variant `": ("openai-chat", "host_part"),
    "support the s3Uri field": ("bedrock-converse", "claude_media"),
    "support the video content block": ("bedrock-converse", "claude_media"),
    "document.source.type: Field required": ("bedrock-converse", "claude_media"),
    "extraneous key [toolResult]": ("bedrock-converse", "nova_media"),
}
