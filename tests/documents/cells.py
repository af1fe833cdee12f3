"""Document 001's example, run: its cells one after the other in one namespace, with what they print.

From example.py, or from the document itself where it lies beside the checkout.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dragoman.message import Msg

__all__ = ["Ran", "conversation", "document", "own_cells", "run"]

TOKENIZER = "Qwen/Qwen2.5-VL-3B-Instruct"
_EXAMPLE = Path(__file__).with_name("example.py")
_DOCUMENTS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "sources"


@dataclass
class Ran:
    """What each cell printed, and the names that all of them left behind."""

    printed: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)


def own_cells() -> list[str]:
    """The four cells of example.py."""
    return re.split(r"(?m)^# cell \d.*\n", _EXAMPLE.read_text("utf-8"))[1:]


def document() -> tuple[list[str], list[str]]:
    """(cells, what each prints) of document 001 itself; without it the test is skipped."""
    found = sorted(_DOCUMENTS.glob("001_*.txt"))
    if not found:
        pytest.skip("document 001 is not there: needs ../shared")
    text = found[0].read_text("utf-8")
    blocks = re.findall(r"(?ms)^```\w*\n(.*?)^```$", text)
    first, printed_1, second, printed_2, third, fourth, printed_4 = blocks
    printed_3 = re.search(r"(?m)^格式化消息中的 token 数量为： \d+$", text)
    assert printed_3 is not None
    return [first, second, third, fourth], [printed_1, printed_2, printed_3[0], printed_4]


def run(cells: list[str], tokenizer: str) -> Ran:
    """Run the cells as they stand, with our import root and another tokenizer."""
    ran = Ran()
    for i, cell in enumerate(cells):
        code = cell.replace("from agentscope.", "from dragoman.").replace(TOKENIZER, tokenizer)
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile(code, f"cell {i + 1}", "exec"), ran.names)
        ran.printed.append(out.getvalue())
    return ran


@cache
def conversation() -> list[Msg]:
    """The example's eleven messages."""
    msgs: list[Msg] = run(own_cells()[:1], TOKENIZER).names["input_msgs"]
    return msgs
