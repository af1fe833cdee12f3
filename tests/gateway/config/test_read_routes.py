"""Routes with several targets, and fallbacks for some errors; the rest is in test_read_toml.py."""

from __future__ import annotations

import pytest

from dragoman.gateway.config.read_toml import judge, parse


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "k")


def test_a_route_may_have_several_targets() -> None:
    toml = """\
[[routes]]
targets = [
  "anthropic/*",
  { to = "bedrock/anthropic.claude-opus-5-5-v1:0", weight = 2.5, places = { region = "eu" } },
]
balance = "sticky"
fallbacks = [
  { to = "gemini/gemini-3-pro", on = ["context_overflow", "content_filter"] },
  "openai/gpt-5",
]
"""
    (route,) = parse(toml).routes
    assert (route.target.name, route.target.weight) == ("anthropic/*", 1.0)
    (other,) = route.alternatives
    assert (other.weight, other.places) == (2.5, {"region": "eu"})
    assert route.balance == "sticky"
    assert [one.on for one in route.fallbacks] == [("context_overflow", "content_filter"), ()]
    assert [one.name for one in route.targets][2:] == ["gemini/gemini-3-pro", "openai/gpt-5"]


def test_faults_of_several_targets_are_told() -> None:
    toml = """\
[[routes]]
to = "anthropic/*"
targets = [{ to = "openai/gpt-5", weight = 0 }, { to = "openai/gpt-5", on = "overloaded" }]
base_url = "https://proxy.example/v1"
balance = "stiky"
fallbacks = [{ to = "openai/gpt-4", on = ["overlaoded"] }]

[[routes]]
models = ["gpt-*"]
to = "openai/gpt-5"
balance = "sticky"

[[routes]]
models = ["claude-*"]
targets = []
"""
    told = [line for line in judge(toml, "f").format_faults() if "no model reaches" not in line]
    assert [line.removeprefix("f:").partition(": ")[0] for line in told] == [
        "2",
        "3",
        "3",
        "4",
        "5",
        "6",
        "11",
        "15",
    ]
    assert told[0] == (
        "f:2: $.routes[0].to: to and targets are both there (put it into the tables of `targets`)"
    )
    assert "weight" in told[1]
    assert "unknown key 'on'" in told[2]
    assert "base_url is said of each target" in told[3]
    assert "(did you mean sticky?)" in told[4]
    assert "(did you mean overloaded?)" in told[5]
    assert "there is one target" in told[6]
    assert "there is no target" in told[7]
