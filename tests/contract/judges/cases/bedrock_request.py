"""Rows for whole requests of Bedrock Converse: tools, cache points, output, Claude's own rules."""

from __future__ import annotations

from typing import Any

from . import GONE, PNG
from .bedrock import (
    ASK,
    C0,
    C1,
    CALLS,
    FABLE,
    FILM,
    LOOK,
    MARK,
    NEXT,
    NOVA,
    OPUS,
    PLAIN,
    S3,
    SAY,
    SONNET,
    TEXT,
    THINKING,
    THOUGHT,
    TOOL,
    TWO,
    WEB,
    row,
)


def thinks(most: int = 2048, **config: Any) -> Any:
    extra = {"thinking": {**THINKING, **config}}
    return {"additionalModelRequestFields": extra, "inferenceConfig": {"maxTokens": most}}


def chooses(**choice: Any) -> Any:
    return {"toolConfig": {"tools": [TOOL], "toolChoice": choice}}


def formats(schema: Any) -> Any:
    structure = {"jsonSchema": {"schema": schema}}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}


ROWS = [
    row("bedrock.tool_config", CALLS, {"toolConfig": GONE}, whole=True),
    row("bedrock.tool_config", TWO, {"toolConfig": GONE, "messages[2]": GONE}, whole=True),
    row("tools.choice_unknown", CALLS, chooses(tool={"name": "time"}),
        chooses(tool={"name": "weather"})),
    row("tools.choice_alone", PLAIN,
        {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}],
                        "toolChoice": {"auto": {}}}},
        {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]}}),
    row("tools.twice", CALLS, {"toolConfig.tools": [TOOL, TOOL]},
        {"toolConfig.tools": [TOOL, MARK]}),
    row("tools.schema", CALLS, {"toolConfig.tools[0].toolSpec.inputSchema.json": {}},
        {"toolConfig.tools[0].toolSpec.inputSchema.json": {"type": "object"}}),
    row("types.unknown_key", CALLS, chooses(none={}), chooses(any={})),
    row("bedrock.cache_points", PLAIN, {C0: [TEXT, *[MARK] * 5]}, {C0: [TEXT, *[MARK] * 4]},
        whole=True),
    row("bedrock.cache_points", CALLS,
        {C0: [TEXT, MARK, MARK, MARK], "system": [{"text": "a"}, MARK],
         "toolConfig.tools": [TOOL, MARK]},
        {C0: [TEXT, MARK, MARK], "system": [{"text": "a"}, MARK],
         "toolConfig.tools": [TOOL, MARK]}, whole=True),
    row("bedrock.output", PLAIN, formats("city"), formats('{"type": "object"}')),
    row("bedrock.output", PLAIN, formats("[]"), formats("{}")),
    row("bedrock.no_output", PLAIN, formats("{}"), formats("{}"), path=FABLE, good_path=OPUS),
    row("bedrock.no_output", CALLS, {"toolConfig.tools[0].toolSpec.strict": True},
        {"toolConfig.tools[0].toolSpec.strict": False}, path=FABLE),
    row("bedrock.sampling", PLAIN, {"inferenceConfig": {"temperature": 0.5}},
        {"inferenceConfig": {"maxTokens": 9}}, path=OPUS),
    row("bedrock.sampling", PLAIN, {"inferenceConfig": {"temperature": 0.5, "topP": 0.5}},
        {"inferenceConfig": {"temperature": 0.5}}, path=SONNET),
    row("bedrock.thinking", PLAIN, thinks(), thinks(), path=OPUS, good_path=SONNET),
    row("bedrock.thinking", PLAIN, thinks(),
        {"additionalModelRequestFields": {"thinking": {"type": "adaptive"}}}, path=NEXT),
    row("bedrock.budget", PLAIN, thinks(budget_tokens=1023), thinks(), path=SONNET),
    row("bedrock.budget", PLAIN, thinks(1024), thinks(1025), path=SONNET),
    row("bedrock.forced", CALLS, {**thinks(), **chooses(any={})},
        {**thinks(), **chooses(auto={})}, path=SONNET),
    row("bedrock.forced", CALLS, chooses(tool={"name": "weather"}),
        chooses(tool={"name": "weather"}), path=NEXT, good_path=OPUS),
    row("bedrock.unsigned", WEB,
        {C1: [{"reasoningContent": {"reasoningText": {"text": "hm"}}}]}, {C1: [THOUGHT]},
        path=SONNET, whole=True),
    row("bedrock.unsigned", WEB,
        {C1: [{"reasoningContent": {"reasoningText": {"text": "hm"}}}]},
        {C1: [{"reasoningContent": {"reasoningText": {"text": "hm"}}}]},
        path=SONNET, good_path=NOVA, whole=True),
    row("bedrock.s3", LOOK, {f"{C0}[1].image.source": S3}, {f"{C0}[1].image.source": S3},
        path=SONNET, good_path=NOVA, whole=True),
    row("bedrock.s3", LOOK, {f"{C0}[2].document.source": S3}, path=OPUS, whole=True),
    row("bedrock.video bedrock.s3", LOOK, {f"{C0}[1]": FILM}, {f"{C0}[1]": FILM}, path=SONNET,
        good_path=NOVA, whole=True),
    row("bedrock.video", LOOK, {f"{C0}[1]": {"video": {"format": "mp4", "source": {"bytes": PNG}}}},
        path=OPUS, whole=True),
    row("bedrock.prefill", PLAIN, {"messages": [ASK, SAY]}, {"messages": [ASK, SAY]}, path=OPUS,
        good_path=SONNET, whole=True),
    row("bedrock.prefill", PLAIN, {"messages": [ASK, SAY]}, {"messages": [ASK, SAY, ASK]},
        path=NEXT, whole=True),
    row("bedrock.endpoint", PLAIN, {}, path="/model/a/invoke", good_path=NOVA),
    row("bedrock.endpoint", PLAIN, {}, path="/converse", good_path=f"{NOVA}-stream"),
]  # fmt: skip
