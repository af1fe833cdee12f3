"""Meta: the Muse models of its Model API, by Responses, Chat Completions and Messages.

The Llama API that came before was retired on 2026-07-06. Muse always reasons: an effort of none is
a 400, and so are stop sequences and a tool choice other than auto. Reference: dev.meta.ai docs, as
promptfoo's page and the adapters of any-llm 1.40 and chatoyant quote them; litellm 1.110.2,
pi-ai 1.6.0.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts
from ..capabilities.families.shared import COPIED_ITEMS, copy_facts
from ..protocols import anthropic, openai_chat, openai_responses
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_RULES = "chatoyant, Meta adapter: Meta's Model API docs, verified 2026-08; any-llm 1.40, meta"
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh")
# for each wire; stop sequences are refused, and every choice but auto
_MUSE = {
    "thinks": "always",
    "efforts": _EFFORTS,
    "budgets": (),
    "tool_choices": ("auto",),
    "none_by": "withholding",
    "context_window": 1_048_576,
    "max_output": 131_072,
}
_EMBER = Fact(
    ("muse-ember*",),
    {"efforts": (*_EFFORTS, "max"), "max_output": 524_288},
    "2026-11-20",
    "pi-ai 1.6.0, catalogue of Meta: thinking levels and limits",
)


VENDOR = Vendor(
    "meta",
    base_url="https://api.meta.ai/v1",
    key="MODEL_API_KEY",
    keys=("MODEL_API_KEY", "META_API_KEY"),  # Meta's quickstart; litellm and pi-ai
    auths={"anthropic": API_KEY},
    wires={
        "openai-responses": openai_responses.Dialect(
            model="muse-spark-1.3",
            reads_items_of=("meta",),
        ),
        "openai-chat": openai_chat.Dialect(
            developer=False,
            thinking_fields=("reasoning_content",),
            model="muse-spark-1.3",
            reads_items_of=("meta", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="muse-spark-1.3", reads_items_of=("meta",)),
    },
    facts={
        "openai-responses": Facts(
            always={
                **COPIED_ITEMS,
                **_MUSE,
                "signatures": ("meta",),
                "server_tools": ("web_search",),
                "options": {"stop": "refuses"},
            },
            rows=(_EMBER,),
            since="2026-11-28",
            source=_RULES,
        ),
        "openai-chat": Facts(
            always={
                **_MUSE,
                "audio": False,
                "refusal": False,
                "thinking": True,
                "empty_thinking": False,
                "form": "effort",
                "options": {"stop": "refuses"},
            },
            rows=(_EMBER,),
            since="2026-11-28",
            source=_RULES,
        ),
        "anthropic": copy_facts(
            "meta",
            "2026-11-28",
            _RULES,
            {
                **_MUSE,
                "signed_thinking": True,
                "form": "adaptive",
                "server_tools": ("web_search",),
                "options": {"stop": "refuses", "top_k": "refuses"},
            },
            _EMBER,
        ),
    },
    urls={"anthropic": "https://api.meta.ai"},
)
