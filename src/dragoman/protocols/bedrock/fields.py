"""The fields of a request of Converse, one row each.

Reference: Amazon Bedrock API reference, "Converse"; botocore's service model, `ConverseRequest`
(2026-11-29); the makers' own fields in `additionalModelRequestFields`.
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

MODEL_FIELDS = "additionalModelRequestFields"

# boto3 takes every field of its service model as an argument, so that none is marked here.
FIELDS = FieldTable(
    BodyField("modelId"),
    BodyField("messages", "list"),
    BodyField("system", "list"),
    BodyField("inferenceConfig", "object", closed=True),
    BodyField("inferenceConfig.maxTokens", "integer", 1, option="max_tokens"),
    BodyField("inferenceConfig.temperature", "number", 0, 1, option="temperature"),
    BodyField("inferenceConfig.topP", "number", 0, 1, option="top_p"),
    BodyField(f"{MODEL_FIELDS}.top_k", option="top_k"),
    BodyField(f"{MODEL_FIELDS}.inferenceConfig.topK", option="top_k"),
    BodyField("inferenceConfig.stopSequences", "list", longest=2500, option="stop"),
    BodyField("serviceTier.type", option="service_tier"),
    BodyField(f"{MODEL_FIELDS}.thinking.budget_tokens", option="reasoning_budget"),
    BodyField(f"{MODEL_FIELDS}.reasoning_config.budget_tokens", option="reasoning_budget"),
    BodyField(f"{MODEL_FIELDS}.output_config.effort", option="reasoning"),
    BodyField("outputConfig.effort", option="reasoning"),
    BodyField(f"{MODEL_FIELDS}.reasoningConfig.maxReasoningEffort", option="reasoning"),
    BodyField(f"{MODEL_FIELDS}.reasoning_effort", option="reasoning"),
    BodyField(f"{MODEL_FIELDS}.reasoning.effort", option="reasoning"),
    BodyField(f"{MODEL_FIELDS}.reasoning_config", option="reasoning"),
    BodyField(f"{MODEL_FIELDS}.thinking.display", option="thoughts"),
    # where thinking is turned on and off: Claude's place, its other name, Nova's
    BodyField(f"{MODEL_FIELDS}.thinking.type", special="reasoning"),
    BodyField(f"{MODEL_FIELDS}.reasoning_config.type", special="reasoning"),
    BodyField(f"{MODEL_FIELDS}.reasoningConfig.type", special="reasoning"),
    BodyField("toolConfig", "object"),
    BodyField("guardrailConfig"),
    BodyField("additionalModelResponseFieldPaths"),
    BodyField("performanceConfig"),
    BodyField("projectIdentifier"),
    BodyField("promptVariables"),
    BodyField("requestMetadata"),
)

OPTIONS = FIELDS.places
