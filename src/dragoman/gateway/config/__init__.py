"""The configuration of a gateway: values, how they are read from TOML, and its clients' keys."""

from .config_values import ClientKey, Config, Envelopes, Limits, Route, Target, Truncation

__all__ = ["ClientKey", "Config", "Envelopes", "Limits", "Route", "Target", "Truncation"]
