"""Batches of Responses: files of JSON lines.

Reference: OpenAI API, "Batch", "Files"; types of the SDK openai 3.57 (2026-11-27).
"""

from __future__ import annotations

from ..batches import FileBatches

BATCH = FileBatches()
