#!/usr/bin/env bash
# ray[data] 2.60.0 with pyarrow 26.0.1 (PyPI, 2026-11-29), CPython 3.11, Ray on this machine.
#
# `ray.data.read_json` gives all records of a block one type, so that records which never met change
# each other, without a word: a key that one has becomes null in the others, also inside lists of
# objects; an integer beside a float becomes a float; text that looks like a time becomes a datetime.
# A conversation that is read and written so is another one. `read_binary_files` changes nothing.
#
# Output seen:
#   {'messages': [{'role': 'user', 'content': 'a', 'name': None}], 'n': 1.0, 'when': datetime.datetime(2026, 1, 2, 3, 4, 5)}
#   {'messages': [{'role': 'user', 'content': 'b', 'name': 'x'}], 'n': 1.5, 'when': datetime.datetime(2026, 1, 2, 3, 4, 5)}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "ray[data]==2.60.0" pyarrow==26.0.1
cat > "$folder/try.py" <<'PYTHON'
import json, os, sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
import ray

WHEN = "2026-01-02T03:04:05Z"
RECORDS = [
    {"messages": [{"role": "user", "content": "a"}], "n": 1, "when": WHEN},
    {"messages": [{"role": "user", "content": "b", "name": "x"}], "n": 1.5, "when": WHEN},
]
ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
ray.data.DataContext.get_current().enable_progress_bars = False
with open("records.jsonl", "w") as file:
    file.writelines(json.dumps(record) + "\n" for record in RECORDS)
rows = sorted(ray.data.read_json("records.jsonl").take_all(), key=lambda row: row["n"])
for row in rows:
    print(row)
[whole] = ray.data.read_binary_files("records.jsonl").take_all()
changed = (
    rows[0]["messages"][0] == {"role": "user", "content": "a", "name": None}
    and type(rows[0]["n"]) is float
    and not isinstance(rows[0]["when"], str)
)
kept = [json.loads(line) for line in whole["bytes"].splitlines()] == RECORDS
sys.exit(0 if changed and kept else 1)
PYTHON
(cd "$folder" && "$folder/venv/bin/python" "$folder/try.py" 2> "$folder/log") || { cat "$folder/log"; exit 1; }
