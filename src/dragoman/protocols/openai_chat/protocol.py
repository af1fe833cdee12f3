"""The wire of Chat Completions: writes whole requests, and names the functions for all else.

Reference: OpenAI API, "Create chat completion", request body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...errors import WriteError
from ...history.passes.survey import Tools
from ...losses import Field, Report
from ...message import ChatRequest, ServerTool, Tool
from ...text.json_text import JsonObject
from .. import request_fields
from ..answers import OPENAI_OVERFLOW
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import issuer_fields, own_extras, replay
from ..chat_like.request import freeform_names, function_tool, spelled_format, write_choice
from ..client_arguments import Arguments, with_extra_body
from ..paths import PathTable, request_paths
from ..reasoning import moot, resolve_thinking
from . import request as bodies
from .answer_read import ChatReader
from .answer_stream import ChatEncoder
from .answer_write import write_response
from .blocks import CACHE_MARKS, cache_mark
from .capabilities import CAN
from .dialect import THINKING_FIELDS, Dialect, claims
from .fields import FIELDS
from .messages import messages_as_read, write_messages
from .tools import CHOICES, freeform_tool, write_server_tool

_SCHEMA = ("schema", "name", "description", "strict")
_INPUT = ("input", "raw_input")
_CACHED = (
    "tool",
    "message",
    "text",
    "image",
    "audio",
    "video",
    "document",
    "tool_use",
    "tool_result",
)


class OpenAIChat(Room):
    """Chat Completions in one vendor's dialect.

    Args:
        dialect: The vendor's dialect; None for OpenAI's.
    """

    __slots__ = ()
    dialect: Dialect
    protocol = "openai-chat"
    overflow = OPENAI_OVERFLOW
    unsaid_ends = frozenset({"done"})
    addresses = ("*/chat/completions",)
    reads_in_parts = True
    model_patterns = ("gpt-*", "chatgpt-*", "o[1-9]*")
    # the only field beside the text of an answer that opencode 1.18 sends back (recorded on
    # 2026-11-22)
    seals_in = "extra_content.google.thought_signature"
    body_fields = FIELDS
    base_capabilities = CAN
    dialect_class = Dialect
    reader_class = ChatReader
    encoder_class = ChatEncoder
    paths: ClassVar[PathTable] = {
        ("request", "tool_choice"): ("tool_choice", "function_call", "parallel_tool_calls"),
        ("tool_choice", "mode"): ("tool_choice", "function_call"),
        ("tool_choice", "name"): ("tool_choice.function.name", "function_call.name"),
        ("tool_choice", "allowed"): ("tool_choice.allowed_tools.tools",),
        ("tool_choice", "parallel"): ("parallel_tool_calls",),
        **{("response_format", name): (f"response_format.json_schema.{name}",) for name in _SCHEMA},
        **{("tool", name): (f"function.{name}", name) for name in ("parameters", *_SCHEMA[1:])},
        **{(node, "cache"): (*CACHE_MARKS,) for node in _CACHED},
        ("message", "thinking"): THINKING_FIELDS,
        ("message", "refusal"): ("refusal",),
        ("tool_use", "name"): ("function.name", "name"),
        **{("tool_use", name): ("function.arguments", "arguments", "input") for name in _INPUT},
        ("tool_result", "id"): ("tool_call_id", "tool_use_id"),
        ("tool_result", "output"): ("content",),
        ("thinking", "thinking"): ("text", "summary", "thinking"),
        ("thinking", "redacted"): ("data",),
        ("refusal", "text"): ("refusal",),
        ("image", "source"): ("image_url.url", "image_url", "source"),
        ("audio", "source"): ("input_audio.data", "audio_url.url"),
        ("video", "source"): ("video_url.url", "video"),
        **{(kind, "detail"): (f"{kind}_url.detail",) for kind in ("image", "audio", "video")},
        ("document", "source"): (
            "file.file_id",
            "file.file_data",
            "image_url.url",
            "image_url",
            "source",
        ),
        ("document", "detail"): ("image_url.detail",),
        ("document", "title"): ("file.filename",),
    }

    claims = staticmethod(claims)
    messages = write_messages
    messages_as_read = messages_as_read
    read_request = bodies.read_request
    read_with_history = bodies.read_with_history
    body_as_read = bodies.body_as_read
    respell = bodies.respell
    write_response = write_response

    def can(self) -> Capabilities:
        """Return what this protocol can carry in its dialect, before any facts about a model."""
        kinds = frozenset({*self.dialect.server_tools, *self.dialect.switches})
        sealed_text = self.dialect.thinking_details
        reference = self.dialect.reads_items_of[0] == self.protocol  # OpenAI's own host
        return vary(
            super().can(),
            server_tools=kinds,
            sealed_text=sealed_text,
            freeform_tools=reference,
            # OpenAI docs, "Audio and speech": an earlier answer is named, `audio: {"id": ...}`
            speech_ids=frozenset({self.issuer} if reference else ()),
        )

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write function tools, and the vendor's own tools that are declared beside them.

        Args:
            tools: The tools that are offered, in order, under the names that the wire takes.
            caps: What the model and the wire take.
            report: Gets a loss for each field that cannot be written.

        Returns:
            The entries of `tools`.
        """
        entries = []
        for tool in tools:
            if isinstance(tool, Tool):
                write = freeform_tool if tool.freeform else function_tool
                entry = write(tool, caps, report)
                if tool.cache is not None and caps.cached_tools:
                    entry.update(cache_mark(tool.cache, self.dialect.cache_mark))
            elif tool.kind == "own":  # it is written as it was read
                entry = own_extras(tool, caps)
            else:
                entry = write_server_tool(self, tool, caps, report)
            if entry:
                entries.append(entry)
        return entries

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or a chunk of this protocol: it has a list `choices`.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        return isinstance(payload.get("choices"), list)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are in the body that they were read from.

        Options are where they were read, and signed thinking is where its details are.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        _, notes = issuer_fields(req, self.issuer)
        table = {**self.paths}
        for name, _ in req.options.list_values():
            table["options", name] = (bodies.option_path(name, notes, self.dialect),)
        # of the paths of several kinds, the one that is present
        for name, path in self.dialect.server_fields.items():
            key = ("tool", name.partition(".")[2])
            table[key] = (*table.get(key, ()), path)
        if notes.get("tool_choice") == "unsaid":
            table["request", "tool_choice"] = ("parallel_tool_calls",)
        yield "$", req.options
        switches = (tool for tool in req.tools if type(tool) is ServerTool)
        yield from (("$", tool) for tool in switches if issuer_fields(tool, self.issuer)[1])
        entries = body.get("messages")
        texts: dict[int, str] = {}
        for i, m in enumerate(req.messages[: len(entries) if isinstance(entries, list) else 0]):
            if not isinstance(getattr(m, "read_from", {}), dict):
                yield from ((f"$.messages[{i}]", node) for node in (m, *m.blocks))
            for block in m.blocks:  # thinking whose details hold only its signature
                spelling = (block.spelling or "").split(" ")
                if spelling[0] == "detail" and spelling[-1] in THINKING_FIELDS:
                    texts[id(block)] = f"$.messages[{i}].{spelling[-1]}"
        for path, node in request_paths(req, body, table):
            if type(node) is not Field:
                yield path, node
            elif node.name == "thinking":
                yield texts.get(id(node.node), path), node
            elif node.name != "source":  # a source has a path of its own
                yield path, node

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of `client.chat.completions.create` that send this body.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments. Fields that the client has no parameter for are in `extra_body`.
        """
        return with_extra_body(body, headers, model, FIELDS.arguments)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /chat/completions`.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path of the dialect, no headers, and the body.

        Raises:
            WriteError: With the code `model.endpoint`, if the model is served only at another
                endpoint.

        Source: OpenAI API, "Create chat completion", request body.
        """
        request, caps = prepared.request, prepared.caps
        messages = prepared.elements
        if caps.endpoint and caps.endpoint != self.dialect.path and messages is None:
            text = f"the model is not served here but at {caps.endpoint}"
            hint = "send the request over the wire openai-responses"
            raise WriteError(text, path="$.model", hint=hint, code="model.endpoint")
        if messages is None:
            messages = self.messages(prepared.history, caps, report)
        body: JsonObject = {"model": prepared.model, "messages": messages}
        if prepared.offered:
            if tools := self.declare(prepared.offered, caps, report):
                body["tools"] = tools
            for tool in prepared.server_tools:
                body.update(write_server_tool(self, tool, caps, report, switch=True))
        tool_choice = request_fields.choice(prepared, report, body.get("tools", ()))
        if tool_choice is not None:
            names = freeform_names(prepared.offered)
            write_choice(body, tool_choice, CHOICES, freeform=names)
        form = request_fields.response_format(request, caps, report)
        # where the model only answers in text, that need not be asked for
        if form is not None and caps.formats != {"text"}:
            body["response_format"] = spelled_format(form, report)
        self._configure(body, request, caps, report)
        if request.stream:
            body["stream"] = True
        body.update(self.dialect.fixed)
        if request.extras is not None:
            replay(body, request, caps, report)
        if request.stream:
            bodies.ask_usage(self, body, request, report)
        return HttpRequest(self.dialect.path, {}, body)

    def _configure(
        self, body: JsonObject, request: ChatRequest, caps: Capabilities, report: Report
    ) -> None:
        dialect, keys = self.dialect, self.dialect.option_keys
        body.update(request_fields.options(request, keys, caps, report))
        if "service_tier" in body:
            request_fields.usual_tier(body, dialect.usual_tier, request, report)
        stops = body.get("stop", ())
        if 0 < dialect.stops < len(stops):
            body["stop"] = stops[: dialect.stops]
            report.add_loss(
                "option.range", request.options, "stop", did=f"the first {dialect.stops}"
            )
        for name, limits in dialect.limits.items():
            request_fields.within(body, keys[name], name, limits, request, report)
        # hosts of other forms have words of their own
        levels = bodies.EFFORTS if caps.form in ("", "effort") else ()
        thinking = resolve_thinking(request, caps, report, caps.form in bodies.BUDGET_FORMS, levels)
        if thinking is not None:
            thinking = bodies.fit_thinking(thinking, caps, request.options, report)
        if thinking is not None:
            body.update(asked_fields := bodies.thinking_fields(thinking, caps))
            if not asked_fields:
                moot(request, report)
        if path := keys.get("thoughts"):
            thinks = caps.thinks != "never" and not (thinking is not None and thinking.off)
            bodies.write_shown(body, path, request, thinks, report)
