"""Histories for counters: prose in two languages, source code, JSON, and an agent's with tools."""

from __future__ import annotations

import inspect
import json
import shlex
import textwrap
from typing import Any

ENGLISH = """
The harbour office opens at seven, but the boats have usually left by then. In March the fog stays
on the water until noon, and whoever wants to buy fish directly from the crews has to wait on the
quay with a thermos flask and a good deal of patience. Last year the council decided to replace the
old crane, which had been standing there since 1954; the work should have taken six weeks and took
eleven months. Nobody was surprised. "We'll manage," said the woman who runs the bakery across the
street, "as long as they don't block the road on Saturdays." Meanwhile two engineers from the
university measured how much sand the tide carries in. Their report, published in September,
recommends deepening the northern basin by 1.5 metres and moving the fuel station, although the
estimated cost of roughly four million is more than the town spends on schools in a whole year.
Please summarise the arguments of both sides in three short paragraphs, mention who would have to
pay, and finish with one question that the mayor should be asked at the next public meeting.
"""

CHINESE = """
图书馆的新规定从下个月一号开始实行。读者每次最多可以借阅十五本书，借期为四周，如果没有其他人预约，可以在网上续借两次。
以前大家常常抱怨，热门的小说总是借不到，因为有些人会把书放在家里好几个月。现在系统会自动发送短信提醒，逾期不还的读者将暂停借书权限，
直到把书还清为止。另外，二楼的自习室将延长开放时间，周末也会开到晚上十点。管理员说，他们还打算购买一批关于人工智能和环境保护的新书，
欢迎读者通过电子邮件推荐书目。我个人觉得这些改变很好，不过希望儿童阅览室能够安静一点，上个星期天我带女儿去看绘本，旁边的孩子跑来跑去，
她根本没有办法集中注意力。请你用三句话概括上面的内容，再写一封语气礼貌的邮件，向图书馆提出我的建议，字数不要超过两百字。
"""

ROWS = [
    {
        "order": f"A-{1000 + 7 * i}", "customer": {"name": f"Customer {i}", "vip": i % 3 == 0},
        "items": [{"sku": f"SKU{i:04d}", "quantity": i % 5 + 1, "price": 3.75 * i + 0.5}],
        "shipped_at": f"2026-{i % 12 + 1:02d}-{i % 28 + 1:02d}T09:{i % 60:02d}:00Z", "note": None,
    }
    for i in range(12)
]  # fmt: skip

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "search_orders",
            "description": "Search the orders of a customer, the newest first.",
            "parameters": {
                "type": "object",
                "properties": {
                    "customer": {"type": "string", "description": "Name or number of the customer"},
                    "status": {"type": "string", "enum": ["open", "shipped", "returned"]},
                    "limit": {"type": "integer", "description": "How many orders at most"},
                },
                "required": ["customer"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Write a text into a file of the workspace.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
                "required": ["path", "text"],
            },
        },
    },
]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def call(number: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    made = {"id": f"call_{number:05d}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def result(number: int, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"call_{number:05d}", "content": text}


SYSTEM = {"role": "system", "content": "You are Friday, a careful assistant. Answer briefly."}
CODE = [inspect.getsource(shlex), inspect.getsource(textwrap)]

HISTORIES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "English": ([SYSTEM, user(ENGLISH), assistant(ENGLISH[:700]), user(ENGLISH[200:])], []),
    "Chinese": ([SYSTEM, user(CHINESE), assistant(CHINESE[:200]), user(CHINESE[60:])], []),
    "code": ([SYSTEM, user(f"Review this:\n```python\n{CODE[0]}\n```"), assistant(CODE[1])], []),
    "JSON": ([SYSTEM, user(json.dumps(ROWS)), assistant(json.dumps(ROWS[:5], indent=2))], []),
    "with tools": (
        [
            SYSTEM, user("Which orders of customer 7 are open? Save them as a table."),
            call(1, "search_orders", {"customer": "Customer 7", "status": "open", "limit": 20}),
            result(1, json.dumps(ROWS[:6])),
            call(2, "write_file", {"path": "orders/open.md", "text": ENGLISH[:300]}),
            result(2, "wrote 300 characters to orders/open.md"),
            call(3, "search_orders", {"customer": "Customer 8"}), result(3, json.dumps(ROWS[6:9])),
            assistant("Three orders are open, and the table is in orders/open.md."),
        ],
        TOOLS,
    ),
}  # fmt: skip
