"""Mistral's chat completions as a protocol: its tables, and the functions of its other files.

Reference: Mistral API, "Chat Completion", request body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ...text.json_text import JsonObject
from ..base import PreparedRequest
from ..chat_like.messages import in_path
from ..chat_like.protocol import ChatRoom
from ..client_arguments import Arguments, named_only
from ..paths import CHAT_PATHS, PathTable
from . import blocks, dialect, request
from . import messages as entries
from .answer_read import MistralReader
from .answer_stream import MistralEncoder
from .answer_write import OVERFLOW, write_response
from .capabilities import CAN
from .fields import FIELDS

_SCHEMA = ("schema", "name", "description", "strict")


class Mistral(ChatRoom):
    """Mistral's chat completions.

    Args:
        dialect: The host's dialect; None for Mistral's.
    """

    __slots__ = ()
    protocol = "mistral"
    overflow = OVERFLOW
    failures = frozenset({"error"})
    unsaid_ends = frozenset({"done"})
    addresses = ("*/chat/completions", "*.mistral.ai/*/chat/completions")
    model_patterns = dialect.MODEL_PATTERNS
    lookback = 1  # the model continues a last message of its own
    body_fields = FIELDS
    base_capabilities = CAN
    dialect_class = dialect.Dialect
    reader_class = MistralReader
    encoder_class = MistralEncoder
    option_keys = FIELDS.keys
    ranges = FIELDS.ranges
    choices = request.CHOICES
    paths: ClassVar[PathTable] = {
        **CHAT_PATHS,
        **FIELDS.list_paths(),
        ("request", "tool_choice"): ("tool_choice", "parallel_tool_calls"),
        ("tool_choice", "name"): ("tool_choice.function.name",),
        ("tool_choice", "parallel"): ("parallel_tool_calls",),
        **{("response_format", name): (f"response_format.json_schema.{name}",) for name in _SCHEMA},
        ("tool", "strict"): ("function.strict",),
        ("image", "source"): ("image_url",),
        ("image", "detail"): ("image_url.detail",),
        ("audio", "source"): ("input_audio",),
        ("document", "source"): ("document_url", "file_id"),
        ("document", "title"): ("document_name",),
    }

    claims = staticmethod(dialect.claims)
    read_parts = staticmethod(blocks.read_parts)
    part_as_read = staticmethod(blocks.part_as_read)
    read_other_fields = entries.read_other_fields
    other_fields_as_read = entries.other_fields_as_read
    messages = entries.write_messages
    write_blocks = entries.write_blocks
    write_result = entries.write_result
    read_thinking = request.read_thinking
    thinking_as_read = request.thinking_as_read
    write_options = request.write_options
    write_response = write_response

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of the client's `chat` methods that send this body.

        They are those of `client.chat.complete`, or of `client.chat.stream` for a stream.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments.

        Raises:
            ConfigError: For a field that the client has no parameter for.
        """
        return named_only(body, headers, FIELDS.arguments, "mistralai")

    def endpoint(self, prepared: PreparedRequest) -> str:
        """Return the host's path, with the model where it belongs; streams may have another one.

        Args:
            prepared: The request after the passes.
        """
        host: dialect.Dialect = self.dialect
        path = (prepared.request.stream and host.stream_path) or host.path
        return path.format(model=in_path(prepared.model or self.model))

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or chunk of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        kind = payload.get("object")
        ours = kind is None or (isinstance(kind, str) and kind.startswith("chat.completion"))
        return ours and isinstance(payload.get("choices"), list)
