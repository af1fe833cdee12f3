"""How a gateway is set up: values, the same read from TOML, and the keys of its clients."""
