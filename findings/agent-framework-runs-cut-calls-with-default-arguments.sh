#!/usr/bin/env bash
# agent-framework-core 1.23.0 (PyPI, 2026-11-29), CPython 3.11.
#
# Arguments of a call that are no JSON object, such as those that the token limit has cut, become the
# object {"raw": text}. The agent runs the tool with it, although the answer says that it was cut: an
# argument that the tool does not know is left out, and a tool whose parameters have defaults runs
# with these. `Content.parse_arguments` documents the object; that it is run is what surprises.
#
# Output seen:
#   {"folder": "tmp/ol   -> removed everything
#   ["tmp/old"]          -> removed everything
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agent-framework-core==1.23.0
cat > "$folder/try.py" <<'PYTHON'
import asyncio
import sys

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)


@tool(approval_mode="never_require")
def remove(folder: str = "everything") -> str:
    """Remove a folder."""
    return f"removed {folder}"


class CutClient(FunctionInvocationLayer, BaseChatClient):
    """Calls the tool in an answer that is cut off, then says what the tool has said."""

    def __init__(self, arguments):
        super().__init__()
        self.arguments = arguments

    def _inner_get_response(self, *, messages, stream, options, **_):
        return self._answer(messages)

    async def _answer(self, messages):
        if messages[-1].role == "tool":
            return ChatResponse(messages=[Message("assistant", [messages[-1].contents[0].result])])
        call = Content.from_function_call("c_1", "remove", arguments=self.arguments)
        return ChatResponse(messages=[Message("assistant", [call])], finish_reason="length")


seen = []
for text in ('{"folder": "tmp/ol', '["tmp/old"]'):
    agent = Agent(client=CutClient(text), tools=[remove])
    said = asyncio.run(agent.run("Remove tmp/old")).text
    print(f"{text:20} -> {said}")
    seen.append(said)
sys.exit(0 if seen == ["removed everything"] * 2 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
