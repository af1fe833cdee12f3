"""Formatters by AgentScope's names, one file for each vendor that has them."""
