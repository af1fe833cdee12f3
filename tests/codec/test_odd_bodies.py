"""Valid JSON that nobody expects, from a model, a web page or a client: no untyped error."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, analysis
from dragoman.errors import ConfigError, DragomanError, ProviderError
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

ASKED = [{"role": "user", "content": "Hi."}]
ITEMS = [{"type": "message", "role": "user", "content": "Hi."}]
LONG = "9" * 5000  # more digits than Python takes for a number


def converted(body: dict[str, Any], source: str) -> None:
    """To every wire, with all that is worked out later."""
    for target in PROTOCOLS:
        with suppress(DragomanError):
            out = dragoman.convert(body, source, target, policy="ignore")
            for loss in out.losses:
                assert loss.to_dict()["where"].startswith("$")
            assert out.residue is None or out.residue


def chat(*content: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": [*content] or "Hi."}], **fields}


def tool(schema: Any) -> dict[str, Any]:
    return chat(tools=[{"type": "function", "function": {"name": "f", "parameters": schema}}])


ODD_TOOLS: list[Any] = [
    [1], ["x"], [None], [[]], [{}], [{"type": None}], [{"type": "function"}], [{"name": "x"}],
    None, "x", {},
]  # fmt: skip


@pytest.mark.parametrize("tools", ODD_TOOLS, ids=repr)
def test_allowed_tools(tools: Any) -> None:
    allowed = {"mode": "auto", "tools": tools}
    flat = {"type": "allowed_tools", **allowed}
    converted({"model": "m", "input": ITEMS, "tool_choice": flat}, "openai-responses")
    nested = {"type": "allowed_tools", "allowed_tools": allowed}
    converted(chat(tool_choice=nested), "openai-chat")
    converted(chat(tools=tools), "openai-chat")
    converted(chat(tools=tools, tool_choice={"type": tools}), "openai-chat")
    converted({"model": "m", "input": ITEMS, "tools": tools}, "openai-responses")


@pytest.mark.parametrize("data", ["é", "日本", "YQ==\u2028", "", "=", "YQ=="])
def test_base64(data: str) -> None:
    source = {"type": "base64", "media_type": "text/plain", "data": data}
    messages = [{"role": "user", "content": [{"type": "document", "source": source}]}]
    converted({"model": "m", "max_tokens": 9, "messages": messages}, "anthropic")
    file = {"filename": "a.txt", "file_data": f"data:text/plain;base64,{data}"}
    converted(chat({"type": "file", "file": file}), "openai-chat")
    inline = {"inlineData": {"mimeType": "text/plain", "data": data}}
    converted({"contents": [{"role": "user", "parts": [inline]}]}, "gemini")
    converted({"model": "m", "messages": [{**ASKED[0], "images": [data]}]}, "ollama")


@pytest.mark.parametrize("url", ["http://[::1", "http://[", "//[::1", "http://a]b", "data:", "x:"])
def test_addresses(url: str) -> None:
    found = {"type": "web_search_result_location", "url": url, "title": "t", "cited_text": "c",
             "encrypted_index": "x"}  # fmt: skip
    said = {"role": "assistant", "content": [{"type": "text", "text": "a", "citations": [found]}]}
    converted({"model": "m", "max_tokens": 9, "messages": [*ASKED, said, *ASKED]}, "anthropic")
    converted(chat({"type": "image_url", "image_url": {"url": url}}), "openai-chat")


@pytest.mark.parametrize("ref", [f"#/items/{LONG}", "#/items/²", "#/items/-1", "#/", "http://[::1"])
def test_references(ref: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": ref}}, "items": [{"type": "string"}]}
    converted(tool(schema), "openai-chat")


@pytest.mark.parametrize("wrap", ["properties", "allOf", "anyOf", "items"])
@pytest.mark.parametrize("depth", [100, 640, 900])
def test_deep_schemas(wrap: str, depth: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        inner: Any = {"a": schema} if wrap == "properties" else [schema]
        schema = {wrap: schema if wrap == "items" else inner}
    converted(tool(schema), "openai-chat")


def test_a_flat_union_of_many() -> None:
    parts = [{"properties": {f"p{n}": {"type": "string"}}} for n in range(1000)]
    converted(tool({"allOf": parts}), "openai-chat")


@pytest.mark.parametrize("depth", [300, 985])
def test_deep_fields(depth: int) -> None:
    """Each is a loss with its own path, or goes along."""
    value: Any = 1
    for _ in range(depth):
        value = {"x": value}
    converted({"model": "m", "messages": ASKED, "unknown": value}, "openai-chat")
    converted({"model": "m", "messages": ASKED, "max_tokens": 9, "unknown": value}, "anthropic")
    converted({"contents": [{"parts": [{"text": "x"}]}], "unknown": value}, "gemini")


@each_case("code", ["²", "٣", LONG, None, 1e9, True, [], {}, -1, 429, "503"])
@each_case("name", PROTOCOLS)
def test_codes_of_errors(name: str, code: Any) -> None:
    wire = dragoman.wire(name)
    out = wire.write_request(ChatRequest([Msg.user("Hi.")]))
    for body in (
        {"error": {"code": code, "message": "m", "type": "t", "status": code}},
        {"code": code, "message": "m"},
        {"type": "error", "error": {"type": code, "message": "m"}},
        {"type": "response.failed", "response": {"status": "failed", "error": {"code": code}}},
    ):
        with suppress(DragomanError):
            wire.read_response(body)
        with suppress(DragomanError):
            analysis.explain(body, out)


@pytest.mark.parametrize(
    ("code", "status"), [("503", 503), ("429", 429), ("200", None), ("5030", None), (LONG, None)]
)
def test_a_code_of_digits_is_the_status(code: str, status: int | None) -> None:
    with pytest.raises(ProviderError) as caught:
        dragoman.wire("openai").read_response({"error": {"code": code, "message": "m"}})
    assert caught.value.status == status


@pytest.mark.parametrize("name", PROTOCOLS)
def test_headers(name: str) -> None:
    """None is a header that a client leaves out; what is no text is refused."""
    body = {"model": "m", "messages": [], "max_tokens": 1, "input": {"messages": []}}
    wire = dragoman.wire(name)
    absent: Any = {"anthropic-beta": None, "x-dashscope-sse": None, "x": None}
    assert wire.read_request(body, headers=absent).stream is wire.read_request(body).stream
    odd: Any
    for odd in ({"x": 1}, {"anthropic-version": []}, {None: "a"}):
        with pytest.raises(ConfigError, match="headers are texts by name"):
            wire.read_request(body, headers=odd)


@pytest.mark.parametrize("odd", ["a\r\nX-Evil: 1", "a\nb", "a\x00", "a b", "é"])
@pytest.mark.parametrize("way", ["extras", "header"])
def test_no_beta_becomes_a_header_with_a_line_break(odd: str, way: str) -> None:
    """A name that no header takes stays in the body, where the API refuses it by name."""
    wire = dragoman.wire("anthropic")
    if way == "extras":
        req = ChatRequest([Msg.user("Hi.")], extras={"anthropic": {"anthropic_beta": [odd]}})
    else:
        body = {"model": "m", "max_tokens": 1, "messages": ASKED}
        req = wire.read_request(body, headers={"anthropic-beta": odd})
    out = wire.write_request(req)
    assert all(value.isprintable() and value.isascii() for value in out.headers.values())
    assert out.body["anthropic_beta"] == [odd]


def test_a_beta_becomes_a_header() -> None:
    fields = {"anthropic_beta": ["files-api-2025-04-14", "a.b:c_d"]}
    req = ChatRequest([Msg.user("Hi.")], extras={"anthropic": fields})
    out = dragoman.wire("anthropic").write_request(req)
    assert out.headers["anthropic-beta"] == "files-api-2025-04-14,a.b:c_d"
    assert "anthropic_beta" not in out.body


@pytest.mark.parametrize("key", ['a "b"', "a\nERROR forged", "a]b", "a\u2028b", "x-y", "a\\", "é"])
def test_paths_quote_keys(key: str) -> None:
    """A path is one line, leads to the key, and ends where the key ends."""
    body = {"model": "m", "messages": ASKED, "max_tokens": 9, "outer": {key: {"inner": 1}}}
    losses = dragoman.convert(body, "anthropic", "openai-chat", policy="ignore").losses
    (where,) = (loss.where for loss in losses if "outer" in loss.where)
    assert where.isprintable()
    steps = analysis.paths.steps(where)
    assert steps is not None
    assert steps[-3:] == ["outer", key, "inner"]
    assert all("\n" not in repr(loss) for loss in losses)


def test_one_long_word_in_an_error_is_read_once() -> None:
    """Read again from each of its letters, these would take hours."""
    out = dragoman.wire("openai").write_request(ChatRequest([Msg.user("Hi.")]))
    for text in ("x" * 300_000, "a-" * 150_000, "$" * 300_000, "a.b" * 9000, "[0]" * 9000):
        analysis.explain({"error": {"message": text, "param": text, "code": text}}, out)


@each_case("source", ["bedrock-converse", "anthropic"])
@each_case("target", PROTOCOLS)
def test_a_prompt_beside_messages_that_are_none(source: str, target: str) -> None:
    if source == target:
        return
    body = {"messages": 7, "system": "Be brief."}
    out = dragoman.convert(body, source, target, policy="ignore")
    assert "Be brief." in str(out.body)
    assert ("extras.other_provider", "$.messages") in [
        (loss.code, loss.where) for loss in out.losses
    ]
