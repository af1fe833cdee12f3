"""`LLM` and `AsyncLLM` ask any model; `to_pair` is what a program's own agent loop needs.

Names are resolved on use: a program that only looks up a model's name loads nothing that sends.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..suggestions.import_names import find_or_refuse, listing

if TYPE_CHECKING:
    from typing import Any

    from ..stream.events import StreamEvent
    from .batches.batch import AsyncBatch, Batch
    from .batches.reading import BatchItem
    from .batches.status import BatchStatus, PartStatus
    from .formatter_and_model import Formatting, ModelLike, Pair, Sending, to_llm, to_pair
    from .inputs import to_request
    from .llm import LLM, AsyncLLM
    from .names import ModelName, model_name
    from .profiles import profile
    from .settings import Input, Way
    from .streams import AnswerStream, AsyncAnswerStream

__all__ = [
    "LLM",
    "AnswerStream",
    "AsyncAnswerStream",
    "AsyncBatch",
    "AsyncLLM",
    "Batch",
    "BatchItem",
    "BatchStatus",
    "Formatting",
    "Input",
    "ModelLike",
    "ModelName",
    "Pair",
    "PartStatus",
    "Sending",
    "StreamEvent",
    "Way",
    "model_name",
    "profile",
    "to_llm",
    "to_pair",
    "to_request",
]

_HOMES = {
    ".profiles": ("profile",),
    "..stream.events": ("StreamEvent",),
    ".batches.batch": ("AsyncBatch", "Batch"),
    ".batches.reading": ("BatchItem",),
    ".batches.status": ("BatchStatus", "PartStatus"),
    ".llm": ("LLM", "AsyncLLM"),
    ".inputs": ("to_request",),
    ".names": ("ModelName", "model_name"),
    ".formatter_and_model": ("Formatting", "ModelLike", "Pair", "Sending", "to_llm", "to_pair"),
    ".settings": ("Input", "Way"),
    ".streams": ("AnswerStream", "AsyncAnswerStream"),
}


def __getattr__(name: str) -> Any:
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        return find_or_refuse(__name__, name)
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
