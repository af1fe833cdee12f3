"""The changes of a lowering as losses of the tool or format whose schema it is."""

from __future__ import annotations

from ..losses import Report
from .lowered import UNFIT, Lowered

__all__ = ["report_changes"]


def report_changes(made: Lowered, report: Report, node: object, field: str, name: str) -> None:
    """Name every change in a report: `field` holds the schema of `node`, `name` is the tool's.

    The loss is found at `<path of the field>.properties.age.minimum`; the rule is the dialect's.
    """
    for change in made.changes:
        report.lost(
            change.code,
            node,
            f"{field}{change.where[1:]}",
            what=f"{name}: {change.what}",
            did="in the description" if change.told else change.did,
            rule=made.rule,
        )
    if made.unfit:
        report.lost(UNFIT, node, field, f"{name}: {made.unfit}", rule=made.rule)
