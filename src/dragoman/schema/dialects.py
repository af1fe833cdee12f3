"""SchemaDialect: which JSON Schema a target takes, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from .._old_names import keeps_old_names
from ..errors import ConfigError
from ..text.redaction import show

Demand: TypeAlias = Literal[
    "object root",  # the root's type is object, and it is no $ref
    "plain root",  # and has no anyOf, oneOf or allOf
    "bare root",  # nor enum, const or not
    "type",  # every schema has a type, or is a union
    "items",  # every array has items
    "properties",  # every object names properties
    "root properties",  # the root does, if only none
    "known required",  # `required` names only declared properties
    "some required",  # every object requires something
    "all required",  # every property is required; an optional one may be null
    "closed",  # every object refuses other properties
    "lone unions",  # anyOf has nothing beside it
]


@keeps_old_names
@dataclass(frozen=True, slots=True)
class SchemaDialect:
    """What one target takes of JSON Schema (draft 2020-12).

    Args:
        name: The name of the dialect.
        since: When the source was looked up (ISO date).
        source: Where the dialect is documented.
        takes: The keywords that are allowed and reach the model; None for all.
        root: Those of the root, if they differ.
        verbatim: Keywords whose contents are not lowered.
        demands: What every schema, or the root, must have.
        refs: References may have neighbours (`any`), none (`bare`), or are inlined (`none`).
        recursion: Whether a schema may refer back to itself: `any`; only in properties that are
            not required (`optional`); never (`none`).
        enums: The kinds of values that an enum may list (string, number, boolean, null, other).
        formats: The names of formats; None for any.
        type_lists: Whether `type` may be a list.
        nullable: Whether null is written as `nullable`.
        upper: Whether types are written STRING, OBJECT.
        patterns: A regular expression that finds what a pattern must not contain.
        min_items: The largest `minItems`; None for any.
        limits: The largest number of properties, levels (`depth`), enum values (`values`),
            optional properties and unions.
    """

    name: str
    since: str
    source: str
    takes: frozenset[str] | None = None
    root: frozenset[str] | None = None
    verbatim: frozenset[str] = frozenset()
    demands: frozenset[Demand] = frozenset()
    refs: Literal["any", "bare", "none"] = "any"
    recursion: Literal["any", "optional", "none"] = "any"
    enums: frozenset[str] = frozenset({"string", "number", "boolean", "null", "other"})
    formats: frozenset[str] | None = None
    type_lists: bool = True
    nullable: bool = False  # null is written as `nullable`
    upper: bool = False  # types are written STRING, OBJECT
    patterns: str = ""
    min_items: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def rule(self) -> str:
        """Where the dialect is documented, and when that was looked up."""
        return f"{self.source} ({self.since})"

    def allows(self, keyword: str, at_root: bool = False) -> bool:
        """Whether a schema may have a keyword.

        Args:
            keyword: The keyword.
            at_root: Whether the schema is the root.
        """
        takes = self.root if at_root and self.root is not None else self.takes
        return takes is None or keyword in takes


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCALARS = _words("string number boolean null")


PLAIN = SchemaDialect(
    "plain", "2026-11-21", "OpenAI API reference, Function tools: any JSON Schema where not strict"
)


# OpenAI answers 400 "object schema missing properties" for a function without; the MCP client of
# openai-agents adds them for that reason (mcp/util.py, 2026-10). Others do not mind.
OBJECT = replace(
    PLAIN,
    name="object",
    source="Mistral API reference, Tools: a JSON Schema of an object",
    demands=frozenset({"object root", "root properties"}),
)


# OpenAI's own API, strict or not: 400 "schema must have type 'object' and not have 'oneOf'/'anyOf'/
# 'allOf'/'enum'/'const'/'not' at the top level", and 400 "array schema missing items". Sources:
# goruck/home-generative-agent pull request 545 (2026-08-12), langchain-ai/langchainjs issue 9804,
# spacelift-io/spacectl issue 402 (2026-04-21); an empty `items` passes.
OPENAI = replace(
    OBJECT,
    name="openai",
    since="2026-08-12",
    source="OpenAI API, error invalid_function_parameters: no union at the root, items in arrays",
    demands=OBJECT.demands | {"plain root", "bare root", "items"},
)


# A `default` and `$schema` are accepted; lengths, too.
OPENAI_STRICT = SchemaDialect(
    "openai-strict",
    "2026-11-21",
    "OpenAI docs, Structured outputs: supported schemas",
    takes=_words(
        "type properties required additionalProperties items prefixItems anyOf enum const $ref"
        " $defs definitions description title default pattern format multipleOf minimum maximum"
        " exclusiveMinimum exclusiveMaximum minItems maxItems minLength maxLength $schema"
    ),
    demands=frozenset(
        {"object root", "plain root", "type", "items", "closed", "all required", "known required"}
    ),
    refs="bare",
    limits={"properties": 5000, "depth": 10, "values": 1000},
)


DEEPSEEK_STRICT = replace(
    OPENAI_STRICT,
    name="deepseek-strict",
    source="DeepSeek docs, Tool calls: strict (beta)",
    demands=OPENAI_STRICT.demands | {"properties"},
    formats=_words("email hostname ipv4 ipv6 uuid"),
)


MOONSHOT = replace(
    OBJECT,
    name="moonshot",
    source="Kimi CLI: a property without a type is refused",
    demands=frozenset({"object root", "type"}),
)


ANTHROPIC = SchemaDialect(
    "anthropic",
    "2026-11-21",
    "Anthropic API, tools.input_schema: an object at the root, without unions",
    demands=frozenset({"object root", "plain root"}),
)


ANTHROPIC_STRICT = SchemaDialect(
    "anthropic-strict",
    "2026-11-21",
    "Anthropic docs, Structured outputs: JSON Schema limitations",
    takes=_words(
        "type properties required additionalProperties items anyOf allOf enum const $ref $defs"
        " definitions description title default format minItems pattern $schema"
    ),
    demands=frozenset({"object root", "plain root", "type", "closed", "known required"}),
    refs="bare",
    recursion="none",
    enums=_SCALARS,
    formats=_words("date-time time date duration email hostname uri ipv4 ipv6 uuid"),
    patterns=r"\(\?[=!<]|\\[1-9bBk]",
    min_items=1,
    limits={"optional": 24, "unions": 16},
)


BEDROCK = replace(
    ANTHROPIC, name="bedrock", source="Bedrock API, ToolInputSchema; Claude's own limits hold"
)


BEDROCK_STRICT = replace(
    ANTHROPIC_STRICT, name="bedrock-strict", source="Bedrock user guide, Structured outputs"
)


# Constraints that the model need not obey (lengths, patterns, counts of properties) are not sent.
GEMINI = SchemaDialect(
    "gemini",
    "2026-11-21",
    "Gemini API reference, FunctionDeclaration.parametersJsonSchema and responseJsonSchema",
    takes=_words(
        "$id $defs $ref $anchor $schema type format title description enum items prefixItems"
        " minItems maxItems minimum maximum anyOf properties additionalProperties required"
        " propertyOrdering default"
    ),
    demands=frozenset({"object root"}),
    refs="bare",
    recursion="optional",
    enums=_words("string number"),
)


GEMINI_OPENAPI = SchemaDialect(
    "gemini-openapi",
    "2026-11-21",
    "Gemini API reference, Schema: a subset of OpenAPI 3.0",
    takes=_words(
        "type format title description nullable enum items properties required propertyOrdering"
        " minItems maxItems minLength maxLength minProperties maxProperties minimum maximum"
        " pattern anyOf default"
    ),
    demands=frozenset(
        {
            "object root",
            "plain root",
            "type",
            "items",
            "properties",
            "known required",
            "lone unions",
        }
    ),
    refs="none",
    enums=_words("string"),
    formats=_words("enum date-time float double int32 int64"),
    type_lists=False,
    nullable=True,
    upper=True,
)


# An answer may be any JSON, arguments are an object.
GEMINI_FORMAT = replace(GEMINI, name="gemini-format", demands=frozenset())


GEMINI_OPENAPI_FORMAT = replace(
    GEMINI_OPENAPI,
    name="gemini-openapi-format",
    demands=GEMINI_OPENAPI.demands - {"object root", "plain root"},
)


MISTRAL_STRICT = SchemaDialect(
    "mistral-strict",
    "2026-11-21",
    "mistralai SDK, rec_strict_json_schema: every object is closed; optional properties may be",
    demands=frozenset({"object root", "closed"}),
)


# The schema is parsed into fixed structures: unknown keywords vanish before the model sees it.
OLLAMA = SchemaDialect(
    "ollama",
    "2026-11-21",
    "Ollama api/types.go, ToolFunctionParameters and ToolProperty",
    takes=_words("anyOf type items description enum properties required"),
    root=_words("type $defs items required properties"),
    verbatim=_words("items $defs"),
    demands=frozenset({"object root", "plain root"}),
    refs="none",
)


OLLAMA_OLD = replace(
    OLLAMA,
    name="ollama-old",
    source="ollama#10328: `type` is one text in older servers",
    takes=OLLAMA.takes and OLLAMA.takes - {"anyOf"},
    type_lists=False,
)


COHERE_STRICT = SchemaDialect(
    "cohere-strict",
    "2026-11-21",
    "Cohere docs, Structured outputs: parameter types",
    takes=_words(
        "type properties required additionalProperties items anyOf enum const pattern format $ref"
        " $defs description title default"
    ),
    demands=frozenset({"object root", "plain root", "type", "some required", "known required"}),
    refs="bare",
    enums=_SCALARS,
    formats=_words("date-time uuid date time"),
    patterns=r"[\^$]|\(\?[=!]",
    limits={"properties": 200},
)


DIALECTS: dict[str, SchemaDialect] = {
    row.name: row
    for row in (
        PLAIN,
        OBJECT,
        OPENAI,
        OPENAI_STRICT,
        DEEPSEEK_STRICT,
        MOONSHOT,
        ANTHROPIC,
        ANTHROPIC_STRICT,
        BEDROCK,
        BEDROCK_STRICT,
        GEMINI,
        GEMINI_OPENAPI,
        GEMINI_FORMAT,
        GEMINI_OPENAPI_FORMAT,
        MISTRAL_STRICT,
        OLLAMA,
        OLLAMA_OLD,
        COHERE_STRICT,
    )
}


def dialect(name: str) -> SchemaDialect:
    """The dialect of a name.

    Args:
        name: One of `DIALECTS`.

    Raises:
        ConfigError: There is no such dialect.
    """
    if name not in DIALECTS:
        text, hint = f"{show(name)} is no schema dialect", f"one of {', '.join(DIALECTS)}"
        raise ConfigError(text, hint=hint, code="schema.dialect")
    return DIALECTS[name]
