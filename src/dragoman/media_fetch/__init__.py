"""The only folder of the core with files and sockets: what the passes ask for as values."""

from __future__ import annotations
