"""Passes over a history, each from what a wire can carry to what it can say."""
