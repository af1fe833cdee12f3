"""One door to every model: `LLM` and `AsyncLLM`; and what a loop of your own needs, `pair_of`."""

from __future__ import annotations

from .._core.edges.profiles import profile
from .._core.stream.events import StreamEvent
from .asking import request_of
from .front import LLM, AsyncLLM
from .names import ModelName, model_name
from .pairs import Formatting, ModelLike, Pair, Sending, pair_of
from .settings import Input, Way
from .streams import AnswerStream, AsyncAnswerStream

__all__ = [
    "LLM",
    "AnswerStream",
    "AsyncAnswerStream",
    "AsyncLLM",
    "Formatting",
    "Input",
    "ModelLike",
    "ModelName",
    "Pair",
    "Sending",
    "StreamEvent",
    "Way",
    "model_name",
    "pair_of",
    "profile",
    "request_of",
]
