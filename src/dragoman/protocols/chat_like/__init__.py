"""Code shared by the wires that follow Chat Completions closely."""
