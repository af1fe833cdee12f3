"""The protocol `openai-responses`: the Responses API of OpenAI and of hosts that speak it.

Reference: OpenAI API, "Create a model response", request body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...errors import WriteError
from ...history.passes.survey import SYSTEM, RoledHistory
from ...losses import Field, Report
from ...message import ChatRequest, ContentBlock, TextBlock, Tool
from ...message.blocks import NOTES, name_answers, name_notes
from ...message.request import ITEM as ITEM_KIND
from ...text.json_text import JsonObject, member
from ..answers import OPENAI_OVERFLOW
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import fill_fields, is_plain, own_extras
from ..chat_like.request import spelled_format
from ..client_arguments import Arguments, with_extra_body
from ..paths import PathTable, request_paths
from ..request_fields import choice, response_format
from . import request as bodies
from .answer_read import ResponsesReader
from .answer_stream import ResponsesEncoder
from .answer_write import write_response
from .blocks import ITEM, MARK, group_items
from .capabilities import CAN
from .dialect import Dialect, claims
from .fields import FIELDS
from .messages import InputWriter, messages_as_read, write_messages
from .tool_choice import write_choice

# Fields that refer to state of the host, or ask for it: refused with 400, or useless, where the
# host keeps nothing.
_STATE = ("previous_response_id", "conversation", "store")

_SCHEMA = ("name", "schema", "description", "strict")


class OpenAIResponses(Room):
    """The Responses API in one host's dialect.

    Args:
        dialect: The host's dialect; None for OpenAI's.
    """

    __slots__ = ()
    dialect: Dialect
    protocol = "openai-responses"
    overflow = OPENAI_OVERFLOW
    failures = frozenset({"error", "failed", "interrupted"})
    messages_path = "$.input"
    reads_in_parts = True
    addresses = ("*/responses",)
    model_patterns = ("gpt-*", "chatgpt-*", "o[1-9]*", "codex-*")
    state_fields = (*_STATE[:2], "prompt", f"{ITEM_KIND}item_reference")
    last_events = "type", ("response.completed", "response.incomplete", "response.failed")
    body_fields = FIELDS
    base_capabilities = CAN
    cache_order = ("model", "tools", "instructions", "input")
    dialect_class = Dialect
    reader_class = ResponsesReader
    encoder_class = ResponsesEncoder
    paths: ClassVar[PathTable] = {
        **FIELDS.list_paths(),
        ("request", "tool_choice"): ("tool_choice", "parallel_tool_calls"),
        ("tool_choice", "parallel"): ("parallel_tool_calls",),
        ("tool_choice", "allowed"): ("tool_choice", "parallel_tool_calls"),
        ("request", "response_format"): ("text.format",),
        **{("response_format", name): (f"text.format.{name}",) for name in _SCHEMA},
        ("tool", "domains"): ("filters.allowed_domains",),
        ("tool", "blocked_domains"): ("filters",),
        ("tool", "location"): ("user_location",),
        ("tool", "stores"): ("vector_store_ids",),
        ("text", "text"): ("text", "content"),
        ("text", "citations"): ("annotations",),
        ("refusal", "text"): ("refusal",),
        ("thinking", "thinking"): ("summary",),
        ("thinking", "redacted"): ("encrypted_content",),
        **{(kind, "id"): ("call_id",) for kind in ("tool_use", "tool_result")},
        **{("tool_use", name): ("arguments", "input") for name in ("input", "raw_input")},
        ("image", "source"): ("image_url", "file_id"),
        ("audio", "source"): ("input_audio",),
        ("document", "source"): ("file_data", "file_url", "file_id"),
        **{(kind, "title"): ("filename",) for kind in ("image", "document", "audio")},
        **{(kind, "cache"): (MARK,) for kind in ("text", "image", "document", "audio")},
    }

    claims = staticmethod(claims)
    messages = write_messages
    messages_as_read = messages_as_read
    tools = bodies.write_tools
    read_request = bodies.read_request
    body_as_read = bodies.body_as_read
    write_response = write_response

    def once(self, elements: Sequence[JsonObject]) -> Sequence[str] | None:
        """Return the ids of items, each of which may be sent only once.

        Args:
            elements: Items of the input, as they were read.

        Returns:
            The ids; None in a dialect whose generated ids depend on the position of the items.
        """
        ids = [str(item["id"]) for item in elements if "id" in item]
        return None if self.dialect.assistant_text == "full" else ids

    def can(self) -> Capabilities:
        """Return what this protocol can carry in its dialect, before any facts about a model."""
        own = self.dialect.reads_items_of[0] == self.protocol  # recorded only at OpenAI's own host
        return vary(
            super().can(),
            signed_thinking=not self.dialect.raw,
            stored_thinking=self.dialect.stores,
            freeform_tools=own,
            namespaces=own,
            client_items=frozenset(self.dialect.reads_items_of[:1]),
            server_choices=CAN.server_choices if own else frozenset(),
        )

    def keeps_answers(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the provider stores the answer, which `store: false` prevents.

        Args:
            request: The request with its own fields.
            caps: What the model and the wire take.
        """
        return self._fields(request, caps).get("store") is not False

    def continues(self, request: ChatRequest, caps: Capabilities) -> bool:
        """Whether the request's own fields name a stored answer or conversation to continue from.

        Args:
            request: The request with its own fields.
            caps: What the model and the wire take.
        """
        if request.extras is None:
            return False
        own_fields = self._fields(request, caps)
        return bool(own_fields.get("previous_response_id") or own_fields.get("conversation"))

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or event of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        kind = payload.get("type")
        if isinstance(kind, str) and kind.startswith("response."):
            return True
        return payload.get("object") == "response" and isinstance(payload.get("output"), list)

    def respell(self, body: JsonObject, req: ChatRequest) -> None:
        """Write the user under the older name, if it was read from there.

        Args:
            body: The body, which is changed.
            req: The request that was read and then edited.
        """
        key = (req.extras or {}).get(name_notes(self.issuer), {}).get("user")
        if key and key not in body and self.dialect.user_key in body:
            body[key] = body.pop(self.dialect.user_key)

    def places(self, req: ChatRequest, body: JsonObject) -> Iterator[tuple[str, object]]:
        """Find where the nodes of a request are, including the parts of the model's messages.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        # for each block of the model: the blocks of its item
        groups: dict[int, list[ContentBlock]] = {}
        items = body["input"] if isinstance(body.get("input"), list) else None
        unknown = (i for i, item in enumerate(items or ()) if not isinstance(item, dict))
        for m in req.messages:
            if m.spelling == bodies.TOP or items is None:
                path = "$.instructions" if m.spelling == bodies.TOP else "$.input"
                yield from ((path, m), (path, Field(m, "content")))
            # an entry that is no item of any kind
            elif not isinstance(getattr(m, "read_from", {}), dict):
                path = f"$.input[{next(unknown)}]"
                yield from ((path, m), (path, m.blocks[0]))
            if m.role == "assistant":
                for group in group_items(m.blocks, self.issuer):
                    groups.update((id(block), group) for block in group)
        yield "$", req.options
        for path, node in request_paths(req, body, self.paths):
            group = groups.get(id(node), [])
            if group and group[0].type in ("text", "refusal"):
                yield from _part_paths(path, node, group, self.issuer)
            else:
                yield path, node
                if type(node) is Tool and node.namespace is not None:  # the entry that holds it
                    yield path.rpartition(".tools[")[0], node.namespace

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of `client.responses.create` that send this body.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            The keyword arguments. Fields that the client has no parameter for are in `extra_body`.
        """
        return with_extra_body(body, headers, model, FIELDS.arguments)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /responses`.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path that the model or the dialect names, no headers, and the body.

        Raises:
            WriteError: With the code `messages.empty`, if there is no message to send.

        Source: OpenAI API, "Create a model response", request body.
        """
        request, caps, dialect = prepared.request, prepared.caps, self.dialect
        own_fields = self._own_fields(request, caps, report)
        stored = caps.stored_thinking
        body: JsonObject = {"model": prepared.model}
        prompt = _instructions(prepared.history) if dialect.instructions else None
        if prompt is not None:
            body["instructions"] = prompt
        elements = prepared.elements
        if elements is None:
            writer = InputWriter(self, prepared.history, caps, report, stored)
            elements = [*writer.write(0 if prompt is None else 1)]
            if not elements:
                why = "there is nothing to send"
                raise WriteError(why, path="$.messages", code="messages.empty")
        body["input"] = elements
        if tools := self.declare(prepared.offered, caps, report):
            body["tools"] = tools
        if (tool_choice := choice(prepared, report, tools)) is not None:
            body.update(write_choice(tool_choice, prepared.offered))
        if (form := response_format(request, caps, report)) is not None:
            body["text"] = {"format": bodies.flat_format(spelled_format(form, report))}
        body.update(bodies.generation(request, caps, dialect, report))
        if thinking := bodies.reasoning(request, caps, report):
            body["reasoning"] = thinking
        if body.pop("logprobs", "top_logprobs" in body):
            body["include"] = [bodies.LOGPROBS]
        if request.stream:
            body["stream"] = True
        fill_fields(body, own_fields)
        # ask for the sealed form, as the host does not store the reasoning
        if not stored and self._reasons(body, caps):
            include = body["include"] if isinstance(body.get("include"), list) else []
            if bodies.ENCRYPTED not in include:
                body["include"] = [*include, bodies.ENCRYPTED]
                report.add_loss("include.added", request, what=bodies.ENCRYPTED)
        return HttpRequest(caps.endpoint or dialect.path, {}, body)

    def _own_fields(self, request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
        own_fields = self._fields(request, caps)
        for issuer, extras in (request.extras or {}).items():
            if issuer in caps.reads:
                for name in (name for name in extras if name not in own_fields):
                    field = f"extras.{issuer}.{name}"
                    report.add_loss(
                        "extras.other_provider", request, field, what=name, did="left out"
                    )
            elif not issuer.endswith(NOTES):
                report.add_extras_losses(request, issuer, extras)
        return own_fields

    def _fields(self, request: ChatRequest, caps: Capabilities) -> JsonObject:
        """Return the request's own fields; of those about state, only the host's own issuer's.

        A host that stores nothing cannot continue from another host's state.
        """
        own_fields = own_extras(request, caps)
        if self.dialect.stores:
            return own_fields
        host_fields = (request.extras or {}).get(self.issuer, {})
        return {
            name: host_fields.get(name, value) if name in _STATE else value
            for name, value in own_fields.items()
            if name not in _STATE or name in host_fields or not value
        }

    def _reasons(self, body: JsonObject, caps: Capabilities) -> bool:
        """Whether the model reasons, and the reasoning can only go back in its sealed form.

        A model that does not reason refuses the request for it: `Encrypted content is not supported
        with this model.`
        """
        if self.dialect.raw or caps.thinks == "never":
            return False
        reasoning: Any = body.get("reasoning")
        if isinstance(reasoning, dict) and reasoning.get("effort") is not None:
            return bool(reasoning["effort"] != "none")
        if reasoning or caps.thinks in ("default", "always"):
            return True
        elements = body["input"]  # unchanged, if it is no list
        return isinstance(elements, list) and any(
            isinstance(item, dict) and item.get("type") == "reasoning" for item in elements
        )


def _instructions(history: RoledHistory) -> str | None:
    """Return the first system message, if it is one plain text and other messages follow."""
    if history.roles[:1] != [SYSTEM] or len(history.msgs) == 1:
        return None
    m = history.msgs[0]
    block = m.blocks[0] if len(m.blocks) == 1 else None
    if m.role != "system" or m.extras is not None or not is_plain(block):
        return None
    return block.text if block.text.strip() else None


def _part_paths(
    path: str, block: Any, group: Sequence[Any], issuer: str
) -> Iterator[tuple[str, object]]:
    """Yield the paths of a part of a model's message; the first part has the item's own fields.

    If the message has only one part, the path of that part is the item's path.
    """
    item_path = path.rpartition(".content")[0] or path
    extras = block.extras or {}
    item = (group[0].extras or {}).get(name_answers(issuer), {}).get("item", {})
    yield item_path if len(group) + len(item.get("content", ())) == 1 else path, block
    if block is group[0]:
        for name in item:
            field = member(f"extras.{name_answers(issuer)}.item", name)
            yield member(item_path, name), Field(block, field)
    for name in extras.get(issuer, ()):
        above = item_path if name in ITEM else path
        yield member(above, name), Field(block, member(f"extras.{issuer}", name))
    for i, citation in enumerate(block.citations or () if type(block) is TextBlock else ()):
        yield f"{path}.annotations[{i}]", citation
