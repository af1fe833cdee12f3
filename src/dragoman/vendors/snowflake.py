"""Snowflake Cortex: models of many makers within an account, and Claude by Messages too.

Reference: Snowflake docs, "Cortex REST API"; pydantic-ai's model of it; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..error_kinds import code_rows
from ..protocols import anthropic, openai_chat
from .vendor_row import Vendor

_REST = "Snowflake docs, Cortex REST API: fields by model family"
_BASE = "https://{account}.snowflakecomputing.com/api/v2/cortex"
_CLAUDE: dict[str, Any] = {
    "form": "object",
    "efforts": ("low", "medium", "high"),
    "budgets": (1024, 128_000),
    "formats": ("text", "schema"),
}


_ERRORS = code_rows(
    "snowflake",
    "2026-11-28",
    "Snowflake docs, SQL API: errors of authentication",
    {
        "authentication": "390144 390303 390318",
    },
)


VENDOR = Vendor(
    "snowflake",
    base_url=f"{_BASE}/v1",
    key="SNOWFLAKE_PAT",  # Snowflake docs, Cortex REST API: a programmatic access token
    places={"account": ("SNOWFLAKE_ACCOUNT",)},
    wires={
        "openai-chat": openai_chat.Dialect(
            developer=False,
            thinking_details=True,
            model="claude-sonnet-4-6",
            reads_items_of=("snowflake", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="claude-sonnet-4-6"),
    },
    facts={
        "openai-chat": Facts(
            always={
                "audio": False,
                "document": False,
                "refusal": False,
                "thinking": True,
                "signatures": ("snowflake",),
                "strict_tools": False,
                "parallel_switch": False,
            },
            rows=(
                Fact(("claude-*",), _CLAUDE, "2026-11-23", _REST),
                Fact(("gpt-*",), {"thinking": False}, "2026-11-23", _REST, but=("gpt-oss*",)),
                # tools are an error, a format is left alone
                Fact(
                    ("*",),
                    {
                        "tools": False,
                        "tool_messages": False,
                        "formats": ("text",),
                        "thinking": False,
                    },
                    "2026-11-23",
                    _REST,
                ),
            ),
            since="2026-11-23",
            source=f"{_REST}; recorded",
        ),
        "anthropic": Facts(
            always={"base64_only": ("image", "document"), "server_tools": ()},
            since="2026-11-23",
            source="Snowflake docs, Cortex REST API: Messages for Claude; nothing told of URLs",
        ),
    },
    urls={"anthropic": _BASE},
    errors=_ERRORS,
)
