"""Calls over HTTP: bytes out, bytes back, and every fault as a typed error.

Knows no messages.
"""
