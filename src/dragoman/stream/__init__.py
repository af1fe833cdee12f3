"""Answers in pieces: bytes to events (`framing`), events to blocks, and the sum of them."""
