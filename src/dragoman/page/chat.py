"""A conversation in the form of the chat: messages and blocks, each with its path.

`static/chat.js` draws it, and `types.d.ts` has its types. The paths are those that losses name, so
that the page can mark a loss where it happens.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias, assert_never

from ..errors import DragomanError, ProviderError
from ..losses import Report
from ..message import ChatRequest, ChatResponse, Msg, ServerTool, Tool, media, places
from ..message import blocks as kinds
from ..text.json_text import Json
from .exchange import PageExchange
from .long_texts import LongTexts

Shown: TypeAlias = dict[str, Any]

_WIDTH = 120  # characters of the line for a folded part
_RASTER = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"}
)


def conversation(exchange: PageExchange, texts: LongTexts) -> Shown:
    """The content of an exchange, its request first; `faults` describe what cannot be read."""
    faults: list[Shown] = []
    if exchange.fault:
        faults.append({"text": exchange.fault, "path": exchange.place})
    shown: Shown = {"messages": [], "tools": [], "options": [], "prompts": 0, "faults": faults}
    try:
        if (request := exchange.request) is not None:
            shown |= _request(request, texts)
            shown["model"] = request.model or exchange.model
    except DragomanError as error:
        faults.append(_fault(error))
    shown |= {
        "agent": exchange.agent,
        "skipped": _group_skipped(exchange),
        "compactions": list(exchange.compactions),
    }
    try:
        if (response := exchange.response) is not None:
            shown["messages"] += answer_messages(response, texts)
            shown["answer"] = ending(response)
            if response.error is not None:
                faults.append(_fault(response.error))
    except DragomanError as error:
        faults.append(_fault(error))
    return shown


def _request(request: ChatRequest, texts: LongTexts) -> Shown:
    report = Report(request.messages, request, places)
    messages: list[Shown] = []
    if request.system is not None:
        prompt = Msg.system(request.system)
        messages.append(_message(prompt, "$.system", Report(), texts))
    messages += (_message(m, report.locate(m), report, texts) for m in request.messages)
    options = [[name, value] for name, value in request.options.list_values()]
    return {
        "messages": messages,
        "prompts": len(messages) - len(request.messages),  # shown, but not in the list of messages
        "tools": [_tool(tool, report.locate(tool), texts) for tool in request.tools],
        "options": json.loads(json.dumps(options)),
        "stream": request.stream,
    }


def _group_skipped(exchange: PageExchange) -> list[Shown]:
    """Other entries of a session log: each kind once, how often, why, and the first place."""
    kinds: dict[tuple[str, str], Shown] = {}
    for one in exchange.skipped:
        why = re.sub(r"line \d+", "a later line", one.why)
        row = kinds.setdefault(
            (one.what, why), {"what": one.what, "why": why, "times": 0, "place": one.place}
        )
        row["times"] += 1
    return sorted(kinds.values(), key=lambda row: -row["times"])


def _fault(error: DragomanError) -> Shown:
    shown: Shown = {"text": error.message, "path": error.path, "hint": error.hint}
    if isinstance(error, ProviderError):
        shown |= {"status": error.status, "type": error.type}
    return {key: value for key, value in shown.items() if value}


def _tool(tool: Tool | ServerTool, path: str, texts: LongTexts) -> Shown:
    if isinstance(tool, ServerTool):
        return {"name": tool.kind, "server": True, "path": path}
    schema = json.dumps(tool.schema, ensure_ascii=False, indent=2) if tool.schema else ""
    shown: Shown = {
        "name": tool.name,
        "description": texts.text(tool.description),
        "schema": texts.text(schema),
        "path": path,
    }
    return shown | _show_cache(tool)


def _show_cache(node: object) -> Shown:
    """The cache mark of a message, a block or a tool, if it has one."""
    hint = getattr(node, "cache", None)
    return {} if hint is None else {"cache": hint.ttl or "default"}


# -- answers --------------------------------------------------------------------------------------


def answer_messages(response: ChatResponse, texts: LongTexts) -> list[Shown]:
    """The message of each candidate, with paths as losses of answers spell them."""
    shown = []
    for i, candidate in enumerate(response.candidates):
        message = _message(candidate.msg, f"$.candidates[{i}].msg", Report(), texts)
        shown.append({**message, "answer": True, "finish": candidate.finish.reason})
    return shown


def ending(response: ChatResponse) -> Shown:
    """How the answer ended, and the tokens that its provider counted."""
    usage = response.usage
    names = ("input", "cache_read", "cache_write", "output", "reasoning", "total")
    counts = {name: count for name in names if (count := getattr(usage, name)) is not None}
    return {
        "status": response.status,
        "finish": response.finish.reason,
        "raw": response.finish.raw,
        "model": response.model,
        "id": response.id,
        "usage": counts,
    }


# -- messages and blocks --------------------------------------------------------------------------


def _message(m: Msg, path: str, report: Report, texts: LongTexts) -> Shown:
    if isinstance(m.content, str):
        blocks: list[Shown] = [
            {"kind": "text", "path": _content(path), "text": texts.text(m.content)}
        ]
    else:
        blocks = [
            show_block(block, _place(block, report, f"{_content(path)}[{i}]"), texts)
            for i, block in enumerate(m.content)
        ]
    shown: Shown = {"path": path, "role": m.role, "name": m.name, "blocks": blocks}
    return shown | _show_cache(m)


def _content(path: str) -> str:
    """The path of a message's content; a system prompt of its own is itself the content."""
    return f"{path}.content" if path.endswith(("]", ".msg")) else path


def _place(block: kinds.ContentBlock, report: Report, otherwise: str) -> str:
    path = report.locate(block)
    return otherwise if path == "$" else path


def show_block(block: kinds.ContentBlock, path: str, texts: LongTexts) -> Shown:
    """One block for the chat: its `kind`, its path, and its content."""
    return {"path": path, **_block(block, path, texts), **_show_cache(block)}


def _block(block: kinds.ContentBlock, path: str, texts: LongTexts) -> Shown:
    match block:
        case kinds.TextBlock():
            citations = [_citation(citation) for citation in block.citations or ()]
            return {"kind": "text", "text": texts.text(block.text), "citations": citations}
        case kinds.ThinkingBlock():
            sealed = len(block.redacted or block.signature or "")
            issuer = block.origin.issuer if block.origin is not None else ""
            return {
                "kind": "thinking",
                "text": texts.text(block.thinking),
                "sealed": sealed,
                "issuer": issuer,
            }
        case kinds.ToolUseBlock():
            return _call(block, texts)
        case kinds.ToolResultBlock():
            return _result(block, path, texts)
        case kinds.RefusalBlock():
            return {"kind": "refusal", "text": texts.text(block.text)}
        case kinds.RawBlock():
            name = block.data.get("type") if isinstance(block.data, dict) else block.role
            shown = {"kind": "raw", "issuer": block.issuer, "name": str(name or block.role)}
            return {**shown, "text": texts.text(_json(block.data)), "preview": preview(block.data)}
        case _:
            return _medium(block, texts)


def _call(block: kinds.ToolUseBlock, texts: LongTexts) -> Shown:
    value = block.raw_input if block.unfinished and block.raw_input else block.input
    text = value if isinstance(value, str) else _json(value)
    name = f"{block.namespace}.{block.name}" if block.namespace else block.name
    return {
        "kind": "call",
        "id": block.id,
        "name": name,
        "text": texts.text(text),
        "preview": preview(value),
        "unfinished": block.unfinished,
    }


def _result(block: kinds.ToolResultBlock, path: str, texts: LongTexts) -> Shown:
    output = block.output
    shown: Shown = {"kind": "result", "id": block.id, "name": block.name, "error": block.is_error}
    if isinstance(output, list):
        shown["blocks"] = [
            show_block(item, f"{path}.content[{i}]", texts) for i, item in enumerate(output)
        ]
        said = [item.text for item in output if isinstance(item, kinds.TextBlock)]
        inside = " ".join(said) or ", ".join(item.type for item in output) or "nothing"
        return {**shown, "preview": preview(inside)}
    text = output if isinstance(output, str) else "" if output is None else _json(output)
    return {**shown, "text": texts.text(text), "preview": preview(output or "nothing")}


def _medium(block: kinds.MediaBlock, texts: LongTexts) -> Shown:
    source = block.source
    shown: Shown = {"kind": block.type, "title": block.title or "", "source": source.type}
    match source:
        case media.Base64Source():
            shown |= {"media_type": source.media_type, "size": len(source.data) * 3 // 4}
            if source.media_type in _RASTER:
                shown["data"] = texts.keep(source.data)
        case media.URLSource() if source.url.startswith("data:"):
            head, _, data = source.url.partition(",")
            media_type = head.removeprefix("data:").removesuffix(";base64")
            shown |= {"media_type": media_type, "size": len(data) * 3 // 4}
            if media_type in _RASTER and head.endswith(";base64"):
                shown["data"] = texts.keep(data)
        case media.URLSource():
            shown["url"] = source.url
        case media.LocalSource():
            shown["name"] = source.path
        case media.FileSource():
            shown["name"] = source.file_id
        case media.TextSource():
            shown["text"] = texts.text("\n\n".join(source.passages))
        case media.FramesSource():
            shown["name"] = f"{len(source.frames)} frames"
        case _:
            assert_never(source)
    return shown


def _citation(citation: kinds.Citation) -> Shown:
    fields = {"url": citation.url, "title": citation.title, "quote": citation.quote}
    return {key: value for key, value in fields.items() if value}


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def preview(value: Any) -> str:
    """A value on one short line.

    >>> preview({"path": "a.py", "line": 3})
    'path: a.py, line: 3'
    """
    if isinstance(value, dict):
        text = ", ".join(f"{key}: {_short(item)}" for key, item in value.items())
    else:
        text = _short(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _short(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)[: 2 * _WIDTH]
    return " ".join(str(value)[: 4 * _WIDTH].split())
