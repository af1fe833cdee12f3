"""What could not be written: Loss, the Report that collects it, and the Policy that judges it.

Losses refer to nodes, and a path is computed only when it is read. Knows no messages: the walk over
a source comes in as a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .index import Field, InBody
from .loss import Loss, Losses
from .policies import Policy, PolicyLike, by_weight, policy
from .report import Places, Report

__all__ = [
    "Field",
    "InBody",
    "Loss",
    "Losses",
    "Places",
    "Policy",
    "PolicyLike",
    "Report",
    "by_weight",
    "policy",
]

if not TYPE_CHECKING:  # so that mypy still reports unknown names
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
