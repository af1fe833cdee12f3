"""Field rules of Cohere's chat, version 2."""

from __future__ import annotations

from .field import FieldRule, Rules

__all__ = ["COHERE"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COHERE = Rules(
    "Cohere API reference, Chat, and Cohere docs, Errors",
    "2026-11-21",
    (
        FieldRule("model", ("text",), needed=True),
        FieldRule("messages", ("list",), fewest=1, needed=True),
        FieldRule("messages[]", ("object",), needed=True),
        FieldRule("messages[].role", ("text",), words=_words("system user assistant tool"),
                  needed=True),
        FieldRule("temperature", ("number",), 0, 1),
        FieldRule("p", ("number",), 0.01, 0.99),
        FieldRule("k", ("integer",), 0, 500),
        FieldRule("frequency_penalty", ("number",), 0, 1),
        FieldRule("presence_penalty", ("number",), 0, 1),
        FieldRule("stop_sequences", ("list",), longest=5),
        FieldRule("max_tokens", ("integer",), least=0),
        FieldRule("seed", ("integer",)),
        FieldRule("stream", ("boolean",)),
        FieldRule("logprobs", ("boolean",)),
        FieldRule("strict_tools", ("boolean",)),
        FieldRule("priority", ("integer",), 0, 999),
        FieldRule("safety_mode", ("text",), words=_words("CONTEXTUAL STRICT OFF")),
        FieldRule("thinking.type", ("text",), words=_words("enabled disabled")),
        FieldRule("thinking.token_budget", ("integer",), least=1),
        FieldRule("documents", ("list",)),
        FieldRule("tools", ("list",)),
        FieldRule("tools[]", ("object",), needed=True),
        FieldRule("tools[].type", ("text",), words=_words("function"), needed=True),
        FieldRule("tool_choice", ("text",), words=_words("REQUIRED NONE"),
                  fix="Leave it out to let the model choose."),
        FieldRule("response_format.type", ("text",), words=_words("text json_object")),
    ),
)  # fmt: skip
