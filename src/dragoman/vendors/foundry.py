"""Claude in Microsoft Foundry: the Messages API in a resource of the user's own.

`model` is the name of a deployment, so facts hold if it contains the model's name. Which features
there are depends on who hosts the deployment, Azure or Anthropic. Reference: Anthropic docs,
"Claude in Microsoft Foundry"; AnthropicFoundry of the official SDK.
"""

from __future__ import annotations

from ..protocols.anthropic import Dialect
from ..transport.credentials import Auth
from .vendor_row import Vendor

VENDOR = Vendor(
    "foundry",
    base_url="https://{resource}.services.ai.azure.com/anthropic",
    key="ANTHROPIC_FOUNDRY_API_KEY",
    auth=Auth(
        "x-api-key", "", also=("api-key",), tokens="azure", scope="https://ai.azure.com/.default"
    ),
    base_variables={"*": ("ANTHROPIC_FOUNDRY_BASE_URL", "")},  # anthropic 2.14
    places={"resource": ("ANTHROPIC_FOUNDRY_RESOURCE",)},
    wires={"anthropic": Dialect(model="claude-opus-5-5")},
)
