"""generateContent as a protocol: writes whole requests, and names the functions for all else.

Reference: Gemini API, "models.generateContent": the model is in the path, a stream is another
method, the system prompt is beside the contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from ...caches import remember
from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...history.passes.survey import RoledHistory, Tools
from ...losses import Field, Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, ToolChoice, ToolResultBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock, MediaBlock, name_notes
from ...message.known_tools import run_step
from ...message.media import Source
from ...text.json_text import Json, JsonObject, member
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import head, in_path
from ..client_arguments import Arguments, with_bytes
from ..paths import PathTable
from ..request_fields import choice
from . import request as bodies
from . import tools as declarations
from .answer_read import GeminiReader
from .answer_stream import GeminiEncoder
from .answer_write import OVERFLOW, write_response
from .blocks import RESPONSE_TEXTS, listed_calls
from .capabilities import CAN
from .dialect import NULL, Dialect, WriteTarget, camel_key, camel_keys, change_case, snake_key
from .fields import CONFIG, FIELDS
from .messages import has_prompt, message_as_read, write_messages, write_system

# Model names with a location are put below the base URL unchanged, without the part that the base
# URL already has.
_RESOURCES = ("tunedModels/", "publishers/", "endpoints/")
_PROJECT = re.compile(r"projects/[^/]+/locations/[^/]+/")
_CALLING = "toolConfig.functionCallingConfig"
_Rows: TypeAlias = Iterator[tuple[str, object]]


class Gemini(Room):
    """generateContent in one host's dialect.

    Args:
        dialect: The host's dialect; None for Gemini's.
    """

    __slots__ = ()
    dialect: Dialect
    protocol = "gemini"
    overflow = OVERFLOW
    failures = frozenset({"error", "failed", "malformed_call"})
    unsaid_ends = frozenset({"whole"})
    messages_path = "$.contents"
    reads_in_parts = True
    addresses = ("*:generatecontent", "*:streamgeneratecontent")
    model_patterns = ("gemini-*",)
    # `continuationToken`: the request for the rest of an answer that the provider has stored
    # (google-genai 3.6.1, `prepare_continuation_config`); without it the model would start again
    state_fields = ("cachedContent", "cached_content", "continuationToken", "continuation_token")
    pauses = True
    token_fields = ("continuationToken", "continuation_token")
    cuts_texts = True
    seals_in = "thoughtSignature"  # Gemini CLI 0.61 drops thoughts and keeps this (2026-11-22)
    seals_bytes = True
    body_fields = FIELDS
    base_capabilities = CAN
    cache_order = ("model", "tools", "systemInstruction", "contents")
    dialect_class = Dialect
    reader_class = GeminiReader
    encoder_class = GeminiEncoder

    # keys below the node's object, or below the body, each in either case
    paths: ClassVar[PathTable] = {
        **FIELDS.list_paths(),
        ("response_format", "kind"): (f"{CONFIG}.responseMimeType",),
        ("response_format", "schema"): tuple(f"{CONFIG}.{key}" for key in bodies.SCHEMAS),
        ("tool_choice", "allowed"): (f"{_CALLING}.allowedFunctionNames",),
        ("thinking", "thinking"): ("text",),
        ("tool_use", "id"): ("functionCall.id",),
        ("tool_use", "name"): ("functionCall.name",),
        ("tool_use", "input"): ("functionCall.args",),
        ("tool_use", "raw_input"): ("functionCall.args",),
        ("tool_result", "id"): ("functionResponse.id",),
        ("tool_result", "name"): ("functionResponse.name",),
        ("tool_result", "output"): ("functionResponse.response",),
        ("tool_result", "is_error"): ("functionResponse.response",),
        **{(kind, "detail"): ("mediaResolution",) for kind in MEDIA_KINDS},
    }

    claims = staticmethod(bodies.claims)
    messages = write_messages
    message_as_read = message_as_read
    read_request = bodies.read_request
    body_as_read = bodies.body_as_read
    respell = bodies.respell
    write_response = write_response

    def can(self) -> Capabilities:
        """Return what this protocol can carry, before any facts about a model."""
        return vary(super().can(), foreign_calls=self.dialect.foreign_calls)

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Return the keyword arguments of `generate_content` that send this body.

        They are also those of `generate_content_stream`, both methods of `client.models`.

        Args:
            body: The request body, as `write` returns it; it is not changed.
            headers: The headers that the request needs, without keys.
            model: The model's name where the path has it and the body does not; else None.

        Returns:
            `model`, `contents` and `config`, whose `http_options` hold other fields and headers.
        """
        contents = [with_bytes(content) for content in body.get("contents", ())]
        # the contents are also given unchanged, because the client's types spell some keys in
        # another case
        sent = {name: value for name, value in body.items() if name != "model"}
        options: Arguments = {"extra_body": sent}
        if headers:
            options["headers"] = dict(headers)
        return {"model": model, "contents": contents, "config": {"http_options": options}}

    def request_rest(self, body: JsonObject, resp: ChatResponse) -> JsonObject | None:
        """Return the same request with the token of the first candidate.

        Args:
            body: The body that was sent first.
            resp: What has come of the answer; it has paused.

        Returns:
            The body with the token; None if there is no token.

        Source: google-genai 3.6.1, `should_continue_generation` and `prepare_continuation_config`
        (looked up 2026-11-28).
        """
        fields = (resp.candidates[0].extras or {}).get(self.issuer, {})
        token = next((fields[name] for name in self.token_fields if fields.get(name)), None)
        if not isinstance(token, str):
            return None
        others = {key: value for key, value in body.items() if key not in self.token_fields}
        return {**others, **change_case({self.token_fields[0]: token}, self.dialect)}

    def answers(self, payload: JsonObject, event: str | None = None) -> bool:
        """Whether a payload can be an answer or chunk of this protocol, judged by its keys.

        Args:
            payload: A whole answer, or the payload of one event of a stream.
            event: The event's name, where the framing has names.
        """
        if "candidates" in payload:
            return isinstance(payload["candidates"], list)
        return "promptFeedback" in payload or {"usageMetadata", "modelVersion"} <= payload.keys()

    def places(self, req: ChatRequest, body: JsonObject) -> _Rows:
        """Find where the nodes of a request are in the body that they were read from.

        Request and body are walked together: keys may be in either case, and a single item may
        replace a list.

        Args:
            req: What `read_request` returned for the body.
            body: The body that was read.

        Yields:
            The path of a node or of a field of a node, and that node or `Field`.
        """
        msgs = list(req.messages)
        if has_prompt(req):
            path, prompt = _child(body, "$", "systemInstruction")
            yield from self._message(msgs.pop(0), prompt, path)
        entries = _items(body.get("contents"), "$.contents")
        for m, (path, entry) in zip(msgs, entries, strict=False):
            yield from self._message(m, entry, path)
        if req.tools:
            yield from _tools(req.tools, body.get("tools"), self.issuer)
        if "model" not in body:
            yield "$", Field(req, "model")  # it is in the path
        yield from self._fields(req.options, "options", body, "$")
        if req.response_format is not None:
            yield _child(body, "$", CONFIG)[0], req.response_format
            yield from self._fields(req.response_format, "response_format", body, "$")
        if req.tool_choice is not None:
            yield _child(body, "$", _CALLING)[0], req.tool_choice
            for path, field in self._fields(req.tool_choice, "tool_choice", body, "$"):
                yield from ((f"{path}[0]", Field(req.tool_choice, "name")), (path, field))
        for note in (req.extras or {}).get(name_notes(self.issuer), {}).get("keys", ()):
            yield from _extras(req, body, "$", note.split("."), self.issuer)

    def _fields(self, node: Any, kind: str, data: Any, path: str) -> _Rows:
        """Yield the fields of a node that are below `data`, which is at `path`."""
        for (of, name), keys in self.paths.items():
            if of == kind and (kind != "options" or getattr(node, name) is not None):
                rows = [_child(data, path, key) for key in keys]
                present = (row for row in rows if row[1] is not None)
                yield next(present, rows[0])[0], Field(node, name)

    def _message(self, m: Msg, data: Any, path: str) -> _Rows:
        yield path, m
        calls = listed_calls(data) if isinstance(data, dict) else []
        if calls and type(m.content) is list:
            calls_path, _ = _child(data, path, "functionCalls")
            for i, block in enumerate(m.content[-len(calls) :]):
                yield f"{calls_path}[{i}]", block
            if "parts" not in data:
                return
        if isinstance(data, dict) and "parts" in data:
            path, data = f"{path}.parts", data["parts"]
        parts = _items(data, path)
        if isinstance(m.content, str):
            path, part = parts[0]
            yield f"{path}.text" if isinstance(part, dict) else path, Field(m, "content")
            return
        for block, (path, part) in zip(m.content, parts, strict=False):
            yield from self._block(block, part, path)

    def _block(self, block: ContentBlock, part: Any, path: str) -> _Rows:
        yield path, block
        yield from self._fields(block, block.type, part, path)
        key = {"tool_use": "functionCall", "tool_result": "functionResponse"}.get(block.type, "")
        if type(block) is ToolResultBlock and isinstance(block.output, list):
            blocks = block.output
            result_path, data = _child(part, path, key)
            if blocks[0].spelling in RESPONSE_TEXTS:
                yield f"{result_path}.response", blocks[0]
                blocks = blocks[1:]
            for i, (item, item_part) in enumerate(zip(blocks, data["parts"], strict=False)):
                yield from self._block(item, item_part, f"{result_path}.parts[{i}]")
        elif isinstance(block, MediaBlock):
            key = "inlineData" if block.source.type == "base64" else "fileData"
            yield from _source(block.source, *_child(part, path, key))
        for note in (block.spelling or "").split():
            if "_" in note:
                steps = [key, note[1:]] if note[0] == "." else [note]
                yield from _extras(block, part, path, steps, self.issuer)

    def tools(self, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
        """Write the tools alone; that calls must match their schemas is written beside them.

        Args:
            tools: The tools that are offered, in order, under the names that the wire takes.
            caps: What the model and the wire take.
            report: Gets a loss for each field that cannot be written.

        Returns:
            The entries of `tools`.
        """
        return declarations.write_tools(self, tools, vary(caps, strict_tools=False), report)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """Write the request to `POST /models/{model}:generateContent`.

        Args:
            prepared: The request after the passes.
            report: Gets a loss for everything that the wire cannot carry.

        Returns:
            The path with the model and the method, no headers, and the body.

        Source: Gemini API, "models.generateContent".
        """
        request, caps, history = prepared.request, prepared.caps, prepared.history
        dialect = self.dialect
        target = WriteTarget(dialect, caps, report)
        body: JsonObject = {}
        # Gemma 3: "Developer instruction is not enabled for models/gemma-3-27b-it"
        start = _system_messages(history) if caps.system_place == "top" else 0
        if prompt := write_system(history, target, start):
            body["systemInstruction"] = prompt
        elements = prepared.elements
        if elements is None:
            elements = write_messages(self, history, caps, report, start)
        body["contents"] = elements
        # one mode makes the calls of all functions match their schemas
        wishes = {tool.strict for tool in prepared.tools} if prepared.tools else {None}
        strict = caps.strict_tools and True in wishes and False not in wishes
        strict = strict and (request.tool_choice is None or request.tool_choice.mode != "none")
        declared = caps if strict or wishes == {None} else vary(caps, strict_tools=False)
        if prepared.offered:
            tools = run_step(_write_tools, prepared.offered, report, self, declared)
            if tools:
                body["tools"] = tools
        tool_choice = choice(prepared, report, prepared.tools)
        if tool_choice is not None or strict:
            tool_choice = tool_choice or ToolChoice("auto")
            body["toolConfig"] = bodies.tool_config(tool_choice, dialect, strict)
        if caps.form == "level" and prepared.tools and prepared.server_tools:
            # since Gemini 3, functions are allowed beside such tools only if the tools' calls are
            # shown, too
            flag = change_case({"includeServerSideToolInvocations": True}, dialect)
            body["toolConfig"] = {**body.get("toolConfig", {}), **flag}
        config, tier = bodies.write_config(request, target)
        if config:
            body["generationConfig"] = config
        if tier is not None:
            body["serviceTier"] = tier
        body = target.with_extras(change_case(body, dialect), request)
        method = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        model = _model_path(dialect.path, prepared.model or self.model)
        return HttpRequest(f"{model}:{method}", {}, body)


@remember("paths of models below the base URL", entries=256, size=2**12)
def _model_path(path: str, model: str) -> str:
    """Return the path of a model below the base URL."""
    name = _PROJECT.sub("", model.removeprefix("models/"), count=1)
    full = name.startswith(_RESOURCES)
    quoted = in_path(name, safe="/@" if full else "@")
    return f"/{quoted}" if full else path.format(model=quoted)


def _system_messages(history: RoledHistory) -> int:
    """Return how many messages are the system prompt, which is text and never the whole request."""
    end = head(history)
    for i, m in enumerate(history.msgs[:end]):
        if type(m.content) is not str and any(block.type != "text" for block in m.blocks):
            return i
    return end if end < len(history.msgs) else 0


def _child(data: Any, path: str, keys: str) -> tuple[str, Any]:
    """Return path and value below some keys separated by dots, each in either case."""
    for key in keys.split("."):
        if not isinstance(data, dict):
            return path, None
        name = snake_key(key) if key not in data and snake_key(key) in data else key
        path, data = f"{path}.{name}", data.get(name)
    return path, data


def _items(data: Json, path: str) -> list[tuple[str, Any]]:
    """Yield path and item of a list, or of an item that replaces the list."""
    if not isinstance(data, list):
        return [(path, data)]
    return [(f"{path}[{i}]", item) for i, item in enumerate(data)]


def _extras(node: Any, data: Any, path: str, keys: list[str], issuer: str) -> _Rows:
    """Yield the extras of an object whose key is in snake_case, and everything below it."""
    *parents, key = keys
    if parents:
        path, data = _child(data, path, ".".join(parents))
    if key.endswith(NULL) or not isinstance(data, dict):
        return
    path, field = f"{path}.{key}", ".".join(["extras", issuer, *parents, camel_key(key)])
    yield path, Field(node, field)
    yield from _below(node, data.get(key), path, field)


_DEEPEST = 100  # levels of extras with paths of their own; deeper paths are shortened


def _below(node: Any, data: Json, path: str, field: str, level: int = 0) -> _Rows:
    for key, value in data.items() if isinstance(data, dict) and level < _DEEPEST else ():
        # keys are in camelCase down to the level at which they are read, and unchanged below it
        for name in dict.fromkeys((key, camel_key(key))):
            below, inner = member(path, key), member(field, name)
            yield below, Field(node, inner)
            yield from _below(node, value, below, inner, level + 1)


def _source(source: Source, path: str, data: Any) -> _Rows:
    yield path, source
    yield _child(data, path, "mimeType")[0], Field(source, "media_type")
    for name in ("url", "file_id"):
        if hasattr(source, name):
            yield _child(data, path, "fileUri")[0], Field(source, name)


def _tools(declared: Sequence[Any], data: Any, issuer: str) -> _Rows:
    rows = iter(declared)
    for path, entry in _items(data, "$.tools"):
        for key, value in entry.items():
            if declarations.declares_functions(key, value):
                for item_path, declaration in _items(value, f"{path}.{key}"):
                    yield from _tool(next(rows), declaration, item_path, issuer)
            elif value is not None:
                yield from _tool(next(rows), value, path, issuer, key)


def _tool(tool: Any, data: Any, path: str, issuer: str, key: str = "") -> _Rows:
    yield path, tool
    extras = f"extras.{issuer}"
    if type(tool) is ServerTool:
        yield from _below(tool, {key: data}, path, extras)
        yield _child(data, f"{path}.{key}", "fileSearchStoreNames")[0], Field(tool, "stores")
        return
    declaration = camel_keys(data)
    keys = (key for key in declarations.SCHEMAS if isinstance(declaration.get(key), dict))
    schema_key = next(keys, None)
    other = {name: value for name, value in data.items() if camel_key(name) != schema_key}
    yield from _below(tool, other, path, extras)
    if schema_key is not None:
        yield _child(data, path, schema_key)[0], Field(tool, "parameters")


def _write_tools(tools: Tools, room: Room, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write the tools: a step that may be known."""
    return declarations.write_tools(room, tools, caps, report)
