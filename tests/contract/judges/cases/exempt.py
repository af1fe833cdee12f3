"""For each exemption: a body that only it lets pass, and a near one that it must not.

The name is the row of the table; the near body breaks the rule a little beside its condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from . import anthropic, changed, dashscope, gemini, ollama, openai_chat, vendors

Scope = Literal["messages", "request"]


@dataclass(frozen=True)
class Pardon:
    """`beyond` breaks the same rule outside the exemption, in the same scope or the other."""

    name: str
    wire: str
    scope: Scope
    body: Any
    beyond: Any
    beyond_scope: Scope | None = None

    def __str__(self) -> str:
        return f"{self.wire}-{self.name}"


CALLS, LOOP, PLAIN = openai_chat.CALLS, vendors.LOOP, openai_chat.PLAIN
CLAUDE, LONG = anthropic.PLAIN, vendors.LONG
SAID = vendors.SAID


def ids(base: Any, name: str) -> Any:
    return changed(base, openai_chat.ids(name))


def message(base: Any, place: str, value: Any) -> Any:
    return changed(base, {place: value})["messages"]


def option(wire: str, key: str, value: Any, wrong: Any) -> Pardon:
    base: Any = {"vllm": PLAIN, "anthropic": CLAUDE, "deepseek": vendors.FLASH}[wire]
    name = f"{wire}.{key}"
    return Pardon(name, wire, "request", {**base, key: value}, {**base, key: wrong})


def part(kind: str, whole: Any) -> Pardon:
    fitting = {"role": "user", "content": [whole]}
    return Pardon(
        f"vllm.{kind}", "vllm", "messages", [fitting], [{"role": "system", "content": [whole]}]
    )


NAMED = "messages[2].name"
PARDONS = [
    *(
        Pardon("chat.tool-message-name", wire, "messages",
               message(base, NAMED, "weather"), message(base, NAMED, None))
        for wire, base in (("openai-chat", CALLS), ("deepseek", LOOP), ("vllm", CALLS))
    ),
    Pardon("deepseek.reasoning_content", "deepseek", "messages", LOOP["messages"],
           message(LOOP, "messages[1].reasoning_content", None)),
    option("deepseek", "thinking", {"type": "disabled"}, "disabled"),
    option("deepseek", "user_id", "ann", 7),
    *(
        Pardon(f"{wire}.long-id-of-{role}", wire, "messages", ids(base, LONG)["messages"],
               ids(base, "")["messages"])
        for wire, base in (("deepseek", LOOP), ("vllm", CALLS))
        for role in ("call", "result")
    ),
    Pardon("vllm.reasoning", "vllm", "messages", [openai_chat.ASK, SAID],
           [{**openai_chat.ASK, "reasoning": "hm"}]),
    Pardon("vllm.reasoning_content", "vllm", "messages", [openai_chat.ASK, SAID],
           [{**openai_chat.ASK, "reasoning_content": "hm"}]),
    part("video_url", vendors.VIDEO),
    part("audio_url", vendors.SOUND),
    option("vllm", "chat_template_kwargs", {"enable_thinking": False}, True),
    option("vllm", "structured_outputs", {"choice": ["a", "b"]}, ["a"]),
    option("vllm", "thinking_token_budget", 100, "100"),
    option("vllm", "include_reasoning", False, 0),
    option("vllm", "continue_final_message", True, "yes"),
    option("vllm", "add_generation_prompt", False, None),
    option("vllm", "top_k", 20, 0.5),
    option("vllm", "min_p", 0.1, "0.1"),
    option("vllm", "repetition_penalty", 1.1, [1.1]),
    option("anthropic", "temperature", 0.5, True),
    option("anthropic", "top_p", 1, "1"),
    option("anthropic", "top_k", 40, None),
    Pardon("anthropic.inline-system", "anthropic", "messages",
           [anthropic.LATER, anthropic.LATER, anthropic.ASK],
           {**CLAUDE, "messages": [anthropic.LATER, anthropic.ASK]}, "request"),
    Pardon("gemini.call-first", "gemini", "messages", [gemini.says("model", gemini.call())],
           [gemini.SAY, gemini.says("model", gemini.call())]),
    Pardon("gemini.call-first", "gemini", "messages", [gemini.says("model", gemini.call())],
           {"contents": [gemini.says("model", gemini.call())]}, "request"),
    Pardon("dashscope.no-user", "dashscope", "messages", [dashscope.SAY],
           dashscope.body(dashscope.SAY), "request"),
    Pardon("dashscope.null-text", "dashscope", "messages",
           [dashscope.ASK, {**dashscope.turn(dashscope.call()), "content": [{"text": None}]}],
           [dashscope.ASK, {"role": "assistant", "content": [{"text": None}]}]),
    Pardon("ollama.tool-message-name", "ollama", "messages",
           message(ollama.CALLS, NAMED, "weather"),
           message(ollama.CALLS, "messages[0].name", "Bob")),
]  # fmt: skip
