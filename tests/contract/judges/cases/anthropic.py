"""Rows for the Anthropic Messages wire."""

from __future__ import annotations

from typing import Any

from . import CITY, GONE, JPEG, NO_ARGUMENTS, PDF, PNG, Row

ASK = {"role": "user", "content": "What is the weather in Rome?"}
SAY = {"role": "assistant", "content": [{"type": "text", "text": "21 degrees."}]}
TOOL = {"name": "weather", "input_schema": CITY}
TEXT = {"type": "text", "text": "Go on."}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "c2ln"}
MARK = {"type": "ephemeral"}


def call(call_id: str = "toolu_1") -> Any:
    return {"type": "tool_use", "id": call_id, "name": "weather", "input": {"city": "Rome"}}


def result(call_id: str = "toolu_1") -> Any:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "21 degrees"}


def says(role: str, *blocks: Any) -> Any:
    return {"role": role, "content": list(blocks)}


def image(media_type: str, data: str) -> Any:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def says_text(text: str) -> Any:
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "source": source}


PLAIN: dict[str, Any] = {"model": "claude-opus-5", "max_tokens": 100, "messages": [ASK]}
OPEN: dict[str, Any] = {**PLAIN, "tools": [TOOL], "messages": [ASK, says("assistant", call())]}
CALLS: dict[str, Any] = {**OPEN, "messages": [*OPEN["messages"], says("user", result())]}
TWO_TURN = says("assistant", call(), call("toolu_2"))
TWO = {**OPEN, "messages": [ASK, TWO_TURN, says("user", result(), result("toolu_2"))]}
LOOK = {**PLAIN, "messages": [says("user", image("image/png", PNG), TEXT)]}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
WEB = {**PLAIN, "messages": [ASK, says("assistant", SEARCH, FOUND), ASK]}
LATER = {"role": "system", "content": "Be brief."}
SONNET = {**PLAIN, "model": "claude-sonnet-4-5", "messages": [ASK, SAY]}
MANUAL = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
DOCUMENT = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf",
                                           "data": PDF}}  # fmt: skip

C0, C1, C2 = ("messages[0].content", "messages[1].content", "messages[2].content")
SOURCE, SCHEMA = f"{C0}[0].source", "tools[0].input_schema"
FORCED, UNKNOWN = {"type": "tool", "name": "weather"}, {"type": "tool", "name": "time"}
THOUGHTFUL = {C1: [THOUGHT, call()]}
MARKED = [{**TEXT, "cache_control": MARK}] * 4


def ids(text: str) -> Any:
    return {f"{C1}[0].id": text, f"{C2}[0].tool_use_id": text}


def row(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("anthropic", rule, base, bad, good or {}, **more)


ROWS = [
    # the SDK's types
    row("types.missing", PLAIN, {"max_tokens": GONE}),
    row("types.unknown_key", PLAIN, {"messages[0].name": "Bob"}),
    row("types.unknown_key", LOOK, {f"{C0}[1].id": "a"}, {f"{C0}[1].cache_control": MARK}),
    row("types.unknown_key", PLAIN, {"user_profile_id": "u"}, {"metadata": {"user_id": "u"}}),
    row("types.unknown_key", PLAIN, {"temperature": "hot"}, {"temperature": 0.5}),
    row("types.kind", PLAIN, {"messages[0].role": "tool"}),
    row("types.kind anthropic.seat", LOOK, {f"{C0}[0]": {"type": "audio"}}),
    row("types.missing", CALLS, {C1: [{"type": "thinking", "thinking": "hm"}, call()]}, THOUGHTFUL),
    row("types.value", CALLS, {f"{C1}[0].input": '{"city": "Rome"}'}, {f"{C1}[0].input": {}}),
    row("types.value", CALLS, {f"{C1}[0].input": []}),
    row("types.unknown_key", CALLS, {C1: [{**THOUGHT, "cache_control": MARK}, call()]}),
    row("types.value anthropic.source", LOOK, {f"{SOURCE}.media_type": "image/jpg"},
        {C0: [image("image/jpeg", JPEG)]}),
    row("types.value anthropic.source", LOOK,
        {C0: [DOCUMENT], f"{SOURCE}.media_type": "text/csv"}, {C0: [DOCUMENT]}),
    row("anthropic.source", LOOK, {C0: [says_text("")]}, {C0: [says_text("Rome: 21")]}),
    # calls and results
    row("pairs.unanswered", TWO, {f"{C2}[1]": GONE}),
    row("pairs.unanswered", CALLS, {C2: [TEXT]}, {"messages[2]": GONE}),
    row("pairs.unanswered pairs.orphan", TWO,
        {"messages": [ASK, TWO_TURN, says("user", result()), says("user", result("toolu_2"))]}),
    row("pairs.orphan", CALLS, {C1: [TEXT]}),
    row("pairs.orphan", CALLS, {C2: [result(), result("toolu_9")]}),
    row("pairs.twice", CALLS, {C2: [result(), result()]}),
    row("pairs.late", CALLS, {C2: [TEXT, result()]}, {C2: [result(), TEXT]}),
    row("pairs.repeated_id", CALLS, {"messages": [*CALLS["messages"], *CALLS["messages"][1:]]}),
    row("pairs.repeated_id pairs.orphan", TWO, {f"{C1}[1].id": "toolu_1"}),
    row("pairs.server", WEB, {C1: [FOUND]}, {C1: [SEARCH, FOUND]}),
    row("pairs.server", WEB, {f"{C1}[1].tool_use_id": "srvtoolu_2"}),
    # messages and blocks
    row("anthropic.no_messages", PLAIN, {"messages": []}),
    row("anthropic.system_first", PLAIN, {"messages": [LATER, ASK]},
        {"messages": [ASK], "system": "Be brief."}, whole=True),
    row("anthropic.system_place", PLAIN, {"messages": [ASK, LATER, ASK]},
        {"messages": [ASK, LATER, SAY, ASK]}),
    row("anthropic.system_place", PLAIN, {"messages": [ASK, SAY, LATER]},
        {"messages": [ASK, LATER, LATER]}),
    row("anthropic.system_place", WEB, {"messages[1]": SAY, "messages[2]": LATER},
        {"messages[2]": LATER}),
    row("anthropic.empty", PLAIN, {C0: ""}, {C0: "."}),
    row("anthropic.empty", PLAIN, {C0: []}),
    row("anthropic.blank", PLAIN, {C0: " \n"}),
    row("anthropic.blank", LOOK, {f"{C0}[1].text": ""}),
    row("anthropic.blank", LOOK, {f"{C0}[1].text": " "}),
    row("anthropic.blank", CALLS, {f"{C2}[0].content": [{"type": "text", "text": ""}]},
        {f"{C2}[0].content": GONE}),
    row("anthropic.blank", PLAIN, {"system": [{"type": "text", "text": ""}]},
        {"system": [TEXT]}),
    row("anthropic.seat", PLAIN,
        {"messages": [ASK, says("assistant", image("image/png", PNG)), ASK]}),
    row("anthropic.seat", LOOK, {f"{C0}[1]": THOUGHT}),
    row("anthropic.seat pairs.orphan", CALLS,
        {"messages": [*CALLS["messages"], ASK], "messages[2].role": "assistant"}),
    row("anthropic.unsigned", CALLS, {C1: [{**THOUGHT, "signature": ""}, call()]}, THOUGHTFUL),
    row("anthropic.thinking_last", CALLS, {C1: [call(), THOUGHT]}, THOUGHTFUL),
    row("anthropic.thinking_last", WEB, {C1: [THOUGHT]}, {C1: [THOUGHT, TEXT]}),
    row("anthropic.call_id", CALLS, ids("functions.weather:0"), ids("functions_weather_0")),
    row("anthropic.call_id", CALLS, ids(""), ids("a")),
    row("tools.name", CALLS, {f"{C1}[0].name": "a.b"}, {f"{C1}[0].name": "n" * 128}),
    row("anthropic.empty_error", CALLS, {f"{C2}[0].content": "", f"{C2}[0].is_error": True},
        {f"{C2}[0].content": "", f"{C2}[0].is_error": False}),
    row("anthropic.source", LOOK, {f"{SOURCE}.data": JPEG}),
    row("anthropic.source", LOOK, {f"{SOURCE}.data": f"data:image/png;base64,{PNG}"}),
    row("anthropic.source", LOOK, {SOURCE: {"type": "url", "url": f"data:image/png;base64,{PNG}"}},
        {SOURCE: {"type": "url", "url": "https://example.com/a.png"}}),
    row("anthropic.source", LOOK, {SOURCE: {"type": "url", "url": "a.png"}}),
    row("anthropic.trailing", SONNET, {f"{C1}[0].text": "Title: "}, {f"{C1}[0].text": "Title:"}),
    # the whole request
    row("anthropic.prefill", SONNET, {"model": "claude-opus-4-6"}, whole=True),
    row("anthropic.thinking_off", SONNET,
        {C1: [THOUGHT, TEXT], "thinking": {"type": "disabled"}}, {C1: [THOUGHT, TEXT]}, whole=True),
    row("anthropic.budget", PLAIN, {**MANUAL, "max_tokens": 1024}, MANUAL),
    row("anthropic.forced", CALLS, {**MANUAL, **THOUGHTFUL, "tool_choice": FORCED},
        {**MANUAL, **THOUGHTFUL, "tool_choice": {"type": "auto"}}),
    row("anthropic.thinking_back", CALLS, MANUAL, {**MANUAL, **THOUGHTFUL}, whole=True),
    row("anthropic.cache_marks", PLAIN, {C0: MARKED, "cache_control": MARK}, {C0: MARKED},
        whole=True),
    row("tools.none", PLAIN, {"tools": []}, {"tools": [TOOL]}),
    row("tools.choice_alone", PLAIN, {"tool_choice": {"type": "auto"}}),
    row("tools.choice_unknown", CALLS, {"tool_choice": UNKNOWN}, {"tool_choice": FORCED}),
    row("tools.name", CALLS, {"tools[0].name": "n" * 129}, {"tools[0].name": "n" * 128}),
    row("tools.twice", CALLS, {"tools": [TOOL, TOOL]}),
    row("tools.schema", CALLS, {SCHEMA: {}}, {SCHEMA: NO_ARGUMENTS}),
    row("tools.root_union", CALLS, {f"{SCHEMA}.anyOf": [{"required": ["city"]}]},
        {f"{SCHEMA}.properties.city": {"anyOf": [{"type": "string"}]}}),
    row("tools.draft", CALLS, {f"{SCHEMA}.properties.city": {"items": [{"type": "string"}]}},
        {f"{SCHEMA}.properties.city": {"items": {"type": "string"}}}),
    row("anthropic.endpoint", PLAIN, {}, path="/v1/complete", good_path="/v1/messages?beta=true"),
]  # fmt: skip
