#!/usr/bin/env bash
# ray[data] 2.60.0 with pyarrow 26.0.1 (PyPI, 2026-11-29), CPython 3.11, Ray on this machine.
#
# JSON lines end at "\n" alone; U+2028 and U+0085 may stand in their texts as they are, and models
# write them. `ray.data.read_text`, the reader for files of lines, cuts there, too (it is Python's
# `str.splitlines`): one valid record becomes two rows, of which neither is JSON.
#
# Output seen:
#   ['{"text": "one', 'two"}']
#   ['{"text": "one', 'two"}']
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "ray[data]==2.60.0" pyarrow==26.0.1
cat > "$folder/try.py" <<'PYTHON'
import json, os, sys
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
import ray

ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
ray.data.DataContext.get_current().enable_progress_bars = False
seen = []
for mark in ("\u2028", "\u0085"):
    Path("records.jsonl").write_text(json.dumps({"text": f"one{mark}two"}, ensure_ascii=False) + "\n", "utf-8")
    rows = [row["text"] for row in ray.data.read_text("records.jsonl").take_all()]
    print(rows)
    seen.append(rows)
sys.exit(0 if seen == [['{"text": "one', 'two"}']] * 2 else 1)
PYTHON
(cd "$folder" && "$folder/venv/bin/python" "$folder/try.py" 2> "$folder/log") || { cat "$folder/log"; exit 1; }
