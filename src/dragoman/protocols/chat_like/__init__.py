"""What the wires that follow Chat Completions closely have in common."""
