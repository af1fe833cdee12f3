#!/usr/bin/env bash
# agent-framework-core 1.23.0, agent-framework-anthropic 1.0.0b261022 (PyPI, 2026-11-29), CPython 3.11.
#
# A result of a function has `exception`, the text of what went wrong. It marks the result as an
# error, and is sent to no model: Claude is given an empty result with `is_error`. When the message is
# stored, the text is replaced by a fixed word. What a model is to know has to be in `result`.
#
# Output seen:
#   sent to Claude: {'type': 'tool_result', 'tool_use_id': 'c_1', 'content': [{'type': 'text', 'text': ''}], 'is_error': True}
#   stored:         FunctionInvocationError
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agent-framework-core==1.23.0 agent-framework-anthropic==1.0.0b261022
cat > "$folder/try.py" <<'PYTHON'
import sys

from agent_framework import Content, Message
from agent_framework_anthropic import AnthropicClient

result = Content.from_function_result("c_1", exception="there is no city named Pariss")
message = Message("tool", [result])
client = AnthropicClient(api_key="none", model="claude-opus-5-5")
[sent] = client._prepare_message_for_anthropic(message)["content"]
stored = Message.from_dict(message.to_dict()).contents[0].exception
print("sent to Claude:", sent)
print("stored:        ", stored)
is_silent = sent["is_error"] and sent["content"] == [{"type": "text", "text": ""}]
sys.exit(0 if is_silent and stored == "FunctionInvocationError" else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
