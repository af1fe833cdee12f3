"""How a gateway is set up: values, the same read from TOML, and the keys of its clients."""

from .values import ClientKey, Config, Envelopes, Limits, Route, Target, Truncation

__all__ = ["ClientKey", "Config", "Envelopes", "Limits", "Route", "Target", "Truncation"]
