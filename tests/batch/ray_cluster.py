"""A Ray cluster of one machine for the tests, and runs over it in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cli.running import environment

__all__ = ["cluster", "convert_deadly"]

_START = """
import logging, sys, ray
context = ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False,
                   logging_level=logging.CRITICAL, object_store_memory=2**27, _temp_dir=sys.argv[1])
print(context.address_info["gcs_address"], flush=True)
sys.stdin.read()
"""
_DEADLY = """
import json, os, sys
from functools import partial
from pathlib import Path
from dragoman.batch.ray_engine import RayEngine
from tests.batch.deadly import Deadly, Limited
from tests.batch.records import convert
file, out, address, spare = sys.argv[1:]
work = Deadly(Path(out).parent) if spare == "0" else Limited(int(spare), os.getpid(), "anthropic")
report = convert(file, to=out, converter=work, jobs=2, segment=2_000,
                 engine=partial(RayEngine, address=address))
print(json.dumps(report))
"""


_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",  # also of all that connect to it
    "RAY_AUTH_TOKEN": "a token for the tests of Dragoman",
    "PYTHONPATH": str(Path.cwd()),  # the processes of Ray import `tests.batch.deadly`
}


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a cluster with two processors, which ends with the block."""
    before = {name: os.environ.get(name) for name in _SETTINGS}
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        os.environ |= _SETTINGS
        process = subprocess.Popen(
            [sys.executable, "-c", _START, folder], env=environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, "Ray did not start"
            yield address
        finally:
            process.stdin.close()
            process.stdout.close()
            process.wait()
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def convert_deadly(file: Path, out: Path, address: str, spare: int = 0) -> dict[str, Any]:
    """Convert a file with a `Deadly` converter, or a `Limited` one; the report."""
    args = [sys.executable, "-c", _DEADLY, str(file), str(out), address, str(spare)]
    ran = subprocess.run(args, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    report: dict[str, Any] = json.loads(ran.stdout)  # Ray writes nothing beside it
    return report
