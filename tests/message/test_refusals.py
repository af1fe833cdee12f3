"""What a refusal says to whoever made the mistake: a code, the place, what is wrong, and a hint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

import dragoman.message
from dragoman.errors import InvalidMessage, NotMessages
from dragoman.message.blocks import BLOCKS
from dragoman.message.options import OPTIONS
from tests.each_case import each_case

Refusal: TypeAlias = tuple[str, Callable[[], object], str]

tree: Any = dragoman.message  # whose types forbid most of what stands here
HISTORY = [tree.Msg("", "x")]
HELLO = {"name": "a", "role": "user", "content": "x"}
READ: dict[str, Any] = {"protocol": "p", "issuer": "p"}


def nested(depth: int) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": "x"}
    for _ in range(depth):
        block = {"type": "tool_result", "id": "c", "output": [block]}
    return block


def stored(kind: str, value: object) -> dict[str, Any]:
    return {"dragoman": 1, "kind": kind, "value": value}


MESSAGES: list[Refusal] = [
    ("message.role", lambda: tree.Msg("", "x", "narrator"),
     "$.role: unknown role 'narrator' (one of system, developer, user, assistant, tool)"),
    ("block.field", lambda: tree.Msg(7, "x"),
     "$.name: must be text, not int"),
    ("message.content", lambda: tree.Msg("", 7),
     "$.content: content must be text or a list of blocks, not int"),
    ("block.field", lambda: tree.Msg("", "x", metadata="x"),
     "$.metadata: must be dict, not str"),
    ("block.field", lambda: tree.Msg("", "x", cache={"ttl": "1h"}),
     "$.cache: must be CacheHint, not dict"),
    ("block.field", lambda: tree.Msg("", "x", extras=[1]),
     "$.extras: must be extras, objects by issuer, not list"),
    ("block.field", lambda: tree.Msg("", "x", extras={"openai": 1}),
     "$.extras.openai: must be an object, not int"),
    ("message.deep", lambda: tree.Msg("", [nested(22)], "tool"),
     ("$.content[0].output[0].output[0].output[0].output[0].output[...[0].output[0].output: "
     "blocks nested deeper than 20")),
    ("block.type", lambda: tree.Msg("", [7]),
     "$.content[0]: int is no content block (use a block class, or a dict with a type)"),
    ("block.type", lambda: tree.Msg("", [{"type": "txt"}]),
     f"$.content[0]: unknown block type 'txt' (one of {', '.join(BLOCKS)})"),
    ("block.field", lambda: tree.Msg("", [{"type": "text"}]),
     "$.content[0]: TextBlock missing 1 required positional argument: 'text'"),
    ("block.field", lambda: tree.Msg("", [{"type": "text", "text": "x", "cache": "1h"}]),
     "$.content[0].cache: must be CacheHint, not str"),
    ("block.field", lambda: tree.Msg("", [{"type": "text", "text": "x", "cache": {"until": 1}}]),
     "$.content[0].cache: CacheHint got an unexpected keyword argument 'until'"),
    ("block.field", lambda: tree.Msg("", [{"type": "text", "text": "x", "origin": {"issuer": 7}}]),
     "$.content[0].origin.issuer: must be text, not int"),
    ("block.field",
     lambda: tree.Msg("", [{"type": "text", "text": "x", "citations": [{"page": 1}]}]),
     "$.content[0].citations[0]: Citation got an unexpected keyword argument 'page'"),
    ("block.field", lambda: tree.Msg("", [tree.TextBlock("x", citations="y")]),
     "$.content[0].citations: must be a list of Citation, not str"),
    ("block.field", lambda: tree.Msg("", [tree.TextBlock("x", [7])]),
     "$.content[0].citations[0]: must be Citation, not int"),
    ("block.field", lambda: tree.Msg("", [tree.RawBlock("p", {}, role="x")]),
     "$.content[0].role: unknown value 'x' (one of call, result, item, message)"),
    ("block.field", lambda: tree.Msg("", [tree.RawBlock("p", {}, by="x")]),
     "$.content[0].by: unknown value 'x' (one of client, server)"),
    ("json.value", lambda: tree.RawBlock("p", object()),
     "object is no JSON"),
    ("block.field", lambda: tree.Msg("", [tree.ToolResultBlock("c", "f", 7)]),
     "$.content[0].output: a tool's output is text, a list of blocks or an object, not int"),
    ("source.type", lambda: tree.Msg("", [tree.ImageBlock(7)]),
     ("$.content[0].source: int is no media source (URLSource, Base64Source, LocalSource, "
     "FileSource, TextSource or FramesSource)")),
    ("source.type", lambda: tree.Msg("", [{"type": "image", "source": {"type": "web"}}]),
     ("$.content[0].source: unknown source type 'web' (one of url, base64, local, file, "
      "text, frames)")),
    ("block.field",
     lambda: tree.Msg("", [{"type": "image", "source": {"type": "url", "url": "x", "size": 1}}]),
     "$.content[0].source: URLSource got an unexpected keyword argument 'size'"),
    ("block.field",
     lambda: tree.Msg("", [{"type": "image", "source": {"type": "url", "url": "x", "a) b": 1}}]),
     "$.content[0].source: URLSource got an unexpected keyword argument 'a) b'"),
    ("block.field",
     lambda: tree.Msg("", [{"type": "image", "source": {"type": "url", "url": "x", 7: 1}}]),
     "$.content[0].source: URLSource keywords must be strings"),
    ("message.type", lambda: tree.Msg.from_dict([1]),
     "$: a message must be an object, not list"),
    ("message.field", lambda: tree.Msg.from_dict({"name": "a", "role": "user"}),
     "$: content is missing"),
    ("message.field", lambda: tree.Msg.from_dict({**HELLO, "odd": 1, "more": 2}),
     "$: unknown field 'more'"),
    ("block.field", lambda: tree.Msg.from_dict({**HELLO, "extras": {"p": 1}}),
     "$.extras: extras are objects by issuer"),
    ("block.field", lambda: tree.Msg.from_dict({**HELLO, "cache": "1h"}),
     "$.cache: must be an object, not str"),
    ("", lambda: tree.check_messages("x"),
     "$.messages: the input must be a list of Msg, not str"),
    ("", lambda: tree.check_messages([*HISTORY, 7]),
     "$.messages[1]: expected a Msg, not int (Msg(name, content, role), or Msg.from_dict(...))"),
]  # fmt: skip

REQUESTS: list[Refusal] = [
    ("", lambda: tree.check_request(HISTORY),
     ("$: the input must be a ChatRequest, not list (read_request makes one of a body; or "
     "ChatRequest(messages))")),
    ("request.field", lambda: tree.ChatRequest(HISTORY, system=7),
     "$.system: must be text, not int"),
    ("format.kind", lambda: tree.ChatRequest(HISTORY, response_format={}),
     '$.response_format: dict is no response format ("json", a type, or ResponseFormat(...))'),
    ("option.value", lambda: tree.Options(stop=7),
     "$.options.stop: must be a list of texts, not int"),
    ("option.value", lambda: tree.Options(seed="x"),
     "$.options.seed: must be int, not str"),
    ("option.value", lambda: tree.Options(temperature="hot"),
     "$.options.temperature: must be int or float, not str"),
    ("option.value", lambda: tree.Options(logprobs=1),
     "$.options.logprobs: must be bool, not int"),
    ("option.value", lambda: tree.Options.of(7),
     "$.options: int is no Options"),
    ("option.name", lambda: tree.Options.of({"hot": 1}),
     (f"$.options: unknown option 'hot' (one of {', '.join(sorted(OPTIONS))}; "
      "others go into extras by provider)")),
    ("format.kind", lambda: tree.ResponseFormat("yaml"),
     "$.response_format: unknown kind 'yaml'"),
    ("format.kind", lambda: tree.ResponseFormat("schema"),
     "$.response_format: a schema belongs to the kind schema, and the kind schema needs one"),
    ("block.field", lambda: tree.ResponseFormat("schema", []),
     "$.response_format.schema: must be dict, not list"),
    ("block.field", lambda: tree.ResponseFormat(name=7),
     "$.response_format.name: must be text, not int"),
    ("block.field", lambda: tree.ResponseFormat(description=7),
     "$.response_format.description: must be text, not int"),
    ("block.field", lambda: tree.ResponseFormat(strict=1),
     "$.response_format.strict: must be bool, not int"),
]  # fmt: skip

TOOLS: list[Refusal] = [
    ("tool.name", lambda: tree.Tool(""),
     "$.tools: a tool needs a name"),
    ("tool.field", lambda: tree.Tool("f", 7),
     "$.tools['f'].description: must be text"),
    ("tool.field", lambda: tree.Tool("f", "", 7),
     "$.tools['f'].parameters: must be a JSON Schema or a list of Parameter, not int"),
    ("tool.field", lambda: tree.Tool("f", "", ["x"]),
     "$.tools['f'].parameters[0]: str is no Parameter"),
    ("block.field", lambda: tree.Tool("f", "", [tree.Parameter("a", enum=7)]),
     "$.tools['f'].parameters[0].enum: must be list or tuple, not int"),
    ("block.field", lambda: tree.Tool("f", "", [tree.Parameter("a", description=7)]),
     "$.tools['f'].parameters[0].description: must be text, not int"),
    ("tool.type", lambda: tree.Tool.of(7),
     "$.tools: int is no tool (use Tool, a function, or a dict with name and parameters)"),
    ("tool.name", lambda: tree.Tool.of({"description": "d"}),
     "$.tools: a tool needs a name (a tool that the provider runs: dragoman.ServerTool)"),
    ("tool.type", lambda: tree.to_tools(7),
     "$.tools: must be a list of tools, not int"),
    ("tool_choice.mode", lambda: tree.ToolChoice("any"),
     "$.tool_choice: unknown mode 'any' (auto, none, required, or tool with a name)"),
    ("tool_choice.mode", lambda: tree.ToolChoice("tool"),
     "$.tool_choice: a name belongs to the mode tool, and the mode tool needs one"),
    ("block.field", lambda: tree.ToolChoice(allowed=7),
     "$.tool_choice.allowed: must be list or tuple, not int"),
    ("block.field", lambda: tree.ToolChoice(allowed=(7,)),
     "$.tool_choice.allowed[0]: must be text, not int"),
    ("block.field", lambda: tree.ToolChoice(parallel=1),
     "$.tool_choice.parallel: must be bool, not int"),
    ("block.field", lambda: tree.ToolChoice("tool", 7),
     "$.tool_choice.name: must be text, not int"),
    ("tool_choice.mode", lambda: tree.ToolChoice.of(7),
     '$.tool_choice: int is no tool choice ("auto", "none", "required", or the name of a tool)'),
    ("tool.type", lambda: tree.ServerTool("browse"),
     ("$.tools: unknown kind of server tool 'browse' (one of web_search, web_fetch, "
     "code_execution, file_search, own)")),
    ("block.field", lambda: tree.ServerTool("web_search", domains=7),
     "$.tools['web_search'].domains: must be list or tuple, not int"),
    ("block.field", lambda: tree.ServerTool("web_search", stores=(7,)),
     "$.tools['web_search'].stores[0]: must be text, not int"),
    ("block.field", lambda: tree.ServerTool("web_search", max_uses=0),
     "$.tools['web_search'].max_uses: must be 1 or more"),
    ("block.field", lambda: tree.ServerTool("web_search", max_uses=True),
     "$.tools['web_search'].max_uses: must be 1 or more"),
    ("block.field", lambda: tree.ServerTool("web_search", max_uses="x"),
     "$.tools['web_search'].max_uses: must be int, not str"),
    ("block.field", lambda: tree.ServerTool("web_search", location=7),
     "$.tools['web_search'].location: must be dict, not int"),
    ("tool.field",
     lambda: tree.ServerTool.of({"type": "server", "kind": "web_search", "odd": 1, "more": 1}),
     "$.tools: unknown field 'more'"),
    ("json.nan", lambda: tree.ServerTool("web_search", location={"city": float("nan")}),
     "$.tools['web_search'].location.city: nan is no JSON value"),
    ("block.field", lambda: tree.ServerTool("web_search", extras={"openai": 1}),
     "$.tools['web_search'].extras.openai: must be an object, not int"),
    ("tool.field", lambda: tree.to_tools([{"name": "f"}, {"type": "server"}]),
     "$.tools[1]: kind is missing"),
    ("tool.field", lambda: tree.ServerTool.of({"type": "server"}),
     "$.tools: kind is missing"),
]  # fmt: skip

STORED: list[Refusal] = [
    ("stored.type", lambda: tree.dump(7),
     ("$: int is nothing that can be stored (a Msg, a list of Msg, a ChatRequest or a "
     "ChatResponse)")),
    ("stored.type", lambda: tree.load(7),
     "$: no stored value: the key dragoman is missing"),
    ("stored.version", lambda: tree.load({"dragoman": 2}),
     "$.dragoman: version 2 is not known (read it with a newer release)"),
    ("stored.type", lambda: tree.load(stored("letter", 1)),
     "$.kind: unknown kind 'letter'"),
    ("stored.type", lambda: tree.load(stored("messages", 7)),
     "$.value: must be a list, not int"),
    ("stored.type", lambda: tree.load(stored("response", 7)),
     "$.value: must be an object, not int"),
    ("message.field", lambda: tree.load(stored("response", {"candidates": [{}]})),
     "$.value.candidates[0].msg: name is missing"),
    ("block.field",
     lambda: tree.load(stored("response", {"candidates": [{"msg": HELLO, "finish": {"odd": 1}}]})),
     "$.value.candidates[0].finish: Finish got an unexpected keyword argument 'odd'"),
    ("block.field",
     lambda: tree.load(stored("response", {"candidates": [{"msg": HELLO, "odd": 1}]})),
     "$.value.candidates[0]: Candidate got an unexpected keyword argument 'odd'"),
    ("stored.type", lambda: tree.load(stored("request", 7)),
     "$.value: must be an object, not int"),
    ("stored.type",
     lambda: tree.load(stored("request", {"messages": [HELLO], "read": READ | {"messages": [1]}})),
     "$.value.read.messages[0]: no index of a message"),
]  # fmt: skip
ROWS = [*MESSAGES, *REQUESTS, *TOOLS, *STORED]


@each_case(("code", "make", "said"), ROWS)
def test_what_a_refusal_says(code: str, make: Callable[[], object], said: str) -> None:
    with pytest.raises((InvalidMessage, NotMessages)) as caught:
        make()
    assert str(caught.value) == said
    assert caught.value.code == code
