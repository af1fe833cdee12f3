#!/usr/bin/env bash
# smolagents 1.26.0 (PyPI, 2026-11-29), CPython 3.11.
#
# The memory of an agent parses every text in the arguments of a call that looks like JSON, at any
# depth. The tool gets what the model wrote; the model is told in its next step that it had written
# an object where it wrote a text, such as the content of a file, and does that the next time.
#
# Output seen:
#   the model wrote:    {'path': 'a.json', 'text': '{"port": "08080"}'}
#   the tool was given: {'path': 'a.json', 'text': '{"port": "08080"}'}
#   the model is told:  {'path': 'a.json', 'text': {'port': '08080'}}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check smolagents==1.26.0
cat > "$folder/try.py" <<'PYTHON'
import sys

from smolagents import ChatMessage, LogLevel, Model, Tool, ToolCallingAgent
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

WRITTEN = {"path": "a.json", "text": '{"port": "08080"}'}
got, shown = [], []


class Save(Tool):
    name, description, output_type = "save", "Saves a file.", "string"
    inputs = {name: {"type": "string", "description": name} for name in WRITTEN}

    def forward(self, path: str, text: str) -> str:
        got.append({"path": path, "text": text})
        return "saved"


class Host(Model):
    """Calls the tool, then ends, and keeps what it is told of its first call."""

    def generate(self, messages, **_):
        told = [m.content[0]["text"] for m in messages if m.role == MessageRole.TOOL_CALL]
        shown.extend(told)
        name, arguments = ("final_answer", {"answer": "done"}) if told else ("save", WRITTEN)
        call = ChatMessageToolCall(ChatMessageToolCallFunction(arguments, name), "call_1", "function")
        return ChatMessage(MessageRole.ASSISTANT, "", [call])


ToolCallingAgent([Save()], Host(), verbosity_level=LogLevel.OFF).run("Save it.")
[told] = shown
print("the model wrote:   ", WRITTEN)
print("the tool was given:", got[0])
print("the model is told: ", told.partition("'arguments': ")[2].removesuffix("}}]"))
changed = "'text': {'port': '08080'}" in told
sys.exit(0 if got == [WRITTEN] and changed else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
