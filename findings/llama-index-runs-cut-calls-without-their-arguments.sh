#!/usr/bin/env bash
# llama-index-core 0.14.25 (PyPI, 2026-11-29), CPython 3.11.
#
# A `ToolCallBlock` takes the arguments of a call as an object or as the text that the model wrote.
# Before a tool is run, a text is parsed by a parser that repairs it: what cannot be repaired becomes
# an empty object, and a text that the token limit has cut loses its last value or all of them. The
# call is then as good as any other, and a tool whose parameters have defaults runs with these. Its
# client for OpenAI, whose answers have texts as arguments, does the same as the model used here.
#
# Output seen:
#   {"folder": "tmp/ol   {'folder': None} -> removed None
#   {"folder"            {} -> removed everything
#   ["tmp/old"]          {} -> removed everything
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cat > "$folder/try.py" <<'PYTHON'
import sys

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import call_tool_with_selection


def remove(folder: str = "everything") -> str:
    """Remove a folder."""
    return f"removed {folder}"


model, tool = MockFunctionCallingLLM(), FunctionTool.from_defaults(remove)
seen = []
for text in ('{"folder": "tmp/ol', '{"folder"', '["tmp/old"]'):
    call = ToolCallBlock(tool_call_id="c_1", tool_name="remove", tool_kwargs=text)
    answer = ChatResponse(message=ChatMessage(role="assistant", blocks=[call]))
    [selected] = model.get_tool_calls_from_response(answer)
    done = str(call_tool_with_selection(selected, [tool]))
    print(f"{text:20} {selected.tool_kwargs} -> {done}")
    seen.append(done)
sys.exit(0 if seen == ["removed None", "removed everything", "removed everything"] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
