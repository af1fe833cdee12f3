"""Acme, for Dragoman: OpenAI's protocol with a few differences."""

from dragoman import Vendor
from dragoman.capabilities import Fact, Facts
from dragoman.protocols.openai_chat import Dialect

VENDOR = Vendor(
    "acme",
    base_url="https://api.acme.example/v1",
    key="ACME_API_KEY",
    wires={"openai-chat": Dialect(max_tokens_key="max_tokens", model="acme-1")},
    facts={
        "openai-chat": Facts(
            rows=(
                Fact(
                    models=("acme-1*",),
                    changes={"image": False, "options": {"seed": "refuses"}},
                    since="2026-11-01",
                    source="Acme API docs, Models",
                ),
            )
        )
    },
)
