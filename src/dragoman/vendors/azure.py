"""Azure OpenAI: OpenAI's models in a resource of the user's own, on the v1 paths.

`model` is the name of a deployment, so facts hold if it contains the model's name. Sealed reasoning
opens only on the resource that sealed it. Reference: Microsoft Learn, "API version lifecycle",
"Reasoning models".
"""

from __future__ import annotations

from ..capabilities import Facts
from ..protocols import openai_chat, openai_responses
from ..protocols.batches import BatchLimits
from ..transport.credentials import Auth
from .vendor_row import Vendor

_LEARN = "Microsoft Learn, Azure OpenAI v1 API; recorded answers"
_CHOICES = ("auto", "none", "required", "tool", "allowed")


# Microsoft Learn, Create batch (2026-11-27): as OpenAI's; the deployment has to be one for batches
_BATCHES = BatchLimits(50_000, 200 * 10**6)


_MODEL = "gpt-5.6"  # where none is named: a deployment called as its model

VENDOR = Vendor(
    "azure",
    base_url="https://{resource}.openai.azure.com/openai/v1",
    key="AZURE_OPENAI_API_KEY",
    base_variables={"*": ("AZURE_OPENAI_ENDPOINT", "/openai/v1")},  # openai 3.57
    auth=Auth(
        "api-key",
        "",
        tokens="azure",
        scope="https://ai.azure.com/.default",
        bearers=("AZURE_OPENAI_AD_TOKEN",),  # openai 3.57: before a key of the environment
        bearers_first=True,
    ),
    span_name="azure.ai.openai",  # semantic-conventions-genai, 2026-11-24
    maker_protocols=("openai-chat", "openai-responses"),
    places={"resource": ("AZURE_RESOURCE_NAME",)},
    batches={"openai-chat": _BATCHES, "openai-responses": _BATCHES},
    # OpenAI's items and those of Azure are taken back: extras, opaque blocks, ids of stored items
    wires={
        "openai-chat": openai_chat.Dialect(model=_MODEL, reads_items_of=("azure", "openai-chat")),
        "openai-responses": openai_responses.Dialect(
            model=_MODEL, reads_items_of=("azure", "openai-responses")
        ),
    },
    facts={
        "openai-chat": Facts(
            always={
                "tool_choices": _CHOICES,
                "freeform_tools": True,
                "tool_schema": "openai",
                "json_word": True,
                "speech_ids": ("azure",),  # Microsoft Learn, Audio generation quickstart
            },
            since="2026-11-21",
            source=_LEARN,
        ),
        "openai-responses": Facts(
            always={
                "signatures": ("azure",),  # reasoning that another host sealed does not open
                "freeform_tools": True,
                "tool_schema": "openai",
                "namespaces": True,
                "client_items": ("azure", "openai-responses"),
            },
            since="2026-11-21",
            source=_LEARN,
        ),
    },
)
