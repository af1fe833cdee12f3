"""Thinking that the model's own chat template switches, on servers that pass the switch on.

Such servers take `chat_template_kwargs` beside the messages; which key a template reads is a fact
of the model. They do not restrict what they are asked for, unlike a maker's own host.
"""

from __future__ import annotations

from typing import Any

from .. import Fact

_TEMPLATE = "vLLM docs, Reasoning Outputs: the switch in each model's template"
_HEAD = 'templates since Qwen3.5, "System message must be at the beginning.": vllm issue 41114'
_SWITCH: dict[str, Any] = {"form": "template", "efforts": ("on",), "budgets": ()}
_NAMED: dict[str, Any] = {"form": "template thinking", "budgets": ()}


_UNPINNED: dict[str, Any] = {
    "options": dict.fromkeys(
        ("temperature", "top_p", "n", "presence_penalty", "frequency_penalty"), "takes"
    )
}


# an engine has no rules of a host: it pins nothing, and guides a forced call while the model thinks
FREE: dict[str, Any] = {"forced_tools": True}


_LEADS: dict[str, Any] = {"system_head": "first", "late_system": "reminder"}
_OLDER = ("qwen3", "qwen3[-:]*", "qwen-*", "qwen[12]*")
# of endpoints that run the same templates but do not pass the switch on
HEADED = (Fact(("qwen*",), _LEADS, "2026-02-15", _HEAD, but=_OLDER),)


SWITCHED = (
    Fact((*_OLDER, "qwq*", "qvq*"), _SWITCH, "2025-04-28", _TEMPLATE),
    Fact(("qwen*",), {**_SWITCH, **_LEADS}, "2026-02-15", _HEAD),
    Fact(("glm-*",), _SWITCH, "2025-04-28", _TEMPLATE),
    Fact(("kimi-k2*",), {**_NAMED, **_UNPINNED, "efforts": ("on",)}, "2025-07-11", _TEMPLATE),
    Fact(("kimi-*",), {**_NAMED, **_UNPINNED}, "2026-07-30", _TEMPLATE),
    Fact(
        ("deepseek-v3*", "deepseek-r1*", "granite-*"),
        {**_NAMED, "efforts": ("on",)},
        "2025-08-21",
        _TEMPLATE,
    ),
    Fact(("deepseek-*",), _NAMED, "2026-04-24", _TEMPLATE),
)
