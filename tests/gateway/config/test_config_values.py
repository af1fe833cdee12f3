"""Values of a configuration that a program builds, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ConfigError
from dragoman.gateway.config.config_values import Target, config_for, with_upstream


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"base_url": "foo"}, "$.base_url"),
        ({"base_url": "http://user:4f9a8b7c@host.example"}, "$.base_url"),
        ({"base_url": "http://host.example:99999"}, "$.base_url"),
        ({"base_url": "http://host.example/v1#x"}, "$.base_url"),
        ({"headers": {"x a: b": "4f9a8b7c"}}, "$.headers"),
        ({"headers": {"x-a": "4f9a8b7c\r\nx-b: c"}}, "$.headers.x-a"),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "$.headers.Transfer-Encoding"),
    ],
)
def test_a_target_that_cannot_be_asked(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Target("openai/gpt-5", **fields)
    assert raised.value.path == path
    assert "4f9a8b7c" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:1", "https://{region}.host.example/v1", "http://[::1]:80/v1",
     "http://host.example:{port}/a%20b/", "http://gpu_1:8000"],
)  # fmt: skip
def test_addresses_of_a_server(url: str) -> None:
    assert Target("openai/gpt-5", base_url=url).base_url == url


def test_another_upstream_is_judged_too() -> None:
    config = config_for("openai/gpt-5")
    assert with_upstream(config, "http://gpu:1").routes[0].target.base_url == "http://gpu:1"
    with pytest.raises(ConfigError, match="is no address of a server"):
        with_upstream(config, "gpu")
