"""Answers in pieces: what readers make of events, and the sum of it."""
