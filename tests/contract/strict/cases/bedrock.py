"""What Bedrock's Converse refuses: cases 62 to 65e."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE, PDF, PNG
from . import Case

HI = {"text": "Hi."}
BLANK: dict[str, Any] = {"text": " "}


def call(id: str, **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": "look", "input": {}} | more}


def seen(id: str, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": [{"text": "seen"}]} | more}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def said(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}
PAPER = {"document": {"name": "a paper", "format": "pdf", "source": {"bytes": PDF}}}
VIDEO = {"video": {"format": "mp4", "source": {"bytes": "AAAA"}}}
STORED = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://a/b.png"}}}}
IMAGE = {"image": {"format": "png", "source": {"bytes": PNG}}}
SERVER = {"toolUse": {"toolUseId": "s", "name": "nova_grounding", "input": {},
                      "type": "server_tool_use"}}  # fmt: skip
SERVED = {"toolResult": {"toolUseId": "s", "content": [], "type": "nova_grounding_result"}}
TOOL = {"toolSpec": {"name": "look", "inputSchema": {"json": {"type": "object"}}}}
NOTES = {"document": {"name": "notes", "format": "md", "source": {"bytes": "SGku"}}}
POINT = {"cachePoint": {"type": "default"}}
BASE: dict[str, Any] = {
    "system": [{"text": "Be brief."}],
    "messages": [user(HI, PAPER), said(THOUGHT, call("a"), call("b")), user(seen("a"), seen("b")),
                 said(HI), user(HI, IMAGE)],
    "toolConfig": {"tools": [TOOL], "toolChoice": {"auto": {}}},
    "model": "anthropic.claude-haiku-4-5-20251001-v1:0",
}  # fmt: skip
M = "messages"
THINKS = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
WAITING = {f"{M}[4]": GONE, f"{M}[3]": GONE, f"{M}[2]": GONE}
NAMED = f"{M}[0].content[1].document.name"
LLAMA, NOVA = "us.meta.llama4-maverick-17b-instruct-v1:0", "us.amazon.nova-2-lite-v1:0"

PALMYRA = "writer.palmyra-x5-v1:0"

CASES = [
    Case("blank", f"{M}[4].content[0].text", {f"{M}[4].content[0]": BLANK}, "62"),
    Case("blank", f"{M}[2].content[0].toolResult.content[0].text",
         {f"{M}[2].content[0]": seen("a", content=[{"text": ""}])}, "62"),
    Case("empty", f"{M}[4].content", {f"{M}[4].content": []}, "62"),
    Case("tool_config", "toolConfig", {"toolConfig": GONE}, "63"),
    Case("apart", f"{M}[2].content[2]", {f"{M}[2]": user(seen("a"), seen("b"), HI)}, "64",
         model=LLAMA),
    Case("apart", f"{M}[1].content[0]", {f"{M}[1]": said(HI, call("a"), call("b"))}, "64",
         model=LLAMA),
    Case("orphan", f"{M}[2].content[2]", {f"{M}[2]": user(seen("a"), seen("b"), seen("c"))}, "65a"),
    Case("answered", f"{M}[1].content[2]", {f"{M}[2]": user(seen("a"), HI)}, "1"),
    Case("twice", f"{M}[2].content[2]", {f"{M}[2]": user(seen("a"), seen("b"), seen("b"))}, "65a"),
    Case("results_first", f"{M}[2].content[1]", {f"{M}[2]": user(HI, seen("a"), seen("b"))}, "12"),
    Case("repeated_id", f"{M}[1].content[1]",
         {f"{M}[1]": said(call("a"), call("a")), f"{M}[2]": user(seen("a"))}, "10"),
    Case("result_json", f"{M}[2].content[0].toolResult.content[0].json",
         {f"{M}[2].content[0]": seen("a", content=[{"json": [1, 2]}])}, "65b",
         {f"{M}[2].content[0]": seen("a", content=[{"json": {"a": 1}}])}),
    Case("first", M, {f"{M}[0]": said(HI), f"{M}[1]": user(HI), f"{M}[2]": said(HI),
         f"{M}[3]": user(HI), f"{M}[4]": GONE}, "65c",
         {f"{M}[0]": user(HI)}, model=NOVA),
    Case("first", M, {"messages": []}, "65c"),
    Case("document_alone", f"{M}[0]", {f"{M}[0]": user(PAPER)}, "65d"),
    Case("document_name", NAMED, {NAMED: "a.pdf"}, "65d", {NAMED: "a (1) [b]-c"}),
    Case("document_twice", f"{M}[4].content[1].document.name", {f"{M}[4]": user(HI, PAPER)}, "65d"),
    Case("alternation", f"{M}[3]", {f"{M}[3]": user(HI)}, "33"),
    Case("prefill", f"{M}[3]", {f"{M}[4]": GONE}, "8", model="us.anthropic.claude-sonnet-5"),
    Case("unsigned", f"{M}[1].content[0].reasoningContent",
         {f"{M}[1].content[0].reasoningContent.reasoningText.signature": GONE}, "4"),
    Case("call_id", f"{M}[1].content[1].toolUse.toolUseId",
         {f"{M}[1]": said(THOUGHT, call("a b"), call("b")), f"{M}[2]": user(seen("a b"),
         seen("b"))}, "10"),
    Case("call_id", f"{M}[1].content[0].toolUse.toolUseId",
         {f"{M}[1]": said(call("a" * 65)), f"{M}[2]": user(seen("a" * 65))}, "23",
         {f"{M}[1]": said(call("a" * 64)), f"{M}[2]": user(seen("a" * 64))}),
    Case("input", f"{M}[1].content[1].toolUse.input",
         {f"{M}[1].content[1]": call("a", input="{}")}, "11"),
    Case("tool_name", f"{M}[1].content[1].toolUse.name",
         {f"{M}[1].content[1]": call("a", name="n" * 65)}, "18",
         {f"{M}[1].content[1]": call("a", name="n" * 64)}),
    Case("tool_twice", "toolConfig.tools[1].toolSpec.name", {"toolConfig.tools": [TOOL, TOOL]}, ""),
    Case("no_tools", "toolConfig.tools", {"toolConfig": {"tools": [], "toolChoice": {"auto": {}}}},
         "22"),
    Case("choice_unknown", "toolConfig.toolChoice.tool.name",
         {"toolConfig.toolChoice": {"tool": {"name": "find"}}}, "22",
         {"toolConfig.toolChoice": {"tool": {"name": "look"}}}),
    Case("choice_alone", "toolConfig.toolChoice",
         {"toolConfig.tools": [{"cachePoint": {"type": "default"}}]}, "22"),
    Case("seat", f"{M}[3].content[0]", {f"{M}[3]": said(IMAGE)}, ""),
    Case("server_pair", f"{M}[3].content[1]", {f"{M}[3]": said(HI, SERVED)}, "13g",
         {f"{M}[3]": said(HI, SERVER, SERVED)}),
    Case("empty_error", f"{M}[2].content[0].toolResult",
         {f"{M}[2].content[0]": seen("a", content=[], status="error")}, "",
         {f"{M}[2].content[0]": seen("a", content=[])}),
    Case("blank_system", "system[0].text", {"system[0].text": ""}, "2"),
    Case("role", f"{M}[4].role", {f"{M}[4].role": "tool"}, ""),
    Case("forced", "toolConfig.toolChoice", THINKS | {"toolConfig.toolChoice": {"any": {}}}, "13c",
         {"toolConfig.toolChoice": {"any": {}}}),
    Case("thinking_back", f"{M}[1]", THINKS | {f"{M}[4]": GONE, f"{M}[3]": GONE,
         f"{M}[1]": said(call("a"), call("b"))}, "3", THINKS | {f"{M}[4]": GONE, f"{M}[3]": GONE}),
    Case("claude_media", f"{M}[4].content[1]", {f"{M}[4]": user(HI, VIDEO)}, ""),
    Case("claude_media", f"{M}[2].content[0].toolResult.content[0]",
         {f"{M}[2].content[0]": seen("a", content=[STORED])}, ""),
    Case("nova_media", f"{M}[2].content[0].toolResult.content[0]",
         {f"{M}[2].content[0]": seen("a", content=[VIDEO])}, "",
         {f"{M}[2].content[0]": seen("a", content=[IMAGE])}, model=NOVA),
    Case("error_text", f"{M}[2].content[0].toolResult.content[0]",
         {f"{M}[2].content[0]": seen("a", content=[IMAGE], status="error")}, "",
         {f"{M}[2].content[0]": seen("a", content=[IMAGE], status="success")}),
    Case("property_name", "toolConfig.tools[0].toolSpec.inputSchema.json.properties.filter[id]",
         {"toolConfig.tools[0].toolSpec.inputSchema.json.properties": {"filter[id]": {}}}, "",
         {"toolConfig.tools[0].toolSpec.inputSchema.json.properties": {"filter.id": {}}}),
    Case("still_effort", "outputConfig.effort",
         {"additionalModelRequestFields": {"thinking": {"type": "disabled"}},
          "outputConfig": {"effort": "max"}}, "",
         {"additionalModelRequestFields": {"thinking": {"type": "disabled"}},
          "outputConfig": {"effort": "high"}}, model="us.anthropic.claude-opus-5"),
    Case("cache_point", f"{M}[0].content[2]", {f"{M}[0]": user(HI, NOTES, POINT)}, "",
         {f"{M}[0]": user(HI, PAPER, POINT)}),
    Case("beside_results", f"{M}[2].content[2]", {f"{M}[2]": user(seen("a"), seen("b"), NOTES, HI)},
         "", {f"{M}[2]": user(seen("a"), seen("b"), IMAGE, HI)}),
    Case("beside_results", f"{M}[2].content[2]", {f"{M}[2]": user(seen("a"), seen("b"), HI)}, "",
         model=PALMYRA),
    Case("status", f"{M}[2].content[0].toolResult.status",
         {f"{M}[2].content[0]": seen("a", status="success")}, "", model=PALMYRA),
    Case("nine", f"{M}[1].content[0].toolUse.toolUseId",
         {f"{M}[1]": said(call("a")), f"{M}[2]": user(seen("a"))}, "",
         {f"{M}[1]": said(call("aB3dE6gH9")), f"{M}[2]": user(seen("aB3dE6gH9"))},
         model="mistral.mistral-large-2407-v1:0"),
]  # fmt: skip
