"""Rows for the vendors of the Responses wire."""

from __future__ import annotations

from typing import Any

from . import GONE, Row
from .responses import (
    ASK,
    CALLS,
    EARLIER,
    FILE,
    HERE,
    IMAGE,
    PLAIN,
    SAID,
    SAY,
    SEALED,
    STORED,
    TEXT,
    THOUGHT,
    TOOL,
    call,
    output,
    user,
)

UUID = "0a1b2c3d-0a1b-4c3d-8e4f-0a1b2c3d4e5f"
RAW: Any = {"type": "reasoning", "summary": [], "id": UUID,
            "content": [{"type": "reasoning_text", "text": "hm"}]}  # fmt: skip
OPEN: Any = {**RAW, "id": "rs_1"}
FULL: Any = {**SAID, "id": "msg_1", "status": "completed",
             "content": [{**SAID["content"][0], "annotations": []}]}  # fmt: skip
GROK: Any = {**CALLS, "model": "grok-4.5"}
FLASH: Any = {**CALLS, "model": "deepseek-flash", "input": [ASK, RAW, call(), output()]}
# servers that keep nothing and want each field of an answer
SERVERS = ("vllm", "sglang", "lmstudio", "llamacpp", "cloudflare", "stepfun", "ollama")
OWN: Any = {"type": "acme:search", "id": "s_1", "status": "completed"}
TYPED: Any = {"model": "m", "input": [{**ASK, "type": "message"}, call(), output(),
                                      {**SAY, "type": "message"}], "tools": [TOOL]}  # fmt: skip
V1 = "/openai/v1/responses"
DATED = "/openai/responses?api-version=2025-03-01-preview"


def low(effort: str = "low") -> Any:
    return {"reasoning": {"effort": effort}}


def many(count: int) -> Any:
    return {"tools": [{**TOOL, "name": f"tool_{n}"} for n in range(count)]}


def openai(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("openai/openai-responses", rule, base, bad, good or {}, **more)


def azure(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("azure/openai-responses", rule, base, bad, good or {}, **more)


def xai(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("xai/openai-responses", rule, base, bad, good or {}, **more)


def deepseek(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("deepseek/openai-responses", rule, base, bad, good or {}, **more)


def openrouter(rule: str, base: Any, bad: Any, good: Any = None, **more: Any) -> Row:
    return Row("openrouter/openai-responses", rule, base, bad, good or {}, **more)


ROWS = [
    openai("openai.sampling", PLAIN, {"temperature": 0}, {"temperature": 0, **low("none")}),
    openai("openai.sampling", PLAIN, {"top_logprobs": 3},
           {"model": "gpt-5.4-nano", "top_logprobs": 3}),
    openai("openai.effort", PLAIN, {"model": "gpt-6-astra", **low("none")}, low("none")),
    openai("openai.effort", PLAIN, {"model": "gpt-5-mini", **low("none")},
           {"model": "gpt-5-mini", **low("minimal")}),
    openai("pairs.follower", THOUGHT, {"input[2]": GONE, "input[-2]": ASK}, {"input[1]": SEALED}),
    azure("azure.endpoint", PLAIN, {}, path=HERE, good_path=V1),
    azure("azure.endpoint", PLAIN, {}, path=f"{V1}?api-version=2025-03-01", good_path=DATED),
    azure("openai.sampling", PLAIN, {"temperature": 0}, {"model": "my-deployment"}),
    xai("xai.effort", GROK, {"model": "grok-4-fast", **low()}, low()),
    xai("xai.effort", GROK, {"model": "grok-build-1", **low()}, {"model": "grok-4.3", **low()}),
    xai("xai.tools", GROK, many(129), many(128)),
    xai("xai.instructions", GROK, {**EARLIER, "instructions": "Be brief."}, EARLIER),
    xai("xai.instructions", PLAIN, {**EARLIER, "instructions": "No."}, {"instructions": "No."}),
    xai("types.kind", GROK, {"tools": [{"type": "x_ray"}]}, {"tools": [{"type": "x_search"}]}),
    xai("types.unknown_key", GROK, {"stop": ["a"]},
        {"tools": [TOOL, {"type": "code_interpreter"}]}),
    deepseek("deepseek.state", FLASH, EARLIER),
    deepseek("deepseek.state", FLASH, {"store": True}, {"store": False}),
    deepseek("deepseek.state deepseek.item", FLASH,
             {"input[0]": {"type": "item_reference", "id": "msg_1"}}, whole=True),
    deepseek("deepseek.item", FLASH, {"input": [ASK, {"type": "compaction",
                                                      "encrypted_content": "g"}]},
             {"input": [ASK, RAW, SAID]}),
    deepseek("deepseek.item", FLASH,
             {"input": [ASK, {"type": "web_search_call", "id": "ws_1", "status": "completed",
                              "action": {"type": "search"}}]}, {"input": [ASK, SAID]}),
    deepseek("deepseek.part", FLASH, {"input[0]": user(TEXT, FILE)},
             {"input[0]": user(TEXT, IMAGE)}),
    deepseek("deepseek.part", FLASH, {"input[0]": {**user(IMAGE), "role": "system"}},
             {"input[0]": {**user(TEXT), "role": "system"}}),
    deepseek("deepseek.part", FLASH, {"input[3].output": [FILE]}, {"input[3].output": [IMAGE]}),
    deepseek("deepseek.reasoning", FLASH, {"input[1].content": GONE}),
    deepseek("deepseek.reasoning", FLASH, {"input[1]": STORED}, {"input[1]": OPEN}),
    deepseek("deepseek.effort", FLASH, low("medium"), low("none")),
    deepseek("deepseek.effort", FLASH, low("xhigh"), low("max")),
    deepseek("responses.item_id", FLASH, {"input[1].id": "call_1"}),
    *(
        Row(f"{vendor}/openai-responses", rule, {**FLASH, "input": [ASK, OPEN, call(), output()]},
            bad, good)
        for vendor in ("minimax", *SERVERS)
        for rule, bad, good in (
            ("types.missing", {"input[1].summary": GONE}, {"input[1].content[0].text": "so"}),
            ("responses.item_id", {"input[1].id": UUID}, {"input": [ASK, OPEN, ASK]}),
        )
    ),
    *(
        Row(f"{server}/openai-responses", "types.kind", CALLS, {"input[3]": SAID},
            {"input[3]": FULL})
        for server in SERVERS
    ),
    Row("meta/openai-responses", "types.value", CALLS, {"input": 7}, {"input": "Hi"}),
    openrouter("types.kind", CALLS, {"input[3]": SAID}, {"input[3]": FULL}),
    openrouter("types.missing", CALLS, {"input": [ASK, SEALED, ASK]},
               {"input": [ASK, {**SEALED, "id": "rs_1"}, FULL]}),
    openrouter("openrouter.state", PLAIN, EARLIER),
    openrouter("openrouter.state", PLAIN, {"store": True}, {"store": False}),
    openrouter("types.unknown_key", PLAIN, {"provider": "openai"}, {"provider": {"order": ["a"]}}),
    *(
        Row("open-responses/openai-responses", rule, TYPED, bad, good)
        for rule, bad, good in (
            ("types.kind", {"input[0].type": GONE}, {"input[0].role": "developer"}),
            ("types.kind", {"input[3]": {"type": "search_results"}}, {"input[3]": OWN}),
            ("types.kind", {"tools": [TOOL, {"type": "web_search"}]},
             {"tools": [TOOL, {"type": "acme:search"}]}),
            ("types.missing", {"input[3]": {"type": "acme:search", "id": "s_1"}},
             {"input[3]": OWN}),
            ("types.value", {"input[3]": {**SEALED, "content": []}}, {"input[3]": SEALED}),
            ("types.value", low("max"), low("xhigh")),
            ("types.unknown_key", {"user": "u"}, {"safety_identifier": "u"}),
            ("open_responses.length", {"safety_identifier": "k" * 65},
             {"safety_identifier": "k" * 64}),
            ("open_responses.length", {"prompt_cache_key": "k" * 65},
             {"prompt_cache_key": "k" * 64}),
        )
    ),
]  # fmt: skip
