"""generateContent as a protocol: whole requests, and what reads and writes answers.

Reference: Gemini API, "models.generateContent": the model stands in the path, a stream is asked
for by another method, the system prompt stands beside the contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

from ...caches import remember
from ...capabilities import Capabilities
from ...history.passes.survey import RoledHistory, Tools
from ...losses import Field, Report
from ...message import ChatRequest, ChatResponse, Msg, ServerTool, ToolChoice, ToolResultBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock, MediaBlock, name_notes
from ...message.media import Source
from ...text.json_text import Json, JsonObject, member
from ..base import HttpRequest, PreparedRequest, Room
from ..chat_like.messages import head, in_path
from ..client_arguments import Arguments, with_bytes
from ..paths import PathTable
from ..request_fields import choice
from . import request as fields
from . import tools as declarations
from .answer_read import GeminiReader
from .answer_stream import GeminiEncoder
from .answer_write import OVERFLOW, write_response
from .blocks import RESPONSE_TEXTS, listed_calls
from .dialect import CAN, NULL, Dialect, WriteTarget, camel_key, camel_keys, change_case, snake_key
from .messages import has_prompt, message_as_read, write_messages, write_system

# Names that say where the model lives stand below the base URL as they are, less what it names.
_RESOURCES = ("tunedModels/", "publishers/", "endpoints/")
_PROJECT = re.compile(r"projects/[^/]+/locations/[^/]+/")
_CONFIG = "generationConfig"
_THINKING = f"{_CONFIG}.thinkingConfig"
_CALLING = "toolConfig.functionCallingConfig"
_Rows: TypeAlias = Iterator[tuple[str, object]]


class Gemini(Room):
    """generateContent in one host's dialect."""

    __slots__ = ()
    dialect: Dialect
    protocol = "gemini"
    overflow = OVERFLOW
    failures = frozenset({"error", "failed", "malformed_call"})
    unsaid_ends = frozenset({"whole"})
    messages_path = "$.contents"
    addresses = ("*:generatecontent", "*:streamgeneratecontent")
    model_patterns = ("gemini-*",)
    # `continuationToken`: the second half of an answer whose first the provider has (google-genai
    # 3.6.1, `prepare_continuation_config`); without it the model would begin anew
    state_fields = ("cachedContent", "cached_content", "continuationToken", "continuation_token")
    token_fields = ("continuationToken", "continuation_token")
    seals_in = "thoughtSignature"  # Gemini CLI 0.61 drops thoughts and keeps this (2026-11-22)
    seals_bytes = True
    base_capabilities = CAN
    cache_order = ("model", "tools", "systemInstruction", "contents")
    dialect_class = Dialect
    reader_class = GeminiReader
    encoder_class = GeminiEncoder

    # keys below the node's object, or below the body, each of them in either case
    paths: ClassVar[PathTable] = {
        **{("options", name): (f"{_CONFIG}.{key}",) for name, key in fields.KEYS.items()},
        ("options", "service_tier"): ("serviceTier",),
        ("options", "reasoning"): (f"{_THINKING}.thinkingLevel", f"{_THINKING}.thinkingBudget"),
        ("options", "reasoning_budget"): (f"{_THINKING}.thinkingBudget",),
        ("options", "thoughts"): (f"{_THINKING}.includeThoughts",),
        ("response_format", "kind"): (f"{_CONFIG}.responseMimeType",),
        ("response_format", "schema"): tuple(f"{_CONFIG}.{key}" for key in fields.SCHEMAS),
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

    claims = staticmethod(fields.claims)
    messages = write_messages
    message_as_read = message_as_read
    read_request = fields.read_request
    body_as_read = fields.body_as_read
    respell = fields.respell
    write_response = write_response

    def can(self) -> Capabilities:
        """What this protocol carries, before any model's facts."""
        return replace(super().can(), foreign_calls=self.dialect.foreign_calls)

    def client_arguments(
        self, body: JsonObject, headers: Mapping[str, str], model: str | None
    ) -> Arguments:
        """Those of `client.models.generate_content`, or `generate_content_stream`."""
        contents = [with_bytes(content) for content in body.get("contents", ())]
        # the contents once more as they are: the client's types spell some keys in another case
        sent = {name: value for name, value in body.items() if name != "model"}
        options: Arguments = {"extra_body": sent}
        if headers:
            options["headers"] = dict(headers)
        return {"model": model, "contents": contents, "config": {"http_options": options}}

    def request_rest(self, body: JsonObject, resp: ChatResponse) -> JsonObject | None:
        """The same request with the token of the first candidate.

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
        """Whether an answer or event of this shape can be this protocol's, judged by its keys."""
        if "candidates" in payload:
            return isinstance(payload["candidates"], list)
        return "promptFeedback" in payload or {"usageMetadata", "modelVersion"} <= payload.keys()

    def places(self, req: ChatRequest, body: JsonObject) -> _Rows:
        """Side by side through both: keys may stand in either case, one item for a list."""
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
            yield "$", Field(req, "model")  # it stands in the path
        yield from self._fields(req.options, "options", body, "$")
        if req.response_format is not None:
            yield _child(body, "$", _CONFIG)[0], req.response_format
            yield from self._fields(req.response_format, "response_format", body, "$")
        if req.tool_choice is not None:
            yield _child(body, "$", _CALLING)[0], req.tool_choice
            for path, field in self._fields(req.tool_choice, "tool_choice", body, "$"):
                yield from ((f"{path}[0]", Field(req.tool_choice, "name")), (path, field))
        for note in (req.extras or {}).get(name_notes(self.issuer), {}).get("keys", ()):
            yield from _extras(req, body, "$", note.split("."), self.issuer)

    def _fields(self, node: Any, kind: str, data: Any, path: str) -> _Rows:
        """The fields of a node that stand below `data`, which is at `path`."""
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
        """The tools alone: that calls shall keep to their schemas is said beside them."""
        return declarations.write_tools(self, tools, replace(caps, strict_tools=False), report)

    def write(self, prepared: PreparedRequest, report: Report) -> HttpRequest:
        """The body of `POST /models/{model}:generateContent`."""
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
        # one mode keeps the calls of all functions to their schemas
        wishes = {tool.strict for tool in prepared.tools} if prepared.tools else {None}
        strict = caps.strict_tools and True in wishes and False not in wishes
        strict = strict and (request.tool_choice is None or request.tool_choice.mode != "none")
        declared = caps if strict or wishes == {None} else replace(caps, strict_tools=False)
        if tools := declarations.write_tools(self, prepared.offered, declared, report):
            body["tools"] = tools
        tool_choice = choice(prepared, report, prepared.tools)
        if tool_choice is not None or strict:
            tool_choice = tool_choice or ToolChoice("auto")
            body["toolConfig"] = fields.tool_config(tool_choice, dialect, strict)
        if caps.form == "level" and prepared.tools and prepared.server_tools:
            # since Gemini 3 functions stand beside such tools only when these are shown, too
            flag = change_case({"includeServerSideToolInvocations": True}, dialect)
            body["toolConfig"] = {**body.get("toolConfig", {}), **flag}
        config, tier = fields.write_config(request, target)
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
    """The path of a model below the base URL."""
    name = _PROJECT.sub("", model.removeprefix("models/"), count=1)
    full = name.startswith(_RESOURCES)
    quoted = in_path(name, safe="/@" if full else "@")
    return f"/{quoted}" if full else path.format(model=quoted)


def _system_messages(history: RoledHistory) -> int:
    """How many messages make the system prompt: it is text, and never the whole request."""
    end = head(history)
    for i, m in enumerate(history.msgs[:end]):
        if type(m.content) is not str and any(block.type != "text" for block in m.blocks):
            return i
    return end if end < len(history.msgs) else 0


def _child(data: Any, path: str, keys: str) -> tuple[str, Any]:
    """(path, value) below some keys with dots between them, each in either case."""
    for key in keys.split("."):
        if not isinstance(data, dict):
            return path, None
        name = snake_key(key) if key not in data and snake_key(key) in data else key
        path, data = f"{path}.{name}", data.get(name)
    return path, data


def _items(data: Json, path: str) -> list[tuple[str, Any]]:
    """(path, item) of a list, or of the item that stands alone in its place."""
    if not isinstance(data, list):
        return [(path, data)]
    return [(f"{path}[{i}]", item) for i, item in enumerate(data)]


def _extras(node: Any, data: Any, path: str, keys: list[str], issuer: str) -> _Rows:
    """The extras of an object whose key is in snake_case, and of all that stands below it."""
    *parents, key = keys
    if parents:
        path, data = _child(data, path, ".".join(parents))
    if key.endswith(NULL) or not isinstance(data, dict):
        return
    path, field = f"{path}.{key}", ".".join(["extras", issuer, *parents, camel_key(key)])
    yield path, Field(node, field)
    yield from _below(node, data.get(key), path, field)


_DEEPEST = 100  # levels of extras that have places: paths are shortened before


def _below(node: Any, data: Json, path: str, field: str, level: int = 0) -> _Rows:
    for key, value in data.items() if isinstance(data, dict) and level < _DEEPEST else ():
        # as far down as keys are read they are in camelCase, and below that as they came
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
