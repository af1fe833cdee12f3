"""The fields of a request of DashScope's generation, one row each.

Reference: Model Studio API reference, "Qwen API via DashScope" (2026-11-21).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

PARAMETERS = "parameters"

# The client takes everything under `input` and `parameters` as an argument, so that none is marked.
FIELDS = FieldTable(
    BodyField("model", "text", needed=True),
    BodyField("input", "object", needed=True),
    BodyField("input.messages", "list"),
    BodyField(PARAMETERS, "object"),
    BodyField(f"{PARAMETERS}.temperature", "number", 0, 2, option="temperature"),
    BodyField(f"{PARAMETERS}.top_p", "number", 0, 1, option="top_p"),
    BodyField(f"{PARAMETERS}.n", "integer", 1, 4, option="n"),
    BodyField(f"{PARAMETERS}.max_tokens", "integer", 1, option="max_tokens"),
    BodyField(f"{PARAMETERS}.max_completion_tokens", option="max_tokens"),
    BodyField(f"{PARAMETERS}.thinking_budget", option="reasoning_budget"),
    BodyField(f"{PARAMETERS}.top_k", option="top_k"),
    BodyField(f"{PARAMETERS}.presence_penalty", option="presence_penalty"),
    BodyField(f"{PARAMETERS}.frequency_penalty", option="frequency_penalty"),
    BodyField(f"{PARAMETERS}.repetition_penalty", option="repetition_penalty"),
    BodyField(f"{PARAMETERS}.seed", option="seed"),
    BodyField(f"{PARAMETERS}.stop", option="stop"),
    BodyField(f"{PARAMETERS}.logprobs", option="logprobs"),
    BodyField(f"{PARAMETERS}.top_logprobs", option="top_logprobs"),
    BodyField(f"{PARAMETERS}.result_format", "text", words="message text"),
    BodyField(f"{PARAMETERS}.tools", "list"),
    BodyField(f"{PARAMETERS}.enable_thinking", special="reasoning"),
    BodyField(f"{PARAMETERS}.reasoning_effort", special="reasoning"),
)

OPTIONS = FIELDS.list_below(PARAMETERS)  # each key is read, the first is written
