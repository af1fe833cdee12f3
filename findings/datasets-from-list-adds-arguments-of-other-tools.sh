#!/usr/bin/env bash
# datasets 5.2.0 with pyarrow 26.0.1 (PyPI, 2026-11-29), CPython 3.11.
#
# The same two conversations are two different data sets, depending on how they come in.
# `Dataset.from_list` stores the arguments of tool calls as one struct: each call has the arguments
# of every other tool as None, and a chat template that writes arguments as JSON shows them to the
# model. `load_dataset("json")` stores them as the type Json, where they are what they were; and it
# takes content that is text here and a list there, which `from_list` refuses.
#
# Output seen:
#   from_list: {'city': 'Rome', 'n': None}
#   load_dataset: {'city': 'Rome'}
#   mixed content, from_list: ArrowInvalid
#   mixed content, load_dataset: ['Hi', [{'type': 'text', 'text': 'Hi'}]]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check datasets==5.2.0 pyarrow==26.0.1
cat > "$folder/try.py" <<'PYTHON'
import json, os, sys

folder = sys.argv[1]
os.environ |= {"HF_HOME": folder, "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
import datasets


def from_list(rows):
    return datasets.Dataset.from_list(rows)


def load_dataset(rows):
    file = os.path.join(folder, f"{len(os.listdir(folder))}.jsonl")
    with open(file, "w") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return datasets.load_dataset("json", data_files=file, split="train")


def call(name, arguments):
    function = {"name": name, "arguments": arguments}
    return {"messages": [{"role": "assistant", "tool_calls": [{"function": function}]}]}


calls = [call("weather", {"city": "Rome"}), call("dice", {"n": 3})]
mixed = [
    {"messages": [{"role": "user", "content": "Hi"}]},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
]
seen = []
for make in (from_list, load_dataset):
    message = make(calls)[0]["messages"][0]
    seen.append(message["tool_calls"][0]["function"]["arguments"])
    print(f"{make.__name__}: {seen[-1]}")
for make in (from_list, load_dataset):
    try:
        seen.append([row["messages"][0]["content"] for row in make(mixed)])
    except Exception as error:
        seen.append(type(error).__name__)
    print(f"mixed content, {make.__name__}: {seen[-1]}")
wanted = [
    {"city": "Rome", "n": None}, {"city": "Rome"},
    "ArrowInvalid", ["Hi", [{"type": "text", "text": "Hi"}]],
]
if seen != wanted:
    sys.exit("datasets has changed")
PYTHON
"$folder/venv/bin/python" "$folder/try.py" "$folder"
