"""Calls over HTTP: bytes out, bytes back, and every fault of it a typed error.

Knows no message.
"""
