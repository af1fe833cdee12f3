"""Azure: OpenAI's models behind a resource, whose seals open nowhere else."""

from __future__ import annotations

import dragoman
from dragoman.message import Origin, ThinkingBlock
from tests.vendors.asking import LOOK, called, codes, losses, wrote

SEALED = {"type": "reasoning", "summary": [], "encrypted_content": "c2VhbA=="}


def test_where_it_lives() -> None:
    row = dragoman.wire("azure").vendor
    assert row.url() == "https://{resource}.openai.azure.com/openai/v1"
    assert row.key == "AZURE_OPENAI_API_KEY"
    assert wrote("azure", "gpt-4o").path == "/chat/completions"
    assert wrote("azure/openai-responses", "gpt-5.6").path == "/responses"


def test_a_deployment_with_a_models_name_is_that_model() -> None:
    out = wrote("azure", "gpt-5.6", tools=[LOOK])
    assert (out.body["reasoning_effort"], codes(out)) == ("none", ["reasoning.off_for_tools"])
    assert codes(wrote("azure", "our-deployment", tools=[LOOK])) == []


def test_seals_of_another_host_stay_away() -> None:
    own = ThinkingBlock("", signature="c2VhbA==", origin=Origin("azure"))
    other = ThinkingBlock("", signature="c2VhbA==", origin=Origin("openai-responses"))
    wire = "azure/openai-responses"
    assert wrote(wire, "gpt-5.6", *called(own)).body["input"][1] == SEALED
    assert losses(wrote(wire, "gpt-5.6", *called(other))) == [
        ("thinking.other_provider", "$.messages[1].content[0]")
    ]


def test_some_of_the_tools() -> None:
    choice = dragoman.ToolChoice("auto", allowed=("look",))
    out = wrote("azure", "our-deployment", tools=[LOOK], tool_choice=choice)
    assert out.body["tool_choice"]["type"] == "allowed_tools"
