"""For each exemption: a body that only it lets pass, and a near one that it must not.

The name is the row of the table; the near body breaks the rule a little beside its condition.
Here are the exemptions that come in families; the single ones stand in the file beside this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from . import (
    anthropic,
    changed,
    gemini,
    hosts,
    openai_chat,
    vendors,
    vendors_cn,
    vendors_us,
)

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


CALLS, LOOP = openai_chat.CALLS, vendors.LOOP
LONG = vendors.LONG
# vendor's name in the table -> its wire and a body of it
CHATS: dict[str, tuple[str, Any]] = {
    "deepseek": ("deepseek/openai-chat", LOOP),
    "vllm": ("vllm/openai-chat", CALLS),
    "moonshot": ("moonshot/openai-chat", vendors_cn.THIRD),
    "zhipu": ("zhipu/openai-chat", vendors_cn.GLM),
    "minimax": ("minimax/openai-chat", vendors_cn.MAX),
    "xai": ("xai/openai-chat", vendors_us.GROK),
    "groq": ("groq/openai-chat", vendors_us.LLAMA),
    "openrouter": ("openrouter/openai-chat", vendors_us.ROUTE),
    "openrouter.back": ("openrouter/openai-chat", vendors_us.ROUTE),
    "compatible": ("dashscope/openai-chat", vendors_cn.QWEN),
}
CLAUDES: dict[str, Any] = {
    "anthropic": anthropic.PLAIN,
    "vertex/anthropic": hosts.ON_VERTEX,
    "bedrock/anthropic": hosts.ON_BEDROCK,
    "deepseek/anthropic": {**anthropic.PLAIN, "model": "deepseek-flash"},
    "minimax/anthropic": {**anthropic.PLAIN, "model": "MiniMax-M3"},
    **hosts.COPIED,
}
OPTIONS: dict[str, dict[str, tuple[Any, Any]]] = {  # key -> a value that passes, one that must not
    "deepseek": {"thinking": ({"type": "disabled"}, "disabled"), "user_id": ("ann", 7)},
    "vllm": {
        "chat_template_kwargs": ({"enable_thinking": False}, True),
        "structured_outputs": ({"choice": ["a", "b"]}, ["a"]),
        "thinking_token_budget": (100, "100"), "include_reasoning": (False, 0),
        "continue_final_message": (True, "yes"), "add_generation_prompt": (False, None),
        "top_k": (20, 0.5), "min_p": (0.1, "0.1"), "repetition_penalty": (1.1, [1.1]),
    },
    "moonshot": {"thinking": ({"type": "enabled"}, True)},
    "zhipu": {
        "thinking": ({"type": "enabled"}, "enabled"), "do_sample": (True, 1),
        "request_id": ("r", 1), "user_id": ("ann-1234", 1), "tool_stream": (True, "yes"),
    },
    "minimax": {"thinking": ({"type": "adaptive"}, "adaptive"), "reasoning_split": (True, 1)},
    "groq": {"reasoning_format": ("raw", False), "include_reasoning": (True, "yes")},
    "openrouter": {
        "reasoning": ({"effort": "low"}, "low"), "include_reasoning": (True, 1),
        "provider": ({"order": ["a"]}, "a"), "models": (["a"], "a"),
        "plugins": ([{"id": "web"}], {}), "usage": ({"include": True}, True),
        "transforms": ([], "middle-out"), "preset": ("a", 1),
        "top_k": (20, "20"), "min_p": (0.1, "0.1"), "repetition_penalty": (1.1, None),
    },
    "compatible": {
        "enable_thinking": (True, "yes"), "thinking_budget": (100, 0.5),
        "preserve_thinking": (True, 1), "top_k": (20, 0.5), "enable_search": (True, "yes"),
        "search_options": ({"forced_search": True}, True),
        "vl_high_resolution_images": (True, 1), "repetition_penalty": (1.1, "1.1"),
    },
}  # fmt: skip
BACK: dict[str, dict[str, tuple[Any, Any]]] = {
    "deepseek": {"reasoning_content": ("hm", None)},
    "vllm": {"reasoning": (None, 1), "reasoning_content": ("hm", ["hm"])},
    "moonshot": {"reasoning_content": ("", None)},
    "zhipu": {"reasoning_content": ("hm", 1)},
    "minimax": {"reasoning_details": ([vendors_cn.DETAIL], "hm")},
    "xai": {"reasoning_content": ("hm", None)},
    "groq": {"reasoning": ("hm", None)},
    "openrouter.back": {"reasoning": ("hm", None), "reasoning_details": ([], "hm")},
    "compatible": {"reasoning_content": ("hm", None)},
}
PARTS = {
    "vllm": (vendors.VIDEO, vendors.SOUND),
    "moonshot": (vendors_cn.CLIP,),
    "zhipu": (vendors.VIDEO,),
    "minimax": (vendors.VIDEO,),
    "openrouter": (vendors.VIDEO,),
    "compatible": (vendors.VIDEO, vendors_cn.FILM),
}
MARKED = {
    "part": ("messages[0].content", [{**openai_chat.TEXT, **vendors_cn.MARK}]),
    "tool": ("tools[0].cache_control", vendors_cn.MARK["cache_control"]),
    "message": ("messages[0].cache_control", vendors_cn.MARK["cache_control"]),
    "call": ("messages[1].tool_calls[0].cache_control", vendors_cn.MARK["cache_control"]),
}


def message(base: Any, place: str, value: Any) -> Any:
    return changed(base, {place: value})["messages"]


def option(name: str, key: str, good: Any, wrong: Any) -> Pardon:
    wire, base = CHATS[name]
    return Pardon(f"{name}.{key}", wire, "request", {**base, key: good}, {**base, key: wrong})


def back(name: str, key: str, good: Any, wrong: Any) -> Pardon:
    wire, base = CHATS[name]
    place = f"messages[1].{key}"
    return Pardon(
        f"{name}.{key}", wire, "messages", message(base, place, good), message(base, place, wrong)
    )


def part(name: str, whole: Any) -> Pardon:
    fitting, unfit = {"role": "user", "content": [whole]}, {"role": "system", "content": [whole]}
    wire, kind = CHATS[name][0], whole["type"]
    return Pardon(f"{name}.{kind}", wire, "messages", [fitting], [fitting, unfit])


def long_id(name: str, role: str) -> Pardon:
    wire, base = CHATS[name]
    fitting, unfit = (changed(base, openai_chat.ids(text))["messages"] for text in (LONG, ""))
    return Pardon(f"{name}.long-id-of-{role}", wire, "messages", fitting, unfit)


def mark(name: str, kind: str) -> Pardon:
    wire, base = CHATS[name]
    place, marked = MARKED[kind]
    wrong = [{**openai_chat.TEXT, "cache_control": True}] if kind == "part" else True
    return Pardon(
        f"{name}.cache-mark-of-{kind}", wire, "request",
        changed(base, {place: marked}), changed(base, {place: wrong}),
    )  # fmt: skip


NAMED = "messages[2].name"
PARDONS = [
    *(
        Pardon("chat.tool-message-name", wire, "messages",
               message(base, NAMED, "weather"), message(base, NAMED, None))
        for wire, base in (
            ("openai-chat", CALLS), ("openai/openai-chat", CALLS), ("azure/openai-chat", CALLS),
            ("deepseek/openai-chat", LOOP), ("vllm/openai-chat", CALLS),
        )
    ),
    *(option(name, key, *values) for name, keys in OPTIONS.items() for key, values in keys.items()),
    *(back(name, key, *values) for name, keys in BACK.items() for key, values in keys.items()),
    *(part(name, whole) for name, wholes in PARTS.items() for whole in wholes),
    *(
        long_id(name, role)
        for name in ("deepseek", "vllm", "moonshot", "openrouter")
        for role in ("call", "result")
    ),
    *(mark("openrouter", kind) for kind in MARKED),
    *(mark("compatible", kind) for kind in ("part", "tool")),
    *(
        Pardon(f"anthropic.{key}", wire, "request", {**base, key: good}, {**base, key: wrong})
        for wire, base in CLAUDES.items()
        for key, good, wrong in (("temperature", 0.5, True), ("top_p", 1, "1"), ("top_k", 40, None))
    ),
    *(
        Pardon("anthropic.inline-system", wire, "messages",
               [anthropic.LATER, anthropic.LATER, anthropic.ASK],
               {**base, "messages": [anthropic.LATER, anthropic.ASK]}, "request")
        for wire, base in CLAUDES.items()
    ),
    *(
        Pardon("gemini.call-first", wire, "messages", [gemini.says("model", gemini.call())],
               *beyond)
        for wire in ("gemini", "gemini/gemini", "vertex/gemini")
        for beyond in (
            ([gemini.SAY, gemini.says("model", gemini.call())],),
            ({"contents": [gemini.says("model", gemini.call())]}, "request"),
        )
    ),
]  # fmt: skip

UNSIGNED = anthropic.says("assistant", hosts.UNSIGNED)
