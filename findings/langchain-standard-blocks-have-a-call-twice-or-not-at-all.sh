#!/usr/bin/env bash
# langchain-core 1.8.3 (PyPI, 2026-11-29), CPython 3.11.
#
# `AIMessage.content_blocks` gives a message in standard blocks, whoever wrote it. What it gives of a
# tool call depends on two things that nothing in the message shows. Blocks of Anthropic's API, which
# are how such messages are stored, are standard blocks only if `response_metadata` names the
# provider; else the thinking with its signature is "non_standard", and the call is there twice. And
# a call without an id, which `tool_calls` allows (`id: str | None`), is not there at all.
#
# Output seen:
#   provider named:  reasoning, tool_call
#   no provider:     non_standard, non_standard, tool_call
#   call without id: text
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cat > "$folder/try.py" <<'PYTHON'
import sys

from langchain_core.messages import AIMessage

BLOCKS = [
    {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
]
CALL = {"name": "f", "args": {}, "id": "toolu_1", "type": "tool_call"}


def kinds(*given, **fields):
    return [block["type"] for block in AIMessage(*given, **fields).content_blocks]


named = kinds(BLOCKS, tool_calls=[CALL], response_metadata={"model_provider": "anthropic"})
bare = kinds(BLOCKS, tool_calls=[CALL])
without = kinds("Go.", tool_calls=[{**CALL, "id": None}])
print("provider named: ", ", ".join(named))
print("no provider:    ", ", ".join(bare))
print("call without id:", ", ".join(without))
seen = (named, bare, without)
expected = (["reasoning", "tool_call"], ["non_standard", "non_standard", "tool_call"], ["text"])
sys.exit(0 if seen == expected else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
