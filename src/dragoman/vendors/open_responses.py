"""Open Responses: the open specification of the Responses API, for any server that follows it.

A host with a row of its own should be asked by that. A server is assumed to know what the
specification lists; its own tools, items and events have its name as a prefix, `acme:search`, and
go back to it as they came. Reference: openresponses.org, Specification, and its OpenAPI document of
2026-04-24 (`CreateResponseBody`, `ItemParam`, `ResponseResource`).
"""

from __future__ import annotations

from ..capabilities import Facts
from ..protocols.openai_responses import Dialect
from .vendor_row import Vendor

VENDOR = Vendor(
    "open-responses",
    title="OpenResponses",
    base_url="https://{host}/v1",
    key="OPEN_RESPONSES_API_KEY",  # ours: the document names none
    wires={
        "openai-responses": Dialect(
            form="open",
            detail=False,
            stores=False,  # a server SHOULD go on from an answer's id, but keeps no single items
            longest_user=64,
            keys={name: name for name in ("presence_penalty", "frequency_penalty")},
            model="default",
            reads_items_of=("open-responses",),
        )
    },
    facts={
        "openai-responses": Facts(
            always={
                "signatures": ("open-responses",),
                "sources": {"image": ("url", "base64")},
                "server_tools": (),
                "formats": ("text", "schema"),
                "efforts": ("low", "medium", "high", "xhigh"),
                "cache_hints": 0,
            },
            since="2026-04-24",
            source="Open Responses, OpenAPI document: ItemParam, TextFormatParam, ReasoningParam",
        )
    },
)
