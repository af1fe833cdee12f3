"""Formatters: a wire, rewrites and a token budget."""
