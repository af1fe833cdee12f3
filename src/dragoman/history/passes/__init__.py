"""The passes over a history, which change it to what a wire can carry."""
