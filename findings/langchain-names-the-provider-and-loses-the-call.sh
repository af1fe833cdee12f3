#!/usr/bin/env bash
# langchain-core 1.8.3 (PyPI, 2026-11-29), CPython 3.11.
#
# A message with a text and a tool call, as any program may build it, shows both in
# `content_blocks`, until `response_metadata["model_provider"]` names Anthropic or Bedrock: then the
# call is left out, although `tool_calls` has it. With Google or OpenAI, or with a name that LangChain
# does not know, it stays. A program that reads the standard blocks runs the tool of one provider and
# not of the other.
#
# Output seen:
#   none:             text, tool_call
#   openai:           text, tool_call
#   google_genai:     text, tool_call
#   anthropic:        text
#   bedrock_converse: text
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cat > "$folder/try.py" <<'PYTHON'
import sys

from langchain_core.messages import AIMessage

CALL = {"name": "look", "args": {"city": "Paris"}, "id": "c_1", "type": "tool_call"}


def shown(provider):
    named = {"model_provider": provider} if provider else {}
    message = AIMessage("I look.", tool_calls=[CALL], response_metadata=named)
    assert message.tool_calls == [CALL]
    kinds = [block["type"] for block in message.content_blocks]
    print(f"{(provider or 'none') + ':':17} {', '.join(kinds)}")
    return "tool_call" in kinds


with_call = [shown(one) for one in (None, "openai", "google_genai")]
without = [shown(one) for one in ("anthropic", "bedrock_converse")]
sys.exit(0 if all(with_call) and not any(without) else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
