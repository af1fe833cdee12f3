"""Interactions as a protocol: writes whole requests, and names the functions for all else.

Reference: Gemini API docs, "Interactions API"; google-genai 3.4, `CreateModelInteraction`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...errors import WriteError
from ...history.passes.survey import Tools
from ...losses import Field, Report
from ...message import ChatRequest, ChatResponse, ContentBlock, ToolChoice
from ...message.blocks import MEDIA_KINDS, NOTES
from ...message.known_tools import run_step
from ...text.json_text import JsonObject, member
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import fill_fields, own_extras
from ..client_arguments import Arguments, with_extra_body
from ..paths import PathTable, request_paths
from ..request_fields import choice, response_format
from . import dialect as dialects
from . import request as bodies
from .answer_read import InteractionReader
from .answer_stream import InteractionEncoder
from .answer_write import OVERFLOW, write_response
from .blocks import OUTPUT, group_steps, is_content
from .capabilities import CAN
from .fields import CONFIG, FIELDS
from .messages import TOP, StepWriter, messages_as_read, write_messages, write_system


class GeminiInteractions(Room):
    """Gemini's Interactions.

    Args:
        dialect: The host's dialect; None for Gemini's.
    """

    __slots__ = ()
    dialect: dialects.Dialect
    protocol = "gemini-interactions"
    overflow = OVERFLOW
    failures = frozenset({"error", "failed", "interrupted"})
    messages_path = "$.input"
    addresses = ("*/interactions",)
    model_patterns = ("gemini-*",)
    state_fields = ("previous_interaction_id", "continuation_token", "cached_content")
    pauses = True
    token_fields = ("continuation_token",)
    cuts_texts = True
    body_fields = FIELDS
    base_capabilities = CAN
    dialect_class = dialects.Dialect
    reader_class = InteractionReader
    encoder_class = InteractionEncoder
    paths: ClassVar[PathTable] = {
        **FIELDS.list_paths(),
        ("request", "tool_choice"): (f"{CONFIG}.tool_choice",),
        **{("tool_choice", name): (f"{CONFIG}.tool_choice",) for name in ("mode", "name")},
        ("tool_choice", "allowed"): (f"{CONFIG}.tool_choice",),
        **{("response_format", name): ("response_format",) for name in ("kind", "schema")},
        ("tool", "stores"): ("file_search_store_names",),
        ("text", "text"): ("text",),
        ("text", "citations"): ("annotations",),
        ("thinking", "thinking"): ("summary",),
        ("thinking", "signature"): ("signature",),
        **{("tool_use", name): ("arguments",) for name in ("input", "raw_input")},
        ("tool_result", "id"): ("call_id",),
        ("tool_result", "output"): ("result",),
        **{(kind, "source"): ("data", "uri") for kind in MEDIA_KINDS},
        **{(kind, "detail"): ("resolution",) for kind in MEDIA_KINDS},
    }

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of `client.interactions.create` that send this body.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments. Fields that the client has no parameter for are in `extra_body`.
        """
        return with_extra_body(body, headers, model, FIELDS.arguments)

    claims = staticmethod(dialects.claims)
    messages = write_messages
    messages_as_read = messages_as_read
    read_request = bodies.read_request
    body_as_read = bodies.body_as_read
    write_response = write_response

    def once(self, elements: Sequence[JsonObject]) -> Sequence[str] | None:
        """Return no ids: steps are paired only by the ids of calls.

        Args:
            elements: Steps of the input, as they were read.
        """
        return ()

    def request_rest(self, body: JsonObject, resp: ChatResponse) -> JsonObject | None:
        """Return the same request with the token, and the interaction's id instead of the input.

        Where the provider stores nothing (`store: false`) the input is sent again. An agent, and
        what runs in the background, continues by itself.

        Args:
            body: The body that was sent first.
            resp: What has come of the answer; it has paused.

        Returns:
            The body with the token; None if there is no token, or nothing to ask for.

        Source: google-genai 3.6.1, `_continuation_body`, `ContinuationRequest` (looked up
        2026-11-28).
        """
        token = (resp.extras or {}).get(self.issuer, {}).get("continuation_token")
        runs_there = body.get("agent") or body.get("agent_config") or body.get("background")
        if not (isinstance(token, str) and token) or runs_there:
            return None
        rest = {**body, "continuation_token": token}
        if resp.id and body.get("store") is not False:
            del rest["input"]
            rest["previous_interaction_id"] = resp.id
        return rest

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the request's own fields name a stored interaction to continue from.

        Args:
            request: The request with its own fields.
            caps: What the model and the wire take.
        """
        return bool(own_extras(request, caps).get("previous_interaction_id"))

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or event of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        kind = payload.get("event_type")
        if isinstance(kind, str):
            return kind.startswith(("interaction.", "step."))
        if payload.get("object") == "interaction":
            return True
        return isinstance(payload.get("steps"), list) and isinstance(payload.get("status"), str)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are, including the prompt and the model's steps.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        items = body.get("input")
        firsts: dict[int, ContentBlock] = {}  # the first blocks of steps with several
        for m in req.messages:
            if m.spelling == TOP or isinstance(items, str):
                path = "$.system_instruction" if m.spelling == TOP else "$.input"
                yield from ((path, m), (path, Field(m, "content")))
            if m.role == "assistant":
                firsts.update((id(group[0]), group[0]) for group in group_steps(m.blocks))
        yield "$", req.options
        for path, node in request_paths(req, body, self.paths):
            yield path, node
            if (source := getattr(node, "source", None)) is not None:
                yield f"{path}.mime_type", Field(source, "media_type")
            if id(node) in firsts and is_content(firsts[id(node)]):
                above = path.rpartition(".content")[0] or path
                extras = (firsts[id(node)].extras or {}).get(self.issuer, {}).get(OUTPUT, {})
                for name in extras:
                    field = Field(node, member(f"extras.{self.issuer}.{OUTPUT}", name))
                    yield member(above, name), field

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write the tools alone; that calls must match their schemas is written beside them.

        Args:
            tools: The tools that are offered, in order, under the names that the wire takes.
            caps: What the model and the wire take.
            report: Gets a loss for each field that cannot be written.

        Returns:
            The entries of `tools`.
        """
        return bodies.write_tools(self, tools, vary(caps, strict_tools=False), report)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /interactions`.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path of the dialect, the header with the revision, and the body.

        Raises:
            WriteError: With the code `messages.empty`, if there is no message to send.

        Source: google-genai 3.4, `CreateModelInteraction`.
        """
        request, caps = prepared.request, prepared.caps
        own_fields = own_extras(request, caps)
        for issuer, extras in (request.extras or {}).items():
            if issuer not in caps.reads and not issuer.endswith(NOTES):
                report.add_extras_losses(request, issuer, extras)
        body: JsonObject = {} if own_fields.get("agent") else {"model": prepared.model}
        elements = prepared.elements
        prompt, start = write_system(prepared.history, elements is not None, report)
        if prompt:
            body["system_instruction"] = prompt
        if elements is None:
            elements = [*StepWriter(prepared.history, caps, report).write(start)]
            if not elements:
                why = "there is nothing to send"
                raise WriteError(why, path="$.messages", code="messages.empty")
        body["input"] = elements
        # one mode makes the calls of all functions match their schemas
        wishes = {tool.strict for tool in prepared.tools} if prepared.tools else {None}
        strict = caps.strict_tools and True in wishes and False not in wishes
        strict = strict and (request.tool_choice is None or request.tool_choice.mode != "none")
        declared = caps if strict or wishes == {None} else vary(caps, strict_tools=False)
        if prepared.offered:
            tools = run_step(_write_tools, prepared.offered, report, self, declared)
            if tools:
                body["tools"] = tools
        body.update(bodies.write_config(request, caps, report))
        tool_choice = choice(prepared, report, prepared.tools)
        if tool_choice is not None or strict:
            value = bodies.write_choice(tool_choice or ToolChoice("auto"), strict)
            body[CONFIG] = {**body.get(CONFIG, {}), "tool_choice": value}
        if (form := response_format(request, caps, report)) is not None:
            body["response_format"] = bodies.write_format(form, caps, report)
        if request.stream:
            body["stream"] = True
        headers = {"Api-Revision": self.dialect.revision} if self.dialect.revision else {}
        return HttpRequest(self.dialect.path, headers, fill_fields(body, own_fields))


def _write_tools(tools: Tools, room: Room, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write the tools: a step that may be known."""
    return bodies.write_tools(room, tools, caps, report)
