#!/usr/bin/env bash
# langchain-core 1.8.3 (PyPI, 2026-11-29), CPython 3.11.
#
# Chunks of a stream in standard blocks are added up by their index: parts of one tool call become
# one call. The chunk that says that it is the last makes a call of its own part at once, before it is
# added. If that part is empty, as where a host ends a call with an empty delta, the message has the
# call, and beside it a second one with the same id, no name and no arguments, which `tool_calls` has
# not. The same parts, with the end in a chunk of its own, are one call.
#
# Output seen:
#   the end with the last part: look {'city': 'Paris'}; - {}
#   the end by itself:          look {'city': 'Paris'}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cat > "$folder/try.py" <<'PYTHON'
import sys

from langchain_core.messages import AIMessageChunk

V1 = {"output_version": "v1"}


def part(args, name=None, **more):
    call = {"type": "tool_call_chunk", "id": "c_1", "name": name, "args": args, "index": 0}
    return AIMessageChunk(
        content=[dict(call)], tool_call_chunks=[dict(call)], response_metadata=dict(V1), **more
    )


def blocks(*chunks):
    whole = chunks[0] + list(chunks[1:])
    assert [call["args"] for call in whole.tool_calls] == [{"city": "Paris"}]
    return [(block["name"], block["args"]) for block in whole.content_blocks]


def said(found):
    return "; ".join(f"{name or '-'} {args}" for name, args in found)


FIRST = '{"city": "Paris"}'
end = AIMessageChunk(content=[], response_metadata=dict(V1), chunk_position="last")
together = blocks(part(FIRST, "look"), part("", chunk_position="last"))
apart = blocks(part(FIRST, "look"), part(""), end)
print("the end with the last part:", said(together))
print("the end by itself:         ", said(apart))
sys.exit(0 if len(together) == 2 and len(apart) == 1 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
