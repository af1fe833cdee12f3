"""The rules of combination by host, each as a body that breaks it and its neighbour."""

from __future__ import annotations

from typing import Any

from ..contract.judges.cases import PDF, PNG
from .combination import Combination

IMAGE: dict[str, Any] = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": PNG},
}
BOOM: dict[str, Any] = {"type": "text", "text": "Out of paper."}
LOOK: dict[str, Any] = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
ASKED: dict[str, Any] = {"role": "user", "content": "Look."}
CALL: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "look", "input": {}}


def messages(model: str, *turns: Any, **fields: Any) -> dict[str, Any]:
    """A body of the Messages API."""
    return {"model": model, "max_tokens": 5000, "messages": list(turns or (ASKED,)), **fields}


def seen(*content: Any, **fields: Any) -> dict[str, Any]:
    """A conversation whose tool was called, with this result."""
    result = {"type": "tool_result", "tool_use_id": "a", "content": list(content), **fields}
    return messages(
        "claude-opus-4-8",
        ASKED,
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [result]},
        tools=[LOOK],
    )


def still(model: str, effort: str, kind: str = "disabled", **fields: Any) -> dict[str, Any]:
    """A body whose thinking is turned off, beside an effort."""
    thinking = {"type": kind, **fields}
    return messages(model, thinking=thinking, output_config={"effort": effort})


def converse(*turns: Any, **fields: Any) -> dict[str, Any]:
    """A body of Converse."""
    return {"messages": list(turns or ({"role": "user", "content": [{"text": "Look."}]},)),
            **fields}  # fmt: skip


def returned(*content: Any, **fields: Any) -> dict[str, Any]:
    """A conversation over Converse whose tool was called, with this result."""
    call = {"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}
    result = {"toolResult": {"toolUseId": "a", "content": list(content), **fields}}
    spec = {"name": "look", "inputSchema": {"json": LOOK["input_schema"]}}
    return converse(
        {"role": "user", "content": [{"text": "Look."}]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        toolConfig={"tools": [{"toolSpec": spec}]},
    )


def quiet(effort: str) -> dict[str, Any]:
    """A body of Converse with Claude's thinking turned off, beside an effort."""
    own = {"thinking": {"type": "disabled"}, "output_config": {"effort": effort}}
    return converse(additionalModelRequestFields=own)


def offered(names: tuple[str, ...], **more: Any) -> dict[str, Any]:
    """The schema of a tool with arguments of these names."""
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, **more}


def declared(*names: str) -> dict[str, Any]:
    """A body whose tool has arguments of these names."""
    tool = {"name": "look", "input_schema": offered(names, required=[names[0]])}
    return messages("claude-opus-4-8", tools=[tool])


def specified(*names: str) -> dict[str, Any]:
    """The same over Converse."""
    spec = {"name": "look", "inputSchema": {"json": offered(names)}}
    return converse(toolConfig={"tools": [{"toolSpec": spec}]})


def chat(model: str, text: str, **fields: Any) -> dict[str, Any]:
    """A body of Chat Completions that says one thing."""
    return {"model": model, "messages": [{"role": "user", "content": text}], **fields}


def content(*tools: Any, **config: Any) -> dict[str, Any]:
    """A body of generateContent."""
    body = {"contents": [{"role": "user", "parts": [{"text": "How warm is it?"}]}]}
    given = {"tools": list(tools), "generationConfig": config}
    return {**body, **{key: value for key, value in given.items() if value}}


def answered(*blocks: Any, id: str = "a", **fields: Any) -> dict[str, Any]:
    """A conversation over Converse with these blocks beside a result."""
    body = returned({"text": "Seen."}, **fields)
    for turn in body["messages"][1:]:
        next(iter(turn["content"][0].values()))["toolUseId"] = id
    body["messages"][2]["content"] += blocks
    return body


def told(*blocks: Any) -> dict[str, Any]:
    """A body of Converse in which the user says this."""
    return converse({"role": "user", "content": list(blocks)})


_SVG: dict[str, Any] = {"type": "image", "source": {
    "type": "base64", "media_type": "image/svg+xml", "data": "PHN2Zy8+"}}  # fmt: skip
_NOTES: dict[str, Any] = {"document": {"name": "notes", "format": "md",
                                       "source": {"bytes": "SGku"}}}  # fmt: skip
_PAPER: dict[str, Any] = {"document": {"name": "paper", "format": "pdf",
                                       "source": {"bytes": PDF}}}  # fmt: skip
_POINT: dict[str, Any] = {"cachePoint": {"type": "default"}}
_SAY: dict[str, Any] = {"text": "And this?"}
_LARGE, _PALMYRA = "mistral.mistral-large-2407-v1:0", "writer.palmyra-x5-v1:0"
_LINK: dict[str, Any] = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}


def filed(data: str) -> dict[str, Any]:
    """A body of Chat Completions with a document."""
    part = {"type": "file", "file": {"filename": "a.pdf", "file_data": data}}
    content = [{"type": "text", "text": "Sum up."}, part]
    return {"model": "gpt-5.6", "messages": [{"role": "user", "content": content}]}


def shown(role: str) -> dict[str, Any]:
    """A body of Chat Completions in which this one shows an image."""
    asks = {"role": "user", "content": [{"type": "text", "text": "Look."}, _LINK]}
    shows = {"role": role, "content": [{"type": "text", "text": "Look."}, _LINK]}
    others = [{"role": "user", "content": "Well?"}] if role == "system" else []
    return {"model": "gpt-5.6", "messages": [asks] if role == "user" else [shows, *others]}


_FUNCTION = {"functionDeclarations": [{"name": "look"}]}
_SEARCH: dict[str, Any] = {"googleSearch": {}}
_AS_JSON = {"responseMimeType": "application/json"}
_ANY_JSON = {"response_format": {"type": "json_object"}}
_SHOWN: dict[str, Any] = {"image": {"format": "png", "source": {"bytes": PNG}}}
_EFFORT = "$.output_config.effort"
_OPUS = "us.anthropic.claude-opus-5"

ROWS = [
    Combination("an error result with an image", "anthropic", "media.moved",
                "$.messages[2].content[0].content[1]", seen(BOOM, IMAGE, is_error=True),
                seen(BOOM, IMAGE), "error_text"),
    Combination("an error result with an image alone", "anthropic", "media.moved",
                "$.messages[2].content[0].content[0]", seen(IMAGE, is_error=True),
                seen(IMAGE), "error_text"),
    Combination("an error result with an image", "bedrock", "media.moved",
                "$.messages[2].content[0].toolResult.content[1].image",
                returned({"text": "Boom."}, _SHOWN, status="error"),
                returned({"text": "Boom."}, _SHOWN), "error_text", _OPUS),
    *(Combination(f"{model} still with {effort}", "anthropic", "option.range", _EFFORT,
                  still(model, effort), still(model, "high"), "still_effort")
      for model in ("claude-opus-5", "claude-haiku-5-5") for effort in ("xhigh", "max")),
    Combination("a model that takes max while it is still", "anthropic", "option.range", _EFFORT,
                still("claude-opus-5-20260724", "max"), still("claude-opus-4-8", "max"),
                "still_effort"),
    Combination("between tools with max", "anthropic", "option.range", _EFFORT,
                still("claude-sonnet-5-5", "max", "between_tools"),
                still("claude-sonnet-5-5", "high", "between_tools"), "still_effort"),
    Combination("between tools with a display", "anthropic", "option.refused",
                "$.thinking.display",
                still("claude-sonnet-5-5", "high", "between_tools", display="omitted"),
                still("claude-sonnet-5-5", "high", "between_tools")),
    Combination("still with max", "bedrock", "option.range",
                "$.additionalModelRequestFields.output_config.effort", quiet("max"),
                quiet("high"), "still_effort", _OPUS),
    *(Combination(f"the argument {name[:12]!r}", "anthropic", "property_name.mapped",
                  f'$.tools[0].input_schema.properties["{name}"]' if not name.isidentifier()
                  else "$.tools[0].input_schema.properties",  # losses clip such paths
                  declared(name, "n"), declared(good, "n"), "property_name")
      for name, good in (("filter[id]", "filter.id"), ("Account Number", "Account-Number"),
                         ("n" * 65, "n" * 64))),
    Combination("the argument 'filter[id]'", "bedrock", "property_name.mapped",
                '$.toolConfig.tools[0].toolSpec.inputSchema.json.properties["filter[id]"]',
                specified("filter[id]"), specified("filter.id"), "property_name", _OPUS),
    *(Combination("any JSON without the word", host, "format.json_word", "$.response_format",
                  chat(model, "How warm is it?", **_ANY_JSON),
                  chat(model, "How warm is it? Answer in json.", **_ANY_JSON), "json_word")
      for host, model in (("openai", "gpt-5.6"), ("azure", "gpt-5.6"),
                          ("deepseek", "deepseek-flash"), ("groq", "llama-3.3-70b-versatile"),
                          ("dashscope/openai-chat", "qwen-turbo"))),
    *(Combination(f"{model} with JSON beside {what}", "gemini", "format.unsupported",
                  "$.generationConfig", content(tool, **_AS_JSON),
                  content(**_AS_JSON), "json_beside_tools", model)
      for model in ("gemini-2.5-pro", "gemini-2.5-flash") for what, tool in
      (("functions", _FUNCTION), ("search", _SEARCH))),
    Combination("a schema beside functions", "gemini", "format.unsupported", "$.generationConfig",
                content(_FUNCTION, **_AS_JSON, responseJsonSchema={"type": "object"}),
                content(_FUNCTION), "json_beside_tools", "gemini-2.5-pro"),
    Combination("search beside functions", "gemini", "server_tool.unsupported", "$.tools[1]",
                content(_FUNCTION, _SEARCH), content(_SEARCH), "mixed_tools", "gemini-2.5-pro"),
    Combination("a cache point behind a document that is no PDF", "bedrock", "cache.moved",
                "$.messages[0].content[2].cachePoint", told(_SAY, _NOTES, _POINT),
                told(_SAY, _PAPER, _POINT), "cache_point", _OPUS),
    Combination("a cache point behind two such documents", "bedrock", "cache.moved",
                "$.messages[0].content[3].cachePoint",
                told(_SAY, _NOTES, {"document": {**_NOTES["document"], "name": "more"}}, _POINT),
                told(_SAY, _POINT, _NOTES), "cache_point", _OPUS),
    Combination("an SVG in a result", "anthropic", "media.as_reference",
                "$.messages[2].content[0].content[1]", seen(BOOM, _SVG), seen(BOOM, IMAGE),
                "source"),
    Combination("a document by URL", "openai", "media.not_fetched",
                "$.messages[0].content[1].file.file_data", filed("https://example.org/a.pdf"),
                filed(f"data:application/pdf;base64,{PDF}")),
    Combination("an image in the system prompt", "openai", "media.moved",
                "$.messages[0].content[1]", shown("system"), shown("user"), "seat"),
    Combination("a document beside a result", "bedrock", "turn.bridged",
                "$.messages[2]", answered(_NOTES, _SAY), answered(_SHOWN, _SAY), "beside_results",
                _OPUS),
    Combination("words beside a result", "bedrock", "turn.bridged",
                "$.messages[2]", answered(_SAY, id="aB3dE6gH9"), answered(id="aB3dE6gH9"),
                "beside_results", _LARGE),
    Combination("words beside a result of Writer", "bedrock", "turn.bridged",
                "$.messages[2]", answered(_SAY), answered(), "beside_results", _PALMYRA),
    Combination("a status of Writer", "bedrock", "field.refused",
                "$.messages[2].content[0].toolResult.status", answered(status="error"), answered(),
                "status", _PALMYRA, "result.error_as_text"),
]  # fmt: skip
