"""Conversations by the million: files converted on all processors; batches of a provider.

`converter` makes a function of one record for a program's own `map`; `dragoman batch convert`
applies it to whole files. So do `checker`, `token_counter`, `pricer`, `fidelity_meter`, `fitter`
and `message_reader`, which are in `record_works`; each makes a `RecordWork`. A file is cut into
segments, each is done by a process of its own, and what is finished is recorded, so that a run that
was killed goes on where it was.

`run` knows what there is to do, `engines` have it done: by processes of this machine, each a
`worker`. One segment is `segment`. `input_files` says which files become which,
`lines` and `compression` read them, `quarantine` keeps what cannot be converted, `output_files` and
`manifest` are what a run leaves on the disk, `summary` counts.

`Batch`, which `LLM.batch` gives, sends requests over a provider's batch interface, at its price for
batches; it is in `llm.batches`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .. import llm
from ..suggestions.import_names import find_or_refuse, listing
from .converter import Converter, converter
from .record_work import RecordWork

if TYPE_CHECKING:
    from typing import Any

    from ..llm import AsyncBatch, Batch, BatchItem, BatchStatus
    from .record_works.check import checker
    from .record_works.cost import pricer
    from .record_works.count import token_counter
    from .record_works.fidelity import fidelity_meter
    from .record_works.fit import fitter
    from .record_works.messages import message_reader

__all__ = [
    "AsyncBatch",
    "Batch",
    "BatchItem",
    "BatchStatus",
    "Converter",
    "RecordWork",
    "checker",
    "converter",
    "fidelity_meter",
    "fitter",
    "message_reader",
    "pricer",
    "token_counter",
]

# loaded on use: a process that converts files needs none of them
_WORKS = {
    "checker": "check",
    "fidelity_meter": "fidelity",
    "fitter": "fit",
    "message_reader": "messages",
    "pricer": "cost",
    "token_counter": "count",
}


def __getattr__(name: str) -> Any:
    """Find what sends, and the other works, on first use."""
    if name in _WORKS:
        return getattr(import_module(f".record_works.{_WORKS[name]}", __name__), name)
    return getattr(llm, name) if name in __all__ else find_or_refuse(__name__, name)


__dir__ = listing(globals(), __all__)
