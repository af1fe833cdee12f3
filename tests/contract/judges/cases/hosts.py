"""Rows for other hosts of the Anthropic and Gemini wires."""

from __future__ import annotations

from typing import Any

from . import GONE, PNG, Row
from .anthropic import (
    ASK,
    C0,
    C1,
    C2,
    DOCUMENT,
    FORCED,
    LATER,
    MARK,
    SAY,
    TEXT,
    THOUGHT,
    call,
    image,
    result,
    says,
    says_text,
)
from .anthropic import CALLS as CLAUDE_CALLS
from .anthropic import PLAIN as CLAUDE
from .gemini import CALLS as TURNS
from .gemini import FILE, P0, P1, P2
from .gemini import PLAIN as GEMINI
from .gemini import VERTEX as VERTEX_PATH

OFF = {"type": "disabled"}
UNSIGNED = {"type": "thinking", "thinking": "hm"}
LINKED = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
BARE: Any = {key: value for key, value in CLAUDE.items() if key != "model"}
BARE_CALLS: Any = {key: value for key, value in CLAUDE_CALLS.items() if key != "model"}
ON_VERTEX: Any = {**BARE_CALLS, "anthropic_version": "vertex-2023-10-16"}
ON_BEDROCK: Any = {**BARE_CALLS, "anthropic_version": "bedrock-2023-05-31"}
RAW = "/v1/projects/p/locations/global/publishers/anthropic/models/{}:{}"
HAIKU = RAW.format("claude-haiku-4-5@20251001", "rawPredict")
STREAM = RAW.format("claude-opus-4-8", "streamRawPredict")
INVOKE = "/model/{}/invoke"
OLD = INVOKE.format("us.anthropic.claude-sonnet-4-5-20250929-v1:0")
NEW = INVOKE.format("global.anthropic.claude-opus-4-8")
FABLE = INVOKE.format("global.anthropic.claude-fable-5-2")
FLASH: Any = {
    **CLAUDE_CALLS,
    "model": "deepseek-flash",
    "messages": [ASK, says("assistant", UNSIGNED, call()), says("user", result())],
}
M3: Any = {**CLAUDE_CALLS, "model": "MiniMax-M3"}
# hosts without rules of their own beside the protocol's
COPIED: dict[str, Any] = {
    "moonshot/anthropic": {**CLAUDE_CALLS, "model": "kimi-k2.6"},
    "zhipu/anthropic": {**CLAUDE_CALLS, "model": "glm-5.2"},
    "dashscope/anthropic": {**CLAUDE_CALLS, "model": "qwen3.7-plus"},
    "xiaomi/anthropic": {**CLAUDE_CALLS, "model": "mimo-v2.5-pro"},
    **{f"{name}/anthropic": {**CLAUDE_CALLS, "model": "gpt-oss-20b"}
       for name in ("ollama", "sglang", "vllm", "lmstudio", "llamacpp")},
    "stepfun/anthropic": {**CLAUDE_CALLS, "model": "step-3.7-flash"},
    "hunyuan/anthropic": {**CLAUDE_CALLS, "model": "hunyuan-2.0-thinking-20251109"},
    "meta/anthropic": {**CLAUDE_CALLS, "model": "muse-spark-1.3"},
    "novita/anthropic": {**CLAUDE_CALLS, "model": "zai-org/glm-4.7"},
    "vercel-ai-gateway/anthropic": {**CLAUDE_CALLS, "model": "zai/glm-5.2"},
    "fireworks/anthropic": {**CLAUDE_CALLS, "model": "accounts/fireworks/models/glm-5p3"},
}  # fmt: skip
KIMI, ASKED = COPIED["moonshot/anthropic"], {"thinking": {"type": "adaptive"}}
SEARCHED = {"toolCall": {"id": "a", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}}
DEV_PATH = "/v1beta/models/gemini-2.5-flash:generateContent"
FORMAT = {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}}


def vertex(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("vertex/anthropic", rule, base, bad, good or {}, **more)


def bedrock(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("bedrock/anthropic", rule, base, bad, good or {}, **more)


def deepseek(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("deepseek/anthropic", rule, base, bad, good or {}, **more)


def minimax(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("minimax/anthropic", rule, base, bad, good or {}, **more)


def google(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("vertex/gemini", rule, base, bad, good or {}, **more)


def developer(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("gemini/gemini", rule, base, bad, good or {}, **more)


CLAUDE_HOSTS = [
    vertex("hosted.version", ON_VERTEX, {"anthropic_version": GONE}, whole=True),
    vertex("hosted.version", ON_VERTEX, {"anthropic_version": "2023-06-01"}, whole=True),
    vertex("hosted.model", ON_VERTEX, {"model": "claude-opus-5"}, whole=True),
    vertex("hosted.url", ON_VERTEX, {C0: [LINKED]}, {C0: [image("image/png", PNG)]}),
    vertex("hosted.url", ON_VERTEX, {f"{C2}[0].content": [LINKED]},
           {f"{C2}[0].content": [image("image/png", PNG)]}),
    vertex("hosted.endpoint", ON_VERTEX, {}, path="/v1/messages", good_path=HAIKU),
    vertex("hosted.endpoint", ON_VERTEX, {}, path=VERTEX_PATH,
           good_path="/v1/publishers/anthropic/models/claude-opus-5:rawPredict"),
    vertex("hosted.stream", ON_VERTEX, {"stream": True}, path=HAIKU),
    vertex("hosted.stream", ON_VERTEX, {}, {"stream": True}, path=STREAM),
    vertex("hosted.model_id", ON_VERTEX, {}, path=HAIKU.replace("@", "-"), good_path=HAIKU),
    vertex("hosted.model_id", ON_VERTEX, {}, path=HAIKU.replace("@", "-v1-"),
           good_path=RAW.format("claude-opus-5", "rawPredict")),
    vertex("anthropic.prefill", ON_VERTEX, {"messages": [ASK, SAY]}, {"messages": [ASK, SAY]},
           path=RAW.format("claude-opus-5", "rawPredict"), good_path=HAIKU, whole=True),
    vertex("types.unknown_key", ON_VERTEX, {"anthropic_beta": ["a"]}, {"temperature": 0.5}),
    vertex("pairs.orphan", ON_VERTEX, {C1: [TEXT]}),
    bedrock("hosted.version", ON_BEDROCK, {"anthropic_version": "vertex-2023-10-16"}, whole=True),
    bedrock("hosted.model", ON_BEDROCK, {"model": "claude-opus-5"}, whole=True),
    bedrock("hosted.key", ON_BEDROCK, {"stream": True}, path=f"{OLD}-with-response-stream"),
    bedrock("hosted.key", ON_BEDROCK, {"cache_control": MARK}, {f"{C0}": [
        {**TEXT, "cache_control": MARK}]}, whole=True),
    bedrock("hosted.betas", ON_BEDROCK, {"anthropic_beta": "a,b"}, {"anthropic_beta": ["a", "b"]}),
    bedrock("hosted.betas", ON_BEDROCK, {"anthropic_beta": [1]}, {"anthropic_beta": []}),
    bedrock("hosted.endpoint", ON_BEDROCK, {}, path="/model/a/converse", good_path=OLD),
    bedrock("hosted.output", ON_BEDROCK, FORMAT, FORMAT, path=FABLE, good_path=NEW),
    bedrock("hosted.output", ON_BEDROCK, FORMAT, {"output_config": {"effort": "low"}}, path=FABLE),
    bedrock("hosted.url", ON_BEDROCK,
            {C0: [{"type": "document", "source": LINKED["source"]}]}, {C0: [DOCUMENT]}),
    bedrock("anthropic.prefill", ON_BEDROCK, {"messages": [ASK, SAY]}, {"messages": [ASK, SAY]},
            path=NEW, good_path=OLD, whole=True),
    bedrock("types.missing", ON_BEDROCK, {"max_tokens": GONE}),
]  # fmt: skip

COPIES = [
    deepseek("deepseek.thinking_back", FLASH, {C1: [call()]}, whole=True),
    deepseek("deepseek.thinking_back", FLASH, {C1: [TEXT, call()]},
             {C1: [call()], "thinking": OFF}, whole=True),
    deepseek("deepseek.forced", FLASH, {"tool_choice": FORCED}, {"tool_choice": {"type": "auto"}}),
    deepseek("deepseek.forced", FLASH, {"tool_choice": {"type": "any"}},
             {"tool_choice": {"type": "any"}, "thinking": OFF}),
    deepseek("deepseek.part", FLASH, {C0: [DOCUMENT]}, {C0: [image("image/png", PNG)]}),
    deepseek("deepseek.part", FLASH, {f"{C2}[0].content": [says_text("Rome")]},
             {f"{C2}[0].content": [image("image/png", PNG)]}),
    deepseek("deepseek.role", FLASH, {"messages": [*FLASH["messages"], LATER]},
             {"messages": FLASH["messages"], "system": "Be brief."}, whole=True),
    deepseek("deepseek.output", FLASH, FORMAT, {"output_config": {"effort": "high"}}),
    deepseek("types.missing", FLASH, {C1: [{"type": "thinking"}, call()]}, {C1: [THOUGHT, call()]}),
    deepseek("pairs.unanswered", FLASH, {C2: [TEXT]}, {"messages[2]": GONE}),
    Row("moonshot/anthropic", "moonshot.thinking_back", KIMI, {**ASKED, C1: [TEXT, call()]},
        {**ASKED, C1: [THOUGHT, call()]}, whole=True),
    Row("moonshot/anthropic", "moonshot.thinking_back", KIMI, ASKED, whole=True),
    minimax("minimax.mixed", M3, {C2: [result(), TEXT]}, {C2: [result()]}),
    minimax("minimax.mixed", M3, {C2: [result(), DOCUMENT]},
            {"messages": [*M3["messages"], says("user", DOCUMENT)]}),
    minimax("minimax.thinking", M3, {"thinking": {"type": "enabled", "budget_tokens": 1024},
                                     "max_tokens": 2048, C1: [THOUGHT, call()]},
            {"thinking": {"type": "adaptive"}}),
    minimax("minimax.always", M3, {"model": "MiniMax-M2.5", "thinking": OFF}, {"thinking": OFF}),
    minimax("minimax.option", M3, {"output_config": {"effort": "low"}}),
    minimax("anthropic.unsigned", M3, {C1: [{**THOUGHT, "signature": ""}, call()]},
            {C1: [THOUGHT, call()]}),
]  # fmt: skip

GEMINI_HOSTS = [
    google("vertex.endpoint", GEMINI, {}, path=DEV_PATH, good_path=VERTEX_PATH),
    google("vertex.endpoint", GEMINI, {}, path="/v1/models/gemini-2.5-pro:generateContent",
           good_path="/v1beta1/publishers/google/models/gemini-2.5-pro:generateContent"),
    google("vertex.part", TURNS, {f"{P0}[0]": {"text": "a", "partMetadata": {"a": 1}}},
           {f"{P0}[0]": {"text": "a"}}),
    google("vertex.part", TURNS, {"contents[3].parts": [SEARCHED]},
           {"contents[3].parts": [{"text": "a"}]}),
    google("vertex.key", GEMINI, {"store": False}, {"labels": {"a": "b"}}),
    google("vertex.key", GEMINI,
           {"toolConfig": {"includeServerSideToolInvocations": True}}),
    google("vertex.tool", GEMINI, {"tools": [{"fileSearch": {"fileSearchStoreNames": ["a"]}}]},
           {"tools": [{"enterpriseWebSearch": {}}]}),
    google("vertex.tool", GEMINI, {"tools": [{"file_search": {"file_search_store_names": ["a"]}}]},
           {"tools": [{"googleSearch": {}}]}),
    google("gemini.unsigned", TURNS, {"contents[3]": GONE},
           {"contents[3]": GONE, f"{P1}[0].thoughtSignature": "c2ln"},
           path=VERTEX_PATH.replace("2.5-pro", "3.5-flash"), whole=True),
    developer("developer.endpoint", GEMINI, {}, path=VERTEX_PATH, good_path=DEV_PATH),
    developer("developer.endpoint gemini.endpoint", GEMINI, {}, path="/v1/interactions",
              good_path="/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse"),
    developer("developer.storage", FILE, {},
              {f"{P0}[0].fileData.fileUri": "https://example.com/a.png"}),
    developer("developer.storage", TURNS,
              {P0: [{"file_data": {"mime_type": "image/png", "file_uri": "gs://a/b"}}]}),
    developer("developer.key", GEMINI, {"labels": {"a": "b"}}, {"store": False}),
    developer("developer.key", TURNS,
              {"toolConfig": {"functionCallingConfig":
                              {"mode": "AUTO", "streamFunctionCallArguments": True}}},
              {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}),
    developer("developer.tool", GEMINI, {"tools": [{"enterpriseWebSearch": {}}]},
              {"tools": [{"googleSearch": {}}]}),
    developer("developer.tool", GEMINI, {"tools": [{"retrieval": {}}]},
              {"tools": [{"codeExecution": {}}]}),
    developer("pairs.unanswered", TURNS, {P2: [{"text": "a"}]},
              {"contents[2]": GONE, "contents[-1]": GONE}),
]  # fmt: skip
COPIED_ROWS = [
    Row(wire, rule, base, bad, good)
    for wire, base in COPIED.items()
    for rule, bad, good in (
        ("pairs.unanswered", {C2: [TEXT]}, {"messages[2]": GONE}),
        ("types.missing", {C1: [UNSIGNED, call()]},
         {C1: [{**UNSIGNED, "signature": ""}, call()]}),
    )
]  # fmt: skip
ROWS = [*CLAUDE_HOSTS, *COPIES, *COPIED_ROWS, *GEMINI_HOSTS]
