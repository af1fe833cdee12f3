#!/usr/bin/env bash
# haystack-ai 3.4.1 (PyPI, 2026-11-29), CPython 3.11.
#
# A `ToolCall` has an id, which the generator of Chat Completions sends and those of other providers
# set. The generator of the Responses API takes the id for that of OpenAI's item, and the id of the
# call from `extra["call_id"]`, which only its own answers have: a history that another generator
# began is sent with empty ids of calls and results, without a word.
#
# Output seen:
#   Chat Completions: call_1 call_1
#   Responses:        '' ''
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check haystack-ai==3.4.1
cat > "$folder/try.py" <<'PYTHON'
import sys

from haystack.components.generators.chat.openai_responses import (
    _convert_chat_message_to_responses_api_format as to_responses,
)
from haystack.dataclasses import ChatMessage, ToolCall

call = ToolCall("warmth", {"city": "Paris"}, id="call_1")
asked = ChatMessage.from_assistant(tool_calls=[call])
told = ChatMessage.from_tool("18 degrees", origin=call)
chat = (asked.to_openai_dict_format()["tool_calls"][0]["id"], told.to_openai_dict_format()["tool_call_id"])
[item], [output] = to_responses(asked), to_responses(told)
print("Chat Completions:", *chat)
print("Responses:       ", repr(item["call_id"]), repr(output["call_id"]))
sys.exit(0 if chat == ("call_1", "call_1") and item["call_id"] == output["call_id"] == "" else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
