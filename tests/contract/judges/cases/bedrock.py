"""Rows for Bedrock Converse: messages and blocks; the whole request is the file beside this."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, JPEG, PDF, PNG, Row

TEXT = {"text": "What is the weather in Rome?"}
ASK = {"role": "user", "content": [TEXT]}
SAY = {"role": "assistant", "content": [{"text": "21 degrees."}]}
LATER = {"role": "system", "content": [{"text": "Be brief."}]}
TOOL = {"toolSpec": {"name": "weather", "inputSchema": {"json": CITY}}}
MARK = {"cachePoint": {"type": "default"}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "", "signature": "c2ln"}}}
SEARCH = {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {},
                      "type": "server_tool_use"}}  # fmt: skip
FOUND = {"toolResult": {"toolUseId": "s1", "content": [], "type": "nova_grounding_result"}}


def use(use_id: str = "tooluse_1") -> Any:
    return {"toolUse": {"toolUseId": use_id, "name": "weather", "input": {"city": "Rome"}}}


def result(use_id: str = "tooluse_1", *content: Any, **more: Any) -> Any:
    said = list(content) or [{"text": "21 degrees"}]
    return {"toolResult": {"toolUseId": use_id, "content": said, **more}}


def says(role: str, *blocks: Any) -> Any:
    return {"role": role, "content": list(blocks)}


def image(kind: str, data: str) -> Any:
    return {"image": {"format": kind, "source": {"bytes": data}}}


def document(name: str = "Report 1", **more: Any) -> Any:
    return {"document": {"name": name, "format": "pdf", "source": {"bytes": PDF}, **more}}


PLAIN: Any = {"messages": [ASK]}
CALLS: Any = {"toolConfig": {"tools": [TOOL]},
              "messages": [ASK, says("assistant", use()), says("user", result())]}  # fmt: skip
TWO: Any = {
    **CALLS,
    "messages": [
        ASK,
        says("assistant", use(), use("tooluse_2")),
        says("user", result(), result("tooluse_2")),
    ],
}
LOOK: Any = {"messages": [says("user", TEXT, image("png", PNG), document())]}
WEB: Any = {"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]},
            "messages": [ASK, says("assistant", SEARCH, FOUND), ASK]}  # fmt: skip
THINKING = {"type": "enabled", "budget_tokens": 1024}
C0, C1, C2 = (f"messages[{index}].content" for index in range(3))
PATH = "/model/{}/converse"
NOVA, SONNET = (
    PATH.format("us.amazon.nova-2-lite-v1:0"),
    PATH.format("us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"),
)
OPUS = PATH.format("global.anthropic.claude-opus-4-8")
FABLE = PATH.format("global.anthropic.claude-fable-5-2")
NEXT = PATH.format("us.anthropic.claude-sonnet-5-5")
S3 = {"s3Location": {"uri": "s3://bucket/a.png"}}
FILM = {"video": {"format": "mp4", "source": S3}}


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("bedrock-converse", rule, base, bad, good or {}, **more)


ROWS = [
    # the service model's types
    row("types.unknown_key", PLAIN, {"modelId": "a"}, {"inferenceConfig": {}}),
    row("types.unknown_key types.kind bedrock.seat", PLAIN, {f"{C0}[0].type": "text"}),
    row("types.missing", LOOK, {f"{C0}[1].image.format": GONE}),
    row("types.missing", CALLS, {f"{C1}[0].toolUse.input": GONE}, {f"{C1}[0].toolUse.input": {}}),
    row("types.kind", LOOK, {C0: [{**TEXT, **image("png", PNG)}]}),
    row("types.kind bedrock.document_alone", LOOK, {f"{C0}[0]": {}}),
    row("types.value", PLAIN, {C0: "Hello."}, {C0: [{"text": "Hello."}]}),
    row("types.value bedrock.first", PLAIN, {"messages[0].role": "tool"}, whole=True),
    row("types.value", PLAIN, {"inferenceConfig": {"temperature": 1.1}},
        {"inferenceConfig": {"temperature": 1}}),
    row("types.value", PLAIN, {"inferenceConfig": {"maxTokens": 0}},
        {"inferenceConfig": {"maxTokens": 1}}),
    row("types.value", PLAIN, {"inferenceConfig": {"maxTokens": True}}),
    row("types.value bedrock.format", LOOK, {f"{C0}[1].image.format": "jpg"},
        {f"{C0}[1]": image("jpeg", JPEG)}),
    row("types.value", LOOK, {f"{C0}[1].image.source.bytes": f"data:image/png;base64,{PNG}"}),
    row("types.value", CALLS, {f"{C1}[0].toolUse.toolUseId": "a b",
                               f"{C2}[0].toolResult.toolUseId": "a b"},
        {f"{C1}[0].toolUse.toolUseId": "functions.weather:0",
         f"{C2}[0].toolResult.toolUseId": "functions.weather:0"}),
    row("types.value", CALLS, {f"{C1}[0].toolUse.toolUseId": "i" * 65,
                               f"{C2}[0].toolResult.toolUseId": "i" * 65}),
    row("types.value", CALLS, {f"{C1}[0].toolUse.name": "a.b"}, {f"{C1}[0].toolUse.name": "a-b"}),
    row("types.value", CALLS, {f"{C1}[0].toolUse.type": "tool_use"}),
    row("types.value", PLAIN, {"toolConfig": {"tools": []}}, {"toolConfig": {"tools": [TOOL]}}),
    row("types.value bedrock.blank", PLAIN, {"system": [{"text": ""}]},
        {"system": [{"text": "Be brief."}]}),
    row("types.value tools.name", CALLS,
        {"toolConfig.tools[0].toolSpec.name": "n" * 65},
        {"toolConfig.tools[0].toolSpec.name": "n" * 64}),
    row("types.value", PLAIN, {"requestMetadata": {"a": "b" * 257}},
        {"requestMetadata": {"a": "b" * 256}}),
    # tool uses and results
    row("pairs.unanswered", TWO, {f"{C2}[1]": GONE}),
    row("pairs.unanswered", CALLS, {C2: [TEXT]}, {"messages[2]": GONE}),
    row("pairs.unanswered", CALLS, {"messages[2]": LATER}, {"messages[2]": GONE}),
    row("pairs.orphan", CALLS, {C1: [TEXT]}),
    row("pairs.orphan", CALLS, {C2: [result(), result("tooluse_9")]}),
    row("pairs.twice", CALLS, {C2: [result(), result()]}),
    row("pairs.late", CALLS, {C2: [TEXT, result()]}, {C2: [result(), TEXT]}),
    row("pairs.repeated_id", CALLS,
        {"messages": [*CALLS["messages"], SAY, *CALLS["messages"]]},
        {"messages": [*CALLS["messages"], SAY, *TWO["messages"][:1]]}),
    row("pairs.repeated_id pairs.twice", TWO,
        {f"{C1}[1]": use(), f"{C2}[1]": result()}),
    row("pairs.server", WEB, {C1: [FOUND]}, {C1: [SEARCH, FOUND]}),
    row("pairs.server", WEB, {f"{C1}[1].toolResult.toolUseId": "s2"}),
    # messages and blocks
    row("bedrock.no_messages", PLAIN, {"messages": []}),
    row("bedrock.no_messages", PLAIN, {"messages": GONE}),
    row("bedrock.first", PLAIN, {"messages": [SAY, ASK]}, {"messages": [ASK, SAY, ASK]},
        whole=True),
    row("bedrock.first", PLAIN, {"messages": [LATER, ASK]}, {"messages": [ASK, LATER]},
        whole=True),
    row("bedrock.alternation", PLAIN, {"messages": [ASK, ASK]}, {"messages": [ASK, SAY, ASK]}),
    row("bedrock.alternation", PLAIN, {"messages": [ASK, SAY, SAY]}, {"messages": [ASK, SAY]}),
    row("bedrock.empty", PLAIN, {C0: []}),
    row("bedrock.empty", PLAIN, {"messages": [ASK, says("assistant")]},
        {"messages": [ASK, SAY]}),
    row("bedrock.blank", PLAIN, {C0: [{"text": ""}]}, {C0: [{"text": "."}]}),
    row("bedrock.blank", PLAIN, {C0: [{"text": " \n"}]}),
    row("bedrock.blank", CALLS, {f"{C2}[0].toolResult.content": [{"text": ""}]},
        {f"{C2}[0].toolResult.content": []}),
    row("bedrock.blank", PLAIN, {"system": [{"text": " "}]}, {"system": [{"text": "a"}]}),
    row("bedrock.seat", WEB, {C1: [image("png", PNG)]}, {C0: [image("png", PNG)]}),
    row("bedrock.seat", PLAIN, {C0: [THOUGHT]}, {"messages": [ASK, says("assistant", THOUGHT)]}),
    row("bedrock.seat", PLAIN, {"messages": [ASK, {**LATER, "content": [image("png", PNG)]}]},
        {"messages": [ASK, LATER]}),
    row("bedrock.seat", PLAIN, {C0: [{"toolRemoval": {"tool": {"name": "weather"}}}]},
        {"messages": [ASK, says("system", {"toolRemoval": {"tool": {"name": "weather"}}})]}),
    row("bedrock.document_alone", LOOK, {C0: [document()]}, {C0: [document(), TEXT]}),
    row("bedrock.document_alone", LOOK, {C0: [image("png", PNG), document()]},
        {C0: [image("png", PNG)]}),
    row("bedrock.many", LOOK, {C0: [TEXT, *[image("png", PNG)] * 21]},
        {C0: [TEXT, *[image("png", PNG)] * 20]}),
    row("bedrock.many", LOOK, {C0: [TEXT, *(document(f"R{n}") for n in range(6))]},
        {C0: [TEXT, *(document(f"R{n}") for n in range(5))]}),
    row("bedrock.document_name", LOOK, {f"{C0}[2]": document("report.pdf")},
        {f"{C0}[2]": document("Report (1) [a-b]")}),
    row("bedrock.document_name", LOOK, {f"{C0}[2]": document("a  b")},
        {f"{C0}[2]": document("a b")}),
    row("bedrock.repeated_name", LOOK, {C0: [TEXT, document(), document()]},
        {C0: [TEXT, document(), document("Report 2")]}),
    row("bedrock.repeated_name", CALLS, {C0: [TEXT, document()],
                                         C2: [result("tooluse_1", document())]},
        {C0: [TEXT], C2: [result("tooluse_1", document())]}),
    row("bedrock.format", LOOK, {f"{C0}[2].document.format": GONE},
        {f"{C0}[2].document": {"name": "a", "source": {"text": "21"}}}),
    row("bedrock.format", LOOK, {f"{C0}[1]": image("png", JPEG)},
        {f"{C0}[1]": image("jpeg", JPEG)}),
    row("bedrock.empty_error", CALLS,
        {f"{C2}[0].toolResult.status": "error", f"{C2}[0].toolResult.content": []},
        {f"{C2}[0].toolResult.status": "success", f"{C2}[0].toolResult.content": []}),
    row("bedrock.empty_error", TWO,
        {f"{C2}[1].toolResult.status": "error", f"{C2}[1].toolResult.content": []},
        {f"{C2}[1].toolResult.status": "error"}),
    row("bedrock.result_json", CALLS, {f"{C2}[0].toolResult.content": [{"json": [21]}]},
        {f"{C2}[0].toolResult.content": [{"json": {"degrees": 21}}]}),
    row("bedrock.result_json", CALLS, {f"{C2}[0].toolResult.content": [{"json": 21}]},
        {f"{C2}[0].toolResult.content": [{"text": "21"}]}),
]  # fmt: skip
