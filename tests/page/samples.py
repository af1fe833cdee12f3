"""What the tests of the page open: a chat, a session of requests, a stream, a gateway's recording.

Written by hand in the shapes of the wires; they hold what the page has something to say about.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

__all__ = ["CHART", "JOURNEY", "SESSION", "STREAM", "chart", "gateway", "hostile", "lines", "long"]

_INK = {"#": (10, 98, 102), "o": (214, 160, 62), ".": (246, 246, 243)}


def png(rows: list[list[tuple[int, int, int]]]) -> bytes:
    """A picture of these pixels."""
    raw = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(raw)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def chart(heights: tuple[int, ...] = (3, 5, 4, 7, 9, 6, 8), scale: int = 18) -> str:
    """A bar chart as base64 of a PNG."""
    rows = []
    for y in range(10, -1, -1):
        row = [_INK["."]] * scale
        for height in heights:
            ink = "o" if height == max(heights) else "#"
            row += [_INK[ink if 0 < y <= height else "."]] * scale + [_INK["."]] * (scale // 2)
        rows += [row] * scale
    return base64.b64encode(png(rows)).decode("ascii")


CHART = chart()

_TOOLS = [
    {
        "name": "read_table", "description": "Reads rows of a table.",
        "input_schema": {"type": "object", "properties": {"table": {"type": "string"},
                         "since": {"type": "string"}}, "required": ["table"]},
    },
    {
        "name": "draw_chart", "description": "Draws a bar chart of numbers.",
        "input_schema": {"type": "object", "properties": {"values": {"type": "array",
                         "items": {"type": "number"}}}},
    },
]  # fmt: skip

_PROMPT = (
    "You help the crew of a night train keep its books. Answer briefly, name the table that a"
    " figure comes from, and draw a chart where that says more than a sentence."
)

_ASKED = "How many passengers did we carry each night **last week**? A chart would be nice."

_ANSWER = """\
We carried **42 000** passengers, 6 000 a night on average.

| night | passengers |
|---|---|
| Monday | 3 000 |
| Thursday | 7 000 |
| Friday | 9 000 |

- Friday was the fullest, with `9 000`.
- The figures are those of `tickets`; see the [timetable](https://example.org/timetable)."""

JOURNEY: dict[str, Any] = {
    "model": "claude-opus-5-5", "max_tokens": 4096, "temperature": 0.4, "top_k": 40,
    "system": [{"type": "text", "text": _PROMPT, "cache_control": {"type": "ephemeral"}}],
    "tools": _TOOLS,
    "messages": [
        {"role": "user", "content": _ASKED},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "The figures stand in tickets. I read a week of"
                 " it, and draw what I find.", "signature": "EqQBCkgIARABGAIiQL3v"},
                {"type": "text", "text": "I look it up in `tickets`."},
                {"type": "tool_use", "id": "toolu_01", "name": "read_table",
                 "input": {"table": "tickets", "since": "2026-11-16"}},
                {"type": "tool_use", "id": "toolu_02", "name": "draw_chart",
                 "input": {"values": [3, 5, 4, 7, 9, 6, 8]}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_01",
                 "content": "night,passengers\nMon,3000\nTue,5000\nWed,4000\nThu,7000\nFri,9000\n"
                 "Sat,6000\nSun,8000"},
                {"type": "tool_result", "tool_use_id": "toolu_02", "content": [
                    {"type": "text", "text": "Drawn."},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                     "data": CHART}}]},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": _ANSWER}]},
        {"role": "user", "content": [{"type": "text", "text": "And where did they get off?",
                                      "cache_control": {"type": "ephemeral"}}]},
    ],
}  # fmt: skip


def _turn(number: int, request: dict[str, Any]) -> dict[str, Any]:
    return {"session": "books", "turn": number, "path": "/v1/messages", "request": request}


def _later() -> list[dict[str, Any]]:
    """Three requests: the second adds to the first, the third changes the prompt as well."""
    said = JOURNEY["messages"]
    first = {**JOURNEY, "messages": said[:1]}
    second = {**JOURNEY, "messages": said[:3]}
    prompt = [{**JOURNEY["system"][0], "text": f"It is 9:41. {_PROMPT}"}]
    return [first, second, {**JOURNEY, "system": prompt}]


SESSION = [_turn(number, request) for number, request in enumerate(_later(), 1)]


def _event(name: str, **data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"


def _block(index: int, block: dict[str, Any], *deltas: dict[str, Any]) -> str:
    begun = _event("content_block_start", index=index, content_block=block)
    grown = "".join(_event("content_block_delta", index=index, delta=delta) for delta in deltas)
    return begun + grown + _event("content_block_stop", index=index)


_WORDS = ("Most of them", " got off in **Vienna**", ": 12 000", ",\n\n1. Vienna", "\n2. Graz",
          "\n3. Villach")  # fmt: skip

STREAM = (
    _event("message_start", message={
        "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "content": [], "stop_reason": None, "usage": {"input_tokens": 812, "output_tokens": 1},
    })
    + _block(0, {"type": "thinking", "thinking": "", "signature": ""},
             {"type": "thinking_delta", "thinking": "Exits stand "},
             {"type": "thinking_delta", "thinking": "in gates."},
             {"type": "signature_delta", "signature": "EqQBCkgIARAB"})
    + _block(1, {"type": "text", "text": ""},
             *({"type": "text_delta", "text": word} for word in _WORDS))
    + _block(2, {"type": "tool_use", "id": "toolu_03", "name": "read_table", "input": {}},
             {"type": "input_json_delta", "partial_json": '{"table": '},
             {"type": "input_json_delta", "partial_json": '"gates"}'})
    + _event("message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None},
             usage={"output_tokens": 64})
    + _event("message_stop")
)  # fmt: skip


def gateway() -> dict[str, Any]:
    """One exchange as a gateway records it: an Anthropic client, a DeepSeek upstream."""
    import dragoman

    out = dragoman.convert(JOURNEY, "anthropic", "deepseek", policy="ignore")
    answer = {
        "id": "chat-1", "object": "chat.completion", "created": 1, "model": out.model,
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": "In Vienna."}}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 4, "total_tokens": 704},
    }  # fmt: skip
    back = dragoman.convert(answer, "deepseek", "anthropic", "response", policy="ignore")
    return {
        "id": "x-1", "time": "2026-11-23T21:04:05Z", "session": "books", "protocol": "anthropic",
        "vendor": "anthropic", "model": "claude-opus-5-5", "url_path": "/v1/messages",
        "status": 200, "framing": "json", "request": JOURNEY, "response": back.body,
        "events": None,
        "upstream": {
            "protocol": "openai-chat", "vendor": "deepseek", "model": out.model,
            "url_path": out.path, "status": 200, "framing": "json", "request": out.body,
            "response": answer, "events": None,
        },
        "losses": [{key: getattr(loss, key) for key in ("kind", "code", "where", "what", "did")}
                   for loss in out.losses],
        "usage": {"input": 700, "output": 4}, "error": None,
    }  # fmt: skip


def lines(rows: list[Any]) -> bytes:
    """JSON lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def long(messages: int = 2000, images: int = 100) -> dict[str, Any]:
    """A conversation of so many messages, of which so many show a picture of their own."""
    said: list[dict[str, Any]] = []
    for i in range(messages):
        role = "assistant" if i % 2 else "user"
        text = f"**{i}**: a line of the log, with `code` and words.\n\n- one\n- two " + "word " * 30
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if i % (messages // images) == 0:
            heights = tuple((i * k) % 9 + 1 for k in range(1, 8))
            source = {"type": "base64", "media_type": "image/png", "data": chart(heights, 40)}
            parts.append({"type": "image", "source": source})
        said.append({"role": role, "content": parts})
    return {"model": "claude-opus-5-5", "max_tokens": 100, "messages": said}


_HOSTILE = (
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "<svg onload='window.hacked = 3'><animate onbegin='window.hacked = 4'/></svg>",
    "[click](javascript:window.hacked=5) [data](data:text/html,<script>hacked=6</script>)",
    "![picture](https://example.org/pixel.png) <https://example.org/a> javascript:alert(1)",
    "</script><script>window.hacked = 7</script><!-- --><style>*{display:none}</style>",
    "`<b>` ```\n<iframe srcdoc='<script>parent.hacked=8</script>'>\n``` &lt;b&gt; \u2028 😀",
)


def hostile() -> dict[str, Any]:
    """A conversation whose every text would run, load or break something if it were HTML."""
    svg = base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg' onload='hacked=9'/>").decode()
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in _HOSTILE]
    parts += [
        {"type": "image_url", "image_url": {"url": "https://example.org/pixel.png"}},
        {"type": "image_url", "image_url": {"url": f"data:image/svg+xml;base64,{svg}"}},
        {"type": "text", "text": "x" * 5_000_000},
    ]
    name = 'a"><script>window.hacked = 10</script>'
    function = {"name": "run", "arguments": json.dumps({"html": _HOSTILE[0]})}
    call = {"id": "c<1>", "type": "function", "function": function}
    return {
        "model": "<script>window.hacked = 11</script>",
        "messages": [
            {"role": "system", "content": _HOSTILE[5]},
            {"role": "user", "name": name, "content": parts},
            {"role": "assistant", "content": _HOSTILE[0], "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c<1>", "content": _HOSTILE[1]},
        ],
    }
