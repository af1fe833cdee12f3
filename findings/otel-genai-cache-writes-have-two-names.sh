#!/usr/bin/env bash
# opentelemetry-util-genai 1.3b0 with the opentelemetry-semantic-conventions 0.66b2 that it requires
# (PyPI, 2026-11-29), CPython 3.11.
#
# The newest constants call the tokens that were written to a cache
# `gen_ai.usage.cache_creation.input_tokens`. The handler, which imports these constants for its
# other attributes, writes `gen_ai.usage.cache_write.input_tokens`, as the conventions do since they
# moved to a repository of their own. Who reads spans by the constants finds no cache writes.
#
# Output seen:
#   written:  gen_ai.usage.cache_read.input_tokens gen_ai.usage.cache_write.input_tokens
#   constant: gen_ai.usage.cache_creation.input_tokens gen_ai.usage.cache_read.input_tokens
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  opentelemetry-util-genai==1.3b0 opentelemetry-semantic-conventions==0.66b2 opentelemetry-sdk==1.45.2
cat > "$folder/try.py" <<'PYTHON'
import sys

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.util.genai.handler import TelemetryHandler

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
with TelemetryHandler(tracer_provider=provider).inference("anthropic") as seen:
    seen.cache_read_input_tokens = 100
    seen.cache_write_input_tokens = 20
[span] = exporter.get_finished_spans()
written = sorted(name for name in span.attributes if ".cache_" in name)
values = vars(gen_ai_attributes).values()
constants = sorted(v for v in values if isinstance(v, str) and v.startswith("gen_ai.usage.cache_"))
print("written: ", *written)
print("constant:", *constants)
usage = "gen_ai.usage.{}.input_tokens".format
sys.exit(
    (written, constants)
    != ([usage("cache_read"), usage("cache_write")], [usage("cache_creation"), usage("cache_read")])
)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
