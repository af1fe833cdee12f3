"""Rows for the Gemini generateContent wire."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, NO_ARGUMENTS, PNG, Row

ASK = {"role": "user", "parts": [{"text": "What is the weather in Rome?"}]}
SAY = {"role": "model", "parts": [{"text": "21 degrees."}]}
FUNCTION = {"name": "weather", "parametersJsonSchema": CITY}
SUBSET = {"name": "weather", "parameters": CITY}


def call(name: str = "weather", **more: Any) -> Any:
    return {"functionCall": {"name": name, "args": {"city": "Rome"}, **more}}


def result(name: str = "weather", **more: Any) -> Any:
    return {"functionResponse": {"name": name, "response": {"output": "21"}, **more}}


def says(role: str, *parts: Any) -> Any:
    return {"role": role, "parts": list(parts)}


def declares(**function: Any) -> Any:
    return [{"functionDeclarations": [{"name": "weather", **function}]}]


def thinks(**config: Any) -> Any:
    return {"generationConfig": {"thinkingConfig": config}}


PLAIN = {"contents": [ASK]}
TOOLS = [{"functionDeclarations": [FUNCTION]}]
OPEN = {"tools": TOOLS, "contents": [ASK, says("model", call())]}
CALLS = {"tools": TOOLS, "contents": [*OPEN["contents"], says("user", result()), SAY]}
BOTH = says("model", call(), call("time"))
TWO = {"contents": [ASK, BOTH, says("user", result(), result("time")), SAY]}
LOOK = {"contents": [says("user", {"inlineData": {"mimeType": "image/png", "data": PNG}})]}
FILE = {"contents": [says("user", {"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b"}})]}
SIGNED = {**call(), "thoughtSignature": "c2ln"}

P0, P1, P2 = "contents[0].parts", "contents[1].parts", "contents[2].parts"
DECLARED = "tools[0].functionDeclarations"
LIST_OF_TEXT = {"type": "array", "items": {"type": "string"}}
BETA = "/v1beta/models/{}:generateContent"
FLASH, NEW = BETA.format("gemini-2.5-flash"), BETA.format("gemini-3.8-flash")
VERTEX = "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:streamGenerateContent"


def subset(schema: Any) -> Any:
    properties = {"city": schema}
    return {"tools": declares(parameters={"type": "OBJECT", "properties": properties})}


def allows(name: str, mode: str) -> Any:
    chosen = {"mode": mode, "allowedFunctionNames": [name]}
    return {"toolConfig": {"functionCallingConfig": chosen}}


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("gemini", rule, base, bad, good or {}, **more)


ROWS = [
    # the SDK's types
    row("types.unknown_key", PLAIN, {f"{P0}[0].name": "Bob"}, {f"{P0}[0].thought": False}),
    row("types.unknown_key", PLAIN, {"system": "Be brief."},
        {"systemInstruction": {"parts": [{"text": "Be brief."}]}}),
    row("types.unknown_key", PLAIN, {"generationConfig": {"maxTokens": 9}},
        {"generationConfig": {"maxOutputTokens": 9}}),
    row("types.unknown_key", PLAIN, {"tools": declares(parameters={**NO_ARGUMENTS, "const": 1})},
        {"tools": declares(parameters=NO_ARGUMENTS)}),
    row("types.value", PLAIN, {f"{P0}[0].text": 21}, {f"{P0}[0].text": "21"}),
    row("types.value", PLAIN, {"tools": TOOLS[0]}, {"tools": TOOLS}),
    row("types.value", PLAIN, {"safetySettings": [{"category": 7, "threshold": "OFF"}]},
        {"safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}]}),
    row("types.value", PLAIN, {"safetySettings": [{"category": "RUDE", "threshold": "OFF"}]}),
    row("types.value gemini.response", CALLS, {f"{P2}[0].functionResponse.response": "21"},
        {f"{P2}[0].functionResponse.response": {}}),
    row("types.value", CALLS, {f"{P1}[0].functionCall.args": "{}"},
        {f"{P1}[0].functionCall.args": {}}),
    row("types.value", CALLS, {P1: [{**call(), "thoughtSignature": "a*"}]}, {P1: [SIGNED]}),
    # calls and responses
    row("pairs.count", TWO, {f"{P2}[1]": GONE}),
    row("pairs.count pairs.orphan", TWO,
        {"contents": [ASK, BOTH, says("user", result()), says("user", result("time"))]}),
    row("pairs.unanswered", CALLS, {"contents[2]": ASK},
        {"contents[2]": GONE, "contents[-1]": GONE}),
    row("pairs.orphan", CALLS, {"contents[1]": SAY}),
    row("pairs.order", TWO, {P2: [result("time"), result()]}),
    row("pairs.name", CALLS, {f"{P2}[0].functionResponse.name": "time"}),
    row("pairs.id", CALLS, {P1: [call(id="a")]}, {P1: [call(id="a")], P2: [result(id="a")]}),
    row("pairs.id", CALLS, {P2: [result(id="a")]}),
    row("pairs.id", CALLS, {P1: [call(id="a")], P2: [result(id="b")]}),
    row("pairs.repeated_id", TWO,
        {P1: [call(id="a"), call("time", id="a")], P2: [result(id="a"), result("time", id="a")]},
        {P1: [call(id="a"), call("time", id="b")], P2: [result(id="a"), result("time", id="b")]}),
    # contents and parts
    row("gemini.no_contents", PLAIN, {"contents": []}),
    row("gemini.role", PLAIN, {"contents[0].role": "system"}),
    row("gemini.role", PLAIN, {"contents[0].role": GONE}),
    row("gemini.no_parts", PLAIN, {P0: []}),
    row("gemini.part", PLAIN, {P0: [{}]}),
    row("gemini.part", PLAIN, {f"{P0}[0].inlineData": {"mimeType": "image/png", "data": PNG}}),
    row("gemini.empty_text", CALLS, {"contents[3].parts[0].text": ""},
        {"contents[3].parts[0]": {"text": "", "thoughtSignature": "c2ln"}}),
    row("gemini.seat gemini.call_place", PLAIN, {P0: [call()]}, whole=True),
    row("gemini.seat", CALLS, {"contents[2].role": "model"}),
    row("gemini.mixed", CALLS, {P2: [result(), {"text": "Go on."}]},
        {"contents[3]": says("user", {"text": "Go on."})}),
    row("gemini.call_place", OPEN, {"contents": [ASK, SAY, says("model", call())]},
        {"contents": [ASK, SAY, ASK, says("model", call())]}),
    row("gemini.name tools.name", OPEN, {f"{P1}[0].functionCall.name": "",
                                         f"{DECLARED}[0].name": ""}),
    row("gemini.name pairs.name", CALLS, {f"{P2}[0].functionResponse.name": ""}),
    row("gemini.response", CALLS, {f"{P2}[0].functionResponse.response": GONE}),
    row("gemini.media", LOOK, {f"{P0}[0].inlineData.mimeType": "png"},
        {f"{P0}[0].inlineData.mimeType": "image/webp"}),
    row("gemini.media", LOOK, {f"{P0}[0].inlineData.data": ""}),
    row("gemini.media types.value", LOOK, {f"{P0}[0].inlineData.data": f"data:image/png,{PNG}"}),
    row("gemini.media", FILE, {f"{P0}[0].fileData.fileUri": GONE}),
    row("gemini.spelling", PLAIN, {"cachedContent": "a", "cached_content": "a"},
        {"cached_content": "a"}),
    row("gemini.spelling types.unknown_key", LOOK, {f"{P0}[0].inlineData.mime_type": "image/png"},
        {P0: [{"inline_data": {"mime_type": "image/png", "data": PNG}}]}),
    # the whole request
    row("gemini.system", PLAIN, {"systemInstruction": LOOK["contents"][0]},
        {"systemInstruction": ASK}),
    row("gemini.misplaced", PLAIN, {"generationConfig": {"tools": TOOLS}}, {"tools": TOOLS}),
    row("gemini.two_schemas", PLAIN,
        {"tools": declares(parameters=CITY, parametersJsonSchema=CITY)},
        {"tools": declares(parametersJsonSchema=CITY)}),
    row("gemini.two_schemas", PLAIN,
        {"generationConfig": {"responseSchema": CITY, "responseJsonSchema": CITY}},
        {"generationConfig": {"responseJsonSchema": CITY}}),
    row("gemini.thinking", PLAIN, thinks(thinkingBudget=128, thinkingLevel="low"),
        thinks(thinkingLevel="low")),
    row("gemini.subset", PLAIN, subset({"type": "ARRAY"}), subset(LIST_OF_TEXT)),
    row("gemini.subset", PLAIN, subset({"type": "ARRAY", "items": {"type": "ARRAY"}}),
        subset({"type": "ARRAY", "items": LIST_OF_TEXT})),
    row("gemini.subset", PLAIN, subset({"enum": ["a"]}), subset({"type": "STRING", "enum": ["a"]})),
    row("gemini.subset", PLAIN, subset({"type": "STRING", "format": "uri"}),
        subset({"type": "STRING", "format": "date-time"})),
    row("tools.schema", PLAIN, {"tools": declares(parameters={"type": "STRING"})},
        {"tools": declares(parameters={"type": "OBJECT"})}),
    row("tools.schema", PLAIN, {"tools": declares(parametersJsonSchema={"type": "string"})},
        {"tools": declares()}),
    row("tools.none", PLAIN, {"tools": []}),
    row("tools.none", PLAIN, {"tools": [{"functionDeclarations": []}]},
        {"tools": [{"googleSearch": {}}]}),
    row("tools.twice", CALLS, {DECLARED: [FUNCTION, FUNCTION]}, {DECLARED: [SUBSET]}),
    row("tools.name", CALLS, {f"{DECLARED}[0].name": "1st"}, {f"{DECLARED}[0].name": "a.b:c-d"}),
    row("tools.choice_alone", PLAIN, {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}),
    row("tools.choice_unknown", CALLS, allows("time", "ANY"), allows("weather", "ANY")),
    row("gemini.allowed", CALLS, allows("weather", "AUTO"), allows("weather", "VALIDATED")),
    row("gemini.endpoint", PLAIN, {}, path="/v1beta/models:generateContent", good_path=FLASH),
    row("gemini.endpoint", PLAIN, {}, path="/v1beta/interactions", good_path=VERTEX),
    row("gemini.prefill", PLAIN, {"contents": [ASK, SAY]}, path=NEW, whole=True),
    row("gemini.unsigned", OPEN, {}, {P1: [SIGNED]}, path=NEW, whole=True),
    row("gemini.unsigned", OPEN, {}, {"contents": [*CALLS["contents"], ASK]}, path=NEW, whole=True),
]  # fmt: skip
