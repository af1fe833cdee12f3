"""`import dragoman` stays light: no SDK, no HTTP client, no validation library, no CLI library.

Looked up in a fresh interpreter, as the difference that the import makes to `sys.modules`.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "openai", "anthropic", "google.genai", "dashscope", "ollama", "boto3", "botocore", "mistralai",
    "cohere", "transformers", "tokenizers", "tiktoken", "huggingface_hub", "jinja2", "torch",
    "numpy", "pydantic", "pydantic_core", "jsonschema", "jsonschema_rs", "mcp", "agentscope",
    "httpx", "httpx2", "requests", "aiohttp", "urllib3", "typer", "click", "rich",
    "docstring_parser", "httpcore", "httpcore2", "google.auth", "azure.identity", "azure.core",
    "langchain_core", "pydantic_ai",
}  # fmt: skip

FORMAT = """
for wire in dragoman.wires():
    dragoman.Formatter(wire).format_sync([dragoman.Msg("Tony", "Where is Paris?", "user")])
"""
BRIDGES = """
from dragoman import bridges
[getattr(bridges, name).LIMITS for name in bridges.PACKAGES]
"""


def heavy_modules(then: str, module: str = "dragoman") -> set[str]:
    """Which heavy modules `import <module>`, followed by `then`, loads in a new interpreter."""
    code = (
        f"import json, sys\nbefore = set(sys.modules)\nimport {module}\n{then}\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    loaded = set(json.loads(ran.stdout.splitlines()[-1]))
    assert module in loaded
    return HEAVY & loaded


@pytest.mark.parametrize(
    "then",
    [
        pytest.param("", id="import"),
        pytest.param("[getattr(dragoman, name) for name in dragoman.__all__]", id="every name"),
        pytest.param(FORMAT, id="format on every wire"),
        pytest.param(BRIDGES, id="every bridge"),
        pytest.param("from dragoman import ui", id="streams for pages"),
    ],
)
def test_dragoman_loads_nothing_heavy(then: str) -> None:
    assert heavy_modules(then) == set()


def test_streams_for_pages_are_imported_on_use() -> None:
    code = "import sys, dragoman; sys.exit('dragoman.ui' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_heavy_import_would_be_seen() -> None:
    assert heavy_modules("import typer, rich") >= {"typer", "rich"}
    assert heavy_modules("", module="pydantic") >= {"pydantic", "pydantic_core"}
