#!/usr/bin/env bash
# arize-phoenix 20.26.1 with opentelemetry-util-genai 1.3b0 (PyPI, 2026-11-29), CPython 3.11.
#
# `finish_reason` of an output message is optional and deprecated in the GenAI conventions, and
# util-genai writes null where an instrumentation does not set it. Phoenix, which turns such spans
# into its own attributes, then drops the whole list of output messages: the answer is not shown.
#
# Output seen (attributes of output messages that Phoenix makes):
#   with a reason:    3
#   without a reason: 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  arize-phoenix==20.26.1 opentelemetry-util-genai==1.3b0
cat > "$folder/try.py" <<'PYTHON'
import os
import sys

os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "span_only"

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util.genai.handler import TelemetryHandler
from opentelemetry.util.genai.types import OutputMessage, TextPart
from phoenix.trace.gen_ai.conversion import get_openinference_attributes


def shown(**reason):
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with TelemetryHandler(tracer_provider=provider).inference("openai") as seen:
        seen.output_messages = [OutputMessage("assistant", [TextPart("In France.")], **reason)]
    [span] = exporter.get_finished_spans()
    found = get_openinference_attributes(dict(span.attributes))
    return len([name for name in found if name.startswith("llm.output_messages")])


stop, none = shown(finish_reason="stop"), shown()
print("with a reason:   ", stop)
print("without a reason:", none)
sys.exit(0 if (stop, none) == (3, 0) else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
