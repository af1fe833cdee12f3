#!/usr/bin/env bash
# mistral-common 1.13.1 (PyPI, 2026-11-28), CPython 3.11; its own tokenizers of version 3 (tekken).
#
# A conversation that goes on begins with what was sent before, so one expects the tokens of a prompt
# to begin with those of the turn before, which is what caches of prompts live on. Mistral's official
# tokenizer of this version moves the system prompt, and the tools, to the *last* user message: each
# turn moves them again, so that a cache never matches beyond the first words, and the model does not
# read the system message where it stands. (Version 7 puts both first.)
#
# Output seen:
#   turn 1: <s>[INST]Be brief.\n\nHello[/INST]
#   turn 2: <s>[INST]Hello[/INST]Hi.</s>[INST]Be brief.\n\nHow warm is it?[/INST]
#   without tools: 2 of the first turn's 7 tokens begin the second one
#   with a tool:   1 of the first turn's 49 tokens begin the second one
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mistral-common==1.13.1
cat > "$folder/try.py" <<'PYTHON'
import sys

from mistral_common.protocol.instruct.messages import AssistantMessage, SystemMessage, UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.tool_calls import Function, Tool
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

first = [SystemMessage(content="Be brief."), UserMessage(content="Hello")]
second = [*first, AssistantMessage(content="Hi."), UserMessage(content="How warm is it?")]
schema = {"type": "object", "properties": {}}
tool = Tool(function=Function(name="warmth", description="How warm", parameters=schema))
tokenizer = MistralTokenizer.v3(is_tekken=True)
shared = []
for label, tools in (("without tools:", None), ("with a tool:  ", [tool])):
    one, two = (tokenizer.encode_chat_completion(ChatCompletionRequest(messages=turn, tools=tools))
                for turn in (first, second))
    if tools is None:
        print("turn 1:", one.text.replace("\n", "\\n"))
        print("turn 2:", two.text.replace("\n", "\\n"))
    same = next(nth for nth, pair in enumerate(zip(one.tokens, two.tokens)) if pair[0] != pair[1])
    shared.append((same, len(one.tokens)))
    print(f"{label} {same} of the first turn's {len(one.tokens)} tokens begin the second one")
sys.exit(0 if shared == [(2, 7), (1, 49)] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
