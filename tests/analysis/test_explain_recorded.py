"""Recorded refusals: `explain` names the block, `check` the rule; and no false alarms.

Left out are errors of keys, credit, model names, fetching and context length: no body is at fault.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import dragoman
from dragoman.analysis import check, explain
from dragoman.vendors import VENDORS, vendor
from tests.each_case import each_case

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "open"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs ../shared: recorded traffic")

WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini", "dashscope", "ollama",
         "bedrock-converse", "mistral")  # fmt: skip
NAMES = {"zai": "zhipu", "google": "gemini"}  # vendors as the corpus calls them
_OTHERS = (
    "credit", "API key", "does not exist", "not a valid model", "Model not found", "Invalid model",
    "model identifier", "on-demand throughput", "context length", "context size", "too many tokens",
    "input token count", "context window", "prompt too long", "Test error",
)  # fmt: skip

# wire, vendor, a part of the error -> (where in the body, code of the rule); the same error over
# several bodies has one row for each
FOUND: list[tuple[str, str, str, str, str]] = [
    ("openai-chat", "openai", "Content blocks are expected", "$.messages[3].content[0]",
     "block.unsupported"),
    ("openai-chat", "openai", "does not support 'developer'", "$.messages[0].role", "field.word"),
    ("openai-chat", "openai", "Web search options", "$.web_search_options", "field.refused"),
    ("openai-chat", "openai", "unsupported image", "$.messages[0].content[1]", "media.bytes"),
    ("openai-chat", "openai", "decimal above maximum", "$.temperature", "field.range"),
    ("openai-chat", "deepseek", "unknown variant `input_audio`", "$.messages[0].content[1]",
     "block.unsupported"),
    # of the time before September 2026: the model that is served under this name now sees
    ("openai-chat", "deepseek", "unknown variant `image_url`", "$.messages[0].content[1]", ""),
    ("openai-chat", "deepseek", "unknown variant `file`", "$.messages[0].content[1]",
     "block.unsupported"),
    ("openai-chat", "deepseek", "Thinking mode does not", "$.tool_choice", "tool_choice.lowered"),
    ("openai-chat", "doubleword", "between 0 and 2", "$.temperature", "field.range"),
    ("openai-chat", "llamacpp", "type must be number", "$.temperature", "field.type"),
    # the model is at fault, not the body: it called a tool otherwise, or none
    ("openai-chat", "groq", "did not match schema", "$.tools[0]", ""),
    ("openai-chat", "groq", "Tool choice is required", "$.tool_choice", ""),
    ("openai-responses", "openai", "decimal below minimum", "$.temperature", "field.range"),
    ("openai-responses", "openai", "'additionalProperties' is required",
     "$.text.format.schema.additionalProperties", "schema.narrower"),
    # the provider alone knows which answers it keeps
    ("openai-responses", "openai", "Previous response", "$.previous_response_id", ""),
    ("anthropic", "anthropic", "effort level", "$.output_config.effort", "option.range"),
    ("anthropic", "anthropic", "prefill", "$.messages[1]", "turn.last"),
    ("anthropic", "anthropic", "too complex", "$.tools[0].input_schema", "schema.unfit"),
    ("anthropic", "anthropic", "Too many strict tools", "$.tools", "schema.crowd"),
    ("anthropic", "anthropic", "does not match the expected shape", "$.tools[0].input_schema",
     "schema.type"),
    ("anthropic", "anthropic", "input_schema.type: Field required", "$.tools[0].input_schema",
     "schema.root"),
    ("anthropic", "anthropic", "Input should be 'object'", "$.tools[0].input_schema.type",
     "schema.dropped"),
    # nobody can fetch from there, which no rule tells
    ("gemini", "vertex", "Cannot fetch content",
     "$.contents[4].parts[0].function_response.parts[0].file_data.file_uri", ""),
    ("gemini", "vertex", "Cannot fetch content", "$.contents[7].parts[0].file_data.file_uri", ""),
    ("gemini", "vertex", "temperature value of 1000", "$.generationConfig.temperature",
     "field.range"),
    ("bedrock-converse", "bedrock", "s3Uri",
     "$.messages[2].content[0].toolResult.content[0].image", "media.as_reference"),
    ("bedrock-converse", "bedrock", "s3Uri", "$.messages[2].content[1].image",
     "media.not_fetched"),
    ("bedrock-converse", "bedrock", "extraneous key [toolResult]",
     "$.messages[2].content[0].toolResult.content[0].video", "media.moved"),
    ("bedrock-converse", "bedrock", "document.source.type",
     "$.messages[2].content[2].document.source", "media.not_fetched"),
    ("bedrock-converse", "bedrock", "video content block", "$.messages[2].content[1].video",
     "block.unsupported"),
    ("mistral", "mistral", "Logprobs are not enabled", "$.logprobs", "field.refused"),
]  # fmt: skip

# Requests that were answered although a rule refuses them, by (wire, code). Counts of requests.
ALARMS = {
    # a fact of the families that says more than Claude 3.7 does
    ("bedrock-converse", "option.refused"): 4,
    # Ollama reads over what a model does not see, and over a choice of tools
    ("openai-chat", "media.as_reference"): 1,
    ("openai-chat", "block.unsupported"): 2,
    ("openai-chat", "tool_choice.lowered"): 2,
    # the protocol's newest rules, on models of years ago
    ("anthropic", "media.type_corrected"): 1,
    ("anthropic", "result.missing"): 1,
    ("anthropic", "result.orphan"): 1,
    ("anthropic", "text.blank"): 1,
    ("bedrock-converse", "media.as_reference"): 1,
    # strict tools that leave additionalProperties out
    ("openai-responses", "schema.narrower"): 2,
    # a deferred tool that an item of the input makes available
    ("openai-responses", "tools.twice"): 2,
    # recorded at a local server, under OpenAI's name
    ("openai-responses", "field.range"): 1,
}


def _target(wire: str, by: str) -> str:
    name = NAMES.get(by, by)
    return f"{name}/{wire}" if name in VENDORS and wire in vendor(name).wires else wire


def _rows(wire: str) -> Iterator[dict[str, Any]]:
    with (CORPUS / f"{wire}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if isinstance(row["request"], dict):
                yield row


@cache
def _refused() -> list[tuple[str, dict[str, Any], str]]:
    """(wire, exchange, text of the error) of the recorded errors that a body is at fault for."""
    found = []
    for wire in WIRES:
        for row in _rows(wire):
            told = json.dumps(row["response"])
            other = any(word in told for word in _OTHERS)
            if row["status"] == 400 and not other:
                found.append((wire, row, told))
    return found


def _matching(wire: str, by: str, words: str) -> list[dict[str, Any]]:
    return [row for name, row, told in _refused()
            if (name, row["vendor"]) == (wire, by) and words in told]  # fmt: skip


def _explained(wire: str, row: dict[str, Any]) -> Any:
    there = dragoman.wire(_target(wire, row["vendor"]), policy="ignore")
    out = there.write_request(there.read_request(row["request"], row["url_path"]), row["model"])
    return explain(there.error(row["status"], row["response"]), out)


@each_case(("wire", "by", "words"), sorted({one[:3] for one in FOUND}))
def test_the_block_and_the_rule_are_named(wire: str, by: str, words: str) -> None:
    seen = set()
    for row in _matching(wire, by, words):
        found = _explained(wire, row)
        assert found.where not in ("", "$")
        assert found.at.startswith(found.where)  # over the same wire the body is what was given
        assert bool(found.why) == bool(found.fix) == bool(found.code)
        if found.code:
            ruled = check(row["request"], _target(wire, by), row["model"], row["url_path"])
            assert found.code in {one.code for one in ruled}
        seen.add((found.at, found.code))
    assert seen == {one[3:] for one in FOUND if one[:3] == (wire, by, words)}


def test_every_recorded_refusal_has_a_row() -> None:
    assert len(_refused()) >= 37
    missed = [
        told
        for wire, row, told in _refused()
        if not any(one[:2] == (wire, row["vendor"]) and one[2] in told for one in FOUND)
    ]
    assert missed == []


@pytest.mark.parametrize("wire", WIRES)
def test_no_false_alarms(wire: str) -> None:
    count = 0
    alarmed: Counter[tuple[str, str]] = Counter()
    for row in _rows(wire):
        if 200 <= (row["status"] or 0) < 300:
            count += 1
            made = check(row["request"], _target(wire, row["vendor"]), row["model"],
                         row["url_path"])  # fmt: skip
            if row["provenance"] == "recorded-ids-rewritten":
                made = [one for one in made if one.code != "id.mapped"]
            alarmed.update({(wire, one.code) for one in made})
    assert count >= 40
    assert dict(alarmed) == {key: n for key, n in ALARMS.items() if key[0] == wire}
    assert alarmed.total() / count < 0.02
