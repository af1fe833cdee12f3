"""A vendor is one file: what is known of a single one stands in its row, and code reads the row.

The names and hosts of vendors are texts in `vendors/` and in the tables of errors and suggestions
alone. `FREE` lists what else has one, with the reason: mostly the same word for another thing. The
name of a protocol (`anthropic`, `mistral`) names no vendor here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dragoman.vendors import PROTOCOLS, VENDORS, vendor

from .sources import PACKAGE, list_nodes, modules

# the rows themselves, and the words of each host's errors and of other libraries
FOLDERS = ("vendors/", "error_kinds/", "suggestions/")

_LOG = "the words of that program's logs"
_CLOUD = "a cloud whose library has the tokens, and the extra that installs it"
_FAMILY = "a family of models, or its tokenizer, at any host"
_SCHEMA = "a dialect of JSON Schema, which facts of any vendor may name"
_AGENTSCOPE = "AgentScope's names and arguments"
_HAYSTACK = "what Haystack calls the dict beside a message or a picture"
_LANGCHAIN = "LangChain's names of providers, and whose signatures these are"
_PYDANTIC = "pydantic-ai's names of providers, and whose signatures these are"
_BATCHES = "the providers whose batch files are forms of records"
_TRAINING = "the host whose messages are the nearest to a form of training data"
_REFUSALS = "what hosts refuse: a table of judgements by host, apart from what is written for them"

# file -> the names in it, and why they may be there
FREE: dict[str, tuple[str, str]] = {
    "agent_logs/model_calls.py": (
        "bedrock fireworks moonshot openai together vertex zhipu",
        _LOG,
    ),
    "agent_logs/pi.py": ("bedrock", _LOG),
    "analysis/check.py": ("openai", "OpenAI's rules hold for its models over a bare protocol"),
    "analysis/rules/losses.py": ("openai azure deepseek zhipu", _REFUSALS),
    "analysis/rules/wires.py": ("openai azure deepseek zhipu bedrock", _REFUSALS),
    "batch/record_forms/__init__.py": ("openai bedrock vertex", _BATCHES),
    "batch/record_forms/bedrock_tuning.py": ("bedrock", _TRAINING),
    "batch/record_forms/conversation.py": ("sglang", _TRAINING),
    "batch/record_forms/gemini_tuning.py": ("vertex", _TRAINING),
    "bridges/agent_framework/contents.py": ("openai", "where that framework keeps OpenAI's fields"),
    "bridges/agentscope/items.py": ("vertex", "whose signed thinking is Claude's"),
    "bridges/ai_sdk/names.py": ("openai bedrock vertex", "the AI SDK's names of providers"),
    "bridges/haystack/messages.py": ("meta", _HAYSTACK),
    "bridges/haystack/parts.py": ("meta", _HAYSTACK),
    "bridges/haystack/raw.py": ("meta", _HAYSTACK),
    "bridges/langchain/blocks.py": ("vertex", _LANGCHAIN),
    "bridges/langchain/names.py": ("openai azure bedrock vertex", _LANGCHAIN),
    "bridges/pydantic_ai/names.py": ("openai azure bedrock vertex xai", _PYDANTIC),
    "bridges/strands/items.py": ("vertex", "whose signed thinking is Claude's"),
    "bridges/strands/reading.py": ("openai bedrock", "Strands' names of the modules of its models"),
    "capabilities/families/open_models.py": ("deepseek minimax", _FAMILY),
    "capabilities/families/earlier_facts.py": ("deepseek", "a profile of what document 001 states"),
    "cli/coding_agents.py": ("openai", "the configuration of other programs"),
    "cli/options.py": ("openai", "a counter of tokens, by the tokenizer"),
    "formatter/agentscope/__init__.py": ("openai deepseek", _AGENTSCOPE),
    "formatter/agentscope/deepseek.py": ("deepseek", _AGENTSCOPE),
    "gateway/surfaces/openai.py": ("openai", "the vendor whose API the surface is"),
    "llm/names.py": (
        "deepseek hunyuan minimax openai bedrock huggingface",
        "families of models, and the hints for a name that begins with no vendor",
    ),
    "model/named.py": ("openai azure deepseek", _AGENTSCOPE),
    "protocols/bedrock/dialect.py": ("bedrock", "the vendor that owns the protocol"),
    "protocols/gemini/blocks.py": ("generativelanguage.googleapis.com", "addresses of its files"),
    "protocols/gemini_interactions/blocks.py": (
        "generativelanguage.googleapis.com",
        "addresses of its files",
    ),
    "protocols/openai_responses/dialect.py": ("openai", "a form of streams"),
    "schema/dialects.py": ("openai moonshot bedrock", _SCHEMA),
    "tokens/estimated.py": ("deepseek", _FAMILY),
    "tokens/text_estimate.py": ("deepseek", _FAMILY),
    "transport/cloud_tokens.py": ("azure bedrock", _CLOUD),
    "transport/credentials.py": ("azure", _CLOUD),
    "transport/sdk_clients.py": ("openai meta", "packages of SDKs, and an attribute of boto3's"),
}

NAMES = frozenset(VENDORS) - PROTOCOLS.keys()
# hosts of base URLs; a place in one may be any word
HOSTS = frozenset(
    host
    for name in VENDORS
    for url in (vendor(name).base_url, *vendor(name).urls.values())
    if (host := urlsplit(url).netloc) and "{" not in host and "." in host
)
_WORDS = re.compile(r"[a-z0-9*][\w./*-]*(?: [a-z0-9*][\w./*-]*)*")  # names, such as "azure openai"


def names_in(text: str) -> set[str]:
    """The vendors that a literal names: by itself, in a list, as `vendor/wire`, or by its host."""
    found = {host for host in HOSTS if host in text}
    if _WORDS.fullmatch(text):
        found |= NAMES.intersection(word.partition("/")[0] for word in text.split())
    return found


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a file with their lines, without docstrings and names of modules."""
    nodes = list_nodes(path)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


@cache
def named(package: Path = PACKAGE) -> dict[str, dict[str, int]]:
    """By file outside the folders of rows: the vendors that it names, each with a line."""
    result: dict[str, dict[str, int]] = {}
    for path in modules(package):
        file = path.relative_to(package).as_posix()
        if not file.startswith(FOLDERS):
            found = {name: line for line, text in literals(path) for name in names_in(text)}
            if found:
                result[file] = found
    return result


def test_a_single_vendor_is_named_in_its_row_alone() -> None:
    free = {file: set(names.split()) for file, (names, _) in FREE.items()}
    strange = [
        f"{file}:{line}: {name}"
        for file, found in named().items()
        for name, line in found.items()
        if name not in free.get(file, ())
    ]
    assert strange == [], "what is known of one vendor is a field of its row in vendors/"


def test_every_exception_is_needed() -> None:
    found = {file: set(names) for file, names in named().items()}
    assert {file: set(names.split()) for file, (names, _) in FREE.items()} == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("azure", {"azure"}),
        ("openai azure anthropic", {"openai", "azure"}),
        ("vertex/gemini", {"vertex"}),
        ("https://api.deepseek.com/v1", {"api.deepseek.com"}),
        ("anthropic", set()),
        ("openai-chat", set()),
        ("as Azure does", set()),
        ("api.stripe.com", set()),
    ],
)
def test_which_texts_name_a_vendor(text: str, found: set[str]) -> None:
    assert names_in(text) == found


def test_a_fact_outside_a_row_is_found(tmp_path: Path) -> None:
    (tmp_path / "vendors").mkdir()
    for file in ("vendors/azure.py", "spans.py"):
        (tmp_path / file).write_text('"""Of azure."""\n\nNAMES = {"azure": "azure.ai.openai"}\n')
    assert named(tmp_path) == {"spans.py": {"azure": 3}}
