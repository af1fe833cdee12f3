#!/usr/bin/env bash
# pyarrow 26.0.1 (PyPI, 2026-11-29), CPython 3.11.
#
# `pyarrow.json.read_json` gives a key one type for the whole file. So the arguments of a tool call
# change with what stands in other lines, without an error: an integer beyond 2**53 becomes another
# number if any other call has a fraction there, one beyond 2**63 a float by itself, a text that
# looks like a date a timestamp unless another line has a text that does not, and each call gets the
# arguments of all other tools as nulls.
#
# Output seen:
#   beside nothing:     {'order': 9007199254740993}
#   beside a fraction:  {'order': 9007199254740992.0}
#   beyond 2**63:       {'order': 9.223372036854776e+18}
#   a date:             {'day': datetime.datetime(2026, 1, 2, 0, 0)}
#   beside a word:      {'day': '2026-01-02'}
#   beside other tool:  {'order': 1, 'city': None}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1
cat > "$folder/try.py" <<'PYTHON'
import datetime, io, json, sys

import pyarrow.json


def first(*arguments):
    """The arguments of the first call, read from lines with these calls."""
    calls = [{"name": "look", "arguments": one} for one in arguments]
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    return pyarrow.json.read_json(io.BytesIO(lines.encode())).to_pylist()[0]["arguments"]


ORDER = 2**53 + 1
seen = {
    "beside nothing:    ": first({"order": ORDER}),
    "beside a fraction: ": first({"order": ORDER}, {"order": 0.5}),
    "beyond 2**63:      ": first({"order": 2**63}),
    "a date:            ": first({"day": "2026-01-02"}),
    "beside a word:     ": first({"day": "2026-01-02"}, {"day": "today"}),
    "beside other tool: ": first({"order": 1}, {"city": "Rome"}),
}
for name, found in seen.items():
    print(f"{name} {found}")
wanted = [
    {"order": ORDER}, {"order": float(2**53)}, {"order": float(2**63)},
    {"day": datetime.datetime(2026, 1, 2)}, {"day": "2026-01-02"}, {"order": 1, "city": None},
]
if list(seen.values()) != wanted:
    sys.exit("pyarrow has changed")
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
