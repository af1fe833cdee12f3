#!/usr/bin/env bash
# llama-index-core 0.14.25 (PyPI, 2026-11-29), CPython 3.11.
#
# `call_tool`, by which `predict_and_call` runs what a model has called, gives a tool with a single
# parameter the value of a single argument, whatever that is called: a call that names the wrong
# argument runs, where two arguments, or a tool with two parameters, are an error that the model is
# told. The agents of LlamaIndex call the tool by the names, and tell the error.
#
# Output seen:
#   {'path': 'tmp/old'}                -> removed tmp/old
#   {'path': 'tmp/old', 'force': True} -> Encountered error: remove() got an unexpected keyword argument 'path'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cat > "$folder/try.py" <<'PYTHON'
import sys

from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import call_tool


def remove(folder: str) -> str:
    """Remove a folder."""
    return f"removed {folder}"


tool = FunctionTool.from_defaults(remove)
seen = []
for arguments in ({"path": "tmp/old"}, {"path": "tmp/old", "force": True}):
    output = call_tool(tool, arguments)
    print(f"{arguments!s:34} -> {output}")
    seen.append((str(output), output.is_error))
ran = ("removed tmp/old", False)
sys.exit(0 if seen[0] == ran and seen[1][1] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
