#!/usr/bin/env bash
# langchain-core 1.8.3 (PyPI, 2026-11-28), CPython 3.11.
#
# A stream that the token limit cuts in the middle of a tool call leaves arguments that are no JSON.
# LangChain has `invalid_tool_calls` for such, and a message that is made with them has the call
# there. But chunks that are added up close the brackets by themselves: the sum offers a call that
# looks whole in `tool_calls`, which an agent runs, with a path and a text that the model had not
# finished, and `invalid_tool_calls` is empty.
#
# Output seen:
#   arguments that came: {"path": "a.py", "text": "import o
#   sum of the chunks:   1 call, write({'path': 'a.py', 'text': 'import o'}), 0 invalid
#   the same as message: 0 calls, 1 invalid
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cat > "$folder/try.py" <<'PYTHON'
import sys

from langchain_core.messages import AIMessage, AIMessageChunk

CUT = '{"path": "a.py", "text": "import o'


def chunk(arguments, **head):
    piece = {"name": None, "id": None, **head, "args": arguments, "index": 0}
    return AIMessageChunk(content="", tool_call_chunks=[piece])


cut_off = AIMessageChunk(content="", response_metadata={"finish_reason": "length"})
summed = chunk("", name="write", id="call_1") + chunk(CUT[:20]) + chunk(CUT[20:]) + cut_off
raw = {"id": "call_1", "type": "function", "function": {"name": "write", "arguments": CUT}}
whole = AIMessage(content="", additional_kwargs={"tool_calls": [raw]})
calls = [f"{call['name']}({call['args']})" for call in summed.tool_calls]
print("arguments that came:", CUT)
print(f"sum of the chunks:   {len(calls)} call, {', '.join(calls)}, {len(summed.invalid_tool_calls)} invalid")
print(f"the same as message: {len(whole.tool_calls)} calls, {len(whole.invalid_tool_calls)} invalid")
repaired = calls == ["write({'path': 'a.py', 'text': 'import o'})"] and not summed.invalid_tool_calls
sys.exit(0 if repaired and not whole.tool_calls and len(whole.invalid_tool_calls) == 1 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
