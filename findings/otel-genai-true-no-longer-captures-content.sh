#!/usr/bin/env bash
# opentelemetry-instrumentation-openai-v2 2.1b0 and opentelemetry-util-genai 1.3b0 (PyPI,
# 2026-11-29), CPython 3.11.
#
# OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, the value that the project's
# instrumentations were documented with, captures messages in the first. For the second it is no
# value: it logs a warning and captures nothing. SPAN_ONLY, EVENT_ONLY and SPAN_AND_EVENT are the
# values of the second, and mean "off" to the first.
#
# Output seen:
#   value            openai-v2 2.1b0   util-genai 1.3b0
#   true             captured          NO_CONTENT
#   span_only        off               SPAN_ONLY
#   span_and_event   off               SPAN_AND_EVENT
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for name in old new; do python3 -m venv "$folder/$name"; done
"$folder/old/bin/pip" install --quiet --disable-pip-version-check \
  opentelemetry-instrumentation-openai-v2==2.1b0 opentelemetry-api==1.32.1 openai==1.109.1
"$folder/new/bin/pip" install --quiet --disable-pip-version-check opentelemetry-util-genai==1.3b0
cat > "$folder/old.py" <<'PYTHON'
from opentelemetry.instrumentation.openai_v2.utils import is_content_enabled

print("captured" if is_content_enabled() else "off")
PYTHON
cat > "$folder/new.py" <<'PYTHON'
from opentelemetry.util.genai.utils import get_content_capturing_mode

print(get_content_capturing_mode().name)
PYTHON
found=""
printf '%-17s%-18s%s\n' value "openai-v2 2.1b0" "util-genai 1.3b0"
for value in true span_only span_and_event; do
  export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=$value
  old=$("$folder/old/bin/python" "$folder/old.py")
  new=$("$folder/new/bin/python" "$folder/new.py" 2> /dev/null)
  printf '%-17s%-18s%s\n' "$value" "$old" "$new"
  found+="$old $new;"
done
test "$found" = "captured NO_CONTENT;off SPAN_ONLY;off SPAN_AND_EVENT;"
