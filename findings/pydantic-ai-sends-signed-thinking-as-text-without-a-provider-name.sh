#!/usr/bin/env bash
# pydantic-ai-slim 2.68.0 (PyPI, 2026-11-29), CPython 3.11.
#
# A `ThinkingPart` has a signature and the name of the provider that signed it, which may be None. A
# history whose parts have the signature and no name is taken without a word; its model of Anthropic
# then leaves the signature out, and puts what was thought into a message of the user.
#
# Output seen:
#   with the name: assistant thinking
#   without it:    user text
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pydantic-ai-slim[anthropic]==2.68.0'
cat > "$folder/try.py" <<'PYTHON'
import asyncio
import sys

from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ThinkingPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

model = AnthropicModel("claude-opus-5-5", provider=AnthropicProvider(api_key="sk-none"))


def where(**name):
    thought = ThinkingPart("It is sunny.", signature="c2lnbmVk", **name)
    history = [
        ModelRequest([UserPromptPart("How is it?")]),
        ModelResponse([thought, TextPart("Warm.")]),
        ModelRequest([UserPromptPart("And now?")]),
    ]
    _, sent = asyncio.run(model._map_message(history, ModelRequestParameters(), {}))
    for message in sent:
        for part in message["content"]:
            if "sunny" in str(part):
                return f"{message['role']} {part['type']}"
    return "nowhere"


named, bare = where(provider_name="anthropic"), where()
print("with the name:", named)
print("without it:   ", bare)
sys.exit(0 if (named, bare) == ("assistant thinking", "user text") else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
