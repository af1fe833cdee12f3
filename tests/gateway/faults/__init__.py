"""Faults: providers that misbehave byte by byte, clients that do, and what comes of it.

A gateway runs in a process of its own; the provider is a server of these tests on a raw socket.
"""
