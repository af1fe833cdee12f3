"""Conversations by the million: files converted on all processors; batches of a provider.

`converter` makes a function of one record for a program's own `map`; `dragoman batch convert`
applies it to whole files. A file is cut into segments, each is converted by a process of its own,
and what is finished is recorded, so that a run that was killed goes on where it was.

`run` knows what there is to do, `engines` have it done: by processes of this machine, each a
`worker`. One segment is `segment`. `input_files` says which files become which,
`lines` and `compression` read them, `quarantine` keeps what cannot be converted, `output_files` and
`manifest` are what a run leaves on the disk, `summary` counts.

`Batch`, which `LLM.batch` gives, sends requests over a provider's batch interface, at its price for
batches; it is in `llm.batches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import llm
from ..suggestions.import_names import find_or_refuse, listing
from .converter import Converter, converter

if TYPE_CHECKING:
    from typing import Any

    from ..llm import AsyncBatch, Batch, BatchItem, BatchStatus

__all__ = ["AsyncBatch", "Batch", "BatchItem", "BatchStatus", "Converter", "converter"]


def __getattr__(name: str) -> Any:
    """Find what sends on first use: a process that converts files does not load it."""
    return getattr(llm, name) if name in __all__ else find_or_refuse(__name__, name)


__dir__ = listing(globals(), __all__)
