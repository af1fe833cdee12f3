"""Ollama's own protocol.

Reference: ollama docs, API: "Generate a chat completion", "List local models", "Show model
information", "Version".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import ClassVar

from ...errors import ProviderError
from ...losses import Report
from ...message import ChatRequest, ThinkingBlock
from ...stream.framing import Framing
from ...text.json_text import JsonObject
from .base import Ending, ListedModel, Operation, Surface


class OllamaChat(Surface):
    """`/api/chat`, `/api/tags` and `/api/show`. Lines of JSON have no form for a sign of life."""

    protocol: ClassVar[str] = "ollama"
    maker: ClassVar[str] = "ollama"
    sign_of_life: ClassVar[bytes] = b""
    usage_mark: ClassVar[bytes] = b'"eval_count"'
    endings: ClassVar[tuple[Ending, ...]] = (
        Ending(b'"done"', re.compile(rb'"done"[ \t]*:[ \t]*true')),
        Ending(b'"error"', re.compile(rb'"error"')),
    )
    lasts: ClassVar[re.Pattern[bytes]] = re.compile(
        rb'(?P<unsure>"(?:done"[ \t]*:[ \t]*true|error"))'
    )

    def operation(self, method: str, path: str) -> Operation | None:
        """The paths of Ollama's clients; `/api/show` names the model in its body."""
        if path == "/api/chat" and method == "POST":
            return Operation("generate")
        if path == "/api/tags" and method == "GET":
            return Operation("models")
        if path == "/api/show" and method == "POST":
            return Operation("model")
        return None

    def ends(self, events: bytes, framing: Framing) -> bool:
        """Whether a line is done or reports an error; it is read, as arguments have keys too."""
        return super().ends(events, framing) and any(self.read(events, framing))

    def asks_stream(self, body: JsonObject) -> bool:
        """Whether to stream, which is the default."""
        return body.get("stream") is not False

    def prepare(self, req: ChatRequest, report: Report) -> None:
        """Allow thinking of any origin, if it is plain text, as Ollama's clients do not record it.

        DeepSeek answers 400 to a call that is returned without the thinking before it.
        """
        for m in req.messages:
            for block in m.blocks if type(m.content) is list else ():
                if type(block) is ThinkingBlock and not (block.signature or block.redacted):
                    block.origin = None

    def models(self, models: Sequence[ListedModel]) -> JsonObject:
        """`{"models": [{"name", "model", "modified_at", "size", "digest", "details"}]}`."""
        return {
            "models": [
                {
                    "name": model.id,
                    "model": model.id,
                    "modified_at": "1970-01-01T00:00:00Z",
                    "size": 0,
                    "digest": sha256(model.id.encode()).hexdigest(),
                    "details": _details(model),
                }
                for model in models
            ]
        }

    def model(self, model: ListedModel) -> JsonObject:
        """`{"details", "model_info", "capabilities"}`: what the model can do, as far as known."""
        caps = model.caps
        can = {
            "completion": True,
            "tools": caps.tools,
            "vision": "image" in caps.user,
            "thinking": caps.thinks != "never",
        }
        return {
            "modelfile": "",
            "parameters": "",
            "template": "",
            "details": _details(model),
            "model_info": {"general.architecture": model.owner},
            "capabilities": [name for name, value in can.items() if value],
        }

    def status(self, error: ProviderError) -> int:
        """The status; 529 is used by Anthropic alone."""
        status = super().status(error)
        return 503 if status == 529 else status


def _details(model: ListedModel) -> JsonObject:
    return {
        "parent_model": "",
        "format": "",
        "family": model.owner,
        "families": [model.owner],
        "parameter_size": "",
        "quantization_level": "",
    }
