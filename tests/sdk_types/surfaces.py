"""The surfaces: each request and each answer of an SDK that the package reads, as a JSON Schema.

An SDK that is not installed is passed over; `make sdk-types` installs all of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Surface:
    """One type that an SDK sends or gets. `wire`: who reads it here.

    `headers`: fields that the SDK sends elsewhere or never; `fixed`: values without which the rest
    says nothing. `base`: the fields without which there is no such body.
    `said`: the fields of an answer that say something; others repeat the request.
    """

    name: str
    wire: str
    kind: Literal["request", "answer"]
    load: Callable[[], Mapping[str, Any]]
    headers: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    base: Mapping[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    respelled: Mapping[str, str] = field(default_factory=dict)


def schema_of(module: str, name: str, by_alias: bool = True) -> Callable[[], Mapping[str, Any]]:
    """The schema of a TypedDict or a model of pydantic's."""

    def load() -> Mapping[str, Any]:
        pydantic: Any = importlib.import_module("pydantic")
        kind = getattr(importlib.import_module(module), name)
        schema: Mapping[str, Any] = pydantic.TypeAdapter(kind).json_schema(by_alias=by_alias)
        return schema

    return load


def _object(module: str, **fields: str) -> Callable[[], Mapping[str, Any]]:
    """A body whose fields have types of their own: `[Name]` is a list of them."""

    def load() -> Mapping[str, Any]:
        pydantic: Any = importlib.import_module("pydantic")
        found = importlib.import_module(module)
        members: dict[str, Any] = {}
        for key, name in fields.items():
            kind: Any = {"str": str, "bool": bool, "int": int, "float": float}.get(name)
            kind = kind or getattr(found, name.strip("[]"))
            members[key] = (list[kind] if name.startswith("[") else kind, None)
        made = pydantic.create_model("Body", **members)
        schema: Mapping[str, Any] = pydantic.TypeAdapter(made).json_schema(by_alias=True)
        return schema

    return load


_DOCUMENT: Mapping[str, Any] = {"type": "object"}


def _bedrock(operation: str, output: bool) -> Callable[[], Mapping[str, Any]]:
    """Botocore's service model as a JSON Schema: structures are definitions."""

    def load() -> Mapping[str, Any]:
        loaders: Any = importlib.import_module("botocore.loaders")
        models: Any = importlib.import_module("botocore.model")
        described = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
        operations = models.ServiceModel(described, "bedrock-runtime").operation_model(operation)
        definitions: dict[str, Any] = {}
        shape = operations.output_shape if output else operations.input_shape
        root = _shape(shape, definitions)
        return {**definitions[root["$ref"].rpartition("/")[2]], "$defs": definitions}

    return load


def _shape(shape: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    kind = shape.type_name
    if kind == "structure":
        if shape.is_document_type:
            return dict(_DOCUMENT)
        reference = {"$ref": f"#/$defs/{shape.name}"}
        if shape.name not in definitions:
            definitions[shape.name] = made = {"type": "object", "title": shape.name}
            members = {key: _shape(inner, definitions) for key, inner in shape.members.items()
                       if "location" not in inner.serialization}  # fmt: skip
            made["properties"] = members
            made["required"] = [key for key in shape.required_members if key in members]
            if getattr(shape, "is_tagged_union", False):
                # one member at a time: each is a type of its own
                definitions[shape.name] = {"anyOf": [
                    {"type": "object", "title": f"{shape.name}.{key}", "properties": {key: inner},
                     "required": [key]} for key, inner in members.items()]}  # fmt: skip
        return reference
    if kind == "list":
        return {"type": "array", "items": _shape(shape.member, definitions)}
    if kind == "map":
        return {"type": "object", "additionalProperties": _shape(shape.value, definitions)}
    if kind == "blob":
        return {"type": "string", "format": "binary"}
    if kind == "string":
        return {"type": "string", "enum": shape.enum} if shape.enum else {"type": "string"}
    if kind in ("integer", "long"):
        return {"type": "integer"}
    return {"type": "boolean" if kind == "boolean" else "number"}


CHAT, RESPONSES, BETA = "openai.types.chat", "openai.types.responses", "openai.types.beta"
_OPENAI_ONLY = ("parsed",)  # the SDK's own, which no server sends
_GENAI_ONLY = ("sdkHttpResponse", "sdk_http_response", "automaticFunctionCallingHistory", "parsed")

_INPUT = {"model": "gpt-5.6", "input": "Go on."}

_CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "Go on."}]}]}
_MESSAGES = {"messages": [{"role": "user", "content": [{"text": "Go on."}]}]}
_CHOICE = {"index": 0, "finish_reason": "stop"}
_CANDIDATES = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Yes."}]},
                               "finishReason": "STOP"}]}  # fmt: skip
_STEPS = {"object": "interaction", "status": "completed", "steps": []}

SURFACES = [
    Surface("openai chat request", "openai-chat", "request",
            schema_of(f"{CHAT}.completion_create_params", "CompletionCreateParamsNonStreaming")),
    Surface("openai responses request", "openai-responses", "request",
            schema_of(f"{RESPONSES}.response_create_params",
                      "ResponseCreateParamsNonStreaming"), base=_INPUT),
    Surface("openai beta request", "openai-responses", "request",
            schema_of(f"{BETA}.response_create_params", "ResponseCreateParamsNonStreaming"),
            headers=("betas",), base=_INPUT),
    Surface("anthropic beta request", "anthropic", "request",
            schema_of("anthropic.types.beta.message_create_params",
                      "MessageCreateParamsNonStreaming"),
            headers=("betas", "user_profile_id")),
    Surface("gemini request", "gemini", "request",
            _object("google.genai.types", contents="[Content]", systemInstruction="Content",
                    tools="[Tool]", toolConfig="ToolConfig", safetySettings="[SafetySetting]",
                    generationConfig="GenerationConfig"), base=_CONTENTS),
    Surface("gemini interactions request", "gemini-interactions", "request",
            schema_of("google.genai.interactions", "CreateModelInteraction"),
            headers=("api_version",)),
    Surface("bedrock request", "bedrock-converse", "request", _bedrock("Converse", output=False),
            base=_MESSAGES),
    Surface("mistral request", "mistral", "request",
            schema_of("mistralai.client.models", "ChatCompletionRequestTypedDict"),
            respelled={"schema_definition": "schema"}),
    Surface("cohere request", "cohere", "request",
            _object("cohere", model="str", messages="[ChatMessageV2]", tools="[ToolV2]",
                    documents="[V2ChatRequestDocumentsItem]", citation_options="CitationOptions",
                    response_format="ResponseFormatV2", safety_mode="V2ChatRequestSafetyMode",
                    tool_choice="V2ChatRequestToolChoice", thinking="Thinking"),
            base={"model": "command-a", "messages": [{"role": "user", "content": "Go on."}]}),
    Surface("ollama request", "ollama", "request", schema_of("ollama._types", "ChatRequest")),
    Surface("groq request", "groq", "request",
            schema_of("groq.types.chat.completion_create_params", "CompletionCreateParams")),
    Surface("together request", "together", "request",
            schema_of("together.types.chat.completion_create_params",
                      "CompletionCreateParamsNonStreaming")),
    Surface("cerebras request", "cerebras", "request",
            schema_of("cerebras.cloud.sdk.types.chat.completion_create_params",
                      "CompletionCreateParams")),
    Surface("openrouter request", "openrouter", "request",
            schema_of("openrouter.components", "ChatRequestTypedDict")),
    Surface("volcengine request", "volcengine", "request",
            schema_of("volcenginesdkarkruntime.types.chat.completion_create_params",
                      "CompletionCreateParamsNonStreaming")),
    Surface("openai chat answer", "openai-chat", "answer", schema_of(CHAT, "ChatCompletion"),
            _OPENAI_ONLY, fixed=_CHOICE, said=("choices",)),
    Surface("openai responses answer", "openai-responses", "answer",
            schema_of(RESPONSES, "Response"), _OPENAI_ONLY, said=("output",)),
    Surface("openai beta answer", "openai-responses", "answer", schema_of(BETA, "BetaResponse"),
            _OPENAI_ONLY, said=("output",)),
    Surface("anthropic beta answer", "anthropic", "answer",
            schema_of("anthropic.types.beta", "BetaMessage"),
            base={"stop_reason": "end_turn", "stop_sequence": None}, said=("content",)),
    Surface("gemini answer", "gemini", "answer",
            schema_of("google.genai.types", "GenerateContentResponse"), _GENAI_ONLY,
            base=_CANDIDATES, said=("candidates",)),
    Surface("gemini interactions answer", "gemini-interactions", "answer",
            schema_of("google.genai.interactions", "Interaction"), base=_STEPS,
            said=("steps",)),
    Surface("bedrock answer", "bedrock-converse", "answer", _bedrock("Converse", output=True),
            said=("output",)),
    Surface("mistral answer", "mistral", "answer",
            schema_of("mistralai.client.models", "ChatCompletionResponse"),
            fixed=_CHOICE, said=("choices",)),
    Surface("cohere answer", "cohere", "answer", schema_of("cohere", "V2ChatResponse"),
            said=("message",)),
    Surface("ollama answer", "ollama", "answer", schema_of("ollama", "ChatResponse"),
            base={"model": "m", "done": True, "done_reason": "stop"}, said=("message",),
            fixed={"images": ["iVBORw0KGgo="]}),  # of which the SDK makes objects
    Surface("groq answer", "groq", "answer", schema_of("groq.types.chat", "ChatCompletion"),
            fixed=_CHOICE, said=("choices",)),
    Surface("together answer", "together", "answer",
            schema_of("together.types.chat", "ChatCompletion"), fixed=_CHOICE, said=("choices",)),
    Surface("cerebras answer", "cerebras", "answer",
            schema_of("cerebras.cloud.sdk.types.chat.chat_completion", "ChatCompletionResponse"),
            fixed=_CHOICE, said=("choices",)),
    Surface("openrouter answer", "openrouter", "answer",
            schema_of("openrouter.components", "ChatResult"), fixed=_CHOICE, said=("choices",)),
    Surface("volcengine answer", "volcengine", "answer",
            schema_of("volcenginesdkarkruntime.types.chat", "ChatCompletion"),
            fixed=_CHOICE, said=("choices",)),
]  # fmt: skip
