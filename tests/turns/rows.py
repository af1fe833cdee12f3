"""Parts of answers, and how each goes back to the host that said it, with the source of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

JSON = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """`said` is the part of the answer, `back` what stands for it; both as the host spells them."""

    name: str
    host: str
    model: str
    said: Any
    back: Any
    source: str

    def __str__(self) -> str:
        return f"{self.host}-{self.name}"


CALL: JSON = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
CUSTOM: JSON = {"id": "c2", "type": "custom", "custom": {"name": "run", "input": "ls"}}
SUMMARY: JSON = {"type": "reasoning.summary", "summary": "S", "format": "openai-responses-v1",
                 "index": 0}  # fmt: skip
SEALED: JSON = {"type": "reasoning.encrypted", "data": "gAAA", "format": "openai-responses-v1",
                "index": 0, "id": "rs_1"}  # fmt: skip
PROVEN: JSON = {"type": "reasoning.text", "text": "T", "signature": "sg", "index": 1,
                "format": "anthropic-claude-v1"}  # fmt: skip
SPOKEN: JSON = {"id": "audio_1", "data": "UklGRgAA", "expires_at": 1795000000, "transcript": "Hi"}
LONG: JSON = {**CALL, "id": "call_0_ded1841a-abea-4cec-adfa-f67fa50fdc2c"}
_CHAT = "OpenAI API reference, Create chat completion: assistant message"
_ROUTER = "OpenRouter docs, Reasoning tokens: Preserving reasoning"

# entries of `choices[0].message`, and the entry of `messages`
CHAT = (
    Turn("text", "openai", "gpt-5.6", {"content": "Hi"}, {"content": "Hi"}, _CHAT),
    Turn("refusal", "openai", "gpt-5.6", {"content": None, "refusal": "No."},
         {"content": [{"type": "refusal", "refusal": "No."}]}, _CHAT),
    Turn("calls", "openai", "gpt-5.6", {"content": None, "tool_calls": [CALL, CUSTOM]},
         {"content": None, "tool_calls": [CALL, CUSTOM]}, _CHAT),
    Turn("speech", "openai", "gpt-audio", {"content": None, "audio": SPOKEN},
         {"audio": {"id": "audio_1"}}, "OpenAI docs, Audio and speech: multi-turn conversations"),
    Turn("thinking", "deepseek", "deepseek-flash",
         {"content": "Hi", "reasoning_content": "T", "tool_calls": [CALL]},
         {"content": "Hi", "tool_calls": [CALL], "reasoning_content": "T"},
         "DeepSeek docs, Thinking mode: tool calls"),
    Turn("long id", "deepseek", "deepseek-flash", {"content": None, "tool_calls": [LONG]},
         {"content": "", "tool_calls": [LONG], "reasoning_content": ""},
         "recorded: the API gives and takes ids of 43 characters"),
    Turn("summary", "openrouter", "openai/gpt-5.6",
         {"content": "Hi", "reasoning": "S", "reasoning_details": [SUMMARY, SEALED]},
         {"content": "Hi", "reasoning_details": [SUMMARY, SEALED]}, _ROUTER),
    Turn("signed", "openrouter", "anthropic/claude-opus-5.5",
         {"content": "Hi", "reasoning_details": [PROVEN, {"type": "reasoning.new", "x": 1}]},
         {"content": "Hi", "reasoning_details": [PROVEN, {"type": "reasoning.new", "x": 1}]},
         _ROUTER),
    Turn("empty custom", "snowflake", "claude-opus-5-5",
         {"content": None, "tool_calls": [{**CALL, "custom": {"input": "", "name": ""}}]},
         {"content": None, "tool_calls": [CALL]}, "recorded: clients leave it out"),
)  # fmt: skip

_ITEMS = "OpenAI API reference, Create a response: input items"
CITED: JSON = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://e.com",
               "title": "t"}  # fmt: skip

# items of `output`, and of `input`
ITEMS = tuple(
    Turn(str(item["type"]), "openai/openai-responses", "gpt-5.6", item, item, _ITEMS)
    for item in (
        {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "S"}],
         "encrypted_content": "gAAA"},
        {"id": "ws_1", "type": "web_search_call", "status": "completed",
         "action": {"type": "search", "query": "q"}},
        {"id": "ci_1", "type": "code_interpreter_call", "status": "completed", "code": "1",
         "container_id": "cntr_1", "outputs": [{"type": "logs", "logs": "1"}]},
        {"id": "mcp_1", "type": "mcp_call", "server_label": "s", "name": "n", "arguments": "{}",
         "output": "o"},
        {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
         "phase": "commentary", "content": [
             {"type": "output_text", "text": "Hi", "annotations": [CITED]},
             {"type": "refusal", "refusal": "No"}]},
        {"id": "ctc_1", "type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "ls"},
        {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}",
         "status": "completed"},
        {"id": "cmp_1", "type": "compaction", "encrypted_content": "gBBB"},
    )
)  # fmt: skip

_CLAUDE = "Anthropic docs, Extended thinking: Preserving thinking blocks; Messages API, content"
FOUND: JSON = {"type": "web_search_result", "url": "https://e.com", "title": "t",
               "encrypted_content": "E", "page_age": None}  # fmt: skip

# blocks of `content`
BLOCKS = tuple(
    Turn(str(block["type"]), "anthropic", "claude-opus-5-5", block, block, _CLAUDE)
    for block in (
        {"type": "thinking", "thinking": "T", "signature": "sg"},
        {"type": "redacted_thinking", "data": "AAAA"},
        {"type": "text", "text": "Hi", "citations": [
            {"type": "web_search_result_location", "url": "https://e.com", "title": "t",
             "cited_text": "c", "encrypted_index": "e"}]},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
         "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [FOUND]},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"a": 1},
         "caller": {"type": "direct"}},
    )
)  # fmt: skip

# parts of `content`
PARTS = tuple(
    Turn(next(iter(part)), "gemini", "gemini-3-pro", part, part, "Gemini docs, Thought signatures")
    for part in (
        {"text": "T", "thought": True},
        {"text": "Hi", "thoughtSignature": "c2ln"},
        {"executableCode": {"language": "PYTHON", "code": "1", "id": "e1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1", "id": "e1"}},
        {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="},
         "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "f1", "name": "look", "args": {"a": 1}},
         "thoughtSignature": "c2ln"},
    )
)  # fmt: skip

_CITATION: JSON = {"title": "t", "location": {"web": {"url": "https://e.com"}},
                   "sourceContent": [{"text": "q"}]}  # fmt: skip
CONVERSE = tuple(
    Turn(next(iter(block)), "bedrock", "anthropic.claude-opus-5-5", block, block,
         "Amazon Bedrock API reference, ContentBlock")
    for block in (
        {"reasoningContent": {"reasoningText": {"text": "T", "signature": "c2ln"}}},
        {"reasoningContent": {"redactedContent": "AAAA"}},
        {"citationsContent": {"content": [{"text": "x"}], "citations": [_CITATION]}},
        {"text": "Hi"},
        {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"a": 1}}},
    )
)  # fmt: skip

_THOUGHT: JSON = {"type": "thinking", "thinking": [{"type": "text", "text": "T"}], "closed": True}
_PLANNED: JSON = {"tool_plan": "P", "tool_calls": [CALL]}
_NAMED: JSON = {"start": 0, "end": 2, "text": "Hi", "type": "TEXT_CONTENT",
                "sources": [{"type": "document", "id": "d", "document": {"id": "d"}}]}  # fmt: skip
_GROUNDED: JSON = {"content": [{"type": "thinking", "thinking": "T"},
                               {"type": "text", "text": "Hi"}], "citations": [_NAMED]}  # fmt: skip

# whole messages of the assistant
MESSAGES = (
    Turn("thinking", "mistral", "magistral-medium-latest",
         {"content": [_THOUGHT, {"type": "text", "text": "Hi"}]},
         {"content": [_THOUGHT, {"type": "text", "text": "Hi"}]}, "Mistral docs, Reasoning"),
    Turn("plan", "cohere", "command-a-03-2025", _PLANNED, _PLANNED,
         "Cohere API reference, Chat v2: messages"),
    Turn("citations", "cohere", "command-a-reasoning-08-2025", _GROUNDED, _GROUNDED,
         "Cohere API reference, Chat v2: messages"),
    Turn("thinking", "ollama", "qwen3", {"content": "Hi", "thinking": "T"},
         {"content": "Hi", "thinking": "T"}, "Ollama docs, Chat: messages"),
)  # fmt: skip


def _choice(message: Mapping[str, Any]) -> JSON:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


# of these hosts the parts stand side by side, for some may not stand alone
GROUPS = {"openai/openai-responses": ITEMS, "anthropic": BLOCKS, "gemini": PARTS,
          "bedrock": CONVERSE}  # fmt: skip


def answer(turn: Turn) -> JSON:
    """The body of an answer that holds this part, and those of its group."""
    host, said = turn.host, turn.said
    parts = [row.said for row in GROUPS.get(host, ())]
    if host == "openai/openai-responses":
        return {"id": "r", "object": "response", "status": "completed", "output": parts}
    if host == "anthropic":
        return {"id": "m", "type": "message", "role": "assistant", "content": parts}
    if host == "gemini":
        return {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    if host == "bedrock":
        return {"output": {"message": {"role": "assistant", "content": parts}}}
    if host == "cohere":
        return {"id": "c", "finish_reason": "COMPLETE", "message": {"role": "assistant", **said}}
    if host == "ollama":
        return {"model": "m", "done": True, "message": {"role": "assistant", **said}}
    return _choice(said)


ROWS = (*CHAT, *ITEMS, *BLOCKS, *PARTS, *CONVERSE, *MESSAGES)
