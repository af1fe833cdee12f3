"""One door to every model: `LLM` and `AsyncLLM`."""

from __future__ import annotations

from .._core.edges.profiles import profile
from .._core.stream.events import StreamEvent
from .front import LLM, AsyncLLM
from .names import ModelName, model_name
from .streams import AnswerStream, AsyncAnswerStream

__all__ = [
    "LLM",
    "AnswerStream",
    "AsyncAnswerStream",
    "AsyncLLM",
    "ModelName",
    "StreamEvent",
    "model_name",
    "profile",
]
