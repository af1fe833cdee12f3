"""Anthropic: the Messages API as Anthropic itself offers it.

What a model takes on any host is in `families`.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Facts
from ..protocols.anthropic import Dialect
from ..protocols.batches import BatchLimits
from ..transport.credentials import API_KEY
from .vendor_row import Billing, Vendor

# Docs, "Preserved thinking": thinking that was signed on Google Cloud or on Bedrock is taken back
# here, and what it signed here is taken there: each host's row names the hosts whose it takes
_FACTS = Facts(
    always={
        "signatures": ("anthropic", "vertex", "bedrock", "bedrock-converse"),
        "system": ("text", "raw"),  # a line of Claude Code about billing
    },
    since="2026-09-02",
    source="Anthropic docs, Preserved thinking; what Claude Code 2.1.332 sends (2026-11-28)",
)


VENDOR = Vendor(
    "anthropic",
    base_url="https://api.anthropic.com",
    billing=Billing(geos={"us": "1.1"}),
    key="ANTHROPIC_API_KEY",
    own_models_only=True,
    base_variables={"*": ("ANTHROPIC_BASE_URL", "")},  # anthropic 2.14
    # anthropic 2.14: a gateway's bearer token, if there is no key
    auth=replace(API_KEY, bearers=("ANTHROPIC_AUTH_TOKEN",)),
    # Anthropic docs, Batch processing (2026-11-27): 100,000 requests or 256 MB
    batches={"anthropic": BatchLimits(100_000, 256 * 10**6)},
    wires={"anthropic": Dialect(model="claude-opus-5-5")},
    facts={"anthropic": _FACTS},
)
