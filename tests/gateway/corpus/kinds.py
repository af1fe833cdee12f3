"""Client protocols and kinds of upstreams, one of each; and a gateway between them."""

from __future__ import annotations

from functools import cache

from dragoman.gateway.config.config_values import Config, Envelopes, OnFault, config_for
from dragoman.gateway.exchange.open_exchange import Gateway

__all__ = ["CLIENTS", "HOME", "UPSTREAMS", "gateway"]

CLIENTS = ("openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions",
           "ollama")  # fmt: skip
# a kind of upstream by its protocol, and the target of a route there
UPSTREAMS = {
    "openai-chat": "openai/openai-chat/gpt-5.6",
    "openai-responses": "openai/openai-responses/gpt-5.6",
    "anthropic": "anthropic/claude-opus-5-5",
    "gemini": "gemini/gemini-3.8-flash",
    "ollama": "ollama/qwen3",
}
# where clients of a protocol send what asks for an answer
HOME = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/{model}:{method}",
    "gemini-interactions": "/v1beta/interactions",
    "ollama": "/api/chat",
}
_KEY = bytes(range(32))


@cache
def gateway(target: str, on_fault: OnFault = "refuse") -> Gateway:
    """A gateway with one route, for all models, and a key of its own for envelopes."""
    routes = config_for(target).routes
    return Gateway(Config(routes=routes, envelopes=Envelopes(keys=(_KEY,), on_fault=on_fault)))
