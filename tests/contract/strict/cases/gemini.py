"""What Gemini refuses: cases 42 to 52."""

from __future__ import annotations

from typing import Any

from ...judges.cases import GONE
from . import Case

SIG = "c2lnbmF0dXJl"


def call(id: str | None, name: str = "look", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"id": id, "name": name, "args": {}} | more} | (
        {"thoughtSignature": SIG} if id in ("a", "c") else {}
    )


def seen(id: str | None, name: str = "look", response: Any = None) -> dict[str, Any]:
    given = {"output": 1} if response is None else response
    return {"functionResponse": {"id": id, "name": name, "response": given}}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


HI = {"text": "Hi."}
BASE: dict[str, Any] = {
    "model": "gemini-3.6-flash",
    "contents": [
        user(HI), model(HI), user(HI),
        model({"text": "Hm.", "thought": True}, call("a"), call("b", "find")),
        user(seen("a"), seen("b", "find")), model(call("c")), user(seen("c")),
    ],
    "tools": [{"functionDeclarations": [{"name": "look"}, {"name": "find"}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["look"]}},
}  # fmt: skip
C = "contents"
WAITING = {f"{C}[6]": GONE}

TOOLS = {"functionDeclarations": [{"name": "look"}, {"name": "find"}, {"name": "more"}]}
CASES = [
    Case("unsigned", "contents[3].parts[1]", {f"{C}[3].parts[1].thoughtSignature": GONE}, "43"),
    Case("unsigned", "contents[5].parts[0]", {f"{C}[5].parts[0].thoughtSignature": GONE}, "43",
         {f"{C}[5].parts[0].thoughtSignature": GONE,
          f"{C}[5].parts[0].thought_signature": SIG}),
    Case("signature", "contents[5].parts[0]", {f"{C}[5].parts[0].thoughtSignature": "no base64"},
         "50"),
    Case("count", "contents[4]", {f"{C}[4].parts": [seen("a")]}, "44"),
    Case("count", "contents[4]", {f"{C}[4].parts": [seen("a"), seen("b", "find"), seen("c")]},
         "44"),
    Case("mixed", "contents[6]", {f"{C}[6].parts": [seen("c"), HI]}, "44"),
    Case("mixed", "contents[6]", {f"{C}[6].parts": [seen("c"), {"inlineData": {
         "mimeType": "image/png", "data": "iVBORw0KGgo="}}]}, "44 25"),
    Case("answered", "contents[3]", {f"{C}[4]": user(HI)}, "45"),
    Case("orphan", "contents[2]", {f"{C}[2]": user(seen("x"))}, "45"),
    Case("call_place", "contents[0]", {f"{C}[0]": model(call("a")), f"{C}[1]": user(seen("a"))},
         "45 91"),
    Case("call_place", "contents[2]", {f"{C}[2]": model(call("a")), f"{C}[3]": user(seen("a")),
         f"{C}[4]": user(HI)}, "45", {f"{C}[1]": user(HI), f"{C}[2]": model(call("a")),
         f"{C}[3]": user(seen("a")), f"{C}[4]": user(HI)}),
    Case("order", "contents[4]", {f"{C}[4].parts": [seen("b", "find"), seen("a")]}, "44"),
    Case("order", "contents[6]", {f"{C}[6].parts": [seen("c", "find")]}, "47"),
    Case("same_id", "contents[6]", {f"{C}[6].parts": [seen(None)]}, "47"),
    Case("same_id", "contents[6]", {f"{C}[6].parts": [seen("x")]}, "47",
         {f"{C}[5].parts[0].functionCall.id": GONE, f"{C}[6].parts": [seen(None)]}),
    Case("repeated_id same_id", "contents[3]",
         {f"{C}[3].parts[2].functionCall.id": "a"}, "10 47"),
    Case("no_parts", "contents[0].parts", {f"{C}[0].parts": []}, "46"),
    Case("part", "contents[0].parts[0]", {f"{C}[0].parts": [{}]}, "46"),
    Case("empty_text", "contents[0].parts[0].text", {f"{C}[0].parts": [{"text": ""}]}, "46",
         {f"{C}[1].parts": [{"text": "", "thoughtSignature": SIG}]}),
    Case("tool_name", "contents[6].parts[0].functionResponse.name",
         {f"{C}[5].parts": [call("c", "")], f"{C}[6].parts": [seen("c", "")]}, "47"),
    Case("tool_name", "tools[0].functionDeclarations[0].name",
         {"tools[0].functionDeclarations[0].name": "server/tool v1",
          "toolConfig.functionCallingConfig.allowedFunctionNames": ["find"]}, "18",
         {"tools[0].functionDeclarations[0].name": "server.tool-v1:x",
          "toolConfig.functionCallingConfig.allowedFunctionNames": ["find"]}),
    Case("tool_twice", "tools[0].functionDeclarations[1].name",
         {"tools[0].functionDeclarations[1].name": "look"}, ""),
    Case("choice_unknown", "toolConfig.functionCallingConfig.allowedFunctionNames[0]",
         {"toolConfig.functionCallingConfig.allowedFunctionNames": ["see"]}, "22"),
    Case("choice_alone", "toolConfig.functionCallingConfig", {"tools": []}, "22"),
    Case("choice_mode", "toolConfig.functionCallingConfig",
         {"toolConfig.functionCallingConfig.mode": "AUTO"}, "",
         {"toolConfig.functionCallingConfig": {"mode": "AUTO"}}),
    Case("response", "contents[6].parts[0].functionResponse",
         {f"{C}[6].parts": [seen("c", response="ok")]}, "51"),
    Case("response", "contents[6].parts[0].functionResponse",
         {f"{C}[6].parts": [seen("c", response=[1, 2])]}, "51"),
    Case("args", "contents[5].parts[0].functionCall",
         {f"{C}[5].parts[0].functionCall.args": "{}"}, "11"),
    Case("no_contents", "contents", {"contents": []}, "52a 13a"),
    Case("prefill", "contents[6]", {f"{C}[5]": user(HI), f"{C}[6]": model(HI)}, "52b"),
    Case("role", "contents[0].role", {f"{C}[0].role": "system"}, ""),
    Case("seat call_place answered", "contents[0].parts[0]", {f"{C}[0].parts": [call("a")]}, ""),
    Case("json_beside_tools", "generationConfig.responseMimeType",
         {"generationConfig": {"responseMimeType": "application/json"}}, "",
         {"generationConfig": {"responseMimeType": "text/plain"}}, model="gemini-2.5-pro"),
    Case("mixed_tools", "tools", {"tools": [TOOLS, {"googleSearch": {}}]}, "",
         {"tools": [TOOLS]}, model="gemini-2.5-pro"),
]  # fmt: skip
