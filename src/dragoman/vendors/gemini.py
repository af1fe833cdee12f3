"""Gemini: generateContent and Interactions as Google's developer API offers them.

generateContent is the default wire, because most programs were written for it. Reference: Gemini
API docs. What a model takes on any host is in `families`.
"""

from __future__ import annotations

from ..capabilities import Facts
from ..protocols import gemini_interactions as interactions
from ..protocols.batches import BatchLimits
from ..protocols.gemini import Dialect
from ..transport.credentials import Auth
from .vendor_row import Vendor

_MODEL = "gemini-3.8-flash"  # asked where no model is named

VENDOR = Vendor(
    "gemini",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    key="GEMINI_API_KEY",
    own_models_only=True,
    span_name="gcp.gemini",  # semantic-conventions-genai, 2026-11-24
    keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),  # google-genai 3.6, in this order
    base_variables={"*": ("GOOGLE_GEMINI_BASE_URL", "/v1beta")},
    auth=Auth("x-goog-api-key", ""),
    # Gemini docs, Batch API (2026-11-27): 20 MB in a call, 2 GB in a file; no number of requests.
    # The bounds of a file are ours, as a part is in memory while it is sent
    batches={"gemini": BatchLimits(100_000, 200 * 10**6, inline=19 * 10**6)},
    wires={
        "gemini": Dialect(model=_MODEL),
        "gemini-interactions": interactions.Dialect(model=_MODEL),
    },
    facts={
        "gemini": Facts(
            always={"schemes": ("http", "https")},
            since="2026-11-21",
            source='recorded: "Referencing Google Cloud Storage files directly is not supported"',
        )
    },
)
