"""Claude Platform on AWS: Anthropic's own API, with AWS's accounts and bills.

Each request names its workspace in the header `anthropic-workspace-id`, which the client adds as
it adds the key. Reference: AWS docs, Claude Platform, "Making requests", "Authentication" (SigV4,
or an API key as a bearer); AnthropicAWS of the official SDK.
"""

from __future__ import annotations

from ..capabilities import Facts
from ..protocols.anthropic import Dialect
from ..transport.credentials import Auth
from .vendor_row import Billing, Vendor

VENDOR = Vendor(
    "anthropic-aws",
    title="AnthropicAWS",
    base_url="https://aws-external-anthropic.{region}.api.aws",
    billing=Billing(prices="anthropic", geos={"us": "1.1"}),
    key="ANTHROPIC_AWS_API_KEY",
    auth=Auth(
        tokens="aws",
        scope="aws-external-anthropic",
        variables={"anthropic-workspace-id": "ANTHROPIC_AWS_WORKSPACE_ID"},
    ),
    base_variables={"*": ("ANTHROPIC_AWS_BASE_URL", "")},  # anthropic 2.14
    places={"region": ("AWS_REGION", "AWS_DEFAULT_REGION")},
    wires={"anthropic": Dialect(model="claude-opus-5-5")},
    facts={
        "anthropic": Facts(
            always={"signatures": ("anthropic", "vertex", "bedrock", "bedrock-converse")},
            since="2026-11-23",
            source="AWS docs, Claude Platform: the same API as the first-party platform;"
            " Anthropic docs, Preserved thinking",
        )
    },
)
