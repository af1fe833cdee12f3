"""Conversations by the million: files of records converted on all processors of one machine.

`converter` makes a function of one record for a program's own `map`; `dragoman batch convert`
applies it to whole files. A file is cut into segments, each is converted by a process of its own,
and what is finished is recorded, so that a run that was killed goes on where it was.

Scheduling is `local_engine`, one process of it `worker`, one segment `segment`. `input_files` says
which files become which, `lines` and `compression` read them, `quarantine` keeps what cannot be
converted, `output_files` and `manifest` are what a run leaves on the disk, `summary` counts.
"""

from __future__ import annotations

from .converter import Converter, converter

__all__ = ["Converter", "converter"]
