"""Msgs -> Msgs, before any wire: who speaks, what stays of a long history, the system prompt."""
