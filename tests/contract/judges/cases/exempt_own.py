"""For each exemption of one vendor or wire alone: a body that only it lets pass, and a near one."""

from __future__ import annotations

from typing import Any

from . import (
    anthropic,
    bedrock,
    changed,
    dashscope,
    hosts,
    mistral,
    ollama,
    openai_chat,
    responses,
    responses_hosts,
    vendors_cn,
)
from .exempt import CALLS, CHATS, NAMED, Pardon, message

OPENAI = ("openai-responses", "openai/openai-responses", "azure/openai-responses")
SERVERS = tuple(f"{name}/openai-responses" for name in responses_hosts.SERVERS)
OPEN = ("deepseek/openai-responses", "minimax/openai-responses", *SERVERS)
BRIEF = (*OPENAI, *OPEN[:2], "xai/openai-responses", "meta/openai-responses")


LINKED_FILE = "messages[0].content[2].file.file_data"
THOUGHT = "messages[1].reasoning_content"
REFUSAL = {"type": "refusal", "refusal": "No."}
SEARCHING = {**responses_hosts.GROK, "tools": [responses.TOOL]}


def kept_from(domains: Any) -> dict[str, Any]:
    return {"type": "web_search", "filters": {"excluded_domains": domains}}


def thought(block: Any) -> list[Any]:
    """A history with a turn that begins in such thinking."""
    return [anthropic.ASK, anthropic.says("assistant", block, anthropic.TEXT)]


UNSIGNED = {
    **anthropic.PLAIN,
    "messages": [*thought({"type": "thinking", "thinking": "hm", "signature": ""}), anthropic.ASK],
}
PARDONS = [
    Pardon("moonshot.stored-image", "moonshot/openai-chat", "messages",
           message(vendors_cn.KIMI, "messages[0].content", [vendors_cn.STORED]),
           message(vendors_cn.KIMI, "messages[0].content",
                   [{"type": "image_url", "image_url": {"url": "oss://a"}}])),
    Pardon("groq.own-reasoning_effort", "groq/openai-chat", "request",
           {**CALLS, "model": "qwen/qwen3-32b", "reasoning_effort": "default"},
           {**CALLS, "model": "qwen/qwen3-32b", "reasoning_effort": "defaults"}),
    Pardon("groq.own-service_tier", "groq/openai-chat", "request",
           {**CALLS, "service_tier": "on_demand"}, {**CALLS, "service_tier": "on_demand2"}),
    *(
        Pardon(f"{name}.tool-{tool['type']}", CHATS[name][0], "request",
               {**CHATS[name][1], "tools": [openai_chat.TOOL, tool]},
               {**CHATS[name][1], "tools": [openai_chat.TOOL, {**tool, "type": "magic"}]})
        for name, tool in (
            ("openrouter", {"type": "openrouter:web_search"}),
            ("openrouter", {"type": "openrouter:advisor"}),
            ("groq", {"type": "browser_search"}), ("groq", {"type": "code_interpreter"}),
            ("moonshot", vendors_cn.BUILTIN), ("zhipu", vendors_cn.WEB),
        )
    ),
    Pardon("openrouter.linked-file", "openrouter/openai-chat", "messages",
           message(openai_chat.MEDIA, LINKED_FILE, "https://example.com/a.pdf"),
           message(openai_chat.MEDIA, LINKED_FILE, "a.pdf")),
    Pardon("compatible.linked-audio", "dashscope/openai-chat", "messages",
           message(vendors_cn.QWEN, "messages[0].content",
                   [vendors_cn.sound("https://example.com/a.mp3")]),
           message(vendors_cn.QWEN, "messages[0].content", [vendors_cn.sound("?")])),
    *(
        Pardon(f"{name}.no-user", wire, "messages", [openai_chat.SAY],
               {**base, "messages": [openai_chat.SAY]}, "request")
        for name, (wire, base) in CHATS.items() if name in ("zhipu", "compatible")
    ),
    Pardon("deepseek.no-signature", "deepseek/anthropic", "messages",
           thought(hosts.UNSIGNED), thought({"type": "thinking"})),
    *(
        Pardon(name, wire, "messages", thought({**hosts.UNSIGNED, "signature": ""}),
               thought({**hosts.UNSIGNED, "signature": 1}))
        for name, wire in (
            ("deepseek.empty-signature", "deepseek/anthropic"),
            *(("copies.empty-signature", wire) for wire in hosts.COPIED),
        )
    ),
    Pardon("deepseek.no-budget", "deepseek/anthropic", "request",
           {**hosts.FLASH, "thinking": {"type": "enabled"}},
           {**hosts.FLASH, "thinking": {"type": "enabled", "budget_tokens": "9"}}),
    *(
        Pardon(f"responses.history-{kind}", wire, "messages",
               [responses.ASK, {"role": "assistant", "content": [said]}],
               [responses.ASK, {"role": "user", "content": [said]}])
        for wire in BRIEF
        for kind, said in (("output_text", responses.SAID["content"][0]), ("refusal", REFUSAL))
    ),
    *(
        Pardon("responses.reasoning-without-id", wire, "messages",
               [responses.ASK, responses.SEALED, responses.SAY],
               [responses.ASK, {"type": "reasoning", "encrypted_content": "g"}, responses.SAY])
        for wire in BRIEF
    ),
    *(
        Pardon(f"xai.{kind}", "xai/openai-responses", "request",
               {**SEARCHING, "tools": [{"type": kind}]}, {**SEARCHING, "tools": [{"type": "x"}]})
        for kind in ("x_search", "code_execution")
    ),
    *(
        Pardon("responses.excluded-domains", wire, "request",
               {**SEARCHING, "tools": [kept_from(["a.org"])]},
               {**SEARCHING, "tools": [kept_from("a.org")]})
        for wire in ("xai/openai-responses", "openrouter/openai-responses")
    ),
    Pardon("xai.no-container", "xai/openai-responses", "request",
           {**SEARCHING, "tools": [{"type": "code_interpreter"}]},
           {**SEARCHING, "tools": [{"type": "file_search"}]}),
    Pardon("openrouter.routing", "openrouter/openai-responses", "request",
           {**responses.PLAIN, "provider": {"order": ["a"]}}, {**responses.PLAIN, "provider": "a"}),
    Pardon("deepseek.uuid", "deepseek/openai-responses", "messages",
           [responses.ASK, responses_hosts.RAW, responses.SAY],
           [responses.ASK, {**responses_hosts.RAW, "id": "0a1b2c3d-no"}, responses.SAY]),
    *(
        Pardon("responses.open-reasoning", wire, "messages",
               [responses.ASK, {**responses.SEALED, "encrypted_content": None,
                                "content": responses_hosts.RAW["content"]}, responses.SAY],
               [responses.ASK, {"type": "reasoning", "summary": 7}, responses.SAY])
        for wire in OPEN[:2]
    ),
    *(
        Pardon("responses.lone-reasoning", wire, "messages",
               [responses.ASK, responses_hosts.OPEN, responses.ASK],
               [responses.ASK, responses_hosts.OPEN, responses.call(), responses.ASK])
        for wire in OPEN
    ),
    Pardon("openrouter.lone-reasoning", "openrouter/openai-responses", "messages",
           [responses.ASK, {**responses.SEALED, "id": "rs_1"}, responses.ASK],
           [responses.ASK, {**responses.SEALED, "id": "rs_1"}, responses.call(), responses.ASK]),
    *(
        Pardon("responses.no-detail", wire, "messages",
               [responses.user({"type": "input_image", "file_id": "file-1"})],
               {**responses.PLAIN,
                "input": [responses.user({"type": "input_image", "file_id": "file-1"})]}, "request")
        for wire in OPENAI
    ),
    Pardon("bedrock.first", "bedrock-converse", "messages", [bedrock.SAY, bedrock.ASK],
           {"messages": [bedrock.SAY, bedrock.ASK]}, "request"),
    Pardon("mistral.last", "mistral", "messages", [openai_chat.ASK, openai_chat.SAY],
           {**mistral.PLAIN, "messages": [openai_chat.ASK, openai_chat.SAY]}, "request"),
    Pardon("dashscope.no-user", "dashscope", "messages", [dashscope.SAY],
           dashscope.body(dashscope.SAY), "request"),
    Pardon("dashscope.null-text", "dashscope", "messages",
           [dashscope.ASK, {**dashscope.turn(dashscope.call()), "content": [{"text": None}]}],
           [dashscope.ASK, {"role": "assistant", "content": [{"text": None}]}]),
    Pardon("ollama.tool-message-name", "ollama", "messages",
           message(ollama.CALLS, NAMED, "weather"),
           message(ollama.CALLS, "messages[0].name", "Bob")),
    *(
        Pardon(f"family.{key}", "openai-chat", "request",
               changed(openai_chat.CALLS, {"model": model, key: value}),
               changed(openai_chat.CALLS, {key: value}))
        for model, key, value in (
            ("qwen/qwen3-32b", "enable_thinking", True), ("qwq-32b", "thinking_budget", 100),
            ("glm-4.7", "thinking", {"type": "enabled"}),
        )
    ),
    Pardon("family.back", "openai-chat", "request",
           changed(openai_chat.CALLS, {"model": "kimi-k2.6", THOUGHT: "hm"}),
           changed(openai_chat.CALLS, {THOUGHT: "hm"})),
    Pardon("family.unsigned", "anthropic", "request",
           {**UNSIGNED, "model": "kimi-k2.6"}, UNSIGNED),
]  # fmt: skip
